//! How long the missing cells will take.

use std::time::Duration;

use super::cell::Cell;
use super::record::Record;
use crate::learn::{TrainOptions, Training};

/// An estimate, and on how many records it rests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Time by the clock for all missing cells.
    pub time: Duration,
    /// Records of cells like the missing ones; of others only if there are none of these.
    pub n_records: usize,
}

/// The time that `missing` cells take, `jobs` side by side, if they behave like finished ones: time is taken to grow with
/// sentences times iterations, and is read off records of the same treebank and way of training, else of the same way of
/// training, else of the same system or features trained in the same way with any width, else of any. `None` without records.
pub fn estimate(missing: &[&Cell], records: &[&Record], jobs: usize) -> Option<Estimate> {
    let mut seconds = 0.0;
    let mut n_records = usize::MAX;
    for cell in missing {
        let (treebank, options) = (cell.treebank(), &cell.options);
        let like: [&dyn Fn(&Record) -> bool; 5] = [
            &|r| kind(&r.options) == kind(options) && r.treebank == treebank,
            &|r| kind(&r.options) == kind(options),
            &|r| r.options.training == options.training && r.options.system == options.system,
            &|r| r.options.training == options.training && r.options.features == options.features,
            &|_| true,
        ];
        let rates = like.iter().find_map(|like| {
            let rates: Vec<f64> = records.iter().filter(|r| like(r)).map(|r| seconds_per_step(r)).collect();
            (!rates.is_empty()).then_some(rates)
        })?;
        n_records = n_records.min(rates.len());
        seconds +=
            rates.iter().sum::<f64>() / rates.len() as f64 * steps(cell.data.train.sentences.len(), &cell.options);
    }
    let time = Duration::try_from_secs_f64(seconds / jobs.max(1) as f64).ok()?;
    Some(Estimate { time, n_records: if missing.is_empty() { records.len() } else { n_records } })
}

/// What most decides how long a sentence takes in training.
fn kind(options: &TrainOptions) -> impl PartialEq {
    let width = if options.training == Training::Global { options.beam } else { 1 };
    (options.system, options.training, options.oracle, options.learner, &options.features, width)
}

fn steps(sentences: usize, options: &TrainOptions) -> f64 {
    sentences as f64 * f64::from(options.iterations) * f64::from(options.replicas)
}

/// Decoding is counted in: it, too, takes longer the more there is of the treebank.
fn seconds_per_step(record: &Record) -> f64 {
    let decoding: f64 = record.decodings.iter().flat_map(|d| &d.wall_s).sum();
    (record.training.wall_s + decoding) / steps(record.train.sentences.len(), &record.options).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{plan, record};

    #[test]
    fn time_grows_with_cells_and_shrinks_with_jobs() {
        let plan = plan();
        let missing: Vec<&Cell> = plan.cells.iter().skip(1).take(3).collect();
        assert_eq!(estimate(&missing, &[], 1), None);
        // 2 s of training and 0.25 s of decoding for 30 sentences in 2 iterations, which are those of the other cells too.
        let records = [record(&plan.cells[0], "r1")];
        let records: Vec<&Record> = records.iter().collect();
        let seconds = |jobs| estimate(&missing, &records, jobs).unwrap().time.as_secs_f64();
        assert!((seconds(1) - 3.0 * 2.25).abs() < 1e-6);
        assert!((seconds(2) - 1.5 * 2.25).abs() < 1e-6);
        assert_eq!(estimate(&missing, &records, 1).unwrap().n_records, 1);
    }

    #[test]
    fn records_of_the_same_way_of_training_go_first() {
        let plan = plan();
        let (greedy, global) = (&plan.cells[0], &plan.cells[4]);
        let mut slow = record(global, "r1");
        slow.training.wall_s = 100.0;
        let records = [record(greedy, "r1"), slow];
        let records: Vec<&Record> = records.iter().collect();
        let of = |cell| estimate(&[cell], &records, 1).unwrap().time.as_secs_f64();
        assert!((of(&plan.cells[1]) - 2.25).abs() < 1e-6);
        assert!(of(&plan.cells[5]) > 100.0);
    }
}
