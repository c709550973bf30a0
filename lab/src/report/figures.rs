//! The figures of an experiment as points.

use std::collections::BTreeSet;

use super::costs::processors;
use super::diagnoses::of_method;
use super::figure::{Axis, Curve, Figure, HeatMap, Point, Style};
use super::summary::{Method, Spread, Summary};
use super::templates::{sentences, view};
use crate::experiment::{Decoding, Horizontal, PlotSpec, Record, SeriesSpec, Vertical};
use treebeam::diagnosis::PARTS;
use treebeam::eval::{Metric, signs};

/// The figures of `summary` that have points, each with what is to be seen in it: one per plot and column of the specification,
/// as averages over treebanks; advantages show all columns in one.
pub fn figures(summary: &Summary) -> Vec<(Figure, Vec<String>)> {
    let spec = &summary.plan.spec;
    let columns: Vec<&str> = summary.columns().map(String::as_str).collect();
    let mut all = Vec::new();
    for plot in &spec.plots {
        if plot.y == Vertical::Advantage {
            let curve = |column: &&str| Curve::line(*column, advantage(summary, column, plot));
            all.extend(figure(summary, plot, None, columns.iter().map(curve).collect()));
            continue;
        }
        if plot.x == Horizontal::TrainSentences {
            let curve = |series: &SeriesSpec| Curve::line(&series.name, by_size(summary, &columns, plot, series));
            all.extend(figure(summary, plot, None, plot.series.iter().map(curve).collect()));
            continue;
        }
        for column in &columns {
            let mut curves: Vec<Curve> =
                plot.series.iter().map(|series| curve(summary, column, plot, series)).collect();
            if plot.frontier {
                curves.push(frontier(&curves, plot.x == Horizontal::TokensPerSecond));
            }
            let drawn = figure(summary, plot, (columns.len() > 1).then_some(*column), curves);
            all.extend(drawn.map(|(figure, reading)| (with_times(figure, summary, column, plot), reading)));
        }
    }
    all
}

fn figure(
    summary: &Summary,
    plot: &PlotSpec,
    column: Option<&str>,
    mut curves: Vec<Curve>,
) -> Option<(Figure, Vec<String>)> {
    curves.retain(|curve| !curve.points.is_empty());
    stretch_levels(&mut curves);
    let is_time = matches!(plot.x, Horizontal::TokensPerSecond | Horizontal::TimePerToken | Horizontal::TrainingTime);
    let x = x_axis(plot.x);
    let figure = Figure {
        name: column.map_or(plot.name.clone(), |column| format!("{}-{}", plot.name, file_name(column))),
        title: column.map_or(plot.title.clone(), |column| format!("{}: {column}", plot.title)),
        x: if is_time { timed(x, summary, column) } else { x },
        y: y_axis(plot, summary.plan.treebanks.len()),
        curves,
    };
    (!figure.curves.is_empty()).then(|| {
        let reading = reading(&figure, plot);
        (figure, reading)
    })
}

/// The axis of times, with a note if several kinds of processor took them.
fn timed(axis: Axis, summary: &Summary, column: Option<&str>) -> Axis {
    match processors(summary, |of, _| column.is_none_or(|column| column == of)).len() {
        0 | 1 => axis,
        n => Axis { note: format!("{}; timed on {n} kinds of processor", axis.note), ..axis },
    }
}

/// The figure of scores by width with a second scale of times: those of its methods at each width, averaged.
fn with_times(mut figure: Figure, summary: &Summary, column: &str, plot: &PlotSpec) -> Figure {
    if plot.x != Horizontal::Width || !matches!(plot.y, Vertical::Las | Vertical::Uas) {
        return figure;
    }
    let methods: Vec<Method> = plot.series.iter().flat_map(|series| methods(summary, column, series)).collect();
    let at = |width: usize| {
        let of_width = methods.iter().filter(|method| method.width == width);
        let times: Vec<f64> =
            of_width.filter_map(|method| horizontal(summary, column, method, Horizontal::TimePerToken)).collect();
        (!times.is_empty()).then(|| (width as f64, times.iter().sum::<f64>() / times.len() as f64))
    };
    let widths: BTreeSet<usize> = methods.iter().map(|method| method.width).collect();
    let second: Vec<(f64, f64)> = widths.into_iter().filter_map(at).collect();
    if !second.is_empty() {
        let title = x_axis(Horizontal::TimePerToken).title;
        let axis = Axis { second, ..figure.x }.noted(format!("below: {title}"));
        figure.x = timed(axis, summary, Some(column));
    }
    figure
}

/// Lets level curves go from the leftmost to the rightmost point of the others.
fn stretch_levels(curves: &mut [Curve]) {
    let others = curves.iter().filter(|curve| curve.style != Style::Level);
    let xs: Vec<f64> = others.flat_map(|curve| curve.points.iter().map(|p| p.x)).collect();
    let Some((left, right)) = xs.iter().copied().reduce(f64::min).zip(xs.iter().copied().reduce(f64::max)) else {
        return;
    };
    for curve in curves.iter_mut().filter(|curve| curve.style == Style::Level) {
        let y = curve.points[0].y;
        curve.points = vec![Point::at(left, y), Point::at(right, y)];
    }
}

fn x_axis(x: Horizontal) -> Axis {
    match x {
        Horizontal::Width => Axis::doubling("width of the decoding beam"),
        Horizontal::Iteration => Axis::linear("iteration"),
        Horizontal::Derivation => Axis::linear("% of the derivation"),
        Horizontal::TokensPerSecond => Axis::decimal("tokens per second, one thread").noted("further right is faster"),
        Horizontal::TimePerToken => {
            Axis::decimal("µs of parsing per token, one thread").noted("further left is faster")
        }
        Horizontal::TrainingTime => Axis::decimal("seconds of training, one thread").noted("further left is cheaper"),
        Horizontal::TrainSentences => Axis::decimal("sentences of training data"),
    }
}

fn y_axis(plot: &PlotSpec, n_treebanks: usize) -> Axis {
    let on = if plot.x == Horizontal::Iteration { " on development data" } else { "" };
    const HIGHER: &str = "higher is better";
    const LOWER: &str = "lower is better";
    let axis = match plot.y {
        Vertical::Las => Axis::linear(format!("LAS, %{on}")).noted(HIGHER),
        Vertical::Uas => Axis::linear(format!("UAS, %{on}")).noted(HIGHER),
        Vertical::TokensPerSecond => Axis::decimal("tokens per second, one thread").noted(HIGHER),
        Vertical::SearchErrors => Axis::linear("% of sentences with a search error").noted(LOWER),
        Vertical::FallenOff => Axis::linear("% of sentences whose gold has fallen off").noted(LOWER),
        Vertical::Advantage => {
            let [ours, theirs] = [&plot.series[0].name, &plot.series[1].name];
            Axis::linear(format!("points of LAS, {ours} less {theirs}")).noted(format!("above 0 {ours} are ahead"))
        }
    };
    let pooled = matches!(plot.y, Vertical::SearchErrors | Vertical::FallenOff);
    let title = match n_treebanks {
        1 => axis.title,
        n if pooled => format!("{}, {n} treebanks", axis.title),
        n => format!("{}, average of {n} treebanks", axis.title),
    };
    Axis { title, ..axis }
}

fn curve(summary: &Summary, column: &str, plot: &PlotSpec, series: &SeriesSpec) -> Curve {
    let methods = methods(summary, column, series);
    let points = match plot.x {
        Horizontal::Iteration => methods.first().map_or(Vec::new(), |m| learning_curve(summary, column, m, plot.y)),
        Horizontal::Derivation => methods.first().map_or(Vec::new(), |m| falling_curve(summary, column, m)),
        _ => {
            let mut points: Vec<Point> = methods.iter().filter_map(|m| point(summary, column, m, plot)).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            points
        }
    };
    Curve { name: series.name.clone(), style: if series.level { Style::Level } else { Style::Line }, points }
}

/// The methods of a series.
fn methods(summary: &Summary, column: &str, series: &SeriesSpec) -> Vec<Method> {
    let training_width = |row: &str| {
        let cell = summary.plan.cells.iter().find(|c| c.row == row && c.column == column)?;
        Some(cell.options.training_beam())
    };
    let is_wanted = |m: &Method| {
        series.rows.iter().any(|name| *name.get_ref() == m.row)
            && (!series.matched || training_width(&m.row) == Some(m.width))
            && (series.widths.is_empty() || series.widths.contains(&m.width))
    };
    summary.methods(column).into_iter().filter(is_wanted).collect()
}

fn point(summary: &Summary, column: &str, method: &Method, plot: &PlotSpec) -> Option<Point> {
    let x = horizontal(summary, column, method, plot.x)?;
    let y = match plot.y {
        Vertical::Las => summary.average_score(column, method, Metric::Las)?,
        Vertical::Uas => summary.average_score(column, method, Metric::Uas)?,
        Vertical::TokensPerSecond => summary.average(column, method, |_, d| d.tokens_per_second())?,
        Vertical::SearchErrors => {
            let d = of_method(summary, column, method)?;
            Spread { mean: 100.0 * d.search_errors as f64 / d.sentences as f64, sd: None }
        }
        Vertical::FallenOff | Vertical::Advantage => return None,
    };
    let label = if plot.x == Horizontal::Width { String::new() } else { method.label.clone() };
    Some(Point { x, y: y.mean, sd: y.sd, label })
}

fn horizontal(summary: &Summary, column: &str, method: &Method, x: Horizontal) -> Option<f64> {
    let average = |value: &dyn Fn(&Record, &Decoding) -> f64| {
        Some(summary.average(column, method, value)?.mean).filter(|v| *v > 0.0)
    };
    match x {
        Horizontal::Width => Some(method.width as f64),
        Horizontal::TokensPerSecond => average(&|_, d| d.tokens_per_second()),
        Horizontal::TimePerToken => average(&|_, d| 1e6 / d.tokens_per_second()),
        Horizontal::TrainingTime => average(&|r, _| r.training.seconds()),
        Horizontal::TrainSentences => average(&|r, _| r.train.n_sentences() as f64),
        Horizontal::Iteration | Horizontal::Derivation => None,
    }
}

/// The scores of a series by columns, where these have all treebanks.
fn by_size(summary: &Summary, columns: &[&str], plot: &PlotSpec, series: &SeriesSpec) -> Vec<Point> {
    let of_column = |column: &&str| {
        let has_column =
            |treebank: &String| summary.entries.iter().any(|e| e.treebank == *treebank && e.column == *column);
        let method = methods(summary, column, series).into_iter().next()?;
        let point = point(summary, column, &method, plot)?;
        summary.treebanks().iter().all(has_column).then_some(Point { label: (*column).to_owned(), ..point })
    };
    let mut points: Vec<Point> = columns.iter().filter_map(of_column).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Scores on development data by iteration.
fn learning_curve(summary: &Summary, column: &str, method: &Method, y: Vertical) -> Vec<Point> {
    let metric = if y == Vertical::Uas { Metric::Uas } else { Metric::Las };
    let at = |epoch: usize| {
        let score = |r: &Record, _: &Decoding| {
            let dev = r.training.epochs.get(epoch).and_then(|e| e.dev);
            dev.map_or(f64::NAN, |counts| metric.score(&counts))
        };
        let score = summary.average(column, method, score).filter(|s| s.mean.is_finite())?;
        Some(Point { x: (epoch + 1) as f64, y: score.mean, sd: score.sd, label: String::new() })
    };
    (0..).map_while(at).collect()
}

/// The share of sentences whose gold has fallen off by each tenth of the derivation.
fn falling_curve(summary: &Summary, column: &str, method: &Method) -> Vec<Point> {
    let Some(d) = of_method(summary, column, method) else { return Vec::new() };
    let start = std::iter::once(Point::at(0.0, 0.0));
    let width = 100.0 / PARTS as f64;
    start.chain((0..PARTS).map(|part| Point::at((part + 1) as f64 * width, 100.0 * d.fallen_by(part)))).collect()
}

/// The points of `curves` that no other beats on both axes, by ascending x.
fn frontier(curves: &[Curve], more_is_better: bool) -> Curve {
    let mut points: Vec<Point> =
        curves.iter().flat_map(|c| c.points.iter().map(|p| Point { sd: None, ..p.clone() })).collect();
    // From the best x on: every point that is higher than all before it.
    points.sort_by(|a, b| if more_is_better { b.x.total_cmp(&a.x) } else { a.x.total_cmp(&b.x) });
    let mut highest = f64::NEG_INFINITY;
    points.retain(|p| {
        let is_higher = p.y > highest;
        highest = highest.max(p.y);
        is_higher
    });
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Curve { name: "best trade-offs".to_owned(), style: Style::Frontier, points }
}

/// Offer of a method: its cost, and LAS on development and test data.
struct Offer {
    cost: f64,
    dev: f64,
    test: f64,
    label: String,
}

/// The offer that costs no more than `cost` and is best on development data: test data must not choose what is tested on them.
fn best_within(offers: &[Offer], cost: f64) -> Option<&Offer> {
    offers.iter().filter(|offer| offer.cost <= cost).max_by(|a, b| a.dev.total_cmp(&b.dev))
}

/// Lead of the best of the first series over the best of the second among what costs no more than x: at every x that either
/// offers, from where both offer something.
fn advantage(summary: &Summary, column: &str, plot: &PlotSpec) -> Vec<Point> {
    let offered = |series: &SeriesSpec| -> Vec<Offer> {
        let of = |m: Method| {
            Some(Offer {
                cost: horizontal(summary, column, &m, plot.x)?,
                dev: summary.average_dev_score(column, &m, Metric::Las)?.mean,
                test: summary.average_score(column, &m, Metric::Las)?.mean,
                label: m.label,
            })
        };
        methods(summary, column, series).into_iter().filter_map(of).collect()
    };
    let [ours, theirs] = [&plot.series[0], &plot.series[1]].map(offered);
    let mut xs: Vec<f64> = ours.iter().chain(&theirs).map(|offer| offer.cost).collect();
    xs.sort_by(f64::total_cmp);
    let at = |x: f64| {
        let (ours, theirs) = best_within(&ours, x).zip(best_within(&theirs, x))?;
        let label = format!("{} against {}", ours.label, theirs.label);
        Some(Point { x, y: ours.test - theirs.test, sd: None, label })
    };
    xs.into_iter().filter_map(at).collect()
}

/// The findings of a figure, in sentences.
fn reading(figure: &Figure, plot: &PlotSpec) -> Vec<String> {
    let (x, y) = (plot.x, plot.y);
    if y == Vertical::Advantage {
        return advantage_reading(figure, plot);
    }
    if let Some(frontier) = figure.curves.iter().find(|c| c.style == Style::Frontier) {
        let points: Vec<&Point> = frontier.points.iter().rev().collect();
        return sentences("frontier.jinja", view! { points, x, y });
    }
    let ends: Vec<(&str, f64)> =
        figure.curves.iter().filter_map(|c| Some((c.name.as_str(), c.points.last()?.y))).collect();
    let by_y = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
    let points = figure.curves.iter().flat_map(|c| c.points.iter().map(move |p| (c, p)));
    let top = points.max_by(|a, b| a.1.y.total_cmp(&b.1.y));
    let Some(((high, low), (curve, top))) = ends.iter().max_by(by_y).zip(ends.iter().min_by(by_y)).zip(top) else {
        return Vec::new();
    };
    let view = view! {
        x, y, high, low, top,
        several => ends.len() > 1,
        what => figure.y.title.split(',').next(),
        digits => if high.1.abs() < 1000.0 { 2 } else { 0 },
        curve => curve.name,
        is_level => curve.style == Style::Level,
        x_title => figure.x.title,
    };
    sentences("curves.jinja", view)
}

/// The lead of the first series with the most time, and with the least time of training.
fn advantage_reading(figure: &Figure, plot: &PlotSpec) -> Vec<String> {
    let at = |end: fn(&[Point]) -> Option<&Point>| {
        let points = || figure.curves.iter().filter_map(|c| end(&c.points));
        let (ahead, behind) = signs(points().map(|p| p.y));
        let n = points().count();
        let mean = points().map(|p| p.y).sum::<f64>() / n.max(1) as f64;
        view! { n, mean, ahead, behind }
    };
    let mut ends = vec![at(<[Point]>::last)];
    // The least time of parsing is that of rows that parse greedily, whatever they were trained for.
    ends.extend((plot.x == Horizontal::TrainingTime).then(|| at(<[Point]>::first)));
    sentences("advantage.jinja", view! { ends, ours => plot.series[0].name, theirs => plot.series[1].name })
}

/// The heat maps of the specification's grid, for the first score: one per column, as averages over treebanks, and one per
/// treebank.
pub fn heat_maps(summary: &Summary) -> Vec<HeatMap> {
    let metric = summary.metrics()[0];
    heat_maps_of(summary, metric).into_iter().map(|(_, map)| map).collect()
}

/// The heat maps by treebank, `average` first if there are several.
pub fn heat_maps_of(summary: &Summary, metric: Metric) -> Vec<(String, HeatMap)> {
    let spec = &summary.plan.spec;
    let [y, x] = &spec.grid[..] else { return Vec::new() };
    let rule = summary.rule();
    let mut maps = Vec::new();
    let treebanks = summary.treebanks();
    let averages = (treebanks.len() > 1).then(|| "average".to_owned());
    for column in summary.columns() {
        for treebank in averages.iter().chain(&treebanks) {
            let value = |i: usize, j: usize| {
                let method = summary.method_of(column, &spec.grid_row(&[i, j]))?;
                let spread = match summary.entry(treebank, column, &method) {
                    Some(entry) => entry.score(metric, rule)?,
                    None => summary.average_score(column, &method, metric)?,
                };
                Some(spread.mean)
            };
            let values: Vec<Vec<Option<f64>>> =
                (0..y.values.len()).map(|i| (0..x.values.len()).map(|j| value(i, j)).collect()).collect();
            if values.iter().flatten().all(Option::is_none) {
                continue;
            }
            let several = if spec.columns.len() > 1 { format!(": {column}") } else { String::new() };
            let map = HeatMap {
                name: format!("{}-{}-{}", metric.name().to_lowercase(), file_name(column), file_name(treebank)),
                title: format!("{} on {treebank}{several}", metric.name()),
                x_title: x.option.get_ref().clone(),
                y_title: y.option.get_ref().clone(),
                x: x.labels(),
                y: y.labels(),
                unit: format!("{} (%)", metric.name()),
                values,
            };
            maps.push((treebank.clone(), map));
        }
    }
    maps
}

/// A column's name as part of a file's name.
fn file_name(column: &str) -> String {
    let words = column.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "column".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Store;
    use crate::experiment::testing::{SPEC, full_store, plan, plan_of, record, spec_of};

    #[test]
    fn one_figure_per_column_with_the_points_of_its_rows() {
        let plan = plan();
        let mut store = Store::default();
        assert_eq!(figures(&Summary::new(&plan, &store, false)), []);
        plan.cells.iter().for_each(|c| store.insert(record(c, "r1")));
        let summary = Summary::new(&plan, &store, false);
        let figures: Vec<Figure> = figures(&summary).into_iter().map(|(figure, _)| figure).collect();
        assert_eq!(figures.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["las-eager", "las-hybrid"]);
        let global = &figures[0].curves[1];
        assert_eq!(global.points.iter().map(|p| p.x).collect::<Vec<_>>(), [1.0, 4.0]);
        let wide = summary.average_score("eager", &summary.methods("eager")[3], Metric::Las).unwrap();
        assert_eq!((global.points[1].y, global.points[1].sd), (wide.mean, wide.sd));
        assert_eq!(figures[0].curves[0].points.len(), 2, "two rows at width 1");
    }

    #[test]
    fn level_lines_go_as_far_as_the_others() {
        let level = "rows = [\"greedy\"], level = true, widths = [1]";
        let text = SPEC.replace("rows = [\"greedy\", \"dynamic\"], matched = true", level);
        let plan = plan_of(&spec_of(&text));
        let store = full_store(&plan);
        let (figure, reading) = figures(&Summary::new(&plan, &store, false)).remove(0);
        let level = &figure.curves[0];
        assert_eq!((level.style, level.points.len()), (Style::Level, 2));
        assert_eq!(level.points.iter().map(|p| p.x).collect::<Vec<_>>(), [1.0, 4.0]);
        assert_eq!(level.points[0].y, level.points[1].y);
        let highest = figure.curves.iter().flat_map(|c| &c.points).map(|p| p.y).fold(0.0, f64::max);
        assert_eq!(reading[1].contains("the same at every width"), level.points[0].y == highest, "{reading:?}");
    }

    #[test]
    fn a_frontier_holds_what_nothing_beats() {
        let curve = |points: &[(f64, f64)]| Curve::line("c", points.iter().map(|&(x, y)| Point::at(x, y)));
        let curves = [curve(&[(1.0, 5.0), (2.0, 4.0)]), curve(&[(3.0, 4.5), (4.0, 1.0), (0.5, 5.0)])];
        let xs = |more| frontier(&curves, more).points.iter().map(|p| p.x).collect::<Vec<_>>();
        assert_eq!(xs(true), [1.0, 3.0, 4.0]);
        assert_eq!(xs(false), [0.5]);
    }
}
