//! Making sure that no output takes the place of another, or of an input.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The files that a command reads and writes.
#[derive(Debug, Default)]
pub struct Paths {
    taken: Vec<(Identity, PathBuf, Role)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    /// An input that may be replaced by the output.
    InPlace,
    Output,
}

/// Identity of a file: equal for two paths that lead to the same file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    Standard,
    /// A device or pipe, which many may use.
    Special,
    Path(PathBuf),
}

impl Paths {
    /// The command reads `path`.
    #[must_use]
    pub fn input(mut self, path: &Path) -> Paths {
        self.taken.push((identity(path), path.to_owned(), Role::Input));
        self
    }

    /// The command reads `paths`.
    #[must_use]
    pub fn inputs<P: AsRef<Path>>(self, paths: &[P]) -> Paths {
        paths.iter().fold(self, |taken, path| taken.input(path.as_ref()))
    }

    /// The command reads `path`, and its output may replace it.
    #[must_use]
    pub fn input_converted_in_place(mut self, path: &Path) -> Paths {
        self.taken.push((identity(path), path.to_owned(), Role::InPlace));
        self
    }

    /// Refuses two inputs from standard input, which can be read but once: there would be nothing left for the second.
    ///
    /// # Errors
    /// If there are two.
    pub fn one_standard_input(self) -> Result<Paths> {
        let is_standard_input =
            |(own, _, role): &&(Identity, PathBuf, Role)| *own == Identity::Standard && *role != Role::Output;
        match self.taken.iter().filter(is_standard_input).count() {
            0 | 1 => Ok(self),
            _ => Err(Error::Usage(
                "only one of the files can be standard input; expected paths of the others".to_owned(),
            )),
        }
    }

    /// The command writes `path`.
    ///
    /// # Errors
    /// If it reads that file, or writes it already, or reads standard input twice.
    pub fn output(self, path: &Path) -> Result<Paths> {
        let mut paths = self.one_standard_input()?;
        let own = identity(path);
        let clash = |(other, _, role): &&(Identity, PathBuf, Role)| {
            // Standard input and standard output are different streams.
            *other == own && own != Identity::Special && (own != Identity::Standard || *role == Role::Output)
        };
        if let Some((_, other, role)) = paths.taken.iter().find(clash)
            && *role != Role::InPlace
        {
            let what = if *role == Role::Output { "another output" } else { "an input" };
            let (path, other) = (path.display(), other.display());
            return Err(Error::Usage(format!(
                "{path}: this output would replace {what}, {other}; expected another file for each"
            )));
        }
        paths.taken.push((own, path.to_owned(), Role::Output));
        Ok(paths)
    }
}

fn identity(path: &Path) -> Identity {
    if path == Path::new("-") {
        return Identity::Standard;
    }
    if let Ok(there) = path.canonicalize() {
        return if there.is_file() || there.is_dir() { Identity::Path(there) } else { Identity::Special };
    }
    // It is not there yet: its folder identifies it.
    let path = &*behind_links(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Identity::Path(path.file_name().map_or(folder.clone(), |name| folder.join(name)))
}

/// Links that are followed, one after the other, at most: as many as Linux follows.
const LINKS: usize = 40;

/// Path that a link leads to, or `path` if it is none; there need not be a file.
///
/// # Errors
/// If links lead in a circle.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = place.read_link() else { return Ok(place) };
        place.pop();
        place.push(target);
    }
    Err(io::Error::other("links that lead in a circle; expected the name of a file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_would_be_lost_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in"), "x").unwrap();
        fs::create_dir(at("sub")).unwrap();
        let paths = || Paths::default().input(&at("in"));
        assert!(paths().output(&at("sub/../in")).is_err());
        assert!(paths().output(&at("out")).unwrap().output(&at("sub/../out")).is_err());
        assert!(paths().output(&at("out")).unwrap().output(&at("out2")).is_ok());
        assert!(Paths::default().input_converted_in_place(&at("in")).output(&at("in")).is_ok());
        let standard = Path::new("-");
        assert!(Paths::default().input(standard).output(standard).is_ok());
        assert!(Paths::default().output(standard).unwrap().output(standard).is_err());
        assert!(Paths::default().input(standard).input(&at("in")).one_standard_input().is_ok());
        let twice = Paths::default().input(standard).input(standard);
        let error = twice.output(&at("out")).unwrap_err().to_string();
        assert!(error.starts_with("only one of the files can be standard input"), "{error}");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
            assert!(paths().output(&at("link")).is_err());
            std::os::unix::fs::symlink("out", at("sub/dangling")).unwrap();
            assert!(paths().output(&at("sub/dangling")).unwrap().output(&at("sub/out")).is_err());
            let null = Path::new("/dev/null");
            assert!(paths().output(null).unwrap().output(null).is_ok());
        }
    }
}
