//! The options of how the best tree is looked for.

use crate::range;
use treebeam::decode::{Margin, SearchKind};
use treebeam::parser::ParseOptions;

/// Options of how the best tree is looked for.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Search in a beam, or exactly, by tabulation, with features that read words by position only [default: what the model was
    /// trained with, or beam if --beam is given]
    #[arg(long, value_enum)]
    search: Option<SearchKind>,
    /// The width of the beam, 1 being greedy [default: what the model was trained with]
    #[arg(long, value_name = "B", value_parser = range::beam)]
    beam: Option<usize>,
    /// Leave out items that lag behind the best of their step by more than the winners in the model's development data did:
    /// auto, none, or the percentage of these sentences that would have kept their trees, such as 99.5; auto is 99.9 for models that were
    /// calibrated on 200 sentences or more, and none for others [default: auto for the one best tree, none for --k-best]
    #[arg(long, value_name = "Q")]
    margin: Option<Margin>,
    /// Let items of a beam that look the same to all features become one; =false to do without [default: as the model was
    /// trained]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "YES")]
    merge: Option<bool>,
}

impl SearchArgs {
    /// These, for so many trees on so many threads.
    pub fn options(&self, k_best: usize, threads: usize) -> ParseOptions {
        let &SearchArgs { search, beam, margin, merge } = self;
        ParseOptions { search, beam, margin, merge, k_best, threads }
    }
}
