//! Jackknifing: annotation of training data by models that were trained on other sentences of it.

use rayon::prelude::*;
use std::sync::Arc;

use crate::error::{Error, Result, counted};
use crate::learn::{TrainOptions, TrainingData, train as train_model};
use crate::parser::{AnyParser, Loaded, ParseOptions};
use crate::process;
use crate::treebank::{Sentence, Treebank};

/// The treebank as models of these options annotate it: it is divided into `n_folds` parts of consecutive sentences, and each is
/// annotated by a model that is trained on all the others (Collins & Koo 2005, section 5.1, for tags). Folds are annotated on
/// `threads` threads, with so many `alternatives` of taggers; `done` is called after each. The sentences are the same on any number of threads.
///
/// # Errors
/// If there are fewer than two folds or fewer sentences than folds, or a model cannot be trained.
pub fn jackknife(
    options: &TrainOptions,
    treebank: &Treebank,
    n_folds: usize,
    alternatives: Option<usize>,
    threads: usize,
    done: &(dyn Fn() + Sync),
) -> Result<Treebank> {
    let n = treebank.sentences.len();
    if n_folds < 2 || n_folds > n {
        let expected = match n {
            0 | 1 => "two sentences or more".to_owned(),
            _ => format!("from 2 to {n} folds"),
        };
        let (path, folds, sentences) = (treebank.path.display(), counted(n_folds, "fold"), counted(n, "sentence"));
        return Err(Error::Usage(format!("{path}: {folds} of {sentences}; expected {expected}")));
    }
    let annotated_fold = |fold: usize| {
        let bounds = [fold, fold + 1].map(|fold| fold * n / n_folds);
        let (before, behind) = (&treebank.sentences[..bounds[0]], &treebank.sentences[bounds[1]..]);
        let train = Treebank::of_sentences(&treebank.path, treebank.format, [before, behind].concat());
        let data = TrainingData::new(options, &train, None)?;
        let model = Loaded::Transitions(Arc::new(train_model(options, &data, 1)?.into()));
        let annotated = annotated(&model, treebank.sentences[bounds[0]..bounds[1]].to_vec(), alternatives)?;
        done();
        Ok(annotated)
    };
    let pool = process::thread_pool(threads)?;
    let folds = pool.install(|| (0..n_folds).into_par_iter().map(annotated_fold).collect::<Result<Vec<_>>>())?;
    Ok(Treebank::of_sentences(&treebank.path, treebank.format, folds.concat()))
}

/// The sentences with the tags, or the trees, that the model gives them, and so many alternatives of a tagger.
///
/// # Errors
/// If a sentence cannot be parsed.
pub fn annotated(model: &Loaded, sentences: Vec<Sentence>, alternatives: Option<usize>) -> Result<Vec<Sentence>> {
    let options = ParseOptions { alternatives, ..ParseOptions::default() };
    let parsed = AnyParser::new(model, &options)?.parse(&sentences)?;
    sentences.iter().zip(&parsed).map(|(sentence, parsed)| Ok(model.annotated(sentence, &parsed[0])?)).collect()
}
