//! `treebeam features`.

use bumpalo::Bump;
use clap::Subcommand;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::write_json_line;
use treebeam::configuration::{Arena, Interner, Point, SharedConfiguration as _, View};
use treebeam::error::{Error, Location};
use treebeam::features::{
    Attribute, BUILT_IN, ColumnName, Columns, FeatureSet, GROUPS, NETWORK_SETS, NetworkSet, Place, Shown, WordShape,
};
use treebeam::system::{Derivation, Roots, SystemKind, TransitionSystem};
use treebeam::tree::{Gold, Labels, Node, ROOT};
use treebeam::treebank::{Reader, Sentence};
use treebeam::with_system;

/// Commands of `treebeam features`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the built-in feature sets, the groups of templates to add to them, and the sets of places that networks read
    List(ListArgs),
    /// Print the templates of a set; with a file, also what each reads in a configuration
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print one JSON object a line for each set, with its templates
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// A built-in set, the path of a .feat file, or several of these with + between them [default: the system's]
    #[arg(long, value_name = "SET")]
    features: Option<String>,
    /// Show a set of places, which networks read, in place of one of templates: a built-in one, or the path of a .feat file
    #[arg(long, value_name = "SET", conflicts_with = "features")]
    places: Option<String>,
    /// The transition system whose derivation is followed
    #[arg(long, value_enum, default_value_t = SystemKind::default())]
    system: SystemKind,
    /// A treebank with gold trees
    file: Option<PathBuf>,
    /// The sentence with this id, or else this number, from 1 [default: 1]
    #[arg(long, value_name = "N|ID", requires = "file")]
    sentence: Option<String>,
    /// Number of words that may hang on the root [default: as many as the file's format allows]
    #[arg(long, requires = "file")]
    roots: Option<Roots>,
    /// The configuration: after this many transitions of the canonical derivation [default: half of them]
    #[arg(long, value_name = "K", requires = "file", value_parser = super::range::whole::<usize>(0..=1_000_000))]
    step: Option<usize>,
    /// The column that .w atoms read
    #[arg(long, value_enum, default_value = "form", value_name = "COLUMN", requires = "file")]
    word_column: ColumnName,
    /// The column that .p atoms read
    #[arg(long, value_enum, default_value = "upos", value_name = "COLUMN", requires = "file")]
    tag_column: ColumnName,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A set of templates as JSON.
#[derive(Serialize)]
struct ListedSet<'a> {
    name: &'a str,
    title: &'a str,
    templates: Vec<String>,
}

/// A set of places as JSON.
#[derive(Serialize)]
struct ListedPlaces<'a> {
    name: &'a str,
    title: &'a str,
    places: Vec<&'a Place>,
    /// Inputs beside word and tag, if they are not prefix, suffix and shape.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reads: &'a [Attribute],
}

impl ListedPlaces<'_> {
    fn of(set: &NetworkSet) -> ListedPlaces<'_> {
        ListedPlaces {
            name: &set.name,
            title: set.title(),
            places: set.places.iter().chain(&set.labels).collect(),
            reads: &set.inputs,
        }
    }
}

/// Values that templates read in a configuration, as JSON or as text.
#[derive(Serialize)]
struct ShownConfiguration {
    #[serde(flatten)]
    location: Location,
    system: &'static str,
    /// Number of transitions that led here, and of all.
    step: usize,
    steps: usize,
    /// The numbers of the nodes of each list, from 0, the root.
    lists: Vec<Vec<Node>>,
    point: Point,
    /// Number of points at which a transition can be made.
    points: usize,
    templates: Vec<ShownTemplate>,
}

#[derive(Serialize)]
struct ShownTemplate {
    template: String,
    values: Vec<String>,
}

/// Runs the subcommand.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    let mut out = treebeam::console::output();
    match command {
        Command::List(args) => {
            for name in BUILT_IN.iter().map(|(name, _)| name).chain(GROUPS.iter().map(|(name, _)| name)) {
                let set = FeatureSet::load(name)?;
                match args.json {
                    true => write_json_line(&mut out, &listed(name, &set))?,
                    false => writeln!(out, "{name:<14} {:>3} templates  {}", set.templates.len(), set.title())?,
                }
            }
            for (name, _) in NETWORK_SETS {
                let set = NetworkSet::load(name)?;
                let n = set.places.len() + set.labels.len();
                match args.json {
                    true => write_json_line(&mut out, &ListedPlaces::of(&set))?,
                    false => writeln!(out, "{name:<14} {n:>3} places     {}", set.title())?,
                }
            }
        }
        Command::Show(args) if args.places.is_some() && args.file.is_none() => {
            let set = NetworkSet::load_for(args.places.as_deref().unwrap_or_default(), args.system)?;
            set.check(args.system.name(), args.system.info().buffer_is_suffix)?;
            match args.json {
                true => write_json_line(&mut out, &ListedPlaces::of(&set))?,
                false => {
                    if !set.inputs.is_empty() {
                        let inputs: Vec<String> = set.inputs.iter().map(ToString::to_string).collect();
                        writeln!(out, "reads {}", inputs.join(" "))?;
                    }
                    let all = set.places.iter().chain(&set.labels);
                    all.enumerate().try_for_each(|(i, place)| writeln!(out, "{:>3}  {place}", i + 1))?;
                }
            }
        }
        Command::Show(args) => {
            let name = args.features.as_deref().unwrap_or(args.system.info().features);
            let set = match &args.places {
                Some(places) => NetworkSet::load_for(places, args.system)?.as_templates()?,
                None => FeatureSet::load_for(name, args.system)?,
            };
            match &args.file {
                None if args.json => write_json_line(&mut out, &listed(name, &set))?,
                None => {
                    for (i, template) in set.templates.iter().enumerate() {
                        writeln!(out, "{:>3}  {template}", i + 1)?;
                    }
                }
                Some(file) => {
                    let reader = Reader::open(file, None)?;
                    let roots = args.roots.unwrap_or(reader.format().roots());
                    let roots = if args.system.info().tags { Roots::Several } else { roots };
                    let path = file.display().to_string();
                    let (_, sentence) =
                        super::sentence::find(reader, &path, args.sentence.as_deref().unwrap_or("1"), |found| found)?;
                    let sentence = sentence.for_target(args.system.info().tags.then(|| args.tag_column.into()));
                    let set = set.expanded(std::iter::once(&sentence))?;
                    let shown = with_system!(args.system, args.system.own_roots(roots), |system| show(
                        &system, roots, &set, &sentence, &args
                    ))?;
                    match args.json {
                        true => write_json_line(&mut out, &shown)?,
                        false => write_text(&mut out, &shown, &sentence)?,
                    }
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
) -> anyhow::Result<ShownConfiguration> {
    set.check(system.info().name, system.info().buffer_is_suffix)?;
    let mut labels = Labels::default();
    let gold = Gold::new(sentence.tree(roots, &mut labels)?);
    let (bump, interner) = (Bump::new(), Interner::new(labels.len()));
    let arena = Arena::new(&bump, &interner);
    let derivation = Derivation::least_cost::<_, S::Shared<'_>>(system, &gold, arena);
    let steps = derivation.actions.len();
    let step = args.step.unwrap_or(steps / 2);
    if step > steps {
        let place = sentence.location(ROOT);
        let what = format!(
            "{place}: --step {step}, in a derivation of {steps} transitions; expected a step from 0 to {steps}"
        );
        return Err(Error::Usage(what).into());
    }
    let mut configuration: S::Shared<'_> = system.initial(arena, sentence.n_words());
    let mut history = None;
    for (number, &action) in derivation.actions[..step].iter().enumerate() {
        history = Some(arena.history(number as u16, history));
        configuration = system.successor(&configuration, action, arena);
    }
    let points = system.n_points(&configuration);
    let point = match derivation.actions.get(step) {
        Some(next) => next.point,
        None => 0,
    };
    let columns = Columns::of(set, args.word_column.into(), WordShape::AsWritten, args.tag_column.into());
    let shown =
        Shown { columns: &columns, sentence, labels: &labels, interner: &interner, actions: &derivation.actions };
    let view = View { cells: configuration.cells(point), history };
    let templates = set.templates.iter().map(|template| ShownTemplate {
        template: template.to_string(),
        values: shown.template(template, &view).iter().map(ToString::to_string).collect(),
    });
    let lists = configuration.places().into_iter().map(|list| list.into_iter().map(|place| place.node).collect());
    Ok(ShownConfiguration {
        location: sentence.location(ROOT),
        system: system.info().name,
        step,
        steps,
        lists: lists.collect(),
        point,
        points,
        templates: templates.collect(),
    })
}

fn listed<'a>(name: &'a str, set: &'a FeatureSet) -> ListedSet<'a> {
    ListedSet { name, title: set.title(), templates: set.templates.iter().map(ToString::to_string).collect() }
}

fn write_text(out: &mut impl Write, shown: &ShownConfiguration, sentence: &Sentence) -> io::Result<()> {
    let name = |&node: &Node| if node == ROOT { "ROOT" } else { sentence.form(node) };
    let lists: Vec<String> =
        shown.lists.iter().map(|list| list.iter().map(name).collect::<Vec<_>>().join(" ")).collect();
    writeln!(out, "{} after {} transitions of {}", shown.system, shown.step, shown.steps)?;
    writeln!(out, "{}", lists.join(" | "))?;
    if shown.points > 1 {
        writeln!(out, "at point {} of {}", shown.point, shown.points)?;
    }
    writeln!(out)?;
    for (i, ShownTemplate { template, values }) in shown.templates.iter().enumerate() {
        writeln!(out, "{:>3}  {template:<40}  {}", i + 1, values.join("  "))?;
    }
    Ok(())
}
