//! Sentences of files with the same words, read side by side.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::sentence;
use treebeam::error::{Error, Location, Problem, Result};
use treebeam::eval::{EvalInput, check_alignment};
use treebeam::tree::ROOT;
use treebeam::treebank::{Reader, Sentence};
use treebeam_lab::draw::DrawnTree;

/// A sentence, and what evaluation reads of it in each file.
pub struct AlignedSentence {
    pub number: usize,
    pub sentence: Sentence,
    pub inputs: Vec<EvalInput>,
}

impl AlignedSentence {
    /// True if the trees of any two files differ.
    pub fn differs(&self) -> bool {
        self.inputs.iter().any(|input| input.sentences[0].analysis() != self.inputs[0].sentences[0].analysis())
    }

    /// The trees, a tree for each file.
    pub fn trees(&self) -> impl Iterator<Item = DrawnTree<'_>> {
        self.inputs.iter().map(|input| DrawnTree { name: name(&input.path), analysis: input.sentences[0].analysis() })
    }
}

/// A file as pictures name it.
pub fn name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// The files, of which the sentences of the first are drawn.
pub struct Files {
    paths: Vec<PathBuf>,
    readers: Vec<Reader<Box<dyn BufRead + Send>>>,
    /// The number of sentences that have been read.
    n: usize,
}

/// A sentence as it stands in each file. Nobody has asked whether there are trees, or the same words.
pub struct Row {
    number: usize,
    sentences: Vec<Sentence>,
}

impl Row {
    /// The sentence with its trees.
    pub fn found(self) -> Result<AlignedSentence> {
        // Words are compared and trees checked as `treebeam eval` does.
        let input = |sentence: &Sentence| EvalInput::of_sentences(sentence.source(), [sentence]);
        let inputs: Vec<EvalInput> = self.sentences.iter().map(input).collect::<Result<_, Problem>>()?;
        inputs[1..].iter().try_for_each(|input| check_alignment(&inputs[0], input))?;
        let sentence = self.sentences.into_iter().next().unwrap_or_else(|| unreachable!("there is a first file"));
        Ok(AlignedSentence { number: self.number, sentence, inputs })
    }
}

impl Files {
    /// Opens them; `-` is standard input.
    pub fn open(paths: Vec<PathBuf>) -> Result<Files> {
        let readers = paths.iter().map(|path| Reader::open(path, None)).collect::<Result<_>>()?;
        Ok(Files { paths, readers, n: 0 })
    }

    /// The files as they were named.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The sentence of this id, or else this number.
    pub fn named(&mut self, wanted: &str) -> Result<AlignedSentence> {
        let path = self.paths[0].display().to_string();
        sentence::find(&mut *self, &path, wanted, |row| &row.sentences[0])?.1.found()
    }

    /// The first sentence.
    pub fn first(&mut self) -> Result<AlignedSentence> {
        match self.next() {
            Some(row) => row?.found(),
            None => Err(sentence::not_found(&self.paths[0].display().to_string(), "1", 0)),
        }
    }

    /// The `wanted`-th sentence whose trees differ, from 1.
    pub fn differing(&mut self, wanted: usize) -> Result<AlignedSentence> {
        let mut n_differing = 0;
        for row in &mut *self {
            let found = row?.found()?;
            n_differing += usize::from(found.differs());
            if n_differing == wanted {
                return Ok(found);
            }
        }
        Err(Error::Usage(match n_differing {
            0 => self.all_the_same(),
            _ => format!(
                "--differ={wanted}: the trees of only {n_differing} of {} sentences differ; expected a number from 1 to {n_differing}",
                self.n
            ),
        }))
    }

    /// Message on files without a difference, when they have been read.
    pub fn all_the_same(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        format!("{} have the same trees in all {} sentences", paths.join(" and "), self.n)
    }

    /// That the other files end where the first one ends.
    pub fn end(&mut self) -> Result<()> {
        for reader in &mut self.readers[1..] {
            if let Some(more) = reader.next() {
                let expected = format!("the end of the file, as {} has {} sentences", self.paths[0].display(), self.n);
                let location = more?.location(ROOT);
                return Err(Problem { location, found: "a sentence more".to_owned(), expected }.into());
            }
        }
        Ok(())
    }
}

impl Iterator for Files {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        let mut readers = self.paths.iter().zip(&mut self.readers);
        let (_, first) = readers.next()?;
        let first = match first.next()? {
            Ok(first) => first,
            Err(error) => return Some(Err(error)),
        };
        let mut sentences = vec![first];
        for (path, reader) in readers {
            match reader.next() {
                Some(Ok(other)) => sentences.push(other),
                Some(Err(error)) => return Some(Err(error)),
                None => return Some(Err(ends_early(path, self.n, &sentences[0]).into())),
            }
        }
        self.n += 1;
        Some(Ok(Row { number: self.n, sentences }))
    }
}

fn ends_early(path: &Path, n_sentences: usize, sentence: &Sentence) -> Problem {
    Problem {
        location: Location { path: path.display().to_string(), line: 0, sentence: None },
        found: format!("the end of the file after {n_sentences} sentences"),
        expected: format!("the sentence at {}", sentence.location(ROOT)),
    }
}
