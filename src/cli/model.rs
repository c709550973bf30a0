//! `treebeam model`.

mod freeze;

use clap::Subcommand;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;

use crate::graph::GraphModel;
use crate::linear::{FrozenWeights, Linear, Weights as _};
use crate::model::{Frozen as _, Lags, Network, Provenance};
use crate::neural::FeedForward;
use crate::parser::Loaded;
use crate::scorers::{AnyModel, AnyScorer};

/// Options of `treebeam model`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print what a model is and how it was made
    Info {
        /// The model
        model: PathBuf,
        /// Print the whole header as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a model again, in fewer bits if asked for, and tell what that costs
    ///
    /// A model as trained is frozen already: it is mapped into memory and parsed with where it stands. With weights of 16 bits
    /// the file is an eighth smaller, with 8 bits a quarter.
    Freeze(freeze::Args),
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Info { model, json } => info(&model, json),
        Command::Freeze(args) => freeze::run(args),
    }
}

fn info(path: &Path, json: bool) -> anyhow::Result<ExitCode> {
    let (header, sizes, lines) = match Loaded::read(path)? {
        Loaded::Transitions(model) => of_transitions(&model)?,
        Loaded::Graph(model) => of_graph(&model)?,
    };
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&serde_json::json!({ "header": header, "sizes": sizes }))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{:<11}{}", "model", path.display())?;
    for (name, value) in lines {
        writeln!(out, "{name:<11}{value}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Header and sizes as JSON, and lines for people.
type Info = (Value, Value, Vec<(&'static str, String)>);

fn of_transitions(model: &AnyModel) -> serde_json::Result<Info> {
    let header = &model.header;
    let (mut sizes, reads, weights) = match &model.scorer {
        AnyScorer::Linear(linear) => of_linear(linear, &header.features),
        AnyScorer::FeedForward(network) => of_network(network),
    };
    sizes["actions"] = model.actions.len().into();
    let mut lines = vec![
        ("system", header.system.to_string()),
        reads,
        ("columns", format!("words {:?}, tags {:?}", header.word_column, header.tag_column)),
        ("actions", format!("{}, of {} labels", model.actions.len(), header.labels.len())),
        weights,
        ("beam", header.beam.to_string()),
    ];
    lines.extend(header.lags.iter().map(|lags| ("margins", margins(lags))));
    lines.extend(origin(&header.provenance, &header.training));
    Ok((serde_json::to_value(header)?, sizes, lines))
}

/// Sizes as JSON, what is read, and its weights.
type OfScorer = (Value, (&'static str, String), (&'static str, String));

fn of_linear(linear: &Linear, features: &str) -> OfScorer {
    let n_templates = linear.features().n_templates();
    let mut sizes = sizes(linear.weights());
    sizes["templates"] = n_templates.into();
    (sizes, ("features", format!("{features}, {n_templates} templates")), weights(linear.weights()))
}

fn of_network(network: &FeedForward) -> OfScorer {
    let size = network.size();
    let Network { places, labels, hidden, activation, .. } = &network.layout().network;
    let sizes = serde_json::json!({
        "features": size.features,
        "weights": size.weights,
        "scale": network.scale(),
        "places": places.len() + labels.len(),
        "hidden": hidden,
    });
    let (n_places, n_labels, activation) = (places.len(), labels.len(), activation.name());
    let about =
        format!("feed-forward, {n_places} places and {n_labels} of labels, {hidden} hidden units, {activation}");
    let weights = format!("{} of single precision, {} embedded values", size.weights, size.features);
    (sizes, ("network", about), ("weights", weights))
}

fn of_graph(model: &GraphModel) -> serde_json::Result<Info> {
    let header = &model.header;
    let mut sizes = sizes(&model.weights);
    sizes["labels"] = header.labels.len().into();
    sizes["templates"] = header.system.n_templates().into();
    let mut lines = vec![
        ("system", header.system.to_string()),
        ("features", format!("of arcs, {} templates", header.system.n_templates())),
        ("columns", format!("words {:?}, tags {:?}", header.word_column, header.tag_column)),
        ("labels", header.labels.len().to_string()),
        weights(&model.weights),
    ];
    lines.extend(origin(&header.provenance, &header.training));
    Ok((serde_json::to_value(header)?, sizes, lines))
}

fn sizes(weights: &FrozenWeights) -> Value {
    serde_json::json!({
        "features": weights.n_features(),
        "weights": weights.n_weights(),
        "scale": weights.scale(),
    })
}

/// The margins that keep the trees of most sentences.
fn margins(lags: &Lags) -> String {
    let at = |percentage: f64| lags.quantile(percentage).unwrap_or_default();
    let [a, b, c] = [99.0, 99.5, 99.9].map(at);
    let Lags { width, sentences, .. } = lags;
    format!("width {width}: 99 % of {sentences} sentences lag {a:.1} at most, 99.5 % {b:.1}, 99.9 % {c:.1}")
}

fn weights(weights: &FrozenWeights) -> (&'static str, String) {
    let (n_weights, n_features) = (weights.n_weights(), weights.n_features());
    let (scale, precision) = (weights.scale(), weights.precision());
    ("weights", format!("{n_weights} in {n_features} features, 1.0 is {scale}, precision {precision}"))
}

fn origin(provenance: &Provenance, training: &Value) -> impl Iterator<Item = (&'static str, String)> {
    let Provenance { version, iteration, generator, train_sentences, train_sha256, .. } = provenance;
    [
        Some(("made by", format!("treebeam {version}, iteration {iteration}, {generator}"))),
        Some(("train", format!("{train_sentences} sentences, sha256 {train_sha256}"))),
        provenance.dev_sha256.as_ref().map(|sha256| ("dev", format!("sha256 {sha256}"))),
        Some(("options", training.to_string())),
    ]
    .into_iter()
    .flatten()
}
