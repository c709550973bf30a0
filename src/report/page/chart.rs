//! A chart as the template shows it: everything is placed, in units of its drawing.

use serde::Serialize;

use super::label::{self, Rectangle};
use crate::report::axis::Ruler;
use crate::report::figure::{Axis, Curve, Figure, Point, Scale, Style};
use crate::report::number;

/// Kinds of marks and colours in the page's style sheet. They have no common divisor, so that no two of 56 curves look alike.
const N_MARKS: usize = 8;
const N_COLOURS: usize = 7;

/// The drawing and, in it, where the axes end. The title of the vertical axis stands above it.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 408.0;
const AREA: Rectangle = Rectangle { left: 56.0, top: 30.0, right: 632.0, bottom: 344.0 };
/// Half the width of the ends of a bar.
const CAP: f64 = 4.0;

#[derive(Serialize)]
pub(super) struct ChartView {
    /// The title, if it is another than that of what the chart is shown under.
    title: Option<String>,
    /// What it is, for those who do not see it.
    description: String,
    width: f64,
    height: f64,
    area: AreaView,
    x_title: String,
    y_title: String,
    x_ticks: Vec<TickView>,
    y_ticks: Vec<TickView>,
    curves: Vec<CurveView>,
}

#[derive(Serialize)]
struct AreaView {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

#[derive(Serialize)]
struct TickView {
    at: f64,
    text: String,
}

#[derive(Serialize)]
struct CurveView {
    name: String,
    style: Style,
    colour: usize,
    mark: usize,
    /// Whether colours have come round once: a dashed line then tells them apart too.
    is_dashed: bool,
    /// The line, and the bars of standard deviation, as SVG paths; empty if there is none.
    line: String,
    bars: String,
    /// None of a frontier, whose points are those of other curves.
    points: Vec<PointView>,
}

#[derive(Serialize)]
struct PointView {
    x: f64,
    y: f64,
    /// What it is, a fact a line.
    facts: String,
    label: Option<LabelView>,
}

#[derive(Serialize)]
struct LabelView {
    x: f64,
    y: f64,
    text: String,
}

impl ChartView {
    /// The view of a figure that has been checked, under a heading.
    pub(super) fn new(figure: &Figure, heading: &str) -> ChartView {
        let points = || figure.curves.iter().flat_map(|curve| &curve.points);
        let spread = |point: &Point| match point.sd.map(|sd| [point.y - sd, point.y, point.y + sd]) {
            Some(ends) if figure.y.scale == Scale::Linear || ends[0] > 0.0 => ends,
            _ => [point.y; 3],
        };
        let plot = Plot {
            figure,
            x: Ruler::new(figure.x.scale, points().map(|p| p.x)),
            y: Ruler::new(figure.y.scale, points().flat_map(spread)),
        };
        let mut curves: Vec<CurveView> = figure.curves.iter().zip(0..).map(|(curve, i)| plot.curve(curve, i)).collect();
        plot.label(&mut curves);
        let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        ChartView {
            title: (figure.title != heading).then(|| figure.title.clone()),
            description: format!("{}. {} by {}: {}.", figure.title, figure.y.title, figure.x.title, names.join(", ")),
            width: WIDTH,
            height: HEIGHT,
            area: AreaView { left: AREA.left, top: AREA.top, right: AREA.right, bottom: AREA.bottom },
            x_title: figure.x.title.clone(),
            y_title: figure.y.title.clone(),
            x_ticks: plot.x.ticks().map(|(share, text)| TickView { at: across(share), text }).collect(),
            y_ticks: plot.y.ticks().map(|(share, text)| TickView { at: up(share), text }).collect(),
            curves,
        }
    }
}

/// A figure with its axes.
struct Plot<'a> {
    figure: &'a Figure,
    x: Ruler,
    y: Ruler,
}

impl Plot<'_> {
    fn curve(&self, curve: &Curve, i: usize) -> CurveView {
        let is_frontier = curve.style == Style::Frontier;
        let steps = self.places(curve).map(|(x, y)| format!("{x} {y}"));
        let point = |(p, (x, y)): (&Point, (f64, f64))| PointView { x, y, facts: self.facts(curve, p), label: None };
        CurveView {
            name: curve.name.clone(),
            style: curve.style,
            colour: i % N_COLOURS,
            mark: i % N_MARKS,
            is_dashed: i >= N_COLOURS,
            line: match curve.style {
                Style::Points => String::new(),
                Style::Line | Style::Frontier => format!("M{}", steps.collect::<Vec<_>>().join("L")),
            },
            bars: if is_frontier { String::new() } else { curve.points.iter().filter_map(|p| self.bar(p)).collect() },
            points: if is_frontier {
                Vec::new()
            } else {
                curve.points.iter().zip(self.places(curve)).map(point).collect()
            },
        }
    }

    /// Where the points of a curve are in the drawing.
    fn places(&self, curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
        curve.points.iter().map(|p| (across(self.x.share(p.x)), up(self.y.share(p.y))))
    }

    /// The bar from a standard deviation below the point to one above, cut where the chart ends.
    fn bar(&self, point: &Point) -> Option<String> {
        let sd = point.sd.filter(|&sd| sd > 0.0)?;
        let x = self.x.share(point.x);
        let (left, right) = (round(across(x) - CAP), round(across(x) + CAP));
        let top = up(self.y.share(point.y + sd).min(1.0));
        let low = point.y - sd;
        let is_cut = self.figure.y.scale != Scale::Linear && low <= 0.0;
        let bottom = if is_cut { AREA.bottom } else { up(self.y.share(low).max(0.0)) };
        Some(format!("M{left} {top}H{right}M{} {top}V{bottom}M{left} {bottom}H{right}", across(x)))
    }

    fn facts(&self, curve: &Curve, point: &Point) -> String {
        let mut facts = vec![curve.name.clone()];
        if !point.label.is_empty() {
            facts.push(point.label.clone());
        }
        let [x, y] = [&self.figure.x, &self.figure.y];
        let [x_digits, y_digits] = [self.digits(x, |p| p.x), self.digits(y, |p| p.y)];
        let shown =
            |value, digits: Option<usize>| digits.map_or_else(|| number::alone(value), |n| number::grouped(value, n));
        facts.push(format!("{}: {}", x.title, shown(point.x, x_digits)));
        let spread = point.sd.map_or_else(String::new, |sd| format!(" ± {}", shown(sd, y_digits)));
        facts.push(format!("{}: {}{spread}", y.title, shown(point.y, y_digits)));
        facts.join("\n")
    }

    /// The digits that all values of an axis are told with. There are none in common on a logarithmic one, where values may
    /// differ by orders of magnitude, and so may the digits that matter.
    fn digits(&self, axis: &Axis, value: impl Fn(&Point) -> f64) -> Option<usize> {
        let points = self.figure.curves.iter().flat_map(|curve| &curve.points);
        (axis.scale == Scale::Linear).then(|| number::digits(points.map(value)))
    }

    /// Writes labels beside the points of clouds, where there is room.
    fn label(&self, views: &mut [CurveView]) {
        let mut places = Vec::new();
        let mut texts = Vec::new();
        for (view, curve) in views.iter().zip(&self.figure.curves) {
            for (point, source) in view.points.iter().zip(&curve.points) {
                places.push((point.x, point.y));
                texts.push(if view.style == Style::Points { source.label.as_str() } else { "" });
            }
        }
        let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        let has_line = |curve: &&Curve| curve.style != Style::Points;
        let lines = self.figure.curves.iter().filter(has_line).map(|curve| self.places(curve).collect());
        let lines: Vec<Vec<(f64, f64)>> = lines.collect();
        let lines: Vec<&[(f64, f64)]> = lines.iter().map(Vec::as_slice).collect();
        let labels = label::place(&places, &lengths, &lines, AREA);
        let points = views.iter_mut().flat_map(|view| &mut view.points);
        for ((point, place), text) in points.zip(labels).zip(texts) {
            // Relative to the point; the text's base line is a little above the bottom of its rectangle.
            point.label = place.map(|place| LabelView {
                x: round(place.left - point.x),
                y: round(place.bottom - 3.0 - point.y),
                text: text.to_owned(),
            });
        }
    }
}

/// From the share of the horizontal axis to the drawing.
fn across(share: f64) -> f64 {
    round(AREA.left + share * (AREA.right - AREA.left))
}

/// From the share of the vertical axis to the drawing.
fn up(share: f64) -> f64 {
    round(AREA.bottom - share * (AREA.bottom - AREA.top))
}

/// A tenth of a unit is finer than what is seen.
fn round(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}
