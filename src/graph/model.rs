//! Models of graph-based parsers and their files.

use serde::{Deserialize, Serialize};
use std::path::Path;

use super::{ArcLabels, ArcSide, Biaffine, BiaffineNetwork, GraphKind};
use crate::error::Result;
use crate::features::{ColumnName, Columns, Vocabulary, WordShape};
use crate::files::{FileKind, Section, Sections, damaged};
use crate::linear::{FrozenWeights, Weights as _};
use crate::model::{Calibration, LabelDecoding, Provenance, Size};
use crate::neural::score::UNIT;
use crate::tree::lift::Scheme;
use crate::tree::{LabelId, Labels, Roots};

/// The container of model files is that of transition systems; what the sections hold is their own.
const MODEL: FileKind =
    FileKind { magic: b"treegrph", version: 4, name: "model; expected a file written by `treebeam train`" };

/// Header of a model: its kind, settings and origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphHeader {
    /// The parser.
    pub system: GraphKind,
    /// Number of words that may hang on the root.
    pub roots: Roots,
    /// The column that features of words read.
    pub word_column: ColumnName,
    /// Word shape: the form of their column that features of words read.
    pub word_shape: WordShape,
    /// The column that features of tags read.
    pub tag_column: ColumnName,
    /// The labels, by number.
    pub labels: Vec<String>,
    /// The labels of the training trees' arcs, by side.
    pub arcs: Vec<(ArcSide, LabelId)>,
    /// Encoding of lifts in labels, to be undone after parsing, if there is one.
    pub lift: Option<Scheme>,
    /// Calibration of confidences; none if the model was not calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Calibration>,
    /// The layout of the network that scores arcs, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<BiaffineNetwork>,
    /// The options of training.
    pub training: serde_json::Value,
    /// Provenance of the model.
    pub provenance: Provenance,
}

impl AsMut<Provenance> for GraphHeader {
    fn as_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }
}

impl GraphHeader {
    /// The columns that features read.
    pub fn columns(&self) -> Columns {
        let columns = Columns::of_words_and_tags(self.word_column.into(), self.word_shape, self.tag_column.into());
        match &self.network {
            Some(network) => columns.with_inputs(&network.inputs),
            None => columns,
        }
    }

    /// The inventory of labels.
    pub fn inventory(&self) -> ArcLabels {
        ArcLabels::new(self.labels.len(), self.arcs.iter().copied())
    }

    /// Label decoding of parsed trees.
    pub fn label_decoding(&self) -> LabelDecoding {
        LabelDecoding::new(self.labels.iter().collect::<Labels>(), self.lift)
    }
}

/// A finished model: everything that parsing needs. Shared by all threads.
///
/// # Examples
/// ```
/// use treebeam::graph::{self, GraphData, GraphOptions, GraphParser};
/// use treebeam::prelude::*;
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 30, non_projective: true });
/// let options = GraphOptions { iterations: 2.into(), ..GraphOptions::default() };
/// let data = GraphData::new(&options, &train, None)?;
/// let mut run = graph::start(&options, &data, 1)?;
/// (0..2).try_for_each(|_| run.iterate(&mut |_| ()))?;
/// let model = run.model()?;
/// let parsed = GraphParser::new(&model, 1)?.parse(&train.sentences)?;
/// assert_eq!(parsed.len(), 30);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GraphModel {
    /// Header: kind, settings and origin of the model.
    pub header: GraphHeader,
    /// Label decoding of parsed trees.
    pub label_decoding: LabelDecoding,
    /// The columns that features read.
    pub columns: Columns,
    /// The inventory of labels.
    pub inventory: ArcLabels,
    /// Scorer of arcs.
    pub scorer: GraphScorer,
}

/// Scorer of arcs, or of greater parts of trees.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a model")]
pub enum GraphScorer {
    /// Weights of sparse features.
    Linear(FrozenWeights),
    /// A network.
    Biaffine(Biaffine),
}

impl From<FrozenWeights> for GraphScorer {
    fn from(weights: FrozenWeights) -> GraphScorer {
        GraphScorer::Linear(weights)
    }
}

impl From<Biaffine> for GraphScorer {
    fn from(network: Biaffine) -> GraphScorer {
        GraphScorer::Biaffine(network)
    }
}

impl GraphScorer {
    /// Size of the scorer.
    pub fn size(&self) -> Size {
        match self {
            GraphScorer::Linear(weights) => Size { features: weights.n_features(), weights: weights.n_weights() },
            GraphScorer::Biaffine(network) => network.size(),
        }
    }

    /// Scale of scores: the value of a score of 1.0.
    pub fn scale(&self) -> u32 {
        match self {
            GraphScorer::Linear(weights) => weights.scale(),
            GraphScorer::Biaffine(_) => UNIT as u32,
        }
    }

    /// The values that are known by number, if any are.
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        match self {
            GraphScorer::Linear(_) => None,
            GraphScorer::Biaffine(network) => Some(network.vocabulary()),
        }
    }
}

impl GraphModel {
    /// The model of this header and this scorer.
    pub fn new(header: GraphHeader, scorer: GraphScorer) -> GraphModel {
        let (label_decoding, columns, inventory) = (header.label_decoding(), header.columns(), header.inventory());
        GraphModel { header, label_decoding, columns, inventory, scorer }
    }

    /// True if `bytes` start as the model file of a graph-based parser does.
    pub fn is(bytes: &[u8]) -> bool {
        bytes.starts_with(MODEL.magic)
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        MODEL.pack(&self.sections())
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let mut sections = vec![Section::new("header", header)];
        sections.extend(match &self.scorer {
            GraphScorer::Linear(weights) => weights.sections(),
            GraphScorer::Biaffine(network) => network.sections(),
        });
        sections
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<GraphModel> {
        GraphModel::from_sections(&MODEL.unpack(bytes.to_vec(), path)?)
    }

    /// Maps a model file into memory, or reads it if it is packed or a pipe.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version.
    pub fn read(path: &Path) -> Result<GraphModel> {
        GraphModel::from_sections(&MODEL.read(path)?)
    }

    fn from_sections(sections: &Sections) -> Result<GraphModel> {
        let header: GraphHeader = sections.json("header")?;
        let width = width(&header, sections.path())?;
        if header.network.is_some() != header.system.is_biaffine() {
            return Err(sections.damaged(&format!("a model of {} with another kind of scorer", header.system)));
        }
        let scorer = match &header.network {
            Some(network) => {
                let (inventory, n_labels) = (header.inventory(), header.labels.len());
                GraphScorer::Biaffine(Biaffine::from_sections(sections, network.clone(), &inventory, n_labels)?)
            }
            None => GraphScorer::Linear(FrozenWeights::from_sections(sections, width)?),
        };
        Ok(GraphModel::new(header, scorer))
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        MODEL.write(&self.sections(), path)
    }
}

/// The width of scores, if the header's labels are sound.
fn width(header: &GraphHeader, path: &Path) -> Result<usize> {
    // Labels are numbers in trees, so there must be as many numbers as names.
    Labels::from_file(&header.labels).map_err(|found| damaged(path, &format!("the header has {found}")))?;
    if let Some((_, label)) = header.arcs.iter().find(|(_, label)| usize::from(*label) >= header.labels.len()) {
        return Err(damaged(path, &format!("an arc bears label {label}; expected one below {}", header.labels.len())));
    }
    Ok(header.inventory().width())
}
