//! Gains as dots on one axis: with intervals, or beside those of a paper. All places are percentages of the axis.

use minijinja::Value;

use crate::report::answer::{Answer, Setting};
use crate::report::axis::Ruler;
use crate::report::directions::{AGAINST, COLUMN, GAIN, LEVEL, METHOD, PAPER_GAIN, SCORE, SIGN_P};
use crate::report::document::{Block, Content, Document, Table, TableCell};
use crate::report::figure::Scale;
use crate::report::paired::p_text;
use crate::report::templates::view;
use treebeam::eval::Gain;

/// More lines than these are no picture.
const MAX_ROWS: usize = 24;

/// Explanation of a chart of gains of global training.
const GAINS: &str = "Right of 0 global training is better, left of it greedy training. Bars are 95 % intervals; filled dots are \
                     significant (p < .05).";

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

fn ruler(values: impl Iterator<Item = f64>) -> Ruler {
    Ruler::new(Scale::Linear, 7, values.chain([0.0]))
}

/// The ruler that all of these gains fit on, with their intervals.
fn ruler_of<'g>(gains: impl Iterator<Item = &'g Gain>) -> Ruler {
    ruler(gains.flat_map(|gain| [gain.low, gain.high, gain.points]))
}

/// The ticks of the axis with their texts, and the place of 0.
fn axis(ruler: &Ruler) -> Value {
    let ticks: Vec<(f64, String)> = ruler.ticks().map(|(share, text)| (percent(share), text)).collect();
    view! { ticks, zero => percent(ruler.share(0.0)) }
}

/// A line with a gain and its interval. `more` is added to its tooltip, `figures` stand behind the gain, and `link` is
/// the place on the page with the details.
fn row(name: &str, gain: &Gain, ruler: &Ruler, more: &str, figures: &[String], link: Option<&str>) -> Value {
    let [low, high] = [gain.low, gain.high].map(|value| percent(ruler.share(value)));
    view! {
        name, link,
        at => percent(ruler.share(gain.points)),
        interval => [low, percent((high - low) / 100.0)],
        paper => None::<f64>,
        figures => [&[format!("{:+.2}", gain.points)], figures].concat(),
        ahead => gain.points >= 0.0,
        sure => gain.p < LEVEL,
        facts => format!("{:+.2} to {:+.2}, {}{more}", gain.low, gain.high, p_text(gain.p)),
    }
}

/// Gains of global training, setting by setting, and its costs.
pub(in crate::report) fn of_answer(answer: &Answer) -> Value {
    let others = || answer.other_tags.iter().map(|(_, gain)| gain);
    let gains = || answer.settings.iter().map(|s| &s.gain).chain([&answer.overall]).chain(others());
    let ruler = ruler_of(gains());
    let times = |times: [Option<f64>; 2]| times.map(|t| t.map_or_else(String::new, |t| format!("× {t:.1}")));
    let of_setting = |s: &Setting| {
        let more = format!("; {} against {}", s.global.label, s.greedy.label);
        row(&s.name, &s.gain, &ruler, &more, &times([s.parsing_time, s.training_time]), None)
    };
    let what = if answer.are_systems { "system" } else { "setting" };
    let mean = |name: String, gain: &Gain| row(&name, gain, &ruler, "", &times([None; 2]), None);
    let means = match &answer.other_tags[..] {
        _ if answer.settings.len() == 1 => Vec::new(),
        [] => vec![mean(format!("mean of {} {what}s", answer.settings.len()), &answer.overall)],
        others => {
            let all =
                std::iter::once((&answer.tags, &answer.overall)).chain(others.iter().map(|(tags, gain)| (tags, gain)));
            all.map(|(tags, gain)| mean(format!("mean, {} tags", tags.word()), gain)).collect()
        }
    };
    view! {
        what,
        caption => format!("{}, in points: global less greedy", answer.metric),
        reading => format!("{GAINS} Times: how many times as long global takes (lower is better)."),
        ends => ["greedy", "global"],
        ends_are => " better",
        heads => ["points", "parsing", "training"],
        rows => side_by_side(&answer.settings).into_iter().map(of_setting).collect::<Vec<_>>(),
        means,
        axis => axis(&ruler),
    }
}

/// The settings in their order, but each before its variants: `arc-eager (predicted tags)` follows `arc-eager`.
fn side_by_side(settings: &[Setting]) -> Vec<&Setting> {
    let is_of = |setting: &Setting, main: &Setting| {
        setting.name.strip_prefix(&main.name).is_some_and(|rest| rest.starts_with(" ("))
    };
    let mains = settings.iter().filter(|setting| !settings.iter().any(|main| is_of(setting, main)));
    mains.flat_map(|main| std::iter::once(main).chain(settings.iter().filter(|setting| is_of(setting, main)))).collect()
}

/// Gain of global training in the mean of each of several experiments; none if there are none.
pub(super) fn of_answers(answers: &[(&Document, &Answer)]) -> Option<Value> {
    let (_, first) = answers.first()?;
    let same: Vec<_> = answers.iter().filter(|(_, answer)| answer.metric == first.metric).collect();
    let ruler = ruler_of(same.iter().map(|(_, answer)| &answer.overall));
    let row = |(document, answer): &&(&Document, &Answer)| {
        let (name, more) = (&document.name, format!("; {}", document.title));
        row(name, &answer.overall, &ruler, &more, &[answer.treebanks.len().to_string()], Some(name))
    };
    Some(view! {
        caption => format!("{}, in points: global less greedy, in the mean of each experiment", first.metric),
        reading => GAINS,
        what => "experiment",
        ends => ["greedy", "global"],
        ends_are => " better",
        heads => ["points", "treebanks"],
        rows => same.iter().map(row).collect::<Vec<_>>(),
        means => Vec::<Value>::new(),
        axis => axis(&ruler),
    })
}

/// Gains of methods on average over treebanks, beside what a paper says that they gain: of the table of all comparisons
/// those of the first score and against the first method.
pub(super) fn of_comparisons(blocks: &[Block]) -> Option<Value> {
    blocks.iter().find_map(|block| match &block.content {
        Content::Table(table) => of_table(table),
        _ => None,
    })
}

fn of_table(table: &Table) -> Option<Value> {
    let place = |head: &str| table.heads.iter().position(|h| h == head);
    let [method, against, score, gain, p] =
        [place(METHOD)?, place(AGAINST)?, place(SCORE)?, place(GAIN)?, place(SIGN_P)?];
    let (column, paper) = (place(COLUMN), place(PAPER_GAIN));
    let first = table.lines.first()?;
    let is_shown = |i: usize, line: &[TableCell]| line[i].text == first[i].text;
    let lines: Vec<_> = table.lines.iter().filter(|line| is_shown(score, line) && is_shown(against, line)).collect();
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
    let row = |line: &&Vec<TableCell>| {
        let name = |i: Option<usize>| i.map_or("", |i| line[i].text.as_str());
        let value = line[gain].value.unwrap_or_default();
        view! {
            name => match (has_columns, has_methods) {
                (true, true) => format!("{}: {}", name(column), name(Some(method))),
                (true, false) => name(column).to_owned(),
                (false, _) => name(Some(method)).to_owned(),
            },
            link => None::<&str>,
            at => percent(ruler.share(value)),
            interval => None::<[f64; 2]>,
            paper => paper.and_then(|i| line[i].value).map(|value| percent(ruler.share(value))),
            figures => [Some(gain), paper].into_iter().flatten().map(|i| &line[i].text).collect::<Vec<_>>(),
            ahead => value >= 0.0,
            sure => line[p].value.is_some_and(|p| p < LEVEL),
            facts => format!("sign test over treebanks: {}", line[p].value.map_or_else(String::new, p_text)),
        }
    };
    let methods = if has_methods { "each method" } else { first[method].text.as_str() };
    Some(view! {
        caption => format!("{}, in points: {methods} less {}", first[score].text, first[against].text),
        reading => format!(
            "Means over treebanks; filled dots are significant by the sign test over treebanks (p < .05).{}",
            if has_paper { " Diamonds are the paper's." } else { "" }
        ),
        what => if has_columns && !has_methods { "column" } else { "method" },
        ends => ["behind", "ahead"],
        ends_are => "",
        heads => [Some("here"), paper.map(|_| "paper")].into_iter().flatten().collect::<Vec<_>>(),
        rows => lines.iter().map(row).collect::<Vec<_>>(),
        means => Vec::<Value>::new(),
        axis => axis(&ruler),
    })
}
