//! `treebeam model list` and `get`: trained models in a folder, as its index lists them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::write_json_line;
use treebeam::error::Error;
use treebeam::files::{Paths, hex, read_text, write_whole};
use treebeam::suggest::nearest;
use treebeam_lab::evaluation::TextTable;

/// The index of a folder of models.
const INDEX: &str = "index.json";

/// The folder of models.
#[derive(Debug, clap::Args)]
pub struct ModelFolder {
    /// The folder of the models, which `make models` writes; it may be a mounted share
    #[arg(long, value_name = "FOLDER", env = "TREEBEAM_MODELS")]
    from: PathBuf,
}

/// Options of `treebeam model get`.
#[derive(Debug, clap::Args)]
pub struct Get {
    /// The model, as `treebeam model list` names it
    name: String,
    #[command(flatten)]
    folder: ModelFolder,
    /// The model file to write [default: NAME.model]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// `index.json`.
#[derive(Debug, Deserialize)]
struct Index {
    models: Vec<ListedModel>,
}

/// A model in the index. What else stands there is for other readers.
#[derive(Debug, Serialize, Deserialize)]
struct ListedModel {
    name: String,
    /// A file of the folder.
    file: String,
    /// Its checksum.
    sha256: String,
    bytes: u64,
    treebank: String,
    /// `parser` or `tagger`.
    kind: String,
    licence: String,
    /// Scores on the test data, in percent, by name.
    scores: std::collections::BTreeMap<String, f64>,
}

impl ModelFolder {
    /// The entries of the index, each a file of this folder.
    fn entries(&self) -> anyhow::Result<Vec<ListedModel>> {
        let from = self.from.display();
        if let Some(address) = self.from.to_str().filter(|address| address.contains("://")) {
            let address = address.trim_end_matches('/');
            bail!(
                "{address}: an address, and treebeam opens no connections; expected a folder. Fetch {address}/{INDEX} and the files that it \
                 names into one, such as by `curl -O`"
            );
        }
        let path = self.from.join(INDEX);
        ensure!(path.exists(), "{from}: no {INDEX}; expected a folder that `make models` wrote");
        let index: Index = serde_json::from_str(&read_text(&path)?)
            .with_context(|| format!("{}: no index of models", path.display()))?;
        for ListedModel { name, file, .. } in &index.models {
            let is_plain = Path::new(file).file_name().is_some_and(|name| name == file.as_str());
            ensure!(
                is_plain,
                "{}: model `{name}`: file `{file}`; expected the name of a file beside it",
                path.display()
            );
        }
        Ok(index.models)
    }
}

/// Lists the models of a folder.
pub fn list(folder: &ModelFolder, json: bool) -> anyhow::Result<ExitCode> {
    let entries = folder.entries()?;
    let mut out = treebeam::console::output();
    if json {
        entries.iter().try_for_each(|entry| write_json_line(&mut out, entry))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = TextTable::new(4, ["name", "kind", "treebank", "licence", "MiB", "scores"]);
    for ListedModel { name, kind, treebank, licence, bytes, scores, .. } in entries {
        let scores: Vec<String> = scores.iter().map(|(score, value)| format!("{score} {value:.2}")).collect();
        let size = format!("{:.1}", bytes as f64 / f64::from(1 << 20));
        table.row([name, kind, treebank, licence, size, scores.join(", ")]);
    }
    write!(out, "{table}")?;
    Ok(ExitCode::SUCCESS)
}

/// Copies a model out of a folder, if it is what the index says.
pub fn get(args: &Get) -> anyhow::Result<ExitCode> {
    let entries = args.folder.entries()?;
    let Some(entry) = entries.iter().find(|entry| entry.name == args.name) else {
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        let meant = nearest(&args.name, names.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
        let expected = meant.unwrap_or_else(|| format!("; expected one of {}", names.join(", ")));
        bail!("{}: no model `{}`{expected}", args.folder.from.display(), args.name);
    };
    let path = args.folder.from.join(&entry.file);
    let output = args.output.clone().unwrap_or_else(|| format!("{}.model", entry.name).into());
    Paths::default().input(&path).output(&output)?;
    let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
    let sha256 = hex(&Sha256::digest(&bytes));
    ensure!(
        sha256 == entry.sha256,
        "{}: SHA-256 {sha256}; expected {}, as {INDEX} says: the file is damaged, or another one",
        path.display(),
        entry.sha256
    );
    write_whole(&output, &bytes)?;
    treebeam::console::note(format_args!("wrote {}: {}, licence {}", output.display(), entry.treebank, entry.licence));
    Ok(ExitCode::SUCCESS)
}
