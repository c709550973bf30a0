//! Experiments of kind `peers`: other parsers beside this one, trained on the same file, timed in the same way, scored by the same
//! program. Every setting stands in the specification.
//!
//! A program that comes as a package of Python is installed into an environment of its own by a script of the specification. One
//! that cannot be installed, trained or run is a cell that failed, and the others go on.

mod spec;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Experiments;
use super::folder::write_tables;
use super::opened::Opened;
use super::programs::{Bench, Input, Once, ParsingFigures, Used, failed, load, read_json, run, run_into};
use spec::{PeersProfile, PeersSpec};
use treebeam::error::Result;
use treebeam::files::hex;
use treebeam_lab::experiment::{
    CellFiles, Cost, Data, Golden, Kind, Overrides, Portion, Provenance, Stored, profile_named,
};

/// The threads of libraries that programs in Python use.
const ONE_THREAD: [&str; 4] = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"];

/// A way of parsing with a model of a program.
#[derive(Debug, Clone)]
pub struct Peer {
    key: String,
    /// The program and the way of parsing.
    name: String,
    /// The package that it comes in, with its version.
    package: Option<String>,
    /// The commands, with places in braces that are filled in when they are run.
    train: Vec<String>,
    parse: Vec<String>,
}

/// Record of measuring a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerRecord {
    /// The cell's key.
    pub key: String,
    /// The program and the way of parsing.
    pub name: String,
    /// Its package and version; the provenance has that of treebeam.
    pub package: Option<String>,
    /// The commands, with places in braces.
    pub commands: [String; 2],
    /// The data.
    pub treebank: String,
    /// Training, development and test data.
    pub portions: [Portion; 3],
    /// Code and machine.
    pub provenance: Provenance,
    /// Processes that wanted to run before, on average over a minute.
    pub load_before: Option<f64>,
    /// Cost of training.
    pub training: Trained,
    /// Cost and scores of parsing.
    pub parsing: ParsingFigures,
}

/// Cost of training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// The process.
    pub used: Used,
    /// The size of the model.
    pub model_bytes: u64,
}

/// Programs side by side as a kind of cell.
#[derive(Debug)]
pub struct Peers {
    spec: PeersSpec,
    profile_name: String,
    /// The folder of the specification's scripts.
    scripts: PathBuf,
    bench: Bench,
    /// Installed packages, once they are asked for.
    installed: Mutex<Option<Installed>>,
}

/// Output of the script that installs packages.
#[derive(Debug, Clone, Deserialize)]
struct Installed {
    /// The interpreter of the environment.
    python: PathBuf,
    /// By package, why it is not there.
    missing: BTreeMap<String, String>,
}

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Opened<Peers>> {
    let spec = PeersSpec::read(path)?;
    let mut profile = profile_named(&spec.profiles, &args.profile, path)?.clone();
    if let Some(iterations) = overrides.options.get("iterations") {
        let of_programs = profile.settings.iter_mut().filter(|(name, _)| name.ends_with("_iterations"));
        of_programs.for_each(|(_, setting)| *setting = iterations.clone());
    }
    let PeersProfile { treebank, fallback, repetitions, seconds, .. } = &profile;
    let bench = Bench::new((args, path, overrides), &spec.name, (treebank, fallback), (*repetitions, *seconds))?;
    let peers = peers(&spec, &profile, &bench.inputs.data);
    let scripts = path.parent().unwrap_or(Path::new(".")).join(&spec.scripts);
    let (name, is_own, profile_name) = (spec.name.clone(), bench.is_own, args.profile.clone());
    let kind = Peers { spec, profile_name, scripts, bench, installed: Mutex::new(None) };
    Opened::new(args, path, (&name, is_own), (kind, peers), Box::new(make_tables))
}

/// The cells: each program in each of its ways of parsing.
fn peers(spec: &PeersSpec, profile: &PeersProfile, data: &Data) -> Vec<Peer> {
    let filled = |command: &[String]| -> Vec<String> {
        let fill = |part: &String| {
            profile
                .settings
                .iter()
                .fold(part.clone(), |part, (name, value)| part.replace(&format!("{{{name}}}"), &value.to_string()))
        };
        command.iter().map(fill).collect()
    };
    let mut peers = Vec::new();
    for program in &spec.programs {
        for parser in &program.parsers {
            let (train, parse) = (filled(&program.train), filled(&parser.command));
            let sums = [&data.train, &data.dev, &data.test].map(|portion| &portion.sha256);
            let timing = (profile.repetitions, profile.seconds);
            let all = format!("{:?}\n{train:?}\n{parse:?}\n{sums:?}\n{timing:?}", program.package);
            let key = hex(&Sha256::digest(all));
            let package = program.package.clone();
            peers.push(Peer { key, name: format!("{}{}", program.name, parser.name), package, train, parse });
        }
    }
    peers
}

impl Peers {
    /// Installs packages, once for all cells of this process.
    fn installed(&self) -> anyhow::Result<Installed> {
        let mut installed = self.installed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(installed) = &*installed {
            return Ok(installed.clone());
        }
        let report = self.bench.inputs.folder().join("installed.json");
        let output = std::fs::File::create(&report).with_context(|| report.display().to_string())?;
        let python = std::env::var_os("PYTHON").unwrap_or("python3".into());
        let mut command = Command::new(python);
        run_into(command.arg(self.scripts.join("install.py")).arg(self.bench.inputs.folder()), output.into())?;
        let found: Installed = read_json(&report)?;
        *installed = Some(found.clone());
        Ok(found)
    }

    /// The command with its places filled in, on one core and with one thread.
    fn command(&self, template: &[String], python: &Path, places: &[(&str, &Path)]) -> anyhow::Result<Command> {
        let own = [("treebeam", self.bench.program.as_path()), ("python", python), ("scripts", &self.scripts)];
        let fill = |part: &String| {
            own.iter().chain(places).fold(part.clone(), |part, (name, path)| {
                part.replace(&format!("{{{name}}}"), &path.display().to_string())
            })
        };
        let mut parts = template.iter().map(fill);
        let program = parts.next().context("an empty command")?;
        let core = self.bench.provenance.host.cores.saturating_sub(1).to_string();
        let can_pin =
            Command::new("taskset").args(["-c", &core, "true"]).output().is_ok_and(|done| done.status.success());
        let mut command = if can_pin { Command::new("taskset") } else { Command::new(&program) };
        if can_pin {
            command.args(["-c", &core]).arg(&program);
        }
        command.args(parts).envs(ONE_THREAD.map(|name| (name, "1")));
        Ok(command)
    }

    /// Trains the model unless it is there; the model, and what training took.
    fn train(&self, peer: &Peer, python: &Path) -> anyhow::Result<(PathBuf, Trained)> {
        let [train, dev, _] = self.bench.inputs.portions()?;
        let data = &self.bench.inputs.data;
        // A model of another program would be no worse, but what training took would be that of the other.
        let own = if peer.package.is_none() { Golden::whole() } else { "" };
        let all = format!("{:?}\n{own}\n{:?}\n{}\n{}", peer.package, peer.train, data.train.sha256, data.dev.sha256);
        let name = hex(&Sha256::digest(all)[..8]);
        let model = self.bench.inputs.folder().join(format!("{name}.model"));
        let note = self.bench.inputs.folder().join(format!("{name}.json"));
        if let Ok(trained) = read_json(&note)
            && model.exists()
        {
            return Ok((model, trained));
        }
        let places = [("train", train.as_path()), ("dev", &dev), ("model", &model)];
        let used = run(&mut self.command(&peer.train, python, &places)?).context("training failed")?;
        let trained = Trained { used, model_bytes: size(&model)? };
        let text = serde_json::to_string(&trained)?;
        std::fs::write(&note, text).with_context(|| note.display().to_string())?;
        Ok((model, trained))
    }

    fn measure(&self, peer: &Peer) -> anyhow::Result<(Trained, ParsingFigures)> {
        let mut python = PathBuf::from("python3");
        if let Some(package) = &peer.package {
            let installed = self.installed()?;
            let name = package.split("==").next().unwrap_or(package);
            if let Some(reason) = installed.missing.get(name) {
                bail!("{package} is not installed: {reason}");
            }
            python = installed.python;
        }
        let (model, trained) = self.train(peer, &python)?;
        let parse = |from: &Path, to: &Path| {
            let places = [("model", model.as_path()), ("input", from), ("output", to)];
            let used = run(&mut self.command(&peer.parse, &python, &places)?).context("parsing failed")?;
            Ok(Once { used, parsing_s: used.cpu_s, load_s: 0.0, peak_rss_bytes: used.peak_rss_bytes })
        };
        Ok((trained, self.bench.measure(Input::Test, &parse)?))
    }
}

/// The size of a file, or of all files in a folder.
fn size(path: &Path) -> anyhow::Result<u64> {
    let data = std::fs::metadata(path).with_context(|| path.display().to_string())?;
    if !data.is_dir() {
        return Ok(data.len());
    }
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    entries.map(|entry| size(&entry?.path())).sum()
}

impl Kind for Peers {
    type Cell = Peer;
    type Record = PeerRecord;

    fn key<'c>(&self, peer: &'c Peer) -> &'c str {
        &peer.key
    }

    fn title(&self, peer: &Peer) -> String {
        peer.name.clone()
    }

    /// Checksum of all of treebeam's behaviour, as its options stand in commands.
    fn golden<'c>(&'c self, _: &'c Peer) -> &'c str {
        Golden::whole()
    }

    /// On a machine like this one, and for treebeam, of this version with the same behaviour.
    fn is_current(&self, peer: &Peer, record: &PeerRecord) -> bool {
        let Provenance { version, golden, host, .. } = &record.provenance;
        let is_own = *version == self.bench.provenance.version && golden.as_deref() == Some(Golden::whole());
        *host == self.bench.provenance.host && (peer.package.is_some() || is_own)
    }

    fn description(&self, peer: &Peer) -> serde_json::Value {
        let Data { source, train, dev, test } = &self.bench.inputs.data;
        let portions = [train, dev, test];
        serde_json::json!({ "key": peer.key, "name": peer.name, "treebank": source.to_string(), "portions": portions })
    }

    fn cost(&self, peer: &Peer, records: &[&PeerRecord]) -> Cost {
        let record = records.iter().find(|record| record.key == peer.key);
        let (seconds, memory) = record.map_or((600.0, 1_000_000_000), |record| {
            (record.seconds(), record.training.used.peak_rss_bytes.unwrap_or_default())
        });
        Cost { seconds, memory, n_records: usize::from(record.is_some()) }
    }

    fn run(&self, peer: &Peer, _: &CellFiles) -> Result<PeerRecord> {
        let load_before = load();
        let (training, parsing) = self.measure(peer).map_err(failed)?;
        let Data { source, train, dev, test } = &self.bench.inputs.data;
        Ok(PeerRecord {
            key: peer.key.clone(),
            name: peer.name.clone(),
            package: peer.package.clone(),
            commands: [&peer.train, &peer.parse].map(|command| command.join(" ")),
            treebank: source.to_string(),
            portions: [train, dev, test].map(Portion::clone),
            provenance: self.bench.provenance.behaving(Golden::whole()),
            load_before,
            training,
            parsing,
        })
    }

    fn adopt(&self, peer: &Peer, record: &PeerRecord) -> PeerRecord {
        PeerRecord { name: peer.name.clone(), ..record.clone() }
    }

    /// Cells side by side would measure each other.
    fn most_jobs(&self) -> usize {
        1
    }
}

impl Stored for PeerRecord {
    fn key(&self) -> &str {
        &self.key
    }

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn seconds(&self) -> f64 {
        self.training.used.wall_s + self.parsing.runs.iter().map(|run| run.one.wall_s + run.many.wall_s).sum::<f64>()
    }
}

fn make_tables(opened: &Opened<Peers>) -> anyhow::Result<()> {
    write_tables(opened.folder.path(), &opened.kind.profile_name, &tables::markdown(opened), &tables::tsv(opened))
}
