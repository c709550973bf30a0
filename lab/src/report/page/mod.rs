//! All results as one page of HTML that needs nothing else: no network, no script or font from elsewhere.
//!
//! [`Report`] is what was read and checked, in its order; [`Report::page`] renders it. Tables and charts are drawn here, so
//! that the page can be read and printed without scripts; `page.js` adds what moves: sorting, tooltips, profiles, themes.
//!
//! | file | what it holds |
//! |---|---|
//! | `read` | folder of results to checked documents, in order |
//! | `answer`, `conclusions` | what the page opens with: greedy or global, in a picture and in sentences |
//! | `papers` | the papers' tables with their verdicts |
//! | `index` | the same results as a page of Markdown, to find one's way |
//! | `check` | what a document must hold so that it can be drawn |
//! | `link` | from the page to the files of results |
//! | `markdown` | texts to HTML, none of it raw |
//! | `forest` | gains on one axis: the picture of the answer, and of experiments that have no figure |
//! | `table`, `heat` | what the templates of the same names show; `chart.html` shows a chart of `plot` |

mod answer;
mod check;
mod conclusions;
mod forest;
mod heat;
mod index;
mod link;
pub(super) mod markdown;
mod papers;
mod read;
mod table;
#[cfg(test)]
mod tests;

use minijinja::Value;

use super::document::{Block, Content, Document};
use super::plot::ChartView;
use super::templates::{self, view};
use crate::style;
use treebeam::error::Result;

pub use index::{Extra, MARK};
pub use link::Base;
pub(super) use link::Folder;
pub(super) use papers::ABOUT as ABOUT_PAPERS;

/// Experiments with their results, checked and in the order of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    experiments: Vec<Experiment>,
}

/// The results of one experiment at its scales; there is at least one, and the first is what one sees first.
#[derive(Debug, Clone, PartialEq)]
struct Experiment {
    name: String,
    profiles: Vec<Document>,
}

impl Report {
    /// The page; `base` says where its links to files go.
    ///
    /// # Errors
    /// None that data could cause: documents were checked when the report was made. A template that does not fit the
    /// program is reported as a wrong use.
    pub fn page(&self, base: &Base) -> Result<String> {
        let experiment = |Experiment { name, profiles }: &Experiment| {
            let documents: Vec<Value> = profiles.iter().map(|document| document_view(document, base)).collect();
            view! { name, title => profiles[0].title, profiles => documents }
        };
        let view = view! {
            css => [style::BASE, include_str!("page.css")].concat(),
            js => include_str!("page.js"),
            answer => answer::view(&self.experiments, base),
            papers => papers::views(&self.experiments, base),
            experiments => self.experiments.iter().map(experiment).collect::<Vec<_>>(),
        };
        templates::render("page.html", view)
    }
}

/// A document as the template shows it. `figure` is seen without unfolding anything: the first picture, which then does not stand
/// among the blocks; without one there is a picture of gains. `details` are folded.
fn document_view(document: &Document, base: &Base) -> Value {
    let Document { name, profile, findings, comparisons, limits, about, analysis, provenance, files, .. } = document;
    let id = format!("{name}-{profile}");
    let blocks: Vec<(usize, &Block)> = (1..).zip(&document.blocks).collect();
    let is_picture = |(_, block): &&(usize, &Block)| !matches!(block.content, Content::Table(_));
    let figure = blocks.iter().find(is_picture).map(|(number, _)| *number);
    let those = |is_meant: &dyn Fn(usize) -> bool| {
        let meant = blocks.iter().filter(|(number, _)| is_meant(*number));
        meant.map(|(number, block)| block_view(block, &format!("{id}-{number}"))).collect::<Vec<_>>()
    };
    let n_findings = document.n_findings.unwrap_or(blocks.len());
    let forest = match (figure, &document.answer) {
        (Some(_), _) => None,
        (None, Some(answer)) => Some(forest::of_answer(answer)),
        (None, None) => forest::of_comparisons(&document.blocks),
    };
    // Documents of earlier versions have no findings; their first sentence is the next best.
    let first = document.blocks.iter().find_map(|block| block.reading.first()).filter(|_| findings.is_empty());
    view! {
        id, profile, forest, limits, about, analysis, provenance, files,
        folder => base.folder(name),
        findings => findings.iter().chain(comparisons).chain(first).collect::<Vec<_>>(),
        figure => those(&|number| Some(number) == figure).pop(),
        blocks => those(&|number| Some(number) != figure && number <= n_findings),
        details => those(&|number| Some(number) != figure && number > n_findings),
    }
}

/// A block as the template shows it; `kind` names the template of its content.
fn block_view(block: &Block, id: &str) -> Value {
    let Block { title, reading, note, content } = block;
    let (kind, content) = match content {
        Content::Table(table) => ("table", table::view(table)),
        Content::Figure(figure) => ("chart", view! { chart => ChartView::new(figure, title) }),
        Content::HeatMap(map) => ("heat", heat::view(map, title)),
    };
    view! { id, title, reading, note, kind, content }
}
