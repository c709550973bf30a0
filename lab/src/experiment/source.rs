//! Names of treebanks.

use std::fmt;
use std::str::FromStr;

use treebeam::error::{Error, Result};

/// The most sentences that are generated, all of them in memory.
const MAX_GENERATED: usize = 1_000_000;

/// Source of a treebank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreebankSource {
    /// A folder with `train`, `test` and perhaps `dev`, each `.conllu`, `.conllx` or `.conll`; or one of Universal Dependencies, with
    /// `xx-ud-train.conllu` and so on, by its own name or by that of its files.
    Folder(String),
    /// Sentences of the grammar in [`treebeam::treebank`], made in memory.
    Generated {
        /// The seed of the generator.
        seed: u64,
        /// Number of sentences: the first eight tenths are training data, one tenth each development and test data.
        sentences: usize,
        /// True if some arcs cross.
        nonprojective: bool,
    },
    /// All folds of a treebank, for cross-validation: as many treebanks in specifications, one in tables.
    Folds {
        /// Number of folds.
        n: usize,
        /// The treebank whose training data are divided, or whose test data if it has no others.
        of: Box<TreebankSource>,
    },
    /// One fold of a treebank as test data, with the next one as development data and the others to train on.
    Fold {
        /// Number of the fold, from 1.
        number: usize,
        /// Number of folds.
        n: usize,
        /// The treebank.
        of: Box<TreebankSource>,
    },
}

/// Numbers of folds: one each to test and to develop on, one at least to train on.
const FOLDS: std::ops::RangeInclusive<usize> = 3..=100;

impl TreebankSource {
    /// The treebanks that this name stands for: folds one by one, anything else by itself.
    pub fn treebanks(self) -> Vec<TreebankSource> {
        match self {
            TreebankSource::Folds { n, of } => {
                (1..=n).map(|number| TreebankSource::Fold { number, n, of: of.clone() }).collect()
            }
            source => vec![source],
        }
    }
}

/// The treebank in `text`, the name of folds without the first word.
fn of_folds(text: &str) -> Option<TreebankSource> {
    let (numbers, of) = text.split_once(':')?;
    let of = Box::new(
        of.parse().ok().filter(|of| !matches!(of, TreebankSource::Folds { .. } | TreebankSource::Fold { .. }))?,
    );
    let (number, n) = match numbers.split_once('/') {
        Some((number, n)) => (Some(number.parse().ok()?), n.parse().ok()?),
        None => (None, numbers.parse().ok()?),
    };
    let is_fold = FOLDS.contains(&n) && number.is_none_or(|number| (1..=n).contains(&number));
    is_fold.then_some(match number {
        Some(number) => TreebankSource::Fold { number, n, of },
        None => TreebankSource::Folds { n, of },
    })
}

impl FromStr for TreebankSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<TreebankSource> {
        if let Some(rest) = text.strip_prefix("folds:").or(text.strip_prefix("fold:")) {
            let is_one = text.starts_with("fold:");
            let source = of_folds(rest).filter(|source| matches!(source, TreebankSource::Fold { .. }) == is_one);
            return source.ok_or_else(|| {
                let expected = "folds:N:NAME for all or fold:K/N:NAME for one, with N from 3 to 100";
                Error::Usage(format!("treebank `{text}`: expected {expected}"))
            });
        }
        let Some(rest) = text.strip_prefix("generated:") else { return Ok(TreebankSource::Folder(text.to_owned())) };
        let parsed = || {
            let [seed, sentences, kind] = rest.split(',').collect::<Vec<_>>().try_into().ok()?;
            let nonprojective = match kind {
                "projective" => false,
                "nonprojective" => true,
                _ => return None,
            };
            let (seed, sentences) = (seed.parse().ok()?, sentences.parse().ok()?);
            (10..=MAX_GENERATED).contains(&sentences).then_some(TreebankSource::Generated {
                seed,
                sentences,
                nonprojective,
            })
        };
        parsed().ok_or_else(|| {
            let expected = "generated:SEED,SENTENCES,projective or generated:SEED,SENTENCES,nonprojective";
            Error::Usage(format!("treebank `{text}`: expected {expected}, of 10 to 1,000,000 sentences"))
        })
    }
}

impl fmt::Display for TreebankSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreebankSource::Folder(name) => f.write_str(name),
            TreebankSource::Folds { n, of } => write!(f, "folds:{n}:{of}"),
            TreebankSource::Fold { number, n, of } => write!(f, "fold:{number}/{n}:{of}"),
            TreebankSource::Generated { seed, sentences, nonprojective } => {
                let kind = if *nonprojective { "nonprojective" } else { "projective" };
                write!(f, "generated:{seed},{sentences},{kind}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_refused() {
        let folds: TreebankSource = "folds:3:generated:7,100,nonprojective".parse().unwrap();
        let of = TreebankSource::Generated { seed: 7, sentences: 100, nonprojective: true };
        assert_eq!(folds, TreebankSource::Folds { n: 3, of: Box::new(of) });
        let names: Vec<String> = folds.clone().treebanks().iter().map(TreebankSource::to_string).collect();
        assert_eq!(names[2], "fold:3/3:generated:7,100,nonprojective");
        assert!(names.iter().all(|name| name.parse::<TreebankSource>().unwrap().to_string() == *name));
        for bad in ["2:x", "101:x", "x", "3/5:x", "3:folds:3:x", "3:generated:1"].map(|rest| format!("folds:{rest}")) {
            assert!(bad.parse::<TreebankSource>().unwrap_err().to_string().contains("folds:N:NAME"), "{bad}");
        }
        for bad in ["5:x", "0/5:x", "6/5:x"].map(|rest| format!("fold:{rest}")) {
            assert!(bad.parse::<TreebankSource>().unwrap_err().to_string().contains("fold:K/N:NAME"), "{bad}");
        }
        for bad in ["7,100", "7,100,maybe", "7,9,projective", "x,100,projective", "1,99999999999,projective"] {
            assert!(format!("generated:{bad}").parse::<TreebankSource>().is_err(), "{bad}");
        }
    }
}
