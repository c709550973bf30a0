//! Breakdowns as pictures: a line for each class, a dot with its interval for each system on an axis of percent.

use minijinja::Value;

use treebeam::eval::{ArcClass, Breakdowns, LengthBucket, SystemReport};

use crate::report::templates::view;

/// More labels than these are no picture; the table has all of them.
const MOST: usize = 12;

/// Number of colours; of more systems only the first are drawn.
const COLOURS: usize = 6;

/// A class with the number of its words in gold and, for each system, how much of it is right, in percent.
struct Line<'r> {
    class: &'r str,
    words: u64,
    values: Vec<Option<f64>>,
}

/// Pictures of what `systems` were broken down by: lengths of arcs, labels, lengths of sentences.
pub(super) fn pictures(systems: &[SystemReport]) -> Vec<Value> {
    let systems = &systems[..systems.len().min(COLOURS)];
    let lengths = of_arcs(systems, |breakdowns| breakdowns.length.as_deref());
    let mut labels = of_arcs(systems, |breakdowns| breakdowns.label.as_deref());
    let which = if labels.len() > MOST { format!(", the {MOST} most frequent") } else { String::new() };
    labels.truncate(MOST);
    let all = [
        picture("F1 of heads by the distance between word and head", systems, &lengths),
        picture(&format!("F1 of heads and labels by label{which}"), systems, &labels),
        picture("LAS by the number of words in the sentence", systems, &of_sentences(systems)),
    ];
    all.into_iter().flatten().collect()
}

/// The classes of the first system that gold has, as all systems do on them.
fn of_arcs(systems: &[SystemReport], classes: impl Fn(&Breakdowns) -> Option<&[ArcClass]>) -> Vec<Line<'_>> {
    let all: Vec<&[ArcClass]> = systems.iter().filter_map(|system| classes(&system.breakdowns)).collect();
    let mut lines = Vec::new();
    for class in all.first().copied().unwrap_or_default().iter().filter(|class| class.gold > 0) {
        let values = all.iter().map(|classes| classes.iter().find(|c| c.class == class.class)?.f1).collect();
        lines.push(Line { class: &class.class, words: class.gold, values });
    }
    lines
}

/// The classes of sentences, as all systems do on them.
fn of_sentences(systems: &[SystemReport]) -> Vec<Line<'_>> {
    let all: Vec<&[LengthBucket]> = systems.iter().filter_map(|s| s.breakdowns.sentence_length.as_deref()).collect();
    let mut lines = Vec::new();
    for bucket in all.first().copied().unwrap_or_default().iter().filter(|bucket| bucket.scores.counts.tokens > 0) {
        let same = |b: &&LengthBucket| b.sentence_length == bucket.sentence_length;
        let values = all.iter().map(|buckets| buckets.iter().find(same).map(las)).collect();
        lines.push(Line { class: &bucket.sentence_length, words: bucket.scores.counts.tokens, values });
    }
    lines
}

fn las(bucket: &LengthBucket) -> f64 {
    bucket.scores.counts.las()
}

/// 95 % interval, in percent, of a share of `n` independent words (Wilson 1927). Words of one sentence are not independent, so it is
/// rather too short; an F1 is taken for the share of its class's words.
fn interval(percent: f64, n: u64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (share, n) = (percent / 100.0, n as f64);
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + (Z / (2.0 * n)).powi(2)).sqrt();
    let bound = |end: f64| 100.0 * end / (1.0 + Z * Z / n);
    (bound(centre - half), bound(centre + half))
}

/// The picture of these lines; none without a value. Places are percentages of the axis.
fn picture(title: &str, systems: &[SystemReport], lines: &[Line<'_>]) -> Option<Value> {
    let values = || lines.iter().flat_map(|line| line.values.iter().flatten().copied());
    let lowest = values().fold(100.0, f64::min);
    values().next()?;
    // From the ten below the lowest value, but at least twenty points.
    let low = ((lowest / 10.0).floor() * 10.0).min(80.0);
    let place = |value: f64| ((value - low) / (100.0 - low) * 1000.0).round() / 10.0;
    let at = |value: f64| place(value).to_string();
    let step = if low < 50.0 { 20.0 } else { 10.0 };
    let ticks = (0..=10).map(|i| 100.0 - step * f64::from(i)).take_while(|&tick| tick >= low);
    let line = |Line { class, words, values }: &Line| {
        let there = || values.iter().flatten().copied();
        let (least, most) = (there().fold(100.0, f64::min), there().fold(low, f64::max));
        let between = (least < most).then(|| (at(least), format!("{:.1}", place(most) - place(least))));
        let value = |value: &Option<f64>| {
            let drawn = value.map(|value| {
                let (from, to) = interval(value, *words);
                let from = from.max(low);
                view! { at => at(value), from => at(from), width => format!("{:.1}", place(to) - place(from)) }
            });
            view! { drawn, text => value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}")) }
        };
        view! { class, words, between, values => values.iter().map(value).collect::<Vec<_>>() }
    };
    Some(view! {
        title,
        systems => systems.iter().map(|system| &system.path).collect::<Vec<_>>(),
        lines => lines.iter().map(line).collect::<Vec<_>>(),
        ticks => ticks.map(|tick| (at(tick), tick.to_string())).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::interval;

    /// Values of `scipy.stats.binomtest(right, n).proportion_ci(method="wilson")`, SciPy 1.17.1.
    #[test]
    fn intervals_are_wilsons() {
        for (right, n, expected) in [(8, 10, (49.02, 94.33)), (0, 5, (0.0, 43.45)), (90, 100, (82.56, 94.48))] {
            let (low, high) = interval(100.0 * f64::from(right) / n as f64, n);
            assert!(
                (low - expected.0).abs() < 0.01 && (high - expected.1).abs() < 0.01,
                "{right} of {n}: {low} to {high}"
            );
        }
    }
}
