//! Opening of the page: greedy or global.

use minijinja::Value;

use super::conclusions::conclusions;
use super::link::Base;
use super::{Experiment, block_view, forest};
use crate::report::answer::Answer;
use crate::report::document::Document;
use crate::report::templates::view;

/// The document of each experiment that answers the question, the whole before small versions; those with exploration come
/// first, then those with the most treebanks, then those with the most pairs of models.
pub(in crate::report) fn documents(experiments: &[Experiment]) -> Vec<(&Document, &Answer)> {
    let of = |e: &'_ Experiment| -> Option<usize> { e.profiles.iter().position(|d| d.answer.is_some()) };
    let found = experiments.iter().filter_map(|e| of(e).map(|i| &e.profiles[i]));
    let mut answered: Vec<_> = found.filter_map(|document| Some((document, document.answer.as_ref()?))).collect();
    answered.sort_by_key(|(_, answer)| std::cmp::Reverse((answer.explores, answer.weight())));
    answered
}

/// The document that answers the question for all: one with a protocol before others, a whole experiment before a small one, one
/// with exploration before one without, then the one with the most treebanks, then the one with the most pairs of models.
pub(in crate::report) fn main_answer(experiments: &[Experiment]) -> Option<(&Document, &Answer)> {
    let key = |(document, answer): &(&Document, &Answer)| {
        (document.has_protocol, document.profile == "full", answer.explores, answer.weight())
    };
    // The first of equals.
    documents(experiments).into_iter().reduce(|best, other| if key(&other) > key(&best) { other } else { best })
}

/// The answer that the page opens with, and what other experiments say; none unless some experiment answers the question.
pub(super) fn view(experiments: &[Experiment], base: &Base) -> Option<Value> {
    let (document, answer) = main_answer(experiments)?;
    let mut others = documents(experiments);
    others.retain(|(other, _)| other.name != document.name);
    let Document { name, title, limits, .. } = document;
    Some(view! {
        name, title, limits,
        folder => base.folder(name),
        headline => answer.headline,
        reading => answer.reading,
        conclusions => conclusions(experiments),
        forest => forest::of_answer(answer),
        block => block_view(&answer.block(), "answer-models"),
        others => forest::of_answers(&others),
    })
}
