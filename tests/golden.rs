//! Golden behaviour: the trainings and parses of `tests/golden.toml` give the bytes whose checksums stand there.
//!
//! `TREEBEAM=PATH` compares another program; `GOLDEN=write` writes the checksums instead (`make golden`). A program of tests of its
//! own, which is compiled in seconds.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use treebeam::files::hex;
use treebeam_lab::experiment::{Case, Checksums, Golden, Record, Store, Stored, TIMES, text_of};

/// Records name transition systems.
#[ctor::ctor(unsafe)]
fn register_systems() {
    treebeam_systems::register();
}

/// Text before the checksums, which the program writes.
const SUMS: &str = "[sums]\n";
/// Sentences of a real treebank to train on, and to parse.
const SENTENCES: [(&str, usize); 2] = [("train", 200), ("test", 60)];

/// Runs the case in a folder of its own.
fn sums_of(case: &Case, treebanks: Option<&Path>) -> Result<Checksums, String> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    match &case.entry.treebank {
        Some(treebank) => {
            for (part, n_sentences) in SENTENCES {
                let text = fs::read_to_string(treebanks.unwrap().join(treebank).join(format!("{part}.conll")));
                let text = text.map_err(|error| format!("{treebank}: {error}"))?;
                let sentences: Vec<&str> = text.split_inclusive("\n\n").take(n_sentences).collect();
                fs::write(at.join(format!("{part}.conllu")), sentences.concat()).unwrap();
            }
        }
        None => {
            for (part, n_sentences, seed) in [("train", 80, 1), ("dev", 20, 2), ("test", 30, 3)] {
                let options = format!("--non-projective --sentences {n_sentences} --seed {seed}");
                run(at, &format!("treebank generate {options} -o {part}.conllu"))?;
            }
        }
    }
    let mut sums = Checksums::new();
    let mut set = |what: &str, sum: String| drop(sums.insert(what.to_owned(), sum));
    let dev = if case.entry.treebank.is_none() { " --dev dev.conllu" } else { "" };
    let data = format!("train --train train.conllu{dev} --threads 1");
    if let Some(before) = &case.entry.before {
        run(at, &format!("{data} {before} --model before.model"))?;
    }
    if let Some(train) = &case.entry.train {
        let option = |(key, value): &(String, toml::Value)| match value {
            toml::Value::Boolean(true) => format!(" --{key}"),
            value => format!(" --{key}={}", text_of(value)),
        };
        let about: String = case.options.iter().map(option).collect();
        let line = format!("{data} {train}{about} --model a.model --checkpoint-seconds 0");
        // A model that cannot be written leaves the last checkpoint behind, of which it is then made.
        std::os::unix::fs::symlink("/dev/full", at.join("a.model")).unwrap();
        let message = run(at, &line).err().ok_or("there was room for a model in /dev/full")?;
        let checkpoint = fs::read(at.join("a.model.checkpoint")).map_err(|_| message)?;
        set("checkpoint", of_checkpoint(&checkpoint));
        fs::remove_file(at.join("a.model")).unwrap();
        run(at, &format!("{line} --resume"))?;
        if let Some(bits) = &case.entry.freeze {
            run(at, &format!("model freeze a.model --quantise {bits} -o frozen.model"))?;
            fs::rename(at.join("frozen.model"), at.join("a.model")).unwrap();
        }
        let model = fs::read(at.join("a.model")).unwrap();
        let [header, weights] = of_model(&model);
        set("header", header);
        set("weights", weights);
    }
    let mut trees = Vec::new();
    for (number, parse) in case.entry.parse.iter().enumerate() {
        let parsed = run(at, &format!("parse --model a.model {parse} test.conllu"))?;
        fs::write(at.join(format!("parsed-{}.conllu", number + 1)), &parsed).unwrap();
        trees.extend(parsed);
    }
    if !case.entry.parse.is_empty() {
        set("trees", sum(&trees));
    }
    if let Some(experiment) = &case.entry.experiment {
        fs::write(at.join("small.toml"), experiment).unwrap();
        run(at, "experiment run small.toml --jobs 1 --out small")?;
        set("figures", sum(&figures(&at.join("small/records.jsonl"))));
    }
    if !case.entry.run.is_empty() {
        let output = case.entry.run.iter().map(|line| run(at, line)).collect::<Result<Vec<_>, _>>()?;
        set("output", sum(&output.concat()));
    }
    Ok(sums)
}

/// Figures that later versions record besides. Records without them are as good as before.
const ADDED: [&str; 3] = ["projectivity", "predicted_arc_length", "predicted_projectivity"];

/// Figures of records, without times and without those that were added.
fn figures(records: &Path) -> Vec<u8> {
    let records = Store::<Record>::read(records).unwrap();
    let figures = records.records().iter().map(|record| without_times(record.repeatable().unwrap()).to_string());
    figures.collect::<String>().into_bytes()
}

fn without_times(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept =
                fields.into_iter().filter(|(name, _)| !TIMES.iter().chain(&ADDED).any(|left_out| left_out == name));
            kept.map(|(name, value)| (name, without_times(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_times).collect(),
        value => value,
    }
}

/// The program.
fn program() -> PathBuf {
    std::env::var_os("TREEBEAM").map_or_else(|| assert_cmd::cargo::cargo_bin!("treebeam").to_owned(), PathBuf::from)
}

/// Output of the program; its message if it fails.
fn run(folder: &Path, line: &str) -> Result<Vec<u8>, String> {
    let output = Command::new(program()).args(line.split_whitespace()).current_dir(folder).output();
    let output = output.map_err(|error| format!("{}: {error}", program().display()))?;
    let message = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(output.stdout).ok_or_else(|| format!("{line}\n{message}"))
}

fn sum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..8])
}

/// The sections of a model or checkpoint by name (see `files/container.rs`); first its kind and version.
fn sections(bytes: &[u8]) -> Vec<(&str, &[u8])> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let section = |at: usize| {
        let name = std::str::from_utf8(&bytes[at..at + 64]).unwrap().trim_end_matches('\0');
        (name, &bytes[number(at + 64)..][..number(at + 72)])
    };
    std::iter::once(("kind", &bytes[..12])).chain((0..number(16)).map(|entry| section(24 + entry * 88))).collect()
}

/// Checksums of a model's header, without the program's version, and of all else.
fn of_model(bytes: &[u8]) -> [String; 2] {
    let (header, rest): (Vec<_>, Vec<_>) = sections(bytes).into_iter().partition(|(name, _)| *name == "header");
    let header = String::from_utf8_lossy(header[0].1).into_owned();
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let rest: Vec<u8> = rest.into_iter().flat_map(|(name, section)| [name.as_bytes(), section].concat()).collect();
    [sum(header.replace(&version, "").as_bytes()), sum(&rest)]
}

/// The checksum of a checkpoint without the header, which the model has, too, and without times.
fn of_checkpoint(bytes: &[u8]) -> String {
    let mut hashed = Vec::new();
    for (name, section) in sections(bytes) {
        hashed.extend(name.as_bytes());
        if name != "summary" {
            hashed.extend(section);
            continue;
        }
        let mut summary: Value = serde_json::from_slice(section).unwrap();
        summary["header"].take();
        for report in summary["reports"].as_array_mut().unwrap() {
            report["seconds"].take();
            report["cpu_seconds"].take();
        }
        hashed.extend(summary.to_string().into_bytes());
    }
    sum(&hashed)
}

/// Checksums as TOML, in a line.
fn inline(sums: &Checksums) -> String {
    let sums: Vec<String> = sums.iter().map(|(what, sum)| format!("{what} = {sum:?}")).collect();
    format!("{{ {} }}", sums.join(", "))
}

#[test]
fn golden_behaviour() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden.toml");
    let text = fs::read_to_string(&path).unwrap();
    let golden = Golden::parse(&text).unwrap();
    let mut sums = golden.sums.clone();
    let cases: Vec<Case> = golden.cases().collect();
    let names: BTreeSet<String> = cases.iter().map(|case| case.name.clone()).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");

    let treebanks = std::env::var_os("TREEBEAM_TREEBANKS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let (here, elsewhere): (Vec<Case>, Vec<Case>) =
        cases.into_iter().partition(|case| case.entry.treebank.is_none() || treebanks.is_some());
    if !elsewhere.is_empty() {
        eprintln!("skipped: {} cases with real treebanks; TREEBEAM_TREEBANKS is not set", elsewhere.len());
    }
    let results: Vec<Result<Checksums, String>> =
        here.par_iter().map(|case| sums_of(case, treebanks.as_deref())).collect();

    let is_written = std::env::var_os("GOLDEN").is_some_and(|what| what == "write");
    let mut failures = Vec::new();
    for (case, result) in here.iter().zip(results) {
        match (result, sums.get(&case.name)) {
            (Err(message), _) => failures.push(format!("{}: {message}", case.name)),
            (Ok(result), _) if is_written => drop(sums.insert(case.name.clone(), result)),
            (Ok(_), None) => failures.push(format!("{}: no checksums", case.name)),
            (Ok(result), Some(golden)) if result != *golden => {
                let parts: BTreeSet<&String> = result.keys().chain(golden.keys()).collect();
                let other: Vec<&str> =
                    parts.into_iter().filter(|&p| result.get(p) != golden.get(p)).map(|p| &**p).collect();
                failures.push(format!("{}: other {}", case.name, other.join(", ")));
            }
            _ => {}
        }
    }
    if is_written {
        sums.retain(|name, _| names.contains(name));
        let lines: String = sums.iter().map(|(name, sums)| format!("{name:?} = {}\n", inline(sums))).collect();
        let (entries, _) = text.split_once(SUMS).unwrap();
        fs::write(&path, format!("{entries}{SUMS}{lines}")).unwrap();
    }
    let surplus = sums.keys().filter(|name| !names.contains(*name)).map(|name| format!("{name}: no entry"));
    failures.extend(surplus);
    let advice = "if that is meant, `make golden` writes the checksums anew";
    assert!(failures.is_empty(), "{} of {} cases\n{}\n{advice}", failures.len(), here.len(), failures.join("\n"));
}
