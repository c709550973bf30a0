//! All scratch memory of decoding one sentence after another.

use bumpalo::Bump;

use super::memo::Identities;
use super::{Scorer, Selection};
use crate::configuration::LabelSets;
use crate::features::Input;

/// Scratch memory, owned by the caller and used for any number of sentences; one per thread.
#[derive(Debug)]
pub struct Workspace {
    /// Configurations, cells and beam items of the sentence at hand.
    pub bump: Bump,
    /// The label sets met so far.
    pub label_sets: LabelSets,
    /// Memoised scores.
    pub scorer: Scorer,
    /// What features read of the sentence at hand.
    pub input: Input,
    /// The candidates of a step.
    pub selection: Selection,
    /// Which vectors a step's scores are the sums of, by item and point.
    pub terms: Vec<u32>,
    /// The identities of a step's configurations.
    pub distinct: Identities,
}

/// The scratch memory of a [`Workspace`] without what configurations live in.
#[derive(Debug)]
pub struct Scratch<'w> {
    /// The label sets met so far.
    pub label_sets: &'w LabelSets,
    /// Memoised scores.
    pub scorer: &'w mut Scorer,
    /// What features read of the sentence at hand.
    pub input: &'w Input,
    /// The candidates of a step.
    pub selection: &'w mut Selection,
    /// Which vectors a step's scores are the sums of, by item and point.
    pub terms: &'w mut Vec<u32>,
    /// The identities of a step's configurations.
    pub distinct: &'w mut Identities,
}

impl Workspace {
    /// What configurations live in, and the rest.
    pub fn parts(&mut self) -> (&Bump, Scratch<'_>) {
        let Workspace { bump, label_sets, scorer, input, selection, terms, distinct } = self;
        (bump, Scratch { label_sets, scorer, input, selection, terms, distinct })
    }

    /// Scratch memory for a model of `n_labels` labels.
    pub fn new(n_labels: usize) -> Workspace {
        Workspace {
            bump: Bump::new(),
            label_sets: LabelSets::new(n_labels),
            scorer: Scorer::default(),
            input: Input::default(),
            selection: Selection::default(),
            terms: Vec::new(),
            distinct: Identities::default(),
        }
    }

    /// Forgets the last sentence but for its input, and prepares for vectors of `width` lanes.
    pub fn start(&mut self, width: usize) {
        let cleared = self.label_sets.clear_if_full();
        self.scorer.start(width, cleared);
        self.bump.reset();
    }
}
