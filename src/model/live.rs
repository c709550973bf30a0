//! The weights of a perceptron while it learns.
//!
//! Live weights are integers. Each has beside it the sum `u` of (tick × change), so that the average over all ticks so far
//! is `w − u / ticks` (the lazy average of Daumé 2006, section 2.3; it equals the mean over the weights "0 before the first tick,
//! then w after each tick").

use super::frozen::from_bytes;
use super::memory;
use super::{Row, Weights};
use crate::system::ActionId;

/// One weight: an action and its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Entry {
    /// The action.
    pub action: u32,
    /// The weight.
    pub weight: i32,
}

/// A place of the hash table: a feature and where its row is.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Place {
    feature: u64,
    /// First entry of the row; rows start at 1, so 0 marks a free place.
    start: u32,
    len: u16,
    capacity: u16,
}

/// The live weights of a model: an open-addressing table of rows of integer weights.
#[derive(Debug, Clone)]
pub struct LiveWeights {
    places: Vec<Place>,
    n_features: usize,
    entries: Vec<Entry>,
    /// By entry: the sum of tick × change.
    sums: Vec<i64>,
    /// Rows given up for larger ones, by the logarithm of their capacity.
    free: [Vec<u32>; 17],
    tick: i64,
}

impl Default for LiveWeights {
    fn default() -> LiveWeights {
        LiveWeights {
            places: vec![Place::default(); 1 << 12],
            n_features: 0,
            entries: vec![Entry::default()],
            sums: vec![0],
            free: Default::default(),
            tick: 1,
        }
    }
}

impl LiveWeights {
    /// The number of features that have a row.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Ends a training example: weights from here on count for the average of the next one.
    pub fn tick(&mut self) {
        self.tick += 1;
    }

    /// Starts the average anew: over the weights as they are now and after each tick to come.
    pub fn restart_average(&mut self) {
        self.sums.fill(0);
        self.tick = 1;
    }

    /// Adds `change` to the weight of `feature` and `action`.
    ///
    /// # Panics
    /// If the weights need more than 2^32 entries.
    pub fn update(&mut self, feature: u64, action: ActionId, change: i32) {
        let place = self.find_or_insert(feature);
        let Place { start, len, capacity, .. } = self.places[place];
        let row = start as usize..start as usize + len as usize;
        let sum = self.tick * i64::from(change);
        if let Some(i) = self.entries[row.clone()].iter().position(|entry| entry.action == u32::from(action)) {
            self.entries[row.start + i].weight += change;
            self.sums[row.start + i] += sum;
            return;
        }
        let start = if len == capacity { self.grow(place) } else { start };
        let end = start as usize + len as usize;
        self.entries[end] = Entry { action: u32::from(action), weight: change };
        self.sums[end] = sum;
        self.places[place].len += 1;
    }

    /// Makes changes, each a feature, an action and what to add to its weight.
    pub fn update_all(&mut self, changes: &[(u64, ActionId, i32)]) {
        const BATCH: usize = 64;
        for changes in changes.chunks(BATCH) {
            // The misses of a batch overlap.
            changes.iter().for_each(|&(feature, ..)| memory::prefetch(&self.places, self.home(feature)));
            changes.iter().for_each(|&(feature, action, change)| self.update(feature, action, change));
        }
    }

    /// The weight of `feature` and `action`.
    pub fn get(&self, feature: u64, action: ActionId) -> i32 {
        let Place { start, len, .. } = self.find(feature);
        let row = &self.entries[start as usize..start as usize + len as usize];
        row.iter().find(|entry| entry.action == u32::from(action)).map_or(0, |entry| entry.weight)
    }

    /// Calls `read` with each feature and its row of averaged weights, in the order of the table.
    pub fn for_each_average(&self, mut read: impl FnMut(u64, &mut dyn Iterator<Item = (ActionId, f64)>)) {
        for place in self.places.iter().filter(|place| place.start != 0) {
            read(place.feature, &mut self.averages(*place));
        }
    }

    /// The averaged weights of `feature`, in no particular order.
    pub fn averages_of(&self, feature: u64) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        self.averages(self.find(feature))
    }

    /// Whether `feature` has a row.
    pub fn has(&self, feature: u64) -> bool {
        self.find(feature).start != 0
    }

    fn averages(&self, place: Place) -> impl Iterator<Item = (ActionId, f64)> + '_ {
        let ticks = self.tick as f64;
        (place.start as usize..place.start as usize + place.len as usize).map(move |i| {
            let Entry { action, weight } = self.entries[i];
            // Exact in integers up to the division.
            let total = i64::from(weight) * self.tick - self.sums[i];
            (action as ActionId, total as f64 / ticks)
        })
    }

    fn home(&self, feature: u64) -> usize {
        feature as usize & (self.places.len() - 1)
    }

    #[inline]
    fn find(&self, feature: u64) -> Place {
        let mask = self.places.len() - 1;
        let mut i = self.home(feature);
        loop {
            let place = self.places[i & mask];
            if place.start == 0 || place.feature == feature {
                return place;
            }
            i += 1;
        }
    }

    fn find_or_insert(&mut self, feature: u64) -> usize {
        if self.n_features * 3 >= self.places.len() * 2 {
            self.grow_table();
        }
        let mask = self.places.len() - 1;
        let mut i = self.home(feature);
        loop {
            let place = self.places[i & mask];
            if place.start == 0 {
                let start = self.allocate(1);
                self.places[i & mask] = Place { feature, start, len: 0, capacity: 2 };
                self.n_features += 1;
                return i & mask;
            }
            if place.feature == feature {
                return i & mask;
            }
            i += 1;
        }
    }

    fn grow_table(&mut self) {
        let old = std::mem::take(&mut self.places);
        self.places = vec![Place::default(); old.len() * 2];
        let mask = self.places.len() - 1;
        for place in old.into_iter().filter(|place| place.start != 0) {
            let mut i = self.home(place.feature);
            while self.places[i & mask].start != 0 {
                i += 1;
            }
            self.places[i & mask] = place;
        }
    }

    /// A row of capacity 2^`log`.
    fn allocate(&mut self, log: usize) -> u32 {
        if let Some(start) = self.free[log].pop() {
            return start;
        }
        let start = u32::try_from(self.entries.len()).expect("at most 2^32 weights");
        self.entries.resize(self.entries.len() + (1 << log), Entry::default());
        self.sums.resize(self.entries.len(), 0);
        start
    }

    /// Moves the row at `place` to one of twice the capacity; its new start.
    fn grow(&mut self, place: usize) -> u32 {
        let Place { start, len, capacity, .. } = self.places[place];
        let log = capacity.trailing_zeros() as usize;
        let new = self.allocate(log + 1);
        let old = start as usize..start as usize + len as usize;
        self.entries.copy_within(old.clone(), new as usize);
        self.sums.copy_within(old, new as usize);
        self.free[log].push(start);
        self.places[place].start = new;
        self.places[place].capacity = 1 << (log + 1);
        new
    }
}

impl LiveWeights {
    /// The weights as bytes: tick and free rows, places, entries, sums.
    pub fn sections(&self) -> (Vec<u8>, [&[u8]; 3]) {
        let mut state = vec![self.tick as u64, self.n_features as u64];
        for free in &self.free {
            state.push(free.len() as u64);
            state.extend(free.iter().map(|&start| u64::from(start)));
        }
        let state = state.into_iter().flat_map(u64::to_le_bytes).collect();
        let tables =
            [bytemuck::cast_slice(&self.places), bytemuck::cast_slice(&self.entries), bytemuck::cast_slice(&self.sums)];
        (state, tables)
    }

    /// The weights from their bytes; `None` if anything in them points outside the tables.
    pub fn from_sections(state: &[u8], [places, entries, sums]: [&[u8]; 3]) -> Option<LiveWeights> {
        let mut state = from_bytes::<u64>(state)?.into_iter();
        let tick = i64::try_from(state.next()?).ok()?;
        let n_features = usize::try_from(state.next()?).ok()?;
        let mut free: [Vec<u32>; 17] = Default::default();
        for free in &mut free {
            let len = state.next()?;
            for _ in 0..len {
                free.push(u32::try_from(state.next()?).ok()?);
            }
        }
        let weights = LiveWeights {
            places: from_bytes(places)?,
            n_features,
            entries: from_bytes(entries)?,
            sums: from_bytes(sums)?,
            free,
            tick,
        };
        let row_is_sound = |place: &Place| {
            place.len <= place.capacity && place.start as usize + place.capacity as usize <= weights.entries.len()
        };
        let sound = weights.places.len().is_power_of_two()
            && weights.places.iter().filter(|place| place.start != 0).count() == n_features
            && n_features < weights.places.len()
            && weights.entries.len() == weights.sums.len()
            && weights.places.iter().all(row_is_sound);
        sound.then_some(weights)
    }
}

impl Weights for LiveWeights {
    #[inline]
    fn prefetch(&self, features: &[u64]) {
        for &feature in features {
            memory::prefetch(&self.places, self.home(feature));
        }
    }

    /// A row here is its start and its length.
    #[inline]
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        for (row, &feature) in rows.iter_mut().zip(features) {
            let place = self.find(feature);
            *row = Row(u64::from(place.start) << 16 | u64::from(place.len));
            memory::prefetch(&self.entries, place.start as usize);
        }
    }

    #[inline]
    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        for &Row(row) in rows {
            for entry in &self.entries[(row >> 16) as usize..][..row as u16 as usize] {
                scores[entry.action as usize] += entry.weight;
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
        let mut weights = LiveWeights::default();
        for change in [1, 2, -1] {
            weights.update(42, 7, change);
            weights.tick();
        }
        weights.for_each_average(|feature, row| {
            assert_eq!(feature, 42);
            let row: Vec<_> = row.collect();
            // The mean over c = 4 values: 0, 1, 3, 2.
            assert_eq!(row, [(7, 6.0 / 4.0)]);
        });
    }

    #[test]
    fn rows_grow_and_tables_grow() {
        let mut weights = LiveWeights::default();
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
