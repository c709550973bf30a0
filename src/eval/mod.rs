//! Attachment scores, breakdowns and significance.
//!
//! A word is correct *unlabelled* if its head is the gold head, *labelled* if its label is the gold label as well. Scores
//! are micro-averages: the unlabelled and labelled attachment scores (UAS, LAS) divide by the number of words scored, in
//! all sentences together. Which words are scored is the [`Punctuation`] choice, which labels count as the same is the
//! [`Granularity`]; no score is printed without naming both.
//!
//! Files with the same text in other words or sentences are aligned, and scored as Universal Dependencies does:
//! [`aligned_scores`].
//!
//! One sentence is compared by [`count`], two sets of files by [`Report::new`].

mod align;
mod aligned;
mod breakdown;
mod classes;
mod compare;
mod confusion;
mod counts;
mod input;
mod pairs;
mod parallel;
mod punctuation;
mod reliability;
mod report;
pub mod significance;

pub use align::check_alignment;
pub use aligned::{AlignedScore, aligned_scores};
pub use breakdown::{ArcClass, BreakdownSection, Breakdowns, LengthBucket};
pub use classes::{Classes, OfClass, RightWords};
pub use compare::Compared;
pub use confusion::Confusion;
pub use counts::{Analysis, Counts, Granularity, Metric, Scores, count};
pub use input::{EvalInput, InputSentence, MultiwordToken};
pub use pairs::{Gain, Pairs, holm, sign, signs};
pub use parallel::Parallel;
pub use punctuation::{Punctuation, PunctuationRule};
pub use reliability::{Bin, Reliability};
pub use report::{EvalOptions, FORMAT, Headline, Intervals, Report, SystemReport, Test, Variant};
