//! Files of a header and weights, as models of every kind are: the weights are used where they stand, mapped into memory
//! rather than read.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::FrozenWeights;
use super::memory::{self, Mapped, Numbers};
use crate::error::Result;
use crate::files::{Kind, damaged, read_whole};

/// The bytes of a file of `kind`.
pub fn pack(kind: &Kind, header: &impl Serialize, weights: &FrozenWeights) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("a header is plain data");
    let (shape, [buckets, sparse, dense]) = weights.sections();
    kind.pack(&[&header, &shape, buckets, sparse, dense])
}

/// The header and the weights in `bytes`; `path` is what errors call them, and `width` tells how many lanes scores have,
/// or what is wrong with the header.
///
/// # Errors
/// If the bytes are not a whole, unchanged file of this kind and version.
pub fn unpack<H: DeserializeOwned>(
    kind: &Kind,
    bytes: &[u8],
    path: &Path,
    width: impl FnOnce(&H) -> Result<usize>,
) -> Result<(H, FrozenWeights)> {
    let [header, shape, tables @ ..]: [&[u8]; 5] = kind.unpack(bytes, path)?;
    with_weights(header, path, width, |width| FrozenWeights::from_sections(shape, tables, width))
}

/// Maps a file into memory, or reads it if it is packed or a pipe; see [`unpack`].
///
/// # Errors
/// If it cannot be read, or is not a whole, unchanged file of this kind and version.
pub fn read<H: DeserializeOwned>(
    kind: &Kind,
    path: &Path,
    width: impl FnOnce(&H) -> Result<usize>,
) -> Result<(H, FrozenWeights)> {
    let packed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    let map = match File::open(path) {
        Ok(file) if !packed => memory::map(&file).ok(),
        _ => None,
    };
    let Some(map) = map.map(Arc::new) else { return unpack(kind, &read_whole(path)?, path, width) };
    let [header, shape, tables @ ..]: [&[u8]; 5] = kind.unpack(&map, path)?;
    let [buckets, sparse, dense] = tables.map(|table| {
        let start = table.as_ptr() as usize - map.as_ptr() as usize;
        start..start + table.len()
    });
    with_weights(header, path, width, |width| {
        let buckets = Numbers::Mapped(Mapped::new(&map, buckets)?);
        let sparse = Numbers::Mapped(Mapped::new(&map, sparse)?);
        let dense = Numbers::Mapped(Mapped::new(&map, dense)?);
        FrozenWeights::from_tables(shape, (buckets, sparse, dense), width)
    })
}

fn with_weights<H: DeserializeOwned>(
    header: &[u8],
    path: &Path,
    width: impl FnOnce(&H) -> Result<usize>,
    weights: impl FnOnce(usize) -> Option<FrozenWeights>,
) -> Result<(H, FrozenWeights)> {
    let header: H = serde_json::from_slice(header)
        .map_err(|error| damaged(path, &format!("the header does not parse: {error}")))?;
    let weights = weights(width(&header)?)
        .ok_or_else(|| damaged(path, "the weights point outside their table; the file is damaged"))?;
    Ok((header, weights))
}
