//! The weights of a finished model: averaged, in fixed point, in a table that is only read.
//!
//! A feature costs two cache lines: its bucket ([`Buckets`]) holds the number of its row, and the row holds entries of a
//! few bytes, an action and its weight. A score is a sum of integers, so it does not depend on the order of summation:
//! memoised, batched and plain scoring agree to the bit.

use super::buckets::{Bucket, Buckets};
use super::memory::Numbers;
use super::{LiveWeights, Weights};
use crate::system::ActionId;

/// How a weight is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 24 bits, or 32 if there are more than 256 actions: as trained, for all that sums can tell.
    Full,
    /// 16 bits.
    I16,
    /// 8 bits.
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

/// Frozen weights.
#[derive(Debug, Clone)]
pub struct FrozenWeights {
    buckets: Buckets,
    /// Entries of sparse rows, [`Entry::BYTES`] each, and [`PADDING`].
    sparse: Numbers<u8>,
    /// Dense rows, a weight for each of the `width` lanes.
    dense: Numbers<i32>,
    shape: Shape,
}

/// What is counted of a table, and how to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    width: usize,
    n_features: usize,
    n_weights: usize,
    /// The fixed-point factor: a weight of 1.0 is stored as this.
    scale: u32,
    precision: Precision,
}

/// The number of a row says how many entries it has, in its lowest bits, and where it starts: sparse rows by entry, dense
/// ones by row. Start 0 is taken by nothing, so that no row has the number 0.
const LEN_BITS: u32 = 5;
/// Marks a dense row.
const DENSE: u32 = (1 << LEN_BITS) - 1;
const MAX_START: usize = (1 << (32 - LEN_BITS)) - 1;

/// A row is dense from this share of its lanes on. Adding a dense row costs a vector operation for eight lanes or
/// more, adding a sparse one two loads and a store for each entry; features of tags alone have long rows and fire always.
const DENSE_SHARE: usize = 5;

/// Entries are read eight bytes at a time.
const PADDING: usize = 8;

/// The most templates that can fire at once, for the bound on sums.
const MAX_TEMPLATES: f64 = 1024.0;

/// An entry of a sparse row in `BYTES` bytes: the action in the lowest ones, the weight in the others.
struct Entry<const BYTES: usize>;

impl<const BYTES: usize> Entry<BYTES> {
    /// The bits of the action.
    const ACTION: u32 = if BYTES == 8 { 32 } else { 8 };

    #[inline]
    fn read(bytes: &[u8], entry: usize) -> (usize, i32) {
        let word = u64::from_le_bytes(bytes[entry * BYTES..][..8].try_into().expect("eight bytes"));
        let unused = 64 - 8 * BYTES as u32;
        let action = word & ((1 << Self::ACTION) - 1);
        (action as usize, ((word << unused) as i64 >> (unused + Self::ACTION)) as i32)
    }

    fn write(bytes: &mut Vec<u8>, action: ActionId, weight: i32) {
        let word = u64::from(action) | (i64::from(weight) as u64) << Self::ACTION;
        bytes.extend(&word.to_le_bytes()[..BYTES]);
    }
}

impl Shape {
    /// The bytes of an entry.
    fn entry(&self) -> usize {
        match self.precision {
            _ if self.width > 256 => 8,
            Precision::Full => 4,
            Precision::I16 => 3,
            Precision::I8 => 2,
        }
    }

    /// The largest weight that can be stored.
    fn limit(&self) -> i32 {
        match self.precision {
            Precision::Full if self.width > 256 => i32::MAX,
            Precision::Full => (1 << 23) - 1,
            Precision::I16 => i32::from(i16::MAX),
            Precision::I8 => i32::from(i8::MAX),
        }
    }
}

impl FrozenWeights {
    /// The sums of the replicas' averages, in fixed point, for scores of `width` lanes; weights that round to zero are left
    /// out.
    ///
    /// # Panics
    /// If there are more than 2^27 weights.
    pub fn average<L: Averages>(replicas: &[L], width: usize) -> FrozenWeights {
        let mut largest: f64 = 0.0;
        for_each_sum(replicas, |_, row| row.iter().for_each(|&(_, sum)| largest = largest.max(sum.abs())));
        // 16 bits behind the point, fewer only if weights would not fit or sums could overflow.
        let mut shape = Shape { width, n_features: 0, n_weights: 0, scale: 1 << 16, precision: Precision::Full };
        let limit = f64::from(shape.limit());
        let fits = |scale: u32| {
            let largest = largest * f64::from(scale);
            largest < limit && largest * MAX_TEMPLATES <= f64::from(i32::MAX / 4)
        };
        while !fits(shape.scale) && shape.scale > 1 {
            shape.scale /= 2;
        }
        let mut builder = Builder::new(shape);
        let mut numbers: Vec<(u64, u32)> = Vec::with_capacity(replicas.first().map_or(0, L::n_rows));
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for_each_sum(replicas, |feature, row| {
            entries.clear();
            let fixed = |sum: f64| (sum * f64::from(shape.scale)).round() as i32;
            entries.extend(row.iter().map(|&(action, sum)| (action, fixed(sum))).filter(|&(_, weight)| weight != 0));
            if !entries.is_empty() {
                numbers.push((feature, builder.row(&entries)));
            }
        });
        builder.finish(Buckets::new(&numbers))
    }

    /// The same weights in fewer bits. Those of 8 bits are cut off where the largest 1 in 10,000 begin: finer steps for the
    /// others are worth more.
    pub fn quantise(&self, precision: Precision) -> FrozenWeights {
        let mut sizes: Vec<u32> = Vec::with_capacity(self.shape.n_weights);
        self.for_each_row(|_, row| sizes.extend(row.iter().map(|&(_, weight)| weight.unsigned_abs())));
        let largest = match precision {
            Precision::I8 if sizes.len() >= 10_000 => {
                let place = sizes.len() - sizes.len() / 10_000;
                *sizes.select_nth_unstable(place).1
            }
            _ => sizes.iter().copied().max().unwrap_or(0),
        };
        let mut shape = Shape { precision, ..self.shape };
        let limit = f64::from(shape.limit());
        let fitting = if precision == Precision::Full { 1.0 } else { (limit / f64::from(largest.max(1))).min(1.0) };
        shape.scale = ((f64::from(self.shape.scale) * fitting) as u32).max(1);
        let factor = f64::from(shape.scale) / f64::from(self.shape.scale);
        let mut builder = Builder::new(shape);
        let mut numbers = std::collections::HashMap::new();
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        self.for_each_row(|number, row| {
            let fixed = |weight: i32| (f64::from(weight) * factor).round().clamp(-limit, limit) as i32;
            entries.clear();
            entries.extend(row.iter().map(|&(action, weight)| (action, fixed(weight))).filter(|&(_, w)| w != 0));
            numbers.insert(number, builder.row(&entries));
        });
        builder.finish(self.buckets.map(|number| numbers[&number]))
    }

    /// The lanes of sums.
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

    /// The fixed-point factor.
    pub fn scale(&self) -> u32 {
        self.shape.scale
    }

    /// How a weight is stored.
    pub fn precision(&self) -> Precision {
        self.shape.precision
    }

    /// Calls `read` with the number of each row and its entries.
    fn for_each_row(&self, mut read: impl FnMut(u32, &[(ActionId, i32)])) {
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for number in self.buckets.numbers() {
            let (start, len) = ((number >> LEN_BITS) as usize, number & DENSE);
            entries.clear();
            if len == DENSE {
                let row = &self.dense[(start - 1) * self.shape.width..][..self.shape.width];
                let weights = row.iter().enumerate().filter(|&(_, &weight)| weight != 0);
                entries.extend(weights.map(|(action, &weight)| (action as ActionId, weight)));
            } else {
                let entry = |i: u32| match self.shape.entry() {
                    2 => Entry::<2>::read(&self.sparse, start + i as usize),
                    3 => Entry::<3>::read(&self.sparse, start + i as usize),
                    4 => Entry::<4>::read(&self.sparse, start + i as usize),
                    _ => Entry::<8>::read(&self.sparse, start + i as usize),
                };
                entries.extend((0..len).map(entry).map(|(action, weight)| (action as ActionId, weight)));
            }
            read(number, &entries);
        }
    }

    #[inline]
    fn add_rows<const BYTES: usize>(&self, features: &[u64], scores: &mut [i32]) {
        const BATCH: usize = 32;
        let (sparse, dense, width) = (&self.sparse[..], &self.dense[..], self.shape.width);
        let last = sparse.len() - PADDING;
        let mut rows = [0u32; BATCH];
        let mut first = [0u8; BATCH];
        for features in features.chunks(BATCH) {
            self.buckets.find_all(features, &mut rows);
            // Here, too, no branch waits for memory: the first lines of all rows are on their way before one is used.
            for (first, &row) in first.iter_mut().zip(&rows[..features.len()]) {
                *first = sparse[((row >> LEN_BITS) as usize * BYTES).min(last)];
            }
            std::hint::black_box(&first);
            for &row in &rows[..features.len()] {
                let (start, len) = ((row >> LEN_BITS) as usize, row & DENSE);
                if len == DENSE {
                    let row = &dense[(start - 1) * width..][..width];
                    for (score, weight) in scores.iter_mut().zip(row) {
                        *score += weight;
                    }
                } else {
                    for i in 0..len as usize {
                        let (action, weight) = Entry::<BYTES>::read(sparse, start + i);
                        scores[action] += weight;
                    }
                }
            }
        }
    }
}

impl Weights for FrozenWeights {
    #[inline]
    fn add(&self, features: &[u64], scores: &mut [i32]) {
        match self.shape.entry() {
            2 => self.add_rows::<2>(features, scores),
            3 => self.add_rows::<3>(features, scores),
            4 => self.add_rows::<4>(features, scores),
            _ => self.add_rows::<8>(features, scores),
        }
    }
}

/// What a learner's weights come to once it has finished.
pub trait Averages {
    /// The number of features that have a row.
    fn n_rows(&self) -> usize;
    /// Calls `read` with each feature and its finished row, in an order that tells nothing but what the rows are.
    fn for_each_row(&self, read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>));
    /// The finished row of `feature`, in no particular order.
    fn row_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_;
    /// Whether `feature` has a row.
    fn has_row(&self, feature: u64) -> bool;
}

impl<L: Averages> Averages for &L {
    fn n_rows(&self) -> usize {
        (*self).n_rows()
    }

    fn for_each_row(&self, read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>)) {
        (*self).for_each_row(read);
    }

    fn row_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        (*self).row_of(feature)
    }

    fn has_row(&self, feature: u64) -> bool {
        (*self).has_row(feature)
    }
}

impl Averages for LiveWeights {
    fn n_rows(&self) -> usize {
        self.n_features()
    }

    fn for_each_row(&self, read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>)) {
        self.for_each_average(read);
    }

    fn row_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        self.averages_of(feature)
    }

    fn has_row(&self, feature: u64) -> bool {
        self.has(feature)
    }
}

/// Rows in the making.
struct Builder {
    sparse: Vec<u8>,
    dense: Vec<i32>,
    shape: Shape,
}

impl Builder {
    fn new(shape: Shape) -> Builder {
        let sparse = vec![0; shape.entry()];
        Builder { sparse, dense: Vec::new(), shape: Shape { n_features: 0, n_weights: 0, ..shape } }
    }

    /// Adds a row; its number.
    fn row(&mut self, entries: &[(ActionId, i32)]) -> u32 {
        let Shape { width, .. } = self.shape;
        self.shape.n_features += usize::from(!entries.is_empty());
        self.shape.n_weights += entries.len();
        let (start, len) = if entries.len() * DENSE_SHARE >= width || entries.len() >= DENSE as usize {
            let first = self.dense.len();
            self.dense.resize(first + width, 0);
            entries.iter().for_each(|&(action, weight)| self.dense[first + action as usize] = weight);
            (first / width + 1, DENSE)
        } else {
            let start = self.sparse.len() / self.shape.entry();
            for &(action, weight) in entries {
                match self.shape.entry() {
                    2 => Entry::<2>::write(&mut self.sparse, action, weight),
                    3 => Entry::<3>::write(&mut self.sparse, action, weight),
                    4 => Entry::<4>::write(&mut self.sparse, action, weight),
                    _ => Entry::<8>::write(&mut self.sparse, action, weight),
                }
            }
            (start, entries.len() as u32)
        };
        assert!(start <= MAX_START, "a model has at most 2^27 weights");
        (start as u32) << LEN_BITS | len
    }

    fn finish(mut self, buckets: Buckets) -> FrozenWeights {
        self.sparse.resize(self.sparse.len() + PADDING, 0);
        let (sparse, dense) = (Numbers::Owned(self.sparse), Numbers::Owned(self.dense));
        FrozenWeights { buckets, sparse, dense, shape: self.shape }
    }
}

/// Calls `read` with each feature that any replica has and the sums of its averaged weights.
fn for_each_sum<L: Averages>(replicas: &[L], mut read: impl FnMut(u64, &[(ActionId, f64)])) {
    let mut sums: Vec<(ActionId, f64)> = Vec::new();
    for (number, replica) in replicas.iter().enumerate() {
        let (earlier, later) = (&replicas[..number], &replicas[number + 1..]);
        replica.for_each_row(|feature, row| {
            if earlier.iter().any(|replica| replica.has_row(feature)) {
                return;
            }
            sums.clear();
            sums.extend(row);
            for (action, average) in later.iter().flat_map(|replica| replica.row_of(feature)) {
                match sums.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, sum)) => *sum += average,
                    None => sums.push((action, average)),
                }
            }
            read(feature, &sums);
        });
    }
}

/// The sections of a table in a file: its shape, buckets, sparse rows, dense rows.
pub const N_SECTIONS: usize = 4;

impl FrozenWeights {
    /// The table as bytes.
    pub fn sections(&self) -> (Vec<u8>, [&[u8]; N_SECTIONS - 1]) {
        let Shape { width, n_features, n_weights, scale, precision } = self.shape;
        let numbers = [width as u64, n_features as u64, n_weights as u64, u64::from(scale), precision as u64];
        let shape = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        let tables =
            [bytemuck::cast_slice(self.buckets.as_slice()), &self.sparse[..], bytemuck::cast_slice(&self.dense)];
        (shape, tables)
    }

    /// The table from its bytes, copied; `None` if anything in it points outside it or beyond `width` lanes.
    pub fn from_sections(shape: &[u8], [buckets, sparse, dense]: [&[u8]; 3], width: usize) -> Option<FrozenWeights> {
        let (buckets, dense) = (from_bytes(buckets)?, from_bytes(dense)?);
        let tables = (Numbers::Owned(buckets), Numbers::Owned(sparse.to_vec()), Numbers::Owned(dense));
        FrozenWeights::from_tables(shape, tables, width)
    }

    /// The table of these parts; `None` if anything in it points outside it or beyond `width` lanes.
    pub fn from_tables(
        shape: &[u8],
        (buckets, sparse, dense): (Numbers<Bucket>, Numbers<u8>, Numbers<i32>),
        width: usize,
    ) -> Option<FrozenWeights> {
        let shape: Vec<u64> = from_bytes(shape)?;
        let &[lanes, n_features, n_weights, scale, precision] = &shape[..] else { return None };
        let shape = Shape {
            width,
            n_features: usize::try_from(n_features).ok()?,
            n_weights: usize::try_from(n_weights).ok()?,
            scale: u32::try_from(scale).ok().filter(|&scale| scale > 0)?,
            precision: [Precision::Full, Precision::I16, Precision::I8].into_iter().find(|&p| p as u64 == precision)?,
        };
        let weights = FrozenWeights { buckets: Buckets::from_buckets(buckets)?, sparse, dense, shape };
        let n_entries = weights.sparse.len().checked_sub(PADDING)? / shape.entry();
        let row_is_sound = |number: u32| {
            let (start, len) = ((number >> LEN_BITS) as usize, number & DENSE);
            match len {
                DENSE => start > 0 && start * width <= weights.dense.len(),
                _ => start + len as usize <= n_entries,
            }
        };
        let sound = lanes == width as u64 && weights.buckets.numbers().all(row_is_sound);
        // Entries stand side by side, whatever rows they belong to.
        let action_is_sound = |entry: usize| match shape.entry() {
            2 => Entry::<2>::read(&weights.sparse, entry).0 < width,
            3 => Entry::<3>::read(&weights.sparse, entry).0 < width,
            4 => Entry::<4>::read(&weights.sparse, entry).0 < width,
            _ => Entry::<8>::read(&weights.sparse, entry).0 < width,
        };
        (sound && (width == 256 && shape.entry() < 8 || (0..n_entries).all(action_is_sound))).then_some(weights)
    }
}

/// Numbers from bytes of any alignment; `None` if there is a rest.
pub fn from_bytes<T: bytemuck::Pod>(bytes: &[u8]) -> Option<Vec<T>> {
    bytes.len().is_multiple_of(size_of::<T>()).then(|| bytemuck::allocation::pod_collect_to_vec(bytes))
}
#[cfg(test)]
mod tests {
    use super::*;

    /// In every precision a row comes back, within half a step.
    #[test]
    fn fewer_bits_mean_coarser_steps() {
        for width in [32, 272] {
            let mut weights = LiveWeights::default();
            for feature in 0..2000u64 {
                for action in 0..feature % 40 {
                    let action = (action * 7 % width as u64) as ActionId;
                    weights.update(feature << 20 | feature << 40, action, 1 + (feature % 11) as i32 - 5);
                }
                weights.tick();
            }
            let full = FrozenWeights::average(std::slice::from_ref(&weights), width);
            let scores = |weights: &FrozenWeights, feature: u64| {
                let mut scores = vec![0; width];
                weights.add(&[feature << 20 | feature << 40], &mut scores);
                scores.into_iter().map(|score| f64::from(score) / f64::from(weights.scale())).collect::<Vec<f64>>()
            };
            for precision in [Precision::Full, Precision::I16, Precision::I8] {
                let coarse = full.quantise(precision);
                let step = 1.0 / f64::from(coarse.scale());
                for feature in 0..2000 {
                    for (before, after) in scores(&full, feature).into_iter().zip(scores(&coarse, feature)) {
                        let cut_off = precision == Precision::I8 && after.abs() >= 126.0 * step;
                        assert!((before - after).abs() <= 0.51 * step || cut_off, "{precision:?}: {before} {after}");
                    }
                }
                let (shape, tables) = coarse.sections();
                let again = FrozenWeights::from_sections(&shape, tables, width).unwrap();
                assert_eq!(again.sections(), coarse.sections());
                assert!(FrozenWeights::from_sections(&shape, tables, width + 16).is_none());
            }
        }
    }

    /// Replicas add up, over features that both have and features that one has.
    #[test]
    fn a_sum_scores_what_its_parts_score_together() {
        const WIDTH: usize = 32;
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let replica = |features: std::ops::Range<u64>, step: u64| {
            let mut weights = LiveWeights::default();
            for number in features {
                for action in 0..number * step % 9 {
                    weights.update(feature(number), (action * step % WIDTH as u64) as ActionId, 1 + action as i32);
                }
                weights.tick();
            }
            weights
        };
        let replicas = [replica(0..300, 3), replica(200..500, 5)];
        let parts = replicas.each_ref().map(|part| FrozenWeights::average(std::slice::from_ref(part), WIDTH));
        let sum = FrozenWeights::average(&replicas, WIDTH);
        assert!(sum.n_features() > parts[0].n_features().max(parts[1].n_features()));
        for number in 0..500 {
            let score = |weights: &FrozenWeights| {
                let mut scores = [0; WIDTH];
                weights.add(&[feature(number)], &mut scores);
                scores.map(|score| f64::from(score) / f64::from(weights.scale()))
            };
            let (a, b) = (score(&parts[0]), score(&parts[1]));
            for (lane, sum) in score(&sum).into_iter().enumerate() {
                assert!((sum - a[lane] - b[lane]).abs() < 1e-4, "feature {number}, lane {lane}");
            }
        }
    }
}
