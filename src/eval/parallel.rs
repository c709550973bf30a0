//! Several files over the same words, side by side.

use std::io::BufRead;
use std::path::Path;

use super::InputSentence;
use super::align::{extra, missing, same_words};
use crate::error::Result;
use crate::treebank::{Format, Reader, Sentence};

/// An iterator over sentences that several files share, in memory that does not grow with these: each as it stands in the first
/// file, with the trees of all of them in order. It ends after the first error.
#[allow(missing_debug_implementations)]
pub struct Parallel {
    files: Vec<(String, Reader<Box<dyn BufRead + Send>>)>,
    n_read: usize,
    finished: bool,
}

impl Parallel {
    /// Opens files, of `format` if that is given; one of them may be `-`, standard input.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn open<P: AsRef<Path>>(paths: &[P], format: Option<Format>) -> Result<Parallel> {
        let open = |path: &P| {
            let path = path.as_ref();
            Ok((path.display().to_string(), Reader::open(path, format)?.allowing_empty()))
        };
        Ok(Parallel { files: paths.iter().map(open).collect::<Result<_>>()?, n_read: 0, finished: false })
    }

    /// Format of the first file.
    pub fn format(&self) -> Format {
        self.files.first().map_or(Format::Conllu, |(_, reader)| reader.format())
    }

    fn advance(&mut self) -> Result<Option<(Sentence, Vec<InputSentence>)>> {
        let mut first: Option<Sentence> = None;
        let mut analyses: Vec<InputSentence> = Vec::with_capacity(self.files.len());
        let (mut of_first, n_read) = ("", self.n_read);
        for (i, (path, reader)) in self.files.iter_mut().enumerate() {
            let sentence = reader.next().transpose()?;
            let analysis = sentence.as_ref().map(InputSentence::new).transpose()?;
            match (analyses.first(), analysis) {
                (None, Some(analysis)) if i == 0 => {
                    analyses.push(analysis);
                    (first, of_first) = (sentence, path);
                }
                (None, None) if i == 0 => of_first = path,
                (None, None) => {}
                (None, Some(found)) => return Err(extra(of_first, n_read, path, &found).into()),
                (Some(wanted), None) => return Err(missing(of_first, wanted, path, n_read).into()),
                (Some(wanted), Some(found)) => {
                    same_words(of_first, wanted, path, &found)?;
                    analyses.push(found);
                }
            }
        }
        self.n_read += 1;
        Ok(first.map(|first| (first, analyses)))
    }
}

impl Iterator for Parallel {
    type Item = Result<(Sentence, Vec<InputSentence>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let next = self.advance().transpose();
        self.finished = !matches!(next, Some(Ok(_)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths_of(texts: &[&str]) -> Result<Vec<usize>, String> {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..texts.len()).map(|i| folder.path().join(format!("{i}.conllu"))).collect();
        paths.iter().zip(texts).for_each(|(path, text)| std::fs::write(path, text).unwrap());
        let shared = Parallel::open(&paths, None).unwrap().map(|next| next.map(|(_, analyses)| analyses.len()));
        let lengths = shared.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string());
        lengths.map_err(|error| error.replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn files_part_at_a_place_that_is_reported() {
        let word = |form: &str| format!("1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
        let [a, b, ab] = [word("a"), word("b"), word("a") + &word("b")];
        assert_eq!(lengths_of(&[&ab, &ab, &ab]), Ok(vec![3, 3]));
        assert_eq!(lengths_of(&["", ""]), Ok(vec![]));
        let fails = |texts: &[&str]| lengths_of(texts).unwrap_err();
        assert_eq!(fails(&[&ab, &ab, &(word("a") + &a)]), "2.conllu:3: word `a`; expected word `b` as in 0.conllu:3");
        let behind = "the end of the file after 1 sentences; expected the sentence at 0.conllu:3";
        assert_eq!(fails(&[&ab, &a]), format!("1.conllu: {behind}"));
        let extra = "a sentence more than the 1 of 0.conllu; expected the end of the file";
        assert_eq!(fails(&[&a, &a, &ab]), format!("2.conllu:3: {extra}"));
        assert!(fails(&["", &b]).starts_with("1.conllu:1: a sentence more than the 0 of 0.conllu"));
        let open = b.replace("\t0\t", "\t_\t");
        assert!(fails(&[&b, &open]).starts_with("1.conllu:1: the head `_` of word 1; expected a number"));
        assert!(fails(&[&b, "x\n\n"]).starts_with("1.conllu:1: "));
    }
}
