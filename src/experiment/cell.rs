//! One training and the decodings of its model.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::data::{Data, hex};
use crate::error::{Error, Result};
use crate::learn::TrainOptions;

/// One training and the widths at which its model is decoded on the test and development data.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// SHA-256 over everything that decides the figures, save the code: options, checksums of data, widths.
    pub key: String,
    /// The row of the specification.
    pub row: String,
    /// The column of the specification.
    pub column: String,
    /// The options of training, seed included.
    pub options: TrainOptions,
    /// The checksum of the `.feat` file, if the features are one; built-in sets are code.
    pub features_sha256: Option<String>,
    /// The treebank.
    pub data: Arc<Data>,
    /// Widths of the decoding beam.
    pub decode: Vec<usize>,
    /// Whether search errors are counted.
    pub diagnose: bool,
}

/// What a key is made of. The names of rows and columns are left out, so that renaming them loses no record.
#[derive(Serialize)]
struct Identity<'a> {
    scheme: u32,
    options: &'a TrainOptions,
    features: &'a Option<String>,
    train: &'a str,
    dev: &'a str,
    test: &'a str,
    decode: &'a [usize],
    /// Left out if it is not asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diagnose: bool,
}

impl Cell {
    /// A cell with its key.
    ///
    /// # Errors
    /// If the options name a `.feat` file that cannot be read.
    pub fn new(
        row: &str,
        column: &str,
        options: TrainOptions,
        data: Arc<Data>,
        decode: Vec<usize>,
        diagnose: bool,
    ) -> Result<Cell> {
        let features_sha256 = match options.features.ends_with(".feat") {
            true => {
                let bytes = std::fs::read(Path::new(&options.features)).map_err(Error::io(&options.features))?;
                Some(hex(&Sha256::digest(bytes)))
            }
            false => None,
        };
        let identity = Identity {
            scheme: 1,
            options: &options,
            features: &features_sha256,
            train: &data.train.sha256,
            dev: &data.dev.sha256,
            test: &data.test.sha256,
            decode: &decode,
            diagnose,
        };
        let identity = serde_json::to_vec(&identity).map_err(|e| Error::Usage(e.to_string()))?;
        let key = hex(&Sha256::digest(identity));
        let (row, column) = (row.to_owned(), column.to_owned());
        Ok(Cell { key, row, column, options, features_sha256, data, decode, diagnose })
    }

    /// The treebank's name.
    pub fn treebank(&self) -> String {
        self.data.source.to_string()
    }

    /// What tells this cell from the others of its plan, for people.
    pub fn title(&self) -> String {
        format!("{}, {}, {}, seed {}", self.treebank(), self.column, self.row, self.options.seed)
    }
}
