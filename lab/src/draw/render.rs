//! A layout as SVG.
//!
//! Colours stand in attributes, for viewers that know no style sheets; the style sheet replaces them where dark is
//! preferred. The ground is drawn, so that a picture is legible wherever it is shown.

mod arcs;
mod around;

use std::fmt::{self, Write};

use arcs::{Baseline, LABEL, height_of, write_arcs};
use around::{caption, legend};

use super::layout::{self, Arc, Layout};
use super::text::{escaped_xml, is_right_to_left, shortened, width};
use super::{ArcDifference, Drawing, DrawnTree};
use treebeam::treebank::Column;

/// Font sizes: of the first row beneath the arcs, of other rows, of what is written around the picture.
const FORM: f64 = 16.0;
const NOTE: f64 = 11.0;
const CAPTION: f64 = 12.0;
/// Lines of text are this much higher than their font size.
const LEADING: f64 = 1.3;
/// Around the picture.
const MARGIN: f64 = 16.0;
/// Between a word and the stems on it.
const STEM_GAP: f64 = 5.0;
/// The widest text of the first row beneath the arcs, and of others; longer ones are cut.
const WIDEST: (f64, f64) = (240.0, 150.0);
/// Between rows of words.
const ROW_GAP: f64 = 26.0;
/// Text of less importance than the rest.
const QUIET: &str = r##"class="quiet" color="#59636e""##;
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

/// A number with one digit behind the point, if any.
struct N(f64);

impl fmt::Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 makes -0 a plain 0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// A row of texts beneath the arcs.
struct Row<'a> {
    column: Column,
    size: f64,
    full: Vec<&'a str>,
    shown: Vec<String>,
}

fn rows<'a>(drawing: &'a Drawing) -> Vec<Row<'a>> {
    let row = |(place, (column, full)): (usize, (Column, Vec<&'a str>))| {
        let (size, widest) = if place == 0 { (FORM, WIDEST.0) } else { (NOTE, WIDEST.1) };
        let widest = room(drawing).map_or(widest, |room| widest.min(room));
        let shown = full.iter().map(|text| shortened(text, size, widest)).collect();
        Row { column, size, full, shown }
    };
    drawing.rows().into_iter().enumerate().map(row).collect()
}

/// The width that rows of words may have.
fn room(drawing: &Drawing) -> Option<f64> {
    drawing.width.map(|width| f64::from(width) - 2.0 * MARGIN)
}

fn arcs(drawing: &Drawing, tree: &DrawnTree) -> Vec<Arc> {
    let arc = |(dependent, (&head, label)): (usize, (&u16, &&str))| Arc {
        head: usize::from(head).checked_sub(1),
        dependent,
        label: if drawing.with_labels { width(label, LABEL) + 6.0 } else { 0.0 },
    };
    tree.analysis.heads.iter().zip(&tree.analysis.labels).enumerate().map(arc).collect()
}

/// Draws the whole picture.
pub(super) fn write_svg(out: &mut String, drawing: &Drawing) -> fmt::Result {
    let rows = rows(drawing);
    let n = drawing.sentence.n_words();
    let widest = |word: usize| rows.iter().map(|row| width(&row.shown[word], row.size)).fold(0.0, f64::max);
    let widths: Vec<f64> = (0..n).map(widest).collect();
    let trees: Vec<Vec<Arc>> = drawing.trees().map(|tree| arcs(drawing, tree)).collect();
    let mut layouts = layout::rows(&widths, &trees, room(drawing));
    let mut content_width = layouts.iter().map(|layout| layout.width).fold(0.0, f64::max);
    let words = drawing.sentence.words();
    if is_right_to_left(words.map(|word| drawing.sentence.form(word))) {
        layouts = layouts.into_iter().map(|layout| layout.mirrored(content_width)).collect();
    }

    let mut body = String::new();
    let mut y = MARGIN;
    if drawing.other.is_some() {
        y += CAPTION;
        content_width = content_width.max(caption(&mut body, drawing.tree.name, y)?);
        y += CAPTION * (LEADING - 1.0);
    }
    for (place, layout) in layouts.iter().enumerate() {
        y += if place > 0 { ROW_GAP } else { 0.0 } + height_of(&layout.sides[0]);
        write_arcs(&mut body, drawing, &drawing.tree, &layout.sides[0], Baseline { y, up: 1.0 })?;
        y += STEM_GAP;
        for row in &rows {
            y = write_row(&mut body, row, layout, y)?;
        }
        if let Some(other) = &drawing.other {
            y += STEM_GAP;
            write_arcs(&mut body, drawing, other, &layout.sides[1], Baseline { y, up: -1.0 })?;
            y += height_of(&layout.sides[1]);
        }
    }
    if let Some(other) = &drawing.other {
        y += CAPTION;
        content_width = content_width.max(caption(&mut body, other.name, y)?);
        let differences = drawing.differences();
        if differences.iter().any(|&difference| difference != ArcDifference::None) {
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
    writeln!(out, "<title>{}</title>", escaped_xml(&drawing.title()))?;
    writeln!(out, "<desc>{}</desc>", escaped_xml(&drawing.description()))?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(out, r#"<rect class="ground" width="{width}" height="{height}" fill="{GROUND}"/>"#)?;
    writeln!(out, r#"<g transform="translate({} 0)">"#, N(MARGIN))?;
    out.push_str(&body);
    out.push_str("</g>\n</svg>\n");
    Ok(())
}

/// Writes a row beneath `top`; where it ends.
fn write_row(out: &mut String, row: &Row, layout: &Layout, top: f64) -> Result<f64, fmt::Error> {
    let style = if row.column == Column::Lemma { r#" font-style="italic""# } else { "" };
    let quiet = if row.size == FORM { String::new() } else { format!(" {QUIET} fill=\"currentColor\"") };
    let baseline = top + row.size;
    writeln!(out, r#"<g font-size="{}"{style}{quiet}>"#, N(row.size))?;
    for (word, &x) in layout.range.clone().zip(&layout.words) {
        let (shown, full) = (&row.shown[word], row.full[word]);
        if shown.is_empty() {
            continue;
        }
        let title = if shown == full { String::new() } else { format!("<title>{}</title>", escaped_xml(full)) };
        writeln!(out, r#"<text x="{}" y="{}">{title}{}</text>"#, N(x), N(baseline), escaped_xml(shown))?;
    }
    out.push_str("</g>\n");
    Ok(top + row.size * LEADING)
}

#[cfg(test)]
mod tests;
