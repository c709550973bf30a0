//! The `treebeam` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    treebeam::cli::main()
}
