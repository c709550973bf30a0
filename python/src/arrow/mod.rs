//! Batches of Arrow: sentences are read where they stand, and their trees become buffers.

mod columns;
mod imported;
mod sentences;

pub use columns::Columns;
pub use imported::Imported;
pub use sentences::Sentences;
