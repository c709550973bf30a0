//! treebeam: transition-based dependency parsing, built to compare **global** training with beams against **greedy**
//! training with exploration on the same transition systems, the same features and the same learner.
//!
//! # Using the library
//!
//! ```
//! use treebeam::prelude::*;
//! treebeam_systems::register();
//!
//! let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 100, non_projective: false });
//! let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
//! let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
//!
//! let words = [("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")];
//! let words = words.map(|(form, tag)| [(Column::Form, form), (Column::Upos, tag)]);
//! let sentence = Sentence::from_columns("example", Format::Conllu, words)?;
//! let width = 8;
//! let parsed = Parser::new(&model, width, 1)?.parse(&[sentence], 1);
//! assert_eq!(parsed[0][0].tree.n_words(), 3);
//! # Ok::<(), treebeam::error::Error>(())
//! ```
//!
//! [`prelude`] names what most programs need; `examples/` has programs that train, parse, list the best trees, compare parsers
//! and try features. Experiments, tables, charts, pages and pictures are another package, `treebeam-lab`, and so is the program,
//! `treebeam-cli`. The feature `cli` makes the types of options values of a command line (clap).
//!
//! # What is stable
//!
//! * **Files**: model files carry the version of their format, and one that cannot be read is refused by that version, never
//!   misread. Names of systems, oracles, options and feature sets, and what is in specifications and records, keep their
//!   meaning; new ones may be added.
//! * **The library**: what [`prelude`] names changes only with the minor version (0.1 to 0.2), and the change is described. All
//!   else is public so that experiments, tests and benchmarks can reach it, and may change with any version.
//! * **Figures**: the same version, options, data and seed give the same model and the same parses to the byte, on any number of
//!   threads, with any of the vector instructions that processors of one kind have. Another version may train another model; its
//!   records name the revision.
//!
//! # Where to find what
//!
//! | folder | content |
//! |---|---|
//! | [`files`] | reading and writing files: packed, whole or not at all, checksummed sections |
//! | [`tree`] | heads and labels as mathematics: validity, projectivity, lifting |
//! | [`treebank`] | sentences as they stand in files: lossless CoNLL-U and CoNLL-X, checks, a generated treebank |
//! | [`mod@eval`] | attachment scores, breakdowns, significance |
//! | [`configuration`] | the parser's configuration: structure-sharing stacks in an arena, and a plain version as reference |
//! | [`system`] | what a transition system and its oracles are; the systems are in the crate `treebeam-systems` |
//! | [`features`] | addresses, atoms and templates; template sets are data; the vocabulary |
//! | [`scorer`] | what decoders ask of a model, whatever its scores are made of |
//! | [`model`] | a finished model and its file; what a kind of scorer offers to be kept and to be trained |
//! | [`linear`] | the linear scorer: sparse features, their weights while they are learned and finished, learners |
//! | [`neural`] | scorers with networks: their kernels, layers, optimisers |
//! | [`scorers`] | scorers of all kinds as one |
//! | [`decode`] | the machine and the beam decoder; greedy is its width 1 |
//! | [`training`] | what training runs of every kind of parser have in common; checkpoints |
//! | [`options`] | from the options that are given to those that are run, for every parser |
//! | [`learn`] | greedy and global training and learning to search, with any objective and any scorer |
//! | [`diagnosis`] | whether the model or the search is to blame for what is parsed wrongly, and what follows a first mistake |
//! | [`graph`] | graph-based parsers as a yardstick: Eisner in three orders, Chu-Liu-Edmonds |
//! | [`parser`] | a model and a parser of whichever kind |
//! | [`job`] | a training from treebanks to a model file |
//!
//! A folder imports only from folders above it in this list.

// The systems' files name this crate as they would from outside; tests of this crate include them.
#[cfg(test)]
extern crate self as treebeam;

mod choice;
pub mod configuration;
pub mod console;
pub mod decode;
pub mod diagnosis;
pub mod error;
pub mod eval;
pub mod features;
pub mod files;
pub mod graph;
pub mod job;
mod lazy_rows;
pub mod learn;
pub mod linear;
mod memo;
pub mod model;
pub mod neural;
pub mod options;
pub mod parallel;
pub mod parser;
pub mod prelude;
pub mod process;
pub mod random;
pub mod scorer;
pub mod scorers;
pub mod suggest;
pub mod system;
#[cfg(test)]
#[path = "../systems/src/lib.rs"]
pub mod systems;
pub mod training;
pub mod tree;
pub mod treebank;
mod vector;
