//! Many sentences as one page of HTML to browse, which needs nothing else: no network, no script, picture or font from elsewhere.
//!
//! The page has the trees as data and draws them for the width of the screen, a few at a time; what is shown is its address.

use std::collections::HashMap;

use serde::Serialize;

use super::{column_texts, is_right_to_left, punctuation};
use crate::style::{self, Head, escaped_xml};
use treebeam::error::Result;
use treebeam::eval::Analysis;
use treebeam::tree::Node;
use treebeam::treebank::{Column, Format, Sentence};

/// The scripts of the page, in the order in which they stand in it.
const SCRIPTS: [&str; 5] = [
    style::SCRIPT,
    "const data = JSON.parse(byId(\"data\").textContent);\n",
    include_str!("page/layout.js"),
    include_str!("page/tree.js"),
    include_str!("page/main.js"),
];

/// Sentences with a tree from each of some files, the first of which counts as gold.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    names: Vec<String>,
    #[serde(skip)]
    columns: Vec<Column>,
    with_labels: bool,
    labels: Vec<String>,
    sentences: Vec<Item>,
    #[serde(skip)]
    known: HashMap<String, usize>,
}

#[derive(Debug, Clone, Serialize)]
struct Item {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    right_to_left: bool,
    columns: Vec<Vec<String>>,
    trees: Vec<Tree>,
    /// The words that are punctuation, from 0.
    punctuation: Vec<usize>,
}

#[derive(Debug, Clone, Serialize)]
struct Tree {
    heads: Vec<Node>,
    /// The labels, by their number in the page's list.
    labels: Vec<usize>,
}

impl Page {
    /// A page without sentences, on trees from files of these names. Columns are written beneath each other, the first in large
    /// letters.
    pub fn new(names: Vec<String>, columns: Vec<Column>, with_labels: bool) -> Page {
        let (labels, sentences, known) = Default::default();
        Page { names, columns, with_labels, labels, sentences, known }
    }

    /// True if there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Adds a sentence, its number in its file, and its tree from each file.
    pub fn add<'a>(&mut self, number: usize, sentence: &Sentence, trees: impl Iterator<Item = Analysis<'a>>) {
        let trees = trees.map(|Analysis { heads, labels }| Tree {
            heads,
            labels: labels.into_iter().map(|label| self.label(label)).collect(),
        });
        let trees = trees.collect();
        let texts = |&column: &Column| column_texts(sentence, column).map(str::to_owned).collect();
        self.sentences.push(Item {
            number,
            id: sentence.id().map(str::to_owned),
            right_to_left: is_right_to_left(sentence.words().map(|word| sentence.form(word))),
            columns: self.columns.iter().map(texts).collect(),
            trees,
            punctuation: (0..).zip(punctuation(sentence)).filter(|&(_, is)| is).map(|(word, _)| word).collect(),
        });
    }

    /// The number of a label.
    fn label(&mut self, label: &str) -> usize {
        if let Some(&number) = self.known.get(label) {
            return number;
        }
        self.known.insert(label.to_owned(), self.labels.len());
        self.labels.push(label.to_owned());
        self.labels.len() - 1
    }

    /// The page.
    ///
    /// # Errors
    /// None that data could cause.
    pub fn html(&self) -> Result<String> {
        let title = match &*self.names {
            [] => String::new(),
            [one] => format!("Trees of {one}"),
            [gold, systems @ ..] => format!("{} against {gold}", systems.join(" and ")),
        };
        let columns: Vec<&str> = self.columns.iter().map(|column| column.name(Format::Conllu)).collect();
        let footer = format!(
            "treebeam {}. Beneath the words: {}. With two trees the first stands above the words, the second beneath them.",
            env!("CARGO_PKG_VERSION"),
            columns.join(", ")
        );
        let parts = [
            ("{{heading}}", escaped_xml(&title)),
            ("{{footer}}", escaped_xml(&footer)),
            ("{{data}}", style::embedded(self)?),
            ("{{js}}", SCRIPTS.concat()),
        ];
        let head = Head {
            title: &title,
            css: include_str!("page/page.css"),
            pictures: include_str!("page/pictures.css"),
            skip: ("#list", "Skip to the trees"),
        };
        Ok(head.page(include_str!("page/page.html"), parts))
    }
}
