//! What a training run shows: a bar on a terminal, a line per iteration everywhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::learn::{IterationReport, Stopping};

/// The display of a run.
#[derive(Debug)]
pub struct Display {
    bar: ProgressBar,
}

impl Display {
    /// A display of passes over so many sentences. The bar is hidden unless standard error is a terminal.
    pub fn new(n_sentences: usize, stopping: Stopping) -> Display {
        let bar = ProgressBar::with_draw_target(Some(n_sentences as u64), ProgressDrawTarget::stderr_with_hz(5));
        let most = stopping.most;
        let of = if stopping.patience.is_some() { "of at most" } else { "of" };
        let template =
            format!("iteration {{msg}} {of} {most} {{wide_bar}} {{pos}}/{{len}} sentences, {{eta}} left in it");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Display { bar }
    }

    /// `done` sentences of the iteration with this number, from 1, are done.
    pub fn tick(&self, iteration: u32, done: usize) {
        if done == 1 || self.bar.position() > done as u64 {
            self.bar.reset();
            self.bar.set_message(iteration.to_string());
        }
        self.bar.set_position(done as u64);
    }

    /// An iteration is over.
    pub fn report(&self, report: &IterationReport) {
        let dev = report.dev.map_or(String::new(), |dev| {
            format!(
                ", dev UAS {:.2} LAS {:.2} ({} and {} of {} words)",
                dev.uas(),
                dev.las(),
                dev.heads,
                dev.labelled,
                dev.tokens
            )
        });
        self.bar.suspend(|| {
            eprintln!(
                "iteration {:>2}: {} updates, {} features, {:.1} s{dev}",
                report.iteration, report.updates, report.features, report.seconds
            );
        });
    }
}
