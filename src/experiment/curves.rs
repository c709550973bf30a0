//! The plots of an experiment as points; how they are drawn is another matter.

use super::record::{Decoding, Record};
use super::spec::{Axis, PlotSpec, SeriesSpec};
use super::summary::Summary;
use crate::eval::Metric;

/// A line chart against something that grows by doubling.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its file, without ending.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The title of the horizontal axis, which is logarithmic to base 2.
    pub x_title: String,
    /// The title of the vertical axis.
    pub y_title: String,
    /// Whether the vertical axis is logarithmic.
    pub y_is_logarithmic: bool,
    /// The lines; none of them is empty.
    pub curves: Vec<Curve>,
}

/// One line of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, by ascending x.
    pub points: Vec<Point>,
}

/// A point with a standard deviation over seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The standard deviation, if there are several seeds.
    pub sd: Option<f64>,
}

/// The figures of `summary` that have points, one per plot and column of the specification: averages over treebanks.
pub fn figures(summary: &Summary) -> Vec<Figure> {
    let spec = &summary.plan.spec;
    let pairs = spec.plots.iter().flat_map(|plot| spec.columns.iter().map(move |column| (plot, column)));
    let figure = |(plot, column): (&PlotSpec, &super::Variant)| {
        let column = column.name.get_ref();
        let several = spec.columns.len() > 1;
        let curve =
            |series: &SeriesSpec| Curve { name: series.name.clone(), points: points(summary, column, series, plot.y) };
        let curves: Vec<Curve> = plot.series.iter().map(curve).filter(|c| !c.points.is_empty()).collect();
        (!curves.is_empty()).then(|| Figure {
            name: if several { format!("{}-{}", plot.name, file_name(column)) } else { plot.name.clone() },
            title: if several { format!("{}: {column}", plot.title) } else { plot.title.clone() },
            x_title: "width of the decoding beam".to_owned(),
            y_title: y_title(plot.y, summary.plan.treebanks.len()),
            y_is_logarithmic: plot.y == Axis::TokensPerSecond,
            curves,
        })
    };
    pairs.filter_map(figure).collect()
}

fn y_title(axis: Axis, n_treebanks: usize) -> String {
    let what = match axis {
        Axis::Las => "LAS (%)",
        Axis::Uas => "UAS (%)",
        Axis::TokensPerSecond => "tokens per second, one thread",
    };
    if n_treebanks > 1 { format!("{what}, average of {n_treebanks} treebanks") } else { what.to_owned() }
}

fn points(summary: &Summary, column: &str, series: &SeriesSpec, axis: Axis) -> Vec<Point> {
    let rule = summary.plan.spec.table.punctuation;
    let value = |_: &Record, d: &Decoding| match axis {
        Axis::Las => Metric::Las.score(&d.test.get(rule)),
        Axis::Uas => Metric::Uas.score(&d.test.get(rule)),
        Axis::TokensPerSecond => d.tokens_per_second(),
    };
    let is_wanted = |row: &str, width: usize| {
        let named = series.rows.iter().any(|name| name.get_ref() == row);
        let training_width = || {
            let cell = summary.plan.cells.iter().find(|c| c.row == row && c.column == column)?;
            Some(if cell.options.training == crate::learn::Training::Greedy { 1 } else { cell.options.beam })
        };
        named && (!series.matched || training_width() == Some(width))
    };
    let methods = summary.methods(column).into_iter().filter(|m| is_wanted(&m.row, m.width));
    let point = |method: super::summary::Method| {
        let average = summary.average(column, &method, value)?;
        Some(Point { x: method.width as f64, y: average.mean, sd: average.sd })
    };
    let mut points: Vec<Point> = methods.filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// A column's name as part of a file's name.
fn file_name(column: &str) -> String {
    let words = column.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Store;
    use crate::experiment::testing::{plan, record};

    #[test]
    fn one_figure_per_column_with_the_points_of_its_rows() {
        let plan = plan();
        let mut store = Store::default();
        assert_eq!(figures(&Summary::new(&plan, &store, "r1", false)), []);
        plan.cells.iter().for_each(|c| store.insert(record(c, "r1")));
        let summary = Summary::new(&plan, &store, "r1", false);
        let figures = figures(&summary);
        assert_eq!(figures.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["las-eager", "las-hybrid"]);
        let global = &figures[0].curves[1];
        assert_eq!(global.points.iter().map(|p| p.x).collect::<Vec<_>>(), [1.0, 4.0]);
        let wide = summary.average_score("eager", &summary.methods("eager")[3], Metric::Las).unwrap();
        assert_eq!((global.points[1].y, global.points[1].sd), (wide.mean, wide.sd));
        assert_eq!(figures[0].curves[0].points.len(), 2, "two rows at width 1");
    }

    #[test]
    fn names_of_columns_become_names_of_files() {
        assert_eq!(file_name("arc-eager, ZN (2011)"), "arc-eager-zn-2011");
    }
}
