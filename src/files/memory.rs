//! Numbers that are owned, or stand in a copy of a file.

use std::fs::File;
use std::io::Read;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::{Mmap, MmapOptions};

/// An array of numbers that never changes. Clones share it.
///
/// PERF: the place is found once. To ask the map each time took 3 % of the instructions of parsing at width 8.
#[derive(Debug, Clone)]
pub struct Numbers<T> {
    start: *const T,
    len: usize,
    _owner: Owner<T>,
}

/// Memory that numbers stand in.
#[derive(Debug, Clone)]
enum Owner<T> {
    Vec { _numbers: Arc<Vec<T>> },
    Map { _map: Arc<Mmap> },
}

#[expect(unsafe_code, reason = "the pointer leads into the memory that is owned, which is only read")]
// SAFETY: as of `Arc<Vec<T>>` and `Arc<Mmap>`.
unsafe impl<T: Send + Sync> Send for Numbers<T> {}

#[expect(unsafe_code, reason = "the pointer leads into the memory that is owned, which is only read")]
// SAFETY: as of `Arc<Vec<T>>` and `Arc<Mmap>`.
unsafe impl<T: Send + Sync> Sync for Numbers<T> {}

impl<T> From<Vec<T>> for Numbers<T> {
    fn from(numbers: Vec<T>) -> Numbers<T> {
        let numbers = Arc::new(numbers);
        Numbers { start: numbers.as_ptr(), len: numbers.len(), _owner: Owner::Vec { _numbers: numbers } }
    }
}

impl<T: Pod> Numbers<T> {
    /// The numbers in `range` of the map's bytes; `None` if it is beyond the map, not aligned, or does not hold whole
    /// numbers.
    pub fn mapped(map: &Arc<Mmap>, range: Range<usize>) -> Option<Numbers<T>> {
        let numbers = bytemuck::try_cast_slice::<u8, T>(map.get(range)?).ok()?;
        Some(Numbers { start: numbers.as_ptr(), len: numbers.len(), _owner: Owner::Map { _map: Arc::clone(map) } })
    }
}

impl<T> Deref for Numbers<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        #[expect(unsafe_code, reason = "the numbers are those of the owner")]
        // SAFETY: `start` and `len` are of a slice of the owner, which lives as long as this does; a vector in an `Arc` and a map stay
        // where they are, and neither is written to.
        unsafe {
            std::slice::from_raw_parts(self.start, self.len)
        }
    }
}

/// Tells the memory that the number at `place`, if there is one, will soon be read. It changes nothing but the caches.
#[inline(always)]
pub fn prefetch<T>(numbers: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = numbers.as_ptr().wrapping_add(place).cast::<i8>();
        #[expect(unsafe_code, reason = "a hint: it neither reads nor faults, whatever the address")]
        // SAFETY: prefetching is defined for any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, place);
}

/// Copies the first `len` bytes of a file into a map of their own, which no other program can change.
///
/// PERF: a file of 25 MB in pages of 4 kB takes as long to make room for as to read; hence huge ones, where the system has them.
///
/// # Errors
/// If the file cannot be read, or is shorter; if there is no such memory.
pub fn copy(file: &mut File, len: usize) -> std::io::Result<Mmap> {
    let mut map = MmapOptions::new().len(len).map_anon()?;
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    file.read_exact(&mut map)?;
    map.make_read_only()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek as _, Write as _};

    #[test]
    fn prefetching_is_allowed_anywhere() {
        let numbers = [1u32, 2, 3];
        for place in [0, 2, 3, usize::MAX / 4, usize::MAX] {
            prefetch(&numbers, place);
        }
        assert_eq!(numbers, [1, 2, 3]);
    }

    #[test]
    fn owned_numbers_stay_when_what_holds_them_moves() {
        let numbers = Numbers::from(vec![1u64, 2, 3]);
        let moved = Box::new((numbers.clone(), Numbers::from(Vec::<u64>::new())));
        drop(numbers);
        assert_eq!((&moved.0[..], &moved.1[..]), (&[1, 2, 3][..], &[][..]));
    }

    /// A file of these bytes, copied.
    fn copied(bytes: &[u8]) -> Arc<Mmap> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        Arc::new(copy(&mut file, bytes.len()).unwrap())
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot make maps read-only")]
    fn mapped_numbers_are_the_file_s() {
        let numbers: Vec<u32> = (0..100).collect();
        let map = copied(bytemuck::cast_slice(&numbers));
        let mapped = Numbers::<u32>::mapped(&map, 8..400).unwrap();
        assert_eq!(mapped[..], numbers[2..]);
        let copy = mapped.clone();
        drop((mapped, map));
        assert_eq!(copy[..], numbers[2..]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot make maps read-only")]
    fn odd_ranges_are_refused() {
        let map = copied(&[0; 64]);
        for range in [0..66, 1..5, 0..6, 70..74] {
            assert!(Numbers::<u32>::mapped(&map, range).is_none());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot make maps read-only")]
    fn copies_are_the_file_s_and_stay_when_it_changes() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 100]).unwrap();
        file.rewind().unwrap();
        assert!(copy(&mut file, 101).is_err());
        file.rewind().unwrap();
        let map = copy(&mut file, 100).unwrap();
        file.set_len(0).unwrap();
        assert_eq!(map[..], [7; 100]);
    }
}
