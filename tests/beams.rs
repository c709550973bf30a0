//! Beams against the plainest one, which scores every configuration by itself and sorts all successors: for every system, every
//! built-in feature set and some that mix sides and last actions, they find the same trees with the same scores.

use treebeam::decode::{Decoder, NO_MARGIN, Workspace};
use treebeam::features::{BUILT_IN, Columns, Compiled, FeatureSet, WordShape};
use treebeam::linear::{LinearScorer, OutputLayer};
use treebeam::scorer::{Decisions, Stages};
use treebeam::system::{Roots, SystemKind, TransitionSystem};
use treebeam::treebank::{Column, Format, Sentence};
use treebeam::with_system;

use crate::common::generated;
use crate::hashed::{Hashed, N_LABELS, actions, compile, reference};

/// Templates that read several sides of one node, label sets beside other things, conditions, sizes, and nothing at all.
const MIXED: &str = "1
S0.w S0.sl S0.sr
S0.l1.label S0.r1.label
S0.p=NOUN|VERB S0.l1.w B0.w
S0.size S1.size dist(S0,S1)
S0.h.label S0.label B0.sl B1.w
S0.vl
S0.sl
S0.l2.label S0.l1.w
S1.h.h.w S1.r2.label
B2.p S2.p
S0.leaf B0.leaf
";

/// The last four actions beside labels and sets of labels, dependents of dependents, and what is between two lists.
const LAST_ACTIONS: &str = "A1
A2 A1 S0.p
A3 B0.w
A4 A3 A2 A1
A4 S0.l1.label
S0.sl A2
S0.l1.l1.p S0.r1.r1.label A1
S1.l1.l1.label B0.w
M0.p S0.p
1
";

fn compare<S: TransitionSystem>(
    decoder: &Decoder<S>,
    scorer: &LinearScorer<Hashed>,
    columns: &Columns,
    sentences: &[Sentence],
    what: &str,
) {
    let mut workspace = Workspace::new(N_LABELS);
    for (number, sentence) in sentences.iter().enumerate() {
        workspace.input.read(columns, None, sentence);
        for width in [1 + number % 5, 8, 64].into_iter().skip(number % 2).step_by(2) {
            for margin in [NO_MARGIN, 30 * number as i64] {
                let decoder = decoder.with_margin(margin);
                let (expected, gap) = reference(&decoder, scorer, &workspace.input, width);
                let name = decoder.machine.system.info().name;
                let place = format!("{name}, {what}, width {width}, margin {margin}, sentence {number}");
                assert_eq!(decoder.decode_by_beam(&mut workspace, width, width), expected, "{place}");
                assert_eq!(decoder.largest_gap(&mut workspace, width), gap, "{place}");
            }
        }
    }
}

#[test]
fn beams_find_what_the_reference_finds() {
    let sentences = generated(21, 2);
    let parse = |text: &str| FeatureSet::parse("own", "own.feat", text).unwrap();
    for (seed, &kind) in (0..).zip(SystemKind::all()) {
        for &roots in kind.roots() {
            with_system!(kind, roots, |system| {
                let (actions, weights) = (actions(&system), Hashed { seed });
                let compare = |features: &Compiled, scorer: &LinearScorer<Hashed>, what: &str| {
                    compare(&Decoder::new(system, &actions, scorer), scorer, features.columns(), &sentences, what);
                };
                for (set, _) in BUILT_IN {
                    let features = compile(&system, set);
                    compare(&features, &LinearScorer::new(&features, &weights, actions.width()), set);
                }
                for text in [MIXED, LAST_ACTIONS] {
                    let set = parse(text);
                    let columns = Columns::of(&set, Column::Form, WordShape::AsWritten, Column::Upos);
                    let features = Compiled::new(&set, columns, system.info().buffer_is_suffix);
                    compare(&features, &LinearScorer::new(&features, &weights, actions.width()), text);
                }
            });
        }
    }
}

/// Scores of an output layer are the same for a step of a beam and for a configuration by itself.
#[test]
fn beams_of_separate_decisions_are_greedy_at_width_1() {
    let sentences = generated(23, 6);
    for &kind in SystemKind::all() {
        with_system!(kind, kind.roots()[0], |system| {
            let (actions, weights) = (actions(&system), Hashed { seed: 7 });
            let features = compile(&system, "zn11");
            let output = OutputLayer::new(Stages::new(Decisions::Separate, &actions), &[]).unwrap();
            let scorer = LinearScorer::with_output(&features, &weights, &output);
            let decoder = Decoder::new(system, &actions, &scorer);
            let mut workspace = Workspace::new(N_LABELS);
            for sentence in &sentences {
                workspace.input.read(features.columns(), None, sentence);
                let greedy = decoder.decode(&mut workspace, 1, 1);
                assert_eq!(decoder.decode_by_beam(&mut workspace, 1, 1), greedy, "{kind}");
            }
        });
    }
}

/// In a long sentence what is known is forgotten many times over.
#[test]
fn beams_of_long_sentences() {
    let words = generated(22, 120);
    let words = words.iter().flat_map(|sentence| sentence.words().map(move |word| (sentence, word)));
    let line = |(i, (sentence, word)): (usize, (&Sentence, u16))| {
        let (form, tag) = (sentence.form(word), sentence.column(word, Column::Upos));
        format!("{}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n", i + 1)
    };
    let text: String = words.take(800).enumerate().map(line).collect();
    let sentence = Sentence::new("joined", Format::Conllu, &text).unwrap();
    for (kind, set) in [(treebeam_systems::ARC_EAGER, "zn11"), (treebeam_systems::ARC_STANDARD, "stack")] {
        with_system!(kind, Roots::Single, |system| {
            let (features, actions, weights) = (compile(&system, set), actions(&system), Hashed { seed: 4 });
            let scorer = LinearScorer::new(&features, &weights, actions.width());
            let decoder = Decoder::new(system, &actions, &scorer);
            let mut workspace = Workspace::new(N_LABELS);
            workspace.input.read(features.columns(), None, &sentence);
            let (expected, _) = reference(&decoder, &scorer, &workspace.input, 16);
            assert_eq!(decoder.decode_by_beam(&mut workspace, 16, 16), expected, "{kind}");
        });
    }
}
