//! The words of the generated language.

use crate::random::{self, Xoshiro256PlusPlus};

/// Classes of nouns; the first [`N_PERSONS`] are persons.
pub(super) const N_CLASSES: usize = 6;
/// Number of classes of nouns that are persons.
pub(super) const N_PERSONS: usize = 2;

/// Subcategorisation frame of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// A subject only.
    Intransitive,
    /// An object.
    Transitive,
    /// A particle and an object.
    Particle,
    /// A clause.
    Clausal,
}

/// A verb: its form, and the class of nouns that modify it rather than a noun.
#[derive(Debug, Clone)]
pub(super) struct Verb {
    pub form: String,
    pub class: usize,
}

/// All open-class words, each list by falling frequency.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub nouns: [Vec<String>; N_CLASSES],
    verbs: [Vec<Verb>; 4],
    pub adjectives: Vec<String>,
    pub adverbs: Vec<String>,
}

impl Lexicon {
    pub(super) fn new() -> Lexicon {
        let mut forms = Forms::default();
        let mut list = |n: usize| -> Vec<String> { (0..n).map(|_| forms.next()).collect() };
        let nouns = std::array::from_fn(|_| list(40));
        let verbs = [40, 60, 20, 20].map(|n| {
            let verb = |(i, form)| Verb { form, class: i % N_CLASSES };
            list(n).into_iter().enumerate().map(verb).collect()
        });
        Lexicon { nouns, verbs, adjectives: list(60), adverbs: list(20) }
    }

    pub(super) fn verbs(&self, frame: Frame) -> &[Verb] {
        &self.verbs[frame as usize]
    }
}

/// Draws from `items`, the one at rank `r` (from 1) with a probability proportional to `1 / r` (Zipf's law).
pub(super) fn zipf<'a, T>(items: &'a [T], rng: &mut Xoshiro256PlusPlus) -> &'a T {
    let total: f64 = (1..=items.len()).map(|rank| 1.0 / rank as f64).sum();
    let mut left = random::unit(rng) * total;
    let rank = (1..items.len()).find(|&rank| {
        left -= 1.0 / rank as f64;
        left < 0.0
    });
    &items[rank.unwrap_or(items.len()) - 1]
}

/// An endless list of words that can be pronounced, all different, whose shape says nothing of their class.
#[derive(Default)]
struct Forms {
    n: usize,
}

impl Forms {
    fn next(&mut self) -> String {
        const ONSETS: [&str; 15] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "tr", "st"];
        const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
        const N_SYLLABLES: usize = ONSETS.len() * VOWELS.len();
        // A step without a common divisor with the number of two-syllable words visits each of them once.
        let code = self.n * 1_733 % (N_SYLLABLES * N_SYLLABLES);
        self.n += 1;
        let syllable = |code: usize| [ONSETS[code / VOWELS.len()], VOWELS[code % VOWELS.len()]].concat();
        // The last consonant keeps these words apart from the closed classes.
        [syllable(code / N_SYLLABLES), syllable(code % N_SYLLABLES), "x".into()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forms_are_all_different() {
        let lexicon = Lexicon::new();
        let mut forms: Vec<&String> = lexicon.nouns.iter().flatten().collect();
        forms.extend(lexicon.verbs.iter().flatten().map(|verb| &verb.form));
        forms.extend(lexicon.adjectives.iter().chain(&lexicon.adverbs));
        assert_eq!(forms.len(), 460);
        assert_eq!(forms.iter().collect::<BTreeSet<_>>().len(), forms.len());
    }

    #[test]
    fn the_second_word_is_half_as_frequent_as_the_first() {
        let mut rng = random::stream(1, "test", &[]);
        let items: Vec<usize> = (0..50).collect();
        let mut counts = [0usize; 50];
        (0..100_000).for_each(|_| counts[*zipf(&items, &mut rng)] += 1);
        let ratio = counts[0] as f64 / counts[1] as f64;
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
        assert!(counts.iter().all(|&count| count > 0));
    }
}
