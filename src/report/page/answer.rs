//! What the page opens with: greedy or global.

use serde::Serialize;

use super::link::Base;
use super::{BlockView, Experiment, markdown};
use crate::report::answer::{Answer, Setting};
use crate::report::axis::Ruler;
use crate::report::document::Document;
use crate::report::figure::Scale;
use crate::report::paired::{Gain, told_p};

/// The answer that the page opens with, and what other experiments say.
#[derive(Serialize)]
pub(super) struct AnswerView {
    /// The experiment that it is from.
    name: String,
    title: String,
    metric: String,
    what: &'static str,
    headline: String,
    reading: Vec<String>,
    limits: Vec<String>,
    rows: Vec<RowView>,
    /// The mean over columns, if there are several.
    overall: Option<RowView>,
    ticks: Vec<TickView>,
    /// Where 0 stands, in percent of the axis.
    zero: f64,
    block: BlockView,
    others: Vec<OtherView>,
}

/// A line of the chart; places are percentages of its axis.
#[derive(Serialize)]
struct RowView {
    name: String,
    at: f64,
    low: f64,
    width: f64,
    points: String,
    parsing: String,
    training: String,
    sure: bool,
    facts: String,
}

#[derive(Serialize)]
struct TickView {
    at: f64,
    text: String,
}

/// What another experiment says, in a sentence.
#[derive(Serialize)]
struct OtherView {
    name: String,
    title: String,
    headline: String,
    limits: String,
}

/// Of each experiment the document that answers the question, the whole before small versions; those with exploration and with the
/// most pairs of models come first.
pub(in crate::report) fn documents(experiments: &[Experiment]) -> Vec<(&Document, &Answer)> {
    let of = |e: &'_ Experiment| -> Option<usize> { e.profiles.iter().position(|d| d.answer.is_some()) };
    let found = experiments.iter().filter_map(|e| of(e).map(|i| &e.profiles[i]));
    let mut answered: Vec<_> = found.filter_map(|document| Some((document, document.answer.as_ref()?))).collect();
    answered.sort_by_key(|(_, answer)| std::cmp::Reverse((answer.explores, answer.n_pairs())));
    answered
}

/// The document that answers the question for all: a whole experiment before a small one, one with exploration before one without,
/// then the one with the most pairs of models.
pub(in crate::report) fn main_answer(experiments: &[Experiment]) -> Option<(&Document, &Answer)> {
    let key =
        |(document, answer): &(&Document, &Answer)| (document.profile == "full", answer.explores, answer.n_pairs());
    // Of equals the first.
    documents(experiments).into_iter().reduce(|best, other| if key(&other) > key(&best) { other } else { best })
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

impl AnswerView {
    /// The view, if some experiment answers the question.
    pub(super) fn new(experiments: &[Experiment], base: &Base) -> Option<AnswerView> {
        let (document, answer) = main_answer(experiments)?;
        let folder = base.folder(&document.name);
        let html = |text: &String| markdown::html(text, &folder);
        let gains = || answer.settings.iter().map(|s| &s.gain).chain([&answer.overall]);
        let ends = gains().flat_map(|gain| [gain.low, gain.high, gain.points]).chain([0.0]);
        let ruler = Ruler::new(Scale::Linear, 7, ends);
        let row = |name: &str, gain: &Gain, times: [Option<f64>; 2], more: String| {
            let [low, high] = [gain.low, gain.high].map(|value| percent(ruler.share(value)));
            let [parsing, training] = times.map(|t| t.map_or_else(String::new, |t| format!("× {t:.1}")));
            RowView {
                name: name.to_owned(),
                at: percent(ruler.share(gain.points)),
                low,
                width: percent((high - low) / 100.0),
                points: format!("{:+.2}", gain.points),
                parsing,
                training,
                sure: gain.p < crate::report::directions::LEVEL,
                facts: format!("{:+.2} to {:+.2}, {}{more}", gain.low, gain.high, told_p(gain.p)),
            }
        };
        let of_setting = |s: &Setting| {
            let more = format!("; {} against {}", s.global.label, s.greedy.label);
            row(&s.name, &s.gain, [s.parsing_time, s.training_time], more)
        };
        let what = if answer.are_systems { "system" } else { "setting" };
        let n = answer.settings.len();
        let others = documents(experiments).into_iter().filter(|(other, _)| other.name != document.name);
        Some(AnswerView {
            name: document.name.clone(),
            title: document.title.clone(),
            metric: answer.metric.clone(),
            what,
            headline: html(&answer.headline),
            reading: answer.reading.iter().map(html).collect(),
            limits: document.limits.iter().map(html).collect(),
            rows: answer.settings.iter().map(of_setting).collect(),
            overall: (n > 1).then(|| row(&format!("mean of {n} {what}s"), &answer.overall, [None; 2], String::new())),
            ticks: ruler.ticks().map(|(share, text)| TickView { at: percent(share), text }).collect(),
            zero: percent(ruler.share(0.0)),
            block: BlockView::new(&answer.block(), "answer-models".to_owned(), &folder),
            others: others
                .map(|(other, answer)| OtherView {
                    name: other.name.clone(),
                    title: other.title.clone(),
                    headline: markdown::html(&answer.headline, &base.folder(&other.name)),
                    limits: markdown::html(other.limits.first().map_or("", String::as_str), &base.folder(&other.name)),
                })
                .collect(),
        })
    }
}
