//! Progress of a training run: a bar on a terminal, a line per iteration everywhere.

use std::fmt::Arguments;
use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use treebeam::learn::{IterationReport, Run};
use treebeam::options::Options;
use treebeam::training::{Next, Observer};

/// The display of a run.
#[derive(Debug)]
pub struct Display {
    bar: ProgressBar,
    /// Of one iteration.
    n_sentences: u64,
    /// Number of iterations to come, in words that follow the number of one.
    of: String,
    /// The iteration that the bar names.
    shown: u32,
    /// The first iterations, which train greedily for global training to go on from.
    pretrain: u32,
    /// True of a tagger, whose labels are what it is scored by.
    tags: bool,
}

impl Display {
    /// The display of a run by these options that has not begun.
    pub fn new(options: &Options) -> Display {
        let (pretrain, tags) =
            (options.transitions().map_or(0, |options| options.pretrain), options.target().is_some());
        Display { bar: ProgressBar::hidden(), n_sentences: 0, of: String::new(), shown: 0, pretrain, tags }
    }

    /// The run is over.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, report: &IterationReport) {
        let dev = report.dev.map_or(String::new(), |dev| match self.tags {
            true => format!(", dev accuracy {:.2} ({} of {} words)", dev.las(), dev.labelled, dev.tokens),
            false => format!(
                ", dev UAS {:.2} LAS {:.2} ({} and {} of {} words)",
                dev.uas(),
                dev.las(),
                dev.heads,
                dev.labelled,
                dev.tokens
            ),
        });
        let how = if report.iteration <= self.pretrain { " (greedy)" } else { "" };
        self.bar.suspend(|| {
            treebeam::console::note(format_args!(
                "iteration {:>2}{}{how}: {} updates, {} features, {:.1} s{dev}",
                report.iteration, self.of, report.updates, report.features, report.seconds
            ));
        });
    }
}

impl Observer for Display {
    /// The bar is of the whole run, to the plateau of the most iterations, and hidden unless standard error is a terminal. What a
    /// checkpoint has done is shown again.
    fn begins(&mut self, run: &dyn Run) {
        // The treebanks that were read are freed by now.
        crate::allocator::return_freed_pages();
        let (n_sentences, stopping, done) = (run.n_sentences() as u64, run.stopping(), run.reports().len() as u64);
        let bar = match treebeam::console::shows_progress() {
            true => ProgressBar::with_draw_target(
                Some(n_sentences * u64::from(stopping.most)),
                ProgressDrawTarget::stderr_with_hz(5),
            ),
            false => ProgressBar::hidden(),
        };
        let of = format!(" of {}{}", if stopping.patience.is_some() { "at most " } else { "" }, stopping.most);
        let template =
            format!("iteration {{msg}}{of} {{wide_bar}} {{percent}} % of the run, {{elapsed}} gone, {{eta}} left");
        let shown = done as u32 + 1;
        bar.set_message(shown.to_string());
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.set_position(n_sentences * done);
        // The time that is left follows from what this process does.
        bar.reset_eta();
        *self = Display { bar, n_sentences, of, shown, ..*self };
        run.reports().iter().for_each(|report| self.show(report));
    }

    fn tick(&mut self, iteration: u32, done: usize) -> ControlFlow<()> {
        if self.shown != iteration {
            self.shown = iteration;
            self.bar.set_message(iteration.to_string());
        }
        let before = self.n_sentences * u64::from(iteration.saturating_sub(1));
        self.bar.set_position(before + done as u64);
        ControlFlow::Continue(())
    }

    fn report(&mut self, report: &IterationReport) -> Next {
        self.show(report);
        Next::GoOn
    }

    fn note(&mut self, line: Arguments<'_>) {
        treebeam::console::note(line);
    }

    fn warn(&mut self, line: Arguments<'_>) {
        treebeam::console::say(line);
    }
}
