//! Imports of most programs that train, parse or evaluate: `use treebeam::prelude::*`.
//!
//! [The crate](crate#using-the-library) begins with an example.

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
