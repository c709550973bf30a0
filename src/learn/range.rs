//! The ranges of all options that are numbers, in one place.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// The numbers that an option may be.
#[derive(Debug, Clone, Copy)]
enum Range {
    /// Whole numbers from the first to the second.
    Whole(i64, i64),
    /// Numbers from the first to the second.
    From(f64, f64),
    /// Numbers from the first to below the second.
    Below(f64, f64),
    /// Numbers above the first, up to the second.
    Above(f64, f64),
    /// Numbers between the first and the second, neither of them included.
    Between(f64, f64),
}

/// By the name of the option. The seed is not among them: it is any number of 64 bits.
const RANGES: [(&str, Range); 26] = [
    ("rate", Range::Above(0.0, 1e6)),
    ("l2", Range::From(0.0, 1e6)),
    ("loss-weight", Range::Above(0.0, 1000.0)),
    ("dropout", Range::Below(0.0, 1.0)),
    ("min-count", Range::Whole(1, 255)),
    ("min-gradient", Range::From(0.0, 1.0)),
    ("hidden", Range::Whole(1, 4096)),
    ("word-units", Range::Whole(1, 4096)),
    ("lstm-layers", Range::Whole(1, 8)),
    ("lstm-units", Range::Whole(1, 4096)),
    ("arc-units", Range::Whole(1, 4096)),
    ("label-units", Range::Whole(1, 4096)),
    ("alpha", Range::Between(0.0, 1.0)),
    ("reference-share", Range::From(0.0, 1.0)),
    ("explore-from", Range::Whole(0, 1_000_000)),
    ("explore-prob", Range::From(0.0, 1.0)),
    ("explore-power", Range::From(0.0, 100.0)),
    ("pretrain", Range::Whole(0, 1_000_000)),
    ("beam", Range::Whole(1, 1 << 20)),
    ("iterations", Range::Whole(1, 1_000_000)),
    ("patience", Range::Whole(1, 1_000_000)),
    ("max-iterations", Range::Whole(1, 1_000_000)),
    ("average-from", Range::Whole(0, 1_000_000)),
    ("replicas", Range::Whole(1, 1000)),
    ("batch", Range::Whole(1, 1 << 20)),
    ("aggressiveness", Range::Above(0.0, 1000.0)),
];

impl Range {
    fn holds(self, value: &Value) -> bool {
        let number = || value.as_f64();
        match self {
            Range::Whole(least, most) => value.as_i64().is_some_and(|n| (least..=most).contains(&n)),
            Range::From(least, most) => number().is_some_and(|x| x >= least && x <= most),
            Range::Below(least, most) => number().is_some_and(|x| x >= least && x < most),
            Range::Above(least, most) => number().is_some_and(|x| x > least && x <= most),
            Range::Between(least, most) => number().is_some_and(|x| x > least && x < most),
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Range::Whole(least, most) => write!(f, "a whole number from {} to {}", grouped(*least), grouped(*most)),
            Range::From(least, most) => write!(f, "a number from {least} to {most}"),
            Range::Below(least, most) => write!(f, "a number from {least} to below {most}"),
            Range::Above(least, most) => write!(f, "a number above {least} and at most {most}"),
            Range::Between(least, most) => write!(f, "a number above {least} and below {most}"),
        }
    }
}

/// A whole number of at least 0 with commas between thousands.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Whether every number among `options`, a struct whose fields bear the options' names, is in its range.
///
/// # Errors
/// If one is not, with the range.
pub fn check(options: &impl Serialize) -> Result<()> {
    let options = serde_json::to_value(options).map_err(|e| Error::Usage(e.to_string()))?;
    for (name, range) in RANGES {
        // An option may be a word as well, such as iterations to the plateau.
        let found = options.get(name).filter(|value| !value.is_string() && !range.holds(value));
        if let Some(found) = found {
            // What is no finite number stands as null in JSON.
            let found = if found.is_null() { "no finite number".to_owned() } else { found.to_string() };
            return Err(Error::Usage(format!("--{name} must be {range}; found {found}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_out_of_their_range_are_named_with_it() {
        for (options, expected) in [
            (json!({"beam": 0}), "--beam must be a whole number from 1 to 1,048,576; found 0"),
            (json!({"beam": -1}), "--beam must be a whole number from 1 to 1,048,576; found -1"),
            (json!({"min-count": 256}), "--min-count must be a whole number from 1 to 255; found 256"),
            (json!({"explore-prob": 1.5}), "--explore-prob must be a number from 0 to 1; found 1.5"),
            (json!({"dropout": 1.0}), "--dropout must be a number from 0 to below 1; found 1.0"),
            (json!({"rate": f64::NAN}), "--rate must be a number above 0 and at most 1000000; found no finite number"),
            (json!({"alpha": 0.0}), "--alpha must be a number above 0 and below 1; found 0.0"),
        ] {
            assert_eq!(check(&options).unwrap_err().to_string(), expected);
        }
        let good = json!({"beam": 1, "rate": 1e6, "dropout": 0.0, "explore-prob": 1, "explore-from": 0, "other": -1});
        check(&good).unwrap();
    }
}
