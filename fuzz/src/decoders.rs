//! Fast decoders against slow ones, on any sentence, feature set, system and width.

use treebeam::decode::merged::Merging;
use treebeam::decode::{Decoder, NO_MARGIN, Parsed, Workspace};
use treebeam::features::{BUILT_IN, FeatureSet};
use treebeam::linear::LinearScorer;
use treebeam::system::{Roots, SystemKind, TransitionSystem};
use treebeam::treebank::{Format, Sentence};
use treebeam::with_system;

use crate::hashed::{Hashed, N_LABELS, actions, compile, reference};

/// The longest sentence.
const MAX_WORDS: usize = 24;

/// The trees and scores of beams of interned states, of greedy decoding and of beams that would merge and cannot are those of the plain
/// beam. The first six bytes choose system, roots, feature set, width, margin and weights; each further one is a word.
pub fn decoder(data: &[u8]) {
    let Some((&[system, roots, set, width, margin, seed], words)) = data.split_first_chunk::<6>() else { return };
    let words = &words[..words.len().min(MAX_WORDS)];
    if words.is_empty() {
        return;
    }
    let kind = SystemKind::all()[usize::from(system) % SystemKind::all().len()];
    let roots = kind.roots()[usize::from(roots) % kind.roots().len()];
    let (set, _) = BUILT_IN[usize::from(set) % BUILT_IN.len()];
    let width = 1 + usize::from(width) % 80;
    let margin = if margin & 1 == 0 { NO_MARGIN } else { i64::from(margin) * 4 };
    let line = |(i, word): (usize, &u8)| format!("{}\tw{}\t_\tT{}\t_\t_\t_\t_\t_\t_\n", i + 1, word & 31, word >> 5);
    let text: String = words.iter().enumerate().map(line).collect();
    let sentence = Sentence::new("fuzz", Format::Conllu, &text).expect("the sentence is well-formed");
    let what = format!("{kind}, {roots:?}, {set}, width {width}, margin {margin}, seed {seed}, {} words", words.len());
    with_system!(kind, roots, |system| check(system, (kind, roots), set, &sentence, (width, margin), seed, &what));
}

fn check<S: TransitionSystem>(
    system: S,
    (kind, roots): (SystemKind, Roots),
    set: &str,
    sentence: &Sentence,
    (width, margin): (usize, i64),
    seed: u8,
    what: &str,
) {
    let (features, actions, weights) = (compile(&system, set), actions(&system), Hashed { seed: seed.into() });
    let scorer = LinearScorer::new(&features, &weights, actions.width());
    let plain = Decoder::new(system, &actions, &scorer);
    let mut workspace = Workspace::new(N_LABELS);
    workspace.input.read(features.columns(), None, sentence);

    let decoder = plain.with_margin(margin);
    let found = decoder.decode_by_beam(&mut workspace, width, width);
    assert!(!found.is_empty() && found.is_sorted_by(|a, b| a.score >= b.score), "{what}");
    assert!(found.iter().all(|parsed| is_tree(parsed, roots)), "{what}: what was found is no tree");
    let (expected, gap) = reference(&decoder, &scorer, &workspace.input, width);
    assert_eq!(found, expected, "{what}: the plainest beam");
    assert_eq!(decoder.largest_gap(&mut workspace, width), gap, "{what}: gap");
    assert_eq!(plain.decode(&mut workspace, 1, 1), plain.decode_by_beam(&mut workspace, 1, 1), "{what}: greedily");

    // Beams that merge are for some systems, and for sets without the last actions.
    let set = FeatureSet::load(set).expect("the set is built in");
    if Merging::new(kind, roots, &set, features.columns()).is_ok()
        && let Ok(histories) = Merging::of_histories(kind, roots)
    {
        let found = plain.decode_by_beam(&mut workspace, width, width);
        let merged = histories.decode(plain.scorer, &actions, &mut workspace, width, width);
        assert_eq!(merged, found, "{what}: nothing to merge");
    }
}

fn is_tree(parsed: &Parsed, roots: Roots) -> bool {
    treebeam::tree::violations(parsed.tree.heads(), roots).is_empty()
}
