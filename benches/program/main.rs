//! The program measured from outside, as its users run it: whole processes, their files and the models they train.
//!
//! | command | what it measures |
//! |---|---|
//! | `instructions` | instructions of parsing and training on generated sentences, which no other process disturbs |
//!
//! It is a benchmark and not a subcommand, for it belongs to the code and not to the parser: it runs the program that cargo
//! has just built, reads revisions from git, and writes into `results/`. What the library's functions take is measured by the
//! other benchmark, `benches/main.rs`.
//!
//! `make bench-instructions` runs it; `cargo bench --bench program -- instructions --help` says more. How fast the program is by the
//! clock is an experiment, `experiments/throughput.toml`.

mod instructions;
mod process;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures the program from outside.
#[derive(Debug, Parser)]
#[command(name = "cargo bench --bench program --", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Instructions of parsing and training, counted by valgrind
    Instructions(instructions::Args),
}

fn main() -> ExitCode {
    // `cargo bench` adds this flag for harnesses.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    let result = match Cli::parse_from(arguments).command {
        Command::Instructions(args) => instructions::run(&args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
