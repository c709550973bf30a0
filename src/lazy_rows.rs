//! Rows of numbers that are made one by one, by whichever thread is first, and kept side by side.
//!
//! PERF: they stand in large pages where the system has them, in the order in which they were made. Rows of networks are read from all
//! over some 30 MB; parsing English-EWT's test data greedily takes a fifth more time if each is in an allocation of its own.

use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Rows of equally many numbers, by number of the row; each is filled in once and never changes again.
#[derive(Debug)]
pub struct LazyRows<T> {
    /// By number of a row that was filled in: its place in memory.
    places: Box<[OnceLock<u32>]>,
    /// Number of places that are taken.
    taken: AtomicUsize,
    /// The numbers in a row.
    width: usize,
    /// The rows' memory. After it was made only `start` leads there.
    _map: Option<MmapMut>,
    start: *mut T,
    _rows: PhantomData<T>,
}

// SAFETY: a row is written before its place is known and only read after that; nobody else has that place.
#[expect(unsafe_code, reason = "the pointer leads into the map that is owned")]
unsafe impl<T: Send> Send for LazyRows<T> {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "rows are read after they were written")]
unsafe impl<T: Send + Sync> Sync for LazyRows<T> {}

impl<T: Pod> LazyRows<T> {
    /// Room for `n` rows of `width` numbers, none of which is filled in; for none if there is no such memory.
    pub fn new(n: usize, width: usize) -> LazyRows<T> {
        let bytes = n.checked_mul(width).and_then(|n| n.checked_mul(size_of::<T>()));
        let mut map = bytes.filter(|&bytes| bytes > 0).and_then(|bytes| MmapMut::map_anon(bytes).ok());
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Some(map) = &map {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let n = if map.is_some() { n } else { 0 };
        let start =
            map.as_mut().map_or(std::ptr::null_mut(), |map| bytemuck::cast_slice_mut::<u8, T>(map).as_mut_ptr());
        let places = (0..n).map(|_| OnceLock::new()).collect();
        LazyRows { places, taken: AtomicUsize::new(0), width, _map: map, start, _rows: PhantomData }
    }

    /// A row, if it was filled in.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&[T]> {
        let place = *self.places.get(number)?.get()? as usize;
        #[expect(unsafe_code, reason = "rows are read while others are written")]
        // SAFETY: there are as many places of `width` numbers in the map as rows; numbers may be any bits, and the map is aligned to
        // pages. The row was written before its place was known and is never written again.
        Some(unsafe { std::slice::from_raw_parts(self.start.add(place * self.width), self.width) })
    }

    /// Fills in a row, unless another thread has: with the same, as whoever makes a row makes the same. Nothing if there is no room.
    ///
    /// # Panics
    /// If it is not as long as rows are.
    pub fn set(&self, number: usize, row: &[T]) {
        assert_eq!(row.len(), self.width, "rows are equally long");
        let Some(place) = self.places.get(number) else { return };
        place.get_or_init(|| {
            let place = self.taken.fetch_add(1, Ordering::Relaxed);
            #[expect(unsafe_code, reason = "rows are written while others are read")]
            // SAFETY: a place is taken once for each row at most, so there are enough, and nobody reads it before it is known.
            unsafe {
                std::ptr::copy_nonoverlapping(row.as_ptr(), self.start.add(place * self.width), self.width);
            }
            place as u32
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_put_there() {
        let rows = LazyRows::<i16>::new(3, 2);
        rows.set(1, &[5, -6]);
        rows.set(1, &[7, 8]);
        rows.set(2, &[9, 10]);
        assert_eq!([0, 1, 2, 3].map(|number| rows.get(number)), [None, Some(&[5, -6][..]), Some(&[9, 10]), None]);
        rows.set(3, &[0, 0]);
        assert_eq!(rows.get(3), None, "there are three");
    }

    #[test]
    fn there_may_be_no_room() {
        for (n, width) in [(0, 5), (5, 0), (usize::MAX, 2), (usize::MAX / 16, 8)] {
            let rows = LazyRows::<f32>::new(n, width);
            rows.set(0, &vec![0.0; width]);
            assert_eq!(rows.get(0), None);
        }
    }

    #[test]
    fn threads_share_it() {
        let rows = LazyRows::<u64>::new(100, 7);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let rows = &rows;
                scope.spawn(move || {
                    for number in (0..100).map(|number| (number * 37 + thread * 25) % 100) {
                        let row = [number as u64; 7];
                        rows.set(number, &row);
                        assert_eq!(rows.get(number), Some(&row[..]));
                    }
                });
            }
        });
    }
}
