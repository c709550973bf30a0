//! The answer as figures for its sentences, and as a table.

use minijinja::Value;

use super::{Answer, Setting};
use crate::report::directions::LEVEL;
use crate::report::document::{Block, Content, Table, TableCell};
use crate::report::paired::bare_p;
use crate::report::templates::{block, sentences, view};
use std::cmp::Ordering;
use treebeam::eval::{Pairs, sign};

/// The median, least and most of a ratio of times over columns, for people.
fn times(values: impl Iterator<Item = f64>) -> Option<Value> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let shown = |value: f64| if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    // The mean of the two in the middle of an even number.
    let (least, most) = (shown(*values.first()?), shown(*values.last()?));
    let median = shown((values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0);
    Some(view! { median, least, most })
}

impl Answer {
    /// Number of pairs of models that are compared: one for each setting, treebank and seed.
    pub fn n_pairs(&self) -> usize {
        self.settings.len() * self.treebanks.len() * self.seeds
    }

    /// Weight of the evidence: treebanks first, as what holds for few languages may not hold for others; then pairs of models.
    pub fn weight(&self) -> (usize, usize) {
        (self.treebanks.len(), self.n_pairs())
    }

    /// The figures that sentences of the answer need.
    pub(in crate::report) fn view(&self) -> Value {
        let (corrected, p_of_signs) = (self.corrected(), self.corrected_signs());
        let significant = |p_values: &[f64], of_side: &dyn Fn(&Setting) -> bool| {
            let those = self.settings.iter().zip(p_values).filter(|(s, p)| of_side(s) && **p < LEVEL);
            those.map(|(s, _)| s.name.as_str()).collect::<Vec<_>>()
        };
        // The columns in which one side is ahead, and those in which it is so significantly, or by treebanks, corrected for all columns.
        let side = |side: Ordering| {
            let (is_of, leads) =
                (|s: &Setting| sign(s.gain.points) == side, |s: &Setting| s.n_ahead.0.cmp(&s.n_ahead.1) == side);
            view! {
                n => self.settings.iter().filter(|s| is_of(s)).count(),
                surely => significant(&corrected, &is_of),
                by_signs => significant(&p_of_signs, &leads),
            }
        };
        let Answer {
            metric,
            treebanks,
            settings,
            are_systems,
            overall,
            mixed,
            in_same_beam,
            headline,
            tags,
            other_tags,
            ..
        } = self;
        let n_meant = if self.n_meant == 0 { settings.len() } else { self.n_meant };
        let (n_systems, ahead, behind) = (self.n_systems, side(Ordering::Greater), side(Ordering::Less));
        let parsing_time = times(settings.iter().filter_map(|s| s.parsing_time));
        let training_time = times(settings.iter().filter_map(|s| s.training_time));
        view! {
            metric, treebanks, settings, are_systems, n_systems, overall, n_meant, tags, other_tags, mixed, in_same_beam, headline, ahead, behind, p_of_signs,
            parsing_time, training_time,
        }
    }

    /// The answer in sentences, the headline first; the sides are the global one and the greedy one.
    pub(super) fn sentences(&self, sides: [&str; 2], mean: &Pairs) -> Vec<String> {
        let ((least_seeds, most_seeds), a, detectable) = (mean.n_seeds(), self.view(), self.overall.detectable());
        sentences("answer.jinja", view! { a, sides, least_seeds, most_seeds, detectable })
    }

    /// The comparisons as a table.
    pub fn block(&self) -> Block {
        let name = if self.are_systems { "system" } else { "setting" };
        let scores = ["greedy", "global"].map(|which| format!("{which} {}", self.metric));
        let [greedy, global] = &scores;
        let heads = [
            name,
            "best greedy",
            "best global",
            greedy,
            global,
            "difference",
            "95 % interval",
            "p",
            "p, corrected",
            "parsing time",
            "training time",
        ];
        let mut table = Table::new(3, heads);
        let times = |value: Option<f64>| TableCell::shown(value, |value| format!("× {value:.1}"));
        for (setting, corrected) in self.settings.iter().zip(self.corrected()) {
            let Setting { name, greedy, global, gain, parsing_time, training_time, .. } = setting;
            table.lines.push(vec![
                TableCell::text(name),
                TableCell::text(&greedy.label),
                TableCell::text(&global.label),
                TableCell::number(Some(greedy.test), 2),
                TableCell::number(Some(global.test), 2),
                TableCell::signed(Some(gain.points)),
                TableCell::text(format!("{:+.2} to {:+.2}", gain.low, gain.high)),
                TableCell::shown(Some(gain.p), bare_p),
                TableCell::shown(Some(corrected), bare_p),
                times(*parsing_time),
                times(*training_time),
            ]);
        }
        block("answer-models.jinja", view! {}, Content::Table(table.trimmed()))
    }
}
