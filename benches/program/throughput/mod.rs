//! `make bench-throughput`: words per second against beam width, threads and sentence length.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec` | `throughput.toml`: what is trained, at what widths it parses, how often |
//! | `inputs` | the treebank's files, copies of them, joined sentences |
//! | `plan`, `measure` | the steps; one step with clocks |
//! | `record` | what a step leaves behind |
//! | `tables`, `plots` | what is made of the records |

mod inputs;
mod measure;
mod plan;
mod plots;
mod record;
mod spec;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};
use indicatif::HumanDuration;
use treebeam::experiment::{Data, Folder, Provenance, Store};

use crate::process::{PROGRAM, work_folder, write};
use inputs::Inputs;
use measure::Bench;
use plan::{Step, What};
use record::{Figures, Record};
use spec::Spec;
use tables::Summary;

/// Options of `throughput`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scale: quick takes minutes, full hours
    #[arg(long, value_name = "NAME", default_value = "quick")]
    profile: String,
    /// Another treebank than the profile's: a folder, or `generated:SEED,SENTENCES,projective`
    #[arg(long, value_name = "NAME")]
    treebank: Option<String>,
    /// The folder of treebanks; without one, a treebank is generated
    #[arg(long, value_name = "DIR", env = "TREEBEAM_TREEBANKS")]
    treebanks: Option<PathBuf>,
    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "results/throughput")]
    out: PathBuf,
    /// Print what there is to do, and what is done; run nothing
    #[arg(long)]
    dry_run: bool,
    /// Use records that were made by other code
    #[arg(long)]
    accept_stale: bool,
}

/// Measures what is missing, then writes tables and plots.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let spec = Spec::read()?;
    let profile = spec.profile(&args.profile)?;
    let has_treebanks = args.treebanks.is_some();
    let chosen = if has_treebanks { &profile.treebank } else { &profile.fallback };
    let treebank = args.treebank.as_ref().unwrap_or(chosen);
    if !has_treebanks && args.treebank.is_none() {
        eprintln!("TREEBEAM_TREEBANKS is not set: {treebank} stands in for {}", profile.treebank);
    }
    let data = Data::find(treebank.parse()?, args.treebanks.as_deref(), None)?;
    let provenance = Provenance::of_this_process(1);
    let n_words = data.read(&data.test)?.n_words();
    let steps = plan::plan(profile, &data, n_words, provenance.host.cores)?;

    let work = work_folder("throughput");
    std::fs::create_dir_all(&work).with_context(|| work.display().to_string())?;
    let bench = Bench { profile, inputs: Inputs::new(data, work.clone()), work };
    let folder = Folder::new(&args.out);
    let mut state = State { store: Store::open(&folder)?, provenance, accept_stale: args.accept_stale };
    let todo = state.todo(&bench, &steps);
    print_plan(&steps, &todo);
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    state.run(&bench, &steps, &todo, &folder)?;
    state.store.gather(&folder, &[], &folder.lock()?)?;

    let usable = steps.iter().map(|step| (step, state.usable(step))).collect();
    let command = format!("make bench-throughput PROFILE={}", args.profile);
    let summary =
        Summary { spec: &spec, profile, name: &args.profile, data: &bench.inputs.data, steps: usable, command };
    let file = |ending: &str| args.out.join(format!("{}{ending}", args.profile));
    let text = tables::markdown(&summary);
    write(&file(".md"), &text)?;
    write(&file(".tsv"), &tables::tsv(&summary))?;
    for (name, svg) in plots::svgs(&summary)? {
        write(&file(&format!("-{name}.svg")), &svg)?;
    }
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

fn print_plan(steps: &[Step], todo: &[(usize, &Step)]) {
    eprintln!("{} steps with {PROGRAM}, {} to do:", steps.len(), todo.len());
    for (i, step) in steps.iter().enumerate() {
        let is_todo = todo.iter().any(|(number, _)| *number == i);
        eprintln!("  {:<5} {}", if is_todo { "to do" } else { "done" }, step.title());
    }
}

/// What was measured so far.
struct State {
    store: Store<Record>,
    provenance: Provenance,
    accept_stale: bool,
}

impl State {
    /// The newest record of a step by this code on a machine like this, or by any if that will do.
    fn usable(&self, step: &Step) -> Option<&Record> {
        let is_current = |record: &&Record| record.provenance == self.provenance;
        self.store
            .of_key(&step.key)
            .find(is_current)
            .or_else(|| self.store.of_key(&step.key).next().filter(|_| self.accept_stale))
    }

    /// The steps without a record, by their numbers; and training where there is one but no model any more to parse with.
    fn todo<'s, 'p>(&self, bench: &Bench, steps: &'s [Step<'p>]) -> Vec<(usize, &'s Step<'p>)> {
        let is_missing = |step: &Step| self.usable(step).is_none();
        let is_needed = |step: &Step| {
            let parses = |other: &&Step| other.model.name == step.model.name && other.what != What::Train;
            let model = bench.model_path(step, &self.provenance.revision);
            step.what == What::Train && !model.exists() && steps.iter().filter(parses).any(is_missing)
        };
        steps.iter().enumerate().filter(|(_, step)| is_missing(step) || is_needed(step)).collect()
    }

    fn run(&mut self, bench: &Bench, all: &[Step], todo: &[(usize, &Step)], folder: &Folder) -> anyhow::Result<()> {
        let start = Instant::now();
        for (done, (_, step)) in todo.iter().enumerate() {
            let elapsed = HumanDuration(start.elapsed());
            eprintln!("[{} of {}, {elapsed} gone] {}", done + 1, todo.len(), step.title());
            let of_model = |other: &&Step| other.model.name == step.model.name && other.what == What::Train;
            let training = all.iter().find(of_model).context("every model is trained")?;
            let model = bench.model_path(training, &self.provenance.revision);
            let load_before = load();
            let figures = bench.measure(step, &model).with_context(|| step.title())?;
            let (key, title, provenance) = (step.key.clone(), step.title(), self.provenance.clone());
            let record = Record { key, step: title, provenance, load_before, figures };
            self.check_output(step, all, &record)?;
            let _lock = folder.lock()?;
            Store::keep(folder, &record)?;
            self.store.insert(record);
        }
        Ok(())
    }

    /// What is written must not depend on the number of threads.
    fn check_output(&self, step: &Step, all: &[Step], record: &Record) -> anyhow::Result<()> {
        let (What::Parse { input, width, .. }, Figures::Parsing(figures)) = (step.what, &record.figures) else {
            return Ok(());
        };
        for other in all {
            let same = matches!(other.what, What::Parse { input: i, width: w, .. } if (i, w) == (input, width));
            if let Some(Record { figures: Figures::Parsing(others), .. }) = self.usable(other).filter(|_| same) {
                let equal = others.output_sha256 == figures.output_sha256;
                ensure!(equal, "{} and {} write different trees", step.title(), other.title());
            }
        }
        Ok(())
    }
}

/// Processes that wanted to run in the last minute, on average.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string(Path::new("/proc/loadavg")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}
