//! Static oracles on sentences with known derivations (`suite/*.toml`) and on real treebanks, with every system and both
//! implementations of configurations.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bumpalo::Bump;
use serde::Deserialize;
use treebeam::configuration::{Arena, LabelSets};
use treebeam::system::{Action, Derivation, Exactness, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, Labels, NO_LABEL, Tree, is_projective};
use treebeam::treebank::Treebank;
use treebeam::with_system;

use crate::common::{generated, generated_non_projective, treebank};

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
}

const NOT_DERIVABLE: &str = "not derivable";

/// The canonical derivation, the same with both implementations of configurations.
fn canonical<S: TransitionSystem>(system: &S, gold: &Gold, n_labels: usize) -> Option<Derivation> {
    let (bump, sets) = (Bump::new(), LabelSets::new(n_labels));
    let shared = Derivation::canonical::<S, S::Shared<'_>>(system, gold, Arena::new(&bump, &sets, &[]));
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
    assert_eq!(spelled.split_whitespace().collect::<Vec<_>>(), expected, "{}, {}", sentence.name, S::NAME);
    let least_cost = Derivation::least_cost::<S, S::Plain>(system, &gold, ());
    assert!(least_cost.actions.len() <= system.max_derivation_len(gold.n_words()));
    assert_eq!(least_cost.tree == *gold.tree(), derivation.is_some(), "{}, {}", sentence.name, S::NAME);
}

#[test]
fn suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
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

/// A derivation of least cost of the gold tree; with exact costs it rebuilds the tree if the static oracle does.
fn check_tree<S: TransitionSystem>(system: &S, gold: &Gold, n_labels: usize, projective: bool) -> Result<(), String> {
    let derivation = canonical(system, gold, n_labels);
    if derivation.is_none() && (projective || S::DERIVES_ALL) {
        return Err("a tree is not derived".to_owned());
    }
    let all_trees = matches!(system.exactness(), Exactness::Exact | Exactness::Bound);
    if derivation.is_none() && all_trees {
        return Err("a tree is not derived".to_owned());
    }
    let longest = system.max_derivation_len(gold.n_words());
    if system.exactness() == Exactness::SoundOnItsWay || system.exactness() == Exactness::ExactForProjective {
        let least_cost = Derivation::least_cost::<S, S::Plain>(system, gold, ());
        if least_cost.actions.len() > longest {
            return Err(format!("{} transitions of at most {longest}", least_cost.actions.len()));
        }
        if (projective || S::DERIVES_ALL) && least_cost.tree != *gold.tree() {
            return Err("least costs lead to another tree".to_owned());
        }
    }
    match derivation {
        Some(derivation) if derivation.actions.len() > longest => {
            Err(format!("{} transitions of at most {longest}", derivation.actions.len()))
        }
        _ => Ok(()),
    }
}

/// Every projective tree is rebuilt, whatever the system, by the static oracle and by least costs; and every tree by
/// systems that derive all.
#[test]
fn real_treebanks() {
    let Some(folder) = std::env::var_os("TREEBEAM_TREEBANKS") else {
        eprintln!("skipped: TREEBEAM_TREEBANKS names no folder of treebanks");
        return;
    };
    let (mut n_trees, mut n_projective) = (0, 0);
    for path in held_out_files(Path::new(&folder)) {
        let treebank = Treebank::read(&path, None).unwrap();
        let mut labels = Labels::default();
        for tree in treebank.trees(treebank.format.roots(), &mut labels).unwrap() {
            let roots = if tree.n_roots() == 1 { Roots::Single } else { Roots::Several };
            let (projective, gold) = (is_projective(&tree), Gold::new(tree));
            n_trees += 1;
            n_projective += usize::from(projective);
            for &kind in SystemKind::ALL.iter().filter(|kind| kind.roots().contains(&roots)) {
                let checked = with_system!(kind, roots, |system| check_tree(&system, &gold, labels.len(), projective));
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
            for &kind in SystemKind::ALL {
                let checked =
                    with_system!(kind, Roots::Single, |system| check_tree(&system, &gold, labels.len(), projective));
                checked.unwrap_or_else(|problem| panic!("{kind}: {problem}: {gold:?}"));
            }
        }
    }
}
