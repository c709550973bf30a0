//! Files that appear whole or not at all.

use super::Packing;
use super::paths::behind_links;
use super::temporary::{Registered, TEMPORARY};
use super::zstandard;
use crate::error::{Error, Result};
use crate::parallel;
use flate2::{Compression, write::GzEncoder};
use rayon::ThreadPool;
use std::fs::{self, File};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::NamedTempFile;

/// The level of Zstandard unless another is asked for: its own default.
const USUAL_LEVEL: i32 = 0;

/// The level of Zstandard for archives: the highest that readers need no more memory for than usual.
const ARCHIVE_LEVEL: i32 = 19;

/// Bytes that are packed on their own. Parsed English grows by 0.3 % as `.gz` and by 1.5 % as `.zst` against packing in one piece.
const BLOCK: usize = 1 << 21;

/// A destination that is being written.
///
/// A file is written beside its final place and moved there by [`Output::finish`]; dropped before that, it leaves nothing
/// behind, and what stood there stays. Names that end in `.gz` or `.zst` are compressed, `-` is standard output,
/// and devices and pipes are written directly.
///
/// Compressed output is a sequence of gzip members (RFC 1952, section 2.2) or Zstandard frames (RFC 8878, section 3.1), each of 2 MiB of
/// text.
pub struct Output {
    path: PathBuf,
    writer: BufWriter<Sink>,
    packer: Option<Packer>,
}

enum Sink {
    Stdout(Stdout),
    Direct(File),
    /// The final place, with links followed, beside the file.
    Temporary(NamedTempFile, PathBuf, Registered),
}

/// Packs text, a block for each thread at a time.
struct Packer {
    packing: Packing,
    /// The level of Zstandard.
    level: i32,
    block: usize,
    pool: Option<Arc<ThreadPool>>,
    text: Vec<u8>,
    /// True until something is packed.
    is_new: bool,
}

impl Output {
    /// Opens `path` for writing.
    ///
    /// # Errors
    /// If the folder does not exist or may not be written, or if `path` is a folder.
    pub fn create(path: &Path) -> Result<Output> {
        let sink =
            if path == Path::new("-") { Sink::Stdout(io::stdout()) } else { open(path).map_err(Error::io(path))? };
        let packer = Packing::of(path).map(Packer::new).transpose().map_err(Error::io(path))?;
        Ok(Output { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, sink), packer })
    }

    /// The same destination, compressed by the threads of `pool`, which does not change its bytes.
    #[must_use]
    pub fn packed_by(mut self, pool: Option<Arc<ThreadPool>>) -> Output {
        if let Some(packer) = &mut self.packer {
            packer.pool = pool;
        }
        self
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

    /// Writes the buffered text where others can read it already: to standard output, a device or a pipe.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush_unless_temporary(&mut self) -> io::Result<()> {
        match self.writer.get_ref() {
            Sink::Stdout(_) | Sink::Direct(_) if self.packer.is_none() => self.flush(),
            _ => Ok(()),
        }
    }

    /// Writes the buffered text, makes sure that it is on the disk, and moves it to its place.
    ///
    /// # Errors
    /// If the system refuses any of it; the destination is then as it was before.
    pub fn finish(self) -> Result<()> {
        let Output { path, mut writer, packer } = self;
        let finish = || -> io::Result<()> {
            packer.map_or(Ok(()), |mut packer| packer.pack_into(&mut writer))?;
            match writer.into_inner().map_err(io::IntoInnerError::into_error)? {
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
        match &mut self.packer {
            Some(packer) => packer.take(bytes, &mut self.writer),
            None => self.writer.write(bytes),
        }
        .map_err(without_path)
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(packer) = &mut self.packer {
            packer.pack_into(&mut self.writer).map_err(without_path)?;
        }
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
    let mut output = Output::create(path)?;
    if let Some(packer) = &mut output.packer {
        (packer.level, packer.block) = (ARCHIVE_LEVEL, bytes.len().max(1));
    }
    write_all(output, bytes)
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
            // The file is made where the link points.
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

impl Packer {
    /// A packer at the usual level, on the caller's thread.
    ///
    /// # Errors
    /// If this program cannot pack so.
    fn new(packing: Packing) -> io::Result<Packer> {
        let packer = Packer { packing, level: USUAL_LEVEL, block: BLOCK, pool: None, text: Vec::new(), is_new: true };
        packer.packed(&[]).map(|_| packer)
    }

    /// Takes the beginning of `bytes`, and packs when there is a block for each thread. Returns the number of bytes taken.
    fn take(&mut self, bytes: &[u8], output: &mut impl Write) -> io::Result<usize> {
        let full = self.block * self.pool.as_ref().map_or(1, |pool| pool.current_num_threads());
        let n = bytes.len().min(full - self.text.len());
        self.text.extend_from_slice(&bytes[..n]);
        if self.text.len() == full {
            self.pack_into(output)?;
        }
        Ok(n)
    }

    /// Packs all that was taken, which may be nothing in a file that is empty.
    fn pack_into(&mut self, output: &mut impl Write) -> io::Result<()> {
        let n = self.text.len().div_ceil(self.block).max(usize::from(self.is_new));
        let block = |i: usize| &self.text[i * self.block..self.text.len().min((i + 1) * self.block)];
        for packed in parallel::map_on(self.pool.as_deref(), n, |i| self.packed(block(i))) {
            output.write_all(&packed?)?;
        }
        self.is_new = false;
        self.text.clear();
        Ok(())
    }

    fn packed(&self, block: &[u8]) -> io::Result<Vec<u8>> {
        match self.packing {
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(block)?;
                encoder.finish()
            }
            Packing::Zstd => zstandard::pack(block, self.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

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
    fn blocks_are_packed_on_their_own_whoever_packs_them() {
        let folder = tempfile::tempdir().unwrap();
        let text: Vec<u8> =
            (0..500_000_u64).flat_map(|number| format!("{}\n", number * 7919 % 500_009).into_bytes()).collect();
        assert!(text.len() > BLOCK && !text.len().is_multiple_of(BLOCK));
        let pool = Arc::new(process::thread_pool(3).unwrap());
        for name in ["a.gz", "a.zst"] {
            let path = folder.path().join(name);
            let written = |text: &[u8], pool: Option<&Arc<ThreadPool>>, piece: usize| {
                let mut output = Output::create(&path).unwrap().packed_by(pool.cloned());
                text.chunks(piece).for_each(|piece| output.write_all(piece).unwrap());
                output.finish().unwrap();
                assert!(super::super::read_whole(&path).unwrap() == text);
                fs::read(&path).unwrap()
            };
            let whole = written(&text, None, text.len());
            assert!(whole == written(&text, Some(&pool), 1000));
            assert!(
                whole == text.chunks(BLOCK).flat_map(|block| written(block, Some(&pool), BLOCK)).collect::<Vec<_>>()
            );
            assert!(!written(&[], Some(&pool), 1).is_empty());
            archive(&path, &text[..1000]).unwrap();
            assert!(super::super::read_whole(&path).unwrap() == text[..1000]);
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
