//! `treebeam oracle show`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

use super::roots_name;
use crate::configuration::{Configuration, PlainConfiguration};
use crate::system::{Action, Derivation, Oracle, Roots, SystemKind};
use crate::tree::{Gold, Labels, NO_LABEL, Node, ROOT, is_projective, non_projective_arcs};
use crate::treebank::{Sentence, Treebank};
use crate::with_system;

/// Options of `treebeam oracle show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A treebank in CoNLL-U or CoNLL-X; `-` is standard input
    file: PathBuf,
    /// The transition system
    #[arg(long)]
    system: SystemKind,
    /// Only the sentence with this id, or else this number, from 1
    #[arg(long, value_name = "ID|N")]
    sentence: Option<String>,
    /// How many words may hang on the root; by default as many as the file's format allows
    #[arg(long)]
    roots: Option<Roots>,
    /// Only sentences whose tree is not projective
    #[arg(long)]
    non_projective: bool,
}

/// The nodes of the buffer that are shown.
const SHOWN: usize = 4;

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let treebank = Treebank::read(&args.file, None)?;
    // A tree with several roots may be shown to a system that allows one: it is not derivable, and is said to be so.
    let valid_roots = treebank.format.roots();
    let roots = args.roots.unwrap_or(valid_roots);
    let chosen = choose(&treebank.sentences, args.sentence.as_deref());
    if chosen.is_empty() {
        let wanted = args.sentence.unwrap_or_default();
        bail!(
            "{}: no sentence `{wanted}`; expected the id of a sentence or a number from 1 to {}",
            args.file.display(),
            treebank.sentences.len()
        );
    }
    let mut labels = Labels::default();
    let mut output = BufWriter::new(io::stdout().lock());
    for sentence in chosen {
        let gold = Gold::new(sentence.tree(valid_roots, &mut labels)?);
        if args.non_projective && is_projective(gold.tree()) {
            continue;
        }
        writeln!(
            output,
            "{}",
            with_system!(args.system, roots, |system| render(&system, roots, sentence, &gold, &labels))
        )?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// All sentences, or the one with the id `wanted`, or else the one with that number.
fn choose<'a>(sentences: &'a [Sentence], wanted: Option<&str>) -> Vec<&'a Sentence> {
    let Some(wanted) = wanted else { return sentences.iter().collect() };
    let by_id = sentences.iter().find(|sentence| sentence.id() == Some(wanted));
    let by_number = || sentences.get(wanted.parse::<usize>().ok()?.checked_sub(1)?);
    by_id.or_else(by_number).into_iter().collect()
}

fn render<S: Oracle>(system: &S, roots: Roots, sentence: &Sentence, gold: &Gold, labels: &Labels) -> String {
    let derivable = Derivation::canonical::<S, PlainConfiguration>(system, gold, ());
    let mut text = format!("# {}, {}, roots: {}\n", sentence.location(ROOT), S::NAME, roots_name(roots));
    if derivable.is_none() {
        let why = match &non_projective_arcs(gold.tree())[..] {
            [] => format!("{} words hang on the root", gold.tree().n_roots()),
            words => format!("not projective are the arcs into {}", names(sentence, words.iter().copied())),
        };
        _ = writeln!(
            text,
            "# {} does not derive this tree: {why}; what follows is a derivation of least cost",
            S::NAME
        );
    }
    let derivation = derivable.unwrap_or_else(|| Derivation::least_cost::<S, PlainConfiguration>(system, gold, ()));
    let rows = steps(system, sentence, gold, labels, &derivation);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (stack, buffer, action) = (width(0), width(1), width(2));
    for (step, row) in rows.iter().enumerate() {
        _ = writeln!(
            text,
            "{:>3}  {:>stack$} | {:<buffer$}  {:<action$}  {}",
            step + 1,
            row[0],
            row[1],
            row[2],
            row[3]
        );
    }
    text.push_str(&arcs(sentence, gold, labels, &derivation));
    text
}

/// For each transition: stack, buffer, action, costs.
fn steps<S: Oracle>(
    system: &S,
    sentence: &Sentence,
    gold: &Gold,
    labels: &Labels,
    derivation: &Derivation,
) -> Vec<[String; 4]> {
    let mut rows = Vec::with_capacity(derivation.actions.len());
    let mut c: PlainConfiguration = system.initial((), gold.n_words());
    for &action in &derivation.actions {
        let mut stack: Vec<Node> = c.stack_nodes().map(|(node, _)| node).collect();
        stack.reverse();
        let hidden = c.buffer_len().saturating_sub(SHOWN);
        let mut buffer = names(sentence, c.buffer_nodes().take(SHOWN));
        if hidden > 0 {
            _ = write!(buffer, " +{hidden}");
        }
        let costs = system.costs(gold, &c, system.permitted(&c).moves);
        let costs: Vec<String> =
            S::MOVES.iter().filter_map(|&mv| Some(format!("{} {}", mv.name(), costs.get(mv)?))).collect();
        rows.push([names(sentence, stack.into_iter()), buffer, action_name(action, labels), costs.join(", ")]);
        c = system.successor(&c, action, ());
    }
    rows
}

/// The tree that was built, a line a word: number, form, head, label, and where the gold tree has another head, that.
fn arcs(sentence: &Sentence, gold: &Gold, labels: &Labels, derivation: &Derivation) -> String {
    let mut text = String::new();
    let width = gold.tree().words().map(|word| sentence.form(word).chars().count()).max().unwrap_or(0);
    for word in gold.tree().words() {
        let (form, head) = (sentence.form(word), derivation.tree.head(word));
        _ = write!(text, "{word:>3}  {form:<width$}  {head:>3}  {}", labels.name(derivation.tree.label(word)));
        if head != gold.head(word) {
            _ = write!(text, "  (gold head {})", gold.head(word));
        }
        text.push('\n');
    }
    text
}

fn action_name(action: Action, labels: &Labels) -> String {
    match action.label {
        NO_LABEL => action.mv.name().to_owned(),
        label => format!("{} {}", action.mv.name(), labels.name(label)),
    }
}

/// Nodes by number and form.
fn names(sentence: &Sentence, nodes: impl Iterator<Item = Node>) -> String {
    let name = |node: Node| if node == ROOT { "0:ROOT".to_owned() } else { format!("{node}:{}", sentence.form(node)) };
    nodes.map(name).collect::<Vec<_>>().join(" ")
}
