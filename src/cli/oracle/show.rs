//! `treebeam oracle show`.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use super::{roots_for, roots_name};
use crate::configuration::{PlainView as _, Point};
use crate::error::excerpt;
use crate::system::{Action, Derivation, Roots, SystemKind, TransitionSystem};
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
    #[arg(long, value_name = "N|ID")]
    sentence: Option<String>,
    /// How many words may hang on the root; by default as many as the file's format allows
    #[arg(long)]
    roots: Option<Roots>,
    /// Only sentences whose tree is not projective
    #[arg(long)]
    non_projective: bool,
}

/// The nodes of the buffer that are shown, and of a list in which points stand, on either side of the point.
const SHOWN: usize = 4;

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let treebank = Treebank::read(&args.file, None)?;
    // A tree with several roots may be shown to a system that allows one: it is not derivable, and is said to be so.
    let valid_roots = treebank.format.roots();
    let roots = roots_for(args.system, args.roots, valid_roots)?;
    let chosen = choose(&treebank.sentences, args.sentence.as_deref());
    if chosen.is_empty() {
        let wanted = args.sentence.unwrap_or_default();
        let path = args.file.display().to_string();
        return Err(crate::cli::sentence::not_found(&path, &wanted, treebank.sentences.len()).into());
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

fn render<S: TransitionSystem>(system: &S, roots: Roots, sentence: &Sentence, gold: &Gold, labels: &Labels) -> String {
    let derivable = Derivation::canonical::<S, S::Plain>(system, gold, ());
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
    let derivation = derivable.unwrap_or_else(|| Derivation::least_cost::<S, S::Plain>(system, gold, ()));
    let rows = steps(system, sentence, gold, labels, &derivation);
    let n_lists = rows.first().map_or(0, |row| row.lists.len());
    let width = |read: &dyn Fn(&Row) -> usize| rows.iter().map(read).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_lists).map(|list| width(&|row| row.lists[list].chars().count())).collect();
    let action = width(&|row| row.action.chars().count());
    for (step, row) in rows.iter().enumerate() {
        // What changes at its right end is set to the right, what changes at its left end to the left.
        let lists = row.lists.iter().zip(&widths).enumerate().map(|(place, (list, &width))| match place {
            0 => format!("{list:>width$}"),
            _ => format!("{list:<width$}"),
        });
        let lists: Vec<String> = lists.collect();
        _ = writeln!(text, "{:>3}  {}  {:<action$}  {}", step + 1, lists.join(" | "), row.action, row.costs);
    }
    text.push_str(&arcs(sentence, gold, labels, &derivation));
    text
}

/// A transition as it is shown.
struct Row {
    lists: Vec<String>,
    action: String,
    costs: String,
}

fn steps<S: TransitionSystem>(
    system: &S,
    sentence: &Sentence,
    gold: &Gold,
    labels: &Labels,
    derivation: &Derivation,
) -> Vec<Row> {
    let mut rows = Vec::with_capacity(derivation.actions.len());
    let mut c: S::Plain = system.initial((), gold.n_words());
    for &action in &derivation.actions {
        let mut lists = c.lists();
        let mut hidden_before = 0;
        if let [pending] = &mut lists[..] {
            // What is before the point and what is behind it, as far as it is near.
            let behind = pending.split_off(usize::from(action.point) + 1);
            hidden_before = pending.len().saturating_sub(SHOWN);
            pending.drain(..hidden_before);
            lists.push(behind);
        }
        let hidden = match &mut lists[..] {
            [_, .., buffer] => buffer.split_off(SHOWN.min(buffer.len())).len(),
            _ => 0,
        };
        let mut lists: Vec<String> = lists.into_iter().map(|list| names(sentence, list.into_iter())).collect();
        if hidden_before > 0 {
            lists[0].insert_str(0, &format!("+{hidden_before} "));
        }
        if hidden > 0 {
            _ = write!(lists.last_mut().expect("there is a buffer"), " +{hidden}");
        }
        let n_points = system.n_points(&c);
        let costs = (0..n_points as Point).flat_map(|point| {
            let costs = system.costs(gold, &c, point, system.permitted(&c, point).moves);
            let at = if n_points == 1 { String::new() } else { format!("@{point}") };
            S::MOVES.iter().filter_map(move |&mv| Some((format!("{}{at}", mv.name()), costs.get(mv)?)))
        });
        let mut costs: Vec<(String, u32)> = costs.collect();
        // Of many moves only the best.
        let n_moves = costs.len();
        if n_points > 1 {
            let least = costs.iter().map(|&(_, cost)| cost).min();
            costs.retain(|&(_, cost)| Some(cost) == least);
        }
        let mut shown = costs.iter().map(|(name, cost)| format!("{name} {cost}")).collect::<Vec<_>>().join(", ");
        if costs.len() < n_moves {
            _ = write!(shown, ", {} dearer", n_moves - costs.len());
        }
        let at = if n_points == 1 { String::new() } else { format!(" @{}", action.point) };
        rows.push(Row { lists, action: action_name(action, labels) + &at, costs: shown });
        c = system.successor(&c, action, ());
    }
    rows
}

/// The tree that was built, a line a word: number, form, head, label, and where the gold tree has another head, that.
fn arcs(sentence: &Sentence, gold: &Gold, labels: &Labels, derivation: &Derivation) -> String {
    let mut text = String::new();
    let form = |word| excerpt(sentence.form(word));
    let width = gold.tree().words().map(|word| form(word).chars().count()).max().unwrap_or(0);
    for word in gold.tree().words() {
        let (form, head) = (form(word), derivation.tree.head(word));
        let label = excerpt(labels.name(derivation.tree.label(word)));
        _ = write!(text, "{word:>3}  {form:<width$}  {head:>3}  {label}");
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
        label => format!("{} {}", action.mv.name(), excerpt(labels.name(label))),
    }
}

/// Nodes by number and form.
fn names(sentence: &Sentence, nodes: impl Iterator<Item = Node>) -> String {
    let name = |node: Node| {
        if node == ROOT { "0:ROOT".to_owned() } else { format!("{node}:{}", excerpt(sentence.form(node))) }
    };
    nodes.map(name).collect::<Vec<_>>().join(" ")
}
