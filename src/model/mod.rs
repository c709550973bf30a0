//! A finished model: its header, its labels and actions, and a scorer, of whichever kind; and what a kind of scorer must be
//! able to do to be kept in a file ([`Frozen`]) and to be trained ([`Trainable`]).
//!
//! | file | content |
//! |---|---|
//! | `calibration` | calibration of pruning, by score gaps of winners in beams, and of confidences |
//! | `header` | what a model is and all that is needed to train it again |
//! | `file` | the model file |
//! | `network` | what a network looks like |
//! | `label_decoding` | from decoded trees to the trees that users get |
//! | `frozen`, `trainable` | what a kind of scorer offers besides scores |

mod calibration;
mod file;
mod frozen;
mod header;
mod label_decoding;
mod model_ref;
mod network;
mod trainable;

pub use calibration::{Calibration, Marginals, ScoreGaps};
pub use frozen::{Frozen, Scoring, Size};
pub(crate) use header::MAX_BEAM;
pub use header::{ArcLabel, Header, Notes, Provenance, Pruned, VectorsOrigin};
pub use label_decoding::LabelDecoding;
pub(crate) use model_ref::ModelRef;
pub use network::{Activation, Layers, Lstm, Network, ScorerKind};
pub use trainable::{Averaged, DroppedFeatures, Seen, Trainable, best_permitted};

use crate::error::Result;
use crate::features::Input;
use crate::system::{Actions, SystemKind};
use crate::tree::Labels;
use crate::treebank::Words;

/// A finished model: everything that parsing needs. Shared by all threads.
///
/// # Examples
/// ```
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 1.into(), ..TrainOptions::default() };
/// let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("small.model");
/// model.write(&path)?;
/// // Mapped into memory, so that many processes share one copy.
/// let again = LinearModel::read_file(&path)?;
/// assert_eq!((again.system(), &again.header), (treebeam_systems::ARC_EAGER, &model.header));
/// assert!(again.labels().get("nsubj").is_some());
/// // A file that was cut is refused.
/// std::fs::write(&path, &model.to_bytes()[..1000]).unwrap();
/// assert!(LinearModel::read_file(&path).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model<F> {
    /// Header: kind, settings and origin of the model.
    pub header: Header,
    /// Label decoding of parsed trees.
    pub label_decoding: LabelDecoding,
    /// The actions.
    pub actions: Actions,
    /// Scorer of the model.
    pub scorer: F,
}

impl<F: Frozen> Model<F> {
    /// The model of this header and this scorer.
    ///
    /// # Errors
    /// If the header contradicts itself.
    pub fn new(header: Header, scorer: F) -> Result<Model<F>> {
        let labels_and_actions = header.labels_and_actions()?;
        Ok(Model::of(header, labels_and_actions, scorer))
    }

    /// The same with what the header says of labels and actions.
    fn of(header: Header, (labels, actions): (Labels, Actions), scorer: F) -> Model<F> {
        let label_decoding = LabelDecoding::new(labels, header.lift);
        Model { header, label_decoding, actions, scorer }
    }

    /// The labels of the trees that it gives.
    pub fn labels(&self) -> &Labels {
        self.label_decoding.labels()
    }

    /// The transition system's name.
    pub fn system(&self) -> SystemKind {
        self.header.system
    }

    /// Replaces `input` by what the scorer reads of `sentence`, keeping the memory.
    pub fn read(&self, sentence: &dyn Words, input: &mut Input) {
        input.read(self.scorer.columns(), self.scorer.vocabulary(), sentence);
    }
}
