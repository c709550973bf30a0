//! Frozen scorers: the interface of a kind of scorer that is stored in a file and parsed with.

use std::fmt::Debug;

use super::Header;
use crate::error::Result;
use crate::features::{Columns, Vocabulary};
use crate::files::{Section, Sections};
use crate::scorer::Scorer;
use crate::system::Actions;

/// A finished scorer: the part of a model that training has made.
pub trait Frozen: Clone + Debug + Send + Sync + Sized + 'static {
    /// The name of the kind, as model files spell it.
    const KIND: &'static str;

    /// The name of its kind, where `Self` may be one of several.
    fn kind(&self) -> &'static str {
        Self::KIND
    }

    /// True if files of this kind can be read.
    fn reads(kind: &[u8]) -> bool {
        kind == Self::KIND.as_bytes()
    }

    /// The columns of a sentence that are read.
    fn columns(&self) -> &Columns;

    /// The values that are known by number, if any are.
    fn vocabulary(&self) -> Option<&Vocabulary> {
        None
    }

    /// Scale of scores: the value of a score of 1.0.
    fn scale(&self) -> u32;

    /// Size of the scorer.
    fn size(&self) -> Size;

    /// The sections of a model file, besides the header.
    fn sections(&self) -> Vec<Section<'_>>;

    /// The scorer that stands in `sections`, of a model with this header and these actions.
    ///
    /// # Errors
    /// If the sections do not hold one that fits.
    fn from_sections(sections: &Sections, header: &Header, actions: &Actions) -> Result<Self>;
}

/// A finished scorer that decoders can ask.
pub trait Scoring: Frozen {
    /// Scorer that borrows the model.
    fn scorer(&self) -> Box<dyn Scorer + '_>;
}

/// Size of a scorer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Features, or other inputs, that it has learned something about.
    pub features: usize,
    /// Its parameters that are not zero.
    pub weights: usize,
}
