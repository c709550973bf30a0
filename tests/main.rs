//! The integration tests, one binary: the library where several of its folders meet, and the program from outside.

// clippy.toml permits `unwrap` in test functions only; what they share is as much part of the tests.
#![allow(clippy::unwrap_used)]

/// Tests know the transition systems by name.
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}

mod common;
mod hashed;

mod decoding;
mod derivations;
mod diagnosis;
mod documents;
mod draw;
mod eval;
mod exact;
mod experiment;
mod fuzz;
mod graph;
mod interned;
mod learning;
mod merging;
mod model_files;
mod neural;
mod options;
mod oracle;
mod packaging;
mod parser;
mod parsing;
mod processors;
mod records;
mod report;
mod robustness;
mod scorers;
mod structure;
mod trace;
mod training;
mod treebank;
