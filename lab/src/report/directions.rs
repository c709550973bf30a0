//! Signs of differences: number of treebanks on which each side wins, and agreement with a paper's direction.
//!
//! Treebanks, annotation and sizes are not those of the papers, so scores do not compare; whether a change helps or harms, and
//! by how much, does.

use minijinja::Value;

use super::document::{Block, Content, Table, TableCell};
use super::paired::bare_p;
use super::summary::{Difference, METRICS, Method, Summary};
use super::templates::{block, view};
use crate::experiment::{AVERAGE, Published};
use statrs::distribution::{Binomial, DiscreteCDF};
use std::cmp::Ordering;
use treebeam::eval::{Metric, holm, sign, signs};

/// A comparison is significant if chance explains it with a probability below this.
pub const LEVEL: f64 = 0.05;

/// Figures of papers have two decimals: means of their differences below this are nothing but rounding.
const EQUAL: f64 = 1e-9;

/// Heads of the table of all comparisons.
pub const COLUMN: &str = "column";
/// The head over methods.
pub const METHOD: &str = "method";
/// The head over the rows that they are compared with.
pub const AGAINST: &str = "against";
/// The head over scores.
pub const SCORE: &str = "score";
/// The head over mean gains.
pub const GAIN: &str = "mean gain";
/// The head over the probabilities of sign tests.
pub const SIGN_P: &str = "p of signs";
/// The head over the same, corrected for all comparisons in one score.
pub const CORRECTED_P: &str = "p, corrected";
/// The head over a paper's mean gains.
pub const PAPER_GAIN: &str = "paper's gain";

/// A method against a row of the same column, over treebanks.
#[derive(Debug, Clone)]
pub struct Direction {
    /// The column.
    pub column: String,
    /// The method.
    pub method: Method,
    /// The row that it is compared with.
    pub against: String,
    /// The score.
    pub metric: Metric,
    /// By treebank, what the method gains.
    pub ours: Vec<(String, Difference)>,
    /// Gain in the paper.
    pub paper: Option<Theirs>,
}

/// Gain of a method in a paper.
#[derive(Debug, Clone)]
pub struct Theirs {
    /// By treebank; those only that the paper has and that were compared here.
    pub gains: Vec<(String, f64)>,
    /// In the mean: over the treebanks above, or the mean that the paper printed if it printed nothing else.
    pub mean: f64,
}

/// All comparisons of a summary: by column, score, row compared with, method.
pub fn directions(summary: &Summary) -> Vec<Direction> {
    let spec = &summary.plan.spec;
    let mut all = Vec::new();
    for column in summary.columns() {
        for metric in summary.metrics() {
            for against in spec.table.compared_with() {
                for method in summary.methods(column) {
                    let gain = |t: String| {
                        let difference = summary.entry(&t, column, &method)?.difference(against, metric)?;
                        Some((t, difference))
                    };
                    let ours: Vec<_> = summary.treebanks().into_iter().filter_map(gain).collect();
                    if ours.is_empty() {
                        continue;
                    }
                    let is_first = summary.method_of(column, &method.row).as_ref() == Some(&method);
                    if is_first && is_listed(&spec.table.compared_with(), &method.row, against) {
                        continue;
                    }
                    let paper =
                        is_first.then(|| theirs(summary, column, &method.row, against, metric, &ours)).flatten();
                    let (column, against) = (column.clone(), against.to_owned());
                    all.push(Direction { column, method, against, metric, ours, paper });
                }
            }
        }
    }
    all
}

/// True if the comparison of `row` with `against` is there already, the other way round: both are rows that others are
/// compared with, and `row` comes first.
fn is_listed(compared_with: &[&str], row: &str, against: &str) -> bool {
    let place = |name| compared_with.iter().position(|other| *other == name);
    place(row).zip(place(against)).is_some_and(|(row, against)| row < against)
}

/// The figures that a paper printed for a row.
pub fn published<'a>(summary: &'a Summary, column: &str, row: &str, metric: Metric) -> Option<&'a Published> {
    let of_row = |p: &&Published| p.column.get_ref() == column && p.row.get_ref() == row;
    summary.plan.spec.papers.iter().filter(of_row).find(|p| p.metric.metric() == Some(metric))
}

/// Gain that a paper gives for a comparison, of the treebanks of which there is something to compare with here, too.
fn theirs(
    summary: &Summary,
    column: &str,
    row: &str,
    against: &str,
    metric: Metric,
    compared: &[(String, Difference)],
) -> Option<Theirs> {
    let (ours, others) = (published(summary, column, row, metric)?, published(summary, column, against, metric)?);
    let gain = |t: &str| Some(ours.of(t)? - others.of(t)?);
    let gains: Vec<(String, f64)> =
        compared.iter().filter_map(|(t, _)| gain(t).map(|gain| (t.clone(), gain))).collect();
    let mean = match gains.len() {
        0 => gain(AVERAGE)?,
        n => gains.iter().map(|(_, gain)| gain).sum::<f64>() / n as f64,
    };
    Some(Theirs { gains, mean })
}

/// The differences that a paper reports, and which of them are found here.
pub struct Found<'a> {
    /// All that have a direction in the paper.
    pub all: Vec<&'a Direction>,
    /// Those that point the same way here, in the mean over treebanks.
    pub same_way: Vec<&'a Direction>,
    /// Those that do not.
    pub other_way: Vec<&'a Direction>,
    /// Those that point the same way, significantly by the sign test over treebanks.
    pub surely: Vec<&'a Direction>,
    /// The most treebanks that any comparison has, those included of which the paper says nothing.
    pub n_treebanks: usize,
}

impl<'a> Found<'a> {
    /// None without figures of a paper.
    pub fn new(directions: &'a [Direction]) -> Option<Self> {
        let all: Vec<&Direction> = directions.iter().filter(|d| d.mean_holds().is_some()).collect();
        let (same_way, other_way): (Vec<&Direction>, Vec<&Direction>) =
            all.iter().copied().partition(|d| d.mean_holds() == Some(true));
        let surely = same_way.iter().copied().filter(|d| d.is_significant()).collect();
        let n_treebanks = directions.iter().map(|d| d.ours.len()).max().unwrap_or(0);
        (!all.is_empty()).then_some(Found { all, same_way, other_way, surely, n_treebanks })
    }
}

impl Direction {
    /// Gain of the method in the mean over treebanks.
    pub fn mean(&self) -> f64 {
        self.ours.iter().map(|(_, d)| d.points).sum::<f64>() / self.ours.len() as f64
    }

    /// Number of treebanks on which the method is on this side of the other, and of those where it is significantly so.
    fn count(&self, side: Ordering) -> (usize, usize) {
        let of_side = self.ours.iter().filter(|(_, d)| sign(d.points) == side);
        (of_side.clone().count(), of_side.filter(|(_, d)| d.p < LEVEL).count())
    }

    /// The probability of so uneven a split of treebanks, or a more uneven one, if either side were as likely: the sign test,
    /// two-sided, without ties.
    pub fn sign_test(&self) -> f64 {
        sign_test(signs(self.ours.iter().map(|(_, d)| d.points)))
    }

    /// True if the sign test is significant.
    pub fn is_significant(&self) -> bool {
        self.sign_test() < LEVEL
    }

    /// Treebanks for which the paper has a direction; those among them where it holds; and of the others those that are
    /// significantly the other way.
    pub fn agreement(&self) -> Option<(usize, usize, usize)> {
        let paper = self.paper.as_ref()?;
        let ours = |t: &str| self.ours.iter().find(|(name, _)| name == t).map(|(_, d)| d);
        let pairs = paper.gains.iter().filter(|(_, gain)| *gain != 0.0);
        let pairs: Vec<_> = pairs.filter_map(|(t, gain)| Some((gain, ours(t)?))).collect();
        let agreeing = pairs.iter().filter(|(gain, d)| sign(d.points) == sign(**gain)).count();
        let against = pairs.iter().filter(|(gain, d)| sign(d.points) == sign(-**gain) && d.p < LEVEL).count();
        Some((pairs.len(), agreeing, against))
    }

    /// Treebanks where the paper's direction does not hold.
    fn opposite(&self) -> Vec<&str> {
        let gains = self.paper.iter().flat_map(|p| &p.gains);
        let ours = |t: &str| self.ours.iter().find(|(name, _)| name == t).map(|(_, d)| d.points);
        gains
            .filter(|(t, gain)| ours(t).is_some_and(|points| sign(points) == sign(-gain)))
            .map(|(t, _)| t.as_str())
            .collect()
    }

    /// True if the means have one sign; none where the paper's figures are equal.
    pub fn mean_holds(&self) -> Option<bool> {
        let has_sign = |paper: &&Theirs| paper.mean.abs() > EQUAL;
        self.paper.as_ref().filter(has_sign).map(|paper| paper.mean * self.mean() > 0.0)
    }

    /// The figures that sentences need.
    pub fn view(&self) -> Value {
        let ((higher, surely_higher), (lower, surely_lower)) =
            (self.count(Ordering::Greater), self.count(Ordering::Less));
        let Direction { column, method, against, metric, ours, paper } = self;
        view! {
            column, against, higher, surely_higher, lower, surely_lower,
            label => method.label,
            metric => metric.name(),
            n => ours.len(),
            mean => self.mean(),
            p => self.sign_test(),
            paper => paper.as_ref().map(|paper| paper.mean),
            agreement => self.agreement(),
            opposite => self.opposite(),
        }
    }
}

/// Two-sided binomial test of two counts with even odds.
pub fn sign_test((a, b): (usize, usize)) -> f64 {
    let even = Binomial::new(0.5, (a + b) as u64).expect("a half is a probability");
    (2.0 * even.cdf(a.min(b) as u64)).min(1.0)
}

/// By comparison, the p of its sign test, corrected for all comparisons in the same score.
fn corrected(directions: &[Direction]) -> Vec<f64> {
    let mut all = vec![1.0; directions.len()];
    for metric in METRICS {
        let of_metric: Vec<usize> = (0..directions.len()).filter(|&i| directions[i].metric == metric).collect();
        let p_values: Vec<f64> = of_metric.iter().map(|&i| directions[i].sign_test()).collect();
        of_metric.into_iter().zip(holm(&p_values)).for_each(|(i, p)| all[i] = p);
    }
    all
}

/// The table of all comparisons; nothing if there are none or there is one treebank only.
pub fn who_wins(summary: &Summary, directions: &[Direction]) -> Option<Block> {
    if directions.is_empty() || summary.treebanks().len() < 2 {
        return None;
    }
    let with_paper = directions.iter().any(|d| d.paper.is_some());
    let mut heads =
        vec![COLUMN, METHOD, AGAINST, SCORE, "treebanks", "higher", "higher, p < .05", "lower", "lower, p < .05"];
    heads.extend([GAIN, SIGN_P, CORRECTED_P]);
    if with_paper {
        heads.extend([PAPER_GAIN, "paper's direction holds", "significantly not"]);
    }
    let mut table = Table::new(4, heads);
    for (direction, corrected) in directions.iter().zip(corrected(directions)) {
        let ((higher, surely_higher), (lower, surely_lower)) =
            (direction.count(Ordering::Greater), direction.count(Ordering::Less));
        let mut line = vec![
            TableCell::text(&direction.column),
            TableCell::text(&direction.method.label),
            TableCell::text(&direction.against),
            TableCell::text(direction.metric.name()),
            TableCell::count(direction.ours.len()),
            TableCell::count(higher),
            TableCell::count(surely_higher),
            TableCell::count(lower),
            TableCell::count(surely_lower),
            TableCell::signed(Some(direction.mean())),
            TableCell::shown(Some(direction.sign_test()), bare_p),
            TableCell::shown(Some(corrected), bare_p),
        ];
        if with_paper {
            let agreement = direction.agreement().filter(|(n, ..)| *n > 0);
            let shown = |(n, agreeing, _)| TableCell::valued(format!("{agreeing} of {n}"), agreeing as f64);
            line.push(TableCell::signed(direction.paper.as_ref().map(|p| p.mean)));
            line.push(agreement.map_or_else(|| TableCell::number(None, 0), shown));
            line.push(agreement.map_or_else(|| TableCell::number(None, 0), |(.., against)| TableCell::count(against)));
        }
        table.lines.push(line);
    }
    let of_paper = directions.iter().filter_map(Direction::agreement);
    let (n, agreeing, against) = of_paper.fold((0, 0, 0), |sum, d| (sum.0 + d.0, sum.1 + d.1, sum.2 + d.2));
    let best = |metric| {
        let of_metric = directions.iter().filter(move |d| d.metric == metric && !with_paper);
        of_metric.max_by(|a, b| a.mean().total_cmp(&b.mean()))
    };
    let best_of_metrics: Vec<Value> = METRICS.into_iter().filter_map(best).map(Direction::view).collect();
    let found = Found::new(directions);
    let other_way = found.iter().flat_map(|found| &found.other_way).map(|d| d.view()).collect::<Vec<_>>();
    let view = view! {
        best_of_metrics, other_way,
        n_of_paper => n,
        n_agreeing => agreeing,
        n_against => against,
        n_found => found.as_ref().map_or(0, |found| found.all.len()),
        n_surely => found.as_ref().map_or(0, |found| found.surely.len()),
    };
    Some(block("wins.jinja", view, Content::Table(table)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_tests_are_those_of_the_binomial_distribution() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(sign_test((0, 0)), 1.0);
        close(sign_test((5, 0)), 2.0 / 32.0);
        close(sign_test((1, 9)), 2.0 * 11.0 / 1024.0);
        close(sign_test((9, 1)), 2.0 * 11.0 / 1024.0);
        close(sign_test((4, 4)), 1.0);
    }
}
