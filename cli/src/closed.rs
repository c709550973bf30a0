//! Handling of output when the program is started without a standard output, as by `treebeam parse ... >&-`.
//!
//! Rust's runtime puts `/dev/null` where a standard stream is missing, before `main`: all output would be lost, and the exit
//! code would be that of success. What is put there first stays: a device that takes nothing. Commands that write nothing to
//! standard output run as ever.

use std::mem;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// True if the program was started without a standard output.
pub(super) fn stdout_was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

// SAFETY: the section holds pointers to functions of C's calling convention, which the loader calls one after the other before
// `main`; `occupy` does no more than system calls and an atomic store, which need nothing that the runtime sets up.
#[allow(unsafe_code)]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = occupy;

extern "C" fn occupy() {
    if rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_ok() {
        return;
    }
    WAS_CLOSED.store(true, Ordering::Relaxed);
    if let Ok(full) = rustix::fs::open("/dev/full", OFlags::WRONLY, Mode::empty()) {
        if full.as_raw_fd() == 1 {
            mem::forget(full);
        } else {
            // Standard input is missing too, and its number was free.
            let _ = rustix::stdio::dup2_stdout(&full);
        }
    }
}
