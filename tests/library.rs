//! The tests of the library where several of its folders meet, one binary. It belongs to the package of the systems, which is
//! optimised in releases as the program's is not: these tests compile decoders of their own.

// clippy.toml permits `unwrap` in test functions only; what they share is as much part of the tests.
#![allow(clippy::unwrap_used)]

/// Tests know the transition systems by name.
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}

#[allow(dead_code, reason = "the tests of the program share it")]
mod common;
mod hashed;

mod beams;
mod decoding;
mod derivations;
mod diagnosis;
mod exact;
mod fuzz;
mod given;
mod learning;
mod merging;
mod parser;
mod scorers;
