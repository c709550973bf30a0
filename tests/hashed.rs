//! A scorer of no sense, for tests of decoders: weights that are a hash of the feature and the action, so that every feature counts,
//! and no two actions are alike. `fuzz/` uses it as well.

use treebeam::features::{Columns, Compiled, FeatureSet, WordShape};
use treebeam::linear::{Row, Weights};
use treebeam::system::{Actions, System};
use treebeam::tree::ROOT;
use treebeam::treebank::Column;

/// A weight from -16 to 15 for each feature and action.
pub struct Hashed {
    pub seed: u64,
}

impl Weights for Hashed {
    fn find(&self, features: &[u64], rows: &mut [Row]) {
        rows.iter_mut().zip(features).for_each(|(row, &feature)| *row = Row(feature));
    }

    fn add(&self, rows: &[Row], scores: &mut [i32]) {
        for &Row(feature) in rows {
            for (action, score) in scores.iter_mut().enumerate() {
                let mixed = (feature ^ self.seed.rotate_left(32) ^ action as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                *score += (mixed >> 59) as i32 - 16;
            }
        }
    }
}

pub fn compile(system: &dyn System, set: &str) -> Compiled {
    let set = FeatureSet::load(set).unwrap();
    let columns = Columns::of(&set, Column::Form, WordShape::AsWritten, Column::Upos);
    Compiled::new(&set, columns, system.info().buffer_is_suffix)
}

pub const N_LABELS: usize = 3;

/// Label 0 for root arcs, 1 and 2 for others.
pub fn actions(system: &dyn System) -> Actions {
    let arc_moves = || system.info().moves.iter().copied().filter(|mv| mv.makes_arc());
    let of_words = arc_moves().flat_map(|mv| [(mv, 1, false), (mv, 2, false)]);
    let from_root = arc_moves().filter(|&mv| system.arc_moves(ROOT, 1).has(mv)).map(|mv| (mv, 0, true));
    Actions::new(system.info().moves, N_LABELS, of_words.chain(from_root)).unwrap()
}
