//! Weights of a finished linear model that training goes on from.

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Learner;
use crate::error::{Error, Result};
use crate::files::{hex, read_whole};
use crate::linear::{IntegerWeights, LinearModel};
use crate::model::{Header, Model};
use crate::system::ActionId;
use crate::tree::Labels;

/// The model that `--init` names, and where its weights go in the model to come.
#[derive(Debug)]
pub struct LinearStart {
    path: String,
    sha256: String,
    model: LinearModel,
    /// By action of this model, the action of the model to come, if there is one still.
    actions: Vec<Option<ActionId>>,
    width: usize,
}

impl LinearStart {
    /// Reads the model.
    ///
    /// # Errors
    /// If there is none, or it is another one than a perceptron's.
    pub fn read(path: &str) -> Result<LinearStart> {
        let bytes = read_whole(Path::new(path))?;
        let sha256 = hex(&Sha256::digest(&bytes));
        let model: LinearModel = Model::from_bytes(&bytes, Path::new(path))?;
        let learner: Learner = model.header.option("learner").unwrap_or(Learner::Perceptron);
        if learner != Learner::Perceptron || !model.scorer.output().layers().is_empty() {
            let learner = learner.name();
            return Err(Error::Usage(format!(
                "--init {path}: the weights of --learner {learner}; expected those of --learner perceptron, or of a network"
            )));
        }
        Ok(LinearStart { path: path.to_owned(), sha256, model, actions: Vec::new(), width: 0 })
    }

    /// The labels that keep their numbers; new ones follow.
    ///
    /// # Errors
    /// If the model does not have them.
    pub fn labels(&self) -> Result<Labels> {
        Ok(self.model.header.labels_and_actions()?.0)
    }

    /// Adds what this model knows to the header of the model to come.
    ///
    /// # Errors
    /// If the options ask for another system, other features or another kind of decisions.
    pub fn lay_out(&mut self, header: &mut Header) -> Result<()> {
        let (path, of) = (&self.path, &self.model.header);
        let other_columns = (of.word_column, of.tag_column, of.word_shape)
            != (header.word_column, header.tag_column, header.word_shape);
        let differs = [
            (of.system != header.system, "transition system"),
            (of.roots != header.roots, "number of roots"),
            (of.feature_text != header.feature_text, "set of features"),
            (of.clusters != header.clusters, "choice of clusters"),
            (other_columns, "choice of columns"),
            (of.lift != header.lift, "encoding of lifted arcs"),
            (of.decisions != header.decisions, "kind of decisions"),
        ];
        if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
            return Err(Error::Usage(format!("--init {path}: the model has another {what}; expected the same")));
        }
        let of_both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect::<BTreeSet<String>>();
        // Without tags there were too many to keep.
        header.tags = match of.tags.is_empty() {
            true => Vec::new(),
            false => of_both(&of.tags, &header.tags).into_iter().collect(),
        };
        header.arcs = of.arcs.iter().chain(&header.arcs).copied().collect::<BTreeSet<_>>().into_iter().collect();
        header.provenance.init_sha256 = Some(self.sha256.clone());
        let (old, new) = (of.labels_and_actions()?.1, header.labels_and_actions()?.1);
        if old != new && header.compile()?.reads().history {
            return Err(Error::Usage(format!(
                "--init {path}: new labels, and features that read the last actions, whose numbers change with labels; expected \
                 features without A1, A2, ..., or training data without new labels"
            )));
        }
        self.actions = old.all().iter().map(|action| new.id(action.mv, action.label)).collect();
        self.width = new.width();
        Ok(())
    }

    /// The weights that a replica begins with.
    pub fn weights(&self) -> IntegerWeights {
        let header = &self.model.header;
        let replicas = header.option::<u32>("replicas").unwrap_or(1);
        let provenance = &header.provenance;
        let n_sentences = provenance.train_sentences as u64 * u64::from(provenance.iteration);
        let action = |old: ActionId| self.actions.get(usize::from(old)).copied().flatten();
        IntegerWeights::from_finished(self.model.scorer.weights(), (replicas, n_sentences), self.width, action)
    }
}
