//! Models and parsers of whichever kind, as the command line and programs in other languages use them: a model file
//! says its kind, and one parser takes the options of all.
//!
//! A new kind of scorer or of graph-based parser is one more variant of [`Loaded`] and of what [`AnyParser`] contains.

mod any;
mod empty;
mod freeze;
mod given;
mod loaded;
mod options;
mod pipeline;

pub use any::AnyParser;
pub use empty::EmptyColumns;
pub use freeze::SMALL_WEIGHTS;
pub use loaded::Loaded;
pub use options::{CHUNK_WORDS, KeepHeads, MAX_ALTERNATIVES, MAX_BEAM, MAX_THREADS, ParseOptions};
pub use pipeline::Pipeline;
