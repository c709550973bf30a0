//! Survey of a treebank: the properties that decide how to train on it.

use std::collections::HashSet;

use super::stats::percent;
use super::{Column, Sentence, Stats, Treebank};
use crate::error::Result;

/// The columns that training can read.
const COLUMNS: [Column; 5] = [Column::Form, Column::Lemma, Column::Upos, Column::Xpos, Column::Feats];

/// Counts over a treebank, and a hash of each sentence's forms.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Sentences, words, roots, non-projective arcs, labels.
    pub stats: Stats,
    /// Sentences with the forms of an earlier one.
    pub n_repeated: usize,
    /// Words with `_`, in the order of `COLUMNS`.
    n_empty: [usize; COLUMNS.len()],
    forms: HashSet<u64>,
}

impl Survey {
    /// Surveys a treebank. Linear in its size.
    ///
    /// # Errors
    /// If the annotation of a sentence is no tree; any number of roots will do.
    pub fn of(treebank: &Treebank) -> Result<Survey> {
        let mut survey = Survey::default();
        treebank.sentences.iter().try_for_each(|sentence| survey.add(sentence))?;
        Ok(survey)
    }

    /// Surveys one more sentence.
    ///
    /// # Errors
    /// If its annotation is no tree; any number of roots will do.
    pub fn add(&mut self, sentence: &Sentence) -> Result<()> {
        self.stats.add(sentence)?;
        for (n_empty, column) in self.n_empty.iter_mut().zip(COLUMNS) {
            *n_empty += sentence.words().filter(|&word| sentence.column(word, column) == "_").count();
        }
        self.n_repeated += usize::from(!self.forms.insert(hash_of_forms(sentence)));
        Ok(())
    }

    /// The share of words whose `column` is `_`, in percent; 0 for columns that training does not read.
    pub fn empty_percent(&self, column: Column) -> f64 {
        let place = COLUMNS.iter().position(|&known| known == column);
        place.map_or(0.0, |place| percent(self.n_empty[place], self.stats.n_words))
    }

    /// The columns that are empty in more than half of the words.
    pub fn mostly_empty(&self) -> impl Iterator<Item = Column> {
        COLUMNS.into_iter().filter(|&column| self.empty_percent(column) > 50.0)
    }

    /// The share of sentences with several roots, in percent.
    pub fn several_roots_percent(&self) -> f64 {
        percent(self.stats.n_multi_root_sentences, self.stats.n_sentences)
    }

    /// The number of different sentences, by their forms, that are in `other`, too.
    pub fn n_common(&self, other: &Survey) -> usize {
        self.forms.intersection(&other.forms).count()
    }

    /// The number of sentences of `treebank` whose forms are those of a sentence of this one.
    pub fn n_shared_with(&self, treebank: &Treebank) -> usize {
        treebank.sentences.iter().filter(|sentence| self.forms.contains(&hash_of_forms(sentence))).count()
    }
}

fn hash_of_forms(sentence: &Sentence) -> u64 {
    let forms: Vec<&str> = sentence.words().map(|word| sentence.form(word)).collect();
    rapidhash::v3::rapidhash_v3(forms.join("\t").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Format;
    use std::path::Path;

    #[test]
    fn what_decides_how_to_train_is_counted() {
        let word =
            |id: u8, form: &str, upos: &str, head: u8| format!("{id}\t{form}\t_\t{upos}\tN\t_\t{head}\tx\t_\t_\n");
        let sentence = |text: &str| Sentence::new("x", Format::Conllx, text).unwrap();
        let two_roots = sentence(&(word(1, "a", "_", 0) + &word(2, "b", "_", 0)));
        let one_root = sentence(&(word(1, "c", "X", 0) + &word(2, "b", "_", 1)));
        let sentences = vec![two_roots.clone(), one_root, two_roots.clone()];
        let survey = Survey::of(&Treebank::of_sentences(Path::new("x"), Format::Conllx, sentences)).unwrap();
        assert_eq!((survey.stats.n_sentences, survey.n_repeated), (3, 1));
        assert!((survey.several_roots_percent() - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!(survey.mostly_empty().collect::<Vec<_>>(), [Column::Lemma, Column::Upos, Column::Feats]);
        let dev = Treebank::of_sentences(Path::new("d"), Format::Conllx, vec![two_roots]);
        assert_eq!(survey.n_shared_with(&dev), 1);
        assert_eq!(survey.n_common(&Survey::of(&dev).unwrap()), 1);
    }
}
