//! The file formats and their columns.

use crate::choice::choice;
use crate::files::Packing;
use crate::tree::Roots;
use std::path::Path;

choice! {
    /// The file formats.
    pub enum Format {
        /// CoNLL-U: comments, multiword ranges, empty nodes (Nivre et al. 2016).
        Conllu,
        /// CoNLL-X: ten columns, words only (Buchholz & Marsi 2006).
        Conllx,
    }
}

impl Format {
    /// The format that a file's name promises: `.conllu`, or `.conllx` and `.conll`, before `.gz` or `.zst`.
    pub fn of_path(path: &Path) -> Option<Format> {
        // The rest of the name may be anything, text or not.
        match Packing::unpacked(path).extension()?.to_ascii_lowercase().to_str()? {
            "conllu" => Some(Format::Conllu),
            "conllx" | "conll" => Some(Format::Conllx),
            _ => None,
        }
    }

    /// Its name in texts.
    pub fn title(self) -> &'static str {
        match self {
            Format::Conllu => "CoNLL-U",
            Format::Conllx => "CoNLL-X",
        }
    }

    /// Number of words that the format lets hang from the root.
    pub fn roots(self) -> Roots {
        match self {
            Format::Conllu => Roots::Single,
            Format::Conllx => Roots::Several,
        }
    }
}

/// The ten columns, by their CoNLL-U names. CoNLL-X calls four of them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// The word's number.
    Id,
    /// The word as it is written.
    Form,
    /// The lemma or stem.
    Lemma,
    /// The universal part of speech; the coarse one in CoNLL-X (CPOSTAG).
    Upos,
    /// The language's own part of speech; the fine one in CoNLL-X (POSTAG).
    Xpos,
    /// Morphological features.
    Feats,
    /// The number of the head; 0 is the root.
    Head,
    /// The label of the arc from the head.
    Deprel,
    /// The enhanced graph; the projective head in CoNLL-X (PHEAD).
    Deps,
    /// Anything else; the label of the projective head in CoNLL-X (PDEPREL).
    Misc,
}

impl Column {
    /// All columns in order.
    pub const ALL: [Column; 10] = [
        Column::Id,
        Column::Form,
        Column::Lemma,
        Column::Upos,
        Column::Xpos,
        Column::Feats,
        Column::Head,
        Column::Deprel,
        Column::Deps,
        Column::Misc,
    ];

    /// The column's name as the format's definition spells it.
    pub fn name(self, format: Format) -> &'static str {
        match (self, format) {
            (Column::Id, _) => "ID",
            (Column::Form, _) => "FORM",
            (Column::Lemma, _) => "LEMMA",
            (Column::Upos, Format::Conllu) => "UPOS",
            (Column::Upos, Format::Conllx) => "CPOSTAG",
            (Column::Xpos, Format::Conllu) => "XPOS",
            (Column::Xpos, Format::Conllx) => "POSTAG",
            (Column::Feats, _) => "FEATS",
            (Column::Head, _) => "HEAD",
            (Column::Deprel, _) => "DEPREL",
            (Column::Deps, Format::Conllu) => "DEPS",
            (Column::Deps, Format::Conllx) => "PHEAD",
            (Column::Misc, Format::Conllu) => "MISC",
            (Column::Misc, Format::Conllx) => "PDEPREL",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_formats() {
        let of = |name: &str| Format::of_path(Path::new(name));
        assert_eq!(of("a/train.conllu"), Some(Format::Conllu));
        assert_eq!(of("train.conllu.gz"), Some(Format::Conllu));
        assert_eq!(of("TEST.CONLL.zst"), Some(Format::Conllx));
        assert_eq!(of("x.conllx"), Some(Format::Conllx));
        assert_eq!(of("train.CONLL.GZ"), Some(Format::Conllx));
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let no_text = Path::new(std::ffi::OsStr::from_bytes(b"\xff.conll"));
            assert_eq!(Format::of_path(no_text), Some(Format::Conllx));
        }
        assert_eq!([of("-"), of("x.gz"), of("conllu"), of("x.txt")], [None; 4]);
    }
}
