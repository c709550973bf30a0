//! Opening inputs.

use super::Packing;
use super::zstandard;
use crate::error::{Error, Problem, Result};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Large enough that the cost of a call vanishes, small enough for the second-level cache.
const BUFFER: usize = 1 << 16;

/// Largest growth of a packed file in unpacking, where all of it is kept in memory. Treebanks are packed to a fifth or
/// a tenth; what grows beyond this is a bomb, or so uniform that it can be unpacked first.
const MAX_GROWTH: u64 = 64;

/// Size that may be unpacked before its growth is looked at.
const FREE_GROWTH: u64 = 32 << 20;

/// Opens `path` for reading: `-` is standard input, `.gz` (of one or several members) and `.zst` are unpacked.
///
/// # Errors
/// If the system refuses. Damage inside a packed file shows only when it is read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    Ok(Box::new(BufReader::with_capacity(BUFFER, open_unbuffered(path).map_err(Error::io(path))?)))
}

/// [`open`] for readers that buffer themselves, and that do not keep what they read.
fn open_unbuffered(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path)?;
    match Packing::of(path) {
        Some(packing) => unpack(packing, file),
        None => Ok(Box::new(file)),
    }
}

/// [`open`] for readers that buffer themselves and keep all that they read in memory: a packed file that grows out of all
/// proportion is an error.
///
/// # Errors
/// If it cannot be opened.
pub fn open_to_keep(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path)?;
    let Some(packing) = Packing::of(path) else { return Ok(Box::new(file)) };
    let packed = Arc::new(AtomicU64::new(0));
    let counting = Counting { file, n_bytes: Arc::clone(&packed) };
    Ok(Box::new(Bounded { input: unpack(packing, counting)?, packed, unpacked: 0 }))
}

fn unpack(packing: Packing, file: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(match packing {
        Packing::Gzip => {
            let input = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file));
            Box::new(Unpacked { input, n_lines: 0, tester: "gzip -t" })
        }
        Packing::Zstd => Box::new(Unpacked { input: zstandard::decoder(file)?, n_lines: 0, tester: "zstd -t" }),
    })
}

/// Says of damage where it is and what to do.
struct Unpacked<R> {
    input: R,
    n_lines: u64,
    /// The program that checks whether the packed file is whole.
    tester: &'static str,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.input.read(buffer) {
            Ok(n) => {
                self.n_lines += buffer[..n].iter().filter(|byte| **byte == b'\n').count() as u64;
                Ok(n)
            }
            // Errors of the system about the file itself are passed on.
            Err(error) if error.raw_os_error().is_some() || error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let Unpacked { n_lines, tester, .. } = self;
                let place = match n_lines {
                    0 => "from its beginning".to_owned(),
                    n => format!("behind line {n} of what it holds"),
                };
                let found = format!("the packed file is cut off or damaged {place} ({error})");
                let expected = format!("a whole one: `{tester}` checks that; copy or pack it again");
                Err(io::Error::new(error.kind(), format!("{found}; expected {expected}")))
            }
        }
    }
}

/// Counts what is read of a packed file.
struct Counting<R> {
    file: R,
    n_bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.n_bytes.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Stops when a packed file has grown too much.
struct Bounded<R> {
    input: R,
    packed: Arc<AtomicU64>,
    unpacked: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.unpacked += n as u64;
        if self.unpacked > FREE_GROWTH + MAX_GROWTH.saturating_mul(self.packed.load(Ordering::Relaxed)) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "the packed file grows to more than {MAX_GROWTH} times its size; expected a treebank or a model; \
                     if that is what it holds, unpack it first"
                ),
            ));
        }
        Ok(n)
    }
}

/// Reads a whole file, unpacked if its name ends in `.gz` or `.zst`; `-` is standard input.
///
/// # Errors
/// If it cannot be read.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_keep(path).and_then(|mut input| input.read_to_end(&mut bytes)).map_err(Error::io(path))?;
    Ok(bytes)
}

/// The most bytes of a text that people write.
const MAX_TEXT: u64 = 64 << 20;

/// Reads a text that people write, such as a feature set or a specification, without the byte order mark that some editors put in front.
///
/// # Errors
/// If it cannot be read, is larger than any text that people write, or is not UTF-8, with the line.
pub fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(Error::io(path))?.take(MAX_TEXT + 1);
    file.read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > MAX_TEXT {
        let path = path.display().to_string();
        return Err(Problem::at(path, 0, "a file of more than 64 MiB", "a text that people write").into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned)),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let path = path.display().to_string();
            Err(Problem::at(path, line, "bytes that are not UTF-8", "a text in UTF-8").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_whole;

    #[test]
    fn texts_lose_their_byte_order_mark_and_must_be_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.feat");
        std::fs::write(&path, "\u{feff}S0.w\n").unwrap();
        assert_eq!(read_text(&path).unwrap(), "S0.w\n");
        std::fs::write(&path, b"S0.w\nS1.w # \xff\n").unwrap();
        let error = read_text(&path).unwrap_err().to_string();
        assert!(error.ends_with("a.feat:2: bytes that are not UTF-8; expected a text in UTF-8"), "{error}");
    }

    #[test]
    fn damage_in_a_packed_file_is_reported_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = (0..100_000).map(|number| format!("{}\n", number * 7919 % 100_003)).collect();
        for (name, tester) in [("a.gz", "gzip -t"), ("a.zst", "zstd -t")] {
            let path = folder.path().join(name);
            write_whole(&path, text.as_bytes()).unwrap();
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, &whole[..whole.len() * 3 / 4]).unwrap();
            let error = read_whole(&path).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(tester) && error.contains("behind line "), "{error}");
            std::fs::write(&path, "none of it").unwrap();
            let error = read_whole(&path).unwrap_err().to_string();
            assert!(error.contains("from its beginning"), "{error}");
        }
    }

    #[test]
    fn what_grows_out_of_proportion_is_refused_where_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let size = FREE_GROWTH as usize * 3;
        for name in ["bomb.gz", "bomb.zst"] {
            let path = folder.path().join(name);
            write_whole(&path, &vec![b'x'; size]).unwrap();
            let error = read_whole(&path).unwrap_err().to_string();
            assert!(error.contains("unpack it first"), "{error}");
            assert_eq!(io::copy(&mut open(&path).unwrap(), &mut io::sink()).unwrap(), size as u64);
            write_whole(&path, b"little").unwrap();
            assert_eq!(read_whole(&path).unwrap(), b"little");
        }
    }
}
