//! A model in plain words: what it is, how it was trained, on what, how good it is, and how to train it again.

use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;

use crate::shell::quoted;
use crate::templates::filled;
use treebeam::features::{ColumnName, WordShape};
use treebeam::linear::Learner;
use treebeam::model::{Provenance, ScoreGaps};
use treebeam::options::{GivenOptions, Options};
use treebeam::system::OracleKind;
use treebeam::tree::Roots;
use treebeam::tree::lift::Scheme;

/// Lines of the card: a name and what there is to say, perhaps in several lines.
pub type Line = (&'static str, String);

/// The model's file and its size.
pub fn file(path: &Path) -> Line {
    let size = std::fs::metadata(path).map_or(String::new(), |metadata| match metadata.len() {
        bytes if bytes < 1 << 20 => format!(", {:.0} KiB", (bytes as f64 / 1024.0).ceil()),
        bytes => format!(", {:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    });
    ("model", format!("{}{size}", path.display()))
}

/// The parser, and what its trees may look like.
pub fn parser(name: &str, kind: &str, roots: Roots, lift: Option<Scheme>) -> Line {
    let roots = match roots {
        Roots::Single => "one word on the root",
        Roots::Several => "one word or several on the root",
    };
    let lift = if lift.is_some() { "; lifted arcs are lowered again after parsing" } else { "" };
    ("system", format!("{name}, {kind}; {roots}{lift}"))
}

/// Name of a column, for people.
pub fn name(column: ColumnName) -> &'static str {
    match column {
        ColumnName::Form => "forms (FORM)",
        ColumnName::Lemma => "lemmas (LEMMA)",
        ColumnName::Upos => "universal parts of speech (UPOS)",
        ColumnName::Xpos => "the language's own parts of speech (XPOS)",
        ColumnName::Feats => "morphological features (FEATS)",
    }
}

/// The columns that are read; a tagger reads no tags.
pub fn columns(words: ColumnName, shape: WordShape, tags: Option<ColumnName>) -> Line {
    let shape = match shape {
        WordShape::AsWritten => "as written",
        WordShape::Normalised => "in lower case, digits made equal",
    };
    let tags = tags.map_or(String::new(), |tags| format!("; tags: {}", name(tags)));
    ("reads", format!("words: {}, {shape}{tags}", name(words)))
}

/// The margins that keep the trees of most sentences.
pub fn margins(gaps: &ScoreGaps) -> Line {
    let at = |percentage: f64| gaps.quantile(percentage).unwrap_or_default();
    let [a, b, c] = [99.0, 99.5, 99.9].map(at);
    let ScoreGaps { width, sentences, .. } = gaps;
    (
        "margins",
        format!(
            "width {width}: 99 % of {sentences} sentences have score gaps up to {a:.1}, 99.5 % {b:.1}, 99.9 % {c:.1}"
        ),
    )
}

/// The parts of what [`ORIGIN`] says.
const PARTS: [&str; 7] = ["training", "passes", "data", "began with", "vectors", "score", "pruned"];

/// Template of lines on the training, its data and scores.
const ORIGIN: &str = include_str!("origin.jinja");

/// Lines on the model's training, data, scores and licence, and the command that trains it again.
///
/// # Errors
/// None that a model could cause.
pub fn origin(provenance: &Provenance, training: &Value) -> Result<Vec<Line>, minijinja::Error> {
    let mut lines: Vec<Line> = provenance.notes.about.iter().map(|about| ("about", about.clone())).collect();
    for part in PARTS {
        let text = part_of_origin(part, provenance, training)?;
        lines.extend((!text.is_empty()).then_some((part, text)));
    }
    let licence = provenance.notes.licence.clone();
    lines.push(("licence", licence.unwrap_or_else(|| "not stated; `train --licence` states one".to_owned())));
    lines.push(("made by", format!("treebeam {}; random numbers: {}", provenance.version, provenance.generator)));
    lines.push(("again", again(provenance, training)));
    Ok(lines)
}

fn part_of_origin(part: &str, provenance: &Provenance, training: &Value) -> Result<String, minijinja::Error> {
    let oracle = training.get("oracle").and_then(|oracle| OracleKind::deserialize(oracle).ok());
    let given =
        training.as_object().cloned().map(|named| GivenOptions::of_names(named).and_then(|given| given.resolve()));
    let search = match given {
        Some(Ok(Options::Transitions(options))) => Some(options.search().to_string()),
        _ => None,
    };
    let view = serde_json::json!({
        "part": part,
        "p": provenance,
        "t": training,
        "explores": oracle.is_some_and(OracleKind::explores),
        "search": search,
        "tags": training.get("system").is_some_and(|system| system == "tagger"),
        "scores": provenance.dev_scores.map(|counts| (counts.las(), counts.uas())),
    });
    Ok(filled(ORIGIN, view)?.trim().to_owned())
}

/// The command that trains the model again: options that have their defaults are left out.
fn again(provenance: &Provenance, training: &Value) -> String {
    let mut command = vec!["treebeam train --train TRAIN".to_owned()];
    command.extend(provenance.dev_sha256.is_some().then(|| "--dev DEV".to_owned()));
    command.push("--model MODEL".to_owned());
    match needed(training) {
        Some(options) => command.extend(options.iter().map(|(name, value)| flag(name, value))),
        None => return format!("by a version whose options are these: {training}"),
    }
    let notes = [("licence", &provenance.notes.licence), ("about", &provenance.notes.about)];
    command.extend(notes.iter().filter_map(|(name, note)| Some(format!("--{name} {}", quoted(note.as_ref()?)))));
    command.join(" ")
}

/// The options without which others would be run.
fn needed(training: &Value) -> Option<Vec<(String, Value)>> {
    let mut given = training.as_object()?.clone();
    given.retain(|_, value| !value.is_null());
    let resolved = |options: &serde_json::Map<String, Value>| -> Option<Options> {
        GivenOptions::of_names(options.clone()).ok()?.resolve().ok()
    };
    // Headers leave out the perceptron, which is not every scorer's default.
    if matches!(resolved(&given)?, Options::Transitions(_)) {
        given.entry("learner").or_insert_with(|| Learner::Perceptron.name().into());
    }
    let whole = resolved(&given)?;
    for name in given.keys().cloned().collect::<Vec<_>>() {
        let mut fewer = given.clone();
        fewer.remove(&name);
        if resolved(&fewer).as_ref() == Some(&whole) {
            given = fewer;
        }
    }
    // The most important options come first.
    let order = ["system", "scorer", "features", "training", "oracle", "correct", "update", "search", "beam"];
    let mut options: Vec<(String, Value)> = given.into_iter().collect();
    options.sort_by_key(|(name, _)| order.iter().position(|known| known == name).unwrap_or(order.len()));
    Some(options)
}

fn flag(name: &str, value: &Value) -> String {
    match value {
        Value::Bool(true) if name == "run-reference" => format!("--{name}"),
        Value::Bool(_) => format!("--{name}={value}"),
        Value::String(text) => format!("--{name} {}", quoted(text)),
        other => format!("--{name} {other}"),
    }
}

/// The card as it is printed: names in a column, what is long broken between words.
pub fn card(lines: &[Line]) -> String {
    let mut card = String::new();
    for (name, value) in lines {
        for (place, line) in value.lines().enumerate() {
            card += &format!("{:<11}{line}\n", if place == 0 { name } else { "" });
        }
    }
    card
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(given: &str) -> Value {
        match GivenOptions::of_names(serde_json::from_str(given).unwrap()).unwrap().resolve().unwrap() {
            Options::Transitions(options) => serde_json::to_value(options).unwrap(),
            Options::Graph(options) => serde_json::to_value(options).unwrap(),
        }
    }

    fn command(given: &str) -> String {
        again(&Provenance::default(), &options(given))
            .replace("treebeam train --train TRAIN --model MODEL", "")
            .trim()
            .to_owned()
    }

    #[test]
    fn commands_name_what_is_not_a_default() {
        assert_eq!(command("{}"), "");
        assert_eq!(command(r#"{"beam": 8, "training": "global"}"#), "");
        assert_eq!(command(r#"{"beam": 16, "system": "swap"}"#), "--system swap --beam 16");
        assert_eq!(command(r#"{"training": "greedy", "oracle": "static"}"#), "--training greedy --oracle static");
        assert_eq!(command(r#"{"system": "mst", "iterations": 3}"#), "--system mst --iterations 3");
        assert_eq!(command(r#"{"iterations": "plateau", "patience": 2}"#), "--iterations plateau --patience 2");
        assert_eq!(command(r#"{"system": "arc-standard", "merge": true}"#), "--system arc-standard --merge=true");
    }

    /// The command names all that is needed: the same options come of it.
    #[test]
    fn commands_give_the_options_back() {
        for given in [
            "{}",
            r#"{"training": "l2s", "preset": "aggrevate", "learner": "adagrad"}"#,
            r#"{"scorer": "feed-forward", "hidden": 32}"#,
            r#"{"objective": "crf", "rate": 0.25}"#,
            r#"{"system": "eisner-2", "learner": "perceptron"}"#,
            r#"{"nonprojective": "lift", "lift": "path", "roots": "several"}"#,
        ] {
            let training = options(given);
            let needed: serde_json::Map<String, Value> = needed(&training).unwrap().into_iter().collect();
            assert_eq!(options(&Value::Object(needed).to_string()), training, "{given}");
        }
    }

    #[test]
    fn training_is_described_in_words() {
        let how = |given: &str| part_of_origin("training", &Provenance::default(), &options(given)).unwrap();
        assert_eq!(
            how("{}"),
            "global, whole derivations in a beam of 8; max-violation updates; every correct action counts as gold (dynamic oracle); \
             averaged perceptron"
        );
        for system in ["arc-eager", "arc-eager-nonmonotonic", "covington-nonmonotonic"] {
            let greedy = how(&format!(r#"{{"training": "greedy", "system": "{system}"}}"#));
            assert!(greedy.contains("wrong predictions followed with probability 0.9 from iteration 2"), "{greedy}");
        }
        let search = how(r#"{"training": "l2s", "preset": "aggrevate"}"#);
        assert!(search.starts_with("learning to search, roll-in "), "{search}");
        assert!(search.contains("roll-out reference") && !search.contains("default"), "{search}");
        let text = how(r#"{"system": "mst"}"#);
        assert_eq!(text, "whole trees by exact search; learner mira");
    }
}
