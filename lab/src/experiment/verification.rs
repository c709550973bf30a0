//! Verification of records: which cells are run again, and where figures differ.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Fields with times: no two runs agree on them.
pub const TIMES: [&str; 3] = ["seconds", "wall_s", "cpu_s"];

/// The difference of two numbers, relative to them, that writing and reading them can make.
const ROUNDING: f64 = 1e-12;

/// Those of `keys` that a sample of this share of them holds, at least one: those whose checksums with `seed` are smallest. So a
/// larger share holds all of a smaller one, and who draws it has no choice.
pub fn sample<'k>(keys: &[&'k str], share: f64, seed: u64) -> HashSet<&'k str> {
    let mut drawn: Vec<([u8; 32], &str)> =
        keys.iter().map(|key| (Sha256::digest(format!("{seed} {key}")).into(), *key)).collect();
    drawn.sort();
    drawn.dedup();
    // A tenth of thirty is three, whatever its binary fraction says.
    let n = (share * drawn.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    drawn.into_iter().take(n).map(|(_, key)| key).collect()
}

/// Difference of two records of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The figure, as a path of fields: `decodings.0.test.with_punctuation.heads`.
    pub place: String,
    /// Figure of the record.
    pub recorded: String,
    /// Figure that the cell gives now.
    pub again: String,
}

/// Differences of the figures of two records of a cell, times left aside, and what only one of them has: later versions record
/// more.
pub fn disagreements(recorded: &Value, again: &Value) -> Vec<Disagreement> {
    let mut found = Vec::new();
    compare(String::new(), recorded, again, false, &mut found);
    found
}

/// Differences of what a record says of itself and what its cell says of it.
pub fn misdescriptions(record: &Value, cell: &Value) -> Vec<Disagreement> {
    let mut found = Vec::new();
    for (name, of_cell) in cell.as_object().into_iter().flatten() {
        compare(name.clone(), &record[name], of_cell, true, &mut found);
    }
    found
}

/// With `all` also what only one of them has, and times.
fn compare(place: String, recorded: &Value, again: &Value, all: bool, found: &mut Vec<Disagreement>) {
    let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match (recorded, again) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            let is_compared = |name: &&&String| {
                all || !TIMES.contains(&name.as_str()) && a.contains_key(**name) && b.contains_key(**name)
            };
            for name in names.iter().filter(is_compared) {
                compare(below(name), &recorded[*name], &again[*name], all, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() && !all => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(below(&i.to_string()), a, b, all, found);
            }
        }
        (a, b) if are_same(a, b) => {}
        (a, b) => found.push(Disagreement { place, recorded: shown(a), again: shown(b) }),
    }
}

fn are_same(a: &Value, b: &Value) -> bool {
    let are_close = |(a, b): (f64, f64)| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    a == b || (a.is_f64() || b.is_f64()) && a.as_f64().zip(b.as_f64()).is_some_and(are_close)
}

/// A value, in short.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("{} of them", items.len()),
        Value::Object(_) => "something".to_owned(),
        Value::String(text) if text.len() > 40 => format!("{:?} and so on", text.chars().take(12).collect::<String>()),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn records_that_say_something_else_of_themselves_are_reported() {
        let cell =
            json!({"row": "a", "options": {"seed": 1, "beam": 8}, "after": null, "train": {"sha256": "0".repeat(64)}});
        let same =
            json!({"row": "a", "options": {"seed": 1, "beam": 8}, "train": {"sha256": "0".repeat(64)}, "more": 1});
        assert_eq!(misdescriptions(&same, &cell), []);
        for (place, value) in [
            ("/row", json!("b")),
            ("/options/seed", json!(2)),
            ("/options", json!({"seed": 1})),
            ("/options", json!({"seed": 1, "beam": 8, "margin": 2})),
            ("/train/sha256", json!("1".repeat(64))),
        ] {
            let mut other = same.clone();
            *other.pointer_mut(place).unwrap() = value;
            assert_eq!(misdescriptions(&other, &cell).len(), 1, "{place}");
        }
        let after = json!({"after": {"seed": 1}});
        assert_eq!(misdescriptions(&same, &after)[0].place, "after");
    }

    #[test]
    fn times_and_what_one_lacks_are_no_disagreement() {
        let recorded = json!({"epochs": [{"updates": 3, "seconds": 0.5}], "wall_s": 1.0, "rate": 0.1});
        let again =
            json!({"epochs": [{"updates": 3, "seconds": 0.7, "more": 1}], "wall_s": 2.0, "rate": 0.10000000000000002});
        assert_eq!(disagreements(&recorded, &again), []);
        let shown = |recorded: Value, again: Value| {
            let found = disagreements(&recorded, &again);
            found.iter().map(|d| format!("{}: {} {}", d.place, d.recorded, d.again)).collect::<Vec<_>>()
        };
        assert_eq!(shown(json!({"a": [{"b": 3}]}), json!({"a": [{"b": 4}]})), ["a.0.b: 3 4"]);
        assert_eq!(shown(json!({"a": [1, 2]}), json!({"a": [1]})), ["a: 2 of them 1 of them"]);
        assert_eq!(shown(json!({"a": 0.1}), json!({"a": 0.1001})), ["a: 0.1 0.1001"]);
        assert_eq!(shown(json!({"a": null}), json!({"a": 1})), ["a: null 1"]);
    }
}
