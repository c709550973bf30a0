//! The weights of a perceptron while it learns: integers.
//!
//! Each has beside it the sum `u` of (tick × change), so that the average over all ticks so far is `w − u / ticks` (the lazy
//! average of Daumé 2006, section 2.3; it equals the mean over the weights "0 before the first tick, then w after each tick").
//!
//! Weights that go on from a finished model know features as its table does ([`key`]), and are in parts of one, as averages are.
//!
//! Rows of many weights are *dense*: a number for each output, in an array of their own. They are few, and read most.

use super::buckets::Homes;
use super::build::{Averages, rounded};
use super::frozen::MAX_WEIGHT;
use super::table::{OUTSIDE, RowPlace, RowTable, WeightEntry, elsewhere, from_bytes};
use super::{FrozenWeights, Row, Weights};
use crate::error::Result;
use crate::files::{Section, Sections, prefetch};
use crate::model::Averaged;
use crate::system::ActionId;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, packed(2))]
struct IntegerEntry {
    output: u16,
    weight: i32,
}

impl WeightEntry for IntegerEntry {
    fn output(&self) -> u32 {
        self.output.into()
    }
}

/// The integer weights of a model while it learns.
#[derive(Debug, Clone)]
pub struct IntegerWeights {
    /// Beside each weight the sum of tick × change.
    rows: RowTable<IntegerEntry, Vec<i64>>,
    /// The dense rows, which stand elsewhere than in the table.
    dense: DenseRows,
    tick: i64,
    /// The number of outputs, padded.
    width: usize,
    /// Value of a weight of 1.0.
    unit: i32,
    /// The homes of the table that features are known by; none if they are known whole.
    homes: Option<Homes>,
}

/// Value of a weight of 1.0 in those that go on from a finished model, if they are not too large for it.
const UNIT: i32 = 64;

/// Rows with a weight for each output, and the sum of tick × change beside each.
#[derive(Debug, Clone, Default)]
struct DenseRows {
    weights: Vec<i32>,
    sums: Vec<i64>,
}

/// Rows with more weights than this, and at most [`DENSE_SHARE`] times as many outputs, are dense. PERF: for systems of a hundred
/// actions a tenth of all time is gained.
const DENSE_FROM: usize = 16;
const DENSE_SHARE: usize = 8;

impl IntegerWeights {
    /// No weights yet, for scores of this `width`.
    pub fn new(width: usize) -> IntegerWeights {
        IntegerWeights {
            rows: RowTable::new(Vec::new()),
            dense: DenseRows::default(),
            tick: 1,
            width,
            unit: 1,
            homes: None,
        }
    }

    /// Weights that go on from finished ones, the sum of so many replicas, whose average is over so many `ticks`. `action` has the new
    /// numbers of actions that there still are.
    ///
    /// # Panics
    /// If the weights need more than 2^32 entries.
    pub fn from_finished(
        finished: &FrozenWeights,
        (replicas, ticks): (u32, u64),
        width: usize,
        action: impl Fn(ActionId) -> Option<ActionId>,
    ) -> IntegerWeights {
        let one = f64::from(finished.scale()) * f64::from(replicas.max(1));
        let mut largest = 0;
        finished
            .for_each_key(|_, row| largest = row.iter().fold(largest, |largest, (_, w)| largest.max(w.unsigned_abs())));
        // Weights have room to grow.
        let fits = |unit: &i32| f64::from(largest) / one * f64::from(*unit) <= f64::from(MAX_WEIGHT / 16);
        let unit = std::iter::successors(Some(UNIT), |unit| (*unit > 1).then_some(unit / 2)).find(fits).unwrap_or(1);
        let mut weights = IntegerWeights { homes: Some(finished.homes()), ..IntegerWeights::new(width) };
        // All of them were there at the beginning: so the sums of ticks and changes are 0, and they are the average so far.
        weights.tick = 0;
        finished.for_each_key(|key, row| {
            for &(old, weight) in row {
                let change = rounded(f64::from(weight) / one * f64::from(unit));
                if let Some(new) = action(old).filter(|_| change != 0) {
                    weights.update(key, new, change);
                }
            }
        });
        weights.unit = unit;
        weights.tick = ticks.clamp(1, 1 << 39) as i64;
        weights
    }

    /// The key that stands for a feature in these weights.
    #[inline(always)]
    fn key(&self, feature: u64) -> u64 {
        self.homes.map_or(feature, |homes| homes.key(feature))
    }

    /// The number of outputs, padded.
    pub fn width(&self) -> usize {
        self.width
    }

    fn is_dense(&self, n_weights: usize) -> bool {
        n_weights > DENSE_FROM && n_weights * DENSE_SHARE >= self.width
    }

    /// Makes the row at place `i` of the table a dense one; its number.
    fn make_dense(&mut self, i: usize) -> usize {
        let (number, first) = (self.dense.weights.len() / self.width, self.dense.weights.len());
        self.dense.weights.resize(first + self.width, 0);
        self.dense.sums.resize(first + self.width, 0);
        for at in self.rows.place(i).row() {
            let IntegerEntry { output, weight } = self.rows.entries[at];
            self.dense.weights[first + usize::from(output)] = weight;
            self.dense.sums[first + usize::from(output)] = self.rows.beside[at];
        }
        self.rows.move_out(i, number);
        number
    }

    /// Adds `change` to the weight of `feature` and `action`.
    ///
    /// # Panics
    /// If the weights need more than 2^32 entries.
    pub fn update(&mut self, feature: u64, action: ActionId, change: i32) {
        let change = change * self.unit;
        let i = self.rows.find_or_insert(self.key(feature), 2);
        let place = self.rows.place(i);
        let row = place.row();
        let sum = self.tick * i64::from(change);
        let is_dense = self.is_dense(row.len() + 1);
        if let Some(number) = place.elsewhere().or_else(|| is_dense.then(|| self.make_dense(i))) {
            let at = number * self.width + usize::from(action);
            self.dense.weights[at] += change;
            self.dense.sums[at] += sum;
            return;
        }
        if let Some(at) = self.rows.entries[row.clone()].iter().position(|entry| entry.output == action) {
            self.rows.entries[row.start + at].weight += change;
            self.rows.beside[row.start + at] += sum;
            return;
        }
        let end = self.rows.extend_row(i, 1);
        self.rows.entries[end] = IntegerEntry { output: action, weight: change };
        self.rows.beside[end] = sum;
    }

    /// Makes changes, each a feature, an action and what to add to its weight.
    pub fn update_all(&mut self, changes: &[(u64, ActionId, i32)]) {
        const BATCH: usize = 64;
        for changes in changes.chunks(BATCH) {
            // The misses of a batch overlap: those of places, then those of rows.
            changes.iter().for_each(|&(feature, ..)| self.rows.prefetch(self.key(feature)));
            for &(feature, action, _) in changes {
                let place = self.rows.find(self.key(feature));
                if let Some(number) = place.elsewhere() {
                    prefetch(&self.dense.weights, number * self.width + usize::from(action));
                    prefetch(&self.dense.sums, number * self.width + usize::from(action));
                }
                self.rows.prefetch_row(&place);
            }
            changes.iter().for_each(|&(feature, action, change)| self.update(feature, action, change));
        }
    }

    /// The weight of `feature` and `action`, in [scale](Weights::scale).
    pub fn get(&self, feature: u64, action: ActionId) -> i32 {
        let place = self.rows.find(self.key(feature));
        if let Some(number) = place.elsewhere() {
            return self.dense.weights[number * self.width + usize::from(action)];
        }
        let row = &self.rows.entries[place.row()];
        row.iter().find(|entry| entry.output == action).map_or(0, |entry| entry.weight)
    }

    /// Appends the averages of a row to `averages`.
    #[inline]
    fn averages(&self, place: RowPlace, averages: &mut Vec<(ActionId, f64)>) {
        let ticks = self.tick as f64;
        let unit = f64::from(self.unit);
        // Exact in integers up to the division.
        let average = |weight: i32, sum: i64| (i64::from(weight) * self.tick - sum) as f64 / ticks / unit;
        if let Some(number) = place.elsewhere() {
            let row = number * self.width..(number + 1) * self.width;
            let outputs = (0..).zip(&self.dense.weights[row.clone()]).zip(&self.dense.sums[row]);
            let used = outputs.filter(|&((_, &weight), &sum)| weight != 0 || sum != 0);
            averages.extend(used.map(|((output, &weight), &sum)| (output, average(weight, sum))));
            return;
        }
        let row = self.rows.entries[place.row()].iter().zip(&self.rows.beside[place.row()]);
        averages.extend(row.map(|(&IntegerEntry { output, weight }, &sum)| (output, average(weight, sum))));
    }
}

impl Averages for IntegerWeights {
    fn n_rows(&self) -> usize {
        self.n_features()
    }

    fn features(&self) -> impl Iterator<Item = u64> {
        self.rows.features()
    }

    fn for_each_row(&self, mut read: impl FnMut(u64, &mut Vec<(ActionId, f64)>)) {
        let mut row = Vec::new();
        for place in self.rows.rows() {
            row.clear();
            self.averages(place, &mut row);
            read(place.feature, &mut row);
        }
    }

    fn row_of(&self, feature: u64, row: &mut Vec<(ActionId, f64)>) {
        self.averages(self.rows.find(feature), row);
    }

    fn has_row(&self, feature: u64) -> bool {
        self.rows.has(feature)
    }

    /// PERF: in the order of memory. Rows that were given up count, too: what they held when they grew.
    fn bound(&self) -> f64 {
        let of = |weight: i32, sum: i64| (i64::from(weight) * self.tick - sum).unsigned_abs();
        let sparse = self.rows.entries.iter().zip(&self.rows.beside).map(|(entry, &sum)| of(entry.weight, sum));
        let dense = self.dense.weights.iter().zip(&self.dense.sums).map(|(&weight, &sum)| of(weight, sum));
        sparse.chain(dense).max().unwrap_or(0) as f64 / self.tick as f64 / f64::from(self.unit)
    }

    fn homes(&self) -> Option<Homes> {
        self.homes
    }
}

impl Averaged for IntegerWeights {
    type Finished = FrozenWeights;

    fn n_features(&self) -> usize {
        self.rows.n_features()
    }

    fn end_sentence(&mut self) {
        self.tick += 1;
    }

    /// The average is over the weights as they are now and after each sentence to come.
    fn restart_average(&mut self) {
        self.rows.beside.fill(0);
        self.dense.sums.fill(0);
        self.tick = 1;
    }

    fn finish(replicas: &[&IntegerWeights]) -> FrozenWeights {
        FrozenWeights::average(replicas, replicas[0].width)
    }

    fn save(&self) -> Vec<Section<'_>> {
        let mut sections = vec![Section::new("tick", self.tick.to_le_bytes().to_vec())];
        sections.extend(self.rows.sections());
        sections.push(Section::new("sums", bytemuck::cast_slice(&self.rows.beside)));
        sections.push(Section::new("dense", bytemuck::cast_slice(&self.dense.weights)));
        sections.push(Section::new("dense-sums", bytemuck::cast_slice(&self.dense.sums)));
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let weights = || {
            let tick = i64::from_le_bytes(sections.get("tick").ok()?.try_into().ok()?);
            let [sums, weights, dense_sums] = sections.all(["sums", "dense", "dense-sums"]).ok()?;
            let dense = DenseRows { weights: from_bytes(weights)?, sums: from_bytes(dense_sums)? };
            let n_dense = dense.weights.len() / self.width;
            let rows: RowTable<IntegerEntry, Vec<i64>> =
                RowTable::from_sections(sections, from_bytes(sums)?, self.width, n_dense)?;
            let fits = |weight: u64| weight <= MAX_WEIGHT.into();
            // Neither weights nor their averages may be so large that sums come near the score of forbidden actions.
            let is_sound = (1..1 << 40).contains(&tick)
                && rows.beside.len() == rows.entries.len()
                && dense.weights.len() == n_dense * self.width
                && dense.sums.len() == dense.weights.len()
                && rows.entries.iter().all(|entry| fits({ entry.weight }.unsigned_abs().into()))
                && dense.weights.iter().all(|weight| fits(weight.unsigned_abs().into()))
                && rows.beside.iter().chain(&dense.sums).all(|sum| fits(sum.unsigned_abs() / tick.unsigned_abs() / 2));
            is_sound.then_some((rows, dense, tick))
        };
        (self.rows, self.dense, self.tick) = weights().ok_or_else(|| sections.damaged(OUTSIDE))?;
        Ok(())
    }

    fn save_finished(finished: &FrozenWeights) -> Vec<Section<'_>> {
        finished.sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<FrozenWeights> {
        FrozenWeights::from_sections(sections, self.width)
    }
}

impl Weights for IntegerWeights {
    fn scale(&self) -> u32 {
        self.unit as u32
    }

    #[inline]
    fn prefetcher(&self) -> impl Fn(u64) {
        |feature| self.rows.prefetch(self.key(feature))
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        let DenseRows { weights, .. } = &self.dense;
        let find = |features: &[u64], rows: &mut [Row]| {
            self.rows.find_all(features, rows, |number| {
                let first = number * self.width;
                (first..first + self.width).step_by(16).for_each(|at| prefetch(weights, at));
            });
        };
        if self.homes.is_none() {
            return find(features, rows);
        }
        const BATCH: usize = 32;
        for (features, rows) in features.chunks(BATCH).zip(rows.chunks_mut(BATCH)) {
            let mut keys = [0; BATCH];
            keys.iter_mut().zip(features).for_each(|(key, &feature)| *key = self.key(feature));
            find(&keys[..features.len()], rows);
        }
    }

    #[inline(always)]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        for &row in rows {
            if let Some(number) = elsewhere(row) {
                let row = &self.dense.weights[number * self.width..][..self.width];
                scores.iter_mut().zip(row).for_each(|(score, weight)| *score += weight);
                continue;
            }
            for entry in self.rows.found(row) {
                scores[usize::from(entry.output)] += entry.weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The averages after three ticks, by hand: w is 1, 3, 2 after ticks 1, 2, 3.
    #[test]
    fn averages_are_over_ticks() {
        let mut weights = IntegerWeights::new(64);
        for change in [1, 2, -1] {
            weights.update(42, 7, change);
            weights.end_sentence();
        }
        weights.for_each_row(|feature, row| {
            assert_eq!(feature, 42);
            // The mean over c = 4 values: 0, 1, 3, 2.
            assert_eq!(row[..], [(7, 6.0 / 4.0)]);
        });
    }

    /// Weights go on from a finished model, under other numbers of actions; without updates they come to the same model.
    #[test]
    fn finished_weights_go_on() {
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (old, new) = (32, 48);
        let mut first = IntegerWeights::new(old);
        for number in 0..2000u64 {
            for action in 0..number % 30 {
                first.update(feature(number), action as ActionId, ((number * 7 + action * 3) % 41) as i32 - 20);
            }
            first.end_sentence();
        }
        let scores = |weights: &dyn Fn(&[u64], &mut [i32]), scale: u32, number: u64| {
            let mut scores = vec![0; new];
            weights(&[feature(number)], &mut scores);
            scores.into_iter().map(|score| f64::from(score) / f64::from(scale)).collect::<Vec<f64>>()
        };
        let frozen_scores = |frozen: &FrozenWeights, number| {
            scores(
                &|features, scores| frozen.add_features(features, &mut scores[..frozen.width()]),
                frozen.scale(),
                number,
            )
        };
        let finished = IntegerWeights::finish(&[&first, &first]);
        let mut next =
            IntegerWeights::from_finished(&finished, (2, 2000), new, |action| (action != 5).then_some(action + 9));
        let moved = |before: Vec<f64>, output: usize| if output < 9 || output == 14 { 0.0 } else { before[output - 9] };
        let again = IntegerWeights::finish(&[&next]);
        for number in 0..2000 {
            let before = frozen_scores(&finished, number);
            let live = scores(&|features, scores| next.add_features(features, scores), next.scale(), number);
            let frozen = frozen_scores(&again, number);
            for output in 0..40 {
                let expected = moved(before.clone(), output) / 2.0;
                assert!(
                    (live[output] - expected).abs() <= 0.5 / 64.0 + 1e-4,
                    "{number}, {output}: {} {expected}",
                    live[output]
                );
                assert!((frozen[output] - live[output]).abs() < 1e-4, "{number}, {output}");
            }
        }
        // An update is as large as before, and the average goes on from 2000 sentences.
        let before = scores(&|features, scores| next.add_features(features, scores), next.scale(), 77);
        next.update(feature(77), 40, 3);
        next.update(feature(1_000_000), 1, 2);
        (0..2000).for_each(|_| next.end_sentence());
        let after = scores(&|features, scores| next.add_features(features, scores), next.scale(), 77);
        assert_eq!(after[40] - before[40], 3.0);
        let average = IntegerWeights::finish(&[&next]);
        assert!((frozen_scores(&average, 77)[40] - before[40] - 1.5).abs() < 0.01);
        assert!((frozen_scores(&average, 1_000_000)[1] - 1.0).abs() < 0.01);
    }

    #[test]
    fn rows_grow_and_tables_grow() {
        let mut weights = IntegerWeights::new(64);
        for feature in 0..20_000u64 {
            for action in 0..(feature % 40) as u16 {
                weights.update(feature.wrapping_mul(0x9e37_79b9_7f4a_7c15), action, i32::from(action) + 1);
            }
        }
        assert_eq!(weights.n_features(), 20_000 - 500);
        for feature in 0..20_000u64 {
            let mut scores = [0; 40];
            weights.add_features(&[feature.wrapping_mul(0x9e37_79b9_7f4a_7c15)], &mut scores);
            let n = (feature % 40) as i32;
            let expected: Vec<i32> = (0..40).map(|a| if a < n { a + 1 } else { 0 }).collect();
            assert_eq!(scores[..], expected[..]);
        }
        // No row has a larger weight, though some had.
        let feature = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(3);
        weights.update(feature, 2, 1_000_000);
        (10..16).for_each(|action| weights.update(feature, action, 1));
        weights.update(feature, 2, -1_000_000);
        weights.end_sentence();
        let mut largest: f64 = 0.0;
        weights.for_each_row(|_, row| {
            largest = row.iter().fold(largest, |largest, (_, weight)| largest.max(weight.abs()))
        });
        assert_eq!(largest, 19.5);
        assert!(weights.bound() >= largest && weights.bound() < 1e6);
    }
}
