//! Decoding with somebody looking on.
//!
//! Beams are those of [`Decoder::beams`], the reference, so that [`Decoder::decode`] pays nothing for being watched; or, beside a
//! gold tree, those of [`follow`]. All items are kept; what they do not tell, such as successors that were not kept, is asked
//! for anew. Tests compare with what is decoded otherwise.

use std::collections::HashMap;

use super::data::Fate;
use super::explain::Explainer;
use treebeam::configuration::{Arena, Place, Point, SharedConfiguration as _, Slot};
use treebeam::decode::{
    Candidate, Decoder, IDLE, Identities, Item, ItemOf, Machine, Parsed, Stepper, Workspace, selected,
};
use treebeam::diagnosis::{Followed, Followers, follow};
use treebeam::learn::PrefixScores;
use treebeam::model::Scoring as _;
use treebeam::scorer::{Context, Opaque, Query};
use treebeam::scorers::AnyModel;
use treebeam::system::{Choice, MoveCosts, OracleKind, Permitted, System, TransitionSystem, gold_label};
use treebeam::tree::{Gold, LabelId, NO_NODE, Node};

/// Subject: a sentence and how it is parsed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'w> {
    pub(super) model: &'w AnyModel,
    /// With labels of the model's own kind: lifted, if those are.
    pub(super) gold: Option<&'w Gold>,
    pub(super) oracle: OracleKind,
    pub(super) width: usize,
    /// Margin of pruning.
    pub(super) margin: i64,
    /// Most successors of an item that are recorded, besides those in the beam and correct ones.
    pub(super) listed: usize,
    /// The most items that are recorded.
    pub(super) most_items: usize,
}

/// Observations at one width.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) lists: &'static [&'static str],
    pub(super) n_stacks: usize,
    pub(super) has_points: bool,
    pub(super) steps: Vec<SeenStep>,
    /// As it was decoded: lifted, if the model's trees are.
    pub(super) output: Parsed,
    pub(super) gold: Option<SeenGold>,
}

#[derive(Debug)]
pub(super) struct SeenStep {
    pub(super) items: Vec<SeenItem>,
    /// Number of successors of all items.
    pub(super) n_successors: usize,
}

#[derive(Debug)]
pub(super) struct SeenItem {
    /// The parent's rank, from 0, in the step before; `None` at the start.
    pub(super) parent: Option<usize>,
    pub(super) choice: Choice,
    pub(super) score: i64,
    pub(super) is_gold: bool,
    pub(super) is_complete: bool,
    pub(super) places: Vec<Vec<SeenPlace>>,
    pub(super) arcs: Vec<(Node, Node, LabelId)>,
    /// Best first.
    pub(super) successors: Vec<SeenSuccessor>,
    /// Number of successors that are not recorded.
    pub(super) n_more: usize,
    /// By template.
    pub(super) weights: Vec<i32>,
    /// By template: numbers of the explainer's values.
    pub(super) reads: Vec<u32>,
}

/// A place of a list: node, name of the cell, numbers of dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeenPlace {
    pub(super) node: Node,
    pub(super) cell: usize,
    pub(super) dependents: Option<[u16; 2]>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SeenSuccessor {
    pub(super) choice: Choice,
    pub(super) score: i64,
    pub(super) fate: Fate,
    pub(super) cost: Option<u32>,
    pub(super) is_correct: bool,
}

#[derive(Debug)]
pub(super) struct SeenGold {
    pub(super) followed: Followed,
    /// The best gold derivation; ranks of parents mean nothing.
    pub(super) path: Vec<SeenItem>,
    /// After each step.
    pub(super) prefixes: Vec<PrefixScores>,
    /// If gold fell off: the rank, from 0, that the best gold successor would have had then, and its score.
    pub(super) would_be: Option<(usize, i64)>,
}

/// Too many items were seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooMany(pub(super) usize);

/// Number of first ranks whose templates' values are recorded.
const READ_RANKS: usize = 4;

type Items<'a, S> = Vec<ItemOf<'a, S>>;

/// The choices that go on with gold derivations, by step and rank.
type CorrectChoices = HashMap<(usize, usize), Vec<Choice>>;

/// Decodes the sentence in `workspace.input`.
pub(super) fn watch<S: TransitionSystem>(
    system: S,
    subject: &Subject,
    explainer: &mut Explainer,
    workspace: &mut Workspace,
) -> Result<Watched, TooMany> {
    let model = subject.model;
    let scorer = model.scorer.scorer();
    let decoder = Decoder::new(system, &model.actions, &*scorer).with_margin(subject.margin);
    let machine = decoder.machine;
    workspace.start(&scorer.reads().with_all_states());
    let (arena, context, scratch) = workspace.parts(&model.actions);
    scorer.begin(scratch.memory, context);
    let n_words = context.input.n_words();
    let mut stepper = Stepper::new(machine, arena, context, (&mut *scratch.memory, scratch.buffers));

    let mut steps: Vec<Items<S>> = Vec::new();
    let mut correct = CorrectChoices::new();
    let mut prefixes = Vec::new();
    let mut gold_items: Items<S> = Vec::new();
    let followed = match subject.gold {
        None => {
            decoder.beams(&mut stepper, subject.width, &mut |items| steps.push(items.to_vec()));
            None
        }
        Some(gold) => {
            let Subject { oracle, width, margin, .. } = *subject;
            Some(follow(&Followers { gold, oracle, width, margin }, &*scorer, stepper, |beams| {
                prefixes.push(beams.scores());
                gold_items.clone_from(&beams.gold_items);
                // The gold beam may need longer; the decoder does not wait for it.
                if steps.last().is_some_and(|items| items.iter().all(|item| machine.is_terminal(item))) {
                    return;
                }
                for (rank, &item) in beams.items.iter().enumerate().filter(|(_, item)| item.is_gold) {
                    let choices = correct.entry((steps.len(), rank)).or_default();
                    beams.settings().correct(item, steps.len(), choices);
                }
                steps.push(beams.items.clone());
            }))
        }
    };
    let n_items = steps.iter().map(Vec::len).sum();
    if n_items > subject.most_items {
        return Err(TooMany(n_items));
    }
    let output = steps.last().and_then(|items| items.first()).expect("there is an initial item");
    let output = Parsed { tree: machine.tree(output, n_words), score: output.score };
    let memory = scratch.memory;
    let mut recorder = Recorder { decoder, subject, correct: &correct, arena, context, explainer, memory };
    let gold = followed.map(|followed| {
        let would_be = followed.fell_off.and_then(|step| recorder.would_be(&steps, step));
        let path = recorder.path(gold_items[0]);
        // What is before the first step is no prefix that training compares.
        SeenGold { followed, path, prefixes: prefixes.split_off(1), would_be }
    });
    let mut items = steps.iter().flatten();
    let has_points = items.any(|item| !machine.is_terminal(item) && system.n_points(&item.configuration) > 1);
    let best = steps[steps.len() - 1][0];
    let on_best: Vec<_> = best.history().map(std::ptr::from_ref).collect();
    let steps = (0..steps.len()).map(|step| recorder.step(&steps, step, &on_best)).collect();
    let (lists, n_stacks) = (S::Shared::LISTS, S::Shared::N_STACKS);
    Ok(Watched { lists, n_stacks, has_points, steps, output, gold })
}

/// Recorder of items.
struct Recorder<'r, 'a, S: System> {
    decoder: Decoder<'r, S>,
    subject: &'r Subject<'r>,
    correct: &'r CorrectChoices,
    arena: Arena<'a>,
    context: Context<'r>,
    explainer: &'r mut Explainer,
    memory: &'r mut Opaque,
}

impl<'a, S: TransitionSystem> Recorder<'_, 'a, S> {
    /// The beam after `step` steps.
    fn step(&mut self, steps: &[Items<'a, S>], step: usize, on_best: &[*const Item<'a, S::Shared<'a>>]) -> SeenStep {
        let items = &steps[step];
        let before = step.checked_sub(1).map_or(&[][..], |before| &steps[before]);
        let rank_of_parent = |item: &Item<'a, S::Shared<'a>>| {
            before.iter().position(|other| item.parent.is_some_and(|parent| std::ptr::eq(*other, parent)))
        };
        let mut seen: Vec<SeenItem> = Vec::with_capacity(items.len());
        for (rank, &item) in items.iter().enumerate() {
            let is_read = rank < READ_RANKS || on_best.contains(&std::ptr::from_ref(item));
            seen.push(SeenItem { parent: rank_of_parent(item), ..self.item(item, is_read) });
        }
        let next = steps.get(step + 1);
        let successors = next.map_or(Vec::new(), |next| self.successors(items, next));
        let n_successors = successors.len();
        for (candidate, fate) in successors {
            let (rank, choice, score) = (candidate.rank() as usize, candidate.choice(), candidate.score());
            let is_correct = self.correct.get(&(step, rank)).is_some_and(|choices| choices.contains(&choice));
            let of_item = &mut seen[rank];
            if fate == Fate::Pruned && !is_correct && of_item.successors.len() >= self.subject.listed {
                of_item.n_more += 1;
                continue;
            }
            let cost = self.cost(&items[rank].configuration, choice);
            of_item.successors.push(SeenSuccessor { choice, score, fate, cost, is_correct });
        }
        SeenStep { items: seen, n_successors }
    }

    /// All successors of `items`, best first, and what became of each, where `next` is the next beam.
    fn successors(&mut self, items: &Items<'a, S>, next: &Items<'a, S>) -> Vec<(Candidate, Fate)> {
        let mut candidates = self.candidates(items);
        candidates.sort_unstable();
        let kept: HashMap<(*const Item<'a, S::Shared<'a>>, Choice), usize> = next
            .iter()
            .zip(1..)
            .filter_map(|(item, rank)| Some(((std::ptr::from_ref(item.parent?), item.choice), rank)))
            .collect();
        let ranks: HashMap<u64, usize> = next.iter().zip(1..).map(|(item, rank)| (item.identity(), rank)).collect();
        let (width, mut n_kept) = (self.subject.width, 0);
        let least = candidates.first().map_or(0, |best| best.score().saturating_sub(self.subject.margin));
        let fate = |(place, candidate): (usize, Candidate)| {
            let parent = items[candidate.rank() as usize];
            let fate = if let Some(&rank) = kept.get(&(std::ptr::from_ref(parent), candidate.choice())) {
                n_kept += 1;
                Fate::Kept { rank }
            } else if place < selected(width) && n_kept < width && candidate.score() >= least {
                // Its turn came and it was not taken.
                let twin = self.decoder.machine.successor(parent, candidate.choice(), 0, false, self.arena);
                ranks.get(&twin.identity()).map_or(Fate::Pruned, |&rank| Fate::Twin { rank })
            } else {
                Fate::Pruned
            };
            (candidate, fate)
        };
        candidates.into_iter().enumerate().map(fate).collect()
    }

    /// All successors of `items`, in no order.
    fn candidates(&mut self, items: &Items<'a, S>) -> Vec<Candidate> {
        let Decoder { machine, scorer, .. } = &self.decoder;
        let mut candidates = Vec::new();
        for (rank, item) in (0..).zip(items) {
            let is_terminal = machine.is_terminal(item);
            let idle = machine.actions.idle();
            if is_terminal && idle.is_none() {
                candidates.push(Candidate::new(item.score, rank, IDLE));
                continue;
            }
            let n_points = if is_terminal { 1 } else { machine.system.n_points(&item.configuration) as Point };
            for point in 0..n_points {
                let permitted = match is_terminal {
                    true => Permitted::default(),
                    false => machine.system.permitted(&item.configuration, point),
                };
                let query = Query { view: item.view(point), permitted };
                let scores = scorer.score_one(self.memory, self.context, &query);
                let gained = |action: u16| item.score + i64::from(scores[usize::from(action)]);
                if let Some(idle) = idle.filter(|_| is_terminal) {
                    candidates.push(Candidate::new(gained(idle), rank, IDLE));
                    continue;
                }
                let mask = machine.actions.mask(permitted);
                let actions = (0..machine.actions.len() as u16).filter(|&action| mask[usize::from(action)] == 0);
                candidates.extend(actions.map(|action| Candidate::new(gained(action), rank, Choice { point, action })));
            }
        }
        candidates
    }

    /// The rank, from 0, of the best gold successor among the successors that led to the beam after `step` steps, twins left
    /// out, and its score.
    fn would_be(&mut self, steps: &[Items<'a, S>], step: usize) -> Option<(usize, i64)> {
        let items = steps.get(step - 1)?;
        let mut candidates = self.candidates(items);
        candidates.sort_unstable();
        let mut distinct = Identities::default();
        for candidate in candidates {
            let (rank, choice) = (candidate.rank() as usize, candidate.choice());
            let n_better = distinct.len();
            if self.correct.get(&(step - 1, rank)).is_some_and(|choices| choices.contains(&choice)) {
                return Some((n_better, candidate.score()));
            }
            let item = self.decoder.machine.successor(items[rank], choice, 0, false, self.arena);
            distinct.insert(item.identity());
        }
        None
    }

    /// The items from the initial one to this one.
    fn path(&mut self, item: &'a Item<'a, S::Shared<'a>>) -> Vec<SeenItem> {
        let mut items: Items<'a, S> = item.history().collect();
        items.reverse();
        items.into_iter().map(|item| self.item(item, true)).collect()
    }

    /// The record of an item without its parent and its successors.
    fn item(&mut self, item: &'a Item<'a, S::Shared<'a>>, is_read: bool) -> SeenItem {
        let interner = self.context.interner;
        let place = |Place { node, cell, tree }: Place| {
            let dependents =
                tree.map(|tree| [Slot::LeftValency, Slot::RightValency].map(|slot| interner.get(tree, slot)));
            SeenPlace { node, cell, dependents }
        };
        let places = item.configuration.places().into_iter();
        let (mut weights, mut reads) = (Vec::new(), Vec::new());
        if let Some(before) = item.parent {
            let waits = item.choice == IDLE;
            let action = if waits { self.decoder.machine.actions.idle() } else { Some(item.choice.action) };
            let view = before.view(if waits { 0 } else { item.choice.point });
            if let Some(action) = action {
                weights = self.explainer.weights(self.context, &view, action);
                reads = if is_read { self.explainer.reads(self.context, &view) } else { Vec::new() };
            }
        }
        SeenItem {
            parent: None,
            choice: item.choice,
            score: item.score,
            is_gold: item.is_gold && self.subject.gold.is_some(),
            is_complete: self.decoder.machine.is_terminal(item),
            places: places.map(|list| list.into_iter().map(place).collect()).collect(),
            arcs: self.arcs(item),
            successors: Vec::new(),
            n_more: 0,
            weights,
            reads,
        }
    }

    /// The arcs that a derivation has made so far.
    fn arcs(&self, item: &'a Item<'a, S::Shared<'a>>) -> Vec<(Node, Node, LabelId)> {
        let Machine { system, actions, .. } = self.decoder.machine;
        // By word what happened to it last: an arc, or the loss of one.
        let mut last: Vec<Option<(Node, LabelId)>> = vec![None; self.context.input.n_words() + 1];
        for item in item.history().filter(|item| item.choice != IDLE) {
            let Some(parent) = item.parent else { break };
            let (c, action) = (&parent.configuration, actions.chosen(item.choice));
            if let Some((head, dependent)) = system.arc(c, action.point, action.mv) {
                last[usize::from(dependent)].get_or_insert((head, action.label));
            }
            for word in system.detached(c, action.point, action.mv).into_iter().flatten() {
                last[usize::from(word)].get_or_insert((NO_NODE, 0));
            }
        }
        let arcs = (0..).zip(last).filter_map(|(dependent, last)| last.map(|(head, label)| (head, dependent, label)));
        arcs.filter(|&(head, ..)| head != NO_NODE).collect()
    }

    /// Cost of a choice by the oracle; a wrong label on a gold arc costs 1 more.
    fn cost(&self, c: &S::Shared<'a>, choice: Choice) -> Option<u32> {
        let gold = self.subject.gold?;
        if choice == IDLE {
            return Some(0);
        }
        let Machine { system, actions, .. } = self.decoder.machine;
        let action = actions.chosen(choice);
        let Permitted { moves, .. } = system.permitted(c, choice.point);
        let costs: MoveCosts = system.costs(gold, c, choice.point, moves);
        let label = gold_label(&system, gold, c, choice.point, action.mv);
        Some(costs.get(action.mv)? + u32::from(label.is_some_and(|label| label != action.label)))
    }
}
