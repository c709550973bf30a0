//! What items of a beam are compared by: a model is to be decoded as it was trained. The beams are in
//! [`decode`](crate::decode).

use crate::choice::choice;

choice! {
    /// Which items of a beam are compared.
    #[derive(Default)]
    pub enum Align {
        /// Those that have taken equally many transitions.
        #[default]
        Steps = "steps",
        /// Those that have consumed equally many words.
        Words = "words",
    }
}

choice! {
    /// What scores of items are divided by before they are compared.
    #[derive(Default)]
    pub enum Normalise {
        /// Nothing.
        #[default]
        Nothing = "nothing",
        /// The number of transitions.
        Length = "length",
    }
}

/// What items of a beam are compared by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Which items.
    pub align: Align,
    /// What their scores are divided by.
    pub normalise: Normalise,
}

impl Comparison {
    /// Whether waiting for longer derivations is scored: only where items wait, and are not told by their mean scores.
    pub fn scores_waiting(self) -> bool {
        self == Comparison::default()
    }
}
