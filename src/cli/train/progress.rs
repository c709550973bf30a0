//! What a training run shows: a bar on a terminal, a line per iteration everywhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::learn::{IterationReport, Stopping};

/// The display of a run.
#[derive(Debug)]
pub struct Display {
    bar: ProgressBar,
    /// Of one iteration.
    n_sentences: u64,
}

impl Display {
    /// A display of a run over so many sentences, of which `done` iterations were done before. The bar is of the whole run, to the
    /// plateau of the most iterations, and hidden unless standard error is a terminal.
    pub fn new(n_sentences: usize, stopping: Stopping, done: u32) -> Display {
        let n_sentences = n_sentences as u64;
        let bar = match crate::console::shows_progress() {
            true => ProgressBar::with_draw_target(
                Some(n_sentences * u64::from(stopping.most)),
                ProgressDrawTarget::stderr_with_hz(5),
            ),
            false => ProgressBar::hidden(),
        };
        let of = if stopping.patience.is_some() { "of at most" } else { "of" };
        let template = format!(
            "iteration {{msg}} {of} {} {{wide_bar}} {{percent}} % of the run, {{elapsed}} gone, {{eta}} left",
            stopping.most
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        let before = n_sentences * u64::from(done);
        bar.set_position(before);
        // The time that is left follows from what this process does.
        bar.reset_eta();
        Display { bar, n_sentences }
    }

    /// `done` sentences of the iteration with this number, from 1, are done.
    pub fn tick(&self, iteration: u32, done: usize) {
        if done == 1 || self.bar.message().is_empty() {
            self.bar.set_message(iteration.to_string());
        }
        let before = self.n_sentences * u64::from(iteration.saturating_sub(1));
        self.bar.set_position(before + done as u64);
    }

    /// The run is over.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
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
            crate::console::note(format_args!(
                "iteration {:>2}: {} updates, {} features, {:.1} s{dev}",
                report.iteration, report.updates, report.features, report.seconds
            ));
        });
    }
}
