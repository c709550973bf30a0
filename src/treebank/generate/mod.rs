//! A generated treebank: a small grammar with attachments that only words can decide, some of them words far ahead.
//!
//! It stands in for real data where none may be shipped. What makes it hard is known, because it is put there:
//!
//! | construction | who decides |
//! |---|---|
//! | *V the N1 P the N2*: N2 modifies the verb or N1 | the class of N2 against that of the verb |
//! | *N1 P N2 and N3*: N3 is conjoined with N1 or N2 | the class of N3 |
//! | *N1 P N2 who/which ...* | persons want *who*, things *which* |
//! | *V N1 and N2 ...*: a conjoined object, or a new clause | whether a verb follows N2 |
//! | *the N V P N ...*: the main verb, or a reduced relative clause | whether another verb follows |
//! | *V up N*: a particle with an object, or a preposition | the verb |
//!
//! Words follow Zipf's law within their class. Sentences have 3 to 40 words. They are projective unless
//! modifiers may be extraposed over the verb. The lexicon is always the same; the seed decides the sentences, and
//! sentence `i` is the same however many are generated.

mod grammar;
mod lexicon;
mod phrase;

use super::{Format, Sentence, Treebank};
use crate::random;
use grammar::Grammar;
use lexicon::Lexicon;
use std::path::Path;

/// Settings of the generator.
///
/// # Examples
/// ```
/// use treebeam::treebank::generate::{GeneratorOptions, sentences};
///
/// let options = GeneratorOptions { seed: 1, n_sentences: 3, non_projective: false };
/// let few: Vec<String> = sentences(options).map(|sentence| sentence.text().to_owned()).collect();
/// // More of them begin with the same ones.
/// let more = sentences(GeneratorOptions { n_sentences: 5, ..options });
/// assert!(more.take(3).zip(&few).all(|(sentence, known)| sentence.text() == known));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorOptions {
    /// The seed.
    pub seed: u64,
    /// Number of sentences.
    pub n_sentences: usize,
    /// True if modifiers of subjects may be moved behind the verb, which makes crossing arcs.
    pub non_projective: bool,
}

/// The lengths of sentences, in words, punctuation included.
pub const LENGTHS: std::ops::RangeInclusive<usize> = 3..=40;

/// A generated treebank, in memory.
pub fn treebank(options: GeneratorOptions) -> Treebank {
    Treebank::of_sentences(Path::new("generated"), Format::Conllu, sentences(options).collect())
}

/// Generates CoNLL-U sentences one by one.
pub fn sentences(options: GeneratorOptions) -> impl Iterator<Item = Sentence> {
    let lexicon = Lexicon::new();
    (0..options.n_sentences).map(move |i| sentence(&lexicon, options, i))
}

fn sentence(lexicon: &Lexicon, options: GeneratorOptions, i: usize) -> Sentence {
    let mut rng = random::stream(options.seed, "generate", &[i as u64]);
    let words = loop {
        let words = Grammar::new(lexicon, &mut rng, options.non_projective).sentence().words();
        if LENGTHS.contains(&words.len()) {
            break words;
        }
    };
    let forms: Vec<&str> = words.iter().map(|word| word.form).collect();
    let mut text = format!("# sent_id = generated-{}-{}\n# text = {}\n", options.seed, i + 1, forms.join(" "));
    for (i, word) in words.iter().enumerate() {
        let (id, form, upos) = (i + 1, word.form, word.upos);
        text += &format!("{id}\t{form}\t{form}\t{upos}\t_\t_\t{}\t{}\t_\t_\n", word.head, word.label);
    }
    Sentence::new("generated", Format::Conllu, &text).expect("the grammar builds well-formed blocks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Labels, Roots, Tree, is_projective};
    use std::collections::BTreeMap;

    fn generate(seed: u64, non_projective: bool) -> (Vec<Sentence>, Vec<Tree>) {
        let sentences: Vec<_> = sentences(GeneratorOptions { seed, n_sentences: 2000, non_projective }).collect();
        let mut labels = Labels::default();
        let trees = sentences.iter().map(|s| s.tree(Roots::Single, &mut labels).unwrap()).collect();
        (sentences, trees)
    }

    #[test]
    fn sentences_are_sound_and_projective_as_asked() {
        let (sentences, trees) = generate(1, false);
        assert!(sentences.iter().all(|s| LENGTHS.contains(&s.n_words())));
        assert!(trees.iter().all(is_projective));
        let crossing = generate(1, true).1.iter().filter(|tree| !is_projective(tree)).count();
        assert!((50..500).contains(&crossing), "{crossing} of 2,000 are not projective");
    }

    #[test]
    fn the_seed_decides_and_the_number_does_not() {
        let texts = |seed, n_sentences| -> Vec<String> {
            let options = GeneratorOptions { seed, n_sentences, non_projective: true };
            super::sentences(options).map(|s| s.text().to_owned()).collect()
        };
        assert_eq!(texts(1, 50), texts(1, 80)[..50]);
        assert!(texts(1, 50).iter().zip(texts(2, 50)).all(|(a, b)| *a != b));
    }

    /// The same tags in the same order often have another tree: words decide.
    #[test]
    fn tags_alone_do_not_decide() {
        let (sentences, trees) = generate(3, false);
        let mut analyses: BTreeMap<Vec<&str>, Vec<&[u16]>> = BTreeMap::new();
        for (sentence, tree) in sentences.iter().zip(&trees) {
            let tags = sentence.words().map(|w| sentence.column(w, crate::treebank::Column::Upos)).collect();
            analyses.entry(tags).or_default().push(tree.heads());
        }
        let repeated: Vec<_> = analyses.into_values().filter(|trees| trees.len() > 1).collect();
        let several = repeated.iter().filter(|trees| trees.iter().any(|tree| tree != &trees[0])).count();
        assert!(
            several * 4 > repeated.len(),
            "{several} of {} repeated tag sequences have several trees",
            repeated.len()
        );
    }

    #[test]
    fn vocabulary_is_that_of_a_small_language() {
        let (sentences, _) = generate(4, false);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for sentence in &sentences {
            sentence.words().for_each(|word| *counts.entry(sentence.form(word)).or_default() += 1);
        }
        assert!((300..800).contains(&counts.len()), "{} forms", counts.len());
        let rare = counts.values().filter(|&&count| count <= 5).count();
        assert!(rare * 20 > counts.len(), "{rare} of {} forms are rare", counts.len());
    }
}
