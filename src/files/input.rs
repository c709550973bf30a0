//! Opening inputs.

use crate::error::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Large enough that the cost of a call vanishes, small enough for the second-level cache.
const BUFFER: usize = 1 << 16;

/// Opens `path` for reading: `-` is standard input, `.gz` (of one or several members) and `.zst` are unpacked.
///
/// # Errors
/// If the system refuses. Damage inside a packed file shows only when it is read.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    Ok(Box::new(BufReader::with_capacity(BUFFER, open_unbuffered(path).map_err(Error::io(path))?)))
}

/// [`open`] for readers that buffer themselves.
pub(crate) fn open_unbuffered(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path)?;
    Ok(match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, file))),
        Some("zst") => Box::new(zstd::Decoder::new(file)?),
        _ => Box::new(file),
    })
}

/// Reads a whole file, unpacked if its name ends in `.gz` or `.zst`; `-` is standard input.
///
/// # Errors
/// If it cannot be read.
pub fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(Error::io(path))?;
    Ok(bytes)
}
