//! Check that two files have the same words.

use super::{EvalInput, InputSentence};
use crate::error::{Location, Problem, distinguished};

/// Checks that `system` has the sentences and words of `gold`: as many, with the same forms.
///
/// # Errors
/// The first place where they part, with the line of both files.
pub fn check_alignment(gold: &EvalInput, system: &EvalInput) -> Result<(), Problem> {
    for (expected, found) in gold.sentences.iter().zip(&system.sentences) {
        same_words(&gold.path, expected, &system.path, found)?;
    }
    let [n_gold, n_system] = [gold, system].map(|input| input.sentences.len());
    if let Some(sentence) = system.sentences.get(n_gold) {
        return Err(extra(&gold.path, n_gold, &system.path, sentence));
    }
    if let Some(sentence) = gold.sentences.get(n_system) {
        return Err(missing(&gold.path, sentence, &system.path, n_system));
    }
    Ok(())
}

/// The problem that the system's file goes on where the gold file ends.
pub(super) fn extra(gold_path: &str, n_gold: usize, system_path: &str, extra: &InputSentence) -> Problem {
    Problem {
        location: location(system_path, extra.line, extra),
        found: format!("a sentence more than the {n_gold} of {gold_path}"),
        expected: "the end of the file".to_owned(),
    }
}

/// The problem that the system's file ends where the gold file goes on.
pub(super) fn missing(gold_path: &str, missing: &InputSentence, system_path: &str, n_system: usize) -> Problem {
    let found = format!("the end of the file after {n_system} sentences");
    let expected = format!("the sentence at {}", location(gold_path, missing.line, missing));
    Problem::at(system_path, 0, found, expected)
}

/// Checks that both sentences have the same forms.
///
/// # Errors
/// The first word that is another.
pub(super) fn same_words(
    gold_path: &str,
    gold: &InputSentence,
    system_path: &str,
    system: &InputSentence,
) -> Result<(), Problem> {
    let mismatch = |system_line, found: String, gold_line, expected: String| Problem {
        location: location(system_path, system_line, system),
        found,
        expected: format!("{expected} as in {}", location(gold_path, gold_line, gold)),
    };
    let pairs = gold.forms.iter().zip(&system.forms);
    if let Some(word) = pairs.clone().position(|(gold, system)| gold != system) {
        let words = distinguished(&gold.forms[word], &system.forms[word]);
        let [expected, found] = words.map(|form| format!("word {form}"));
        return Err(mismatch(system.lines[word], found, gold.lines[word], expected));
    }
    if gold.n_words() != system.n_words() {
        let [expected, found] = [gold, system].map(|sentence| format!("{} words", sentence.n_words()));
        return Err(mismatch(system.line, found, gold.line, expected));
    }
    Ok(())
}

pub(super) fn location(path: &str, line: usize, sentence: &InputSentence) -> Location {
    Location { path: path.to_owned(), line, sentence: sentence.id.clone() }
}
