//! A scorer of no sense, for tests of decoders: weights that are a hash of the feature and the action, so that every feature counts,
//! and no two actions are alike; and the plainest beam. `fuzz/` uses both as well.

use std::collections::HashSet;

use treebeam::configuration::{Point, Reads};
use treebeam::decode::{Candidate, Decoder, IDLE, Item, Parsed, Workspace, selected};
use treebeam::features::{Columns, Compiled, FeatureSet, Input, WordShape};
use treebeam::linear::{LinearMemory, LinearScorer, Row, Weights};
use treebeam::system::{ActionId, Actions, Choice, System, TransitionSystem};
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

/// Reference for [`Decoder::decode_by_beam`] and [`Decoder::largest_gap`].
pub fn reference<S: TransitionSystem>(
    decoder: &Decoder<S>,
    scorer: &LinearScorer<Hashed>,
    input: &Input,
    width: usize,
) -> (Vec<Parsed>, i64) {
    let (machine, mut workspace) = (decoder.machine, Workspace::new(N_LABELS));
    workspace.start(&Reads::ALL);
    workspace.input.clone_from(input);
    let (arena, context, _) = workspace.parts(machine.actions);
    let mut memory = LinearMemory::default();
    let mut items = vec![machine.initial(arena, input.n_words())];
    let mut tops = vec![0];
    while !items.iter().all(|item| machine.is_terminal(item)) {
        let mut candidates = Vec::new();
        for (rank, item) in (0..).zip(&items) {
            let mut score = |point| memory.score_plainly(scorer, context, &item.view(point)).0.to_vec();
            if machine.is_terminal(item) {
                let gained = machine.actions.idle().map_or(0, |idle| i64::from(score(0)[usize::from(idle)]));
                candidates.push(Candidate::new(item.score + gained, rank, IDLE));
                continue;
            }
            for point in 0..machine.system.n_points(&item.configuration) as Point {
                let (permitted, scores) = (machine.system.permitted(&item.configuration, point), score(point));
                for action in
                    (0..machine.actions.len() as ActionId).filter(|&id| machine.actions.permits(permitted, id))
                {
                    let score = item.score + i64::from(scores[usize::from(action)]);
                    candidates.push(Candidate::new(score, rank, Choice { point, action }));
                }
            }
        }
        candidates.sort_unstable();
        candidates.truncate(selected(width));
        let least = candidates[0].score().saturating_sub(decoder.margin);
        candidates.retain(|candidate| candidate.score() >= least);
        let mut distinct = HashSet::new();
        let mut next: Vec<&Item<_>> = Vec::new();
        for candidate in candidates {
            let parent = items[candidate.rank() as usize];
            let item = machine.successor(parent, candidate.choice(), candidate.score(), false, arena);
            if next.len() < width && distinct.insert(item.identity()) {
                next.push(item);
            }
        }
        items = next;
        tops.push(items[0].score);
    }
    let gaps = items[0].history().zip(tops.iter().rev()).map(|(item, top)| top - item.score);
    // Of derivations of one tree the best.
    let mut found: Vec<Parsed> = Vec::new();
    for item in &items {
        let parsed = Parsed::new(machine.tree(item, input.n_words()), item.score);
        if found.iter().all(|other| other.tree != parsed.tree) {
            found.push(parsed);
        }
    }
    (found, gaps.max().unwrap())
}
