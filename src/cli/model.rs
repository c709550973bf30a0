//! `treebeam model`.

use clap::Subcommand;
use std::io::Write;
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
    let mut out = std::io::stdout().lock();
    if json {
        let sizes = serde_json::json!({
            "features": model.weights.n_features(),
            "weights": model.weights.n_weights(),
            "scale": model.weights.scale(),
            "actions": model.actions.len(),
            "templates": model.features.n_templates(),
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&serde_json::json!({ "header": header, "sizes": sizes }))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let provenance = &header.provenance;
    writeln!(out, "model      {}", path.display())?;
    writeln!(out, "system     {}", header.system)?;
    writeln!(out, "features   {}, {} templates", header.features, model.features.n_templates())?;
    writeln!(out, "columns    words {:?}, tags {:?}", header.word_column, header.tag_column)?;
    writeln!(out, "actions    {}, of {} labels", model.actions.len(), header.labels.len())?;
    writeln!(
        out,
        "weights    {} in {} features, 1.0 is {}",
        model.weights.n_weights(),
        model.weights.n_features(),
        model.weights.scale()
    )?;
    writeln!(out, "beam       {}", header.beam)?;
    writeln!(
        out,
        "made by    treebeam {}, iteration {}, {}",
        provenance.version, provenance.iteration, provenance.generator
    )?;
    writeln!(out, "train      {} sentences, sha256 {}", provenance.train_sentences, provenance.train_sha256)?;
    if let Some(dev) = &provenance.dev_sha256 {
        writeln!(out, "dev        sha256 {dev}")?;
    }
    writeln!(out, "options    {}", header.training)?;
    Ok(ExitCode::SUCCESS)
}
