//! The files to train on and to parse: a treebank's three portions, copies, and sentences joined to longer ones.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use treebeam::treebank::{Column, Format, Sentence, Treebank};
use treebeam_lab::experiment::{Data, Portion};

/// Input that is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The test file.
    Test,
    /// The test file's sentences joined until they have so many words.
    Joined(usize),
}

/// Files in a folder of their own.
#[derive(Debug)]
pub struct Inputs {
    /// The treebank that they are made of.
    pub data: Data,
    folder: PathBuf,
}

impl Inputs {
    /// Files of `data` in `folder`, made when they are asked for.
    pub fn new(data: Data, folder: PathBuf) -> Inputs {
        Inputs { data, folder }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The training, development and test files.
    ///
    /// # Errors
    /// If the treebank cannot be read or the files cannot be written.
    pub fn portions(&self) -> anyhow::Result<[PathBuf; 3]> {
        let Data { train, dev, test, .. } = &self.data;
        let file = |name: &str, portion: &Portion| {
            let treebank = self.data.read(portion)?;
            let ending = if treebank.format == Format::Conllx { "conllx" } else { "conllu" };
            let path = self.folder.join(format!("{name}.{ending}"));
            write(&path, 1, &treebank.sentences)?;
            anyhow::Ok(path)
        };
        Ok([file("train", train)?, file("dev", dev)?, file("test", test)?])
    }

    /// The sentences of `input`.
    ///
    /// # Errors
    /// If the treebank cannot be read.
    pub fn sentences(&self, input: Input) -> anyhow::Result<Vec<Sentence>> {
        let test = self.data.read(&self.data.test)?;
        match input {
            Input::Test => Ok(test.sentences),
            Input::Joined(length) => joined(&test, length),
        }
    }

    /// `sentences` so many times over, as a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn copies(&self, sentences: &[Sentence], copies: u64) -> anyhow::Result<PathBuf> {
        let conllx = sentences.first().is_some_and(|sentence| sentence.format() == Format::Conllx);
        let ending = if conllx { "conllx" } else { "conllu" };
        let path = self.folder.join(format!("{}.{ending}", if copies == 1 { "one" } else { "many" }));
        write(&path, copies, sentences)?;
        Ok(path)
    }
}

/// Writes the sentences so many times over.
fn write(path: &Path, copies: u64, sentences: &[Sentence]) -> anyhow::Result<()> {
    let context = || path.display().to_string();
    let mut file = BufWriter::new(File::create(path).with_context(context)?);
    for sentence in (0..copies).flat_map(|_| sentences) {
        sentence.write(&mut file).with_context(context)?;
    }
    file.flush().with_context(context)
}

/// The sentences of `treebank` one after the other in longer ones of at least `length` words each; what is left over at the
/// end is dropped. Forms and the columns that features may read are kept, trees are not.
fn joined(treebank: &Treebank, length: usize) -> anyhow::Result<Vec<Sentence>> {
    let mut sentences = Vec::new();
    let (mut text, mut n_words) = (String::new(), 0);
    for sentence in &treebank.sentences {
        for word in sentence.words() {
            n_words += 1;
            let column = |column| sentence.column(word, column);
            let [form, lemma] = [sentence.form(word), column(Column::Lemma)];
            let [upos, xpos, feats] = [Column::Upos, Column::Xpos, Column::Feats].map(column);
            text += &format!("{n_words}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t_\n");
        }
        if n_words >= length {
            sentences.push(Sentence::new("joined", Format::Conllu, &text).map_err(anyhow::Error::msg)?);
            (text, n_words) = (String::new(), 0);
        }
    }
    Ok(sentences)
}
