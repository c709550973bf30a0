//! Decoding: greedy is the beam at width 1.
#![doc = include_str!("speed.md")]

mod beam;
mod decoder;
mod greedy;
mod memo;
mod parser;
mod points;
mod scorer;
mod vectors;
mod workspace;

pub use beam::{Beam, Candidate, IDLE, Item, Selection};
pub use decoder::{Decoder, Parsed, selected};
pub use memo::Identities;
pub use parser::Parser;
pub use points::best_permitted;
pub use scorer::{Scorer, Scores};
pub use vectors::Vectors;
pub use workspace::{Scratch, Workspace};
