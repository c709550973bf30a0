//! Experiments: a specification is resolved into a plan of cells, the cells are run, each leaves one record, from which
//! [`crate::report`] derives tables and plots.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec`, `layout` | the specification as it stands in a TOML file; how it wants its results shown |
//! | `overrides` | `key=value` from the command line |
//! | `source`, `data` | treebanks by name, and as an experiment sees them: three portions with checksums |
//! | `cell`, `plan` | one training and its decodings; all of an experiment |
//! | `engine` | where training, decoding and scoring are called |
//! | `measure`, `run` | one cell with clocks; many cells side by side |
//! | `record`, `digits`, `store`, `provenance` | what a cell leaves behind, the file of records, by what code on what machine |
//! | `bounds` | experiments of another kind: bounds of a loss beside the loss |
//! | `estimate` | how long the missing cells will take |

mod bounds;
mod cell;
mod data;
mod digits;
mod engine;
mod estimate;
mod layout;
mod measure;
mod overrides;
mod plan;
mod provenance;
mod record;
mod run;
mod source;
mod spec;
mod store;
#[cfg(test)]
pub(crate) mod testing;

pub use bounds::{
    BOUNDS, BoundsCell, BoundsProfile, BoundsRecord, BoundsSpec, Means, PublishedBounds, Sums, Walk, WalkSpec,
    cells as bounds_cells,
};
pub use cell::Cell;
pub use data::{Data, Portion};
pub use engine::{Engine, Evaluated, SentenceScore, Trained, Treebeam};
pub use estimate::{Estimate, estimate};
pub use layout::{
    AVERAGE, Horizontal, PlotSpec, Published, PublishedFigure, PublishedRange, SeriesSpec, TableLines, TableSpec,
    Vertical,
};
pub use measure::{Measured, Repetitions, measure};
pub use overrides::Overrides;
pub use plan::Plan;
pub use provenance::{Host, Provenance, REVISION_VARIABLE, Revisions, code_revision};
pub use record::{Decoding, Epoch, Errors, Record, Scores, SentenceErrors, Training};
pub use run::{Event, Outcome, Runner, run};
pub use source::Source;
pub use spec::{GridAxis, Profile, Spec, Variant};
pub use store::{Status, Store, Writer, read_lines};
