//! Treebanks of several files, with names.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::Job;
use crate::error::Result;
use crate::features::Name;
use crate::training::Observer;
use crate::treebank::Treebank;

/// A treebank's file, and the name of the treebank, if it has one: `FILE` or `NAME=FILE`.
///
/// # Examples
/// ```
/// use treebeam::job::NamedFile;
///
/// let file: NamedFile = "ewt=en_ewt-train.conllu".parse().unwrap();
/// assert_eq!((file.name(), file.path.to_str()), (Some("ewt"), Some("en_ewt-train.conllu")));
/// let file: NamedFile = "data/a=b.conllu".parse().unwrap();
/// assert_eq!((file.name(), file.path.to_str()), (None, Some("data/a=b.conllu")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    name: Option<Name>,
    /// The file.
    pub path: PathBuf,
}

impl NamedFile {
    /// The name of the treebank.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(Name::as_str)
    }
}

impl From<&Path> for NamedFile {
    fn from(path: &Path) -> NamedFile {
        NamedFile { name: None, path: path.to_owned() }
    }
}

impl FromStr for NamedFile {
    type Err = Infallible;

    /// Reads `NAME=FILE` or `FILE`. The text up to the first `=` is the name. The whole text is a file's path instead if such a file exists,
    /// or if the name would hold a slash or be longer than [`Name::LONGEST`].
    fn from_str(text: &str) -> Result<NamedFile, Infallible> {
        let named = text.split_once('=').filter(|(name, _)| !name.contains('/') && !Path::new(text).exists());
        let named = named.and_then(|(name, path)| Some((Name::new(name)?, path)));
        Ok(match named {
            Some((name, path)) => NamedFile { name: Some(name), path: path.into() },
            None => Path::new(text).into(),
        })
    }
}

impl Job {
    /// Reads several treebanks, each as [`Job::read`], into [one](Treebank::together).
    ///
    /// # Errors
    /// As there.
    pub fn read_all(&self, files: &[NamedFile], observer: &mut dyn Observer) -> Result<Treebank> {
        let read = |file: &'_ NamedFile| Ok((file.name, self.read(&file.path, observer)?));
        let parts = files.iter().map(read).collect::<Result<Vec<(Option<Name>, Treebank)>>>()?;
        let names: Vec<Option<Name>> = parts.iter().map(|(name, _)| *name).collect();
        let parts = names.iter().zip(parts).map(|(name, (_, part))| (name.as_ref().map(Name::as_str), part));
        Treebank::together(parts.collect())
    }
}
