//! The `treebeam` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    treebeam::files::clean_up_on_signals();
    treebeam::cli::main()
}
