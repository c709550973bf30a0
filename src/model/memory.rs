//! Numbers that are owned, or stand in a file that is mapped into memory.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::{Mmap, MmapOptions};

/// An array of numbers.
#[derive(Debug, Clone)]
pub enum Numbers<T> {
    /// In memory of their own.
    Owned(Vec<T>),
    /// In a mapped file.
    Mapped(Mapped<T>),
}

/// A part of a mapped file, read as numbers.
///
/// # Safety
/// `start` and `len` are only ever made by [`Mapped::new`], from a slice of the map that `bytemuck` has checked for
/// alignment and length; any bytes are a valid `T`, as it is `Pod`. The map stays where it is for as long as the `Arc`
/// lives, and nobody can write through it. What no program can rule out is that another one changes the file while it
/// is mapped; model files are therefore replaced by renaming, never written in place.
#[derive(Debug, Clone)]
pub struct Mapped<T> {
    /// Keeps the map in its place.
    _map: Arc<Mmap>,
    start: *const T,
    len: usize,
}

#[expect(unsafe_code, reason = "see the type's proof: shared, read-only memory of plain numbers")]
unsafe impl<T: Pod + Send + Sync> Send for Mapped<T> {}
#[expect(unsafe_code, reason = "see the type's proof: shared, read-only memory of plain numbers")]
unsafe impl<T: Pod + Send + Sync> Sync for Mapped<T> {}

impl<T: Pod> Mapped<T> {
    /// The numbers in `range` of the map's bytes; `None` if it is beyond the map, not aligned, or does not hold whole
    /// numbers.
    pub fn new(map: &Arc<Mmap>, range: Range<usize>) -> Option<Mapped<T>> {
        let numbers: &[T] = bytemuck::try_cast_slice(map.get(range)?).ok()?;
        Some(Mapped { _map: Arc::clone(map), start: numbers.as_ptr(), len: numbers.len() })
    }
}

impl<T: Pod> Deref for Numbers<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Numbers::Owned(numbers) => numbers,
            Numbers::Mapped(Mapped { start, len, .. }) => {
                #[expect(unsafe_code, reason = "see the proof at Mapped")]
                // SAFETY: `start` and `len` describe a checked slice of the map, which `self` keeps alive.
                unsafe {
                    std::slice::from_raw_parts(*start, *len)
                }
            }
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

/// Maps a file for reading.
///
/// Large files are copied into huge pages if the system has them: a table that is read at random addresses touches
/// thousands of pages of 4 KiB, more than the processor keeps the addresses of. PERF: 10 % of greedy parsing, 8 % at
/// width 64, for some 5 ms more to load. Where there are none, the file itself is mapped.
///
/// # Errors
/// If the system cannot map it: it is empty, a pipe, or gone.
pub fn map(file: &File) -> std::io::Result<Mmap> {
    let len = file.metadata().ok().filter(Metadata::is_file).map_or(0, |metadata| metadata.len());
    if len == 0 {
        return Err(std::io::Error::from(std::io::ErrorKind::InvalidInput));
    }
    if let Some(copy) = copy_into_huge_pages(file, len) {
        return Ok(copy);
    }
    #[expect(unsafe_code, reason = "see the proof at Mapped: what the file holds is checked before it is used")]
    // SAFETY: the map is only read, as bytes or as plain numbers.
    unsafe {
        MmapOptions::new().populate().map(file)
    }
}

/// Files that would fill fewer pages than this are not worth it.
const MIN_HUGE: u64 = 4 << 20;

#[cfg(target_os = "linux")]
fn copy_into_huge_pages(mut file: &File, len: u64) -> Option<Mmap> {
    let len = usize::try_from(len).ok().filter(|_| len >= MIN_HUGE)?;
    let mut map = MmapOptions::new().len(len).map_anon().ok()?;
    map.advise(memmap2::Advice::HugePage).ok()?;
    file.read_exact(&mut map).ok()?;
    map.make_read_only().ok()
}

#[cfg(not(target_os = "linux"))]
fn copy_into_huge_pages(_: &File, _: u64) -> Option<Mmap> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn mapped_numbers_are_the_file_s() {
        let mut file = tempfile::tempfile().unwrap();
        let numbers: Vec<u32> = (0..100).collect();
        file.write_all(bytemuck::cast_slice(&numbers)).unwrap();
        let map = Arc::new(map(&file).unwrap());
        let mapped = Numbers::Mapped(Mapped::<u32>::new(&map, 8..400).unwrap());
        assert_eq!(mapped[..], numbers[2..]);
        let copy = mapped.clone();
        drop((mapped, map));
        assert_eq!(copy[..], numbers[2..]);
    }

    #[test]
    fn odd_ranges_are_refused() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[0; 64]).unwrap();
        let map = Arc::new(map(&file).unwrap());
        for range in [0..66, 1..5, 0..6, 70..74] {
            assert!(Mapped::<u32>::new(&map, range).is_none());
        }
    }
}
