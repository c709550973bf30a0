//! Data of a trace, as `treebeam trace --json` writes it and as the page reads it.
//!
//! Scores are integers in the model's fixed point: divided by [`Trace::scale`] they are sums of weights. Steps are counted from
//! 0, the initial configuration; ranks from 1. Words are counted from 1, 0 being the root. What is not there is left out.

use std::collections::BTreeMap;

use serde::Serialize;

use treebeam::diagnosis::Verdict;
use treebeam::learn::Update;
use treebeam::tree::{LabelId, Labels, Node, Tree};

/// The number of the format. It grows when the meaning of a field changes; new fields may come without that.
pub const FORMAT: u32 = 1;

/// A sentence decoded at several widths.
#[derive(Debug, Clone, Serialize)]
pub struct Trace {
    /// [`FORMAT`].
    pub format: u32,
    /// The program and its version.
    pub program: &'static str,
    /// The model.
    pub model: ModelCard,
    /// The sentence.
    pub sentence: SentenceCard,
    /// Fixed-point value of a weight of 1.0.
    pub scale: u32,
    /// The names of the lists of a configuration: each item has a field of each name.
    pub lists: Vec<&'static str>,
    /// Number of stacks: the first lists, which grow and shrink at their right end.
    pub stacks: usize,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// The actions, by number.
    pub actions: Vec<ActionName>,
    /// The feature templates, by number; none if the model's scores are not sums over templates.
    pub templates: Vec<String>,
    /// Values that templates read, by number.
    pub values: Vec<String>,
    /// Most successors of an item that are listed, besides those that were kept or are correct.
    pub listed: usize,
    /// The beams, by width.
    pub beams: Vec<Beam>,
}

/// Description of a model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelCard {
    /// The transition system.
    pub system: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The name of the feature set.
    pub features: String,
    /// Default width of decoding.
    pub beam: usize,
    /// The options of training.
    pub training: serde_json::Value,
}

/// The sentence and its gold tree.
#[derive(Debug, Clone, Serialize)]
pub struct SentenceCard {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its `sent_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The words; entry 0 is word 1.
    pub words: Vec<Word>,
    /// True if the script is written from right to left.
    pub right_to_left: bool,
    /// The gold tree, if the input has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<Arcs>,
}

/// A word.
#[derive(Debug, Clone, Serialize)]
pub struct Word {
    /// Its form.
    pub form: String,
    /// Its tag, in the column that the model reads.
    pub tag: String,
}

/// A tree, a head and a label for each word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arcs {
    /// Heads; entry 0 belongs to word 1.
    pub heads: Vec<Node>,
    /// Labels; entry 0 belongs to word 1.
    pub labels: Vec<String>,
}

impl Arcs {
    /// The arcs of a tree with these labels.
    pub fn of(tree: &Tree, labels: &Labels) -> Arcs {
        Arcs {
            heads: tree.words().map(|word| tree.head(word)).collect(),
            labels: labels.names_of(tree).into_iter().map(str::to_owned).collect(),
        }
    }
}

/// An action.
#[derive(Debug, Clone, Serialize)]
pub struct ActionName {
    /// The move's name.
    #[serde(rename = "move")]
    pub mv: &'static str,
    /// The label of its arc, if it makes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The sentence decoded in a beam of one width.
#[derive(Debug, Clone, Serialize)]
pub struct Beam {
    /// The width; 1 is greedy.
    pub width: usize,
    /// Margin of pruning, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<i64>,
    /// The beam before the first step and after each.
    pub steps: Vec<BeamStep>,
    /// Output.
    pub output: Output,
    /// Fate of the gold derivations, if there is a gold tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldDerivations>,
    /// The cells that stacks and buffers are made of, by number.
    pub cells: Vec<ListCell>,
    /// Chains of cells, by number: a cell and the chain behind it, if any is. Configurations share chains.
    pub chains: Vec<(u32, Option<u32>)>,
}

/// Output.
#[derive(Debug, Clone, Serialize)]
pub struct Output {
    /// The tree.
    #[serde(flatten)]
    pub tree: Arcs,
    /// Its score.
    pub score: i64,
    /// The rank in the last step.
    pub rank: usize,
}

/// The beam after a step.
#[derive(Debug, Clone, Serialize)]
pub struct BeamStep {
    /// The items, best first.
    pub items: Vec<BeamItem>,
    /// Number of cells if configurations shared none.
    pub places: usize,
    /// Number of cells.
    pub cells: usize,
    /// Number of successors of all items.
    pub successors: usize,
}

/// An item of a beam, or of the best gold derivation.
#[derive(Debug, Clone, Serialize)]
pub struct BeamItem {
    /// The rank, from 1; of the gold derivation the rank in the beam, if it is in there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The score of the derivation so far.
    pub score: i64,
    /// The rank of the item that this one succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The number of the last action; none at the start, and none if the item waited after its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<u16>,
    /// Point at which it was taken, in systems with several points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<u16>,
    /// True if this is a beginning of a gold derivation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gold: bool,
    /// True if the derivation is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// The nodes of each list, by its name, from left to right.
    #[serde(flatten)]
    pub lists: BTreeMap<&'static str, Vec<Node>>,
    /// The chain that holds the cells of each list: stacks from the top, others from the front.
    pub chains: Vec<Option<u32>>,
    /// All arcs so far by dependent, each a head, a dependent and the number of a label.
    pub arcs: Vec<(Node, Node, LabelId)>,
    /// Its successors, best first; not all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub successors: Vec<Successor>,
    /// Number of successors that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// By template, what it contributed to the score of the last action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<i32>,
    /// By template, what it read there, as numbers of [`Trace::values`]; only of the first ranks, the best path and gold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<u32>,
}

/// A successor of an item.
#[derive(Debug, Clone, Serialize)]
pub struct Successor {
    /// The number of the action; none is waiting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<u16>,
    /// Point at which it is taken, in systems with several points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<u16>,
    /// The score of the derivation with it.
    pub score: i64,
    /// Fate.
    #[serde(flatten)]
    pub fate: Fate,
    /// Cost by the oracle, a wrong label on a gold arc included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u32>,
    /// True if a gold derivation goes on with it; only for items that are gold themselves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub correct: bool,
}

/// Fate of a successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// It is in the next beam.
    Kept {
        /// At this rank.
        rank: usize,
    },
    /// It was dropped for another that made the same arcs in another order and is no worse.
    Twin {
        /// The rank of the other one.
        rank: usize,
    },
    /// Others score more.
    Pruned,
}

/// The gold derivations beside a beam.
#[derive(Debug, Clone, Serialize)]
pub struct GoldDerivations {
    /// Gold derivations: one, or all of least cost.
    pub oracle: &'static str,
    /// True if the system derives the gold tree with the labels that the model knows.
    pub derivable: bool,
    /// Cause of the output's error, if there is one.
    pub verdict: Verdict,
    /// The score of the best gold derivation when it and the beam are complete.
    pub score: i64,
    /// The score of the output when both are complete.
    pub output: i64,
    /// Step at which the last gold item fell off the beam.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fell_off: Option<FellOff>,
    /// The best gold derivation, by step.
    pub path: Vec<BeamItem>,
    /// After each step the scores of the beam's first item and of the best gold prefix, and whether gold is in the beam.
    /// The first entry belongs to step 1.
    pub margins: Vec<PrefixMargin>,
    /// The steps on which each strategy of updating compares prefixes, were the model trained on this sentence now; early
    /// update takes the step at which gold fell off.
    pub updates: BTreeMap<Update, usize>,
}

/// Step at which gold fell off.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FellOff {
    /// The first step without gold.
    pub step: usize,
    /// The rank that the best gold successor would have had.
    pub rank: usize,
    /// Score gap to the last item that was kept.
    pub gap: i64,
}

/// The scores of prefixes after a step.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PrefixMargin {
    /// The beam's first item.
    pub best: i64,
    /// The best gold prefix, in the beam or not.
    pub gold: i64,
    /// True if any item of the beam is gold.
    pub in_beam: bool,
}

/// A cell of a stack or buffer.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ListCell {
    /// The node.
    pub node: Node,
    /// Numbers of its left and right dependents, if the cell knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependents: Option<[u16; 2]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(super) fn is_zero(n: &usize) -> bool {
    *n == 0
}
