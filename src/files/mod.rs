//! Reading and writing files: packed inputs, outputs that appear whole or not at all, and the container of checksummed
//! sections that models and checkpoints are kept in.

mod container;
mod input;
mod output;

pub use container::{Kind, damaged};
pub use input::{open, read_whole};
pub use output::{Output, write_whole};

pub(crate) use input::open_unbuffered;
