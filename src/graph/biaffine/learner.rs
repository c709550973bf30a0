//! Learner of a biaffine network: updates by gradients, and the finished parameters.

use std::sync::Arc;

use super::BiaffineNetwork;
use super::gradient::{GoldSentence, Learned, gradients};
use super::layout::BiaffineLayout;
use super::score::{BiaffineScoring, panels_of};
use super::tensors;
use crate::error::Result;
use crate::features::Vocabulary;
use crate::files::{Section, Sections};
use crate::graph::ArcLabels;
use crate::model::{Averaged, Size};
use crate::neural::kernel::Panels;
use crate::neural::noise::Noise;
use crate::neural::optimiser::{Optimiser, OptimiserRule};
use crate::neural::parameters::Parameters;

/// A network that is being trained.
#[derive(Debug, Clone)]
pub struct BiaffineLearner {
    layout: Arc<BiaffineLayout>,
    /// Dropout rate of units.
    dropout: f32,
    noise: Noise,
    pub(super) optimiser: Optimiser,
    /// Panels that follow from the current parameters.
    panels: Vec<Panels>,
}

impl BiaffineLearner {
    /// A network that begins with these parameters.
    pub fn new(
        layout: Arc<BiaffineLayout>,
        parameters: Parameters,
        rule: OptimiserRule,
        noise: Noise,
        dropout: f32,
    ) -> BiaffineLearner {
        let panels = panels_of(&layout.network, &parameters);
        BiaffineLearner { layout, dropout, noise, optimiser: Optimiser::new(rule, parameters), panels }
    }

    #[cfg(test)]
    pub(super) fn layout(&self) -> &BiaffineLayout {
        &self.layout
    }

    pub(super) fn scoring(&self) -> BiaffineScoring<'_> {
        let BiaffineLearner { layout, optimiser, panels, noise, dropout } = self;
        let (network, n_outputs) = (&layout.network, layout.n_outputs());
        BiaffineScoring {
            network,
            parameters: &optimiser.parameters,
            panels,
            n_outputs,
            noise: Some((noise, *dropout)),
        }
    }

    /// Learns from a mini-batch; the number of sentences of which a word's best head, or the best label of its arc, was wrong.
    pub fn learn(&mut self, batch: &[GoldSentence]) -> u64 {
        let Learned { gradients, n_wrong, .. } = gradients(self.scoring(), &self.layout.masks, batch);
        self.optimiser.learn(gradients, &self.layout.network.dimensions);
        self.refresh();
        n_wrong
    }

    /// Parameters have changed.
    fn refresh(&mut self) {
        self.panels = panels_of(&self.layout.network, &self.optimiser.parameters);
        self.noise.step = self.optimiser.step;
    }
}

impl Averaged for BiaffineLearner {
    type Finished = Biaffine;

    fn n_features(&self) -> usize {
        self.layout.vocabulary.n_values()
    }

    fn end_pass(&mut self) {
        self.optimiser.end_pass();
    }

    fn has_diverged(&self) -> bool {
        self.optimiser.has_diverged
    }

    fn is_dead(&self) -> bool {
        self.optimiser.is_dead
    }

    fn rate(&self) -> Option<(f64, u64)> {
        Some(self.optimiser.rate())
    }

    /// # Panics
    /// If there are several: networks cannot be added up.
    fn finish(replicas: &[&BiaffineLearner]) -> Biaffine {
        assert_eq!(replicas.len(), 1, "networks cannot be added up");
        Biaffine::new(Arc::clone(&replicas[0].layout), replicas[0].optimiser.average.clone())
    }

    fn save(&self) -> Vec<Section<'_>> {
        self.optimiser.sections()
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        self.optimiser.load(sections)?;
        self.refresh();
        Ok(())
    }

    fn save_finished(finished: &Biaffine) -> Vec<Section<'_>> {
        finished.inner.parameters.sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<Biaffine> {
        Ok(Biaffine::new(Arc::clone(&self.layout), self.optimiser.parameters.read_alike(sections)?))
    }
}

/// A finished network. Clones share it.
#[derive(Debug, Clone)]
pub struct Biaffine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    layout: Arc<BiaffineLayout>,
    parameters: Parameters,
    panels: Vec<Panels>,
}

impl Biaffine {
    fn new(layout: Arc<BiaffineLayout>, parameters: Parameters) -> Biaffine {
        let panels = panels_of(&layout.network, &parameters);
        Biaffine { inner: Arc::new(Inner { layout, parameters, panels }) }
    }

    pub(super) fn layout(&self) -> &BiaffineLayout {
        &self.inner.layout
    }

    pub(super) fn scoring(&self) -> BiaffineScoring<'_> {
        let Inner { layout, parameters, panels } = &*self.inner;
        BiaffineScoring { network: &layout.network, parameters, panels, n_outputs: layout.n_outputs(), noise: None }
    }

    /// The values that it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.layout.vocabulary
    }

    /// Size of the network: values that have embeddings, and numbers.
    pub fn size(&self) -> Size {
        Size { features: self.vocabulary().n_values(), weights: self.inner.parameters.count() }
    }

    /// The sections of a model file, besides the header.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = self.vocabulary().sections();
        sections.extend(self.inner.parameters.sections());
        sections
    }

    /// The network of this description that stands in `sections`, for labels of this inventory.
    ///
    /// # Errors
    /// If the sections do not hold one that fits.
    pub fn from_sections(
        sections: &Sections,
        network: BiaffineNetwork,
        inventory: &ArcLabels,
        n_labels: usize,
    ) -> Result<Biaffine> {
        network.check().map_err(|error| sections.damaged(&error.to_string()))?;
        let vocabulary = Vocabulary::from_sections(sections)?;
        let layout = BiaffineLayout::new(network, vocabulary, inventory, n_labels);
        let parameters = tensors::read(sections, &layout)?;
        Ok(Biaffine::new(Arc::new(layout), parameters))
    }
}
