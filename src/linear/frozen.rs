//! The weights of a finished model: averaged, in fixed point, in a table that is only read.
//!
//! A feature costs two cache lines: its bucket ([`Buckets`]) holds the number of its row, and the row holds entries of a
//! few bytes, an action and its weight. A score is a sum of integers, so it does not depend on the order of summation:
//! memoised, batched and plain scoring agree to the bit.

use fearless_simd::prelude::*;
use fearless_simd::u32x8;

use super::buckets::{BATCH, Bucket, Buckets, FLAG, Flagged, Found, Homes, NOTHING};
use super::levels::Levels;
use super::rows::{DenseRow, InlineRow, LEN_BITS, NARROW, PackedEntry, Precision, TableShape, WIDE, place};
use super::table::{OUTSIDE, from_bytes};
use super::{Row, Weights};
use crate::error::Result;
use crate::files::{Numbers, Section, Sections, prefetch};
use crate::scorer::lanes;
use crate::system::ActionId;
use crate::vector::{Ones, vectorised};

/// The most templates that can fire at once, for the bound on sums.
pub(super) const MAX_TEMPLATES: f64 = 1024.0;

/// The largest weight, without its sign: sums over all templates stay below half the score of what is forbidden, whatever
/// the weights. Those of other files are damaged.
pub(super) const MAX_WEIGHT: u32 = (i32::MAX / 4) as u32 / MAX_TEMPLATES as u32 + 1;

/// Sections of the buckets, and of their number for each home if that is not one.
const BUCKETS: &str = "buckets";
const SPREAD_BUCKETS: &str = "spread-buckets";
const SPREAD: &str = "spread";
/// Sections of buckets whose homes were more before, and of the numbers of homes.
const PACKED_BUCKETS: &str = "packed-buckets";
const HOMES: &str = "homes";

/// Frozen weights.
#[derive(Debug, Clone)]
pub struct FrozenWeights {
    pub(super) buckets: Buckets,
    /// Entries of sparse rows, of as many bytes as the shape says.
    pub(super) sparse: Numbers<u8>,
    /// Dense rows, a weight for each of the `width` outputs; in narrow ones two to a number.
    pub(super) dense: Numbers<i32>,
    /// Levels of quantisation: the values of the codes of weights of 8 bits.
    pub(super) levels: Option<Levels>,
    pub(super) shape: TableShape,
}

impl FrozenWeights {
    /// The width of sums.
    pub fn width(&self) -> usize {
        self.shape.width
    }

    /// The number of features with a weight.
    pub fn n_features(&self) -> usize {
        self.shape.n_features
    }

    /// The number of weights that are not zero.
    pub fn n_weights(&self) -> usize {
        self.shape.n_weights
    }

    /// Precision of the stored weights.
    pub fn precision(&self) -> Precision {
        self.shape.precision
    }

    /// Calls `read` with the number of each row and its entries.
    pub(super) fn for_each_row(&self, mut read: impl FnMut(Flagged, &[(ActionId, i32)])) {
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for number in self.buckets.numbers() {
            self.row(number, &mut entries);
            read(number, &entries);
        }
    }

    /// Calls `read` with each feature, as far as it is known, and its weights in fixed point.
    pub(super) fn for_each_key(&self, mut read: impl FnMut(u64, &[(ActionId, i32)])) {
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for (key, number) in self.buckets.keys() {
            self.row(number, &mut entries);
            read(key, &entries);
        }
    }

    /// The homes of the table of features.
    pub(super) fn homes(&self) -> Homes {
        self.buckets.homes()
    }

    /// Replaces `entries` by those of a row.
    fn row(&self, number: Flagged, entries: &mut Vec<(ActionId, i32)>) {
        let (start, len) = place(number);
        entries.clear();
        if number & FLAG != 0 {
            entries.extend(InlineRow::unpack(number).entries());
        } else if len >= NARROW {
            let weights: Vec<i32> = match self.dense_row(&self.dense, start, len) {
                DenseRow::Narrow(row) => row.iter().map(|&weight| i32::from(weight)).collect(),
                DenseRow::Wide(row) => row.to_vec(),
            };
            let weights = weights.into_iter().enumerate().filter(|&(_, weight)| weight != 0);
            entries.extend(weights.map(|(action, weight)| (action as ActionId, weight)));
        } else {
            let add = |(action, weight)| entries.push((action as ActionId, weight));
            let (start, len) = (start, len as usize);
            match self.shape.entry() {
                2 => PackedEntry::<2>::read(&self.sparse, start, len).map(|entry| self.decoded(entry)).for_each(add),
                3 => PackedEntry::<3>::read(&self.sparse, start, len).for_each(add),
                4 => PackedEntry::<4>::read(&self.sparse, start, len).for_each(add),
                _ => PackedEntry::<8>::read(&self.sparse, start, len).for_each(add),
            }
        }
    }

    /// An entry whose weight is a code.
    #[inline(always)]
    fn decoded(&self, (action, code): (usize, i32)) -> (usize, i32) {
        (action, self.levels.as_ref().map_or(code, |levels| levels.value(code)))
    }

    #[inline(always)]
    fn dense_row<'w>(&self, dense: &'w [i32], start: usize, len: u32) -> DenseRow<'w> {
        let half = self.shape.half();
        let row = &dense[(start - 1) * half..];
        if len == NARROW {
            DenseRow::Narrow(bytemuck::cast_slice(&row[..half]))
        } else {
            DenseRow::Wide(&row[..2 * half])
        }
    }

    /// Adds a row that stands elsewhere, whose entries have so many bytes if it is sparse.
    #[inline(always)]
    fn add_row(&self, row: Flagged, bytes: usize, scores: &mut [i32]) {
        match place(row) {
            (start, len @ (NARROW | WIDE)) => match self.dense_row(&self.dense, start, len) {
                DenseRow::Narrow(row) => add_narrow(row, scores),
                DenseRow::Wide(row) => scores.iter_mut().zip(row).for_each(|(score, &w)| *score += w),
            },
            (start, len) => match bytes {
                2 => self.add_sparse::<2>((start, len), scores),
                3 => self.add_sparse::<3>((start, len), scores),
                4 => self.add_sparse::<4>((start, len), scores),
                _ => self.add_sparse::<8>((start, len), scores),
            },
        }
    }

    #[inline(always)]
    fn add_sparse<const BYTES: usize>(&self, (start, len): (usize, u32), scores: &mut [i32]) {
        for entry in PackedEntry::<BYTES>::read(&self.sparse, start, len as usize) {
            let (action, weight) = if BYTES == 2 { self.decoded(entry) } else { entry };
            scores[action] += weight;
        }
    }

    /// The rows of a batch that are dense and have 16 bits a weight: a one for each.
    #[inline(always)]
    fn narrow_ones<V: Simd>(&self, simd: V, found: &Found) -> u64 {
        let (wide, narrow) = (u32x8::splat(simd, WIDE), u32x8::splat(simd, NARROW));
        let eights = found.eights().iter().enumerate();
        let are_narrow = eights.fold(0, |ones, (number, eight)| {
            ones | (u32x8::from_slice(simd, eight) & wide).simd_eq(narrow).to_bitmask() << (8 * number)
        });
        are_narrow & found.known & !found.flags
    }

    /// Looks up `features`, at most [`BATCH`], and prefetches their rows. `push_narrow` is called with the places, in half rows, of those
    /// that are dense and have 16 bits a weight; the result has a one for each of the others that stand elsewhere.
    #[inline(always)]
    fn find_batch<V: Simd>(
        &self,
        simd: V,
        features: &[u64],
        found: &mut Found,
        mut push_narrow: impl FnMut(u32),
    ) -> u64 {
        self.buckets.find(simd, features, found);
        // Kinds of rows follow each other in no order that a processor could predict, and so there is no branch.
        let are_narrow = self.narrow_ones(simd, found);
        let others = found.known & !found.flags & !are_narrow;
        let (bytes, half) = (self.shape.entry(), self.shape.half());
        for i in Ones(others) {
            // Most sparse rows stand on one line or two.
            let (start, len) = place(found.number(i));
            prefetch(&self.sparse, start * bytes);
            prefetch(&self.sparse, ((start + len as usize) * bytes).wrapping_sub(1));
        }
        for i in Ones(are_narrow) {
            let number = (found.number(i) as u32 >> LEN_BITS) - 1;
            push_narrow(number);
            let first = number as usize * half;
            (0..3).for_each(|line| prefetch(&self.dense, first + 16 * line));
            (3..half.div_ceil(16)).for_each(|line| prefetch(&self.dense, first + 16 * line));
        }
        others
    }

    /// Adds the rows of at most [`LARGEST`] features.
    #[inline(always)]
    fn add_all<V: Simd>(&self, simd: V, features: &[u64], scores: &mut [i32]) {
        let bytes = self.shape.entry();
        let (mut found, mut others) = ([Found::NONE; LARGEST / BATCH], [0; LARGEST / BATCH]);
        let (mut narrow, mut n_narrow) = ([0; LARGEST], 0);
        for ((found, others), features) in found.iter_mut().zip(&mut others).zip(features.chunks(BATCH)) {
            *others = self.find_batch(simd, features, found, |number| {
                (narrow[n_narrow % LARGEST], n_narrow) = (number, n_narrow + 1);
            });
        }
        lanes::add_narrow(simd, (&self.dense, self.shape.half()), &narrow[..n_narrow], scores);
        for (found, others) in found.iter().zip(others) {
            for i in Ones(found.flags) {
                InlineRow::unpack(found.number(i)).add_to(scores);
            }
            for i in Ones(others) {
                self.add_row(found.number(i), bytes, scores);
            }
        }
    }
}

/// Number of features whose rows are added at once.
const LARGEST: usize = 2 * BATCH;

/// True if a row stands in place of its number. What was not found has number 0, which is such a row, too, and adds
/// nothing: so that there is one branch less.
#[inline(always)]
fn is_inline(row: Flagged) -> bool {
    const { assert!(NOTHING == 0) };
    row.wrapping_sub(1) >= FLAG - 1
}

/// Adds a row, as wide as the scores, a block of lanes at a time.
///
/// PERF: sums are made beside the scores. In place they were made one by one, as rows might have been scores, and greedy parsing
/// took an eighth longer.
#[inline(always)]
fn add_narrow(row: &[i16], scores: &mut [i32]) {
    const LANES: usize = crate::system::Actions::LANES;
    for (scores, row) in scores.as_chunks_mut::<LANES>().0.iter_mut().zip(row.as_chunks::<LANES>().0) {
        let (mut sums, row) = (*scores, *row);
        for (sum, weight) in sums.iter_mut().zip(row) {
            *sum += i32::from(weight);
        }
        *scores = sums;
    }
}

impl Weights for FrozenWeights {
    fn scale(&self) -> u32 {
        self.shape.scale
    }

    #[inline]
    fn prefetcher(&self) -> impl Fn(u64) {
        self.buckets.prefetcher()
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        vectorised!(simd => {
            let mut found = Found::NONE;
            for (features, rows) in features.chunks(BATCH).zip(rows.chunks_mut(BATCH)) {
                self.find_batch(simd, features, &mut found, |_| ());
                found.write(rows);
            }
        });
    }

    #[inline(always)]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        let bytes = self.shape.entry();
        for &Row(row) in rows {
            if is_inline(row) {
                InlineRow::unpack(row).add_to(scores);
            } else {
                self.add_row(row, bytes, scores);
            }
        }
    }

    fn add_prefetched(&self, features: &[u64], scores: &mut [i32]) {
        for features in features.chunks(LARGEST) {
            vectorised!(simd => self.add_all(simd, features, scores));
        }
    }
}

impl FrozenWeights {
    /// The table as sections of a file: its shape, buckets, sparse rows, dense rows.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let TableShape { width, n_features, n_weights, scale, precision } = self.shape;
        let numbers = [width as u64, n_features as u64, n_weights as u64, u64::from(scale), precision as u64];
        let levels = self.levels.iter().flat_map(Levels::values);
        let shape: Vec<u8> = numbers.into_iter().chain(levels).flat_map(u64::to_le_bytes).collect();
        let (homes, spread) = (self.buckets.homes(), self.buckets.spread());
        let numbers = |numbers: &[u64]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        // Programs that do not know of such homes shall not look there.
        let (buckets, more) = match homes.n_before() {
            Some(n_before) => (PACKED_BUCKETS, Some((HOMES, numbers(&[homes.n() as u64, n_before as u64])))),
            None if spread > 1 => (SPREAD_BUCKETS, Some((SPREAD, numbers(&[spread as u64])))),
            None => (BUCKETS, None),
        };
        let mut sections = vec![
            Section::new("shape", shape),
            Section::new(buckets, bytemuck::cast_slice(self.buckets.as_slice())),
            Section::new("sparse", &self.sparse[..]),
            Section::new("dense", bytemuck::cast_slice(&self.dense[..])),
        ];
        sections.extend(more.map(|(name, bytes)| Section::new(name, bytes)));
        sections
    }

    /// The table that stands in `sections`, for sums of this `width`; where it stands if the file is mapped.
    ///
    /// # Errors
    /// If sections are missing, or anything in them points outside the table or beyond the outputs.
    pub fn from_sections(sections: &Sections, width: usize) -> Result<FrozenWeights> {
        let numbers = |name| sections.get(name).map(from_bytes::<u64>);
        let (buckets, said) = match () {
            () if sections.has(HOMES) => (PACKED_BUCKETS, numbers(HOMES)?),
            () if sections.has(SPREAD) => (SPREAD_BUCKETS, numbers(SPREAD)?),
            () => (BUCKETS, Some(vec![1])),
        };
        let buckets = sections.numbers::<Bucket>(buckets)?;
        let homes = said.and_then(|said| {
            let said: Vec<usize> = said.into_iter().filter_map(|number| usize::try_from(number).ok()).collect();
            match said[..] {
                [spread] => Some(buckets.len()).filter(|n| n.is_multiple_of(spread)).map(|n| Homes::new(n / spread)),
                [n, n_before] => Homes::merging(n, n_before),
                _ => None,
            }
        });
        let (shape, tables) =
            (sections.get("shape")?, (buckets, sections.numbers("sparse")?, sections.numbers("dense")?));
        homes
            .and_then(|homes| FrozenWeights::from_tables(shape, tables, homes, width))
            .ok_or_else(|| sections.damaged(OUTSIDE))
    }

    /// True if nothing points outside the table or beyond its outputs, and no weight is too large.
    #[inline(always)]
    fn is_sound<V: Simd>(&self, simd: V) -> bool {
        let (n_entries, half) = (self.sparse.len() / self.shape.entry(), self.shape.half());
        let splat = |number| u32x8::splat(simd, number);
        // The largest of all buckets, by lane: action of a row in place of its number, end of a sparse row, start of a dense row of 16 bits.
        let (mut inline, mut ends, mut starts) = (splat(0), splat(0), splat(0));
        let mut wide_are_sound = true;
        for (tags, numbers) in self.buckets.tags_and_numbers() {
            let (flags, rows) = (u32x8::from_slice(simd, tags) & splat(1), u32x8::from_slice(simd, numbers));
            let (is_inline, start, len) = (flags.simd_eq(splat(1)), rows >> LEN_BITS, rows & splat(WIDE));
            let action = (rows & splat(0xff)).max(rows >> 8 & splat(0xff));
            inline = inline.max(is_inline.select(action, splat(0)));
            ends = ends.max((is_inline | len.simd_ge(splat(NARROW))).select(splat(0), start + len));
            let beyond_all = start.simd_eq(splat(0)).select(splat(u32::MAX), start);
            starts = starts.max((len.simd_eq(splat(NARROW)) & !is_inline).select(beyond_all, splat(0)));
            // Wide rows are few.
            let are_wide = len.simd_eq(splat(WIDE)) & !is_inline;
            if are_wide.any_true() {
                wide_are_sound &= Ones(are_wide.to_bitmask()).all(|way| {
                    let start = place(numbers[way].into()).0.checked_sub(1);
                    let row = start.and_then(|start| self.dense.get(start * half..(start + 2) * half));
                    row.is_some_and(|row| row.iter().all(|weight| weight.unsigned_abs() <= MAX_WEIGHT))
                });
            }
        }
        let [inline, end, start] = [inline, ends, starts].map(|largest| largest.reduce_max() as usize);
        let rows_are_sound = wide_are_sound
            && inline < self.shape.width
            && end <= n_entries
            && start.checked_mul(half).is_some_and(|end| end <= self.dense.len());
        let largest_action = match self.shape.entry() {
            2 => PackedEntry::<2>::largest_action(&self.sparse),
            3 => PackedEntry::<3>::largest_action(&self.sparse),
            4 => PackedEntry::<4>::largest_action(&self.sparse),
            _ => PackedEntry::<8>::largest_action(&self.sparse),
        };
        let largest_weight: u64 = match self.shape.entry() {
            2 => {
                let values = self.levels.iter().flat_map(Levels::values);
                values.map(|value| (value as i32).unsigned_abs()).max().unwrap_or(0).into()
            }
            3 => PackedEntry::<3>::largest_weight(&self.sparse).into(),
            4 => PackedEntry::<4>::largest_weight(&self.sparse).into(),
            _ => PackedEntry::<8>::largest_weight(&self.sparse).into(),
        };
        rows_are_sound && largest_action < self.shape.width && largest_weight <= u64::from(MAX_WEIGHT)
    }

    /// The table of these parts; `None` if anything in it points outside it or beyond the `width`.
    fn from_tables(
        shape: &[u8],
        (buckets, sparse, dense): (Numbers<Bucket>, Numbers<u8>, Numbers<i32>),
        homes: Homes,
        width: usize,
    ) -> Option<FrozenWeights> {
        let shape: Vec<u64> = from_bytes(shape)?;
        let &[n_outputs, n_features, n_weights, scale, precision, ref levels @ ..] = &shape[..] else { return None };
        let shape = TableShape {
            width,
            n_features: usize::try_from(n_features).ok()?,
            n_weights: usize::try_from(n_weights).ok()?,
            scale: u32::try_from(scale).ok().filter(|&scale| scale > 0)?,
            precision: [Precision::Full, Precision::I16, Precision::I8].into_iter().find(|&p| p as u64 == precision)?,
        };
        let levels = match shape.entry() {
            2 => Some(Levels::from_values(levels)?),
            _ => None,
        };
        // No more weights than there is room for: none takes less than a byte.
        let room = size_of_val(&buckets[..]) + sparse.len() + size_of_val(&dense[..]);
        if shape.n_weights > room || shape.n_features > buckets.len().saturating_mul(16) {
            return None;
        }
        let buckets = Buckets::from_buckets(buckets, homes)?;
        let weights = FrozenWeights { buckets, sparse, dense, levels, shape };
        (n_outputs == width as u64 && vectorised!(simd => weights.is_sound(simd))).then_some(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;

    #[test]
    fn rows_outside_the_table_and_too_large_weights_are_noticed() {
        const LARGE: i32 = MAX_WEIGHT as i32 + 1;
        let shape = TableShape { width: 96, n_features: 1, n_weights: 1, scale: 1, precision: Precision::Full };
        // Ten sparse entries, and three half rows of which the last has a weight that is too large for a wide one.
        let is_sound = |number: Flagged, last: i32| {
            let dense: Vec<i32> = (0..144).map(|place| if place == 143 { last } else { 0 }).collect();
            let (sparse, dense) = (Numbers::from(vec![0; 40]), Numbers::from(dense));
            let buckets = Buckets::new(1, std::iter::once((0x1234_5678_9abc_def0, number)));
            let weights = FrozenWeights { buckets, sparse, dense, levels: None, shape };
            let found = versions!(simd => weights.is_sound(simd));
            assert!(found.iter().all(|sound| *sound == found[0]));
            found[0]
        };
        let row = |start: u64, len: u32| start << LEN_BITS | u64::from(len);
        let inline = |plus: u64, minus: u64| FLAG | 7 << 16 | minus << 8 | plus;
        for (number, expected) in [
            (inline(95, 0), true),
            (inline(0, 95), true),
            (inline(96, 0), false),
            (inline(0, 96), false),
            (row(8, 2), true),
            (row(9, 2), false),
            (row(3, NARROW), true),
            (row(4, NARROW), false),
            (row(0, NARROW), false),
            (row(2, WIDE), true),
            (row(3, WIDE), false),
            (row(0, WIDE), false),
        ] {
            assert_eq!(is_sound(number, 0), expected, "{number:x}");
        }
        assert!(
            is_sound(row(2, WIDE), -LARGE + 1) && !is_sound(row(2, WIDE), -LARGE) && is_sound(row(3, NARROW), LARGE)
        );
    }
}
