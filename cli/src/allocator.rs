//! Handling of memory that runs out: the program says so, removes outputs that are not finished, and ends with the exit
//! code of an error. By itself Rust would end it with SIGABRT, and leave temporary files behind.

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
