//! `treebeam experiment verify`: a sample of the cells that have records is run again, and the figures are compared.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use serde_json::json;

use super::Experiments;
use super::folder::write;
use super::opened::{How, Opened, about};
use crate::templates::filled;
use treebeam::console::note;
use treebeam::error::counted;
use treebeam_lab::experiment::{
    Carried, Disagreement, Folder, Kind, Provenance, Status, Store, Stored, disagreements, estimate, misdescriptions,
    sample,
};

/// Options of `experiment verify` alone.
#[derive(Debug, clap::Args)]
pub struct VerifyOptions {
    /// Share of the records to rerun, from 0 (one cell of each experiment) to 1
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = crate::range::probability)]
    share: f64,
    /// Number of cells of each experiment to rerun, in place of a share
    #[arg(long, value_name = "N", conflicts_with = "share")]
    cells: Option<usize>,
    /// Only cells that took at most so many seconds when they were recorded
    #[arg(long, value_name = "S")]
    at_most: Option<f64>,
    /// Seed of the sample; with the same seed a larger share includes a smaller one
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = crate::range::number)]
    sample: u64,
    /// Folder in which the cells are rerun, and an interrupted verification continues
    #[arg(long, default_value = "runs/verify", value_name = "DIR")]
    folder: PathBuf,
    /// Draw a sample for each revision that made records; if all of its figures agree, its records count as this program's, which the
    /// tables say
    #[arg(long)]
    carry_over: bool,
    /// Write the result as Markdown, too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print an object with counts and disagreements for each experiment
    #[arg(long)]
    json: bool,
    /// Print the cells of the sample and how long they may take; run nothing
    #[arg(long)]
    dry_run: bool,
}

/// Findings on an experiment.
#[derive(Debug, Default, Serialize)]
pub struct Verified {
    /// The experiment's name.
    pub experiment: String,
    /// True if its records hold figures that another run must find again, and not times alone.
    pub repeatable: bool,
    /// The cells that have a record.
    pub recorded: usize,
    /// Those that were run again.
    pub run_again: usize,
    /// Those among them whose record was made by code that is not this program's.
    pub of_other_code: usize,
    /// Those that gave the figures of their record.
    pub agree: usize,
    /// Those that did not, and records that say something else of themselves than their cells.
    pub differ: Vec<Differing>,
    /// Number of records, run again or not, that say something else of themselves than their cells: another seed, row, treebank,
    /// checksum or option.
    pub misdescribed: usize,
    /// Those that could not be run.
    pub failed: usize,
    /// Records that were taken over.
    pub carried_over: usize,
}

/// A cell that gave other figures than its record has, or that its record does not describe.
#[derive(Debug, Serialize)]
pub struct Differing {
    /// Description that distinguishes it from others.
    pub cell: String,
    /// Its key.
    pub key: String,
    /// The revision that made the record.
    pub revision: String,
    /// True if the record was made by other code than this program's.
    pub of_other_code: bool,
    /// The first figure that differs.
    pub first: String,
    /// Number of figures that differ.
    pub figures: usize,
}

/// Runs the subcommand; whether all agree.
pub fn run(experiments: &Experiments, options: &VerifyOptions, how: &How) -> anyhow::Result<bool> {
    let &VerifyOptions { share, cells, at_most, sample, ref output, json, dry_run, .. } = options;
    let mut all = Vec::new();
    for experiment in &mut experiments.open()? {
        let verified = experiment.verify(options, how)?;
        if !json && !dry_run {
            write!(treebeam::console::output(), "{}", text(std::slice::from_ref(&verified), None)?)?;
        }
        all.push(verified);
    }
    if dry_run {
        return Ok(true);
    }
    let total = Verified::total(&all);
    let all_agree = total.agree == total.run_again && total.misdescribed == 0;
    if json {
        writeln!(treebeam::console::output(), "{}", serde_json::to_string_pretty(&all)?)?;
    } else if all.len() > 1 {
        write!(treebeam::console::output(), "{}", text(&[total], None)?)?;
    }
    if let Some(path) = output {
        let name = path.file_name().and_then(|name| name.to_str()).context("the name of the file to write")?;
        let which = experiments.arguments(&experiments.specs);
        let share = cells.map_or(format!("--share {share}"), |cells| format!("--cells {cells}"));
        let at_most = at_most.map_or(String::new(), |seconds| format!(" --at-most {seconds}"));
        let command = format!("treebeam experiment verify {which} {share}{at_most} --sample {sample}");
        write(path.parent().unwrap_or(Path::new("")), name, &text(&all, Some(&command))?)?;
    }
    Ok(all_agree)
}

/// Runs the sample of one experiment again.
pub fn verify<K: Kind>(opened: &mut Opened<K>, options: &VerifyOptions, how: &How) -> anyhow::Result<Verified> {
    let (mut verified, agreeing) = run_again(opened, options, how)?;
    if options.carry_over {
        verified.carried_over = carry_over(opened, &agreeing)?;
    }
    Ok(verified)
}

/// By revision: the number of its cells that were run again, if all of them gave the figures of their records.
type Agreeing = HashMap<String, usize>;

/// Takes the stale records of the revisions whose samples agree for this program's; how many these are.
fn carry_over<K: Kind>(opened: &mut Opened<K>, agreeing: &Agreeing) -> anyhow::Result<usize> {
    let Provenance { revision, .. } = Provenance::of_this_process(1);
    let recorded = recorded(opened);
    let of = |revision: &str| recorded.iter().filter(|(_, record)| record.provenance().revision == revision).count();
    let carry = |(cell, record): &(&K::Cell, &K::Record)| {
        let old = &record.provenance().revision;
        let carried = Carried { revision: revision.clone(), sample: *agreeing.get(old)?, of: of(old) };
        let mut record = (*record).clone();
        let provenance = record.provenance_mut();
        *provenance = provenance.behaving(opened.kind.golden(cell));
        provenance.carried = Some(carried);
        Some(record)
    };
    let stale = recorded.iter().filter(|(cell, record)| !opened.kind.is_current(cell, record));
    let records: Vec<K::Record> = stale.filter_map(carry).collect();
    let n_records = records.len();
    opened.take(records)?;
    Ok(n_records)
}

/// The cells of the sample, with their records. Where records are to be carried over, each revision that made some has a sample of
/// its own.
fn draw<'o, K: Kind>(
    opened: &'o Opened<K>,
    recorded: &[(&'o K::Cell, &'o K::Record)],
    options: &VerifyOptions,
) -> Vec<(&'o K::Cell, &'o K::Record)> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (cell, record) in
        recorded.iter().filter(|(_, record)| options.at_most.is_none_or(|most| record.seconds() <= most))
    {
        let group = if options.carry_over { &*record.provenance().revision } else { "" };
        groups.entry(group).or_default().push(opened.kind.key(cell));
    }
    let share = |keys: &[&str]| options.cells.map_or(options.share, |n| (n as f64 / keys.len() as f64).min(1.0));
    let drawn: HashSet<&str> = groups.values().flat_map(|keys| sample(keys, share(keys), options.sample)).collect();
    recorded.iter().filter(|(cell, _)| drawn.contains(opened.kind.key(cell))).copied().collect()
}

/// Runs the sample again; what came out, and for which revisions all agree.
fn run_again<K: Kind>(opened: &Opened<K>, options: &VerifyOptions, how: &How) -> anyhow::Result<(Verified, Agreeing)> {
    let recorded = recorded(opened);
    let mut verified = Verified::new(&opened.name);
    verified.recorded = recorded.len();
    opened.warn();
    let mut results: HashMap<String, Vec<bool>> = HashMap::new();
    for (cell, record) in &recorded {
        let found = misdescriptions(&serde_json::to_value(record)?, &opened.kind.description(cell));
        if let Some(differing) = Differing::new(opened, cell, record, &found, "by its cell") {
            verified.misdescribed += 1;
            verified.differ.push(differing);
            results.entry(record.provenance().revision.clone()).or_default().push(false);
        }
    }
    verified.repeatable = recorded.iter().all(|(_, record)| record.repeatable().is_some());
    if recorded.is_empty() || !verified.repeatable {
        return Ok((verified, Agreeing::new()));
    }
    let drawn = draw(opened, &recorded, options);
    if drawn.is_empty() {
        note(format_args!("{}: all cells took more than {} seconds", opened.name, options.at_most.unwrap_or_default()));
        return Ok((verified, Agreeing::new()));
    }
    let folder = Folder::new(&options.folder.join(&opened.name));
    let mut store: Store<K::Record> = Store::open(&folder)?;
    let is_done = |store: &Store<K::Record>, cell: &K::Cell| {
        matches!(store.status_of(opened.kind.key(cell), |r| opened.kind.is_current(cell, r)), Status::Done(_))
    };
    let to_run: Vec<&K::Cell> = drawn.iter().map(|(cell, _)| *cell).filter(|cell| !is_done(&store, cell)).collect();
    let jobs = opened.jobs(how);
    // There are records of every cell, so that others need not be read.
    let records: Vec<&K::Record> = opened.store.records().iter().collect();
    note(format_args!(
        "{}: {} of {} to run again, {} of them done before, {jobs} at once{}",
        opened.name,
        drawn.len(),
        counted(verified.recorded, "recorded cell"),
        drawn.len() - to_run.len(),
        about(estimate(&opened.kind, &to_run, &records, jobs))
    ));
    if options.dry_run {
        let mut out = treebeam::console::output();
        for (cell, _) in &drawn {
            writeln!(out, "{}: {}", opened.name, opened.kind.title(cell))?;
        }
        return Ok((verified, Agreeing::new()));
    }
    opened.run_cells(&folder, (&to_run, &[]), &mut store, &records, how)?;
    verified.run_again = drawn.len();
    for (cell, record) in drawn {
        let of_revision = results.entry(record.provenance().revision.clone()).or_default();
        let key = opened.kind.key(cell);
        verified.of_other_code += usize::from(!opened.kind.is_current(cell, record));
        let Status::Done(again) = store.status_of(key, |record| opened.kind.is_current(cell, record)) else {
            verified.failed += 1;
            of_revision.push(false);
            continue;
        };
        let figures = record.repeatable().zip(again.repeatable());
        let found = figures.map(|(recorded, again)| disagreements(&recorded, &again)).unwrap_or_default();
        of_revision.push(found.is_empty());
        match Differing::new(opened, cell, record, &found, "now") {
            None => verified.agree += 1,
            Some(differing) => verified.differ.push(differing),
        }
    }
    results.retain(|_, agree| agree.iter().all(|agree| *agree));
    Ok((verified, results.into_iter().map(|(revision, agree)| (revision, agree.len())).collect()))
}

/// The cells that have records, each once, with the record that tables are made of: one of this program's code, or else the newest.
fn recorded<K: Kind>(opened: &Opened<K>) -> Vec<(&K::Cell, &K::Record)> {
    let mut seen = HashSet::new();
    let cells = opened.cells.iter().filter(|cell| seen.insert(opened.kind.key(cell)));
    cells.filter_map(|cell| Some((cell, opened.status(cell).usable(true)?))).collect()
}

impl Differing {
    /// Disagreements of a cell's record with `what`; none if there are none.
    fn new<K: Kind>(
        opened: &Opened<K>,
        cell: &K::Cell,
        record: &K::Record,
        found: &[Disagreement],
        what: &str,
    ) -> Option<Differing> {
        let Disagreement { place, recorded, again } = found.first()?;
        Some(Differing {
            cell: opened.kind.title(cell),
            key: opened.kind.key(cell).to_owned(),
            revision: record.provenance().shown_revision(),
            of_other_code: !opened.kind.is_current(cell, record),
            first: format!("{place} is {recorded} in the record and {again} {what}"),
            figures: found.len(),
        })
    }
}

impl Verified {
    fn new(experiment: &str) -> Verified {
        Verified { experiment: experiment.to_owned(), repeatable: true, ..Verified::default() }
    }

    /// Of several experiments, without the cells that differ.
    fn total(all: &[Verified]) -> Verified {
        let sum = |count: fn(&Verified) -> usize| all.iter().filter(|verified| verified.repeatable).map(count).sum();
        Verified {
            recorded: sum(|v| v.recorded),
            run_again: sum(|v| v.run_again),
            of_other_code: sum(|v| v.of_other_code),
            agree: sum(|v| v.agree),
            misdescribed: all.iter().map(|verified| verified.misdescribed).sum(),
            failed: sum(|v| v.failed),
            carried_over: sum(|v| v.carried_over),
            ..Verified::new("in all")
        }
    }
}

/// Findings as a document that `command` makes, or else as lines: one for each experiment, and one for each cell that differs.
fn text(all: &[Verified], command: Option<&str>) -> anyhow::Result<String> {
    let Provenance { revision, host, .. } = Provenance::of_this_process(1);
    let total = Verified::total(all);
    let view = json!({ "all": all, "total": total, "command": command, "revision": revision, "host": host });
    Ok(filled(include_str!("verify.jinja"), view)?)
}
