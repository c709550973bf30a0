//! Global training: a structured loss over the beam (Collins & Roark 2004; Zhang & Clark 2008; Huang et al. 2012).
//!
//! With a static oracle the gold side is one derivation; with a dynamic one, every derivation of the gold tree is followed, and
//! the model chooses among them. An [`Update`] says at which prefix the loss is, an [`Objective`] which loss:
//!
//! * **A pair.** `perceptron` and `loss-augmented` look at the best predicted prefix and at the best gold one; the loss is by how
//!   much the first outscores the second. With `loss-augmented` the losses of wrong actions are added to their scores in the
//!   training beam, so that it is filled with what is wrong *and* scores much. What both did before they parted cancels.
//! * **The beam.** `crf` and `softmax-margin` make the gold prefix probable among all items of the beam: the gradient is the
//!   difference between two expectations, over the items and over the gold ones among them, where the best gold prefix is
//!   counted in if it has fallen off the beam. Items that went the same way share what they did (see [`distribute`]).
//!
//! **LaSO** (Daumé & Marcu 2005): where gold falls off the beam the parameters change at once and the search goes on from the
//! gold prefix alone, as often as it takes. There the gold prefix is compared with the average of the beam; here by
//! `perceptron` and `loss-augmented` with the best item of it, so that weights stay whole numbers, and by `crf` with its
//! expectation.
//!
//! **MIRA**: the step is as long as it takes for the gold prefix to win by the loss, and at most C.

mod expectation;

use super::gold_beam::{GoldBeam, GoldBeamSettings};
use super::local::Parameters;
use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use super::{Objective, Update};
use crate::configuration::SharedConfiguration;
use crate::decode::{IDLE, Item, ItemOf, Scratch, Stepper, Workspace};
use crate::model::Trainable;
use crate::scorer::{Context, Opaque, Query};
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
}

impl GlobalOptions {
    /// Loss augmentation: value of a loss of 1 in scores of which 1 is `unit` in fixed point.
    pub fn loss_weight(&self, unit: f32) -> i32 {
        if self.objective.adds_losses() { (self.loss_weight * unit).round() as i32 } else { 0 }
    }
}

/// Decodes the sentence in `workspace.input` and learns from it: the number of updates, and the gradients that are put off. But
/// for LaSO all are.
pub fn learn<S: TransitionSystem>(
    options: GlobalOptions,
    supervision: Supervision<S>,
    gold_side: GoldSide,
    workspace: &mut Workspace,
    mut parameters: Parameters,
) -> (u64, Opaque) {
    let GlobalOptions { width, update, .. } = options;
    let mut gradient = Opaque::default();
    workspace.start(parameters.reads());
    let (arena, context, Scratch { memory, buffers, .. }) = workspace.parts(supervision.machine.actions);
    parameters.scorer().begin(memory, context);
    let settings = GoldBeamSettings::new(supervision, gold_side, width);
    let settings = GoldBeamSettings { loss_weight: options.loss_weight(parameters.unit()), ..settings };
    let stepper = Stepper::new(supervision.machine, arena, context, (memory, buffers));
    let mut beams = GoldBeam::new(stepper, settings);
    let mut n_updates = 0;
    loop {
        let mut trace: Vec<PrefixScores> = Vec::new();
        let mut prefixes: Vec<(ItemOf<S>, ItemOf<S>)> = Vec::new();
        let mut fell_off = false;
        let scorer = parameters.scorer();
        while !fell_off && beams.advance(&*scorer) {
            let scores = beams.scores();
            trace.push(scores);
            prefixes.push((beams.items[0], beams.gold_items[0]));
            fell_off = update.stops_early() && !scores.gold_in_beam;
        }
        drop(scorer);
        let of = (&*parameters, &mut *beams.stepper.memory, context);
        let updated = match options.objective.is_probability() {
            // Where the search stopped: where gold fell off, or at the end.
            true => {
                let outside = Some(beams.gold_items[0]).filter(|_| beams.items.iter().all(|item| !item.is_gold));
                learn_expectation(&beams.items, outside, of, &mut gradient)
            }
            false => update.choose(&trace).is_some_and(|step| learn_pair(options, prefixes[step], of, &mut gradient)),
        };
        n_updates += u64::from(updated);
        if update != Update::Laso || !fell_off {
            return (n_updates, gradient);
        }
        if let Parameters::AtOnce(model) = &mut parameters {
            model.learn(&mut gradient);
            if model.diverges() {
                // Scores might overflow: nothing is scored any more.
                return (n_updates, gradient);
            }
            model.scorer().forget(beams.stepper.memory);
        }
        beams.restart();
    }
}

/// Inputs of gradients: the model, its memory of the sentence, and the sentence.
pub type Of<'l> = (&'l dyn Trainable, &'l mut Opaque, Context<'l>);

/// Adds to `gradient` that of the difference between the scores of two prefixes, predicted and gold; whether there
/// is any.
fn learn_pair<'a, C: SharedConfiguration<'a>>(
    options: GlobalOptions,
    (predicted, gold): (&'a Item<'a, C>, &'a Item<'a, C>),
    (model, memory, context): Of,
    gradient: &mut Opaque,
) -> bool {
    let loss = (predicted.score - gold.score) as f32 / model.unit();
    // Updates without a violation (standard ones, mostly) lower no hinge.
    if options.objective == Objective::LossAugmented && loss < 0.0 {
        return false;
    }
    if !learn_difference(Order::LastFirst, predicted, gold, (model, memory, context), gradient) {
        return false;
    }
    if let Some(aggressiveness) = options.aggressiveness {
        model.lengthen(gradient, loss, aggressiveness);
    }
    true
}

/// Adds to `gradient` that of the probability of the gold ones among `items`, and of the gold one outside, if they are without
/// any; whether there is any.
fn learn_expectation<'a, C: SharedConfiguration<'a>>(
    items: &[&'a Item<'a, C>],
    outside: Option<&'a Item<'a, C>>,
    (model, memory, context): Of,
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
pub enum Order {
    /// Both together, from their ends on.
    LastFirst,
    /// One after the other, from their beginnings on.
    FirstFirst,
}

/// Adds to `gradient` that of the difference between the scores of two derivations, predicted and gold; whether there is any. What
/// both did before they parted cancels.
pub fn learn_difference<'a, C: SharedConfiguration<'a>>(
    order: Order,
    predicted: &'a Item<'a, C>,
    gold: &'a Item<'a, C>,
    (model, memory, context): Of,
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
        Order::LastFirst => {
            let at = |i: usize| predicted.get(i).into_iter().chain(gold.get(i)).copied();
            (0..predicted.len().max(gold.len())).flat_map(at).collect()
        }
        Order::FirstFirst => predicted.into_iter().rev().chain(gold.into_iter().rev()).collect(),
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
    (model, memory, context): Of,
    gradient: &mut Opaque,
) {
    let scored = |&(choice, slope): &(Choice, f32)| Some((u32::from(lane(choice, context.actions)?), slope));
    let point = slopes[0].0.point;
    let slopes: Vec<(u32, f32)> = slopes.iter().filter_map(scored).collect();
    if slopes.is_empty() {
        return;
    }
    let query = Query { view: before.view(point), permitted: Permitted::default() };
    model.credit(memory, context, &query, None, 0, &slopes, gradient);
}

/// The action that a choice is scored as; `None` for waiting that is not scored.
fn lane(choice: Choice, actions: &Actions) -> Option<ActionId> {
    if choice == IDLE { actions.idle() } else { Some(choice.action) }
}
