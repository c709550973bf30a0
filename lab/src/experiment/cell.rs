//! One training and the decodings of its model.

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::data::{Data, hex};
use super::golden::Golden;
use super::record::Record;
use super::tags::{Tags, is_joint};
use treebeam::decode::Margin;
use treebeam::error::{Error, Result};
use treebeam::features::FeatureSet;
use treebeam::options::Options;

/// One training and the widths at which its model is decoded on the test and development data.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// SHA-256 over everything that decides the figures, save the code: options, checksums of data, widths.
    pub key: String,
    /// The checksum of the behaviour that the figures depend on, see [`Golden`].
    pub golden: String,
    /// The row of the specification.
    pub row: String,
    /// The column of the specification.
    pub column: String,
    /// The options of training, seed included.
    pub options: Options,
    /// The options of the training that comes before it, if it goes on from another one's model.
    pub after: Option<Options>,
    /// The key of the training that it has in common with other cells: that which comes before it, or its own, from whose model others
    /// go on.
    pub shared_training: Option<String>,
    /// The checksum of the features' text, if there is a `.feat` file among them; built-in sets are code.
    pub features_sha256: Option<String>,
    /// The treebank.
    pub data: Arc<Data>,
    /// Widths of the decoding beam.
    pub decode: Vec<usize>,
    /// Pruning beside the beam in decoding.
    pub margin: Margin,
    /// True if search errors are counted.
    pub diagnose: bool,
    /// Tags that are read.
    pub tags: Tags,
}

/// Identity of a training, save the code.
#[derive(Serialize)]
struct TrainingIdentity<'a> {
    training: &'a Options,
    /// Checksums of the files that the options name.
    files: Vec<String>,
    train: &'a str,
    dev: &'a str,
    #[serde(skip_serializing_if = "Tags::are_gold")]
    tags: Tags,
}

/// The key of a training, of whatever cell: a checksum of all that decides it save the code, in hexadecimal.
///
/// # Errors
/// If the options name a file that cannot be read.
pub(super) fn training_key(training: &Options, data: &Data, tags: Tags) -> Result<String> {
    let own_features = own_features_sha256(training)?;
    let files = own_features.into_iter().chain(sha256_of_files(training)?).collect();
    let identity = TrainingIdentity { training, files, train: &data.train.sha256, dev: &data.dev.sha256, tags };
    digest_of(&identity)
}

/// The checksum of the features' text, if there is a `.feat` file among them.
fn own_features_sha256(options: &Options) -> Result<Option<String>> {
    let own = options.features().filter(|name| name.contains(".feat"));
    own.map(|name| Ok(digest(FeatureSet::load(name)?.text.as_bytes()))).transpose()
}

/// The checksums of other files that the options name.
fn sha256_of_files(options: &Options) -> Result<Vec<String>> {
    options.files().into_iter().map(|path| Ok(digest(&std::fs::read(path).map_err(Error::io(path))?))).collect()
}

/// SHA-256 in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn digest_of(identity: &impl Serialize) -> Result<String> {
    serde_json::to_vec(identity).map(|text| digest(&text)).map_err(|error| Error::Usage(error.to_string()))
}

/// Identity that a key is made of. The names of rows and columns are left out, so that renaming them loses no record.
#[derive(Serialize)]
struct Identity<'a> {
    scheme: u32,
    options: &'a Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: &'a Option<Options>,
    features: &'a Option<String>,
    /// Checksums of other files that the options name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    train: &'a str,
    dev: &'a str,
    test: &'a str,
    decode: &'a [usize],
    #[serde(skip_serializing_if = "is_none")]
    margin: Margin,
    /// Left out if it is not asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diagnose: bool,
    #[serde(skip_serializing_if = "Tags::are_gold")]
    tags: Tags,
}

fn is_none(margin: &Margin) -> bool {
    *margin == Margin::None
}

impl Cell {
    /// Tags of the test data that is parsed: predicted ones where the parser tags, too.
    pub fn tags_parsed_with(&self) -> Tags {
        if is_joint(&self.options) { Tags::Jackknifed } else { self.tags }
    }

    /// The cell with what follows from its options, data and widths: its key, the behaviour that it depends on, the training that it
    /// begins with.
    ///
    /// # Errors
    /// If the options name a file that cannot be read.
    pub fn keyed(self) -> Result<Cell> {
        let Cell { options, after, data, decode, margin, diagnose, tags, .. } = &self;
        let features_sha256 = own_features_sha256(options)?;
        let shared_training = after.as_ref().map(|after| training_key(after, data, *tags)).transpose()?;
        let identity = Identity {
            scheme: 1,
            options,
            after,
            features: &features_sha256,
            files: sha256_of_files(options)?,
            train: &data.train.sha256,
            dev: &data.dev.sha256,
            test: &data.test.sha256,
            decode,
            margin: *margin,
            diagnose: *diagnose,
            tags: *tags,
        };
        let key = digest_of(&identity)?;
        let tagger = tags.tagger(options.columns().1)?.map(Options::Transitions);
        let trainings: Vec<&Options> = std::iter::once(options).chain(after).chain(&tagger).collect();
        let golden = Golden::concerning(&trainings);
        Ok(Cell { key, golden, shared_training, features_sha256, ..self })
    }

    /// True if `record`, one of this cell's, was made by a program that behaves as this one.
    pub fn is_current(&self, record: &Record) -> bool {
        record.provenance.golden.as_ref() == Some(&self.golden)
    }

    /// The treebank's name.
    pub fn treebank(&self) -> String {
        self.data.source.to_string()
    }

    /// Title that distinguishes this cell from the others of its plan.
    pub fn title(&self) -> String {
        format!("{}, {}, {}, seed {}", self.treebank(), self.column, self.row, self.options.seed())
    }
}
