//! Fixtures that the tests of this folder share: a small specification and an engine that makes figures up, deterministically.

use std::path::Path;
use std::time::Duration;

use super::cell::Cell;
use super::engine::{Engine, Evaluated};
use super::kind::CellFiles;
use super::measure::measure;
use super::overrides::Overrides;
use super::plan::Plan;
use super::provenance::{Host, Provenance};
use super::record::{Epoch, Record, Scores, TrainingRecord};
use super::spec::Spec;
use super::store::Store;
use super::trainings::Trainings;
use treebeam::diagnosis::{Diagnosis, Propagation};
use treebeam::error::{Error, Result};
use treebeam::eval::{Classes, Counts, RightWords};
use treebeam::learn::Training;
use treebeam::system::{OracleKind, SystemKind};

pub const SPEC: &str = r#"
name = "test"
title = "A small comparison"
analysis = "Made-up figures."

[profiles.quick]
treebanks = ["generated:1,50,projective", "generated:2,400,nonprojective"]
seeds = [1, 2]
max-train-sentences = 30

[base]
iterations = 2

[[row]]
name = "greedy"
options = { training = "greedy", oracle = "static" }

[[row]]
name = "dynamic"
options = { training = "greedy", oracle = "dynamic" }

[[row]]
name = "global"
options = { training = "global", beam = 4 }
decode = [1, 4]

[[column]]
name = "eager"
options = { system = "arc-eager" }

[[column]]
name = "hybrid"
options = { system = "arc-hybrid" }

[table]
baseline = "greedy"

[[plot]]
name = "las"
title = "LAS against width"
y = "las"
series = [{ name = "greedy", rows = ["greedy", "dynamic"], matched = true }, { name = "global", rows = ["global"] }]

[[paper]]
source = "Someone (2013), Table 1"
row = "dynamic"
column = "eager"
metric = "uas"
values = { "generated:1,50,projective" = 90.5 }

[[paper]]
source = "Someone (2013), Table 1"
row = "greedy"
column = "eager"
metric = "uas"
values = { "generated:1,50,projective" = 90 }
"#;

pub fn spec_of(text: &str) -> Spec {
    Spec::parse(text, Path::new("test.toml")).unwrap()
}

pub fn plan() -> Plan {
    plan_of(&spec_of(SPEC))
}

/// A plan for a program whose behaviour is called `r1`.
pub fn plan_of(spec: &Spec) -> Plan {
    let mut plan = Plan::new(spec, "quick", &Overrides::default(), None).unwrap();
    plan.cells.iter_mut().for_each(|cell| cell.golden = "r1".to_owned());
    plan
}

/// Paths at which nothing is kept.
pub fn files() -> CellFiles {
    CellFiles { checkpoint: "none".into(), checkpoint_every: Duration::MAX, shared_model: "none".into() }
}

/// Trainings that make figures up, by a program whose behaviour has this name.
pub fn trainings(engine: FakeEngine, code: &str) -> Trainings<FakeEngine> {
    Trainings { engine, experiment: "test".to_owned(), provenance: provenance(code), repetitions: 1 }
}

pub fn provenance(revision: &str) -> Provenance {
    Provenance {
        version: "0.0.0".to_owned(),
        revision: revision.to_owned(),
        clean: Some(true),
        golden: Some(revision.to_owned()),
        carried: None,
        protocol: None,
        generator: "none".to_owned(),
        host: Host { cpu: "abacus".to_owned(), cores: 2 },
        jobs: 1,
    }
}

/// The record of `cell`, with clocks that stand at round figures.
pub fn record(cell: &Cell, revision: &str) -> Record {
    let origin = ("test", provenance(revision));
    let mut record = measure(&FakeEngine::default(), cell, origin, 1, &files()).unwrap();
    record.training.wall_s = 2.0;
    record.training.cpu_s = Some(1.5);
    record.peak_rss_bytes = Some(3 << 20);
    for decoding in &mut record.decodings {
        decoding.wall_s = vec![decoding.width as f64 * 0.25];
        decoding.cpu_s.clear();
    }
    record
}

/// The records of `cells`, made otherwise by `change`.
pub fn store_of<'c>(cells: impl IntoIterator<Item = &'c Cell>, mut change: impl FnMut(&Cell, &mut Record)) -> Store {
    let mut store = Store::default();
    for cell in cells {
        let mut record = record(cell, "r1");
        change(cell, &mut record);
        store.insert(record);
    }
    store
}

/// The records of all cells of a plan.
pub fn full_store(plan: &Plan) -> Store {
    store_of(&plan.cells, |_, _| ())
}

/// Fault of a cell.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    Error,
    Panic,
}

/// Makes figures up: better with a dynamic oracle, better still with a global model and a wide beam.
#[derive(Debug, Default)]
pub struct FakeEngine {
    /// Cells of [`plan`], by number, that go wrong.
    pub faults: Vec<(usize, Fault)>,
}

impl Engine for FakeEngine {
    type Trained = Cell;
    type Parsed = usize;

    fn train(&self, cell: &Cell, _: &CellFiles) -> Result<(Cell, TrainingRecord)> {
        for (number, fault) in &self.faults {
            match fault {
                _ if plan().cells[*number].key != cell.key => {}
                Fault::Error => return Err(Error::Usage("no such luck".to_owned())),
                Fault::Panic => panic!("out of luck"),
            }
        }
        let epochs = vec![Epoch { epoch: 1, updates: 10, seconds: 1.0, dev: None }];
        let training = TrainingRecord { epochs, kept_epoch: 1, n_features: 1234, wall_s: 0.0, cpu_s: None, stop: None };
        Ok((cell.clone(), training))
    }

    fn parse(&self, _: &Cell, _: Evaluated, width: usize) -> Result<usize> {
        Ok(width)
    }

    fn diagnose(&self, _: &Cell, width: usize) -> Result<Option<Diagnosis>> {
        let width = width as u64;
        let (right, model_errors) = (40 + width, 30);
        let search_errors = 30 - width;
        let propagation = Propagation {
            sentences: 100,
            with_wrong: 60 - width,
            while_right: 600,
            before: 240,
            before_at_random: 180.0,
            steps_before: 550,
            after: 600 + width,
            wrong_after: 150,
        };
        Ok(Some(Diagnosis { sentences: 100, right, search_errors, model_errors, propagation, ..Diagnosis::default() }))
    }

    fn score(&self, cell: &Cell, on: Evaluated, &width: &usize) -> Vec<Scores> {
        let portion = if on == Evaluated::Test { &cell.data.test } else { &cell.data.dev };
        let options = cell.options.transitions().unwrap();
        let quality = match (options.training, options.oracle) {
            (Training::Greedy, OracleKind::Static) => 80,
            (Training::Greedy | Training::L2s, _) => 82,
            (Training::Global, _) => 80 + width as u64,
        };
        let number = SystemKind::all().iter().position(|&system| system == options.system).unwrap();
        let mut rng = treebeam::random::stream(options.seed, "fake", &[quality, number as u64]);
        let mut one = |i: usize| {
            let tokens = 5 + (i as u64 * 7) % 20;
            let right =
                |n: u64, rng: &mut _| (0..n).filter(|_| treebeam::random::below(100, rng) < quality).count() as u64;
            let counts = |tokens: u64, heads: u64, labelled: u64| Counts {
                sentences: 1,
                tokens,
                heads,
                labelled,
                exact_heads: u64::from(heads == tokens),
                exact_labelled: u64::from(labelled == tokens),
                ..Counts::default()
            };
            let heads = right(tokens - 1, &mut rng);
            let labelled = right(heads, &mut rng);
            Scores {
                with_punctuation: counts(tokens, heads + 1, labelled + 1),
                without_punctuation: counts(tokens - 1, heads, labelled),
            }
        };
        portion.sentences.clone().map(&mut one).collect()
    }

    fn classes(&self, cell: &Cell, width: &usize) -> Classes {
        let mut sum = RightWords::default();
        for Scores { with_punctuation: counts, .. } in self.score(cell, Evaluated::Test, width) {
            sum += RightWords { words: counts.tokens, heads: counts.heads, labelled: counts.labelled };
        }
        let half = [sum.words, sum.heads, sum.labelled].map(|n| n / 2);
        let rest = [sum.words - half[0], sum.heads - half[1], sum.labelled - half[2]];
        let two = |a: &str, b: &str| [(a.to_owned(), half.into()), (b.to_owned(), rest.into())].into_iter().collect();
        Classes {
            arc_length: two("1", "2"),
            sentence_length: two("1-10", "11-20"),
            label: two("nsubj", "root"),
            projectivity: two("non-projective", "projective"),
            predicted_arc_length: two("1", "2"),
            predicted_projectivity: two("non-projective", "projective"),
        }
    }
}
