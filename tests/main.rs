//! The integration tests, one binary: the library where several of its folders meet, and the program from outside.

mod common;

mod decoding;
mod derivations;
mod eval;
mod experiment;
mod learning;
mod model_files;
mod oracle;
mod parsing;
mod readme;
mod training;
mod treebank;
