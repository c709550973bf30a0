//! Two parsers and a tagger in a browser: sentences are tagged, and decoded with all items of the beam on record.
//!
//! The page calls the functions of `exports`, which are all that WebAssembly needs: there is no glue to be generated.

mod engine;
mod exports;

pub use engine::Engine;
pub use exports::{answer, load, room, tag, trace};
