//! Imports of most programs that train, parse or evaluate: `use treebeam::prelude::*`.
//!
//! ```
//! use treebeam::prelude::*;
//! treebeam_systems::register();
//!
//! let train = generate::treebank(generate::Options { seed: 1, n_sentences: 100, non_projective: false });
//! let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
//! let model = train_model(&options, &TrainingData::new(&options, &train, None)?, 1)?;
//!
//! let words = [("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")];
//! let words = words.map(|(form, tag)| [(Column::Form, form), (Column::Upos, tag)]);
//! let sentence = Sentence::from_columns("example", Format::Conllu, words)?;
//! let width = 8;
//! let parsed = Parser::new(&model, width, 1)?.parse(&[sentence], 1);
//! assert_eq!(parsed[0][0].tree.n_words(), 3);
//! # Ok::<(), treebeam::error::Error>(())
//! ```

pub use crate::decode::{Parsed, Parser};
pub use crate::error::{Error, Problem};
pub use crate::eval::{Analysis, Counts, Granularity, Metric, PunctuationRule, count};
pub use crate::features::FeatureSet;
pub use crate::learn::{
    Keep, Learner, Nonprojective, TrainOptions, Training, TrainingData, Update, train as train_model,
};
pub use crate::linear::LinearModel;
pub use crate::model::{Header, Model};
pub use crate::options::{GivenOptions, Options, ParserKind};
pub use crate::scorers::AnyModel;
pub use crate::system::{Actions, Move, OracleKind, SystemKind};
pub use crate::tree::{Labels, Node, ROOT, Roots, Tree};
pub use crate::treebank::{Column, Format, Reader, Sentence, Treebank, generate};
