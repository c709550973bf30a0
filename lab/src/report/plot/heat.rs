//! Heat maps as SVG.

use minijinja::Value;

use crate::report::figure::HeatMap;
use crate::report::templates::{render, view};
use treebeam::error::Result;

/// The sides of a cell in pixels.
const CELL: (usize, usize) = (64, 34);
/// Room for titles and labels: left, top, bottom.
const MARGIN: (usize, usize, usize) = (120, 50, 60);

/// Draws `map`: cells with their figures, shaded from white for the lowest to blue for the highest. `provenance` goes into its
/// description.
///
/// # Errors
/// None that data could cause.
pub fn heat_map_svg(map: &HeatMap, provenance: &str) -> Result<String> {
    let values = || map.values.iter().flatten().flatten().copied();
    let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let cell = |i: usize, j: usize| {
        let value = map.values[i][j]?;
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        // From near white to the blue of the charts.
        let mix = |from: f64, to: f64| (from + (to - from) * share).round();
        let fill = format!("rgb({},{},{})", mix(244.0, 0.0), mix(248.0, 96.0), mix(252.0, 160.0));
        let (x, y) = (MARGIN.0 + j * CELL.0, MARGIN.1 + i * CELL.1);
        Some(view! { x, y, fill, value, ink => if share > 0.55 { "white" } else { "black" } })
    };
    let cell = &cell;
    let cells = (0..map.y.len()).flat_map(|i| (0..map.x.len()).filter_map(move |j| cell(i, j)));
    let view = view! {
        map, provenance,
        cell => CELL,
        margin => MARGIN,
        width => MARGIN.0 + map.x.len() * CELL.0 + 20,
        height => MARGIN.1 + map.y.len() * CELL.1 + MARGIN.2,
        cells => cells.collect::<Vec<Value>>(),
    };
    render("heat-picture.jinja", view)
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
        let svg = heat_map_svg(&map, "made by x").unwrap();
        for expected in ["80.00", "81.50", "82.25", "a &lt; b", "made by x"] {
            assert!(svg.contains(expected), "{expected}");
        }
        assert_eq!(svg.matches("<rect").count(), 1 + 3);
    }
}
