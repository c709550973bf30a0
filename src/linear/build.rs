//! Making a frozen table: from what learners have come to, or from another table in fewer bits.

use super::FrozenWeights;
use super::buckets::{Buckets, FULL, Flagged, Homes, NOTHING};
use super::frozen::{MAX_TEMPLATES, MAX_WEIGHT};
use super::levels::Levels;
use super::rows::{InlineRow, LEN_BITS, MAX_START, NARROW, PackedEntry, Precision, TableShape, WIDE};
use crate::files::Numbers;
use crate::system::ActionId;

/// Bound that the largest weight stays below in fixed point.
const LARGEST: f64 = (1 << 17) as f64;

/// The nearest whole number, of two the one that is farther from 0, as [`f64::round`] has it. PERF: on x86-64 without SSE4.1 that is a
/// call of a function, and rounding took 1 % of a training run of a perceptron.
#[inline(always)]
pub(super) fn rounded(number: f64) -> i32 {
    (number + 0.5f64.next_down().copysign(number)) as i32
}

impl FrozenWeights {
    /// The sums of the replicas' averages, in fixed point, for scores of this `width`; weights that round to zero are left
    /// out.
    ///
    /// # Panics
    /// If there are more than 2^27 weights.
    pub fn average<L: Averages>(replicas: &[L], width: usize) -> FrozenWeights {
        let shape = TableShape { width, n_features: 0, n_weights: 0, scale: 1, precision: Precision::Full };
        let (limit, largest) = (f64::from(shape.limit()), f64::from(MAX_WEIGHT));
        // No sum exceeds the bounds of all replicas together, and mostly one is nearly as large. If none is, the rows are made again.
        let mut scale = scale_of(replicas.iter().map(L::bound).sum(), limit);
        loop {
            let mut builder = Builder::new(TableShape { scale, ..shape });
            // The numbers of rows in the order of `features`; nothing where all weights round to zero.
            let mut numbers: Vec<Flagged> = Vec::with_capacity(replicas.first().map_or(0, L::n_rows));
            let mut entries: Vec<(ActionId, i32)> = Vec::new();
            let mut largest_sum: f64 = 0.0;
            for_each_sum(replicas, |row| {
                entries.clear();
                let fixed = |sum: f64| rounded((sum * f64::from(scale)).clamp(-largest, largest));
                entries
                    .extend(row.iter().map(|&(action, sum)| (action, fixed(sum))).filter(|&(_, weight)| weight != 0));
                largest_sum = row.iter().fold(largest_sum, |largest, (_, sum)| largest.max(sum.abs()));
                numbers.push(if entries.is_empty() { NOTHING } else { builder.row(&entries) });
            });
            let fitting = scale_of(largest_sum, limit);
            if fitting == scale {
                let numbered = features(replicas).zip(numbers.iter().copied()).filter(|&(_, number)| number != NOTHING);
                let n = builder.shape.n_features;
                return builder.finish(match replicas.first().and_then(L::homes) {
                    Some(homes) => Buckets::with_homes(n, numbered, homes, FULL),
                    None => Buckets::new(n, numbered),
                });
            }
            scale = fitting;
        }
    }

    /// The same weights in fewer bits. Weights that become zero are left out.
    pub fn quantise(&self, precision: Precision) -> FrozenWeights {
        self.again(precision, 0.0, false)
    }

    /// The same without weights that are nearer to 0 than `least`. Features that lose all of them keep their places in the
    /// hash table, whose features are known by parts of their hashes alone, but cost nothing else.
    pub fn prune(&self, least: f64) -> FrozenWeights {
        self.again(self.shape.precision, least, false)
    }

    /// The same in a table that is nearly full, without the features that have lost all their weights.
    pub fn pack(&self) -> FrozenWeights {
        self.again(self.shape.precision, 0.0, true)
    }

    fn again(&self, precision: Precision, least: f64, packed: bool) -> FrozenWeights {
        let least = least * f64::from(self.shape.scale);
        let stays = |weight: i32| f64::from(weight.unsigned_abs()) >= least;
        let mut largest = 0;
        self.for_each_row(|_, row| largest = row.iter().fold(largest, |largest, (_, w)| largest.max(w.unsigned_abs())));
        let mut shape = TableShape { precision, ..self.shape };
        let limit = f64::from(shape.limit());
        let fitting = if precision == Precision::Full { 1.0 } else { (limit / f64::from(largest.max(1))).min(1.0) };
        shape.scale = ((f64::from(self.shape.scale) * fitting) as u32).max(1);
        let factor = f64::from(shape.scale) / f64::from(self.shape.scale);
        let fixed = |weight: i32| rounded((f64::from(weight) * factor).clamp(-limit, limit));

        let mut builder = Builder::new(shape);
        if shape.entry() == 2 {
            let mut sizes: Vec<u32> = Vec::with_capacity(self.shape.n_weights);
            self.for_each_row(|_, row| {
                if InlineRow::of(row).is_none() && !shape.is_dense(row.len()) {
                    let staying = row.iter().filter(|&&(_, weight)| stays(weight));
                    sizes.extend(staying.map(|&(_, weight)| fixed(weight).unsigned_abs()));
                }
            });
            builder.levels = Some(Levels::new(sizes));
        }
        let mut numbers = hashbrown::HashMap::new();
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        self.for_each_row(|number, row| {
            entries.clear();
            let staying = row.iter().filter(|&&(_, weight)| stays(weight));
            entries.extend(staying.map(|&(action, weight)| (action, fixed(weight))).filter(|&(_, w)| w != 0));
            numbers.insert(number, (builder.row(&entries), entries.is_empty()));
        });
        // Homes become one but once: later they could not be distinguished.
        let packed = packed && self.buckets.homes().n_before().is_none();
        builder.finish(match packed {
            false => self.buckets.map(|number| numbers[&number].0),
            true => {
                self.buckets.packed(|number| Some(numbers[&number]).filter(|(_, empty)| !empty).map(|(row, _)| row))
            }
        })
    }
}

/// Averaged weights of a learner that has finished.
pub trait Averages {
    /// The number of features that have a row.
    fn n_rows(&self) -> usize;
    /// The features that have a row, in an order that depends on the rows alone.
    fn features(&self) -> impl Iterator<Item = u64>;
    /// Calls `read` with each feature and its finished row, which it may change, in the order of [`Averages::features`].
    fn for_each_row(&self, read: impl FnMut(u64, &mut Vec<(ActionId, f64)>));
    /// Appends the finished row of `feature`, in no particular order, to `row`.
    fn row_of(&self, feature: u64, row: &mut Vec<(ActionId, f64)>);
    /// True if `feature` has a row.
    fn has_row(&self, feature: u64) -> bool;
    /// A number that no weight exceeds, whatever its sign; mostly the largest of them.
    fn bound(&self) -> f64 {
        let mut largest: f64 = 0.0;
        self.for_each_row(|_, row| {
            largest = row.iter().fold(largest, |largest, (_, weight)| largest.max(weight.abs()))
        });
        largest
    }
    /// The homes of the table that features are known by, if they are not known whole.
    fn homes(&self) -> Option<Homes> {
        None
    }
}

impl<L: Averages> Averages for &L {
    fn n_rows(&self) -> usize {
        (*self).n_rows()
    }

    fn features(&self) -> impl Iterator<Item = u64> {
        (*self).features()
    }

    fn for_each_row(&self, read: impl FnMut(u64, &mut Vec<(ActionId, f64)>)) {
        (*self).for_each_row(read);
    }

    fn row_of(&self, feature: u64, row: &mut Vec<(ActionId, f64)>) {
        (*self).row_of(feature, row);
    }

    fn has_row(&self, feature: u64) -> bool {
        (*self).has_row(feature)
    }

    fn bound(&self) -> f64 {
        (*self).bound()
    }

    fn homes(&self) -> Option<Homes> {
        (*self).homes()
    }
}

/// Rows in the making.
struct Builder {
    sparse: Vec<u8>,
    dense: Vec<i32>,
    levels: Option<Levels>,
    /// Start of each different row, by its bytes: of weights of few bits many are alike.
    alike: hashbrown::HashMap<Vec<u8>, usize>,
    shape: TableShape,
}

impl Builder {
    fn new(shape: TableShape) -> Builder {
        let shape = TableShape { n_features: 0, n_weights: 0, ..shape };
        Builder { sparse: vec![0; shape.entry()], dense: Vec::new(), levels: None, alike: Default::default(), shape }
    }

    /// Adds a row; its number.
    fn row(&mut self, entries: &[(ActionId, i32)]) -> Flagged {
        self.shape.n_features += usize::from(!entries.is_empty());
        self.shape.n_weights += entries.len();
        if let Some(row) = InlineRow::of(entries) {
            return row.pack();
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
                    PackedEntry::<2>::write(&mut self.sparse, action, code);
                }
                3 => PackedEntry::<3>::write(&mut self.sparse, action, weight),
                4 => PackedEntry::<4>::write(&mut self.sparse, action, weight),
                _ => PackedEntry::<8>::write(&mut self.sparse, action, weight),
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
        let (sparse, dense) = (Numbers::from(self.sparse), Numbers::from(self.dense));
        FrozenWeights { buckets, sparse, dense, levels: self.levels, shape: self.shape }
    }
}

/// Scale of fixed point, the value of a weight of 1.0, for sums of which this is the largest: 16 bits behind the point; fewer if sums
/// over templates could overflow or the largest weights were far beyond 16 bits, or beyond `limit`: most dense rows shall be narrow, as
/// they are read often.
fn scale_of(largest: f64, limit: f64) -> u32 {
    let fits = |scale: u32| {
        let largest = largest * f64::from(scale);
        largest < limit.min(LARGEST) && largest * MAX_TEMPLATES <= f64::from(i32::MAX / 4)
    };
    let mut scale = 1 << 16;
    while !fits(scale) && scale > 1 {
        scale /= 2;
    }
    scale
}

/// True if any replica has `feature`.
fn any_has<L: Averages>(replicas: &[L], feature: u64) -> bool {
    replicas.iter().any(|replica| replica.has_row(feature))
}

/// The features that any replica has.
fn features<L: Averages>(replicas: &[L]) -> impl Iterator<Item = u64> {
    replicas.iter().enumerate().flat_map(move |(number, replica)| {
        let earlier = &replicas[..number];
        replica.features().filter(move |&feature| !any_has(earlier, feature))
    })
}

/// Calls `read` with the sums of the averaged weights of each feature, in the order of [`features`].
fn for_each_sum<L: Averages>(replicas: &[L], mut read: impl FnMut(&[(ActionId, f64)])) {
    let mut more: Vec<(ActionId, f64)> = Vec::new();
    for (number, replica) in replicas.iter().enumerate() {
        let (earlier, later) = (&replicas[..number], &replicas[number + 1..]);
        replica.for_each_row(|feature, sums| {
            if any_has(earlier, feature) {
                return;
            }
            more.clear();
            later.iter().for_each(|replica| replica.row_of(feature, &mut more));
            for &(action, average) in &more {
                match sums.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, sum)) => *sum += average,
                    None => sums.push((action, average)),
                }
            }
            read(sums);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::reals::unpacked;
    use crate::linear::{IntegerWeights, Weights as _};
    use crate::model::Averaged as _;
    use crate::vector::versions;

    #[test]
    fn numbers_are_rounded_as_everywhere() {
        let halves = [0.0, 0.5, 1.5, 2.5, 1e6 + 0.5, f64::from(1 << 24) - 0.5];
        let beside = |half: f64| [half.next_down(), half, half.next_up()];
        for number in halves.into_iter().flat_map(beside).flat_map(|number| [number, -number]) {
            assert_eq!(rounded(number), number.round() as i32, "{number}");
        }
    }

    /// In every precision a row comes back, within half a step.
    #[test]
    fn fewer_bits_mean_coarser_steps() {
        for width in [32, 272] {
            let mut weights = IntegerWeights::new(width);
            for feature in 0..2000u64 {
                for action in 0..feature % 40 {
                    let action = (action * 7 % width as u64) as ActionId;
                    weights.update(feature << 20 | feature << 40, action, 1 + (feature % 11) as i32 - 5);
                }
                weights.end_sentence();
            }
            let full = FrozenWeights::average(std::slice::from_ref(&weights), width);
            let scores = |weights: &FrozenWeights, feature: u64| {
                let scores = versions!(_simd => {
                    let mut scores = vec![0; width];
                    weights.add_features(&[feature << 20 | feature << 40], &mut scores);
                    scores
                });
                assert!(scores.iter().all(|version| *version == scores[0]));
                scores[0].iter().map(|&score| f64::from(score) / f64::from(weights.scale())).collect::<Vec<f64>>()
            };
            for precision in [Precision::Full, Precision::I16, Precision::I8] {
                let coarse = full.quantise(precision);
                let step = 1.0 / f64::from(coarse.scale());
                for feature in 0..2000 {
                    for (before, after) in scores(&full, feature).into_iter().zip(scores(&coarse, feature)) {
                        // Some of 8 bits go to the sign and to rare values.
                        let levels = if precision == Precision::I8 { before.abs() / 8.0 } else { 0.0 };
                        assert!((before - after).abs() <= 0.51 * step + levels, "{precision:?}: {before} {after}");
                    }
                }
                let sections = unpacked(&coarse.sections());
                let again = FrozenWeights::from_sections(&sections, width).unwrap();
                assert!(again.sections() == coarse.sections());
                assert!(FrozenWeights::from_sections(&sections, width + 16).is_err());
            }
        }
    }

    /// Weights below the threshold are gone, the others are what they were, and the file is sound.
    #[test]
    fn pruning_leaves_out_what_is_small_and_nothing_else() {
        const WIDTH: usize = 64;
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut weights = IntegerWeights::new(WIDTH);
        for number in 0..3000u64 {
            for action in 0..number % 50 {
                weights.update(feature(number), action as ActionId, ((number * 7 + action * 3) % 41) as i32 - 20);
            }
        }
        weights.end_sentence();
        // The average over two moments, of which the first has no weights.
        let scores = |weights: &FrozenWeights, number: u64| {
            let mut scores = [0; WIDTH];
            weights.add_features(&[feature(number)], &mut scores);
            scores.map(|score| f64::from(score) / f64::from(weights.scale()))
        };
        for precision in [Precision::Full, Precision::I16] {
            let full = FrozenWeights::average(std::slice::from_ref(&weights), WIDTH).quantise(precision);
            let pruned = full.prune(4.0);
            let mut n_left = 0;
            for number in 0..3000 {
                for (before, after) in scores(&full, number).into_iter().zip(scores(&pruned, number)) {
                    assert_eq!(after, if before.abs() >= 4.0 { before } else { 0.0 });
                    n_left += usize::from(after != 0.0);
                }
            }
            assert_eq!(pruned.n_weights(), n_left);
            assert!(n_left * 3 < full.n_weights() * 2 && n_left > 0);
            let bytes = |weights: &FrozenWeights| weights.sections().iter().map(|s| s.bytes().len()).sum::<usize>();
            assert!(bytes(&pruned) < bytes(&full));
            let again = FrozenWeights::from_sections(&unpacked(&pruned.sections()), WIDTH).unwrap();
            assert!(again.sections() == pruned.sections());
        }
    }

    /// The scale is that of the sums, not of what the replicas have apart.
    #[test]
    fn replicas_that_cancel_out_leave_a_fine_scale() {
        let replica = |weight: i32| {
            let mut weights = IntegerWeights::new(16);
            weights.update(1, 3, weight);
            weights.update(2, 5, 1);
            weights.end_sentence();
            weights
        };
        let scale = |weights: &[IntegerWeights]| FrozenWeights::average(weights, 16).scale();
        let (plus, minus, small) = (replica(1 << 14), replica(-(1 << 14)), replica(0));
        assert_eq!(scale(&[plus.clone(), minus]), scale(&[small.clone(), small]));
        assert!(scale(&[plus]) < 1 << 10);
    }

    /// Replicas add up, over features that both have and features that one has.
    #[test]
    fn a_sum_scores_what_its_parts_score_together() {
        const WIDTH: usize = 32;
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let replica = |features: std::ops::Range<u64>, step: u64| {
            let mut weights = IntegerWeights::new(WIDTH);
            for number in features {
                for action in 0..number * step % 9 {
                    weights.update(feature(number), (action * step % WIDTH as u64) as ActionId, 1 + action as i32);
                }
                weights.end_sentence();
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
            for (output, sum) in score(&sum).into_iter().enumerate() {
                assert!((sum - a[output] - b[output]).abs() < 1e-4, "feature {number}, output {output}");
            }
        }
    }
}
