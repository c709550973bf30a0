//! Exact search against all derivations, against beams of unlimited width, and against the machine that scores its
//! derivations again; with weights that are a hash of the feature and the action.

use bumpalo::Bump;
use treebeam::configuration::{Arena, ArenaConfiguration, Interner, SharedConfiguration as _, View};
use treebeam::decode::exact::{Loss, Tabulation};
use treebeam::decode::{Decoder, Machine, Workspace};
use treebeam::features::{Compiled, FeatureSet, Input};
use treebeam::linear::{LinearMemory, LinearScorer};
use treebeam::model::Marginals;
use treebeam::scorer::{Context, Query};
use treebeam::system::{ActionId, Actions, Choice, Move, Permitted, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, NO_NODE, Node, Tree};

use crate::common::{generated, generated_non_projective};
use crate::decoding::beginning;
use crate::hashed::{Hashed, N_LABELS, actions, compile};

/// The highest score of all derivations from a configuration on, by depth-first search. Labels change nothing that is read
/// later, so of each move the best label alone is followed.
struct Exhaustive<'t, S> {
    system: S,
    actions: &'t Actions,
    scorer: LinearScorer<'t, Hashed>,
    input: &'t Input,
    memory: LinearMemory,
    loss: Option<(&'t Gold, i64)>,
}

/// Of each word that has a head, that head and the scores of its labels there.
type Arcs = Vec<(Node, (Node, Vec<(i64, u16)>))>;

impl<S: TransitionSystem> Exhaustive<'_, S> {
    /// The moves that are permitted, each with the scores of its actions.
    fn moves<'a>(
        &mut self,
        plain: &S::Plain,
        shared: &S::Shared<'a>,
        arena: Arena<'a>,
    ) -> Vec<(Move, Vec<(i64, ActionId)>)> {
        let context = Context { input: self.input, interner: arena.interner(), actions: self.actions };
        let permitted = self.system.permitted(plain, 0);
        let scores = {
            let view = View { cells: shared.cells(0), history: None };
            self.memory.score_plainly(&self.scorer, context, &view).0.to_vec()
        };
        let of_move = |mv: Move| {
            let lost = |label| match (self.loss, self.system.arc(plain, 0, mv)) {
                (Some((gold, weight)), Some((head, word))) => {
                    weight * if gold.head(word) == head { i64::from(gold.label(word) != label) } else { 2 }
                }
                _ => 0,
            };
            let ids = self.actions.of_move(mv).filter(|&id| self.actions.permits(permitted, id));
            let scored = ids.map(|id| (i64::from(scores[id as usize]) + lost(self.actions.get(id).label), id));
            (mv, scored.collect())
        };
        permitted.moves.iter().map(of_move).collect()
    }

    fn best<'a>(&mut self, plain: &S::Plain, shared: S::Shared<'a>, arena: Arena<'a>) -> (i64, usize) {
        if self.system.is_terminal(plain) {
            return (0, 1);
        }
        let (mut best, mut n) = (i64::MIN, 0);
        for (_, scored) in self.moves(plain, &shared, arena) {
            let (score, id) = scored.into_iter().max_by_key(|&(score, _)| score).unwrap();
            let action = self.actions.get(id);
            let (rest, found) = self.best(
                &self.system.successor(plain, action, ()),
                self.system.successor(&shared, action, arena),
                arena,
            );
            best = best.max(score + rest);
            n += found;
        }
        (best, n)
    }

    /// Appends the score and the arcs of every derivation that goes on from here, as far as it has come.
    fn all<'a>(
        &mut self,
        (plain, shared): (&S::Plain, S::Shared<'a>),
        arena: Arena<'a>,
        (score, arcs): (i64, Arcs),
        found: &mut Vec<(i64, Arcs)>,
    ) {
        if self.system.is_terminal(plain) {
            found.push((score, arcs));
            return;
        }
        for (mv, scored) in self.moves(plain, &shared, arena) {
            let (best, id) = scored.iter().copied().max_by_key(|&(score, _)| score).unwrap();
            let mut arcs = arcs.clone();
            if let Some((head, word)) = self.system.arc(plain, 0, mv) {
                let labels = scored.iter().map(|&(score, id)| (score, self.actions.get(id).label)).collect();
                arcs.push((word, (head, labels)));
            }
            let action = self.actions.get(id);
            let next = (&self.system.successor(plain, action, ()), self.system.successor(&shared, action, arena));
            self.all(next, arena, (score + best, arcs), found);
        }
    }
}

/// Marginals against sums over all derivations.
fn check_marginals<S: TransitionSystem>(
    system: S,
    (kind, roots): (SystemKind, Roots),
    input: &Input,
    loss: Option<Loss>,
    Setting { set, features, actions, weights }: &Setting,
) {
    let scorer = LinearScorer::new(features, *weights, actions.width());
    let tabulation = Tabulation::new(kind, roots, set).unwrap();
    let mut workspace = Workspace::new(N_LABELS);
    workspace.input.clone_from(input);
    let n_words = input.n_words();
    let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
    let arena = Arena::new(&bump, &interner);
    let (memory, pair) = (LinearMemory::default(), loss.map(|loss| (loss.gold, loss.weight)));
    let mut exhaustive = Exhaustive {
        system,
        actions,
        scorer: LinearScorer::new(features, *weights, actions.width()),
        input,
        memory,
        loss: pair,
    };
    let (mut all, initial) = (Vec::new(), (&system.initial((), n_words), system.initial(arena, n_words)));
    exhaustive.all(initial, arena, (0, Vec::new()), &mut all);
    let highest = all.iter().map(|&(score, _)| score).max().unwrap();
    for (heads, labels) in [(5.0, 5.0), (40.0, 9.0), (2.0, 30.0)] {
        let weights: Vec<f64> = all.iter().map(|(score, _)| ((score - highest) as f64 / heads).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let mut sums = vec![0.0; n_words];
        // Every head of every word, whatever tree that would be, and each of three labels.
        for head in 0..=n_words as Node {
            for label in 0..N_LABELS as u16 {
                let head_of = |word: Node| if word == head { NO_NODE } else { head };
                let heads_of: Vec<Node> = (1..=n_words as Node).map(head_of).collect();
                let tree = Tree::new(&heads_of, &vec![label; n_words]);
                let of = (&tree, Marginals::of_temperatures(heads, labels));
                let found = tabulation.confidences(&scorer, actions, &mut workspace, loss, of);
                for (word, found) in tree.words().zip(found).filter(|&(word, _)| word != head) {
                    let (mut with_head, mut with_both) = (0.0, 0.0);
                    for ((_, arcs), weight) in all.iter().zip(&weights) {
                        let Some((_, (_, scored))) = arcs.iter().find(|arc| arc.0 == word && arc.1.0 == head) else {
                            continue;
                        };
                        let highest = scored.iter().map(|scored| scored.0).max().unwrap();
                        let share = |of: &dyn Fn(u16) -> bool| -> f64 {
                            let scored = scored.iter().filter(|scored| of(scored.1));
                            scored.map(|scored| ((scored.0 - highest) as f64 / labels).exp()).sum()
                        };
                        with_head += weight / whole;
                        with_both += weight / whole * share(&|other| other == label) / share(&|_| true);
                    }
                    assert!((found.head - with_head).abs() < 1e-5, "{}: {found:?} {with_head}", system.info().name);
                    let of_label = if with_head > 0.0 { with_both / with_head } else { 0.0 };
                    assert!((found.label - of_label).abs() < 1e-4 || with_head < 1e-6, "{found:?} {of_label}");
                    sums[usize::from(word) - 1] += if label == 0 { found.head } else { 0.0 };
                }
            }
        }
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
    }
}

/// The score and the tree of a derivation, by the machine; every transition must be permitted.
fn replay<S: TransitionSystem>(decoder: &Decoder<S>, workspace: &mut Workspace, derivation: &[Choice]) -> (i64, Tree) {
    let machine: Machine<S> = decoder.machine;
    let n_words = workspace.input.n_words();
    let (arena, context, scratch) = workspace.begin(decoder.scorer, machine.actions);
    let mut item = machine.initial(arena, n_words);
    for &choice in derivation {
        let permitted: Permitted = machine.system.permitted(&item.configuration, 0);
        assert!(machine.actions.permits(permitted, choice.action));
        let scores = decoder.scorer.score_one(scratch.memory, context, &Query { view: item.view(0), permitted });
        let score = item.score + i64::from(scores[choice.action as usize]);
        item = machine.successor(item, choice, score, false, arena);
    }
    assert!(machine.is_terminal(item));
    (item.score, machine.tree(item, n_words))
}

struct Setting<'t> {
    set: &'t FeatureSet,
    features: &'t Compiled,
    actions: &'t Actions,
    weights: &'t Hashed,
}

/// Checks one sentence; the number of its derivations without labels.
fn check<S: TransitionSystem>(
    system: S,
    kind: SystemKind,
    roots: Roots,
    input: &Input,
    gold: &Gold,
    Setting { set, features, actions, weights }: &Setting,
) -> usize {
    let scorer = LinearScorer::new(features, *weights, actions.width());
    let tabulation = Tabulation::new(kind, roots, set).unwrap();
    let mut workspace = Workspace::new(N_LABELS);
    workspace.input.clone_from(input);
    let n_words = input.n_words();
    let mut found = 0;
    let weights = [None, Some(40), Some(-40), Some(-(1 << 40))];
    // Longer sentences have too many derivations to look at all of them so often.
    for &weight in if n_words <= 4 { &weights[..] } else { &weights[..1] } {
        let what = format!("{}, {roots:?}, {} words, {}, loss {weight:?}", system.info().name, n_words, set.name);
        let loss = weight.map(|weight| Loss { gold, weight });
        let (derivation, score) = tabulation.search(&scorer, actions, &mut workspace, loss);
        let (bump, interner) = (Bump::new(), Interner::new(N_LABELS));
        let arena = Arena::new(&bump, &interner);
        let memory = LinearMemory::default();
        let loss = weight.map(|weight| (gold, weight));
        let mut all = Exhaustive { system, actions, scorer, input, memory, loss };
        let (best, n) = all.best(&system.initial((), n_words), system.initial(arena, n_words), arena);
        assert_eq!(score, best, "{what}");
        let decoder = Decoder::new(system, actions, &scorer);
        let (again, tree) = replay(&decoder, &mut workspace, &derivation);
        let lost = |word: Node| match gold.head(word) == tree.head(word) {
            true => i64::from(gold.label(word) != tree.label(word)),
            false => 2,
        };
        let lost = weight.unwrap_or(0) * tree.words().map(lost).sum::<i64>();
        assert_eq!(again + lost, score, "{what}");
        if weight.is_none() {
            let parsed = tabulation.decode(&scorer, actions, &mut workspace);
            assert_eq!((parsed.score, &parsed.tree), (score, &tree), "{what}");
            if n_words <= 4 {
                let beam = decoder.decode(&mut workspace, usize::MAX, 1).swap_remove(0);
                assert_eq!(beam.score, score, "{what}");
            }
        }
        found = n;
    }
    found
}

/// A gold tree with the labels of the test's inventory.
fn gold(sentence: &treebeam::treebank::Sentence, n_words: u16) -> Gold {
    let mut labels = treebeam::tree::Labels::default();
    let tree = sentence.tree(Roots::Several, &mut labels).unwrap();
    let mut cut = Tree::unattached(n_words.into());
    for word in 1..=n_words {
        let head = Some(tree.head(word)).filter(|&head| head <= n_words && head != NO_NODE).unwrap_or(0);
        cut.attach(word, head, if head == 0 { 0 } else { 1 + word % 2 });
    }
    Gold::new(cut)
}

fn check_system<S: TransitionSystem>(system: S, kind: SystemKind, roots: Roots, sets: &[&str]) {
    let mut sentences = generated(5, 1);
    sentences.extend(generated_non_projective(6, 1));
    let actions = actions(&system);
    for (seed, sentence) in (0..).zip(&sentences) {
        for n_words in 1..=(sentence.n_words() as u16).min(6) {
            for set in if n_words <= 4 { sets } else { &sets[..1] } {
                let weights = Hashed { seed };
                let set = match *set {
                    "minimal" => FeatureSet::load_for("minimal", kind).unwrap(),
                    text => FeatureSet::parse("own", "own.feat", text).unwrap(),
                };
                let features = {
                    let columns = compile(&system, "minimal").columns().clone();
                    Compiled::new(&set, columns, system.info().buffer_is_suffix)
                };
                let input = Input::new(features.columns(), &beginning(sentence, n_words));
                let setting = Setting { set: &set, features: &features, actions: &actions, weights: &weights };
                let gold = gold(sentence, n_words);
                check(system, kind, roots, &input, &gold, &setting);
                if kind != treebeam_systems::ARC_STANDARD && n_words <= 5 && seed < 3 {
                    for loss in [None, Some(Loss { gold: &gold, weight: -40 })] {
                        check_marginals(system, (kind, roots), &input, loss, &setting);
                    }
                }
            }
        }
    }
}

#[test]
fn tabulation_is_exhaustive() {
    check_all();
}

pub fn check_all() {
    let wide = "S1.w S0.w B0.w\nS1.p S0.next.p\nS0.prev.p B0.p\nS1.w B1.p B2.w\ndist(S1,B0) S0.p=NOUN";
    for roots in [Roots::Single, Roots::Several] {
        check_system(
            treebeam_systems::ARC_STANDARD.over_stacks(roots),
            treebeam_systems::ARC_STANDARD,
            roots,
            &["minimal", "S0.w B0.w\nB0.next.p", wide],
        );
        check_system(
            treebeam_systems::ARC_HYBRID.over_stacks(roots),
            treebeam_systems::ARC_HYBRID,
            roots,
            &["minimal", wide],
        );
        check_system(
            treebeam_systems::ARC_EAGER.over_stacks(roots),
            treebeam_systems::ARC_EAGER,
            roots,
            &["minimal", wide],
        );
    }
}

/// A word's left neighbour and its right one, and what stands beside the root, which is no word.
#[test]
fn neighbours_in_the_sentence_are_read_by_position() {
    check_neighbours();
}

pub fn check_neighbours() {
    let sentence = &generated(7, 1)[0];
    let set = FeatureSet::parse("own", "own.feat", "S0.prev.w S0.next.w B0.prev.w B0.next.w\nS0.w B0.w").unwrap();
    let columns = compile(&treebeam_systems::ARC_EAGER.over_stacks(Roots::Single), "minimal").columns().clone();
    let features = Compiled::new(&set, columns, true);
    let input = Input::new(features.columns(), sentence);
    let n_words = sentence.n_words();
    let mut n_checked = 0;
    let word = |word: usize| if (1..=n_words).contains(&word) { word as Node } else { NO_NODE };
    let labels = treebeam::tree::Labels::default();
    let interner = Interner::new(N_LABELS);
    let columns = features.columns();
    let shown = treebeam::features::Shown { columns, sentence, labels: &labels, interner: &interner, actions: &[] };
    let name = |node: Node| if node == NO_NODE { "∅".to_owned() } else { sentence.form(node).to_owned() };
    let bump = Bump::new();
    let arena = Arena::new(&bump, &interner);
    let system = treebeam_systems::ARC_EAGER.over_stacks(Roots::Single);
    let mut c: ArenaConfiguration<'_> = system.initial(arena, n_words);
    for i in 1..=n_words {
        c = system.successor(&c, treebeam::system::Action::bare(Move::Shift), arena);
        let values = shown.template(&set.templates[0], &View { cells: c.cells(0), history: None });
        // Behind the last word stands the root, and before it the last word.
        let next = if i == n_words { NO_NODE } else { word(i + 2) };
        let expected = [word(i - 1), word(i + 1), word(i), next].map(name);
        assert_eq!(values, expected);
        n_checked += 1;
    }
    assert_eq!(n_checked, n_words);
    let mut hashes = Vec::new();
    let view = View { cells: c.cells(0), history: None };
    treebeam::features::Extractor::default().extract_all(&features, &input, &interner, &view, &mut hashes, |_| ());
    assert_eq!(hashes.len(), 2);
}
