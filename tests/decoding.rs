//! The decoder against exhaustive search and against the plainest greedy loop, with weights that are a hash of the
//! feature and the action: every feature counts, and no two actions are alike.

use bumpalo::Bump;
use std::collections::{BTreeMap, HashSet};
use treebeam::configuration::{Arena, Interner, Point, SharedConfiguration as _, View};
use treebeam::decode::{Decoder, Parsed, Workspace};
use treebeam::features::{BUILT_IN, Input};
use treebeam::linear::{LinearMemory, LinearScorer};
use treebeam::random;
use treebeam::scorer::{Context, Opaque, Query, Scorer as _};
use treebeam::system::{
    Action, ActionId, Actions, AnySystem, OverPending, Permitted, Roots, SystemKind, TransitionSystem,
};
use treebeam::tree::{NO_LABEL, NO_NODE, ROOT, Tree};
use treebeam::treebank::{Column, Format, Sentence};
use treebeam::with_system;

use crate::common::generated;
use crate::hashed::{Hashed, N_LABELS, actions, compile};

/// Every permitted action of a configuration, at every point.
fn permitted_actions<S: TransitionSystem>(system: &S, actions: &Actions, c: &S::Plain) -> Vec<(Action, ActionId)> {
    let at_point = |point| {
        let permitted = system.permitted(c, point);
        let ids = (0..actions.len() as ActionId).filter(move |&id| actions.permits(permitted, id));
        ids.map(move |id| (actions.get(id).at(point), id))
    };
    (0..system.n_points(c) as Point).flat_map(at_point).collect()
}

/// Effect of `action` on the tree.
fn apply<S: TransitionSystem>(system: &S, c: &S::Plain, action: Action, tree: &mut Tree) {
    for word in system.detached(c, action.point, action.mv).into_iter().flatten() {
        tree.attach(word, NO_NODE, NO_LABEL);
    }
    if let Some((head, dependent)) = system.arc(c, action.point, action.mv) {
        tree.attach(dependent, head, action.label);
    }
}

/// The tree in which every word without a head hangs on the root.
fn completed(mut tree: Tree, actions: &Actions) -> Tree {
    for word in tree.words().filter(|&word| tree.head(word) == NO_NODE).collect::<Vec<_>>() {
        tree.attach(word, ROOT, actions.root_label());
    }
    tree
}

/// The first `n_words` words of a sentence, as a sentence of their own.
pub fn beginning(sentence: &Sentence, n_words: u16) -> Sentence {
    let line = |word: u16| {
        let (form, tag) = (sentence.form(word), sentence.column(word, Column::Upos));
        format!("{word}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n")
    };
    Sentence::new("generated", Format::Conllu, &(1..=n_words).map(line).collect::<String>()).unwrap()
}

/// All derivations of one sentence with their scores, by depth-first search. Plain configurations say what is permitted,
/// configurations in an arena are only scored, without memory. Each comes with its length and with what a transition more
/// of waiting would score.
struct Exhaustive<'t, S> {
    system: S,
    actions: &'t Actions,
    scorer: LinearScorer<'t, Hashed>,
    input: &'t Input,
    memory: LinearMemory,
    found: Vec<(Parsed, usize, i64)>,
}

impl<S: TransitionSystem> Exhaustive<'_, S> {
    fn search<'a>(
        &mut self,
        plain: &S::Plain,
        shared: S::Shared<'a>,
        arena: Arena<'a>,
        tree: &Tree,
        length: usize,
        score: i64,
    ) {
        let context = Context { input: self.input, interner: arena.interner(), actions: self.actions };
        if self.system.is_terminal(plain) {
            let waiting = self.actions.idle().map_or(0, |idle| {
                let view = View { cells: shared.cells(0), history: None };
                let (scores, _) = self.memory.score_plainly(&self.scorer, context, &view);
                i64::from(scores[idle as usize])
            });
            self.found.push((Parsed::new(completed(tree.clone(), self.actions), score), length, waiting));
            return;
        }
        for (action, id) in permitted_actions(&self.system, self.actions, plain) {
            let view = View { cells: shared.cells(action.point), history: None };
            let (scores, _) = self.memory.score_plainly(&self.scorer, context, &view);
            let score = score + i64::from(scores[id as usize]);
            let mut tree = tree.clone();
            apply(&self.system, plain, action, &mut tree);
            let plain = self.system.successor(plain, action, ());
            let shared = self.system.successor(&shared, action, arena);
            self.search(&plain, shared, arena, &tree, length + 1, score);
        }
    }
}

fn unlimited_width_is_exhaustive<S: TransitionSystem>(
    system: S,
    roots: Roots,
    sentence: &Sentence,
    seed: u64,
) -> usize {
    let (features, actions, weights) = (compile(&system, "zn11"), actions(&system), Hashed { seed });
    let input = Input::new(features.columns(), sentence);
    let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
    let arena = Arena::new(&bump, &interner);
    let n_words = sentence.n_words();
    let actions = &actions;
    let scorer = LinearScorer::new(&features, &weights, actions.width());
    let memory = LinearMemory::default();
    let mut all = Exhaustive { system, actions, scorer, input: &input, memory, found: Vec::new() };
    let unattached = Tree::unattached(n_words);
    all.search(&system.initial((), n_words), system.initial(arena, n_words), arena, &unattached, 0, 0);
    let longest = all.found.iter().map(|&(_, length, _)| length).max().unwrap();
    let wait = |(parsed, length, waiting): (Parsed, usize, i64)| Parsed {
        score: parsed.score + (longest - length) as i64 * waiting,
        ..parsed
    };
    let all: Vec<Parsed> = all.found.into_iter().map(wait).collect();

    let mut workspace = Workspace::new(N_LABELS);
    workspace.input.clone_from(&input);
    let decoder = Decoder::new(system, actions, &scorer);
    let decoded = decoder.decode(&mut workspace, usize::MAX, usize::MAX);

    let what = format!("{}, {roots:?}, {n_words} words, seed {seed}", system.info().name);
    assert!(decoded.is_sorted_by(|a, b| a.score >= b.score), "{what}");
    let sorted = |mut parsed: Vec<Parsed>| {
        parsed.sort_by_key(|p| (p.score, p.tree.heads().to_vec(), p.tree.labels().to_vec()));
        parsed
    };
    let best = decoded[0].clone();
    assert_eq!(best.score, all.iter().map(|parsed| parsed.score).max().unwrap(), "{what}");
    assert!(all.contains(&best), "{what}");
    if roots == Roots::Single {
        assert!(decoded.iter().all(|parsed| parsed.tree.n_roots() == 1), "{what}");
    }
    // Not only the best: all of them, with the same trees and scores. Of derivations that are twins at
    // some step only the best is kept, so of those that make one tree some are missing, but never the best.
    let (decoded, found) = (sorted(decoded), sorted(all));
    assert!(decoded.iter().all(|parsed| found.contains(parsed)), "{what}");
    let best_by_tree = |parsed: &[Parsed]| {
        let mut best = BTreeMap::new();
        for parsed in parsed {
            let tree = (parsed.tree.heads().to_vec(), parsed.tree.labels().to_vec());
            let score = best.entry(tree).or_insert(parsed.score);
            *score = (*score).max(parsed.score);
        }
        best
    };
    assert!(best_by_tree(&decoded) == best_by_tree(&found), "{what}: {} of {} derivations", decoded.len(), found.len());

    found.len()
}

fn easy_first(roots: Roots) -> &'static dyn OverPending {
    match treebeam_systems::EASY_FIRST.system(roots) {
        AnySystem::Pending(system) => system,
        other => unreachable!("{other:?} has pending nodes"),
    }
}

#[test]
fn a_beam_of_unlimited_width_finds_every_derivation() {
    let sentences = generated(11, 3);
    for &kind in SystemKind::all() {
        for &roots in kind.roots() {
            let mut n_derivations = 0;
            // Systems that look at every pair of words have millions of derivations for four words, with two stacks for
            // three.
            let longest = match kind.name() {
                "2-planar" => 2,
                "covington" | "covington-nonmonotonic" => 3,
                _ => 4,
            };
            for (seed, sentence) in sentences.iter().enumerate() {
                for n_words in 1..=longest.min(sentence.n_words() as u16) {
                    n_derivations += with_system!(kind, roots, |system| {
                        unlimited_width_is_exhaustive(system, roots, &beginning(sentence, n_words), seed as u64)
                    });
                }
            }
            // Two words have few derivations, whatever the system.
            let least = if kind == treebeam_systems::TWO_PLANAR { 50 } else { 500 };
            assert!(n_derivations > least, "{kind}, {roots:?}: {n_derivations}");
        }
    }
}

/// Takes the best permitted action, the first of them on ties, until the end.
fn greedily<S: TransitionSystem>(decoder: &Decoder<S>, scorer: &LinearScorer<Hashed>, input: &Input) -> Parsed {
    let (system, actions) = (decoder.machine.system, decoder.machine.actions);
    let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
    let arena = Arena::new(&bump, &interner);
    let context = Context { input, interner: &interner, actions };
    let mut memory = LinearMemory::default();
    let mut parsed = Parsed::new(Tree::unattached(input.n_words()), 0);
    let mut plain: S::Plain = system.initial((), input.n_words());
    let mut shared: S::Shared<'_> = system.initial(arena, input.n_words());
    let mut history = None;
    while !system.is_terminal(&plain) {
        let mut best: Option<(i32, Action, ActionId)> = None;
        for (action, id) in permitted_actions(&system, actions, &plain) {
            let view = View { cells: shared.cells(action.point), history };
            let (scores, _) = memory.score_plainly(scorer, context, &view);
            if best.is_none_or(|(highest, ..)| scores[id as usize] > highest) {
                best = Some((scores[id as usize], action, id));
            }
        }
        let (score, action, id) = best.unwrap();
        apply(&system, &plain, action, &mut parsed.tree);
        parsed.score += i64::from(score);
        plain = system.successor(&plain, action, ());
        shared = system.successor(&shared, action, arena);
        history = Some(arena.history(id, history));
    }
    parsed.tree = completed(parsed.tree, actions);
    parsed
}

#[test]
fn a_beam_of_width_1_is_the_greedy_loop() {
    let sentences = generated(12, 30);
    for &kind in SystemKind::all() {
        for &roots in kind.roots() {
            for (set, _) in BUILT_IN {
                with_system!(kind, roots, |system| {
                    let (features, actions, weights) = (compile(&system, set), actions(&system), Hashed { seed: 3 });
                    let scorer = LinearScorer::new(&features, &weights, actions.width());
                    let decoder = Decoder::new(system, &actions, &scorer);
                    let mut workspace = Workspace::new(N_LABELS);
                    for sentence in &sentences {
                        workspace.input.read(features.columns(), None, sentence);
                        let greedy = greedily(&decoder, &scorer, &workspace.input);
                        assert_eq!(decoder.decode(&mut workspace, 1, 2), [greedy], "{kind}, {roots:?}, {set}");
                    }
                });
            }
        }
    }
}

/// A sentence of so many words.
fn joined(n_words: usize) -> Sentence {
    let words: Vec<Sentence> = generated(14, 60);
    let words = words.iter().flat_map(|sentence| sentence.words().map(move |word| (sentence, word)));
    let line = |(i, (sentence, word)): (usize, (&Sentence, u16))| {
        let (form, tag) = (sentence.form(word), sentence.column(word, Column::Upos));
        format!("{}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n", i + 1)
    };
    let text: String = words.take(n_words).enumerate().map(line).collect();
    Sentence::new("joined", Format::Conllu, &text).unwrap()
}

/// Beams find the same trees however often their memory is emptied on the way, and emptying bounds it.
#[test]
fn beams_find_the_same_in_little_memory() {
    const WIDTH: usize = 8;
    for (n_words, room, sets) in [(25, 0, &["zn11+history", "covington"][..]), (140, 1 << 19, &["zn11"])] {
        let sentence = joined(n_words);
        for &kind in SystemKind::all() {
            for (&roots, &set) in kind.roots().iter().flat_map(|roots| sets.iter().map(move |set| (roots, set))) {
                let mut most = [0; 2];
                let found = [usize::MAX, room].map(|room| {
                    with_system!(kind, roots, |system| {
                        let (features, actions, weights) =
                            (compile(&system, set), actions(&system), Hashed { seed: 3 });
                        let scorer = LinearScorer::new(&features, &weights, actions.width());
                        let mut workspace = Workspace { room, ..Workspace::new(N_LABELS) };
                        workspace.input.read(features.columns(), None, &sentence);
                        let decoder = Decoder::new(system, &actions, &scorer);
                        let found = decoder.decode_by_beam(&mut workspace, WIDTH, WIDTH);
                        most[usize::from(room < usize::MAX)] = workspace.bump.allocated_bytes();
                        (found, workspace.n_scored)
                    })
                });
                assert!(found[0] == found[1], "{kind}, {roots:?}, {set}, {n_words} words");
                assert!(room == 0 || most[1] <= 4 * room, "{kind}, {roots:?}: {most:?} bytes");
            }
        }
    }
}

/// Decoding by a heap of points, for local moves, against beams of width 1, also on sentences long enough that the
/// pending list has several blocks.
#[test]
fn decoding_by_points_is_decoding_by_beam() {
    let sentences = [1, 2, 3, 31, 32, 33, 70, 150].map(joined);
    for roots in [Roots::Single, Roots::Several] {
        for set in ["easy-first", "zn11"] {
            for seed in 0..3 {
                let system = easy_first(roots);
                let (features, actions, weights) = (compile(&system, set), actions(&system), Hashed { seed });
                let scorer = LinearScorer::new(&features, &weights, actions.width());
                let decoder = Decoder::new(system, &actions, &scorer);
                let mut workspace = Workspace::new(N_LABELS);
                for sentence in &sentences {
                    workspace.input.read(features.columns(), None, sentence);
                    let by_beam = decoder.decode_by_beam(&mut workspace, 1, 1);
                    assert_eq!(decoder.decode(&mut workspace, 1, 1), by_beam, "{roots:?}, {set}, {seed}");
                }
            }
        }
    }
}

/// Walks at random and compares the two ways of scoring everywhere; how many configurations had been scored before.
fn walk<S: TransitionSystem>(system: S, set: &str, sentence: &Sentence) -> usize {
    let (features, actions, weights) = (compile(&system, set), actions(&system), Hashed { seed: 5 });
    let input = Input::new(features.columns(), sentence);
    let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
    let arena = Arena::new(&bump, &interner);
    let scorer = LinearScorer::new(&features, &weights, actions.width());
    interner.start(scorer.reads());
    let context = Context { input: &input, interner: &interner, actions: &actions };
    let (mut memoising, mut plain) = (Opaque::default(), LinearMemory::default());
    scorer.begin(&mut memoising, context);
    let mut met = HashSet::new();
    let mut n_again = 0;
    for number in 0..40 {
        let mut rng = random::stream(1, "walk", &[number]);
        let mut plain_configuration: S::Plain = system.initial((), input.n_words());
        let mut configuration: S::Shared<'_> = system.initial(arena, input.n_words());
        while !system.is_terminal(&configuration) {
            let permitted = permitted_actions(&system, &actions, &plain_configuration);
            let (action, _) = permitted[random::below(permitted.len() as u64, &mut rng) as usize];
            let view = View { cells: configuration.cells(action.point), history: None };
            let (expected, hashes) = plain.score_plainly(&scorer, context, &view);
            let query = Query { view, permitted: Permitted::default() };
            let scores = scorer.score_one(&mut memoising, context, &query);
            assert_eq!(scores, expected, "{}, {set}", system.info().name);
            n_again += usize::from(!met.insert(hashes.to_vec()));
            plain_configuration = system.successor(&plain_configuration, action, ());
            configuration = system.successor(&configuration, action, arena);
        }
    }
    n_again
}

/// B0 determines the words behind it even if no feature reads B0 itself.
#[test]
fn memoised_scores_are_the_plain_ones_behind_b0() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("behind.feat");
    std::fs::write(&set, "B1.w\nB2.p\nS0.p B1.p\n").unwrap();
    for &kind in SystemKind::all() {
        let system_walk =
            |s: &Sentence| with_system!(kind, kind.roots()[0], |system| walk(system, set.to_str().unwrap(), s));
        let again: usize = generated(13, 2).iter().map(system_walk).sum();
        assert!(again > 10, "{kind}: memory was asked {again} times only");
    }
}

#[test]
fn memoised_scores_are_the_plain_ones() {
    let sentences = generated(13, 4);
    for &kind in SystemKind::all() {
        for (set, _) in BUILT_IN {
            let again: usize =
                sentences.iter().map(|s| with_system!(kind, kind.roots()[0], |system| walk(system, set, s))).sum();
            assert!(again > 100, "{kind}, {set}: memory was asked {again} times only");
        }
    }
}
