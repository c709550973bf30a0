//! One configuration as learning sees it: the scores of every point, and the moves that may be taken.

use std::ops::Range;

use rand::rngs::Xoshiro256PlusPlus;

use crate::configuration::{Point, SharedConfiguration};
use crate::decode::Item;
use crate::model::{DroppedFeatures, Seen, Trainable, best_permitted};
use crate::random;
use crate::scorer::{Context, Opaque, Query};
use crate::system::{ActionId, Choice, Move, Permitted};

/// A move at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveOption {
    /// Point at which it is taken.
    pub point: Point,
    /// The move.
    pub mv: Move,
    /// Permitted actions there.
    pub permitted: Permitted,
    /// Cost beyond that of the best option, with the best label.
    pub cost: f32,
    /// The action with the gold label, if the move makes a gold arc and that label may be given: any other label costs more.
    pub gold: Option<ActionId>,
    /// Cost of a wrong label of a gold arc: the weight of the arc.
    pub label_cost: f32,
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
    pub fn draw(&mut self) -> DroppedFeatures {
        DroppedFeatures::new(random::below(u64::MAX, &mut self.stream), self.probability)
    }
}

/// The points of one configuration, with the features of each.
#[derive(Debug, Default)]
pub struct ScoreMatrix {
    points: Vec<Seen>,
    /// Points to be used again.
    spare: Vec<Seen>,
}

impl ScoreMatrix {
    /// Looks at a configuration of `n_points` points, of which those that are not `stale` are known from the one before: if
    /// that had more, those from `stale` on give way and those behind them move up.
    pub fn fill<'a, C: SharedConfiguration<'a>>(
        &mut self,
        (model, memory): (&dyn Trainable, &mut Opaque),
        context: Context,
        item: &Item<'a, C>,
        n_points: usize,
        stale: Range<Point>,
        dropped: DroppedFeatures,
    ) {
        let n_gone = self.points.len().saturating_sub(n_points);
        let gone = usize::from(stale.start).min(self.points.len() - n_gone);
        self.spare.extend(self.points.drain(gone..gone + n_gone));
        while self.points.len() < n_points {
            self.points.push(self.spare.pop().unwrap_or_default());
        }
        for point in stale {
            let query = Query { view: item.view(point), permitted: Permitted::default() };
            model.see(memory, context, &query, dropped, &mut self.points[usize::from(point)]);
        }
    }

    /// Scores another stage at `point`.
    pub fn see_stage(&mut self, model: &dyn Trainable, stage: usize, point: Point) {
        model.see_stage(stage, &mut self.points[usize::from(point)]);
    }

    /// Scores and record of the configuration at `point`.
    pub fn point(&self, point: Point) -> &Seen {
        &self.points[usize::from(point)]
    }

    /// The score of an output at a point.
    pub fn get(&self, point: Point, output: u32) -> f32 {
        self.points[usize::from(point)].scores[output as usize] as f32
    }

    /// The one of `choices` with the highest score, the first of them on ties.
    ///
    /// # Panics
    /// If there is none.
    pub fn best_of(&self, choices: &[Choice]) -> Choice {
        let score = |choice: Choice| self.points[usize::from(choice.point)].scores[usize::from(choice.action)];
        let better = |best, choice| if score(choice) > score(best) { choice } else { best };
        choices.iter().copied().reduce(better).expect("some choice is correct")
    }

    /// The permitted choice of the highest score, the first of them on ties.
    pub fn best_permitted<'m>(&self, mask: impl Fn(Point) -> &'m [i32]) -> Choice {
        let mut best: Option<(f64, Choice)> = None;
        for (point, seen) in (0..).zip(&self.points) {
            if let Some((score, action)) = best_permitted(&seen.scores, mask(point))
                && best.is_none_or(|(highest, _)| score > highest)
            {
                best = Some((score, Choice { point, action }));
            }
        }
        best.expect("a configuration that is not terminal permits something").1
    }
}
