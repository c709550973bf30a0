//! Memory: large arrays stand on large pages, and go back to the system when they are freed. Where memory runs out the program says
//! so, removes outputs that are not finished, and ends with the exit code of an error. By itself Rust would end it with SIGABRT, and
//! leave temporary files behind.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, of which no one ever gets a null pointer.
#[derive(Debug, Clone, Copy)]
pub struct Allocator;

// SAFETY: every call is passed to `System` as it came, and what `System` gives is passed on as it is. Where that is null, the
// function does not return. Advice about its pages does not change what stands on them. `checked`, `on_large_pages` and `ran_out` do
// not unwind.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        on_large_pages(checked(unsafe { System.alloc(layout) }), layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        on_large_pages(checked(unsafe { System.alloc_zeroed(layout) }), layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        on_large_pages(checked(unsafe { System.realloc(pointer, layout, size) }), size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Returns large arrays to the system as soon as they are freed, where the C library is glibc. PERF: by itself glibc keeps arrays
/// that are no larger than one freed before, and gaps remain between them: training at width 8 on English-EWT then takes 404 MB
/// instead of 321 MB.
#[allow(unsafe_code)]
pub fn return_large_arrays() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call changes a number of glibc's allocator, under its lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as libc::c_int);
    }
}

/// Size in bytes from which arrays have pages of their own.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Asks the system for large pages under an array of [`LARGE`] bytes or more; returns `pointer`. PERF: a processor remembers the
/// addresses of few pages, and training reads its tables in no order. At width 8 on English-EWT it takes 5 % less time, beside another
/// training 9 %.
#[allow(unsafe_code)]
#[inline]
fn on_large_pages(pointer: *mut u8, size: usize) -> *mut u8 {
    #[cfg(target_os = "linux")]
    if size >= LARGE {
        const PAGE: usize = 4096;
        let first = pointer.addr().next_multiple_of(PAGE);
        let len = (pointer.addr() + size - first) / PAGE * PAGE;
        // SAFETY: the pages lie within the array. A system that has no large pages refuses, which does no harm.
        unsafe { libc::madvise(pointer.with_addr(first).cast(), len, libc::MADV_HUGEPAGE) };
    }
    pointer
}

/// Returns to the system those pages on which everything was freed, where the C library is glibc.
#[allow(unsafe_code)]
pub fn return_freed_pages() {
    // SAFETY: the call takes pages that nothing stands on from glibc's allocator, under its lock.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() { ran_out() } else { pointer }
}

const MESSAGE: &str = "error: memory ran out; expected a higher limit (`ulimit -v` shows it), a narrower --beam, fewer --threads or \
                       shorter sentences\n";

/// Ends the process.
#[cold]
fn ran_out() -> ! {
    thread_local! {
        static ENDS: Cell<bool> = const { Cell::new(false) };
    }
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    // This needs hardly any memory. Without even that, nothing more can be done.
    if ENDS.replace(true) {
        signal_hook::low_level::exit(2);
    }
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is about to end the process.
        loop {
            std::thread::park();
        }
    }
    treebeam::files::try_remove_unfinished();
    // What formats a message would need memory.
    let _ = std::io::stderr().write_all(MESSAGE.as_bytes());
    signal_hook::low_level::exit(2)
}
