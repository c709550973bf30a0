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

pub use container::{Kind, Section, Sections, damaged, kind_of};
pub use hexadecimal::hex;
pub use input::{open, read_text, read_whole};
pub use output::{Output, write_whole};
pub use packing::Packing;
pub use paths::Paths;
#[cfg(feature = "cli")]
pub use temporary::{clean_up_on_signals, remove_unfinished};

pub(crate) use input::open_to_keep;
pub(crate) use memory::{Numbers, prefetch};
