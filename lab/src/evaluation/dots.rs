//! Breakdowns as pictures: a line for each class, a dot for each system on an axis of percent.

use std::fmt::{self, Write};

use treebeam::eval::{ArcClass, Breakdowns, Bucket, SystemReport};

use crate::style::escaped;

/// More labels than these are no picture; the table has all of them.
const MOST: usize = 12;

/// Number of colours; of more systems only the first are drawn.
const COLOURS: usize = 6;

/// The style sheet of these pictures.
pub(super) const STYLE: &str = "\
.dots { margin: 1.2rem 0 1.6rem; max-width: 60rem; }
.dots figcaption { font-weight: 600; margin-bottom: 0.3rem; }
.dots ul { display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; margin: 0 0 0.4rem; padding: 0; list-style: none; font-size: 0.88rem; overflow-wrap: anywhere; }
.dots li::before { content: \"\"; display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.45em; border-radius: 50%; background: var(--s); }
.dots table { width: 100%; table-layout: fixed; }
.dots th, .dots td { border: 0; padding-block: 0.12rem; }
.dots .t { width: 8rem; white-space: normal; overflow-wrap: anywhere; }
.dots .figure { width: 4.2rem; }
.dots .range { padding-inline: 0.6rem; }
.dots .track { position: relative; display: block; height: 1.35rem; }
.dots i { position: absolute; }
.dots .tick { top: 0; bottom: 0; border-left: 1px solid var(--grid); }
.dots .between { top: 50%; height: 2px; margin-top: -1px; background: var(--grid); }
.dots .dot { top: 50%; width: 11px; height: 11px; margin: -5.5px 0 0 -5.5px; border-radius: 50%; background: var(--s); }
.dots .track span { position: absolute; transform: translateX(-50%); color: var(--soft); }
.s0 { --s: var(--c0); } .s1 { --s: var(--c1); } .s2 { --s: var(--c2); } .s3 { --s: var(--c3); } .s4 { --s: var(--c4); } .s5 { --s: var(--c5); }
@media (max-width: 40rem) { .dots .t { width: 4.6rem; } .dots .figure { width: 3.1rem; } .dots .words { display: none; } .dots th, .dots td { padding-inline: 0.25rem; } }
";

/// A class with the number of its words in gold and, for each system, how much of it is right, in percent.
struct Line<'r> {
    class: &'r str,
    words: u64,
    values: Vec<Option<f64>>,
}

/// Writes pictures of what `systems` were broken down by: lengths of arcs, labels, lengths of sentences.
pub(super) fn write_pictures(out: &mut String, systems: &[SystemReport]) -> fmt::Result {
    let systems = &systems[..systems.len().min(COLOURS)];
    let lengths = of_arcs(systems, |breakdowns| breakdowns.length.as_deref());
    write_picture(out, "F1 of heads by the distance between word and head", systems, &lengths)?;
    let labels = of_arcs(systems, |breakdowns| breakdowns.label.as_deref());
    let most = labels.len().min(MOST);
    let which = if labels.len() > MOST { format!(", the {MOST} most frequent") } else { String::new() };
    write_picture(out, &format!("F1 of heads and labels by label{which}"), systems, &labels[..most])?;
    write_picture(out, "LAS by the number of words in the sentence", systems, &of_sentences(systems))
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
    let all: Vec<&[Bucket]> = systems.iter().filter_map(|s| s.breakdowns.sentence_length.as_deref()).collect();
    let mut lines = Vec::new();
    for bucket in all.first().copied().unwrap_or_default().iter().filter(|bucket| bucket.scores.counts.tokens > 0) {
        let same = |b: &&Bucket| b.sentence_length == bucket.sentence_length;
        let values = all.iter().map(|buckets| buckets.iter().find(same).map(las)).collect();
        lines.push(Line { class: &bucket.sentence_length, words: bucket.scores.counts.tokens, values });
    }
    lines
}

fn las(bucket: &Bucket) -> f64 {
    bucket.scores.counts.las()
}

fn write_picture(out: &mut String, title: &str, systems: &[SystemReport], lines: &[Line<'_>]) -> fmt::Result {
    let values = || lines.iter().flat_map(|line| line.values.iter().flatten().copied());
    let lowest = values().fold(100.0, f64::min);
    if values().next().is_none() {
        return Ok(());
    }
    // From the ten below the lowest value, but at least twenty points.
    let low = ((lowest / 10.0).floor() * 10.0).min(80.0);
    let place = |value: f64| ((value - low) / (100.0 - low) * 1000.0).round() / 10.0;
    let step = if low < 50.0 { 20.0 } else { 10.0 };
    let ticks: Vec<f64> = (0..=10).map(|i| 100.0 - step * f64::from(i)).take_while(|&tick| tick >= low).collect();
    writeln!(out, "<figure class=\"dots\"><figcaption>{}</figcaption>", escaped(title))?;
    if systems.len() > 1 {
        out.write_str("<ul>")?;
        for (i, system) in systems.iter().enumerate() {
            write!(out, "<li class=\"s{i}\">{}</li>", escaped(&system.path))?;
        }
        out.write_str("</ul>\n")?;
    }
    out.write_str("<table><tbody>\n")?;
    for Line { class, words, values } in lines {
        let (class, there) = (escaped(class), || values.iter().flatten().copied());
        write!(out, "<tr><th scope=\"row\" class=\"t\">{class}</th><td class=\"range\"><span class=\"track\">")?;
        for &tick in &ticks {
            write!(out, "<i class=\"tick\" style=\"left:{}%\"></i>", place(tick))?;
        }
        let (least, most) = (there().fold(100.0, f64::min), there().fold(low, f64::max));
        if least < most {
            write!(
                out,
                "<i class=\"between\" style=\"left:{}%;width:{:.1}%\"></i>",
                place(least),
                place(most) - place(least)
            )?;
        }
        for (i, value) in values.iter().enumerate() {
            if let Some(value) = value {
                write!(out, "<i class=\"dot s{i}\" style=\"left:{}%\"></i>", place(*value))?;
            }
        }
        out.write_str("</span></td>")?;
        for value in values {
            let text = value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
            write!(out, "<td class=\"figure\">{text}</td>")?;
        }
        writeln!(out, "<td class=\"figure words\">n = {words}</td></tr>")?;
    }
    out.write_str("</tbody><tfoot aria-hidden=\"true\"><tr><td></td><td class=\"range\"><span class=\"track\">")?;
    for tick in ticks {
        write!(out, "<span style=\"left:{}%\">{tick}</span>", place(tick))?;
    }
    writeln!(out, "</span></td><td colspan=\"{}\"></td></tr></tfoot></table></figure>", systems.len() + 1)
}
