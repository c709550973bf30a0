//! Graph-based parsers: the yardstick for transition systems.
//!
//! The score of a tree is the sum of the scores of its arcs (first order), and the best tree of all is found exactly. So
//! these parsers search perfectly with features that see one arc, where transition systems search greedily or in a beam
//! with features that see the tree so far (McDonald & Nivre 2007 compare the two). Treebanks, trees, columns that features
//! read, live, averaged and frozen weights, training loop and evaluation are those of the transition systems.
//!
//! | parser | trees | algorithm | time for n words |
//! |---|---|---|---|
//! | `eisner` | projective | Eisner (1996) | scoring n² arcs, then n³ additions |
//! | `mst` | all | Chu-Liu-Edmonds, as Tarjan (1977) has it | scoring n² arcs, then n² |

mod arc_scores;
mod chu_liu_edmonds;
mod data;
mod eisner;
mod features;
mod learn;
mod model;
mod options;
mod parser;
mod scorer;
#[cfg(test)]
mod tests;

pub use arc_scores::ArcScores;
pub use chu_liu_edmonds::ChuLiuEdmonds;
pub use data::GraphData;
pub use eisner::Eisner;
pub use features::{ArcFeatures, N_TEMPLATES};
pub use learn::GraphTrainer;
pub use model::{GraphHeader, GraphModel};
pub use options::{GraphOptions, Learner};
pub use parser::{GraphParser, check_length};
pub use scorer::{ArcLabels, ArcScorer, Side};

use crate::choice::choice;
use crate::tree::{Node, Roots};

choice! {
    /// The graph-based parsers by name.
    pub enum GraphKind {
        /// Graph-based: the best projective tree (Eisner 1996).
        Eisner,
        /// Graph-based: the best tree, projective or not (Chu & Liu 1965; Edmonds 1967; McDonald et al. 2005).
        Mst,
    }
}

impl GraphKind {
    /// Every graph-based parser.
    pub const ALL: [GraphKind; 2] = [GraphKind::Eisner, GraphKind::Mst];

    /// The name as flags and model files spell it.
    pub fn name(self) -> &'static str {
        match self {
            GraphKind::Eisner => "eisner",
            GraphKind::Mst => "mst",
        }
    }
}

impl std::fmt::Display for GraphKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Both decoders' scratch memory.
#[derive(Debug, Clone, Default)]
pub struct GraphDecoder {
    eisner: Eisner,
    chu_liu_edmonds: ChuLiuEdmonds,
}

impl GraphDecoder {
    /// Writes the heads of the best tree that `kind` can make into `heads`, entry 0 being that of word 1.
    pub fn decode(&mut self, kind: GraphKind, scores: &ArcScores, roots: Roots, heads: &mut Vec<Node>) {
        match kind {
            GraphKind::Eisner => self.eisner.decode(scores, roots, heads),
            GraphKind::Mst => self.chu_liu_edmonds.decode(scores, roots, heads),
        }
    }
}
