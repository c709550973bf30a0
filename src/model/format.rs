//! The model file.
//!
//! ```text
//! 0   magic "treebeam"                       8 bytes
//! 8   format version                         u32
//! 12  byte order mark 0x0102_0304            u32
//! 16  3 sections: offset, length, checksum   3 x 3 u64
//! 88  header (JSON), places, rows            each at a multiple of 64
//! ```
//!
//! Numbers are little-endian. Checksums are rapidhash v3 of the section's bytes. A file that is foreign, cut or changed is
//! an error; nothing in it is trusted before its checksum and its bounds are checked.

use std::io::Write;
use std::path::Path;

use rapidhash::v3::rapidhash_v3;

use super::{FrozenWeights, Header, Model};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"treebeam";
const VERSION: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;
const N_SECTIONS: usize = 3;
const TABLE: usize = 16;
const ALIGNMENT: usize = 64;

impl Model {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let (places, rows) = self.weights.sections();
        let sections: [&[u8]; N_SECTIONS] = [&header, &places, &rows];
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(BYTE_ORDER.to_le_bytes());
        bytes.resize(TABLE + N_SECTIONS * 24, 0);
        for (i, section) in sections.into_iter().enumerate() {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            let entry = [bytes.len() as u64, section.len() as u64, rapidhash_v3(section)];
            for (j, number) in entry.into_iter().enumerate() {
                bytes[TABLE + i * 24 + j * 8..][..8].copy_from_slice(&number.to_le_bytes());
            }
            bytes.extend(section);
        }
        bytes
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
        let bad = |what: &str| Error::Usage(format!("{}: {what}", path.display()));
        if bytes.len() < TABLE || &bytes[..8] != MAGIC {
            return Err(bad("not a treebeam model; expected a file written by `treebeam train`"));
        }
        let version = u32_at(bytes, 8);
        if u32_at(bytes, 12) != BYTE_ORDER {
            return Err(bad("the byte order mark is wrong; the file is damaged"));
        }
        if version != VERSION {
            return Err(bad(&format!("model format {version}; this program reads format {VERSION}: train the model again")));
        }
        if bytes.len() < TABLE + N_SECTIONS * 24 {
            return Err(bad("the file is cut short within its table of sections"));
        }
        let mut sections: [&[u8]; N_SECTIONS] = [&[]; N_SECTIONS];
        for (i, section) in sections.iter_mut().enumerate() {
            let [offset, len, checksum] = [0, 8, 16].map(|j| u64_at(bytes, TABLE + i * 24 + j));
            let range = usize::try_from(offset).ok().zip(offset.checked_add(len).and_then(|end| usize::try_from(end).ok()));
            *section = range
                .and_then(|(start, end)| bytes.get(start..end))
                .ok_or_else(|| bad(&format!("section {i} goes beyond the end; the file is cut short")))?;
            if rapidhash_v3(section) != checksum {
                return Err(bad(&format!("section {i} does not match its checksum; the file is damaged")));
            }
        }
        let header: Header =
            serde_json::from_slice(sections[0]).map_err(|error| bad(&format!("the header does not parse: {error}")))?;
        let (_, _, actions) = header.compile()?;
        let weights = FrozenWeights::from_sections(sections[1], sections[2], actions.len())
            .ok_or_else(|| bad("the weights point outside their table; the file is damaged"))?;
        Model::new(header, weights)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version.
    pub fn read(path: &Path) -> Result<Model> {
        Model::from_bytes(&std::fs::read(path).map_err(Error::io(path))?, path)
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.to_bytes())
    }
}

/// Writes a file whole or not at all: to a temporary file beside it, synchronised, renamed.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(Error::io(path))?;
    file.write_all(bytes).map_err(Error::io(path))?;
    file.as_file().sync_all().map_err(Error::io(path))?;
    file.persist(path).map_err(|error| Error::io(path)(error.error))?;
    Ok(())
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
