//! Options: the command line, specifications of experiments and the library make the same of the same options.

use std::fs;
use std::path::Path;

use treebeam::learn::{TrainOptions, TrainingData, start};
use treebeam::options::{GivenOptions, Options, ParserKind};
use treebeam::system::SystemKind;
use treebeam::treebank::Treebank;
use treebeam_lab::experiment::{Overrides, Plan, Spec};

use crate::common::{self, generated, write};

const TRAIN: &str = "train --train train.conllu --model model --iterations 1 --replicas 1 --seed 1";

fn treebeam(folder: &Path, line: &str) -> std::process::Output {
    common::treebeam(folder, line).output().unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The options of the one cell of a specification whose row says `options`.
fn specified(options: &str) -> treebeam::error::Result<TrainOptions> {
    let text = format!(
        "name = \"one\"\ntitle = \"One\"\n[profiles.quick]\ntreebanks = [\"generated:1,20,projective\"]\nseeds = [1]\n\
         [[row]]\nname = \"row\"\noptions = {{ {options} }}\n"
    );
    let spec = Spec::parse(&text, Path::new("one.toml"))?;
    let plan = Plan::new(&spec, "quick", &Overrides::default(), None)?;
    Ok(plan.cells[0].options.transitions().cloned().expect("a transition system"))
}

/// For every system and each kind of training that it has: the options that are run, and the models, byte for byte.
#[test]
fn command_line_and_specifications_train_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(51, 8));
    let treebank = Treebank::read(&at.join("train.conllu"), None).unwrap();
    for &system in SystemKind::all() {
        for training in ["greedy", "global", "l2s"] {
            if training == "l2s" && !system.greedy_oracle().explores() {
                continue;
            }
            let output = treebeam(at, &format!("{TRAIN} --system {system} --training {training}"));
            assert!(output.status.success(), "{system}, {training}: {}", stderr(&output));
            let model = fs::read(at.join("model")).unwrap();
            let row = format!("system = \"{system}\", training = \"{training}\", iterations = 1, replicas = 1");
            let options = specified(&row).unwrap();
            let data = TrainingData::new(&options, &treebank, None).unwrap();
            let mut run = start(&options, &data, 1).unwrap();
            run.iterate(&mut |_| {}).unwrap();
            run.write(&at.join("again")).unwrap();
            assert!(fs::read(at.join("again")).unwrap() == model, "{system}, {training}");
        }
    }
}

/// With nothing but its name, each parser has options that make sense together, the same ones by each way.
#[test]
fn every_parser_can_be_named_alone() {
    let folder = tempfile::tempdir().unwrap();
    for &parser in ParserKind::all() {
        let printed =
            treebeam(folder.path(), &format!("train --train none --print-options --system {}", parser.name()));
        assert!(printed.status.success(), "{}", stderr(&printed));
        let printed: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        let given = GivenOptions { system: Some(parser), ..GivenOptions::default() };
        let resolved = given.resolve().unwrap();
        assert_eq!(serde_json::to_value(&resolved).unwrap(), printed, "{}", parser.name());
        assert!(given.remarks(&resolved).is_empty());
        if let Options::Transitions(options) = resolved {
            assert_eq!(specified(&format!("system = \"{}\"", parser.name())).unwrap(), options);
        }
    }
}

/// One message for the command line and for specifications, with the range.
#[test]
fn numbers_out_of_range_are_refused_with_their_range() {
    let folder = tempfile::tempdir().unwrap();
    for (name, number, range) in [
        ("beam", "0", "a whole number from 1 to 4,096; found 0"),
        ("beam", "-1", "a whole number from 1 to 4,096; found -1"),
        ("beam", "9999999999", "a whole number from 1 to 4,096; found 9999999999"),
        ("iterations", "0", "a whole number from 1 to 1,000,000 or `plateau`; found 0"),
        ("replicas", "0", "a whole number from 1 to 1,000; found 0"),
        ("batch", "0", "a whole number from 1 to 1,048,576; found 0"),
        ("explore-from", "-1", "a whole number from 0 to 1,000,000; found -1"),
        ("average-from", "-1", "a whole number from 0 to 1,000,000; found -1"),
        ("min-count", "256", "a whole number from 1 to 255; found 256"),
        ("hidden", "4097", "a whole number from 1 to 4,096; found 4097"),
        ("min-gradient", "1.5", "a number from 0 to 1; found 1.5"),
        ("explore-prob", "1.5", "a number from 0 to 1; found 1.5"),
        ("explore-prob", "nan", "a number from 0 to 1; found no finite number"),
        ("dropout", "1.0", "a number from 0 to below 1; found 1.0"),
        ("rate", "inf", "a number above 0 and at most 1000000; found no finite number"),
        ("alpha", "1.0", "a number above 0 and below 1; found 1.0"),
        ("reference-share", "-0.1", "a number from 0 to 1; found -0.1"),
        ("aggressiveness", "0.0", "a number above 0 and at most 1000; found 0.0"),
    ] {
        let expected = format!("--{name} must be {range}");
        let output = treebeam(folder.path(), &format!("train --train none --print-options --{name} {number}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(&expected), "{name}: {}", stderr(&output));
        let message = specified(&format!("{name} = {number}")).unwrap_err().to_string();
        assert!(message.contains(&expected), "{name}: {message}");
    }
}

#[test]
fn options_without_effect_are_remarked_on() {
    let folder = tempfile::tempdir().unwrap();
    for (options, expected) in [
        ("--training greedy --beam 8", "note: --beam has no effect: only --training global trains in a beam"),
        ("--training greedy --update early", "note: --update has no effect"),
        ("--training greedy --oracle static --explore-from 2", "note: --explore-from has no effect"),
        ("--explore-prob 0.5", "note: --explore-prob has no effect"),
        ("--lift path", "note: --lift has no effect"),
        ("--training greedy --learner ftrl --average-from 2", "note: --average-from has no effect"),
        ("--training l2s --preset aggrevate --alpha 0.1", "note: --alpha has no effect"),
        ("--training l2s --reference-share 0.1", "note: --reference-share has no effect"),
        ("--system mst --learner perceptron --aggressiveness 2", "note: --aggressiveness has no effect"),
    ] {
        let output = treebeam(folder.path(), &format!("train --train none --print-options {options}"));
        assert!(output.status.success() && stderr(&output).contains(expected), "{options}: {}", stderr(&output));
    }
    for options in [
        "--training greedy --beam 1",
        "--training greedy --explore-from 2 --explore-prob 0.5",
        "--update early --beam 2",
        "--nonprojective lift --lift path",
        "--training l2s --preset lols --alpha 0.1 --roll-in mixture --reference-share 0.2",
        "--system mst --aggressiveness 2",
    ] {
        let output = treebeam(folder.path(), &format!("train --train none --print-options {options}"));
        assert!(output.status.success() && stderr(&output).is_empty(), "{options}: {}", stderr(&output));
    }
}

/// Greedy perceptrons of arc-standard learn the canonical one of several correct transitions; of others the best-scored one.
#[test]
fn the_choice_among_correct_transitions_is_the_systems_own() {
    use treebeam::learn::Correct;
    let of = |options: &str| specified(&format!("training = \"greedy\", {options}")).unwrap().correct;
    assert_eq!(of("system = \"arc-standard\""), Some(Correct::Canonical));
    assert_eq!(of("system = \"arc-standard\", correct = \"best-scored\""), None, "what the objective does of itself");
    assert_eq!(of("system = \"arc-standard\", oracle = \"static\""), None, "there is one");
    assert_eq!(of("system = \"arc-standard\", objective = \"hinge\", learner = \"adagrad\""), None);
    assert_eq!(of("system = \"arc-hybrid\""), None);
}
