//! Permitted values of the columns, at level 2.

use std::collections::HashSet;

use crate::error::{Problem, Problems, Rule, excerpt, excerpt_of_ascii};
use crate::treebank::{Column, Format, Sentence};

/// The universal parts of speech.
const UPOS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
];

/// The universal relations.
const RELATIONS: [&str; 37] = [
    "acl",
    "advcl",
    "advmod",
    "amod",
    "appos",
    "aux",
    "case",
    "cc",
    "ccomp",
    "clf",
    "compound",
    "conj",
    "cop",
    "csubj",
    "dep",
    "det",
    "discourse",
    "dislocated",
    "expl",
    "fixed",
    "flat",
    "goeswith",
    "iobj",
    "list",
    "mark",
    "nmod",
    "nsubj",
    "nummod",
    "obj",
    "obl",
    "orphan",
    "parataxis",
    "punct",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];

/// Attributes of MISC that are documented for all languages, each of which is given once.
const ONCE: [&str; 8] = ["SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref"];

/// Place of the line that is checked, and the problems found.
pub(super) struct LinePlace<'s> {
    pub(super) sentence: &'s Sentence,
    pub(super) line: usize,
    pub(super) problems: &'s mut Problems,
}

impl LinePlace<'_> {
    pub(super) fn add(&mut self, rule: Rule, found: impl FnOnce() -> String, expected: &str) {
        let (sentence, line) = (self.sentence, self.line);
        self.problems.add(rule, || Problem {
            location: sentence.location_at(line),
            found: found(),
            expected: expected.to_owned(),
        });
    }
}

impl LinePlace<'_> {
    /// The same place, borrowed once more.
    pub(super) fn again(&mut self) -> LinePlace<'_> {
        LinePlace { sentence: self.sentence, line: self.line, problems: self.problems }
    }
}

/// White space as Python's `str.isspace` has it, by which the official validator goes: separators of information too.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// A word, and the number of the empty node behind it, 0 being the word itself.
pub(super) type NodeId = (usize, usize);

/// Checks the ten columns of the line of a word, perhaps of a range, a range or an empty node.
pub(super) fn check(columns: &[&str], in_range: bool, annotated: bool, place: &mut LinePlace<'_>) {
    let Ok(columns) = <&[&str; 10]>::try_from(columns) else { return };
    let at = |column: Column| columns[column as usize];
    let id = at(Column::Id);
    misc(at(Column::Misc), id.contains('.') || in_range && !id.contains('-'), place);
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
        } else if !is_universal(label) {
            let found = || format!("the label `{}`", excerpt(label));
            place.add(Rule::Label, found, "one of the 37 universal relations, such as nsubj, perhaps with a subtype");
        }
    }
    if let Err(expected) = deps(at(Column::Deps), id) {
        place.add(Rule::Deps, || format!("the enhanced graph `{}`", excerpt(at(Column::Deps))), expected);
    }
}

/// A range says what is written; everything else is said of its words.
fn range(columns: &[&str; 10], place: &mut LinePlace<'_>) {
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

/// Checks the attributes of MISC; `no_token` is said of what is no token of the text by itself.
fn misc(text: &str, no_token: bool, place: &mut LinePlace<'_>) {
    let found = || format!("the MISC `{}`", excerpt(text));
    let attributes = || text.split('|').map(|attribute| attribute.split_once('=').unwrap_or((attribute, "")));
    for once in ONCE {
        if attributes().filter(|&(name, _)| name == once).count() > 1 {
            place.add(Rule::Misc, found, &format!("{once} once"));
        }
    }
    if text.contains("NoSpaceAfter=Yes") {
        place.add(Rule::Misc, found, "SpaceAfter=No");
    }
    if text.split('|').any(|attribute| attribute.starts_with("SpaceAfter=") && attribute != "SpaceAfter=No") {
        place.add(Rule::Misc, found, "SpaceAfter=No, or SpacesAfter with what follows");
    }
    if no_token && text.contains("SpaceAfter=No") {
        place.add(
            Rule::Misc,
            found,
            "SpaceAfter=No of tokens of the text: words that are no part of a range, and ranges",
        );
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

/// True if the label without its subtypes is a universal relation.
fn is_universal(label: &str) -> bool {
    RELATIONS.contains(&label.split(':').next().unwrap_or_default())
}

/// `_`, or `Name=Value` joined by `|`, sorted without regard to case.
fn feats(text: &str) -> Result<(), &'static str> {
    if text == "_" {
        return Ok(());
    }
    let mut names = HashSet::new();
    let mut before = String::new();
    for feature in text.split('|') {
        let (name, values) = feature.split_once('=').ok_or("Name=Value, several joined by `|`, or `_`")?;
        if !is_feature_name(name) {
            return Err("names that start with a capital letter, such as Number or Number[psor]");
        }
        let mut given = HashSet::new();
        let mut last = String::new();
        for value in values.split(',') {
            let starts = value.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
            if !starts || !value.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err("values of letters and digits that start with a capital letter or a digit");
            }
            if !given.insert(value) || last > value.to_ascii_lowercase() {
                return Err("the values of a feature in the order of the alphabet, each once");
            }
            last = value.to_ascii_lowercase();
        }
        if !names.insert(name) {
            return Err("each feature once");
        }
        let feature = feature.to_ascii_lowercase();
        if before > feature {
            return Err("the features in the order of the alphabet");
        }
        before = feature;
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

/// `_`, or `head:label` joined by `|`, sorted by head and then label.
fn deps(text: &str, id: &str) -> Result<(), &'static str> {
    if text == "_" {
        return Ok(());
    }
    let own = node(id);
    let mut before: Option<(NodeId, &str)> = None;
    for arc in text.split('|') {
        let (head, label) = arc.split_once(':').ok_or("head:label, several joined by `|`, or `_`")?;
        let head = node(head).ok_or("head:label with a head such as 4 or 4.1")?;
        if Some(head) == own {
            return Err("no arc from a node to itself");
        }
        if !is_enhanced_label(label) {
            return Err("labels of lower-case letters, with subtypes behind colons");
        }
        if !is_universal(label) && label.split(':').next() != Some("ref") {
            return Err("labels that begin with a universal relation or ref");
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

/// A relation in ASCII, and behind colons up to three of: a subtype in ASCII, a preposition, a case in ASCII, in this order.
fn is_enhanced_label(label: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let parts: Vec<&str> = label.split(':').collect();
    match parts[..] {
        [universal] => plain(universal),
        [universal, one] => plain(universal) && is_preposition(one),
        [universal, one, two] => {
            plain(universal) && (plain(one) && is_preposition(two) || is_preposition(one) && plain(two))
        }
        [universal, one, two, three] => plain(universal) && plain(one) && is_preposition(two) && plain(three),
        _ => false,
    }
}

/// Letters of any script that are not upper case, with their marks; words are joined by single underscores.
fn is_preposition(text: &str) -> bool {
    use unicode_properties::{GeneralCategory::*, UnicodeGeneralCategory as _};
    let is_letter =
        |c: char| matches!(c.general_category(), LowercaseLetter | ModifierLetter | OtherLetter) || is_mark(c);
    text.split('_').all(|word| !word.is_empty() && word.chars().all(is_letter))
}

/// Marks that are combined with letters, which some scripts cannot do without.
fn is_mark(c: char) -> bool {
    use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
    c.general_category_group() == GeneralCategoryGroup::Mark
}

/// The node of an id.
pub(super) fn node(id: &str) -> Option<NodeId> {
    use crate::treebank::scan::number;
    match id.split_once('.') {
        None => Some((number(id)?, 0)),
        Some((word, empty)) => Some((number(word)?, number(empty).filter(|&empty| empty > 0)?)),
    }
}
