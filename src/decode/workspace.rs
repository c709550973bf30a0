//! All scratch memory of decoding one sentence after another.

use bumpalo::Bump;

use super::interned::InternedBeam;
use super::{Identities, Selection};
use crate::configuration::LabelSets;
use crate::features::Input;
use crate::scorer::Context;
use crate::system::Actions;

/// Scratch memory, owned by the caller and used for any number of sentences; one per thread. `M` is that of the scorer.
#[derive(Debug)]
pub struct Workspace<M> {
    /// Configurations, cells and beam items of the sentence at hand.
    pub bump: Bump,
    /// The label sets met so far.
    pub label_sets: LabelSets,
    /// Memory of the scorer for the current sentence.
    pub memory: M,
    /// Input of scorers for the current sentence.
    pub input: Input,
    /// The candidates of a step.
    pub selection: Selection,
    /// The identities of a step's configurations.
    pub distinct: Identities,
    /// Beams of interned side states.
    pub interned: InternedBeam,
    /// Number of configurations that decoding has scored, over all sentences.
    pub n_scored: u64,
}

/// The scratch memory of a [`Workspace`] without what configurations live in.
#[derive(Debug)]
pub struct Scratch<'w, M> {
    /// Memory of the scorer for the current sentence.
    pub memory: &'w mut M,
    /// The candidates of a step.
    pub selection: &'w mut Selection,
    /// The identities of a step's configurations.
    pub distinct: &'w mut Identities,
}

impl<M: Default> Workspace<M> {
    /// Scratch memory for a model of `n_labels` labels.
    pub fn new(n_labels: usize) -> Workspace<M> {
        Workspace {
            bump: Bump::new(),
            label_sets: LabelSets::new(n_labels),
            memory: M::default(),
            input: Input::default(),
            selection: Selection::default(),
            distinct: Identities::default(),
            interned: InternedBeam::default(),
            n_scored: 0,
        }
    }

    /// Parts of the workspace: memory of configurations, context of scorers, and the rest.
    pub fn parts<'w>(&'w mut self, actions: &'w Actions) -> (&'w Bump, Context<'w>, Scratch<'w, M>) {
        let Workspace { bump, label_sets, memory, input, selection, distinct, .. } = self;
        (bump, Context { input, label_sets, actions }, Scratch { memory, selection, distinct })
    }

    /// Forgets the last sentence but for its input. The scorer must [begin](crate::scorer::Scorer::begin) anew.
    pub fn start(&mut self) {
        self.label_sets.clear_if_full();
        self.label_sets.trees().stop();
        self.bump.reset();
    }
}
