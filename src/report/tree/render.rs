//! A layout as SVG.
//!
//! Colours stand in attributes, for viewers that know no style sheets; the style sheet replaces them where dark is
//! preferred. The ground is drawn, so that a picture is legible wherever it is shown.

use std::fmt::{self, Write};

use super::layout::{Arc, Layout, Placed, Side, layout};
use super::text::{escaped, shortened, width};
use super::{Difference, Drawing, DrawnTree};
use crate::treebank::Column;

/// Font sizes: of the first row beneath the arcs, of other rows, of labels, of what is written around the picture.
const FORM: f64 = 16.0;
const NOTE: f64 = 11.0;
const LABEL: f64 = 11.5;
const CAPTION: f64 = 12.0;
/// Lines of text are this much higher than their font size.
const LEADING: f64 = 1.3;
/// Around the picture.
const MARGIN: f64 = 16.0;
/// The height of an arc on the first level, and of each level above it. A label fits between two levels.
const FIRST: f64 = 28.0;
const STEP: f64 = 22.0;
/// Between an arc's line and its label.
const LIFT: f64 = 3.2;
/// Between a word and the stems on it.
const STEM_GAP: f64 = 5.0;
/// The widest corner of an arc, and the highest: a level's, less a label.
const CORNER: (f64, f64) = (16.0, 14.0);
/// Arrowheads: half their width, and their length.
const ARROW: (f64, f64) = (3.2, 7.5);
/// The widest text beneath an arc; longer ones are cut.
const WIDEST: f64 = 320.0;
/// Between things that stand side by side in the legend.
const LEGEND_GAP: f64 = 28.0;
/// A stretch of line in the legend.
const SAMPLE: f64 = 34.0;

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', sans-serif";
const INK: &str = "#1f2328";
const GROUND: &str = "#ffffff";
const STYLE: &str = "\
.treebeam-tree .arc:hover{stroke-width:2.6}\
@media (prefers-color-scheme:dark){\
.treebeam-tree{color:#e6edf3}\
.treebeam-tree .ground{fill:#0d1117}\
.treebeam-tree .quiet{color:#9198a1}\
.treebeam-tree .head{color:#ff9f6b}\
.treebeam-tree .label{color:#79b8ff}}";

/// Draws the whole picture.
pub(super) fn svg(drawing: &Drawing) -> String {
    let mut out = String::new();
    write_svg(&mut out, drawing).expect("strings take all that is written to them");
    out
}

/// A number with one digit behind the point, if any.
struct N(f64);

impl fmt::Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 makes -0 a plain 0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// How a class of things looks: the name that the style sheet knows, and attributes.
fn look(difference: Difference, is_punctuation: bool) -> (&'static str, &'static str) {
    match (difference, is_punctuation) {
        (Difference::Head, _) => ("arc head", r##" color="#bc4c00" stroke-width="1.9""##),
        (Difference::Label, _) => ("arc label", r##" color="#0550ae" stroke-width="1.5""##),
        (Difference::None, true) => ("arc quiet", r##" color="#6e7781" stroke-width="0.8""##),
        (Difference::None, false) => ("arc", r#" stroke-width="1.2""#),
    }
}

const DASHES: &str = r#" stroke-dasharray="5 3""#;
const QUIET: &str = r##"class="quiet" color="#59636e""##;

/// A row of texts beneath the arcs.
struct Row<'a> {
    column: Column,
    size: f64,
    full: Vec<&'a str>,
    shown: Vec<String>,
}

fn rows<'a>(drawing: &'a Drawing) -> Vec<Row<'a>> {
    let row = |(place, (column, full)): (usize, (Column, Vec<&'a str>))| {
        let size = if place == 0 { FORM } else { NOTE };
        let shown = full.iter().map(|text| shortened(text, size, WIDEST)).collect();
        Row { column, size, full, shown }
    };
    drawing.rows().into_iter().enumerate().map(row).collect()
}

fn arcs(drawing: &Drawing, tree: &DrawnTree) -> Vec<Arc> {
    let arc = |(dependent, (&head, label)): (usize, (&u16, &&str))| Arc {
        head: usize::from(head).checked_sub(1),
        dependent,
        label: if drawing.with_labels { width(label, LABEL) + 6.0 } else { 0.0 },
    };
    tree.analysis.heads.iter().zip(&tree.analysis.labels).enumerate().map(arc).collect()
}

/// The height of an arc above its words.
fn height(level: usize) -> f64 {
    FIRST + STEP * (level as f64 - 1.0)
}

/// The height of a tree above its words, labels included.
fn height_of(side: &Side) -> f64 {
    height(side.height) + LABEL * LEADING + 2.0
}

fn write_svg(out: &mut String, drawing: &Drawing) -> fmt::Result {
    let rows = rows(drawing);
    let n = drawing.sentence.n_words();
    let widest = |word: usize| rows.iter().map(|row| width(&row.shown[word], row.size)).fold(0.0, f64::max);
    let widths: Vec<f64> = (0..n).map(widest).collect();
    let trees: Vec<Vec<Arc>> = drawing.trees().map(|tree| arcs(drawing, tree)).collect();
    let layout = layout(&widths, &trees);

    let mut body = String::new();
    let mut content_width = layout.width;
    let mut y = MARGIN;
    if drawing.other.is_some() {
        y += CAPTION;
        content_width = content_width.max(caption(&mut body, drawing.tree.name, y)?);
        y += CAPTION * (LEADING - 1.0);
    }
    y += height_of(&layout.sides[0]);
    side(&mut body, drawing, &drawing.tree, &layout.sides[0], Frame { base: y, up: 1.0 })?;
    y += STEM_GAP;
    for row in &rows {
        y = write_row(&mut body, row, &layout, y)?;
    }
    if let Some(other) = &drawing.other {
        y += STEM_GAP;
        side(&mut body, drawing, other, &layout.sides[1], Frame { base: y, up: -1.0 })?;
        y += height_of(&layout.sides[1]) + CAPTION;
        content_width = content_width.max(caption(&mut body, other.name, y)?);
        let differences = drawing.differences();
        if differences.iter().any(|&difference| difference != Difference::None) {
            y += CAPTION * 2.2;
            content_width = content_width.max(legend(&mut body, &differences, drawing.with_labels, y)?);
        }
        y += CAPTION * 2.0;
        let scores = format!("{}: {}", drawing.sentence_name(), drawing.scores().unwrap_or_default());
        content_width = content_width.max(caption(&mut body, &scores, y)?);
        y += CAPTION * (LEADING - 1.0);
    }
    y += MARGIN;

    let (width, height) = (N((content_width + 2.0 * MARGIN).ceil()), N(y.ceil()));
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="treebeam-tree" width="{width}" height="{height}" viewBox="0 0 {width} {height}" color="{INK}" fill="currentColor" font-family="{FONTS}" text-anchor="middle" role="img">"#
    )?;
    writeln!(out, "<title>{}</title>", escaped(&drawing.title()))?;
    writeln!(out, "<desc>{}</desc>", escaped(&drawing.description()))?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(out, r#"<rect class="ground" width="{width}" height="{height}" fill="{GROUND}"/>"#)?;
    writeln!(out, r#"<g transform="translate({} 0)">"#, N(MARGIN))?;
    out.push_str(&body);
    out.push_str("</g>\n</svg>\n");
    Ok(())
}

/// Writes a row beneath `top`; where it ends.
fn write_row(out: &mut String, row: &Row, layout: &Layout, top: f64) -> Result<f64, fmt::Error> {
    let is_first = row.size == FORM;
    let style = if row.column == Column::Lemma { r#" font-style="italic""# } else { "" };
    let quiet = if is_first { String::new() } else { format!(" {QUIET} fill=\"currentColor\"") };
    let baseline = top + row.size;
    writeln!(out, r#"<g font-size="{}"{style}{quiet}>"#, N(row.size))?;
    for ((shown, full), &x) in row.shown.iter().zip(&row.full).zip(&layout.words) {
        if shown.is_empty() {
            continue;
        }
        let title = if shown == full { String::new() } else { format!("<title>{}</title>", escaped(full)) };
        writeln!(out, r#"<text x="{}" y="{}">{title}{}</text>"#, N(x), N(baseline), escaped(shown))?;
    }
    out.push_str("</g>\n");
    Ok(top + row.size * LEADING)
}

/// Where a tree's words end and in which direction it grows: 1 is upwards, -1 downwards.
#[derive(Clone, Copy)]
struct Frame {
    base: f64,
    up: f64,
}

impl Frame {
    fn y(self, height: f64) -> f64 {
        self.base - self.up * height
    }
}

fn side(out: &mut String, drawing: &Drawing, tree: &DrawnTree, side: &Side, frame: Frame) -> fmt::Result {
    let (differences, punctuation) = (drawing.differences(), drawing.punctuation());
    writeln!(out, r#"<g font-size="{}">"#, N(LABEL))?;
    for (word, placed) in drawing.sentence.words().zip(&side.arcs) {
        let place = usize::from(word) - 1;
        let difference = differences[place];
        let mut title = drawing.arc(tree, word);
        if difference != Difference::None {
            for other in drawing.trees().filter(|other| !std::ptr::eq(*other, tree)) {
                write!(title, "; {}: {}", other.name, drawing.arc(other, word))?;
            }
        }
        let (class, attributes) = look(difference, punctuation[place]);
        let dashes = if difference == Difference::Head { DASHES } else { "" };
        write!(out, r#"<g class="{class}"{attributes} fill="currentColor"><title>{}</title>"#, escaped(&title))?;
        write!(out, r#"<path d="{}" fill="none" stroke="currentColor"{dashes}/>"#, line(placed, frame))?;
        arrow(out, placed.dependent_x, frame)?;
        if drawing.with_labels {
            label(out, tree.analysis.labels[place], placed, difference == Difference::Label, frame)?;
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    Ok(())
}

/// An arc's line from its head to where its arrow begins.
fn line(arc: &Placed, frame: Frame) -> String {
    let top = frame.y(height(arc.level));
    let end = frame.y(ARROW.1 - 1.0);
    if arc.head_x == arc.dependent_x {
        return format!("M{} {}V{}", N(arc.dependent_x), N(top), N(end));
    }
    let (rx, ry) = (((arc.head_x - arc.dependent_x).abs() / 2.0).min(CORNER.0), CORNER.1);
    let direction = (arc.dependent_x - arc.head_x).signum();
    let sweep = u8::from(direction * frame.up > 0.0);
    let shoulder = N(top + frame.up * ry);
    format!(
        "M{x1} {base}V{shoulder}A{rx} {ry} 0 0 {sweep} {from} {top}H{to}A{rx} {ry} 0 0 {sweep} {x2} {shoulder}V{end}",
        x1 = N(arc.head_x),
        base = N(frame.base),
        rx = N(rx),
        ry = N(ry),
        from = N(arc.head_x + direction * rx),
        top = N(top),
        to = N(arc.dependent_x - direction * rx),
        x2 = N(arc.dependent_x),
        end = N(end),
    )
}

fn arrow(out: &mut String, x: f64, frame: Frame) -> fmt::Result {
    let shoulder = N(frame.y(ARROW.1));
    write!(out, r#"<path d="M{} {}L{} {shoulder}H{}Z"/>"#, N(x), N(frame.base), N(x - ARROW.0), N(x + ARROW.0))
}

/// The label on the far side of its arc from the words.
fn label(out: &mut String, text: &str, arc: &Placed, is_framed: bool, frame: Frame) -> fmt::Result {
    let line = frame.y(height(arc.level));
    // Letters reach from a fifth of their size below the baseline to three quarters above it.
    let baseline = if frame.up > 0.0 { line - LIFT - 0.2 * LABEL } else { line + LIFT + 0.8 * LABEL };
    if is_framed {
        framed(out, arc.label_x, baseline, width(text, LABEL) + 4.0)?;
    }
    write!(out, r#"<text x="{}" y="{}">{}</text>"#, N(arc.label_x), N(baseline), escaped(text))
}

/// A frame for a label of this width with its middle at `x`.
fn framed(out: &mut String, x: f64, baseline: f64, width: f64) -> fmt::Result {
    let (top, height) = (baseline - 0.85 * LABEL, 1.15 * LABEL);
    write!(
        out,
        r#"<rect x="{}" y="{}" width="{}" height="{}" rx="3" fill="none" stroke="currentColor" stroke-width="1"/>"#,
        N(x - width / 2.0),
        N(top),
        N(width),
        N(height)
    )
}

/// A line of text around the picture; its width.
fn caption(out: &mut String, text: &str, baseline: f64) -> Result<f64, fmt::Error> {
    writeln!(
        out,
        r#"<text {QUIET} fill="currentColor" x="0" y="{}" font-size="{}" text-anchor="start">{}</text>"#,
        N(baseline),
        N(CAPTION),
        escaped(text)
    )?;
    Ok(width(text, CAPTION))
}

/// What differences look like; the width of it.
fn legend(out: &mut String, differences: &[Difference], with_labels: bool, baseline: f64) -> Result<f64, fmt::Error> {
    let mut x = 0.0;
    for (difference, name) in [(Difference::Head, "other head"), (Difference::Label, "same head, other label")] {
        let n = differences.iter().filter(|&&found| found == difference).count();
        if n == 0 {
            continue;
        }
        let (class, attributes) = look(difference, false);
        write!(out, r#"<g class="{class}"{attributes} fill="currentColor" font-size="{}">"#, N(CAPTION))?;
        let (middle, line) = (N(x + SAMPLE / 2.0), baseline - 0.35 * CAPTION);
        match difference {
            Difference::Label if with_labels => {
                framed(out, x + SAMPLE / 2.0, baseline, SAMPLE)?;
                write!(out, r#"<text x="{middle}" y="{}" font-size="{}">label</text>"#, N(baseline), N(LABEL))?;
            }
            _ => {
                let dashes = if difference == Difference::Head { DASHES } else { "" };
                let (from, to, line) = (N(x), N(x + SAMPLE), N(line));
                write!(out, r#"<path d="M{from} {line}H{to}" stroke="currentColor"{dashes}/>"#)?;
            }
        }
        x += SAMPLE + 8.0;
        let text = format!("{name}: {n} {}", if n == 1 { "word" } else { "words" });
        writeln!(out, r#"<text x="{}" y="{}" text-anchor="start">{text}</text></g>"#, N(x), N(baseline))?;
        x += width(&text, CAPTION) + LEGEND_GAP;
    }
    Ok(x - LEGEND_GAP)
}

#[cfg(test)]
mod tests;
