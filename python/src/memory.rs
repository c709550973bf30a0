//! Handling of memory that runs out. By itself Rust ends the process then, and Python with it.
//!
//! Some memory is kept in reserve. When the system gives no more, the reserve is given up, which is enough for a call to come to the
//! next place where it looks whether that happened, and ends there as a MemoryError. What asks for more than that at once must ask in a
//! way that can be refused, or the process ends all the same.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use treebeam::error::Error;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The system's allocator with a reserve.
struct Allocator;

/// Bytes in reserve, where there are so many. Nothing is written there but their number, so they take addresses and no memory.
const RESERVE: usize = 64 << 20;

/// Pause before memory that was refused is asked for again.
const PATIENCE: Duration = Duration::from_millis(100);

/// The reserve; null if it was given up.
static RESERVED: AtomicPtr<usize> = AtomicPtr::new(null_mut());

/// The number of times that the system gave no more.
static REFUSALS: AtomicUsize = AtomicUsize::new(0);

/// Those among them that were before the last call that began with a full reserve.
static REPORTED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to `System` as it came, and again if the first attempt gave nothing; what `System` gives is passed on as it
// is. The reserve is of `System`, too, and freed by whoever takes its pointer away. Nothing here unwinds or allocates.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        or_from_reserve(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        or_from_reserve(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        or_from_reserve(size, || unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn or_from_reserve(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let pointer = allocate();
    if !pointer.is_null() {
        return pointer;
    }
    REFUSALS.fetch_add(1, Ordering::SeqCst);
    let reserved = Reserve::take();
    if reserved.as_ref().is_some_and(|reserve| size > reserve.size() / 2) {
        reserved.and_then(Reserve::put);
        return pointer;
    }
    drop(reserved);
    // Another thread may have given it up a moment ago.
    allocate()
}

/// A reserve that nobody else has. It begins with its size.
struct Reserve(NonNull<usize>);

impl Reserve {
    /// A new one; none if there is not so much memory.
    fn new(size: usize) -> Option<Reserve> {
        let layout = Layout::array::<usize>(size.div_ceil(size_of::<usize>()).max(1)).ok()?;
        // SAFETY: the layout has a size, and is of numbers.
        let place = NonNull::new(unsafe { System.alloc(layout) }.cast::<usize>())?;
        // SAFETY: there is room for one number at least.
        unsafe { place.write(layout.size()) };
        Some(Reserve(place))
    }

    fn size(&self) -> usize {
        // SAFETY: it was written there.
        unsafe { self.0.read() }
    }

    /// Takes it away, if it is there.
    fn take() -> Option<Reserve> {
        NonNull::new(RESERVED.swap(null_mut(), Ordering::SeqCst)).map(Reserve)
    }

    /// Puts it where it is found; the one that was there.
    fn put(self) -> Option<Reserve> {
        let place = ManuallyDrop::new(self).0.as_ptr();
        NonNull::new(RESERVED.swap(place, Ordering::SeqCst)).map(Reserve)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        let size = self.size();
        if let Ok(layout) = Layout::array::<usize>(size / size_of::<usize>()) {
            // SAFETY: it was allocated with this layout, and nobody else has it.
            unsafe { System.dealloc(self.0.as_ptr().cast(), layout) };
        }
    }
}

/// Makes a reserve of this size, unless there is one that is as large, or, if it is to be `exact`, just as large.
///
/// # Errors
/// If there is not so much memory.
fn reserve(size: usize, exact: bool) -> PyResult<()> {
    let there = Reserve::take();
    let there = there.filter(|there| if exact { there.size() == size } else { there.size() >= size });
    // Where memory is short, less is better than nothing, unless more is known to be needed.
    let sizes = [size, size / 4, size / 16].into_iter().filter(|of| size == RESERVE || *of == size);
    let made = there.or_else(|| {
        sizes.clone().find_map(Reserve::new).or_else(|| {
            // Threads of a parser that was given up may be about to end and to free their memory.
            std::thread::sleep(PATIENCE);
            sizes.clone().find_map(Reserve::new)
        })
    });
    let made = made.ok_or_else(ran_out)?;
    // Another thread may have made one meanwhile, which is dropped.
    drop(made.put());
    Ok(())
}

/// From now on, panics for want of memory are not reported on standard error: a backtrace takes more memory than there
/// is, and the MemoryError says the rest.
pub fn quiet_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if REFUSALS.load(Ordering::SeqCst) == REPORTED.load(Ordering::SeqCst) {
            usual(panic);
        }
    }));
}

/// The MemoryError.
pub fn ran_out() -> PyErr {
    PyMemoryError::new_err(
        "memory ran out; expected more of it, a narrower beam, fewer threads, or fewer or shorter sentences at once",
    )
}

/// The same as an error of the library.
pub fn no_memory(what: &str) -> Error {
    Error::io(what)(ErrorKind::OutOfMemory.into())
}

/// Looks whether there is so much memory, which will be asked for in parts.
///
/// # Errors
/// If there is not.
pub fn probe(bytes: usize) -> PyResult<()> {
    room(&mut Vec::<u8>::new(), bytes)
}

/// Makes room for so many more.
///
/// # Errors
/// If there is no such memory.
pub fn room<T>(list: &mut Vec<T>, n: usize) -> PyResult<()> {
    list.try_reserve(n).map_err(|_| ran_out())
}

/// A call's view of the memory.
#[derive(Debug, Clone, Copy)]
pub struct Watch(usize);

impl Watch {
    /// Begins to look.
    ///
    /// # Errors
    /// If memory is so short already that there can be no reserve.
    pub fn begin() -> PyResult<Watch> {
        reserve(RESERVE, false)?;
        let refusals = REFUSALS.load(Ordering::SeqCst);
        REPORTED.store(refusals, Ordering::SeqCst);
        Ok(Watch(refusals))
    }

    /// Runs `work`, which may ask for so many bytes at once.
    ///
    /// # Errors
    /// If there is no reserve for that, and those of `work`.
    pub fn over<T>(bytes: usize, work: impl FnOnce(Watch) -> PyResult<T>) -> PyResult<T> {
        reserve(RESERVE.max(bytes.saturating_mul(2)), false)?;
        let done = work(Watch::begin()?);
        // What is no longer needed for that is for others. Where there is no memory, the next call says so.
        let _ = reserve(RESERVE, true);
        done
    }

    /// True if the system has refused memory since.
    pub fn is_short(self) -> bool {
        REFUSALS.load(Ordering::SeqCst) != self.0
    }

    /// Looks whether the system has refused memory since.
    ///
    /// # Errors
    /// If it has.
    pub fn check(self) -> PyResult<()> {
        if self.is_short() { Err(ran_out()) } else { Ok(()) }
    }
}
