//! `treebeam oracle verify`.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::bail;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{percent, roots_for, roots_name};
use crate::write_json_line;
use treebeam::system::exhaustive::{BoundFindings, Counterexample, Findings, Scope, Shape, check_bounds, check_oracle};
use treebeam::system::{Action, AnySystem, Exactness, OracleKind, OverLists, Roots, SystemKind};
use treebeam::tree::{NO_NODE, ROOT, Tree};

/// Options of `treebeam oracle verify`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The system whose oracles to check
    #[arg(long, required_unless_present = "all", conflicts_with = "all")]
    system: Option<SystemKind>,
    /// Check every system
    #[arg(long)]
    all: bool,
    /// Oracle whose costs to check, and whose derivations if it is static [default: `dynamic`, or else that of greedy training]
    #[arg(long, conflicts_with = "all")]
    oracle: Option<OracleKind>,
    /// The length of the longest sentences [default: 5; 4 for systems that look at every pair of words]
    ///
    /// 6 takes a second, 7 a minute; with systems that look at every pair of words 5 takes minutes and is the most.
    #[arg(long, value_name = "N", value_parser = crate::range::whole::<u8>(1..=7))]
    max_words: Option<u8>,
    /// Number of words that may hang on the root
    #[arg(long, default_value = "both")]
    roots: RootsChoice,
    /// Number of labels; with several, labelled costs are checked, too. The work grows with this number to the power of twice the words
    #[arg(long, default_value_t = 1, value_name = "K", value_parser = crate::range::whole::<u8>(1..=3))]
    labels: u8,
    /// Check against non-projective gold trees too, even where the system's oracle claims nothing for them
    #[arg(long)]
    non_projective: bool,
    /// Print one JSON object a line: for each row its counts, whether the oracle is as it claims, and a case in which its costs are
    /// not the loss
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RootsChoice {
    /// One
    Single,
    /// One or more
    Several,
    /// First the one, then the other
    Both,
}

/// The findings of one bound of non-monotonic Covington's loss for one length, as a line of JSON or a row of the table.
#[derive(Serialize)]
struct BoundRow {
    system: &'static str,
    roots: &'static str,
    bound: &'static str,
    words: usize,
    pairs: u64,
    broken: u64,
    mean_distance: f64,
    not_the_loss_percent: f64,
    misled_percent: f64,
}

/// Columns of the result: name in JSON, head and width in the table. Columns without a head are in JSON alone.
const COLUMNS: [(&str, &str, usize); 17] = [
    ("system", "system", 22),
    ("roots", "roots", 7),
    ("trees_of", "trees of", 14),
    ("words", "n", 1),
    ("labels", "", 0),
    ("trees", "trees", 6),
    ("configurations", "configurations", 14),
    ("pairs", "pairs", 10),
    ("transitions", "transitions", 11),
    ("mismatches", "mismatches", 10),
    ("zero_set_errors", "zero-set errors", 15),
    ("no_free_move", "no free move", 12),
    ("misled", "misled", 8),
    ("derivable", "derivable", 9),
    ("rebuilt", "rebuilt", 7),
    ("as_claimed", "", 0),
    ("counterexample", "", 0),
];

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let systems = match args.system {
        Some(system) => vec![system],
        None => SystemKind::all().to_vec(),
    };
    let mut output = treebeam::console::output();
    if !args.json {
        write_row(&mut output, COLUMNS.map(|(_, head, _)| head.into()))?;
    }
    let mut all_right = true;
    let mut rates = String::new();
    for system in systems {
        let oracle = args.oracle.unwrap_or(OracleKind::Dynamic);
        if args.oracle.is_some() {
            system.check_oracle(oracle)?;
        }
        let max_words = max_words(&args, system)?;
        let settings = match args.roots {
            RootsChoice::Single => vec![roots_for(system, Some(Roots::Single), Roots::Single)?],
            RootsChoice::Several => vec![roots_for(system, Some(Roots::Several), Roots::Single)?],
            RootsChoice::Both => system.roots().to_vec(),
        };
        for roots in settings.iter().copied() {
            let exactness = system.with_oracle(roots, oracle).system().exactness();
            let derives_all = system.info().derives_all;
            let only_projective = exactness == Exactness::ExactForProjective && !args.non_projective;
            let shapes = &[Shape::Projective, Shape::NonProjective][..if only_projective { 1 } else { 2 }];
            for &shape in shapes {
                for n_words in 1..=max_words {
                    let scope = Scope { n_words, roots, shape, n_labels: args.labels.into() };
                    let findings = check_oracle(system, oracle, scope);
                    let as_claimed = holds(exactness, derives_all, shape, &findings);
                    let row = row(system, scope, &findings, as_claimed);
                    match args.json {
                        true => write_json_line(&mut output, &Fields(row))?,
                        false => write_row(&mut output, row)?,
                    }
                    if exactness == Exactness::Approximate && n_words == max_words {
                        rates.push_str(&rate(system, scope, &findings));
                        if let Some(counterexample) = &findings.counterexample {
                            rates += &format!("{}\n", sentence(counterexample, scope));
                        }
                    }
                    output.flush()?;
                    if !as_claimed {
                        all_right = false;
                        report(system, scope, &findings);
                    }
                }
            }
        }
        for roots in settings {
            if let AnySystem::Lists(lists) = system.system(roots)
                && lists.exactness() == Exactness::Bound
            {
                all_right &= write_bounds(&mut output, lists, max_words, roots, args.json)?;
            }
        }
    }
    if args.json {
        return Ok(ExitCode::from(u8::from(!all_right)));
    }
    writeln!(
        output,
        "\npairs: a configuration that is not terminal, and a gold tree; transitions: a pair and a permitted action\n\
         mismatches: transitions whose cost is not the loss they cause; zero-set errors: those wrongly free or not free\n\
         no free move: pairs in which every cost is above 0; misled: pairs in which a move of least cost is not the best\n\
         derivable: gold trees that some derivation makes; rebuilt: those that the static oracle derives\n\
         oracles that judge only the derivations they permit are checked on these: a mismatch is a correct move not permitted"
    )?;
    if !rates.is_empty() {
        write!(output, "\n{rates}")?;
    }
    Ok(ExitCode::from(u8::from(!all_right)))
}

/// The length of the longest sentences for `system`.
fn max_words(args: &Args, system: SystemKind) -> anyhow::Result<usize> {
    let any = system.system(Roots::Single);
    let quadratic = any.system().max_derivation_len(8) > 16 || matches!(any, AnySystem::Lists(_));
    let (default, most) = if quadratic { (4, 5) } else { (5, 7) };
    match args.max_words {
        Some(n) if n > most && args.all => Ok(most.into()),
        Some(n) if n > most => {
            bail!("{system} has too many configurations for {n} words; expected --max-words {most} or less")
        }
        n => Ok(n.unwrap_or(default).into()),
    }
}

/// True if the findings are as the system claims, which derives all trees if `derives_all`.
fn holds(exactness: Exactness, derives_all: bool, shape: Shape, findings: &Findings) -> bool {
    let nothing_wrong = findings.stuck == 0 && findings.rebuilt == findings.derivable;
    let all_derived = findings.rebuilt == findings.trees;
    let as_claimed = match (exactness, shape) {
        (Exactness::ExactForProjective, Shape::Projective) | (Exactness::Exact, _) => {
            let to_derive = derives_all || shape == Shape::Projective;
            findings.mismatches + findings.zero_set_errors == 0 && (all_derived || !to_derive)
        }
        (Exactness::FreeWhereReachable, _) => {
            findings.reachable_zero_set_errors == 0 && (shape == Shape::NonProjective || all_derived)
        }
        (Exactness::SoundOnItsWay, _) => {
            findings.mismatches == findings.overestimates && findings.without_zero == 0 && all_derived
        }
        (Exactness::Bound, _) | (Exactness::Approximate, Shape::Projective) => all_derived,
        (Exactness::ExactForProjective | Exactness::Approximate, Shape::NonProjective) => true,
    };
    nothing_wrong && as_claimed
}

/// Line on the distance of approximate costs from the losses.
fn rate(system: SystemKind, scope: Scope, findings: &Findings) -> String {
    format!(
        "{system}, {}, roots {}, {} words: approximate; {:.1} % of transitions mismatch, {:.1} % of pairs mislead\n",
        shape_name(scope.shape),
        roots_name(scope.roots),
        scope.n_words,
        percent(findings.mismatches, findings.transitions),
        percent(findings.suboptimal, findings.pairs)
    )
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Projective => "projective",
        Shape::NonProjective => "non-projective",
    }
}

/// A table of the bounds of the system's loss; whether they are bounds, which they claim for several roots.
fn write_bounds(
    output: &mut impl Write,
    system: &dyn OverLists,
    max_words: usize,
    roots: Roots,
    json: bool,
) -> io::Result<bool> {
    if !json {
        writeln!(output, "\nroots    bound     n  pairs       broken  mean distance  not the loss    misled")?;
    }
    let mut all_right = true;
    for n_words in 1..=max_words {
        let found = check_bounds(system, n_words, roots);
        for (kind, of) in BoundFindings::KINDS.into_iter().zip(found.of) {
            let row = BoundRow {
                system: system.info().name,
                roots: roots_name(roots),
                bound: kind.name(),
                words: n_words,
                pairs: found.pairs,
                broken: found.broken,
                mean_distance: of.distances / found.pairs.max(1) as f64,
                not_the_loss_percent: percent(of.different, found.pairs),
                misled_percent: percent(of.misled, found.decisions),
            };
            match json {
                true => write_json_line(output, &row)?,
                false => writeln!(
                    output,
                    "{:<7}  {:<8}  {n_words}  {:<9}  {:>7}  {:>13.5}  {:>10.3} %  {:>6.3} %",
                    row.roots,
                    row.bound,
                    row.pairs,
                    row.broken,
                    row.mean_distance,
                    row.not_the_loss_percent,
                    row.misled_percent,
                )?,
            }
        }
        all_right &= roots == Roots::Single || found.broken == 0;
    }
    if !json {
        writeln!(
            output,
            "broken: pairs, terminal ones included, in which lower <= loss <= pc-upper <= upper does not hold\n\
             mean distance: |bound - loss| / loss, 0 where the loss is 0; misled: of the pairs that are not terminal"
        )?;
    }
    Ok(all_right)
}

/// The findings of one length, by [`COLUMNS`].
type Row = [Value; COLUMNS.len()];

fn row(system: SystemKind, scope: Scope, findings: &Findings, as_claimed: bool) -> Row {
    [
        system.name().into(),
        roots_name(scope.roots).into(),
        shape_name(scope.shape).into(),
        scope.n_words.into(),
        scope.n_labels.into(),
        findings.trees.into(),
        findings.configurations.into(),
        findings.pairs.into(),
        findings.transitions.into(),
        findings.mismatches.into(),
        findings.zero_set_errors.into(),
        findings.without_zero.into(),
        findings.suboptimal.into(),
        findings.derivable.into(),
        findings.rebuilt.into(),
        as_claimed.into(),
        findings.counterexample.as_ref().map(|counterexample| sentence(counterexample, scope)).into(),
    ]
}

/// A row as a JSON object.
struct Fields(Row);

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(COLUMNS.iter().map(|(name, ..)| name).zip(&self.0))
    }
}

/// Writes a row in columns: names to the left, numbers to the right.
fn write_row(output: &mut impl Write, row: Row) -> io::Result<()> {
    let cells = row.iter().zip(COLUMNS).filter(|(_, (.., width))| *width > 0);
    for (place, (value, (.., width))) in cells.enumerate() {
        let cell = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match place {
            0 => write!(output, "{cell:<width$}")?,
            1 | 2 => write!(output, "  {cell:<width$}")?,
            _ => write!(output, "  {cell:>width$}")?,
        }
    }
    writeln!(output)
}

/// Says on standard error what is wrong.
fn report(system: SystemKind, scope: Scope, findings: &Findings) {
    let where_ = format!("{system}, {} words, roots {}", scope.n_words, roots_name(scope.roots));
    if findings.stuck > 0 {
        eprintln!("{where_}: {} configurations permit nothing and are not terminal", findings.stuck);
    }
    if findings.rebuilt < findings.derivable {
        let n = findings.derivable - findings.rebuilt;
        let first = findings.not_rebuilt.as_ref().map(|tree| format!(", the first of the {}", heads(tree, scope)));
        eprintln!("{where_}: the static oracle fails on {n} gold trees{}", first.unwrap_or_default());
    }
    if let Some(counterexample) = &findings.counterexample {
        eprintln!("{where_}: {}", sentence(counterexample, scope));
    }
}

/// A wrong cost in a sentence: the gold tree, the moves that lead to the configuration, what that is, and the move.
fn sentence(counterexample: &Counterexample, scope: Scope) -> String {
    let Counterexample { path, lists, arcs, gold, action, claimed, loss } = counterexample;
    let moves: Vec<String> = path.iter().map(|&action| spelled(action, scope)).collect();
    let after = if moves.is_empty() { "at the beginning".to_owned() } else { format!("after {}", moves.join(" ")) };
    let list = |list: &Vec<u16>| list.iter().map(u16::to_string).collect::<Vec<_>>().join(" ");
    let lists: Vec<String> = lists.iter().map(list).collect();
    let arc = |word: u16| {
        let head = if arcs.head(word) == ROOT { "root".to_owned() } else { arcs.head(word).to_string() };
        format!("{head} → {word}{}", label(arcs.label(word), scope))
    };
    let arcs: Vec<String> = arcs.words().filter(|&word| arcs.head(word) != NO_NODE).map(arc).collect();
    let arcs = if arcs.is_empty() { "no arcs".to_owned() } else { arcs.join(", ") };
    format!(
        "with the gold {}, {after}, in [{}] with {arcs}, {} is said to cost {claimed} and costs {loss}",
        heads(gold, scope),
        lists.join(" | "),
        spelled(*action, scope)
    )
}

/// An action by the name of its move, with its label if there are several, and its point if that is not the first.
fn spelled(action: Action, scope: Scope) -> String {
    let label = if action.mv.makes_arc() { label(action.label, scope) } else { String::new() };
    let point = if action.point > 0 { format!("@{}", action.point) } else { String::new() };
    format!("{}{label}{point}", action.mv.name())
}

/// A label behind what bears it, if there are several.
fn label(label: u16, scope: Scope) -> String {
    if scope.n_labels > 1 { format!(":{label}") } else { String::new() }
}

/// The heads of the words, first to last, with labels if there are several.
fn heads(tree: &Tree, scope: Scope) -> String {
    let of = |word| format!("{}{}", tree.head(word), label(tree.label(word), scope));
    format!("heads {}", tree.words().map(of).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_if_nothing_is_wrong() {
        let right = Findings { trees: 3, derivable: 3, rebuilt: 3, transitions: 30, ..Findings::default() };
        let holds = |findings: &Findings, shape| holds(Exactness::ExactForProjective, false, shape, findings);
        assert!(holds(&right, Shape::Projective));
        for wrong in [
            Findings { mismatches: 1, ..right.clone() },
            Findings { zero_set_errors: 1, ..right.clone() },
            Findings { derivable: 2, rebuilt: 2, ..right.clone() },
        ] {
            assert!(!holds(&wrong, Shape::Projective), "{wrong:?}");
            assert!(holds(&wrong, Shape::NonProjective), "{wrong:?}");
        }
        for wrong in [Findings { stuck: 1, ..right.clone() }, Findings { rebuilt: 2, ..right.clone() }] {
            assert!(!holds(&wrong, Shape::Projective), "{wrong:?}");
            assert!(!holds(&wrong, Shape::NonProjective), "{wrong:?}");
        }
    }

    #[test]
    fn weaker_claims_forgive_what_they_do_not_exclude() {
        let rough = Findings { trees: 3, derivable: 3, rebuilt: 3, mismatches: 2, ..Findings::default() };
        let missed = Findings { overestimates: 2, zero_set_errors: 2, reachable_zero_set_errors: 2, ..rough.clone() };
        assert!(holds(Exactness::FreeWhereReachable, true, Shape::NonProjective, &rough));
        assert!(!holds(Exactness::FreeWhereReachable, true, Shape::NonProjective, &missed));
        assert!(!holds(Exactness::SoundOnItsWay, true, Shape::NonProjective, &rough));
        assert!(holds(Exactness::SoundOnItsWay, true, Shape::NonProjective, &missed));
        let exact = Findings { mismatches: 0, trees: 4, ..rough.clone() };
        assert!(holds(Exactness::Exact, false, Shape::NonProjective, &exact));
        assert!(!holds(Exactness::Exact, true, Shape::NonProjective, &exact));
        assert!(!holds(Exactness::Exact, false, Shape::Projective, &exact));
        assert!(!holds(Exactness::Exact, false, Shape::NonProjective, &Findings { mismatches: 1, ..exact }));
        let fewer = Findings { trees: 4, ..rough };
        assert!(holds(Exactness::FreeWhereReachable, true, Shape::NonProjective, &fewer));
        assert!(!holds(Exactness::FreeWhereReachable, true, Shape::Projective, &fewer));
        assert!(!holds(Exactness::SoundOnItsWay, true, Shape::NonProjective, &Findings { trees: 4, ..missed }));
    }
}
