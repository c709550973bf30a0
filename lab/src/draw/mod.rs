//! Dependency trees as pictures: one tree over its words, or two over the same words, the second upside down beneath them.
//!
//! Positions (`layout`: words by `spacing`, arcs by `levels`) are decided apart from looks (`render`, which makes
//! SVG). `tikz` has the same for LaTeX, `lines` for terminals, and `page` is a whole treebank to browse.

mod layout;
mod levels;
mod lines;
mod page;
mod render;
mod spacing;
mod text;
mod tikz;

pub use page::Page;
pub use text::is_right_to_left;
pub(crate) use text::width as text_width;

use treebeam::eval::{Analysis, Granularity, PunctuationRule, count};
use treebeam::tree::{Node, ROOT};
use treebeam::treebank::{Column, Format, Sentence};

/// A tree of a sentence.
#[derive(Debug, Clone)]
pub struct DrawnTree<'a> {
    /// Source of the tree, as the picture names it.
    pub name: &'a str,
    /// The tree.
    pub analysis: Analysis<'a>,
}

/// Contents of the picture.
#[derive(Debug, Clone)]
pub struct Drawing<'a> {
    /// The words.
    pub sentence: &'a Sentence,
    /// The sentence's number in its file.
    pub number: usize,
    /// The columns that are written beneath each other, the first in large letters.
    pub columns: &'a [Column],
    /// True if arcs have their labels.
    pub with_labels: bool,
    /// The widest that the picture may be, in pixels: longer sentences are drawn in rows. A line if there is none.
    pub width: Option<u32>,
    /// The tree above the words.
    pub tree: DrawnTree<'a>,
    /// The tree beneath the words, to be compared with the first.
    pub other: Option<DrawnTree<'a>>,
}

/// Difference of an arc from that of the same word in the other tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArcDifference {
    None,
    Label,
    Head,
}

impl Drawing<'_> {
    /// The picture, a whole SVG file. It has a size in pixels and scales.
    ///
    /// Arcs into punctuation are thin. With two trees, arcs of words with different heads are dashed, those of words with
    /// only different labels have a frame around the label, and the second tree's attachment scores against the first are
    /// written under the picture.
    ///
    /// In rows, arcs go on where they left the row before, with their labels again. A word that is wider than the picture
    /// makes it wider.
    ///
    /// # Panics
    /// If a tree does not have one arc for each word of the sentence, or `columns` is empty.
    pub fn svg(&self) -> String {
        written(|out| render::write_svg(out, self))
    }

    /// The picture in LaTeX, an environment of the package tikz-dependency, or with `standalone` a document that has nothing
    /// else. It is not divided into rows. Columns and differences are as in [`Drawing::svg`].
    ///
    /// # Panics
    /// As [`Drawing::svg`].
    pub fn tikz(&self, standalone: bool) -> String {
        written(|out| tikz::write_tikz(out, self, standalone))
    }

    /// The picture in lines of text, a word to each, with its arcs beside it: brackets, with an arrow where they come into the
    /// word. Words are cut to keep lines within `width` characters, 0 for no bound, as far as that helps. The other tree's
    /// differences stand behind the words.
    ///
    /// # Panics
    /// As [`Drawing::svg`].
    pub fn text(&self, width: u32) -> String {
        let width = if width == 0 { usize::MAX } else { width as usize };
        written(|out| lines::write_lines(out, self, width))
    }

    fn trees(&self) -> impl Iterator<Item = &DrawnTree<'_>> {
        std::iter::once(&self.tree).chain(&self.other)
    }

    /// The difference of each word's arcs; entry 0 belongs to word 1.
    fn differences(&self) -> Vec<ArcDifference> {
        let tree = &self.tree.analysis;
        let other = self.other.as_ref().map_or(tree, |other| &other.analysis);
        let difference = |word: usize| match word {
            word if tree.heads[word] != other.heads[word] => ArcDifference::Head,
            word if tree.labels[word] != other.labels[word] => ArcDifference::Label,
            _ => ArcDifference::None,
        };
        (0..self.sentence.n_words()).map(difference).collect()
    }

    /// The sentence's number and id.
    fn sentence_name(&self) -> String {
        match self.sentence.id() {
            Some(id) => format!("sentence {} ({id})", self.number),
            None => format!("sentence {}", self.number),
        }
    }

    fn title(&self) -> String {
        let of = format!("{} of {}", self.sentence_name(), self.tree.name);
        match &self.other {
            Some(other) => format!("Dependency trees of {of} (above) and {} (below)", other.name),
            None => format!("Dependency tree of {of}"),
        }
    }

    /// All arcs of the first tree and those of the second that differ, in words.
    fn description(&self) -> String {
        let arcs = |tree: &DrawnTree, differing: bool| {
            let differences = self.differences();
            let words = self.sentence.words().zip(differences);
            let words = words.filter(|&(_, difference)| !differing || difference != ArcDifference::None);
            words.map(|(word, _)| self.arc(tree, word)).collect::<Vec<_>>().join(", ")
        };
        let all = arcs(&self.tree, false);
        match &self.other {
            None => all,
            Some(other) => match &*arcs(other, true) {
                "" => format!("{all}. The same in {}.", other.name),
                differing => format!("{all}. In {} instead: {differing}.", other.name),
            },
        }
    }

    /// The arc into `word`: `saw -nsubj-> John`.
    fn arc(&self, tree: &DrawnTree, word: Node) -> String {
        let name = |node| if node == ROOT { "ROOT".to_owned() } else { text::isolated(self.sentence.form(node)) };
        let place = usize::from(word) - 1;
        format!("{} -{}-> {}", name(tree.analysis.heads[place]), tree.analysis.labels[place], name(word))
    }

    /// The attachment scores of the second tree against the first.
    fn scores(&self) -> Option<String> {
        let counts = count(&self.tree.analysis, &self.other.as_ref()?.analysis, |_| true, Granularity::Full);
        Some(format!(
            "UAS {:.2} ({} of {} words), LAS {:.2} ({}), punctuation included",
            counts.uas(),
            counts.heads,
            counts.tokens,
            counts.las(),
            counts.labelled
        ))
    }

    /// Rows of text beneath the arcs: the first column, and of the others those that have something.
    fn rows(&self) -> Vec<(Column, Vec<&str>)> {
        rows(self.sentence, self.columns)
    }
}

fn written(write: impl FnOnce(&mut String) -> std::fmt::Result) -> String {
    let mut out = String::new();
    write(&mut out).expect("strings take all that is written to them");
    out
}

/// The texts of these columns, word by word: the first column, and of the others those that have something.
fn rows<'s>(sentence: &'s Sentence, columns: &[Column]) -> Vec<(Column, Vec<&'s str>)> {
    let has_text =
        |(column, texts): &(Column, Vec<&str>)| *column == columns[0] || texts.iter().any(|text| !text.is_empty());
    columns.iter().map(|&column| (column, column_texts(sentence, column).collect())).filter(has_text).collect()
}

/// The texts of a column, word by word.
fn column_texts(sentence: &Sentence, column: Column) -> impl Iterator<Item = &str> {
    sentence.words().map(move |word| match sentence.column(word, column) {
        "_" if column != Column::Form => "",
        text => text,
    })
}

/// Flags of words that are punctuation; entry 0 belongs to word 1.
fn punctuation(sentence: &Sentence) -> Vec<bool> {
    let upos = |word| sentence.column(word, Column::Upos);
    let rule = PunctuationRule::for_tags(sentence.words().map(upos));
    sentence.words().map(|word| rule.applies(sentence.form(word), upos(word))).collect()
}

/// The column with this CoNLL-U name, in letters of either case.
pub fn column_by_name(name: &str) -> Option<Column> {
    Column::ALL.into_iter().find(|column| column.name(Format::Conllu).eq_ignore_ascii_case(name))
}
