//! Quantised networks against the same ones of full precision.

use super::sums::{Token, common_tokens};
use super::tensors::{OUTPUT, PLACES};
use super::tests::{MOST_VALUES, data, learner, walk};
use super::*;
use crate::decode::{Machine, Workspace};
use crate::linear::Precision;
use crate::model::{Activation, Averaged as _};
use crate::scorer::{Opaque, Query, Scorer as _};
use crate::system::Roots;

/// Scores are as close to those of the same parameters in single precision as the head of the module says, and not the same.
#[test]
fn quantised_scores_are_within_their_bound() {
    for (activation, layers, sets) in [
        (Activation::Relu, 0, false),
        (Activation::Cube, 0, false),
        (Activation::Tanh, 0, false),
        (Activation::Relu, 1, false),
        (Activation::Relu, 0, true),
    ] {
        let data = data(activation, layers, sets);
        let mut learner = learner(&data);
        learner.set_normalised(false);
        let network = FeedForwardLearner::finish(&[&learner]);
        for precision in [Precision::I16, Precision::I8] {
            let quantised = network.clone().quantise(precision);
            // The same rounded parameters, with products and sums of single precision.
            let exact = quantised.clone().quantise(Precision::Full);
            let layout = &exact.layout().network;
            let output = &exact.parameters().tensors[OUTPUT];
            let n_outputs = data.actions().width();
            // The values of a token, of which two columns have sets.
            let n_values = if sets { 3 + 2 * MOST_VALUES } else { 5 };
            let roundings = layout.places.len() * if layers == 0 { n_values } else { 1 } + layout.labels.len() + 1;
            let largest = |values: &[f32]| values.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            let weight = largest(&exact.parameters().tensors[PLACES]);
            // Half a step of each number of an embedding and of its weight.
            let product = |(dimension, table): (&usize, &Vec<f32>)| {
                let half = 1.0 / 254.0;
                let n = if sets { MOST_VALUES } else { 1 };
                (n * dimension) as f32 * largest(table) * weight * (half + (1.0 + half) * half)
            };
            let of_bytes = match (precision, layers) {
                (Precision::I8, 0) => layout.dimensions.iter().zip(&exact.parameters().tensors).map(product).sum(),
                _ => 0.0_f32,
            };
            let rounding = roundings as f32 / 512.0 + layout.places.len() as f32 * of_bytes;
            let (mut farthest, mut n) = (0.0_f32, 0);
            let mut memories = [Opaque::default(), Opaque::default(), Opaque::default()];
            let mut hidden = Hidden::default();
            let mut workspace = Workspace::new(data.actions().n_labels());
            for sentence in 0..3 {
                let mut begun = false;
                walk!(data, sentence, |workspace, machine, context, _memory, item, _choice| {
                    let [of_exact, of_quantised, of_hidden] = &mut memories;
                    if !begun {
                        exact.network_scorer().begin(of_exact, context);
                        quantised.network_scorer().begin(of_quantised, context);
                        exact.network_scorer().begin(of_hidden, context);
                        begun = true;
                    }
                    let permitted = machine.system.permitted(&item.configuration, 0);
                    let query = Query { view: item.view(0), permitted };
                    let scorer = exact.network_scorer();
                    scorer.hidden(of_hidden.get(), context, &query.view, &mut hidden);
                    let Hidden { units, slopes } = &hidden;
                    // How far an activation may go if its sum does.
                    let moved = |unit: usize| match activation {
                        Activation::Relu | Activation::Tanh => rounding,
                        Activation::Cube => {
                            let z = (slopes[unit] / 3.0).sqrt() + rounding;
                            3.0 * z * z * rounding
                        }
                    };
                    let highest =
                        (0..units.len()).fold(0.0_f32, |most, unit| most.max(units[unit].abs() + moved(unit)));
                    let (step, by_byte) = match (precision, activation) {
                        (Precision::I8, Activation::Relu) => (highest / 255.0, true),
                        (Precision::I8, Activation::Tanh) => (1.0 / 127.0, true),
                        (Precision::I8, Activation::Cube) => (highest / 127.0, true),
                        _ => (0.0, false),
                    };
                    let expected = exact.network_scorer().score_one(of_exact, context, &query).to_vec();
                    let found = quantised.network_scorer().score_one(of_quantised, context, &query);
                    for action in 0..data.actions().len() {
                        let weight = |unit: usize| output[unit * n_outputs + action].abs();
                        let largest = (0..units.len()).map(weight).fold(0.0, f32::max);
                        let rounded = if by_byte { largest / 254.0 } else { 0.0 };
                        let term = |unit: usize| {
                            let off = moved(unit) + step / 2.0;
                            off * weight(unit) + (units[unit].abs() + off) * rounded
                        };
                        let bound: f32 = (0..units.len()).map(term).sum();
                        let difference = (found[action] - expected[action]).abs() as f32 / 65536.0;
                        assert!(difference <= bound + 1e-4, "{activation:?}, {precision}: {difference} above {bound}");
                        farthest = farthest.max(difference);
                        n += 1;
                    }
                });
            }
            assert!(farthest > 1e-4 && n > 100, "{activation:?}, {precision}: scores are those of full precision");
        }
    }
}

/// Cached rows of common tokens change no score, whichever sentence they were made for.
#[test]
fn common_tokens_score_as_others_do() {
    let all = [false, true].map(|sets| [Precision::Full, Precision::I16, Precision::I8].map(|bits| (sets, bits)));
    for (sets, precision) in all.concat() {
        let data = data(Activation::Relu, 0, sets);
        let inputs = || data.inputs();
        let tokens = common_tokens(data.network().unwrap().vocabulary(), inputs());
        assert!(tokens.len() > 10, "{}", tokens.len());
        let has_set = |token: &Token| data.examples()[0].input.sets().values(2, &token[2]).len() > 1;
        assert_eq!(tokens.iter().any(has_set), sets);
        let plain = learner(&data);
        let keeping = plain.clone().with_common_tokens(inputs());
        let [plain, keeping] = [&plain, &keeping].map(|one| FeedForwardLearner::finish(&[one]).quantise(precision));
        let mut memories = [Opaque::default(), Opaque::default()];
        let mut workspace = Workspace::new(data.actions().n_labels());
        // The third time all are known.
        for sentence in [0, 1, 2, 0, 1, 2, 0, 1, 2] {
            let mut begun = false;
            walk!(data, sentence, |workspace, machine, context, _memory, item, _choice| {
                let [of_plain, of_keeping] = &mut memories;
                if !begun {
                    plain.network_scorer().begin(of_plain, context);
                    keeping.network_scorer().begin(of_keeping, context);
                    begun = true;
                }
                let permitted = machine.system.permitted(&item.configuration, 0);
                let query = Query { view: item.view(0), permitted };
                let expected = plain.network_scorer().score_one(of_plain, context, &query);
                assert_eq!(keeping.network_scorer().score_one(of_keeping, context, &query), expected, "{precision}");
            });
        }
    }
}
