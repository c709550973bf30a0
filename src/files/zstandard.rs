//! Zstandard, or that there is none: without the feature `zstd`, which takes a C compiler, `.zst` is neither read nor written.

use std::io::{self, Read};

/// Packs `bytes` into a frame at this level; 0 is the usual one.
///
/// # Errors
/// If there is no Zstandard, or no memory for it.
#[cfg(feature = "zstd")]
pub(super) fn pack(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, level)
}

/// Unpacks what `input` holds.
///
/// # Errors
/// If there is no Zstandard, or no memory for it.
#[cfg(feature = "zstd")]
pub(super) fn decoder(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(zstd::Decoder::new(input)?))
}

#[cfg(not(feature = "zstd"))]
pub(super) fn pack(_: &[u8], _: i32) -> io::Result<Vec<u8>> {
    Err(missing())
}

#[cfg(not(feature = "zstd"))]
pub(super) fn decoder(_: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Err(missing())
}

#[cfg(not(feature = "zstd"))]
fn missing() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this program was built without Zstandard; expected a file that it did not pack",
    )
}
