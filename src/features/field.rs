//! Fields: what features read of a column, all of its text or something inside.

use std::borrow::Cow;
use std::fmt;

use crate::treebank::Column;

/// A column, and what is read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The column.
    pub column: Column,
    /// The part of its text.
    pub part: TextPart,
}

/// Part of a column's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextPart {
    /// All of it.
    Whole,
    /// The first letters, so many, or all if there are fewer (`.pre1` to `.pre5`).
    Prefix(u8),
    /// The last letters (`.suf1` to `.suf5`).
    Suffix(u8),
    /// The pattern of capitals, digits and other signs (`.shape`): of several letters of one kind in a row the first two count.
    Shape,
    /// The first steps of the path to the word's cluster, so many, or all if 0 (`.c4`, `.c`); see [`Columns::part`](super::Columns::part).
    Cluster(u8),
    /// The value of one name in a list `Case=Nom|Number=Sing` (`.feats:Case`, `.misc:Gloss`); `_` where the list lacks it.
    Named(Name),
    /// All of another column, which stands behind the ten of CoNLL-U Plus, by its name (`.column:PARSEME:MWE`); its field's column is MISC, the
    /// last of the ten.
    Further(Name),
    /// Each name's value by itself (`.feats*`, `.misc*`): a template stands for one for each name of the training data, see
    /// [`FeatureSet::expanded`](super::FeatureSet::expanded); a network reads the [set](TextPart::pairs) of them.
    Each,
}

impl TextPart {
    /// The most letters of a prefix or suffix.
    pub const LONGEST_AFFIX: u8 = 5;
    /// The most steps of a path that are named.
    pub const LONGEST_PATH: u8 = 32;

    /// The pairs of a name and a value in a list; `_` if there are none.
    pub fn pairs(text: &str) -> impl Iterator<Item = &str> {
        let mut pairs = text.split('|').filter(|pair| pair.contains('=')).peekable();
        let none = pairs.peek().is_none().then_some("_");
        pairs.chain(none)
    }

    /// Part of `text`; without clusters, no word is in any. Of other columns nothing is known.
    pub fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            TextPart::Whole | TextPart::Each => Cow::Borrowed(text),
            TextPart::Prefix(n) => {
                let end = text.char_indices().nth(n.into()).map_or(text.len(), |(place, _)| place);
                Cow::Borrowed(&text[..end])
            }
            TextPart::Suffix(n) => {
                let start = text.char_indices().rev().nth(usize::from(n).saturating_sub(1));
                Cow::Borrowed(&text[start.map_or(0, |(place, _)| place)..])
            }
            TextPart::Shape => Cow::Owned(shape(text)),
            TextPart::Cluster(_) | TextPart::Further(_) => Cow::Borrowed("_"),
            TextPart::Named(name) => {
                let pairs = text.split('|').filter_map(|pair| pair.split_once('='));
                let value = pairs.into_iter().find_map(|(known, value)| (known == name.as_str()).then_some(value));
                Cow::Borrowed(value.unwrap_or("_"))
            }
        }
    }
}

/// The pattern of a word, such as `Xxx` and `00`.
fn shape(word: &str) -> String {
    let mut pattern = String::new();
    let (mut last, mut n) = (None, 0);
    for letter in word.chars() {
        let kind = match letter {
            _ if letter.is_uppercase() => 'X',
            _ if letter.is_numeric() => '0',
            _ if letter.is_alphabetic() => 'x',
            other => other,
        };
        n = if last == Some(kind) { n + 1 } else { 1 };
        last = Some(kind);
        if n <= 2 {
            pattern.push(kind);
        }
    }
    pattern
}

/// Name in a list of names and values, of at most 24 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; Name::LONGEST]);

impl Name {
    /// The most bytes of a name.
    pub const LONGEST: usize = 24;

    /// The name of this spelling; none if it is empty, too long, or could not stand in a list.
    pub fn new(name: &str) -> Option<Name> {
        let is_possible = !name.is_empty() && !name.contains(['\0', '=', '|']);
        let mut bytes = [0; Name::LONGEST];
        bytes.get_mut(..name.len()).filter(|_| is_possible)?.copy_from_slice(name.as_bytes());
        Some(Name(bytes))
    }

    /// The names of a list.
    pub fn all(text: &str) -> impl Iterator<Item = Name> {
        text.split('|').filter_map(|pair| Name::new(pair.split_once('=')?.0))
    }

    /// Spelling of the name.
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(Name::LONGEST);
        std::str::from_utf8(&self.0[..end]).unwrap_or_default()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of other scripts have letters of several bytes.
    #[test]
    fn affixes_and_shapes() {
        for (word, parts) in [
            ("Parsing", ["Par", "ing", "Xxx", "P", "g"]),
            ("ÉTÉS", ["ÉTÉ", "TÉS", "XX", "É", "S"]),
            ("U.S.", ["U.S", ".S.", "X.X.", "U", "."]),
            ("1984", ["198", "984", "00", "1", "4"]),
            ("a", ["a", "a", "x", "a", "a"]),
            ("", ["", "", "", "", ""]),
        ] {
            let read =
                [TextPart::Prefix(3), TextPart::Suffix(3), TextPart::Shape, TextPart::Prefix(1), TextPart::Suffix(1)];
            assert_eq!(read.map(|part| part.of(word).into_owned()), parts, "{word}");
        }
    }

    #[test]
    fn values_of_names() {
        let of = |name: &str, text: &str| TextPart::Named(Name::new(name).unwrap()).of(text).into_owned();
        let feats = "Case=Nom|Person[psor]=3|PronType=Dem,Int";
        assert_eq!(of("Case", feats), "Nom");
        assert_eq!(of("Person[psor]", feats), "3");
        assert_eq!(of("PronType", feats), "Dem,Int");
        assert_eq!([of("Cas", feats), of("Case", "_"), of("Case", "Case"), of("Case", "")], ["_"; 4]);
        let pairs = |text| TextPart::pairs(text).collect::<Vec<_>>();
        assert_eq!(pairs(feats), ["Case=Nom", "Person[psor]=3", "PronType=Dem,Int"]);
        assert_eq!(pairs("B=1|x|A=2"), ["B=1", "A=2"]);
        assert_eq!(["_", "", "x|y"].map(pairs), [["_"], ["_"], ["_"]]);
        assert_eq!(Name::new("Übername").unwrap().as_str(), "Übername");
        assert_eq!(["", "a=b", "a|b", &"x".repeat(25)].map(Name::new), [None; 4]);
    }
}
