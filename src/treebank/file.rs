//! A whole treebank in memory.

use super::{Column, Format, Reader, Sentence};
use crate::error::{Error, Problem, Problems, Result};
use crate::files;
use crate::tree::{Labels, Roots, Tree};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The sentences of a file.
///
/// # Examples
/// ```
/// use treebeam::treebank::generate::{GeneratorOptions, sentences};
/// use treebeam::treebank::{Format, Treebank};
/// use treebeam::tree::{Labels, Roots};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("train.conllu");
/// let options = GeneratorOptions { seed: 1, n_sentences: 10, non_projective: false };
/// let text: String = sentences(options).map(|sentence| sentence.text().to_owned() + "\n").collect();
/// std::fs::write(&path, text)?;
///
/// // The format follows from the name unless it is given.
/// let treebank = Treebank::read(&path, None)?;
/// assert_eq!((treebank.format, treebank.sentences.len()), (Format::Conllu, 10));
/// // Every head and label is checked, and all problems are reported at once.
/// let mut labels = Labels::default();
/// let trees = treebank.trees(Roots::Single, &mut labels)?;
/// assert_eq!(trees.iter().map(|tree| tree.n_words()).sum::<usize>(), treebank.n_words());
/// assert!(labels.get("nsubj").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Treebank {
    /// The file as it was named.
    pub path: PathBuf,
    /// The format that it was read as.
    pub format: Format,
    /// Its sentences in order, at least one.
    pub sentences: Vec<Sentence>,
    /// SHA-256 of the file's content, unpacked, in lower-case hexadecimal.
    pub sha256: String,
}

impl Treebank {
    /// Reads a file as [`Reader::open`] would.
    ///
    /// # Errors
    /// If the file cannot be read or is malformed.
    pub fn read(path: &Path, format: Option<Format>) -> Result<Treebank> {
        let (mut hashing, format) = Hashing::open(path, format)?;
        let sentences = hashing.reader(path, format).collect::<Result<Vec<_>>>()?;
        let sha256 = files::hex(&hashing.hasher.finalize());
        Ok(Treebank { path: path.to_owned(), format, sentences, sha256 })
    }

    /// Reads what can be trained on of a file: sentences that are well formed and whose annotation is a tree, with as many
    /// roots as its format allows, or for a tagger, of which every word has a value in the column `target`. What is wrong with the
    /// others is added to `problems`; their number.
    ///
    /// # Errors
    /// If the file cannot be read, or no sentence is left.
    pub fn read_valid(
        path: &Path,
        format: Option<Format>,
        target: Option<Column>,
        problems: &mut Problems,
    ) -> Result<(Treebank, usize)> {
        let (mut hashing, format) = Hashing::open(path, format)?;
        let mut reader = hashing.reader(path, format).allowing_empty();
        let (mut sentences, mut n_skipped) = (Vec::new(), 0);
        while let Some(step) = reader.step()? {
            n_skipped += usize::from(step.is_left_out());
            problems.append(step.problems);
            let Some(sentence) = step.sentence else { continue };
            let before = problems.len();
            let sentence = sentence.for_target(target);
            sentence.check_partial_annotation(if target.is_some() { Roots::Several } else { format.roots() }, problems);
            if problems.len() == before { sentences.push(sentence) } else { n_skipped += 1 }
        }
        drop(reader);
        if sentences.is_empty() {
            let found =
                if n_skipped == 0 { "no sentence; the file is empty" } else { "none of its sentences is valid" };
            let message = format!("{}: {found}; `treebeam treebank check` says why", path.display());
            return Err(Error::Usage(message));
        }
        let sha256 = files::hex(&hashing.hasher.finalize());
        Ok((Treebank { path: path.to_owned(), format, sentences, sha256 }, n_skipped))
    }

    /// The treebank of these sentences, with the checksum of the file that they would be written as.
    pub fn of_sentences(path: &Path, format: Format, sentences: Vec<Sentence>) -> Treebank {
        let mut hasher = Sha256::new();
        for sentence in &sentences {
            hasher.update(sentence.text());
            hasher.update("\n");
        }
        Treebank { path: path.to_owned(), format, sentences, sha256: files::hex(&hasher.finalize()) }
    }

    /// All sentences of some treebanks, one behind the other, each knowing the name that its treebank has, if it has one. The path is that of
    /// one, or all of them with ` + ` between; the checksum is that of one, or that of theirs, each on a line behind its name and a space.
    ///
    /// # Errors
    /// If there is none, some have names and others none, or they are of several formats.
    pub fn together(parts: Vec<(Option<&str>, Treebank)>) -> Result<Treebank> {
        let usage = |message: String| Err(Error::Usage(message));
        let Some((_, first)) = parts.first() else { return usage("no treebank; expected one at least".to_owned()) };
        let format = first.format;
        if let Some((_, other)) = parts.iter().find(|(_, part)| part.format != format) {
            let [one, two] = [first, other].map(|part| format!("{} is {}", part.path.display(), part.format.title()));
            return usage(format!("{one}, and {two}; expected treebanks of one format (`treebeam treebank convert`)"));
        }
        let has_names = parts[0].0.is_some();
        if let Some((_, other)) = parts.iter().find(|(name, _)| name.is_some() != has_names) {
            let (path, what) = (other.path.display(), if has_names { "no name" } else { "a name" });
            return usage(format!("{path} has {what}, unlike the first treebank; expected names for all, or for none"));
        }
        let is_one = parts.len() == 1;
        let (mut paths, mut hasher, mut sha256, mut sentences) = (Vec::new(), Sha256::new(), String::new(), Vec::new());
        for (name, part) in parts {
            hasher.update(format!("{} {}\n", name.unwrap_or_default(), part.sha256));
            paths.push(part.path.display().to_string());
            sha256 = part.sha256;
            let name: Option<Arc<str>> = name.map(Into::into);
            sentences.extend(part.sentences.into_iter().map(|sentence| sentence.of_treebank(name.clone())));
        }
        let sha256 = if is_one { sha256 } else { files::hex(&hasher.finalize()) };
        Ok(Treebank { path: paths.join(" + ").into(), format, sentences, sha256 })
    }

    /// The names of the treebanks that the sentences are of, in their order; none if they have no names.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.sentences.iter().filter_map(Sentence::treebank) {
            if names.last().is_none_or(|last| last != name) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// The treebank as a tagger of the column `target` reads it, see [`Sentence::for_target`], if there is one; else as it is.
    pub fn for_target(&self, target: Option<Column>) -> Cow<'_, Treebank> {
        if self.sentences.iter().all(|sentence| sentence.tags == target) {
            return Cow::Borrowed(self);
        }
        let sentences = self.sentences.iter().map(|sentence| sentence.clone().for_target(target)).collect();
        Cow::Owned(Treebank { path: self.path.clone(), sha256: self.sha256.clone(), format: self.format, sentences })
    }

    /// The number of words of all sentences.
    pub fn n_words(&self) -> usize {
        self.sentences.iter().map(Sentence::n_words).sum()
    }

    /// The trees of all sentences, with new labels added to `labels`.
    ///
    /// # Errors
    /// The problems of the annotation: of each kind the first [`Problems::LIMIT`], and the number of the others.
    pub fn trees(&self, roots: Roots, labels: &mut Labels) -> Result<Vec<Tree>> {
        self.check_all(|sentence, problems| sentence.check_annotation(roots, problems))?;
        Ok(self.sentences.iter().map(|sentence| sentence.tree(roots, labels)).collect::<Result<_, Problem>>()?)
    }

    /// The [partial trees](Sentence::partial_tree) of all sentences, with new labels added to `labels`.
    ///
    /// # Errors
    /// As of [`Treebank::trees`], but for what is `_`.
    pub fn partial_trees(&self, roots: Roots, labels: &mut Labels) -> Result<Vec<Tree>> {
        self.check_all(|sentence, problems| sentence.check_partial_annotation(roots, problems))?;
        Ok(self
            .sentences
            .iter()
            .map(|sentence| sentence.partial_tree(roots, labels))
            .collect::<Result<_, Problem>>()?)
    }

    /// Refuses the treebank if `check` finds problems in its sentences.
    fn check_all(&self, check: impl Fn(&Sentence, &mut Problems)) -> Result<()> {
        let mut problems = Problems::new(Problems::LIMIT);
        self.sentences.iter().for_each(|sentence| check(sentence, &mut problems));
        if problems.is_empty() { Ok(()) } else { Err(Error::Problems(problems)) }
    }

    /// The number of words that have the same value in `column` here and in another treebank of the same words.
    pub fn n_equal(&self, other: &Treebank, column: Column) -> usize {
        let of_pair = |(a, b): (&Sentence, &Sentence)| {
            a.words().filter(|&word| a.column(word, column) == b.column(word, column)).count()
        };
        self.sentences.iter().zip(&other.sentences).map(of_pair).sum()
    }
}

/// The error for the name of a treebank that a model was not trained on, but on those that are `known`.
pub(crate) fn unknown_source(option: &str, name: &str, known: &[String]) -> Error {
    Error::Usage(match known.is_empty() {
        true => {
            format!("{option}: found the treebank `{name}`, but those of training have no names (--train NAME=FILE)")
        }
        false => format!("{option}: found the treebank `{name}`; expected one of training's: {}", known.join(", ")),
    })
}

/// Hashes what passes through.
struct Hashing<R> {
    input: R,
    hasher: Sha256,
}

impl Hashing<Box<dyn Read + Send>> {
    /// Opens a file, whose name decides the format unless it is given.
    fn open(path: &Path, format: Option<Format>) -> Result<(Self, Format)> {
        let input = files::open_to_keep(path).map_err(Error::io(path))?;
        let format = format.or(Format::of_path(path)).unwrap_or(Format::Conllu);
        Ok((Hashing { input, hasher: Sha256::new() }, format))
    }

    fn reader(&mut self, path: &Path, format: Format) -> Reader<BufReader<&mut Self>> {
        Reader::new(BufReader::with_capacity(1 << 16, self), &path.display().to_string(), format)
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }
}
