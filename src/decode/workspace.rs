//! All scratch memory of decoding one sentence after another.

use bumpalo::Bump;

use super::Machine;
use super::step::{Buffers, Stepper};
use crate::configuration::{Arena, Interner, Reads};
use crate::features::Input;
use crate::scorer::{Context, Opaque, Scorer};
use crate::system::{Actions, TransitionSystem};

/// Scratch memory, owned by the caller and used for any number of sentences; one per thread.
#[derive(Debug)]
pub struct Workspace {
    /// Configurations, cells and beam items of the sentence at hand.
    pub bump: Bump,
    /// Partial trees of the sentence, and the label sets met so far.
    pub interner: Interner,
    /// Memory of the scorer for the current sentence.
    pub memory: Opaque,
    /// Input of scorers for the current sentence.
    pub input: Input,
    /// Memory of the steps of beams.
    pub buffers: Buffers,
    /// Number of configurations that decoding has scored, over all sentences.
    pub n_scored: u64,
    /// Bytes of `bump` that the beam of a sentence uses at least before what it reaches no more is freed; 24 MiB at first.
    pub room: usize,
}

/// The scratch memory of a [`Workspace`] without what configurations live in.
#[derive(Debug)]
pub struct Scratch<'w> {
    /// Memory of the scorer for the current sentence.
    pub memory: &'w mut Opaque,
    /// Memory of the steps of beams.
    pub buffers: &'w mut Buffers,
    /// Number of configurations that decoding has scored.
    pub n_scored: &'w mut u64,
}

impl Workspace {
    /// Scratch memory for a model of `n_labels` labels.
    pub fn new(n_labels: usize) -> Workspace {
        Workspace {
            bump: Bump::new(),
            interner: Interner::new(n_labels),
            memory: Opaque::default(),
            input: Input::default(),
            buffers: Buffers::default(),
            n_scored: 0,
            room: 24 << 20,
        }
    }

    /// Forgets the last sentence but for its input, and prepares for one of which this is read.
    pub fn start(&mut self, reads: &Reads) {
        self.bump.reset();
        self.interner.start(reads);
    }

    /// Parts of the workspace: memory of configurations, context of scorers, and the rest.
    pub fn parts<'w>(&'w mut self, actions: &'w Actions) -> (Arena<'w>, Context<'w>, Scratch<'w>) {
        let Workspace { bump, interner, memory, input, buffers, n_scored, room: _ } = self;
        (Arena::new(bump, interner), Context { input, interner, actions }, Scratch { memory, buffers, n_scored })
    }

    /// The same after `scorer` has begun with the sentence in `input`.
    pub fn begin<'w>(&'w mut self, scorer: &dyn Scorer, actions: &'w Actions) -> (Arena<'w>, Context<'w>, Scratch<'w>) {
        self.start(scorer.reads());
        let (arena, context, scratch) = self.parts(actions);
        scorer.begin(scratch.memory, context);
        (arena, context, scratch)
    }

    /// A search in the sentence in `input`, with which `scorer` has begun; and the number of configurations that decoding has
    /// scored.
    pub fn stepper<'w, S: TransitionSystem>(
        &'w mut self,
        machine: Machine<'w, S>,
        scorer: &dyn Scorer,
    ) -> (Stepper<'w, 'w, S>, &'w mut u64) {
        let (arena, context, Scratch { memory, buffers, n_scored }) = self.begin(scorer, machine.actions);
        (Stepper::new(machine, arena, context, (memory, buffers)), n_scored)
    }
}
