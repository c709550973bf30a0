//! Decoding: greedy is the beam at width 1.
#![doc = include_str!("speed.md")]
//!
//! ## Other systems
//!
//! By beams of interned side states other systems with a stack gain as much as arc-eager, easy-first less. Instructions to parse 150
//! sentences of English-EWT (callgrind, loading left out; trained on 1,500 sentences in four iterations, at width 8, or greedily for
//! width 1), by the release before them and by today's; but for arc-standard the trees are the same:
//!
//! | system | features | width | before | now | times fewer |
//! |---|---|---:|---:|---:|---:|
//! | arc-eager | `zn11` | 1 | 118 million | 97 million | 1.23 |
//! | arc-eager | `zn11` | 8 | 280 million | 213 million | 1.32 |
//! | arc-eager | `zn11` | 64 | 1,133 million | 710 million | 1.60 |
//! | arc-hybrid | `stack` | 8 | 415 million | 314 million | 1.32 |
//! | arc-hybrid | `stack` | 64 | 1,413 million | 880 million | 1.60 |
//! | arc-standard | `stack` | 1 | 170 million | 137 million | 1.24 |
//! | arc-standard | `stack` | 8 | 434 million | 320 million | 1.36 |
//! | arc-standard | `stack` | 64 | 1,620 million | 966 million | 1.68 |
//! | swap | `stack` | 8 | 458 million | 369 million | 1.24 |
//! | swap | `stack` | 64 | 1,685 million | 1,173 million | 1.44 |
//! | easy-first | `easy-first` | 8 | 1,441 million | 1,329 million | 1.08 |
//!
//! With arc-standard models and trees differ; earlier comparisons put that down to static derivations of non-projective trees, which
//! had changed in between. It was not looked into again here.

mod decoder;
pub mod exact;
mod greedy;
mod item;
mod machine;
pub mod margin;
pub mod merged;
mod parser;
mod points;
mod select;
mod step;
mod strategy;
mod workspace;

pub use crate::scorer::Identities;
pub use decoder::{Decoder, Parsed};
pub use item::{Candidate, IDLE, Item};
pub use machine::{Machine, keeps_history};
pub use margin::Margin;
pub(crate) use parser::pool;
pub use parser::{Parser, Read, Search};
pub use select::{NO_MARGIN, selected};
pub use step::{Buffers, ItemOf, Restricted, Stepper};
pub use strategy::{SearchKind, Strategy};
pub use workspace::{Scratch, Workspace};
