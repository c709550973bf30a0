//! What an experiment's results say, before it is rendered as Markdown or as a page.

use serde::{Deserialize, Serialize};

use super::figure::{Figure, HeatMap};

/// The results of one experiment at one scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// The scale: the profile's name, which is also how its files' names begin.
    pub profile: String,
    /// One line.
    pub title: String,
    /// What holds for all tables, a paragraph each, in Markdown: data, punctuation, signs.
    pub about: Vec<String>,
    /// Tables and figures in their order.
    pub blocks: Vec<Block>,
    /// How to read it and in what it differs from the papers, in Markdown.
    pub analysis: String,
    /// Where it comes from, a fact each: command, revision, seeds, machine, checksums.
    pub provenance: Vec<String>,
    /// The names of the files beside it that hold every figure and every record.
    pub files: Vec<String>,
}

/// A table or a figure with its title and what is to be seen in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The title.
    pub title: String,
    /// What is to be seen in it: sentences made of its figures, in Markdown.
    pub reading: Vec<String>,
    /// What its figures are, in Markdown; may be empty.
    pub note: String,
    /// The table or the figure.
    pub content: Content,
}

/// What a block shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A table.
    Table(Table),
    /// A chart.
    Figure(Figure),
    /// A heat map.
    HeatMap(HeatMap),
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// How many columns, from the left, are text; the others are figures.
    pub n_texts: usize,
    /// The lines; as many cells each as there are heads.
    pub lines: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What stands in it: plain text, no Markdown.
    pub text: String,
    /// What it is sorted by, if that is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Whether it is the best of its line or group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
}

/// What stands for a figure that is not there.
pub const NOTHING: &str = "–";

impl Cell {
    /// A cell of text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A number with so many digits after the point; [`NOTHING`] if there is none or it is not finite.
    pub fn number(value: Option<f64>, digits: usize) -> Cell {
        Cell::shown(value, |value| format!("{value:.digits$}"))
    }

    /// A number with its sign and two digits after the point.
    pub fn signed(value: Option<f64>) -> Cell {
        Cell::shown(value, |value| format!("{value:+.2}"))
    }

    /// A whole number.
    pub fn count(count: usize) -> Cell {
        Cell { text: count.to_string(), value: Some(count as f64), best: false }
    }

    /// A number shown in a way of the caller's; [`NOTHING`] if there is none or it is not finite.
    pub fn shown(value: Option<f64>, show: impl FnOnce(f64) -> String) -> Cell {
        match value.filter(|value| value.is_finite()) {
            Some(value) => Cell { text: show(value), value: Some(value), best: false },
            None => Cell::text(NOTHING),
        }
    }
}

impl Table {
    /// A table without lines.
    pub fn new(n_texts: usize, heads: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table { heads: heads.into_iter().map(Into::into).collect(), n_texts, lines: Vec::new() }
    }
}
