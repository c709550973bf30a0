//! The finished linear scorer.

use std::sync::Arc;

use super::{FrozenWeights, HiddenLayer, LinearScorer, OutputLayer, Precision, Weights as _};
use crate::error::Result;
use crate::features::{Columns, Compiled};
use crate::files::{Section, Sections};
use crate::model::{Frozen, Header, Model, Scoring, Size};
use crate::scorer::Scorer;
use crate::system::Actions;

/// The model of a transition-based parser with sparse features.
pub type LinearModel = Model<Linear>;

/// Sparse features with their weights, and what makes scores of the sums.
#[derive(Debug, Clone)]
pub struct Linear {
    features: Arc<Compiled>,
    weights: FrozenWeights,
    output: OutputLayer,
}

impl Linear {
    /// The scorer of these features and weights, of whose sums `output` makes scores.
    ///
    /// # Panics
    /// If the weights are not as wide as the output layer says.
    pub fn new(features: Arc<Compiled>, weights: FrozenWeights, output: OutputLayer) -> Linear {
        assert_eq!(weights.width(), output.n_sums(), "sums are as wide as rows of weights");
        Linear { features, weights, output }
    }

    /// Scorer of the model.
    #[inline]
    pub fn linear_scorer(&self) -> LinearScorer<'_, FrozenWeights> {
        LinearScorer::with_output(&self.features, &self.weights, &self.output)
    }

    /// The compiled features.
    pub fn features(&self) -> &Compiled {
        &self.features
    }

    /// The weights.
    pub fn weights(&self) -> &FrozenWeights {
        &self.weights
    }

    /// Output layer: turns sums of weights into scores.
    pub fn output(&self) -> &OutputLayer {
        &self.output
    }

    /// The precision of its weights.
    pub fn precision(&self) -> Precision {
        self.weights.precision()
    }

    /// The same with weights of another precision.
    #[must_use]
    pub fn quantise(self, precision: Precision) -> Linear {
        if precision == self.precision() {
            return self;
        }
        Linear { weights: self.weights.quantise(precision), ..self }
    }

    /// The same without weights that are nearer to 0 than `least`.
    #[must_use]
    pub fn prune(self, least: f64) -> Linear {
        Linear { weights: self.weights.prune(least), ..self }
    }

    /// The same with its features in a table that is nearly full.
    #[must_use]
    pub fn pack(self) -> Linear {
        Linear { weights: self.weights.pack(), ..self }
    }
}

impl Scoring for Linear {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self.linear_scorer())
    }
}

impl Frozen for Linear {
    const KIND: &'static str = "linear";

    fn columns(&self) -> &Columns {
        self.features.columns()
    }

    fn scale(&self) -> u32 {
        self.weights.scale()
    }

    fn size(&self) -> Size {
        Size { features: self.weights.n_features(), weights: self.weights.n_weights() }
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = self.weights.sections();
        sections.extend(self.output.sections());
        sections
    }

    fn from_sections(sections: &Sections, header: &Header, actions: &Actions) -> Result<Linear> {
        let features = header.compile().map_err(|error| sections.damaged(&error.to_string()))?;
        let output = OutputLayer::from_sections(sections, header.stages(actions))?;
        let weights = FrozenWeights::from_sections(sections, output.n_sums())?;
        Ok(Linear::new(Arc::new(features), weights, output))
    }
}

impl OutputLayer {
    /// The hidden layers, if there are any, as sections of a model file.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let of_layer = |(number, layer): (usize, &'_ HiddenLayer)| {
            let places = [layer.first_unit as u64, layer.first_output as u64];
            let numbers = bytemuck::cast_slice::<u64, u8>(&places).to_vec();
            let [biases, output_weights] =
                [&layer.biases, &layer.output_weights].map(|weights| bytemuck::cast_slice(weights).to_vec());
            let section = |name: &str, bytes: Vec<u8>| Section::new(format!("layer-{number}/{name}"), bytes);
            [section("places", numbers), section("biases", biases), section("outputs", output_weights)]
        };
        self.layers().iter().enumerate().flat_map(of_layer).collect()
    }

    /// The output layer for `stages` with the hidden layers that stand in `sections`, if any do.
    ///
    /// # Errors
    /// If they do not fit the stages.
    pub fn from_sections(sections: &Sections, stages: crate::scorer::Stages) -> Result<OutputLayer> {
        let mut layers = Vec::new();
        loop {
            let of_layer = sections.under(&format!("layer-{}", layers.len()));
            if of_layer.is_empty() {
                break;
            }
            let &[first_unit, first_output] = &of_layer.numbers::<u64>("places")?[..] else {
                return Err(sections.damaged("a hidden layer does not say where it stands"));
            };
            let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let [biases, output_weights] =
                ["biases", "outputs"].map(|name| of_layer.numbers::<f32>(name).map(|w| w.to_vec()));
            layers.push(HiddenLayer {
                first_unit: place(first_unit),
                biases: biases?,
                first_output: place(first_output),
                output_weights: output_weights?,
            });
        }
        OutputLayer::new(stages, &layers)
            .ok_or_else(|| sections.damaged("the hidden layers do not fit the actions; the file is damaged"))
    }
}
