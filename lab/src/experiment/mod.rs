//! Experiments: a specification is resolved into a plan of cells, the cells are run, each leaves one record, from which
//! [`crate::report`] derives tables and plots.
//!
//! A cell is a piece of work that is decided by its key: a training with its decodings, a comparison of bounds with losses, a
//! measurement of whole programs. Whatever its kind, it goes through one store and one runner.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec`, `layout` | the specification as it stands in a TOML file; how it wants its results shown |
//! | `overrides` | `key=value` from the command line |
//! | `source`, `data` | treebanks by name, and as an experiment sees them: three portions with checksums |
//! | `kind` | what kinds of cells have in common |
//! | `options`, `cell`, `plan`, `trainings` | one training and its decodings; all of an experiment; as a kind of cell |
//! | `engine`, `measure` | where training, decoding and scoring are called; one training with clocks |
//! | `bounds` | another kind: bounds of a loss beside the loss |
//! | `run`, `folder` | many cells side by side; who of several processes runs what |
//! | `record`, `digits`, `store` | what a training leaves behind; the records of an experiment |
//! | `provenance`, `golden` | by what program on what machine; checksums of the program's behaviour |
//! | `estimate` | what the missing cells will cost |
//! | `verification` | whether records say what running their cells again says |
//!
//! # Which records are current
//!
//! A cell's key is a checksum of its options and data. The program is not in it: records have a checksum of the golden behaviour
//! of the program that made them, as far as it concerns the cell ([`Golden`]). A record is current as long as that is the same;
//! a change of code that changes no byte of models and trees makes no record stale. The git revision stands in records for people.
//! Those of earlier formats have it alone: they are stale, unless `experiment verify --carry-over` runs a sample of them again.

mod bounds;
mod cell;
mod data;
mod digits;
mod engine;
mod estimate;
mod folder;
mod golden;
mod kind;
mod layout;
mod measure;
mod options;
mod overrides;
mod plan;
mod provenance;
mod record;
mod run;
mod source;
mod spec;
mod store;
mod tags;
#[cfg(test)]
pub(crate) mod testing;
mod trainings;
mod verification;

pub use bounds::{
    BOUNDS, Bounds, BoundsCell, BoundsProfile, BoundsRecord, BoundsSpec, Means, PublishedBounds, RollIn, Sums, Walk,
    cells as bounds_cells,
};
pub use cell::Cell;
pub use data::{Data, Portion};
pub use engine::{Engine, Evaluated, Trained, Treebeam};
pub use estimate::{Estimate, Pace, estimate};
pub use folder::{Attempt, Claim, Folder, Holder, Lock, SILENCE};
pub use golden::{Case, Checksums, Golden, text_of};
pub use kind::{CellFiles, Cost, FORMAT, Kind, Stored};
pub use layout::{
    AVERAGE, ChosenFor, ComparisonSpec, Horizontal, PlotSpec, Published, PublishedFigure, PublishedRange, SeriesSpec,
    TableLines, TableSpec, Vertical,
};
pub use measure::measure;
pub use options::{given, of_layers};
pub use overrides::Overrides;
pub use plan::{Plan, Unreadable};
pub use provenance::{Carried, Host, Provenance};
pub use record::{ByRule, Decoding, Epoch, Errors, Record, Scores, SentenceErrors, TrainingRecord};
pub use run::{Event, Runner, run};
pub use source::TreebankSource;
pub use spec::{GridAxis, Profile, Spec, Variant, check_names, profile_named, read_toml};
pub use store::{Status, Store};
pub use tags::{Tagging, Tags};
pub use trainings::Trainings;
pub use verification::{Disagreement, TIMES, disagreements, misdescriptions, sample};
