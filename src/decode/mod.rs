//! Decoding: greedy is the beam at width 1.
#![doc = include_str!("speed.md")]

mod beam;
mod comparison;
mod decoder;
pub mod exact;
mod greedy;
pub mod interned;
mod machine;
pub mod margin;
pub mod merged;
mod parser;
mod points;
mod strategy;
mod workspace;

pub use crate::scorer::Identities;
pub use beam::{Beam, Candidate, IDLE, Item, NO_MARGIN, Selection};
pub use decoder::{Decoder, Parsed, selected};
pub use machine::Machine;
pub use margin::Margin;
pub(crate) use parser::pool;
pub use parser::{Parser, Read, Search};
pub use strategy::{SearchKind, Strategy};
pub use workspace::{Scratch, Workspace};
