//! Row layout of a frozen table.

use super::buckets::{FLAG, Flagged};
use crate::system::ActionId;

/// Precision of stored weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 24 bits, or 32 if there are more than 256 actions: as trained, as far as sums show.
    Full,
    /// 16 bits.
    I16,
    /// 8 bits, which stand for values that lie where the weights do; 16 in rows that are dense or hold a single
    /// weight, as they cost no more.
    I8,
}

impl std::fmt::Display for Precision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Precision::Full => "full",
            Precision::I16 => "i16",
            Precision::I8 => "i8",
        })
    }
}

/// Counts of a table, scale and precision: all that is needed to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableShape {
    pub width: usize,
    pub n_features: usize,
    pub n_weights: usize,
    /// The fixed-point factor: a weight of 1.0 is stored as this.
    pub scale: u32,
    pub precision: Precision,
}

/// The number of a row says how many entries it has, in its lowest bits, and where it starts: sparse rows by entry, dense
/// ones by half row. Start 0 is taken by nothing, so that no row has the number 0. A number with a flag is a row itself: see
/// [`InlineRow`].
pub(super) const LEN_BITS: u32 = 5;
/// Marks a dense row of 32 bits a weight.
pub(super) const WIDE: u32 = (1 << LEN_BITS) - 1;
/// Marks a dense row of 16 bits a weight.
pub(super) const NARROW: u32 = WIDE - 1;
pub(super) const MAX_START: usize = (1 << (32 - LEN_BITS)) - 1;

/// Start and number of entries of the row with this number.
#[inline]
pub(super) fn place(number: Flagged) -> (usize, u32) {
    ((number as u32 >> LEN_BITS) as usize, number as u32 & WIDE)
}

/// A row is dense from one weight in so many outputs on.
pub(super) const DENSE_SHARE: usize = 5;

/// An entry of a sparse row in `BYTES` bytes: the action in the lowest ones, the weight in the others.
pub(super) struct PackedEntry<const BYTES: usize>;

impl<const BYTES: usize> PackedEntry<BYTES> {
    /// The bits of the action.
    pub(super) const ACTION: u32 = if BYTES == 8 { 32 } else { 8 };

    /// The `len` entries from number `start` on.
    #[inline]
    pub(super) fn read(bytes: &[u8], start: usize, len: usize) -> impl Iterator<Item = (usize, i32)> + '_ {
        bytes[start * BYTES..][..len * BYTES].chunks_exact(BYTES).map(|entry| {
            let mut word = [0; 8];
            word[..BYTES].copy_from_slice(entry);
            let word = u64::from_le_bytes(word);
            if BYTES == 8 {
                return (word as u32 as usize, (word >> Self::ACTION) as i32);
            }
            // PERF: half as wide, and an action below 256, is two operations less.
            let (word, unused) = (word as u32, 32u32.saturating_sub(8 * BYTES as u32));
            (word as u8 as usize, (word << unused) as i32 >> (unused + Self::ACTION))
        })
    }

    pub(super) fn write(bytes: &mut Vec<u8>, action: ActionId, weight: i32) {
        let word = u64::from(action) | (i64::from(weight) as u64) << Self::ACTION;
        bytes.extend(&word.to_le_bytes()[..BYTES]);
    }

    /// The weight of all entries that is furthest from 0, without its sign.
    pub(super) fn largest_weight(bytes: &[u8]) -> u32 {
        let n = bytes.len() / BYTES;
        Self::read(bytes, 0, n).fold(0, |largest, (_, weight)| largest.max(weight.unsigned_abs()))
    }

    /// The largest action of all entries. Entries stand side by side, whatever rows they belong to.
    pub(super) fn largest_action(bytes: &[u8]) -> usize {
        let n = bytes.len() / BYTES;
        Self::read(bytes, 0, n).fold(0, |largest, (action, _)| largest.max(action))
    }
}

/// The rows that most features have, in place of a row's number: one weight, or, after a single update of a single decision,
/// two that are opposite. There may be at most 256 actions, and the weight must fit into 16 bits.
pub(super) struct InlineRow {
    /// The action with the weight.
    pub plus: u8,
    /// The action with the opposite weight, or the same one if there is none.
    pub minus: u8,
    pub weight: i16,
}

impl InlineRow {
    /// The row of these entries, if it can stand in place of a number.
    pub(super) fn of(entries: &[(ActionId, i32)]) -> Option<InlineRow> {
        let action = |action: ActionId| u8::try_from(action).ok();
        let weight = |weight: i32| i16::try_from(weight).ok().filter(|&weight| weight != i16::MIN);
        match *entries {
            [(a, w)] => Some(InlineRow { plus: action(a)?, minus: action(a)?, weight: weight(w)? }),
            [(a, w), (b, v)] if w == -v => Some(InlineRow { plus: action(a)?, minus: action(b)?, weight: weight(w)? }),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn pack(&self) -> Flagged {
        FLAG | u64::from(self.weight as u16) << 16 | u64::from(self.minus) << 8 | u64::from(self.plus)
    }

    #[inline]
    pub(super) fn unpack(row: Flagged) -> InlineRow {
        InlineRow { plus: row as u8, minus: (row >> 8) as u8, weight: (row >> 16) as i16 }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (ActionId, i32)> {
        let (plus, minus, weight) = (ActionId::from(self.plus), ActionId::from(self.minus), i32::from(self.weight));
        std::iter::once((plus, weight)).chain((plus != minus).then_some((minus, -weight)))
    }

    #[inline]
    pub(super) fn add_to(&self, scores: &mut [i32]) {
        let weight = i32::from(self.weight);
        scores[self.plus as usize] += weight;
        scores[self.minus as usize] -= if self.plus == self.minus { 0 } else { weight };
    }
}

impl TableShape {
    /// The bytes of an entry.
    pub(super) fn entry(&self) -> usize {
        match self.precision {
            _ if self.width > 256 => 8,
            Precision::Full => 4,
            Precision::I16 => 3,
            Precision::I8 => 2,
        }
    }

    /// The largest weight that can be stored.
    pub(super) fn limit(&self) -> i32 {
        match self.precision {
            Precision::Full if self.width > 256 => i32::MAX,
            Precision::Full => (1 << 23) - 1,
            Precision::I16 | Precision::I8 => i32::from(i16::MAX),
        }
    }

    /// The numbers of half a dense row.
    #[inline]
    pub(super) fn half(&self) -> usize {
        self.width / 2
    }

    /// True if a row of so many weights is dense. Adding a dense row costs a vector operation for eight lanes or more,
    /// adding a sparse one two loads and a store for each entry; features of tags alone have long rows and fire always.
    /// Only the longest rows are dense at less than full precision, which is to save bytes.
    pub(super) fn is_dense(&self, n_entries: usize) -> bool {
        let full = self.precision == Precision::Full;
        n_entries >= NARROW as usize || full && n_entries * DENSE_SHARE >= self.width
    }
}

/// A row with a weight for each output.
pub(super) enum DenseRow<'w> {
    Narrow(&'w [i16]),
    Wide(&'w [i32]),
}
