//! Features as data: an *address* names a node, an *atom* reads one value of it, a *template* is a conjunction of atoms.
//!
//! Networks read *places* in place of templates, and have sets of their own ([`NetworkSet`]).
//!
//! Template sets are text (`sets/*.feat`), parsed by [`FeatureSet::parse`] with errors that name file, line and column,
//! and compiled by [`Compiled::new`] for extraction. A feature is the 64-bit hash of its template's number and its atoms'
//! values; no alphabet is kept, so words never seen in training need no special case.

mod address;
mod clusters;
mod compile;
mod extract;
mod field;
mod group;
mod input;
mod line;
mod load;
mod network_set;
mod parse;
mod place;
mod positional;
mod set;
mod show;
mod sides;
mod signature;
mod vocabulary;

pub use address::{Address, Atom, Attribute, Step};
pub use clusters::Clusters;
pub use compile::Compiled;
pub use extract::Extractor;
pub(crate) use extract::{key, mix};
pub use field::{Field, Name, TextPart};
pub use group::Group;
pub use input::{ColumnName, Columns, Input, WordShape};
pub use load::{BUILT_IN, GROUPS, TemplateSource};
pub(crate) use network_set::check_inputs;
pub use network_set::{DIMENSIONS, MAX_DIMENSION, N_COLUMNS, NETWORK_SETS, NetworkSet};
pub use place::Place;
pub use set::{FeatureSet, Template};
pub use show::Shown;
pub(crate) use sides::MAX_PARTS;
pub use sides::{Behind, GroupReads, KeyRead, RoleSides, SideGroup, SidePart, Sides};
pub use signature::{SentenceSignature, Signature};
pub use vocabulary::{Sets, Vocabulary};
