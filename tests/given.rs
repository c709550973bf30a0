//! Heads and labels that are given, by every parser.

use std::sync::Arc;

use treebeam::decode::Parser;
use treebeam::graph::{self, GraphData, GraphKind, GraphOptions};
use treebeam::learn::{TrainOptions, Training};
use treebeam::parser::{AnyParser, KeepHeads, Loaded, ParseOptions};
use treebeam::random;
use treebeam::system::{Roots, SystemKind};
use treebeam::training::Keep;
use treebeam::tree::violations;
use treebeam::treebank::{Column, Format, Sentence};

use crate::common::{generated, generated_non_projective, train, treebank};

/// The sentences with the heads and labels of some words alone, at random.
fn partial(sentences: &[Sentence], seed: u64, percent: u64) -> Vec<Sentence> {
    let mut stream = random::stream(seed, "given", &[percent]);
    let mut word = |sentence: &Sentence, word| {
        let keep = [(); 2].map(|()| random::below(100, &mut stream) < percent);
        let of = |column, keep: bool| (column, if keep { sentence.column(word, column) } else { "_" });
        let columns = [Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats];
        let kept = [of(Column::Head, keep[0]), of(Column::Deprel, keep[1])];
        columns
            .map(|column| of(column, true))
            .into_iter()
            .chain(kept)
            .map(|(c, v)| (c, v.to_owned()))
            .collect::<Vec<_>>()
    };
    let mut sentence = |sentence: &Sentence| {
        let words: Vec<_> = sentence.words().map(|number| word(sentence, number)).collect();
        Sentence::from_columns("partial", Format::Conllu, words).unwrap()
    };
    sentences.iter().map(&mut sentence).collect()
}

/// Checks that parsed trees have what is given, and are trees.
#[track_caller]
fn assert_kept(model: &Loaded, given: &[Sentence], options: &ParseOptions) {
    let mut parser = AnyParser::new(model, options).unwrap();
    let name = model.system().name();
    for (sentence, best) in given.iter().zip(parser.parse(given).unwrap()) {
        assert!(!best.is_empty() && best.len() <= options.k_best);
        for parsed in best {
            assert_eq!(violations(parsed.tree.heads(), model.roots()), [], "{name}");
            for word in sentence.words() {
                let (head, label) = (sentence.column(word, Column::Head), sentence.deprel(word));
                let found = (parsed.tree.head(word).to_string(), model.labels().name(parsed.tree.label(word)));
                assert!(options.keep_heads.is_none() || head == "_" || head == found.0, "{name} {}", sentence.text());
                assert!(!options.keep_labels || label == "_" || label == found.1, "{name} {}", sentence.text());
            }
        }
    }
}

fn keeping(beam: Option<usize>, k_best: usize) -> ParseOptions {
    ParseOptions { beam, k_best, keep_heads: Some(KeepHeads::All), keep_labels: true, ..ParseOptions::default() }
}

#[test]
fn every_system_keeps_what_is_given() {
    for (seed, &system) in (100..).zip(SystemKind::all()) {
        for &roots in system.roots() {
            let info = system.info();
            let sentences = match info.derives_all || info.name.starts_with("covington") {
                true => generated_non_projective(seed, 46),
                false => generated(seed, 46),
            };
            let options = TrainOptions {
                system,
                roots,
                features: info.features.to_owned(),
                oracle: system.greedy_oracle(),
                iterations: 1.into(),
                ..TrainOptions::default()
            };
            let model = train(&options, &treebank(sentences.clone()));
            let model = Loaded::Transitions(Arc::new(model.into()));
            for percent in [15, 50, 100] {
                let given = partial(&sentences[40..], seed, percent);
                for (beam, k_best) in [(1, 1), (8, 1), (64, 5)] {
                    assert_kept(&model, &given, &keeping(Some(beam), k_best));
                }
                let heads = ParseOptions { keep_labels: false, ..keeping(Some(8), 1) };
                assert_kept(&model, &given, &heads);
                let labels = ParseOptions { keep_heads: None, ..keeping(Some(8), 1) };
                assert_kept(&model, &given, &labels);
            }
            // Nothing is given: the trees are those of free search.
            let open = partial(&sentences[40..], seed, 0);
            for beam in [1, 8] {
                let [kept, free] =
                    [keeping(Some(beam), 1), ParseOptions { beam: Some(beam), ..ParseOptions::default() }]
                        .map(|options| AnyParser::new(&model, &options).unwrap().parse(&open).unwrap());
                assert_eq!(kept, free, "{system}");
            }
        }
    }
}

#[test]
fn graph_based_parsers_keep_what_is_given() {
    for (seed, system) in (200..).zip(GraphKind::LINEAR) {
        for roots in [Roots::Single, Roots::Several] {
            let sentences = generated(seed, 50);
            let options = GraphOptions { system, roots, iterations: 1.into(), ..GraphOptions::default() };
            let data = GraphData::new(&options, &treebank(sentences.clone()), None).unwrap();
            let mut run = graph::start(&options, &data, 1).unwrap();
            run.iterate(&mut |_| ()).unwrap();
            let model = Loaded::Graph(Arc::new(run.model().unwrap()));
            for percent in [15, 50, 100] {
                let given = partial(&sentences[30..], seed, percent);
                for k_best in [1, 4] {
                    assert_kept(&model, &given, &keeping(None, k_best));
                }
            }
        }
    }
}

/// Of trees half of whose arcs are known, every system learns these, greedily and globally, with each of its oracles.
#[test]
fn every_system_learns_of_partial_trees() {
    for (seed, &system) in (300..).zip(SystemKind::all()) {
        let whole = generated(seed, 30);
        let shown = partial(&whole, seed, 50);
        let info = system.info();
        let trainings = info.oracles.iter().map(|&oracle| (oracle, Training::Greedy));
        for (oracle, training) in trainings.chain([(system.beam_oracle(), Training::Global)]) {
            let options = TrainOptions {
                system,
                roots: system.own_roots(Roots::Single),
                features: info.features.to_owned(),
                oracle,
                training,
                beam: 4,
                iterations: 8.into(),
                keep: Keep::Last,
                ..TrainOptions::default()
            };
            let model = train(&options, &treebank(shown.clone()));
            let parsed =
                Parser::new(&model, if training == Training::Global { 4 } else { 1 }, 1).unwrap().parse(&whole, 1);
            let (mut right, mut known) = (0, 0);
            for (sentence, best) in shown.iter().zip(parsed) {
                for word in sentence.words().filter(|&word| sentence.head(word).is_some()) {
                    known += 1;
                    right += usize::from(sentence.head(word) == Some(best[0].tree.head(word)));
                }
            }
            assert!(right * 100 > known * 75, "{system} {oracle} {training}: {right} of {known}");
        }
    }
}
