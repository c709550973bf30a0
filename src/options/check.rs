//! Checks that the options of a training run make sense together.

use super::{Correct, Objective, RestartFrom, RollIn, TrainOptions, Training, Update};
use crate::decode::SearchKind;
use crate::error::{Error, Result};
use crate::features::ColumnName;
use crate::linear::Learner;
use crate::model::{Layers, ScorerKind};
use crate::scorer::Decisions;
use crate::system::OracleKind;
use crate::training::Iterations;

/// The most hidden units for an action.
const MOST_HIDDEN_OF_NN: u32 = 32;

impl TrainOptions {
    /// Checks that the options make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Usage(message.to_owned()));
        self.check_ranges()?;
        self.iterations.check(self.patience, self.max_iterations)?;
        self.system.check_oracle(self.oracle)?;
        self.system.check_roots(self.roots)?;
        self.check_tagger()?;
        self.check_correct()?;
        self.check_by_hand()?;
        self.check_arc_weights()?;
        let is_probability = self.objective().is_probability() && self.decisions == Decisions::Joint;
        if self.explore_power.is_some() && self.training == Training::Greedy && !is_probability {
            return wrong(
                "--explore-power draws from the probabilities of whole actions; expected --objective softmax or softmax-margin, which \
                 networks and adagrad have by default, and --decisions joint",
            );
        }
        match self.scorer {
            ScorerKind::Linear => self.check_learner()?,
            ScorerKind::FeedForward | ScorerKind::Bilstm | ScorerKind::StackLstm => self.check_network()?,
        }
        self.check_pretraining()?;
        self.check_restarts()?;
        self.check_search()
    }

    /// Checks the options for examples that are worked by hand.
    fn check_by_hand(&self) -> Result<()> {
        let is_greedy = self.training == Training::Greedy;
        if self.unpermitted && !(is_greedy && self.oracle.is_static() && self.objective() == Objective::Perceptron) {
            let what = "--unpermitted is for mistakes that are not followed; expected --training greedy, a static --oracle and \
                        --objective perceptron";
            return Err(Error::Usage(what.to_owned()));
        }
        let is_linear = self.scorer.is_linear() && !matches!(self.learner, Learner::Nn | Learner::Svm);
        if self.initial_weights.is_some() && !(is_greedy && is_linear && self.decisions == Decisions::Joint) {
            let what = "--initial-weights is for weights of features and actions; expected --training greedy, --decisions joint and a \
                        linear model that is learned online";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(())
    }

    /// Checks that a tagger fills a column of tags.
    fn check_tagger(&self) -> Result<()> {
        let is_joint = self.system.info().is_joint();
        let fills = is_joint || self.target().is_some();
        let refused = [
            (
                fills && !matches!(self.tag_column, ColumnName::Upos | ColumnName::Xpos | ColumnName::Feats),
                "a tagger fills the column --tag-column; expected upos, xpos or feats",
            ),
            (is_joint && !self.scorer.is_linear(), "--joint-tags is for features of tags; expected --scorer linear"),
            (is_joint && self.init.is_some(), "--joint-tags does not go on from another model; leave out --init"),
        ];
        match refused.into_iter().find(|(is_refused, _)| *is_refused) {
            Some((_, message)) => Err(Error::Usage(message.to_owned())),
            None => Ok(()),
        }
    }

    fn check_arc_weights(&self) -> Result<()> {
        if self.arc_weights.is_none() {
            return Ok(());
        }
        if !self.system.system(self.roots).system().weighs_arcs() {
            let what = "--arc-weights is for costs that are sums over arcs; expected --system arc-hybrid or easy-first, or with --roots \
                        several arc-eager, arc-eager-start or arc-eager-zpar";
            return Err(Error::Usage(what.to_owned()));
        }
        let has_losses = matches!(self.objective(), Objective::LossAugmented | Objective::SoftmaxMargin);
        if self.oracle != OracleKind::Dynamic && !(self.training == Training::Global && has_losses) {
            let what = "--arc-weights weighs what the dynamic oracle counts; expected --oracle dynamic, or --training global with \
                        --objective loss-augmented or softmax-margin";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(())
    }

    fn check_correct(&self) -> Result<()> {
        let Some(correct) = self.correct else { return Ok(()) };
        let all = correct == Correct::All;
        let refused = [
            (
                self.training == Training::Global,
                "in a beam the derivation of the highest score is chosen; expected --training greedy",
            ),
            (
                self.training == Training::L2s,
                "learning to search learns what each transition costs; expected --training greedy",
            ),
            (
                self.oracle.is_static(),
                "a static oracle has one correct transition; expected --oracle non-deterministic or dynamic, as far as the \
                 system has them",
            ),
            (
                all && self.objective() == Objective::Multiclass,
                "multiclass has one right option; expected best-scored, canonical or random",
            ),
            (
                all && self.learner == Learner::Mira,
                "the steps of mira are just long enough for one of them; expected best-scored, canonical or random",
            ),
            (
                all && self.learner == Learner::Perceptron && self.batch > 1,
                "with all, weights of perceptrons are no whole numbers, and learn from one decision at a time; expected --batch 1",
            ),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("--correct chooses among several correct transitions: {why}"))),
            None => Ok(()),
        }
    }

    fn check_network(&self) -> Result<()> {
        let global = self.training == Training::Global;
        let output = self.layers == Layers::Output;
        let is_right = |learner| match learner {
            Learner::Adam | Learner::Adagrad | Learner::Momentum => true,
            Learner::Perceptron => output,
            _ => false,
        };
        let sized = self.lstm_layers.is_some() || self.lstm_units.is_some();
        let refused = [
            (
                sized && self.scorer == ScorerKind::FeedForward,
                "--lstm-layers and --lstm-units are for --scorer bilstm and stack-lstm",
            ),
            (
                !is_right(self.learner),
                "expected --learner adam, adagrad or momentum; with --layers output also perceptron",
            ),
            (self.replicas > 1, "networks cannot be added up; expected --replicas 1"),
            (self.decisions != Decisions::Joint, "it decides on whole actions; expected --decisions joint"),
            (self.nn_update.is_some(), "--nn-update is for --learner nn"),
            (self.l2.is_some(), "--l2 is for --learner sgd"),
            (self.min_count.is_some(), "rare words have embeddings, too; expected no --min-count"),
            (self.min_gradient.is_some(), "all its weights are there from the beginning; expected no --min-gradient"),
            (self.update == Update::Laso, "it learns from mini-batches; expected another --update"),
            (
                self.init.is_some() && self.vectors.is_some(),
                "the model of --init has embeddings of words; leave out --vectors",
            ),
            (global && self.dropout != 0.0, "--dropout is for training on single decisions"),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("--scorer {} is a network: {why}", self.scorer.name()))),
            None => self.check_objective(),
        }
    }

    fn check_learner(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Usage(message.to_owned()));
        let is_perceptron = self.learner == Learner::Perceptron;
        if self.learner.is_of_networks() {
            let learner = self.learner.name();
            return wrong(&format!(
                "--learner {learner} is for networks; expected --scorer feed-forward, bilstm or stack-lstm with it"
            ));
        }
        let of_networks = [self.activation.is_some(), self.places.is_some()];
        let of_words = self.word_units.is_some() || self.vectors.is_some();
        let of_layers = self.lstm_layers.is_some() || self.lstm_units.is_some() || self.layers != Layers::All;
        if of_networks.contains(&true) || of_layers || of_words {
            return wrong(
                "--activation, --places, --word-units, --vectors, --lstm-layers, --lstm-units and --layers are for networks; \
                 expected --scorer feed-forward, bilstm or stack-lstm with them",
            );
        }
        if self.init.is_some() && !self.is_perceptron() {
            return wrong(
                "--init goes on from a network or from the weights of a perceptron; expected --scorer feed-forward, bilstm or \
                 stack-lstm, or --learner perceptron without --initial-weights, --correct all, --min-count and separate decisions",
            );
        }
        if self.hidden.is_some_and(|hidden| hidden > MOST_HIDDEN_OF_NN) {
            return wrong(&format!("--hidden is at most {MOST_HIDDEN_OF_NN} with --learner nn"));
        }
        let asked = self.rate.is_some() || self.min_count.is_some() || self.decisions != Decisions::Joint;
        if is_perceptron && self.training != Training::L2s && asked {
            return wrong(
                "--rate, --min-count and --decisions are for learners of real-valued weights; expected another --learner than \
                 perceptron",
            );
        }
        if self.min_gradient.is_some_and(|least| least > 0.0) && !self.has_min_gradient() {
            return wrong(
                "--min-gradient is for training on single decisions with --objective softmax or softmax-margin, and for learners \
                 other than perceptron, sgd-plus and nn",
            );
        }
        if self.training == Training::Global {
            if self.dropout != 0.0 {
                return wrong("--dropout is for training on single decisions; expected --training greedy or l2s");
            }
            if self.decisions != Decisions::Joint {
                return wrong("global training decides on whole actions; expected --decisions joint");
            }
        }
        self.check_svm()?;
        self.check_objective()?;
        if self.l2.is_some() && self.learner != Learner::Sgd {
            return wrong("--l2 is for --learner sgd");
        }
        if self.learner != Learner::Nn && (self.hidden.is_some() || self.nn_update.is_some()) {
            return wrong("--hidden and --nn-update are for --learner nn");
        }
        if self.nn_update.is_some_and(|update| !matches!(update, Learner::SgdPlus | Learner::Ftrl)) {
            return wrong("expected --nn-update sgd-plus or ftrl");
        }
        if self.batch > 1 && self.learner != Learner::Svm && (!self.is_perceptron() || self.training == Training::L2s) {
            return wrong("--batch is for perceptrons; other learners learn from one decision at a time; leave it out");
        }
        if self.learner == Learner::Nn && self.replicas > 1 {
            return wrong("networks cannot be added up; expected --replicas 1 with --learner nn");
        }
        Ok(())
    }

    fn check_svm(&self) -> Result<()> {
        if self.learner != Learner::Svm {
            return Ok(());
        }
        let refused = [
            (self.training != Training::Greedy, "it is trained on single decisions; expected --training greedy"),
            (!self.oracle.is_static(), "its examples are those of canonical derivations; expected --oracle static"),
            (self.objective.is_some_and(|objective| objective != Objective::Hinge), "expected --objective hinge"),
            (self.decisions != Decisions::Joint, "expected --decisions joint"),
            (self.replicas > 1, "its minimum does not depend on the order; expected --replicas 1"),
            (self.batch > 1, "expected --batch 1"),
            (self.dropout != 0.0, "its examples do not change; expected no --dropout"),
            (self.min_count.is_some_and(|n| n > 1), "expected no --min-count"),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("--learner svm is a support vector machine: {why}"))),
            None => Ok(()),
        }
    }

    fn check_objective(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::Usage(message));
        let (objective, training, learner) = (self.objective(), self.training, self.learner);
        let all = Objective::all_of(training);
        if !all.contains(&objective) {
            let all: Vec<&str> = all.iter().map(|objective| objective.name()).collect();
            let (objective, training) = (objective.name(), training.name());
            let expected = all.join(" or ");
            return wrong(format!(
                "{objective} is no objective of --training {training}; expected --objective {expected}"
            ));
        }
        let global = training == Training::Global;
        let corrects: &[Objective] = match (learner, global) {
            (Learner::Perceptron, true) => &[Objective::Perceptron, Objective::LossAugmented],
            (Learner::Mira, true) => &[Objective::LossAugmented],
            (Learner::Perceptron | Learner::Mira, false) => &[Objective::Hinge, Objective::Perceptron],
            _ => all,
        };
        if !corrects.contains(&objective) {
            let corrects: Vec<&str> = corrects.iter().map(|objective| objective.name()).collect();
            let (learner, expected) = (learner.name(), corrects.join(" or "));
            return wrong(format!(
                "{learner} corrects mistakes; expected --objective {expected}, or another --learner"
            ));
        }
        if global && objective.is_probability() && self.update.needs_violations() {
            let objective = objective.name();
            return wrong(format!(
                "{objective} knows no violations; expected --update early or standard or laso or restart-early"
            ));
        }
        if self.loss_weight.is_some() && !(global && objective.adds_losses()) {
            return wrong(
                "--loss-weight is for --training global with --objective loss-augmented or softmax-margin".to_owned(),
            );
        }
        Ok(())
    }

    fn check_exact(&self) -> Result<()> {
        let sums_losses = matches!(self.objective(), Objective::Perceptron | Objective::LossAugmented);
        let refused = [
            (
                self.training != Training::Global,
                "training on single decisions looks for no derivation; expected --training global, or `treebeam parse --search \
                 exact`",
            ),
            (!sums_losses, "there is no beam to sum over; expected --objective perceptron or loss-augmented"),
            (self.update != Update::Standard, "every mistake is a violation at the end; expected --update standard"),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("exact search compares whole derivations: {why}"))),
            None => Ok(()),
        }
    }

    fn check_merge(&self) -> Result<()> {
        let refused = [
            (
                self.training != Training::Global,
                "training on single decisions has no beam; expected --training global, or `treebeam parse --merge`",
            ),
            (self.search == SearchKind::Exact, "exact search merges all there is; leave out --merge or --search exact"),
            (
                self.objective() != Objective::Perceptron,
                "losses are not known of merged items, nor sums over them; expected --objective perceptron",
            ),
            (self.update == Update::Laso, "the search does not go on from gold; expected another --update than laso"),
            (
                self.restart_from != RestartFrom::Best,
                "an item stands for several derivations, and each has lost what it has; expected --restart-from best",
            ),
        ];
        match refused.into_iter().find(|&(is_refused, _)| is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("--merge is for beams of whole derivations: {why}"))),
            None => Ok(()),
        }
    }

    fn check_pretraining(&self) -> Result<()> {
        let k = self.pretrain;
        let most = match self.iterations {
            Iterations::Number(n) => n,
            Iterations::Plateau => self.max_iterations.unwrap_or(Iterations::MOST),
        };
        let refused = [
            (self.training != Training::Global, "expected --training global".to_owned()),
            (
                !self.scorer.is_linear(),
                "networks go on from a model that was trained greedily; expected --init".to_owned(),
            ),
            (most <= k, format!("{k} of {most} iterations leave none for it; expected more")),
        ];
        match refused.into_iter().find(|&(is_refused, _)| k > 0 && is_refused) {
            Some((_, why)) => Err(Error::Usage(format!("--pretrain is greedy training before global training: {why}"))),
            None => Ok(()),
        }
    }

    fn check_restarts(&self) -> Result<()> {
        let global = self.training == Training::Global;
        let refused = [
            (
                self.restart_from != RestartFrom::Best && !self.update.restarts(),
                "--restart-from is for --update restart or restart-early",
            ),
            (
                global && !matches!(self.roll_in, None | Some(RollIn::Reference | RollIn::Learned)),
                "beams start with the sentence or in the model's own derivation; expected --roll-in reference or learned",
            ),
            (
                self.rolls_in() && self.search == SearchKind::Exact,
                "exact search compares whole derivations; leave out --roll-in",
            ),
        ];
        if let Some((_, why)) = refused.into_iter().find(|&(is_refused, _)| is_refused) {
            return Err(Error::Usage(why.to_owned()));
        }
        let flag = match self.update {
            Update::Restart => "--update restart",
            Update::RestartEarly => "--update restart-early",
            _ if self.rolls_in() => "--roll-in learned",
            _ => return Ok(()),
        };
        if !global || self.oracle.explores() {
            return Ok(());
        }
        let (system, oracle) = (self.system, self.oracle.name());
        let known = system.oracles().iter().filter(|oracle| oracle.explores()).map(|oracle| oracle.name());
        let known = known.collect::<Vec<&str>>().join(" or ");
        Err(Error::Usage(match &known[..] {
            "" => format!("{flag} needs costs in all configurations, and {system} has no dynamic oracle; leave it out"),
            _ => format!(
                "{flag} needs costs in all configurations, which the {oracle} oracle has not; expected --oracle {known}"
            ),
        }))
    }

    fn check_search(&self) -> Result<()> {
        let wrong = |message: &str| Err(Error::Usage(message.to_owned()));
        if self.search == SearchKind::Exact {
            self.check_exact()?;
        }
        if self.merge {
            self.check_merge()?;
        }
        let asked = self.preset.is_some()
            || self.roll_in.is_some() && self.training != Training::Global
            || self.roll_out.is_some()
            || self.alpha.is_some()
            || self.reference_share.is_some()
            || self.run_reference;
        if self.training != Training::L2s {
            return match asked {
                true => wrong(
                    "--preset, --roll-out, --alpha, --reference-share and --run-reference are for --training l2s, and --roll-in \
                     also for --training global",
                ),
                false => Ok(()),
            };
        }
        if !self.oracle.explores() {
            let oracle = self.oracle.name();
            return wrong(&format!(
                "learning to search needs costs in all configurations, which the {oracle} oracle has not; expected a \
                 dynamic oracle, if the system has one"
            ));
        }
        Ok(())
    }
}
