//! The model file: a header in JSON, then the tables of weights, which are used where they stand: a model is mapped into
//! memory rather than read.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::container::{Kind, damaged, read_whole, write_whole};
use super::memory::{self, Mapped, Numbers};
use super::{FrozenWeights, Header, Model};
use crate::error::Result;

const MODEL: Kind = Kind { magic: b"treebeam", version: 2, name: "model; expected a file written by `treebeam train`" };

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let (shape, [buckets, sparse, dense]) = self.weights.sections();
        MODEL.pack(&[&header, &shape, buckets, sparse, dense])
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
        let [header, shape, tables @ ..]: [&[u8]; 5] = MODEL.unpack(bytes, path)?;
        Model::from_parts(header, path, |width| FrozenWeights::from_sections(shape, tables, width))
    }

    /// Maps a model file into memory, or reads it if it is packed or a pipe.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version.
    pub fn read(path: &Path) -> Result<Model> {
        let packed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
        let map = match File::open(path) {
            Ok(file) if !packed => memory::map(&file).ok(),
            _ => None,
        };
        let Some(map) = map.map(Arc::new) else { return Model::from_bytes(&read_whole(path)?, path) };
        let [header, shape, tables @ ..]: [&[u8]; 5] = MODEL.unpack(&map, path)?;
        let [buckets, sparse, dense] = tables.map(|table| {
            let start = table.as_ptr() as usize - map.as_ptr() as usize;
            start..start + table.len()
        });
        Model::from_parts(header, path, |width| {
            let buckets = Numbers::Mapped(Mapped::new(&map, buckets)?);
            let sparse = Numbers::Mapped(Mapped::new(&map, sparse)?);
            let dense = Numbers::Mapped(Mapped::new(&map, dense)?);
            FrozenWeights::from_tables(shape, (buckets, sparse, dense), width)
        })
    }

    fn from_parts(header: &[u8], path: &Path, weights: impl FnOnce(usize) -> Option<FrozenWeights>) -> Result<Model> {
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| damaged(path, &format!("the header does not parse: {error}")))?;
        let (_, _, actions) = header.compile()?;
        let weights = weights(actions.width())
            .ok_or_else(|| damaged(path, "the weights point outside their table; the file is damaged"))?;
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
