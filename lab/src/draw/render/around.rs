//! Texts around the trees.

use std::fmt::{self, Write};

use super::super::ArcDifference;
use super::super::text::{escaped_xml, width};
use super::arcs::{DASHES, LABEL, framed, look};
use super::{CAPTION, N, QUIET};
use treebeam::error::counted;

/// Between things that stand side by side in the legend.
const LEGEND_GAP: f64 = 28.0;
/// A stretch of line in the legend.
const SAMPLE: f64 = 34.0;

/// A line of text around the picture; its width.
pub(super) fn caption(out: &mut String, text: &str, baseline: f64) -> Result<f64, fmt::Error> {
    writeln!(
        out,
        r#"<text {QUIET} fill="currentColor" x="0" y="{}" font-size="{}" text-anchor="start">{}</text>"#,
        N(baseline),
        N(CAPTION),
        escaped_xml(text)
    )?;
    Ok(width(text, CAPTION))
}

/// Sample of a difference in the legend; the width of it.
pub(super) fn legend(
    out: &mut String,
    differences: &[ArcDifference],
    with_labels: bool,
    baseline: f64,
) -> Result<f64, fmt::Error> {
    let mut x = 0.0;
    for (difference, name) in [(ArcDifference::Head, "other head"), (ArcDifference::Label, "same head, other label")] {
        let n = differences.iter().filter(|&&found| found == difference).count();
        if n == 0 {
            continue;
        }
        let (class, attributes) = look(difference, false);
        write!(out, r#"<g class="{class}"{attributes} fill="currentColor" font-size="{}">"#, N(CAPTION))?;
        let (middle, line) = (N(x + SAMPLE / 2.0), baseline - 0.35 * CAPTION);
        match difference {
            ArcDifference::Label if with_labels => {
                framed(out, x + SAMPLE / 2.0, baseline, SAMPLE)?;
                write!(out, r#"<text x="{middle}" y="{}" font-size="{}">label</text>"#, N(baseline), N(LABEL))?;
            }
            _ => {
                let dashes = if difference == ArcDifference::Head { DASHES } else { "" };
                let (from, to, line) = (N(x), N(x + SAMPLE), N(line));
                write!(out, r#"<path d="M{from} {line}H{to}" stroke="currentColor"{dashes}/>"#)?;
            }
        }
        x += SAMPLE + 8.0;
        let text = format!("{name}: {}", counted(n, "word"));
        writeln!(out, r#"<text x="{}" y="{}" text-anchor="start">{text}</text></g>"#, N(x), N(baseline))?;
        x += width(&text, CAPTION) + LEGEND_GAP;
    }
    Ok(x - LEGEND_GAP)
}
