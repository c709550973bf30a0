//! `treebeam treebank stats`.

use crate::write_json_line;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treebeam::console::Harmless;
use treebeam::files::{Output, Paths};
use treebeam::tree::ARC_LENGTHS;
use treebeam::treebank::{Format, Reader, Stats, Survey};
use treebeam_lab::evaluation::TextTable;

/// Options of `treebeam treebank stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam treebank stats train.conllu dev.conllu test.conllu
  treebeam treebank stats --tsv *.conllu > counts.tsv")]
pub struct Args {
    /// Files to count, each for itself
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read all files as this format
    #[arg(long)]
    format: Option<Format>,
    /// Print one line of tab-separated counts for each file, under a header
    #[arg(long, conflicts_with = "json")]
    tsv: bool,
    /// Print one JSON object a line, with the count of each label, tag and arc length
    #[arg(long)]
    json: bool,
}

#[derive(serde::Serialize)]
struct FileStats<'s> {
    path: String,
    #[serde(flatten)]
    stats: &'s Stats,
}

/// Rows of a table of labels or tags; the others are added up.
const MOST_ROWS: usize = 20;

/// Labels that a remark names.
const MOST_NAMED: usize = 5;

/// Prints the counts of each file.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = Harmless::new(Output::create(Path::new("-"))?);
    if args.tsv {
        writeln!(
            output,
            "sentences\twords\tranges\tempty\tlongest\tnon-projective sentences\t%\tnon-projective arcs\t%\troots\t\
             several roots\tlabels\tfile"
        )?;
    }
    let mut surveys = Vec::new();
    for path in &args.files {
        let mut survey = Survey::default();
        for sentence in Reader::open(path, args.format)? {
            survey.add(&sentence?)?;
        }
        let path = path.display().to_string();
        let stats = &survey.stats;
        if args.json {
            write_json_line(&mut output, &FileStats { path, stats })?;
        } else if args.tsv {
            writeln!(
                output,
                "{}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{}\t{:.2}\t{}\t{}\t{}\t{path}",
                stats.n_sentences,
                stats.n_words,
                stats.n_ranges,
                stats.n_empty_nodes,
                stats.longest,
                stats.n_non_projective_sentences,
                stats.non_projective_sentences_percent(),
                stats.n_non_projective_arcs,
                stats.non_projective_arcs_percent(),
                stats.n_roots,
                stats.n_multi_root_sentences,
                stats.labels.len()
            )?;
        } else {
            surveys.push((path, survey));
        }
    }
    if !surveys.is_empty() {
        write!(output, "{}", text(&surveys))?;
    }
    output.into_inner().finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Tables with a column for each file, and what stands out.
fn text(surveys: &[(String, Survey)]) -> String {
    let files: Vec<&str> = surveys.iter().map(|(path, _)| path.as_str()).collect();
    let stats: Vec<&Stats> = surveys.iter().map(|(_, survey)| &survey.stats).collect();
    let mut counts = TextTable::new(1, [""].into_iter().chain(files.iter().copied()));
    let mut row = |name: &str, of: &dyn Fn(&Stats) -> String| {
        counts.row(std::iter::once(name.to_owned()).chain(stats.iter().map(|stats| of(stats))));
    };
    row("sentences", &|stats| stats.n_sentences.to_string());
    row("words", &|stats| stats.n_words.to_string());
    row("words a sentence", &|stats| format!("{:.1}", stats.n_words as f64 / stats.n_sentences.max(1) as f64));
    row("longest sentence", &|stats| stats.longest.to_string());
    row("multiword ranges", &|stats| stats.n_ranges.to_string());
    row("empty nodes", &|stats| stats.n_empty_nodes.to_string());
    row("non-projective sentences", &|stats| {
        format!("{} ({:.1} %)", stats.n_non_projective_sentences, stats.non_projective_sentences_percent())
    });
    row("non-projective arcs", &|stats| {
        format!("{} ({:.2} %)", stats.n_non_projective_arcs, stats.non_projective_arcs_percent())
    });
    row("sentences with several roots", &|stats| stats.n_multi_root_sentences.to_string());
    row("labels", &|stats| stats.labels.len().to_string());
    row("tags", &|stats| stats.tags.len().to_string());
    let mut lengths = TextTable::new(1, ["arc length"].into_iter().chain(files.iter().copied()));
    for length in ARC_LENGTHS {
        let of = |stats: &&Stats| share(stats, stats.arc_lengths.get(length).copied().unwrap_or_default());
        lengths.row(std::iter::once(length.to_owned()).chain(stats.iter().map(of)));
    }
    let labels = frequencies("label", &files, &stats, |stats| &stats.labels);
    let tags = frequencies("tag", &files, &stats, |stats| &stats.tags);
    let remarks = remarks(surveys);
    let remarks = if remarks.is_empty() { "nothing\n".to_owned() } else { remarks.concat() };
    format!("{counts}\n{lengths}\n{labels}\n{tags}\nWhat stands out:\n{remarks}")
}

/// So many words, and their share.
fn share(stats: &Stats, n: usize) -> String {
    format!("{n} ({:.1} %)", stats.words_percent(n))
}

/// A table of names and how often they occur, the most frequent in all files first.
fn frequencies(
    what: &str,
    files: &[&str],
    stats: &[&Stats],
    of: impl Fn(&Stats) -> &BTreeMap<String, usize>,
) -> TextTable {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, n) in stats.iter().flat_map(|stats| of(stats)) {
        *totals.entry(name).or_default() += n;
    }
    let mut names: Vec<(&str, usize)> = totals.into_iter().collect();
    names.sort_by_key(|&(name, n)| (std::cmp::Reverse(n), name));
    let mut table = TextTable::new(1, [what].into_iter().chain(files.iter().copied()));
    let (shown, others) = names.split_at(names.len().min(MOST_ROWS));
    let sum = |stats: &Stats, names: &[(&str, usize)]| -> usize {
        names.iter().filter_map(|(name, _)| of(stats).get(*name)).sum()
    };
    for name in shown.chunks(1) {
        let cells = stats.iter().map(|stats| share(stats, sum(stats, name)));
        table.row(std::iter::once(name[0].0.to_owned()).chain(cells));
    }
    if !others.is_empty() {
        let cells = stats.iter().map(|stats| share(stats, sum(stats, others)));
        table.row(std::iter::once(format!("{} others", others.len())).chain(cells));
    }
    table
}

/// More repeated sentences than this share, in percent, are worth a word.
const REPEATED_PERCENT: usize = 5;

/// Remarks on what stands out in the files, a line each.
fn remarks(surveys: &[(String, Survey)]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (place, (path, survey)) in surveys.iter().enumerate() {
        let stats = &survey.stats;
        let mut say = |what: String| remarks.push(format!("- {path}: {what}\n"));
        if stats.n_multi_root_sentences > 0 {
            let (n, percent) = (stats.n_multi_root_sentences, survey.several_roots_percent());
            say(format!("{n} sentences have several roots ({percent:.1} %); `--roots several` parses so"));
        }
        if stats.n_non_projective_arcs > 0 {
            let percent = stats.non_projective_sentences_percent();
            say(format!(
                "{percent:.1} % of the sentences have non-projective arcs; `--nonprojective lift`, or a system that makes them"
            ));
        }
        let empty: Vec<&str> = survey.mostly_empty().map(|column| column.name(Format::Conllu)).collect();
        if !empty.is_empty() {
            say(format!("empty in most words: {}", empty.join(", ")));
        }
        if survey.n_repeated * 100 > stats.n_sentences * REPEATED_PERCENT {
            say(format!("{} sentences have the words of an earlier one", survey.n_repeated));
        }
        if let Some(n) = stats.labels.get("_") {
            say(format!("{n} words have no label"));
        }
        for (other, earlier) in &surveys[..place] {
            let common = survey.n_common(earlier);
            if common > 0 {
                say(format!("{common} different sentences are in {other}, too"));
            }
        }
        if let Some((first, of_first)) = surveys[..place].first() {
            let is_new = |name: &&String| !of_first.stats.labels.contains_key(*name);
            let new: Vec<&str> = stats.labels.keys().filter(is_new).map(String::as_str).collect();
            if !new.is_empty() {
                let more = if new.len() > MOST_NAMED { ", ..." } else { "" };
                let names = new[..new.len().min(MOST_NAMED)].join(", ");
                say(format!("{} labels that are not in {first}: {names}{more}", new.len()));
            }
        }
    }
    remarks
}
