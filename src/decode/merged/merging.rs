//! Settings of beams that merge besides scores, and what merging has to know of a system.

use crate::configuration::{ArenaConfiguration, Stacks as _};
use crate::error::{Error, Result};
use crate::features::{Columns, FeatureSet, Signature};
use crate::model::Network;
use crate::system::{Deduction, Move, SystemKind};
use crate::tree::Roots;

/// Settings of beams that merge besides scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merging {
    kind: Deduction,
    pub(super) system: SystemKind,
    pub(super) roots: Roots,
    /// Signature by which items merge; plain beams' equality alone, if there is none.
    pub(super) signature: Option<Signature>,
}

impl Merging {
    /// Merging for `system` with features of `set`, whose columns are these.
    ///
    /// # Errors
    /// If it is not defined for the system, or the set reads the last actions.
    pub fn new(system: SystemKind, roots: Roots, set: &FeatureSet, columns: &Columns) -> Result<Merging> {
        let kind = deduction(system)?;
        let signature = Signature::new(&format!("--merge with {system}"), set, columns)?;
        Ok(Merging { kind, system, roots, signature: Some(signature) })
    }

    /// Merging for `system` with scores of `network`.
    ///
    /// # Errors
    /// If it is not defined for the system, or the network reads the last actions.
    pub fn of_network(system: SystemKind, roots: Roots, network: &Network) -> Result<Merging> {
        let kind = deduction(system)?;
        if network.stacks.is_some() {
            return Err(Error::Usage(
                "--merge makes derivations one that look the same from there on, and --scorer stack-lstm reads all actions so far: none \
                 do; leave it out"
                    .to_owned(),
            ));
        }
        let signature = Signature::of_places(network.places.iter().chain(&network.labels));
        Ok(Merging { kind, system, roots, signature: Some(signature) })
    }

    /// Merging by the whole history, which keeps all derivations apart: a plain beam.
    ///
    /// # Errors
    /// If it is not defined for the system.
    pub fn of_histories(system: SystemKind, roots: Roots) -> Result<Merging> {
        Ok(Merging { kind: deduction(system)?, system, roots, signature: None })
    }

    /// True if the move pushes B0; others pop S0 or S1.
    pub(super) fn pushes(&self, mv: Move) -> bool {
        mv == Move::Shift || mv == Move::Right && self.kind == Deduction::Eager
    }

    /// Parts of the stack that preconditions read, besides which words stand where: whether S0 or S1 is the lowest,
    /// whether S0 has a head, and, if one word alone is to be left for arc-eager's root, whether there are more that
    /// lack heads.
    pub(super) fn preconditions(&self, c: &ArenaConfiguration) -> u64 {
        let n_headless = match self.roots {
            Roots::Single => c.n_headless().min(2),
            Roots::Several => 0,
        };
        (c.stack_len().min(3) << 3 | n_headless << 1 | usize::from(c.s0_has_head())) as u64
    }
}

fn deduction(system: SystemKind) -> Result<Deduction> {
    system.info().tabulation.ok_or_else(|| {
        Error::Usage(format!(
            "there are no beams that merge for {system}, only for arc-standard, arc-hybrid and arc-eager; leave out --merge"
        ))
    })
}
