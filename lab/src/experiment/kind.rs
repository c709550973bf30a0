//! Traits of every kind of cell: trainings, bounds of losses, throughput and other parsers go through one store and one
//! runner.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::provenance::Provenance;
use treebeam::error::Result;

/// The format of records that this program writes. Earlier ones are read, later ones are refused.
///
/// | format | what is different |
/// |---|---|
/// | 1 | no field `format`; only the git revision identifies the code; [`super::TrainingRecord::cpu_s`] counted one thread that waited for those that learned, and is left out when such records are read |
/// | 2 | checksums of the source files that decide figures, which are left out when such records are read |
/// | 3 | a checksum of golden behaviour, see [`super::Golden`] |
pub const FORMAT: u32 = 3;

/// A kind of cell. A cell is a piece of work that is decided by its key, done once, and leaves one record.
pub trait Kind: Sync {
    /// A piece of work.
    type Cell: Sync;
    /// Its record.
    type Record: Stored;

    /// The cell's key: a checksum of all that decides its figures save the code, in hexadecimal.
    fn key<'c>(&self, cell: &'c Self::Cell) -> &'c str;

    /// Title that distinguishes it from the others of its plan.
    fn title(&self, cell: &Self::Cell) -> String;

    /// The checksum of the behaviour that the cell's figures depend on, see [`super::Golden`].
    fn golden<'c>(&'c self, cell: &'c Self::Cell) -> &'c str;

    /// True if `record`, one of this cell's, has the figures that the cell would have if it were run now.
    fn is_current(&self, cell: &Self::Cell, record: &Self::Record) -> bool {
        record.provenance().golden.as_deref() == Some(self.golden(cell))
    }

    /// Fields of the cell's record that the cell decides, with the values that they must have. Names of columns are not among them, for
    /// they may be changed later.
    fn description(&self, cell: &Self::Cell) -> serde_json::Value;

    /// Likely cost of the cell, judging by `records`.
    fn cost(&self, cell: &Self::Cell, records: &[&Self::Record]) -> Cost;

    /// Runs it.
    ///
    /// # Errors
    /// If it cannot be run.
    fn run(&self, cell: &Self::Cell, files: &CellFiles) -> Result<Self::Record>;

    /// The record that another experiment has of this cell, as one of this experiment's.
    fn adopt(&self, _cell: &Self::Cell, record: &Self::Record) -> Self::Record {
        record.clone()
    }

    /// The key of a training whose model several cells begin with, if this is one of them: it is done once, before or as the first of
    /// them, and its model is kept until all of them have been run.
    fn shared_training<'c>(&self, _cell: &'c Self::Cell) -> Option<&'c str> {
        None
    }

    /// Share of the time of a cell that such a training takes, from 0 to 1.
    fn shared_part(&self, _cell: &Self::Cell) -> f64 {
        0.0
    }

    /// Number of cells that may be run side by side.
    fn most_jobs(&self) -> usize {
        usize::MAX
    }
}

/// A record as the store sees it.
pub trait Stored: Serialize + DeserializeOwned + Clone + Send {
    /// The key of its cell.
    fn key(&self) -> &str;

    /// Code and machine.
    fn provenance(&self) -> &Provenance;

    /// The same, to be changed.
    fn provenance_mut(&mut self) -> &mut Provenance;

    /// Seconds by the clock that the cell took.
    fn seconds(&self) -> f64;

    /// Impossible figures, if there are any: it was not written by this program.
    fn impossible(&self) -> Option<String> {
        None
    }

    /// The figures that the cell gives again whenever it is run, on whatever machine, as JSON; none if it measures times.
    fn repeatable(&self) -> Option<serde_json::Value> {
        None
    }

    /// The record, read from a line of this format, as one of [`FORMAT`].
    fn upgraded(self, _format: u32) -> Self {
        self
    }
}

/// Likely cost of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Seconds by the clock.
    pub seconds: f64,
    /// Memory, in bytes.
    pub memory: u64,
    /// The number of records that this rests on; 0 for a rule of thumb.
    pub n_records: usize,
}

/// Files of a cell that is run.
#[derive(Debug, Clone)]
pub struct CellFiles {
    /// The file for what a cell needs to go on after it was interrupted. It is removed when the cell has been run.
    pub checkpoint: PathBuf,
    /// Age at which the checkpoint is written again.
    pub checkpoint_every: Duration,
    /// The file for the model of a training that the cell shares with others, see [`Kind::shared_training`].
    pub shared_model: PathBuf,
}

impl CellFiles {
    /// The file beside the checkpoint with how long the cell took until then.
    pub fn clock(&self) -> PathBuf {
        self.checkpoint.with_extension("seconds")
    }

    /// The file beside the model of the shared training with the course of that training.
    pub fn shared_history(&self) -> PathBuf {
        self.shared_model.with_extension("history")
    }

    /// True if the shared training has been done.
    pub fn has_shared_model(&self) -> bool {
        self.shared_model.exists() && self.shared_history().exists()
    }

    /// Files of the training that the cell shares with others.
    pub fn of_shared(&self) -> CellFiles {
        CellFiles { checkpoint: self.shared_model.with_extension("checkpoint"), ..self.clone() }
    }

    /// Removes what the cell alone needed.
    pub fn clear(&self) {
        remove([self.checkpoint.clone(), self.clock()]);
    }

    /// Removes the model of the shared training, which no cell needs any more.
    pub fn clear_shared(&self) {
        self.of_shared().clear();
        remove([self.shared_model.clone(), self.shared_history()]);
    }
}

/// Removes files that help and no more: those that are not there, or that the system keeps, do no harm.
fn remove<const N: usize>(paths: [PathBuf; N]) {
    for path in paths {
        let _ = std::fs::remove_file(path);
    }
}
