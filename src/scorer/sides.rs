//! The scores of a step in which configurations that look alike are scored once.

use super::Vectors;
use super::lanes::N_BEST;
use crate::configuration::{InternedConfiguration, NOTHING, SideIds, StateId};
use crate::features::{MAX_PARTS, RoleSides, Sides, key};
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

/// Shared scores of the configurations of one signature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    pub permitted: Permitted,
    /// The highest scores among the actions in each [`N_BEST`]-th lane, or [`NO_SCORE`](super::lanes::NO_SCORE).
    pub best: [i32; N_BEST],
}

impl SideScores {
    /// Forgets the last step.
    pub(crate) fn clear(&mut self) {
        self.signatures.clear();
        self.found.clear();
        self.of_queries.clear();
    }

    /// Adds a query. If its signature is new, `prepare` gets its number and those of the states of its parts.
    #[inline]
    pub(crate) fn ask(
        &mut self,
        sides: &Sides,
        permitted: Permitted,
        c: &InternedConfiguration,
        prepare: impl FnOnce(usize, &[StateId]),
    ) {
        let moves = u64::from(permitted.moves.bits()) | u64::from(permitted.from_root.bits()) << 16;
        // What is permitted is spread over all bits first: else it would share some with the first words.
        let mut found = moves.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for &RoleSides { role, mask, .. } in &sides.roles {
            let words = c.sides(role).map_or([0; 2], SideIds::words);
            found = key(found, [words[0] & mask[0], words[1] & mask[1]].into_iter());
        }
        let next = self.signatures.len() as u32;
        let number = match self.found.get_or_insert(found, next) {
            Some(known) => known,
            None => {
                self.signatures.push(Signature { permitted, best: [0; N_BEST] });
                let (mut ids, mut n) = ([NOTHING; MAX_PARTS], 0);
                for of_role in &sides.roles {
                    let known = c.sides(of_role.role);
                    for &side in &of_role.sides {
                        ids[n] = known.map_or(NOTHING, |known| known.id(side));
                        n += 1;
                    }
                }
                prepare(next as usize, &ids[..n]);
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

    /// The numbers of the signatures of all queries.
    #[inline]
    pub(crate) fn of_queries(&self) -> &[u32] {
        &self.of_queries
    }

    /// Shared scores of the configurations of a signature.
    #[inline]
    pub(crate) fn of(&self, signature: u32) -> &Signature {
        &self.signatures[signature as usize]
    }
}
