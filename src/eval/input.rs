//! What evaluation needs of a file: forms, tags, and trees that are known to be trees.

use std::path::Path;

use super::{Analysis, arcs};
use crate::error::{Error, Location, Problem, Result};
use crate::tree::{MAX_WORDS, Node, ROOT};

/// A file whose sentences are all trees, perhaps with several roots.
#[derive(Debug, Clone)]
pub struct Input {
    /// The file as the user named it.
    pub path: String,
    /// Its sentences.
    pub sentences: Vec<InputSentence>,
}

/// One sentence of an [`Input`]. Entry 0 of each list belongs to word 1.
#[derive(Debug, Clone)]
pub struct InputSentence {
    /// The sentence's id, where it has one.
    pub id: Option<String>,
    /// The line on which the sentence's block starts, from 1.
    pub line: usize,
    /// The words' lines.
    pub lines: Vec<usize>,
    /// The words' forms.
    pub forms: Vec<String>,
    /// The words' universal parts of speech.
    pub upos: Vec<String>,
    /// The words' heads.
    pub heads: Vec<Node>,
    /// The labels of the arcs into the words.
    pub labels: Vec<String>,
}

impl Input {
    /// Reads CoNLL-U or CoNLL-X; `-` is standard input.
    ///
    /// # Errors
    /// If the file cannot be read, is malformed or empty, or a word has no head, a head that does not exist, or is part of
    /// a cycle. The first such word is named.
    pub fn read(path: &Path) -> Result<Input> {
        let name = path.display().to_string();
        let blocks = blocks(path)?;
        if blocks.is_empty() {
            let location = Location { path: name, line: 0, sentence: None };
            return Err(problem(location, "no sentences", "at least one").into());
        }
        let sentences = blocks.into_iter().map(|block| block.into_sentence(&name)).collect::<Result<_, Problem>>()?;
        Ok(Input { path: name, sentences })
    }

    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.sentences.iter().map(InputSentence::n_words).sum()
    }

    /// The number of sentences with several roots.
    pub fn n_several_roots(&self) -> usize {
        self.sentences.iter().filter(|sentence| sentence.has_several_roots()).count()
    }
}

impl InputSentence {
    /// The number of words.
    pub fn n_words(&self) -> usize {
        self.heads.len()
    }

    /// Whether more than one word hangs on the root.
    pub fn has_several_roots(&self) -> bool {
        self.heads.iter().filter(|&&head| head == ROOT).count() > 1
    }

    /// The sentence's tree.
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis { heads: self.heads.clone(), labels: self.labels.iter().map(String::as_str).collect() }
    }
}

fn problem(location: Location, found: impl Into<String>, expected: impl Into<String>) -> Problem {
    Problem { location, found: found.into(), expected: expected.into() }
}

/// A sentence as it stands in the file.
struct Block {
    id: Option<String>,
    line: usize,
    rows: Vec<Row>,
}

/// A word's line number and columns.
struct Row {
    line: usize,
    form: String,
    upos: String,
    head: String,
    label: String,
}

impl Block {
    /// Checks the heads.
    fn into_sentence(self, path: &str) -> Result<InputSentence, Problem> {
        let at = |line| Location { path: path.to_owned(), line, sentence: self.id.clone() };
        let n = self.rows.len();
        if n > MAX_WORDS {
            return Err(problem(at(self.line), format!("{n} words"), format!("at most {MAX_WORDS}")));
        }
        let heads: Vec<Node> = self
            .rows
            .iter()
            .map(|row| match row.head.parse::<Node>() {
                Ok(head) if head as usize <= n => Ok(head),
                _ if matches!(row.head.as_str(), "" | "_") => {
                    Err(problem(at(row.line), "no head", "a head for every word: score files that are parsed"))
                }
                _ => {
                    let expected = format!("a number from 0 (the root) to {n} (the last word)");
                    Err(problem(at(row.line), format!("head \"{}\"", row.head), expected))
                }
            })
            .collect::<Result<_, _>>()?;
        if let Some(words) = arcs::cycle(&heads) {
            let line = self.rows[words[0] as usize - 1].line;
            let words: Vec<String> = words.iter().chain(&words[..1]).map(Node::to_string).collect();
            return Err(problem(at(line), format!("a cycle of heads {}", words.join(" -> ")), "a tree under the root"));
        }
        let mut sentence = InputSentence {
            id: self.id,
            line: self.line,
            lines: Vec::with_capacity(n),
            forms: Vec::with_capacity(n),
            upos: Vec::with_capacity(n),
            heads,
            labels: Vec::with_capacity(n),
        };
        for row in self.rows {
            sentence.lines.push(row.line);
            sentence.forms.push(row.form);
            sentence.upos.push(row.upos);
            sentence.labels.push(row.label);
        }
        Ok(sentence)
    }
}

/// Reads the file's sentences, without a look at the heads.
fn blocks(path: &Path) -> Result<Vec<Block>> {
    let name = path.display().to_string();
    let text = if name == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.map_err(Error::io(path))?;
    let mut blocks: Vec<Block> = Vec::new();
    let (mut open, mut id, mut start) = (false, None, 1);
    for (line, content) in (1..).zip(text.lines()) {
        if content.is_empty() {
            (open, id, start) = (false, None, line + 1);
        } else if let Some(comment) = content.strip_prefix('#') {
            let value = comment.trim_start().strip_prefix("sent_id").and_then(|rest| rest.trim().strip_prefix('='));
            id = value.map(|value| value.trim().to_owned()).or(id);
        } else {
            if !open {
                blocks.push(Block { id: id.take(), line: start, rows: Vec::new() });
                open = true;
            }
            let columns: Vec<&str> = content.split('\t').collect();
            let location = || Location { path: name.clone(), line, sentence: None };
            if columns.len() != 10 {
                return Err(problem(location(), format!("{} columns", columns.len()), "10, separated by tabs").into());
            }
            if columns[0].contains(['-', '.']) {
                continue;
            }
            let Some(block) = blocks.last_mut() else { continue };
            if columns[0].parse() != Ok(block.rows.len() + 1) {
                let expected = format!("{}", block.rows.len() + 1);
                return Err(problem(location(), format!("word id \"{}\"", columns[0]), expected).into());
            }
            let [form, upos, head, label] = [1, 3, 6, 7].map(|column| columns[column].to_owned());
            block.rows.push(Row { line, form, upos, head, label });
        }
    }
    Ok(blocks)
}
