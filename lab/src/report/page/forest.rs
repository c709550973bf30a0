//! Gains as dots on one axis: with intervals, or beside those of a paper.

use serde::Serialize;

use crate::report::answer::{Answer, Setting};
use crate::report::axis::Ruler;
use crate::report::directions::{AGAINST, COLUMN, GAIN, LEVEL, METHOD, PAPER_GAIN, SCORE, SIGN_P};
use crate::report::document::{Block, Cell, Content, Document, Table};
use crate::report::figure::Scale;
use crate::report::paired::p_text;
use treebeam::eval::Gain;

/// The chart.
#[derive(Debug, Serialize)]
pub(super) struct ForestView {
    caption: String,
    /// Explanation of the chart.
    reading: String,
    /// Name of what the lines are.
    what: &'static str,
    /// Names at the two ends of the axis.
    ends: [&'static str; 2],
    /// Text that is added to both where there is room.
    ends_are: &'static str,
    /// The heads of the columns of figures behind the axis.
    heads: Vec<&'static str>,
    rows: Vec<RowView>,
    /// The mean over lines, if there are several.
    overall: Option<RowView>,
    ticks: Vec<TickView>,
    /// Position of 0, in percent of the axis.
    zero: f64,
}

/// A line of the chart; places are percentages of its axis.
#[derive(Debug, Serialize)]
struct RowView {
    name: String,
    /// The place on the page that tells more, if there is one.
    link: Option<String>,
    at: f64,
    /// Beginning and width of the interval.
    interval: Option<[f64; 2]>,
    /// Position of the paper's gain.
    paper: Option<f64>,
    figures: Vec<String>,
    ahead: bool,
    sure: bool,
    facts: String,
}

#[derive(Debug, Serialize)]
struct TickView {
    at: f64,
    text: String,
}

/// More lines than these are no picture.
const MAX_ROWS: usize = 24;

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

fn ticks(ruler: &Ruler) -> Vec<TickView> {
    ruler.ticks().map(|(share, text)| TickView { at: percent(share), text }).collect()
}

fn ruler(values: impl Iterator<Item = f64>) -> Ruler {
    Ruler::new(Scale::Linear, 7, values.chain([0.0]))
}

impl RowView {
    /// A gain with its interval; `more` is added to what the line tells when it is pointed at.
    fn of_gain(name: String, gain: &Gain, ruler: &Ruler, more: &str) -> RowView {
        let [low, high] = [gain.low, gain.high].map(|value| percent(ruler.share(value)));
        RowView {
            name,
            link: None,
            at: percent(ruler.share(gain.points)),
            interval: Some([low, percent((high - low) / 100.0)]),
            paper: None,
            figures: vec![format!("{:+.2}", gain.points)],
            ahead: gain.points >= 0.0,
            sure: gain.p < LEVEL,
            facts: format!("{:+.2} to {:+.2}, {}{more}", gain.low, gain.high, p_text(gain.p)),
        }
    }
}

/// The ruler that all of these gains fit on, with their intervals.
fn ruler_of<'g>(gains: impl Iterator<Item = &'g Gain>) -> Ruler {
    ruler(gains.flat_map(|gain| [gain.low, gain.high, gain.points]))
}

impl ForestView {
    /// Gains of global training, setting by setting, and its costs.
    pub(super) fn of_answer(answer: &Answer) -> ForestView {
        let gains = || answer.settings.iter().map(|s| &s.gain).chain([&answer.overall]);
        let ruler = ruler_of(gains());
        let row = |name: &str, gain: &Gain, times: [Option<f64>; 2], more: String| {
            let mut row = RowView::of_gain(name.to_owned(), gain, &ruler, &more);
            row.figures.extend(times.map(|t| t.map_or_else(String::new, |t| format!("× {t:.1}"))));
            row
        };
        let of_setting = |s: &Setting| {
            let more = format!("; {} against {}", s.global.label, s.greedy.label);
            row(&s.name, &s.gain, [s.parsing_time, s.training_time], more)
        };
        let what = if answer.are_systems { "system" } else { "setting" };
        let n = answer.settings.len();
        ForestView {
            caption: format!("{}, in points: global less greedy", answer.metric),
            reading: "Right of 0 global training is better, left of it greedy training. Bars are 95 % intervals; filled dots are \
                      significant (p < .05). Times: how many times as long global takes (lower is better)."
                .to_owned(),
            what,
            ends: ["greedy", "global"],
            ends_are: " better",
            heads: vec!["points", "parsing", "training"],
            rows: answer.settings.iter().map(of_setting).collect(),
            overall: (n > 1).then(|| row(&format!("mean of {n} {what}s"), &answer.overall, [None; 2], String::new())),
            ticks: ticks(&ruler),
            zero: percent(ruler.share(0.0)),
        }
    }

    /// Gain of global training in the mean of each of several experiments; none if there are none.
    pub(super) fn of_answers(answers: &[(&Document, &Answer)]) -> Option<ForestView> {
        let (_, first) = answers.first()?;
        let same: Vec<_> = answers.iter().filter(|(_, answer)| answer.metric == first.metric).collect();
        let ruler = ruler_of(same.iter().map(|(_, answer)| &answer.overall));
        let row = |(document, answer): &&(&Document, &Answer)| {
            let more = format!("; {}", document.title);
            let mut row = RowView::of_gain(document.name.clone(), &answer.overall, &ruler, &more);
            row.link = Some(document.name.clone());
            row.figures.push(answer.treebanks.len().to_string());
            row
        };
        Some(ForestView {
            caption: format!("{}, in points: global less greedy, in the mean of each experiment", first.metric),
            reading: "Right of 0 global training is better, left of it greedy training. Bars are 95 % intervals; filled dots are \
                      significant (p < .05)."
                .to_owned(),
            what: "experiment",
            ends: ["greedy", "global"],
            ends_are: " better",
            heads: vec!["points", "treebanks"],
            rows: same.iter().map(row).collect(),
            overall: None,
            ticks: ticks(&ruler),
            zero: percent(ruler.share(0.0)),
        })
    }

    /// Gains of methods on average over treebanks, beside what a paper says that they gain: of the table of all comparisons
    /// those of the first score and against the first method.
    pub(super) fn of_comparisons(blocks: &[Block]) -> Option<ForestView> {
        blocks.iter().find_map(|block| match &block.content {
            Content::Table(table) => ForestView::of_table(table),
            _ => None,
        })
    }

    fn of_table(table: &Table) -> Option<ForestView> {
        let place = |head: &str| table.heads.iter().position(|h| h == head);
        let [method, against, score, gain, p] =
            [place(METHOD)?, place(AGAINST)?, place(SCORE)?, place(GAIN)?, place(SIGN_P)?];
        let (column, paper) = (place(COLUMN), place(PAPER_GAIN));
        let first = table.lines.first()?;
        let is_shown = |i: usize, line: &[Cell]| line[i].text == first[i].text;
        let lines: Vec<_> =
            table.lines.iter().filter(|line| is_shown(score, line) && is_shown(against, line)).collect();
        let gains =
            || lines.iter().flat_map(|line| [Some(gain), paper].into_iter().flatten().filter_map(|i| line[i].value));
        if lines.len() > MAX_ROWS || lines.iter().any(|line| line[gain].value.is_none()) {
            return None;
        }
        let ruler = ruler(gains());
        let several = |i: usize| lines.iter().any(|line| line[i].text != first[i].text);
        let [has_columns, has_methods] = [column.is_some_and(several), several(method)];
        let has_paper = paper.is_some_and(|i| lines.iter().any(|line| line[i].value.is_some()));
        let paper = paper.filter(|_| has_paper);
        let rows = lines.iter().map(|line| {
            let name = |i: Option<usize>| i.map_or("", |i| line[i].text.as_str());
            let value = line[gain].value.unwrap_or_default();
            RowView {
                name: match (has_columns, has_methods) {
                    (true, true) => format!("{}: {}", name(column), name(Some(method))),
                    (true, false) => name(column).to_owned(),
                    (false, _) => name(Some(method)).to_owned(),
                },
                link: None,
                at: percent(ruler.share(value)),
                interval: None,
                paper: paper.and_then(|i| line[i].value).map(|value| percent(ruler.share(value))),
                figures: [Some(gain), paper].into_iter().flatten().map(|i| line[i].text.clone()).collect(),
                ahead: value >= 0.0,
                sure: line[p].value.is_some_and(|p| p < LEVEL),
                facts: format!("sign test over treebanks: {}", line[p].value.map_or_else(String::new, p_text)),
            }
        });
        let methods = if has_methods { "each method" } else { first[method].text.as_str() };
        Some(ForestView {
            caption: format!("{}, in points: {methods} less {}", first[score].text, first[against].text),
            reading: format!(
                "Means over treebanks; filled dots are significant by the sign test over treebanks (p < .05).{}",
                if has_paper { " Diamonds are the paper's." } else { "" }
            ),
            what: if has_columns && !has_methods { "column" } else { "method" },
            ends: ["behind", "ahead"],
            ends_are: "",
            heads: [Some("here"), paper.map(|_| "paper")].into_iter().flatten().collect(),
            rows: rows.collect(),
            overall: None,
            ticks: ticks(&ruler),
            zero: percent(ruler.share(0.0)),
        })
    }
}
