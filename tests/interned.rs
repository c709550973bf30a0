//! Beams of interned side states against the reference: for every system that they are for, every built-in feature set and
//! one that mixes sides, they find the same trees with the same scores.

use treebeam::decode::{Decoder, NO_MARGIN, Workspace};
use treebeam::features::{BUILT_IN, Columns, Compiled, FeatureSet, WordShape};
use treebeam::linear::{LinearScorer, OutputLayer};
use treebeam::scorer::{Decisions, Scorer, Stages};
use treebeam::system::{Roots, SystemKind, TransitionSystem};
use treebeam::treebank::{Column, Format, Sentence};
use treebeam::with_system;

use crate::common::generated;
use crate::hashed::{Hashed, N_LABELS, actions, compile};

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

/// Compares the two at these widths; how many sentences were decoded by interned states.
fn compare<S: TransitionSystem, C: Scorer + Copy>(
    decoder: &Decoder<S, C>,
    columns: &Columns,
    sentences: &[Sentence],
    what: &str,
) -> usize {
    let mut workspace = Workspace::new(N_LABELS);
    let mut n = 0;
    for (number, sentence) in sentences.iter().enumerate() {
        workspace.input.read(columns, None, sentence);
        for width in [2 + number % 5, 8, 64, 200].into_iter().skip(number % 2).step_by(2) {
            for margin in [NO_MARGIN, 30 * number as i64] {
                let decoder = decoder.with_margin(margin);
                let reference = decoder.decode_by_beam(&mut workspace, width, width);
                let Some(interned) = decoder.decode_interned(&mut workspace, width, width) else { continue };
                let place = format!(
                    "{}, {what}, width {width}, margin {margin}, sentence {number}",
                    decoder.machine.system.info().name
                );
                assert_eq!(interned, reference, "{place}");
                assert_eq!(decoder.lag(&mut workspace, width), decoder.lag_by_beam(&mut workspace, width), "{place}");
                n += 1;
            }
        }
    }
    n
}

#[test]
fn interned_beams_find_what_the_reference_finds() {
    let sentences = generated(21, 4);
    let mixed = FeatureSet::parse("mixed", "mixed.feat", MIXED).unwrap();
    let columns = Columns::of(&mixed, Column::Form, WordShape::AsWritten, Column::Upos);
    for (seed, &kind) in (0..).zip(SystemKind::all()) {
        for &roots in kind.roots() {
            let n = with_system!(kind, roots, |system| {
                let actions = actions(&system);
                let weights = Hashed { seed };
                let mut n = 0;
                for (set, _) in BUILT_IN {
                    let features = compile(&system, set);
                    let scorer = LinearScorer::new(&features, &weights, actions.width());
                    n += compare(&Decoder::new(system, &actions, scorer), features.columns(), &sentences, set);
                }
                let features = Compiled::new(&mixed, columns.clone(), system.info().buffer_is_suffix);
                let scorer = LinearScorer::new(&features, &weights, actions.width());
                n += compare(&Decoder::new(system, &actions, scorer), &columns, &sentences, "mixed");
                let output = OutputLayer::new(Stages::new(Decisions::Separate, &actions), &[]).unwrap();
                let scorer = LinearScorer::with_output(&features, &weights, &output);
                n + compare(&Decoder::new(system, &actions, scorer), &columns, &sentences, "separate decisions")
            });
            let others = [treebeam_systems::EASY_FIRST, treebeam_systems::TWO_PLANAR];
            let has_stack = !kind.name().starts_with("covington") && !others.contains(&kind);
            assert_eq!(n > 40, has_stack, "{kind}, {roots:?}: {n}");
        }
    }
}

/// In a long sentence what is known is forgotten many times over.
#[test]
fn interned_beams_of_long_sentences() {
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
            let decoder = Decoder::new(system, &actions, LinearScorer::new(&features, &weights, actions.width()));
            let mut workspace = Workspace::new(N_LABELS);
            workspace.input.read(features.columns(), None, &sentence);
            let reference = decoder.decode_by_beam(&mut workspace, 16, 16);
            assert_eq!(decoder.decode_interned(&mut workspace, 16, 16), Some(reference), "{kind}");
        });
    }
}
