//! The `treebeam` program; everything is in the libraries.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: treebeam_cli::Allocator = treebeam_cli::Allocator;

/// Stack that the program may need, in bytes, whatever limit the first thread was started with.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    treebeam_cli::return_large_arrays();
    treebeam_systems::register();
    treebeam_cli::clean_up_on_signals();
    match std::thread::Builder::new().stack_size(STACK).spawn(treebeam_cli::main) {
        // A panic has reported itself, and has this exit code everywhere.
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(101)),
        Err(_) => treebeam_cli::main(),
    }
}
