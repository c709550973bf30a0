//! Training on one decision after the other: greedy training (Goldberg & Nivre 2013, algorithms 2 and 3), and learning to
//! search, which takes parsing for a sequence of cost-sensitive decisions (Chang, He, Daumé & Langford 2015; Daumé, Langford &
//! Marcu 2009).
//!
//! ```text
//! for each sentence, from the initial configuration c:
//!     score all options in c
//!     costs of the options: the loss after a roll-out from each, or what the oracle says it would be
//!     the model learns by the gradients that the objective makes of scores and costs
//!     c := the successor of c by the roll-in policy
//! ```
//!
//! The loss of a tree is 2 for each word with a wrong head, 1 for each with the right head and a wrong label, times the weight of its
//! arc if arcs are weighted.
//!
//! **Costs without roll-outs.** With the reference's roll-outs and an oracle whose costs are exact, an action costs twice the
//! unlabelled cost of its move, and 1 more if it makes a gold arc with a wrong label: the reference gives all later arcs
//! that can still be had, with their labels. So nothing is rolled out for the reference, unless [`LearningToSearch::run_reference`] asks
//! for it. Where the oracle's costs are not exact they stand for the reference's costs all the same.
//!
//! **Labels.** A learned roll-out is run once for each move: with the gold label if the move makes a gold arc, else with the
//! label of the highest score. Wrong labels of gold arcs cost 1 more. With [separate decisions](Decisions::Separate) the
//! label's decision is learned from for the move that the roll-in takes, if that makes a gold arc; on other arcs all labels
//! cost the same.
//!
//! **Greedy training** learns from the same options: with a static oracle all but the derivation's action cost 1, with others
//! costs are the oracle's. A wrong prediction is followed, or what is drawn from the model's probabilities, if the [exploration
//! policy](Exploration) says so; else the best of the right ones is, or [another of them](Correct). A move that the system
//! [leaves to its oracle](crate::system::SystemInfo::unexplored) is followed where it is right and nowhere else.
//!
//! **Dropout**, if asked for, leaves features out of an example, and so out of the prediction that goes with it: weights that
//! lean on a few features alone are not enough. Roll-outs see all features.
//!
//! **The perceptron** learns from mistakes alone: a decision whose prediction is correct needs no costs and has no gradient.
//! With the non-deterministic oracle some systems stay in a configuration until the prediction is correct, as long as changes
//! take effect at once.
//!
//! Changes take effect at once, unless a mini-batch puts them off, so a trajectory is made by a policy that learns on its way (Vowpal Wabbit changes weights after
//! each sentence).
//!
//! Complexity: O(n) decisions a sentence without roll-outs; a roll-out is as long as the rest of its derivation, so with
//! learned ones it is O(m n²) scorings for m moves.

mod correct;
mod decision;
mod exploration;
mod roll_out;
mod score_matrix;
#[cfg(test)]
mod tests;

pub use correct::AmongCorrect;
pub use exploration::Exploration;
pub use score_matrix::Dropout;

use rand::rngs::Xoshiro256PlusPlus;

use super::objective::LocalObjective;
use super::supervision::{GoldSide, Supervision};
use super::watch::{Before, Competitor, Watchable, Watched};
use crate::configuration::{Arena, Point, SharedConfiguration as _};
use crate::decode::{Item, Machine, Workspace};
use crate::model::{DroppedFeatures, Trainable};
use crate::options::{Correct, LearningToSearch, Objective, RollIn, RollOut};
use crate::random;
use crate::scorer::{Context, Decisions, Opaque, Query, Stages};
use crate::system::{ActionId, Choice, Move, MoveSet, Permitted, TransitionSystem};
use decision::{Decision, Follow};
use score_matrix::{MoveOption, ScoreMatrix};

/// Policy of training: costs of options, and the choice of the next transition.
#[derive(Debug)]
pub enum Policy<'t> {
    /// Greedy training.
    Greedy {
        /// Gold derivations. The canonical derivation is also followed.
        gold: GoldSide<'t>,
        /// Exploration: the way of following the model into its mistakes instead, if ever.
        exploration: Option<Exploration>,
        /// Choice where several actions are correct; `None`: as the objective does of itself, and the best-scored one
        /// is followed.
        among: Option<AmongCorrect>,
    },
    /// Learning to search, in a pass with this number.
    Search {
        /// Settings of learning to search.
        search: LearningToSearch,
        /// The pass, from 0.
        pass: u32,
        /// Source of random numbers.
        stream: Xoshiro256PlusPlus,
    },
}

/// Parameters that a sentence trains, and the time of their update.
#[derive(Debug)]
pub enum TrainedParameters<'w> {
    /// After every decision.
    AtOnce(&'w mut dyn Trainable),
    /// Not before the end of the mini-batch.
    PutOff(&'w dyn Trainable),
}

impl<'w> std::ops::Deref for TrainedParameters<'w> {
    type Target = dyn Trainable + 'w;

    fn deref(&self) -> &Self::Target {
        match self {
            TrainedParameters::AtOnce(model) => &**model,
            TrainedParameters::PutOff(model) => *model,
        }
    }
}

/// The most corrections that a system makes in one configuration before it moves on, if
/// [it stays until it is correct](crate::system::SystemInfo::corrects_itself). Where correct and predicted action have all their
/// features in common no correction would ever be enough.
pub const MAX_CORRECTIONS: u32 = 200;

/// Settings that all sentences of a pass share.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'s, S> {
    /// Transition system and its actions.
    pub machine: Machine<'s, S>,
    /// Stages of a decision: moves and labels, joint or in turn.
    pub stages: &'s Stages,
    /// True if scores at points that a move did not touch are kept, as long as parameters do not change. Results are
    /// the same if it is not.
    pub reuse: bool,
    /// True if actions that are not permitted compete in predictions, too.
    pub unpermitted: bool,
    /// Watching of the sentence's decisions, if they are to be printed.
    pub watched: Option<Watched<'s>>,
}

/// Learns from the sentence in `workspace.input`: the number of wrong predictions, and the gradients that are put off.
pub fn learn<S: TransitionSystem>(
    setting: Setting<S>,
    supervision: &Supervision<S>,
    mut policy: Policy,
    dropout: Option<Dropout>,
    objective: &mut LocalObjective,
    workspace: &mut Workspace,
    parameters: TrainedParameters,
) -> (u64, Opaque) {
    workspace.start(parameters.reads());
    let among = match &mut policy {
        Policy::Greedy { among, .. } => among.take(),
        Policy::Search { .. } => None,
    };
    let (arena, context, scratch) = workspace.parts(setting.machine.actions);
    parameters.begin(scratch.memory, context);
    let mut learner = LocalLearner {
        setting,
        supervision,
        context,
        memory: scratch.memory,
        arena,
        objective,
        parameters,
        gradient: Opaque::default(),
        scores: ScoreMatrix::default(),
        spare: ScoreMatrix::default(),
        dropout,
        among,
        decision: Decision::default(),
        correct: Vec::new(),
        unexplored: setting.machine.system.info().unexplored.filter(|_| matches!(policy, Policy::Greedy { .. })),
    };
    let n_wrong = learner.learn(policy);
    (n_wrong, learner.gradient)
}

struct LocalLearner<'s, 'a, 'w, S> {
    setting: Setting<'s, S>,
    supervision: &'s Supervision<'s, S>,
    context: Context<'s>,
    memory: &'s mut Opaque,
    arena: Arena<'a>,
    objective: &'s mut LocalObjective,
    parameters: TrainedParameters<'w>,
    gradient: Opaque,
    scores: ScoreMatrix,
    /// For roll-outs.
    spare: ScoreMatrix,
    dropout: Option<Dropout>,
    among: Option<AmongCorrect>,
    decision: Decision,
    correct: Vec<Choice>,
    /// See [`SystemInfo::unexplored`](crate::system::SystemInfo::unexplored).
    unexplored: Option<Move>,
}

/// Outcome of one decision.
struct Decided {
    choice: Choice,
    is_right: bool,
    /// True if there was anything to learn.
    learned: bool,
}

impl<'a, S: TransitionSystem> LocalLearner<'_, 'a, '_, S> {
    fn learn(&mut self, mut policy: Policy) -> u64 {
        let machine = self.setting.machine;
        let at_once = matches!(self.parameters, TrainedParameters::AtOnce(_));
        let stays = machine.system.info().corrects_itself && at_once && self.learns_from_mistakes(&policy);
        let stays = stays && matches!(policy, Policy::Greedy { gold: GoldSide::LeastCost, exploration: None, .. });
        let mut item = machine.initial(self.arena, self.context.input.n_nodes());
        let mut options: Vec<MoveOption> = Vec::new();
        let (mut n_wrong, mut n_steps, mut corrections) = (0, 0, 0);
        // The points that are not seen as they are.
        let mut stale = 0..machine.system.n_points(&item.configuration) as Point;
        let whole_sentence = match &mut policy {
            Policy::Search { search, stream, .. } if search.roll_in == RollIn::MixPerRoll => {
                Some(draw(stream, search.learned_share(self.objective.n_examples())))
            }
            _ => None,
        };
        while !machine.is_terminal(item) {
            let dropped = self.dropout.as_mut().map_or_else(DroppedFeatures::default, Dropout::draw);
            let n_points = machine.system.n_points(&item.configuration);
            let model = (&*self.parameters, &mut *self.memory);
            self.scores.fill(model, self.context, item, n_points, stale, dropped);
            let before = self.look(item, n_steps, &policy);
            let decided = self.decide(item, n_steps, &mut policy, whole_sentence, &mut options);
            n_wrong += u64::from(!decided.is_right);
            if decided.learned
                && let TrainedParameters::AtOnce(model) = &mut self.parameters
            {
                model.learn(&mut self.gradient);
                model.forget(self.memory);
            }
            if let (Some(before), Some(watched)) = (before, self.setting.watched) {
                watched.report(before, machine.actions, &*self.parameters);
            }
            if stays && !decided.is_right && corrections < MAX_CORRECTIONS {
                corrections += 1;
                stale = 0..n_points as Point;
                continue;
            }
            item = machine.successor(item, decided.choice, 0, false, self.arena);
            n_steps += 1;
            corrections = 0;
            let is_known = self.setting.reuse && self.dropout.is_none() && !(decided.learned && at_once);
            stale = match is_known && !machine.is_terminal(item) {
                true => machine.system.points_touched(&item.configuration, decided.choice.point),
                false => 0..machine.system.n_points(&item.configuration) as Point,
            };
        }
        n_wrong
    }

    /// The actions that compete where these are permitted.
    fn competing(&self, permitted: Permitted) -> Permitted {
        if !self.setting.unpermitted {
            return permitted;
        }
        let moves = self.setting.machine.system.info().moves.iter().filter(|&&mv| mv != Move::Idle);
        Permitted { moves: moves.fold(MoveSet::default(), |moves, &mv| moves.with(mv, true)), ..permitted }
    }

    /// Looks at a decision before it is made, if it is watched.
    fn look(&self, item: &'a Item<'a, S::Shared<'a>>, n_steps: usize, policy: &Policy) -> Option<Before> {
        let (watched, Policy::Greedy { gold, .. }) = (self.setting.watched?, policy) else { return None };
        let Machine { system, actions, .. } = self.setting.machine;
        let c = &item.configuration;
        let mut correct = Vec::new();
        self.supervision.correct(*gold, c, n_steps, &mut correct);
        let mut candidates = Vec::new();
        for point in 0..system.n_points(c) as Point {
            let permitted = system.permitted(c, point);
            let (mask, permitted) = (actions.mask(self.competing(permitted)), actions.mask(permitted));
            for action in (0..actions.len() as ActionId).filter(|&id| mask[usize::from(id)] == 0) {
                let score = self.scores.get(point, u32::from(action));
                let is_permitted = permitted[usize::from(action)] == 0;
                candidates.push(Competitor { choice: Choice { point, action }, score, is_permitted });
            }
        }
        let view = |point| item.view(point);
        let lists = c.places().iter().map(|list| list.iter().map(|place| place.node).collect()).collect();
        let decision = Watchable { n_steps, context: self.context, lists, view: &view, candidates, correct };
        watched.look(decision, &*self.parameters)
    }

    /// True if a decision that is right needs no looking into.
    fn learns_from_mistakes(&self, policy: &Policy) -> bool {
        let is_perceptron = self.objective.objective() == Objective::Perceptron && !self.parameters.counts_decisions();
        let is_joint = self.setting.stages.decisions() == Decisions::Joint;
        is_perceptron && is_joint && matches!(policy, Policy::Greedy { .. })
    }

    /// Makes the decision in `item`, after `n_steps`, and collects its gradient.
    fn decide(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        n_steps: usize,
        policy: &mut Policy,
        whole_sentence: Option<bool>,
        options: &mut Vec<MoveOption>,
    ) -> Decided {
        let Setting { machine, stages, .. } = self.setting;
        if self.learns_from_mistakes(policy)
            && let Policy::Greedy { gold, .. } = policy
        {
            let c = &item.configuration;
            let mask = |point| machine.actions.mask(self.competing(machine.system.permitted(c, point)));
            let predicted = self.scores.best_permitted(mask);
            self.supervision.correct(*gold, c, n_steps, &mut self.correct);
            if self.correct.binary_search(&predicted).is_ok() {
                return Decided { choice: predicted, is_right: true, learned: false };
            }
            if self.among.is_some() {
                self.decision.set_correct(&self.correct, predicted, &self.scores);
                self.choose(item, None);
                return self.joint(item, 0, &mut |is_right| follow_greedily(policy, is_right));
            }
            // The best correct action, the first of them on ties: all that the perceptron compares with the prediction.
            let correct = self.scores.best_of(&self.correct);
            self.decision.set_pair(correct, predicted, &self.scores);
            let reference = usize::from(predicted < correct);
            return self.joint(item, reference, &mut |is_right| follow_greedily(policy, is_right));
        }
        match policy {
            Policy::Greedy { gold: GoldSide::Canonical(derivation), .. } => {
                self.prescribed(item, derivation[n_steps], options);
            }
            _ => self.reference_options(item, options),
        }
        if let Policy::Search { search, stream, .. } = policy {
            if search.roll_out == RollOut::None {
                options.iter_mut().for_each(|option| option.cost = option.cost.min(1.0));
            }
            self.roll_out(item, *search, stream, options);
        }
        let reference = reference(options);
        let n_examples = self.objective.n_examples();
        let mut follow = |is_right: bool| match policy {
            Policy::Greedy { .. } => follow_greedily(policy, is_right),
            Policy::Search { search, pass, stream } => {
                let learned = match search.roll_in {
                    RollIn::Reference => false,
                    RollIn::Learned => true,
                    RollIn::ReferenceFirst => *pass > 0,
                    RollIn::MixPerRoll => whole_sentence == Some(true),
                    RollIn::Mixture => draw(stream, search.learned_share(n_examples)),
                };
                if learned { Follow::Learned } else { Follow::Reference }
            }
        };
        match stages.decisions() {
            Decisions::Joint => {
                self.decision.set_actions(options, &self.scores, &machine);
                self.choose(item, None);
                let reference = self.decision.position(&options[reference]);
                self.joint(item, reference, &mut follow)
            }
            Decisions::Separate => self.separate(item, options, reference, &mut follow),
        }
    }

    /// Chooses among the correct options of the decision at hand, which are whole actions or these moves, unless that is left
    /// to the objective.
    fn choose(&mut self, item: &'a Item<'a, S::Shared<'a>>, moves: Option<&[MoveOption]>) {
        let LocalLearner { among: Some(among), decision, setting, .. } = self else { return };
        // A perceptron has nothing to learn there.
        if self.objective.objective() == Objective::Perceptron && decision.is_right() {
            return;
        }
        let machine = setting.machine;
        let canonical = (among.correct == Correct::Canonical)
            .then(|| machine.system.static_move(self.supervision.gold, &item.configuration));
        let mv = |place: usize, output: u32| match moves {
            Some(moves) => moves[place].mv,
            None => machine.actions.get(output as ActionId).mv,
        };
        decision.choose(among, canonical, &mv);
    }

    /// Decides on a whole action.
    fn joint(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        reference: usize,
        follow: &mut dyn FnMut(bool) -> Follow,
    ) -> Decided {
        let actions = self.setting.machine.actions;
        let unexplored = |output: u32| Some(actions.get(output as ActionId).mv) == self.unexplored;
        let (chosen, is_right) = self.decision.decide(reference, follow, unexplored);
        let learned = self.credit(item, 0, reference);
        let (point, output) = self.decision.options[chosen];
        Decided { choice: Choice { point, action: output as ActionId }, is_right, learned }
    }

    /// Decides on a move and then, if it makes an arc, on its label.
    fn separate(
        &mut self,
        item: &'a Item<'a, S::Shared<'a>>,
        options: &[MoveOption],
        reference: usize,
        follow: &mut dyn FnMut(bool) -> Follow,
    ) -> Decided {
        let Setting { machine, stages, .. } = self.setting;
        self.decision.set_moves(options, &self.scores, stages);
        self.choose(item, Some(options));
        let unexplored = self.unexplored.map(|mv| stages.output(mv));
        let (chosen, is_right) = self.decision.decide(reference, follow, |output| Some(output) == unexplored);
        let learned = self.credit(item, 0, reference);
        let option = options[chosen];
        let Some(stage) = stages.of_labels(option.mv) else {
            let action = machine.actions.of_move(option.mv).next().expect("every move has an action");
            return Decided { choice: Choice { point: option.point, action }, is_right, learned };
        };
        // The update of the move's decision takes effect before the label's.
        if let TrainedParameters::AtOnce(model) = &mut self.parameters {
            model.learn(&mut self.gradient);
        }
        self.scores.see_stage(&*self.parameters, stage, option.point);
        self.decision.set_labels(&option, &self.scores, &machine);
        let gold = option.gold.map(|gold| (option.point, u32::from(gold)));
        let reference = self.decision.options.iter().position(|&option| Some(option) == gold);
        let (chosen, label_is_right) = self.decision.decide(reference.unwrap_or(0), follow, |_| false);
        let chosen = if reference.is_none() { self.decision.predicted() } else { chosen };
        let label_learned = reference.is_some_and(|reference| self.credit(item, stage, reference));
        let (point, output) = self.decision.options[chosen];
        let choice = Choice { point, action: output as ActionId };
        Decided { choice, is_right: is_right && label_is_right, learned: learned || label_learned }
    }

    /// Collects the gradients of the decision at hand; whether there are any.
    fn credit(&mut self, item: &'a Item<'a, S::Shared<'a>>, stage: usize, reference: usize) -> bool {
        let LocalLearner { decision, scores, parameters, objective, memory, context, gradient, .. } = self;
        let model: &dyn Trainable = &**parameters;
        let mut any = model.counts_decisions();
        decision.gradients(stage, reference, scores, (model, objective), |point, of_point| {
            any |= of_point.iter().any(|(_, slope)| *slope != 0.0);
            let query = Query { view: item.view(point), permitted: Permitted::default() };
            model.credit(memory, *context, &query, Some(scores.point(point)), stage, of_point, gradient);
        });
        any
    }

    /// Lists the permitted moves, of which a static oracle prescribes one.
    fn prescribed(&self, item: &Item<'a, S::Shared<'a>>, right: Choice, options: &mut Vec<MoveOption>) {
        let right_move = self.setting.machine.actions.get(right.action).mv;
        self.list(item, options, |_: &mut Option<()>, option| {
            let is_right = (option.point, option.mv) == (right.point, right_move);
            option.cost = if is_right { 0.0 } else { 1.0 };
            option.gold = Some(right.action).filter(|_| is_right && option.mv.makes_arc());
        });
    }

    /// Lists the permitted moves with the oracle's costs: those of the reference's roll-outs.
    fn reference_options(&self, item: &Item<'a, S::Shared<'a>>, options: &mut Vec<MoveOption>) {
        let (system, gold, c) = (self.setting.machine.system, self.supervision.gold, &item.configuration);
        self.list(item, options, |costs, option| {
            let MoveOption { point, mv, permitted, .. } = *option;
            let costs = costs.get_or_insert_with(|| system.costs(gold, c, point, permitted.moves));
            option.cost = 2.0 * costs.get(mv).unwrap_or(0) as f32;
            option.gold = self.supervision.gold_action(c, point, mv, permitted);
            option.label_cost = self.supervision.label_loss(c, point, mv) as f32;
        });
        from_least(options);
    }

    /// Lists the permitted moves; `price` fills in what they cost, and may keep what it knows of all moves at one point.
    fn list<K>(
        &self,
        item: &Item<'a, S::Shared<'a>>,
        options: &mut Vec<MoveOption>,
        price: impl Fn(&mut Option<K>, &mut MoveOption),
    ) {
        options.clear();
        for point in 0..self.setting.machine.system.n_points(&item.configuration) as Point {
            let permitted = self.competing(self.setting.machine.system.permitted(&item.configuration, point));
            let mut known = None;
            for mv in permitted.moves.iter() {
                let mut option = MoveOption { point, mv, permitted, cost: 0.0, gold: None, label_cost: 1.0 };
                price(&mut known, &mut option);
                options.push(option);
            }
        }
    }
}

/// Subtracts the least cost from all.
fn from_least(options: &mut [MoveOption]) {
    let least = options.iter().fold(f32::INFINITY, |least, option| least.min(option.cost));
    options.iter_mut().for_each(|option| option.cost -= least);
}

/// The option that the reference takes: of those that cost nothing the first that makes a gold arc, else the first.
fn reference(options: &[MoveOption]) -> usize {
    let free = || options.iter().enumerate().filter(|(_, option)| option.cost == 0.0);
    let preferred = free().find(|(_, option)| option.gold.is_some()).or_else(|| free().next());
    preferred.expect("some option costs nothing").0
}

/// Way on of greedy training.
fn follow_greedily(policy: &mut Policy, is_right: bool) -> Follow {
    match policy {
        Policy::Greedy { gold: GoldSide::Canonical(_), .. } => Follow::Reference,
        Policy::Greedy { exploration: Some(exploration), .. } => exploration.follow(is_right),
        _ => Follow::Corrected,
    }
}

/// Random choice: true with this probability.
fn draw(stream: &mut Xoshiro256PlusPlus, probability: f64) -> bool {
    random::unit(stream) < probability
}
