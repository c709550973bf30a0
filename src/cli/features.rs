//! `treebeam features`.

use bumpalo::Bump;
use clap::Subcommand;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::configuration::{Arena, LabelSets, PlainView as _, Role, View as _};
use crate::features::{BUILT_IN, ColumnName, Columns, FeatureSet, Shown, WordShape};
use crate::system::{Derivation, Roots, SystemKind, TransitionSystem};
use crate::tree::{Gold, Labels, Node, ROOT};
use crate::treebank::{Reader, Sentence};
use crate::with_system;

/// Options of `treebeam features`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the built-in feature sets
    List,
    /// Print the templates of a set; with a file, also what each reads in a configuration
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// A built-in set or the path of a .feat file [default: the system's]
    #[arg(long, value_name = "SET")]
    features: Option<String>,
    /// The transition system whose derivation is followed
    #[arg(long, value_enum, default_value_t = SystemKind::ArcEager)]
    system: SystemKind,
    /// A treebank with gold trees
    file: Option<PathBuf>,
    /// The sentence with this id, or else this number, from 1 [default: 1]
    #[arg(long, value_name = "N|ID")]
    sentence: Option<String>,
    /// The configuration: after this many transitions of the canonical derivation [default: half of them]
    #[arg(long, value_name = "K")]
    step: Option<usize>,
    /// The column that .w atoms read
    #[arg(long, value_enum, default_value = "form", value_name = "COLUMN")]
    word_column: ColumnName,
    /// The column that .p atoms read
    #[arg(long, value_enum, default_value = "upos", value_name = "COLUMN")]
    tag_column: ColumnName,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    match args.command {
        Command::List => {
            for (name, _) in BUILT_IN {
                let set = FeatureSet::load(name)?;
                writeln!(out, "{name:<14} {:>3} templates  {}", set.templates.len(), set.title())?;
            }
        }
        Command::Show(args) => {
            let set = FeatureSet::load_for(args.features.as_deref().unwrap_or(args.system.features()), args.system)?;
            match &args.file {
                None => {
                    for (i, template) in set.templates.iter().enumerate() {
                        writeln!(out, "{:>3}  {template}", i + 1)?;
                    }
                }
                Some(file) => {
                    let reader = Reader::open(file, None)?;
                    let roots = reader.format().roots();
                    let path = file.display().to_string();
                    let (_, sentence) = super::sentence::find(reader, &path, args.sentence.as_deref())?;
                    with_system!(args.system, args.system.own_roots(roots), |system| show(
                        &system, roots, &set, &sentence, &args, &mut out
                    ))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show<S: TransitionSystem>(
    system: &S,
    roots: Roots,
    set: &FeatureSet,
    sentence: &Sentence,
    args: &ShowArgs,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    set.check(S::NAME, S::BUFFER_IS_SUFFIX)?;
    let mut labels = Labels::default();
    let gold = Gold::new(sentence.tree(roots, &mut labels)?);
    let (bump, sets) = (Bump::new(), LabelSets::new(labels.len()));
    let arena = Arena::new(&bump, &sets, &[]);
    let derivation = Derivation::least_cost::<_, S::Shared<'_>>(system, &gold, arena);
    let step = args.step.unwrap_or(derivation.actions.len() / 2).min(derivation.actions.len());
    let mut configuration: S::Shared<'_> = system.initial(arena, sentence.n_words());
    let mut plain: S::Plain = system.initial((), sentence.n_words());
    let mut history = None;
    for (number, &action) in derivation.actions[..step].iter().enumerate() {
        history = Some(arena.history(number as u16, history));
        configuration = system.successor(&configuration, action, arena);
        plain = system.successor(&plain, action, ());
    }
    let name = |&node: &Node| if node == ROOT { "ROOT" } else { sentence.form(node) };
    let lists = plain.lists();
    let lists: Vec<String> = lists.iter().map(|list| list.iter().map(name).collect::<Vec<_>>().join(" ")).collect();
    writeln!(out, "{} after {step} transitions of {}", S::NAME, derivation.actions.len())?;
    writeln!(out, "{}", lists.join(" | "))?;
    let n_points = system.n_points(&configuration);
    let point = match derivation.actions.get(step) {
        Some(next) => next.point,
        None => 0,
    };
    if n_points > 1 {
        writeln!(out, "at point {point} of {n_points}")?;
    }
    writeln!(out)?;
    let columns = Columns::of(set, args.word_column.into(), WordShape::AsWritten, args.tag_column.into());
    let shown = Shown { columns: &columns, sentence, labels: &labels, sets: &sets, actions: &derivation.actions };
    let mut cells = configuration.cells(point);
    cells[Role::A as usize] = history;
    for (i, template) in set.templates.iter().enumerate() {
        writeln!(out, "{:>3}  {:<40}  {}", i + 1, template.to_string(), shown.template(template, &cells).join("  "))?;
    }
    Ok(())
}
