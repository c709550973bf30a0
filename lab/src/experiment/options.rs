//! The options of a training, whatever the kind of its parser, as experiments need them.

use serde_json::Value;
use toml::Table;

use treebeam::error::{Error, Result};
use treebeam::options::{GivenOptions, ParserKind};
use treebeam::training::Iterations;

/// Options of `layers`, the later before the earlier. A specification says options for all of its parsers: a
/// graph-based parser passes over those of transition systems, and the other way round, unless they are said in the same
/// breath as the parser's name.
///
/// # Errors
/// If a value does not fit its option, options contradict each other, or a layer that names a parser has options that this one
/// does not have.
pub fn of_layers<'t>(layers: impl IntoIterator<Item = &'t Table>) -> Result<GivenOptions> {
    let mut merged = GivenOptions::default();
    for layer in layers {
        let mut layer = given(layer)?;
        layer.check_ranges()?;
        match layer.system {
            Some(ParserKind::Graph(_)) => drop(layer.resolve()?),
            Some(ParserKind::Transitions(_)) => {
                let mut foreign = layer.clone();
                foreign.retain(|known| !known.of_transitions || known.name() == "system");
                foreign.resolve()?;
            }
            None => {}
        }
        // A number of iterations replaces a plateau with all that belongs to it.
        if let Some(Iterations::Number(_)) = layer.iterations {
            (merged.patience, merged.max_iterations) = (None, None);
        }
        layer.complete(&merged);
        merged = layer;
    }
    match merged.system {
        Some(ParserKind::Graph(kind)) => {
            merged.retain(|known| known.is_of(kind));
            merged.learner = merged.learner.filter(|learner| kind.learners().contains(learner));
        }
        _ => merged.retain(|known| known.of_transitions),
    }
    Ok(merged)
}

/// The options of a table.
///
/// # Errors
/// If there is no option of a name, or a value does not fit its option.
pub fn given(table: &Table) -> Result<GivenOptions> {
    match serde_json::to_value(table) {
        Ok(Value::Object(named)) => GivenOptions::of_names(named),
        Ok(_) | Err(_) => Err(Error::Usage("expected names of options with their values".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam::graph::GraphOptions;
    use treebeam::learn::TrainOptions;
    use treebeam::options::Options;

    fn of(layers: &[&str]) -> Result<Options> {
        let layers: Vec<Table> = layers.iter().map(|text| text.parse().unwrap()).collect();
        of_layers(&layers)?.resolve()
    }

    #[test]
    fn options_of_either_kind_come_back_from_json_as_they_were() {
        for text in ["system = \"swap\"\nbeam = 3", "system = \"mst\"\naggressiveness = 0.5\niterations = \"plateau\""]
        {
            let options = of(&[text]).unwrap();
            let json = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options);
        }
        let transitions = serde_json::to_string(&Options::Transitions(TrainOptions::default())).unwrap();
        assert_eq!(
            transitions,
            serde_json::to_string(&TrainOptions::default()).unwrap(),
            "keys of cells stay as they were"
        );
    }

    #[test]
    fn what_is_said_for_all_parsers_reaches_those_that_know_it() {
        let all = "training = \"greedy\"\nlearner = \"adagrad\"\niterations = 4\naggressiveness = 0.1\nseed = 3\n";
        let graph = of(&[all, "system = \"eisner\"", "batch = 1"]).unwrap();
        let expected = GraphOptions { iterations: 4.into(), aggressiveness: 0.1, seed: 3, ..GraphOptions::default() };
        assert_eq!(graph, Options::Graph(expected));
        let fixed = of(&["iterations = \"plateau\"\npatience = 2\nmax-iterations = 9", "iterations = 3"]).unwrap();
        assert_eq!(fixed.stopping().most, 3);
        let transitions = of(&[all, "system = \"swap\""]).unwrap();
        assert_eq!((transitions.seed(), transitions.system()), (3, "swap"));
        for (text, expected) in [
            ("system = \"eisner\"\nbeam = 4", "--beam is for transition systems"),
            ("system = \"eisner\"\nlearner = \"adagrad\"", "eisner is not trained by adagrad"),
            ("beams = 4", "unknown field `beams`"),
            ("aggressiveness = 0.0", "--aggressiveness must be"),
            ("system = \"swap\"\naggressiveness = 0.5", "--aggressiveness is for graph-based parsers"),
        ] {
            let message = of(&[all, text]).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
