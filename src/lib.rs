//! treebeam: transition-based dependency parsing, built to compare **global** training with beams against **greedy**
//! training with exploration on the same transition systems, the same features and the same learner.
//!
//! # Where to find what
//!
//! | folder | what it holds |
//! |---|---|
//! | [`files`] | reading and writing files: packed, whole or not at all, checksummed sections |
//! | [`tree`] | heads and labels as mathematics: validity, projectivity, lifting |
//! | [`treebank`] | sentences as they stand in files: lossless CoNLL-U and CoNLL-X, checks, a generated treebank |
//! | [`configuration`] | the parser's configuration: structure-sharing stacks in an arena, and a plain version as reference |
//! | [`system`] | transition systems with their static and dynamic oracles, one file each |
//! | [`features`] | addresses, atoms and templates; template sets are data |
//! | [`model`] | weights while learning, averaged, frozen; the file format |
//! | [`decode`] | the beam decoder; greedy is its width 1 |
//! | [`mod@eval`] | attachment scores, breakdowns, significance |
//! | [`draw`] | dependency trees as pictures |
//! | [`learn`] | perceptrons, greedy and global; learning to search with any base learner |
//! | [`graph`] | arc-factored parsers as a yardstick: Eisner, Chu-Liu-Edmonds |
//! | [`options`] | from the options that are given to those that are run, for every parser |
//! | [`diagnosis`] | whether the model or the search is to blame for what is parsed wrongly |
//! | [`experiment`] | specifications, cells and records |
//! | [`report`] | tables and plots of experiments; all results as a page of HTML |
//! | [`cli`] | one file per subcommand |
//!
//! A folder imports only from folders above it in this list.

/// The standard library's macro of this name panics when standard error is closed, and with it whatever was running. This
/// one takes its place in the whole crate.
macro_rules! eprintln {
    ($($argument:tt)*) => { $crate::console::say(format_args!($($argument)*)) };
}

mod choice;
#[cfg(feature = "cli")]
pub mod cli;
pub mod configuration;
pub mod console;
pub mod decode;
pub mod diagnosis;
pub mod draw;
pub mod error;
pub mod eval;
pub mod experiment;
pub mod features;
pub mod files;
pub mod graph;
pub mod learn;
pub mod linear;
pub mod model;
pub mod options;
pub mod process;
pub mod random;
#[cfg(feature = "report")]
pub mod report;
pub mod scorer;
pub mod system;
pub mod training;
pub mod tree;
pub mod treebank;
mod memo;
mod vector;
