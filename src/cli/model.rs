//! `treebeam model`.

use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::model::Model;

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
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Command::Info { model: path, json } = args.command;
    let model = Model::read(&path)?;
    let header = &model.header;
    if json {
        let sizes = serde_json::json!({
            "features": model.weights.n_features(),
            "weights": model.weights.n_weights(),
            "scale": model.weights.scale(),
            "actions": model.actions.len(),
            "templates": model.features.n_templates(),
        });
        println!("{}", serde_json::to_string_pretty(&serde_json::json!({ "header": header, "sizes": sizes }))?);
        return Ok(ExitCode::SUCCESS);
    }
    let provenance = &header.provenance;
    println!("model      {}", path.display());
    println!("system     {}", header.system);
    println!("features   {}, {} templates", header.features, model.features.n_templates());
    println!("columns    words {:?}, tags {:?}", header.word_column, header.tag_column);
    println!("actions    {}, of {} labels", model.actions.len(), header.labels.len());
    println!(
        "weights    {} in {} features, 1.0 is {}",
        model.weights.n_weights(),
        model.weights.n_features(),
        model.weights.scale()
    );
    println!("beam       {}", header.beam);
    println!(
        "made by    treebeam {}, iteration {}, {}",
        provenance.version, provenance.iteration, provenance.generator
    );
    println!("train      {} sentences, sha256 {}", provenance.train_sentences, provenance.train_sha256);
    if let Some(dev) = &provenance.dev_sha256 {
        println!("dev        sha256 {dev}");
    }
    println!("options    {}", header.training);
    Ok(ExitCode::SUCCESS)
}
