//! The network, with an encoder and without, against a plain one in double precision, whose loss tests differences of.

use super::backward::Gradients;
use super::encoder::Shape;
use super::encoder_tests::plain;
use super::parameters::{
    BIAS, ENCODER_BIAS, ENCODER_INPUTS, ENCODER_NONE, ENCODER_RECURRENT, LABEL_PLACES, LABELS, N_TENSORS, OUTPUT,
    OUTPUT_BIAS, PLACES, TOKENS,
};
use super::*;
use crate::decode::{Machine, Workspace};
use crate::learn::{TrainOptions, Training, TrainingData};
use crate::linear::Learner;
use crate::model::{Activation, Dropped, Layers, Network, ScorerKind, Seen, Trainable as _};
use crate::random;
use crate::scorer::{Opaque, Query, Scorer as _};
use crate::system::Roots;
use crate::treebank::{Format, Treebank, generate};

/// With an encoder of so many layers, or without one.
pub(super) fn data(activation: Activation, layers: u32) -> TrainingData {
    let sentences =
        generate::sentences(generate::Options { seed: 5, n_sentences: 12, non_projective: false }).collect();
    let treebank = Treebank::of_sentences(std::path::Path::new("generated"), Format::Conllu, sentences);
    let options = TrainOptions { hidden: Some(7), activation: Some(activation), ..options() };
    let encoder = TrainOptions {
        lstm_layers: Some(layers),
        lstm_units: Some(5),
        places: Some("full".to_owned()),
        ..options.clone().with_scorer(ScorerKind::Bilstm)
    };
    let options = if layers > 0 { encoder } else { options };
    TrainingData::new(&options, &treebank, None).unwrap()
}

fn options() -> TrainOptions {
    let options = TrainOptions::of(crate::systems::ARC_HYBRID, Training::Greedy, Learner::Adam);
    options.with_scorer(ScorerKind::FeedForward)
}

/// A learner whose parameters are larger than those that training begins with, so that units differ.
pub(super) fn learner(data: &TrainingData) -> FeedForwardLearner {
    let network = data.header().network.clone().unwrap();
    let vocabulary = data.network().unwrap().vocabulary().clone();
    let sizes = Sizes::new(&vocabulary, data.header().labels.len(), data.actions().width());
    let mut parameters = Parameters::random(&network, &sizes, 3);
    let mut stream = random::stream(9, "test", &[]);
    for tensor in &mut parameters.tensors {
        tensor.iter_mut().for_each(|w| *w = *w * 3.0 + (random::unit(&mut stream) - 0.5) as f32 * 0.2);
    }
    let noise = Noise::new(4, &vocabulary, data.inputs());
    let rule = Rule { learner: Learner::Adam, rate: 0.01, second: 0.99, n_steps: Some(100) };
    let parts = (Layout::new(network), data.columns().clone(), vocabulary);
    FeedForwardLearner::new(
        parts,
        sizes,
        parameters,
        LearnerSettings { rule, divisor: 1.0, layers: Layers::All },
        noise,
    )
}

/// The network in double precision, written down as the formulas have it.
struct Plain<'p> {
    network: &'p Network,
    tensors: [Vec<f64>; N_TENSORS],
    lanes: usize,
}

impl Plain<'_> {
    /// The vectors of a sentence's tokens.
    fn vectors(&self, tape: &Tape, masks: &[f32]) -> Vec<Vec<f64>> {
        let dimension = self.network.dimension();
        let mut vectors = vec![Vec::new(); tape.sentence.ids[0].len()];
        for (token, vector) in vectors.iter_mut().enumerate() {
            for ((ids, table), &n) in tape.sentence.ids.iter().zip(&self.tensors).zip(&self.network.dimensions) {
                for number in &table[ids[token] as usize * n..][..n] {
                    vector.push(number * f64::from(masks[token * dimension + vector.len()]));
                }
            }
        }
        if let Some(shape) = Shape::of(self.network) {
            let noise = |layer: usize, numbers: &mut [f32]| tape.sentence.noise.mask_within(layer, numbers);
            let tensors = [ENCODER_INPUTS, ENCODER_RECURRENT, ENCODER_BIAS].map(|number| &self.tensors[number][..]);
            let words = plain(shape, tensors, &vectors[1..], &noise);
            vectors = std::iter::once(self.tensors[ENCODER_NONE].clone()).chain(words).collect();
        }
        vectors
    }

    /// The scores of a configuration on the tape, whose hidden units are multiplied by `factors`.
    fn scores(&self, tape: &Tape, number: usize, vectors: &[Vec<f64>], factors: &[f32]) -> Vec<f64> {
        let Network { places, labels, label_dimension, hidden, .. } = self.network;
        let dimension = self.network.vector_dimension();
        let mut sums = self.tensors[BIAS].clone();
        for (place, &token) in tape.tokens[number * places.len()..][..places.len()].iter().enumerate() {
            for (at, x) in vectors[token as usize].iter().enumerate() {
                for (unit, sum) in sums.iter_mut().enumerate() {
                    *sum += x * self.tensors[PLACES][(place * dimension + at) * hidden + unit];
                }
            }
        }
        for (place, &label) in tape.labels[number * labels.len()..][..labels.len()].iter().enumerate() {
            for i in 0..*label_dimension {
                let x = self.tensors[LABELS][label as usize * label_dimension + i];
                for (unit, sum) in sums.iter_mut().enumerate() {
                    *sum += x * self.tensors[LABEL_PLACES][(place * label_dimension + i) * hidden + unit];
                }
            }
        }
        let activated = |sum: f64| match self.network.activation {
            Activation::Relu => sum.max(0.0),
            Activation::Cube => sum.powi(3),
            Activation::Tanh => sum.tanh(),
        };
        let mut scores = self.tensors[OUTPUT_BIAS].clone();
        for (unit, (&sum, &factor)) in sums.iter().zip(factors).enumerate() {
            let h = activated(sum) * f64::from(factor);
            for (lane, score) in scores.iter_mut().enumerate() {
                *score += h * self.tensors[OUTPUT][unit * self.lanes + lane];
            }
        }
        scores
    }
}

/// Goes through the canonical derivation of a sentence; `$at` sees each configuration with the choice that is made there.
macro_rules! walk {
    ($data:expr, $sentence:expr, |$workspace:ident, $machine:ident, $context:ident, $memory:ident, $item:ident, $choice:ident| $at:expr) => {{
        let example = &$data.examples()[$sentence];
        $workspace.input.clone_from(&example.input);
        $workspace.start(&crate::configuration::Reads::ALL);
        let $machine = Machine {
            system: crate::systems::ARC_HYBRID.over_stacks(Roots::Single),
            actions: $data.actions(),
            keeps_history: false,
        };
        let (arena, $context, scratch) = $workspace.parts($data.actions());
        let $memory = scratch.memory;
        let mut $item = $machine.initial(arena, example.input.n_words());
        for &$choice in &example.derivation {
            $at;
            $item = $machine.successor($item, $choice, 0, false, arena);
        }
    }};
}

pub(super) use walk;

/// Scores are those of the plain network, and gradients its differences: of each tensor, in some places.
#[test]
fn gradients_are_differences_of_the_loss() {
    let without = [Activation::Relu, Activation::Cube, Activation::Tanh].map(|activation| (activation, 0));
    for (activation, layers) in without.into_iter().chain([(Activation::Tanh, 1), (Activation::Tanh, 2)]) {
        let data = data(activation, layers);
        let learner = learner(&data);
        let network = data.header().network.as_ref().unwrap();
        let lanes = data.actions().width();
        let mut tapes = Vec::new();
        let mut drops = Vec::new();
        let mut seen = Seen::default();
        let mut workspace = Workspace::new(data.actions().n_labels());
        let mut lane = 0;
        let mut found_scores = Vec::new();
        for sentence in 0..3 {
            let mut tape = Opaque::default();
            let mut begun = false;
            walk!(data, sentence, |workspace, machine, context, memory, item, choice| {
                if !begun {
                    learner.begin(memory, context);
                    begun = true;
                }
                let query = Query { view: item.view(0), permitted: machine.system.permitted(&item.configuration, 0) };
                let dropped = Dropped::new(lane, 0.3);
                learner.see(memory, context, &query, dropped, &mut seen);
                lane += 1;
                let gradient = [(u32::from(choice.action), -1.0), ((lane % data.actions().len() as u64) as u32, 0.7)];
                learner.credit(memory, context, &query, Some(&seen), 0, &gradient, &mut tape);
                found_scores.push(seen.lanes.clone());
                let mut factors = Hidden { units: vec![1.0; network.hidden], slopes: vec![1.0; network.hidden] };
                super::learner::drop_units(dropped, &mut factors);
                drops.push(factors.units);
            });
            tapes.push(std::mem::take(tape.get::<Tape>()));
        }
        assert!(drops.iter().flatten().any(|&factor| factor == 0.0));
        let parameters = learner.parameters();
        let gradients = Gradients::new((&Layout::new(network.clone()), parameters, lanes), &tapes, 1.0);
        let alone = Gradients::of_output((&Layout::new(network.clone()), parameters, lanes), &tapes, 1.0);
        for (tensor, (alone, all)) in alone.tensors.iter().zip(&gradients.tensors).enumerate() {
            let learns = tensor == OUTPUT || tensor == OUTPUT_BIAS;
            assert!(if learns { alone == all && !all.is_empty() } else { alone.is_empty() }, "tensor {tensor}");
        }
        let tensors = std::array::from_fn(|number| parameters.tensors[number].iter().map(|&w| f64::from(w)).collect());
        let mut plain = Plain { network, tensors, lanes };
        let masks: Vec<Vec<f32>> = tapes
            .iter()
            .map(|tape| {
                let mut mask = vec![1.0; tape.sentence.embeddings.len()];
                tape.sentence.noise.mask(&mut mask);
                mask
            })
            .collect();
        let all: Vec<(usize, usize)> =
            (0..3).flat_map(|tape| (0..tapes[tape].n).map(move |number| (tape, number))).collect();
        let vectors = |plain: &Plain| -> Vec<Vec<Vec<f64>>> {
            tapes.iter().zip(&masks).map(|(tape, masks)| plain.vectors(tape, masks)).collect()
        };
        let given = vectors(&plain);
        for (&(tape, number), (found, factors)) in all.iter().zip(found_scores.iter().zip(&drops)) {
            let expected = plain.scores(&tapes[tape], number, &given[tape], factors);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{found}, not {expected}");
            }
        }
        let loss = |plain: &Plain| -> f64 {
            let given = vectors(plain);
            let of = |(&(tape, number), factors): (&(usize, usize), &Vec<f32>)| {
                let scores = plain.scores(&tapes[tape], number, &given[tape], factors);
                let slopes = &tapes[tape].scores[number * lanes..][..lanes];
                scores.iter().zip(slopes).map(|(score, &slope)| score * f64::from(slope)).sum::<f64>()
            };
            all.iter().zip(&drops).map(of).sum()
        };
        let mut stream = random::stream(1, "places", &[]);
        for tensor in 0..N_TENSORS {
            let n = gradients.tensors[tensor].len();
            assert_eq!(n == 0, tensor >= TOKENS || layers == 0 && tensor >= ENCODER_INPUTS, "tensor {tensor}");
            for _ in 0..if n == 0 { 0 } else { 8 } {
                let at = random::below(n as u64, &mut stream) as usize;
                let place = match network.dimensions.get(tensor) {
                    Some(&dimension) => gradients.rows[tensor][at / dimension] as usize * dimension + at % dimension,
                    None => at,
                };
                let was = plain.tensors[tensor][place];
                let mut at_distance = |distance: f64| {
                    plain.tensors[tensor][place] = was + distance;
                    loss(&plain)
                };
                let slope = (at_distance(1e-5) - at_distance(-1e-5)) / 2e-5;
                plain.tensors[tensor][place] = was;
                let found = f64::from(gradients.tensors[tensor][at]);
                let error = (found - slope).abs();
                assert!(
                    error < 2e-3 * slope.abs().max(0.1),
                    "{activation:?}, tensor {tensor}: {found} instead of {slope}"
                );
            }
        }
    }
}

/// A step of many configurations gives each the scores that it has by itself, to the bit, normalised or not; so does one that was
/// seen before, and one of which nothing is kept.
#[test]
fn scores_do_not_depend_on_company() {
    for (normalised, layers) in [(true, 0), (false, 0), (true, 2)] {
        let data = data(Activation::Relu, layers);
        let mut learner = learner(&data);
        learner.set_normalised(normalised);
        let scorer = FeedForwardScorer { noise: None, ..learner.network_scorer() };
        let mut workspace = Workspace::new(data.actions().n_labels());
        let mut queries = Vec::new();
        let mut alone: Vec<Vec<i32>> = Vec::new();
        let mut other = Opaque::default();
        walk!(data, 0, |workspace, machine, context, memory, item, _choice| {
            let permitted = machine.system.permitted(&item.configuration, 0);
            let query = Query { view: item.view(0), permitted };
            scorer.begin(&mut other, context);
            alone.push(scorer.score_one(&mut other, context, &query).to_vec());
            queries.push(query);
            if queries.len() == data.examples()[0].derivation.len() {
                scorer.begin(memory, context);
                for _ in 0..2 {
                    let scores = scorer.score(memory, context, &queries);
                    for (number, alone) in alone.iter().enumerate() {
                        let actions = 0..data.actions().len() as u16;
                        let lanes: Vec<i32> = actions.map(|id| scores.score(number, id, data.actions())).collect();
                        assert_eq!(lanes, alone[..data.actions().len()]);
                    }
                }
            }
        });
        // Normalised scores are logarithms of probabilities, which add up to 1 over what is permitted.
        let masks = queries.iter().map(|query| data.actions().mask(query.permitted));
        for (scores, mask) in alone.iter().zip(masks).filter(|_| normalised) {
            let permitted = scores.iter().zip(mask).filter(|(_, mask)| **mask == 0);
            let sum: f64 = permitted.map(|(score, _)| (f64::from(*score) / 65536.0).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        }
    }
}
