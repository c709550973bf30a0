//! `treebeam model`.

mod card;
mod freeze;
mod index;

use clap::Subcommand;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use card::Line;
use treebeam::graph::{Biaffine, GraphHeader, GraphModel, GraphScorer};
use treebeam::linear::{FrozenWeights, Linear, Precision, Weights as _};
use treebeam::model::{Frozen as _, Lstm, Network, Size};
use treebeam::neural::FeedForward;
use treebeam::neural::UNIT;
use treebeam::parser::Loaded;
use treebeam::scorers::{AnyModel, AnyScorer};

/// Commands of `treebeam model`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print a model's parser, features, training, data and score, and the command that trains it again
    Info {
        /// The model
        model: PathBuf,
        /// Print the whole header as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a model in fewer bits, and report the loss of accuracy
    ///
    /// A file of a linear model is smaller by an eighth with weights of 16 bits, by a quarter with 8; that of a network by half with
    /// either. Networks then add whole numbers: sums of hidden units with 16 bits, with 8 bits the output layer, too.
    Freeze(freeze::Args),
    /// List the trained models of a folder: treebanks, licences, sizes, scores
    List {
        #[command(flatten)]
        folder: index::ModelFolder,
        /// Print a JSON object a line, for each model
        #[arg(long)]
        json: bool,
    },
    /// Copy a trained model out of a folder, and check that it is whole
    Get(index::Get),
}

/// Runs the subcommand.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Info { model, json } => info(&model, json),
        Command::Freeze(args) => freeze::run(args),
        Command::List { folder, json } => index::list(&folder, json),
        Command::Get(args) => index::get(&args),
    }
}

fn info(path: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let (header, sizes, lines) = match Loaded::read(path)? {
        Loaded::Transitions(model) => of_transitions(&model)?,
        Loaded::Graph(model) => of_graph(&model)?,
    };
    let mut out = treebeam::console::output();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&serde_json::json!({ "header": header, "sizes": sizes }))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<Line> = std::iter::once(card::file(path)).chain(lines).collect();
    write!(out, "{}", card::card(&lines))?;
    Ok(ExitCode::SUCCESS)
}

/// Header and sizes as JSON, and lines for people.
type Info = (Value, Value, Vec<Line>);

fn of_transitions(model: &AnyModel) -> anyhow::Result<Info> {
    let header = &model.header;
    let (mut sizes, scorer, weights) = match &model.scorer {
        AnyScorer::Linear(linear) => of_linear(linear, &header.features),
        AnyScorer::FeedForward(network) => of_network(network),
    };
    sizes["actions"] = model.actions.len().into();
    let mut lines = vec![
        match header.target() {
            Some(_) => (
                "system",
                format!("{}, a transition system; fills {}", header.system.name(), card::name(header.tag_column)),
            ),
            None if header.joint_target().is_some() => {
                let fills = format!("a transition system that fills {} too", card::name(header.tag_column));
                card::parser(header.system.name(), &fills, header.roots, header.lift)
            }
            None => card::parser(header.system.name(), "a transition system", header.roots, header.lift),
        },
        scorer,
        card::columns(
            header.word_column,
            header.word_shape,
            Some(header.tag_column).filter(|_| header.tags_column().is_none()),
        ),
        (
            if header.target().is_some() { "tags" } else { "labels" },
            format!("{}, in {} actions", header.labels.len(), model.actions.len()),
        ),
        weights,
        ("parses", format!("with a beam of width {} by default", header.beam)),
    ];
    lines.extend(header.clusters.iter().map(|clusters| ("clusters", format!("of {} words", clusters.len()))));
    lines.extend(header.gaps.iter().map(card::margins));
    lines.extend(card::origin(&header.provenance, &header.training)?);
    let mut shown = serde_json::to_value(header)?;
    if let Some(clusters) = &header.clusters {
        shown["clusters"] = serde_json::json!({ "words": clusters.len() });
    }
    Ok((shown, sizes, lines))
}

/// Sizes as JSON, what makes scores, and its weights.
type OfScorer = (Value, Line, Line);

fn of_linear(linear: &Linear, features: &str) -> OfScorer {
    let n_templates = linear.features().n_templates();
    let mut sizes = sizes(linear.weights());
    sizes["templates"] = n_templates.into();
    (sizes, ("scorer", format!("linear, features {features} ({n_templates} templates)")), weights(linear.weights()))
}

fn of_network(network: &FeedForward) -> OfScorer {
    let size = network.size();
    let Network { places, labels, encoder, stacks, hidden, activation, .. } = &network.layout().network;
    let mut sizes = serde_json::json!({
        "features": size.features,
        "weights": size.weights,
        "scale": network.scale(),
        "precision": network.precision().to_string(),
        "places": places.len() + labels.len(),
        "hidden": hidden,
    });
    let (n_places, n_labels, activation) = (places.len(), labels.len(), activation.name());
    let mut about = format!("{} network", network.kind());
    if let Some(Lstm { layers, units }) = encoder {
        about += &format!(" of {layers} layers of 2 x {units}");
        (sizes["layers"], sizes["units"]) = ((*layers).into(), (*units).into());
    }
    if let Some(Lstm { layers, units }) = stacks {
        about += &format!(" of three times {layers} layers of {units}");
        (sizes["layers"], sizes["units"]) = ((*layers).into(), (*units).into());
    }
    about += &format!(", {n_places} places and {n_labels} of labels, {hidden} hidden units, {activation}");
    let precision = match network.precision() {
        Precision::Full => "of single precision",
        Precision::I16 => "of 16 bits, sums of hidden units of 16 bits, precision i16",
        Precision::I8 => {
            "of 16 bits, sums of hidden units of 16 bits, activations and output layer of 8 bits, precision i8"
        }
    };
    let weights = format!("{} {precision}; {} embedded values", size.weights, size.features);
    (sizes, ("scorer", about), ("weights", weights))
}

fn of_graph(model: &GraphModel) -> anyhow::Result<Info> {
    let header = &model.header;
    let n_templates = header.system.n_templates();
    let (mut sizes, scorer, weights) = match &model.scorer {
        GraphScorer::Linear(of) => {
            (sizes(of), ("scorer", format!("linear, features of arcs ({n_templates} templates)")), weights(of))
        }
        GraphScorer::Biaffine(network) => of_biaffine(network, header),
    };
    sizes["labels"] = header.labels.len().into();
    sizes["templates"] = header.system.n_templates().into();
    let mut lines = vec![
        card::parser(header.system.name(), "graph-based", header.roots, header.lift),
        scorer,
        card::columns(header.word_column, header.word_shape, Some(header.tag_column)),
        ("labels", header.labels.len().to_string()),
        weights,
    ];
    lines.extend(card::origin(&header.provenance, &header.training)?);
    Ok((serde_json::to_value(header)?, sizes, lines))
}

fn of_biaffine(network: &Biaffine, header: &GraphHeader) -> OfScorer {
    let Size { features, weights } = network.size();
    let sizes = serde_json::json!({ "features": features, "weights": weights, "scale": UNIT as u32 });
    let about = header.network.as_ref().map_or(String::new(), |network| network.to_string());
    let numbers = format!("{weights} of single precision, {features} embedded values");
    (sizes, ("scorer", about), ("weights", numbers))
}

fn sizes(weights: &FrozenWeights) -> Value {
    serde_json::json!({
        "features": weights.n_features(),
        "weights": weights.n_weights(),
        "scale": weights.scale(),
    })
}

fn weights(weights: &FrozenWeights) -> Line {
    let (n_weights, n_features) = (weights.n_weights(), weights.n_features());
    let (scale, precision) = (weights.scale(), weights.precision());
    let of = if scale == 1 { "whole numbers".to_owned() } else { format!("whole numbers of which {scale} are 1.0") };
    ("weights", format!("{n_weights} in {n_features} features, {of}, precision {precision}"))
}
