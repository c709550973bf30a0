//! Weights of arcs by label, from a file.

use std::fs;

use crate::error::{Error, Problem, Result, excerpt};
use crate::tree::Labels;

/// The most that an arc counts.
const MAX: u32 = 1000;

/// The weights of arcs by label: a label and a whole number a line, with a tab between them; `#` begins a comment. Labels that do not
/// come count 1.
///
/// # Errors
/// If the file cannot be read, or a line is not of this form, with its number.
pub(super) fn read(path: &str, labels: &Labels) -> Result<Vec<u32>> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    let mut weights: Vec<Option<u32>> = vec![None; labels.len()];
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |expected: &str| Error::from(Problem::at(path, number, format!("`{}`", excerpt(line)), expected));
        let (label, weight) =
            line.split_once('\t').ok_or_else(|| wrong("a label and a weight, with a tab between them"))?;
        let of_label = labels.names().iter().position(|name| name == label);
        let of_label = of_label.ok_or_else(|| wrong("a label of the training treebank"))?;
        let weight = weight.trim().parse().ok().filter(|weight| *weight <= MAX);
        let weight = weight.ok_or_else(|| wrong("a whole number from 0 to 1000"))?;
        if weights[of_label].replace(weight).is_some() {
            return Err(wrong("each label once"));
        }
    }
    Ok(weights.into_iter().map(|weight| weight.unwrap_or(1)).collect())
}
