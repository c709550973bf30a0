//! Golden behaviour: the trainings and parses of `tests/golden.toml` give the bytes whose checksums stand there.
//!
//! `TREEBEAM=PATH` compares another program; `GOLDEN=write` writes the checksums instead (`make golden`). A program of tests of its
//! own, as it needs nothing of the library and is then compiled in seconds.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What stands before the checksums, which the program writes.
const SUMS: &str = "[sums]\n";
/// Sentences of a real treebank to train on, and to parse.
const SENTENCES: [(&str, usize); 2] = [("train", 200), ("test", 60)];

#[derive(Deserialize)]
struct Golden {
    entry: Vec<Entry>,
    sums: BTreeMap<String, Sums>,
}

/// A training with what follows, once for each combination of the options in `each`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    #[serde(default)]
    about: toml::Table,
    #[serde(default)]
    each: BTreeMap<String, Vec<toml::Value>>,
    treebank: Option<String>,
    before: Option<String>,
    train: Option<String>,
    freeze: Option<String>,
    #[serde(default)]
    parse: Vec<String>,
    #[serde(default)]
    run: Vec<String>,
}

/// Checksums by what a case gives: a model's header and weights, trees, a checkpoint, output.
type Sums = BTreeMap<String, String>;

/// One combination of an entry's options.
struct Case<'e> {
    entry: &'e Entry,
    name: String,
    options: Vec<(String, String)>,
}

impl Entry {
    fn cases(&self) -> Vec<Case<'_>> {
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut combinations = vec![self.about.iter().map(|(key, value)| (key.clone(), text(value))).collect()];
        for (key, values) in &self.each {
            let longer = |options: &Vec<(String, String)>| {
                let with = |value| [&options[..], &[(key.clone(), text(value))]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(longer).collect();
        }
        let case = |options: Vec<(String, String)>| {
            let named = options.iter().map(|(key, value)| format!("{key} {value}"));
            let name = self.name.iter().cloned().chain(named).collect::<Vec<_>>().join(", ");
            Case { entry: self, name, options }
        };
        combinations.into_iter().map(case).collect()
    }
}

impl Case<'_> {
    /// Runs the case in a folder of its own.
    fn run(&self, treebanks: Option<&Path>) -> Result<Sums, String> {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        match &self.entry.treebank {
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
        self.sums(at)
    }

    fn sums(&self, at: &Path) -> Result<Sums, String> {
        let mut sums = Sums::new();
        let mut set = |what: &str, sum: String| drop(sums.insert(what.to_owned(), sum));
        let dev = if self.entry.treebank.is_none() { " --dev dev.conllu" } else { "" };
        let data = format!("train --train train.conllu{dev} --threads 1");
        if let Some(before) = &self.entry.before {
            run(at, &format!("{data} {before} --model before.model"))?;
        }
        if let Some(train) = &self.entry.train {
            let option = |(key, value): &(String, String)| match &**value {
                "true" => format!(" --{key}"),
                value => format!(" --{key}={value}"),
            };
            let about: String = self.options.iter().map(option).collect();
            let line = format!("{data} {train}{about} --model a.model --checkpoint-seconds 0");
            // A model that cannot be written leaves the last checkpoint behind, of which it is then made.
            std::os::unix::fs::symlink("/dev/full", at.join("a.model")).unwrap();
            let message = run(at, &line).err().ok_or("there was room for a model in /dev/full")?;
            let checkpoint = fs::read(at.join("a.model.checkpoint")).map_err(|_| message)?;
            set("checkpoint", of_checkpoint(&checkpoint));
            fs::remove_file(at.join("a.model")).unwrap();
            run(at, &format!("{line} --resume"))?;
            if let Some(bits) = &self.entry.freeze {
                run(at, &format!("model freeze a.model --quantise {bits} -o frozen.model"))?;
                fs::rename(at.join("frozen.model"), at.join("a.model")).unwrap();
            }
            let model = fs::read(at.join("a.model")).unwrap();
            let [header, weights] = of_model(&model);
            set("header", header);
            set("weights", weights);
        }
        let mut trees = Vec::new();
        for (number, parse) in self.entry.parse.iter().enumerate() {
            let parsed = run(at, &format!("parse --model a.model {parse} test.conllu"))?;
            fs::write(at.join(format!("parsed-{}.conllu", number + 1)), &parsed).unwrap();
            trees.extend(parsed);
        }
        if !self.entry.parse.is_empty() {
            set("trees", sum(&trees));
        }
        if !self.entry.run.is_empty() {
            let output = self.entry.run.iter().map(|line| run(at, line)).collect::<Result<Vec<_>, _>>()?;
            set("output", sum(&output.concat()));
        }
        Ok(sums)
    }
}

/// The program.
fn program() -> PathBuf {
    std::env::var_os("TREEBEAM").map_or_else(|| assert_cmd::cargo::cargo_bin!("treebeam").to_owned(), PathBuf::from)
}

/// What the program prints; its message if it fails.
fn run(folder: &Path, line: &str) -> Result<Vec<u8>, String> {
    let output = Command::new(program()).args(line.split_whitespace()).current_dir(folder).output();
    let output = output.map_err(|error| format!("{}: {error}", program().display()))?;
    let message = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(output.stdout).ok_or_else(|| format!("{line}\n{message}"))
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
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
fn inline(sums: &Sums) -> String {
    let sums: Vec<String> = sums.iter().map(|(what, sum)| format!("{what} = {sum:?}")).collect();
    format!("{{ {} }}", sums.join(", "))
}

#[test]
fn golden_behaviour() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden.toml");
    let text = fs::read_to_string(&path).unwrap();
    let Golden { entry, mut sums } = toml::from_str(&text).unwrap();
    let cases: Vec<Case> = entry.iter().flat_map(Entry::cases).collect();
    let names: BTreeSet<String> = cases.iter().map(|case| case.name.clone()).collect();
    assert_eq!(names.len(), cases.len(), "two cases of one name");

    let treebanks = std::env::var_os("TREEBEAM_TREEBANKS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let (here, elsewhere): (Vec<Case>, Vec<Case>) =
        cases.into_iter().partition(|case| case.entry.treebank.is_none() || treebanks.is_some());
    if !elsewhere.is_empty() {
        eprintln!("skipped: {} cases with real treebanks; TREEBEAM_TREEBANKS is not set", elsewhere.len());
    }
    let results: Vec<Result<Sums, String>> = here.par_iter().map(|case| case.run(treebanks.as_deref())).collect();

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
