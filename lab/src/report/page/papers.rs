//! The papers' tables: which of them are reproduced, how much of each, what is not, and in what data and settings differ.

use serde::Serialize;

use super::index::{escaped, in_cell, path_of};
use super::link::Base;
use super::{Experiment, markdown};
use crate::report::document::{Document, Reproduction, Verdict};
use crate::report::markdown::markdown_table;

/// Heads of the columns of the table.
const HEADS: [&str; 5] = ["table", "verdict", "differences the paper's way", "not as in the paper", "what differs"];

/// A paper's table, in HTML.
#[derive(Serialize)]
pub(super) struct PaperView {
    name: String,
    title: String,
    verdict: &'static str,
    verdict_class: &'static str,
    held: String,
    otherwise: Vec<String>,
    differs: String,
}

/// Of each experiment that has figures of a paper beside ours what one sees first.
pub(super) fn papers(experiments: &[Experiment]) -> Vec<(&Document, &Reproduction)> {
    let firsts = experiments.iter().map(|experiment| &experiment.profiles[0]);
    firsts.filter_map(|document| Some((document, document.reproduction.as_ref()?))).collect()
}

/// The table as a section of Markdown; nothing without figures of a paper.
pub(super) fn section(experiments: &[Experiment]) -> String {
    let papers = papers(experiments);
    if papers.is_empty() {
        return String::new();
    }
    let mut lines = vec![HEADS.map(str::to_owned).to_vec()];
    lines.extend(papers.iter().map(|(document, Reproduction { verdict, held, otherwise, differs })| {
        let title = format!("[{}]({})", escaped(&document.title), path_of(document));
        vec![title, verdict.name().to_owned(), in_cell(held), in_cell(&otherwise.join(". ")), in_cell(differs)]
    }));
    let mut out = "## The papers' tables\n\n".to_owned();
    out += &format!("{WHAT}\n\n");
    markdown_table(&mut out, HEADS.len(), &lines);
    out
}

/// Explanation of the table, above it.
pub(super) const WHAT: &str = "Of each table the differences between rows that the paper reports: how many point the same way here in the mean over \
                    treebanks, and how many of these are significant over treebanks (sign test, p < .05); of the others those that are \
                    furthest from the paper.";

impl PaperView {
    /// All of them, in the order of the page.
    pub(super) fn all(experiments: &[Experiment], base: &Base) -> Vec<PaperView> {
        let view = |(document, paper): (&Document, &Reproduction)| {
            let folder = base.folder(&document.name);
            let html = |text: &String| markdown::html(text, &folder);
            PaperView {
                name: document.name.clone(),
                title: document.title.clone(),
                verdict: paper.verdict.name(),
                verdict_class: match paper.verdict {
                    Verdict::Reproduced => "reproduced",
                    Verdict::InPart => "in-part",
                    Verdict::Not => "not",
                },
                held: html(&paper.held),
                otherwise: paper.otherwise.iter().map(html).collect(),
                differs: html(&paper.differs),
            }
        };
        papers(experiments).into_iter().map(view).collect()
    }
}
