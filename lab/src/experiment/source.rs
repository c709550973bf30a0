//! Names of treebanks.

use std::fmt;
use std::str::FromStr;

use treebeam::error::{Error, Result};

/// The most sentences that are generated, all of them in memory.
const MAX_GENERATED: usize = 1_000_000;

/// Source of a treebank.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
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
            (10..=MAX_GENERATED).contains(&sentences).then_some(Source::Generated { seed, sentences, nonprojective })
        };
        parsed().ok_or_else(|| {
            let expected = "generated:SEED,SENTENCES,projective or generated:SEED,SENTENCES,nonprojective";
            Error::Usage(format!("treebank `{text}`: expected {expected}, of 10 to 1,000,000 sentences"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_treebanks_have_names_that_read_back() {
        let source: Source = "generated:7,100,nonprojective".parse().unwrap();
        assert_eq!(source, Source::Generated { seed: 7, sentences: 100, nonprojective: true });
        assert_eq!(source.to_string(), "generated:7,100,nonprojective");
        for bad in [
            "generated:7,100",
            "generated:7,100,maybe",
            "generated:7,9,projective",
            "generated:x,100,projective",
            "generated:1,99999999999,projective",
        ] {
            assert!(bad.parse::<Source>().is_err(), "{bad}");
        }
    }
}
