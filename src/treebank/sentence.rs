//! One sentence with every byte of its block.

use super::plus::{FurtherColumns, further_columns};
use super::scan::{ColumnBounds, scan};
use super::{Column, Format};
use crate::choice::choice;
use crate::error::{Location, Problem, Problems, excerpt};
use crate::tree::{Node, ROOT};
use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

/// One sentence: the text of its block as it stands in the file, and where its words' columns are.
///
/// Only its structure is known to be sound; whether heads make a tree is asked by [`Sentence::tree`] and its kin.
///
/// # Examples
/// ```
/// use treebeam::treebank::{Column, Format, Sentence};
/// use treebeam::tree::Roots;
///
/// let text = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n";
/// let sentence = Sentence::new("dogs.conllu", Format::Conllu, text)?;
/// assert_eq!((sentence.form(1), sentence.column(2, Column::Upos)), ("Dogs", "VERB"));
/// assert_eq!(sentence.heads(Roots::Single)?, [2, 0]);
///
/// // Another tree over the same words; all other columns stay as they are.
/// let mut parsed = Vec::new();
/// sentence.write_parsed(&mut parsed, &[0, 1], &["root", "flat"])?;
/// assert!(String::from_utf8(parsed)?.starts_with("1\tDogs\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sentence {
    pub(super) source: Arc<str>,
    pub(super) line: usize,
    pub(super) format: Format,
    /// All lines, each with its line feed, without the blank line behind them.
    text: Box<str>,
    words: Box<[ColumnBounds]>,
    /// The column whose values are the labels, while all words hang on the root, if the sentence is read so.
    pub(super) tags: Option<Column>,
    /// The name of the treebank that it is of, if it has one.
    treebank: Option<Arc<str>>,
    /// Names of the columns of CoNLL-U Plus behind the ten, if there are any.
    further: Option<FurtherColumns>,
}

choice! {
    /// The enhanced graph of CoNLL-U, DEPS and empty nodes, of sentences that are parsed.
    #[derive(Default)]
    pub enum Enhanced {
        /// Left out, whole: it may not go with the new tree
        #[default]
        Drop,
        /// As it was in the input
        Keep,
    }
}

impl Sentence {
    /// The sentence that stands in `text`: all lines of its block without the blank line. The last line feed may be missing.
    ///
    /// # Errors
    /// If `text` is not one well-formed block. Lines are counted from 1 and the file is called `source`.
    pub fn new(source: &str, format: Format, text: &str) -> Result<Sentence, Problem> {
        let source: Arc<str> = source.into();
        let mut problems = Problems::new(1);
        let ended = if text.ends_with('\n') { Cow::from(text) } else { Cow::from(format!("{text}\n")) };
        let further = further_columns(&ended).filter(|_| format == Format::Conllu);
        let sentence =
            Sentence::from_block(&source, 1, format, &ended, further.as_ref(), &mut Vec::new(), &mut problems);
        problems.sort();
        match (sentence, problems.into_first()) {
            (Some(sentence), None) => Ok(sentence),
            (_, Some(problem)) => Err(problem),
            (None, None) => unreachable!("a block that is refused has a problem"),
        }
    }

    /// The sentence of these words, each with the columns that are known of it; the others become `_`. Words are numbered
    /// from 1 on, in the order in which they come.
    ///
    /// # Errors
    /// If there are no words or too many, a column is given twice or is [`Column::Id`], or a value is empty or holds a tab or
    /// the end of a line, which separate columns and words. `source` is what the message calls the sentence, with the number
    /// of the word as its line.
    ///
    /// # Examples
    /// ```
    /// use treebeam::treebank::{Column, Format, Sentence};
    ///
    /// let words = [
    ///     [(Column::Form, "Dogs"), (Column::Upos, "NOUN")],
    ///     [(Column::Form, "bark"), (Column::Upos, "VERB")],
    /// ];
    /// let sentence = Sentence::from_columns("typed in", Format::Conllu, words)?;
    /// assert_eq!(sentence.n_words(), 2);
    /// assert_eq!(sentence.text(), "1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n");
    ///
    /// let torn = Sentence::from_columns("typed in", Format::Conllu, [[(Column::Form, "New\tYork")]]);
    /// assert!(torn.unwrap_err().to_string().starts_with("typed in:1: the FORM `New\\tYork`"));
    /// # Ok::<(), treebeam::error::Problem>(())
    /// ```
    pub fn from_columns<W, V>(
        source: &str,
        format: Format,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Sentence, Problem>
    where
        W: IntoIterator<Item = (Column, V)>,
        V: AsRef<str>,
    {
        let mut text = String::new();
        let mut n_words = 0;
        for word in words {
            n_words += 1;
            let problem = |found: String, expected: &str| Err(Problem::at(source, n_words, found, expected));
            let mut columns = [const { None }; Column::ALL.len()];
            for (column, value) in word {
                let name = column.name(format);
                if column == Column::Id {
                    return problem(
                        format!("the {name} of a word"),
                        "the other columns; words are numbered by their order",
                    );
                }
                if value.as_ref().contains(['\t', '\n', '\r']) {
                    let found = format!("the {name} `{}`", excerpt(value.as_ref()));
                    return problem(found, "a value without tabs and line ends, which separate columns and words");
                }
                if value.as_ref().is_empty() {
                    return problem(format!("an empty {name}"), "some text; `_` means none");
                }
                if columns[column as usize].replace(value).is_some() {
                    return problem(format!("two values for {name}"), "at most one value for each column");
                }
            }
            text += &n_words.to_string();
            for value in &columns[1..] {
                text.push('\t');
                text += value.as_ref().map_or("_", V::as_ref);
            }
            text.push('\n');
        }
        if n_words == 0 {
            return Err(Problem::at(source, 0, "a sentence without words", "one word at least"));
        }
        Sentence::new(source, format, &text)
    }

    /// The sentence in `text`, whose first line is line `line` of `source`; `None` if there are problems, which are
    /// added to `problems`. `words` is scratch memory.
    pub(super) fn from_block(
        source: &Arc<str>,
        line: usize,
        format: Format,
        text: &str,
        further: Option<&FurtherColumns>,
        words: &mut Vec<ColumnBounds>,
        problems: &mut Problems,
    ) -> Option<Sentence> {
        let before = problems.len();
        let mut id = None;
        scan(text, format, further.map_or(&[], |names| names), words, &mut |rule, offset, message| {
            problems.add(rule, || {
                let sentence = id.get_or_insert_with(|| sent_id(text).map(id_of_messages)).clone();
                let location = Location { path: source.to_string(), line: line + offset, sentence };
                let (found, expected) = message();
                Problem { location, found, expected }
            });
        });
        (problems.len() == before).then(|| Sentence {
            source: Arc::clone(source),
            line,
            format,
            text: text.into(),
            words: words.as_slice().into(),
            tags: None,
            treebank: None,
            further: further.cloned(),
        })
    }

    /// The number of words: lines with a plain number as id.
    pub fn n_words(&self) -> usize {
        self.words.len()
    }

    /// The words `1..=n`.
    pub fn words(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        1..self.words.len() as Node + 1
    }

    /// The text of `column` of `word`.
    ///
    /// # Panics
    /// If `word` is not one of `1..=n`.
    pub fn column(&self, word: Node, column: Column) -> &str {
        let bounds = &self.words[word as usize - 1];
        &self.text[bounds[column as usize] as usize..bounds[column as usize + 1] as usize - 1]
    }

    /// Names of the columns of CoNLL-U Plus behind the ten (`# global.columns`), in their order; none of CoNLL-U itself.
    pub fn further_columns(&self) -> &[Box<str>] {
        self.further.as_deref().unwrap_or_default()
    }

    /// The text of the [further column](Sentence::further_columns) `name` of `word`, if there is one.
    pub fn further(&self, word: Node, name: &str) -> Option<&str> {
        let place = self.further_columns().iter().position(|known| **known == *name)?;
        let behind = &self.text[self.words[word as usize - 1][10] as usize..];
        behind.lines().next()?.split('\t').nth(place)
    }

    /// The sentence as the first one of a file: with the comment that names its columns, if it has further ones.
    #[must_use]
    pub fn at_start(&self) -> Cow<'_, Sentence> {
        if self.further.is_none() || further_columns(&self.text).is_some() {
            return Cow::Borrowed(self);
        }
        let names = Column::ALL.iter().map(|column| column.name(self.format));
        let names: Vec<&str> = names.chain(self.further_columns().iter().map(|name| &**name)).collect();
        let comment = format!("# global.columns = {}\n", names.join(" "));
        let mut words = self.words.clone();
        words.iter_mut().flatten().for_each(|bound| *bound += comment.len() as u32);
        Cow::Owned(self.with(comment + &self.text, words))
    }

    /// The sentence with another text, which has its words there.
    fn with(&self, text: String, words: Box<[ColumnBounds]>) -> Sentence {
        let (source, treebank, further) = (Arc::clone(&self.source), self.treebank.clone(), self.further.clone());
        Sentence { text: text.into(), words, source, treebank, further, ..*self }
    }

    /// The sentence with another text: all lines of its block without the blank line.
    ///
    /// # Errors
    /// If `text` is not one well-formed block.
    pub(crate) fn with_text(&self, text: &str) -> Result<Sentence, Problem> {
        let mut problems = Problems::new(1);
        let (further, words) = (self.further.as_ref(), &mut Vec::new());
        let read = Sentence::from_block(&self.source, self.line, self.format, text, further, words, &mut problems);
        let read = read.map(|read| Sentence { tags: self.tags, treebank: self.treebank.clone(), ..read });
        read.ok_or_else(|| problems.into_first().expect("a block that is refused has a problem"))
    }

    /// The form of `word`.
    pub fn form(&self, word: Node) -> &str {
        self.column(word, Column::Form)
    }

    /// The label of `word`, as it stands; its tag if the sentence [is read so](Sentence::for_target).
    pub fn deprel(&self, word: Node) -> &str {
        self.column(word, self.tags.unwrap_or(Column::Deprel))
    }

    /// The sentence as a tagger of the column `target` reads it, if there is one: all words hang on the root, and the values of the
    /// column are their labels. Its text stays as it is.
    #[must_use]
    pub fn for_target(self, target: Option<Column>) -> Sentence {
        Sentence { tags: target, ..self }
    }

    /// The name of the treebank that the sentence is of, where there are several with names.
    pub fn treebank(&self) -> Option<&str> {
        self.treebank.as_deref()
    }

    /// The sentence as one of the treebank of this name. Its text stays as it is.
    #[must_use]
    pub fn of_treebank(self, name: Option<Arc<str>>) -> Sentence {
        Sentence { treebank: name, ..self }
    }

    /// The head of `word`; `None` if the column is not the number of a node of this sentence.
    pub fn head(&self, word: Node) -> Option<Node> {
        if self.tags.is_some() {
            return Some(ROOT);
        }
        let head = super::scan::number(self.column(word, Column::Head))?;
        (head <= self.n_words()).then_some(head as Node)
    }

    /// Format that the sentence was read from.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file that the sentence was read from, as it was named.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The line of the file, from 1, on which the sentence's block starts.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The line of the file, from 1, on which `word` stands. Linear in the length of the block.
    pub fn line_of(&self, word: Node) -> usize {
        let start = self.words[word as usize - 1][0] as usize;
        self.line + self.text[..start].matches('\n').count()
    }

    /// The lines of the file, from 1, on which the words stand; entry 0 belongs to word 1. Linear in the length of the
    /// block, for all words together.
    pub fn lines_of_words(&self) -> Vec<usize> {
        let bytes = self.text.as_bytes();
        let (mut line, mut at) = (self.line, 0);
        let line_of = |bounds: &ColumnBounds| {
            let start = bounds[0] as usize;
            line += bytes[at..start].iter().filter(|&&byte| byte == b'\n').count();
            at = start;
            line
        };
        self.words.iter().map(line_of).collect()
    }

    /// The place of `word`, or of the sentence if it is the root, for messages.
    pub fn location(&self, word: Node) -> Location {
        let line = if word == ROOT { self.line } else { self.line_of(word) };
        self.location_at(line)
    }

    /// The place of the sentence's line `line` of the file, for messages.
    pub(super) fn location_at(&self, line: usize) -> Location {
        Location { path: self.source.to_string(), line, sentence: self.id().map(id_of_messages) }
    }

    /// The sentence's id, from its comment `# sent_id = ...`.
    pub fn id(&self) -> Option<&str> {
        sent_id(&self.text)
    }

    /// The comment lines, without their line feeds.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        comments(&self.text)
    }

    /// The sentence with these tags of each word in MISC, as `Tag1=NOUN|Tag2=VERB`, in place of any that stand there; `,` for `|` in a tag.
    ///
    /// # Panics
    /// If there are not as many lists as words.
    #[must_use]
    pub fn with_ranked_tags(&self, tags: &[Vec<&str>]) -> Sentence {
        let is_ranked = |name: &str| name.strip_prefix("Tag").is_some_and(|rank| rank.parse::<u8>().is_ok());
        let attribute = |(tag, rank): (&&str, usize)| format!("Tag{rank}={}", tag.replace('|', ","));
        let of_word = |(word, tags): (Node, &Vec<&str>)| {
            let attributes = tags.iter().zip(1..).map(attribute).collect::<Vec<_>>().join("|");
            with_attributes(self.column(word, Column::Misc), &attributes, is_ranked)
        };
        let misc: Vec<String> = self.words().zip(tags).map(of_word).collect();
        self.with_column(Column::Misc, &misc.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The whole block as it stands: comments, words, ranges, empty nodes, each with its line feed; no blank line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes the block as it stands and the blank line behind it.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        output.write_all(self.text.as_bytes())?;
        output.write_all(b"\n")
    }

    /// Writes the block with other heads and labels; entry 0 of both belongs to word 1.
    ///
    /// Annotation of the old tree goes: the enhanced graph, which is DEPS and the empty nodes (in CoNLL-X, PHEAD and
    /// PDEPREL). All the rest, ranges included, stays as it is.
    ///
    /// # Errors
    /// Those of `output`.
    ///
    /// # Panics
    /// If `heads` and `labels` do not have one entry per word.
    pub fn write_parsed(&self, output: &mut dyn Write, heads: &[Node], labels: &[&str]) -> io::Result<()> {
        self.write_parsed_with(output, heads, labels, Enhanced::Drop, &[])
    }

    /// [`Sentence::write_parsed`], with the enhanced graph as `enhanced` says, and in MISC these attributes of each word, as `A=b|C=d`, if
    /// there are any: they replace those of the same names.
    ///
    /// # Errors
    /// Those of `output`.
    ///
    /// # Panics
    /// As [`Sentence::write_parsed`].
    pub fn write_parsed_with(
        &self,
        output: &mut dyn Write,
        heads: &[Node],
        labels: &[&str],
        enhanced: Enhanced,
        misc: &[String],
    ) -> io::Result<()> {
        assert_eq!((heads.len(), labels.len()), (self.n_words(), self.n_words()), "one head and label per word");
        let (dropped, kept) = match (self.format, enhanced) {
            (Format::Conllu, Enhanced::Keep) => ("", Column::Deps as usize),
            (Format::Conllu, Enhanced::Drop) => ("\t_", Column::Misc as usize),
            (Format::Conllx, _) => ("\t_\t_", Column::Misc as usize + 1),
        };
        let mut written = 0;
        let (mut line, mut digits) = (String::new(), itoa::Buffer::new());
        for (number, ((bounds, &head), label)) in self.words.iter().zip(heads).zip(labels).enumerate() {
            self.write_between(output, written, bounds[0] as usize, enhanced)?;
            line.clear();
            line.push_str(&self.text[bounds[0] as usize..bounds[Column::Head as usize] as usize]);
            [digits.format(head), "\t", label, dropped].iter().for_each(|part| line.push_str(part));
            let rest = &self.text[bounds[kept] as usize - 1..bounds[10] as usize];
            match misc.get(number) {
                Some(attributes) => {
                    let (columns, line_end) = rest.split_at(rest.len() - 1);
                    let (before, misc) = columns.rsplit_once('\t').unwrap_or_default();
                    let misc = with_attributes(misc, attributes, |_| false);
                    [before, "\t", &misc, line_end].iter().for_each(|part| line.push_str(part));
                }
                None => line.push_str(rest),
            }
            written = self.end_of_line(bounds);
            line.push_str(&self.text[bounds[10] as usize..written]);
            output.write_all(line.as_bytes())?;
        }
        self.write_between(output, written, self.text.len(), enhanced)?;
        output.write_all(b"\n")
    }

    /// The sentence with other values in `column`; entry 0 of them belongs to word 1. All the rest stays as it is.
    ///
    /// # Panics
    /// If `values` does not have one entry per word.
    #[must_use]
    pub fn with_column(&self, column: Column, values: &[&str]) -> Sentence {
        assert_eq!(values.len(), self.n_words(), "one value per word");
        let mut text = String::with_capacity(self.text.len() + 8 * values.len());
        let mut words = self.words.clone();
        let mut copied = 0;
        for (bounds, value) in words.iter_mut().zip(values) {
            let [start, end] = [bounds[column as usize] as usize, bounds[column as usize + 1] as usize - 1];
            text.push_str(&self.text[copied..start]);
            // Numbers of bytes before the value, and behind it: the new text is as long as the old one there, and some.
            let before = (text.len() as u32).wrapping_sub(start as u32);
            text.push_str(value);
            let behind = (text.len() as u32).wrapping_sub(end as u32);
            copied = end;
            for (place, bound) in bounds.iter_mut().enumerate() {
                *bound = bound.wrapping_add(if place <= column as usize { before } else { behind });
            }
        }
        text.push_str(&self.text[copied..]);
        self.with(text, words)
    }

    /// Writes the lines between two words, or before the first or behind the last one, perhaps without empty nodes.
    fn write_between(&self, output: &mut dyn Write, start: usize, end: usize, enhanced: Enhanced) -> io::Result<()> {
        if start == end {
            return Ok(());
        }
        let mut lines = self.text[start..end].split_inclusive('\n');
        let goes = |line| enhanced == Enhanced::Drop && is_empty_node(line);
        lines.try_for_each(|line| if goes(line) { Ok(()) } else { output.write_all(line.as_bytes()) })
    }

    /// True if there is an enhanced graph, or a part of one: empty nodes, or a word with DEPS.
    pub fn has_enhanced_graph(&self) -> bool {
        self.format == Format::Conllu
            && (self.words().any(|word| self.column(word, Column::Deps) != "_")
                || self.lines_of_no_words().any(is_empty_node))
    }

    /// The lines that are no word's: comments, ranges, empty nodes.
    fn lines_of_no_words(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.words.iter().map(|bounds| self.end_of_line(bounds)));
        let ends = self.words.iter().map(|bounds| bounds[0] as usize).chain([self.text.len()]);
        starts.zip(ends).filter(|(start, end)| start < end).flat_map(|(start, end)| self.text[start..end].lines())
    }

    /// The end of the line of the word with these bounds.
    fn end_of_line(&self, bounds: &ColumnBounds) -> usize {
        let end = bounds[10] as usize;
        match self.further {
            Some(_) => end + self.text[end..].split_inclusive('\n').next().map_or(0, str::len),
            None => end,
        }
    }
}

/// The names, in MISC, of the probability of a word's head, and of that of its label given the head.
pub const CONFIDENCES: [&str; 2] = ["HeadConf", "LabelConf"];

/// MISC with these attributes behind its own, but for those of the same names and of names that go.
fn with_attributes(misc: &str, attributes: &str, goes: impl Fn(&str) -> bool) -> String {
    fn name(attribute: &str) -> &str {
        attribute.split_once('=').map_or(attribute, |(name, _)| name)
    }
    let is_new =
        |kept: &&str| *kept != "_" && !goes(name(kept)) && attributes.split('|').all(|new| name(new) != name(kept));
    misc.split('|').filter(is_new).chain(attributes.split('|')).collect::<Vec<_>>().join("|")
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| line.starts_with('#'))
}

/// True if the line is an empty node's.
pub(super) fn is_empty_node(line: &str) -> bool {
    !line.starts_with('#') && line.split('\t').next().is_some_and(|id| id.contains('.'))
}

/// Value of `key` in a comment `# key = value`.
pub(super) fn value<'t>(comment: &'t str, key: &str) -> Option<&'t str> {
    let (found, value) = comment[1..].split_once('=')?;
    (found.trim() == key).then_some(value)
}

/// An id as messages have it: whole, unless it is absurdly long.
fn id_of_messages(id: &str) -> String {
    id.chars().take(crate::error::ID).collect()
}

/// The id of the sentence in `text`.
pub(super) fn sent_id(text: &str) -> Option<&str> {
    comments(text).find_map(|comment| value(comment, "sent_id")).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "# sent_id = s 1\n# free\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tA=b\n1\tde\tde\tADP\t_\t_\t3\tcase\t3:case\tx=1\n\
                         2\tle  o\t_\tDET\t_\t_\t3\tdet\t_\t_\n2.1\t_\t_\t_\t_\t_\t_\t_\t2:x\t_\n3\t_\t_\tNOUN\t_\t_\t0\troot\t0:root\t_\n";

    fn sentence() -> Sentence {
        Sentence::new("x", Format::Conllu, BLOCK).unwrap()
    }

    #[test]
    fn everything_is_where_it_stands() {
        let sentence = sentence();
        assert_eq!((sentence.n_words(), sentence.id()), (3, Some("s 1")));
        assert_eq!(sentence.comments().collect::<Vec<_>>(), ["# sent_id = s 1", "# free"]);
        assert_eq!([1, 2, 3].map(|w| sentence.form(w)), ["de", "le  o", "_"]);
        assert_eq!([1, 2, 3].map(|w| sentence.head(w)), [Some(3), Some(3), Some(0)]);
        assert_eq!([1, 2, 3].map(|w| sentence.line_of(w)), [4, 5, 7]);
        assert_eq!(sentence.lines_of_words(), [4, 5, 7]);
        assert_eq!((sentence.column(1, Column::Id), sentence.column(1, Column::Misc)), ("1", "x=1"));
    }

    #[test]
    fn the_last_line_feed_may_be_missing() {
        let unended = Sentence::new("x", Format::Conllu, BLOCK.trim_end_matches('\n')).unwrap();
        let mut written = Vec::new();
        unended.write(&mut written).unwrap();
        assert_eq!((unended.n_words(), unended.column(3, Column::Deps)), (3, "0:root"));
        assert!(String::from_utf8(written).unwrap().starts_with(BLOCK));
        let error = Sentence::new("x", Format::Conllu, "1\tno columns").unwrap_err().to_string();
        assert!(error.contains("2 columns"), "{error}");
    }

    #[test]
    fn a_sentence_of_columns_is_the_sentence_read_from_them() {
        let read = Sentence::new("x", Format::Conllx, "1\ta b\t_\tX\t_\t_\t2\t_\t_\t_\n2\tc\tC\t_\t_\t_\t0\tr\t_\tr\n")
            .unwrap();
        let given = [
            vec![(Column::Head, "2"), (Column::Form, "a b"), (Column::Upos, "X")],
            vec![
                (Column::Form, "c"),
                (Column::Lemma, "C"),
                (Column::Deprel, "r"),
                (Column::Misc, "r"),
                (Column::Head, "0"),
            ],
        ];
        let sentence = Sentence::from_columns("x", Format::Conllx, given).unwrap();
        assert_eq!(sentence.text(), read.text());
        assert_eq!([1, 2].map(|word| sentence.head(word)), [Some(2), Some(0)]);
        let mut output = Vec::new();
        sentence.write_parsed(&mut output, &[0, 1], &["a", "b"]).unwrap();
        let again = std::str::from_utf8(&output).unwrap().strip_suffix('\n').unwrap();
        assert_eq!(Sentence::new("x", Format::Conllx, again).unwrap().head(2), Some(1));
    }

    #[test]
    fn columns_that_would_not_stay_apart_are_refused() {
        let of = |words: &[&[(Column, &str)]]| {
            let words = words.iter().map(|word| word.iter().copied());
            Sentence::from_columns("memory", Format::Conllu, words).map_err(|problem| problem.to_string())
        };
        let good: &[(Column, &str)] = &[(Column::Form, "x")];
        for end in ["\t", "\n", "\r", "\r\n"] {
            let problem = of(&[good, &[(Column::Misc, &format!("a{end}b"))]]).unwrap_err();
            let shown = end.escape_default();
            let expected = "a value without tabs and line ends, which separate columns and words";
            assert_eq!(problem, format!("memory:2: the MISC `a{shown}b`; expected {expected}"));
        }
        let problem = of(&[&[(Column::Lemma, "")]]).unwrap_err();
        assert_eq!(problem, "memory:1: an empty LEMMA; expected some text; `_` means none");
        assert!(of(&[good, good, &[(Column::Id, "3")]]).unwrap_err().starts_with("memory:3: the ID of a word; "));
        assert!(of(&[&[good[0], good[0]]]).unwrap_err().starts_with("memory:1: two values for FORM; "));
        assert!(of(&[]).unwrap_err().starts_with("memory: a sentence without words; "));
        let many = vec![good; crate::tree::MAX_WORDS + 1];
        assert!(of(&many).unwrap_err().contains(&format!("word {}", crate::tree::MAX_WORDS + 1)));
        // Text like a comment is none behind the word's number.
        assert_eq!(of(&[&[(Column::Form, "# x")]]).unwrap().form(1), "# x");
    }

    #[test]
    fn parsing_changes_heads_and_labels_and_leaves_out_the_enhanced_graph() {
        let mut output = Vec::new();
        sentence().write_parsed(&mut output, &[2, 0, 2], &["a", "root", "b:c"]).unwrap();
        let expected = BLOCK
            .replace("\t3\tcase\t3:case\t", "\t2\ta\t_\t")
            .replace("\t3\tdet\t_\t", "\t0\troot\t_\t")
            .replace("\t0\troot\t0:root\t", "\t2\tb:c\t_\t")
            .replace("2.1\t_\t_\t_\t_\t_\t_\t_\t2:x\t_\n", "");
        assert!(sentence().has_enhanced_graph());
        assert_eq!(String::from_utf8(output).unwrap(), expected + "\n");
        let mut output = Vec::new();
        sentence().write_parsed_with(&mut output, &[2, 0, 2], &["a", "root", "b:c"], Enhanced::Keep, &[]).unwrap();
        let expected = BLOCK
            .replace("\t3\tcase\t", "\t2\ta\t")
            .replace("\t3\tdet\t", "\t0\troot\t")
            .replace("NOUN\t_\t_\t0\troot\t", "NOUN\t_\t_\t2\tb:c\t");
        assert_eq!(String::from_utf8(output).unwrap(), expected + "\n");
    }

    #[test]
    fn another_column_leaves_the_rest_as_it_is() {
        let tagged = sentence().with_column(Column::Upos, &["X", "LONGER", "_"]);
        let expected = BLOCK.replace("\tADP\t", "\tX\t").replace("\tDET\t", "\tLONGER\t").replace("\tNOUN\t", "\t_\t");
        assert_eq!(tagged.text(), expected);
        let again = Sentence::new("x", Format::Conllu, &expected).unwrap();
        assert_eq!((&tagged.words, tagged.lines_of_words()), (&again.words, again.lines_of_words()));
        let last = sentence().with_column(Column::Misc, &["a=b", "_", "c"]);
        assert_eq!([1, 2, 3].map(|word| last.column(word, Column::Misc)), ["a=b", "_", "c"]);
        assert_eq!(last.form(2), "le  o");
    }

    #[test]
    fn a_tagged_sentence_is_a_tree_of_its_tags() {
        let tagged = sentence().for_target(Some(Column::Upos));
        let mut labels = crate::tree::Labels::default();
        let tree = tagged.tree(crate::tree::Roots::Several, &mut labels).unwrap();
        assert_eq!((tree.heads(), labels.names_of(&tree)), (&[0, 0, 0][..], vec!["ADP", "DET", "NOUN"]));
        assert_eq!(tagged.clone().for_target(None).head(1), Some(3));
        let problem = tagged.for_target(Some(Column::Xpos)).tree(crate::tree::Roots::Several, &mut labels).unwrap_err();
        assert_eq!((problem.location.line, problem.found), (4, "the tag `_` of word 1".to_owned()));
    }

    #[test]
    fn attributes_of_misc_are_kept_or_replaced() {
        let mut output = Vec::new();
        let misc = ["x=2|y=3", "y=3", "y=3"].map(str::to_owned);
        let written = sentence().write_parsed_with(&mut output, &[2, 0, 2], &["a"; 3], Enhanced::Keep, &misc);
        written.unwrap();
        let output = String::from_utf8(output).unwrap();
        let misc = |line: &str| line.rsplit('\t').next().unwrap().to_owned();
        assert_eq!(output.lines().skip(2).map(misc).collect::<Vec<_>>(), ["A=b", "x=2|y=3", "y=3", "_", "y=3", ""]);
        assert_eq!(with_attributes("a=1|x=0|b|x", "x=2", |_| false), "a=1|b|x=2");
    }

    #[test]
    fn parsing_drops_both_projective_columns_of_conllx() {
        let sentence = Sentence::new("x", Format::Conllx, "1\ta\t_\tX\tX\t_\t0\tr\t0\tr\n").unwrap();
        let mut output = Vec::new();
        sentence.write_parsed(&mut output, &[0], &["s"]).unwrap();
        assert_eq!(output, b"1\ta\t_\tX\tX\t_\t0\ts\t_\t_\n\n");
    }
}
