//! The `treebeam` program; everything is in the library.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: treebeam::cli::Allocator = treebeam::cli::Allocator;

fn main() -> ExitCode {
    treebeam::files::clean_up_on_signals();
    treebeam::cli::main()
}
