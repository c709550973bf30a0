//! Static oracles on sentences with known derivations (`suite/*.toml`) and on real treebanks, with every system and both
//! implementations of configurations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use serde::Deserialize;
use treebeam::configuration::{Arena, Interner, PlainView as _, Point};
use treebeam::random;
use treebeam::system::{Action, Derivation, Exactness, Move, OracleKind, Roots, System, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, Labels, NO_LABEL, NO_NODE, Node, ROOT, Tree, is_projective};
use treebeam::treebank::Treebank;
use treebeam::with_system;

use crate::common::{generated, generated_non_projective, root, treebank, treebanks};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    sentence: Vec<Sentence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    name: String,
    words: String,
    heads: Vec<u16>,
    labels: Vec<String>,
    #[serde(default)]
    roots: Roots,
    /// By system: actions, or [`NOT_DERIVABLE`].
    derivations: BTreeMap<SystemKind, String>,
    /// The same by the oracle `lazy`.
    #[serde(default)]
    lazy: BTreeMap<SystemKind, String>,
}

const NOT_DERIVABLE: &str = "not derivable";

/// The canonical derivation, the same with both implementations of configurations.
fn canonical<S: TransitionSystem>(system: &S, gold: &Gold, n_labels: usize) -> Option<Derivation> {
    let (bump, interner) = (Bump::new(), Interner::new(n_labels));
    let shared = Derivation::canonical::<S, S::Shared<'_>>(system, gold, Arena::new(&bump, &interner));
    let plain = Derivation::canonical::<S, S::Plain>(system, gold, ());
    assert_eq!(shared, plain);
    plain
}

fn spelled(actions: &[Action], labels: &Labels) -> String {
    let spell = |action: &Action| {
        let label = if action.label == NO_LABEL { String::new() } else { format!(":{}", labels.name(action.label)) };
        let point = if action.point == 0 { String::new() } else { format!("@{}", action.point) };
        format!("{}{label}{point}", action.mv.name())
    };
    actions.iter().map(spell).collect::<Vec<_>>().join(" ")
}

fn check_sentence<S: TransitionSystem>(system: &S, sentence: &Sentence, expected: &str) {
    let mut labels = Labels::default();
    let ids: Vec<u16> = sentence.labels.iter().map(|label| labels.intern(label)).collect();
    assert_eq!(sentence.words.split_whitespace().count(), sentence.heads.len());
    let gold = Gold::new(Tree::new(&sentence.heads, &ids));
    let derivation = canonical(system, &gold, labels.len());
    let spelled = derivation.as_ref().map_or(NOT_DERIVABLE.to_owned(), |d| spelled(&d.actions, &labels));
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(spelled.split_whitespace().collect::<Vec<_>>(), expected, "{}, {}", sentence.name, system.info().name);
    let least_cost = Derivation::least_cost::<S, S::Plain>(system, &gold, ());
    assert!(least_cost.actions.len() <= system.max_derivation_len(gold.n_words()));
    assert_eq!(least_cost.tree == *gold.tree(), derivation.is_some(), "{}, {}", sentence.name, system.info().name);
}

#[test]
fn suite() {
    let folder = root().join("tests/suite");
    let mut n_checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let suite: Suite = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for sentence in &suite.sentence {
            assert!(!sentence.derivations.is_empty(), "{}: no system", sentence.name);
            for (&kind, expected) in &sentence.derivations {
                with_system!(kind, sentence.roots, |system| check_sentence(&system, sentence, expected));
                n_checked += 1;
            }
            for (&kind, expected) in &sentence.lazy {
                assert!(kind.oracles().contains(&OracleKind::Lazy), "{}: {kind}", sentence.name);
                with_system!(kind, sentence.roots, OracleKind::Lazy, |system| check_sentence(
                    &system, sentence, expected
                ));
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 0);
}

/// The files of all treebanks whose names say development or test data.
fn held_out_files(folder: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let held_out = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains(".conll") && (name.contains("dev") || name.contains("test"))
    };
    let mut files: Vec<PathBuf> = files.filter(held_out).collect();
    files.sort();
    files
}

/// Checks what the system documents: that its static oracle derives the tree, if the system does, and of its costs what
/// their class of exactness says; if asked for, on random walks, too.
fn check_tree<S: TransitionSystem>(
    system: &S,
    gold: &Gold,
    n_labels: usize,
    projective: bool,
    walks: bool,
) -> Result<(), String> {
    let longest = system.max_derivation_len(gold.n_words());
    let to_derive = projective || system.info().derives_all;
    let derivation = canonical(system, gold, n_labels);
    if derivation.is_none() && to_derive {
        return Err("a tree is not derived".to_owned());
    }
    if derivation.as_ref().is_some_and(|derivation| derivation.actions.len() > longest) {
        return Err(format!("a derivation of more than {longest} transitions"));
    }
    let is_derivable = derivation.is_some();
    let least_cost = Derivation::least_cost::<S, S::Plain>(system, gold, ());
    if least_cost.actions.len() > longest {
        return Err(format!("{} transitions of at most {longest}", least_cost.actions.len()));
    }
    let leads_to_gold = least_cost.tree == *gold.tree();
    // Where arcs can be made again, costs look at labels, too; here they are about heads.
    let heads_only = &Gold::new(Tree::new(gold.tree().heads(), &vec![0; gold.n_words()]));
    match system.exactness() {
        // What is free everywhere adds up to nothing, and what is not, to the loss.
        Exactness::Exact if walks => check_walks(system, heads_only, n_wrong(system, gold, &least_cost.tree)),
        Exactness::ExactForProjective if projective && walks => check_walks(system, heads_only, 0),
        // Any free moves lead to a tree that can be derived.
        Exactness::FreeWhereReachable if is_derivable && walks => check_free_moves(system, heads_only),
        Exactness::SoundOnItsWay if walks => check_free_moves(system, heads_only),
        Exactness::Bound | Exactness::Approximate if to_derive && !leads_to_gold => {
            Err("least costs lead to another tree".to_owned())
        }
        _ => Ok(()),
    }?;
    match is_derivable && !leads_to_gold {
        true => Err("least costs lead to another tree, and the static oracle to this one".to_owned()),
        false => Ok(()),
    }
}

/// The number of words with wrong heads, as the system counts.
fn n_wrong(system: &dyn System, gold: &Gold, tree: &Tree) -> u32 {
    let head = |word: Node| match tree.head(word) {
        NO_NODE if system.info().headless_are_roots => ROOT,
        head => head,
    };
    tree.words().filter(|&word| head(word) != gold.head(word)).count() as u32
}

/// The moves that are permitted, with their points and costs.
fn moves<S: TransitionSystem>(system: &S, gold: &Gold, c: &S::Plain) -> Vec<(u32, Point, Move)> {
    let at_point = |point| {
        let costs = system.costs(gold, c, point, system.permitted(c, point).moves);
        system.info().moves.iter().filter_map(move |&mv| Some((costs.get(mv)?, point, mv)))
    };
    (0..system.n_points(c) as Point).flat_map(at_point).collect()
}

/// Walks that take any move now and then: in the end as many more words are wrong than `least` as the moves cost together,
/// and wherever the walk has got to, a move is free.
fn check_walks<S: TransitionSystem>(system: &S, gold: &Gold, least: u32) -> Result<(), String> {
    for number in 0..2 {
        let mut rng = random::stream(3, "costs", &[number, gold.n_words() as u64]);
        let mut below = |n: usize| random::below(n as u64, &mut rng) as usize;
        let mut c: S::Plain = system.initial((), gold.n_words());
        let mut paid = 0;
        while !system.is_terminal(&c) {
            let all = moves(system, gold, &c);
            let free: Vec<_> = all.iter().copied().filter(|&(cost, ..)| cost == 0).collect();
            if free.is_empty() {
                return Err(format!("nothing is free in {c:?}"));
            }
            let from = if below(5) == 0 { &all } else { &free };
            let (cost, point, mv) = from[below(from.len())];
            paid += cost;
            c = system.successor(&c, Action { mv, label: 0, point }, ());
        }
        let lost = n_wrong(system, gold, &c.tree());
        if lost != least + paid {
            return Err(format!("{lost} words are wrong, though moves cost {paid} and {least} had to be"));
        }
    }
    Ok(())
}

/// Whichever free moves are taken, they make the tree.
fn check_free_moves<S: TransitionSystem>(system: &S, gold: &Gold) -> Result<(), String> {
    for number in 0..2 {
        let mut rng = random::stream(4, "free", &[number, gold.n_words() as u64]);
        let mut c: S::Plain = system.initial((), gold.n_words());
        while !system.is_terminal(&c) {
            let free: Vec<_> = moves(system, gold, &c).into_iter().filter(|&(cost, ..)| cost == 0).collect();
            if free.is_empty() {
                return Err(format!("nothing is free in {c:?}"));
            }
            let (_, point, mv) = free[random::below(free.len() as u64, &mut rng) as usize];
            c = system.successor(&c, Action { mv, label: 0, point }, ());
        }
        if n_wrong(system, gold, &c.tree()) > 0 {
            return Err("free moves lead to another tree".to_owned());
        }
    }
    Ok(())
}

/// Every projective tree is rebuilt, whatever the system, by the static oracle and by least costs; and every tree by
/// systems that derive all.
#[test]
#[cfg_attr(not(treebanks), ignore = "TREEBEAM_TREEBANKS names no folder of treebanks")]
fn real_treebanks() {
    let folder = treebanks();
    let (mut n_trees, mut n_projective) = (0, 0);
    for path in held_out_files(&folder) {
        let treebank = Treebank::read(&path, None).unwrap();
        let mut labels = Labels::default();
        for tree in treebank.trees(treebank.format.roots(), &mut labels).unwrap() {
            let roots = if tree.n_roots() == 1 { Roots::Single } else { Roots::Several };
            let (projective, gold) = (is_projective(&tree), Gold::new(tree));
            n_trees += 1;
            n_projective += usize::from(projective);
            // Walks ask for the costs of every move on their way, which takes long where sentences are.
            let walks = n_trees % 50 == 1 && gold.n_words() <= 25;
            for &kind in SystemKind::all().iter().filter(|kind| kind.roots().contains(&roots)) {
                let checked =
                    with_system!(kind, roots, |system| check_tree(&system, &gold, labels.len(), projective, walks));
                checked.unwrap_or_else(|problem| panic!("{}: {kind}: {problem}: {gold:?}", path.display()));
            }
        }
    }
    eprintln!("{n_projective} of {n_trees} trees are projective");
    assert!(n_projective > 0 && n_trees > n_projective);
}

/// The same on generated treebanks, projective and not: every tree by systems that derive all, the projective ones by
/// every system.
#[test]
fn generated_treebanks() {
    for (sentences, some_cross) in [(generated(41, 300), false), (generated_non_projective(42, 300), true)] {
        let treebank = treebank(sentences);
        let mut labels = Labels::default();
        let trees = treebank.trees(Roots::Single, &mut labels).unwrap();
        assert_eq!(trees.iter().any(|tree| !is_projective(tree)), some_cross);
        for tree in trees {
            let (projective, gold) = (is_projective(&tree), Gold::new(tree));
            for &kind in SystemKind::all() {
                let roots = kind.own_roots(Roots::Single);
                let checked =
                    with_system!(kind, roots, |system| check_tree(&system, &gold, labels.len(), projective, true));
                checked.unwrap_or_else(|problem| panic!("{kind}: {problem}: {gold:?}"));
            }
        }
    }
}
