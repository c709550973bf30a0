//! Experiments: a specification is resolved into a plan of cells, the cells are run, each leaves one record, and tables and
//! curves are derived from the records.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec` | the specification as it stands in a TOML file |
//! | `overrides` | `key=value` from the command line |
//! | `source`, `data` | treebanks by name, and as an experiment sees them: three portions with checksums |
//! | `cell`, `plan` | one training and its decodings; all of an experiment |
//! | `engine` | where training, decoding and scoring are called |
//! | `measure`, `run` | one cell with clocks; many cells side by side |
//! | `record`, `digits`, `store`, `provenance` | what a cell leaves behind, the file of records, by what code on what machine |
//! | `estimate` | how long the missing cells will take |
//! | `summary`, `table`, `tsv`, `curves` | means, spreads and differences; their renderings |

mod cell;
mod curves;
mod data;
mod digits;
mod engine;
mod estimate;
mod measure;
mod overrides;
mod plan;
mod provenance;
mod record;
mod run;
mod source;
mod spec;
mod store;
mod summary;
mod table;
#[cfg(test)]
mod testing;
mod tsv;

pub use cell::Cell;
pub use curves::{Curve, Figure, Point, figures};
pub use data::{Data, Portion};
pub use engine::{Engine, Evaluated, SentenceScore, Trained, Treebeam};
pub use estimate::{Estimate, estimate};
pub use measure::{Measured, Repetitions, measure};
pub use overrides::Overrides;
pub use plan::Plan;
pub use provenance::{Host, Provenance, REVISION_VARIABLE, code_revision};
pub use record::{Decoding, Epoch, Errors, Record, Scores, SentenceErrors, Training};
pub use run::{Event, Outcome, Runner, run};
pub use source::Source;
pub use spec::{Axis, PlotSpec, Profile, Published, SeriesSpec, Spec, TableLines, TableSpec, Variant};
pub use store::{Status, Store, Writer, read_lines};
pub use summary::{Difference, Entry, METRICS, Method, SAMPLES, Spread, Summary};
pub use table::{markdown, markdown_table};
pub use tsv::tsv;
