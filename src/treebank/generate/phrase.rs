//! Phrases, and how they become rows of words.

use crate::tree::Node;

/// A word with all that depends on it, in order.
#[derive(Debug, Clone)]
pub(super) struct Phrase<'a> {
    pub form: &'a str,
    pub upos: &'static str,
    pub label: &'static str,
    /// Dependents in front of the word.
    pub before: Vec<Phrase<'a>>,
    /// Dependents behind it.
    pub after: Vec<Phrase<'a>>,
    /// True if the phrase stands at the end of the sentence, not where it belongs.
    pub extraposed: bool,
}

/// A word in its place.
#[derive(Debug, Clone)]
pub(super) struct Word<'a> {
    pub form: &'a str,
    pub upos: &'static str,
    pub head: Node,
    pub label: &'static str,
}

impl<'a> Phrase<'a> {
    pub(super) fn new(form: &'a str, upos: &'static str, label: &'static str) -> Phrase<'a> {
        Phrase { form, upos, label, before: Vec::new(), after: Vec::new(), extraposed: false }
    }

    pub(super) fn before(mut self, dependent: Phrase<'a>) -> Phrase<'a> {
        self.before.push(dependent);
        self
    }

    pub(super) fn after(mut self, dependent: Phrase<'a>) -> Phrase<'a> {
        self.after.push(dependent);
        self
    }

    /// The words from left to right; extraposed phrases come before the last dependent of the whole, its full stop.
    pub(super) fn words(&self) -> Vec<Word<'a>> {
        let mut row = Row::default();
        let (stop, rest) = match self.after.split_last() {
            Some((stop, rest)) => (Some(stop), rest),
            None => (None, &[][..]),
        };
        let root = row.place(self, rest, None);
        for (phrase, head) in std::mem::take(&mut row.waiting) {
            row.place(phrase, &phrase.after, Some(head));
        }
        if let Some(stop) = stop {
            row.place(stop, &stop.after, Some(root));
        }
        row.in_order()
    }
}

/// Words in the making: heads are indices into `words` until all are placed.
#[derive(Default)]
struct Row<'p, 'a> {
    words: Vec<(&'p Phrase<'a>, Option<usize>)>,
    /// Indices into `words`, from left to right.
    order: Vec<usize>,
    waiting: Vec<(&'p Phrase<'a>, usize)>,
}

impl<'p, 'a> Row<'p, 'a> {
    fn place(&mut self, phrase: &'p Phrase<'a>, after: &'p [Phrase<'a>], head: Option<usize>) -> usize {
        let this = self.words.len();
        self.words.push((phrase, head));
        self.place_all(&phrase.before, this);
        self.order.push(this);
        self.place_all(after, this);
        this
    }

    fn place_all(&mut self, phrases: &'p [Phrase<'a>], head: usize) {
        for phrase in phrases {
            if phrase.extraposed {
                self.waiting.push((phrase, head));
            } else {
                self.place(phrase, &phrase.after, Some(head));
            }
        }
    }

    fn in_order(self) -> Vec<Word<'a>> {
        let mut place = vec![0 as Node; self.words.len()];
        for (i, &word) in self.order.iter().enumerate() {
            place[word] = i as Node + 1;
        }
        let word = |&word: &usize| {
            let (phrase, head) = self.words[word];
            let head = head.map_or(0, |head| place[head]);
            Word { form: phrase.form, upos: phrase.upos, head, label: phrase.label }
        };
        self.order.iter().map(word).collect()
    }
}
