//! Scores of files whose words differ: those of Universal Dependencies' own `eval.py`, to the digit.
//!
//! Zeman et al., "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies" (CoNLL 2018), section
//! 5, and the program `udeval` of the package `udtools`. Two files have the same text if their tokens say the same when white
//! space is left out; a token is then a span of that text. Words that are tokens are aligned if their spans are equal, words
//! of multiword tokens by the longest common subsequence of their forms within the smallest span that cuts no multiword
//! token. Labels lose their subtypes, and features other than universal ones are left out.

use serde::Serialize;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::{EvalInput, Granularity, InputSentence, align};
use crate::error::{Problem, distinguished, excerpt};
use crate::tree::ROOT;

/// One score of a system whose words are aligned with those of gold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AlignedScore {
    /// The metric as `eval.py` names it.
    pub metric: &'static str,
    /// Things that are right.
    pub correct: u64,
    /// Things in gold.
    pub gold: u64,
    /// Things in the system's file.
    pub system: u64,
    /// Words aligned, of those that the metric is about; none for metrics that are not about aligned words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aligned: Option<u64>,
    /// `correct` in percent of `system`; 0 if there are none.
    pub precision: f64,
    /// `correct` in percent of `gold`; 0 if there are none.
    pub recall: f64,
    /// The harmonic mean of both, in percent.
    pub f1: f64,
    /// `correct` in percent of `aligned`; 0 if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aligned_accuracy: Option<f64>,
}

impl AlignedScore {
    fn new(metric: &'static str, [gold, system, correct]: [u64; 3], aligned: Option<u64>) -> AlignedScore {
        // In this order of operations the digits are those of eval.py.
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { 100.0 * (part as f64 / whole as f64) };
        AlignedScore {
            metric,
            correct,
            gold,
            system,
            aligned,
            precision: share(correct, system),
            recall: share(correct, gold),
            f1: share(2 * correct, system + gold),
            aligned_accuracy: aligned.map(|aligned| share(correct, aligned)),
        }
    }
}

/// Relations of content words, of which CLAS, MLAS and BLEX are.
const CONTENT: [&str; 29] = [
    "nsubj",
    "obj",
    "iobj",
    "csubj",
    "ccomp",
    "xcomp",
    "obl",
    "vocative",
    "expl",
    "dislocated",
    "advcl",
    "advmod",
    "discourse",
    "nmod",
    "appos",
    "nummod",
    "acl",
    "amod",
    "conj",
    "fixed",
    "flat",
    "compound",
    "list",
    "parataxis",
    "orphan",
    "goeswith",
    "reparandum",
    "root",
    "dep",
];

/// Relations of function words, which MLAS looks at with their heads.
const FUNCTIONAL: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];

/// Universal features, which are compared.
const FEATURES: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
];

/// Bytes of the text of all tokens.
type Span = std::ops::Range<usize>;

/// A word of a file.
struct Word<'a> {
    sentence: &'a InputSentence,
    /// Its entry in the sentence's lists.
    place: usize,
    /// The span of its token.
    span: Span,
    is_multiword: bool,
    /// Its label without subtype.
    label: &'a str,
    /// Its head among all words of the file; `None` if that is the root.
    head: Option<usize>,
    /// Its dependents with functional relations, in order.
    functional: Vec<usize>,
}

impl<'a> Word<'a> {
    fn is_content(&self) -> bool {
        CONTENT.contains(&self.label)
    }

    fn upos(&self) -> &'a str {
        &self.sentence.upos[self.place]
    }

    fn xpos(&self) -> &'a str {
        &self.sentence.xpos[self.place]
    }

    fn lemma(&self) -> &'a str {
        &self.sentence.lemmas[self.place]
    }

    /// The universal ones of its features, sorted.
    fn feats(&self) -> Vec<&'a str> {
        let is_universal = |feature: &&str| FEATURES.contains(&feature.split('=').next().unwrap_or_default());
        let mut feats: Vec<&str> = self.sentence.feats[self.place].split('|').filter(is_universal).collect();
        feats.sort_unstable();
        feats
    }

    /// The form as the longest common subsequence compares it.
    fn form(&self) -> String {
        let form = &self.sentence.forms[self.place];
        let form = form.chars().filter(|&c| self.is_multiword || !is_space(c));
        form.collect::<String>().to_lowercase()
    }
}

/// The text of a file, and where in it everything is.
#[derive(Default)]
struct Text<'a> {
    text: String,
    tokens: Vec<Token<'a>>,
    sentences: Vec<Span>,
    words: Vec<Word<'a>>,
}

struct Token<'a> {
    span: Span,
    sentence: &'a InputSentence,
    line: usize,
    /// Its form as it stands.
    form: &'a str,
    /// True of a sentence's first token.
    is_first: bool,
}

impl<'a> Text<'a> {
    /// # Errors
    /// If a token says nothing, white space left out: the first such token.
    fn new(input: &'a EvalInput) -> Result<Text<'a>, Problem> {
        let mut all = Text::default();
        for sentence in &input.sentences {
            let (start, first_word) = (all.text.len(), all.words.len());
            let mut ranges = sentence.ranges.iter().peekable();
            let mut place = 0;
            while place < sentence.n_words() {
                let range = ranges.next_if(|range| range.words.start == place);
                let (form, line, end) = match range {
                    Some(range) => (range.form.as_str(), range.line, range.words.end),
                    None => (sentence.forms[place].as_str(), sentence.lines[place], place + 1),
                };
                let at = all.text.len();
                all.text.extend(form.chars().filter(|&c| !is_space(c)));
                let span = at..all.text.len();
                if span.is_empty() {
                    let found = format!("the word `{}`", excerpt(form));
                    let location = align::location(&input.path, line, sentence);
                    return Err(Problem { location, found, expected: "text that is not white space alone".to_owned() });
                }
                all.tokens.push(Token { span: span.clone(), sentence, line, form, is_first: place == 0 });
                for place in place..end {
                    let head = sentence.heads[place];
                    all.words.push(Word {
                        sentence,
                        place,
                        span: span.clone(),
                        is_multiword: range.is_some(),
                        label: Granularity::Universal.of(&sentence.labels[place]),
                        head: (head != ROOT).then(|| first_word + usize::from(head) - 1),
                        functional: Vec::new(),
                    });
                }
                place = end;
            }
            for word in first_word..all.words.len() {
                let Word { label, head, .. } = all.words[word];
                if let Some(head) = head.filter(|_| FUNCTIONAL.contains(&label)) {
                    all.words[head].functional.push(word);
                }
            }
            all.sentences.push(start..all.text.len());
        }
        Ok(all)
    }
}

/// True of white space that is left out of the text of tokens.
fn is_space(c: char) -> bool {
    c.general_category() == GeneralCategory::SpaceSeparator
}

/// Scores of `system` against `gold`, whose words may be others, in the order of `eval.py`.
///
/// # Errors
/// If the two do not have the same text: the first place where they part, with the line of both files. If a word is white
/// space alone.
pub fn aligned_scores(gold: &EvalInput, system: &EvalInput) -> Result<Vec<AlignedScore>, Problem> {
    let [gold_text, system_text] = [Text::new(gold)?, Text::new(system)?];
    if gold_text.text != system_text.text {
        return Err(first_difference(&gold.path, &gold_text, &system.path, &system_text));
    }
    let spans = |metric, gold: Vec<&Span>, system: Vec<&Span>| {
        AlignedScore::new(metric, [gold.len() as u64, system.len() as u64, n_equal(&gold, &system)], None)
    };
    let tokens = |text: &Text| text.tokens.iter().map(|token| token.span.clone()).collect::<Vec<_>>();
    let [gold_tokens, system_tokens] = [tokens(&gold_text), tokens(&system_text)];
    let mut scores = vec![
        spans("Tokens", gold_tokens.iter().collect(), system_tokens.iter().collect()),
        spans("Sentences", gold_text.sentences.iter().collect(), system_text.sentences.iter().collect()),
    ];
    scores.extend(Alignment::new(&gold_text.words, &system_text.words).scores());
    Ok(scores)
}

/// The number of spans that are in both lists, which are in the order of the text.
fn n_equal(gold: &[&Span], system: &[&Span]) -> u64 {
    let (mut g, mut s, mut n) = (0, 0, 0);
    while let (Some(gold), Some(system)) = (gold.get(g), system.get(s)) {
        if gold.start == system.start {
            n += u64::from(gold.end == system.end);
        }
        (g, s) = (g + usize::from(gold.start <= system.start), s + usize::from(system.start <= gold.start));
    }
    n
}

/// The place where the texts of two files part.
fn first_difference(gold_path: &str, gold: &Text, system_path: &str, system: &Text) -> Problem {
    let pairs = gold.text.bytes().zip(system.text.bytes());
    let same = pairs.take_while(|(gold, system)| gold == system).count();
    let mut at = [gold, system].map(|text| text.tokens.partition_point(|token| token.span.end <= same));
    // A token that is the beginning of the other one ends just before the difference.
    let begins = |text: &Text, place: usize| text.tokens.get(place).map(|token| token.span.start);
    for (shorter, longer) in [(0, 1), (1, 0)] {
        let texts = [gold, system];
        if let Some(before) = at[shorter].checked_sub(1)
            && begins(texts[shorter], before) == begins(texts[longer], at[longer])
        {
            at[shorter] = before;
        }
    }
    let [gold_token, system_token] = [gold.tokens.get(at[0]), system.tokens.get(at[1])];
    let place = |path, token: &Token| align::location(path, token.line, token.sentence);
    match (gold_token, system_token) {
        (Some(expected), Some(found)) => {
            let words = distinguished(expected.form, found.form);
            let [expected_form, found_form] = words.map(|form| format!("word {form}"));
            Problem {
                location: place(system_path, found),
                found: found_form,
                expected: format!("{expected_form} as in {}", place(gold_path, expected)),
            }
        }
        (Some(expected), None) => {
            let found = format!("the end of the file after {} sentences", system.sentences.len());
            let what = if expected.is_first { "sentence" } else { "word" };
            Problem::at(system_path, 0, found, format!("the {what} at {}", place(gold_path, expected)))
        }
        (None, Some(found)) => Problem {
            location: place(system_path, found),
            found: match found.is_first {
                true => format!("a sentence more than the {} of {gold_path}", gold.sentences.len()),
                false => format!("the word `{}` more than in {gold_path}", excerpt(found.form)),
            },
            expected: "the end of the file".to_owned(),
        },
        (None, None) => unreachable!("one of two texts that differ goes on"),
    }
}

/// Words of gold with words of a system.
struct Alignment<'a> {
    gold: &'a [Word<'a>],
    system: &'a [Word<'a>],
    /// Pairs of words, in order.
    pairs: Vec<(usize, usize)>,
    /// By word of the system: gold's.
    gold_of: Vec<Option<usize>>,
}

impl<'a> Alignment<'a> {
    fn new(gold: &'a [Word<'a>], system: &'a [Word<'a>]) -> Alignment<'a> {
        let mut pairs = Vec::new();
        let (mut g, mut s) = (0, 0);
        while let (Some(of_gold), Some(of_system)) = (gold.get(g), system.get(s)) {
            if of_gold.is_multiword || of_system.is_multiword {
                let [first, end] = multiword_span(gold, system, [g, s]);
                by_forms(&gold[first[0]..end[0]], &system[first[1]..end[1]], |g, s| {
                    pairs.push((first[0] + g, first[1] + s));
                });
                [g, s] = end;
            } else if of_gold.span == of_system.span {
                pairs.push((g, s));
                (g, s) = (g + 1, s + 1);
            } else if of_gold.span.start <= of_system.span.start {
                g += 1;
            } else {
                s += 1;
            }
        }
        let mut gold_of = vec![None; system.len()];
        pairs.iter().for_each(|&(g, s)| gold_of[s] = Some(g));
        Alignment { gold, system, pairs, gold_of }
    }

    fn scores(&self) -> Vec<AlignedScore> {
        let label = |g: &Word, s: &Word| g.label == s.label;
        let upos = |g: &Word, s: &Word| g.upos() == s.upos();
        let feats = |g: &Word, s: &Word| g.feats() == s.feats();
        // A word without a gold lemma is right.
        let lemma = |g: &Word, s: &Word| g.lemma() == "_" || g.lemma() == s.lemma();
        let head = |g: &Word, s: &Word| self.is_head(g.head, s.head);
        let labelled = |g: &Word, s: &Word| head(g, s) && label(g, s);
        let tagged = |g: &Word, s: &Word| labelled(g, s) && upos(g, s) && feats(g, s);
        let functional = |g: &Word, s: &Word| {
            let pairs = || g.functional.iter().zip(&s.functional);
            let is_same = |(&g, &s): (&usize, &usize)| {
                let [of_gold, of_system] = [&self.gold[g], &self.system[s]];
                self.gold_of[s] == Some(g)
                    && label(of_gold, of_system)
                    && upos(of_gold, of_system)
                    && feats(of_gold, of_system)
            };
            g.functional.len() == s.functional.len() && pairs().all(is_same)
        };
        let (all, content) = (|_: &Word| true, |word: &Word| word.is_content());
        let words = [self.gold.len(), self.system.len(), self.pairs.len()].map(|n| n as u64);
        vec![
            AlignedScore::new("Words", words, None),
            self.score("UPOS", all, upos),
            self.score("XPOS", all, |g, s| g.xpos() == s.xpos()),
            self.score("UFeats", all, feats),
            self.score("AllTags", all, |g, s| upos(g, s) && g.xpos() == s.xpos() && feats(g, s)),
            self.score("Lemmas", all, lemma),
            self.score("UAS", all, head),
            self.score("LAS", all, labelled),
            self.score("CLAS", content, labelled),
            self.score("MLAS", content, |g, s| tagged(g, s) && functional(g, s)),
            self.score("BLEX", content, |g, s| labelled(g, s) && lemma(g, s)),
        ]
    }

    /// True if the head of a word of the system is aligned with gold's, or both are the root.
    fn is_head(&self, gold: Option<usize>, system: Option<usize>) -> bool {
        match (gold, system) {
            (Some(gold), Some(system)) => self.gold_of[system] == Some(gold),
            (gold, system) => gold == system,
        }
    }

    /// The score about those words that `counts` names, in which a pair is right if `is_right` says so.
    fn score(
        &self,
        metric: &'static str,
        counts: impl Fn(&Word) -> bool,
        is_right: impl Fn(&Word, &Word) -> bool,
    ) -> AlignedScore {
        let n = |words: &[Word]| words.iter().filter(|word| counts(word)).count() as u64;
        let pairs = || self.pairs.iter().map(|&(g, s)| (&self.gold[g], &self.system[s])).filter(|(g, _)| counts(g));
        let correct = pairs().filter(|(g, s)| is_right(g, s)).count() as u64;
        AlignedScore::new(metric, [n(self.gold), n(self.system), correct], Some(pairs().count() as u64))
    }
}

/// The first words, and those behind the last ones, of the smallest span that begins at words `at` of gold and system, of which
/// one at least is of a multiword token, and in which every multiword token is whole.
fn multiword_span(gold: &[Word], system: &[Word], at: [usize; 2]) -> [[usize; 2]; 2] {
    let [mut g, mut s] = at;
    let mut end;
    if gold[g].is_multiword {
        end = gold[g].span.end;
        s += usize::from(!system[s].is_multiword && system[s].span.start < gold[g].span.start);
    } else {
        end = system[s].span.end;
        g += usize::from(gold[g].span.start < system[s].span.start);
    }
    let first = [g, s];
    let is_within = |words: &[Word], at: usize, end: usize| {
        words.get(at).is_some_and(|word| if word.is_multiword { word.span.start < end } else { word.span.end <= end })
    };
    while is_within(gold, g, end) || is_within(system, s, end) {
        let is_gold_next =
            gold.get(g).is_some_and(|word| system.get(s).is_none_or(|other| word.span.start <= other.span.start));
        let word = if is_gold_next { &gold[g] } else { &system[s] };
        if word.is_multiword {
            end = end.max(word.span.end);
        }
        (g, s) = if is_gold_next { (g + 1, s) } else { (g, s + 1) };
    }
    [first, [g, s]]
}

/// Aligns words by the longest common subsequence of their forms; of several, that which leaves out words of gold first.
fn by_forms(gold: &[Word], system: &[Word], mut align: impl FnMut(usize, usize)) {
    let forms = |words: &[Word]| words.iter().map(Word::form).collect::<Vec<_>>();
    let [gold, system] = [forms(gold), forms(system)];
    // Equal words are always aligned: where both begin with the same, that needs no table.
    let n_same = gold.iter().zip(&system).take_while(|(g, s)| g == s).count();
    (0..n_same).for_each(|word| align(word, word));
    let [gold, system] = [&gold[n_same..], &system[n_same..]];
    // By word of gold and of the system: whether as many are common without this word of gold. One row of lengths suffices.
    let mut without = vec![bitvec(system.len()); gold.len()];
    let mut lengths = vec![0_u32; system.len() + 1];
    for (g, form) in gold.iter().enumerate().rev() {
        let mut diagonal = 0;
        for s in (0..system.len()).rev() {
            let below = lengths[s];
            let of_equal = if *form == system[s] { diagonal + 1 } else { 0 };
            lengths[s] = below.max(lengths[s + 1]).max(of_equal);
            without[g][s / 64] |= u64::from(lengths[s] == below) << (s % 64);
            diagonal = below;
        }
    }
    let (mut g, mut s) = (0, 0);
    while g < gold.len() && s < system.len() {
        if gold[g] == system[s] {
            align(n_same + g, n_same + s);
            (g, s) = (g + 1, s + 1);
        } else if without[g][s / 64] >> (s % 64) & 1 == 1 {
            g += 1;
        } else {
            s += 1;
        }
    }
}

/// As many bits, all 0.
fn bitvec(n: usize) -> Vec<u64> {
    vec![0; n.div_ceil(64)]
}
