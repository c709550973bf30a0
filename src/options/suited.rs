//! Options of networks that follow the size of the data: what a pass over a large treebank teaches takes many over a small one.

use super::{GivenOptions, Options};
use crate::learn::{Iterations, Learner, Training, batch_of, suited_iterations, suited_rate};

impl GivenOptions {
    /// The options into which these were resolved, for so many sentences to learn from: of networks the mini-batch, the number of
    /// iterations on single decisions and the rate of global training that goes on from another model, as far as they are not given.
    /// Other options stay as they are.
    #[must_use]
    pub fn suited(&self, options: Options, n_sentences: usize) -> Options {
        let Options::Transitions(mut options) = options else { return options };
        if !options.scorer.is_linear() {
            if self.batch.is_none() {
                options.batch = batch_of(options.batch, n_sentences);
            }
            let is_global = options.training == Training::Global;
            if self.iterations.is_none() && !is_global {
                options.iterations = Iterations::Number(suited_iterations(&options, n_sentences));
            }
            if self.rate.is_none() && is_global && options.init.is_some() && options.learner == Learner::Adam {
                options.rate = Some(suited_rate(&options, n_sentences));
            }
        }
        Options::Transitions(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::TrainOptions;
    use crate::model::ScorerKind;

    fn suited(given: &GivenOptions, n_sentences: usize) -> TrainOptions {
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
            let options = suited(&given(scorer), n);
            (options.batch, options.iterations)
        };
        let number = Iterations::Number;
        assert_eq!(of(ScorerKind::FeedForward, 12_544), (8, number(8)));
        assert_eq!(of(ScorerKind::FeedForward, 500), (1, number(24)));
        assert_eq!(of(ScorerKind::Bilstm, 12_544), (8, number(12)));
        assert_eq!(of(ScorerKind::Bilstm, 500), (1, number(36)));
        assert_eq!(of(ScorerKind::StackLstm, 20), (1, number(60)));
        let init = Some("x.model".to_owned());
        let rate = |n| suited(&GivenOptions { init: init.clone(), ..given(ScorerKind::Bilstm) }, n).rate;
        assert_eq!(rate(12_544), Some(0.0003));
        assert_eq!(rate(500), Some(0.0003 / 8.0));
    }

    /// What is given stays, and linear models do not depend on the size.
    #[test]
    fn what_is_given_stays() {
        let scorer = Some(ScorerKind::Bilstm);
        let given =
            GivenOptions { scorer, iterations: Some(Iterations::Number(3)), batch: Some(4), ..GivenOptions::default() };
        let options = suited(&given, 500);
        assert_eq!((options.iterations, options.batch), (Iterations::Number(3), 4));
        let linear = GivenOptions::default();
        assert_eq!(linear.suited(linear.resolve().unwrap(), 20), linear.resolve().unwrap());
    }
}
