//! The grammar: choices first, then words that fit them.

use super::lexicon::{Frame, Lexicon, N_CLASSES, N_PERSONS, Verb, zipf};
use super::phrase::Phrase;
use crate::random::{self, Xoshiro256PlusPlus};

const PREPOSITIONS: [&str; 7] = ["with", "in", "from", "near", "by", "on", "up"];
const SUBORDINATORS: [&str; 3] = ["when", "because", "although"];
const PRONOUNS: [&str; 5] = ["she", "they", "he", "we", "it"];
const DETERMINERS: [&str; 4] = ["the", "a", "this", "every"];

/// Largest depth of nested clauses and modifiers.
const MAX_DEPTH: u32 = 3;

pub(super) struct Grammar<'a, 'r> {
    lexicon: &'a Lexicon,
    rng: &'r mut Xoshiro256PlusPlus,
    extrapose: bool,
}

/// True if nouns of `class` modify verbs like `verb` rather than nouns.
fn prefers_verb(verb: &Verb, class: usize) -> bool {
    class == verb.class || class == (verb.class + 1) % N_CLASSES
}

fn is_person(class: usize) -> bool {
    class < N_PERSONS
}

impl<'a, 'r> Grammar<'a, 'r> {
    pub(super) fn new(lexicon: &'a Lexicon, rng: &'r mut Xoshiro256PlusPlus, extrapose: bool) -> Grammar<'a, 'r> {
        Grammar { lexicon, rng, extrapose }
    }

    /// A sentence with its full stop as the last dependent of its verb.
    pub(super) fn sentence(&mut self) -> Phrase<'a> {
        let mut clause = self.clause("root", 0);
        if self.chance(0.08) {
            let mark = self.one_of(&SUBORDINATORS);
            let adverbial = self.clause("advcl", 1);
            let mut adverbial = with_first(adverbial, Phrase::new(mark, "SCONJ", "mark"));
            adverbial.after.push(Phrase::new(",", "PUNCT", "punct"));
            clause = with_first(clause, adverbial);
        }
        if self.chance(0.2) {
            // No comma: until its verb comes, the new subject looks like a conjoined object.
            let conjunct = self.clause("conj", 1);
            clause.after.push(with_first(conjunct, Phrase::new("and", "CCONJ", "cc")));
        }
        clause.after(Phrase::new(".", "PUNCT", "punct"))
    }

    fn clause(&mut self, label: &'static str, depth: u32) -> Phrase<'a> {
        let mut subject = self.subject("nsubj", depth);
        if self.extrapose
            && label == "root"
            && self.chance(0.5)
            && let Some(last) = subject.after.last_mut()
        {
            last.extraposed = matches!(last.label, "nmod" | "acl:relcl");
        }
        let mut clause = self.predicate(label, depth);
        if self.chance(0.15) {
            let adverb = zipf(&self.lexicon.adverbs, self.rng);
            clause = with_first(clause, Phrase::new(adverb, "ADV", "advmod"));
        }
        with_first(clause, subject)
    }

    /// A verb with all that follows it.
    fn predicate(&mut self, label: &'static str, depth: u32) -> Phrase<'a> {
        let frame = match random::below(10, self.rng) {
            0..3 => Frame::Intransitive,
            3..8 => Frame::Transitive,
            8 => Frame::Particle,
            _ if depth < MAX_DEPTH => Frame::Clausal,
            _ => Frame::Transitive,
        };
        let verb = self.verb(frame);
        let mut clause = Phrase::new(&verb.form, "VERB", label);
        match frame {
            Frame::Intransitive => {}
            Frame::Transitive => clause = clause.after(self.object(verb, depth)),
            Frame::Particle => {
                let (particle, object) = (Phrase::new("up", "ADP", "compound:prt"), self.object(verb, depth));
                let (first, second) = if self.chance(0.6) { (particle, object) } else { (object, particle) };
                clause = clause.after(first).after(second);
            }
            Frame::Clausal => {
                let complement = self.clause("ccomp", depth + 1);
                return clause.after(with_first(complement, Phrase::new("that", "SCONJ", "mark")));
            }
        }
        if self.chance(0.4) {
            let class = (verb.class + random::below(2, self.rng) as usize) % N_CLASSES;
            let modifier = self.prepositional("obl", class, Some(verb), depth + 1);
            clause = clause.after(modifier);
        }
        clause
    }

    fn verb(&mut self, frame: Frame) -> &'a Verb {
        zipf(self.lexicon.verbs(frame), self.rng)
    }

    fn subject(&mut self, label: &'static str, depth: u32) -> Phrase<'a> {
        if self.chance(0.25) {
            return Phrase::new(self.one_of(&PRONOUNS), "PRON", label);
        }
        let class = self.class(|_| true);
        let subject = self.nominal(label, class, None, depth);
        if depth == 0 && subject.after.is_empty() && self.chance(0.12) {
            // A reduced relative clause looks like the main clause until the main verb comes.
            let verb = self.verb(Frame::Transitive);
            let class = (verb.class + random::below(2, self.rng) as usize) % N_CLASSES;
            let agent = self.prepositional("obl", class, Some(verb), MAX_DEPTH);
            return subject.after(Phrase::new(&verb.form, "VERB", "acl").after(agent));
        }
        subject
    }

    fn object(&mut self, verb: &'a Verb, depth: u32) -> Phrase<'a> {
        let class = self.class(|_| true);
        self.nominal("obj", class, Some(verb), depth)
    }

    /// A noun of `class` with its modifiers, none of which could modify `verb`, if there is one to its left.
    fn nominal(&mut self, label: &'static str, class: usize, verb: Option<&Verb>, depth: u32) -> Phrase<'a> {
        let mut nominal = self.bare_nominal(label, class);
        if depth >= MAX_DEPTH {
            return nominal;
        }
        let mut inner_class = None;
        if self.chance(0.25) {
            let inner = self.class(|c| c != class && verb.is_none_or(|verb| !prefers_verb(verb, c)));
            let mut modifier = self.prepositional("nmod", inner, verb, MAX_DEPTH);
            if self.chance(0.2) {
                modifier.after.push(self.conjunct(inner));
            }
            nominal.after.push(modifier);
            inner_class = Some(inner);
        }
        if self.chance(0.15) {
            nominal.after.push(self.conjunct(class));
        } else if self.chance(0.15) {
            // With an inner noun of the other kind, the clause may belong to either, and its pronoun decides.
            let low = inner_class.filter(|&inner| is_person(inner) == is_person(class) || self.chance(0.5));
            let relative = self.relative(low.unwrap_or(class), depth + 1);
            match nominal.after.last_mut().filter(|_| low.is_some()) {
                Some(inner) => inner.after.push(relative),
                None => nominal.after.push(relative),
            }
        }
        nominal
    }

    fn bare_nominal(&mut self, label: &'static str, class: usize) -> Phrase<'a> {
        let mut nominal = Phrase::new(zipf(&self.lexicon.nouns[class], self.rng).as_str(), "NOUN", label);
        if self.chance(0.8) {
            nominal = nominal.before(Phrase::new(self.one_of(&DETERMINERS), "DET", "det"));
        }
        while self.chance(0.2) {
            nominal = nominal.before(Phrase::new(zipf(&self.lexicon.adjectives, self.rng).as_str(), "ADJ", "amod"));
        }
        nominal
    }

    fn conjunct(&mut self, class: usize) -> Phrase<'a> {
        let conjunct = self.bare_nominal("conj", class);
        with_first(conjunct, Phrase::new("and", "CCONJ", "cc"))
    }

    fn prepositional(&mut self, label: &'static str, class: usize, verb: Option<&Verb>, depth: u32) -> Phrase<'a> {
        let nominal = self.nominal(label, class, verb, depth);
        with_first(nominal, Phrase::new(self.one_of(&PREPOSITIONS), "ADP", "case"))
    }

    fn relative(&mut self, class: usize, depth: u32) -> Phrase<'a> {
        let pronoun = if is_person(class) { "who" } else { "which" };
        if self.chance(0.6) {
            let clause = self.predicate("acl:relcl", depth);
            return with_first(clause, Phrase::new(pronoun, "PRON", "nsubj"));
        }
        let verb = self.verb(Frame::Transitive);
        let subject = self.subject("nsubj", MAX_DEPTH);
        Phrase::new(&verb.form, "VERB", "acl:relcl").before(Phrase::new(pronoun, "PRON", "obj")).before(subject)
    }

    fn class(&mut self, allowed: impl Fn(usize) -> bool) -> usize {
        loop {
            let class = random::below(N_CLASSES as u64, self.rng) as usize;
            if allowed(class) {
                return class;
            }
        }
    }

    fn chance(&mut self, probability: f64) -> bool {
        random::unit(self.rng) < probability
    }

    fn one_of(&mut self, items: &[&'static str]) -> &'static str {
        zipf::<&'static str>(items, self.rng)
    }
}

/// The phrase with one more dependent in front of all it has.
fn with_first<'a>(mut phrase: Phrase<'a>, first: Phrase<'a>) -> Phrase<'a> {
    phrase.before.insert(0, first);
    phrase
}
