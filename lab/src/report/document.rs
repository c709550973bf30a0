//! Contents of an experiment's results, before it is rendered as Markdown or as a page.

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::figure::{Figure, HeatMap};

/// The results of one experiment at one scale.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The experiment's name, which is also that of its folder of results.
    pub name: String,
    /// The scale: the profile's name, which is also how its files' names begin.
    pub profile: String,
    /// One line.
    pub title: String,
    /// Findings, a sentence each, in Markdown: of all columns, with what is significant.
    #[serde(default, skip_serializing_if = "Vec::is_empty", alias = "gist")]
    pub findings: Vec<String>,
    /// Two rows beside each other, a sentence each, in Markdown: what its specification has under `[[comparison]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<String>,
    /// Verdict on a paper's table, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Reproduction>,
    /// Limits, a sentence each, in Markdown: data, iterations, seeds, what is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// True if hypotheses, menus and tests were fixed in a protocol before it was run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_protocol: bool,
    /// Greedy or global, if it has rows of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Share of it that has been run; nothing in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Remarks on all tables, a paragraph each, in Markdown: data, punctuation, signs.
    pub about: Vec<String>,
    /// Tables and figures in their order.
    pub blocks: Vec<Block>,
    /// Number of leading blocks that are findings; the page folds the rest. All, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_findings: Option<usize>,
    /// Explanation of the tables and in what it differs from the papers, in Markdown.
    pub analysis: String,
    /// Provenance, a fact each: command, revision, seeds, machine, checksums.
    pub provenance: Vec<String>,
    /// The names of the files beside it that hold every figure and every record.
    pub files: Vec<String>,
}

/// The names of the file that holds the document of a profile: packed, and plain. The packed one counts if both are there.
pub fn json_names(profile: &str) -> [String; 2] {
    [format!("{profile}.json.zst"), format!("{profile}.json")]
}

/// Verdict on a paper's table. Treebanks are not the paper's, so what is judged is which of two
/// methods is ahead, in the mean over treebanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReproductionVerdict {
    /// All differences point the paper's way, each of them significantly over treebanks.
    Reproduced,
    /// Some do.
    InPart,
    /// None does.
    Not,
}

impl ReproductionVerdict {
    /// The verdict in words, as they begin a sentence.
    pub fn name(self) -> &'static str {
        match self {
            ReproductionVerdict::Reproduced => "Reproduced",
            ReproductionVerdict::InPart => "Reproduced in part",
            ReproductionVerdict::Not => "Not reproduced",
        }
    }
}

/// A paper's table beside what came out here: whether it is the same, and why not. Texts are Markdown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// Verdict.
    pub verdict: ReproductionVerdict,
    /// Share of the differences that are found here.
    #[serde(alias = "held")]
    pub found: String,
    /// Differences that are not, a clause each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<String>,
    /// In what data and settings differ, as the specification says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub differs: String,
}

/// Share of an experiment that has been run, and by what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Cells with a record.
    pub done: usize,
    /// Cells of the plan.
    pub cells: usize,
    /// The revisions of the program that made the records.
    pub revisions: Vec<String>,
    /// The number of treebanks with a record; 0 in documents of earlier versions.
    #[serde(default)]
    pub treebanks: usize,
    /// The number of seeds; 0 in documents of earlier versions, and where one walk is no training.
    #[serde(default)]
    pub seeds: usize,
    /// The fewest and the most training sentences of a treebank; empty in documents of earlier versions, and where nothing is trained.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sentences: String,
}

/// A table or a figure with its title and what is to be seen in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The title.
    pub title: String,
    /// Findings: sentences made of its figures, in Markdown.
    pub reading: Vec<String>,
    /// Explanation of its figures, in Markdown; may be empty.
    pub note: String,
    /// The table or the figure.
    pub content: Content,
}

/// Content of a block.
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
    /// Number of columns, from the left, that are text; the others are figures.
    pub n_texts: usize,
    /// The lines; as many cells each as there are heads.
    pub lines: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// Text: plain text, no Markdown.
    pub text: String,
    /// Key of sorting, if that is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// True if it is the best of its line or group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub best: bool,
}

/// End of the names of rows that are left open: they are shown though nothing stands in them.
pub const OPEN: &str = " (open)";

/// Sign for a figure that is not there.
pub const NOTHING: &str = "–";

impl TableCell {
    /// A cell of text.
    pub fn text(text: impl Into<String>) -> TableCell {
        TableCell { text: text.into(), ..TableCell::default() }
    }

    /// A number with so many digits after the point; [`NOTHING`] if there is none or it is not finite.
    pub fn number(value: Option<f64>, digits: usize) -> TableCell {
        TableCell::shown(value, |value| format!("{value:.digits$}"))
    }

    /// A number with its sign and two digits after the point.
    pub fn signed(value: Option<f64>) -> TableCell {
        TableCell::shown(value, |value| format!("{value:+.2}"))
    }

    /// A whole number.
    pub fn count(count: usize) -> TableCell {
        TableCell::valued(count.to_string(), count as f64)
    }

    /// A text with a key of sorting.
    pub fn valued(text: impl Into<String>, value: f64) -> TableCell {
        TableCell { text: text.into(), value: Some(value), best: false }
    }

    /// A number shown in a way of the caller's; [`NOTHING`] if there is none or it is not finite.
    pub fn shown(value: Option<f64>, show: impl FnOnce(f64) -> String) -> TableCell {
        match value.filter(|value| value.is_finite()) {
            Some(value) => TableCell::valued(show(value), value),
            None => TableCell::text(NOTHING),
        }
    }
}

impl Table {
    /// The table without columns in which nothing stands, such as those of treebanks that nothing was run on, and without
    /// lines that have no figure though the table has figures.
    pub fn trimmed(mut self) -> Table {
        let is_empty = |cell: &TableCell| cell.text.is_empty() || cell.text == NOTHING;
        let n_texts = self.n_texts;
        if n_texts < self.heads.len() {
            let is_open = |line: &[TableCell]| line.first().is_some_and(|cell| cell.text.ends_with(OPEN));
            self.lines.retain(|line| is_open(line) || line[n_texts..].iter().any(|cell| !is_empty(cell)));
        }
        let stays: Vec<bool> = (0..self.heads.len())
            .map(|column| {
                let is_shown = column == 0 || self.lines.is_empty() || self.heads[column].ends_with(OPEN);
                is_shown || self.lines.iter().any(|line| !is_empty(&line[column]))
            })
            .collect();
        self.keep_columns(&stays)
    }

    /// The table without the column of this head, if there is one.
    pub fn without(self, head: &str) -> Table {
        let stays: Vec<bool> = self.heads.iter().map(|h| h != head).collect();
        self.keep_columns(&stays)
    }

    /// The table without columns of text, after the first, that say the same in all of three or more lines; and what these say.
    pub fn without_common(self) -> (Table, Vec<(String, String)>) {
        let is_common = |column: usize| {
            column > 0 && column < self.n_texts && self.lines.len() > 2 && {
                self.lines.iter().all(|line| line[column].text == self.lines[0][column].text)
            }
        };
        let stays: Vec<bool> = (0..self.heads.len()).map(|column| !is_common(column)).collect();
        let common = (0..self.heads.len()).filter(|&column| !stays[column]);
        let common = common.map(|column| (self.heads[column].clone(), self.lines[0][column].text.clone())).collect();
        (self.keep_columns(&stays), common)
    }

    fn keep_columns(mut self, stays: &[bool]) -> Table {
        self.n_texts = stays[..self.n_texts].iter().filter(|stays| **stays).count();
        let mut columns = stays.iter();
        self.heads.retain(|_| *columns.next().unwrap_or(&true));
        for line in &mut self.lines {
            let mut columns = stays.iter();
            line.retain(|_| *columns.next().unwrap_or(&true));
        }
        self
    }

    /// A table without lines.
    pub fn new(n_texts: usize, heads: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table { heads: heads.into_iter().map(Into::into).collect(), n_texts, lines: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_columns_and_lines_without_figures_are_left_out() {
        let mut table = Table::new(2, ["column", "method", "LAS", "UAS", "p"]);
        table.lines = vec![
            vec![
                TableCell::text("all"),
                TableCell::text("a"),
                TableCell::number(Some(80.0), 1),
                TableCell::number(None, 1),
                TableCell::text(""),
            ],
            vec![
                TableCell::text("all"),
                TableCell::text("b"),
                TableCell::number(None, 1),
                TableCell::number(None, 1),
                TableCell::text(""),
            ],
        ];
        let trimmed = table.clone().trimmed();
        assert_eq!(
            (trimmed.heads.join(" "), trimmed.n_texts, trimmed.lines.len()),
            ("column method LAS".to_owned(), 2, 1)
        );
        let without = trimmed.without("column");
        assert_eq!((without.heads.join(" "), without.n_texts), ("method LAS".to_owned(), 1));
        assert_eq!(without.lines[0][1].text, "80.0");
        assert_eq!(table.clone().without("nothing"), table);
        table.lines.push(table.lines[0].clone());
        let mut several = Table::new(3, ["column", "method", "against", "LAS"]);
        several.lines = (0..3)
            .map(|i| vec![TableCell::text("x"), TableCell::count(i), TableCell::text("y"), TableCell::count(7)])
            .collect();
        let (narrow, common) = several.without_common();
        assert_eq!((narrow.heads.join(" "), narrow.n_texts), ("column method LAS".to_owned(), 2));
        assert_eq!(common, [("against".to_owned(), "y".to_owned())]);
    }
}
