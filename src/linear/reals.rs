//! Real-valued weights while a learner fits them, with what the learner remembers of each ([`WeightState`]).

use super::build::{Averages, rounded};
use super::table::{Beside, RowPlace, RowTable, WeightEntry, from_bytes};
use super::{Row, Weights};
use crate::files::{Section, Sections};
use crate::system::{ActionId, FORBIDDEN};
use std::ops::Range;

/// State of a learner for one weight: as much of it as its rule says is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct WeightState {
    /// The sum of squared gradients.
    pub squares: f32,
    /// A second number, whatever the learner makes of it.
    pub second: f32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, packed(2))]
struct RealEntry {
    output: u16,
    weight: f32,
}

impl WeightEntry for RealEntry {
    fn output(&self) -> u32 {
        self.output.into()
    }
}

/// States and gradients beside real weights.
#[derive(Debug, Clone)]
struct Remembered {
    states: States,
    /// The sum of tick × change, as beside integers; `None` if averages are not asked for.
    sums: Option<Vec<f64>>,
}

impl Beside for Remembered {
    fn resize(&mut self, len: usize) {
        self.states.numbers.resize(len * self.states.kept, 0.0);
        if let Some(sums) = &mut self.sums {
            sums.resize(len, 0.0);
        }
    }

    fn copy_within(&mut self, row: Range<usize>, to: usize) {
        let States { numbers, kept } = &mut self.states;
        numbers.copy_within(row.start * *kept..row.end * *kept, to * *kept);
        if let Some(sums) = &mut self.sums {
            sums.copy_within(row, to);
        }
    }

    #[inline]
    fn prefetch(&self, at: usize) {
        self.states.numbers.prefetch(at * self.states.kept);
        if let Some(sums) = &self.sums {
            sums.prefetch(at);
        }
    }
}

/// The [`WeightState`] of each weight, without the numbers that its rule has no use for.
#[derive(Debug, Clone)]
struct States {
    numbers: Vec<f32>,
    /// Numbers of each state: 0, the first or both.
    kept: usize,
}

impl States {
    #[inline]
    fn get(&self, at: usize) -> WeightState {
        match self.kept {
            0 => WeightState::default(),
            1 => WeightState { squares: self.numbers[at], second: 0.0 },
            _ => WeightState { squares: self.numbers[2 * at], second: self.numbers[2 * at + 1] },
        }
    }

    #[inline]
    fn set(&mut self, at: usize, state: WeightState) {
        match self.kept {
            0 => {}
            1 => self.numbers[at] = state.squares,
            _ => (self.numbers[2 * at], self.numbers[2 * at + 1]) = (state.squares, state.second),
        }
    }
}

/// Number of bits of a feature that select its counter.
const COUNT_BITS: u32 = 24;

/// Rows of real-valued weights by feature.
#[derive(Debug, Clone)]
pub struct RealWeights {
    rows: RowTable<RealEntry, Remembered>,
    /// Features that come fewer times in the first pass get no row.
    min_count: u8,
    /// In the first pass, if features are counted: how often those of a hash have come, by its lowest bits.
    counts: Vec<u8>,
    /// True if a feature without a row gets one.
    is_open: bool,
    tick: f64,
    /// Factor that turns the numbers in the rows into the weights.
    factor: f32,
    /// The largest weight, whatever its sign.
    max_weight: f32,
    /// The highest sum in fixed point, whatever its sign.
    max_sum: i32,
    has_diverged: bool,
}

/// The highest score of a configuration in fixed point: with a loss added to it, it is still far from [`FORBIDDEN`].
const MAX_SCORE: i32 = -(FORBIDDEN / 4);

/// The largest weight where what is learned from are sums of real numbers, which cannot overflow. Parsing in fixed point in
/// between, as roll-outs do, has sums that are cut here.
const MAX_WEIGHT: f32 = 512.0;

/// Outputs that an update changes, and the index of each among them.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    ids: Vec<u32>,
    /// By output: its number among `ids` from 1, else 0.
    numbers: Vec<u16>,
    /// By number: the row that it was last met in.
    met: Vec<u64>,
    row: u64,
    /// By number: whether a row that has no weight for the output yet gets one.
    begins: Vec<bool>,
    /// Number of them that do.
    n_beginning: usize,
}

impl Outputs {
    /// Replaces the outputs; none may come twice. Rows without a weight for one get it by default.
    pub fn set(&mut self, outputs: impl IntoIterator<Item = u32>) {
        self.ids.iter().for_each(|&output| self.numbers[output as usize] = 0);
        self.ids.clear();
        for output in outputs {
            if self.numbers.len() <= output as usize {
                self.numbers.resize(output as usize + 1, 0);
            }
            self.ids.push(output);
            self.numbers[output as usize] = self.ids.len() as u16;
        }
        self.met.clear();
        self.met.resize(self.ids.len(), self.row);
        self.begins.clear();
        self.begins.resize(self.ids.len(), true);
        self.n_beginning = self.ids.len();
    }

    /// Sets for each output, by number, whether rows without a weight for it get one.
    pub fn set_beginning(&mut self, begins: impl Iterator<Item = bool>) {
        self.begins.clear();
        self.begins.extend(begins);
        self.n_beginning = self.begins.iter().filter(|&&begins| begins).count();
    }

    /// The number of `output` among these, if it is one of them.
    #[inline]
    fn number(&self, output: u32) -> Option<usize> {
        let number = self.numbers.get(output as usize).map_or(0, |&number| usize::from(number));
        number.checked_sub(1)
    }
}

impl RealWeights {
    /// No weights yet. They end as their average over training if `averaged`; of their states so many numbers are kept. Features that come fewer than `min_count`
    /// times in the first pass get no row; counts are kept by the lowest 24 bits of features, so of those that
    /// share these some are let in that are too rare.
    pub fn new(averaged: bool, kept: usize, min_count: u8) -> RealWeights {
        let states = States { numbers: Vec::new(), kept };
        RealWeights {
            rows: RowTable::new(Remembered { states, sums: averaged.then(Vec::new) }),
            min_count,
            counts: if min_count > 1 { vec![0; 1 << COUNT_BITS] } else { Vec::new() },
            is_open: true,
            tick: 1.0,
            factor: 1.0,
            max_weight: MAX_WEIGHT,
            max_sum: (MAX_WEIGHT * UNIT) as i32,
            has_diverged: false,
        }
    }

    /// Says that what is learned from are sums in fixed point, of the rows of at most so many features: weights that are too large
    /// for these are reported as [diverged](RealWeights::has_diverged).
    pub fn learn_from_sums_of(&mut self, n_features: usize) {
        self.max_weight = MAX_SCORE as f32 / UNIT / n_features.max(1) as f32;
        self.max_sum = MAX_SCORE;
        self.look_for_divergence();
    }

    /// Looks at all weights, whoever made them.
    pub fn look_for_divergence(&mut self) {
        let highest = self.max_weight / self.factor;
        self.has_diverged |= !self.rows.entries.iter().all(|entry| entry.weight.abs() <= highest);
    }

    /// True if a weight has been too large, or no number.
    pub fn has_diverged(&self) -> bool {
        self.has_diverged
    }

    /// Sets what the numbers in the rows are multiplied with to give the weights. Weights with another factor than 1 cannot
    /// end as averages.
    pub fn set_factor(&mut self, factor: f32) {
        debug_assert!(factor == 1.0 || self.rows.beside.sums.is_none(), "averages are of the numbers in the rows");
        let grows = factor > self.factor;
        self.factor = factor;
        if grows {
            self.look_for_divergence();
        }
    }

    /// Begins with these weights of features for outputs; no other features get any. Averages are of these and of what they become.
    pub fn begin_with(&mut self, weights: impl Iterator<Item = (u64, u32, f32)>) {
        (self.is_open, self.counts) = (true, Vec::new());
        let mut outputs = Outputs::default();
        for (feature, output, weight) in weights {
            outputs.set([output]);
            self.update(&[feature], &mut outputs, |_, known, _| weight - known);
        }
        self.is_open = false;
        self.restart_average();
    }

    /// True if a feature has weights, or may get some.
    pub fn knows(&self, feature: u64) -> bool {
        self.is_open || self.rows.has(feature)
    }

    /// Ends a pass over the data: features that are still too rare will never have a row.
    pub fn end_pass(&mut self) {
        if self.min_count > 1 {
            self.is_open = false;
            self.counts = Vec::new();
        }
    }

    /// True if a feature that has no row is to get one.
    fn lets_in(&mut self, feature: u64) -> bool {
        if self.counts.is_empty() {
            return self.is_open;
        }
        let count = &mut self.counts[feature as usize & ((1 << COUNT_BITS) - 1)];
        *count = count.saturating_add(1);
        *count >= self.min_count
    }

    /// The number of features that have a row.
    pub fn n_features(&self) -> usize {
        self.rows.n_features()
    }

    /// Ends a training example: weights from here on count for the average of the next one.
    pub fn tick(&mut self) {
        self.tick += 1.0;
    }

    /// Starts the average anew.
    pub fn restart_average(&mut self) {
        if let Some(sums) = &mut self.rows.beside.sums {
            sums.fill(0.0);
        }
        self.tick = 1.0;
    }

    /// Adds the rows of all `features` to `scores`, unrounded.
    pub fn add_unrounded(&self, features: &[u64], scores: &mut [f32]) {
        // The misses of a batch overlap: those of places, then those of rows.
        const BATCH: usize = 128;
        let mut rows = [(0, 0); BATCH];
        for features in features.chunks(BATCH) {
            features.iter().copied().for_each(self.prefetcher());
            for (row, &feature) in rows.iter_mut().zip(features) {
                let place = self.rows.find(feature);
                self.rows.prefetch_entries(&place);
                let Range { start, end } = place.row();
                *row = (start, end);
            }
            for &(start, end) in &rows[..features.len()] {
                for entry in &self.rows.entries[start..end] {
                    scores[usize::from(entry.output)] += entry.weight * self.factor;
                }
            }
        }
    }

    /// Changes the numbers in the rows of all `features` for `outputs`. `change` is given an output's number among them, the number
    /// and its state, and says what to add to the number.
    ///
    /// # Panics
    /// If there are more than 2^32 weights.
    pub fn update(
        &mut self,
        features: &[u64],
        outputs: &mut Outputs,
        mut change: impl FnMut(usize, f32, &mut WeightState) -> f32,
    ) {
        let highest = self.max_weight / self.factor;
        // Neither larger nor no number.
        let mut is_bounded = true;
        features.iter().copied().for_each(self.prefetcher());
        features.iter().for_each(|&feature| self.rows.prefetch_row(&self.rows.find(feature)));
        for &feature in features {
            outputs.row += 1;
            let Some(i) = self.find_or_let_in(feature, outputs.n_beginning) else { continue };
            let row = self.rows.place(i).row();
            let Remembered { states, sums } = &mut self.rows.beside;
            let entries = &mut self.rows.entries[row.clone()];
            // Most rows of hidden units have all outputs, in order: no look-ups then.
            if sums.is_none() && entries.iter().map(|entry| entry.output()).eq(outputs.ids.iter().copied()) {
                for (number, (at, entry)) in row.zip(entries).enumerate() {
                    let mut state = states.get(at);
                    entry.weight += change(number, entry.weight, &mut state);
                    is_bounded &= entry.weight.abs() <= highest;
                    states.set(at, state);
                }
                continue;
            }
            let mut n_missing = outputs.n_beginning;
            for (at, entry) in row.zip(entries) {
                let Some(number) = outputs.number(entry.output()) else { continue };
                let mut state = states.get(at);
                let by = change(number, entry.weight, &mut state);
                states.set(at, state);
                entry.weight += by;
                is_bounded &= entry.weight.abs() <= highest;
                if let Some(sums) = sums {
                    sums[at] += self.tick * f64::from(by);
                }
                outputs.met[number] = outputs.row;
                n_missing -= usize::from(outputs.begins[number]);
            }
            if n_missing == 0 {
                continue;
            }
            let end = self.rows.extend_row(i, n_missing);
            let Remembered { states, sums } = &mut self.rows.beside;
            let missing = outputs.ids.iter().enumerate();
            let missing = missing.filter(|&(number, _)| outputs.begins[number] && outputs.met[number] != outputs.row);
            for (at, (number, &output)) in (end..).zip(missing) {
                let mut state = WeightState::default();
                let weight = change(number, 0.0, &mut state);
                is_bounded &= weight.abs() <= highest;
                self.rows.entries[at] = RealEntry { output: output as u16, weight };
                states.set(at, state);
                if let Some(sums) = sums {
                    sums[at] = self.tick * f64::from(weight);
                }
            }
        }
        self.has_diverged |= !is_bounded;
    }

    /// The weight of `feature` for `output`.
    pub fn get(&self, feature: u64, output: u32) -> f32 {
        let row = &self.rows.entries[self.rows.find(feature).row()];
        row.iter().find(|entry| entry.output() == output).map_or(0.0, |entry| entry.weight * self.factor)
    }

    fn find_or_let_in(&mut self, feature: u64, n_outputs: usize) -> Option<usize> {
        let i = self.rows.position(feature);
        if self.rows.is_taken(i) {
            return Some(i);
        }
        (self.lets_in(feature) && n_outputs > 0).then(|| self.rows.insert(feature, n_outputs))
    }

    fn averages(&self, place: RowPlace) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        place.row().map(move |i| {
            let RealEntry { output, weight } = self.rows.entries[i];
            let behind = self.rows.beside.sums.as_ref().map_or(0.0, |sums| sums[i] / self.tick);
            (ActionId::from(output), f64::from(weight * self.factor) - behind)
        })
    }
}

/// Scale of fixed point, the value of 1.0, for the scores of beams while the weights are learned.
pub(super) const UNIT: f32 = 65536.0;

/// In fixed point: each weight is rounded, so that sums do not depend on their order.
impl Weights for RealWeights {
    fn scale(&self) -> u32 {
        UNIT as u32
    }

    #[inline]
    fn prefetcher(&self) -> impl Fn(u64) {
        |feature| self.rows.prefetch(feature)
    }

    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        self.rows.find_all(features, rows, |_| ());
    }

    #[inline(always)]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        let unit = UNIT * self.factor;
        for &row in rows {
            for entry in self.rows.found(row) {
                let score = &mut scores[usize::from(entry.output)];
                *score = score.saturating_add(rounded((entry.weight * unit).into()));
            }
        }
        scores.iter_mut().for_each(|score| *score = (*score).clamp(-self.max_sum, self.max_sum));
    }
}

impl Averages for RealWeights {
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
            row.extend(self.averages(place));
            read(place.feature, &mut row);
        }
    }

    fn row_of(&self, feature: u64, row: &mut Vec<(ActionId, f64)>) {
        row.extend(self.averages(self.rows.find(feature)));
    }

    fn has_row(&self, feature: u64) -> bool {
        self.rows.has(feature)
    }
}

impl RealWeights {
    /// The weights between two passes as sections of a checkpoint.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let Remembered { states, sums } = &self.rows.beside;
        let (min_count, is_open) = (u64::from(self.min_count), u64::from(self.is_open));
        let state = [self.tick.to_bits(), min_count, is_open, u64::from(sums.is_some()), states.kept as u64];
        let mut sections = vec![Section::new("state", bytemuck::cast_slice(&state).to_vec())];
        sections.extend(self.rows.sections());
        sections.push(Section::new("states", bytemuck::cast_slice(&states.numbers)));
        sections.push(Section::new("sums", bytemuck::cast_slice(sums.as_deref().unwrap_or_default())));
        sections
    }

    /// The weights from [`RealWeights::sections`], for scores of this `width` and with the factor 1; `None` if anything points outside.
    pub fn from_sections(sections: &Sections, width: usize) -> Option<RealWeights> {
        let [state, states, sums] = sections.all(["state", "states", "sums"]).ok()?;
        let &[tick, min_count, is_open, averaged, kept] = &from_bytes::<u64>(state)?[..] else { return None };
        let (states, sums): (Vec<f32>, Vec<f64>) = (from_bytes(states)?, from_bytes(sums)?);
        let (n_states, n_sums) = (states.len(), sums.len());
        let (sums, kept) = ((averaged != 0).then_some(sums), kept.min(3) as usize);
        let is_averaged = sums.is_some();
        let states = States { numbers: states, kept };
        let rows = RowTable::from_sections(sections, Remembered { states, sums }, width, 0)?;
        let n_entries = rows.entries.len();
        if kept > 2 || n_states != n_entries * kept || n_sums != if is_averaged { n_entries } else { 0 } {
            return None;
        }
        let (tick, min_count) = (f64::from_bits(tick), u8::try_from(min_count).ok()?);
        let weights = RealWeights::new(is_averaged, kept, 0);
        Some(RealWeights { rows, min_count, is_open: is_open != 0, tick, ..weights })
    }
}

/// The sections of a checkpoint that holds nothing else, for tests.
#[cfg(test)]
pub(super) fn unpacked(sections: &[Section]) -> Sections {
    let kind = crate::files::FileKind { magic: b"testfile", version: 1, name: "test file" };
    kind.unpack(kind.pack(sections), std::path::Path::new("test")).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Rows against a plain map, under updates of varying outputs.
    #[test]
    fn rows_hold_what_was_added() {
        let mut weights = RealWeights::new(false, 2, 1);
        let mut outputs = Outputs::default();
        let mut plain = std::collections::HashMap::new();
        for round in 0..50u64 {
            let chosen: Vec<u32> =
                (0..40).filter(|output| (u64::from(*output) * 7 + round * 3) % 5 < round % 4 + 1).collect();
            outputs.set(chosen.iter().copied());
            let features: Vec<u64> = (round * 20..round * 20 + 60).map(feature).collect();
            weights.update(&features, &mut outputs, |number, weight, state| {
                assert_eq!(weight, state.second);
                state.second += number as f32 + 1.0;
                number as f32 + 1.0
            });
            for &feature in &features {
                for (number, &output) in chosen.iter().enumerate() {
                    *plain.entry((feature, output)).or_insert(0.0) += number as f32 + 1.0;
                }
            }
        }
        let sections = unpacked(&weights.sections());
        let again = RealWeights::from_sections(&sections, 40).unwrap();
        assert!(RealWeights::from_sections(&sections, 39).is_none());
        for number in 0..1200 {
            let mut scores = [0.0; 40];
            again.add_unrounded(&[feature(number)], &mut scores);
            for (output, score) in scores.into_iter().enumerate() {
                let expected = plain.get(&(feature(number), output as u32)).copied().unwrap_or(0.0);
                assert_eq!((score, weights.get(feature(number), output as u32)), (expected, expected));
            }
        }
    }

    /// Features that come once in the first pass have no row, then or later.
    #[test]
    fn rare_features_are_left_out() {
        let mut weights = RealWeights::new(false, 0, 2);
        let mut outputs = Outputs::default();
        outputs.set([0]);
        let mut learn =
            |weights: &mut RealWeights, features: &[u64]| weights.update(features, &mut outputs, |_, _, _| 1.0);
        learn(&mut weights, &[feature(1), feature(2)]);
        learn(&mut weights, &[feature(1), feature(3)]);
        weights.end_pass();
        let again = RealWeights::from_sections(&unpacked(&weights.sections()), 1);
        for mut weights in [weights, again.unwrap()] {
            learn(&mut weights, &[feature(1), feature(2), feature(4)]);
            learn(&mut weights, &[feature(2), feature(4)]);
            assert_eq!([1, 2, 3, 4].map(|number| weights.get(feature(number), 0)), [2.0, 0.0, 0.0, 0.0]);
        }
    }

    /// A weight that is not to begin changes where there is one, and takes no memory where there is none.
    #[test]
    fn weights_begin_when_they_are_to() {
        let mut weights = RealWeights::new(false, 1, 1);
        let mut outputs = Outputs::default();
        let mut learn = |weights: &mut RealWeights, feature_number: u64, begins: [bool; 2]| {
            outputs.set([3, 5]);
            outputs.set_beginning(begins.into_iter());
            weights.update(&[feature(feature_number)], &mut outputs, |number, _, _| number as f32 + 1.0);
        };
        learn(&mut weights, 1, [false, true]);
        learn(&mut weights, 1, [false, false]);
        learn(&mut weights, 2, [false, false]);
        assert_eq!([weights.get(feature(1), 3), weights.get(feature(1), 5)], [0.0, 4.0]);
        assert_eq!((weights.n_features(), weights.has_row(feature(2))), (1, false));
        learn(&mut weights, 1, [true, false]);
        assert_eq!([weights.get(feature(1), 3), weights.get(feature(1), 5)], [1.0, 6.0]);
    }

    /// Bytes of a weight: output and number take 6, each number of its state 4, the sum of averages 8.
    #[test]
    fn a_weight_takes_as_few_bytes_as_its_rule_allows() {
        for (averaged, kept, expected) in [(false, 0, 6), (false, 2, 14), (true, 0, 14), (true, 1, 18)] {
            let mut weights = RealWeights::new(averaged, kept, 1);
            let mut outputs = Outputs::default();
            outputs.set(0..64);
            weights.update(&(0..100).map(feature).collect::<Vec<_>>(), &mut outputs, |_, _, _| 1.0);
            let bytes: usize = weights
                .sections()
                .iter()
                .filter(|section| ["entries", "states", "sums"].contains(&section.name()))
                .map(|section| section.bytes().len())
                .sum();
            assert_eq!(bytes, (100 * 64 + 1) * expected, "{averaged} {kept}");
        }
    }

    /// The averages after three ticks, as those of integers: w is 1, 3, 2 after ticks 1, 2, 3.
    #[test]
    fn averages_are_over_ticks() {
        for (averaged, expected) in [(true, 6.0 / 4.0), (false, 2.0)] {
            let mut weights = RealWeights::new(averaged, 0, 1);
            let mut outputs = Outputs::default();
            outputs.set([7]);
            for change in [1.0, 2.0, -1.0] {
                weights.update(&[42], &mut outputs, |_, _, _| change);
                weights.tick();
            }
            let mut row = Vec::new();
            weights.row_of(42, &mut row);
            assert_eq!(row, [(7, expected)]);
        }
    }
}
