//! Experiments with the parsers of [`treebeam`], and pictures of what they do.
//!
//! | folder | what it holds |
//! |---|---|
//! | [`style`] | colours and fonts that all pages and pictures share |
//! | [`evaluation`] | an evaluation as tables of text and as a page |
//! | [`draw`] | dependency trees as pictures |
//! | [`trace`] | beams that can be watched |
//! | [`experiment`] | specifications, cells and records |
//! | [`report`] | tables and plots of experiments; all results as a page of HTML |

pub mod draw;
pub mod evaluation;
pub mod experiment;
pub mod report;
pub mod style;
pub mod trace;

/// Tests know the transition systems by name.
#[cfg(test)]
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}
