//! Derivations as text: a line a transition, then the tree.

use std::fmt::Write as _;

use super::{Shown, Step};
use crate::error::excerpt;
use crate::tree::{Node, ROOT};

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

/// The derivation, a line a transition, and the tree it makes.
pub(super) fn render(shown: &Shown) -> String {
    let mut text = format!("# {}, {}, roots: {}\n", shown.location, shown.system, shown.roots);
    if let Some(why) = &shown.not_derivable {
        let system = shown.system;
        _ = writeln!(text, "# {system} does not derive this tree: {why}; what follows is a derivation of least cost");
    }
    let rows: Vec<Row> = shown.steps.iter().map(|step| row(shown, step)).collect();
    let n_lists = rows.first().map_or(0, |row| row.lists.len());
    let width = |read: &dyn Fn(&Row) -> usize| rows.iter().map(read).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n_lists).map(|list| width(&|row| row.lists[list].chars().count())).collect();
    let action = width(&|row| row.action.chars().count());
    for (step, row) in rows.iter().enumerate() {
        // What changes at its right end is set to the right, what changes at its left end to the left.
        let lists = row.lists.iter().zip(&widths).enumerate().map(|(place, (list, &width))| match place {
            0 => format!("{list:>width$}"),
            _ => format!("{list:<width$}"),
        });
        let lists: Vec<String> = lists.collect();
        _ = writeln!(text, "{:>3}  {}  {:<action$}  {}", step + 1, lists.join(" | "), row.action, row.costs);
    }
    text.push_str(&arcs(shown));
    text
}

fn row(shown: &Shown, step: &Step) -> Row {
    let mut lists = step.lists.clone();
    let mut hidden_before = 0;
    if let [pending] = &mut lists[..] {
        // What is before the point and what is behind it, as far as it is near.
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
    // Of many moves only the best.
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

/// The tree that was built, a line a word: number, form, head, label, and where the gold tree has another head, that.
fn arcs(shown: &Shown) -> String {
    let mut text = String::new();
    let width = shown.words.iter().map(|word| excerpt(&word.form).chars().count()).max().unwrap_or(0);
    for (place, word) in shown.words.iter().enumerate() {
        let (number, form, label) = (place + 1, excerpt(&word.form), excerpt(&word.label));
        _ = write!(text, "{number:>3}  {form:<width$}  {:>3}  {label}", word.head);
        if word.head != word.gold_head {
            _ = write!(text, "  (gold head {})", word.gold_head);
        }
        text.push('\n');
    }
    text
}

/// Nodes by number and form.
fn names(shown: &Shown, nodes: &[Node]) -> String {
    let form = |node: Node| if node == ROOT { "" } else { &shown.words[usize::from(node) - 1].form };
    nodes.iter().map(|&node| name(node, form(node))).collect::<Vec<_>>().join(" ")
}
