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
mod markdown;
mod papers;
mod read;
mod table;
#[cfg(test)]
mod tests;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::document::{Block, Content, Document};
use super::plot::ChartView;
use super::templates;
use crate::style;
use forest::ForestView;
use treebeam::error::Result;

pub use index::{Extra, MARK};
pub use link::Base;

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
        let view = PageView {
            css: [style::BASE, include_str!("page.css")].concat(),
            js: include_str!("page.js"),
            answer: answer::AnswerView::new(&self.experiments, base),
            papers: papers::PaperView::all(&self.experiments, base),
            papers_told: papers::WHAT,
            experiments: self.experiments.iter().map(|e| ExperimentView::new(e, base)).collect(),
        };
        templates::render("page.html", Value::from(Serde(view)))
    }
}

/// The templates of the page, by name.
pub(super) const TEMPLATES: [(&str, &str); 9] = [
    ("answer.html", include_str!("answer.html")),
    ("papers.html", include_str!("papers.html")),
    ("page.html", include_str!("page.html")),
    ("document.html", include_str!("document.html")),
    ("block.html", include_str!("block.html")),
    ("forest.html", include_str!("forest.html")),
    ("table.html", include_str!("table.html")),
    ("chart.html", include_str!("chart.html")),
    ("heat.html", include_str!("heat.html")),
];

#[derive(Serialize)]
struct PageView {
    css: String,
    js: &'static str,
    answer: Option<answer::AnswerView>,
    papers: Vec<papers::PaperView>,
    papers_told: &'static str,
    experiments: Vec<ExperimentView>,
}

#[derive(Serialize)]
struct ExperimentView {
    name: String,
    title: String,
    profiles: Vec<DocumentView>,
}

impl ExperimentView {
    fn new(experiment: &Experiment, base: &Base) -> ExperimentView {
        let first = &experiment.profiles[0];
        ExperimentView {
            name: experiment.name.clone(),
            title: first.title.clone(),
            profiles: experiment.profiles.iter().map(|document| DocumentView::new(document, base)).collect(),
        }
    }
}

#[derive(Serialize)]
struct DocumentView {
    id: String,
    profile: String,
    gist: Vec<String>,
    limits: Vec<String>,
    /// Block that is seen without unfolding anything: the first figure, which then does not stand among the blocks.
    figure: Option<BlockView>,
    /// Gains, where there is no figure.
    forest: Option<ForestView>,
    about: Vec<String>,
    blocks: Vec<BlockView>,
    /// Those that are folded.
    details: Vec<BlockView>,
    analysis: String,
    provenance: Vec<String>,
    files: Vec<link::FileView>,
}

impl DocumentView {
    fn new(document: &Document, base: &Base) -> DocumentView {
        let id = format!("{}-{}", document.name, document.profile);
        let folder = base.folder(&document.name);
        let mut blocks: Vec<BlockView> = document
            .blocks
            .iter()
            .zip(1..)
            .map(|(block, n)| BlockView::new(block, format!("{id}-{n}"), &folder))
            .collect();
        let mut details = blocks.split_off(document.n_findings.map_or(blocks.len(), |n| n.min(blocks.len())));
        let is_figure = |block: &BlockView| !matches!(block.content, ContentView::Table(_));
        let figure = [&mut blocks, &mut details].into_iter().find_map(|blocks| {
            let place = blocks.iter().position(is_figure)?;
            Some(blocks.remove(place))
        });
        let forest = match (&figure, &document.answer) {
            (Some(_), _) => None,
            (None, Some(answer)) => Some(ForestView::of_answer(answer)),
            (None, None) => ForestView::of_comparisons(&document.blocks),
        };
        // Documents of earlier versions have no gist; their first sentence is the next best.
        let first = document.blocks.iter().find_map(|block| block.reading.first()).filter(|_| document.gist.is_empty());
        DocumentView {
            profile: document.profile.clone(),
            gist: document
                .gist
                .iter()
                .chain(&document.comparisons)
                .chain(first)
                .map(|text| markdown::html(text, &folder))
                .collect(),
            limits: document.limits.iter().map(|text| markdown::html(text, &folder)).collect(),
            about: document.about.iter().map(|text| markdown::html(text, &folder)).collect(),
            figure,
            forest,
            blocks,
            details,
            analysis: markdown::html(&document.analysis, &folder),
            provenance: document.provenance.clone(),
            files: link::files(&folder, &document.files),
            id,
        }
    }
}

#[derive(Serialize)]
struct BlockView {
    id: String,
    title: String,
    reading: Vec<String>,
    note: String,
    content: ContentView,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ContentView {
    Table(table::TableView),
    Chart(ChartView),
    Heat(heat::HeatView),
}

impl BlockView {
    fn new(block: &Block, id: String, folder: &link::Folder) -> BlockView {
        BlockView {
            id,
            title: block.title.clone(),
            reading: block.reading.iter().map(|text| markdown::html(text, folder)).collect(),
            note: markdown::html(&block.note, folder),
            content: match &block.content {
                Content::Table(table) => ContentView::Table(table::TableView::new(table)),
                Content::Figure(figure) => ContentView::Chart(ChartView::new(figure, &block.title)),
                Content::HeatMap(map) => ContentView::Heat(heat::HeatView::new(map, &block.title)),
            },
        }
    }
}
