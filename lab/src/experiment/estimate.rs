//! Estimates of the time and memory of missing cells.

use std::collections::HashMap;
use std::time::Duration;

use super::cell::Cell;
use super::kind::{Cost, Kind};
use super::record::Record;
use treebeam::learn::Training;
use treebeam::options::Options;

/// An estimate, and on how many records it rests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Time by the clock for all missing cells.
    pub time: Duration,
    /// The least number of records that any cell's share rests on; 0 if it is a rule of thumb for some.
    pub n_records: usize,
}

/// The time that `missing` cells take, `jobs` side by side, if they behave like finished ones. `None` if there are cells to judge
/// and no records to judge them by.
pub fn estimate<K: Kind>(kind: &K, missing: &[&K::Cell], records: &[&K::Record], jobs: usize) -> Option<Estimate> {
    let costs: Vec<Cost> = missing.iter().map(|cell| kind.cost(cell, records)).collect();
    let n_records = costs.iter().map(|cost| cost.n_records).min().unwrap_or(records.len());
    let mut seconds = 0.0;
    // By training that cells share: what it takes, once.
    let mut shared: HashMap<&str, f64> = HashMap::new();
    for (&cell, cost) in missing.iter().zip(&costs) {
        let part = cost.seconds * kind.shared_part(cell);
        seconds += cost.seconds - part;
        if let Some(training) = kind.shared_training(cell) {
            let most = shared.entry(training).or_default();
            *most = most.max(part);
        }
    }
    seconds += shared.values().sum::<f64>();
    let time = Duration::try_from_secs_f64(seconds / jobs.clamp(1, kind.most_jobs()) as f64).ok()?;
    (missing.is_empty() || n_records > 0).then_some(Estimate { time, n_records })
}

/// Pace of a run: what its cells were expected to take beside the time that the finished ones took. What records of other
/// treebanks and machines foretell may be wrong by the same factor for all cells; this finds it.
#[derive(Debug, Clone)]
pub struct Pace {
    /// By the cell's key, the seconds that it was expected to take; of those that are left.
    left: HashMap<String, f64>,
    /// The same of those that have finished, summed.
    finished: f64,
}

impl Pace {
    /// Of a run that begins with these cells.
    pub fn new<K: Kind>(kind: &K, missing: &[&K::Cell], records: &[&K::Record]) -> Pace {
        let expected = missing.iter().map(|cell| (kind.key(cell).to_owned(), kind.cost(cell, records).seconds));
        Pace { left: expected.collect(), finished: 0.0 }
    }

    /// The cell of this key has finished, here or in another process.
    pub fn finished(&mut self, key: &str) {
        self.finished += self.left.remove(key).unwrap_or_default();
    }

    /// The cell of this key has failed, so that the time it took means nothing.
    pub fn failed(&mut self, key: &str) {
        self.left.remove(key);
    }

    /// Number of cells that are left.
    pub fn n_left(&self) -> usize {
        self.left.len()
    }

    /// The time that the others take, if the run has lasted so long and goes on at its pace; none before a cell has finished.
    pub fn remaining(&self, elapsed: Duration) -> Option<Duration> {
        let share = self.left.values().sum::<f64>() / self.finished;
        Duration::try_from_secs_f64(elapsed.as_secs_f64() * share).ok()
    }
}

/// Cost of a training: time is taken to grow with sentences times iterations, and is read off records of the same treebank and
/// way of training, else of the same way of training, else of the same system or features trained in the same way with any width,
/// else of any. Memory grows with sentences. Without records there are rules of thumb.
pub(super) fn cost(cell: &Cell, records: &[&Record]) -> Cost {
    let (treebank, options) = (cell.treebank(), &cell.options);
    let training = |options: &Options| options.transitions().map(|options| options.training);
    let features = |options: &Options| options.transitions().map(|options| options.features.clone());
    let like: [&dyn Fn(&Record) -> bool; 5] = [
        &|r| kind(&r.options) == kind(options) && r.treebank == treebank,
        &|r| kind(&r.options) == kind(options),
        &|r| training(&r.options) == training(options) && r.options.system() == options.system(),
        &|r| training(&r.options) == training(options) && features(&r.options) == features(options),
        &|_| true,
    ];
    let n_sentences = cell.data.train.n_sentences();
    let of_records = like.iter().find_map(|like| {
        let records: Vec<&&Record> = records.iter().filter(|r| like(r)).collect();
        (!records.is_empty()).then_some(records)
    });
    let iterations = expected_iterations(options) + before(&cell.after);
    let steps = n_sentences as f64 * iterations * f64::from(options.replicas());
    let Some(records) = of_records else {
        // PERF: English-EWT, features of Zhang & Nivre (2011): 1.1 ms an iteration of ten sentences, 16 kB a sentence.
        let seconds = 1.1e-4 * (options.training_beam() as f64).powf(0.8) * steps;
        let memory = 50_000_000 + 16_000 * n_sentences as u64 * u64::from(options.replicas());
        return Cost { seconds, memory, n_records: 0 };
    };
    let mean = |of: &dyn Fn(&Record) -> f64| records.iter().map(|r| of(r)).sum::<f64>() / records.len() as f64;
    // Decoding is counted in: it, too, takes longer the more there is of the treebank.
    let seconds_per_step = mean(&|r| {
        // The time of one that goes on from another's model has that one's in it.
        let iterations = r.training.epochs.len() as f64 + before(&r.after);
        let steps = r.train.n_sentences() as f64 * iterations * f64::from(r.options.replicas());
        super::kind::Stored::seconds(r) / steps.max(1.0)
    });
    let bytes_per_sentence = mean(&|r| {
        let bytes = r.peak_rss_bytes.unwrap_or_default() as f64 / r.provenance.jobs.max(1) as f64;
        bytes / r.train.n_sentences().max(1) as f64
    });
    let memory = (bytes_per_sentence * n_sentences as f64) as u64;
    Cost { seconds: seconds_per_step * steps, memory: memory.max(20_000_000), n_records: records.len() }
}

/// Share of a cell's time that goes into the training that it shares with others: all of it if these go on from its own model.
pub(super) fn shared_part(cell: &Cell) -> f64 {
    match (&cell.shared_training, &cell.after) {
        (None, _) => 0.0,
        (Some(_), None) => 1.0,
        (Some(_), Some(first)) => {
            let first = expected_iterations(first);
            first / (first + expected_iterations(&cell.options))
        }
    }
}

/// Iterations of the training that comes before, if one does.
fn before(after: &Option<Options>) -> f64 {
    after.as_ref().map_or(0.0, expected_iterations)
}

/// Iterations that a training is likely to make; to the plateau, as many as the patience lasts beyond some twenty.
fn expected_iterations(options: &Options) -> f64 {
    let stopping = options.stopping();
    f64::from(stopping.patience.map_or(stopping.most, |patience| stopping.most.min(20 + patience)))
}

/// Options that most decide how long a sentence takes in training.
fn kind(options: &Options) -> impl PartialEq {
    let of_system = options.transitions().map(|o| {
        let width = if o.training == Training::Global { o.beam } else { 1 };
        (o.scorer, o.training, o.oracle, o.learner, o.features.clone(), width)
    });
    (options.system(), of_system)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{FakeEngine, plan, record, trainings};

    fn of(missing: &[&Cell], records: &[Record], jobs: usize) -> Option<Estimate> {
        let records: Vec<&Record> = records.iter().collect();
        estimate(&trainings(FakeEngine::default(), "r1"), missing, &records, jobs)
    }

    #[test]
    fn time_grows_with_cells_and_shrinks_with_jobs() {
        let plan = plan();
        let missing: Vec<&Cell> = plan.cells.iter().skip(1).take(3).collect();
        assert_eq!(of(&missing, &[], 1), None);
        // 2 s of training and 0.25 s of decoding for 30 sentences in one iteration; the other cells have two.
        let records = [record(&plan.cells[0], "r1")];
        let seconds = |jobs| of(&missing, &records, jobs).unwrap().time.as_secs_f64();
        assert!((seconds(1) - 3.0 * 4.5).abs() < 1e-6);
        assert!((seconds(2) - 1.5 * 4.5).abs() < 1e-6);
        assert_eq!(of(&missing, &records, 1).unwrap().n_records, 1);
        assert!(cost(missing[0], &[]).seconds > 0.0 && cost(missing[0], &[]).memory > 0, "a rule of thumb");
    }

    #[test]
    fn a_run_that_is_slower_than_estimated_says_so() {
        let plan = plan();
        let cells: Vec<&Cell> = plan.cells.iter().take(4).collect();
        let mut pace = Pace::new(&trainings(FakeEngine::default(), "r1"), &cells, &[&record(&plan.cells[0], "r1")]);
        let seconds =
            |pace: &Pace, elapsed| pace.remaining(Duration::from_secs(elapsed)).map(|time| time.as_secs_f64());
        assert_eq!(seconds(&pace, 10), None, "nothing has finished");
        pace.finished(&cells[0].key);
        // Whatever was expected.
        assert!((seconds(&pace, 10).unwrap() - 30.0).abs() < 1e-6);
        pace.failed(&cells[1].key);
        assert!((seconds(&pace, 10).unwrap() - 20.0).abs() < 1e-6);
        pace.finished(&cells[2].key);
        assert!((seconds(&pace, 100).unwrap() - 50.0).abs() < 1e-6);
        pace.finished(&cells[2].key);
        assert_eq!((pace.n_left(), seconds(&pace, 100)), (1, Some(50.0)), "a cell finishes once");
        pace.finished(&cells[3].key);
        assert_eq!(seconds(&pace, 100), Some(0.0));
    }

    #[test]
    fn a_training_that_cells_share_is_counted_once() {
        let mut plan = plan();
        let records = [record(&plan.cells[0], "r1")];
        let options = plan.cells[0].options.clone();
        for cell in &mut plan.cells[1..4] {
            cell.shared_training = Some("first".to_owned());
        }
        plan.cells[2].after = Some(options.clone());
        plan.cells[3].after = Some(options);
        let missing: Vec<&Cell> = plan.cells.iter().skip(1).take(3).collect();
        let seconds = |missing: &[&Cell]| of(missing, &records, 1).unwrap().time.as_secs_f64();
        assert!((seconds(&missing) - 3.0 * 4.5).abs() < 1e-6, "one of them, and two that go on for as long");
        assert!((seconds(&missing[1..]) - 3.0 * 4.5).abs() < 1e-6, "it is trained for them");
        assert!((seconds(&missing[..1]) - 4.5).abs() < 1e-6);
    }

    #[test]
    fn records_of_the_same_way_of_training_go_first() {
        let plan = plan();
        let (greedy, global) = (&plan.cells[0], &plan.cells[4]);
        let mut slow = record(global, "r1");
        slow.training.wall_s = 100.0;
        let records = [record(greedy, "r1"), slow];
        let of = |cell| of(&[cell], &records, 1).unwrap().time.as_secs_f64();
        assert!((of(&plan.cells[1]) - 4.5).abs() < 1e-6);
        assert!(of(&plan.cells[5]) > 200.0);
    }
}
