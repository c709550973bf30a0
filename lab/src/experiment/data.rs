//! Treebanks as an experiment sees them: training, development and test portions, each with a checksum.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::source::TreebankSource;
use treebeam::error::{Error, Result};
pub(super) use treebeam::files::hex;
use treebeam::treebank::generate::{GeneratorOptions, sentences};
use treebeam::treebank::split::folds;
use treebeam::treebank::{Format, Sentence, Treebank};

/// Consecutive sentences of a file or of a generated treebank; in cross-validation those before and behind other folds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Portion {
    /// The file; for a generated treebank its name. Left out of records, for it is a matter of the machine.
    #[serde(skip)]
    pub path: PathBuf,
    /// The sentences, counted from 0.
    pub sentences: Range<usize>,
    /// Those that follow, behind a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Range<usize>>,
    /// SHA-256 of these sentences, as of a file with nothing else; hexadecimal.
    pub sha256: String,
}

impl Portion {
    /// Number of sentences.
    pub fn n_sentences(&self) -> usize {
        self.sentences.len() + self.rest.as_ref().map_or(0, Range::len)
    }

    /// Those of `treebank`, the whole that it is a portion of, that belong to it.
    fn slice_of(&self, treebank: Treebank) -> Slice {
        let mut all = Slice::new(treebank);
        all.retain(|number| {
            [Some(&self.sentences), self.rest.as_ref()].into_iter().flatten().any(|r| r.contains(&number))
        });
        all
    }
}

/// A treebank, cut into portions and capped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Source.
    pub source: TreebankSource,
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
    /// If a file is missing, cannot be read, is malformed, or holds too few sentences; if all folds of a treebank are meant.
    pub fn find(source: TreebankSource, folder: Option<&Path>, cap: Option<usize>) -> Result<Data> {
        let [mut train, dev, test] = match &source {
            TreebankSource::Folder(name) => {
                let folder = folder_of(name, folder)?;
                in_folder(&source, &place_of(folder, name))?
            }
            TreebankSource::Generated { .. } => generated(whole(&source, Path::new(&source.to_string()))?),
            TreebankSource::Fold { number, n, of } => fold(*number, *n, of, folder)?,
            TreebankSource::Folds { n, of } => {
                let found = format!("treebank `{source}`: {n} treebanks where one is meant");
                return Err(Error::Usage(format!("{found}; expected one of them, such as fold:1/{n}:{of}")));
            }
        };
        if let Some(cap) = cap {
            train.sentences.truncate(cap);
        }
        Ok(Data { source, train: train.portion(), dev: dev.portion(), test: test.portion() })
    }

    /// The treebank whose folds these are, all of them in order: all of it is test data; training and development data are those of the
    /// first fold.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_folds(folds: &[&Data]) -> Result<Data> {
        let first = folds[0];
        let of = match &first.source {
            TreebankSource::Fold { n, of, .. } => TreebankSource::Folds { n: *n, of: of.clone() },
            source => source.clone(),
        };
        let test = Slice::new(whole(&of, &first.test.path)?).portion();
        Ok(Data { source: of, train: first.train.clone(), dev: first.dev.clone(), test })
    }

    /// The same with only the first `cap` sentences to train on; `None` if there are no more.
    ///
    /// # Errors
    /// As [`Data::find`].
    pub fn capped(&self, cap: usize) -> Result<Option<Data>> {
        if self.train.n_sentences() <= cap {
            return Ok(None);
        }
        let mut train = self.train.slice_of(whole(&self.source, &self.train.path)?);
        train.sentences.truncate(cap);
        Ok(Some(Data { train: train.portion(), ..self.clone() }))
    }

    /// The sentences of `portion`, one of this treebank's.
    ///
    /// # Errors
    /// If they cannot be read or are not those that the checksum was taken of.
    pub fn read(&self, portion: &Portion) -> Result<Treebank> {
        let Slice { path, format, sentences, .. } = portion.slice_of(whole(&self.source, &portion.path)?);
        let treebank = Treebank::of_sentences(&path, format, sentences);
        if treebank.sha256 != portion.sha256 {
            let path = path.display();
            return Err(Error::Usage(format!("{path}: the file has changed since the experiment was started")));
        }
        Ok(treebank)
    }
}

/// All sentences of the file at `path`, or of a generated treebank.
fn whole(source: &TreebankSource, path: &Path) -> Result<Treebank> {
    match *source {
        TreebankSource::Folder(_) => Treebank::read(path, None),
        TreebankSource::Folds { ref of, .. } | TreebankSource::Fold { ref of, .. } => whole(of, path),
        TreebankSource::Generated { seed, sentences: n_sentences, nonprojective: non_projective } => {
            let sentences = sentences(GeneratorOptions { seed, n_sentences, non_projective }).collect();
            Ok(Treebank::of_sentences(path, Format::Conllu, sentences))
        }
    }
}

/// A portion in memory: sentences of `path`, and their numbers there.
struct Slice {
    path: PathBuf,
    format: Format,
    numbers: Vec<usize>,
    sentences: Vec<Sentence>,
}

impl Slice {
    fn new(Treebank { path, format, sentences, .. }: Treebank) -> Slice {
        Slice { path, format, numbers: (0..sentences.len()).collect(), sentences }
    }

    /// Keeps the sentences with numbers of which `is_kept` is true.
    fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut numbers = self.numbers.iter();
        self.sentences.retain(|_| numbers.next().is_some_and(|&number| is_kept(number)));
        self.numbers.retain(|&number| is_kept(number));
    }

    /// Cuts off what comes after the first `n` sentences.
    fn split_off(&mut self, n: usize) -> Slice {
        let (path, numbers) = (self.path.clone(), self.numbers.split_off(n));
        Slice { path, format: self.format, numbers, sentences: self.sentences.split_off(n) }
    }

    /// Cuts out the sentences with the numbers of `range`.
    fn cut_out(&mut self, range: &Range<usize>) -> Slice {
        let mut cut = Slice {
            path: self.path.clone(),
            numbers: self.numbers.clone(),
            sentences: self.sentences.clone(),
            format: self.format,
        };
        cut.retain(|number| range.contains(&number));
        self.retain(|number| !range.contains(&number));
        cut
    }

    /// The portion, whose sentences have at most one gap between them.
    fn portion(self) -> Portion {
        let numbers = &self.numbers[..self.sentences.len()];
        let start = numbers.first().copied().unwrap_or(0);
        let n_first = numbers.iter().zip(start..).take_while(|(number, expected)| *number == expected).count();
        let rest = numbers.get(n_first).map(|&from| from..from + numbers.len() - n_first);
        let Treebank { path, sha256, .. } = Treebank::of_sentences(&self.path, self.format, self.sentences);
        Portion { path, sentences: start..start + n_first, rest, sha256 }
    }
}

/// Training, development and test data of one fold: the fold itself is test data, the next one development data.
fn fold(number: usize, n: usize, of: &TreebankSource, folder: Option<&Path>) -> Result<[Slice; 3]> {
    let mut train = match of {
        TreebankSource::Folder(name) => {
            let place = place_of(folder_of(name, folder)?, name);
            let path = file_of(&place, "train")?.map_or_else(|| file_of(&place, "test"), |path| Ok(Some(path)))?;
            whole(of, &path.ok_or_else(|| missing(&place, "train"))?).map(Slice::new)?
        }
        _ => whole(of, Path::new(&of.to_string())).map(Slice::new)?,
    };
    let (folds, _) = folds(&train.sentences, n);
    if folds.iter().any(Range::is_empty) {
        let (path, found) = (train.path.display(), train.sentences.len());
        return Err(Error::Usage(format!("{path}: {found} sentences; expected at least one for each of {n} folds")));
    }
    let [test, dev] = [&folds[number - 1], &folds[number % n]].map(|range| train.cut_out(range));
    Ok([train, dev, test])
}

/// The folder that a treebank lies in; absolute paths need none.
fn folder_of<'f>(name: &str, folder: Option<&'f Path>) -> Result<&'f Path> {
    let folder = folder.or(Path::new(name).is_absolute().then_some(Path::new("/")));
    let missing = "the folder of treebanks is not known; give it with --treebanks or the variable TREEBEAM_TREEBANKS";
    folder.ok_or_else(|| Error::Usage(format!("treebank `{name}`: {missing}")))
}

fn missing(folder: &Path, name: &str) -> Error {
    let folder = folder.display();
    let expected = format!(
        "{name}.conllu, {name}.conllx or {name}.conll, or as Universal Dependencies name it, xx-ud-{name}.conllu"
    );
    Error::Usage(format!("{folder}: no {name} data; expected {expected}"))
}

fn generated(treebank: Treebank) -> [Slice; 3] {
    let mut train = Slice::new(treebank);
    let n = train.sentences.len();
    let test = train.split_off(n * 9 / 10);
    let dev = train.split_off(n * 8 / 10);
    [train, dev, test]
}

fn in_folder(source: &TreebankSource, folder: &Path) -> Result<[Slice; 3]> {
    let part = |name: &str| -> Result<Option<Slice>> {
        file_of(folder, name)?.map(|path| whole(source, &path).map(Slice::new)).transpose()
    };
    let missing = |name: &str| missing(folder, name);
    let mut train = part("train")?.ok_or_else(|| missing("train"))?;
    let test = part("test")?.ok_or_else(|| missing("test"))?;
    let dev = match part("dev")? {
        Some(dev) => dev,
        None => {
            let n = train.sentences.len();
            let dev = train.split_off(n - n.div_ceil(10));
            if train.sentences.is_empty() {
                return Err(missing("dev"));
            }
            dev
        }
    };
    Ok([train, dev, test])
}

/// The folder of the treebank `name`: the one of this name; else, in a release of Universal Dependencies, the one whose files have
/// this name, so that `en_ewt` is `UD_English-EWT` with `en_ewt-ud-train.conllu`.
fn place_of(treebanks: &Path, name: &str) -> PathBuf {
    let own = treebanks.join(name);
    if own.is_dir() {
        return own;
    }
    let has_files = |folder: &PathBuf| {
        ["conllu", "conllu.gz", "conllu.zst"]
            .iter()
            .any(|ending| folder.join(format!("{name}-ud-test.{ending}")).exists())
    };
    let entries = std::fs::read_dir(treebanks).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let released =
        entries.filter(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"UD_")));
    released.filter(has_files).min().unwrap_or(own)
}

/// The file of the portion `name`, if there is one: `train.conllu`, or `xx-ud-train.conllu` of Universal Dependencies; also
/// `.conllx` and `.conll`, and packed.
///
/// # Errors
/// If several files may be meant.
fn file_of(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    let packed = ["", ".gz", ".zst"];
    let endings = ["conllu", "conllx", "conll"].iter().flat_map(|ending| packed.map(|p| format!("{name}.{ending}{p}")));
    let endings: Vec<String> = endings.collect();
    if let Some(path) = endings.iter().map(|name| folder.join(name)).find(|path| path.exists()) {
        return Ok(Some(path));
    }
    let is_meant =
        |file: &str| endings.iter().any(|ending| file.strip_suffix(ending).is_some_and(|rest| rest.ends_with("-ud-")));
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut found: Vec<String> = entries.filter(|file| is_meant(file)).collect();
    found.sort();
    match &found[..] {
        [] => Ok(None),
        [file] => Ok(Some(folder.join(file))),
        [first, second, ..] => {
            let folder = folder.display();
            let what =
                format!("{folder}: {first} and {second} both hold {name} data; expected one of them, or {name}.conllu");
            Err(Error::Usage(what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The text of generated sentences.
    fn text(numbers: Range<usize>) -> String {
        let all = sentences(GeneratorOptions { seed: 1, n_sentences: numbers.end, non_projective: false });
        all.skip(numbers.start).map(|s| format!("{}\n", s.text())).collect()
    }

    fn write(folder: &Path, name: &str, numbers: Range<usize>) {
        std::fs::write(folder.join(name), text(numbers)).unwrap();
    }

    #[test]
    fn a_cap_above_the_size_changes_nothing_and_one_below_counts_bytes() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("xx");
        std::fs::create_dir(&folder).unwrap();
        write(&folder, "train.conllu", 0..30);
        write(&folder, "test.conllu", 30..40);
        write(&folder, "dev.conllu", 40..45);
        let find = |cap| Data::find(TreebankSource::Folder("xx".into()), Some(root.path()), cap).unwrap();
        assert_eq!(find(None), find(Some(30)));
        let capped = find(Some(3));
        assert_eq!(capped.train.sentences, 0..3);
        assert_eq!(capped.train.sha256, hex(&Sha256::digest(text(0..3))));
        assert_eq!(capped.dev.sentences, 0..5);
        assert_eq!(capped.read(&capped.train).unwrap().sentences.len(), 3);

        write(&folder, "train.conllu", 1..30);
        let message = capped.read(&capped.train).unwrap_err().to_string();
        assert!(message.contains("train.conllu: the file has changed"), "{message}");
    }

    #[test]
    fn without_development_data_the_last_tenth_of_training_data_serves() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "train.conllu", 0..31);
        write(root.path(), "test.conllu", 0..1);
        let data = Data::find(TreebankSource::Folder(".".into()), Some(root.path()), Some(5)).unwrap();
        assert_eq!((&data.train.sentences, &data.dev.sentences), (&(0..5), &(27..31)));
        assert!(data.dev.path.ends_with("train.conllu"));
        let dev = data.read(&data.dev).unwrap();
        assert_eq!(dev.sha256, hex(&Sha256::digest(text(27..31))));
    }

    /// As Universal Dependencies are released, by the folder's name or by that of its files.
    #[test]
    fn a_release_of_universal_dependencies_is_understood() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("UD_Made-Up");
        std::fs::create_dir(&folder).unwrap();
        for (name, numbers) in [("train", 0..30), ("dev", 30..40), ("test", 40..45)] {
            write(&folder, &format!("xx_up-ud-{name}.conllu"), numbers.clone());
            std::fs::write(folder.join(format!("xx_up-ud-{name}.txt")), "raw").unwrap();
        }
        let find = |name: &str| Data::find(TreebankSource::Folder(name.into()), Some(root.path()), None);
        for name in ["UD_Made-Up", "xx_up"] {
            let data = find(name).unwrap();
            assert_eq!([&data.train, &data.dev, &data.test].map(|p| p.sentences.end), [30, 10, 5], "{name}");
            assert_eq!(data.train.sha256, hex(&Sha256::digest(text(0..30))));
        }
        write(&folder, "xx_other-ud-train.conllu", 0..3);
        let error = find("UD_Made-Up").unwrap_err().to_string();
        assert!(error.contains("xx_other-ud-train.conllu and xx_up-ud-train.conllu both hold train data"), "{error}");
        assert!(find("yy_up").unwrap_err().to_string().contains("yy_up: no train data"));
    }

    /// Every sentence is tested on once, and never trained on or developed on with the same model.
    #[test]
    fn folds_are_apart_and_together_the_whole() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "train.conllu", 0..31);
        write(root.path(), "test.conllu", 31..33);
        for name in ["folds:4:.", "folds:4:generated:1,31,projective"] {
            let find = |source: TreebankSource| Data::find(source, Some(root.path()), None).unwrap();
            let folds: Vec<Data> = name.parse::<TreebankSource>().unwrap().treebanks().into_iter().map(find).collect();
            assert_eq!(folds.len(), 4);
            let (mut tested, mut developed) = (String::new(), Vec::new());
            for data in &folds {
                let [train, dev, test] = [&data.train, &data.dev, &data.test].map(|portion| {
                    let read = data.read(portion).unwrap();
                    assert_eq!(read.sentences.len(), portion.n_sentences());
                    read.sentences.iter().map(|s| format!("{}\n", s.text())).collect::<String>()
                });
                let mut all: Vec<String> = [&train, &dev, &test]
                    .into_iter()
                    .flat_map(|t| t.split_inclusive("\n\n").map(str::to_owned))
                    .collect();
                let mut whole: Vec<String> = text(0..31).split_inclusive("\n\n").map(str::to_owned).collect();
                all.sort();
                whole.sort();
                assert_eq!(all, whole);
                tested += &test;
                developed.push(dev);
                let written = serde_json::to_string(&data.train).unwrap();
                let read_back: Portion = serde_json::from_str(&written).unwrap();
                assert_eq!(Portion { path: data.train.path.clone(), ..read_back }, data.train);
                // A cap keeps the first sentences, whether they have a gap or not.
                let capped = data.capped(12).unwrap().unwrap();
                let kept = capped.read(&capped.train).unwrap();
                assert_eq!(kept.sentences.len(), 12);
                assert!(
                    train.starts_with(&kept.sentences.iter().map(|s| format!("{}\n", s.text())).collect::<String>())
                );
            }
            assert_eq!(tested, text(0..31));
            developed.rotate_right(1);
            assert_eq!(developed.concat(), tested, "the next fold");
            assert!(folds.iter().any(|data| data.train.rest.is_some()) && folds[3].train.rest.is_none());
        }
        let error = Data::find("folds:4:.".parse().unwrap(), Some(root.path()), None).unwrap_err().to_string();
        assert!(error.contains("expected one of them, such as fold:1/4:."), "{error}");
        write(root.path(), "train.conllu", 0..3);
        let error = Data::find("fold:1/4:.".parse().unwrap(), Some(root.path()), None).unwrap_err().to_string();
        assert!(error.contains("train.conllu: 3 sentences; expected at least one for each of 4 folds"), "{error}");
    }
}
