//! The network, with an encoder and without, against a plain one in double precision, whose loss tests differences of.

use super::encoder::EncoderShape;
use super::gradients::Gradients;
use super::plain::{self, add_product, check_gradients, embeddings, enlarged, wide};
use super::tensors::{
    BIAS, ENCODER_BIAS, ENCODER_INPUTS, ENCODER_NONE, ENCODER_RECURRENT, LABEL_PLACES, LABELS, OUTPUT, OUTPUT_BIAS,
    PLACES, TOKENS,
};
use super::*;
use crate::decode::{Machine, Workspace};
use crate::features::{Input, NetworkSet};
use crate::learn::{TrainOptions, Training, TrainingData};
use crate::linear::Learner;
use crate::model::{Activation, DroppedFeatures, Layers, Network, ScorerKind, Seen, Trainable as _};
use crate::scorer::{Opaque, Query, Scorer as _};
use crate::system::Roots;
use crate::treebank::{Format, Sentence, Treebank, generate};
use std::sync::Arc;

/// The most values in a set of [`data`].
pub(super) const MOST_VALUES: usize = 3;

/// With an encoder of so many layers, or without one; where `sets` says so with sets of values as inputs: in FEATS the words have up to
/// [`MOST_VALUES`], in MISC up to two.
pub(super) fn data(activation: Activation, layers: u32, sets: bool) -> TrainingData {
    let sentences = generate::sentences(generate::GeneratorOptions { seed: 5, n_sentences: 12, non_projective: false });
    let with_sets = |sentence: Sentence| {
        let line = |line: &str| {
            let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if let [_, form, .., feats, _, _, _, misc] = &mut fields[..] {
                let number = form.bytes().map(usize::from).sum::<usize>();
                let list = |n: usize| {
                    let pairs = (0..n).map(|name| format!("{name}={}", number % (7 + 30 * name)));
                    pairs.reduce(|list, pair| format!("{list}|{pair}")).unwrap_or("_".to_owned())
                };
                (*feats, *misc) = (list(number % (MOST_VALUES + 1)), list(form.len() % 3));
            }
            fields.join("\t") + "\n"
        };
        let text: String = sentence.text().lines().map(line).collect();
        Sentence::new("generated", Format::Conllu, &text).unwrap()
    };
    let sentences = sentences.map(|sentence| if sets { with_sets(sentence) } else { sentence }).collect();
    let treebank = Treebank::of_sentences(std::path::Path::new("generated"), Format::Conllu, sentences);
    let options = TrainOptions { hidden: Some(7), activation: Some(activation), ..options() };
    let encoder = TrainOptions {
        lstm_layers: Some(layers),
        lstm_units: Some(5),
        places: Some("full".to_owned()),
        ..options.clone().with_scorer(ScorerKind::Bilstm)
    };
    let options = if layers > 0 { encoder } else { options };
    let folder = tempfile::tempdir().unwrap();
    let places = folder.path().join("sets.feat").display().to_string();
    let full = NetworkSet::load("full").unwrap().text;
    std::fs::write(&places, full.replacen("network\n", "network\nreads feats* misc* suf2\n", 1)).unwrap();
    let options = if sets { TrainOptions { places: Some(places), ..options } } else { options };
    let data = TrainingData::new(&options, &treebank, None).unwrap();
    let n_values = |input: &Input| {
        let values = |word| input.sets().values(2, &input.id(2, word)).len();
        (1..=input.n_words() as u16).map(values).max().unwrap_or_default()
    };
    assert_eq!(data.inputs().map(n_values).max(), Some(if sets { MOST_VALUES } else { 1 }));
    data
}

fn options() -> TrainOptions {
    let options = TrainOptions::of(crate::systems::ARC_HYBRID, Training::Greedy, Learner::Adam);
    options.with_scorer(ScorerKind::FeedForward)
}

pub(super) fn learner(data: &TrainingData) -> FeedForwardLearner {
    learner_of(data, data.header().network.clone().unwrap(), (3.0, 0.2))
}

/// A learner of this network with [`enlarged`] parameters.
pub(super) fn learner_of(data: &TrainingData, network: Network, (factor, spread): (f32, f32)) -> FeedForwardLearner {
    let vocabulary = data.network().unwrap().vocabulary().clone();
    let noise = Noise::new(4, &vocabulary, data.inputs());
    let rule = OptimiserRule { learner: Learner::Adam, rate: 0.01, second: 0.99, n_steps: Some(100) };
    let settings = LearnerSettings { rule, divisor: 1.0, layers: Layers::All };
    let layout = Layout::new(network, data.columns().clone(), vocabulary);
    let parameters = initial_parameters(&layout, data.header().labels.len(), data.actions().width(), 3);
    let parameters = enlarged(parameters, factor, spread);
    FeedForwardLearner::new(Arc::new(layout), parameters, settings, noise)
}

/// The vectors of a sentence's tokens.
fn vectors(network: &Network, tensors: &[Vec<f64>], tape: &Tape) -> Vec<Vec<f64>> {
    let embeddings = embeddings(&tape.sentence, tensors, &network.dimensions);
    let Some(shape) = EncoderShape::of(network) else { return embeddings };
    let noise = |layer: usize, numbers: &mut [f32]| tape.sentence.mask_within(layer, numbers);
    let weights = [ENCODER_INPUTS, ENCODER_RECURRENT, ENCODER_BIAS].map(|number| &tensors[number][..]);
    let words = plain::encode(shape, weights, &embeddings[1..], &noise);
    std::iter::once(tensors[ENCODER_NONE].clone()).chain(words).collect()
}

/// The scores of a configuration on the tape, whose hidden units are multiplied by `factors`.
fn scores(
    (network, tensors): (&Network, &[Vec<f64>]),
    (tape, number): (&Tape, usize),
    vectors: &[Vec<f64>],
    factors: &[f32],
) -> Vec<f64> {
    let Network { places, labels, label_dimension, hidden, .. } = network;
    let mut sums = tensors[BIAS].clone();
    let tokens = &tape.tokens[number * places.len()..][..places.len()];
    let of_places = tensors[PLACES].chunks_exact(network.vector_dimension() * hidden);
    tokens.iter().zip(of_places).for_each(|(&token, of)| add_product(&vectors[token as usize], of, &mut sums));
    let read = &tape.labels[number * labels.len()..][..labels.len()];
    for (&label, of) in read.iter().zip(tensors[LABEL_PLACES].chunks_exact(label_dimension * hidden)) {
        add_product(&tensors[LABELS][label as usize * label_dimension..][..*label_dimension], of, &mut sums);
    }
    scores_of(network.activation, tensors, &sums, factors)
}

/// The scores of a configuration whose hidden units have these sums and are multiplied by `factors`.
pub(super) fn scores_of(activation: Activation, tensors: &[Vec<f64>], sums: &[f64], factors: &[f32]) -> Vec<f64> {
    let activated = |sum: f64| match activation {
        Activation::Relu => sum.max(0.0),
        Activation::Cube => sum.powi(3),
        Activation::Tanh => sum.tanh(),
    };
    let units: Vec<f64> = sums.iter().zip(factors).map(|(&sum, &factor)| activated(sum) * f64::from(factor)).collect();
    let mut scores = tensors[OUTPUT_BIAS].clone();
    add_product(&units, &tensors[OUTPUT], &mut scores);
    scores
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
    let without = [Activation::Relu, Activation::Cube, Activation::Tanh].map(|activation| (activation, 0, false));
    let others = [(1, false), (2, false), (0, true), (1, true)].map(|(layers, sets)| (Activation::Tanh, layers, sets));
    for (activation, layers, sets) in without.into_iter().chain(others) {
        let data = data(activation, layers, sets);
        let learner = learner(&data);
        let network = data.header().network.as_ref().unwrap();
        let mut tapes = Vec::new();
        let mut drops = Vec::new();
        let mut seen = Seen::default();
        let mut workspace = Workspace::new(data.actions().n_labels());
        let mut salt = 0;
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
                let dropped = DroppedFeatures::new(salt, 0.3);
                learner.see(memory, context, &query, dropped, &mut seen);
                salt += 1;
                let gradient = [(u32::from(choice.action), -1.0), ((salt % data.actions().len() as u64) as u32, 0.7)];
                learner.credit(memory, context, &query, Some(&seen), 0, &gradient, &mut tape);
                found_scores.push(seen.scores.clone());
                let mut factors = Hidden { units: vec![1.0; network.hidden], slopes: vec![1.0; network.hidden] };
                super::learner::drop_units(dropped, &mut factors);
                drops.push(factors.units);
            });
            tapes.push(std::mem::take(tape.get::<Tape>()));
        }
        assert!(drops.iter().flatten().any(|&factor| factor == 0.0));
        let parameters = learner.parameters();
        let gradients = Gradients::new(&learner.layout, parameters, &tapes, 1.0);
        let alone = Gradients::of_output(parameters, &tapes, 1.0);
        for (tensor, (alone, all)) in alone.tensors.iter().zip(&gradients.tensors).enumerate() {
            let learns = tensor == OUTPUT || tensor == OUTPUT_BIAS;
            assert!(if learns { alone == all && !all.is_empty() } else { alone.is_empty() }, "tensor {tensor}");
        }
        let all: Vec<(usize, usize)> =
            (0..3).flat_map(|tape| (0..tapes[tape].n).map(move |number| (tape, number))).collect();
        let all_scores = |tensors: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let of_tapes: Vec<_> = tapes.iter().map(|tape| vectors(network, tensors, tape)).collect();
            let of = |(&(tape, number), factors): (&(usize, usize), &Vec<f32>)| {
                scores((network, tensors), (&tapes[tape], number), &of_tapes[tape], factors)
            };
            all.iter().zip(&drops).map(of).collect()
        };
        let tensors: Vec<Vec<f64>> = parameters.tensors.iter().map(|tensor| wide(tensor)).collect();
        for (found, expected) in found_scores.iter().flatten().zip(all_scores(&tensors).iter().flatten()) {
            let error = (found - expected).abs();
            assert!(error < 1e-3 * expected.abs().max(1.0), "{found}, not {expected}");
        }
        let slopes: Vec<f32> = tapes.iter().flat_map(|tape| tape.scores.iter().copied()).collect();
        let loss = |tensors: &[Vec<f64>]| -> f64 {
            all_scores(tensors).iter().flatten().zip(&slopes).map(|(score, &slope)| score * f64::from(slope)).sum()
        };
        for (tensor, gradients) in gradients.tensors.iter().enumerate() {
            let has_none = tensor >= TOKENS || layers == 0 && tensor >= ENCODER_INPUTS;
            assert_eq!(gradients.is_empty(), has_none, "tensor {tensor}");
        }
        check_gradients(&gradients, parameters, &network.dimensions, (8, 0.1), loss);
    }
}

/// A step of many configurations gives each the scores that it has by itself, to the bit, normalised or not; so does one that was
/// seen before, and one of which nothing is kept.
#[test]
fn scores_do_not_depend_on_company() {
    for (normalised, layers, sets) in [(true, 0, false), (false, 0, false), (true, 2, false), (true, 1, true)] {
        let data = data(Activation::Relu, layers, sets);
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
                        let found: Vec<i32> = actions.map(|id| scores.score(number, id, data.actions())).collect();
                        assert_eq!(found, alone[..data.actions().len()]);
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
