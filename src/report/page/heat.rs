//! A heat map as the template shows it.

use serde::Serialize;

use super::number;
use crate::report::document::NOTHING;
use crate::report::figure::HeatMap;

#[derive(Serialize)]
pub(super) struct HeatView {
    /// The title, if it is another than that of what the map is shown under.
    title: Option<String>,
    x_title: String,
    y_title: String,
    x: Vec<String>,
    unit: String,
    lines: Vec<LineView>,
    /// What the ends of the shades stand for.
    scale: [String; 2],
    /// Whether shades go two ways from 0.
    is_diverging: bool,
}

#[derive(Serialize)]
struct LineView {
    name: String,
    cells: Vec<CellView>,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    /// The shade in percent, 0 the palest; `None` if there is no figure.
    shade: Option<f64>,
    is_negative: bool,
    /// Whether the shade asks for the other colour of text: where pale is light, and where pale is dark.
    turns_light: bool,
    turns_dark: bool,
    facts: String,
}

/// From these shades on, in percent, the text's other colour is the legible one, in the light theme and in the dark one.
/// They follow from the lightness of the ends of the scale in the style sheet: a contrast of 4.5 is kept on both sides.
const TURN_LIGHT: f64 = 62.0;
const TURN_DARK: f64 = 50.0;

impl HeatView {
    /// The view of a map that has been checked, under a heading.
    pub(super) fn new(map: &HeatMap, heading: &str) -> HeatView {
        let values = || map.values.iter().flatten().flatten().copied();
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let is_diverging = low < 0.0 && high > 0.0;
        let (pale, deep) = if is_diverging { (0.0, high.max(-low)) } else { (low, high) };
        let digits = number::digits(values());
        let shade = |value: f64| match is_diverging {
            _ if pale == deep => 0.0,
            true => value.abs() / deep * 100.0,
            false => (value - pale) / (deep - pale) * 100.0,
        };
        let cell = |value: &Option<f64>, x: &str, y: &str| {
            let text = value.map_or_else(|| NOTHING.to_owned(), |value| number::grouped(value, digits));
            let shade = value.map(|value| (shade(value) * 10.0).round() / 10.0);
            CellView {
                facts: format!("{y}\n{}: {x}\n{}: {text}", map.x_title, map.unit),
                is_negative: is_diverging && value.is_some_and(|value| value < 0.0),
                turns_light: shade.is_some_and(|shade| shade >= TURN_LIGHT),
                turns_dark: shade.is_some_and(|shade| shade >= TURN_DARK),
                text,
                shade,
            }
        };
        let line = |(values, y): (&Vec<Option<f64>>, &String)| LineView {
            name: y.clone(),
            cells: values.iter().zip(&map.x).map(|(value, x)| cell(value, x, y)).collect(),
        };
        let ends = if is_diverging { [-deep, deep] } else { [low, high] };
        HeatView {
            title: (map.title != heading).then(|| map.title.clone()),
            x_title: map.x_title.clone(),
            y_title: map.y_title.clone(),
            x: map.x.clone(),
            unit: map.unit.clone(),
            lines: map.values.iter().zip(&map.y).map(line).collect(),
            scale: ends.map(|end| if end.is_finite() { number::grouped(end, digits) } else { String::new() }),
            is_diverging,
        }
    }
}
