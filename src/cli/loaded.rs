//! A model file of either kind.

use std::path::Path;

use crate::error::Result;
use crate::graph::GraphModel;
use crate::model::{Model, read_whole};

/// A model, of a transition system or a graph-based parser.
#[derive(Debug)]
pub enum Loaded {
    /// Of a transition system.
    Transitions(Model),
    /// Of a graph-based parser.
    Graph(GraphModel),
}

impl Loaded {
    /// Reads a model file; its first bytes tell which kind it is.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file.
    pub fn read(path: &Path) -> Result<Loaded> {
        let bytes = read_whole(path)?;
        if GraphModel::is(&bytes) {
            return GraphModel::from_bytes(&bytes, path).map(Loaded::Graph);
        }
        Model::from_bytes(&bytes, path).map(Loaded::Transitions)
    }
}
