//! The tests of the whole program, one binary.

// clippy.toml permits `unwrap` in test functions only; what they share is as much part of the tests.
#![allow(clippy::unwrap_used)]

/// Tests know the transition systems by name.
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}

mod common;

mod combining;
mod documents;
mod draw;
mod eval;
mod exact_search;
mod experiment;
mod graph;
mod merged_beams;
mod model_files;
mod models;
mod neural;
mod official;
mod options;
mod oracle;
mod packaging;
mod parsing;
mod partial;
mod plus;
mod processors;
mod records;
mod report;
mod robustness;
mod sources;
mod structure;
mod tagging;
mod trace;
mod training;
mod treebank;
