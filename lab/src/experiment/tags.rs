//! Tags of an experiment's sentences: the treebank's own, those of a tagger, or none.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

use super::data::{Data, hex};
use sha2::{Digest, Sha256};
use treebeam::error::{Error, Result};
use treebeam::features::ColumnName;
use treebeam::job::{annotated, jackknife};
use treebeam::learn::{Learner, TrainOptions, Training, TrainingData, train};
use treebeam::options::{GivenOptions, Options, ParserKind};
use treebeam::parser::Loaded;
use treebeam::system::SystemKind;
use treebeam::treebank::{Column, Sentence, Treebank};

/// Tags that are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// Those of the treebank.
    #[default]
    Gold,
    /// Those of a tagger that has not seen them: of the training data by folds, of the others by one that is trained on all of it.
    Jackknifed,
    /// None: the column is empty.
    None,
}

impl Tags {
    /// True if they are the treebank's.
    pub fn are_gold(&self) -> bool {
        *self == Tags::Gold
    }

    /// The word for them before "tags".
    pub fn word(self) -> &'static str {
        match self {
            Tags::Gold => "gold",
            Tags::Jackknifed => "predicted",
            Tags::None => "no",
        }
    }

    /// The tags of this name, as specifications spell it.
    ///
    /// # Errors
    /// If there are none, with those that there are.
    pub fn named(name: &str) -> Result<Tags> {
        let read: std::result::Result<Tags, serde::de::value::Error> = Tags::deserialize(name.into_deserializer());
        read.map_err(|error| Error::Usage(error.to_string()))
    }

    /// The options of the tagger of `column`, if there is one.
    ///
    /// # Errors
    /// If it cannot be tagged.
    pub(super) fn tagger(self, column: ColumnName) -> Result<Option<TrainOptions>> {
        if self != Tags::Jackknifed {
            return Ok(None);
        }
        let given = GivenOptions {
            system: SystemKind::named("tagger").map(ParserKind::Transitions),
            tag_column: Some(column),
            training: Some(Training::Greedy),
            learner: Some(Learner::Svm),
            iterations: Some(ITERATIONS.into()),
            ..GivenOptions::default()
        };
        match given.resolve()? {
            Options::Transitions(options) => Ok(Some(options)),
            Options::Graph(_) => Err(Error::Usage("a tagger is a transition system".to_owned())),
        }
    }
}

/// True if these are options of a parser that tags, too.
pub(super) fn is_joint(options: &Options) -> bool {
    options.transitions().is_some_and(|options| options.system.info().is_joint())
}

/// Folds of the training data.
const FOLDS: usize = 10;

/// Iterations of taggers. A support vector machine learns more of few sentences than beams of perceptrons: test accuracy on Hungarian-Szeged
/// 93.94 against 93.54, on Turkish-IMST 92.63 against 92.15, on English-EWT 95.42 against 95.52.
const ITERATIONS: u32 = 8;

/// Tagging of a treebank, for records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tagging {
    /// The options of the taggers.
    pub options: Options,
    /// Folds of the training data.
    pub folds: usize,
    /// SHA-256 of the model file of the tagger that was trained on all training data.
    pub model_sha256: String,
    /// Words of the training, development and test data.
    pub words: [u64; 3],
    /// Those with the treebank's tag.
    pub right: [u64; 3],
}

impl Tagging {
    /// Accuracy on the test data, in percent.
    pub fn accuracy(&self) -> f64 {
        100.0 * self.right[2] as f64 / self.words[2] as f64
    }
}

/// Training, development and test data with the tags that are read, and how they were tagged.
pub(super) type Tagged = ([Treebank; 3], Option<Tagging>);

/// Tagged treebanks by what decides them. Few are kept: cells are planned treebank by treebank.
type Memo = HashMap<String, Arc<Mutex<Option<Arc<Tagged>>>>>;
static TAGGED: LazyLock<Mutex<Memo>> = LazyLock::new(Mutex::default);
const MOST: usize = 4;

/// The data as joint parsers read them: the treebank's tags in the column, and those of a tagger in MISC, as `tag --alternatives 1` writes
/// them.
///
/// # Errors
/// As [`tagged`].
pub(super) fn tagged_beside(data: &Data, column: ColumnName) -> Result<Tagged> {
    let (tagged, gold) = (tagged(data, Tags::Jackknifed, column)?, tagged(data, Tags::Gold, column)?);
    let beside = |portion: usize| {
        let (gold, tagged) = (&gold.0[portion], &tagged.0[portion]);
        let sentence = |(gold, tagged): (&Sentence, &Sentence)| {
            let tags: Vec<_> = tagged.words().map(|word| vec![tagged.column(word, column.into())]).collect();
            gold.with_ranked_tags(&tags)
        };
        let sentences = gold.sentences.iter().zip(&tagged.sentences).map(sentence).collect();
        Treebank::of_sentences(&gold.path, gold.format, sentences)
    };
    Ok(([0, 1, 2].map(beside), tagged.1.clone()))
}

/// The data with these tags in the column. A treebank is tagged once by each process, on one thread.
///
/// # Errors
/// If the data cannot be read, or not tagged.
pub(super) fn tagged(data: &Data, tags: Tags, column: ColumnName) -> Result<Arc<Tagged>> {
    let read = || Ok::<_, Error>([data.read(&data.train)?, data.read(&data.dev)?, data.read(&data.test)?]);
    let Some(options) = tags.tagger(column)? else {
        let data = read()?;
        let data = if tags == Tags::None { data.map(|treebank| untagged(&treebank, column.into())) } else { data };
        return Ok(Arc::new((data, None)));
    };
    let key = format!("{column:?} {} {} {}", data.train.sha256, data.dev.sha256, data.test.sha256);
    let place = {
        let mut memo = TAGGED.lock().unwrap_or_else(PoisonError::into_inner);
        if memo.len() >= MOST && !memo.contains_key(&key) {
            memo.clear();
        }
        Arc::clone(memo.entry(key).or_default())
    };
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tagged) = &*place {
        return Ok(Arc::clone(tagged));
    }
    let tagged = Arc::new(by_tagger(&options, read()?)?);
    *place = Some(Arc::clone(&tagged));
    Ok(tagged)
}

fn by_tagger(options: &TrainOptions, gold: [Treebank; 3]) -> Result<Tagged> {
    let folds = FOLDS.min(gold[0].sentences.len());
    let jackknifed = jackknife(options, &gold[0], folds, None, 1, &|| ())?;
    let pool = treebeam::process::thread_pool(1)?;
    let model = pool.install(|| train(options, &TrainingData::new(options, &gold[0], None)?, 1))?;
    let model_sha256 = hex(&Sha256::digest(model.to_bytes()));
    let model = Loaded::Transitions(Arc::new(model.into()));
    let by_all = |treebank: &Treebank| {
        let sentences = annotated(&model, treebank.sentences.clone(), None)?;
        Ok::<_, Error>(Treebank::of_sentences(&treebank.path, treebank.format, sentences))
    };
    let tagged = [jackknifed, by_all(&gold[1])?, by_all(&gold[2])?];
    let column = options.tag_column.into();
    let right = [0, 1, 2].map(|portion: usize| gold[portion].n_equal(&tagged[portion], column) as u64);
    let words = [0, 1, 2].map(|portion: usize| gold[portion].n_words() as u64);
    let tagging = Tagging { options: Options::Transitions(options.clone()), folds, model_sha256, words, right };
    Ok((tagged, Some(tagging)))
}

/// The treebank without values in the column.
fn untagged(treebank: &Treebank, column: Column) -> Treebank {
    let sentences = treebank.sentences.iter().map(|s| s.with_column(column, &vec!["_"; s.n_words()])).collect();
    Treebank::of_sentences(&treebank.path, treebank.format, sentences)
}
