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

pub(super) use forest::of_answer as gains_of;
pub use index::{Extra, MARK};
pub use link::Base;
pub(super) use link::FolderLink;
pub(super) use papers::ABOUT as ABOUT_PAPERS;

/// The most blocks of a document that the page shows, and the most lines of a table; others are named.
const MOST_BLOCKS: usize = 8;
const MOST_LINES: usize = 100;

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

impl Experiment {
    /// The results on other data than those that one sees first, small versions left out.
    fn other_data(&self) -> impl Iterator<Item = &Document> {
        self.profiles[1..].iter().filter(|document| document.profile != "quick")
    }
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

/// A document as the template shows it. All but its first finding is folded. `figure` comes first there: the first picture, which then
/// does not stand among the blocks; without one there is a picture of gains. Of `details`, long tables and what is behind the first
/// blocks the titles are given: the page would be three times as large with them, and the document in Markdown has them.
fn document_view(document: &Document, base: &Base) -> Value {
    let Document { name, profile, findings, comparisons, limits, about, analysis, provenance, files, .. } = document;
    let id = format!("{name}-{profile}");
    let blocks: Vec<(usize, &Block)> = (1..).zip(&document.blocks).collect();
    let is_picture = |(_, block): &&(usize, &Block)| !matches!(block.content, Content::Table(_));
    let figure = blocks.iter().find(is_picture).map(|(number, _)| *number);
    let n_findings = document.n_findings.unwrap_or(blocks.len());
    let is_long = |block: &Block| matches!(&block.content, Content::Table(table) if table.lines.len() > MOST_LINES);
    let others = blocks.iter().filter(|(number, _)| Some(*number) != figure);
    let (mut shown, mut details): (Vec<_>, Vec<_>) =
        others.partition(|(number, block)| *number <= n_findings && !is_long(block));
    details.splice(0..0, shown.split_off(shown.len().min(MOST_BLOCKS)));
    details.sort_by_key(|(number, _)| *number);
    let block = |(number, block): &(usize, &Block)| block_view(block, &format!("{id}-{number}"));
    let forest = match (figure, &document.answer) {
        (Some(_), _) => None,
        (None, Some(answer)) => Some(forest::of_answer(answer)),
        (None, None) => forest::of_comparisons(&document.blocks),
    };
    // Menus of both kinds of training have no finding but the answer.
    let answer = document.answer.as_ref().map(|answer| &answer.headline);
    let reading = || document.blocks.iter().find_map(|block| block.reading.first());
    let first = findings.is_empty().then(|| answer.or_else(reading)).flatten();
    view! {
        id, profile, forest, limits, about, analysis, provenance, files,
        folder => base.folder(name),
        findings => first.into_iter().chain(findings).chain(comparisons).collect::<Vec<_>>(),
        figure => blocks.iter().find(|(number, _)| Some(*number) == figure).map(block),
        blocks => shown.iter().map(block).collect::<Vec<_>>(),
        details => details.iter().map(|(_, block)| &block.title).collect::<Vec<_>>(),
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
