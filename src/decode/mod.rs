//! Decoding: greedy is the beam at width 1.

mod beam;
mod memo;
mod parser;
mod scorer;
mod workspace;

pub use beam::{Beam, Candidate, Item};
pub use parser::{Decoder, Parsed};
pub use scorer::Scorer;
pub use workspace::Workspace;
