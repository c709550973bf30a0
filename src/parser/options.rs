//! Options of parsing: the settings by which a model parses.

use crate::choice::choice;
use crate::decode::{Margin, SearchKind};
use crate::error::{Error, Result};
use crate::features::Name;
use crate::options::Range;
#[cfg(feature = "cli")]
use crate::options::number;
use serde::Deserialize;

/// The widest beam, and the most trees of one sentence.
pub const MAX_BEAM: u64 = 1 << 20;
/// The most threads that are started.
pub const MAX_THREADS: u64 = 1024;

/// The most tags of one word that a tagger writes.
pub const MAX_ALTERNATIVES: u64 = 9;

/// Words that are read before they are parsed together: enough to keep threads busy, little enough to stream.
pub const CHUNK_WORDS: usize = 1 << 14;

const BEAM: Range = Range::Whole(1, MAX_BEAM);
const CONFIDENCES: Range = Range::Whole(2, MAX_BEAM);
const ALTERNATIVES: Range = Range::Whole(1, MAX_ALTERNATIVES);
const THREADS: Range = Range::Whole(1, MAX_THREADS);

/// The options of parsing: the flags of `treebeam parse` and the keyword arguments of Python's `parse`. What is `None` is as the model was
/// trained.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ParseOptions {
    /// Beam search, or exact search by tabulation, for features that read words by position only. Default: as the model was trained, or
    /// beam if `--beam` is given
    #[cfg_attr(feature = "cli", arg(long))]
    pub search: Option<SearchKind>,
    /// Width of the beam; 1 is greedy parsing. Default: as the model was trained
    #[cfg_attr(feature = "cli", arg(long, value_name = "B", value_parser = number::<usize>(BEAM)))]
    pub beam: Option<usize>,
    /// Prune items whose score is too far below the best of their step: `auto`, `none`, or the percentage of development sentences that
    /// would have kept their trees, such as 99. `auto` is 99.5 for models that were calibrated on 200 sentences or more, and none for
    /// others. Default: `auto` for the one best tree in a beam, `none` for `--k-best` and `--confidences`
    #[cfg_attr(feature = "cli", arg(long, value_name = "Q"))]
    pub margin: Option<Margin>,
    /// Merge items of a beam that look the same to all features. Default: as the model was trained
    #[cfg_attr(
        feature = "cli",
        arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "YES")
    )]
    pub merge: Option<bool>,
    /// Threads; the output does not depend on their number
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, value_name = "T", value_parser = number::<usize>(THREADS)))]
    pub threads: usize,
    /// Write the N best trees of the final beam, best first, with their scores as comments; with `--merge` and graph-based parsers the N
    /// best of all that were found
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 1, value_name = "N", value_parser = number::<usize>(BEAM)))]
    pub k_best: usize,
    /// Keep the heads of the input, `_` being open, and predict the rest. Heads that cannot be kept together, by this parser or by any, are
    /// an error; with `--keep-heads=least-loss` as few as possible are given up
    #[cfg_attr(
        feature = "cli",
        arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "all", value_name = "WHICH")
    )]
    pub keep_heads: Option<KeepHeads>,
    /// Keep the labels of the input, `_` being open
    #[cfg_attr(feature = "cli", arg(long))]
    pub keep_labels: bool,
    /// Write the probability of each head, and of its label given the head, from the K best trees of the final beam, to MISC, as
    /// `HeadConf=0.93|LabelConf=0.98`. Models that were trained with a beam and `--dev` of 50 sentences or more are calibrated for this.
    /// With such `--dev` arc-hybrid and arc-eager with `--search exact`, eisner and biaffine-projective count all trees, whatever K
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", value_parser = number::<usize>(CONFIDENCES)))]
    pub confidences: Option<usize>,
    /// Taggers: write the N most probable tags of each word, by the final beam, to MISC, as `Tag1=NOUN|Tag2=VERB` (`,` for `|` in a tag)
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = number::<usize>(ALTERNATIVES)))]
    pub alternatives: Option<usize>,
    /// Training treebank that the input is like, for models trained on several with names. Default: the first
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", value_parser = source))]
    #[serde(deserialize_with = "of_source")]
    pub source: Option<Name>,
}

/// The name of a treebank.
#[cfg(feature = "cli")]
fn source(name: &str) -> std::result::Result<Name, String> {
    Name::new(name).ok_or_else(|| format!("expected a name of at most {} letters", Name::LONGEST))
}

fn of_source<'de, D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Name>, D::Error> {
    let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let unknown = || serde::de::Error::custom(format!("source: expected a name of at most {} letters", Name::LONGEST));
    Name::new(&name).map(Some).ok_or_else(unknown)
}

choice! {
    /// Given heads that parsed trees keep.
    pub enum KeepHeads {
        /// All; an error if they cannot be kept
        All,
        /// As many as the parser can
        LeastLoss,
    }
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions {
            search: None,
            beam: None,
            margin: None,
            merge: None,
            k_best: 1,
            threads: 1,
            keep_heads: None,
            keep_labels: false,
            confidences: None,
            alternatives: None,
            source: None,
        }
    }
}

impl ParseOptions {
    /// Refuses numbers out of their ranges.
    ///
    /// # Errors
    /// The first of them, with the range; or if confidences are to be of fewer trees than are written.
    pub fn check(&self) -> Result<()> {
        BEAM.check(&self.beam, "beam")?;
        BEAM.check(&self.k_best, "k-best")?;
        CONFIDENCES.check(&self.confidences, "confidences")?;
        ALTERNATIVES.check(&self.alternatives, "alternatives")?;
        THREADS.check(&self.threads, "threads")?;
        match self.confidences {
            Some(k) if k < self.k_best => {
                let (n, what) = (self.k_best, "the confidences would be of fewer trees than are written");
                Err(Error::Usage(format!("--confidences {k} --k-best {n}: {what}; expected --confidences {n} or more")))
            }
            _ => Ok(()),
        }
    }

    /// The number of trees to find of each sentence.
    pub fn n_trees(&self) -> usize {
        self.k_best.max(self.confidences.unwrap_or(1))
    }
}
