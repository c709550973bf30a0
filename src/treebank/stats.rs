//! Statistics of a treebank.

use super::{Column, Sentence};
use crate::error::Problem;
use crate::tree::{ARC_LENGTHS, Labels, Roots, arc_length, non_projective_arcs};
use std::collections::BTreeMap;

/// Counts over sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Sentences.
    pub n_sentences: usize,
    /// Words; ranges and empty nodes are none.
    pub n_words: usize,
    /// Multiword ranges.
    pub n_ranges: usize,
    /// Empty nodes.
    pub n_empty_nodes: usize,
    /// Words of the longest sentence.
    pub longest: usize,
    /// Sentences with at least one non-projective arc.
    pub n_non_projective_sentences: usize,
    /// Non-projective arcs.
    pub n_non_projective_arcs: usize,
    /// Words that hang from the root.
    pub n_roots: usize,
    /// Sentences in which more than one word does.
    pub n_multi_root_sentences: usize,
    /// Frequencies of labels.
    pub labels: BTreeMap<String, usize>,
    /// Frequencies of universal parts of speech; of the language's own where those are `_`.
    pub tags: BTreeMap<String, usize>,
    /// Arcs by length, by the names of [`ARC_LENGTHS`].
    pub arc_lengths: BTreeMap<&'static str, usize>,
}

impl Stats {
    /// Counts one more sentence.
    ///
    /// # Errors
    /// If its annotation is not a tree; any number of roots will do.
    pub fn add(&mut self, sentence: &Sentence) -> Result<(), Problem> {
        let mut labels = Labels::default();
        let tree = sentence.tree(Roots::Several, &mut labels)?;
        self.n_sentences += 1;
        self.n_words += tree.n_words();
        self.longest = self.longest.max(tree.n_words());
        for line in sentence.text().lines().filter(|line| !line.starts_with('#')) {
            let id = line.split('\t').next().unwrap_or_default();
            self.n_ranges += usize::from(id.contains('-'));
            self.n_empty_nodes += usize::from(id.contains('.'));
        }
        let n_arcs = non_projective_arcs(&tree).len();
        self.n_non_projective_arcs += n_arcs;
        self.n_non_projective_sentences += usize::from(n_arcs > 0);
        let n_roots = tree.n_roots();
        self.n_roots += n_roots;
        self.n_multi_root_sentences += usize::from(n_roots > 1);
        for (entry, &head) in tree.heads().iter().enumerate() {
            *self.arc_lengths.entry(ARC_LENGTHS[arc_length(head, entry)]).or_default() += 1;
        }
        for word in sentence.words() {
            let upos = sentence.column(word, Column::Upos);
            let tag = if upos == "_" { sentence.column(word, Column::Xpos) } else { upos };
            match self.tags.get_mut(tag) {
                Some(n) => *n += 1,
                None => drop(self.tags.insert(tag.to_owned(), 1)),
            }
        }
        let mut n_labelled = vec![0; labels.len()];
        tree.labels().iter().for_each(|&label| n_labelled[usize::from(label)] += 1);
        for (name, n) in labels.names().iter().zip(n_labelled) {
            *self.labels.entry(name.clone()).or_default() += n;
        }
        Ok(())
    }

    /// So many words in a hundred.
    pub fn words_percent(&self, n: usize) -> f64 {
        percent(n, self.n_words)
    }

    /// Non-projective arcs in a hundred.
    pub fn non_projective_arcs_percent(&self) -> f64 {
        percent(self.n_non_projective_arcs, self.n_words)
    }

    /// Sentences with a non-projective arc in a hundred.
    pub fn non_projective_sentences_percent(&self) -> f64 {
        percent(self.n_non_projective_sentences, self.n_sentences)
    }
}

/// `part` in percent of `whole`; 0 of nothing.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Format;

    #[test]
    fn everything_is_counted() {
        let line = |id: &str, head: u8, label: &str| format!("{id}\ta\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n");
        let text = [
            "# 1-2 is no range here\n".to_owned(),
            line("1-2", 0, "_"),
            line("1", 0, "root").replace("a\t_\t_", "a\t_\tX"),
            line("2", 4, "x").replace("a\t_\t_\t_", "a\t_\t_\ty"),
            line("3", 1, "x"),
            line("3.1", 0, "_"),
            line("4", 0, "root"),
        ];
        let sentence = Sentence::new("x", Format::Conllu, &text.concat()).unwrap();
        let mut stats = Stats::default();
        stats.add(&sentence).unwrap();
        stats.add(&sentence).unwrap();
        let expected = Stats {
            n_sentences: 2,
            n_words: 8,
            n_ranges: 2,
            n_empty_nodes: 2,
            longest: 4,
            n_non_projective_sentences: 2,
            n_non_projective_arcs: 4,
            n_roots: 4,
            n_multi_root_sentences: 2,
            labels: [("root".into(), 4), ("x".into(), 4)].into(),
            tags: [("X".into(), 2), ("_".into(), 4), ("y".into(), 2)].into(),
            arc_lengths: [("2", 4), ("root", 4)].into(),
        };
        assert_eq!(stats, expected);
        assert_eq!((stats.non_projective_arcs_percent(), stats.non_projective_sentences_percent()), (50.0, 100.0));
    }
}
