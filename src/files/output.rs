//! Files that appear whole or not at all.

use super::Packing;
use super::paths::behind_links;
use super::temporary::{Registered, TEMPORARY};
use super::zstandard;
use crate::error::{Error, Result};
use flate2::{Compression, write::GzEncoder};
use std::fs::{self, File};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The level of Zstandard unless another is asked for: its own default.
const USUAL_LEVEL: i32 = 0;

/// The level of Zstandard for archives: the highest that readers need no more memory for than usual.
const ARCHIVE_LEVEL: i32 = 19;

/// A destination that is being written.
///
/// A file is written beside its final place and moved there by [`Output::finish`]; dropped before that, it leaves nothing
/// behind, and what stood there stays. Names that end in `.gz` or `.zst` are compressed, `-` is standard output,
/// and devices and pipes are written directly.
pub struct Output {
    path: PathBuf,
    writer: BufWriter<Encoder>,
}

enum Sink {
    Stdout(Stdout),
    Direct(File),
    /// The final place, with links followed, beside the file.
    Temporary(NamedTempFile, PathBuf, Registered),
}

enum Encoder {
    Plain(Sink),
    Gzip(GzEncoder<Sink>),
    Zstd(zstandard::Encoder<Sink>),
}

impl Output {
    /// Opens `path` for writing.
    ///
    /// # Errors
    /// If the folder does not exist or may not be written, or if `path` is a folder.
    pub fn create(path: &Path) -> Result<Output> {
        Output::at_level(path, USUAL_LEVEL)
    }

    /// The same, with this level of Zstandard for names that end in `.zst`.
    fn at_level(path: &Path, level: i32) -> Result<Output> {
        let sink =
            if path == Path::new("-") { Sink::Stdout(io::stdout()) } else { open(path).map_err(Error::io(path))? };
        let encoder = match Packing::of(path) {
            Some(Packing::Gzip) => Encoder::Gzip(GzEncoder::new(sink, Compression::default())),
            Some(Packing::Zstd) => Encoder::Zstd(zstandard::encoder(sink, level).map_err(Error::io(path))?),
            None => Encoder::Plain(sink),
        };
        Ok(Output { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, encoder) })
    }

    /// Checks that `path` can be written, for those who will open it only after long work. What stands there stays, and
    /// a pipe is not opened, for its reader would take that for all there is.
    ///
    /// # Errors
    /// As [`Output::create`].
    pub fn check(path: &Path) -> Result<()> {
        match fs::metadata(path) {
            Ok(there) if !there.is_file() && !there.is_dir() => Ok(()),
            _ => Output::create(path).map(drop),
        }
    }

    /// The destination as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is still in memory where others can read it already: to standard output, a device or a pipe.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush_unless_temporary(&mut self) -> io::Result<()> {
        match self.writer.get_ref() {
            Encoder::Plain(Sink::Temporary(..)) | Encoder::Gzip(_) | Encoder::Zstd(_) => Ok(()),
            Encoder::Plain(Sink::Stdout(_) | Sink::Direct(_)) => self.flush(),
        }
    }

    /// Writes what is still in memory, makes sure that it is on the disk, and moves it to its place.
    ///
    /// # Errors
    /// If the system refuses any of it; the destination is then as it was before.
    pub fn finish(self) -> Result<()> {
        let Output { path, writer } = self;
        let finish = || -> io::Result<()> {
            let sink = match writer.into_inner().map_err(io::IntoInnerError::into_error)? {
                Encoder::Plain(sink) => sink,
                Encoder::Gzip(encoder) => encoder.finish()?,
                Encoder::Zstd(encoder) => encoder.finish()?,
            };
            match sink {
                Sink::Stdout(mut stdout) => stdout.flush(),
                Sink::Direct(mut file) => file.flush(),
                Sink::Temporary(file, place, registered) => {
                    let persisted = persist(file, &place);
                    drop(registered);
                    persisted
                }
            }
        };
        finish().map_err(without_path).map_err(Error::io(path))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(without_path)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).map_err(without_path)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(without_path)
    }
}

/// Writes a file whole or not at all, packed if its name ends in `.gz` or `.zst`; `-` is standard output.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_all(Output::create(path)?, bytes)
}

/// The same for what is kept for long: `.zst` files become a quarter smaller than usual, and take a second for each megabyte.
///
/// # Errors
/// If it cannot be written.
pub fn archive(path: &Path, bytes: &[u8]) -> Result<()> {
    write_all(Output::at_level(path, ARCHIVE_LEVEL)?, bytes)
}

fn write_all(mut output: Output, bytes: &[u8]) -> Result<()> {
    let path = output.path.clone();
    output.write_all(bytes).map_err(Error::io(path))?;
    output.finish()
}

fn open(path: &Path) -> io::Result<Sink> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => {
            Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder; expected the name of a file to write"))
        }
        Ok(there) if !there.is_file() => Ok(Sink::Direct(File::options().write(true).open(path)?)),
        Ok(there) => {
            // The file that a link points to is replaced, never the link.
            let place = path.canonicalize()?;
            Ok(temporary(place, Some(there.permissions()))?)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // What a link promises is made where it promises it.
            let place = behind_links(path)?;
            let folder = folder(&place);
            if !folder.is_dir() {
                let found = format!("there is no folder {}; expected one that exists", folder.display());
                return Err(io::Error::new(error.kind(), found));
            }
            Ok(temporary(place, None)?)
        }
        Err(error) => Err(error),
    }
}

/// A file in the folder of `place`, with `permissions` or those that any new file gets.
fn temporary(place: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Sink> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Temporary files are private by default; the system takes its mask off these.
        builder.permissions(permissions.unwrap_or_else(|| fs::Permissions::from_mode(0o666)));
    }
    #[cfg(not(unix))]
    let _ = permissions;
    let (file, registered) = Registered::make(|| builder.tempfile_in(folder(&place)).map_err(without_path))?;
    // Where the file system knows locks: so others see that somebody writes it, see [`remove_abandoned`].
    let _ = file.as_file().try_lock();
    Ok(Sink::Temporary(file, place, registered))
}

/// The error of the system, without the name of a temporary file that nobody has heard of.
fn without_path(error: io::Error) -> io::Error {
    let text = if error.raw_os_error().is_none() { error.to_string() } else { String::new() };
    match text.split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

fn persist(file: NamedTempFile, place: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(place).map_err(|error| without_path(error.error))?;
    // The name is on the disk only once the folder is.
    #[cfg(unix)]
    File::open(folder(place))?.sync_all()?;
    Ok(())
}

fn folder(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Sink {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Sink::Stdout(stdout) => stdout,
            Sink::Direct(file) => file,
            Sink::Temporary(file, ..) => file,
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Encoder {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Plain(sink) => sink,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        }
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn nothing_appears_before_the_end_or_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.conllu");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(&[b'x'; 1 << 17]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(output);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), entries(folder.path())), ("old", 1));
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.finish().unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), entries(folder.path())), ("new", 1));
    }

    #[test]
    fn endings_choose_the_compression() {
        let folder = tempfile::tempdir().unwrap();
        for (name, magic) in [("a.gz", [0x1f, 0x8b].as_slice()), ("a.zst", &[0x28, 0xb5, 0x2f, 0xfd]), ("a", b"text")] {
            let path = folder.path().join(name);
            let mut output = Output::create(&path).unwrap();
            output.write_all(b"text").unwrap();
            output.finish().unwrap();
            assert!(fs::read(&path).unwrap().starts_with(magic), "{name}");
        }
    }

    #[test]
    fn a_missing_folder_and_a_folder_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Output::create(&folder.path().join("no/such.conllu")).is_err());
        assert!(Output::create(folder.path()).is_err());
    }

    #[test]
    fn errors_do_not_name_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such.conllu");
        let error = Output::create(&path).err().unwrap().to_string();
        assert!(error.starts_with(&format!("{}: ", path.display())) && !error.contains(".treebeam-"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere_yet_are_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let link = |to: &str, from: &str| std::os::unix::fs::symlink(to, at(from)).unwrap();
        fs::create_dir(at("sub")).unwrap();
        link("sub/second", "first");
        link("file", "sub/second");
        link("no/such", "nowhere");
        link("b", "a");
        link("a", "b");
        write_whole(&at("first"), b"new").unwrap();
        assert_eq!(fs::read_to_string(at("sub/file")).unwrap(), "new");
        assert!(fs::symlink_metadata(at("first")).unwrap().is_symlink());
        let error = |name: &str| write_whole(&at(name), b"new").unwrap_err().to_string();
        assert!(error("nowhere").contains("there is no folder"), "{}", error("nowhere"));
        assert!(error("a").starts_with(&at("a").display().to_string()));
        assert!(fs::symlink_metadata(at("a")).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut output = Output::create(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
