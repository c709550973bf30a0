//! Dividing sentences that are too long: documents that were joined into one.
//!
//! A part ends behind punctuation that ends sentences, if there is any in its second half, never within a multiword range,
//! and has its own numbers. What cannot be kept is left out: heads in other parts with their labels, the enhanced graph with
//! its empty nodes, and comments but for `sent_id`, which gets the part's number, and names of columns (CoNLL-U Plus).

use super::plus::further_columns;
use super::sentence::sent_id;

/// The parts of a block of more than `most_words` words: the line on which each starts, from 0, and its lines. `None` if the
/// block is not too long or is not well formed enough to be divided. Linear in the length of the block.
pub(super) fn parts(block: &[u8], most_words: usize) -> Option<Vec<(usize, Vec<u8>)>> {
    let text = std::str::from_utf8(block).ok()?;
    let lines: Vec<&str> = text.lines().collect();
    let n_comments = lines.iter().take_while(|line| line.starts_with('#')).count();
    let nodes = lines[n_comments..].iter().map(|line| Line::of(line)).collect::<Option<Vec<_>>>()?;
    let n_words = nodes.iter().filter(|node| node.kind == NodeKind::Word).count();
    if n_words <= most_words.max(1) {
        return None;
    }
    let sent_id = sent_id(text);
    let names = if further_columns(text).is_some() { lines.first() } else { None };
    let mut parts = Vec::new();
    let mut start = 0;
    while start < nodes.len() {
        let end = end_of_part(&nodes, start, most_words.max(1));
        let number = parts.len() + 1;
        let mut part = names.filter(|_| number == 1).map_or(String::new(), |names| format!("{names}\n"));
        part += &sent_id.map_or(String::new(), |id| format!("# sent_id = {id}-{number}\n"));
        write_part(&nodes[start..end], &mut part)?;
        parts.push((if number == 1 { 0 } else { n_comments + start }, part.into_bytes()));
        start = end;
    }
    Some(parts)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Word,
    Range,
    Empty,
}

struct Line<'t> {
    kind: NodeKind,
    /// The last one is MISC with whatever stands behind it.
    columns: [&'t str; 10],
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Option<Line<'t>> {
        let mut columns = [""; 10];
        let mut found = line.splitn(10, '\t');
        for column in &mut columns {
            *column = found.next()?;
        }
        let id = columns[0];
        let kind = match (id.contains('-'), id.contains('.')) {
            (true, _) => NodeKind::Range,
            (_, true) => NodeKind::Empty,
            _ => NodeKind::Word,
        };
        Some(Line { kind, columns })
    }

    /// The number in front of `-` or `.`, and the one behind it.
    fn numbers(&self) -> Option<(usize, Option<usize>)> {
        match self.columns[0].split_once(['-', '.']) {
            None => Some((self.columns[0].parse().ok()?, None)),
            Some((first, second)) => Some((first.parse().ok()?, Some(second.parse().ok()?))),
        }
    }

    fn ends_sentence(&self) -> bool {
        matches!(self.columns[1], "." | "!" | "?" | "..." | "…" | "。" | "！" | "？" | "।" | "؟" | "۔")
    }
}

/// End of the part that starts at line `start`.
fn end_of_part(nodes: &[Line<'_>], start: usize, most_words: usize) -> usize {
    let mut n_words = 0;
    // The last word that the last range covers, and the places where a part may end: anywhere, and behind a sentence.
    let mut covered_to = 0;
    let (mut anywhere, mut behind_sentence) = (None, None);
    for (i, node) in nodes.iter().enumerate().skip(start) {
        match (node.kind, node.numbers()) {
            (NodeKind::Range, Some((_, Some(last)))) => covered_to = last,
            (NodeKind::Word, Some((id, _))) => {
                if n_words >= most_words && (anywhere.is_some() || behind_sentence.is_some()) {
                    break;
                }
                n_words += 1;
                // Empty nodes stand behind a word and belong to it.
                let next = nodes[i + 1..]
                    .iter()
                    .position(|node| node.kind != NodeKind::Empty)
                    .map_or(nodes.len(), |at| i + 1 + at);
                if id >= covered_to {
                    anywhere = Some(next);
                    if node.ends_sentence() && n_words * 2 >= most_words {
                        behind_sentence = Some(next);
                    }
                }
            }
            _ => {}
        }
        if i + 1 == nodes.len() && n_words <= most_words {
            return nodes.len();
        }
    }
    behind_sentence.or(anywhere).unwrap_or(nodes.len())
}

fn write_part(nodes: &[Line<'_>], part: &mut String) -> Option<()> {
    use std::fmt::Write as _;
    let mut words = nodes.iter().filter(|node| node.kind == NodeKind::Word);
    let first = words.next()?.numbers()?.0;
    let n_words = 1 + words.count();
    let offset = first.checked_sub(1)?;
    for node in nodes.iter().filter(|node| node.kind != NodeKind::Empty) {
        let (columns, (id, second)) = (node.columns, node.numbers()?);
        let id = id.checked_sub(offset)?;
        _ = match second {
            None => write!(part, "{id}"),
            Some(last) => write!(part, "{id}-{}", last.checked_sub(offset)?),
        };
        columns[1..6].iter().for_each(|column| _ = write!(part, "\t{column}"));
        let head = match columns[6].parse::<usize>() {
            Ok(0) => Some(0),
            Ok(head) => head.checked_sub(offset).filter(|&head| (1..=n_words).contains(&head)),
            Err(_) => None,
        };
        _ = match head {
            Some(head) => write!(part, "\t{head}\t{}", columns[7]),
            None => write!(part, "\t_\t_"),
        };
        _ = writeln!(part, "\t_\t{}", columns[9]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::{Format, Sentence};

    fn word(id: usize, form: &str, head: usize) -> String {
        format!("{id}\t{form}\t_\tX\t_\t_\t{head}\tdep\t{head}:dep\t_\n")
    }

    fn cut(block: &str, most_words: usize) -> Vec<(usize, String)> {
        let parts = parts(block.as_bytes(), most_words).unwrap();
        parts.into_iter().map(|(line, part)| (line, String::from_utf8(part).unwrap())).collect()
    }

    #[test]
    fn parts_end_behind_sentences_and_have_their_own_numbers() {
        let block = format!(
            "# sent_id = d\n# text = a . b c\n{}{}3-4\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n{}{}4.1\t_\t_\t_\t_\t_\t_\t_\t4:x\t_\n",
            word(1, "a", 0),
            word(2, ".", 1),
            word(3, "b", 1),
            word(4, "c", 3)
        );
        let parts = cut(&block, 3);
        let no_deps = |text: String| text.replace("\t0:dep", "\t_").replace("\t1:dep", "\t_");
        let first = no_deps(format!("# sent_id = d-1\n{}{}", word(1, "a", 0), word(2, ".", 1)));
        let second = no_deps(format!(
            "# sent_id = d-2\n1-2\tbc\t_\t_\t_\t_\t_\t_\t_\t_\n{}{}",
            word(1, "b", 0).replace("\t0\tdep\t0:dep", "\t_\t_\t_"),
            word(2, "c", 1)
        ));
        assert_eq!(parts, [(0, first), (4, second)]);
        assert!(super::parts(block.as_bytes(), 4).is_none());
    }

    #[test]
    fn every_part_is_a_sentence_and_no_word_is_lost() {
        let block: String = (1..=997).map(|i| word(i, if i % 13 == 0 { "." } else { "w" }, i - 1)).collect();
        for most in [1, 2, 7, 50, 996] {
            let parts = cut(&block, most);
            let sentences: Vec<Sentence> =
                parts.iter().map(|(_, text)| Sentence::new("x", Format::Conllu, text).unwrap()).collect();
            assert!(sentences.iter().all(|sentence| sentence.n_words() <= most));
            assert_eq!(sentences.iter().map(Sentence::n_words).sum::<usize>(), 997);
        }
    }
}
