//! Recorded decoding.
//!
//! Beams are those of [`Decoder::beams`], the reference, so that [`Decoder::decode`] pays nothing for being watched; or, beside a
//! gold tree, those of [`follow`]. All items are kept; what they do not have, such as successors that were not kept, is
//! computed again. Tests compare with what is decoded otherwise.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::data::{
    Arcs, Beam, BeamItem, BeamStep, Fate, FellOff, GoldDerivations, ListCell, Output, PrefixMargin, Successor,
};
use super::explain::Explainer;
use treebeam::configuration::{Arena, ListPlace, Point, SharedConfiguration as _, Slot};
use treebeam::decode::{
    Candidate, Decoder, IDLE, Identities, Item, ItemOf, Machine, NO_MARGIN, Stepper, Workspace, selected,
};
use treebeam::diagnosis::{Followed, Followers, follow};
use treebeam::learn::{PrefixScores, Update};
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

/// Observations at one width, with the names of a configuration's lists and the number of stacks among them.
pub(super) type Watched = (Beam, &'static [&'static str], usize);

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
    let mut items = steps.iter().flatten();
    let has_points = items.any(|item| !machine.is_terminal(item) && system.n_points(&item.configuration) > 1);
    let (memory, cells) = (scratch.memory, Cells::default());
    let mut recorder =
        Recorder { decoder, subject, correct: &correct, arena, context, explainer, memory, has_points, cells };
    let best = *steps.last().and_then(|items| items.first()).expect("there is an initial item");
    let on_best: Vec<_> = best.history().map(std::ptr::from_ref).collect();
    let recorded = (0..steps.len()).map(|step| recorder.step(&steps, step, &on_best)).collect();
    // Training compares no prefix before the first step.
    let gold = followed.map(|followed| recorder.gold(&steps, gold_items[0], &followed, &prefixes[1..]));
    // The tree was decoded lifted, if the model's trees are.
    let tree = model.label_decoding.finish(machine.tree(best, n_words));
    let Cells { cells, chains, .. } = recorder.cells;
    let beam = Beam {
        width: subject.width,
        margin: (subject.margin < NO_MARGIN).then_some(subject.margin),
        steps: recorded,
        output: Output { tree: Arcs::of(&tree, model.labels()), score: best.score, rank: 1 },
        gold,
        cells,
        chains,
    };
    Ok((beam, S::Shared::LISTS, S::Shared::N_STACKS))
}

/// Cells and chains with their numbers.
#[derive(Default)]
struct Cells {
    cells: Vec<ListCell>,
    by_name: HashMap<usize, u32>,
    chains: Vec<(u32, Option<u32>)>,
    by_link: HashMap<(u32, Option<u32>), u32>,
}

impl Cells {
    /// The chain of the cells at these places, the last of which is where it changes.
    fn chain(&mut self, places: impl Iterator<Item = (usize, ListCell)>) -> Option<u32> {
        places.fold(None, |chain, (name, cell)| {
            let next = self.cells.len() as u32;
            let number = *self.by_name.entry(name).or_insert(next);
            if number == next {
                self.cells.push(cell);
            }
            let (link, next) = ((number, chain), self.chains.len() as u32);
            let number = *self.by_link.entry(link).or_insert(next);
            if number == next {
                self.chains.push(link);
            }
            Some(number)
        })
    }
}

/// The rank, from 0, of an item's parent among the items `before`.
fn rank_of_parent<'a, C>(before: &[&'a Item<'a, C>], item: &Item<'a, C>) -> Option<usize> {
    let parent = item.parent?;
    before.iter().position(|other| std::ptr::eq(*other, parent))
}

/// Recorder of items.
struct Recorder<'r, 'm, 'a, S: System> {
    decoder: Decoder<'r, S>,
    subject: &'r Subject<'r>,
    correct: &'r CorrectChoices,
    arena: Arena<'a>,
    context: Context<'r>,
    explainer: &'r mut Explainer<'m>,
    memory: &'r mut Opaque,
    has_points: bool,
    cells: Cells,
}

impl<'a, S: TransitionSystem> Recorder<'_, '_, 'a, S> {
    /// The beam after `step` steps.
    fn step(&mut self, steps: &[Items<'a, S>], step: usize, on_best: &[*const Item<'a, S::Shared<'a>>]) -> BeamStep {
        let items = &steps[step];
        let before = step.checked_sub(1).map_or(&[][..], |before| &steps[before]);
        let mut recorded: Vec<BeamItem> = Vec::with_capacity(items.len());
        for (rank, &item) in items.iter().enumerate() {
            let is_read = rank < READ_RANKS || on_best.contains(&std::ptr::from_ref(item));
            let parent = rank_of_parent(before, item).map(|rank| rank + 1);
            recorded.push(BeamItem { parent, ..self.item(item, Some(rank + 1), is_read) });
        }
        let next = steps.get(step + 1);
        let all = next.map_or(Vec::new(), |next| self.successors(items, next));
        let successors = all.len();
        for (candidate, fate) in all {
            let (rank, choice, score) = (candidate.rank() as usize, candidate.choice(), candidate.score());
            let correct = self.correct.get(&(step, rank)).is_some_and(|choices| choices.contains(&choice));
            let of_item = &mut recorded[rank];
            if fate == Fate::Pruned && !correct && of_item.successors.len() >= self.subject.listed {
                of_item.more += 1;
                continue;
            }
            let cost = self.cost(&items[rank].configuration, choice);
            let (action, point) = self.shown(choice);
            of_item.successors.push(Successor { action, point, score, fate, cost, correct });
        }
        let places = || items.iter().flat_map(|item| item.configuration.places()).flatten();
        let cells = places().map(|place| place.cell).collect::<HashSet<_>>().len();
        BeamStep { items: recorded, places: places().count(), cells, successors }
    }

    /// A choice's action and point, as far as they say something.
    fn shown(&self, choice: Choice) -> (Option<u16>, Option<u16>) {
        let is_taken = choice != IDLE;
        (is_taken.then_some(choice.action), (is_taken && self.has_points).then_some(choice.point))
    }

    /// The gold derivations beside the beams, the best of which ends in `last`.
    fn gold(
        &mut self,
        steps: &[Items<'a, S>],
        last: &'a Item<'a, S::Shared<'a>>,
        followed: &Followed,
        prefixes: &[PrefixScores],
    ) -> GoldDerivations {
        let mut items: Items<'a, S> = last.history().collect();
        items.reverse();
        let mut path = Vec::with_capacity(items.len());
        // The rank of the item in the beam that has the same derivation.
        let mut rank = Some(0);
        for (step, item) in items.into_iter().enumerate() {
            if step > 0 {
                let beams = steps.get(step).map(|beam| (beam, &steps[step - 1]));
                rank = rank.zip(beams).and_then(|(rank, (beam, before))| {
                    let is_same = |other: &ItemOf<'a, S>| {
                        other.choice == item.choice && rank_of_parent(before, other) == Some(rank)
                    };
                    beam.iter().position(is_same)
                });
            }
            path.push(self.item(item, rank.map(|rank| rank + 1), true));
        }
        let fell_off = followed.fell_off.and_then(|step| {
            let (rank, score) = self.would_be(steps, step)?;
            let last = steps.get(step).and_then(|items| items.last()).map_or(score, |item| item.score);
            Some(FellOff { step, rank: rank + 1, gap: last - score })
        });
        let margin = |&PrefixScores { predicted, gold, gold_in_beam, .. }: &PrefixScores| PrefixMargin {
            best: predicted,
            gold,
            in_beam: gold_in_beam,
        };
        let all = [Update::Early, Update::Standard, Update::MaxViolation, Update::Latest, Update::Hybrid];
        let chosen = all.into_iter().filter_map(|update| Some((update, update.choose(prefixes)? + 1)));
        let oracle = match self.subject.oracle {
            oracle if oracle.is_static() => "the canonical derivation",
            _ => "every derivation of least cost",
        };
        GoldDerivations {
            oracle,
            derivable: followed.is_derivable,
            verdict: followed.verdict,
            score: followed.scores.1,
            output: followed.scores.0,
            fell_off,
            path,
            margins: prefixes.iter().map(margin).collect(),
            updates: chosen.collect::<BTreeMap<Update, usize>>(),
        }
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

    /// The record of an item without its parent and its successors.
    fn item(&mut self, item: &'a Item<'a, S::Shared<'a>>, rank: Option<usize>, is_read: bool) -> BeamItem {
        let interner = self.context.interner;
        let cell = |ListPlace { node, cell, tree }: ListPlace| {
            let dependents =
                tree.map(|tree| [Slot::LeftValency, Slot::RightValency].map(|slot| interner.get(tree, slot)));
            (cell, ListCell { node, dependents })
        };
        let places: Vec<Vec<(usize, ListCell)>> =
            item.configuration.places().into_iter().map(|list| list.into_iter().map(cell).collect()).collect();
        let nodes = |list: &Vec<(usize, ListCell)>| list.iter().map(|(_, cell)| cell.node).collect();
        let lists = S::Shared::LISTS.iter().copied().zip(places.iter().map(nodes)).collect();
        // From the end at which the list does not change.
        let chains = places.into_iter().enumerate().map(|(list, places)| match list < S::Shared::N_STACKS {
            true => self.cells.chain(places.into_iter()),
            false => self.cells.chain(places.into_iter().rev()),
        });
        let chains = chains.collect();
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
        let (action, point) = self.shown(item.choice);
        BeamItem {
            rank,
            score: item.score,
            parent: None,
            action,
            point,
            gold: item.is_gold && self.subject.gold.is_some(),
            complete: self.decoder.machine.is_terminal(item),
            lists,
            chains,
            arcs: self.arcs(item),
            successors: Vec::new(),
            more: 0,
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
