//! Permitted values of the columns, at level 2.

use std::collections::HashMap;

use crate::error::{Problem, Problems, Rule, excerpt, excerpt_of_ascii};
use crate::treebank::{Column, Format, Sentence};

/// The universal parts of speech.
const UPOS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
];

/// Place of the line that is checked, and the problems found.
pub(super) struct Place<'s> {
    pub(super) sentence: &'s Sentence,
    pub(super) line: usize,
    pub(super) problems: &'s mut Problems,
}

impl Place<'_> {
    pub(super) fn add(&mut self, rule: Rule, found: impl FnOnce() -> String, expected: &str) {
        let (sentence, line) = (self.sentence, self.line);
        self.problems.add(rule, || Problem {
            location: sentence.location_at(line),
            found: found(),
            expected: expected.to_owned(),
        });
    }
}

/// The nodes that the enhanced graph may name: words, and how many empty nodes stand behind each.
pub(super) struct Nodes {
    pub(super) n_words: usize,
    pub(super) empty: HashMap<usize, usize>,
}

impl Nodes {
    pub(super) fn of(sentence: &Sentence) -> Nodes {
        let mut empty = HashMap::new();
        for line in sentence.text().lines().filter(|line| !line.starts_with('#')) {
            let id = line.split('\t').next().unwrap_or_default();
            if let Some((word, _)) = id.split_once('.')
                && let Ok(word) = word.parse()
            {
                *empty.entry(word).or_default() += 1;
            }
        }
        Nodes { n_words: sentence.n_words(), empty }
    }
}

/// Checks the ten columns of the line of a word, a range or an empty node.
pub(super) fn check(columns: &[&str], nodes: &Nodes, annotated: bool, place: &mut Place<'_>) {
    let Ok(columns) = <&[&str; 10]>::try_from(columns) else { return };
    let at = |column: Column| columns[column as usize];
    let id = at(Column::Id);
    if id.contains('-') {
        range(columns, place);
        return;
    }
    let empty = id.contains('.');
    let upos = at(Column::Upos);
    if !(UPOS.contains(&upos) || empty && upos == "_") {
        let found = || format!("the part of speech {}", excerpt_of_ascii(upos));
        place.add(Rule::Upos, found, "one of the 17 universal ones, such as NOUN");
    }
    if let Err(expected) = feats(at(Column::Feats)) {
        place.add(Rule::Feats, || format!("the features `{}`", excerpt(at(Column::Feats))), expected);
    }
    if !annotated {
        return;
    }
    let (head, label) = (at(Column::Head), at(Column::Deprel));
    if empty {
        if (head, label) != ("_", "_") {
            place.add(Rule::Label, || "an empty node with a basic head or label".into(), "`_` in HEAD and DEPREL");
        }
    } else if label != "_" {
        if !is_label(label) {
            let expected = "lower-case letters, and perhaps a colon and a subtype, such as nsubj:pass";
            place.add(Rule::Label, || format!("the label {}", excerpt_of_ascii(label)), expected);
        }
        let universal = label.split(':').next();
        if head == "0" && universal != Some("root") {
            let found = || format!("the label `{}` of a word with head 0", excerpt(label));
            place.add(Rule::Label, found, "root");
        } else if head != "0" && universal == Some("root") {
            let found = || format!("the label `{}` of a word with head {}", excerpt(label), excerpt(head));
            place.add(Rule::Label, found, "another label than root, which is for head 0");
        }
    }
    if let Err(expected) = deps(at(Column::Deps), id, nodes) {
        place.add(Rule::Deps, || format!("the enhanced graph `{}`", excerpt(at(Column::Deps))), expected);
    }
}

/// A range says what is written; everything else is said of its words.
fn range(columns: &[&str; 10], place: &mut Place<'_>) {
    let kept = [Column::Id, Column::Form, Column::Misc];
    for column in Column::ALL.into_iter().filter(|column| !kept.contains(column)) {
        let text = columns[column as usize];
        if text != "_" && !(column == Column::Feats && text == "Typo=Yes") {
            let name = column.name(Format::Conllu);
            let rule = if column == Column::Feats { Rule::Feats } else { Rule::Label };
            place.add(rule, || format!("the {name} `{}` of a range", excerpt(text)), "`_`; annotation is of words");
        }
    }
}

/// Lower-case letters, perhaps with one subtype.
fn is_label(label: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    match label.split_once(':') {
        None => word(label),
        Some((universal, subtype)) => word(universal) && word(subtype),
    }
}

/// `_`, or `Name=Value` joined by `|`, sorted by name without regard to case.
fn feats(text: &str) -> Result<(), &'static str> {
    if text == "_" {
        return Ok(());
    }
    let mut before: Option<String> = None;
    for feature in text.split('|') {
        let (name, values) = feature.split_once('=').ok_or("Name=Value, several joined by `|`, or `_`")?;
        if !is_feature_name(name) {
            return Err("names that start with a capital letter, such as Number or Number[psor]");
        }
        let mut last = None;
        for value in values.split(',') {
            let starts = value.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
            if !starts || !value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err("values of letters and digits that start with a capital letter or a digit");
            }
            if last.is_some_and(|last| last >= value) {
                return Err("the values of a feature in the order of the alphabet, each once");
            }
            last = Some(value);
        }
        let name = name.to_ascii_lowercase();
        match before {
            Some(before) if before == name => return Err("each feature once"),
            Some(before) if before > name => return Err("the features in the order of the alphabet"),
            _ => before = Some(name),
        }
    }
    Ok(())
}

fn is_feature_name(name: &str) -> bool {
    let (name, layer) = match name.split_once('[') {
        None => (name, None),
        Some((name, layer)) => (name, Some(layer)),
    };
    let layered = layer.is_none_or(|layer| {
        layer.strip_suffix(']').is_some_and(|layer| {
            !layer.is_empty() && layer.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
    });
    layered
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// `_`, or `head:label` joined by `|`, sorted by head and then label, over nodes that exist.
fn deps(text: &str, id: &str, nodes: &Nodes) -> Result<(), &'static str> {
    if text == "_" {
        return Ok(());
    }
    let own = node(id);
    let mut before: Option<((usize, usize), &str)> = None;
    for arc in text.split('|') {
        let (head, label) = arc.split_once(':').ok_or("head:label, several joined by `|`, or `_`")?;
        let head = node(head).ok_or("head:label with a head such as 4 or 4.1")?;
        let exists = match head {
            (word, 0) => word <= nodes.n_words,
            (word, number) => number <= nodes.empty.get(&word).copied().unwrap_or(0),
        };
        if !exists {
            return Err("heads that are nodes of the sentence");
        }
        if Some(head) == own {
            return Err("no arc from a node to itself");
        }
        let (universal, rest) = label.split_once(':').map_or((label, None), |(first, rest)| (first, Some(rest)));
        let plain = !universal.is_empty() && universal.bytes().all(|byte| byte.is_ascii_lowercase());
        let sound = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphabetic() && !c.is_uppercase() || is_mark(c) || c == '_')
        };
        if !plain || !rest.is_none_or(|rest| rest.split(':').count() <= 3 && rest.split(':').all(sound)) {
            return Err("labels of lower-case letters, with subtypes behind colons");
        }
        if (head == (0, 0)) != (universal == "root") {
            return Err("root for head 0 and for no other");
        }
        match before {
            Some(before) if before == (head, label) => return Err("each arc once"),
            Some((before, _)) if before > head => return Err("the arcs sorted by their heads"),
            Some((before, last)) if before == head && last > label => {
                return Err("the arcs from one head in the order of their labels");
            }
            _ => before = Some((head, label)),
        }
    }
    Ok(())
}

/// Marks that are combined with letters, which some scripts cannot do without.
fn is_mark(c: char) -> bool {
    use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
    c.general_category_group() == GeneralCategoryGroup::Mark
}

/// The word and the number of the empty node behind it, 0 being the word itself.
fn node(id: &str) -> Option<(usize, usize)> {
    use crate::treebank::scan::number;
    match id.split_once('.') {
        None => Some((number(id)?, 0)),
        Some((word, empty)) => Some((number(word)?, number(empty).filter(|&empty| empty > 0)?)),
    }
}
