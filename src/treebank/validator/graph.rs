//! The enhanced graph at level 2: it is there in all sentences or in none, and reaches every node.

use std::collections::HashMap;

use super::values::{LinePlace, NodeId, node};
use crate::error::{Location, Problems, Rule, excerpt};
use crate::treebank::{Column, Sentence};

/// Sentences of the treebank with a graph and without one.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    first_with: Option<Location>,
    first_without: Option<Location>,
}

impl Graphs {
    pub(super) fn check(&mut self, sentence: &Sentence, problems: &mut Problems) {
        let lines = nodes(sentence);
        let has_graph = lines.iter().any(|(_, id, deps)| id.1 > 0 || *deps != "_");
        let place = &mut LinePlace { sentence, line: sentence.line(), problems };
        let (own, other) = match has_graph {
            true => (&mut self.first_with, &self.first_without),
            false => (&mut self.first_without, &self.first_with),
        };
        if own.is_none() {
            *own = Some(sentence.location_at(sentence.line()));
            if let Some(Location { path, line, .. }) = other {
                let [what, expected] = match has_graph {
                    true => ["an enhanced graph", "none, as in the sentence at"],
                    false => ["a sentence without enhanced graph", "one, as the sentence has at"],
                };
                place.add(Rule::Deps, || what.into(), &format!("{expected} {}:{line}", excerpt(path)));
            }
        }
        if has_graph {
            connected(&lines, place);
        }
    }
}

/// Lines of words and empty nodes with their ids and DEPS.
fn nodes(sentence: &Sentence) -> Vec<(usize, NodeId, &str)> {
    let lines = sentence.text().lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let nodes = lines.filter_map(|(at, line)| {
        let mut columns = line.split('\t');
        let id = node(columns.next()?)?;
        Some((sentence.line() + at, id, columns.nth(Column::Deps as usize - 1)?))
    });
    nodes.collect()
}

/// Checks that arcs are between nodes of the sentence, and that the root reaches every node.
fn connected(lines: &[(usize, NodeId, &str)], place: &mut LinePlace<'_>) {
    let numbers: HashMap<NodeId, usize> = lines.iter().enumerate().map(|(number, &(_, id, _))| (id, number)).collect();
    let mut dependents = vec![Vec::new(); lines.len()];
    let mut reached = Vec::new();
    for (number, &(line, _, deps)) in lines.iter().enumerate() {
        // Malformed entries are reported with their column.
        for head in deps.split('|').filter_map(|arc| node(arc.split_once(':')?.0)) {
            if head == (0, 0) {
                reached.push(number);
            } else if let Some(&head) = numbers.get(&head) {
                dependents[head].push(number);
            } else {
                place.line = line;
                let found = || format!("the enhanced graph `{}`", excerpt(deps));
                place.add(Rule::Deps, found, "heads that are nodes of the sentence");
            }
        }
    }
    let mut is_reached = vec![false; lines.len()];
    while let Some(node) = reached.pop() {
        if !std::mem::replace(&mut is_reached[node], true) {
            reached.append(&mut dependents[node]);
        }
    }
    let unreached: Vec<usize> = (0..lines.len()).filter(|&node| !is_reached[node]).collect();
    if let Some(&first) = unreached.first() {
        let (line, (word, empty), _) = lines[first];
        place.line = line;
        let node = if empty == 0 { word.to_string() } else { format!("{word}.{empty}") };
        let rest = if unreached.len() > 1 { format!(" and {} others", unreached.len() - 1) } else { String::new() };
        let found = || format!("an enhanced graph that does not reach node {node}{rest}");
        place.add(Rule::Deps, found, "arcs from 0 to every node");
    }
}
