//! Trainings as cells: a parser is trained and its model decoded, timed and scored.

use super::cell::Cell;
use super::data::Data;
use super::engine::Engine;
use super::estimate::{cost, shared_part};
use super::kind::{CellFiles, Cost, Kind};
use super::measure::measure;
use super::provenance::Provenance;
use super::record::Record;
use treebeam::error::Result;

/// Settings that all trainings of an experiment have in common.
#[derive(Debug)]
pub struct Trainings<E> {
    /// Engine that trains, decodes and scores.
    pub engine: E,
    /// The experiment's name.
    pub experiment: String,
    /// This program, the machine, and the number of cells side by side.
    pub provenance: Provenance,
    /// Number of times that the test data are decoded to take the time.
    pub repetitions: usize,
}

impl<E: Engine> Kind for Trainings<E> {
    type Cell = Cell;
    type Record = Record;

    fn key<'c>(&self, cell: &'c Cell) -> &'c str {
        &cell.key
    }

    fn title(&self, cell: &Cell) -> String {
        cell.title()
    }

    fn golden<'c>(&'c self, cell: &'c Cell) -> &'c str {
        &cell.golden
    }

    fn description(&self, cell: &Cell) -> serde_json::Value {
        let Cell { key, row, options, after, features_sha256, data, .. } = cell;
        let (treebank, Data { train, dev, test, .. }) = (data.source.to_string(), &**data);
        serde_json::json!({
            "key": key, "treebank": treebank, "row": row, "options": options, "after": after,
            "features_sha256": features_sha256, "train": train, "dev": dev, "test": test,
        })
    }

    fn cost(&self, cell: &Cell, records: &[&Record]) -> Cost {
        cost(cell, records)
    }

    fn run(&self, cell: &Cell, files: &CellFiles) -> Result<Record> {
        let provenance = self.provenance.behaving(&cell.golden);
        measure(&self.engine, cell, (&self.experiment, provenance), self.repetitions, files)
    }

    fn adopt(&self, cell: &Cell, record: &Record) -> Record {
        Record { row: cell.row.clone(), column: cell.column.clone(), ..record.clone() }
    }

    fn shared_training<'c>(&self, cell: &'c Cell) -> Option<&'c str> {
        cell.shared_training.as_deref()
    }

    fn shared_part(&self, cell: &Cell) -> f64 {
        shared_part(cell)
    }
}
