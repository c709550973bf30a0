//! Words in columns of another kind: the content of each column has to be given.

use std::io::BufRead;
use std::str::FromStr;

use super::blocks::{Blocks, NextBlock};
use super::scan::fields;
use super::sentence::sent_id;
use super::{Column, Format, Sentence, recognise};
use crate::error::{Error, Problem, Problems, Result, excerpt};

/// Content of each column of a file; `None` for those that are not wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnLayout(Vec<Option<Column>>);

impl ColumnLayout {
    /// The number of columns that are named, those to leave out among them.
    pub fn n_columns(&self) -> usize {
        self.0.len()
    }
}

impl FromStr for ColumnLayout {
    type Err = String;

    /// Names of CoNLL-U's columns in lower case, separated by commas; `_` for a column to leave out.
    fn from_str(text: &str) -> Result<ColumnLayout, String> {
        let mut columns = Vec::new();
        for name in text.split(',').map(|name| name.trim().to_ascii_uppercase()) {
            let column = Column::ALL.into_iter().find(|column| column.name(Format::Conllu) == name);
            if column.is_none() && name != "_" {
                let known = Column::ALL.map(|column| column.name(Format::Conllu).to_ascii_lowercase()).join(", ");
                return Err(format!("`{name}` is no column; expected {known}, or _ for one to leave out"));
            }
            if column.is_some() && columns.contains(&column) {
                return Err(format!("`{name}` is named twice"));
            }
            columns.push(column);
        }
        if !columns.contains(&Some(Column::Form)) {
            return Err("no column holds the form; expected one that is named `form`".to_owned());
        }
        Ok(ColumnLayout(columns))
    }
}

/// Reads sentences from lines of columns, separated by tabs or spaces; blank lines part sentences.
/// Words are numbered unless a column is `id`. Empty columns become `_`.
#[derive(Debug)]
pub struct ColumnReader<R> {
    input: R,
    blocks: Blocks,
    source: String,
    layout: ColumnLayout,
    n_sentences: usize,
    block: Vec<u8>,
    finished: bool,
    longer: Option<Longer>,
}

/// Lines with more columns than the layout names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Longer {
    /// Number of lines.
    pub n_lines: usize,
    /// The number of the first of them in the file.
    pub line: usize,
    /// The number of its columns.
    pub n_columns: usize,
}

impl<R: BufRead> ColumnReader<R> {
    /// Reads `input`, called `source` in messages.
    pub fn new(input: R, source: &str, layout: ColumnLayout) -> ColumnReader<R> {
        ColumnReader {
            input,
            blocks: Blocks::new(layout.0.contains(&Some(Column::Id))),
            source: source.to_owned(),
            layout,
            n_sentences: 0,
            block: Vec::new(),
            finished: false,
            longer: None,
        }
    }

    /// The lines so far whose last columns were left out, as the layout does not name them.
    pub fn longer(&self) -> Option<Longer> {
        self.longer
    }

    fn advance(&mut self) -> Result<Option<Sentence>> {
        let mut faults = Vec::new();
        let block = self.blocks.next(&mut self.input, &mut self.block, &mut faults);
        let first = match block.map_err(Error::io(&self.source))? {
            NextBlock::At(line) => line,
            NextBlock::TooLong(line) => {
                return Err(self
                    .problem(line, "64 MiB without a blank line", "a blank line behind each sentence")
                    .into());
            }
            NextBlock::End => return Ok(None),
        };
        let Ok(text) = std::str::from_utf8(&self.block) else {
            let expected = super::recognise::encoding(&self.block);
            return Err(self.problem(first, "bytes that are not UTF-8", &expected).into());
        };
        self.n_sentences += 1;
        let has_numbers = self.layout.0.contains(&Some(Column::Id));
        let is_comment = |line: &str, n_fields: usize| {
            let is_pair = line.starts_with("# ") && line.contains(" = ");
            line.starts_with('#') && (has_numbers || is_pair || n_fields < self.layout.0.len())
        };
        let has_id = sent_id(text).is_some();
        let mut sentence = if has_id { String::new() } else { format!("# sent_id = {}\n", self.n_sentences) };
        let mut n_words = 0;
        for (i, line) in text.lines().enumerate() {
            let fields = fields(line);
            if n_words == 0 && is_comment(line, fields.len()) {
                // The list of CoNLL-U Plus columns is no longer true.
                if recognise::plus_columns(line).is_none() {
                    sentence.push_str(line.trim_end_matches([' ', '\t']));
                    sentence.push('\n');
                }
                continue;
            }
            if fields.len() < self.layout.0.len() {
                let expected = format!("at least the {} of --columns", self.layout.0.len());
                let found = format!("{} columns in `{}`", fields.len(), excerpt(line));
                return Err(self.problem(first + i, &found, &expected).into());
            }
            if fields.iter().skip(self.layout.0.len()).any(|field| !field.is_empty()) {
                let first = Longer { n_lines: 0, line: first + i, n_columns: fields.len() };
                self.longer.get_or_insert(first).n_lines += 1;
            }
            n_words += 1;
            let mut columns = [""; 10];
            let number = n_words.to_string();
            columns[Column::Id as usize] = &number;
            for (field, column) in fields.iter().zip(&self.layout.0) {
                if let Some(column) = column {
                    columns[*column as usize] = field;
                }
            }
            for (place, column) in columns.iter().enumerate() {
                sentence.push_str(if place == 0 { "" } else { "\t" });
                sentence.push_str(if column.is_empty() { "_" } else { column });
            }
            sentence.push('\n');
        }
        // Comments come and go; the last lines are the same.
        let n_lines = sentence.matches('\n').count();
        let moved = |mut problem: Problem| {
            problem.location.line =
                (first + text.lines().count() + problem.location.line).saturating_sub(1 + n_lines).max(first);
            problem
        };
        let sentence = Sentence::new(&self.source, Format::Conllu, &sentence).map_err(moved)?;
        let mut wrong = Problems::new(1);
        sentence.check_given_heads(&mut wrong);
        match wrong.into_first().map(moved) {
            None => Ok(Some(sentence)),
            Some(mut problem) => {
                problem.expected += "; does --columns name the right column `head`?";
                Err(problem.into())
            }
        }
    }

    fn problem(&self, line: usize, found: &str, expected: &str) -> Problem {
        Problem::at(&self.source, line, found, expected)
    }
}

impl<R: BufRead> Iterator for ColumnReader<R> {
    type Item = Result<Sentence>;

    fn next(&mut self) -> Option<Result<Sentence>> {
        if self.finished {
            return None;
        }
        let result = self.advance();
        self.finished = !matches!(result, Ok(Some(_)));
        result.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, layout: &str) -> Vec<Result<String, String>> {
        let reader = ColumnReader::new(text.as_bytes(), "x", layout.parse().unwrap());
        reader.map(|s| s.map(|s| s.text().to_owned()).map_err(|e| e.to_string())).collect()
    }

    #[test]
    fn columns_go_where_they_belong() {
        let expected = "# sent_id = 1\n1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t0\troot\t_\t_\n";
        let text = "The\tDT\tDET\t2\tdet\ncat\tNN\tNOUN\t0\troot\n\n\n";
        assert_eq!(read(text, "form,_,upos,head,deprel"), [Ok(expected.to_owned())]);
        assert_eq!(read(&text.replace('\t', "  "), "form,_,upos,head,deprel"), [Ok(expected.to_owned())]);
        assert_eq!(read("a\n\nb\n", "form").len(), 2);
    }

    #[test]
    fn only_tabs_and_spaces_part_columns() {
        let forms = |text: &str| -> Vec<String> {
            let reader = ColumnReader::new(text.as_bytes(), "x", "form,upos,head,deprel".parse().unwrap());
            let of = |s: Sentence| s.words().map(|word| s.form(word).to_owned()).collect::<Vec<_>>();
            reader.flat_map(|sentence| of(sentence.unwrap())).collect()
        };
        for space in ["\u{a0}", "\u{3000}", "\u{2009}", "\u{85}", "\u{2028}", "\u{b}", "\u{c}"] {
            let form = format!("{space}a{space}b{space}");
            assert_eq!(
                forms(&format!("{form} X 2 nsubj\n#  SYM   3 punct\nwins VERB 0 root\n\n")),
                [&form, "#", "wins"]
            );
            assert_eq!(forms(&format!("{form}\tX\t0\troot\n\n{space}\tX\t0\troot\n")), [&form, space]);
        }
    }

    #[test]
    fn heads_are_numbers_of_words() {
        for (head, found) in [("NN", "the head `NN` of word 2"), ("3", "the head `3` of word 2")] {
            let wrong = read(&format!("# x\n1 a _\n2 b {head}\n"), "id,form,head").remove(0).unwrap_err();
            assert!(
                wrong.starts_with(&format!("x:3 (sentence 1): {found}; ")) && wrong.contains("--columns"),
                "{wrong}"
            );
        }
        assert!(read("a _\nb 0\n", "form,head")[0].is_ok());
    }

    #[test]
    fn comments_stay() {
        let text = "# sent_id = w1\n# text = one two three\n1 one N 2\n2 two V 0\n\n";
        let read = read(text, "id,form,upos,head");
        let sentence = read[0].as_ref().unwrap();
        assert!(sentence.starts_with("# sent_id = w1\n# text = one two three\n1\tone\t"), "{sentence}");
        // If a number sign may be a word, a line like a comment is one.
        let read = self::read("# text = a b\n# N\na N\n\n", "form,upos");
        let sentence = read[0].as_ref().unwrap();
        assert!(sentence.starts_with("# sent_id = 1\n# text = a b\n1\t#\t_\tN"), "{sentence}");
    }

    #[test]
    fn columns_that_the_layout_does_not_name_are_counted() {
        let of = |text: &str| {
            let mut reader = ColumnReader::new(text.as_bytes(), "x", "form,upos".parse().unwrap());
            assert!(reader.by_ref().all(|sentence| sentence.is_ok()), "{text}");
            reader.longer()
        };
        assert_eq!(of("a\tN\nb\tN\t\n"), None);
        assert_eq!(of("a\tN\n\nb\tN\t0\troot\nc\tN\t1\n"), Some(Longer { n_lines: 2, line: 3, n_columns: 4 }));
    }

    #[test]
    fn what_does_not_fit_is_refused_on_its_line() {
        let wrong = read("# note\na\tX\nb\n", "form,upos").remove(0).unwrap_err();
        assert!(wrong.starts_with("x:3: 1 columns in `b`; expected at least the 2"), "{wrong}");
        let wrong = read("1\ta\n3\tb\n", "id,form").remove(0).unwrap_err();
        assert!(wrong.starts_with("x:2 (sentence 1): the id `3`"), "{wrong}");
        for layout in ["upos", "form,form", "form,tag"] {
            assert!(layout.parse::<ColumnLayout>().is_err(), "{layout}");
        }
    }
}
