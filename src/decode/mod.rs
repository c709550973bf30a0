//! Decoding: greedy is the beam at width 1.
#![doc = include_str!("speed.md")]

mod beam;
mod comparison;
mod decoder;
mod greedy;
pub mod interned;
mod machine;
pub mod margin;
mod parser;
mod points;
mod workspace;

pub use crate::scorer::Identities;
pub use beam::{Beam, Candidate, IDLE, Item, NO_MARGIN, Selection};
pub use decoder::{Decoder, Parsed, selected};
pub use machine::Machine;
pub use margin::{Lags, Margin};
pub use parser::Parser;
pub use workspace::{Scratch, Workspace};
