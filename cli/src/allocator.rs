//! Memory: what is freed goes back to the system, and where memory runs out the program says so, removes outputs that are not
//! finished, and ends with the exit code of an error. By itself Rust would end it with SIGABRT, and leave temporary files behind.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, of which no one ever gets a null pointer.
#[derive(Debug, Clone, Copy)]
pub struct Allocator;

// SAFETY: every call is passed to `System` as it came, and what `System` gives is passed on as it is. Where that is null, the
// function does not return. `checked` and `ran_out` do not unwind.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        checked(unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Has the C library give back to the system what is freed of large arrays. By itself it keeps arrays of up to 32 MB once it has
/// freed one as large, and what lies between them is then free and not used. PERF: training at width 8 on English-EWT needs 40 MB less.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn give_back_large_arrays() {
    /// Bytes from which arrays have pages of their own.
    const LARGE: libc::c_int = 4 << 20;
    // SAFETY: the call changes a number of the C library's allocator, under its lock.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Other allocators give back what is freed, or cannot be told.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_large_arrays() {}

fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() { ran_out() } else { pointer }
}

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
    treebeam::console::say(format_args!(
        "error: memory ran out; expected a higher limit (`ulimit -v` shows it), a narrower --beam, fewer --threads or shorter \
         sentences"
    ));
    signal_hook::low_level::exit(2)
}
