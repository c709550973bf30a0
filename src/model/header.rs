//! The header of a model: what it is, and all that is needed to train it again.

use serde::{Deserialize, Serialize};

use super::{Decisions, Layer};
use crate::features::{ColumnName, WordShape};
use crate::system::{Move, Roots, SystemKind};
use crate::tree::LabelId;
use crate::tree::lift::Scheme;

/// What a model is and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The transition system.
    pub system: SystemKind,
    /// How many words may hang on the root.
    pub roots: Roots,
    /// The name of the feature set.
    pub features: String,
    /// The text of the feature set.
    pub feature_text: String,
    /// The column that word atoms read.
    pub word_column: ColumnName,
    /// What word atoms make of their column.
    pub word_shape: WordShape,
    /// The column that tag atoms read.
    pub tag_column: ColumnName,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// The arcs of the training trees by move, label, and whether they come from the root.
    pub arcs: Vec<ArcLabel>,
    /// The label of words that no move attached and that hang on the root: the most frequent one of root arcs in training.
    #[serde(default)]
    pub root_label: LabelId,
    /// The width to decode at unless told otherwise.
    pub beam: usize,
    /// How labels encode lifts that are to be undone after parsing, if they do.
    pub lift: Option<Scheme>,
    /// Whether moves and labels are decided on together.
    #[serde(default, skip_serializing_if = "Decisions::is_joint")]
    pub decisions: Decisions,
    /// Hidden layers, if there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// The options of training.
    pub training: serde_json::Value,
    /// Where the model comes from.
    pub provenance: Provenance,
}

/// A kind of arc that a move may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcLabel {
    /// The move.
    pub mv: Move,
    /// The label.
    pub label: LabelId,
    /// Whether the head is the root.
    pub from_root: bool,
}

/// Where a model comes from. Paths are left out on purpose: two runs on the same data make the same bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// SHA-256 of the training data.
    pub train_sha256: String,
    /// Sentences trained on.
    pub train_sentences: usize,
    /// SHA-256 of the development data, if there were any.
    pub dev_sha256: Option<String>,
    /// The iteration whose weights these are, from 1.
    pub iteration: u32,
    /// The random generator.
    pub generator: String,
}
