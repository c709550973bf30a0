//! Remarks on options that were given and change nothing, or that are not to be advised.

use super::{GivenOptions, Options, RollIn, RollOut, TrainOptions, Training};
use crate::decode::SearchKind;
use crate::linear::Learner;
use crate::training::Nonprojective;

impl GivenOptions {
    /// A line for each option that was given and has no effect on `options`, into which this was resolved.
    pub fn remarks(&self, options: &Options) -> Vec<String> {
        let idle = match options {
            Options::Transitions(options) => self.idle(options),
            Options::Graph(options) => {
                let unused = self.aggressiveness.is_some() && options.learner != Learner::Mira;
                let averages = self.average_from.is_some() && options.system.is_biaffine();
                vec![
                    ("--aggressiveness", unused, "it is for --learner mira"),
                    ("--average-from", averages, "the average of a network's parameters forgets by itself"),
                ]
            }
        };
        let lift = (
            "--lift",
            self.lift.is_some() && options.nonprojective() != Nonprojective::Lift,
            "nothing is lifted without --nonprojective lift",
        );
        let global_from_nothing = matches!(options, Options::Transitions(options)
            if !options.scorer.is_linear() && options.training == Training::Global && options.init.is_none());
        let idle = idle.into_iter().chain([lift]).filter(|&(_, is_idle, _)| is_idle);
        let remarks = idle.map(|(flag, _, why)| format!("{flag} has no effect: {why}"));
        // Andor et al. (2016, section 4) begin with local training, too.
        let from_nothing = "whole derivations are hard to learn by a network that knows nothing; --init names the model of one that was \
                            trained on single decisions";
        remarks.chain(global_from_nothing.then(|| from_nothing.to_owned())).collect()
    }

    /// The options that may be without effect on the training of a transition system, whether they are, and why.
    fn idle(&self, options: &TrainOptions) -> Vec<(&'static str, bool, &'static str)> {
        let global = options.training == Training::Global;
        let explores = options.explores();
        let of_exploring = "only --training greedy with a dynamic oracle, or --pretrain, explores in this way";
        let or_rolling_in =
            "only --training greedy with a dynamic oracle, --pretrain, and --roll-in learned explore in this way";
        let draws = explores && !(options.rolls_in() && options.pretrain == 0);
        let search = options.search();
        let rolls_out = options.training == Training::L2s && search.roll_out == RollOut::Mixture;
        let rolls_in = matches!(search.roll_in, RollIn::Mixture | RollIn::MixPerRoll);
        let by_alpha = rolls_in || rolls_out && search.reference_share.is_none();
        vec![
            (
                "--beam",
                self.beam.is_some_and(|beam| beam > 1) && !global,
                "only --training global trains in a beam; `treebeam parse --beam` sets the width of parsing",
            ),
            (
                "--beam",
                self.beam.is_some() && global && options.search == SearchKind::Exact,
                "exact search has no beam",
            ),
            ("--update", self.update.is_some() && !global, "only --training global compares prefixes of derivations"),
            ("--explore-from", self.explore_from.is_some() && !explores, or_rolling_in),
            ("--explore-prob", self.explore_prob.is_some() && !explores, or_rolling_in),
            ("--explore-power", self.explore_power.is_some() && !draws, of_exploring),
            (
                "--average-from",
                self.average_from.is_some() && !options.is_perceptron() && !options.learner.averages(),
                "this learner's last weights are kept, not their average",
            ),
            (
                "--alpha",
                self.alpha.is_some() && !by_alpha,
                "neither roll-in nor roll-out is a mixture of policies that follows it",
            ),
            (
                "--features",
                self.features.is_some() && !options.scorer.is_linear(),
                "networks have places in place of features",
            ),
            ("--reference-share", self.reference_share.is_some() && !rolls_out, "it is for --roll-out mixture"),
        ]
    }
}
