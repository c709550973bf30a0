//! A model file of either kind.

use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};
use crate::files::{open, read_whole};
use crate::graph::GraphModel;
use crate::scorers::AnyModel;

/// A model, of a transition system or a graph-based parser.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Loaded {
    /// Of a transition system.
    Transitions(AnyModel),
    /// Of a graph-based parser.
    Graph(GraphModel),
}

impl Loaded {
    /// Maps or reads a model file; its first bytes tell which kind it is.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file.
    pub fn read(path: &Path) -> Result<Loaded> {
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) || path == Path::new("-") {
            // What comes through a pipe can be read but once.
            let bytes = read_whole(path)?;
            return match GraphModel::is(&bytes) {
                true => GraphModel::from_bytes(&bytes, path).map(Loaded::Graph),
                false => AnyModel::from_bytes(&bytes, path).map(Loaded::Transitions),
            };
        }
        let mut start = Vec::new();
        open(path)?.take(8).read_to_end(&mut start).map_err(Error::io(path))?;
        match GraphModel::is(&start) {
            true => GraphModel::read(path).map(Loaded::Graph),
            false => AnyModel::read_file(path).map(Loaded::Transitions),
        }
    }
}
