//! Learner of a biaffine network: updates by gradients, and the finished parameters.

use std::sync::Arc;

use super::gradient::{Example, gradients};
use super::score::{Scoring, panels_of};
use super::tensors::{N_TENSORS, Sizes, Tensors};
use super::{super::ArcLabels, BiaffineNetwork};
use crate::error::Result;
use crate::features::N_COLUMNS;
use crate::features::Vocabulary;
use crate::files::{Section, Sections};
use crate::graph::GraphHeader;
use crate::model::{Averaged, Size};
use crate::neural::kernel::Panels;
use crate::neural::noise::Noise;
use crate::neural::optimiser::{LONGEST, Rule, Step, average};
use crate::system::FORBIDDEN;

/// Layout of a network: all that its parameters do not change.
#[derive(Debug)]
pub struct Layout {
    /// The network as headers describe it.
    pub network: BiaffineNetwork,
    /// The values that are known.
    pub vocabulary: Vocabulary,
    /// The sizes of tensors.
    pub sizes: Sizes,
    /// By side: 0 in the lanes of labels that arcs from there may bear.
    pub masks: [Vec<i32>; 3],
}

impl Layout {
    /// The layout for this network, vocabulary and inventory of labels.
    pub fn new(network: BiaffineNetwork, vocabulary: Vocabulary, inventory: &ArcLabels, n_labels: usize) -> Layout {
        let sizes = Sizes::new(&vocabulary, n_labels);
        let mask = |side| {
            let mut mask = vec![FORBIDDEN; sizes.lanes];
            inventory.permitted(side).for_each(|label| mask[label as usize] = 0);
            mask
        };
        let masks = [super::super::Side::Root, super::super::Side::Left, super::super::Side::Right].map(mask);
        Layout { network, vocabulary, sizes, masks }
    }
}

/// A network that is being trained.
#[derive(Debug, Clone)]
pub struct Learner {
    layout: Arc<Layout>,
    rule: Rule,
    /// Dropout rate of units.
    dropout: f32,
    noise: Noise,
    step: u64,
    pub(super) tensors: Tensors,
    first: Tensors,
    second: Tensors,
    average: Tensors,
    /// Panels that follow from the current tensors.
    panels: Vec<Panels>,
    has_diverged: bool,
}

impl Learner {
    /// A network that begins with these tensors.
    pub fn new(layout: Arc<Layout>, tensors: Tensors, rule: Rule, noise: Noise, dropout: f32) -> Learner {
        let zeros = Tensors::zeros(&layout.network, &layout.sizes);
        let panels = panels_of(&layout.network, &tensors);
        let (first, second, average) = (zeros.clone(), zeros, tensors.clone());
        Learner { layout, rule, dropout, noise, step: 0, tensors, first, second, average, panels, has_diverged: false }
    }

    #[cfg(test)]
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn scoring(&self) -> Scoring<'_> {
        let Learner { layout, tensors, panels, noise, dropout, .. } = self;
        let (network, lanes) = (&layout.network, layout.sizes.lanes);
        Scoring { network, tensors, panels, lanes, noise: Some((noise, *dropout)) }
    }

    /// Learns from a mini-batch; the number of sentences of which a word's best head, or the best label of its arc, was wrong.
    pub fn learn(&mut self, batch: &[Example]) -> u64 {
        let mut gradients = gradients(self.scoring(), &self.layout.masks, batch);
        gradients.clip(LONGEST);
        self.step += 1;
        let step = Step::new(&self.rule, self.step);
        for number in 0..N_TENSORS {
            let moments = (&mut self.first.0[number][..], &mut self.second.0[number][..]);
            let rows =
                (number < N_COLUMNS).then(|| (&gradients.rows[number][..], self.layout.network.dimensions[number]));
            step.take(&mut self.tensors.0[number], moments, &gradients.tensors[number], rows);
        }
        for (kept, now) in self.average.0.iter_mut().zip(&self.tensors.0) {
            average(kept, now, self.step);
        }
        self.refresh();
        gradients.n_wrong
    }

    /// The tensors have changed.
    fn refresh(&mut self) {
        self.panels = panels_of(&self.layout.network, &self.tensors);
        self.noise.step = self.step;
    }
}

impl Averaged for Learner {
    type Finished = Biaffine;

    fn n_features(&self) -> usize {
        self.layout.sizes.values.iter().sum()
    }

    fn end_sentence(&mut self) {}

    fn end_pass(&mut self) {
        self.has_diverged = !self.tensors.are_finite() || !self.average.are_finite();
    }

    fn has_diverged(&self) -> bool {
        self.has_diverged
    }

    /// A moving average forgets by itself.
    fn restart_average(&mut self) {}

    /// # Panics
    /// If there are several: networks cannot be added up.
    fn finish(replicas: &[&Learner]) -> Biaffine {
        assert_eq!(replicas.len(), 1, "networks cannot be added up");
        Biaffine::new(Arc::clone(&replicas[0].layout), replicas[0].average.clone())
    }

    fn save(&self) -> Vec<Section<'_>> {
        let mut sections = vec![Section::new("step", self.step.to_le_bytes().to_vec())];
        let all =
            [("now", &self.tensors), ("first", &self.first), ("second", &self.second), ("average", &self.average)];
        for (name, tensors) in all {
            sections.extend(tensors.sections().into_iter().map(|section| section.under(name)));
        }
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let step = sections.get("step")?.try_into();
        self.step = u64::from_le_bytes(step.map_err(|_| sections.damaged("the number of steps is none"))?);
        let of = |name| Tensors::from_sections(&sections.under(name), &self.layout.network, &self.layout.sizes);
        (self.tensors, self.first) = (of("now")?, of("first")?);
        (self.second, self.average) = (of("second")?, of("average")?);
        self.refresh();
        self.has_diverged = false;
        Ok(())
    }

    fn save_finished(finished: &Biaffine) -> Vec<Section<'_>> {
        finished.inner.tensors.sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<Biaffine> {
        let tensors = Tensors::from_sections(sections, &self.layout.network, &self.layout.sizes)?;
        Ok(Biaffine::new(Arc::clone(&self.layout), tensors))
    }
}

/// A finished network. Clones share it.
#[derive(Debug, Clone)]
pub struct Biaffine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    layout: Arc<Layout>,
    tensors: Tensors,
    panels: Vec<Panels>,
}

impl Biaffine {
    fn new(layout: Arc<Layout>, tensors: Tensors) -> Biaffine {
        let panels = panels_of(&layout.network, &tensors);
        Biaffine { inner: Arc::new(Inner { layout, tensors, panels }) }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    pub(super) fn scoring(&self) -> Scoring<'_> {
        let Inner { layout, tensors, panels } = &*self.inner;
        Scoring { network: &layout.network, tensors, panels, lanes: layout.sizes.lanes, noise: None }
    }

    /// The values that it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.layout.vocabulary
    }

    /// Size of the network: values that have embeddings, and numbers.
    pub fn size(&self) -> Size {
        Size { features: self.inner.layout.sizes.values.iter().sum(), weights: self.inner.tensors.count() }
    }

    /// The sections of a model file, besides the header.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let values = |column| {
            let values = bytemuck::cast_slice::<u64, u8>(&self.vocabulary().values(column)).to_vec();
            Section::new(format!("values-{column}"), values)
        };
        let mut sections: Vec<Section> = (0..N_COLUMNS).map(values).collect();
        sections.extend(self.inner.tensors.sections());
        sections
    }

    /// The network that stands in `sections`, of a model with this header.
    ///
    /// # Errors
    /// If the sections do not hold one that fits.
    pub fn from_sections(sections: &Sections, header: &GraphHeader) -> Result<Biaffine> {
        let network = header.network.clone().ok_or_else(|| sections.damaged("the header has no network"))?;
        network.check().map_err(|error| sections.damaged(&error.to_string()))?;
        let values = |column| Ok(sections.numbers::<u64>(&format!("values-{column}"))?.to_vec());
        let values = (0..N_COLUMNS).map(values).collect::<Result<Vec<Vec<u64>>>>()?;
        let vocabulary = Vocabulary::from_values(values.iter().map(|values| &values[..]))
            .ok_or_else(|| sections.damaged("a value comes twice in the vocabulary"))?;
        let layout = Layout::new(network, vocabulary, &header.inventory(), header.labels.len());
        let tensors = Tensors::from_sections(sections, &layout.network, &layout.sizes)?;
        Ok(Biaffine::new(Arc::new(layout), tensors))
    }
}
