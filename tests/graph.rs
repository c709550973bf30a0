//! Graph-based parsers: that they learn what they are shown, and what the command line makes of them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use treebeam::graph::{self, GraphData, GraphKind, GraphOptions, GraphParser, Learner};
use treebeam::learn::{Keep, Nonprojective};
use treebeam::tree::{Labels, Roots, is_projective};
use treebeam::treebank::generate::{GeneratorOptions, sentences};
use treebeam::treebank::{Sentence, Treebank};

use crate::common::{generated, treebank, treebeam, write};

fn crossing(seed: u64, n_sentences: usize) -> Vec<Sentence> {
    sentences(GeneratorOptions { seed, n_sentences, non_projective: true }).collect()
}

/// The words of each sentence of `on` whose head or label a parser trained on `shown` gets wrong.
fn wrong(options: &GraphOptions, shown: &Treebank, on: &Treebank) -> Vec<usize> {
    let data = GraphData::new(options, shown, None).unwrap();
    let mut trainer = graph::start(options, &data, 1).unwrap();
    while !trainer.is_done() {
        trainer.iterate(&mut |_| ()).unwrap();
    }
    let model = trainer.model().unwrap();
    let parsed = GraphParser::new(&model, 1).unwrap().parse(&on.sentences).unwrap();
    let mut labels = Labels::default();
    let gold = on.trees(Roots::Single, &mut labels).unwrap();
    let known = model.label_decoding.labels();
    let of_sentence = gold.iter().zip(&parsed).map(|(gold, parsed)| {
        let name = |word: u16| known.name(parsed.tree.label(word));
        let right =
            |word: u16| gold.head(word) == parsed.tree.head(word) && labels.name(gold.label(word)) == name(word);
        gold.words().filter(|&word| !right(word)).count()
    });
    of_sentence.collect()
}

#[test]
fn every_way_of_training_learns_what_it_is_shown() {
    let shown = treebank(generated(21, 25));
    let held_out = treebank(generated(22, 25));
    for system in GraphKind::LINEAR {
        for learner in [Learner::Perceptron, Learner::Mira] {
            let options =
                GraphOptions { system, learner, iterations: 12.into(), keep: Keep::Last, ..GraphOptions::default() };
            assert_eq!(wrong(&options, &shown, &shown).iter().sum::<usize>(), 0, "{system} {learner:?}");
            // Otherwise the test might be one that every model passes.
            assert!(wrong(&options, &shown, &held_out).iter().sum::<usize>() > 0);
        }
    }
}

/// Crossing arcs: Chu-Liu-Edmonds makes them, Eisner's algorithm does if labels encode them, and else learns all other
/// trees.
#[test]
fn crossing_arcs_are_learned_by_those_who_can() {
    let shown = treebank(crossing(23, 40));
    let gold = shown.trees(Roots::Single, &mut Labels::default()).unwrap();
    let n_crossing = gold.iter().filter(|tree| !is_projective(tree)).count();
    assert!(n_crossing > 2, "{n_crossing}");
    let train = |system, nonprojective| {
        let options =
            GraphOptions { system, nonprojective, iterations: 20.into(), keep: Keep::Last, ..GraphOptions::default() };
        wrong(&options, &shown, &shown)
    };
    assert_eq!(train(GraphKind::Mst, Nonprojective::MinCost).iter().sum::<usize>(), 0);
    let eisner = train(GraphKind::Eisner, Nonprojective::MinCost);
    for (wrong, gold) in eisner.iter().zip(&gold) {
        assert_eq!(*wrong == 0, is_projective(gold), "{wrong} wrong words");
    }
    let lifted = train(GraphKind::Eisner, Nonprojective::Lift).iter().filter(|&&wrong| wrong > 0).count();
    assert!(lifted < n_crossing, "{lifted} sentences with wrong words of {n_crossing} that cross");
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &crossing(24, 80));
    write(folder.path(), "dev.conllu", &crossing(25, 20));
    write(folder.path(), "test.conllu", &crossing(26, 60));
    folder
}

const TRAIN: &str = "train --train train.conllu --dev dev.conllu --iterations 3";

fn model(folder: &Path, options: &str) -> Vec<u8> {
    treebeam(folder, &format!("{TRAIN} {options} --model model")).assert().success().stdout("");
    fs::read(folder.join("model")).unwrap()
}

fn stderr(line: &str, folder: &Path) -> String {
    String::from_utf8(treebeam(folder, line).assert().code(2).stdout("").get_output().stderr.clone()).unwrap()
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let folder = folder();
    let at = folder.path();
    for system in ["--system eisner", "--system mst --learner perceptron --roots several"] {
        let one = model(at, system);
        assert_eq!(model(at, &format!("{system} --threads 2")), one, "{system}");
        assert_ne!(model(at, &format!("{system} --seed 2")), one, "{system}");
    }
}

#[test]
fn models_are_parsed_with_and_looked_into_like_others() {
    let folder = folder();
    let at = folder.path();
    for system in GraphKind::LINEAR.map(GraphKind::name) {
        model(at, &format!("--system {system}"));
        let parse = |rest: &str| treebeam(at, &format!("parse --model model test.conllu {rest}")).assert().success();
        let parsed = String::from_utf8(parse("--stats-json stats.json").get_output().stdout.clone()).unwrap();
        parse("--threads 2").stdout(parsed.clone());
        let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
        assert_eq!((stats["sentences"].as_u64(), &stats["beam"]), (Some(60), &serde_json::Value::Null));
        fs::write(at.join("parsed.conllu"), &parsed).unwrap();
        treebeam(at, "treebank check parsed.conllu").assert().success().stdout("");
        let scores = treebeam(at, "eval test.conllu parsed.conllu --json --samples 10").assert().success();
        let scores: serde_json::Value = serde_json::from_slice(&scores.get_output().stdout).unwrap();
        let las = scores["systems"][0]["scores"][0]["las"].as_f64().unwrap();
        assert!(las > 75.0, "{system}: LAS {las}");

        let info = treebeam(at, "model info model").assert().success();
        let info = String::from_utf8(info.get_output().stdout.clone()).unwrap();
        assert!(
            info.contains(&format!("system     {system}, graph-based; one word on the root"))
                && info.contains("80 sentences"),
            "{info}"
        );
        let json = treebeam(at, "model info model --json").assert().success();
        let json: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
        let printed = treebeam(at, &format!("{TRAIN} --system {system} --print-options")).assert().success();
        let printed: serde_json::Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
        assert_eq!((&json["header"]["training"], &printed["learner"]), (&printed, &"mira".into()));
    }
}

/// The best of the k best is the one; scores fall, and no tree comes twice.
#[test]
fn the_k_best_trees_are_written_with_their_scores() {
    let folder = folder();
    let at = folder.path();
    for system in GraphKind::ALL.map(GraphKind::name) {
        model(at, &format!("--system {system} --roots several"));
        let parse = |rest: &str| {
            let parsed = treebeam(at, &format!("parse --model model test.conllu {rest}")).assert().success();
            String::from_utf8(parsed.get_output().stdout.clone()).unwrap()
        };
        let (best, five) = (parse(""), parse("--k-best 5"));
        let trees: Vec<&str> = five.split_terminator("\n\n").collect();
        assert_eq!(trees.len(), 5 * 60, "{system}");
        let comment = |tree: &str, name: &str| -> f64 {
            let line = tree.lines().find_map(|line| line.strip_prefix(&format!("# {name} = "))).unwrap();
            line.parse().unwrap()
        };
        let words =
            |tree: &str| tree.lines().filter(|line| !line.starts_with('#')).map(String::from).collect::<Vec<_>>();
        for (five, best) in trees.chunks(5).zip(best.split_terminator("\n\n")) {
            assert_eq!(words(five[0]), words(best), "{system}");
            for (rank, pair) in five.windows(2).enumerate() {
                assert_eq!(comment(pair[0], "rank"), rank as f64 + 1.0);
                assert!(comment(pair[0], "score") >= comment(pair[1], "score"), "{system}");
            }
            let different: std::collections::HashSet<_> = five.iter().map(|tree| words(tree)).collect();
            assert_eq!(different.len(), 5, "{system}");
        }
    }
}

#[test]
fn options_of_the_other_kind_of_parser_are_refused() {
    let folder = folder();
    let at = folder.path();
    for options in [
        "--system eisner --beam 8",
        "--system eisner --oracle dynamic",
        "--system eisner --training global",
        "--system mst --features zn11",
        "--system eisner-2 --beam 8",
        "--system eisner-3 --search exact",
        "--system mst --update early",
        "--system mst --batch 4",
        "--system mst --explore-from 1",
        "--system mst --explore-prob 0.5",
        "--system mst --nonprojective lift",
        "--system eisner --aggressiveness 0",
        "--system eisner --iterations 0",
        "--system arc-eager --decisions separate",
        "--aggressiveness 1",
    ] {
        let line = TRAIN.replace(" --iterations 3", "");
        let message = stderr(&format!("{line} {options} --model model"), at);
        let flag = options.split(' ').rfind(|word| word.starts_with("--")).unwrap();
        assert!(message.starts_with("error: ") && message.contains(flag), "{options}: {message}");
        assert!(!at.join("model").exists(), "{options}");
    }
    model(at, "--system mst");
    assert!(stderr("parse --model model test.conllu --beam 2", at).contains("--beam"));
}

#[test]
fn sentences_that_are_too_long_are_refused_with_their_line() {
    let folder = folder();
    let at = folder.path();
    model(at, "--system eisner");
    let long = |n: usize| -> String {
        let lines = (1..=n).map(|id| format!("{id}\ta\t_\tN\t_\t_\t{}\tx\t_\t_\n", id - 1));
        format!("1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n\n{}\n", lines.collect::<String>())
    };
    fs::write(at.join("long.conllu"), long(2049)).unwrap();
    for line in ["parse --model model long.conllu", "train --train long.conllu --model other --system mst"] {
        let message = stderr(line, at);
        assert!(message.contains("long.conllu:3: a sentence of 2049 words; expected at most 2048"), "{message}");
    }
    fs::write(at.join("short.conllu"), long(300)).unwrap();
    treebeam(at, "parse --model model short.conllu").assert().success();
}

/// The probable tree of a biaffine network: trained, killed and resumed, looked into, parsed with on the command line as others are.
#[test]
fn biaffine_parsers_are_trained_and_used_as_others_are() {
    let folder = folder();
    let at = folder.path();
    write(at, "train.conllu", &crossing(24, 300));
    let train = |options: &str| {
        let line = TRAIN.replace(" --iterations 3", "");
        treebeam(at, &format!("{line} {options} --model model")).assert().success().stdout("");
        fs::read(at.join("model")).unwrap()
    };
    let small = "--lstm-units 24 --arc-units 32 --label-units 16 --rate 0.003";
    for (system, is_projective) in [("biaffine", false), ("biaffine-projective", true)] {
        let options = format!("--system {system} {small} --iterations 8");
        let one = train(&format!("{options} --threads 1"));
        assert_eq!(train(&format!("{options} --threads 2")), one, "{system}");
        let parse = |rest: &str| {
            let parsed = treebeam(at, &format!("parse --model model test.conllu {rest}")).assert().success();
            String::from_utf8(parsed.get_output().stdout.clone()).unwrap()
        };
        let parsed = parse("");
        assert_eq!(parse("--threads 2"), parsed);
        fs::write(at.join("parsed.conllu"), &parsed).unwrap();
        treebeam(at, "treebank check parsed.conllu").assert().success().stdout("");
        let scores = treebeam(at, "eval test.conllu parsed.conllu --json --samples 10").assert().success();
        let scores: serde_json::Value = serde_json::from_slice(&scores.get_output().stdout).unwrap();
        let las = scores["systems"][0]["scores"][0]["las"].as_f64().unwrap();
        assert!(las > 60.0, "{system}: LAS {las}");
        let trees = Treebank::read(&at.join("parsed.conllu"), None).unwrap();
        let trees = trees.trees(Roots::Single, &mut Labels::default()).unwrap();
        assert!(!is_projective || trees.iter().all(treebeam::tree::is_projective));

        let info = treebeam(at, "model info model").assert().success();
        let info = String::from_utf8(info.get_output().stdout.clone()).unwrap();
        let expected = "biaffine network over 2 layers of 2 x 24, 32 units of arcs, 16 of labels";
        assert!(info.contains(expected) && info.contains("300 sentences"), "{info}");
        let again = info.lines().find_map(|line| line.strip_prefix("again      treebeam ")).unwrap();
        let again = again.replace("TRAIN", "train.conllu").replace("DEV", "dev.conllu").replace("MODEL", "again");
        treebeam(at, &again).assert().success();
        assert_eq!(fs::read(at.join("again")).unwrap(), one, "{again}");
        treebeam(at, "model freeze model -o frozen --test dev.conllu").assert().success();
        assert_eq!(fs::read(at.join("frozen")).unwrap(), one);
        assert!(stderr("model freeze model -o frozen --quantise i8", at).contains("linear models"));
        assert!(stderr("parse --model model test.conllu --beam 2", at).contains("--beam"));
    }
    // What is read of words is data.
    fs::write(at.join("read.feat"), "network\nreads suf2 upos misc*\nembedding tag 0\n").unwrap();
    train(&format!("--system biaffine {small} --iterations 4 --places read.feat --threads 2"));
    let info = treebeam(at, "model info model").assert().success();
    let info = String::from_utf8(info.get_output().stdout.clone()).unwrap();
    assert!(info.contains("16 of labels, which reads suf2 upos misc*"), "{info}");
    treebeam(at, "parse --model model test.conllu -o parsed.conllu").assert().success();
    treebeam(at, "treebank check parsed.conllu").assert().success().stdout("");
    let columns = |file: &str, columns: std::ops::Range<usize>| -> Vec<String> {
        let text = fs::read_to_string(at.join(file)).unwrap();
        let words = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        words.map(|word| word.split('\t').collect::<Vec<_>>()[columns.clone()].join(" ")).collect()
    };
    // Tags are read by the line `reads` alone: without them the trees are others.
    let tests = fs::read_to_string(at.join("test.conllu")).unwrap();
    let tags: std::collections::BTreeSet<String> = columns("test.conllu", 3..4).into_iter().collect();
    let untagged = tags.iter().fold(tests, |text, tag| text.replace(&format!("\t{tag}\t"), "\t_\t"));
    fs::write(at.join("untagged.conllu"), untagged).unwrap();
    treebeam(at, "parse --model model untagged.conllu -o others.conllu").assert().success();
    assert_ne!(columns("parsed.conllu", 6..8), columns("others.conllu", 6..8));
    for (options, expected) in [
        ("--system biaffine --learner mira", "expected --learner adam"),
        ("--system mst --learner adam", "expected --learner perceptron or mira"),
        ("--system mst --lstm-units 8", "--lstm-units is for transition systems and biaffine parsers"),
        ("--system eisner --arc-units 8", "--arc-units is for biaffine parsers"),
        ("--arc-units 8", "--arc-units is for biaffine parsers"),
        ("--system biaffine --arc-units 0", "--arc-units must be a whole number from 1 to 4,096"),
        ("--system biaffine --beam 4", "--beam is for transition systems"),
        ("--system biaffine --nonprojective lift", "--nonprojective lift makes trees projective"),
        ("--system biaffine --vectors none.vec", "none.vec: "),
        ("--system biaffine --places none.feat", "none.feat: "),
        ("--system biaffine --places full", "full.feat: places; expected lines `reads` and `embedding` alone"),
        ("--system mst --places read.feat", "--places is for transition systems and biaffine parsers"),
    ] {
        let line = TRAIN.replace(" --iterations 3", "");
        let message = stderr(&format!("{line} {options} --model other"), at);
        assert!(message.contains(expected), "{options}: {message}");
    }
}
