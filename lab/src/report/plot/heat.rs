//! Heat maps as SVG.

use std::fmt::Write;

use crate::report::figure::HeatMap;
use crate::style::escaped;

/// The sides of a cell in pixels.
const CELL: (usize, usize) = (64, 34);
/// Room for titles and labels: left, top, bottom.
const MARGIN: (usize, usize, usize) = (120, 50, 60);

/// Draws `map`: cells with their figures, shaded from white for the lowest to blue for the highest. `provenance` goes into its
/// description.
pub fn heat_map_svg(map: &HeatMap, provenance: &str) -> String {
    let (width, height) = (MARGIN.0 + map.x.len() * CELL.0 + 20, MARGIN.1 + map.y.len() * CELL.1 + MARGIN.2);
    let values = || map.values.iter().flatten().flatten().copied();
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let mut out = String::new();
    let mut add = |line: String| {
        let _ = writeln!(out, "{line}");
    };
    add(format!(
        r#"<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif">"#
    ));
    add(format!("<desc>{}</desc>", escaped(provenance)));
    add(r#"<rect width="100%" height="100%" fill="white"/>"#.to_owned());
    let text = |x: usize, y: usize, size: usize, anchor: &str, more: &str, text: &str| {
        format!(r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"{more}>{}</text>"#, escaped(text))
    };
    add(text(width / 2, 26, 17, "middle", "", &map.title));
    for (i, label) in map.y.iter().enumerate() {
        add(text(MARGIN.0 - 8, MARGIN.1 + i * CELL.1 + CELL.1 / 2 + 5, 13, "end", "", label));
    }
    for (j, label) in map.x.iter().enumerate() {
        let y = MARGIN.1 + map.y.len() * CELL.1 + 18;
        add(text(MARGIN.0 + j * CELL.0 + CELL.0 / 2, y, 13, "middle", "", label));
    }
    let (middle_x, middle_y) = (MARGIN.0 + map.x.len() * CELL.0 / 2, MARGIN.1 + map.y.len() * CELL.1 / 2);
    add(text(middle_x, height - 18, 14, "middle", "", &map.x_title));
    let turned = format!(r#" transform="rotate(-90 24 {middle_y})""#);
    add(text(24, middle_y, 14, "middle", &turned, &map.y_title));
    for (i, line) in map.values.iter().enumerate() {
        for (j, value) in line.iter().enumerate() {
            let Some(value) = value else { continue };
            let share = if high > low { (value - low) / (high - low) } else { 0.5 };
            let (x, y) = (MARGIN.0 + j * CELL.0, MARGIN.1 + i * CELL.1);
            let (w, h) = CELL;
            // From near white to the blue of the charts.
            let mix = |from: f64, to: f64| (from + (to - from) * share).round();
            let fill = format!("rgb({},{},{})", mix(244.0, 0.0), mix(248.0, 96.0), mix(252.0, 160.0));
            add(format!(r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="white"/>"#));
            let ink = if share > 0.55 { r#" fill="white""# } else { r#" fill="black""# };
            add(text(x + w / 2, y + h / 2 + 5, 13, "middle", ink, &format!("{value:.2}")));
        }
    }
    add("</svg>".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_its_figure() {
        let map = HeatMap {
            name: "m".to_owned(),
            title: "a < b".to_owned(),
            x_title: "p".to_owned(),
            y_title: "k".to_owned(),
            x: vec!["0.1".to_owned(), "1.0".to_owned()],
            y: vec!["0".to_owned(), "1".to_owned()],
            unit: "UAS (%)".to_owned(),
            values: vec![vec![Some(80.0), Some(81.5)], vec![None, Some(82.25)]],
        };
        let svg = heat_map_svg(&map, "made by x");
        for expected in ["80.00", "81.50", "82.25", "a &lt; b", "made by x"] {
            assert!(svg.contains(expected), "{expected}");
        }
        assert_eq!(svg.matches("<rect").count(), 1 + 3);
    }
}
