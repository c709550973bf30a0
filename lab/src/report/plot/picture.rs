//! A chart as a file of its own.

use minijinja::Value;

use super::chart::{ChartView, CurveView, PanelView};
use crate::draw::text_width;
use crate::report::figure::{Axis, Figure, Point, Scale};
use crate::report::templates::{self, view};
use treebeam::error::{Error, Result};

/// Around drawing and texts.
const MARGIN: f64 = 8.0;
/// The height of the title, and of a line of the legend.
const TITLE: f64 = 36.0;
const LINE: f64 = 20.0;
/// Small drawings beside each other, and between them.
const ACROSS: usize = 3;
const GAP: f64 = 10.0;
/// The width of a sample of a curve with the blank behind it, and between entries of the legend.
const SAMPLE: f64 = 34.0;
const BETWEEN: f64 = 18.0;
/// The size of letters.
const LETTERS: f64 = 12.0;

/// Draws `figure` as an SVG file; `provenance` goes into its description.
///
/// # Errors
/// If the figure has no point, or one that is not a positive finite number where an axis is logarithmic.
pub fn svg(figure: &Figure, provenance: &str) -> Result<String> {
    let points = || figure.curves.iter().flat_map(|c| &c.points);
    let fits = |axis: &Axis, v: f64| v.is_finite() && (v > 0.0 || axis.scale == Scale::Linear);
    let is_good = |p: &Point| fits(&figure.x, p.x) && fits(&figure.y, p.y);
    if points().next().is_none() || !points().all(is_good) {
        return Err(Error::Usage(format!("plot {}: expected points, all of them finite and positive", figure.name)));
    }
    let chart = ChartView::new(figure, &figure.title);
    let picture = templates::render("picture.svg", placed(figure, &chart, provenance))?;
    // XML cannot hold them, escaped or not.
    Ok(picture.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}"))
}

/// Everything in the picture with its place.
fn placed(figure: &Figure, chart: &ChartView, provenance: &str) -> Value {
    let (panel_width, panel_height) = chart.panels.first().map_or((0.0, 0.0), |panel| (panel.width, panel.height));
    let n_across = chart.panels.len().clamp(1, ACROSS);
    let inner = n_across as f64 * (panel_width + GAP) - GAP;
    let (legend, legend_end) = match &chart.panels[..] {
        [panel] if !chart.has_panels => legend(&panel.curves, inner),
        // The names stand over the drawings; two lines are for what the axes show.
        _ => (Vec::new(), TITLE + 2.0 * LINE),
    };
    let top = legend_end + MARGIN;
    let place = |(i, panel): (usize, &PanelView)| {
        let (x, y) = ((i % n_across) as f64 * (panel_width + GAP), (i / n_across) as f64 * (panel_height + GAP));
        view! { panel, x => MARGIN + x, y => top + y }
    };
    let n_lines = chart.panels.len().div_ceil(n_across);
    view! {
        provenance, chart, legend,
        title => figure.title,
        width => inner + 2.0 * MARGIN,
        height => top + n_lines as f64 * (panel_height + GAP),
        margin => MARGIN,
        places => chart.panels.iter().enumerate().map(place).collect::<Vec<_>>(),
    }
}

/// The curves in lines that are no wider than `width`, and where these end.
fn legend(curves: &[CurveView], width: f64) -> (Vec<Value>, f64) {
    let (mut x, mut y) = (MARGIN, TITLE + LINE / 2.0);
    let mut entries = Vec::new();
    for curve in curves {
        let own = SAMPLE + text_width(&curve.name, LETTERS);
        if x > MARGIN && x + own > width {
            (x, y) = (MARGIN, y + LINE);
        }
        entries.push(view! { curve, y, x => (x * 10.0).round() / 10.0 });
        x += own + BETWEEN;
    }
    (entries, y + LINE / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::Curve;

    fn figure(y_is_logarithmic: bool, ys: &[f64]) -> Figure {
        let curve = |name: &str, factor: f64| {
            Curve::line(
                name,
                ys.iter()
                    .enumerate()
                    .map(|(i, y)| Point { sd: Some(0.1), ..Point::at(2f64.powi(i as i32), y * factor) }),
            )
        };
        let y = if y_is_logarithmic { Axis::decimal("LAS") } else { Axis::linear("LAS") };
        let (name, title) = ("las".to_owned(), "LAS & width < 128".to_owned());
        let curves = vec![curve("one", 1.0), curve("two <&>", 1.01)];
        Figure { name, title, x: Axis::doubling("width"), y, curves }
    }

    /// Checks that tags nest and that nothing is left open; the texts between tags.
    fn texts(svg: &str) -> Vec<String> {
        let mut open = Vec::new();
        let mut texts = Vec::new();
        for (i, part) in svg.split('<').enumerate().skip(1) {
            let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("part {i} is not closed: {part}"));
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
            } else if !tag.ends_with('/') && !tag.starts_with(['!', '?']) {
                open.push(tag.split_whitespace().next().unwrap().to_owned());
            }
            if !text.trim().is_empty() {
                texts.push(text.trim().to_owned());
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
        texts
    }

    #[test]
    fn pictures_are_well_formed_and_say_what_they_show() {
        let svg = svg(&figure(false, &[80.0, 81.5, 82.0, 82.1]), "Generated by `x --y`: do not edit.").unwrap();
        let texts = texts(&svg);
        for expected in ["LAS &amp; width &lt; 128", "two &lt;&amp;&gt;", "width", "LAS", "1", "2", "4", "8", "80.5"] {
            assert!(texts.iter().any(|t| t == expected), "{expected}: {texts:?}");
        }
        assert!(svg.contains("do not edit"));
    }

    #[test]
    fn a_second_scale_stands_below_the_first() {
        let plain = figure(false, &[80.0, 81.5]);
        let second = Axis { second: vec![(1.0, 2.75), (2.0, 14.0)], ..plain.x.clone() };
        let (scaled, plain) = (svg(&Figure { x: second, ..plain.clone() }, "").unwrap(), svg(&plain, "").unwrap());
        for expected in ["2.8", "14.0"] {
            assert!(texts(&scaled).iter().any(|text| text == expected), "{expected}: {scaled}");
            assert!(texts(&plain).iter().all(|text| text != expected));
        }
        assert!(scaled.contains("class=\"ticks second\"") && !plain.contains("class=\"ticks second\""));
    }

    #[test]
    fn more_curves_than_colours_are_a_drawing_each() {
        let mut figure = figure(false, &[80.0, 81.5]);
        let one = figure.curves[0].clone();
        let named = |i: usize| Curve { name: format!("system {i}"), ..one.clone() };
        figure.curves = (0..15).map(named).collect();
        let svg = svg(&figure, "").unwrap();
        let texts = texts(&svg);
        for i in 0..15 {
            assert_eq!(texts.iter().filter(|text| **text == format!("system {i}")).count(), 1);
        }
        assert_eq!(svg.matches("class=\"axis\"").count(), 15);
        assert_eq!(svg.matches("class=\"curve c0").count(), 15, "one colour is enough");
        assert!(texts.iter().any(|text| text == "against width"), "{texts:?}");
    }

    #[test]
    fn equal_values_and_single_points_can_be_drawn_and_nothing_cannot() {
        assert!(svg(&figure(false, &[80.0]), "").is_ok());
        assert!(svg(&figure(true, &[5.0, 5.0]), "").is_ok());
        assert!(svg(&figure(false, &[]), "").is_err());
        assert!(svg(&figure(false, &[f64::NAN]), "").is_err());
        assert!(svg(&figure(true, &[0.0]), "").is_err());
    }
}
