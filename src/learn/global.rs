//! Global training: a structured loss over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! With a static oracle the gold side is one derivation; with a dynamic one, every derivation of the gold tree is followed, and
//! the model chooses among them. An [`Update`] says at which prefix the loss is, an [`Objective`] which loss:
//!
//! * **A pair.** `perceptron` and `loss-augmented` look at the best predicted prefix and at the best gold one; the loss is by how
//!   much the first outscores the second. With `loss-augmented` the losses of wrong actions are added to their scores in the
//!   training beam, so that it is filled with items that are wrong *and* score high. The prefix that both share cancels.
//! * **The beam.** `crf` and `softmax-margin` make the gold prefix probable among all items of the beam: the gradient is the
//!   difference between two expectations, over the items and over the gold ones among them, where the best gold prefix is
//!   counted in if it has fallen off the beam. Items that went the same way share what they did (see [`distribute`]).
//!
//! **LaSO** (Daumé & Marcu 2005): where gold falls off the beam the parameters change at once and the search goes on from the
//! gold prefix alone, as often as it takes. There the gold prefix is compared with the average of the beam; here by
//! `perceptron` and `loss-augmented` with the best item of it, so that weights stay whole numbers, and by `crf` with its
//! expectation.
//!
//! **Restarts** (Aufrant, Wisniewski & Yvon 2017): after the update the search goes on from the *predicted* prefix, where the actions of
//! least cost are gold, so that training sees the configurations that the beam really meets. Parameters change at the sentence's end.
//!
//! ```text
//! both beams := the initial configuration
//! repeat:
//!     both beams advance, the gold one by actions of least cost: to the end, or with `restart-early` until gold falls off
//!     i := the step where the best prefix outscores the best gold one most, or where gold fell off
//!     if there is none: end
//!     learn from the pair of prefixes of step i
//!     both beams := the best item of step i, or all of them; those that have lost least are gold
//! ```
//!
//! **MIRA**: the step is as long as it takes for the gold prefix to win by the loss, and at most C; of several pairs of prefixes that
//! are learned from together, for the gold ones to win by the losses together.
//!
//! Complexity: a stretch takes O(n) steps, so that a sentence of n words takes O(n) of them, or O(n²) with restarts, of which each begins
//! at least one step after the one before. Memory is that of few stretches: where the beams start again from one item, an arena that has
//! filled up is emptied.

mod expectation;
#[cfg(test)]
mod tests;

use super::gold_beam::{GoldBeam, GoldBeamSettings};
use super::local::TrainedParameters;
use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use super::{Objective, Update};
use crate::configuration::SharedConfiguration;
use crate::decode::{IDLE, Item, ItemOf, NO_MARGIN, Past, Scratch, Stepper, Workspace, used};
use crate::model::Trainable;
use crate::options::RestartFrom;
use crate::scorer::{Context, Opaque, Query, Scorer};
use crate::system::{ActionId, Actions, Choice, Permitted, TransitionSystem};
use expectation::{distribute, slopes};

/// Options of global training.
#[derive(Debug, Clone, Copy)]
pub struct GlobalOptions {
    /// The width of both beams.
    pub width: usize,
    /// Update method: the prefixes that are compared.
    pub update: Update,
    /// Objective that is minimised.
    pub objective: Objective,
    /// Loss augmentation: value of a loss of 1 in scores.
    pub loss_weight: f32,
    /// MIRA's C, if steps are to be as long as it takes.
    pub aggressiveness: Option<f32>,
    /// Items that beams start again from, if the update restarts.
    pub restart_from: RestartFrom,
}

impl GlobalOptions {
    /// Makes the step along `gradient` as long as it takes, if the learner is MIRA and `loss` is what it is to make up for.
    fn lengthen(&self, model: &dyn Trainable, gradient: &mut Opaque, loss: f32) {
        if let Some(aggressiveness) = self.aggressiveness {
            model.lengthen(gradient, loss, aggressiveness);
        }
    }

    /// Loss augmentation: value of a loss of 1 in scores of which 1 is `unit` in fixed point.
    pub fn loss_weight(&self, unit: f32) -> i32 {
        if self.objective.adds_losses() { (self.loss_weight * unit).round() as i32 } else { 0 }
    }
}

/// Decodes the sentence in `workspace.input` and learns from it: the number of updates, and the gradients that are put off. But
/// for LaSO all are. With `roll_in`, a share of its length, the beams start where the model's own derivation has got to then.
pub fn learn<S: TransitionSystem>(
    options: GlobalOptions,
    supervision: Supervision<S>,
    gold_side: GoldSide,
    roll_in: Option<f64>,
    workspace: &mut Workspace,
    mut parameters: TrainedParameters,
) -> (u64, Opaque) {
    let GlobalOptions { width, update, .. } = options;
    let (mut gradient, mut n_updates, mut loss) = (Opaque::default(), 0, 0.0);
    workspace.start(parameters.reads());
    let room = workspace.room;
    // The beams' saved items when the arena has been emptied, and the number of steps before.
    let mut past: Option<(Past, usize)> = None;
    'sentence: loop {
        let (arena, context, Scratch { memory, buffers, .. }) = workspace.parts(supervision.machine.actions);
        match past {
            None => parameters.scorer().begin(memory, context),
            Some(_) => parameters.scorer().forget(memory),
        }
        let settings = GoldBeamSettings::new(supervision, gold_side, width);
        let settings = GoldBeamSettings { loss_weight: options.loss_weight(parameters.unit()), ..settings };
        let stepper = Stepper::new(supervision.machine, arena, context, (memory, buffers));
        let mut beams = match &past {
            None => GoldBeam::new(stepper, settings),
            Some((past, n_steps)) => GoldBeam::after(stepper, settings, past.items::<S>(arena)[0], *n_steps),
        };
        if let Some(share) = roll_in.filter(|_| past.is_none()) {
            let start = rolled_in(&mut beams.stepper, &*parameters.scorer(), width, share);
            beams.restart(&[start]);
        }
        let room = room.max(2 * used(arena.bump()));
        while used(arena.bump()) < room || beams.items.len() > 1 {
            let Trail { trace, prefixes, beams: whole, fell_off } = search(&mut beams, &*parameters.scorer(), &options);
            let step = match options.objective.is_probability() {
                // The step in which the search stopped: gold fell off, or the end.
                true => trace.len().checked_sub(1),
                false => update.choose(&trace),
            };
            let Some(step) = step else { break 'sentence };
            let (predicted, gold) = prefixes[step];
            let of = (&*parameters, &mut *beams.stepper.memory, context);
            let learned = match options.objective.is_probability() {
                true => {
                    let outside = Some(gold).filter(|_| beams.items.iter().all(|item| !item.is_gold));
                    learn_expectation(&beams.items, outside, of, &mut gradient).then_some(0.0)
                }
                false => learn_pair(options, (predicted, gold), of, &mut gradient),
            };
            n_updates += u64::from(learned.is_some());
            loss += learned.unwrap_or_default();
            let from = whole.get(step).map_or(std::slice::from_ref(&predicted), Vec::as_slice);
            match update {
                Update::Restart => beams.restart(from),
                Update::RestartEarly if fell_off => beams.restart(from),
                Update::Laso if fell_off => {
                    beams.restart(&[gold]);
                    if let TrainedParameters::AtOnce(model) = &mut parameters {
                        options.lengthen(&**model, &mut gradient, std::mem::take(&mut loss));
                        model.learn(&mut gradient);
                        if model.diverges() {
                            // Scores might overflow: nothing is scored any more.
                            return (n_updates, gradient);
                        }
                        model.scorer().forget(beams.stepper.memory);
                    }
                }
                _ => break 'sentence,
            }
        }
        past = Some((Past::without_trees::<S>(&beams.items, arena.interner()), beams.n_steps()));
        drop(beams);
        workspace.bump.reset();
    }
    options.lengthen(&*parameters, &mut gradient, loss);
    (n_updates, gradient)
}

/// Record of a search: what training compares, step by step.
struct Trail<'a, S: TransitionSystem> {
    trace: Vec<PrefixScores>,
    /// The best predicted prefix and the best gold one.
    prefixes: Vec<(ItemOf<'a, S>, ItemOf<'a, S>)>,
    /// The whole beam, for restarts from it.
    beams: Vec<Vec<ItemOf<'a, S>>>,
    /// True if the search ended where gold fell off the beam.
    fell_off: bool,
}

/// Takes steps in both beams until derivations are complete or, with updates that stop early, gold has fallen off.
fn search<'a, S: TransitionSystem>(
    beams: &mut GoldBeam<'_, 'a, S>,
    scorer: &dyn Scorer,
    options: &GlobalOptions,
) -> Trail<'a, S> {
    let mut trail = Trail { trace: Vec::new(), prefixes: Vec::new(), beams: Vec::new(), fell_off: false };
    let keeps_beams = options.update.restarts() && options.restart_from == RestartFrom::Beam;
    while !trail.fell_off && beams.advance(scorer) {
        let scores = beams.scores();
        trail.trace.push(scores);
        trail.prefixes.push((beams.items[0], beams.gold_items[0]));
        if keeps_beams {
            trail.beams.push(beams.items.clone());
        }
        trail.fell_off = options.update.stops_early() && !scores.gold_in_beam;
    }
    trail
}

/// The item that the best derivation of a beam has got to after this share of its transitions.
fn rolled_in<'a, S: TransitionSystem>(
    stepper: &mut Stepper<'_, 'a, S>,
    scorer: &dyn Scorer,
    width: usize,
    share: f64,
) -> ItemOf<'a, S> {
    let mut items = vec![stepper.initial()];
    while stepper.advance(scorer, (width, NO_MARGIN), &mut items, None) {}
    let mut open: Vec<ItemOf<'a, S>> = items[0].history().filter(|item| !stepper.machine.is_terminal(item)).collect();
    open.reverse();
    open.get((share * open.len() as f64) as usize).copied().unwrap_or(items[0])
}

/// Inputs of gradients: the model, its memory of the sentence, and the sentence.
pub type GradientInputs<'l> = (&'l dyn Trainable, &'l mut Opaque, Context<'l>);

/// Adds to `gradient` that of the difference between the scores of two prefixes, predicted and gold; the loss if there is any.
fn learn_pair<'a, C: SharedConfiguration<'a>>(
    options: GlobalOptions,
    (predicted, gold): (&'a Item<'a, C>, &'a Item<'a, C>),
    of: GradientInputs,
    gradient: &mut Opaque,
) -> Option<f32> {
    let loss = (predicted.score - gold.score) as f32 / of.0.unit();
    // Updates without a violation (standard ones, mostly) lower no hinge.
    if options.objective == Objective::LossAugmented && loss < 0.0 {
        return None;
    }
    learn_difference(AdditionOrder::LastFirst, predicted, gold, of, gradient).then_some(loss)
}

/// Adds to `gradient` that of the probability of the gold ones among `items`, and of the gold one outside, if they are without
/// any; whether there is any.
fn learn_expectation<'a, C: SharedConfiguration<'a>>(
    items: &[&'a Item<'a, C>],
    outside: Option<&'a Item<'a, C>>,
    (model, memory, context): GradientInputs,
    gradient: &mut Opaque,
) -> bool {
    let members: Vec<&Item<_>> = items.iter().copied().chain(outside).collect();
    let scores: Vec<(i64, bool)> = members.iter().map(|item| (item.score, item.is_gold)).collect();
    // First items first.
    let history = |item: &&'a Item<'a, C>| {
        let mut history: Vec<&'a Item<'a, C>> = item.history().collect();
        history.reverse();
        history
    };
    let histories: Vec<Vec<&Item<_>>> = members.iter().map(history).collect();
    let choices: Vec<Vec<Choice>> =
        histories.iter().map(|history| history[1..].iter().map(|item| item.choice).collect()).collect();
    let mut any = false;
    distribute(&choices, &slopes(&scores, f64::from(model.unit())), &mut |member, step, slopes| {
        any = true;
        credit(histories[member][step], slopes, (model, memory, context), gradient);
    });
    any
}

/// Order in which gradients of two derivations are added up: sums of real numbers depend on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AdditionOrder {
    /// Both together, from their ends on.
    LastFirst,
    /// One after the other, from their beginnings on.
    FirstFirst,
}

/// Adds to `gradient` that of the difference between the scores of two derivations, predicted and gold; whether there is any. What
/// both did before they parted cancels.
pub fn learn_difference<'a, C: SharedConfiguration<'a>>(
    order: AdditionOrder,
    predicted: &'a Item<'a, C>,
    gold: &'a Item<'a, C>,
    (model, memory, context): GradientInputs,
    gradient: &mut Opaque,
) -> bool {
    let [predicted, gold]: [Vec<&Item<_>>; 2] = [predicted, gold].map(|item| item.history().collect());
    let pairs = predicted.iter().rev().zip(gold.iter().rev()).skip(1);
    let shared = 1 + pairs.take_while(|(predicted, gold)| predicted.choice == gold.choice).count();
    let parted = |items: Vec<&'a Item<'a, C>>, slope: f32| -> Vec<(&'a Item<'a, C>, f32)> {
        items[..items.len() - shared].iter().map(|&item| (item, slope)).collect()
    };
    let (predicted, gold) = (parted(predicted, 1.0), parted(gold, -1.0));
    let steps: Vec<(&Item<_>, f32)> = match order {
        AdditionOrder::LastFirst => {
            let at = |i: usize| predicted.get(i).into_iter().chain(gold.get(i)).copied();
            (0..predicted.len().max(gold.len())).flat_map(at).collect()
        }
        AdditionOrder::FirstFirst => predicted.into_iter().rev().chain(gold.into_iter().rev()).collect(),
    };
    for &(item, slope) in &steps {
        let before = item.parent.expect("only initial items have no parent");
        credit(before, &[(item.choice, slope)], (model, memory, context), gradient);
    }
    !steps.is_empty()
}

/// Adds to `gradient` that of some actions in one configuration, all at one point.
fn credit<'a, C: SharedConfiguration<'a>>(
    before: &'a Item<'a, C>,
    slopes: &[(Choice, f32)],
    (model, memory, context): GradientInputs,
    gradient: &mut Opaque,
) {
    let scored = |&(choice, slope): &(Choice, f32)| Some((u32::from(scored_action(choice, context.actions)?), slope));
    let point = slopes[0].0.point;
    let slopes: Vec<(u32, f32)> = slopes.iter().filter_map(scored).collect();
    if slopes.is_empty() {
        return;
    }
    let query = Query { view: before.view(point), permitted: Permitted::default() };
    model.credit(memory, context, &query, None, 0, &slopes, gradient);
}

/// The action that a choice is scored as; `None` for waiting that is not scored.
fn scored_action(choice: Choice, actions: &Actions) -> Option<ActionId> {
    if choice == IDLE { actions.idle() } else { Some(choice.action) }
}
