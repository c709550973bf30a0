//! Bounds of a loss that is too dear to compute, beside the loss itself.

use super::OracleKind;
use crate::configuration::PlainLists;

/// The bounds of a configuration's loss (Fernández-González & Gómez-Rodríguez, ACL 2017, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound: |U|, the number of gold arcs that have not been made and whose pair has been passed by.
    pub lower: u32,
    /// The tighter upper bound: |U| and the number of problematic cycles.
    pub pc_upper: u32,
    /// The upper bound: |U| and the number of cycles.
    pub upper: u32,
}

impl Bounds {
    /// The bound that the oracle `kind` goes by; the upper one for those that go by none.
    pub fn of_kind(&self, kind: OracleKind) -> u32 {
        match kind {
            OracleKind::Lower => self.lower,
            OracleKind::PcUpper => self.pc_upper,
            _ => self.upper,
        }
    }
}

/// Bounds and losses of the configurations of one gold tree.
pub trait LossBounds {
    /// The bounds of the loss of `c`.
    fn bounds(&mut self, c: &PlainLists) -> Bounds;

    /// The loss of `c`; `None` if the search for it was given up.
    fn loss(&mut self, c: &PlainLists) -> Option<u32>;
}
