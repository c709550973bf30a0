//! The weights of a finished model: averaged, in fixed point, in a table that is only read.
//!
//! A feature costs two cache lines: its bucket ([`Buckets`]) holds the number of its row, and the row holds entries of a
//! few bytes, an action and its weight. A score is a sum of integers, so it does not depend on the order of summation:
//! memoised, batched and plain scoring agree to the bit.

use super::buckets::{Bucket, Buckets, FLAG, Flagged};
use super::levels::Levels;
use super::memory::{self, Numbers};
use super::{LiveWeights, Row, Weights};
use crate::system::ActionId;

/// How a weight is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 24 bits, or 32 if there are more than 256 actions: as trained, for all that sums can tell.
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

/// Frozen weights.
#[derive(Debug, Clone)]
pub struct FrozenWeights {
    buckets: Buckets,
    /// Entries of sparse rows, of as many bytes as the shape says.
    sparse: Numbers<u8>,
    /// Dense rows, a weight for each of the `width` lanes; in narrow ones two to a number.
    dense: Numbers<i32>,
    /// What the codes of weights of 8 bits mean.
    levels: Option<Levels>,
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
/// ones by half row. Start 0 is taken by nothing, so that no row has the number 0. A number with a flag is a row itself: see
/// [`Pair`].
const LEN_BITS: u32 = 5;
/// Marks a dense row of 32 bits a lane.
const WIDE: u32 = (1 << LEN_BITS) - 1;
/// Marks a dense row of 16 bits a lane.
const NARROW: u32 = WIDE - 1;
const MAX_START: usize = (1 << (32 - LEN_BITS)) - 1;

/// Where the row with this number starts, and how many entries it has.
#[inline]
fn place(number: Flagged) -> (usize, u32) {
    ((number as u32 >> LEN_BITS) as usize, number as u32 & WIDE)
}

/// A row is dense from this share of its lanes on.
const DENSE_SHARE: usize = 5;

/// What the largest weight stays below in fixed point.
const LARGEST: f64 = (1 << 17) as f64;

/// The most templates that can fire at once, for the bound on sums.
const MAX_TEMPLATES: f64 = 1024.0;

/// An entry of a sparse row in `BYTES` bytes: the action in the lowest ones, the weight in the others.
struct Entry<const BYTES: usize>;

impl<const BYTES: usize> Entry<BYTES> {
    /// The bits of the action.
    const ACTION: u32 = if BYTES == 8 { 32 } else { 8 };

    /// The `len` entries from number `start` on.
    #[inline]
    fn read(bytes: &[u8], start: usize, len: usize) -> impl Iterator<Item = (usize, i32)> + '_ {
        bytes[start * BYTES..][..len * BYTES].chunks_exact(BYTES).map(|entry| {
            let mut word = [0; 8];
            word[..BYTES].copy_from_slice(entry);
            let word = u64::from_le_bytes(word);
            let unused = 64 - 8 * BYTES as u32;
            let action = word & ((1 << Self::ACTION) - 1);
            (action as usize, ((word << unused) as i64 >> (unused + Self::ACTION)) as i32)
        })
    }

    fn write(bytes: &mut Vec<u8>, action: ActionId, weight: i32) {
        let word = u64::from(action) | (i64::from(weight) as u64) << Self::ACTION;
        bytes.extend(&word.to_le_bytes()[..BYTES]);
    }

    /// The largest action of all entries. Entries stand side by side, whatever rows they belong to.
    fn largest_action(bytes: &[u8]) -> usize {
        let n = bytes.len() / BYTES;
        Self::read(bytes, 0, n).fold(0, |largest, (action, _)| largest.max(action))
    }
}

/// The rows that most features have, in place of a row's number: one weight, or, after a single update of a single decision,
/// two that are opposite. There may be at most 256 actions, and the weight must fit into 16 bits.
struct Pair {
    /// The action with the weight.
    plus: u8,
    /// The action with the opposite weight, or the same one if there is none.
    minus: u8,
    weight: i16,
}

impl Pair {
    /// The pair of these entries, if they are one.
    fn of(entries: &[(ActionId, i32)]) -> Option<Pair> {
        let action = |action: ActionId| u8::try_from(action).ok();
        let weight = |weight: i32| i16::try_from(weight).ok().filter(|&weight| weight != i16::MIN);
        match *entries {
            [(a, w)] => Some(Pair { plus: action(a)?, minus: action(a)?, weight: weight(w)? }),
            [(a, w), (b, v)] if w == -v => Some(Pair { plus: action(a)?, minus: action(b)?, weight: weight(w)? }),
            _ => None,
        }
    }

    #[inline]
    fn pack(&self) -> Flagged {
        FLAG | u64::from(self.weight as u16) << 16 | u64::from(self.minus) << 8 | u64::from(self.plus)
    }

    #[inline]
    fn unpack(row: Flagged) -> Pair {
        Pair { plus: row as u8, minus: (row >> 8) as u8, weight: (row >> 16) as i16 }
    }

    fn entries(&self) -> impl Iterator<Item = (ActionId, i32)> {
        let (plus, minus, weight) = (ActionId::from(self.plus), ActionId::from(self.minus), i32::from(self.weight));
        std::iter::once((plus, weight)).chain((plus != minus).then_some((minus, -weight)))
    }

    #[inline]
    fn add_to(&self, scores: &mut [i32]) {
        let weight = i32::from(self.weight);
        scores[self.plus as usize] += weight;
        scores[self.minus as usize] -= if self.plus == self.minus { 0 } else { weight };
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
            Precision::I16 | Precision::I8 => i32::from(i16::MAX),
        }
    }

    /// The numbers of half a dense row.
    #[inline]
    fn half(&self) -> usize {
        self.width / 2
    }

    /// Whether a row of so many weights is dense. Adding a dense row costs a vector operation for eight lanes or more,
    /// adding a sparse one two loads and a store for each entry; features of tags alone have long rows and fire always. Where
    /// fewer bits are wanted, so are fewer bytes.
    fn is_dense(&self, n_entries: usize) -> bool {
        let full = self.precision == Precision::Full;
        n_entries >= NARROW as usize || full && n_entries * DENSE_SHARE >= self.width
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
        // 16 bits behind the point; fewer if sums could overflow or the largest weights were far beyond 16 bits: most dense
        // rows shall be narrow, as they are a large part of what is read.
        let mut shape = Shape { width, n_features: 0, n_weights: 0, scale: 1 << 16, precision: Precision::Full };
        let limit = f64::from(shape.limit());
        let fits = |scale: u32| {
            let largest = largest * f64::from(scale);
            largest < limit.min(LARGEST) && largest * MAX_TEMPLATES <= f64::from(i32::MAX / 4)
        };
        while !fits(shape.scale) && shape.scale > 1 {
            shape.scale /= 2;
        }
        let mut builder = Builder::new(shape);
        let mut numbers: Vec<(u64, Flagged)> = Vec::with_capacity(replicas.first().map_or(0, L::n_rows));
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

    /// The same weights in fewer bits. Weights that become zero are left out.
    pub fn quantise(&self, precision: Precision) -> FrozenWeights {
        let mut largest = 0;
        self.for_each_row(|_, row| largest = row.iter().fold(largest, |largest, (_, w)| largest.max(w.unsigned_abs())));
        let mut shape = Shape { precision, ..self.shape };
        let limit = f64::from(shape.limit());
        let fitting = if precision == Precision::Full { 1.0 } else { (limit / f64::from(largest.max(1))).min(1.0) };
        shape.scale = ((f64::from(self.shape.scale) * fitting) as u32).max(1);
        let factor = f64::from(shape.scale) / f64::from(self.shape.scale);
        let fixed = |weight: i32| (f64::from(weight) * factor).round().clamp(-limit, limit) as i32;

        let mut builder = Builder::new(shape);
        if shape.entry() == 2 {
            let mut sizes: Vec<u32> = Vec::with_capacity(self.shape.n_weights);
            self.for_each_row(|_, row| {
                if Pair::of(row).is_none() && !shape.is_dense(row.len()) {
                    sizes.extend(row.iter().map(|&(_, weight)| fixed(weight).unsigned_abs()));
                }
            });
            builder.levels = Some(Levels::new(sizes));
        }
        let mut numbers = hashbrown::HashMap::new();
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        self.for_each_row(|number, row| {
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
    fn for_each_row(&self, mut read: impl FnMut(Flagged, &[(ActionId, i32)])) {
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for number in self.buckets.numbers() {
            let (start, len) = place(number);
            entries.clear();
            if number & FLAG != 0 {
                entries.extend(Pair::unpack(number).entries());
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
                    2 => Entry::<2>::read(&self.sparse, start, len).map(|entry| self.decoded(entry)).for_each(add),
                    3 => Entry::<3>::read(&self.sparse, start, len).for_each(add),
                    4 => Entry::<4>::read(&self.sparse, start, len).for_each(add),
                    _ => Entry::<8>::read(&self.sparse, start, len).for_each(add),
                }
            }
            read(number, &entries);
        }
    }

    /// An entry whose weight is a code.
    #[inline]
    fn decoded(&self, (action, code): (usize, i32)) -> (usize, i32) {
        (action, self.levels.as_ref().map_or(code, |levels| levels.value(code)))
    }

    #[inline]
    fn dense_row<'w>(&self, dense: &'w [i32], start: usize, len: u32) -> DenseRow<'w> {
        let half = self.shape.half();
        let row = &dense[(start - 1) * half..];
        if len == NARROW {
            DenseRow::Narrow(bytemuck::cast_slice(&row[..half]))
        } else {
            DenseRow::Wide(&row[..2 * half])
        }
    }

    #[inline]
    fn add_rows<const BYTES: usize>(&self, rows: &[Row], scores: &mut [i32]) {
        let (sparse, dense) = (&self.sparse[..], &self.dense[..]);
        for &Row(row) in rows {
            let (start, len) = place(row);
            if row & FLAG != 0 {
                Pair::unpack(row).add_to(scores);
            } else if len >= NARROW {
                match self.dense_row(dense, start, len) {
                    DenseRow::Narrow(row) => scores.iter_mut().zip(row).for_each(|(score, &w)| *score += i32::from(w)),
                    DenseRow::Wide(row) => scores.iter_mut().zip(row).for_each(|(score, &w)| *score += w),
                }
            } else {
                for entry in Entry::<BYTES>::read(sparse, start, len as usize) {
                    let (action, weight) = if BYTES == 2 { self.decoded(entry) } else { entry };
                    scores[action] += weight;
                }
            }
        }
    }
}

/// A row with a weight for each lane.
enum DenseRow<'w> {
    Narrow(&'w [i16]),
    Wide(&'w [i32]),
}

impl Weights for FrozenWeights {
    #[inline]
    fn prefetch(&self, features: &[u64]) {
        self.buckets.prefetch(features);
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        self.buckets.find_all(features, rows);
        let (sparse, dense, bytes) = (&self.sparse[..], &self.dense[..], self.shape.entry());
        for &Row(row) in rows.iter().filter(|row| row.0 & FLAG == 0) {
            match place(row) {
                (start, NARROW | WIDE) => {
                    let first = (start - 1) * self.shape.half();
                    (0..self.shape.half()).step_by(16).for_each(|at| memory::prefetch(dense, first + at));
                }
                (start, _) => memory::prefetch(sparse, start * bytes),
            }
        }
    }

    #[inline]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        match self.shape.entry() {
            2 => self.add_rows::<2>(rows, scores),
            3 => self.add_rows::<3>(rows, scores),
            4 => self.add_rows::<4>(rows, scores),
            _ => self.add_rows::<8>(rows, scores),
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
    levels: Option<Levels>,
    /// Where rows start that are alike, by their bytes: of weights of few bits there are many.
    alike: hashbrown::HashMap<Vec<u8>, usize>,
    shape: Shape,
}

impl Builder {
    fn new(shape: Shape) -> Builder {
        let shape = Shape { n_features: 0, n_weights: 0, ..shape };
        Builder { sparse: vec![0; shape.entry()], dense: Vec::new(), levels: None, alike: Default::default(), shape }
    }

    /// Adds a row; its number.
    fn row(&mut self, entries: &[(ActionId, i32)]) -> Flagged {
        self.shape.n_features += usize::from(!entries.is_empty());
        self.shape.n_weights += entries.len();
        if let Some(pair) = Pair::of(entries) {
            return pair.pack();
        }
        let (start, len) = if self.shape.is_dense(entries.len()) {
            self.dense_row(entries)
        } else {
            (self.sparse_row(entries), entries.len() as u32)
        };
        assert!(start <= MAX_START, "a model has at most 2^27 weights");
        u64::from((start as u32) << LEN_BITS | len)
    }

    fn dense_row(&mut self, entries: &[(ActionId, i32)]) -> (usize, u32) {
        let (first, half) = (self.dense.len(), self.shape.half());
        let is_narrow = entries.iter().all(|&(_, weight)| i16::try_from(weight).is_ok());
        if is_narrow {
            self.dense.resize(first + half, 0);
            let row: &mut [i16] = bytemuck::cast_slice_mut(&mut self.dense[first..]);
            entries.iter().for_each(|&(action, weight)| row[action as usize] = weight as i16);
        } else {
            self.dense.resize(first + 2 * half, 0);
            let row = &mut self.dense[first..];
            entries.iter().for_each(|&(action, weight)| row[action as usize] = weight);
        }
        (first / half + 1, if is_narrow { NARROW } else { WIDE })
    }

    fn sparse_row(&mut self, entries: &[(ActionId, i32)]) -> usize {
        let (first, bytes) = (self.sparse.len(), self.shape.entry());
        for &(action, weight) in entries {
            match bytes {
                2 => {
                    let code = self.levels.as_ref().map_or(weight, |levels| levels.code(weight));
                    Entry::<2>::write(&mut self.sparse, action, code);
                }
                3 => Entry::<3>::write(&mut self.sparse, action, weight),
                4 => Entry::<4>::write(&mut self.sparse, action, weight),
                _ => Entry::<8>::write(&mut self.sparse, action, weight),
            }
        }
        let start = first / bytes;
        if bytes > 2 {
            return start;
        }
        let known = *self.alike.entry_ref(&self.sparse[first..]).or_insert(start);
        if known != start {
            self.sparse.truncate(first);
        }
        known
    }

    fn finish(self, buckets: Buckets) -> FrozenWeights {
        let (sparse, dense) = (Numbers::Owned(self.sparse), Numbers::Owned(self.dense));
        FrozenWeights { buckets, sparse, dense, levels: self.levels, shape: self.shape }
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
        let levels = self.levels.iter().flat_map(Levels::values);
        let shape = numbers.into_iter().chain(levels).flat_map(u64::to_le_bytes).collect();
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
        let &[lanes, n_features, n_weights, scale, precision, ref levels @ ..] = &shape[..] else { return None };
        let shape = Shape {
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
        let weights = FrozenWeights { buckets: Buckets::from_buckets(buckets)?, sparse, dense, levels, shape };
        let (n_entries, half) = (weights.sparse.len() / shape.entry(), shape.half());
        let row_is_sound = |number: Flagged| {
            let (start, len) = place(number);
            match len {
                _ if number & FLAG != 0 => {
                    let Pair { plus, minus, .. } = Pair::unpack(number);
                    usize::from(plus.max(minus)) < width
                }
                NARROW => start > 0 && start * half <= weights.dense.len(),
                WIDE => start > 0 && (start + 1) * half <= weights.dense.len(),
                _ => start + len as usize <= n_entries,
            }
        };
        // Nothing ends the loop early, so that it can be vectorised.
        let sound =
            lanes == width as u64 && weights.buckets.numbers().fold(true, |sound, number| sound & row_is_sound(number));
        let largest_action = match shape.entry() {
            2 => Entry::<2>::largest_action(&weights.sparse),
            3 => Entry::<3>::largest_action(&weights.sparse),
            4 => Entry::<4>::largest_action(&weights.sparse),
            _ => Entry::<8>::largest_action(&weights.sparse),
        };
        (sound && largest_action < width).then_some(weights)
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
                weights.add_features(&[feature << 20 | feature << 40], &mut scores);
                scores.into_iter().map(|score| f64::from(score) / f64::from(weights.scale())).collect::<Vec<f64>>()
            };
            for precision in [Precision::Full, Precision::I16, Precision::I8] {
                let coarse = full.quantise(precision);
                let step = 1.0 / f64::from(coarse.scale());
                for feature in 0..2000 {
                    for (before, after) in scores(&full, feature).into_iter().zip(scores(&coarse, feature)) {
                        // Of 8 bits, some go to the sign and to what is seldom.
                        let levels = if precision == Precision::I8 { before.abs() / 8.0 } else { 0.0 };
                        assert!((before - after).abs() <= 0.51 * step + levels, "{precision:?}: {before} {after}");
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
                weights.add_features(&[feature(number)], &mut scores);
                scores.map(|score| f64::from(score) / f64::from(weights.scale()))
            };
            let (a, b) = (score(&parts[0]), score(&parts[1]));
            for (lane, sum) in score(&sum).into_iter().enumerate() {
                assert!((sum - a[lane] - b[lane]).abs() < 1e-4, "feature {number}, lane {lane}");
            }
        }
    }
}
