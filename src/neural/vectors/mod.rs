//! Word vectors that were made elsewhere, as embeddings of words to begin with.
//!
//! | form | recognised by | what is read |
//! |---|---|---|
//! | word2vec's text | nothing else | lines of a word and its numbers, with or without a head line with their counts |
//! | word2vec's binary | a name in `.bin` | the head line; then each word, a space, and its numbers in 32 bits |
//! | [finalfusion](https://finalfusion.github.io) | its first bytes | words and their rows of a matrix that is not quantised |
//!
//! Words are looked up as the model reads them: in lower case and with digits made equal, unless it reads them as they are written.
//! If several words of the file become one in this way, its vector is that of the word that is spelt like it, else the first one's.

mod finalfusion;
mod source;
#[cfg(test)]
mod tests;

use self::finalfusion::RowReceiver;
use self::source::VectorFile;
use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use crate::error::{Location, Problem, Result, excerpt};
use crate::features::{Columns, Input, MAX_DIMENSION, N_COLUMNS, Vocabulary};
use crate::files;
use crate::model::VectorsOrigin;

/// Vectors of words.
#[derive(Debug, Clone)]
pub struct WordVectors {
    path: String,
    sha256: String,
    dimension: usize,
    /// The line that it follows from; 0 in forms that have no lines.
    dimension_line: usize,
    /// Columns that distinguish words in the model.
    columns: Columns,
    /// The words' values, in the order of the file.
    values: Vec<u64>,
    /// By value: its row, and whether it is that of the word that is spelt like this.
    rows: HashMap<u64, (usize, bool)>,
    /// Row by row.
    numbers: Vec<f32>,
}

impl WordVectors {
    /// Reads the vectors in the file at `path`, which may be packed (`.gz`, `.zst`), for a model that reads these columns.
    ///
    /// # Errors
    /// If it cannot be read or holds no vectors, with the line (or, in binary forms, the number of the word) that is wrong: another
    /// number of numbers than before, what is no number, or another number of words than the file says of itself.
    pub fn read(path: &str, columns: &Columns) -> Result<WordVectors> {
        let mut source = VectorFile::open(path)?;
        let (columns, sha256) = (columns.clone(), String::new());
        let (values, rows, numbers) = (Vec::new(), HashMap::new(), Vec::new());
        let mut vectors = WordVectors {
            path: path.to_owned(),
            sha256,
            dimension: 0,
            dimension_line: 0,
            columns,
            values,
            rows,
            numbers,
        };
        let start = source.start()?;
        let name = path.strip_suffix(".gz").or(path.strip_suffix(".zst")).unwrap_or(path);
        if start.starts_with(finalfusion::MAGIC) {
            finalfusion::read(&mut source, &mut vectors)?;
        } else if let Some((found, expected)) = files::by_magic(&start) {
            return Err(source.problem(0, found.to_owned(), &expected));
        } else if start.starts_with(&FASTTEXT) {
            let expected = "word vectors; fastText writes those of a model's words into its .vec file";
            return Err(source.problem(0, "a model of fastText".to_owned(), expected));
        } else if name.ends_with(".bin") {
            vectors.read_binary(&mut source)?;
        } else {
            vectors.read_text(&mut source)?;
        }
        if vectors.values.is_empty() {
            return Err(source.problem(0, "no vector".to_owned(), "a word and its numbers in each line"));
        }
        vectors.sha256 = source.finish();
        Ok(vectors)
    }

    /// The file as it was named.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// SHA-256 of the file, unpacked.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The vectors that training begins with, if there are to be some: those in the file at `path` are as long as `word_units` says, if it
    /// does. `dimensions` are the lengths of columns' embeddings, of which that of words becomes theirs.
    ///
    /// # Errors
    /// If they cannot be read, or are of another length, with the line that this follows from.
    pub fn of_training(
        path: Option<&str>,
        columns: &Columns,
        word_units: Option<u32>,
        dimensions: Option<&mut [usize; N_COLUMNS]>,
    ) -> Result<Option<WordVectors>> {
        let Some(path) = path else { return Ok(None) };
        let vectors = WordVectors::read(path, columns)?;
        if let Some(dimensions) = dimensions {
            if let Some(asked) = word_units.filter(|&asked| asked as usize != vectors.dimension) {
                let location = Location { path: path.to_owned(), line: vectors.dimension_line, sentence: None };
                let expected =
                    format!("{asked}, as --word-units says; without it embeddings are as long as the vectors");
                return Err(
                    Problem { location, found: format!("vectors of {} numbers", vectors.dimension), expected }.into()
                );
            }
            dimensions[0] = vectors.dimension;
        }
        Ok(Some(vectors))
    }

    /// The numbers in a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of words that the model distinguishes.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Provenance of the vectors, and the number of words of these training sentences that have one.
    pub fn origin<'i>(&self, inputs: impl Iterator<Item = &'i Input>) -> VectorsOrigin {
        let (column, _) = self.columns.word_and_tag();
        // The values of no word and of the root come first.
        let words: HashSet<u64> = inputs.flat_map(|input| input.column(column).iter().skip(2).copied()).collect();
        let covered = words.iter().filter(|value| self.rows.contains_key(*value)).count();
        VectorsOrigin { sha256: self.sha256.clone(), words: self.len(), train_words: words.len(), covered }
    }

    /// The vocabulary with all words that have a vector, those that it lacks behind the others.
    pub fn complete(&self, vocabulary: &Vocabulary) -> Vocabulary {
        vocabulary.with(self.columns.word_and_tag().0, &self.values)
    }

    /// Puts the vectors in the place of embeddings of words, a row for each number of `vocabulary`.
    pub fn fill(&self, vocabulary: &Vocabulary, embeddings: &mut [f32]) {
        let (words, _) = self.columns.word_and_tag();
        for (&value, vector) in self.values.iter().zip(self.numbers.chunks_exact(self.dimension)) {
            match vocabulary.id(words, value) as usize {
                0 => {}
                number => embeddings[number * self.dimension..][..self.dimension].copy_from_slice(vector),
            }
        }
    }

    /// Adds the word whose numbers are the last row.
    fn add(&mut self, word: &str) {
        let value = self.columns.word(word);
        let is_exact = self.columns.is_read_as_written(word);
        let last = self.values.len();
        match self.rows.entry(value) {
            Entry::Vacant(entry) => {
                entry.insert((last, is_exact));
                self.values.push(value);
                return;
            }
            Entry::Occupied(mut entry) => {
                let &(row, was_exact) = entry.get();
                if is_exact && !was_exact {
                    entry.insert((row, true));
                    self.numbers.copy_within(last * self.dimension.., row * self.dimension);
                }
            }
        }
        self.numbers.truncate(last * self.dimension);
    }

    fn read_text(&mut self, source: &mut VectorFile) -> Result<()> {
        let mut announced = None;
        // Words that became one with others count, too.
        let mut n_words = 0;
        let mut line = Vec::new();
        let mut number = 0;
        while source.line(&mut line)? {
            number += 1;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r', ' ', '\t']);
            if number == 1
                && let Some((n, dimension)) = head_line(text)
            {
                announced = Some(n);
                self.set_dimension(source, 1, dimension)?;
                continue;
            }
            if text.is_empty() {
                source.expect_end(number)?;
                break;
            }
            let (word, vector) = word_and_vector(text, self.dimension);
            let start = self.numbers.len();
            for field in vector.split([' ', '\t']).filter(|field| !field.is_empty()) {
                match field.parse::<f32>() {
                    Ok(value) if value.is_finite() => self.numbers.push(value),
                    _ => {
                        let found = format!("{}, which is no number", shown(field));
                        let expected = format!("a number behind the word {}{}", shown(word), hint(source));
                        return Err(source.problem(number, found, &expected));
                    }
                }
            }
            let n = self.numbers.len() - start;
            if self.dimension == 0 {
                self.set_dimension(source, number, n)?;
            }
            if n != self.dimension {
                let found = format!("{n} numbers behind the word {}", shown(word));
                let expected = format!(
                    "{}, as {}",
                    self.dimension,
                    if announced.is_some() { "the first line says" } else { "in the first line" }
                );
                return Err(source.problem(number, found, &expected));
            }
            self.add(word);
            n_words += 1;
        }
        match announced {
            Some(n) if n != n_words => {
                let found = format!("a head line that says {n} words, before {n_words}");
                Err(source.problem(1, found, "as many as there are; the file may have been cut"))
            }
            _ => Ok(()),
        }
    }

    fn read_binary(&mut self, source: &mut VectorFile) -> Result<()> {
        let mut line = Vec::new();
        source.line(&mut line)?;
        let Some((n, dimension)) = head_line(String::from_utf8_lossy(&line).trim_end()) else {
            let found = format!("a first line {}", shown(&String::from_utf8_lossy(&line)));
            let expected = "the numbers of words and of numbers in a vector, as in word2vec's binary form; text should not be named .bin";
            return Err(source.problem(1, found, expected));
        };
        self.set_dimension(source, 1, dimension)?;
        let mut bytes = vec![0; 4 * dimension];
        let mut word = Vec::new();
        for number in 1..=n {
            let cut = |source: &VectorFile| {
                source.problem(0, format!("an end at word {number}"), &format!("{n} words, as the first line says"))
            };
            source.word(&mut word)?;
            if !source.exactly(&mut bytes)? {
                return Err(cut(source));
            }
            self.row(source, (number, &String::from_utf8_lossy(&word)), &bytes)?;
        }
        source.expect_end(0)
    }

    fn set_dimension(&mut self, source: &VectorFile, line: usize, dimension: usize) -> Result<()> {
        if (1..=MAX_DIMENSION).contains(&dimension) {
            (self.dimension, self.dimension_line) = (dimension, line);
            return Ok(());
        }
        let expected = format!("vectors of 1 to {MAX_DIMENSION} numbers");
        Err(source.problem(line, format!("vectors of {dimension} numbers"), &expected))
    }
}

impl RowReceiver for WordVectors {
    fn start(&mut self, source: &VectorFile, dimension: usize) -> Result<()> {
        self.set_dimension(source, 0, dimension)
    }

    fn row(&mut self, source: &VectorFile, (number, word): (usize, &str), bytes: &[u8]) -> Result<()> {
        let start = self.numbers.len();
        self.numbers.extend(bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)));
        if let Some(found) = self.numbers[start..].iter().find(|number| !number.is_finite()) {
            let found = format!("{found} in the vector of word {number}, {}", shown(word));
            return Err(source.problem(0, found, "finite numbers"));
        }
        self.add(word);
        Ok(())
    }
}

/// The word of a line, which may hold spaces, and the last `dimension` fields behind it. Without a dimension, which the first
/// line gives, the fields are the last ones that are numbers, but for the first field.
fn word_and_vector(line: &str, dimension: usize) -> (&str, &str) {
    let mut start = line.len();
    let mut n_fields = 0;
    let mut rest = line;
    while dimension == 0 || n_fields < dimension {
        let Some(at) = rest.rfind([' ', '\t']) else { break };
        let field = &rest[at + 1..];
        if dimension == 0 && n_fields > 0 && field.parse::<f32>().is_err() {
            break;
        }
        start = at + 1;
        n_fields += 1;
        rest = rest[..at].trim_end_matches([' ', '\t']);
    }
    (rest, &line[start..])
}

/// Excerpt in quotation marks, unless the bytes are no text.
fn shown(text: &str) -> String {
    let is_text = !text.contains(|c: char| c == '\u{fffd}' || c.is_control() && !c.is_ascii_whitespace());
    if is_text { format!("`{}`", excerpt(text)) } else { "of bytes that are no text".to_owned() }
}

/// Magic bytes of the files of fastText's models.
const FASTTEXT: [u8; 4] = 793_712_314_u32.to_le_bytes();

/// Head line: the number of words, and of numbers in each vector.
fn head_line(line: &str) -> Option<(usize, usize)> {
    let (n, dimension) = line.trim().split_once([' ', '\t'])?;
    Some((n.parse().ok()?, dimension.trim().parse().ok()?))
}

/// Hint at a probable cause, for a file that does not look like text.
fn hint(source: &VectorFile) -> &'static str {
    if source.is_binary { "; word2vec's binary form is read from files whose names end in .bin" } else { "" }
}
