//! Decoding: greedy is the beam at width 1.
#![doc = include_str!("speed.md")]
//!
//! | file | content |
//! |---|---|
//! | `item`, `machine` | an item of a beam; the transition system that makes its successors |
//! | `step`, `select` | one step of a beam, with another beam beside it in training; the best of all successors |
//! | `given` | arcs that are given |
//! | `decoder`, `greedy`, `points` | from a sentence to its tree: by a beam, greedily, greedily where moves are local |
//! | `merged`, `exact` | beams whose items merge; exact search |
//! | `past` | beams outside the arena, which can then be emptied |
//! | `margin`, `strategy`, `parser`, `workspace` | pruning by score, ways to search, many sentences on several threads, memory |
//! | `value` | values of items of tables: best scores, or logarithms of sums |
//! | `confidence` | probabilities of arcs from the best trees, and their calibration |

pub mod confidence;
mod decoder;
pub mod exact;
mod given;
mod greedy;
mod item;
mod machine;
pub mod margin;
pub mod merged;
mod parser;
mod past;
mod points;
mod select;
mod step;
mod strategy;
pub(crate) mod value;
mod workspace;

pub use crate::scorer::Identities;
pub use decoder::Decoder;
pub use given::Given;
pub use item::{Candidate, Confidence, IDLE, Item, Parsed};
pub use machine::{Machine, keeps_history};
pub use margin::Margin;
pub(crate) use parser::pool;
pub use parser::{GivenOf, Parser, ReadInput, Search};
pub(crate) use past::{Past, used};
pub use select::{NO_MARGIN, selected};
pub use step::{Buffers, ItemOf, Restricted, Stepper};
pub use strategy::{SearchKind, Strategy};
pub use workspace::{Scratch, Workspace};
