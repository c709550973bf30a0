//! From one format to the other.

use super::{Column, Format, Sentence};
use std::io::{self, Write};

/// Counts of what could not be kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Comment lines.
    pub n_comments: usize,
    /// Multiword ranges.
    pub n_ranges: usize,
    /// Empty nodes.
    pub n_empty_nodes: usize,
    /// Words whose last two columns said something: they mean different things in the two formats.
    pub n_last_columns: usize,
    /// Columns with spaces, which became low lines.
    pub n_spaces: usize,
}

impl Dropped {
    /// True if nothing was lost.
    pub fn is_empty(&self) -> bool {
        *self == Dropped::default()
    }
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "dropped {} comments, {} ranges, {} empty nodes, the last two columns of {} words; replaced spaces in {} columns",
            self.n_comments, self.n_ranges, self.n_empty_nodes, self.n_last_columns, self.n_spaces
        )
    }
}

/// Writes `sentence` in the format `to`, and adds what that cannot hold to `dropped`.
///
/// Within one format nothing changes. Otherwise the first eight columns of the words are kept: CoNLL-X has neither comments nor
/// ranges nor empty nodes nor spaces within columns, and what stands in the last two columns of the one format has no
/// place in the other.
///
/// # Errors
/// Those of `output`.
pub fn write(sentence: &Sentence, to: Format, output: &mut dyn Write, dropped: &mut Dropped) -> io::Result<()> {
    if sentence.format() == to {
        return sentence.write(output);
    }
    for line in sentence.text().lines() {
        let id = line.split('\t').next().unwrap_or_default();
        if line.starts_with('#') {
            dropped.n_comments += 1;
        } else if id.contains('-') {
            dropped.n_ranges += 1;
        } else if id.contains('.') {
            dropped.n_empty_nodes += 1;
        }
    }
    for word in sentence.words() {
        for column in &Column::ALL[..Column::Deps as usize] {
            let text = sentence.column(word, *column);
            if to == Format::Conllx && text.contains(' ') {
                dropped.n_spaces += 1;
                write!(output, "{}\t", text.replace(' ', "_"))?;
            } else {
                write!(output, "{text}\t")?;
            }
        }
        output.write_all(b"_\t_\n")?;
        let said = [Column::Deps, Column::Misc].iter().any(|&column| sentence.column(word, column) != "_");
        dropped.n_last_columns += usize::from(said);
    }
    output.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conllx_keeps_words_and_the_rest_is_counted() {
        let text = "# c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta b\tl\tX\tY\tF=1\t0\troot\t0:root\tm\n\
                    2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n2.1\tc\t_\t_\t_\t_\t_\t_\t_\t_\n";
        let sentence = Sentence::new("x", Format::Conllu, text).unwrap();
        let (mut output, mut dropped) = (Vec::new(), Dropped::default());
        write(&sentence, Format::Conllx, &mut output, &mut dropped).unwrap();
        let conllx = "1\ta_b\tl\tX\tY\tF=1\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n";
        assert_eq!(String::from_utf8(output).unwrap(), format!("{conllx}\n"));
        let counts = Dropped { n_comments: 1, n_ranges: 1, n_empty_nodes: 1, n_last_columns: 1, n_spaces: 1 };
        assert_eq!(dropped, counts);
        let (mut back, mut dropped) = (Vec::new(), Dropped::default());
        let sentence = Sentence::new("x", Format::Conllx, conllx).unwrap();
        write(&sentence, Format::Conllu, &mut back, &mut dropped).unwrap();
        assert_eq!((String::from_utf8(back).unwrap(), dropped.is_empty()), (format!("{conllx}\n"), true));
    }
}
