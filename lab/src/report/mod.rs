//! Findings of experiments: tables, plots, and what is to be seen in them.
//!
//! | file | what it holds |
//! |---|---|
//! | `summary` | means, spreads and differences over the records of a plan |
//! | `folds` | the folds of a treebank as one treebank |
//! | `document`, `figure` | what results say before they are rendered: tables, charts, sentences |
//! | `results` | a summary made into a document, of `scores`, `directions`, `published`, `training`, `costs`, `diagnoses`, `classes`, `properties`, `range`, `figures` |
//! | `answer`, `findings`, `reproduction`, `comparisons`, `paired` | what a summary says in a few sentences: greedy or global; all columns; a paper's differences; two rows; how sure that is |
//! | `bounds` | the document of an experiment on bounds |
//! | `markdown`, `tsv`, `plot` | renderings |
//! | `templates`, `sentences/` | the engine that fills the templates of pages, pictures and sentences; titles, findings and notes of blocks, a file each |
//! | [`texts`] | documents whose figures are filled from results |
//! | `axis`, `number` | where values stand on an axis, its ticks, and numbers for people |
//! | [`page`] | all documents as one page of HTML |

pub mod answer;
mod axis;
mod bounds;
mod classes;
mod comparisons;
mod costs;
mod diagnoses;
mod directions;
pub mod document;
pub mod figure;
mod figures;
mod findings;
mod folds;
mod markdown;
mod mixed;
mod number;
pub mod page;
pub mod paired;
mod plot;
mod properties;
mod published;
mod range;
mod reproduction;
mod results;
mod scores;
mod summary;
pub(crate) mod templates;
pub mod texts;
mod training;
mod tsv;

pub use bounds::bounds_document;
pub use directions::sign_test;
pub use figures::figures;
pub use folds::pooled;
pub use markdown::{markdown, markdown_head, markdown_table};
pub use plot::{answer_svg, heat_map_svg, svg};
pub use results::document;
pub use summary::{Difference, Entry, METRICS, Method, SAMPLES, Spread, Summary};
pub use tsv::tsv;
