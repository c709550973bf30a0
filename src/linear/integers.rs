//! The weights of a perceptron while it learns: integers.
//!
//! Each has beside it the sum `u` of (tick × change), so that the average over all ticks so far is `w − u / ticks` (the lazy
//! average of Daumé 2006, section 2.3; it equals the mean over the weights "0 before the first tick, then w after each tick").

use super::build::Averages;
use super::frozen::{MAX_WEIGHT, from_bytes};
use super::table::{Entry, OUTSIDE, Place, RowTable};
use super::{FrozenWeights, Row, Weights};
use crate::error::Result;
use crate::files::{Section, Sections};
use crate::model::Averaged;
use crate::system::ActionId;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, packed(2))]
struct IntegerEntry {
    lane: u16,
    weight: i32,
}

impl Entry for IntegerEntry {
    fn lane(&self) -> u32 {
        self.lane.into()
    }
}

/// The integer weights of a model while it learns.
#[derive(Debug, Clone)]
pub struct IntegerWeights {
    /// Beside each weight the sum of tick × change.
    rows: RowTable<IntegerEntry, Vec<i64>>,
    tick: i64,
    /// The number of lanes.
    width: usize,
}

impl IntegerWeights {
    /// No weights yet, for `width` lanes.
    pub fn new(width: usize) -> IntegerWeights {
        IntegerWeights { rows: RowTable::new(Vec::new()), tick: 1, width }
    }

    /// Adds `change` to the weight of `feature` and `action`.
    ///
    /// # Panics
    /// If the weights need more than 2^32 entries.
    pub fn update(&mut self, feature: u64, action: ActionId, change: i32) {
        let i = self.rows.find_or_insert(feature, 2);
        let row = self.rows.place(i).row();
        let sum = self.tick * i64::from(change);
        if let Some(at) = self.rows.entries[row.clone()].iter().position(|entry| entry.lane == action) {
            self.rows.entries[row.start + at].weight += change;
            self.rows.beside[row.start + at] += sum;
            return;
        }
        let end = self.rows.extend_row(i, 1);
        self.rows.entries[end] = IntegerEntry { lane: action, weight: change };
        self.rows.beside[end] = sum;
    }

    /// Makes changes, each a feature, an action and what to add to its weight.
    pub fn update_all(&mut self, changes: &[(u64, ActionId, i32)]) {
        const BATCH: usize = 64;
        for changes in changes.chunks(BATCH) {
            // The misses of a batch overlap.
            changes.iter().for_each(|&(feature, ..)| self.rows.prefetch(feature));
            changes.iter().for_each(|&(feature, action, change)| self.update(feature, action, change));
        }
    }

    /// The weight of `feature` and `action`.
    pub fn get(&self, feature: u64, action: ActionId) -> i32 {
        let row = &self.rows.entries[self.rows.find(feature).row()];
        row.iter().find(|entry| entry.lane == action).map_or(0, |entry| entry.weight)
    }

    fn averages(&self, place: Place) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        let ticks = self.tick as f64;
        place.row().map(move |i| {
            let IntegerEntry { lane, weight } = self.rows.entries[i];
            // Exact in integers up to the division.
            let total = i64::from(weight) * self.tick - self.rows.beside[i];
            (lane, total as f64 / ticks)
        })
    }
}

impl Averages for IntegerWeights {
    fn n_rows(&self) -> usize {
        self.n_features()
    }

    fn for_each_row(&self, mut read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>)) {
        for place in self.rows.rows() {
            read(place.feature, &mut self.averages(place));
        }
    }

    fn row_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        self.averages(self.rows.find(feature))
    }

    fn has_row(&self, feature: u64) -> bool {
        self.rows.has(feature)
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
        self.tick = 1;
    }

    fn finish(replicas: &[&IntegerWeights]) -> FrozenWeights {
        FrozenWeights::average(replicas, replicas[0].width)
    }

    fn save(&self) -> Vec<Section<'_>> {
        let mut sections = vec![Section::new("tick", self.tick.to_le_bytes().to_vec())];
        sections.extend(self.rows.sections());
        sections.push(Section::new("sums", bytemuck::cast_slice(&self.rows.beside)));
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let weights = || {
            let tick = i64::from_le_bytes(sections.get("tick").ok()?.try_into().ok()?);
            let rows: RowTable<IntegerEntry, Vec<i64>> =
                RowTable::from_sections(sections, from_bytes(sections.get("sums").ok()?)?, self.width)?;
            let fits = |weight: u64| weight <= MAX_WEIGHT.into();
            // Neither weights nor their averages may be so large that sums come near the score of what is forbidden.
            let is_sound = (1..1 << 40).contains(&tick)
                && rows.beside.len() == rows.entries.len()
                && rows.entries.iter().all(|entry| fits({ entry.weight }.unsigned_abs().into()))
                && rows.beside.iter().all(|sum| fits(sum.unsigned_abs() / tick.unsigned_abs() / 2));
            is_sound.then_some((rows, tick))
        };
        (self.rows, self.tick) = weights().ok_or_else(|| sections.damaged(OUTSIDE))?;
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
    #[inline]
    fn prefetch(&self, features: &[u64]) {
        features.iter().for_each(|&feature| self.rows.prefetch(feature));
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        self.rows.find_all(features, rows);
    }

    #[inline]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        for &row in rows {
            for entry in self.rows.found(row) {
                scores[usize::from(entry.lane)] += entry.weight;
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
            let row: Vec<_> = row.collect();
            // The mean over c = 4 values: 0, 1, 3, 2.
            assert_eq!(row, [(7, 6.0 / 4.0)]);
        });
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
    }
}
