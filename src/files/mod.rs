//! Reading and writing files: packed inputs, outputs that appear whole or not at all, and the container of checksummed
//! sections that models and checkpoints are kept in.

mod container;
mod hexadecimal;
mod input;
mod memory;
mod output;
mod packing;
mod paths;
mod temporary;
mod zstandard;

pub use container::{FileKind, Section, Sections, by_magic, damaged, kind_of};
pub use hexadecimal::hex;
pub use input::{open, open_to_keep, read_text, read_whole};
pub use output::{Output, archive, write_whole};
pub use packing::Packing;
pub use paths::Paths;
pub use temporary::{remove_abandoned, remove_unfinished, try_remove_unfinished};

pub(crate) use memory::{Numbers, prefetch};
