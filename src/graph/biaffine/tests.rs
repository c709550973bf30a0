//! The network against a plain one in double precision, whose loss tests differences of; trees and probabilities; files.

use std::path::Path;

use super::gradient::{GoldSentence, gradients};
use super::layout::BiaffineLayout;
use super::learner::BiaffineLearner;
use super::score::Reading;
use super::tensors::{self, *};
use crate::features::N_COLUMNS;
use crate::graph::decoders::Parses as _;
use crate::graph::learn::GraphSetup;
use crate::graph::{self, ArcSide, GraphData, GraphKind, GraphModel, GraphOptions, GraphParser, GraphScorer};
use crate::model::Averaged as _;
use crate::neural::Noise;
use crate::neural::optimiser::OptimiserRule;
use crate::neural::plain::{self, add_product, check_gradients, embeddings, enlarged, factors, wide};
use crate::process::thread_pool;
use crate::tree::{Node, Roots, Tree, is_projective, violations};
use crate::treebank::{Format, Treebank, generate};
use std::sync::Arc;

fn treebank(seed: u64, n_sentences: usize) -> Treebank {
    let sentences =
        generate::sentences(generate::GeneratorOptions { seed, n_sentences, non_projective: true }).collect();
    Treebank::of_sentences(Path::new("generated"), Format::Conllu, sentences)
}

fn options(system: GraphKind) -> GraphOptions {
    let units = Some(6);
    let dropout = Some(0.25);
    GraphOptions { lstm_units: Some(5), arc_units: units, label_units: Some(4), dropout, ..GraphOptions::of(system) }
}

/// A learner whose numbers are larger than those that training begins with, so that units differ.
fn learner(data: &GraphData) -> BiaffineLearner {
    let network = data.header().network.clone().unwrap();
    let vocabulary = data.vocabulary().unwrap();
    let layout = BiaffineLayout::new(network, vocabulary.clone(), data.inventory(), data.header().labels.len());
    let parameters = enlarged(tensors::random(&layout, 3), 2.0, 0.4);
    let noise = Noise::new(4, vocabulary, data.examples().iter().map(|(input, _)| input));
    let rule = OptimiserRule { learner: crate::linear::Learner::Adam, rate: 0.01, second: 0.99, n_steps: Some(100) };
    BiaffineLearner::new(Arc::new(layout), parameters, rule, noise, 0.25)
}

fn examples(data: &GraphData, n: usize) -> Vec<GoldSentence<'_>> {
    data.examples()[..n].iter().map(|(input, tree)| (input, tree)).collect()
}

/// The loss of a sentence, written down as the formulas have it.
fn plain_loss(layout: &BiaffineLayout, tensors: &[Vec<f64>], reading: &Reading, gold: &Tree, dropout: f32) -> f64 {
    let (network, sentence, n) = (&layout.network, &reading.sentence, reading.n());
    let noise = |layer: usize, numbers: &mut [f32]| sentence.mask_within(layer, numbers);
    let encoder = [0, 1, 2].map(|number| &tensors[ENCODER + number][..]);
    let embeddings = embeddings(sentence, tensors, &network.dimensions);
    let mut encoded = plain::encode(network.shape(), encoder, &embeddings, &noise);
    let of_outputs = factors(sentence.vectors().len(), |numbers| noise(network.encoder.layers, numbers));
    encoded.iter_mut().flatten().zip(&of_outputs).for_each(|(x, factor)| *x *= factor);
    let width = network.width();
    let of_units = factors(n * width, |numbers| sentence.noise.unwrap().mask_units(dropout, numbers));
    let units = encoded.iter().zip(of_units.chunks_exact(width)).map(|(vector, factors)| {
        let mut sums = tensors[UNITS_BIAS].clone();
        add_product(vector, &tensors[UNITS], &mut sums);
        let unit = |(sum, factor): (&f64, &f64)| (if *sum > 0.0 { *sum } else { 0.1 * sum }) * factor;
        sums.iter().zip(factors).map(unit).collect()
    });
    let units: Vec<Vec<f64>> = units.collect();
    let (arc, label, n_outputs) = (network.arc_units, network.label_units, layout.n_outputs());
    let of_arc = |head: usize, dependent: usize| -> f64 {
        let (d, h) = (&units[dependent][..arc], &units[head][arc..2 * arc]);
        let form = (0..arc).flat_map(|i| (0..arc).map(move |j| (i, j)));
        let form: f64 = form.map(|(i, j)| d[i] * tensors[ARCS][i * arc + j] * h[j]).sum();
        form + h.iter().zip(&tensors[ARCS_HEADS]).map(|(h, u)| h * u).sum::<f64>()
    };
    let of_label = |head: usize, dependent: usize, output: usize| -> f64 {
        let (d, h) = (&units[dependent][2 * arc..2 * arc + label], &units[head][2 * arc + label..]);
        let form = (0..label).flat_map(|i| (0..label).map(move |j| (i, j)));
        let form: f64 = form.map(|(i, j)| d[i] * tensors[LABELS][(i * label + j) * n_outputs + output] * h[j]).sum();
        let linear = (0..label).map(|i| {
            h[i] * tensors[LABELS_HEADS][i * n_outputs + output]
                + d[i] * tensors[LABELS_DEPENDENTS][i * n_outputs + output]
        });
        form + linear.sum::<f64>() + tensors[LABELS_BIAS][output]
    };
    let loss = |scores: &[f64], gold: f64| scores.iter().map(|score| score.exp()).sum::<f64>().ln() - gold;
    let of_word = |word: Node| {
        let (dependent, head) = (word as usize, gold.head(word) as usize);
        let heads: Vec<f64> = (0..n).filter(|&head| head != dependent).map(|head| of_arc(head, dependent)).collect();
        let side = &layout.masks[ArcSide::of(head as Node, word) as usize];
        let permitted = (0..n_outputs).filter(|&output| side[output] == 0);
        let labels: Vec<f64> = permitted.map(|output| of_label(head, dependent, output)).collect();
        loss(&heads, of_arc(head, dependent)) + loss(&labels, of_label(head, dependent, gold.label(word) as usize))
    };
    gold.words().map(of_word).sum()
}

#[test]
fn gradients_are_differences_of_the_loss() {
    let treebank = treebank(5, 12);
    let options = options(GraphKind::Biaffine);
    let data = GraphData::new(&options, &treebank, None).unwrap();
    let learner = learner(&data);
    let layout = learner.layout();
    let batch = examples(&data, 4);
    let inputs: Vec<_> = batch.iter().map(|(input, _)| *input).collect();
    let readings = learner.scoring().read(&inputs);
    let found = gradients(learner.scoring(), &layout.masks, &batch);
    let n_words: usize = inputs.iter().map(|input| input.n_words()).sum();
    let loss = |tensors: &[Vec<f64>]| -> f64 {
        let all = readings.iter().zip(&batch);
        all.map(|(reading, (_, gold))| plain_loss(layout, tensors, reading, gold, 0.25)).sum()
    };
    let parameters = &learner.optimiser.parameters;
    let expected = loss(&parameters.tensors.iter().map(|tensor| wide(tensor)).collect::<Vec<_>>());
    assert!((found.loss / expected - 1.0).abs() < 1e-4, "{} instead of {expected}", found.loss);
    let mean = |tensors: &[Vec<f64>]| loss(tensors) / n_words as f64;
    let largest = check_gradients(&found.gradients, parameters, &layout.network.dimensions, (10, 0.01), mean);
    assert!(largest.iter().all(|slope| *slope > 0.0), "{largest:?}");
}

#[test]
fn neither_company_nor_threads_matter() {
    let treebank = treebank(6, 20);
    let options = options(GraphKind::Biaffine);
    let data = GraphData::new(&options, &treebank, None).unwrap();
    let learner = learner(&data);
    let batch = examples(&data, 9);
    let [one, two] = [1, 2].map(|threads| {
        let pool = thread_pool(threads).unwrap();
        pool.install(|| gradients(learner.scoring(), &learner.layout().masks, &batch))
    });
    assert!(one.gradients == two.gradients && one.n_wrong == two.n_wrong);
    let inputs: Vec<_> = batch.iter().map(|(input, _)| *input).collect();
    for (input, together) in inputs.iter().zip(learner.scoring().read(&inputs)) {
        let alone = learner.scoring().read(&[input]).swap_remove(0);
        assert_eq!((&alone.units, &alone.sentence.ids), (&together.units, &together.sentence.ids));
    }
}

/// Probabilities of heads and labels add up to 1, and trees are trees whose scores are the logarithms of their probabilities.
#[test]
fn trees_are_as_probable_as_they_say() {
    let treebank = treebank(7, 20);
    for (system, roots) in [
        (GraphKind::Biaffine, Roots::Single),
        (GraphKind::BiaffineProjective, Roots::Single),
        (GraphKind::Biaffine, Roots::Several),
        (GraphKind::BiaffineProjective, Roots::Several),
    ] {
        let options = GraphOptions { roots, ..options(system) };
        let data = GraphData::new(&options, &treebank, None).unwrap();
        let learner = learner(&data);
        let finished = BiaffineLearner::finish(&[&learner]);
        let scoring = finished.scoring();
        let inputs: Vec<_> = data.examples().iter().map(|(input, _)| input).collect();
        let readings = scoring.read(&inputs);
        let sentences: Vec<_> = inputs.iter().map(|&input| (input, None)).collect();
        let [best, five] = [1, 5].map(|k| finished.k_best(&mut Default::default(), data.search(), &sentences, k));
        for ((reading, best), five) in readings.iter().zip(&best).zip(&five) {
            let (arcs, labels) = (scoring.arcs(reading).scores, scoring.labels(reading));
            let logarithm = |tree: &Tree| -> f64 {
                let share = |scores: Vec<f64>, at: f64| at - scores.iter().map(|score| score.exp()).sum::<f64>().ln();
                let of_word = |word: Node| {
                    let row = &arcs[word as usize * reading.n()..][..reading.n()];
                    let others = row.iter().enumerate().filter(|&(head, _)| head != word as usize);
                    let heads = others.map(|(_, &score)| f64::from(score)).collect();
                    let head = tree.head(word);
                    let scores = scoring.of_labels(&labels, word, head as usize..head as usize + 1);
                    let mask = &finished.layout().masks[ArcSide::of(head, word) as usize];
                    let permitted = scores.iter().zip(mask).filter(|(_, mask)| **mask == 0);
                    let permitted = permitted.map(|(&score, _)| f64::from(score)).collect();
                    assert_eq!(mask[tree.label(word) as usize], 0);
                    share(heads, f64::from(row[head as usize]))
                        + share(permitted, f64::from(scores[tree.label(word) as usize]))
                };
                tree.words().map(of_word).sum()
            };
            assert_eq!((&best[0].tree, best[0].score), (&five[0].tree, five[0].score));
            assert!(five.is_sorted_by(|a, b| a.score >= b.score) && five.len() > 1);
            for (place, parsed) in five.iter().enumerate() {
                assert_eq!(violations(parsed.tree.heads(), roots), []);
                assert!(!system.is_projective() || is_projective(&parsed.tree));
                assert!(five[..place].iter().all(|other| other.tree != parsed.tree));
                let (found, expected) = (parsed.score as f64 / 65536.0, logarithm(&parsed.tree));
                assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{found} instead of {expected}");
            }
        }
    }
}

/// A run that goes on from a checkpoint makes the same bytes, with other numbers of threads, too; what is read parses as what was written.
#[test]
fn runs_are_resumed_and_models_read() {
    let folder = tempfile::tempdir().unwrap();
    let (train, dev) = (treebank(8, 40), treebank(9, 10));
    let options = GraphOptions { iterations: 3.into(), batch: Some(4), ..options(GraphKind::Biaffine) };
    let data = GraphData::new(&options, &train, Some(&dev)).unwrap();
    let mut whole = graph::start(&options, &data, 1).unwrap();
    let checkpoint = folder.path().join("checkpoint");
    whole.iterate(&mut |_| ()).unwrap();
    whole.save(&checkpoint).unwrap();
    let mut resumed = graph::start(&options, &data, 2).unwrap();
    resumed.load(&checkpoint).unwrap();
    for run in [&mut whole, &mut resumed] {
        while !run.is_done() {
            run.iterate(&mut |_| ()).unwrap();
        }
    }
    let [whole, resumed] = [whole, resumed].map(|run| run.model().unwrap());
    let bytes = whole.to_bytes();
    assert!(bytes == resumed.to_bytes());
    let other = GraphOptions { seed: 2, ..options.clone() };
    let other = GraphData::new(&other, &train, Some(&dev)).unwrap();
    let message = graph::start(&options, &other, 1).unwrap().load(&checkpoint).unwrap_err().to_string();
    assert!(message.contains("with --seed 1 instead of 2"), "{message}");

    let read = GraphModel::from_bytes(&bytes, Path::new("model")).unwrap();
    assert!(bytes == read.to_bytes());
    let parse =
        |model: &GraphModel, threads, k| GraphParser::new(model, threads).unwrap().k_best(&dev.sentences, k).unwrap();
    for k in [1, 3] {
        let [a, b, c] = [parse(&whole, 1, k), parse(&read, 1, k), parse(&read, 2, k)];
        let scores = |all: &[Vec<crate::decode::Parsed>]| -> Vec<(Tree, i64)> {
            all.iter().flatten().map(|parsed| (parsed.tree.clone(), parsed.score)).collect()
        };
        assert!(scores(&a) == scores(&b) && scores(&a) == scores(&c));
    }
    // A header of another parser, or a network of other sizes than its tensors have, is refused.
    let forged = |change: &dyn Fn(&mut GraphModel)| {
        let mut forged = whole.clone();
        change(&mut forged);
        GraphModel::from_bytes(&forged.to_bytes(), Path::new("forged")).unwrap_err().to_string()
    };
    assert!(forged(&|model| model.header.system = GraphKind::Mst).contains("another kind of scorer"));
    let message = forged(&|model| model.header.network.as_mut().unwrap().arc_units = 7);
    assert!(message.contains("the network's units are"), "{message}");
    assert!(forged(&|model| model.header.network.as_mut().unwrap().label_units = 0).contains("a layer of 0 numbers"));
    let GraphScorer::Biaffine(network) = &whole.scorer else { panic!("the model is of another kind") };
    assert_eq!(network.vocabulary().len(N_COLUMNS - 1), data.vocabulary().unwrap().len(N_COLUMNS - 1));
}

/// Words begin with their vectors, and those that only the file has are known.
#[test]
fn words_begin_with_their_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.vec");
    let treebank = treebank(8, 10);
    let word = treebank.sentences[0].form(1);
    std::fs::write(&path, format!("{word} 1 2 -3\nunseenword 4 5 6\n")).unwrap();
    let options = GraphOptions { vectors: Some(path.display().to_string()), ..options(GraphKind::Biaffine) };
    let data = GraphData::new(&options, &treebank, None).unwrap();
    assert_eq!(data.header().network.as_ref().unwrap().dimensions[0], 3);
    assert_eq!(data.header().provenance.vectors.as_ref().unwrap().covered, 1);
    let learner = GraphSetup { options: &options, data: &data }.biaffine().unwrap();
    let columns = data.header().columns();
    let embedding = |word: &str| {
        let number = data.vocabulary().unwrap().id(0, columns.word(word)) as usize;
        learner.optimiser.parameters.tensors[0][3 * number..][..3].to_vec()
    };
    assert_eq!([embedding(word), embedding("unseenword")], [vec![1.0, 2.0, -3.0], vec![4.0, 5.0, 6.0]]);
    let message = GraphData::new(&GraphOptions { word_units: Some(2), ..options.clone() }, &treebank, None);
    assert!(message.unwrap_err().to_string().contains("vectors of 3 numbers; expected 2, as --word-units says"));
}
