//! Options, data and models of a training run of a transition-based parser, for every kind of parameters.

use std::path::Path;

use super::TrainOptions;
use super::data::TrainingData;
use crate::error::Result;
use crate::model::{Header, Model, Scoring, Size};
use crate::training::{Schedule, Setup};

/// Options and data of a training run.
#[derive(Debug, Clone, Copy)]
pub(super) struct TransitionSetup<'t> {
    pub options: &'t TrainOptions,
    pub data: &'t TrainingData,
}

impl TransitionSetup<'_> {
    /// Calibrates margins and writes the model.
    pub fn write_model<F: Scoring>(&self, mut model: Model<F>, path: &Path) -> Result<Size> {
        self.data.calibrate(&mut model);
        model.write(path)?;
        Ok(model.scorer.size())
    }
}

impl Setup for TransitionSetup<'_> {
    type Header = Header;

    fn schedule(&self) -> Schedule {
        self.options.schedule()
    }

    fn header(&self) -> &Header {
        self.data.header()
    }

    fn n_sentences(&self) -> usize {
        self.data.examples().len()
    }

    fn has_dev(&self) -> bool {
        self.data.has_dev()
    }
}
