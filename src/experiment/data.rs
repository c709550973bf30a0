//! Treebanks as an experiment sees them: training, development and test portions, each with a checksum.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Where a treebank comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A folder with `train`, `test` and perhaps `dev`, each `.conllu`, `.conllx` or `.conll`.
    Folder(String),
    /// Sentences of the grammar in [`crate::treebank`], made in memory.
    Generated {
        /// The seed of the generator.
        seed: u64,
        /// How many sentences: the first eight tenths are training data, one tenth each development and test data.
        sentences: usize,
        /// Whether some arcs cross.
        nonprojective: bool,
    },
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Source> {
        let Some(rest) = text.strip_prefix("generated:") else { return Ok(Source::Folder(text.to_owned())) };
        let parsed = || {
            let [seed, sentences, kind] = rest.split(',').collect::<Vec<_>>().try_into().ok()?;
            let nonprojective = match kind {
                "projective" => false,
                "nonprojective" => true,
                _ => return None,
            };
            let (seed, sentences) = (seed.parse().ok()?, sentences.parse().ok()?);
            (sentences >= 10).then_some(Source::Generated { seed, sentences, nonprojective })
        };
        parsed().ok_or_else(|| {
            let expected = "generated:SEED,SENTENCES,projective or generated:SEED,SENTENCES,nonprojective";
            Error::Usage(format!("treebank `{text}`: expected {expected}, of 10 sentences or more"))
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Folder(name) => f.write_str(name),
            Source::Generated { seed, sentences, nonprojective } => {
                let kind = if *nonprojective { "nonprojective" } else { "projective" };
                write!(f, "generated:{seed},{sentences},{kind}")
            }
        }
    }
}

/// Consecutive sentences of a file or of a generated treebank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Portion {
    /// The file; for a generated treebank its name. Left out of records, for it is a matter of the machine.
    #[serde(skip)]
    pub path: PathBuf,
    /// The sentences, counted from 0.
    pub sentences: Range<usize>,
    /// SHA-256 of the bytes of these sentences, hexadecimal. A generated portion is identified by its name and place, for the
    /// generator itself is code and so part of the revision.
    pub sha256: String,
}

/// A treebank, cut into portions and capped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Where it comes from.
    pub source: Source,
    /// To train on.
    pub train: Portion,
    /// To choose the iteration with.
    pub dev: Portion,
    /// To report figures on.
    pub test: Portion,
}

impl Data {
    /// Finds the portions of `source`, in `folder` if it is not generated, and caps the training data at `cap` sentences.
    /// A folder without development data gives the last tenth of its training data for it, before the cap.
    ///
    /// # Errors
    /// If a file is missing, cannot be read, or holds too few sentences.
    pub fn find(source: Source, folder: Option<&Path>, cap: Option<usize>) -> Result<Data> {
        let (mut train, dev, test) = match &source {
            Source::Folder(name) => {
                let folder = folder.ok_or_else(|| {
                    Error::Usage(format!("treebank `{name}`: give the folder of treebanks with --treebanks"))
                })?;
                in_folder(&folder.join(name))?
            }
            Source::Generated { sentences, .. } => generated(&source, *sentences),
        };
        if let Some(cap) = cap.filter(|&cap| cap < train.range.len()) {
            train.range.end = train.range.start + cap;
        }
        Ok(Data { source, train: train.portion(), dev: dev.portion(), test: test.portion() })
    }
}

/// A portion before its checksum is taken.
struct Slice {
    path: PathBuf,
    range: Range<usize>,
    content: Content,
}

enum Content {
    Text { bytes: std::rc::Rc<[u8]>, blocks: std::rc::Rc<[Range<usize>]> },
    Name(String),
}

impl Slice {
    fn portion(self) -> Portion {
        let mut hasher = Sha256::new();
        match &self.content {
            Content::Text { bytes, blocks } => {
                hasher.update(&bytes[blocks[self.range.start].start..blocks[self.range.end - 1].end]);
            }
            Content::Name(name) => hasher.update(format!("{name} {:?}", self.range)),
        }
        Portion { path: self.path, sentences: self.range, sha256: hex(&hasher.finalize()) }
    }
}

fn generated(source: &Source, n: usize) -> (Slice, Slice, Slice) {
    let name = source.to_string();
    let slice = |range| Slice { path: PathBuf::from(&name), range, content: Content::Name(name.clone()) };
    let (train_end, dev_end) = (n * 8 / 10, n * 9 / 10);
    (slice(0..train_end), slice(train_end..dev_end), slice(dev_end..n))
}

fn in_folder(folder: &Path) -> Result<(Slice, Slice, Slice)> {
    let missing = |part: &str| {
        Error::Usage(format!(
            "{}: no {part} data; expected {part}.conllu, {part}.conllx or {part}.conll",
            folder.display()
        ))
    };
    let mut train = file(folder, "train")?.ok_or_else(|| missing("train"))?;
    let test = file(folder, "test")?.ok_or_else(|| missing("test"))?;
    let dev = match file(folder, "dev")? {
        Some(dev) => dev,
        None => {
            let cut = train.range.end - train.range.end.div_ceil(10);
            if cut == 0 {
                return Err(missing("dev"));
            }
            let Content::Text { bytes, blocks } = &train.content else { return Err(missing("train")) };
            let content = Content::Text { bytes: bytes.clone(), blocks: blocks.clone() };
            let dev = Slice { path: train.path.clone(), range: cut..train.range.end, content };
            train.range.end = cut;
            dev
        }
    };
    Ok((train, dev, test))
}

/// The whole of the file of one portion; `None` if there is none.
fn file(folder: &Path, part: &str) -> Result<Option<Slice>> {
    let names = ["conllu", "conllx", "conll"].map(|ending| folder.join(format!("{part}.{ending}")));
    let Some(path) = names.into_iter().find(|path| path.exists()) else { return Ok(None) };
    let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
    let blocks = blocks(&bytes);
    if blocks.is_empty() {
        return Err(Error::Usage(format!("{}: no sentence; expected at least one", path.display())));
    }
    let range = 0..blocks.len();
    Ok(Some(Slice { path, range, content: Content::Text { bytes: bytes.into(), blocks: blocks.into() } }))
}

/// The byte ranges of the blocks of lines between blank lines, each with the blank line after it.
fn blocks(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let end = at + line.len();
        if line.trim_ascii().is_empty() {
            blocks.extend(start.take().map(|start| start..end));
        } else {
            start.get_or_insert(at);
        }
        at = end;
    }
    blocks.extend(start.map(|start| start..at));
    blocks
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, sentences: Range<usize>) {
        let text: String = sentences.map(|i| format!("# {i}\n1\tw{i}\n\n")).collect();
        std::fs::write(folder.join(name), text).unwrap();
    }

    #[test]
    fn blocks_end_with_their_blank_lines() {
        assert_eq!(blocks(b"a\nb\n\nc\n\n"), [0..5, 5..8]);
        assert_eq!(blocks(b"\na\n\n\r\nb"), [1..4, 6..7]);
        assert_eq!(blocks(b"\n"), []);
    }

    #[test]
    fn a_cap_above_the_size_changes_nothing_and_one_below_counts_bytes() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("xx");
        std::fs::create_dir(&folder).unwrap();
        write(&folder, "train.conllu", 0..30);
        write(&folder, "test.conllu", 30..40);
        write(&folder, "dev.conllu", 40..45);
        let find = |cap| Data::find(Source::Folder("xx".into()), Some(root.path()), cap).unwrap();
        assert_eq!(find(None), find(Some(30)));
        let capped = find(Some(3));
        assert_eq!(capped.train.sentences, 0..3);
        let first: String = (0..3).map(|i| format!("# {i}\n1\tw{i}\n\n")).collect();
        assert_eq!(capped.train.sha256, hex(&Sha256::digest(first)));
        assert_eq!(capped.dev.sentences, 0..5);
    }

    #[test]
    fn without_development_data_the_last_tenth_of_training_data_serves() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "train.conll", 0..31);
        write(root.path(), "test.conll", 0..1);
        let data = Data::find(Source::Folder(".".into()), Some(root.path()), Some(5)).unwrap();
        assert_eq!((data.train.sentences, data.dev.sentences), (0..5, 27..31));
        assert!(data.dev.path.ends_with("train.conll"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let root = tempfile::tempdir().unwrap();
        let message = |source: Source| Data::find(source, Some(root.path()), None).unwrap_err().to_string();
        assert!(message(Source::Folder("yy".into())).contains("yy: no train data; expected train.conllu"));
        std::fs::write(root.path().join("train.conllu"), "\n").unwrap();
        assert!(message(Source::Folder(".".into())).contains("no sentence"));
    }

    #[test]
    fn generated_treebanks_have_names_that_read_back() {
        let source: Source = "generated:7,100,nonprojective".parse().unwrap();
        assert_eq!(source, Source::Generated { seed: 7, sentences: 100, nonprojective: true });
        assert_eq!(source.to_string(), "generated:7,100,nonprojective");
        let data = Data::find(source, None, None).unwrap();
        assert_eq!([data.train.sentences, data.dev.sentences, data.test.sentences], [0..80, 80..90, 90..100]);
        for bad in
            ["generated:7,100", "generated:7,100,maybe", "generated:7,9,projective", "generated:x,100,projective"]
        {
            assert!(bad.parse::<Source>().is_err(), "{bad}");
        }
    }
}
