//! The scores of a step in which configurations that look alike are scored once.

use super::lanes::{self, Block, N_BEST, ZERO};
use super::vectors::Vectors;
use crate::memo::Memo;
use crate::system::{ActionId, Actions, Permitted};
use crate::vector::vectorised;

/// The scores of a step: a row of all actions for each query. Queries share a row that have the same *signature*: what a
/// scorer reads of their configurations, and the permitted moves.
#[derive(Debug, Clone, Default)]
pub struct StepScores {
    signatures: Vec<SignatureScores>,
    found: Memo,
    /// By query: the number of its signature.
    of_queries: Vec<u32>,
    /// By signature: the scores of all actions, [`FORBIDDEN`](crate::system::FORBIDDEN) added where they may not be taken.
    sums: Vectors,
}

/// Shared scores of the configurations of one signature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignatureScores {
    pub permitted: Permitted,
    /// The highest scores among the actions in each [`N_BEST`]-th lane, or [`NO_SCORE`](lanes::NO_SCORE).
    pub best: [i32; N_BEST],
}

impl StepScores {
    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.signatures.clear();
        self.found.clear();
        self.of_queries.clear();
    }

    /// Adds a query of a configuration with this fingerprint of its features: the number of its row, if that is new.
    #[inline(always)]
    pub fn ask(&mut self, fingerprint: u64, permitted: Permitted) -> Option<usize> {
        let moves = u64::from(permitted.moves.bits()) | u64::from(permitted.from_root.bits()) << 16;
        // The permitted moves are spread over all bits first, so that they share none with the fingerprint alone.
        let found = (fingerprint ^ moves.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0x2d35_8dcc_aa6c_78a5);
        let next = self.signatures.len() as u32;
        let known = self.found.get_or_insert(found ^ found >> 32, next);
        self.of_queries.push(known.unwrap_or(next));
        if known.is_some() {
            return None;
        }
        self.signatures.push(SignatureScores { permitted, best: [0; N_BEST] });
        Some(next as usize)
    }

    /// Number of different signatures.
    pub fn n_rows(&self) -> usize {
        self.signatures.len()
    }

    /// The signatures, and the memory for their scores.
    #[inline]
    pub(crate) fn rows(&mut self, width: usize) -> (&mut [SignatureScores], &mut Vectors) {
        self.sums.reset(width, self.signatures.len());
        (&mut self.signatures, &mut self.sums)
    }

    /// Fills the rows: `fill` gets the number of each and the permitted moves, and writes the scores of all actions over zeros.
    pub fn fill(&mut self, actions: &Actions, mut fill: impl FnMut(usize, Permitted, &mut [i32])) {
        let (signatures, rows) = self.rows(actions.width());
        for (number, signature) in signatures.iter_mut().enumerate() {
            let row = rows.blocks_of_mut(number as u32);
            row.fill(ZERO);
            fill(number, signature.permitted, bytemuck::cast_slice_mut(row));
            let mask = actions.mask(signature.permitted);
            signature.best = vectorised!(simd => lanes::mask(simd, mask, row));
        }
    }

    /// The scores of a query's actions, [`FORBIDDEN`](crate::system::FORBIDDEN) added where they may not be taken.
    #[inline]
    pub fn row(&self, query: usize) -> &[i32] {
        self.sums.get(self.of_queries[query])
    }

    /// The score of an action at a query, whether it is permitted or not.
    #[inline]
    pub fn score(&self, query: usize, action: ActionId, actions: &Actions) -> i32 {
        let number = self.of_queries[query];
        let mask = actions.mask(self.signatures[number as usize].permitted);
        self.sums.get(number)[usize::from(action)].wrapping_sub(mask[usize::from(action)])
    }

    /// The blocks of a query's row.
    #[inline]
    pub(crate) fn blocks(&self, query: usize) -> &[Block] {
        self.sums.blocks_of(self.of_queries[query])
    }

    /// The highest of a query's scores in each [`N_BEST`]-th lane, or [`NO_SCORE`](lanes::NO_SCORE).
    #[inline]
    pub(crate) fn best(&self, query: usize) -> [i32; N_BEST] {
        self.signatures[self.of_queries[query] as usize].best
    }

    /// The width of a row.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.sums.width() * Actions::LANES
    }

    /// Gives each query a row of its own, to whose permitted actions `add` adds; it gets the number of the query.
    pub(crate) fn augment(&mut self, actions: &Actions, mut add: impl FnMut(usize, Permitted, &mut [i32])) {
        let (signatures, sums) = (std::mem::take(&mut self.signatures), std::mem::take(&mut self.sums));
        let rows: Vec<u32> = std::mem::take(&mut self.of_queries);
        self.signatures.extend(rows.iter().map(|&row| signatures[row as usize]));
        self.of_queries.extend(0..rows.len() as u32);
        let width = sums.width() * Actions::LANES;
        let (signatures, own) = self.rows(width);
        let nothing = vec![0; actions.width().max(width)];
        for (query, &row) in rows.iter().enumerate() {
            let blocks = own.blocks_of_mut(query as u32);
            blocks.copy_from_slice(sums.blocks_of(row));
            add(query, signatures[query].permitted, bytemuck::cast_slice_mut(blocks));
            signatures[query].best = vectorised!(simd => lanes::mask(simd, &nothing, blocks));
        }
    }
}
