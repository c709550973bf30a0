//! Derivations as text: a line a transition, then the tree.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Shown, Step};
use treebeam::error::excerpt;
use treebeam::tree::{Node, ROOT};

/// The nodes of the buffer that are shown, and of a list in which points stand, on either side of the point.
const SHOWN: usize = 4;

/// A transition as it is shown.
struct Row {
    lists: Vec<String>,
    action: String,
    costs: String,
}

/// A node by number and form.
pub(super) fn name(node: Node, form: &str) -> String {
    if node == ROOT { "0:ROOT".to_owned() } else { format!("{node}:{}", excerpt(form)) }
}

/// Writes the derivation, a line a transition, and the tree it makes. Each row is made twice, first to measure it, for all rows at
/// once would take memory as the square of the words.
pub(super) fn write(shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {}, {}, roots: {}", shown.location, shown.system, shown.roots)?;
    if let Some(why) = &shown.not_derivable {
        let system = shown.system;
        writeln!(out, "# {system} does not derive this tree: {why}; what follows is a derivation of least cost")?;
    }
    let (mut widths, mut action_width) = (Vec::new(), 0);
    for step in &shown.steps {
        let row = row(shown, step);
        widths.resize(row.lists.len(), 0);
        for (width, list) in widths.iter_mut().zip(&row.lists) {
            *width = list.chars().count().max(*width);
        }
        action_width = row.action.chars().count().max(action_width);
    }
    for (number, step) in (1..).zip(&shown.steps) {
        let row = row(shown, step);
        // Lists that change at their right end are aligned right, the others left.
        let lists = row.lists.iter().zip(&widths).enumerate().map(|(place, (list, &width))| match place {
            0 => padding(list, width) + list,
            _ => list.clone() + &padding(list, width),
        });
        let lists: Vec<String> = lists.collect();
        let action = row.action.clone() + &padding(&row.action, action_width);
        writeln!(out, "{number:>3}  {}  {action}  {}", lists.join(" | "), row.costs)?;
        if number == shown.given && number < shown.steps.len() {
            writeln!(out, "# from here on as the oracle says")?;
        }
    }
    write_arcs(shown, out)
}

/// Spaces that `text` lacks of `width`, which may be more than formatting knows.
fn padding(text: &str, width: usize) -> String {
    " ".repeat(width - text.chars().count())
}

fn row(shown: &Shown, step: &Step) -> Row {
    let mut lists = step.lists.clone();
    let mut hidden_before = 0;
    if let [pending] = &mut lists[..] {
        // The nearest words before the point and behind it.
        let behind = pending.split_off(usize::from(step.point) + 1);
        hidden_before = pending.len().saturating_sub(SHOWN);
        pending.drain(..hidden_before);
        lists.push(behind);
    }
    let hidden = match &mut lists[..] {
        [_, .., buffer] => buffer.split_off(SHOWN.min(buffer.len())).len(),
        _ => 0,
    };
    let mut lists: Vec<String> = lists.iter().map(|list| names(shown, list)).collect();
    if hidden_before > 0 {
        lists[0].insert_str(0, &format!("+{hidden_before} "));
    }
    if let (Some(buffer), true) = (lists.last_mut(), hidden > 0) {
        _ = write!(buffer, " +{hidden}");
    }
    let at = |point| if step.points == 1 { String::new() } else { format!("@{point}") };
    // Only the best of many moves.
    let least = step.costs.iter().map(|cost| cost.cost).min();
    let listed = step.costs.iter().filter(|cost| step.points == 1 || Some(cost.cost) == least);
    let listed: Vec<String> = listed.map(|cost| format!("{}{} {}", cost.mv, at(cost.point), cost.cost)).collect();
    let mut costs = listed.join(", ");
    if listed.len() < step.costs.len() {
        _ = write!(costs, ", {} dearer", step.costs.len() - listed.len());
    }
    let mut action = step.mv.to_owned();
    if let Some(label) = &step.label {
        _ = write!(action, " {}", excerpt(label));
    }
    if step.points > 1 {
        _ = write!(action, " @{}", step.point);
    }
    Row { lists, action, costs }
}

/// Writes the tree that was built, a line a word: number, form, head, label, and where the gold tree has another head, that.
fn write_arcs(shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let width = shown.words.iter().map(|word| excerpt(&word.form).chars().count()).max().unwrap_or(0);
    for (number, word) in (1..).zip(&shown.words) {
        let (form, label) = (excerpt(&word.form), excerpt(&word.label));
        write!(out, "{number:>3}  {form:<width$}  {:>3}  {label}", word.head)?;
        if word.head != word.gold_head {
            write!(out, "  (gold head {})", word.gold_head)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Nodes by number and form.
fn names(shown: &Shown, nodes: &[Node]) -> String {
    let form = |node: Node| if node == ROOT { "" } else { &shown.words[usize::from(node) - 1].form };
    nodes.iter().map(|&node| name(node, form(node))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::{Shown, Step, Word};
    use super::*;
    use treebeam::error::Location;

    /// Lists of 1,024 words of sixty letters are wider than the 65,535 characters that formatting pads to.
    #[test]
    fn rows_may_be_of_any_width() {
        let n = 1024;
        let word = |_| Word { form: "w".repeat(60), head: 0, label: "x".to_owned(), gold_head: 0 };
        let step = |n: Node| {
            let lists = vec![(1..=n).collect(), Vec::new()];
            Step { lists, mv: "SHIFT", label: None, point: 0, points: 1, costs: Vec::new() }
        };
        let shown = Shown {
            location: Location { path: "a".to_owned(), line: 1, sentence: None },
            system: "arc-eager",
            roots: "single",
            not_derivable: None,
            given: 0,
            steps: vec![step(n), step(1)],
            words: (0..n).map(word).collect(),
        };
        let mut text = Vec::new();
        write(&shown, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let ends: Vec<Option<usize>> = text.lines().skip(1).take(2).map(|line| line.find(" | ")).collect();
        assert!(ends[0] > Some(65_535) && ends[0] == ends[1], "{ends:?}");
        assert_eq!(text.lines().count(), 1 + 2 + usize::from(n));
    }
}
