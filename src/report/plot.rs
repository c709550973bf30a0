//! Charts as SVG.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::{DynElement, IntoDynElement};
use plotters::prelude::*;

use super::figure::{Axis, Curve, Figure, Point, Scale, Style};
use crate::error::{Error, Result};

/// Width and height in pixels.
const SIZE: (u32, u32) = (800, 500);
/// Where the legend starts: it stands beside the chart, so that it never covers a curve.
const LEGEND_X: i32 = 580;

/// Colours that people with any kind of colour vision tell apart (Okabe & Ito 2008), without the yellow that is too pale for
/// lines.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Draws `figure` with an SVG root element of 800 by 500. `provenance` goes into its description.
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
    let mut out = String::new();
    draw(figure, &mut out).map_err(|e| Error::Usage(format!("plot {}: {e}", figure.name)))?;
    let description = provenance.replace('&', "&amp;").replace('<', "&lt;");
    let body = out.find('>').map_or(0, |end| end + 1);
    out.insert_str(body, &format!("\n<desc>{description}</desc>"));
    Ok(out)
}

/// An axis with ticks at places of our choice. Values are logarithms already where the axis is logarithmic.
struct Ticks {
    low: f64,
    high: f64,
    at: Vec<f64>,
}

impl Ranged for Ticks {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.at.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl Axis {
    /// Where a value stands: its logarithm where the axis is logarithmic.
    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Doubling => value.log2(),
            Scale::Decimal => value.log10(),
        }
    }

    /// The value at a place.
    fn value(&self, place: f64) -> f64 {
        match self.scale {
            Scale::Linear => place,
            Scale::Doubling => place.exp2(),
            Scale::Decimal => 10f64.powf(place),
        }
    }

    /// Ticks with room for these values.
    fn ticks(&self, values: impl Iterator<Item = f64>) -> Ticks {
        let (low, high) = bounds(values.map(|v| self.place(v)));
        match self.scale {
            Scale::Linear => linear_ticks(low, high),
            Scale::Doubling => doubling_ticks(low, high),
            Scale::Decimal => decimal_ticks(low, high),
        }
    }
}

/// Powers of two, with a little room at both ends.
fn doubling_ticks(low: f64, high: f64) -> Ticks {
    let at = (low.floor() as i32..=high.ceil() as i32).map(f64::from).collect();
    Ticks { low: low.floor() - 0.25, high: high.ceil() + 0.25, at }
}

/// Up to eight or so round numbers.
fn linear_ticks(low: f64, high: f64) -> Ticks {
    let room = ((high - low) * 0.06).max(0.05);
    let (low, high) = (low - room, high + room);
    let rough = (high - low) / 8.0;
    let magnitude = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * magnitude).into_iter().find(|&s| s >= rough).unwrap_or(rough);
    let at = ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|i| i as f64 * step).collect();
    Ticks { low, high, at }
}

/// 1, 2 and 5 times powers of ten.
fn decimal_ticks(low: f64, high: f64) -> Ticks {
    let (low, high) = (low - 0.1, high + 0.1);
    let all =
        (low.floor() as i32..=high.ceil() as i32).flat_map(|e| [1.0, 2.0, 5.0].map(|m: f64| m.log10() + f64::from(e)));
    Ticks { low, high, at: all.filter(|t| (low..=high).contains(t)).collect() }
}

fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

fn draw(figure: &Figure, out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(out, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(&figure.title, ("sans-serif", 20).into_font())?;
    let (area, legend) = root.split_horizontally(LEGEND_X);
    let points = || figure.curves.iter().flat_map(|c| &c.points);
    let x = figure.x.ticks(points().map(|p| p.x));
    // Bars of spread are drawn on even axes only.
    let spread = |p: &Point| if figure.y.scale == Scale::Linear { p.sd.unwrap_or(0.0) } else { 0.0 };
    let y = figure.y.ticks(points().flat_map(|p| [p.y - spread(p), p.y + spread(p)]));
    let label = |axis: &Axis, ticks: &Ticks| {
        let decimals = if axis.scale == Scale::Linear { decimals(&ticks.at) } else { 0 };
        let axis = axis.clone();
        move |place: &f64| {
            let value = axis.value(*place);
            let decimals = if value < 1.0 && axis.scale != Scale::Linear { 2 } else { decimals };
            format!("{value:.decimals$}")
        }
    };
    let (x_label, y_label) = (label(&figure.x, &x), label(&figure.y, &y));

    let mut chart =
        ChartBuilder::on(&area).margin(12).x_label_area_size(48).y_label_area_size(72).build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc(&figure.x.title)
        .y_desc(&figure.y.title)
        .axis_desc_style(("sans-serif", 15))
        .label_style(("sans-serif", 13))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .draw()?;

    for (i, curve) in figure.curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let at = |p: &Point| (figure.x.place(p.x), figure.y.place(p.y));
        if curve.style != Style::Points {
            chart.draw_series(LineSeries::new(curve.points.iter().map(at), stroke(curve, i)))?;
        }
        if figure.y.scale == Scale::Linear {
            let bars = curve.points.iter().filter_map(|p| p.sd.map(|sd| (p, sd)));
            chart.draw_series(bars.map(|(p, sd)| {
                ErrorBar::new_vertical(figure.x.place(p.x), p.y - sd, p.y, p.y + sd, colour.stroke_width(1), 8)
            }))?;
        }
        if curve.style != Style::Frontier {
            chart.draw_series(curve.points.iter().map(|p| mark(at(p), i)))?;
        }
    }
    draw_legend(&legend, &figure.curves)?;
    root.present()?;
    Ok(())
}

/// The line of curve `i`.
fn stroke(curve: &Curve, i: usize) -> ShapeStyle {
    match curve.style {
        Style::Frontier => BLACK.mix(0.4).stroke_width(1),
        Style::Line | Style::Points => COLOURS[i % COLOURS.len()].stroke_width(2),
    }
}

/// The mark of curve `i`: shapes differ as well as colours, for prints in grey.
fn mark<'a, C: Clone + 'static>(at: C, i: usize) -> DynElement<'static, SVGBackend<'a>, C> {
    let colour = COLOURS[i % COLOURS.len()];
    match i % 4 {
        0 => Circle::new(at, 4, colour.filled()).into_dyn(),
        1 => TriangleMarker::new(at, 6, colour.filled()).into_dyn(),
        2 => Cross::new(at, 4, colour.stroke_width(2)).into_dyn(),
        _ => Circle::new(at, 4, colour.stroke_width(2)).into_dyn(),
    }
}

fn draw_legend(legend: &DrawingArea<SVGBackend, Shift>, curves: &[Curve]) -> Result<(), Box<dyn std::error::Error>> {
    for (i, curve) in curves.iter().enumerate() {
        let y = 28 + 24 * i as i32;
        if curve.style != Style::Points {
            legend.draw(&PathElement::new(vec![(4, y), (36, y)], stroke(curve, i)))?;
        }
        if curve.style != Style::Frontier {
            legend.draw(&mark((20, y), i))?;
        }
        legend.draw(&Text::new(curve.name.clone(), (44, y - 7), ("sans-serif", 14)))?;
    }
    Ok(())
}

/// Digits after the point that tell the ticks apart.
fn decimals(ticks: &[f64]) -> usize {
    let step = ticks.windows(2).map(|w| w[1] - w[0]).fold(1.0, f64::min);
    (-(step * 1.000_001).log10().floor()).max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(y_is_logarithmic: bool, ys: &[f64]) -> Figure {
        let curve = |name: &str, factor: f64| Curve {
            name: name.to_owned(),
            style: Style::Line,
            points: ys
                .iter()
                .enumerate()
                .map(|(i, y)| Point { sd: Some(0.1), ..Point::at(2f64.powi(i as i32), y * factor) })
                .collect(),
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
    fn speeds_are_drawn_in_powers_of_ten() {
        let texts = texts(&svg(&figure(true, &[90_000.0, 40_000.0, 9_000.0]), "").unwrap());
        for expected in ["10000", "20000", "50000", "100000"] {
            assert!(texts.iter().any(|t| t == expected), "{expected}: {texts:?}");
        }
    }

    #[test]
    fn equal_values_and_single_points_can_be_drawn_and_nothing_cannot() {
        assert!(svg(&figure(false, &[80.0]), "").is_ok());
        assert!(svg(&figure(true, &[5.0, 5.0]), "").is_ok());
        assert!(svg(&figure(false, &[]), "").is_err());
        assert!(svg(&figure(false, &[f64::NAN]), "").is_err());
        assert!(svg(&figure(true, &[0.0]), "").is_err());
    }

    #[test]
    fn ticks_get_the_digits_that_tell_them_apart() {
        assert_eq!(decimals(&[80.0, 80.5, 81.0]), 1);
        assert_eq!(decimals(&[80.0, 80.25]), 1);
        assert_eq!(decimals(&[0.05, 0.1]), 2);
        assert_eq!(decimals(&[0.0, 2.0]), 0);
    }
}
