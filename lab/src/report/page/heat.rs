//! A heat map as the template shows it.

use minijinja::Value;

use crate::report::document::NOTHING;
use crate::report::figure::HeatMap;
use crate::report::number;
use crate::report::templates::view;

/// From these shades on, in percent, black text turns white in the light theme, and white text black in the dark one. They
/// follow from the ends of the scale in the style sheet, so that the contrast is never below 4.5.
const TURN_LIGHT: f64 = 69.0;
const TURN_DARK: f64 = 48.8;

/// The view of a map that has been checked, under a heading; its own title only if it is another. Shades are percentages, 0 being the
/// palest; where values lie on both sides of 0 they go two ways from there. The scale has the values at their ends.
pub(super) fn view(map: &HeatMap, heading: &str) -> Value {
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
    let cell = |(value, x): (&Option<f64>, &String), y: &str| {
        let text = value.map_or_else(|| NOTHING.to_owned(), |value| number::grouped(value, digits));
        let shade = value.map(|value| (shade(value) * 10.0).round() / 10.0);
        view! {
            facts => format!("{y}\n{}: {x}\n{}: {text}", map.x_title, map.unit),
            is_negative => is_diverging && value.is_some_and(|value| value < 0.0),
            turns_light => shade.is_some_and(|shade| shade >= TURN_LIGHT),
            turns_dark => shade.is_some_and(|shade| shade >= TURN_DARK),
            text, shade,
        }
    };
    let cells = |values: &Vec<Option<f64>>, y: &str| values.iter().zip(&map.x).map(|pair| cell(pair, y)).collect();
    let lines: Vec<(&String, Vec<Value>)> = map.values.iter().zip(&map.y).map(|(v, y)| (y, cells(v, y))).collect();
    let ends = if is_diverging { [-deep, deep] } else { [low, high] };
    let HeatMap { title, x_title, y_title, x, unit, .. } = map;
    view! {
        x_title, y_title, x, unit, lines, is_diverging,
        title => Some(title).filter(|title| *title != heading),
        scale => ends.map(|end| if end.is_finite() { number::grouped(end, digits) } else { String::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two colours of a name in the style sheet, light theme first, as lightness and the two axes of OKLab.
    fn colours(name: &str) -> [[f64; 3]; 2] {
        let css = include_str!("page.css");
        let start = css.find(&format!("--{name}: light-dark(oklch(")).unwrap();
        let mut colours = css[start..].split("oklch(").skip(1).map(|rest| {
            let parts: Vec<f64> =
                rest.split(')').next().unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
            let (sin, cos) = parts[2].to_radians().sin_cos();
            [parts[0], parts[1] * cos, parts[1] * sin]
        });
        [colours.next().unwrap(), colours.next().unwrap()]
    }

    /// The relative luminance of a colour in OKLab (Ottosson 2020), cut to what screens show.
    fn luminance([l, a, b]: [f64; 3]) -> f64 {
        let [l, m, s] = [
            l + 0.3963377774 * a + 0.2158037573 * b,
            l - 0.1055613458 * a - 0.0638541728 * b,
            l - 0.0894841775 * a - 1.2914855480 * b,
        ]
        .map(|c| c.powi(3));
        let red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
        let green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
        let blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
        0.2126 * red.clamp(0.0, 1.0) + 0.7152 * green.clamp(0.0, 1.0) + 0.0722 * blue.clamp(0.0, 1.0)
    }

    #[test]
    fn texts_on_every_shade_are_legible_in_both_themes() {
        for (theme, turn) in [(0, TURN_LIGHT), (1, TURN_DARK)] {
            let pale = colours("pale")[theme];
            for end in ["deep", "minus"] {
                let end = colours(end)[theme];
                for shade in (0..=1000).map(|s| f64::from(s) / 10.0) {
                    let share = shade / 100.0;
                    let y = luminance([0, 1, 2].map(|i| share * end[i] + (1.0 - share) * pale[i]));
                    let is_black = (shade < turn) == (theme == 0);
                    let contrast = if is_black { (y + 0.05) / 0.05 } else { 1.05 / (y + 0.05) };
                    assert!(contrast >= 4.5, "theme {theme}, shade {shade}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn shades_go_from_the_least_to_the_most_or_two_ways_from_zero() {
        let map = |values: &[Option<f64>]| HeatMap {
            name: "m".to_owned(),
            title: "title".to_owned(),
            x_title: "system".to_owned(),
            y_title: "treebank".to_owned(),
            x: values.iter().enumerate().map(|(i, _)| format!("x{i}")).collect(),
            y: vec!["en".to_owned()],
            unit: "LAS".to_owned(),
            values: vec![values.to_vec()],
        };
        let json = |values: &[Option<f64>]| serde_json::to_value(view(&map(values), "title")).unwrap();
        let shades = |values: &[Option<f64>]| -> Vec<(Option<f64>, bool)> {
            let view = json(values);
            let cells = view["lines"][0][1].as_array().unwrap().iter();
            cells.map(|cell| (cell["shade"].as_f64(), cell["is_negative"].as_bool().unwrap())).collect()
        };
        let plain = shades(&[Some(50.0), Some(70.0), None, Some(90.0)]);
        assert_eq!(plain, [(Some(0.0), false), (Some(50.0), false), (None, false), (Some(100.0), false)]);
        assert_eq!(shades(&[Some(-4.0), Some(1.0)]), [(Some(100.0), true), (Some(25.0), false)]);
        assert_eq!(shades(&[Some(3.0), Some(3.0)]), [(Some(0.0), false), (Some(0.0), false)]);
        assert_eq!(json(&[Some(-4.0), Some(1.5)])["scale"], serde_json::json!(["-4.00", "4.00"]));
        assert_eq!(json(&[Some(1.5)])["lines"][0][1][0]["facts"], "en\nsystem: x0\nLAS: 1.50");
        assert_eq!(json(&[None])["lines"][0][1][0]["text"], NOTHING);
    }
}
