//! CoNLL-U Plus: columns behind the ten, which the first line of a file names.

use std::sync::Arc;

use super::{Column, Format};

/// Names of the columns behind the ten.
pub(super) type FurtherColumns = Arc<[Box<str>]>;

/// Names of the columns behind the ten, by the first line of a file of CoNLL-U Plus; `None` if it has other columns than the ten before
/// them, has no others, or two of a name.
pub(super) fn further_columns(text: &str) -> Option<FurtherColumns> {
    let mut names = names_of_columns(text.lines().next()?)?;
    let is_usual = Column::ALL.iter().all(|column| names.next() == Some(column.name(Format::Conllu)));
    let further: Vec<Box<str>> = names.map(Box::from).collect();
    let is_new = |i: usize| {
        let name = &further[i];
        !further[..i].contains(name) && Column::ALL.iter().all(|column| column.name(Format::Conllu) != &**name)
    };
    (is_usual && !further.is_empty() && (0..further.len()).all(is_new)).then(|| further.into())
}

/// Names of the columns in a line `# global.columns = ...`.
pub(super) fn names_of_columns(line: &str) -> Option<impl Iterator<Item = &str>> {
    let line = line.strip_prefix('#')?.trim_start().strip_prefix("global.columns")?;
    Some(line.trim_start().strip_prefix('=')?.split_whitespace())
}
