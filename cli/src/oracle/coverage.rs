//! `treebeam oracle coverage`.

use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bumpalo::Bump;
use rayon::prelude::*;
use std::io::Write;

use super::{roots_for, roots_name, roots_of_trees};
use crate::write_json_line;
use treebeam::configuration::{Arena, LabelSets};
use treebeam::files::{Output, Paths};
use treebeam::system::{Derivation, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, Labels};
use treebeam::treebank::{Format, Treebank};
use treebeam::with_system;

/// Options of `treebeam oracle coverage`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Treebanks in CoNLL-U or CoNLL-X, each counted for itself; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The system whose derivations to count
    #[arg(long, required_unless_present = "all", conflicts_with = "all")]
    system: Option<SystemKind>,
    /// Count the derivations of every system
    #[arg(long)]
    all: bool,
    /// How many words may hang on the root; by default as many as the file's format allows
    #[arg(long)]
    roots: Option<Roots>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Print one JSON object a line for each file and system
    #[arg(long)]
    json: bool,
}

/// Counts over the trees of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
struct Coverage {
    trees: u64,
    /// Trees that the static oracle rebuilds.
    rebuilt: u64,
    arcs: u64,
    /// Gold arcs made, by the static oracle or else in a derivation of least cost.
    made: u64,
}

/// A line of the output as JSON.
#[derive(serde::Serialize)]
struct Line<'a> {
    path: &'a str,
    system: &'static str,
    roots: &'static str,
    #[serde(flatten)]
    coverage: Coverage,
}

impl Sum for Coverage {
    fn sum<I: Iterator<Item = Coverage>>(counts: I) -> Coverage {
        counts.fold(Coverage::default(), |a, b| Coverage {
            trees: a.trees + b.trees,
            rebuilt: a.rebuilt + b.rebuilt,
            arcs: a.arcs + b.arcs,
            made: a.made + b.made,
        })
    }
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let systems = match args.system {
        Some(system) => vec![system],
        // Systems that do not have the setting asked for cannot be counted under it.
        None => SystemKind::ALL
            .iter()
            .copied()
            .filter(|kind| args.roots.is_none_or(|roots| kind.roots().contains(&roots)))
            .collect(),
    };
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = Output::create(Path::new("-"))?;
    if !args.json {
        writeln!(output, "system\ttrees\trebuilt\t%\tarcs\tmade\t%\tfile")?;
    }
    for path in &args.files {
        let treebank = Treebank::read(path, args.format)?;
        let valid_roots = roots_of_trees(args.roots, treebank.format.roots());
        let mut labels = Labels::default();
        let trees = treebank.trees(valid_roots, &mut labels)?;
        let golds: Vec<Gold> = trees.into_iter().map(Gold::new).collect();
        for &kind in &systems {
            let roots = roots_for(kind, args.roots, valid_roots)?;
            treebank.sentences.iter().try_for_each(|sentence| kind.check_training_length(roots, sentence))?;
            let of_gold = |gold: &Gold| with_system!(kind, roots, |system| of_tree(&system, gold, labels.len()));
            let coverage: Coverage = golds.par_iter().map(of_gold).sum();
            let path = &path.display().to_string();
            if args.json {
                let line = Line { path, system: kind.name(), roots: roots_name(roots), coverage };
                write_json_line(&mut output, &line)?;
                continue;
            }
            let Coverage { trees, rebuilt, arcs, made } = coverage;
            let (of_trees, of_arcs) = (percent(rebuilt, trees), percent(made, arcs));
            writeln!(output, "{kind}\t{trees}\t{rebuilt}\t{of_trees:.2}\t{arcs}\t{made}\t{of_arcs:.2}\t{path}")?;
        }
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The coverage of a tree with `n_labels` labels. Its configurations share what they have in common: to copy them would take time
/// as the square of the words.
fn of_tree<S: TransitionSystem>(system: &S, gold: &Gold, n_labels: usize) -> Coverage {
    let (bump, sets) = (Bump::new(), LabelSets::new(n_labels));
    let arena = Arena::new(&bump, &sets, &[]);
    let arcs = gold.n_words() as u64;
    let (rebuilt, made) = match Derivation::canonical::<S, S::Shared<'_>>(system, gold, arena) {
        Some(_) => (1, arcs),
        None => {
            let tree = Derivation::least_cost::<S, S::Shared<'_>>(system, gold, arena).tree;
            (0, tree.words().filter(|&word| tree.head(word) == gold.head(word)).count() as u64)
        }
    };
    Coverage { trees: 1, rebuilt, arcs, made }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam::tree::Tree;

    /// A projective tree, and one with a crossing arc: arc-eager must give up one of the two that cross, and swap none.
    #[test]
    fn arcs_of_what_is_not_derived_are_counted() {
        let gold = |heads: &[u16]| Gold::new(Tree::new(heads, &vec![0; heads.len()]));
        let golds = [gold(&[2, 0, 2]), gold(&[3, 4, 0, 3])];
        let coverage = |kind| -> Coverage {
            with_system!(kind, Roots::Single, |system| golds.iter().map(|gold| of_tree(&system, gold, 1)).sum())
        };
        assert_eq!(coverage(SystemKind::Swap), Coverage { trees: 2, rebuilt: 2, arcs: 7, made: 7 });
        assert_eq!(coverage(SystemKind::ArcEager), Coverage { trees: 2, rebuilt: 1, arcs: 7, made: 6 });
    }
}
