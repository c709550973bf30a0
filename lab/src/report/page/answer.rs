//! Opening of the page: greedy or global.

use serde::Serialize;

use super::conclusions::{Conclusion, conclusions};
use super::forest::ForestView;
use super::link::Base;
use super::{BlockView, Experiment, markdown};
use crate::report::answer::Answer;
use crate::report::document::Document;

/// The answer that the page opens with, and what other experiments say.
#[derive(Serialize)]
pub(super) struct AnswerView {
    /// The experiment that it is from.
    name: String,
    title: String,
    headline: String,
    /// The sentences after the headline.
    conclusions: Vec<ConclusionView>,
    reading: Vec<String>,
    limits: Vec<String>,
    forest: ForestView,
    block: BlockView,
    /// Answers of other experiments, if there are any.
    others: Option<ForestView>,
}

/// A sentence of the answer, with the names of the experiments that it is from.
#[derive(Serialize)]
struct ConclusionView {
    text: String,
    from: Vec<String>,
}

/// Of each experiment the document that answers the question, the whole before small versions; those with exploration come
/// first, then those with the most treebanks, then those with the most pairs of models.
pub(in crate::report) fn documents(experiments: &[Experiment]) -> Vec<(&Document, &Answer)> {
    let of = |e: &'_ Experiment| -> Option<usize> { e.profiles.iter().position(|d| d.answer.is_some()) };
    let found = experiments.iter().filter_map(|e| of(e).map(|i| &e.profiles[i]));
    let mut answered: Vec<_> = found.filter_map(|document| Some((document, document.answer.as_ref()?))).collect();
    answered.sort_by_key(|(_, answer)| std::cmp::Reverse((answer.explores, answer.weight())));
    answered
}

/// The document that answers the question for all: a whole experiment before a small one, one with exploration before one without,
/// then the one with the most treebanks, then the one with the most pairs of models.
pub(in crate::report) fn main_answer(experiments: &[Experiment]) -> Option<(&Document, &Answer)> {
    let key =
        |(document, answer): &(&Document, &Answer)| (document.profile == "full", answer.explores, answer.weight());
    // Of equals the first.
    documents(experiments).into_iter().reduce(|best, other| if key(&other) > key(&best) { other } else { best })
}

impl AnswerView {
    /// The view, if some experiment answers the question.
    pub(super) fn new(experiments: &[Experiment], base: &Base) -> Option<AnswerView> {
        let (document, answer) = main_answer(experiments)?;
        let folder = base.folder(&document.name);
        let html = |text: &String| markdown::html(text, &folder);
        let all = conclusions(experiments);
        let others: Vec<_> =
            documents(experiments).into_iter().filter(|(other, _)| other.name != document.name).collect();
        let view = |conclusion: &Conclusion| {
            let from = conclusion.from.iter().map(|document| document.name.clone()).collect();
            ConclusionView { text: html(&conclusion.text), from }
        };
        Some(AnswerView {
            name: document.name.clone(),
            title: document.title.clone(),
            headline: html(&answer.headline),
            conclusions: all.iter().skip(1).map(view).collect(),
            reading: answer.reading.iter().map(html).collect(),
            limits: document.limits.iter().map(html).collect(),
            forest: ForestView::of_answer(answer),
            block: BlockView::new(&answer.block(), "answer-models".to_owned(), &folder),
            others: ForestView::of_answers(&others),
        })
    }
}
