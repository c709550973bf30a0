//! The model files of transition-based parsers.

use std::path::Path;

use super::{Header, Model, file};
use crate::error::Result;
use crate::files::{Kind, write_whole};

const MODEL: Kind = Kind { magic: b"treebeam", version: 3, name: "model; expected a file written by `treebeam train`" };

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        file::pack(&MODEL, &self.header, &self.weights)
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
        let (header, weights) = file::unpack(&MODEL, bytes, path, width)?;
        Model::new(header, weights)
    }

    /// Maps a model file into memory, or reads it if it is packed or a pipe.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version.
    pub fn read(path: &Path) -> Result<Model> {
        let (header, weights) = file::read(&MODEL, path, width)?;
        Model::new(header, weights)
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.to_bytes())
    }
}

fn width(header: &Header) -> Result<usize> {
    Ok(header.readout(&header.compile()?.2)?.n_sums())
}
