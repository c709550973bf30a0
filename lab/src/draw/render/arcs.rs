//! The arcs of a tree, upwards or downwards.

use std::fmt::{self, Write};

use super::super::layout::{Placed, Side};
use super::super::text::{escaped_xml, width};
use super::super::{ArcDifference, Drawing, DrawnTree, punctuation};
use super::{LEADING, N};

/// The font size of labels.
pub(super) const LABEL: f64 = 11.5;
/// The height of a frame around a label, by the label's font size.
const FRAME: f64 = 1.15;
/// The height of an arc on the first level, and of each level above it. A label fits between two levels.
const FIRST: f64 = 28.0;
const STEP: f64 = 22.0;
/// Between an arc's line and its label.
const LIFT: f64 = 3.2;
/// The widest corner of an arc, and the highest: a level's, less a label.
const CORNER: (f64, f64) = (16.0, 14.0);
/// Arrowheads: half their width, and their length.
const ARROW: (f64, f64) = (3.2, 7.5);
// The frame of a label has as much room above it as beneath it, and corners and arrowheads fit under the lowest arc.
const _: () = assert!(LIFT + FRAME * LABEL + LIFT < STEP && CORNER.1 + ARROW.1 < FIRST);

/// Look of a class of things: the name that the style sheet knows, and attributes.
pub(super) fn look(difference: ArcDifference, is_punctuation: bool) -> (&'static str, &'static str) {
    match (difference, is_punctuation) {
        (ArcDifference::Head, _) => ("arc head", r##" color="#bc4c00" stroke-width="1.9""##),
        (ArcDifference::Label, _) => ("arc label", r##" color="#0550ae" stroke-width="1.5""##),
        (ArcDifference::None, true) => ("arc quiet", r##" color="#6e7781" stroke-width="0.8""##),
        (ArcDifference::None, false) => ("arc", r#" stroke-width="1.2""#),
    }
}

/// The attribute of arcs from different heads.
pub(super) const DASHES: &str = r#" stroke-dasharray="5 3""#;

/// The height of an arc above its words.
fn height(level: usize) -> f64 {
    FIRST + STEP * (level as f64 - 1.0)
}

/// The height of a tree above its words, labels included.
pub(super) fn height_of(side: &Side) -> f64 {
    height(side.height) + LIFT + LABEL * LEADING
}

/// Origin of a tree's stems, and the direction in which it grows: 1 is upwards, -1 downwards.
#[derive(Clone, Copy)]
pub(super) struct Baseline {
    pub(super) y: f64,
    pub(super) up: f64,
}

impl Baseline {
    fn at(self, height: f64) -> f64 {
        self.y - self.up * height
    }
}

pub(super) fn write_arcs(
    out: &mut String,
    drawing: &Drawing,
    tree: &DrawnTree,
    side: &Side,
    baseline: Baseline,
) -> fmt::Result {
    let (differences, punctuation) = (drawing.differences(), punctuation(drawing.sentence));
    writeln!(out, r#"<g font-size="{}">"#, N(LABEL))?;
    let words: Vec<_> = drawing.sentence.words().collect();
    for (&place, placed) in side.numbers.iter().zip(&side.arcs) {
        let word = words[place];
        let difference = differences[place];
        let mut title = drawing.arc(tree, word);
        if difference != ArcDifference::None {
            for other in drawing.trees().filter(|other| !std::ptr::eq(*other, tree)) {
                write!(title, "; {}: {}", other.name, drawing.arc(other, word))?;
            }
        }
        let (class, attributes) = look(difference, punctuation[place]);
        let dashes = if difference == ArcDifference::Head { DASHES } else { "" };
        write!(out, r#"<g class="{class}"{attributes} fill="currentColor"><title>{}</title>"#, escaped_xml(&title))?;
        write!(out, r#"<path d="{}" fill="none" stroke="currentColor"{dashes}/>"#, line(placed, baseline))?;
        if placed.has_dependent {
            arrow(out, placed.dependent_x, baseline)?;
        }
        if drawing.with_labels {
            label(out, tree.analysis.labels[place], placed, difference == ArcDifference::Label, baseline)?;
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    Ok(())
}

/// An arc's line from its head to where its arrow begins, as far as it is in the row.
fn line(arc: &Placed, baseline: Baseline) -> String {
    let top = baseline.at(height(arc.level));
    let end = baseline.at(ARROW.1 - 1.0);
    if arc.head_x == arc.dependent_x {
        return format!("M{} {}V{}", N(arc.dependent_x), N(top), N(end));
    }
    let n_corners = usize::from(arc.has_head) + usize::from(arc.has_dependent);
    let (rx, ry) = (((arc.head_x - arc.dependent_x).abs() / n_corners.max(1) as f64).min(CORNER.0), CORNER.1);
    let direction = (arc.dependent_x - arc.head_x).signum();
    let sweep = u8::from(direction * baseline.up > 0.0);
    let shoulder = N(top + baseline.up * ry);
    let corner = |x, y| format!("A{} {} 0 0 {sweep} {} {y}", N(rx), N(ry), N(x));
    let from = match arc.has_head {
        true => {
            let turn = corner(arc.head_x + direction * rx, N(top));
            format!("M{} {}V{shoulder}{turn}", N(arc.head_x), N(baseline.y))
        }
        false => format!("M{} {}", N(arc.head_x), N(top)),
    };
    let to = match arc.has_dependent {
        true => {
            let turn = corner(arc.dependent_x, N(top + baseline.up * ry));
            format!("H{}{turn}V{}", N(arc.dependent_x - direction * rx), N(end))
        }
        false => format!("H{}", N(arc.dependent_x)),
    };
    from + &to
}

fn arrow(out: &mut String, x: f64, baseline: Baseline) -> fmt::Result {
    let shoulder = N(baseline.at(ARROW.1));
    write!(out, r#"<path d="M{} {}L{} {shoulder}H{}Z"/>"#, N(x), N(baseline.y), N(x - ARROW.0), N(x + ARROW.0))
}

/// The label on the far side of its arc from the words.
fn label(out: &mut String, text: &str, arc: &Placed, is_framed: bool, baseline: Baseline) -> fmt::Result {
    let line = baseline.at(height(arc.level));
    // Letters reach from a fifth of their size below their foot to three quarters above it.
    let foot = if baseline.up > 0.0 { line - LIFT - 0.2 * LABEL } else { line + LIFT + 0.8 * LABEL };
    if is_framed {
        framed(out, arc.label_x, foot, width(text, LABEL) + 4.0)?;
    }
    write!(out, r#"<text x="{}" y="{}">{}</text>"#, N(arc.label_x), N(foot), escaped_xml(text))
}

/// A frame for a label of this width with its middle at `x` and its letters' foot at `foot`.
pub(super) fn framed(out: &mut String, x: f64, foot: f64, width: f64) -> fmt::Result {
    let (top, height) = (foot - 0.85 * LABEL, FRAME * LABEL);
    write!(
        out,
        r#"<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="none" stroke="currentColor" stroke-width="1"/>"#,
        N(x - width / 2.0),
        N(top),
        N(width),
        N(height)
    )
}
