//! Graph-based parsers: the yardstick for transition systems.
//!
//! The score of a tree is the sum of the scores of its parts, each an arc with some of its neighbours, and the best tree of all is
//! found exactly. So these parsers search perfectly with features that see little, where transition systems search greedily or in a
//! beam with features that see the tree so far (McDonald & Nivre 2007 compare the two). Treebanks, trees, columns that features
//! read, live, averaged and frozen weights, training loop and evaluation are those of the transition systems.
//!
//! | parser | trees | a part is an arc | algorithm | time for n words | space |
//! |---|---|---|---|---|---|
//! | `eisner` | projective | alone | Eisner (1996) | scoring n² arcs, then n³ additions | n² |
//! | `eisner-2` | projective | with the next sibling | McDonald & Pereira (2006) | scoring n³ parts, then n³ additions | n² |
//! | `eisner-3` | projective | with the next sibling and the grandparent | Koo & Collins (2010), model 1 | scoring n³ parts, then n⁴ additions | n³ |
//! | `mst` | all | alone | Chu-Liu-Edmonds, as Tarjan (1977) has it | scoring n² arcs, then n² | n² |
//! | `biaffine` | all | alone | the same, over scores of a [network](Biaffine) (Dozat & Manning 2017) | scoring n² arcs, then n² | n² |
//! | `biaffine-projective` | projective | alone | Eisner's, over these | scoring n² arcs, then n³ additions | n² |
//!
//! The k best labelled trees are found lazily on the charts (Huang & Chiang 2005), and for `mst` by dividing all other trees (Camerini,
//! Fratta & Maffioli 1980).
//!
//! Sentences beyond [`Order::exact_words`], 500 words in second order and 200 in third, would take too much time or memory: their words
//! keep only some heads, the best by the score of the arc alone and that of the best first-order tree, and the best tree over
//! these is found. Memory so stays below that of a chart over 200 words, a fifth of a gigabyte for each thread.

mod arc_scores;
mod biaffine;
mod chart;
mod chu_liu_edmonds;
mod data;
mod decoders;
mod eisner;
mod features;
mod forest;
mod learn;
mod matrix_tree;
mod model;
mod parser;
mod part_features;
mod part_scorer;
mod parts;
mod scorer;
mod spanning;
#[cfg(test)]
mod tests;
mod votes;

pub use crate::learn::Learner;
pub use crate::options::{GraphKind, GraphOptions};
pub use arc_scores::ArcScores;
pub use biaffine::{Biaffine, BiaffineNetwork};
pub use chart::{Chart, Filled, Heads, PartScores, Span, Wanted};
pub use chu_liu_edmonds::ChuLiuEdmonds;
pub use data::GraphData;
pub use eisner::Eisner;
pub use features::ArcFeatures;
pub use forest::{Edge, Forest, k_best};
pub use learn::start;
pub use model::{GraphHeader, GraphModel, GraphScorer};
pub use parser::{GraphParser, check_length};
pub use part_features::PartFeatures;
pub use part_scorer::{PartScorer, PartScoring};
pub use parts::{Order, Part};
pub use scorer::{ArcLabels, ArcScorer, ArcSide};
pub use spanning::k_best_spanning;
pub use votes::{VoteDecoder, Votes};

impl GraphKind {
    /// Order of the model: the neighbours that the score of an arc sees.
    pub fn order(self) -> Order {
        match self {
            GraphKind::Eisner2 => Order::Second,
            GraphKind::Eisner3 => Order::Third,
            _ => Order::First,
        }
    }

    /// True if exact marginals are computed: of models whose parts are arcs alone.
    pub fn has_marginals(self) -> bool {
        self.order() == Order::First
    }

    /// The number of templates of features.
    pub fn n_templates(self) -> usize {
        if self.is_biaffine() {
            return 0;
        }
        let beyond = match self.order() {
            Order::First => 0,
            Order::Second => part_features::N_SIBLING_TEMPLATES,
            Order::Third => part_features::N_SIBLING_TEMPLATES + part_features::N_GRANDPARENT_TEMPLATES,
        };
        features::N_TEMPLATES + beyond
    }
}
