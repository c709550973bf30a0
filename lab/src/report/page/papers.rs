//! The papers' tables: which of them are reproduced, how much of each, what is not, and in what data and settings differ.

use minijinja::Value;

use super::Experiment;
use super::link::Base;
use crate::report::document::{Document, Reproduction};
use crate::report::templates::view;

/// Explanation of the table, above it.
pub(in crate::report) const ABOUT: &str = "Of each table the differences between rows that the paper reports: how many point the same way here in the mean over \
                    treebanks, and how many of these are significant over treebanks (sign test, p < .05); of the others those that are \
                    furthest from the paper.";

/// The first document of each experiment that has figures of a paper beside ours.
pub(super) fn papers(experiments: &[Experiment]) -> Vec<(&Document, &Reproduction)> {
    let firsts = experiments.iter().map(|experiment| &experiment.profiles[0]);
    firsts.filter_map(|document| Some((document, document.reproduction.as_ref()?))).collect()
}

/// The papers' tables as the templates show them, in the order of the page.
pub(super) fn views(experiments: &[Experiment], base: &Base) -> Vec<Value> {
    let view = |(document, paper): (&Document, &Reproduction)| {
        let Document { name, profile, title, .. } = document;
        let Reproduction { verdict, found, otherwise, differs } = paper;
        view! {
            name, profile, title, found, otherwise, differs,
            folder => base.folder(name),
            verdict => verdict.name(),
            verdict_class => verdict,
        }
    };
    papers(experiments).into_iter().map(view).collect()
}
