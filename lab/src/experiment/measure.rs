//! One cell with clocks.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::cell::Cell;
use super::data::Data;
use super::engine::{Engine, Evaluated};
use super::kind::CellFiles;
use super::provenance::Provenance;
use super::record::{Decoding, Record, Scores, SentenceErrors};
use treebeam::error::Result;
use treebeam::process::{peak_rss_bytes, reset_peak_rss, thread_cpu_s};

/// Lock for decoding. Cells that run side by side take the memory bus and the caches from each other, and speed is a
/// result here; so no two cells are timed at once. The other jobs go on training meanwhile: for clean figures of speed run one
/// job.
static DECODING: Mutex<()> = Mutex::new(());

/// Trains and decodes `cell` for this experiment, each width `repetitions` times (at least once).
///
/// # Errors
/// Errors of the engine.
pub fn measure<E: Engine>(
    engine: &E,
    cell: &Cell,
    (experiment, provenance): (&str, Provenance),
    repetitions: usize,
    files: &CellFiles,
) -> Result<Record> {
    let tagging = engine.tag(cell)?;
    reset_peak_rss();
    let start = Instant::now();
    let (trained, mut training) = engine.train(cell, files)?;
    training.wall_s += start.elapsed().as_secs_f64();

    let _alone = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let decode = |&width: &usize| decode(engine, cell, &trained, width, repetitions);
    let decodings = cell.decode.iter().map(decode).collect::<Result<_>>()?;
    let Data { train, dev, test, .. } = &*cell.data;
    Ok(Record {
        key: cell.key.clone(),
        experiment: experiment.to_owned(),
        treebank: cell.treebank(),
        column: cell.column.clone(),
        row: cell.row.clone(),
        options: cell.options.clone(),
        after: cell.after.clone(),
        features_sha256: cell.features_sha256.clone(),
        train: train.clone(),
        dev: dev.clone(),
        test: test.clone(),
        provenance,
        training,
        tagging,
        decodings,
        peak_rss_bytes: peak_rss_bytes(),
    })
}

fn decode<E: Engine>(
    engine: &E,
    cell: &Cell,
    trained: &E::Trained,
    width: usize,
    repetitions: usize,
) -> Result<Decoding> {
    // Development data first: it warms the caches for the test data, whose time is taken.
    let dev_parsed = engine.parse(trained, Evaluated::Dev, width)?;
    let (mut wall_s, mut cpu_s) = (Vec::new(), Vec::new());
    // Parsing is this thread's work alone.
    let mut timed = || -> Result<E::Parsed> {
        let (start, cpu_start) = (Instant::now(), thread_cpu_s());
        let parsed = engine.parse(trained, Evaluated::Test, width)?;
        wall_s.push(start.elapsed().as_secs_f64());
        cpu_s.extend(thread_cpu_s().zip(cpu_start).map(|(end, start)| end - start));
        Ok(parsed)
    };
    let parsed = timed()?;
    for _ in 1..repetitions {
        timed()?;
    }

    let diagnosis = if cell.diagnose { engine.diagnose(trained, width)? } else { None };
    let (test, dev) = (Scores::default(), Scores::default());
    let classes = Some(engine.classes(trained, &parsed));
    let (errors, right_tags) = (SentenceErrors::default(), engine.right_tags(trained, &parsed));
    let mut decoding = Decoding { width, test, dev, errors, classes, right_tags, wall_s, cpu_s, diagnosis };
    for sentence in engine.score(trained, Evaluated::Test, &parsed) {
        decoding.test.with_punctuation += sentence.with_punctuation;
        decoding.test.without_punctuation += sentence.without_punctuation;
        decoding.errors.with_punctuation.push(&sentence.with_punctuation);
        decoding.errors.without_punctuation.push(&sentence.without_punctuation);
    }
    for sentence in engine.score(trained, Evaluated::Dev, &dev_parsed) {
        decoding.dev.with_punctuation += sentence.with_punctuation;
        decoding.dev.without_punctuation += sentence.without_punctuation;
    }
    Ok(decoding)
}
