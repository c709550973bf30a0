//! Tables as tab-separated values, and all figures of an experiment as such a table: one line per treebank, column, row and width.

use std::borrow::Cow;

use super::document::{NOTHING, Table, TableCell};
use super::results::provenance;
use super::summary::{METRICS, Summary};
use treebeam::eval::Punctuation;

/// The heads of the columns.
const HEADS: [&str; 23] = [
    "treebank",
    "column",
    "row",
    "width",
    "seeds",
    "tokens",
    "las",
    "las_sd",
    "uas",
    "uas_sd",
    "tokens_without_punctuation",
    "las_without_punctuation",
    "las_without_punctuation_sd",
    "uas_without_punctuation",
    "uas_without_punctuation_sd",
    "las_difference",
    "las_p",
    "uas_difference",
    "uas_p",
    "train_wall_s",
    "sentences_per_s",
    "tokens_per_s",
    "n_features",
];

impl Table {
    /// The table as tab-separated values, after comments that say where it comes from. What stands for a figure that is not there
    /// is left out.
    pub fn tsv(&self, provenance: &[String]) -> String {
        let mut out: String = provenance.iter().map(|line| format!("# {line}\n")).collect();
        let heads = self.heads.iter().map(|head| of_cell(head));
        out += &(heads.collect::<Vec<_>>().join("\t") + "\n");
        for line in &self.lines {
            let cells = line.iter().map(|cell| if cell.text == NOTHING { "".into() } else { of_cell(&cell.text) });
            out += &(cells.collect::<Vec<_>>().join("\t") + "\n");
        }
        out
    }
}

/// Text as a cell holds it: tabs and line ends part cells, and control characters command terminals.
fn of_cell(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// The figures of `summary` that have records, after comments that say where they come from. A figure that does not exist
/// (a spread of one seed, a difference of the baseline to itself) is empty.
pub fn tsv(summary: &Summary, command: &str) -> String {
    let mut table = Table::new(3, HEADS);
    for entry in summary.entries.iter().filter(|e| !e.runs.is_empty()) {
        let mut line: Vec<TableCell> =
            [&entry.treebank, &entry.column, &entry.method.row].map(TableCell::text).to_vec();
        line.extend([entry.method.width, entry.runs.len()].map(TableCell::count));
        for rule in [Punctuation::Include, Punctuation::Exclude] {
            line.push(TableCell::number(entry.runs.first().map(|(_, d)| d.test.get(rule).tokens as f64), 0));
            for metric in METRICS {
                let score = entry.score(metric, rule);
                line.push(TableCell::number(score.map(|s| s.mean), 4));
                line.push(TableCell::number(score.and_then(|s| s.sd), 4));
            }
        }
        let baseline = summary.plan.spec.table.baseline.as_ref().map(|b| b.get_ref().as_str());
        for difference in METRICS.map(|metric| entry.difference(baseline?, metric)) {
            line.push(TableCell::number(difference.map(|d| d.points), 4));
            line.push(TableCell::number(difference.map(|d| d.p), 6));
        }
        line.push(TableCell::number(entry.mean(|r, _| r.training.wall_s), 3));
        line.push(TableCell::number(entry.mean(|_, d| d.sentences_per_second()), 1));
        line.push(TableCell::number(entry.mean(|_, d| d.tokens_per_second()), 1));
        line.push(TableCell::number(entry.mean(|r, _| r.training.n_features as f64), 0));
        table.lines.push(line);
    }
    table.tsv(&provenance(summary, command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{plan, store_of};

    #[test]
    fn every_line_has_every_column() {
        let plan = plan();
        let store = store_of(plan.cells.iter().take(6), |_, _| ());
        let text = tsv(&Summary::new(&plan, &store, false), "treebeam experiment table test.toml");
        let lines: Vec<Vec<&str>> =
            text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect()).collect();
        assert_eq!(lines.len(), 1 + 4, "a head, two greedy rows, one row at two widths");
        assert!(lines.iter().all(|l| l.len() == HEADS.len()));
        let at = |line: usize, head: &str| lines[line][HEADS.iter().position(|h| *h == head).unwrap()];
        assert_eq!(at(1, "las_difference"), "");
        assert_ne!(at(2, "las_difference"), "");
        assert_eq!((at(3, "width"), at(4, "width")), ("1", "4"));
        assert_eq!(at(4, "sentences_per_s"), "5.0", "five sentences in a second");
        assert_eq!(at(4, "train_wall_s"), "2.000");
    }
}
