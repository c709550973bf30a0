//! The model file: a header in JSON, the places of the weight table, its rows.

use std::path::Path;

use super::container::{Kind, damaged, read_whole, write_whole};
use super::{FrozenWeights, Header, Model};
use crate::error::Result;

const MODEL: Kind = Kind { magic: b"treebeam", version: 1, name: "model; expected a file written by `treebeam train`" };

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let (counts, places, rows) = self.weights.sections();
        MODEL.pack(&[&header, &counts, places, rows])
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
        let [header, counts, places, rows] = MODEL.unpack(bytes, path)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| damaged(path, &format!("the header does not parse: {error}")))?;
        let (_, _, actions) = header.compile()?;
        let weights = FrozenWeights::from_sections(counts, places, rows, actions.width())
            .ok_or_else(|| damaged(path, "the weights point outside their table; the file is damaged"))?;
        Model::new(header, weights)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version.
    pub fn read(path: &Path) -> Result<Model> {
        Model::from_bytes(&read_whole(path)?, path)
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.to_bytes())
    }
}
