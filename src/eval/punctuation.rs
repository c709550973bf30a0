//! Punctuation: the words that are, and whether they are scored.

use crate::choice::choice;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

choice! {
    /// Scoring of punctuation.
    #[derive(Default)]
    pub enum Punctuation {
        /// Every word is scored
        #[default]
        Include,
        /// Words that are punctuation in the gold file are not scored
        Exclude,
    }
}

choice! {
    /// Definition of punctuation. Only the gold file is asked, so that every system is scored on the same words.
    pub enum PunctuationRule {
        /// The universal part of speech is PUNCT
        Upos,
        /// Every character of the form is Unicode punctuation (general category P), as in CoNLL-X's eval.pl
        Form,
    }
}

impl PunctuationRule {
    /// True if a word with this form and universal part of speech is punctuation.
    pub fn applies(self, form: &str, upos: &str) -> bool {
        match self {
            PunctuationRule::Upos => upos == "PUNCT",
            PunctuationRule::Form => {
                !form.is_empty()
                    && form.chars().all(|c| c.general_category_group() == GeneralCategoryGroup::Punctuation)
            }
        }
    }

    /// The rule that fits words with these universal parts of speech: the tag, if they use it at all.
    pub fn for_tags<'a>(mut upos: impl Iterator<Item = &'a str>) -> PunctuationRule {
        match upos.any(|upos| PunctuationRule::Upos.applies("", upos)) {
            true => PunctuationRule::Upos,
            false => PunctuationRule::Form,
        }
    }

    /// The rule as tables name it.
    pub fn description(self) -> &'static str {
        match self {
            PunctuationRule::Upos => "UPOS = PUNCT",
            PunctuationRule::Form => "all characters of the form are Unicode punctuation",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_form() {
        let is = |form| PunctuationRule::Form.applies(form, "X");
        for form in [".", "...", "«", "¿", "—", "''", "。", "-", "%", "،"] {
            assert!(is(form), "{form}");
        }
        // Symbols (category S) are not punctuation, nor is a word with punctuation in it.
        for form in ["$", "+", "`", "a.", "don't", "1", "", "_a"] {
            assert!(!is(form), "{form}");
        }
    }

    #[test]
    fn by_tag() {
        assert!(PunctuationRule::Upos.applies("word", "PUNCT"));
        assert!(!PunctuationRule::Upos.applies(".", "SYM"));
    }
}
