//! Options of networks that follow the size of the data: what a pass over a large treebank teaches takes many over a small one.

use super::{GivenOptions, Options};
use crate::graph::GraphOptions;
use crate::learn::{Iterations, Learner, TrainOptions, Training, batch_of, suited_iterations, suited_rate};
use crate::model::ScorerKind;

impl GivenOptions {
    /// The options into which these were resolved, for so many sentences to learn from: of networks the number of iterations, the rate
    /// of global training that goes on from another model and the mini-batches that are made, as far as they are not given. Other
    /// options stay as they are.
    #[must_use]
    pub fn suited(&self, options: Options, n_sentences: usize) -> Options {
        self.with_batch_of(self.planned(options, n_sentences), n_sentences)
    }

    /// The same but for mini-batches, which may get smaller in training.
    #[must_use]
    pub fn planned(&self, mut options: Options, n_sentences: usize) -> Options {
        match &mut options {
            Options::Transitions(options) if !options.scorer.is_linear() => {
                self.suit_network(options, n_sentences);
            }
            Options::Graph(options) if options.system.is_biaffine() && self.iterations.is_none() => {
                let batch = batch_of(options.batch.unwrap_or(GraphOptions::BATCH) as usize, n_sentences);
                options.iterations = suited(options.iterations, true, n_sentences, batch);
            }
            Options::Transitions(_) | Options::Graph(_) => {}
        }
        options
    }

    fn suit_network(&self, options: &mut TrainOptions, n_sentences: usize) {
        let batch = batch_of(options.batch, n_sentences);
        let is_global = options.training == Training::Global;
        if self.iterations.is_none() && !is_global {
            let has_encoder = options.scorer != ScorerKind::FeedForward;
            options.iterations = suited(options.iterations, has_encoder, n_sentences, batch);
        }
        if self.rate.is_none() && is_global && self.init.is_some() && options.learner == Learner::Adam {
            options.rate = suited_rate(options, n_sentences);
        }
    }

    /// The same options with the mini-batches that are made of so many sentences, unless their size is given.
    fn with_batch_of(&self, mut options: Options, n_sentences: usize) -> Options {
        if let Options::Transitions(options) = &mut options
            && !options.scorer.is_linear()
            && self.batch.is_none()
        {
            options.batch = batch_of(options.batch, n_sentences);
        }
        options
    }
}

fn suited(iterations: Iterations, has_encoder: bool, n_sentences: usize, batch: usize) -> Iterations {
    match iterations {
        Iterations::Number(n) => Iterations::Number(suited_iterations(n, has_encoder, n_sentences, batch)),
        Iterations::Plateau => iterations,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphKind;
    use crate::options::ParserKind;

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
