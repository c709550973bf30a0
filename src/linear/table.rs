//! A table of rows of weights while they are learned: by feature those weights that are not zero, each with what its learner
//! keeps beside it.
//!
//! Rows are found by open addressing and stand one behind the other in a few long arrays: a look-up touches a place and a
//! row, whatever stands beside the weights. A row that grows moves to one of twice the capacity; what it gives up is used
//! again.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::Row;
use crate::files::{Section, Sections, prefetch};

/// Error for weights that point outside their table.
pub const OUTSIDE: &str = "the weights point outside their table; the file is damaged";

/// Numbers from bytes of any alignment; `None` if there is a rest.
pub fn from_bytes<T: bytemuck::Pod>(bytes: &[u8]) -> Option<Vec<T>> {
    bytes.len().is_multiple_of(size_of::<T>()).then(|| bytemuck::allocation::pod_collect_to_vec(bytes))
}

/// One weight: its output, mostly an action, and its value.
pub trait WeightEntry: Pod + Default + std::fmt::Debug {
    /// The output.
    fn output(&self) -> u32;
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// A place of the hash table: a feature and where its row is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RowPlace {
    pub feature: u64,
    /// First entry of the row; rows start at 1, so 0 marks a free place. Of a row that stands elsewhere: its number, from 1.
    pub start: u32,
    pub len: u16,
    /// 0 if the row stands elsewhere.
    pub capacity: u16,
}

impl RowPlace {
    /// The entries of the row; none if it stands elsewhere.
    #[inline]
    pub fn row(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// The number of the row, from 0, if it stands elsewhere.
    #[inline]
    pub fn elsewhere(&self) -> Option<usize> {
        (self.capacity == 0 && self.start > 0).then(|| self.start as usize - 1)
    }
}

/// The length of rows that stand elsewhere, in what [`RowTable::find_all`] has found. No other row is as long.
const ELSEWHERE: u16 = u16::MAX;

/// Calls `look` with an element of each cache line over which a row of elements of type `T` extends.
#[inline]
fn each_line<T>(place: &RowPlace, look: impl Fn(usize)) {
    let in_line = LINE / size_of::<T>();
    look(place.start as usize);
    // PERF: no loop is set up for short rows, which most are.
    if usize::from(place.len) > in_line {
        place.row().step_by(in_line).skip(1).for_each(&look);
    }
    // A row may begin anywhere on a line, and so its last entry may stand on one more.
    look(place.row().end.wrapping_sub(1));
}

/// Arrays beside the weights, with an element for each entry, or none at all.
pub trait Beside: Clone + std::fmt::Debug {
    /// Grows to `len` elements, the new ones zero.
    fn resize(&mut self, len: usize);
    /// Copies the elements of `row` to where `to` begins.
    fn copy_within(&mut self, row: Range<usize>, to: usize);
    /// Tells the memory that the element `at` will soon be read.
    fn prefetch(&self, at: usize);
}

impl<T: Pod + std::fmt::Debug> Beside for Vec<T> {
    fn resize(&mut self, len: usize) {
        Vec::resize(self, len, T::zeroed());
    }

    fn copy_within(&mut self, row: Range<usize>, to: usize) {
        <[T]>::copy_within(self, row, to);
    }

    #[inline]
    fn prefetch(&self, at: usize) {
        prefetch(self, at);
    }
}

/// The number of a row that [`RowTable::find_all`] has found, if it stands elsewhere.
#[inline]
pub fn elsewhere(Row(row): Row) -> Option<usize> {
    (row as u16 == ELSEWHERE).then(|| (row >> 16) as usize - 1)
}

/// Rows of weights by feature, with `B` beside them.
#[derive(Debug, Clone)]
pub struct RowTable<E, B> {
    places: Vec<RowPlace>,
    n_features: usize,
    /// The entries of all rows.
    pub entries: Vec<E>,
    /// Arrays beside the weights.
    pub beside: B,
    /// Rows given up for larger ones, by the logarithm of their capacity.
    free: [Vec<u32>; 17],
}

impl<E: WeightEntry, B: Beside> RowTable<E, B> {
    /// A table without rows; `beside` becomes as long as the table is.
    pub fn new(mut beside: B) -> RowTable<E, B> {
        beside.resize(1);
        RowTable {
            places: vec![RowPlace::default(); 1 << 12],
            n_features: 0,
            entries: vec![E::default()],
            beside,
            free: Default::default(),
        }
    }

    /// The number of features that have a row.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The features that have a row, in the order of the table.
    pub fn features(&self) -> impl Iterator<Item = u64> + '_ {
        self.places.iter().filter(|place| place.start != 0).map(|place| place.feature)
    }

    /// The places of all rows, in the order of the table. The rows lie anywhere, and so they are prefetched.
    pub fn rows(&self) -> impl Iterator<Item = RowPlace> + '_ {
        const AHEAD: usize = 32;
        let later = self.places.iter().skip(AHEAD).map(Some).chain(std::iter::repeat(None));
        let taken = self.places.iter().zip(later).inspect(|(_, later)| {
            if let Some(later) = later {
                self.prefetch_row(later);
            }
        });
        taken.map(|(place, _)| *place).filter(|place| place.start != 0)
    }

    /// Tells the memory that the row at `place`, and what is beside it, will soon be read, if it stands in the table.
    #[inline]
    pub fn prefetch_row(&self, place: &RowPlace) {
        if place.capacity > 0 {
            self.prefetch_entries(place);
            // No array beside the weights has elements of more than eight bytes.
            each_line::<u64>(place, |at| self.beside.prefetch(at));
        }
    }

    /// Tells the memory that the entries of the row at `place`, which stands in the table, will soon be read.
    #[inline]
    pub fn prefetch_entries(&self, place: &RowPlace) {
        each_line::<E>(place, |at| prefetch(&self.entries, at));
    }

    #[inline]
    fn home(&self, feature: u64) -> usize {
        feature as usize & (self.places.len() - 1)
    }

    /// Tells the memory that `feature` will soon be looked up.
    #[inline]
    pub fn prefetch(&self, feature: u64) {
        prefetch(&self.places, self.home(feature));
    }

    /// Finds the rows of `features`: of each its start and its length in one number. `elsewhere` hears of those that stand
    /// elsewhere.
    #[inline]
    pub fn find_all(&self, features: &[u64], rows: &mut [Row], elsewhere: impl Fn(usize)) {
        for (row, &feature) in rows.iter_mut().zip(features) {
            let place = self.find(feature);
            if let Some(number) = place.elsewhere() {
                *row = Row(u64::from(place.start) << 16 | u64::from(ELSEWHERE));
                elsewhere(number);
                continue;
            }
            *row = Row(u64::from(place.start) << 16 | u64::from(place.len));
            self.prefetch_entries(&place);
        }
    }

    /// The entries of a row that [`RowTable::find_all`] has found and that does not stand elsewhere.
    #[inline]
    pub fn found(&self, Row(row): Row) -> &[E] {
        &self.entries[(row >> 16) as usize..][..row as u16 as usize]
    }

    /// Gives up the row at place `i`, which from now on stands elsewhere under this number.
    pub fn move_out(&mut self, i: usize, number: usize) {
        let RowPlace { start, capacity, .. } = self.places[i];
        self.free[capacity.trailing_zeros() as usize].push(start);
        self.places[i].start = u32::try_from(number + 1).expect("fewer rows than weights");
        self.places[i].len = 0;
        self.places[i].capacity = 0;
    }

    /// The place of `feature`; an empty row if it has none.
    #[inline]
    pub fn find(&self, feature: u64) -> RowPlace {
        self.places[self.position(feature)]
    }

    /// True if `feature` has a row.
    pub fn has(&self, feature: u64) -> bool {
        self.find(feature).start != 0
    }

    /// Index of `feature` among the places, or of the place that it would take.
    #[inline]
    pub fn position(&self, feature: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut i = self.home(feature);
        loop {
            let place = self.places[i & mask];
            if place.start == 0 || place.feature == feature {
                return i & mask;
            }
            i += 1;
        }
    }

    /// Index of `feature` among the places; if it has no row, it gets one without weights, with room for `n_outputs`.
    #[inline]
    pub fn find_or_insert(&mut self, feature: u64, n_outputs: usize) -> usize {
        let i = self.position(feature);
        if self.is_taken(i) { i } else { self.insert(feature, n_outputs) }
    }

    /// True if a feature stands at this place.
    #[inline]
    pub fn is_taken(&self, i: usize) -> bool {
        self.places[i].start != 0
    }

    /// Gives `feature`, which has none, a row without weights, with room for `n_outputs`; where it stands among the places.
    pub fn insert(&mut self, feature: u64, n_outputs: usize) -> usize {
        if self.n_features * 3 >= self.places.len() * 2 {
            self.grow_table();
        }
        let log = log_of(n_outputs);
        let i = self.position(feature);
        self.places[i] = RowPlace { feature, start: self.allocate(log), len: 0, capacity: 1 << log };
        self.n_features += 1;
        i
    }

    /// The place with this number.
    #[inline]
    pub fn place(&self, i: usize) -> RowPlace {
        self.places[i]
    }

    /// Makes room for `more` entries behind those of the row at place `i`, and counts them as its own; the row before and where
    /// the new entries begin.
    #[inline]
    pub fn extend_row(&mut self, i: usize, more: usize) -> usize {
        let RowPlace { start, len, capacity, .. } = self.places[i];
        let longer = len as usize + more;
        if longer > capacity as usize {
            let log = log_of(longer);
            let new = self.allocate(log);
            let old = self.places[i].row();
            self.entries.copy_within(old.clone(), new as usize);
            self.beside.copy_within(old, new as usize);
            self.free[capacity.trailing_zeros() as usize].push(start);
            self.places[i].start = new;
            self.places[i].capacity = 1 << log;
        }
        self.places[i].len = longer as u16;
        self.places[i].start as usize + len as usize
    }

    /// A row of capacity 2^`log`.
    fn allocate(&mut self, log: usize) -> u32 {
        if let Some(start) = self.free[log].pop() {
            return start;
        }
        let start = u32::try_from(self.entries.len()).expect("at most 2^32 weights");
        self.entries.resize(self.entries.len() + (1 << log), E::default());
        self.beside.resize(self.entries.len());
        start
    }

    fn grow_table(&mut self) {
        let doubled = vec![RowPlace::default(); self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, doubled);
        for place in old.into_iter().filter(|place| place.start != 0) {
            let i = self.position(place.feature);
            self.places[i] = place;
        }
    }
}

/// The logarithm of the capacity of a row of `n_outputs` or a few more.
fn log_of(n_outputs: usize) -> usize {
    n_outputs.next_power_of_two().trailing_zeros() as usize
}

impl<E: WeightEntry, B: Beside> RowTable<E, B> {
    /// The table as sections of a checkpoint. What stands beside the weights is the learner's business.
    pub fn sections(&self) -> [Section<'_>; 3] {
        let mut numbers = vec![self.n_features as u64];
        for free in &self.free {
            numbers.push(free.len() as u64);
            numbers.extend(free.iter().map(|&start| u64::from(start)));
        }
        [
            Section::new("numbers", bytemuck::cast_slice(&numbers).to_vec()),
            Section::new("places", bytemuck::cast_slice(&self.places)),
            Section::new("entries", bytemuck::cast_slice(&self.entries)),
        ]
    }

    /// The table of [`RowTable::sections`] for scores of this `width`, with so many rows elsewhere; `None` if anything points outside. That
    /// `beside` is as long as the entries is the caller's to check.
    pub fn from_sections(sections: &Sections, beside: B, width: usize, n_elsewhere: usize) -> Option<RowTable<E, B>> {
        let [numbers, places, entries] = sections.all(["numbers", "places", "entries"]).ok()?;
        let mut numbers = from_bytes::<u64>(numbers)?.into_iter();
        let n_features = usize::try_from(numbers.next()?).ok()?;
        let entries: Vec<E> = from_bytes(entries)?;
        let in_table = |start: u32, capacity: usize| start > 0 && start as usize + capacity <= entries.len();
        let mut free: [Vec<u32>; 17] = Default::default();
        for (log, free) in free.iter_mut().enumerate() {
            for _ in 0..numbers.next()? {
                free.push(u32::try_from(numbers.next()?).ok().filter(|&start| in_table(start, 1 << log))?);
            }
        }
        let places: Vec<RowPlace> = from_bytes(places)?;
        // A free place is the empty row of whatever is looked for there.
        let is_sound = |place: &RowPlace| match place.elsewhere() {
            None if place.start == 0 => *place == RowPlace::default(),
            Some(number) => place.len == 0 && number < n_elsewhere,
            None => {
                place.len <= place.capacity
                    && place.capacity.is_power_of_two()
                    && in_table(place.start, place.capacity as usize)
            }
        };
        let taken = || places.iter().filter(|place| place.start != 0);
        let sound = places.len().is_power_of_two()
            && taken().count() == n_features
            && n_features < places.len()
            && places.iter().all(is_sound)
            && entries.iter().all(|entry| (entry.output() as usize) < width);
        sound.then_some(RowTable { places, n_features, entries, beside, free })
    }
}
