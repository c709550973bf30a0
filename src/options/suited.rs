//! Options of networks that follow the size of the data: what a pass over a large treebank teaches takes many over a small one.

use super::{GivenOptions, GraphOptions, Options, TrainOptions, Training};
use crate::linear::Learner;
use crate::model::ScorerKind;
use crate::training::Iterations;

/// Steps that a pass over the data has at least, if there are as many sentences.
const LEAST_STEPS: usize = 256;

/// Steps that a network's training on single decisions, or arcs, takes at least, by default: without an encoder, and with one. PERF:
/// those of 8 and 12 iterations over English-EWT. On 500 Hungarian sentences 12 iterations give 65.8 (`feed-forward`), 62.5
/// (`bilstm`, both with arc-hybrid), 61.4 (`stack-lstm`, arc-standard) and 59.5 (`biaffine`) LAS on development data, 24 of the first and
/// 36 of the others 68.7, 66.4, 65.9 and 66.5 (after 34).
const SUFFICIENT_STEPS: [usize; 2] = [12_000, 18_000];

/// The most iterations by default: very small treebanks are known by heart before.
const MOST_ITERATIONS: usize = 60;

impl GivenOptions {
    /// The options into which these were resolved, for so many sentences to learn from: of networks the number of iterations, the rate
    /// of global training that goes on from another model and the mini-batches that are made, as far as they are not given. Other
    /// options stay as they are.
    #[must_use]
    pub fn suited(&self, options: Options, n_sentences: usize) -> Options {
        match self.planned(options, n_sentences) {
            Options::Transitions(options) if !options.scorer.is_linear() && self.batch.is_none() => {
                Options::Transitions(TrainOptions { batch: batch_of(options.batch, n_sentences), ..options })
            }
            options => options,
        }
    }

    /// The same but for mini-batches, which may get smaller in training.
    #[must_use]
    pub fn planned(&self, mut options: Options, n_sentences: usize) -> Options {
        match &mut options {
            Options::Transitions(options) if !options.scorer.is_linear() => {
                self.suit_network(options, n_sentences);
            }
            Options::Graph(options) if options.system.is_biaffine() && self.iterations.is_none() => {
                let batch = options.batch.unwrap_or(GraphOptions::BATCH) as usize;
                options.iterations = suited_iterations(options.iterations, true, batch, n_sentences);
            }
            Options::Transitions(_) | Options::Graph(_) => {}
        }
        options
    }

    fn suit_network(&self, options: &mut TrainOptions, n_sentences: usize) {
        let is_global = options.training == Training::Global;
        if self.iterations.is_none() && !is_global {
            let has_encoder = options.scorer != ScorerKind::FeedForward;
            options.iterations = suited_iterations(options.iterations, has_encoder, options.batch, n_sentences);
        }
        if self.rate.is_none() && is_global && self.init.is_some() && options.learner == Learner::Adam {
            options.rate = suited_rate(options, n_sentences);
        }
    }
}

/// Sentences of a mini-batch: as many as `asked`, but fewer where so few mini-batches would be left that nothing is learned from them.
pub(crate) fn batch_of(asked: usize, n_sentences: usize) -> usize {
    asked.min(n_sentences / LEAST_STEPS).max(1)
}

/// The iterations of a network over so many sentences, in mini-batches of the size `asked`: those that suit large data, or as many as
/// it takes to make enough steps.
fn suited_iterations(iterations: Iterations, has_encoder: bool, asked: usize, n_sentences: usize) -> Iterations {
    let Iterations::Number(n) = iterations else { return iterations };
    let n_steps = n_sentences.div_ceil(batch_of(asked, n_sentences)).max(1);
    let sufficient = SUFFICIENT_STEPS[usize::from(has_encoder)].div_ceil(n_steps).min(MOST_ITERATIONS);
    Iterations::Number(n.max(sufficient as u32))
}

/// The rate at which global training goes on from another model, if it is not that of a large treebank: this for each sentence of a
/// mini-batch. PERF: with mini-batches of 1 (500 Hungarian sentences) 0.0003, 0.0001 and 0.00003 give 71.2, 71.5 and 71.6
/// (`feed-forward`; without global training 70.4), 66.5, 66.9 and 67.0 (`bilstm`; 67.0), 66.3, 66.4 and 66.6 (`stack-lstm`; 66.8).
fn suited_rate(options: &TrainOptions, n_sentences: usize) -> Option<f64> {
    let full = TrainOptions::default().with_scorer(options.scorer).batch;
    let part = batch_of(options.batch, n_sentences) as f64 / full as f64;
    (part < 1.0).then(|| options.network_rate() * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{GraphKind, ParserKind};

    fn of_network(given: &GivenOptions, n_sentences: usize) -> TrainOptions {
        match given.suited(given.resolve().unwrap(), n_sentences) {
            Options::Transitions(options) => options,
            Options::Graph(_) => unreachable!("transition systems are the default"),
        }
    }

    /// A small treebank is passed over more often, in smaller mini-batches, and changes a trained network less at a time.
    #[test]
    fn small_treebanks_are_passed_over_more_often() {
        let given = |scorer| GivenOptions { scorer: Some(scorer), ..GivenOptions::default() };
        let of = |scorer, n| {
            let options = of_network(&given(scorer), n);
            (options.batch, options.iterations)
        };
        let number = Iterations::Number;
        assert_eq!(of(ScorerKind::FeedForward, 12_544), (8, number(8)));
        assert_eq!(of(ScorerKind::FeedForward, 500), (1, number(24)));
        assert_eq!(of(ScorerKind::Bilstm, 12_544), (8, number(12)));
        assert_eq!(of(ScorerKind::Bilstm, 500), (1, number(36)));
        assert_eq!(of(ScorerKind::StackLstm, 20), (1, number(60)));
        let init = Some("x.model".to_owned());
        let rate = |n| of_network(&GivenOptions { init: init.clone(), ..given(ScorerKind::Bilstm) }, n).rate;
        assert_eq!(rate(12_544), None, "0.0003, as without this");
        assert_eq!(rate(500), Some(0.0003 / 8.0));
    }

    #[test]
    fn biaffine_parsers_are_networks() {
        let system = Some(ParserKind::Graph(GraphKind::Biaffine));
        let iterations = |given: GivenOptions| match given.suited(given.resolve().unwrap(), 500) {
            Options::Graph(options) => options.iterations,
            Options::Transitions(_) => unreachable!("it is graph-based"),
        };
        let given = GivenOptions { system, ..GivenOptions::default() };
        assert_eq!(iterations(given.clone()), Iterations::Number(36));
        assert_eq!(
            iterations(GivenOptions { iterations: Some(Iterations::Number(3)), ..given }),
            Iterations::Number(3)
        );
        let eisner = GivenOptions { system: Some(ParserKind::Graph(GraphKind::Eisner)), ..GivenOptions::default() };
        assert_eq!(iterations(eisner), Iterations::Number(10));
    }

    /// Given values stay, and linear models do not depend on the size.
    #[test]
    fn what_is_given_stays() {
        let scorer = Some(ScorerKind::Bilstm);
        let given =
            GivenOptions { scorer, iterations: Some(Iterations::Number(3)), batch: Some(4), ..GivenOptions::default() };
        let options = of_network(&given, 500);
        assert_eq!((options.iterations, options.batch), (Iterations::Number(3), 4));
        let linear = GivenOptions::default();
        assert_eq!(linear.suited(linear.resolve().unwrap(), 20), linear.resolve().unwrap());
    }
}
