//! Charts as SVG.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::{DynElement, IntoDynElement};
use plotters::prelude::*;

use super::axis::Ruler;
use super::figure::{Axis, Curve, Figure, Point, Scale, Style};
use super::number;
use crate::draw::escaped;
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
    let description = escaped(provenance);
    let body = out.find('>').map_or(0, |end| end + 1);
    out.insert_str(body, &format!("\n<desc>{description}</desc>"));
    Ok(out)
}

impl Ranged for Ruler {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.share(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.tick_values().to_vec()
    }

    fn range(&self) -> Range<f64> {
        self.range()
    }
}

fn draw(figure: &Figure, out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(out, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(&figure.title, ("sans-serif", 20).into_font())?;
    let (area, legend) = root.split_horizontally(LEGEND_X);
    let points = || figure.curves.iter().flat_map(|c| &c.points);
    let x = Ruler::new(figure.x.scale, points().map(|p| p.x));
    // Bars of spread are drawn on even axes only.
    let spread = |p: &Point| if figure.y.scale == Scale::Linear { p.sd.unwrap_or(0.0) } else { 0.0 };
    let y = Ruler::new(figure.y.scale, points().flat_map(|p| [p.y - spread(p), p.y + spread(p)]));

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
        .x_label_formatter(&|x| number::tick(*x))
        .y_label_formatter(&|y| number::tick(*y))
        .draw()?;

    for (i, curve) in figure.curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let at = |p: &Point| (p.x, p.y);
        if curve.style != Style::Points {
            chart.draw_series(LineSeries::new(curve.points.iter().map(at), stroke(curve, i)))?;
        }
        if figure.y.scale == Scale::Linear {
            let bars = curve.points.iter().filter_map(|p| p.sd.map(|sd| (p, sd)));
            chart.draw_series(
                bars.map(|(p, sd)| ErrorBar::new_vertical(p.x, p.y - sd, p.y, p.y + sd, colour.stroke_width(1), 8)),
            )?;
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
        for expected in ["10k", "20k", "50k"] {
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
}
