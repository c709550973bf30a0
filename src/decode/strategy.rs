//! Search strategies for the best derivation.

use super::exact::Tabulation;
use super::merged::Merging;
use crate::choice::choice;
use crate::error::{Error, Result};
use crate::model::Header;
use crate::treebank::Words;

choice! {
    /// Kind of search: the best derivations of each step, or a table of all.
    #[derive(Default)]
    pub enum SearchKind {
        /// In a beam: fast, and for any features; width 1 is greedy.
        #[default]
        Beam = "beam",
        /// Exactly, by tabulation: the best of all derivations, with features that read words by position only.
        Exact = "exact",
    }
}

/// A way to look for the best derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// In a beam.
    Beam {
        /// Its width, 1 being greedy.
        width: usize,
    },
    /// In a beam in which items that look the same to all features become one.
    Merged {
        /// Its width.
        width: usize,
        /// Merging of items.
        merging: Merging,
    },
    /// By tabulation.
    Exact(Tabulation),
}

impl Strategy {
    /// A plain beam, whose items have taken equally many transitions.
    pub fn beam(width: usize) -> Strategy {
        Strategy::Beam { width }
    }

    /// The way in which the model of `header` was trained to search, but for the width of beams.
    ///
    /// # Errors
    /// As [`Strategy::new`].
    pub fn trained(width: usize, header: &Header) -> Result<Strategy> {
        Strategy::new(header.option("search").unwrap_or_default(), width, header.merges(), header)
    }

    /// The way of this kind for models of `header`, `width` being that of beams, which merge if `merge`.
    ///
    /// # Errors
    /// If search is to be exact or beams to merge and cannot, for the system or the feature set; or if both are asked for.
    pub fn new(kind: SearchKind, width: usize, merge: bool, header: &Header) -> Result<Strategy> {
        match kind {
            SearchKind::Beam if merge => {
                let merging = match &header.network {
                    Some(network) => Merging::of_network(header.system, header.roots, network)?,
                    None => {
                        let (set, columns) = header.feature_set()?;
                        Merging::new(header.system, header.roots, &set, &columns)?
                    }
                };
                Ok(Strategy::Merged { width, merging })
            }
            SearchKind::Beam => Ok(Strategy::Beam { width }),
            SearchKind::Exact if merge => {
                Err(Error::Usage("exact search merges all there is; leave out --merge or --search exact".to_owned()))
            }
            SearchKind::Exact => {
                let tabulation = match &header.network {
                    Some(network) => Tabulation::of_network(header.system, header.roots, network)?,
                    None => Tabulation::new(header.system, header.roots, &header.feature_set()?.0)?,
                };
                Ok(Strategy::Exact(tabulation))
            }
        }
    }

    /// The width of the beam, if there is one.
    pub fn width(&self) -> Option<usize> {
        match self {
            Strategy::Beam { width, .. } | Strategy::Merged { width, .. } => Some(*width),
            Strategy::Exact(_) => None,
        }
    }

    /// True if it is a plain beam of more than one item: what margins are calibrated for.
    pub fn takes_margins(&self) -> bool {
        matches!(self, Strategy::Beam { width: 2.. })
    }

    /// Checks that the strategy takes the sentence.
    ///
    /// # Errors
    /// If it is too long.
    pub fn check(&self, sentence: &dyn Words) -> Result<()> {
        match self {
            Strategy::Beam { .. } | Strategy::Merged { .. } => Ok(()),
            Strategy::Exact(tabulation) => tabulation.check(sentence),
        }
    }
}
