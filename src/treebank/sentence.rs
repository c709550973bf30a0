//! One sentence with every byte of its block.

use crate::tree::Node;

/// The file formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// CoNLL-U: comments, multiword ranges, empty nodes.
    Conllu,
    /// CoNLL-X: ten columns, words only.
    Conllx,
}

/// The ten columns, by their CoNLL-U names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Column {
    Id,
    Form,
    Lemma,
    Upos,
    Xpos,
    Feats,
    Head,
    Deprel,
    Deps,
    Misc,
}

/// One sentence: the text of its block as it stands in the file, and where its words' columns are.
#[derive(Debug, Clone)]
pub struct Sentence {
    text: String,
    line: usize,
    words: Vec<[u32; 11]>,
}

impl Sentence {
    /// The number of words: lines with a plain number as id.
    pub fn n_words(&self) -> usize {
        self.words.len()
    }

    /// The text of `column` of `word` (1-based).
    pub fn column(&self, word: Node, column: Column) -> &str {
        let bounds = &self.words[word as usize - 1];
        &self.text[bounds[column as usize] as usize..bounds[column as usize + 1] as usize - 1]
    }

    /// The line of the file, from 1, on which the sentence's block starts.
    pub fn line(&self) -> usize {
        self.line
    }
}
