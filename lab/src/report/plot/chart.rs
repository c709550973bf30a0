//! A chart as the templates show it: everything is placed, in units of its drawing.

use serde::Serialize;

use super::label::{self, Rectangle};
use crate::report::axis::Ruler;
use crate::report::figure::{Axis, Curve, Figure, Point, Scale, Style};
use crate::report::number;
use crate::style::colour;

/// Kinds of marks, and colours of curves in the page's style sheet. Charts with more curves than colours are drawn as several
/// small ones.
const N_MARKS: usize = 8;
const N_COLOURS: usize = 7;

/// The size of a drawing and, in it, where the axes end; the title of the vertical axis stands above it.
struct Frame {
    width: f64,
    height: f64,
    area: Rectangle,
    /// The most ticks of an axis that leave room for their texts.
    most_ticks: usize,
}

const LARGE: Frame = Frame {
    width: 640.0,
    height: 386.0,
    area: Rectangle { left: 56.0, top: 30.0, right: 632.0, bottom: 344.0 },
    most_ticks: 9,
};
const SMALL: Frame = Frame {
    width: 208.0,
    height: 150.0,
    area: Rectangle { left: 36.0, top: 24.0, right: 202.0, bottom: 128.0 },
    most_ticks: 5,
};
/// The height of a line of texts of a second horizontal scale.
const SECOND: f64 = 16.0;
/// Half the width of the ends of a bar.
const CAP: f64 = 4.0;

/// A chart: one drawing with a legend, or a small drawing for each curve, all with the same axes.
#[derive(Serialize)]
pub(in crate::report) struct ChartView {
    /// The title, if it is another than that of what the chart is shown under.
    pub(super) title: Option<String>,
    /// Description, for those who do not see it.
    description: String,
    /// Its points as comma-separated values.
    csv: String,
    pub(super) x_title: String,
    pub(super) y_title: String,
    /// True if there is a small drawing for each curve.
    pub(super) has_panels: bool,
    pub(super) panels: Vec<PanelView>,
}

/// One drawing.
#[derive(Serialize)]
pub(super) struct PanelView {
    pub(super) width: f64,
    pub(super) height: f64,
    area: Rectangle,
    /// Places of ticks with their texts.
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    /// Places of values of the second horizontal scale with their texts.
    second_ticks: Vec<(f64, String)>,
    /// Position of zero, if values lie on both sides of it.
    zero: Option<f64>,
    pub(super) curves: Vec<CurveView>,
}

#[derive(Serialize)]
pub(super) struct CurveView {
    pub(super) name: String,
    pub(super) style: Style,
    pub(super) colour: usize,
    /// The colour where there is no style sheet.
    pub(super) code: &'static str,
    pub(super) mark: usize,
    /// The line, and the bars of standard deviation, as SVG paths; empty if there is none.
    line: String,
    bars: String,
    /// None of a frontier, whose points are those of other curves, nor of a level line.
    points: Vec<PointView>,
}

#[derive(Serialize)]
struct PointView {
    x: f64,
    y: f64,
    /// Description, a fact a line.
    facts: String,
    /// Place of its label, from the point, and the text.
    label: Option<(f64, f64, String)>,
}

impl ChartView {
    /// The view of a figure that has been checked, under a heading.
    pub(in crate::report) fn new(figure: &Figure, heading: &str) -> ChartView {
        let has_panels = figure.curves.iter().filter(|curve| curve.style != Style::Frontier).count() > N_COLOURS;
        let frame = if has_panels { &SMALL } else { &LARGE };
        let points = || figure.curves.iter().flat_map(|curve| &curve.points);
        let spread = |point: &Point| match point.sd.map(|sd| [point.y - sd, point.y, point.y + sd]) {
            Some(ends) if figure.y.scale == Scale::Linear || ends[0] > 0.0 => ends,
            _ => [point.y; 3],
        };
        let plot = Plot {
            figure,
            frame,
            x: Ruler::new(figure.x.scale, frame.most_ticks, points().map(|p| p.x)),
            y: Ruler::new(figure.y.scale, frame.most_ticks, points().flat_map(spread)),
        };
        let panels = match has_panels {
            true => figure.curves.iter().map(|curve| plot.panel(std::slice::from_ref(curve))).collect(),
            false => vec![plot.panel(&figure.curves)],
        };
        let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        ChartView {
            title: (figure.title != heading).then(|| figure.title.clone()),
            description: format!("{}. {} by {}: {}.", figure.title, figure.y.title, figure.x.title, names.join(", ")),
            csv: csv(figure),
            x_title: figure.x.in_full(),
            y_title: figure.y.in_full(),
            has_panels,
            panels,
        }
    }
}

/// The points of a figure as comma-separated values (RFC 4180), a line each after a head.
fn csv(figure: &Figure) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    // Seven digits are more than anything here is measured with.
    let number = |value: f64| {
        let digits = (6 - value.abs().max(1e-12).log10().floor() as i32).clamp(0, 12) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    let heads = ["curve", "label", &figure.x.title, &figure.y.title, "standard deviation"].map(quoted);
    let mut lines = vec![heads.join(",")];
    for curve in figure.curves.iter().filter(|curve| curve.style != Style::Frontier) {
        lines.extend(curve.points.iter().map(|p| {
            let sd = p.sd.map(number).unwrap_or_default();
            [quoted(&curve.name), quoted(&p.label), number(p.x), number(p.y), sd].join(",")
        }));
    }
    lines.join("\n")
}

/// A figure with its axes.
struct Plot<'a> {
    figure: &'a Figure,
    frame: &'static Frame,
    x: Ruler,
    y: Ruler,
}

impl Plot<'_> {
    fn panel(&self, curves: &[Curve]) -> PanelView {
        let mut views: Vec<CurveView> = curves.iter().zip(0..).map(|(curve, i)| self.curve(curve, i)).collect();
        self.label(&mut views, curves);
        PanelView {
            width: self.frame.width,
            height: self.frame.height + if self.figure.x.second.is_empty() { 0.0 } else { SECOND },
            area: self.frame.area,
            x_ticks: self.x.ticks().map(|(share, text)| (self.across(share), text)).collect(),
            y_ticks: self.y.ticks().map(|(share, text)| (self.up(share), text)).collect(),
            second_ticks: self.second_ticks().collect(),
            zero: self.y.zero().map(|share| self.up(share)),
            curves: views,
        }
    }

    fn second_ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let second = &self.figure.x.second;
        let digits = number::digits(second.iter().map(|(_, value)| *value)).min(1);
        second.iter().map(move |&(x, value)| (self.across(self.x.share(x)), number::grouped(value, digits)))
    }

    fn curve(&self, curve: &Curve, i: usize) -> CurveView {
        let is_bare = matches!(curve.style, Style::Frontier | Style::Level);
        let steps = self.places(curve).map(|(x, y)| format!("{x} {y}"));
        let point = |(p, (x, y)): (&Point, (f64, f64))| PointView { x, y, facts: self.facts(curve, p), label: None };
        CurveView {
            name: curve.name.clone(),
            style: curve.style,
            colour: i % N_COLOURS,
            code: colour(&format!("c{}", i % N_COLOURS), false),
            mark: i % N_MARKS,
            line: match curve.style {
                Style::Points => String::new(),
                Style::Line | Style::Frontier | Style::Level => format!("M{}", steps.collect::<Vec<_>>().join("L")),
            },
            bars: if is_bare { String::new() } else { curve.points.iter().filter_map(|p| self.bar(p)).collect() },
            points: if is_bare { Vec::new() } else { curve.points.iter().zip(self.places(curve)).map(point).collect() },
        }
    }

    /// Positions of the points of a curve in the drawing.
    fn places(&self, curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
        curve.points.iter().map(|p| (self.across(self.x.share(p.x)), self.up(self.y.share(p.y))))
    }

    /// The bar from a standard deviation below the point to one above, cut where the chart ends.
    fn bar(&self, point: &Point) -> Option<String> {
        let sd = point.sd.filter(|&sd| sd > 0.0)?;
        let x = self.x.share(point.x);
        let (left, right) = (round(self.across(x) - CAP), round(self.across(x) + CAP));
        let top = self.up(self.y.share(point.y + sd).min(1.0));
        let low = point.y - sd;
        let is_cut = self.figure.y.scale != Scale::Linear && low <= 0.0;
        let bottom = if is_cut { self.frame.area.bottom } else { self.up(self.y.share(low).max(0.0)) };
        Some(format!("M{left} {top}H{right}M{} {top}V{bottom}M{left} {bottom}H{right}", self.across(x)))
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

    /// Number of digits of all values of an axis. There is no common one on a logarithmic axis, where values may
    /// differ by orders of magnitude, and so may the digits that matter.
    fn digits(&self, axis: &Axis, value: impl Fn(&Point) -> f64) -> Option<usize> {
        let points = self.figure.curves.iter().flat_map(|curve| &curve.points);
        (axis.scale == Scale::Linear).then(|| number::digits(points.map(value)))
    }

    /// Writes labels beside the points of clouds, where there is room.
    fn label(&self, views: &mut [CurveView], curves: &[Curve]) {
        let mut places = Vec::new();
        let mut texts = Vec::new();
        for (view, curve) in views.iter().zip(curves) {
            for (point, source) in view.points.iter().zip(&curve.points) {
                places.push((point.x, point.y));
                texts.push(if view.style == Style::Points { source.label.as_str() } else { "" });
            }
        }
        let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
        let has_line = |curve: &&Curve| curve.style != Style::Points;
        let lines = curves.iter().filter(has_line).map(|curve| self.places(curve).collect());
        let lines: Vec<Vec<(f64, f64)>> = lines.collect();
        let lines: Vec<&[(f64, f64)]> = lines.iter().map(Vec::as_slice).collect();
        let labels = label::place(&places, &lengths, &lines, self.frame.area);
        let points = views.iter_mut().flat_map(|view| &mut view.points);
        for ((point, place), text) in points.zip(labels).zip(texts) {
            // Relative to the point; the text's base line is a little above the bottom of its rectangle.
            let place = place.map(|place| (round(place.left - point.x), round(place.bottom - 3.0 - point.y)));
            point.label = place.map(|(x, y)| (x, y, text.to_owned()));
        }
    }

    /// From the share of the horizontal axis to the drawing.
    fn across(&self, share: f64) -> f64 {
        let area = self.frame.area;
        round(area.left + share * (area.right - area.left))
    }

    /// From the share of the vertical axis to the drawing.
    fn up(&self, share: f64) -> f64 {
        let area = self.frame.area;
        round(area.bottom - share * (area.bottom - area.top))
    }
}

/// A tenth of a unit is finer than what is seen.
fn round(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_has_a_colour_of_its_own() {
        let colours: std::collections::BTreeSet<&str> =
            (0..N_COLOURS).map(|i| colour(&format!("c{i}"), false)).collect();
        assert_eq!(colours.len(), N_COLOURS);
        assert!(colours.iter().all(|colour| colour.len() == 7 && colour.starts_with('#') && *colour != "#000000"));
    }
}
