//! The container of model and checkpoint files: named, checksummed sections, any number of them.
//!
//! ```text
//! 0   magic                                       8 bytes
//! 8   format version                              u32
//! 12  byte order mark 0x0102_0304                 u32
//! 16  number of sections                          u64
//! 24  for each: name, padded with zeros           64 bytes
//!               offset, length, checksum          3 x u64
//!     the sections, in this order, each at the next multiple of 64, with zeros between them; the last one ends the file
//! ```
//!
//! Numbers are little-endian. Checksums are rapidhash v3 of the section's bytes. A file that is foreign, cut, changed or
//! longer than it says is an error; nothing in it is trusted before its checksum and its bounds are checked.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;
use rapidhash::v3::rapidhash_v3;
use serde::de::DeserializeOwned;

use super::memory::{self, Numbers};
use super::{Output, Packing, read_whole};
use crate::error::{Error, Result};

/// Kinds of files that treebeam writes in this container, by the magic in front.
const KINDS: [(&[u8; 8], &str); 3] = [
    (b"treebeam", "the model of a transition system"),
    (b"treegrph", "the model of a graph-based parser"),
    (b"treebckp", "a checkpoint of training"),
];

/// Kind of a file that begins like this and is no text, and what to do with it.
pub fn by_magic(start: &[u8]) -> Option<(&'static str, String)> {
    const PACKED: [(&[u8], &str, &str); 6] = [
        (b"PAR1", "a Parquet file", "a text; treebeam's Python package reads Parquet (`treebeam.parquet`)"),
        (b"\x1f\x8b", "a file packed by gzip", "a name that ends in .gz, or `gunzip -c` in front"),
        (b"\x28\xb5\x2f\xfd", "a file packed by zstd", "a name that ends in .zst, or `zstd -dc` in front"),
        (b"BZh", "a file packed by bzip2", "it unpacked; put `bunzip2 -c` in front"),
        (b"\xfd7zXZ", "a file packed by xz", "it unpacked; put `xz -dc` in front"),
        (b"PK\x03\x04", "a ZIP archive", "a text; unpack the archive with `unzip`"),
    ];
    if let Some(kind) = kind_of(start) {
        return Some((kind, "a text; are two arguments swapped?".into()));
    }
    let packed = PACKED.iter().find(|(magic, ..)| start.starts_with(magic));
    packed.map(|&(_, found, expected)| (found, expected.to_owned()))
}

/// Kind of a file that begins so, if treebeam wrote it.
pub fn kind_of(start: &[u8]) -> Option<&'static str> {
    KINDS.iter().find(|(magic, _)| start.starts_with(*magic)).map(|(_, kind)| *kind)
}

const BYTE_ORDER: u32 = 0x0102_0304;
const TABLE: usize = 24;
const NAME: usize = 64;
const ENTRY: usize = NAME + 24;
const ALIGNMENT: usize = 64;

const BAD_TABLE: &str = "the table of sections is damaged";

// Sections hold arrays of numbers as they stand in memory.
const _: () = assert!(cfg!(target_endian = "little"), "files are little-endian");

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// The first eight bytes.
    pub magic: &'static [u8; 8],
    /// The version of what the sections hold.
    pub version: u32,
    /// Name in errors, with the command that makes one.
    pub name: &'static str,
}

/// A section to be written: its name, of at most 64 bytes, and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Section<'s> {
    name: String,
    bytes: std::borrow::Cow<'s, [u8]>,
}

impl<'s> Section<'s> {
    /// The section of this name.
    ///
    /// # Panics
    /// If the name is empty, has more than 64 bytes, or holds a zero byte.
    pub fn new(name: impl Into<String>, bytes: impl Into<std::borrow::Cow<'s, [u8]>>) -> Section<'s> {
        let name = name.into();
        assert!((1..=NAME).contains(&name.len()) && !name.contains('\0'), "`{name}` is no name of a section");
        Section { name, bytes: bytes.into() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same bytes under `prefix` and a slash before the name.
    #[must_use]
    pub fn under(self, prefix: &str) -> Section<'s> {
        Section::new(format!("{prefix}/{}", self.name), self.bytes)
    }
}

/// The whole file that sections were read from.
#[derive(Debug, Clone)]
enum Bytes {
    Owned(Arc<Vec<u8>>),
    Mapped(Arc<Mmap>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

/// The sections of a file, by name.
#[derive(Debug, Clone)]
pub struct Sections {
    bytes: Bytes,
    path: PathBuf,
    places: Vec<(String, Range<usize>)>,
    /// Before every name that is asked for.
    prefix: String,
}

impl FileKind {
    /// The bytes of a file with these sections.
    ///
    /// # Panics
    /// If two sections have one name.
    pub fn pack(&self, sections: &[Section]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(sections.iter().map(|s| s.bytes.len() + ALIGNMENT).sum::<usize>() + 1024);
        self.write_to(sections, &mut bytes).expect("memory takes what it is given");
        bytes
    }

    /// Writes a file with these sections, whole or not at all, packed if its name ends in `.gz` or `.zst`; `-` is standard
    /// output. Sections are written from where they stand: no copy of the file is made in memory.
    ///
    /// # Errors
    /// If it cannot be written.
    ///
    /// # Panics
    /// If two sections have one name.
    pub fn write(&self, sections: &[Section], path: &Path) -> Result<()> {
        let mut output = Output::create(path)?;
        self.write_to(sections, &mut output).map_err(Error::io(path))?;
        output.finish()
    }

    fn write_to(&self, sections: &[Section], out: &mut dyn Write) -> io::Result<()> {
        let mut table = Vec::with_capacity(TABLE + sections.len() * ENTRY);
        table.extend(self.magic);
        table.extend(self.version.to_le_bytes());
        table.extend(BYTE_ORDER.to_le_bytes());
        table.extend((sections.len() as u64).to_le_bytes());
        let mut end = TABLE + sections.len() * ENTRY;
        for (i, Section { name, bytes }) in sections.iter().enumerate() {
            assert!(sections[..i].iter().all(|other| other.name != *name), "two sections are named `{name}`");
            let start = end.next_multiple_of(ALIGNMENT);
            table.extend(name.as_bytes());
            table.resize(TABLE + i * ENTRY + NAME, 0);
            for number in [start as u64, bytes.len() as u64, rapidhash_v3(bytes)] {
                table.extend(number.to_le_bytes());
            }
            end = start + bytes.len();
        }
        out.write_all(&table)?;
        let mut end = table.len();
        for Section { bytes, .. } in sections {
            let start = end.next_multiple_of(ALIGNMENT);
            out.write_all(&[0; ALIGNMENT][..start - end])?;
            out.write_all(bytes)?;
            end = start + bytes.len();
        }
        Ok(())
    }

    /// The sections of a file in memory; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged file of this kind and version.
    pub fn unpack(&self, bytes: Vec<u8>, path: &Path) -> Result<Sections> {
        self.sections(Bytes::Owned(Arc::new(bytes)), path)
    }

    /// Copies a file into memory, where nobody else can change it; see [`FileKind::unpack`].
    ///
    /// PERF: that all bytes are read once for their checksums anyway. To map the file would save a copy, for the price that whoever writes
    /// into it or cuts it meanwhile changes trees or ends the process.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged file of this kind and version.
    pub fn read(&self, path: &Path) -> Result<Sections> {
        // A pipe is opened but once.
        let is_plain = path != Path::new("-") && Packing::of(path).is_none() && path.is_file();
        let copy = |mut file: File| {
            let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
            memory::copy(&mut file, len)
        };
        match is_plain.then(|| File::open(path).and_then(copy)).and_then(io::Result::ok) {
            Some(map) => self.sections(Bytes::Mapped(Arc::new(map)), path),
            None => self.unpack(read_whole(path)?, path),
        }
    }

    fn sections(&self, bytes: Bytes, path: &Path) -> Result<Sections> {
        let bad = |what: &str| Err(damaged(path, what));
        if bytes.len() < TABLE || &bytes[..8] != self.magic {
            if let (Some(other), Some(own)) = (kind_of(&bytes), kind_of(self.magic))
                && other != own
            {
                return Err(Error::Usage(format!("{}: this is {other}; expected {own}", path.display())));
            }
            return bad(&format!("not a treebeam {}", self.name));
        }
        if u32_at(&bytes, 12) != BYTE_ORDER {
            return bad("the byte order mark is wrong; the file is damaged");
        }
        let version = u32_at(&bytes, 8);
        if version != self.version {
            let read = self.version;
            return bad(&format!("format {version}, but this program reads format {read}: make the file again"));
        }
        let n_sections = u64_at(&bytes, 16);
        if n_sections > ((bytes.len() - TABLE) / ENTRY) as u64 {
            return bad(BAD_TABLE);
        }
        let mut places: Vec<(String, Range<usize>)> = Vec::with_capacity(n_sections as usize);
        let mut names = std::collections::HashSet::new();
        let mut end = TABLE + n_sections as usize * ENTRY;
        for i in 0..n_sections as usize {
            let entry = &bytes[TABLE + i * ENTRY..][..ENTRY];
            let name = entry[..NAME].split(|&byte| byte == 0).next().unwrap_or_default();
            let Ok(name) = std::str::from_utf8(name) else { return bad(BAD_TABLE) };
            let is_padded = entry[name.len()..NAME].iter().all(|&byte| byte == 0);
            if name.is_empty() || !is_padded || !names.insert(name.to_owned()) {
                return bad(BAD_TABLE);
            }
            let [offset, len, checksum] = [0, 8, 16].map(|j| u64_at(entry, NAME + j));
            let start = end.next_multiple_of(ALIGNMENT);
            if offset != start as u64 {
                return bad(BAD_TABLE);
            }
            let found = usize::try_from(len).ok().and_then(|len| bytes.get(start..start.checked_add(len)?));
            let Some(found) = found else {
                return bad(&format!("section `{name}` goes beyond the end; the file is cut short"));
            };
            if bytes[end..start].iter().any(|&byte| byte != 0) || rapidhash_v3(found) != checksum {
                return bad(&format!("section `{name}` does not match its checksum; the file is damaged"));
            }
            end = start + found.len();
            places.push((name.to_owned(), start..end));
        }
        if end != bytes.len() {
            return bad(&format!("{} bytes follow the last section; the file is damaged", bytes.len() - end));
        }
        Ok(Sections { bytes, path: path.to_owned(), places, prefix: String::new() })
    }
}

impl Sections {
    /// Name of the file in errors.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sections whose names begin with `prefix` and a slash, to be asked for without these.
    #[must_use]
    pub fn under(&self, prefix: &str) -> Sections {
        Sections { prefix: format!("{}{prefix}/", self.prefix), ..self.clone() }
    }

    /// Number of sections.
    pub fn len(&self) -> usize {
        self.places.iter().filter(|(name, _)| name.starts_with(&self.prefix)).count()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if there is a section of this name.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    fn place(&self, name: &str) -> Result<Range<usize>> {
        let of_name = |(full, _): &&(String, Range<usize>)| full.strip_prefix(&self.prefix[..]) == Some(name);
        let found = self.places.iter().find(of_name);
        let missing = || self.damaged(&format!("there is no section `{}{name}`", self.prefix));
        found.map(|(_, place)| place.clone()).ok_or_else(missing)
    }

    /// Content of the section of this name.
    ///
    /// # Errors
    /// If there is no such section.
    pub fn get(&self, name: &str) -> Result<&[u8]> {
        Ok(&self.bytes[self.place(name)?])
    }

    /// The sections of these names, in order.
    ///
    /// # Errors
    /// If there is one that is missing.
    pub fn all<const N: usize>(&self, names: [&str; N]) -> Result<[&[u8]; N]> {
        let mut all: [&[u8]; N] = [&[]; N];
        for (section, name) in all.iter_mut().zip(names) {
            *section = self.get(name)?;
        }
        Ok(all)
    }

    /// The numbers that the section of this name holds, where they stand if the file is in a map, else copied.
    ///
    /// # Errors
    /// If there is no such section, or it does not hold whole numbers of this type.
    pub fn numbers<T: Pod>(&self, name: &str) -> Result<Numbers<T>> {
        let place = self.place(name)?;
        let numbers = match &self.bytes {
            Bytes::Mapped(map) => Numbers::mapped(map, place),
            Bytes::Owned(bytes) => {
                let bytes = &bytes[place];
                let is_whole = bytes.len().is_multiple_of(size_of::<T>());
                is_whole.then(|| Numbers::from(bytemuck::allocation::pod_collect_to_vec(bytes)))
            }
        };
        numbers.ok_or_else(|| self.damaged(&format!("section `{name}` does not hold whole numbers")))
    }

    /// Content of the section of this name, which is JSON.
    ///
    /// # Errors
    /// If there is no such section, or it says something else than is expected.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        serde_json::from_slice(self.get(name)?)
            .map_err(|error| self.damaged(&format!("section `{name}` does not parse: {error}")))
    }

    /// The error that the file is not what it should be.
    pub fn damaged(&self, what: &str) -> Error {
        damaged(&self.path, what)
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

    const KIND: FileKind = FileKind { magic: b"testfile", version: 3, name: "test file" };

    fn unpack(bytes: &[u8]) -> Result<Sections> {
        KIND.unpack(bytes.to_vec(), Path::new("x"))
    }

    fn packed() -> Vec<u8> {
        let first = Section::new("first", &b"first section"[..]);
        KIND.pack(&[first, Section::new("empty", Vec::new()), Section::new("numbers", vec![7; 16]).under("a")])
    }

    #[test]
    fn sections_come_back() {
        let sections = unpack(&packed()).unwrap();
        assert_eq!(sections.len(), 3);
        assert_eq!(sections.all(["first", "empty"]).unwrap(), [&b"first section"[..], b""]);
        let under = sections.under("a");
        assert_eq!((under.len(), &under.numbers::<u64>("numbers").unwrap()[..]), (1, &[0x0707_0707_0707_0707; 2][..]));
        assert!(sections.numbers::<u64>("first").is_err() && under.get("first").is_err());
    }

    /// Every cut, every flipped bit and every byte too many is an error, none a panic.
    #[test]
    fn damage_is_noticed() {
        let bytes = packed();
        for len in 0..bytes.len() {
            assert!(unpack(&bytes[..len]).is_err(), "cut to {len}");
        }
        for i in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[i] ^= 1 << (i % 8);
            // A name may be another one; then the section of the old name is missing.
            let Ok(sections) = unpack(&flipped) else { continue };
            assert!(sections.all(["first", "empty", "a/numbers"]).is_err(), "byte {i}");
        }
        let longer = [&bytes[..], b"\0"].concat();
        assert!(unpack(&longer).unwrap_err().to_string().contains("1 bytes follow"));
    }
}
