//! Making sure that two files hold the same words.

use super::{Input, InputSentence};
use crate::error::{Location, Problem, told_apart};

/// Checks that `system` has the sentences and words of `gold`: as many, with the same forms.
///
/// # Errors
/// The first place where they part, with the line of both files.
pub fn check_alignment(gold: &Input, system: &Input) -> Result<(), Problem> {
    for (expected, found) in gold.sentences.iter().zip(&system.sentences) {
        same_words(&gold.path, expected, &system.path, found)?;
    }
    let [n_gold, n_system] = [gold, system].map(|input| input.sentences.len());
    if let Some(extra) = system.sentences.get(n_gold) {
        return Err(Problem {
            location: location(&system.path, extra.line, extra),
            found: format!("a sentence more than the {n_gold} of {}", gold.path),
            expected: "the end of the file".to_owned(),
        });
    }
    if let Some(missing) = gold.sentences.get(n_system) {
        let found = format!("the end of the file after {n_system} sentences");
        let expected = format!("the sentence at {}", location(&gold.path, missing.line, missing));
        return Err(Problem::at(&system.path, 0, found, expected));
    }
    Ok(())
}

fn same_words(gold_path: &str, gold: &InputSentence, system_path: &str, system: &InputSentence) -> Result<(), Problem> {
    let mismatch = |system_line, found: String, gold_line, expected: String| Problem {
        location: location(system_path, system_line, system),
        found,
        expected: format!("{expected} as in {}", location(gold_path, gold_line, gold)),
    };
    let pairs = gold.forms.iter().zip(&system.forms);
    if let Some(word) = pairs.clone().position(|(gold, system)| gold != system) {
        let told = told_apart(&gold.forms[word], &system.forms[word]);
        let [expected, found] = told.map(|form| format!("word {form}"));
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
