//! Zstandard, or that there is none: without the feature `zstd`, which takes a C compiler, `.zst` is neither read nor written.

use std::io::{self, Read, Write};

/// A writer that packs what is written through it into another.
#[cfg(feature = "zstd")]
pub(super) type Encoder<W> = zstd::Encoder<'static, W>;

/// Packs at this level; 0 is the usual one.
///
/// # Errors
/// If there is no Zstandard, or no memory for it.
#[cfg(feature = "zstd")]
pub(super) fn encoder<W: Write>(sink: W, level: i32) -> io::Result<Encoder<W>> {
    zstd::Encoder::new(sink, level)
}

/// Unpacks what `input` holds.
///
/// # Errors
/// If there is no Zstandard, or no memory for it.
#[cfg(feature = "zstd")]
pub(super) fn decoder(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(zstd::Decoder::new(input)?))
}

/// A packing writer that nobody can make.
#[cfg(not(feature = "zstd"))]
pub(super) struct Encoder<W>(W, std::convert::Infallible);

#[cfg(not(feature = "zstd"))]
impl<W> Encoder<W> {
    pub(super) fn finish(self) -> io::Result<W> {
        match self.1 {}
    }
}

#[cfg(not(feature = "zstd"))]
impl<W> Write for Encoder<W> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.1 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.1 {}
    }
}

#[cfg(not(feature = "zstd"))]
pub(super) fn encoder<W: Write>(_: W, _: i32) -> io::Result<Encoder<W>> {
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
