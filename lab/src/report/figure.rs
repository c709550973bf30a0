//! Contents of a picture; how it is drawn is another matter.

use serde::{Deserialize, Serialize};

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The name of its file, without ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The points, by who made them; none is empty.
    pub curves: Vec<Curve>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Title, with the unit.
    pub title: String,
    /// Division.
    pub scale: Scale,
    /// Note on how to read it, such as the direction that is better; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Values of a second scale at values of this one; the note says of what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second: Vec<(f64, f64)>,
}

/// Division of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By doubling, with ticks at powers of two.
    Doubling,
    /// By powers of ten.
    Decimal,
}

impl Axis {
    fn new(title: impl Into<String>, scale: Scale) -> Axis {
        Axis { title: title.into(), scale, note: String::new(), second: Vec::new() }
    }

    /// The axis with a note.
    pub fn noted(self, note: impl Into<String>) -> Axis {
        Axis { note: note.into(), ..self }
    }

    /// The title with the note.
    pub fn in_full(&self) -> String {
        if self.note.is_empty() { self.title.clone() } else { format!("{} ({})", self.title, self.note) }
    }

    /// An axis that is divided evenly.
    pub fn linear(title: impl Into<String>) -> Axis {
        Axis::new(title, Scale::Linear)
    }

    /// An axis for what grows by doubling, such as the width of a beam.
    pub fn doubling(title: impl Into<String>) -> Axis {
        Axis::new(title, Scale::Doubling)
    }

    /// An axis for what differs by orders of magnitude, such as speeds.
    pub fn decimal(title: impl Into<String>) -> Axis {
        Axis::new(title, Scale::Decimal)
    }
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Style of its points.
    #[serde(default)]
    pub style: Style,
    /// Its points, in the order in which a line goes through them.
    pub points: Vec<Point>,
}

impl Curve {
    /// A curve with a line through its points.
    pub fn line(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Curve {
        Curve { name: name.into(), style: Style::Line, points: points.into_iter().collect() }
    }
}

/// Style of the points of a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// With a line through them.
    #[default]
    Line,
    /// As points alone.
    Points,
    /// As a thin line without marks: the frontier of other curves' points.
    Frontier,
    /// As a broken line at one height without marks: what does not depend on the horizontal axis.
    Level,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// The standard deviation of `y`, if there are several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// Name of what it stands for, if the curve's name and `x` do not say so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

impl Point {
    /// A point without spread or label.
    pub fn at(x: f64, y: f64) -> Point {
        Point { x, y, sd: None, label: String::new() }
    }
}

/// Figures on a grid, shown as shades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    /// The name of its file, without ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Names of the columns.
    pub x_title: String,
    /// Names of the lines.
    pub y_title: String,
    /// The columns, left to right.
    pub x: Vec<String>,
    /// The lines, top to bottom.
    pub y: Vec<String>,
    /// Unit of the figures.
    pub unit: String,
    /// The figures by line, then column; nothing where there is none.
    pub values: Vec<Vec<Option<f64>>>,
}
