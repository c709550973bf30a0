//! `make bench-instructions`: how many instructions parsing and training take, counted by callgrind.
//!
//! Times move with whatever else the machine does; instructions hardly do, so that a change of one in a hundred shows. The input
//! and the models are generated from fixed seeds. Parsing is counted as the difference between a file twice over and once, so
//! without starting and loading; training as a whole process of one iteration on one thread.
//!
//! Instructions are not time: they say nothing of caches, and valgrind shows programs a processor without AVX-512, so code
//! that chooses by the processor may take another path than it does outside.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail, ensure};
use treebeam::treebank::Treebank;
use treebeam_lab::experiment::Provenance;
use treebeam_lab::report::markdown_table;

use crate::process::{PROGRAM, treebeam, version, work_folder, write};

/// Options of `instructions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing, and exit with 1 if a count is above the committed one by more than the tolerance
    #[arg(long)]
    check: bool,
    /// With --check: how much more is tolerated
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    tolerance: f64,
    /// The folder of results
    #[arg(long, value_name = "DIR", default_value = "results/instructions")]
    out: PathBuf,
}

/// Sentences to parse.
const N_TEST: &str = "100";
/// Sentences to train on: for the models, and for counting.
const N_TRAIN: [&str; 2] = ["1000", "100"];
/// The options of the models and of the trainings that are counted; the others have their defaults, which are part of what is
/// measured.
const GREEDY: &str = "--training greedy --oracle dynamic --explore-from 0 --explore-prob 0.9";
const GLOBAL: &str = "--training global --oracle dynamic --update max-violation --beam 8";
const COMMON: &str = "--system arc-eager --features zn11 --replicas 1 --seed 1 --keep last --threads 1";

/// A number of instructions.
#[derive(Debug, Clone, PartialEq)]
struct Count {
    name: String,
    instructions: u64,
    /// Words that they were for.
    words: u64,
}

/// Counts, compares with what is committed, and writes the counts unless they are only checked.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        bail!("valgrind is not installed, and it counts the instructions; install the package `valgrind`");
    }
    let path = args.out.join("counts.tsv");
    let before = committed(&path)?;
    ensure!(!args.check || !before.is_empty(), "{}: no counts to check against", path.display());
    let work = work_folder("instructions");
    std::fs::create_dir_all(&work).with_context(|| work.display().to_string())?;
    let counts = counts(&work)?;
    let facts = facts();
    let text = markdown(&counts, &before, &facts);
    println!("{text}");
    if !args.check {
        write(&path, &tsv(&counts, &facts))?;
        write(&args.out.join("counts.md"), &text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_above = |count: &&Count| change(count, &before).is_some_and(|percent| percent > args.tolerance);
    let above: Vec<&str> = counts.iter().filter(is_above).map(|count| count.name.as_str()).collect();
    if !above.is_empty() {
        eprintln!("more than {} % above the committed counts: {}", args.tolerance, above.join(", "));
        return Ok(ExitCode::from(1));
    }
    eprintln!("no count is more than {} % above the committed one", args.tolerance);
    Ok(ExitCode::SUCCESS)
}

/// Makes the data and the models in `work`, and counts.
fn counts(work: &Path) -> anyhow::Result<Vec<Count>> {
    let at = |name: &str| work.join(name);
    for (name, seed, n) in
        [("models.conllu", "1", N_TRAIN[0]), ("train.conllu", "2", N_TRAIN[1]), ("one.conllu", "3", N_TEST)]
    {
        let mut generate = treebeam(["treebank", "generate", "--seed", seed, "--sentences", n, "-o"]);
        crate::process::run(generate.arg(at(name)))?;
    }
    let one = std::fs::read(at("one.conllu")).context("one.conllu")?;
    std::fs::write(at("two.conllu"), one.repeat(2)).context("two.conllu")?;
    let words = |name: &str| anyhow::Ok(Treebank::read(&at(name), None)?.n_words() as u64);
    let (n_test, n_train) = (words("one.conllu")?, words("train.conllu")?);

    let mut counts = Vec::new();
    let mut add = |name: &str, instructions: u64, words: u64| {
        eprintln!("{name}: {instructions} instructions");
        counts.push(Count { name: name.to_owned(), instructions, words });
    };
    for (model, options) in [("greedy", GREEDY), ("global", GLOBAL)] {
        let line = format!("train --train models.conllu --model {model}.model --iterations 3 {COMMON} {options}");
        crate::process::run(treebeam(line.split(' ')).current_dir(work))?;
    }
    for (width, model) in [(1, "greedy"), (8, "global"), (64, "global")] {
        let parse =
            |input: &str| format!("parse --model {model}.model --beam {width} --threads 1 {input} -o /dev/null");
        let [once, twice] = [callgrind(work, &parse("one.conllu"))?, callgrind(work, &parse("two.conllu"))?];
        let parsing = twice.checked_sub(once).context("parsing twice takes fewer instructions than once")?;
        add(&format!("parsing at width {width}"), parsing, n_test);
        if width == 1 {
            add("starting and loading the model", once.saturating_sub(parsing), 0);
        }
    }
    for (name, options) in [("training, greedy", GREEDY), ("training, beam 8", GLOBAL)] {
        let line = format!("train --train train.conllu --model counted.model --iterations 1 {COMMON} {options}");
        add(name, callgrind(work, &line)?, n_train);
    }
    Ok(counts)
}

/// The instructions of the program with these arguments, in `work`. What callgrind wrote stays there for `callgrind_annotate`.
fn callgrind(work: &Path, line: &str) -> anyhow::Result<u64> {
    let out = work.join("callgrind.out");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=callgrind.out", PROGRAM]);
    command.args(line.split(' ')).current_dir(work);
    crate::process::run(&mut command).with_context(|| format!("valgrind treebeam {line}"))?;
    let text = std::fs::read_to_string(&out).with_context(|| out.display().to_string())?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).context("callgrind.out has no totals")
}

/// The counts in the last commit, or without git those in the file; none if there are none.
fn committed(path: &Path) -> anyhow::Result<Vec<Count>> {
    let name = format!("HEAD:./{}", path.display());
    let shown = Command::new("git").args(["show", &name]).output().ok().filter(|shown| shown.status.success());
    let text = match shown {
        Some(shown) => String::from_utf8_lossy(&shown.stdout).into_owned(),
        None => std::fs::read_to_string(path).unwrap_or_default(),
    };
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let count = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, instructions, words] = columns[..] else { bail!("{}: {line}: not a count", path.display()) };
        Ok(Count { name: name.to_owned(), instructions: instructions.parse()?, words: words.parse()? })
    };
    lines.map(count).collect()
}

/// Change of a count against the one of the same name, in percent.
fn change(count: &Count, before: &[Count]) -> Option<f64> {
    let before = before.iter().find(|other| other.name == count.name)?;
    Some(100.0 * (count.instructions as f64 / before.instructions as f64 - 1.0))
}

/// Facts that the counts depend on beside the code.
fn facts() -> Vec<String> {
    let Provenance { revision, host, .. } = Provenance::of_this_process(1);
    vec![
        "Generated by `make bench-instructions`: do not edit.".to_owned(),
        format!("revision: {revision}"),
        format!("compiler: {}", version("rustc")),
        format!("counted by: {}", version("valgrind")),
        format!("machine: {} {}, which valgrind shows to programs without AVX-512", std::env::consts::ARCH, host.cpu),
        format!("parsing: {N_TEST} generated sentences, models trained on {} for 3 iterations", N_TRAIN[0]),
        format!("training: {} generated sentences, 1 iteration", N_TRAIN[1]),
        format!("options: {COMMON}; greedy: {GREEDY}; beam: {GLOBAL}"),
    ]
}

fn tsv(counts: &[Count], facts: &[String]) -> String {
    let facts: String = facts.iter().map(|fact| format!("# {fact}\n")).collect();
    let line = |count: &Count| format!("{}\t{}\t{}\n", count.name, count.instructions, count.words);
    let lines: String = counts.iter().map(line).collect();
    format!("{facts}what\tinstructions\twords\n{lines}")
}

fn markdown(counts: &[Count], before: &[Count], facts: &[String]) -> String {
    let mut out = format!("<!--\n{}\n-->\n\n# Instructions\n\n", facts.join("\n"));
    let heads = ["", "million instructions", "instructions per word", "change against the committed count"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    for count in counts {
        let per_word = (count.words > 0).then(|| format!("{:.0}", count.instructions as f64 / count.words as f64));
        let change = change(count, before).map(|percent| format!("{percent:+.2} %"));
        lines.push(vec![
            count.name.clone(),
            format!("{:.2}", count.instructions as f64 / 1e6),
            per_word.unwrap_or_else(|| "–".to_owned()),
            change.unwrap_or_else(|| "new".to_owned()),
        ]);
    }
    markdown_table(&mut out, 1, &lines);
    out += "Parsing is what a file twice over takes more than once; training is the whole process. Valgrind shows programs a \
            processor without AVX-512: code that chooses its instructions by the processor may take another path elsewhere. The \
            counts depend on the compiler and on the C library, and a little on addresses, which decide where hash tables put \
            things.\n";
    out
}
