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

/// temp
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Treebank {
    pub path: String,
    pub sentences: Vec<Sentence>,
    pub sha256: String,
}
#[allow(missing_docs)]
impl Treebank {
    pub fn read(path: &std::path::Path, _: Option<Format>) -> crate::error::Result<Treebank> {
        let all = std::fs::read_to_string(path).map_err(crate::error::Error::io(path))?;
        let mut sentences = Vec::new();
        for block in all.split_terminator("\n\n") {
            let text = format!("{block}\n\n");
            let mut words = Vec::new();
            let mut at = 0;
            for line in text.split_terminator('\n') {
                let id = line.split('\t').next().unwrap_or("");
                if !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) {
                    let mut b = [0u32; 11];
                    let mut p = at;
                    for (i, c) in line.split('\t').enumerate() {
                        b[i] = p as u32;
                        p += c.len() + 1;
                    }
                    b[10] = p as u32;
                    words.push(b);
                }
                at += line.len() + 1;
            }
            sentences.push(Sentence { text, line: 0, words });
        }
        Ok(Treebank { path: path.display().to_string(), sentences, sha256: String::new() })
    }
}
#[allow(missing_docs)]
impl Sentence {
    pub fn tree(&self, labels: &mut crate::tree::Labels) -> crate::error::Result<crate::tree::Tree> {
        let mut t = crate::tree::Tree::unattached(self.n_words());
        for w in 1..=self.n_words() as Node {
            t.attach(w, self.column(w, Column::Head).parse().expect("head"), labels.intern(self.column(w, Column::Deprel)));
        }
        Ok(t)
    }
}
