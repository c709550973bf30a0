//! The scores of a step in which configurations that look alike are scored once.

use super::Vectors;
use super::lanes::N_BEST;
use crate::configuration::{Interned, NOTHING, StateId};
use crate::features::{MAX_PARTS, Sides, key};
use crate::memo::Memo;
use crate::system::Permitted;

/// The scores of a step. Configurations have the same scores whose sides have the same numbers and that permit the same
/// moves: the same *signature*.
#[derive(Debug, Clone, Default)]
pub struct SideScores {
    signatures: Vec<Signature>,
    found: Memo,
    /// By query: the number of its signature.
    of_queries: Vec<u32>,
    /// By signature: the scores of all actions, [`FORBIDDEN`](crate::system::FORBIDDEN) added where they may not be taken.
    pub(crate) sums: Vectors,
}

/// What is known of the configurations of one signature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub permitted: Permitted,
    /// The highest scores among the actions in each [`N_BEST`]-th lane; those of forbidden actions are less than half of
    /// [`FORBIDDEN`](crate::system::FORBIDDEN).
    pub best: [i32; N_BEST],
}

impl SideScores {
    /// Forgets the last step.
    pub(crate) fn clear(&mut self) {
        self.signatures.clear();
        self.found.clear();
        self.of_queries.clear();
    }

    /// Adds a query. If its signature is new, `prepare` gets the numbers of the states of its parts.
    #[inline]
    pub(crate) fn ask<'a>(
        &mut self,
        sides: &Sides,
        permitted: Permitted,
        c: &impl Interned<'a>,
        prepare: impl FnOnce(&[StateId]),
    ) {
        let mut ids = [NOTHING; MAX_PARTS];
        let mut places = ids.iter_mut();
        for of_role in &sides.roles {
            let known = c.sides(of_role.role);
            for (&side, id) in of_role.sides.iter().zip(&mut places) {
                *id = known.map_or(NOTHING, |known| known.id(side));
            }
        }
        let n = sides.parts.len();
        let moves = u64::from(permitted.moves.bits()) | u64::from(permitted.from_root.bits()) << 16;
        let pairs = ids[..n.next_multiple_of(2)].chunks_exact(2);
        let pairs = pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
        // What is permitted is spread over all bits first: else it would share some with the first pair.
        let found = key(moves.wrapping_mul(0x9e37_79b9_7f4a_7c15), pairs);
        let next = self.signatures.len() as u32;
        let number = match self.found.get_or_insert(found, next) {
            Some(known) => known,
            None => {
                self.signatures.push(Signature { permitted, best: [0; N_BEST] });
                prepare(&ids[..n]);
                next
            }
        };
        self.of_queries.push(number);
    }

    /// The signatures, and the memory for their scores.
    #[inline]
    pub(crate) fn rows(&mut self, width: usize) -> (&mut [Signature], &mut Vectors) {
        self.sums.reset(width, self.signatures.len());
        (&mut self.signatures, &mut self.sums)
    }

    /// The number of the signature of a query.
    #[inline]
    pub(crate) fn of_query(&self, query: usize) -> u32 {
        self.of_queries[query]
    }

    /// What is known of the configurations of a signature.
    #[inline]
    pub(crate) fn of(&self, signature: u32) -> &Signature {
        &self.signatures[signature as usize]
    }
}
