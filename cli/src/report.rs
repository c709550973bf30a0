//! `treebeam report`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use treebeam::error::{Error, counted};
use treebeam::files::{Output, Paths};
use treebeam_lab::report::document::json_names;
use treebeam_lab::report::page::{Base, Extra, MARK, Report};
use treebeam_lab::report::texts::fill;

/// Options of `treebeam report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of results: every NAME/PROFILE.json in it, or NAME/PROFILE.json.zst, goes into the page
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// The page; its links to the files of results are relative to where it lies [default: DIR/report.html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An index of the results in Markdown [default: DIR/README.md, if the page lies in DIR]
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
    /// Experiments to begin with; the others follow in their usual order
    #[arg(long, value_name = "NAME", num_args = 1..)]
    order: Vec<String>,
    /// Documents whose figures are filled from the results, too, or folders of them, such as README.md docs
    #[arg(long, value_name = "PATH", num_args = 1..)]
    documents: Vec<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    treebeam::process::start_threads();
    let is_usual = args.output.is_none();
    let path = args.output.unwrap_or_else(|| args.results.join("report.html"));
    // Neither may replace what the other is, or a file of the results.
    let paths = Paths::default().inputs(&files(&args.results)).output(&path)?;
    if let Some(index) = &args.index {
        paths.output(index)?;
        check_own(index)?;
    }
    let mut report = Report::read(&args.results)?;
    report.begin_with(&args.order)?;
    // Standard output may end up anywhere; beside the results is the best guess.
    let base = match path == Path::new("-") {
        true => Base::same_folder(),
        false => Base::between(&path, &args.results, &std::env::current_dir().context("the current folder")?),
    };
    if !base.is_known() {
        eprintln!("no links to files: page and results have no folder in common that is here or holds the page");
    }
    write(&path, &report.page(&base)?)?;
    let (n_experiments, n_documents) = report.counts();
    if path != Path::new("-") {
        let (experiments, documents) = (counted(n_experiments, "experiment"), counted(n_documents, "document"));
        eprintln!("wrote {}: {experiments}, {documents}", path.display());
    }
    let own = args.results.join("README.md");
    let index = match args.index {
        Some(index) => Some(index),
        // A file that people wrote is theirs.
        None if is_usual && std::fs::read_to_string(&own).is_ok_and(|text| !text.starts_with(MARK)) => {
            eprintln!(
                "{}: not written by this command, so it is left alone; --index FILE writes the index elsewhere",
                own.display()
            );
            None
        }
        None => is_usual.then_some(own),
    };
    if let Some(index) = index {
        write(&index, &report.index(&extras(&args.results)))?;
        if index != Path::new("-") {
            eprintln!("wrote {}", index.display());
        }
    }
    for path in args.documents.iter().flat_map(|path| markdown(path)) {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let filled = fill(&path, &text, &args.results)?;
        if filled != text {
            write(&path, &filled)?;
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Contents of a folder, by name. Reading it reports what cannot be listed.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The documents of a folder and the folders in it, by name; what is no folder is a document.
fn markdown(path: &Path) -> Vec<PathBuf> {
    if std::fs::read_dir(path).is_err() {
        return vec![path.to_owned()];
    }
    let is_meant = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|ending| ending == "md");
    entries(path).into_iter().filter(is_meant).flat_map(|path| markdown(&path)).collect()
}

/// The files in the folders of results: what is read, and what stands beside it.
fn files(results: &Path) -> Vec<PathBuf> {
    let folders = entries(results).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|folder| entries(&folder)).filter(|path| path.is_file()).collect()
}

/// Refuses to write the index over a file that another hand wrote.
fn check_own(index: &Path) -> Result<(), Error> {
    match if index.is_file() { std::fs::read(index) } else { Ok(Vec::new()) } {
        Ok(text) if !text.is_empty() && !text.starts_with(MARK.as_bytes()) => Err(Error::Usage(format!(
            "{}: not written by this command, so it is left alone; expected a file that it wrote, or none",
            index.display()
        ))),
        _ => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes()).with_context(|| path.display().to_string())?;
    Ok(output.finish()?)
}

/// The pages of Markdown in folders of results that are not those of documents.
fn extras(results: &Path) -> Vec<Extra> {
    let mut extras = Vec::new();
    for folder in entries(results).into_iter().filter(|path| path.is_dir()) {
        let has_document = |path: &PathBuf| {
            let profile = path.file_stem().unwrap_or_default().to_string_lossy();
            json_names(&profile).iter().any(|name| path.with_file_name(name).exists())
        };
        let is_page = |path: &PathBuf| path.extension().is_some_and(|e| e == "md") && !has_document(path);
        for path in entries(&folder).into_iter().filter(is_page) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let said =
                |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).map(|rest| rest.trim().to_owned());
            let (Some(title), Ok(below)) = (said("# "), path.strip_prefix(results)) else { continue };
            let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            // Folders have notes of how they came about, which are no measurements.
            if path.file_name().is_none_or(|name| name != "README.md") {
                extras.push(Extra { path: parts.join("/").replace(' ', "%20"), title });
            }
        }
    }
    extras
}
