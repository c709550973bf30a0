//! Beams that are watched: the record against the decoder, and `treebeam trace` as its users run it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use treebeam::decode::{Margin, Parser};
use treebeam::diagnosis::{Diagnosis, Verdict, diagnose};
use treebeam::features::FeatureSet;
use treebeam::learn::{Keep, Nonprojective, TrainOptions, Training};
use treebeam::scorers::AnyModel;
use treebeam::system::{OracleKind, SystemKind};
use treebeam::treebank::Sentence;
use treebeam_lab::trace::data::{Beam, BeamItem, Fate, Trace};
use treebeam_lab::trace::{TraceOptions, page, trace};

use crate::common::{generated, generated_non_projective, train, treebank, treebeam, write};

const WIDTHS: [usize; 3] = [1, 2, 8];

fn trained(system: SystemKind) -> AnyModel {
    let options = TrainOptions {
        iterations: 2.into(),
        beam: 4,
        replicas: 1,
        keep: Keep::Last,
        nonprojective: Nonprojective::MinCost,
        oracle: system.beam_oracle(),
        ..TrainOptions::of(system, Training::Global, Default::default())
    };
    train(&options, &treebank(generated(51, 40))).into()
}

fn recorded(model: &AnyModel, sentence: &Sentence, with_gold: bool) -> Trace {
    let options = TraceOptions { widths: WIDTHS.to_vec(), with_gold, ..TraceOptions::default() };
    trace(model, sentence, 1, &options).unwrap()
}

/// Over all systems, with and without gold trees: the trees and the scores of all items that the decoder puts out.
#[test]
fn who_looks_on_changes_nothing() {
    let mut sentences = generated_non_projective(52, 40);
    sentences.retain(|sentence| sentence.n_words() <= 8);
    sentences.truncate(3);
    for &system in SystemKind::all() {
        let model = trained(system);
        for sentence in &sentences {
            let [with, without] = [true, false].map(|with_gold| recorded(&model, sentence, with_gold));
            for (beam, blind) in with.beams.iter().zip(&without.beams) {
                let parsed =
                    Parser::new(&model, beam.width, 1).unwrap().parse(std::slice::from_ref(sentence), beam.width);
                let parsed = &parsed[0];
                assert_eq!(
                    beam.output.tree.heads,
                    parsed[0].tree.words().map(|w| parsed[0].tree.head(w)).collect::<Vec<_>>()
                );
                assert_eq!(beam.output.tree.labels, model.labels().names_of(&parsed[0].tree), "{system}");
                let scores =
                    |beam: &Beam| beam.steps.last().unwrap().items.iter().map(|item| item.score).collect::<Vec<_>>();
                assert_eq!(scores(beam), parsed.iter().map(|p| p.score).collect::<Vec<_>>(), "{system} {}", beam.width);
                assert_eq!((scores(blind), &blind.output.tree), (scores(beam), &beam.output.tree), "{system}");
                assert!(blind.gold.is_none() && beam.gold.is_some());
                check(&with, beam, sentence.n_words());
            }
        }
    }
}

/// Consistency of a beam's record.
fn check(trace: &Trace, beam: &Beam, n_words: usize) {
    for (number, step) in beam.steps.iter().enumerate() {
        assert!(!step.items.is_empty() && step.items.len() <= beam.width);
        assert!(step.cells <= step.places);
        for (item, rank) in step.items.iter().zip(1..) {
            assert_eq!(item.rank, Some(rank));
            check_item(trace, beam, item);
            let Some(before) = number.checked_sub(1).map(|before| &beam.steps[before].items) else {
                assert_eq!((item.score, item.parent, item.action), (0, None, None));
                continue;
            };
            // The parent lists this item as the successor that was kept at its rank, and templates explain the difference.
            let parent = &before[item.parent.unwrap() - 1];
            let kept = parent.successors.iter().find(|s| s.fate == Fate::Kept { rank }).unwrap();
            assert_eq!((kept.action, kept.point, kept.score), (item.action, item.point, item.score));
            assert_eq!(item.weights.iter().map(|&w| i64::from(w)).sum::<i64>(), item.score - parent.score);
        }
        let successors = || step.items.iter().flat_map(|item| &item.successors);
        let listed = successors().count() + step.items.iter().map(|item| item.more).sum::<usize>();
        assert_eq!(listed, step.successors);
        let next = beam.steps.get(number + 1).map_or(&[][..], |step| &step.items);
        assert_eq!(successors().filter(|s| matches!(s.fate, Fate::Kept { .. })).count(), next.len());
        for successor in successors() {
            match successor.fate {
                Fate::Kept { rank } => assert_eq!(next[rank - 1].score, successor.score),
                Fate::Twin { rank } => assert!(next[rank - 1].score >= successor.score),
                Fate::Pruned => assert!(next.last().is_some_and(|last| successor.score <= last.score)),
            }
        }
    }
    let gold = beam.gold.as_ref().unwrap();
    assert!(gold.path.iter().all(|item| item.gold));
    gold.path.iter().for_each(|item| check_item(trace, beam, item));
    let last = gold.path.last().unwrap();
    assert!(last.complete && last.score == gold.score && last.arcs.len() <= n_words);
    assert_eq!(gold.margins.len() + 1, gold.path.len());
    for (item, step) in gold.path.iter().zip(&beam.steps) {
        if let Some(rank) = item.rank {
            assert_eq!(step.items[rank - 1].score, item.score);
        }
    }
    match gold.fell_off {
        None => assert!(gold.margins.iter().all(|margin| margin.in_beam)),
        Some(fell) => {
            assert!(beam.steps[fell.step - 1].items.iter().any(|item| item.gold));
            assert!(beam.steps[fell.step..].iter().all(|step| step.items.iter().all(|item| !item.gold)));
            // It scored too little, or it was dropped for a twin.
            let mut last = beam.steps[fell.step - 1].items.iter().flat_map(|item| &item.successors);
            let is_twin = last.any(|s| s.correct && matches!(s.fate, Fate::Twin { .. }));
            assert!(fell.rank > beam.width && fell.gap >= 0 || is_twin, "{fell:?}");
            assert_eq!(gold.margins.iter().position(|margin| !margin.in_beam), Some(fell.step - 1));
        }
    }
}

/// Lists and chains hold the same nodes; actions and templates are those of the model.
fn check_item(trace: &Trace, beam: &Beam, item: &BeamItem) {
    for ((list, name), chain) in trace.lists.iter().enumerate().zip(&item.chains) {
        let mut nodes: Vec<u16> = Vec::new();
        let mut next = *chain;
        while let Some(number) = next {
            let (cell, rest) = beam.chains[number as usize];
            nodes.push(beam.cells[cell as usize].node);
            next = rest;
        }
        if list < trace.stacks {
            nodes.reverse();
        }
        assert_eq!(nodes, item.lists[name], "{name}");
    }
    assert!(item.action.is_none_or(|action| usize::from(action) < trace.actions.len()));
    assert!(item.weights.is_empty() || item.weights.len() == trace.templates.len());
    assert!(item.reads.iter().all(|&value| (value as usize) < trace.values.len()));
}

/// The lists are those of the configurations that the reference goes through.
#[test]
fn lists_are_those_of_the_reference() {
    use treebeam::configuration::PlainView as _;
    use treebeam::system::TransitionSystem;

    fn walk<S: TransitionSystem>(system: &S, model: &AnyModel, trace: &Trace, n_words: usize) {
        for beam in &trace.beams {
            let mut plains: Vec<Vec<S::Plain>> = vec![vec![system.initial((), n_words)]];
            for step in &beam.steps[1..] {
                let before = plains.last().unwrap();
                let after = step.items.iter().map(|item| {
                    let parent = &before[item.parent.unwrap() - 1];
                    let Some(action) = item.action else { return parent.clone() };
                    let action = model.actions.get(action).at(item.point.unwrap_or(0));
                    let plain = system.successor(parent, action, ());
                    let lists: Vec<_> = trace.lists.iter().map(|name| item.lists[name].clone()).collect();
                    assert_eq!(lists, plain.lists(), "{}", system.info().name);
                    let tree = plain.tree();
                    for &(head, dependent, label) in &item.arcs {
                        assert_eq!(
                            (tree.head(dependent), tree.label(dependent)),
                            (head, label),
                            "{}",
                            system.info().name
                        );
                    }
                    let n_arcs = tree.words().filter(|&word| tree.head(word) != treebeam::tree::NO_NODE).count();
                    assert_eq!(item.arcs.len(), n_arcs, "{}", system.info().name);
                    plain
                });
                let after = after.collect();
                plains.push(after);
            }
        }
    }

    for &system in SystemKind::all() {
        let model = trained(system);
        for sentence in &generated_non_projective(54, 2) {
            let trace = recorded(&model, sentence, true);
            treebeam::with_system!(system, model.header.roots, |system| walk(
                &system,
                &model,
                &trace,
                sentence.n_words()
            ));
        }
    }
}

/// Verdicts, sentence by sentence, add up to what the diagnosis of the treebank counts.
#[test]
fn verdicts_are_those_of_the_diagnosis() {
    let model = trained(treebeam_systems::ARC_EAGER);
    let gold = treebank(generated(55, 30));
    let mut sums = WIDTHS.map(|_| Diagnosis::default());
    for sentence in &gold.sentences {
        for (beam, sum) in recorded(&model, sentence, true).beams.iter().zip(&mut sums) {
            let gold = beam.gold.as_ref().unwrap();
            match gold.verdict {
                Verdict::Right => sum.right += 1,
                Verdict::SearchError => sum.search_errors += 1,
                Verdict::ModelError => sum.model_errors += 1,
            }
            sum.not_derivable += u64::from(!gold.derivable);
            assert_eq!(
                gold.verdict == Verdict::SearchError,
                gold.verdict != Verdict::Right && gold.score > gold.output
            );
        }
    }
    for (width, sum) in WIDTHS.into_iter().zip(sums) {
        let of_treebank = diagnose(&model, &gold, width, Margin::None).unwrap().unwrap();
        let counts = |d: &Diagnosis| (d.right, d.search_errors, d.model_errors, d.not_derivable);
        assert_eq!(counts(&sum), counts(&of_treebank), "width {width}");
    }
}

/// Lifted trees: arcs and labels of the beam are lifted ones, those of the output and of the gold tree are plain.
#[test]
fn trees_that_were_lifted() {
    let options = TrainOptions {
        iterations: 2.into(),
        nonprojective: Nonprojective::Lift,
        oracle: OracleKind::Dynamic,
        ..TrainOptions::of(treebeam_systems::ARC_EAGER, Training::Global, Default::default())
    };
    let sentences = generated_non_projective(56, 60);
    let model = train(&options, &treebank(sentences.clone())).into();
    let crossing = sentences.iter().find(|s| {
        let mut labels = treebeam::tree::Labels::default();
        !treebeam::tree::is_projective(&s.tree(treebeam::tree::Roots::Several, &mut labels).unwrap())
    });
    let trace = recorded(&model, crossing.unwrap(), true);
    let gold = trace.sentence.gold.as_ref().unwrap();
    let lifted = &trace.beams[0].gold.as_ref().unwrap().path.last().unwrap().arcs;
    assert!(lifted.iter().any(|&(head, dependent, _)| gold.heads[usize::from(dependent) - 1] != head));
    assert!(gold.labels.iter().all(|label| model.labels().get(label).is_some()));
}

/// A gold label that the model does not know is no other label by accident.
#[test]
fn labels_that_the_model_does_not_know() {
    let model = trained(treebeam_systems::ARC_STANDARD);
    let sentence = &generated(57, 1)[0];
    let columns: Vec<String> = sentence
        .words()
        .map(|word| {
            let head = sentence.head(word).unwrap();
            format!("{word}\t{}\t_\tN\t_\t_\t{head}\tunheard-{word}\t_\t_\n", sentence.form(word))
        })
        .collect();
    let strange = Sentence::new("strange", treebeam::treebank::Format::Conllu, &columns.concat()).unwrap();
    let trace = recorded(&model, &strange, true);
    let gold = trace.beams[0].gold.as_ref().unwrap();
    assert!(!gold.derivable);
    let heads: Vec<u16> = gold.path.last().unwrap().arcs.iter().map(|&(head, ..)| head).collect();
    let expected: Vec<u16> = strange.words().map(|word| strange.head(word).unwrap()).collect();
    assert_eq!(heads, expected, "the arcs are gold, whatever their labels");
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &generated(58, 40));
    write(folder.path(), "test.conllu", &generated(59, 5));
    let line = "train --train train.conllu --training global --beam 4 --iterations 2 --model small.model --quiet";
    treebeam(folder.path(), line).assert().success();
    folder
}

fn stderr(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().code(2);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn json(folder: &Path, line: &str) -> Value {
    let assert = treebeam(folder, line).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

#[test]
fn the_command_as_it_is_run() {
    let folder = folder();
    let folder = folder.path();
    treebeam(folder, "trace small.model test.conllu --sentence 2 -o beam.html").assert().success().stdout("");
    let html = fs::read_to_string(folder.join("beam.html")).unwrap();
    let long = "trace --model small.model test.conllu --sentence 2 -o other.html --json=beam.json";
    treebeam(folder, long).assert().success();
    assert_eq!(fs::read_to_string(folder.join("other.html")).unwrap(), html);
    let record: Value = serde_json::from_slice(&fs::read(folder.join("beam.json")).unwrap()).unwrap();
    assert_eq!(json(folder, "trace small.model test.conllu --sentence 2 --json"), record);
    assert_eq!((&record["format"], &record["sentence"]["number"]), (&Value::from(1), &Value::from(2)));
    let widths: Vec<&Value> = record["beams"].as_array().unwrap().iter().map(|beam| &beam["width"]).collect();
    assert_eq!(widths, [1, 2, 4]);
    assert!(record["beams"][2]["steps"][1]["items"][0]["stack"].is_array());
    let id = record["sentence"]["id"].as_str().unwrap().to_owned();
    assert_eq!(json(folder, &format!("trace small.model test.conllu --sentence {id} --json")), record);

    // From standard input, without gold trees, at other widths.
    let text = fs::read(folder.join("test.conllu")).unwrap();
    let piped = treebeam(folder, "trace small.model --beam 3,1 --no-gold --json").write_stdin(text).assert().success();
    let record: Value = serde_json::from_slice(&piped.get_output().stdout).unwrap();
    let beams = record["beams"].as_array().unwrap();
    assert_eq!(beams.iter().map(|beam| beam["width"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 3]);
    assert!(beams.iter().all(|beam| beam.get("gold").is_none()) && record["sentence"].get("gold").is_none());

    assert!(stderr(folder, "trace small.model test.conllu --sentence 9").contains("a number from 1 to 5"));
    assert!(stderr(folder, "trace --model small.model a b").contains("one file too many"));
    assert!(stderr(folder, "trace").contains("no model"));
    assert!(stderr(folder, "trace small.model test.conllu --beam 0").contains("--beam"));
    assert!(stderr(folder, "trace small.model test.conllu -o test.conllu").contains("would replace an input"));
    let graph = "train --system eisner --train train.conllu --iterations 1 --model graph.model --quiet";
    treebeam(folder, graph).assert().success();
    assert!(stderr(folder, "trace graph.model test.conllu").contains("no beam to watch"));
}

/// Blank heads are no gold tree; broken ones are none either, and that is said.
#[test]
fn sentences_without_trees() {
    let folder = folder();
    let folder = folder.path();
    let blank = "1\ta\t_\tN\t_\t_\t_\t_\t_\t_\n2\tb\t_\tN\t_\t_\t_\t_\t_\t_\n\n";
    fs::write(folder.join("blank.conllu"), blank).unwrap();
    fs::write(
        folder.join("cycle.conllu"),
        blank.replace("_\t_\t_\t_\n2", "2\tx\t_\t_\n2").replace("_\t_\t_\t_\n\n", "1\tx\t_\t_\n\n"),
    )
    .unwrap();
    treebeam(folder, "trace small.model blank.conllu --json").assert().success().stderr("");
    let assert = treebeam(folder, "trace small.model cycle.conllu --json").assert().success();
    let warned = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(warned.starts_with("warning: there is no gold tree: cycle.conllu:1: "), "{warned}");
    let record: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert!(record["sentence"].get("gold").is_none());
}

/// One file that asks nobody for anything, whatever stands in the sentence.
#[test]
fn the_page_needs_nothing_else() {
    let model = trained(treebeam_systems::ARC_EAGER);
    let line = |number: u32, form: &str| format!("{number}\t{form}\t_\tN\t_\t_\t{}\tx\t_\t_\n", number - 1);
    let forms = ["</script><img src=x onerror=alert(1)>", "<!--", "&amp;", "\u{2028}"];
    let text: String = (1..).zip(forms).map(|(number, form)| line(number, form)).collect();
    let sentence = Sentence::new("strange", treebeam::treebank::Format::Conllu, &text).unwrap();
    let record = recorded(&model, &sentence, true);
    let page = page(record.clone()).unwrap();
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
    assert!(!page.contains("<img") && !page.contains("<link") && !page.contains("{{"));
    for outside in ["http://", "https://", "src=\"", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        let n = page.replace("http://www.w3.org/2000/svg", "").matches(outside).count();
        assert_eq!(n, 0, "{outside}");
    }
    let data =
        page.split_once("<script type=\"application/json\" id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(unpacked(data.clone()), serde_json::to_value(&record).unwrap());
    assert_eq!(data["sentence"]["words"][0]["form"], forms[0]);
    assert_eq!(record.templates.len(), FeatureSet::load("zn11").unwrap().templates.len());
}

/// The record of what a page holds, as the page's own script makes it; `make trace-check` compares that one.
fn unpacked(mut record: Value) -> Value {
    let mut take = |name: &str| record.as_object_mut().unwrap().remove(name).unwrap();
    let [packed, weights, reads, options] = ["packed", "weights", "reads", "options"].map(&mut take);
    let lists: Vec<String> = serde_json::from_value(record["lists"].clone()).unwrap();
    let stacks = record["stacks"].as_u64().unwrap() as usize;
    for (of, beam) in record["beams"].as_array_mut().unwrap().iter_mut().zip(packed.as_array().unwrap()) {
        let cell = |cell: &Value| match &cell[1] {
            Value::Null => json!({"node": cell[0]}),
            dependents => json!({"node": cell[0], "dependents": dependents}),
        };
        of["cells"] = beam["cells"].as_array().unwrap().iter().map(cell).collect();
        let chains = of["chains"].clone();
        let nodes = |chain: &Value| {
            let (mut nodes, mut next) = (Vec::new(), chain.as_u64());
            while let Some(number) = next {
                let link = &chains[number as usize];
                nodes.push(beam["cells"][link[0].as_u64().unwrap() as usize][0].clone());
                next = link[1].as_u64();
            }
            nodes
        };
        let item = |packed: &Value, rank: Option<usize>, before: Option<&Value>| {
            let mut item = packed.clone();
            let fields = item.as_object_mut().unwrap();
            let mut take = |name: &str| fields.remove(name).unwrap_or(Value::Null);
            let [arcs, lost, line, fates, correct] = ["arcs", "lost", "options", "fates", "correct"].map(&mut take);
            let [of_weights, of_reads] = ["weights", "reads"].map(take);
            let has = |array: &Value, of: &dyn Fn(&Value) -> bool| array.as_array().is_some_and(|a| a.iter().any(of));
            let mut all = before.map_or(Vec::new(), |before| before["arcs"].as_array().unwrap().clone());
            all.retain(|old| !has(&lost, &|word| *word == old[1]) && !has(&arcs, &|arc| arc[1] == old[1]));
            all.extend(arcs.as_array().into_iter().flatten().cloned());
            all.sort_by_key(|arc| arc[1].as_u64());
            item["arcs"] = all.into();
            for ((list, name), chain) in lists.iter().enumerate().zip(packed["chains"].as_array().unwrap()) {
                let mut nodes = nodes(chain);
                if list < stacks {
                    nodes.reverse();
                }
                item[name] = nodes.into();
            }
            if let Some(rank) = rank {
                item["rank"] = rank.into();
            }
            let line_of = |table: &Value, number: &Value| number.as_u64().map(|number| table[number as usize].clone());
            for (name, of) in [("weights", line_of(&weights, &of_weights)), ("reads", line_of(&reads, &of_reads))] {
                if let Some(of) = of {
                    item[name] = of;
                }
            }
            if let Some(line) = line_of(&options, &line) {
                let successor = |(at, choice): (usize, &Value)| {
                    let fate = fates[at].as_i64().unwrap();
                    let score = packed["score"].as_i64().unwrap() + choice[2].as_i64().unwrap();
                    let kind = ["twin", "pruned", "kept"][(fate.signum() + 1) as usize];
                    let mut successor = json!({"score": score, "fate": kind});
                    for (name, value) in [("action", &choice[0]), ("point", &choice[1]), ("cost", &choice[3])] {
                        if !value.is_null() {
                            successor[name] = value.clone();
                        }
                    }
                    if fate != 0 {
                        successor["rank"] = fate.abs().into();
                    }
                    if has(&correct, &|of| of.as_u64() == Some(at as u64)) {
                        successor["correct"] = true.into();
                    }
                    successor
                };
                item["successors"] = line.as_array().unwrap().iter().enumerate().map(successor).collect();
            }
            item
        };
        let mut steps: Vec<Value> = Vec::new();
        for (items, counts) in beam["steps"].as_array().unwrap().iter().zip(beam["counts"].as_array().unwrap()) {
            let before = |one: &Value| Some(&steps.last()?["items"][one["parent"].as_u64()? as usize - 1]);
            let items = items.as_array().unwrap().iter().zip(1..).map(|(one, rank)| item(one, Some(rank), before(one)));
            let items: Value = items.collect();
            steps.push(json!({"items": items, "places": counts[0], "cells": counts[1], "successors": counts[2]}));
        }
        let mut path: Vec<Value> = Vec::new();
        for one in beam["path"].as_array().into_iter().flatten() {
            path.push(item(one, None, path.last()));
        }
        of["steps"] = steps.into();
        if !path.is_empty() {
            of["gold"]["path"] = path.into();
        }
    }
    record
}

/// Items share parts, and the page has each once. The longer the sentence, the more this saves; lists that change at
/// both ends, as Covington's, save least.
#[test]
fn pages_are_small_and_lose_nothing() {
    let sentences = generated_non_projective(55, 200);
    let words = sentences.iter().filter(|sentence| sentence.n_words() <= 16);
    let longest = words.max_by_key(|sentence| sentence.n_words()).unwrap();
    for system in [treebeam_systems::ARC_EAGER, treebeam_systems::SWAP, treebeam_systems::COVINGTON_NONMONOTONIC] {
        let model = trained(system);
        for with_gold in [true, false] {
            let record = recorded(&model, longest, with_gold);
            let [json, text] = [serde_json::to_string(&record).unwrap(), page(record.clone()).unwrap()];
            let data = text.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
            assert!(5 * data.len() < 3 * json.len(), "{system}: {} of {} bytes", data.len(), json.len());
            let data = serde_json::from_str(data).unwrap();
            assert_eq!(unpacked(data), serde_json::to_value(&record).unwrap(), "{system}");
        }
    }
}

/// Sentences that `--find` lists are of the kind, the worst first; in a folder each has its page, and an index leads to them.
#[test]
fn sentences_worth_a_look_are_found() {
    let folder = folder();
    let list = |find: &str| {
        let assert = treebeam(folder.path(), &format!("trace small.model test.conllu --find {find} --worst 100"))
            .assert()
            .success();
        let listed = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        let rows: Vec<Vec<String>> =
            listed.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        assert!(
            listed.starts_with("number\tid\twords\twrong arcs\twrong greedily\tgold falls off at\tverdict\tsentence\n")
        );
        rows
    };
    let number = |row: &[String], column: usize| row[column].parse::<usize>().unwrap();
    let [search, model, repair, falls] = ["search-error", "model-error", "repair", "gold-falls-off"].map(list);
    assert!(!model.is_empty() && !falls.is_empty());
    assert!(search.iter().all(|row| row[6] == "search error") && model.iter().all(|row| row[6] == "model error"));
    assert!(repair.iter().all(|row| number(row, 3) < number(row, 4)));
    assert!(falls.iter().all(|row| row[5].starts_with("step ")));
    assert!(model.iter().map(|row| number(row, 3)).is_sorted_by(|a, b| a >= b));
    treebeam(folder.path(), "trace small.model test.conllu --find model-error --worst 2 -o pages/").assert().success();
    let index = fs::read_to_string(folder.path().join("pages/index.html")).unwrap();
    for row in &model[..2.min(model.len())] {
        let name = format!("sentence-{}.html", row[0]);
        assert!(index.contains(&format!("href=\"{name}")) && folder.path().join("pages").join(name).is_file());
    }
    assert!(!index.contains("{{"));
}

/// Every item has the lists of the whole sentence, so that what is recorded grows as the square of the words: of a long sentence
/// nothing is decoded.
#[test]
fn sentences_that_no_page_could_hold_are_refused() {
    let folder = folder();
    let word = |number: usize| {
        let head = number - 1;
        format!("{number}\tw\t_\tX\t_\t_\t{head}\t{}\t_\t_\n", if head == 0 { "root" } else { "x" })
    };
    fs::write(folder.path().join("long.conllu"), (1..=30_000).map(word).collect::<String>() + "\n").unwrap();
    let assert = treebeam(folder.path(), "trace small.model long.conllu").assert().code(2);
    let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(message.contains("of 30000 words") && message.contains("treebank convert --cut"), "{message}");
}
