//! `treebeam oracle show`.

mod text;

use serde::Serialize;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use super::{roots_for, roots_name, roots_of_trees};
use crate::write_json_line;
use treebeam::configuration::{PlainView as _, Point};
use treebeam::error::Location;
use treebeam::system::{Derivation, MAX_WORDS_IF_QUADRATIC, Move, OracleKind, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, Labels, NO_LABEL, Node, ROOT, is_projective, non_projective_arcs};
use treebeam::treebank::{Column, Sentence, Treebank, check_length};
use treebeam::with_system;

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
    /// Number of words that may hang on the root; by default as many as the file's format allows
    #[arg(long)]
    roots: Option<Roots>,
    /// The oracle whose costs are shown, and whose derivation if it is static; by default `dynamic`, or else the one to train greedily
    /// with
    #[arg(long)]
    oracle: Option<OracleKind>,
    /// Begin with these moves of one sentence, such as "SHIFT LEFT SHIFT", and show how the oracle goes on from there; @K behind a
    /// move takes it at point K
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Only sentences whose tree is not projective
    #[arg(long)]
    non_projective: bool,
    /// Print one JSON object a line for each sentence: its derivation, with whole lists and all costs, and the tree it makes
    #[arg(long)]
    json: bool,
}

/// A derivation as it is shown, and as a line of JSON.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    location: Location,
    system: &'static str,
    roots: &'static str,
    /// Why the system does not derive the tree, if it does not: then the derivation is one of least cost.
    not_derivable: Option<String>,
    /// The number of moves that were asked for; from there on, the oracle decides.
    given: usize,
    steps: Vec<Step>,
    words: Vec<Word>,
}

/// A configuration, and the transition that is taken.
#[derive(Debug, Serialize)]
struct Step {
    /// The numbers of the nodes of each list, from 0, the root.
    lists: Vec<Vec<Node>>,
    #[serde(rename = "move")]
    mv: &'static str,
    label: Option<String>,
    point: Point,
    /// Number of points at which a transition can be made.
    points: usize,
    costs: Vec<Cost>,
}

/// Cost of a permitted move at a point.
#[derive(Debug, Serialize)]
struct Cost {
    #[serde(rename = "move")]
    mv: &'static str,
    point: Point,
    cost: u32,
}

/// A word with the arc that the derivation makes.
#[derive(Debug, Serialize)]
struct Word {
    form: String,
    head: Node,
    label: String,
    gold_head: Node,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let target = args.system.info().tags.then_some(Column::Upos);
    let treebank = Treebank::read(&args.file, None)?.for_target(target).into_owned();
    let of_format = if target.is_some() { Roots::Several } else { treebank.format.roots() };
    let valid_roots = roots_of_trees(args.roots, of_format);
    let roots = roots_for(args.system, args.roots, valid_roots)?;
    let chosen = choose(&treebank.sentences, args.sentence.as_deref());
    if chosen.is_empty() {
        let wanted = args.sentence.unwrap_or_default();
        let path = args.file.display().to_string();
        return Err(crate::sentence::not_found(&path, &wanted, treebank.sentences.len()).into());
    }
    if let Some(oracle) = args.oracle {
        args.system.check_oracle(oracle)?;
    }
    if args.moves.is_some() && chosen.len() > 1 {
        bail!("--moves are those of one sentence, and there are {}; expected --sentence N", chosen.len());
    }
    let moves = args.moves.as_deref().map_or(Ok(Vec::new()), |moves| parse_moves(moves, args.system))?;
    let oracle = args.oracle.unwrap_or(OracleKind::Dynamic);
    let mut labels = Labels::default();
    let mut output = BufWriter::new(treebeam::console::output());
    for sentence in chosen {
        args.system.check_training_length(sentence)?;
        check_length(sentence, MAX_WORDS_IF_QUADRATIC, || {
            format!(
                "at most {MAX_WORDS_IF_QUADRATIC} to be shown, as each step has whole lists; `treebeam treebank convert --cut 1000` \
                 divides it"
            )
        })?;
        let gold = Gold::new(sentence.tree(valid_roots, &mut labels)?);
        if args.non_projective && is_projective(gold.tree()) {
            continue;
        }
        let shown = with_system!(args.system, roots, oracle, |system| {
            let derivation = derive(&system, sentence, &gold, &moves)?;
            show(&system, roots, sentence, (&gold, &labels), (&derivation, moves.len()))
        });
        match args.json {
            true => write_json_line(&mut output, &shown)?,
            false => {
                text::write(&shown, &mut output)?;
                writeln!(output)?;
            }
        }
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

/// The moves of `text`, of which each may say its point.
fn parse_moves(text: &str, system: SystemKind) -> anyhow::Result<Vec<(Point, Move)>> {
    let parse = |(number, word): (usize, &str)| {
        let (name, point) = word.split_once('@').unwrap_or((word, "0"));
        let moves = system.info().moves.iter().filter(|&&mv| mv != Move::Idle);
        let mv = moves.clone().find(|mv| mv.name().eq_ignore_ascii_case(name));
        let (Some(&mv), Ok(point)) = (mv, point.parse()) else {
            let names: Vec<&str> = moves.map(|mv| mv.name()).collect();
            bail!("--moves: the move at position {} is `{word}`; expected one of {}", number + 1, names.join(", "))
        };
        Ok((point, mv))
    };
    text.split_whitespace().enumerate().map(parse).collect()
}

/// The derivation that begins with these moves.
fn derive<S: TransitionSystem>(
    system: &S,
    sentence: &Sentence,
    gold: &Gold,
    moves: &[(Point, Move)],
) -> anyhow::Result<Derivation> {
    Derivation::after::<S, S::Plain>(system, gold, (), moves).map_err(|number| {
        let place = sentence.location(ROOT);
        let (point, mv) = moves[number];
        let point = if point > 0 { format!("@{point}") } else { String::new() };
        let (mv, position) = (format!("{}{point}", mv.name()), number + 1);
        // The moves before it are permitted.
        let Ok(before) = Derivation::after::<S, S::Plain>(system, gold, (), &moves[..number]) else {
            return anyhow!("{place}: --moves: {mv} at position {position} is not permitted");
        };
        let mut c: S::Plain = system.initial((), gold.n_words());
        for &action in &before.actions[..number] {
            c = system.successor(&c, action, ());
        }
        if system.is_terminal(&c) {
            return anyhow!("{place}: --moves: {mv} at position {position} comes after the end of the derivation");
        }
        let permitted = (0..system.n_points(&c) as Point).flat_map(|point| {
            let at = if system.n_points(&c) > 1 { format!("@{point}") } else { String::new() };
            system.permitted(&c, point).moves.iter().map(move |mv| format!("{}{at}", mv.name())).collect::<Vec<_>>()
        });
        let permitted = permitted.collect::<Vec<_>>().join(", ");
        anyhow!("{place}: --moves: {mv} at position {position} is not permitted; expected one of {permitted}")
    })
}

fn show<S: TransitionSystem>(
    system: &S,
    roots: Roots,
    sentence: &Sentence,
    (gold, labels): (&Gold, &Labels),
    (derivation, given): (&Derivation, usize),
) -> Shown {
    let is_derivable = Derivation::canonical::<S, S::Plain>(system, gold, ()).is_some();
    let not_derivable = (!is_derivable).then(|| match &non_projective_arcs(gold.tree())[..] {
        [] => format!("{} words hang on the root", gold.tree().n_roots()),
        words => {
            let name = |&word: &Node| text::name(word, sentence.form(word));
            format!("not projective are the arcs into {}", words.iter().map(name).collect::<Vec<_>>().join(" "))
        }
    });
    let words = gold.tree().words().map(|word| Word {
        form: sentence.form(word).to_owned(),
        head: derivation.tree.head(word),
        label: labels.name(derivation.tree.label(word)).to_owned(),
        gold_head: gold.head(word),
    });
    Shown {
        location: sentence.location(ROOT),
        system: system.info().name,
        roots: roots_name(roots),
        not_derivable,
        given,
        words: words.collect(),
        steps: steps(system, gold, labels, derivation),
    }
}

fn steps<S: TransitionSystem>(system: &S, gold: &Gold, labels: &Labels, derivation: &Derivation) -> Vec<Step> {
    let mut steps = Vec::with_capacity(derivation.actions.len());
    let mut c: S::Plain = system.initial((), gold.n_words());
    for &action in &derivation.actions {
        let points = system.n_points(&c);
        let costs = (0..points as Point).flat_map(|point| {
            let costs = system.costs(gold, &c, point, system.permitted(&c, point).moves);
            system.info().moves.iter().filter_map(move |&mv| Some(Cost { mv: mv.name(), point, cost: costs.get(mv)? }))
        });
        steps.push(Step {
            lists: c.lists(),
            mv: action.mv.name(),
            label: (action.label != NO_LABEL).then(|| labels.name(action.label).to_owned()),
            point: action.point,
            points,
            costs: costs.collect(),
        });
        c = system.successor(&c, action, ());
    }
    steps
}
