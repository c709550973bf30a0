//! The record as the page holds it: what an item shares with its parent or with other items stands there once. `data.js` makes
//! the record of it again.
//!
//! | of an item | in the page |
//! |---|---|
//! | its lists | left out: they are the nodes of its chains |
//! | its arcs | those that its parent has not, and the words whose arcs its parent alone has |
//! | weights, values read | the number of a line of a table |
//! | successors | the number of a line with actions, points, scores over the item's, and costs; the fate of each |

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::take;

use serde::Serialize;

use super::data::{Beam, BeamItem, BeamStep, Fate, Successor, Trace};
use treebeam::tree::{LabelId, Node};

/// A record whose beams are packed.
#[derive(Debug, Serialize)]
pub(super) struct Packed {
    /// The record without what is packed.
    #[serde(flatten)]
    trace: Trace,
    packed: Vec<PackedBeam>,
    weights: Vec<Vec<i32>>,
    reads: Vec<Vec<u32>>,
    options: Vec<Vec<Choice>>,
}

/// A successor apart from its fate: action, point, score over that of the item, cost.
type Choice = (Option<u16>, Option<u16>, i64, Option<u32>);

/// Parts of a beam that are packed.
#[derive(Debug, Serialize)]
struct PackedBeam {
    steps: Vec<Vec<PackedItem>>,
    /// By step: places, cells, successors.
    counts: Vec<[usize; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<PackedItem>,
    cells: Vec<(Node, Option<[u16; 2]>)>,
}

/// An item; of a beam's items the place is the rank.
#[derive(Debug, Serialize)]
struct PackedItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    score: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<u16>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gold: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    complete: bool,
    chains: Vec<Option<u32>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arcs: Vec<(Node, Node, LabelId)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<usize>,
    /// The rank at which each successor was kept, less than 0 that of its twin, or 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fates: Vec<i64>,
    /// Places of successors that gold goes on with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    correct: Vec<usize>,
    #[serde(skip_serializing_if = "super::data::is_zero")]
    more: usize,
}

/// Lines, each once, with their numbers.
struct Lines<T>(HashMap<Vec<T>, usize>);

impl<T: Eq + Hash> Lines<T> {
    fn number(&mut self, line: Vec<T>) -> Option<usize> {
        let next = self.0.len();
        (!line.is_empty()).then(|| *self.0.entry(line).or_insert(next))
    }

    fn into_lines(self) -> Vec<Vec<T>> {
        let mut lines: Vec<_> = self.0.into_iter().collect();
        lines.sort_unstable_by_key(|&(_, number)| number);
        lines.into_iter().map(|(line, _)| line).collect()
    }
}

impl<T> Default for Lines<T> {
    fn default() -> Lines<T> {
        Lines(HashMap::new())
    }
}

/// Tables that items share.
#[derive(Default)]
struct Tables {
    weights: Lines<i32>,
    reads: Lines<u32>,
    options: Lines<Choice>,
}

impl Packed {
    pub(super) fn of(mut trace: Trace) -> Packed {
        let mut tables = Tables::default();
        let packed = trace.beams.iter_mut().map(|beam| tables.beam(beam)).collect();
        let Tables { weights, reads, options } = tables;
        let (weights, reads, options) = (weights.into_lines(), reads.into_lines(), options.into_lines());
        Packed { trace, packed, weights, reads, options }
    }
}

impl Tables {
    /// Packs a beam, which is left without the packed parts.
    fn beam(&mut self, beam: &mut Beam) -> PackedBeam {
        let steps = take(&mut beam.steps);
        let path = beam.gold.as_mut().map(|gold| take(&mut gold.path)).unwrap_or_default();
        let step = |(number, step): (usize, &BeamStep)| {
            let before = number.checked_sub(1).map_or(&[][..], |before| &steps[before].items);
            let item = |item: &BeamItem| {
                let parent = item.parent.map(|parent| &before[parent - 1]);
                PackedItem { rank: None, ..self.item(item, parent) }
            };
            step.items.iter().map(item).collect()
        };
        PackedBeam {
            steps: steps.iter().enumerate().map(step).collect(),
            counts: steps.iter().map(|step| [step.places, step.cells, step.successors]).collect(),
            path: (0..path.len()).map(|at| self.item(&path[at], at.checked_sub(1).map(|at| &path[at]))).collect(),
            cells: take(&mut beam.cells).into_iter().map(|cell| (cell.node, cell.dependents)).collect(),
        }
    }

    fn item(&mut self, item: &BeamItem, parent: Option<&BeamItem>) -> PackedItem {
        let before = parent.map_or(&[][..], |parent| &parent.arcs);
        let is_there =
            |arcs: &[(Node, Node, LabelId)], word: Node| arcs.iter().any(|&(_, dependent, _)| dependent == word);
        let fate = |successor: &Successor| match successor.fate {
            Fate::Kept { rank } => rank as i64,
            Fate::Twin { rank } => -(rank as i64),
            Fate::Pruned => 0,
        };
        let choice = |of: &Successor| (of.action, of.point, of.score - item.score, of.cost);
        let correct = item.successors.iter().enumerate().filter(|(_, successor)| successor.correct);
        PackedItem {
            rank: item.rank,
            score: item.score,
            parent: item.parent,
            action: item.action,
            point: item.point,
            gold: item.gold,
            complete: item.complete,
            chains: item.chains.clone(),
            arcs: item.arcs.iter().filter(|arc| !before.contains(arc)).copied().collect(),
            lost: before.iter().map(|&(_, word, _)| word).filter(|&word| !is_there(&item.arcs, word)).collect(),
            weights: self.weights.number(item.weights.clone()),
            reads: self.reads.number(item.reads.clone()),
            options: self.options.number(item.successors.iter().map(choice).collect()),
            fates: item.successors.iter().map(fate).collect(),
            correct: correct.map(|(at, _)| at).collect(),
            more: item.more,
        }
    }
}
