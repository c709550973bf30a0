//! A base learner with its weights: scores, learns, is saved, and ends as the rows and layers of a model.

use super::adagrad::AdaGrad;
use super::fixed::Fixed;
use super::ftrl::Ftrl;
use super::linear::{self, Dense, Scratch};
use super::network::{Network, n_units};
use super::rule::{BaseOptions, Clock};
use super::sgd::Sgd;
use super::sgd_plus::SgdPlus;
use super::{Learner, Objective, Scored};
use crate::model::{FrozenWeights, Layer, Parts, RealWeights, State, from_bytes};
use crate::system::Actions;

/// A base learner and what it has learned.
#[derive(Debug, Clone)]
pub struct Base {
    options: BaseOptions,
    objective: Objective,
    parts: Vec<Part>,
    /// Cost-sensitive examples so far, over all parts.
    n_examples: u64,
    width: usize,
    scratch: Scratch,
}

/// What is learned of one decision.
#[derive(Debug, Clone)]
struct Part {
    model: PartModel,
    lanes: std::ops::Range<usize>,
    /// The largest cost so far.
    largest: f32,
}

#[derive(Debug, Clone)]
enum PartModel {
    Linear { weights: Box<RealWeights>, clock: Clock },
    Network(Box<Network>),
}

/// Runs generic code with the rule that options name.
macro_rules! with_rule {
    ($options:expr, |$rule:ident| $body:expr) => {
        match $options.update {
            Learner::Asgd => {
                let $rule = Fixed { rate: $options.rate };
                $body
            }
            Learner::Perceptron | Learner::Mira | Learner::Nn => {
                let $rule = Fixed { rate: 1.0 };
                $body
            }
            Learner::Sgd => {
                let $rule = Sgd { rate: $options.rate };
                $body
            }
            Learner::SgdPlus => {
                let $rule = SgdPlus { rate: $options.rate };
                $body
            }
            Learner::Adagrad => {
                let $rule = AdaGrad { rate: $options.rate };
                $body
            }
            Learner::Ftrl => {
                let $rule = Ftrl { rate: $options.rate, beta: $options.beta };
                $body
            }
        }
    };
}

impl Base {
    /// A learner that knows nothing yet.
    pub fn new(options: BaseOptions, objective: Objective, parts: &Parts, seed: u64) -> Base {
        let width = parts.width();
        let mut first = 0;
        let parts = parts.ranges().iter().cloned().map(|lanes| {
            let range = lanes.start as usize..lanes.end as usize;
            let model = match options.hidden {
                0 => PartModel::Linear {
                    weights: Box::new(RealWeights::new(options.update.averages(), options.min_count)),
                    clock: Clock::default(),
                },
                per_lane => {
                    let n_units = n_units(per_lane, lanes.len());
                    let lanes = lanes.collect();
                    let network =
                        with_rule!(options, |rule| Network::new(rule, options.min_count, first, n_units, lanes, seed));
                    first += n_units;
                    PartModel::Network(Box::new(network))
                }
            };
            Part { model, lanes: range, largest: 0.0 }
        });
        let parts = parts.collect();
        Base { options, objective, parts, n_examples: 0, width, scratch: Scratch::default() }
    }

    /// The lanes of scores.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Examples learned from so far.
    pub fn n_examples(&self) -> u64 {
        self.n_examples
    }

    /// The number of features that have a row, of the first part.
    pub fn n_features(&self) -> usize {
        match &self.parts[0].model {
            PartModel::Linear { weights, .. } => weights.n_features(),
            PartModel::Network(network) => network.hidden.n_features(),
        }
    }

    /// Sets the scores of a part's lanes, and leaves the activations of its hidden units, if it has any.
    pub fn score(&self, part: usize, features: &[u64], activations: &mut Vec<f32>, scores: &mut [f32]) {
        match &self.parts[part].model {
            PartModel::Linear { weights, .. } => {
                scores[self.parts[part].lanes.clone()].fill(0.0);
                weights.add(features, scores);
            }
            PartModel::Network(network) => {
                network.activate(features, activations);
                network.score(activations, scores);
            }
        }
    }

    /// Fills in the gradients of an example's options; see [`Objective::gradients`]. `squared_distance` is, for MIRA, that
    /// of the features of two options.
    pub fn gradients(
        &mut self,
        part: usize,
        options: &mut [Scored],
        reference: usize,
        squared_distance: impl FnOnce(usize, usize) -> f32,
    ) {
        self.n_examples += 1;
        self.objective.gradients(options, reference, &mut self.parts[part].largest);
        if self.options.update == Learner::Mira {
            let place = |sign: f32| options.iter().position(|option| option.gradient == sign);
            if let (Some(right), Some(wrong)) = (place(-1.0), place(1.0)) {
                let loss = options[wrong].cost + options[wrong].score - options[right].score;
                // PA-I: min(C, loss / ‖Δ‖²).
                let step = (loss / squared_distance(right, wrong)).min(self.options.rate);
                options[right].gradient = -step;
                options[wrong].gradient = step;
            }
        }
    }

    /// Learns from the gradients, by lane, of the scores of one configuration or point.
    pub fn update(&mut self, part: usize, features: &[u64], activations: &[f32], gradient: &[(u32, f32)]) {
        let scratch = &mut self.scratch;
        match &mut self.parts[part].model {
            PartModel::Linear { weights, clock } => {
                with_rule!(self.options, |rule| linear::update(rule, weights, clock, features, gradient, scratch));
            }
            PartModel::Network(network) => {
                with_rule!(self.options, |rule| network.update(rule, features, activations, gradient, scratch));
            }
        }
    }

    /// Ends a training sentence.
    pub fn tick(&mut self) {
        self.tables().for_each(RealWeights::tick);
    }

    /// Ends a pass over the data.
    pub fn end_pass(&mut self) {
        self.tables().for_each(RealWeights::end_pass);
    }

    /// Starts averages anew.
    pub fn restart_average(&mut self) {
        self.tables().for_each(RealWeights::restart_average);
    }

    fn tables(&mut self) -> impl Iterator<Item = &mut RealWeights> {
        self.parts.iter_mut().map(|part| match &mut part.model {
            PartModel::Linear { weights, .. } => weights,
            PartModel::Network(network) => &mut network.hidden,
        })
    }

    /// What all of these learners have learned, added up, for scores of `width` lanes; a network is always alone.
    pub fn freeze(bases: &[Base], width: usize) -> (FrozenWeights, Vec<Layer>) {
        let parts = || bases.iter().flat_map(|base| &base.parts);
        let tables: Vec<&RealWeights> = parts()
            .map(|part| match &part.model {
                PartModel::Linear { weights, .. } => weights,
                PartModel::Network(network) => &network.hidden,
            })
            .collect();
        let layers: Vec<Layer> = parts()
            .filter_map(|part| match &part.model {
                PartModel::Linear { .. } => None,
                PartModel::Network(network) => Some(network.layer()),
            })
            .collect();
        let n_units: usize = layers.iter().map(|layer| layer.biases.len()).sum();
        let n_sums = if layers.is_empty() { width } else { n_units.next_multiple_of(Actions::LANES) };
        (FrozenWeights::average(&tables, n_sums), layers)
    }
}

/// The sections of a part.
const N_SECTIONS: usize = 8;

impl Base {
    /// What was learned, as sections of bytes: one, and eight for each part.
    pub fn sections(&self) -> Vec<Vec<u8>> {
        let mut sections = vec![self.n_examples.to_le_bytes().to_vec()];
        for part in &self.parts {
            let (clocks, weights, dense) = match &part.model {
                PartModel::Linear { weights, clock } => (vec![*clock], &**weights, [Vec::new(), Vec::new()]),
                PartModel::Network(network) => {
                    let both = [&network.biases, &network.outputs];
                    let numbers: Vec<f32> = both.iter().flat_map(|dense| dense.weights.iter().copied()).collect();
                    let states: Vec<State> = both.iter().flat_map(|dense| dense.states.iter().copied()).collect();
                    let dense = [bytemuck::cast_slice(&numbers).to_vec(), bytemuck::cast_slice(&states).to_vec()];
                    (network.clocks.to_vec(), &network.hidden, dense)
                }
            };
            let mut numbers: Vec<u8> = f64::from(part.largest).to_le_bytes().to_vec();
            numbers.extend(bytemuck::cast_slice::<Clock, u8>(&clocks));
            sections.push(numbers);
            sections.extend(weights.sections());
            sections.extend(dense);
        }
        sections
    }

    /// The number of [`Base::sections`].
    pub fn n_sections(&self) -> usize {
        1 + N_SECTIONS * self.parts.len()
    }

    /// Replaces what was learned by what stands in `sections`; `None` if that does not fit, and then nothing can be said of
    /// what is left.
    pub fn load(&mut self, sections: &[&[u8]]) -> Option<()> {
        let (first, rest) = sections.split_first()?;
        self.n_examples = u64::from_le_bytes((*first).try_into().ok()?);
        if rest.len() != self.parts.len() * N_SECTIONS {
            return None;
        }
        for (part, sections) in self.parts.iter_mut().zip(rest.chunks(N_SECTIONS)) {
            let &[numbers, a, b, c, d, e, weights, states] = sections else { return None };
            let (largest, clocks) = numbers.split_at_checked(8)?;
            part.largest = f64::from_le_bytes(largest.try_into().ok()?) as f32;
            let clocks: Vec<Clock> = from_bytes(clocks)?;
            let table = |width| RealWeights::from_sections([a, b, c, d, e], width);
            match &mut part.model {
                PartModel::Linear { weights, clock } => {
                    *clock = *clocks.first()?;
                    **weights = table(self.width)?;
                }
                PartModel::Network(network) => {
                    network.clocks = clocks.try_into().ok()?;
                    let n_units = network.biases.weights.len();
                    network.hidden = table(network.first + n_units)?;
                    let (weights, states): (Vec<f32>, Vec<State>) = (from_bytes(weights)?, from_bytes(states)?);
                    let n = n_units + network.outputs.weights.len();
                    if weights.len() != n || states.len() != n {
                        return None;
                    }
                    let dense = |range: std::ops::Range<usize>, n_inputs| Dense {
                        weights: weights[range.clone()].to_vec(),
                        states: states[range].to_vec(),
                        n_inputs,
                    };
                    network.biases = dense(0..n_units, 1);
                    network.outputs = dense(n_units..n, n_units + 1);
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Decisions;
    use crate::system::{Actions, Move};

    /// By hand: the loss is 2 + 0.5 − 0.2 = 2.3, the squared distance 8, so the step is 0.2875, unless C cuts it off.
    #[test]
    fn mira_goes_as_far_as_it_takes() {
        let actions = Actions::new(&[Move::Shift, Move::Reduce, Move::Swap], 1, []).unwrap();
        let parts = Parts::new(Decisions::Joint, &actions);
        for (rate, step) in [(1.0, 0.2875), (0.1, 0.1)] {
            let options = BaseOptions { rate, ..BaseOptions::of(Learner::Mira) };
            let mut base = Base::new(options, Objective::Hinge, &parts, 1);
            let option = |score, cost| Scored { score, cost, gradient: 0.0 };
            let mut options = [option(0.5, 2.0), option(0.2, 0.0), option(-3.0, 1.0)];
            base.gradients(0, &mut options, 1, |right, wrong| {
                assert_eq!((right, wrong), (1, 0));
                8.0
            });
            for (option, expected) in options.iter().zip([step, -step, 0.0]) {
                assert!((option.gradient - expected).abs() < 1e-6, "{option:?}");
            }
            base.update(0, &[7, 8], &[], &[(0, step), (1, -step)]);
            let mut scores = [0.0; 16];
            base.score(0, &[7], &mut Vec::new(), &mut scores);
            assert_eq!(scores[..3], [-step, step, 0.0]);
        }
    }

    /// A learner that was saved and loaded goes on as the one that was not.
    #[test]
    fn what_was_learned_comes_back() {
        let actions = Actions::new(&[Move::Shift, Move::Left], 3, []).unwrap();
        for decisions in [Decisions::Joint, Decisions::Separate] {
            let parts = Parts::new(decisions, &actions);
            for learner in [Learner::Adagrad, Learner::SgdPlus, Learner::Nn] {
                let new = || Base::new(BaseOptions::of(learner), Objective::Regression, &parts, 1);
                let learn = |base: &mut Base, seed: u64| {
                    for part in 0..parts.ranges().len() {
                        let lanes = parts.ranges()[part].clone();
                        let (mut activations, mut scores) = (Vec::new(), vec![0.0; parts.width()]);
                        for feature in 0..20 {
                            let features = [feature * seed, feature + 7];
                            base.score(part, &features, &mut activations, &mut scores);
                            let gradient: Vec<(u32, f32)> =
                                lanes.clone().map(|lane| (lane, scores[lane as usize] - lane as f32)).collect();
                            base.update(part, &features, &activations, &gradient);
                        }
                    }
                    base.tick();
                    base.end_pass();
                };
                let mut base = new();
                learn(&mut base, 3);
                let sections = base.sections();
                assert_eq!(sections.len(), base.n_sections());
                let sections: Vec<&[u8]> = sections.iter().map(|section| &section[..]).collect();
                let mut again = new();
                again.load(&sections).unwrap();
                assert!(new().load(&sections[1..]).is_none());
                learn(&mut base, 5);
                learn(&mut again, 5);
                assert!(again.sections() == base.sections(), "{learner:?}, {decisions:?}");
            }
        }
    }
}
