//! The container of model and checkpoint files: a few checksummed sections.
//!
//! ```text
//! 0   magic                                  8 bytes
//! 8   format version                         u32
//! 12  byte order mark 0x0102_0304            u32
//! 16  number of sections                     u64
//! 24  for each: offset, length, checksum     3 x u64
//!     the sections                           each at a multiple of 64
//! ```
//!
//! Numbers are little-endian. Checksums are rapidhash v3 of the section's bytes. A file that is foreign, cut or changed is
//! an error; nothing in it is trusted before its checksum and its bounds are checked.

use std::path::Path;

use rapidhash::v3::rapidhash_v3;

use crate::error::{Error, Result};

const BYTE_ORDER: u32 = 0x0102_0304;
const TABLE: usize = 24;
const ENTRY: usize = 24;
const ALIGNMENT: usize = 64;

const BAD_TABLE: &str = "the table of sections is damaged";

// Sections hold arrays of numbers as they stand in memory.
const _: () = assert!(cfg!(target_endian = "little"), "files are little-endian");

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The first eight bytes.
    pub magic: &'static [u8; 8],
    /// The version of what the sections hold.
    pub version: u32,
    /// What errors call it, and which command makes one.
    pub name: &'static str,
}

impl Kind {
    /// The bytes of a file with these sections.
    pub fn pack(&self, sections: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(sections.iter().map(|s| s.len() + ALIGNMENT).sum::<usize>() + 256);
        bytes.extend(self.magic);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(BYTE_ORDER.to_le_bytes());
        bytes.extend((sections.len() as u64).to_le_bytes());
        bytes.resize(TABLE + sections.len() * ENTRY, 0);
        for (i, section) in sections.iter().enumerate() {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            let entry = [bytes.len() as u64, section.len() as u64, rapidhash_v3(section)];
            for (j, number) in entry.into_iter().enumerate() {
                bytes[TABLE + i * ENTRY + j * 8..][..8].copy_from_slice(&number.to_le_bytes());
            }
            bytes.extend(*section);
        }
        bytes
    }

    /// The sections of a file; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged file of this kind and version with `N` sections.
    pub fn unpack<'b, const N: usize>(&self, bytes: &'b [u8], path: &Path) -> Result<[&'b [u8]; N]> {
        let sections = self.unpack_any(bytes, path)?;
        sections.try_into().map_err(|_| damaged(path, BAD_TABLE))
    }

    /// The sections of a file, however many; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged file of this kind and version.
    pub fn unpack_any<'b>(&self, bytes: &'b [u8], path: &Path) -> Result<Vec<&'b [u8]>> {
        let bad = |what: &str| Err(damaged(path, what));
        if bytes.len() < TABLE || &bytes[..8] != self.magic {
            return bad(&format!("not a treebeam {}", self.name));
        }
        if u32_at(bytes, 12) != BYTE_ORDER {
            return bad("the byte order mark is wrong; the file is damaged");
        }
        let version = u32_at(bytes, 8);
        if version != self.version {
            let read = self.version;
            return bad(&format!("format {version}, but this program reads format {read}: make the file again"));
        }
        let n_sections = u64_at(bytes, 16);
        if n_sections > ((bytes.len() - TABLE) / ENTRY) as u64 {
            return bad(BAD_TABLE);
        }
        let mut sections = Vec::with_capacity(n_sections as usize);
        for i in 0..n_sections as usize {
            let [offset, len, checksum] = [0, 8, 16].map(|j| u64_at(bytes, TABLE + i * ENTRY + j));
            let end = offset.checked_add(len).and_then(|end| usize::try_from(end).ok());
            let found = usize::try_from(offset).ok().zip(end).and_then(|(start, end)| bytes.get(start..end));
            let Some(found) = found else {
                return bad(&format!("section {i} goes beyond the end; the file is cut short"));
            };
            if rapidhash_v3(found) != checksum {
                return bad(&format!("section {i} does not match its checksum; the file is damaged"));
            }
            sections.push(found);
        }
        Ok(sections)
    }
}

/// The error that a file is not what it should be.
pub fn damaged(path: &Path, what: &str) -> Error {
    Error::Usage(format!("{}: {what}", path.display()))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { magic: b"testfile", version: 3, name: "test file" };

    #[test]
    fn sections_come_back() {
        let bytes = KIND.pack(&[b"one", b"", b"three"]);
        let sections: [&[u8]; 3] = KIND.unpack(&bytes, Path::new("x")).unwrap();
        assert_eq!(sections, [&b"one"[..], b"", b"three"]);
    }

    /// Every cut and every flipped bit that matters is an error, none a panic.
    #[test]
    fn damage_is_noticed() {
        let bytes = KIND.pack(&[b"first section", b"second"]);
        for len in 0..bytes.len() {
            assert!(KIND.unpack::<2>(&bytes[..len], Path::new("x")).is_err(), "cut to {len}");
        }
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 1 << (i % 8);
            let Ok(sections) = KIND.unpack::<2>(&flipped, Path::new("x")) else { continue };
            // Only padding between sections is not covered.
            assert_eq!(sections, [&b"first section"[..], b"second"], "byte {i}");
        }
    }
}
