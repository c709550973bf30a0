//! The header of a model: what it is, and all that is needed to train it again.

use serde::{Deserialize, Serialize};

use super::{Calibration, Network, ScoreGaps};
use crate::configuration::max_tagged_words;
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::features::{Clusters, ColumnName, Columns, Compiled, FeatureSet, WordShape};
use crate::scorer::{Decisions, Stages};
use crate::system::{Actions, Move, Roots, SystemKind};
use crate::tree::lift::Scheme;
use crate::tree::{LabelId, Labels};
use crate::treebank::{Column, Words, check_length};

/// The widest beam that a model may ask for, and that training may have: whoever parses can ask for a wider one.
pub(crate) const MAX_BEAM: usize = 1 << 12;

/// Header of a model: its kind, settings and origin.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { seed: 7, ..TrainOptions::default() };
/// let data = TrainingData::new(&options, &train, None)?;
/// // Enough to train the model again: the text of its features, its options, the checksum of its data.
/// let header: &Header = data.header();
/// assert_eq!(FeatureSet::parse(&header.features, "from the header", &header.feature_text)?.templates.len(), 72);
/// assert_eq!(header.training["seed"], 7);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The transition system.
    pub system: SystemKind,
    /// Number of words that may hang on the root.
    pub roots: Roots,
    /// The name of the feature set.
    pub features: String,
    /// The text of the feature set.
    pub feature_text: String,
    /// The names of the treebanks that it was trained on, in their order, if they had names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Clusters of words, if features read such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Clusters>,
    /// The column that word atoms read.
    pub word_column: ColumnName,
    /// Word shape: the form of their column that word atoms read.
    pub word_shape: WordShape,
    /// The column that tag atoms read.
    pub tag_column: ColumnName,
    /// The values of the column of tags in the training data, in order; empty if there are too many to keep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// The arcs of the training trees by move, label, and whether they come from the root.
    pub arcs: Vec<ArcLabel>,
    /// The label of words that no move attached and that hang on the root: the most frequent one of root arcs in training.
    #[serde(default)]
    pub root_label: LabelId,
    /// The default width to decode at.
    pub beam: usize,
    /// Calibration of pruning: quantiles of the largest score gap of winning derivations in beams, by width; empty if the
    /// model was not calibrated.
    #[serde(rename = "lags", default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<ScoreGaps>,
    /// Calibration of confidences; none if the model was not calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Calibration>,
    /// Encoding of lifts in labels, to be undone after parsing, if there is one.
    pub lift: Option<Scheme>,
    /// Joint or separate decisions on moves and labels.
    #[serde(default, skip_serializing_if = "Decisions::is_joint")]
    pub decisions: Decisions,
    /// The layout of the network that makes scores, if one does; the feature set is not read then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// The options of training.
    pub training: serde_json::Value,
    /// Provenance of the model.
    pub provenance: Provenance,
}

impl AsMut<Provenance> for Header {
    fn as_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }
}

/// A kind of arc that a move may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcLabel {
    /// The move.
    pub mv: Move,
    /// The label.
    pub label: LabelId,
    /// True if the head is the root.
    pub from_root: bool,
}

/// Provenance of a model. Paths are left out on purpose: two runs on the same data make the same bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// SHA-256 of the training data.
    pub train_sha256: String,
    /// Sentences trained on.
    pub train_sentences: usize,
    /// Words trained on; models of earlier versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_words: Option<usize>,
    /// SHA-256 of the development data, if there were any.
    pub dev_sha256: Option<String>,
    /// Correct heads and labels on the development data with the weights that were kept, over all words and full labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev_scores: Option<Counts>,
    /// SHA-256 of the model file that training went on from, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init_sha256: Option<String>,
    /// The word vectors that a network began with, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<VectorsOrigin>,
    /// The iteration whose weights these are, from 1.
    pub iteration: u32,
    /// The random generator.
    pub generator: String,
    /// Pruned weights, if any were left out after training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruned: Option<Pruned>,
    /// Notes by whoever trained the model.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notes: Notes,
}

/// Weights that were left out of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pruned {
    /// All that were nearer to 0 than this.
    pub below: f64,
    /// Number of weights.
    pub weights: usize,
    /// Number of bytes that the file is shorter by.
    pub bytes: u64,
    /// The labelled attachment score before and after, in per cent, if they were tried on a treebank, with the SHA-256 of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub las: Option<(f64, f64, String)>,
}

/// Word vectors that a network began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorsOrigin {
    /// SHA-256 of their file, unpacked.
    pub sha256: String,
    /// Number of words with vectors.
    pub words: usize,
    /// Number of different words of the training data.
    pub train_words: usize,
    /// Number of these that have a vector.
    pub covered: usize,
}

/// Notes that no program can derive: the origin of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    /// The licence of the model, as the data may demand it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Subject of the model, such as the treebank's name and version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Header {
    /// The labels and actions that the header describes.
    ///
    /// # Errors
    /// If the system has no such setting of roots, or there are too many labels.
    pub fn labels_and_actions(&self) -> Result<(Labels, Actions)> {
        self.system.check_roots(self.roots)?;
        let labels =
            Labels::from_file(&self.labels).map_err(|found| Error::Usage(format!("the header has {found}")))?;
        if !(1..=MAX_BEAM).contains(&self.beam) {
            let found = format!("the header has a beam of width {}; expected from 1 to {MAX_BEAM}", self.beam);
            return Err(Error::Usage(found));
        }
        let arcs = self.arcs.iter().map(|arc| (arc.mv, arc.label, arc.from_root));
        let actions = Actions::new(self.system.info().moves, labels.len(), arcs)?.with_root_label(self.root_label)?;
        Ok((labels, actions))
    }

    /// The feature set and the columns that it reads.
    ///
    /// # Errors
    /// If the feature set does not parse.
    pub fn feature_set(&self) -> Result<(FeatureSet, Columns)> {
        let set = FeatureSet::parse(&self.features, &format!("{}.feat", self.features), &self.feature_text)?;
        let (word, tag) = self.words_and_tags();
        let columns = Columns::of(&set, word, self.word_shape, tag).with_clusters(self.clusters.clone());
        let columns = columns.with_sources(&self.sources);
        let columns = if self.system.info().is_joint() { columns.with_tags(&self.labels) } else { columns };
        Ok((set, columns))
    }

    /// The columns of sentences that the scorer reads.
    ///
    /// # Errors
    /// If the feature set does not parse.
    pub fn columns(&self) -> Result<Columns> {
        match &self.network {
            Some(network) => {
                let (word, tag) = self.words_and_tags();
                let columns = Columns::of_words_and_tags(word, self.word_shape, tag).with_inputs(&network.inputs);
                Ok(columns.with_clusters(self.clusters.clone()).with_sources(&self.sources))
            }
            None => Ok(self.feature_set()?.1),
        }
    }

    /// The column that the model fills, if it is a tagger.
    pub fn target(&self) -> Option<Column> {
        self.system.info().tags.then(|| self.tag_column.into())
    }

    /// The column that the model fills beside the tree, if it tags and parses.
    pub fn joint_target(&self) -> Option<Column> {
        self.system.info().is_joint().then(|| self.tag_column.into())
    }

    /// The column of tags that the model fills, if it fills one: as a tagger, or beside the tree.
    pub fn tags_column(&self) -> Option<Column> {
        self.target().or(self.joint_target())
    }

    /// Refuses sentences that are too long for the system, or for its tags.
    ///
    /// # Errors
    /// If the sentence is.
    pub fn check_length(&self, sentence: &dyn Words) -> Result<()> {
        if self.joint_target().is_some() {
            let (n_labels, most) = (self.labels.len(), max_tagged_words(self.labels.len()));
            check_length(sentence, most, || {
                format!("at most {most} for joint tagging with {n_labels} tags and labels")
            })?;
        }
        self.system.check_length(sentence)
    }

    /// The columns of words and of tags. A tagger does not read the tags that it makes: words stand in their place.
    fn words_and_tags(&self) -> (Column, Column) {
        let word = self.word_column.into();
        (word, if self.target().is_some() { word } else { self.tag_column.into() })
    }

    /// The feature set made ready for extraction.
    ///
    /// # Errors
    /// If it does not parse or reads what the system has not, or what a tagger fills.
    pub fn compile(&self) -> Result<Compiled> {
        let (set, columns) = self.feature_set()?;
        let suffix = self.system.info().buffer_is_suffix;
        set.check(self.system.name(), suffix)?;
        if let Some(target) = self.target() {
            set.check_unread(target)?;
        }
        Ok(Compiled::new(&set, columns, suffix))
    }

    /// An option of training, if it was given or is written anyway.
    pub fn option<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.training.get(name).and_then(|value| serde_json::from_value(value.clone()).ok())
    }

    /// True if the beams that the model was trained with merge.
    pub fn merges(&self) -> bool {
        self.option("merge").unwrap_or(false)
    }

    /// The stages of decisions over `actions`.
    pub fn stages(&self, actions: &Actions) -> Stages {
        Stages::new(self.decisions, actions)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
