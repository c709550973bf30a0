//! Beams that merge against all derivations, against plain beams where nothing is merged, and against the machine that scores
//! their derivations again; with weights that are a hash of the feature and the action.

use bumpalo::Bump;
use std::collections::BTreeMap;
use treebeam::configuration::{Arena, ArenaConfiguration, Interner, SharedConfiguration as _, View};
use treebeam::decode::merged::Merging;
use treebeam::decode::{Buffers, Decoder, Machine, Parsed, Stepper, Workspace};
use treebeam::features::{Columns, Compiled, FeatureSet, Input, WordShape};
use treebeam::learn::{GoldBeam, GoldBeamSettings, GoldSide, MergedGoldBeam, Supervision};
use treebeam::linear::{LinearMemory, LinearScorer};
use treebeam::scorer::{Context, Opaque, Query};
use treebeam::system::{ActionId, Actions, Choice, OverStacks, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, ROOT, Tree};
use treebeam::treebank::{Column, Sentence};

use crate::common::{generated, generated_non_projective};
use crate::decoding::beginning;
use crate::hashed::{Hashed, N_LABELS};

/// All derivations from a configuration on: of each tree the best score.
struct Exhaustive<'t, S> {
    system: S,
    actions: &'t Actions,
    scorer: LinearScorer<'t, Hashed>,
    input: &'t Input,
    memory: LinearMemory,
    /// By heads and labels.
    best: BTreeMap<(Vec<u16>, Vec<u16>), i64>,
    n: usize,
}

impl<S: TransitionSystem> Exhaustive<'_, S> {
    fn search<'a>(&mut self, plain: &S::Plain, shared: S::Shared<'a>, arena: Arena<'a>, tree: &Tree, score: i64) {
        if self.system.is_terminal(plain) {
            let best = self.best.entry((tree.heads().to_vec(), tree.labels().to_vec())).or_insert(i64::MIN);
            *best = score.max(*best);
            self.n += 1;
            return;
        }
        let context = Context { input: self.input, interner: arena.interner(), actions: self.actions };
        let permitted = self.system.permitted(plain, 0);
        let scores = {
            let view = View { cells: shared.cells(0), history: None };
            self.memory.score_plainly(&self.scorer, context, &view).0.to_vec()
        };
        for id in (0..self.actions.len() as ActionId).filter(|&id| self.actions.permits(permitted, id)) {
            let action = self.actions.get(id);
            let mut tree = tree.clone();
            if let Some((head, dependent)) = self.system.arc(plain, 0, action.mv) {
                tree.attach(dependent, head, action.label);
            }
            let plain = self.system.successor(plain, action, ());
            let shared = self.system.successor(&shared, action, arena);
            self.search(&plain, shared, arena, &tree, score + i64::from(scores[id as usize]));
        }
    }
}

/// The score and the tree of a derivation, by the machine; every transition must be permitted.
fn replay<S: TransitionSystem>(decoder: &Decoder<S>, workspace: &mut Workspace, derivation: &[ActionId]) -> Parsed {
    let machine: Machine<S> = decoder.machine;
    let n_words = workspace.input.n_words();
    let (arena, context, scratch) = workspace.begin(decoder.scorer, machine.actions);
    let mut item = machine.initial(arena, n_words);
    for &action in derivation {
        let permitted = machine.system.permitted(&item.configuration, 0);
        assert!(machine.actions.permits(permitted, action));
        let scores = decoder.scorer.score_one(scratch.memory, context, &Query { view: item.view(0), permitted });
        let score = item.score + i64::from(scores[action as usize]);
        item = machine.successor(item, Choice { point: 0, action }, score, false, arena);
    }
    assert!(machine.is_terminal(item));
    Parsed::new(machine.tree(item, n_words), item.score)
}

/// Label 0 for root arcs, and for others as many as are distinguished.
fn actions<S: TransitionSystem>(system: &S, n_of_words: u16) -> Actions {
    let arc_moves = || system.info().moves.iter().copied().filter(|mv| mv.makes_arc());
    let of_words = arc_moves().flat_map(|mv| (1..=n_of_words).map(move |label| (mv, label, false)));
    let from_root = arc_moves().filter(|&mv| system.arc_moves(ROOT, 1).has(mv)).map(|mv| (mv, 0, true));
    Actions::new(system.info().moves, N_LABELS, of_words.chain(from_root)).unwrap()
}

/// A system with features and a sentence.
struct Setting<'t, S> {
    system: S,
    kind: SystemKind,
    roots: Roots,
    set: &'t FeatureSet,
    sentence: &'t Sentence,
    seed: u64,
    n_labels: u16,
}

impl<S: TransitionSystem> Setting<'_, S> {
    /// Calls `check` with the decoder, a workspace with the sentence, what merges by signatures and what by histories.
    fn with(&self, check: impl FnOnce(&Decoder<S>, &LinearScorer<Hashed>, &mut Workspace, [&Merging; 2], &str)) {
        let Setting { system, kind, roots, set, sentence, seed, n_labels } = *self;
        let columns = Columns::of(set, Column::Form, WordShape::AsWritten, Column::Upos);
        let merging = Merging::new(kind, roots, set, &columns).unwrap();
        let histories = Merging::of_histories(kind, roots).unwrap();
        let features = Compiled::new(set, columns, system.info().buffer_is_suffix);
        let (actions, weights) = (actions(&system, n_labels), Hashed { seed });
        let scorer = LinearScorer::new(&features, &weights, actions.width());
        let decoder = Decoder::new(system, &actions, &scorer);
        let mut workspace = Workspace::new(N_LABELS);
        workspace.input = Input::new(features.columns(), sentence);
        let what = format!("{kind}, {roots:?}, {}, {} words, seed {seed}", set.name, sentence.n_words());
        check(&decoder, &scorer, &mut workspace, [&merging, &histories], &what);
    }

    /// A beam of unlimited width finds the best of all derivations, and, if `all`, of every tree its best derivation.
    fn check_exhaustively(&self, all: bool) -> usize {
        let mut n = 0;
        self.with(|decoder, &scorer, workspace, [merging, _], what| {
            let actions = decoder.machine.actions;
            let input = workspace.input.clone();
            let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
            let arena = Arena::new(&bump, &interner);
            let n_words = input.n_words();
            let memory = LinearMemory::default();
            let system = self.system;
            let mut every = Exhaustive { system, actions, scorer, input: &input, memory, best: BTreeMap::new(), n: 0 };
            let tree = Tree::unattached(n_words);
            every.search(&system.initial((), n_words), system.initial(arena, n_words), arena, &tree, 0);
            n = every.n;
            let best = merging.search(decoder.scorer, actions, workspace, usize::MAX, 1);
            assert_eq!(Some(&best[0].1), every.best.values().max(), "{what}");
            let again = replay(decoder, workspace, &best[0].0);
            assert_eq!(again.score, best[0].1, "{what}");
            let parsed = merging.decode(decoder.scorer, actions, workspace, usize::MAX, 1);
            assert_eq!(parsed, [again], "{what}");
            if all {
                let parsed = merging.decode(decoder.scorer, actions, workspace, usize::MAX, usize::MAX);
                assert!(parsed.is_sorted_by(|a, b| a.score >= b.score), "{what}");
                assert_eq!(parsed.len(), every.best.len(), "{what}");
                let found = parsed.iter().map(|p| ((p.tree.heads().to_vec(), p.tree.labels().to_vec()), p.score));
                assert!(found.collect::<BTreeMap<_, _>>() == every.best, "{what}");
            }
        });
        n
    }

    /// A beam that merges nothing is the plain one; in one that merges, derivations have the scores that are reported.
    fn check_beams(&self, n_kept: &mut [usize; 2]) {
        self.with(|decoder, _, workspace, [merging, histories], what| {
            let actions = decoder.machine.actions;
            for width in [1, 2, 3, 4, 8, 20] {
                let plain = decoder.decode_by_beam(workspace, width, usize::MAX);
                let merged = histories.decode(decoder.scorer, actions, workspace, width, usize::MAX);
                assert_eq!(merged, plain, "{what}, width {width}");
                let best = histories.decode(decoder.scorer, actions, workspace, width, 1);
                assert_eq!(best[..], plain[..1], "{what}, width {width}");
                let found = merging.search(decoder.scorer, actions, workspace, width, 30);
                let parsed = merging.decode(decoder.scorer, actions, workspace, width, 30);
                assert!(parsed.is_sorted_by(|a, b| a.score >= b.score), "{what}, width {width}");
                for ((derivation, _), parsed) in found.iter().zip(&parsed) {
                    assert_eq!(&replay(decoder, workspace, derivation), parsed, "{what}, width {width}");
                }
                let distinct = |(i, a): (usize, &Parsed)| parsed[..i].iter().all(|b| a.tree != b.tree);
                assert!(parsed.iter().enumerate().all(distinct), "{what}, width {width}");
                let best = merging.decode(decoder.scorer, actions, workspace, width, 1);
                assert!(!best.is_empty(), "{what}");
                n_kept[0] += plain.len().min(30);
                n_kept[1] += parsed.len();
            }
        });
    }
}

const SYSTEMS: [SystemKind; 3] =
    [treebeam_systems::ARC_STANDARD, treebeam_systems::ARC_HYBRID, treebeam_systems::ARC_EAGER];

/// Every built-in kind of set, and sets that read little: much is merged then.
fn sets(kind: SystemKind) -> Vec<FeatureSet> {
    let own = |name: &str, text: &str| FeatureSet::parse(name, "own.feat", text).unwrap();
    let named = |name: &str| FeatureSet::load_for(name, kind).unwrap();
    vec![
        named("minimal"),
        named("hs10"),
        named("stack"),
        named("zn11"),
        own("tags", "S0.p B0.p\nS1.p S0.p"),
        own("dependents", "S0.p S0.l1.p B0.p\nS1.r2.label S0.l2.label\nS2.p S1.vr B0.sl"),
        own("heads", "S1.h.h.label S0.p\nS0.h.w B0.w\nS2.size S0.size\nS0.leaf B0.leaf S1.w"),
        own("grandchildren", "S0.l1.l1.p S1.r1.r1.label\nS0.r1.p B0.l1.l1.label S0.p\nS1.l1.l1.w S0.r1.r1.p"),
        own("far", "S3.w S2.p S0.p\ndist(S1,B0) S0.p\nS2.l1.p S3.r1.label\nS1.next.p S0.prev.w"),
        own("one", "1"),
    ]
}

fn check_system<S: TransitionSystem>(system: S, kind: SystemKind, roots: Roots) {
    let mut short = generated(5, 2);
    short.extend(generated_non_projective(6, 2));
    let mut n = 0;
    for (seed, sentence) in (0..).zip(&short) {
        for set in &sets(kind) {
            for n_words in 1..=(sentence.n_words() as u16).min(6) {
                let sentence = &beginning(sentence, n_words);
                let n_labels = if n_words <= 4 { 2 } else { 1 };
                let setting = Setting { system, kind, roots, set, sentence, seed, n_labels };
                n += setting.check_exhaustively(n_words <= 4);
            }
        }
    }
    assert!(n > 10_000, "{kind}: {n}");
    let mut n_kept = [0; 2];
    let mut long = generated(7, 3);
    long.extend(generated_non_projective(8, 3));
    for (seed, sentence) in (0..).zip(&long) {
        for set in &sets(kind) {
            let setting = Setting { system, kind, roots, set, sentence, seed, n_labels: 2 };
            setting.check_beams(&mut n_kept);
        }
    }
    assert!(n_kept[1] > n_kept[0], "{n_kept:?}");
}

#[test]
fn merging_beams_of_unlimited_width_are_exhaustive_and_narrow_ones_score_what_they_find() {
    check_all();
}

fn check_all() {
    for roots in [Roots::Single, Roots::Several] {
        for kind in SYSTEMS {
            check_system(kind.over_stacks(roots), kind, roots);
        }
    }
}

/// Follows gold prefixes beside a beam that merges by histories and beside a plain one, which must agree at every step; how many
/// steps there were with gold in the beam and without.
fn follow(system: &'static dyn OverStacks, kind: SystemKind, sentence: &Sentence, width: usize, n: &mut [usize; 2]) {
    let set = FeatureSet::load("zn11").unwrap();
    let roots = Roots::Single;
    let setting = Setting { system, kind, roots, set: &set, sentence, seed: 3, n_labels: 2 };
    setting.with(|decoder, _, workspace, [merging, histories], what| {
        let machine = decoder.machine;
        let gold = gold(sentence);
        let supervision = Supervision { machine, gold: &gold };
        let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
        let derivation = supervision.derivation::<ArenaConfiguration<'_>>(Arena::new(&bump, &interner));
        for gold_side in [GoldSide::Canonical(&derivation), GoldSide::LeastCost] {
            let is_canonical = matches!(gold_side, GoldSide::Canonical(_));
            let settings = GoldBeamSettings::new(supervision, gold_side, width);
            let scorer = decoder.scorer;
            let (arena, context, _) = workspace.begin(scorer, machine.actions);
            let mut scratch = [0; 3].map(|_| (Opaque::default(), Buffers::default()));
            let [a, b, c] = scratch.each_mut().map(|(memory, buffers)| {
                scorer.begin(memory, context);
                Stepper::new(machine, arena, context, (memory, buffers))
            });
            let mut beams = GoldBeam::new(a, settings);
            let mut by_histories = MergedGoldBeam::start(histories, b, settings);
            let mut merged = MergedGoldBeam::start(merging, c, settings);
            while beams.advance(scorer) {
                assert!(by_histories.advance(scorer) && merged.advance(scorer), "{what}");
                let (plain, found, merged) = (beams.scores(), by_histories.scores(), merged.scores());
                assert_eq!((plain.predicted, plain.gold), (found.predicted, found.gold), "{what}");
                // Other gold derivations than those of the gold beam are not followed.
                assert!(plain == found || !is_canonical, "{what}: {plain:?}, {found:?}");
                assert_eq!(merged.gold, plain.gold, "{what}");
                // Gold that is in the beam scores no more than the beam's best item.
                assert!(!merged.gold_in_beam || !is_canonical || merged.predicted >= merged.gold, "{what}");
                n[usize::from(found.gold_in_beam)] += 1;
            }
            assert!(!by_histories.advance(scorer) && !merged.advance(scorer), "{what}");
        }
    });
}

/// A gold tree with the labels of the test's inventory.
fn gold(sentence: &Sentence) -> Gold {
    let mut labels = treebeam::tree::Labels::default();
    let mut tree = sentence.tree(Roots::Several, &mut labels).unwrap();
    for word in sentence.words() {
        let head = tree.head(word);
        tree.attach(word, head, if head == ROOT { 0 } else { 1 + word % 2 });
    }
    Gold::new(tree)
}

#[test]
fn gold_is_followed_as_beside_plain_beams() {
    let mut sentences = generated(9, 6);
    sentences.extend(generated_non_projective(10, 6));
    let mut n = [0; 2];
    for sentence in &sentences {
        for width in [1, 2, 8, 64] {
            let roots = Roots::Single;
            follow(
                treebeam_systems::ARC_STANDARD.over_stacks(roots),
                treebeam_systems::ARC_STANDARD,
                sentence,
                width,
                &mut n,
            );
            follow(
                treebeam_systems::ARC_HYBRID.over_stacks(roots),
                treebeam_systems::ARC_HYBRID,
                sentence,
                width,
                &mut n,
            );
            follow(
                treebeam_systems::ARC_EAGER.over_stacks(roots),
                treebeam_systems::ARC_EAGER,
                sentence,
                width,
                &mut n,
            );
        }
    }
    assert!(n.iter().all(|&n| n > 100), "{n:?}");
}
