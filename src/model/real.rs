//! Real-valued weights while a base learner fits them.
//!
//! A feature has a row of those lanes that it has weights for, as in [`LiveWeights`](super::LiveWeights). Beside a weight
//! stands what learners remember of it ([`State`]). Rows are found through a table of the `hashbrown` crate; what depends on
//! the order of its places (files, frozen models) is sorted by feature, so that a run that was resumed makes the same bytes
//! as one that was not.

use hashbrown::HashTable;

use super::build::Averages;
use super::frozen::from_bytes;
use crate::system::ActionId;

/// What a learner remembers of one weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct State {
    /// The sum of squared gradients.
    pub squares: f32,
    /// A second number, whatever the learner makes of it.
    pub second: f32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Entry {
    lane: u32,
    weight: f32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Place {
    feature: u64,
    start: u32,
    len: u16,
    capacity: u16,
}

/// How many bits of a feature its count goes by.
const COUNT_BITS: u32 = 24;

/// Rows of real-valued weights by feature.
#[derive(Debug, Clone)]
pub struct RealWeights {
    places: HashTable<Place>,
    entries: Vec<Entry>,
    states: Vec<State>,
    /// By entry: the sum of tick × change, as in [`LiveWeights`](super::LiveWeights); empty if averages are not asked for.
    sums: Vec<f64>,
    /// Features that come fewer times in the first pass get no row.
    min_count: u8,
    /// In the first pass, if features are counted: how often those of a hash have come, by its lowest bits.
    counts: Vec<u8>,
    /// Whether a feature without a row gets one.
    is_open: bool,
    /// Rows given up for larger ones, by the logarithm of their capacity.
    free: [Vec<u32>; 17],
    tick: f64,
}

/// The lanes that an update is about, and where each of them is among these.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    lanes: Vec<u32>,
    /// By lane: its number among `lanes` from 1, else 0.
    numbers: Vec<u16>,
    /// By number: the row that it was last met in.
    met: Vec<u64>,
    row: u64,
}

impl Lanes {
    /// Replaces the lanes; none may come twice.
    pub fn set(&mut self, lanes: impl IntoIterator<Item = u32>) {
        self.lanes.iter().for_each(|&lane| self.numbers[lane as usize] = 0);
        self.lanes.clear();
        for lane in lanes {
            if self.numbers.len() <= lane as usize {
                self.numbers.resize(lane as usize + 1, 0);
            }
            self.lanes.push(lane);
            self.numbers[lane as usize] = self.lanes.len() as u16;
        }
        self.met.clear();
        self.met.resize(self.lanes.len(), self.row);
    }

    /// The number of `lane` among the lanes, if it is one of them.
    #[inline]
    fn number(&self, lane: u32) -> Option<usize> {
        let number = self.numbers.get(lane as usize).map_or(0, |&number| usize::from(number));
        number.checked_sub(1)
    }
}

impl RealWeights {
    /// No weights yet. They end as their average over training if `averaged`. Features that come fewer than `min_count`
    /// times in the first pass get no row; counts are kept by the lowest 24 bits of features, so of those that
    /// share these some are let in that are too rare.
    pub fn new(averaged: bool, min_count: u8) -> RealWeights {
        RealWeights {
            places: HashTable::new(),
            entries: vec![Entry::default()],
            states: vec![State::default()],
            sums: vec![0.0; usize::from(averaged)],
            min_count,
            counts: if min_count > 1 { vec![0; 1 << COUNT_BITS] } else { Vec::new() },
            is_open: true,
            free: Default::default(),
            tick: 1.0,
        }
    }

    /// Ends a pass over the data: features that are still too rare will never have a row.
    pub fn end_pass(&mut self) {
        if self.min_count > 1 {
            self.is_open = false;
            self.counts = Vec::new();
        }
    }

    /// Whether a feature that has no row is to get one.
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
        self.places.len()
    }

    /// Ends a training example: weights from here on count for the average of the next one.
    pub fn tick(&mut self) {
        self.tick += 1.0;
    }

    /// Starts the average anew.
    pub fn restart_average(&mut self) {
        self.sums.fill(0.0);
        self.tick = 1.0;
    }

    /// Adds the rows of all `features` to `scores`.
    pub fn add(&self, features: &[u64], scores: &mut [f32]) {
        // Two passes: the look-ups of the first are independent of each other, so that the processor overlaps the misses.
        const BATCH: usize = 32;
        let mut rows = [(0, 0); BATCH];
        for features in features.chunks(BATCH) {
            for (row, &feature) in rows.iter_mut().zip(features) {
                let place = self.find(feature);
                *row = (place.start as usize, place.start as usize + place.len as usize);
            }
            for &(start, end) in &rows[..features.len()] {
                for entry in &self.entries[start..end] {
                    scores[entry.lane as usize] += entry.weight;
                }
            }
        }
    }

    /// Changes the weights of all `features` in `lanes`. `change` is given a lane's number among them, the weight and its
    /// state, and says what to add to the weight.
    ///
    /// # Panics
    /// If there are more than 2^32 weights.
    pub fn update(
        &mut self,
        features: &[u64],
        lanes: &mut Lanes,
        mut change: impl FnMut(usize, f32, &mut State) -> f32,
    ) {
        for &feature in features {
            lanes.row += 1;
            let Some(place) = self.find_or_insert(feature, lanes.lanes.len()) else { continue };
            let row = place.start as usize..place.start as usize + place.len as usize;
            let (entries, states) = (&mut self.entries[row.clone()], &mut self.states[row.clone()]);
            // Most rows of hidden units have all lanes, in order: no look-ups then.
            if self.sums.is_empty() && entries.iter().map(|entry| &entry.lane).eq(&lanes.lanes) {
                for (number, (entry, state)) in entries.iter_mut().zip(states).enumerate() {
                    entry.weight += change(number, entry.weight, state);
                }
                continue;
            }
            let mut n_met = 0;
            for (i, (entry, state)) in entries.iter_mut().zip(states).enumerate() {
                let Some(number) = lanes.number(entry.lane) else { continue };
                let by = change(number, entry.weight, state);
                entry.weight += by;
                if let Some(sum) = self.sums.get_mut(row.start + i) {
                    *sum += self.tick * f64::from(by);
                }
                lanes.met[number] = lanes.row;
                n_met += 1;
            }
            if n_met == lanes.lanes.len() {
                continue;
            }
            let end = self.reserve(feature, place, lanes.lanes.len() - n_met) + row.len();
            let missing = lanes.lanes.iter().enumerate().filter(|&(number, _)| lanes.met[number] != lanes.row);
            for (i, (number, &lane)) in (end..).zip(missing) {
                let mut state = State::default();
                let weight = change(number, 0.0, &mut state);
                self.entries[i] = Entry { lane, weight };
                self.states[i] = state;
                if let Some(sum) = self.sums.get_mut(i) {
                    *sum = self.tick * f64::from(weight);
                }
            }
        }
    }

    /// The weight of `feature` in `lane`.
    pub fn get(&self, feature: u64, lane: u32) -> f32 {
        self.row(self.find(feature)).find(|&i| self.entries[i].lane == lane).map_or(0.0, |i| self.entries[i].weight)
    }

    fn row(&self, place: Place) -> impl Iterator<Item = usize> + use<> {
        place.start as usize..place.start as usize + place.len as usize
    }

    #[inline]
    fn find(&self, feature: u64) -> Place {
        self.places.find(feature, |place| place.feature == feature).copied().unwrap_or_default()
    }

    fn find_or_insert(&mut self, feature: u64, n_lanes: usize) -> Option<Place> {
        if let Some(place) = self.places.find(feature, |place| place.feature == feature) {
            return Some(*place);
        }
        if !self.lets_in(feature) {
            return None;
        }
        let log = n_lanes.next_power_of_two().trailing_zeros() as usize;
        let place = Place { feature, start: self.allocate(log), len: 0, capacity: 1 << log };
        Some(*self.places.insert_unique(feature, place, |place| place.feature).get())
    }

    /// Makes room for `more` entries in the row at `place`, and counts them as its own; its start.
    fn reserve(&mut self, feature: u64, place: Place, more: usize) -> usize {
        let len = place.len as usize + more;
        let (mut start, mut capacity) = (place.start, place.capacity);
        if len > capacity as usize {
            let log = len.next_power_of_two().trailing_zeros() as usize;
            start = self.allocate(log);
            capacity = 1 << log;
            let old = place.start as usize..place.start as usize + place.len as usize;
            self.entries.copy_within(old.clone(), start as usize);
            self.states.copy_within(old.clone(), start as usize);
            if !self.sums.is_empty() {
                self.sums.copy_within(old, start as usize);
            }
            self.free[place.capacity.trailing_zeros() as usize].push(place.start);
        }
        let known = self.places.find_mut(feature, |place| place.feature == feature);
        *known.expect("the row was found before") = Place { feature, start, len: len as u16, capacity };
        start as usize
    }

    /// A row of capacity 2^`log`.
    fn allocate(&mut self, log: usize) -> u32 {
        if let Some(start) = self.free[log].pop() {
            return start;
        }
        let start = u32::try_from(self.entries.len()).expect("at most 2^32 weights");
        self.entries.resize(self.entries.len() + (1 << log), Entry::default());
        self.states.resize(self.entries.len(), State::default());
        if !self.sums.is_empty() {
            self.sums.resize(self.entries.len(), 0.0);
        }
        start
    }

    fn sorted(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.places.iter().copied().collect();
        places.sort_unstable_by_key(|place| place.feature);
        places
    }

    fn averages(&self, place: Place) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        self.row(place).map(move |i| {
            let Entry { lane, weight } = self.entries[i];
            let behind = self.sums.get(i).map_or(0.0, |sum| sum / self.tick);
            (lane as ActionId, f64::from(weight) - behind)
        })
    }
}

impl Averages for RealWeights {
    fn n_rows(&self) -> usize {
        self.n_features()
    }

    fn for_each_row(&self, mut read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>)) {
        for place in self.sorted() {
            read(place.feature, &mut self.averages(place));
        }
    }

    fn row_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        self.averages(self.find(feature))
    }

    fn has_row(&self, feature: u64) -> bool {
        self.places.find(feature, |place| place.feature == feature).is_some()
    }
}

impl RealWeights {
    /// The weights between two passes as five runs of bytes: numbers, places, entries, states, sums.
    pub fn sections(&self) -> [Vec<u8>; 5] {
        let mut numbers = vec![self.tick.to_bits(), u64::from(self.min_count), u64::from(self.is_open)];
        for free in &self.free {
            numbers.push(free.len() as u64);
            numbers.extend(free.iter().map(|&start| u64::from(start)));
        }
        [
            bytemuck::cast_slice(&numbers).to_vec(),
            bytemuck::cast_slice(&self.sorted()).to_vec(),
            bytemuck::cast_slice(&self.entries).to_vec(),
            bytemuck::cast_slice(&self.states).to_vec(),
            bytemuck::cast_slice(&self.sums).to_vec(),
        ]
    }

    /// The weights from [`RealWeights::sections`], for scores of `width` lanes; `None` if anything points outside.
    pub fn from_sections(sections: [&[u8]; 5], width: usize) -> Option<RealWeights> {
        let [numbers, places, entries, states, sums] = sections;
        let mut numbers = from_bytes::<u64>(numbers)?.into_iter();
        let tick = f64::from_bits(numbers.next()?);
        let min_count = u8::try_from(numbers.next()?).ok()?;
        let is_open = numbers.next()? != 0;
        let places: Vec<Place> = from_bytes(places)?;
        let (entries, states): (Vec<Entry>, Vec<State>) = (from_bytes(entries)?, from_bytes(states)?);
        let sums: Vec<f64> = from_bytes(sums)?;
        let in_table = |start: u32, capacity: usize| start as usize + capacity <= entries.len();
        let mut free: [Vec<u32>; 17] = Default::default();
        for (log, free) in free.iter_mut().enumerate() {
            for _ in 0..numbers.next()? {
                free.push(u32::try_from(numbers.next()?).ok().filter(|&start| in_table(start, 1 << log))?);
            }
        }
        let sound = |place: &Place| {
            place.len <= place.capacity
                && place.capacity.is_power_of_two()
                && in_table(place.start, place.capacity as usize)
        };
        let ascending = places.windows(2).all(|pair| pair[0].feature < pair[1].feature);
        let in_width = entries.iter().all(|entry| (entry.lane as usize) < width);
        let as_many = entries.len() == states.len() && (sums.is_empty() || sums.len() == entries.len());
        if !(ascending && in_width && as_many && places.iter().all(sound)) {
            return None;
        }
        let mut table = HashTable::with_capacity(places.len());
        for place in places {
            table.insert_unique(place.feature, place, |place| place.feature);
        }
        Some(RealWeights { places: table, entries, states, sums, min_count, counts: Vec::new(), is_open, free, tick })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Rows against a plain map, under updates of varying lanes.
    #[test]
    fn rows_hold_what_was_added() {
        let mut weights = RealWeights::new(false, 1);
        let mut lanes = Lanes::default();
        let mut plain = std::collections::HashMap::new();
        for round in 0..50u64 {
            let chosen: Vec<u32> =
                (0..40).filter(|lane| (u64::from(*lane) * 7 + round * 3) % 5 < round % 4 + 1).collect();
            lanes.set(chosen.iter().copied());
            let features: Vec<u64> = (round * 20..round * 20 + 60).map(feature).collect();
            weights.update(&features, &mut lanes, |number, weight, state| {
                assert_eq!(weight, state.second);
                state.second += number as f32 + 1.0;
                number as f32 + 1.0
            });
            for &feature in &features {
                for (number, &lane) in chosen.iter().enumerate() {
                    *plain.entry((feature, lane)).or_insert(0.0) += number as f32 + 1.0;
                }
            }
        }
        let sections = weights.sections();
        let again = RealWeights::from_sections(sections.each_ref().map(|s| &s[..]), 40).unwrap();
        assert!(RealWeights::from_sections(sections.each_ref().map(|s| &s[..]), 39).is_none());
        assert!(again.sections() == sections);
        for number in 0..1200 {
            let mut scores = [0.0; 40];
            again.add(&[feature(number)], &mut scores);
            for (lane, score) in scores.into_iter().enumerate() {
                let expected = plain.get(&(feature(number), lane as u32)).copied().unwrap_or(0.0);
                assert_eq!((score, weights.get(feature(number), lane as u32)), (expected, expected));
            }
        }
    }

    /// Features that come once in the first pass have no row, then or later.
    #[test]
    fn rare_features_are_left_out() {
        let mut weights = RealWeights::new(false, 2);
        let mut lanes = Lanes::default();
        lanes.set([0]);
        let mut learn =
            |weights: &mut RealWeights, features: &[u64]| weights.update(features, &mut lanes, |_, _, _| 1.0);
        learn(&mut weights, &[feature(1), feature(2)]);
        learn(&mut weights, &[feature(1), feature(3)]);
        weights.end_pass();
        let [numbers, places, entries, states, sums] = weights.sections();
        let again = RealWeights::from_sections([&numbers, &places, &entries, &states, &sums], 1);
        for mut weights in [weights, again.unwrap()] {
            learn(&mut weights, &[feature(1), feature(2), feature(4)]);
            learn(&mut weights, &[feature(2), feature(4)]);
            assert_eq!([1, 2, 3, 4].map(|number| weights.get(feature(number), 0)), [2.0, 0.0, 0.0, 0.0]);
        }
    }

    /// The averages after three ticks, as those of integers: w is 1, 3, 2 after ticks 1, 2, 3.
    #[test]
    fn averages_are_over_ticks() {
        for (averaged, expected) in [(true, 6.0 / 4.0), (false, 2.0)] {
            let mut weights = RealWeights::new(averaged, 1);
            let mut lanes = Lanes::default();
            lanes.set([7]);
            for change in [1.0, 2.0, -1.0] {
                weights.update(&[42], &mut lanes, |_, _, _| change);
                weights.tick();
            }
            assert_eq!(weights.row_of(42).collect::<Vec<_>>(), [(7, expected)]);
        }
    }
}
