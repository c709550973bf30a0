//! A linear support vector machine over all decisions at once: the baseline of the papers, as MaltParser trains it.
//!
//! The loss of a decision with features x, options o and a right one r is the multi-class hinge of Crammer & Singer (2001),
//! ξ = max (\[o ≠ r\] + w·Φ(o)) − w·Φ(r), where Φ(o) are the features at the option's point for the output of its action. What is
//! minimised is ½‖w‖² + C Σ ξ. Its dual has a number α ≥ 0 for every option of every decision, those of one decision having the
//! sum C, and is ascended one decision after the other, in random order: each time as much is moved from the option that is
//! wanted least, of those with α > 0, to the one that is wanted most as makes the dual largest (sequential dual coordinate
//! descent: Keerthi, Sundararajan, Chang, Hsieh & Lin 2008, which is liblinear's solver 4; the pairs are those of LaRank, Bordes,
//! Bottou, Gallinari & Weston 2007). MaltParser calls that solver with C = 0.1.
//!
//! Complexity of a pass: O(d (f o)) for d decisions with f features each and o options.

use std::sync::Arc;

use super::table::OUTSIDE;
use super::{Averages as _, FrozenWeights, Linear, OutputLayer, Outputs, RealWeights};
use crate::error::Result;
use crate::features::Compiled;
use crate::files::{Section, Sections};
use crate::model::Averaged;
use crate::scorer::Stages;
use crate::system::{ActionId, Actions, Choice, FORBIDDEN, Permitted};

/// Examples, each with the features that are seen at its points and the right choice.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    features: Vec<u64>,
    /// End of each point's features, and the moves permitted there.
    points: Vec<(usize, Permitted)>,
    /// End of each decision's points, and the correct choice.
    decisions: Vec<(usize, Choice)>,
}

impl Examples {
    /// Adds a point of the next decision.
    pub fn push_point(&mut self, features: &[u64], permitted: Permitted) {
        self.features.extend_from_slice(features);
        self.points.push((self.features.len(), permitted));
    }

    /// Ends a decision, of which this is the right choice.
    pub fn push(&mut self, right: Choice) {
        self.decisions.push((self.points.len(), right));
    }

    /// Adds all decisions of `other`.
    pub fn append(&mut self, other: &Examples) {
        let (n_features, n_points) = (self.features.len(), self.points.len());
        self.features.extend_from_slice(&other.features);
        self.points.extend(other.points.iter().map(|&(end, permitted)| (n_features + end, permitted)));
        self.decisions.extend(other.decisions.iter().map(|&(end, right)| (n_points + end, right)));
    }

    /// The number of decisions.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// The points of a decision: of each its features and the permitted moves.
    fn points(&self, number: usize) -> impl Iterator<Item = (&[u64], Permitted)> {
        let end_of = |places: Option<usize>| places.unwrap_or(0);
        let first = end_of(number.checked_sub(1).map(|before| self.decisions[before].0));
        (first..self.decisions[number].0).map(move |point| {
            let start = end_of(point.checked_sub(1).map(|before| self.points[before].0));
            let (end, permitted) = self.points[point];
            (&self.features[start..end], permitted)
        })
    }
}

/// A support vector machine while it is trained.
#[derive(Debug, Clone)]
pub struct SupportVectors {
    features: Arc<Compiled>,
    stages: Stages,
    decisions: Arc<Examples>,
    weights: RealWeights,
    /// By decision: the α of its wrong options, where they are above 0. The right one has the rest of C.
    alphas: Vec<Vec<(Choice, f32)>>,
    c: f32,
}

/// Tolerance of convergence: an option that has some α may score this much less than the best.
const TOLERANCE: f32 = 1e-3;
/// The most pairs of options that are levelled in one visit to a decision.
const MAX_PAIRS: usize = 20;

/// Working memory of a visit to a decision.
#[derive(Debug, Default)]
struct Visit {
    /// By point and output.
    scores: Vec<Vec<f32>>,
    outputs: Outputs,
}

impl SupportVectors {
    /// A machine that knows nothing yet; `c` is what the losses of decisions count.
    pub fn new(features: Arc<Compiled>, stages: Stages, decisions: Arc<Examples>, c: f32) -> SupportVectors {
        let weights = RealWeights::new(false, 0, 1);
        let alphas = vec![Vec::new(); decisions.len()];
        SupportVectors { features, stages, decisions, weights, alphas, c }
    }

    /// The number of decisions.
    pub fn n_decisions(&self) -> usize {
        self.decisions.len()
    }

    /// Visits these decisions in this order; how many of them were decided wrongly when they were visited.
    pub fn pass(&mut self, order: &[usize], actions: &Actions) -> u64 {
        let decisions = Arc::clone(&self.decisions);
        let mut visit = Visit::default();
        let mut n_wrong = 0;
        for &number in order {
            n_wrong += u64::from(self.visit(&decisions, number, actions, &mut visit));
        }
        n_wrong
    }

    /// Scores all options of a decision.
    fn see(&self, decisions: &Examples, number: usize, visit: &mut Visit) {
        let mut n_points = 0;
        for (point, (features, _)) in decisions.points(number).enumerate() {
            if visit.scores.len() == point {
                visit.scores.push(Vec::new());
            }
            let scores = &mut visit.scores[point];
            scores.clear();
            scores.resize(self.stages.width(), 0.0);
            self.weights.add_unrounded(features, scores);
            n_points += 1;
        }
        visit.scores.truncate(n_points);
    }

    /// The permitted option that is wanted most if a wrong one has so much added to its score, and how much it is wanted.
    fn most_wanted(
        decisions: &Examples,
        number: usize,
        actions: &Actions,
        visit: &Visit,
        margin: f32,
    ) -> (Choice, f32) {
        let right = decisions.decisions[number].1;
        let mut best = (right, f32::NEG_INFINITY);
        for ((point, (_, permitted)), scores) in (0..).zip(decisions.points(number)).zip(&visit.scores) {
            for (action, (&score, &mask)) in scores.iter().zip(actions.mask(permitted)).enumerate() {
                let choice = Choice { point, action: action as ActionId };
                let wanted = score + if choice == right { 0.0 } else { margin };
                if mask != FORBIDDEN && wanted > best.1 {
                    best = (choice, wanted);
                }
            }
        }
        best
    }

    /// Levels one decision; whether it would have been decided wrongly.
    fn visit(&mut self, decisions: &Examples, number: usize, actions: &Actions, visit: &mut Visit) -> bool {
        let right = decisions.decisions[number].1;
        self.see(decisions, number, visit);
        let wrong = SupportVectors::most_wanted(decisions, number, actions, visit, 0.0).0 != right;
        for _ in 0..MAX_PAIRS {
            let (most, wanted) = SupportVectors::most_wanted(decisions, number, actions, visit, 1.0);
            let of_right = self.c - self.alphas[number].iter().map(|(_, alpha)| alpha).sum::<f32>();
            let score = |choice: Choice| visit.scores[usize::from(choice.point)][usize::from(choice.action)];
            let supports = self.alphas[number].iter().map(|&(choice, alpha)| (choice, alpha, score(choice) + 1.0));
            let supports = supports.chain((of_right > 0.0).then_some((right, of_right, score(right))));
            let Some((least, alpha, least_wanted)) = supports.min_by(|a, b| a.2.total_cmp(&b.2)) else { break };
            if wanted - least_wanted <= TOLERANCE {
                break;
            }
            let distance = squared_distance(decisions, number, most, least);
            let step = if distance > 0.0 { ((wanted - least_wanted) / distance).min(alpha) } else { alpha };
            self.add_alpha(number, right, most, step);
            self.add_alpha(number, right, least, if step == alpha { f32::NEG_INFINITY } else { -step });
            // w = Σ α (Φ(right) − Φ(option)): α that moves from one option to another moves weight the other way.
            let points: Vec<&[u64]> = decisions.points(number).map(|(features, _)| features).collect();
            for (choice, change) in [(most, -step), (least, step)] {
                visit.outputs.set([u32::from(choice.action)]);
                self.weights.update(points[usize::from(choice.point)], &mut visit.outputs, |_, _, _| change);
                if let [scores] = &mut visit.scores[..] {
                    scores[usize::from(choice.action)] += change * points[0].len() as f32;
                }
            }
            if points.len() > 1 {
                self.see(decisions, number, visit);
            }
        }
        wrong
    }

    /// Changes the α of an option; an α that falls to 0 or below is forgotten. That of the right option is the rest of C.
    fn add_alpha(&mut self, number: usize, right: Choice, option: Choice, change: f32) {
        if option == right {
            return;
        }
        let alphas = &mut self.alphas[number];
        match alphas.iter_mut().find(|(other, _)| *other == option) {
            Some((_, alpha)) => *alpha += change,
            None => alphas.push((option, change)),
        }
        alphas.retain(|&(_, alpha)| alpha > 0.0);
    }

    /// Primal and dual objective: the value that is minimised, and its lower bound.
    pub fn primal_and_dual(&self, actions: &Actions) -> (f64, f64) {
        let decisions = &*self.decisions;
        let mut norm = 0.0;
        self.weights.for_each_row(|_, row| norm += row.iter().map(|(_, weight)| weight * weight).sum::<f64>());
        let mut visit = Visit::default();
        let mut losses = 0.0;
        for (number, &(_, right)) in decisions.decisions.iter().enumerate() {
            self.see(decisions, number, &mut visit);
            let wanted = SupportVectors::most_wanted(decisions, number, actions, &visit, 1.0).1;
            losses += f64::from(wanted - visit.scores[usize::from(right.point)][usize::from(right.action)]);
        }
        let alphas: f64 = self.alphas.iter().flatten().map(|(_, alpha)| f64::from(*alpha)).sum();
        (norm / 2.0 + f64::from(self.c) * losses, alphas - norm / 2.0)
    }

    fn linear(&self, weights: FrozenWeights) -> Linear {
        let output = OutputLayer::new(self.stages.clone(), &[]).expect("without hidden layers, any stages fit");
        Linear::new(Arc::clone(&self.features), weights, output)
    }
}

/// The squared norm of the difference between the features of two options.
fn squared_distance(decisions: &Examples, number: usize, a: Choice, b: Choice) -> f32 {
    let features = |choice: Choice| decisions.points(number).nth(usize::from(choice.point)).map_or(&[][..], |of| of.0);
    let (of_a, of_b) = (features(a), features(b));
    let shared = match a.action == b.action {
        true => of_a.iter().filter(|feature| of_b.contains(feature)).count(),
        false => 0,
    };
    (of_a.len() + of_b.len() - 2 * shared) as f32
}

/// There is nothing to be averaged: each pass comes closer to the one minimum.
impl Averaged for SupportVectors {
    type Finished = Linear;

    fn n_features(&self) -> usize {
        self.weights.n_features()
    }

    fn end_sentence(&mut self) {}

    fn restart_average(&mut self) {}

    fn finish(replicas: &[&SupportVectors]) -> Linear {
        let tables: Vec<&RealWeights> = replicas.iter().map(|replica| &replica.weights).collect();
        replicas[0].linear(FrozenWeights::average(&tables, replicas[0].stages.width()))
    }

    fn save(&self) -> Vec<Section<'_>> {
        let mut sections = self.weights.sections();
        let counts: Vec<u32> = self.alphas.iter().map(|alphas| alphas.len() as u32).collect();
        sections.push(Section::new("n-alphas", bytemuck::cast_slice(&counts).to_vec()));
        let number = |&(Choice { point, action }, alpha): &(Choice, f32)| {
            [u32::from(point) << 16 | u32::from(action), alpha.to_bits()]
        };
        let alphas: Vec<[u32; 2]> = self.alphas.iter().flatten().map(number).collect();
        sections.push(Section::new("alphas", bytemuck::cast_slice(&alphas).to_vec()));
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let outside = || sections.damaged(OUTSIDE);
        let counts = sections.numbers::<u32>("n-alphas")?;
        let numbers = sections.numbers::<u32>("alphas")?;
        let (mut alphas, rest) = numbers.as_chunks::<2>();
        let n_alphas: u64 = counts.iter().map(|&n| u64::from(n)).sum();
        if counts.len() != self.alphas.len() || n_alphas != alphas.len() as u64 || !rest.is_empty() {
            return Err(outside());
        }
        self.weights = RealWeights::from_sections(sections, self.stages.width()).ok_or_else(outside)?;
        for (of_decision, n) in self.alphas.iter_mut().zip(counts.iter().copied()) {
            let (own, others) = alphas.split_at(n as usize);
            let read = |&[choice, alpha]: &[u32; 2]| {
                let choice = Choice { point: (choice >> 16) as _, action: choice as ActionId };
                (choice, f32::from_bits(alpha))
            };
            *of_decision = own.iter().map(read).collect();
            alphas = others;
        }
        // A point or an action that a decision does not have would be looked for when it is visited.
        let fits = |(number, alphas): (usize, &Vec<(Choice, f32)>)| {
            let n_points = self.decisions.points(number).count();
            let is_option = |&(Choice { point, action }, alpha): &(Choice, f32)| {
                usize::from(point) < n_points && usize::from(action) < self.stages.width() && alpha > 0.0
            };
            alphas.iter().all(is_option)
        };
        if self.alphas.iter().enumerate().all(fits) { Ok(()) } else { Err(outside()) }
    }

    fn save_finished(finished: &Linear) -> Vec<Section<'_>> {
        finished.weights().sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<Linear> {
        Ok(self.linear(FrozenWeights::from_sections(sections, self.stages.width())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Columns, FeatureSet, WordShape};
    use crate::linear::reals::unpacked;
    use crate::scorer;
    use crate::system::{Move, MoveSet};
    use crate::treebank::Column;

    fn actions() -> Actions {
        Actions::new(&[Move::Shift, Move::Reduce], 1, []).unwrap()
    }

    /// Examples among two actions at one point or two, by a rule that a line through the features makes.
    fn machine(c: f32) -> SupportVectors {
        let permitted = Permitted {
            moves: MoveSet::default().with(Move::Shift, true).with(Move::Reduce, true),
            ..Permitted::default()
        };
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut decisions = Examples::default();
        for number in 0..60u64 {
            let of = |other: u64| [feature(1 + number % 5), feature(10 + number * other % 7), feature(20 + number % 3)];
            let right = ActionId::from(number % 5 < 2);
            decisions.push_point(&of(1), permitted);
            let two_points = number % 4 == 0;
            if two_points {
                decisions.push_point(&[feature(30 + number % 2), feature(40)], permitted);
            }
            let point = u16::from(two_points && number % 2 == 1);
            decisions.push(Choice { point, action: right });
        }
        let set = FeatureSet::parse("one", "one.feat", "1").unwrap();
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
        let stages = Stages::new(scorer::Decisions::Joint, &actions());
        SupportVectors::new(Arc::new(Compiled::new(&set, columns, true)), stages, Arc::new(decisions), c)
    }

    /// Convergence: the gap between the primal and the dual objective closes, and separable decisions are separated.
    #[test]
    fn the_gap_closes_and_what_is_separable_is_separated() {
        let mut machine = machine(1.0);
        let actions = actions();
        let order: Vec<usize> = (0..machine.n_decisions()).map(|number| number * 37 % 60).collect();
        let gap = |machine: &SupportVectors| {
            let (primal, dual) = machine.primal_and_dual(&actions);
            assert!(primal >= dual - 1e-3, "{primal} is below {dual}");
            (primal - dual) / primal
        };
        let before = gap(&machine);
        assert!(machine.pass(&order, &actions) > 0);
        let after_one = gap(&machine);
        for _ in 0..100 {
            machine.pass(&order, &actions);
        }
        let after_all = gap(&machine);
        assert!(before > after_one && after_one > after_all && after_all < 1e-2, "{before} {after_one} {after_all}");
        assert_eq!(machine.pass(&order, &actions), 0);
    }

    /// A small C: losses are left, and no α exceeds it.
    #[test]
    fn no_decision_weighs_more_than_c() {
        let (mut machine, actions) = (machine(0.001), actions());
        let order: Vec<usize> = (0..machine.n_decisions()).collect();
        for _ in 0..50 {
            machine.pass(&order, &actions);
        }
        let sums = machine.alphas.iter().map(|alphas| alphas.iter().map(|(_, alpha)| alpha).sum::<f32>());
        let largest = sums.fold(0.0, f32::max);
        assert!(largest > 0.0009 && largest < 0.00101, "{largest}");
        let (primal, dual) = machine.primal_and_dual(&actions);
        assert!((primal - dual) / primal < 1e-2, "{primal} {dual}");
    }

    #[test]
    fn what_was_learned_comes_back() {
        let (mut learned, actions) = (machine(0.1), actions());
        let order: Vec<usize> = (0..learned.n_decisions()).collect();
        learned.pass(&order, &actions);
        let mut again = machine(0.1);
        again.load(&unpacked(&learned.save())).unwrap();
        assert!(machine(0.1).load(&unpacked(&learned.save()[1..])).is_err());
        for machine in [&mut learned, &mut again] {
            machine.pass(&order, &actions);
        }
        assert!(again.save() == learned.save());
    }
}
