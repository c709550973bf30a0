//! One configuration as learning sees it: features and scores of every point, and the moves that may be taken.

use rand::rngs::Xoshiro256PlusPlus;

use crate::configuration::{LabelSets, Point, View};
use crate::decode::{Item, Scorer};
use crate::features::{Compiled, Input, mix};
use crate::learn::base::Base;
use crate::random;
use crate::system::{ActionId, Move, Permitted};

/// A move at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveOption {
    /// Where it is taken.
    pub point: Point,
    /// The move.
    pub mv: Move,
    /// What is permitted there.
    pub permitted: Permitted,
    /// What it costs beyond the best option, with the best label.
    pub cost: f32,
    /// The action with the gold label, if the move makes a gold arc and that label may be given: any other label costs 1
    /// more.
    pub gold: Option<ActionId>,
}

/// Features and scores of one point, by part as far as they were asked for.
#[derive(Debug, Clone, Default)]
pub struct PointScores {
    /// The features.
    pub features: Vec<u64>,
    /// By part: the activations of its hidden units, if it has any and was scored.
    pub activations: Vec<Vec<f32>>,
    /// By lane.
    pub scores: Vec<f32>,
}

/// The points of one configuration.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    points: Vec<PointScores>,
    /// The features to leave out.
    pub dropped: Dropped,
}

/// A choice of features to leave out: those whose hash with the salt lies below the threshold.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dropped {
    salt: u64,
    threshold: u64,
}

impl Dropped {
    #[inline]
    fn has(self, feature: u64) -> bool {
        mix((feature ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15)) < self.threshold
    }
}

/// Draws features to leave out, anew for each configuration.
#[derive(Debug)]
pub struct Dropout {
    probability: f64,
    stream: Xoshiro256PlusPlus,
}

impl Dropout {
    /// Leaves each feature out with this probability.
    pub fn new(probability: f64, stream: Xoshiro256PlusPlus) -> Dropout {
        Dropout { probability, stream }
    }

    /// The features to leave out of the next configuration.
    pub fn draw(&mut self) -> Dropped {
        let salt = random::below(u64::MAX, &mut self.stream);
        Dropped { salt, threshold: (self.probability * u64::MAX as f64) as u64 }
    }
}

/// What a frame is filled from.
#[derive(Debug)]
pub struct Source<'s> {
    /// The compiled features.
    pub features: &'s Compiled,
    /// The sentence.
    pub input: &'s Input,
    /// The label sets of its configurations.
    pub label_sets: &'s LabelSets,
    /// Scratch memory.
    pub scorer: &'s mut Scorer,
}

impl PointScores {
    fn score(&mut self, base: &Base, part: usize) {
        if self.activations.len() <= part {
            self.activations.resize(part + 1, Vec::new());
        }
        base.score(part, &self.features, &mut self.activations[part], &mut self.scores);
    }
}

impl Frame {
    /// Extracts the features of an item at `n_points` points and scores the first part.
    pub fn fill<'a, C: View<'a>>(&mut self, source: &mut Source, base: &Base, item: &Item<'a, C>, n_points: usize) {
        self.points.resize_with(n_points.max(self.points.len()), PointScores::default);
        for (point, scored) in self.points[..n_points].iter_mut().enumerate() {
            let cells = item.cells(point as Point);
            let features = source.scorer.features(source.features, source.input, source.label_sets, &cells);
            scored.features.clear();
            let dropped = self.dropped;
            scored.features.extend(features.iter().filter(|&&feature| !dropped.has(feature)));
            scored.scores.resize(base.width(), 0.0);
            scored.score(base, 0);
        }
    }

    /// Scores another part at `point`.
    pub fn score(&mut self, base: &Base, part: usize, point: Point) {
        self.points[point as usize].score(base, part);
    }

    /// What is known of `point`.
    pub fn point(&self, point: Point) -> &PointScores {
        &self.points[point as usize]
    }

    /// The score of a lane at a point.
    pub fn get(&self, point: Point, lane: u32) -> f32 {
        self.points[point as usize].scores[lane as usize]
    }
}
