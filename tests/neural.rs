//! Networks as scorers, as users of the program and of the library meet them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use treebeam::decode::{NO_MARGIN, Parsed, Parser, Search, Strategy, Workspace};
use treebeam::files::{FileKind, Section};
use treebeam::learn::{TrainOptions, Training, TrainingData, train_any};
use treebeam::linear::Learner;
use treebeam::model::{Activation, Header, ScorerKind, Scoring as _};
use treebeam::scorers::{AnyModel, AnyScorer};
use treebeam::system::SystemKind;
use treebeam::treebank::Sentence;

use crate::common::{generated, treebank, treebeam, write};

const TRAIN: &str = "train --train train.conllu --dev dev.conllu --scorer feed-forward --quiet";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &generated(1, 600));
    write(folder.path(), "dev.conllu", &generated(2, 60));
    folder
}

fn run(at: &Path, line: &str) -> String {
    let output = treebeam(at, line).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// The labelled attachment score of a model on the development data, parsed at this width.
fn las(at: &Path, model: &str, beam: usize) -> f64 {
    run(at, &format!("parse --quiet --model {model} --beam {beam} dev.conllu -o parsed.conllu"));
    let report: serde_json::Value = serde_json::from_str(&run(at, "eval dev.conllu parsed.conllu --json")).unwrap();
    report["systems"][0]["scores"][0]["las"].as_f64().unwrap()
}

/// A network learns a small treebank; then whole derivations, from its own parameters; threads do not matter. All commands take its
/// models.
#[test]
fn networks_are_trained_and_used_as_other_scorers_are() {
    let folder = folder();
    let at = folder.path();
    let local = "--system arc-hybrid --training greedy --hidden 32 --iterations 6";
    for threads in [1, 2] {
        run(at, &format!("{TRAIN} {local} --threads {threads} --model local{threads}"));
    }
    let bytes = |name: &str| fs::read(at.join(name)).unwrap();
    assert!(bytes("local1") == bytes("local2"), "another model with two threads");
    let greedy = las(at, "local1", 1);
    assert!(greedy > 60.0, "{greedy}");

    let global = "--system arc-hybrid --training global --beam 4 --iterations 2 --init local1";
    for threads in [1, 2] {
        run(at, &format!("{TRAIN} {global} --threads {threads} --model global{threads}"));
    }
    assert!(bytes("global1") == bytes("global2"), "another model with two threads");
    let beam = las(at, "global1", 4);
    assert!(beam > greedy - 3.0, "{beam} after {greedy}");

    let info = run(at, "model info local1");
    assert!(info.contains("18 places and 12 of labels, 32 hidden units, relu"), "{info}");
    let info: serde_json::Value = serde_json::from_str(&run(at, "model info global1 --json")).unwrap();
    assert_eq!(info["header"]["network"]["normalised"], false);
    let best = run(at, "parse --quiet --model local1 --beam 8 --k-best 3 dev.conllu");
    assert!(best.len() > 2 * fs::read_to_string(at.join("dev.conllu")).unwrap().len());
    let once = run(at, "parse --quiet --model local1 --beam 8 --threads 1 dev.conllu");
    assert_eq!(once, run(at, "parse --quiet --model local1 --beam 8 --threads 2 dev.conllu"));
    let trace = run(at, "trace --json --model local1 --beam 4 dev.conllu");
    assert!(trace.contains("\"templates\":[]"));
    run(at, "model freeze local1 -o frozen --test dev.conllu");
    assert!(bytes("frozen") == bytes("local1"));
    fewer_bits(at, "local1");
    let refused = treebeam(at, "parse --model local1 --search exact dev.conllu").assert().failure();
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("exact search") && message.contains("the network reads S0.l1"), "{message}");
}

/// In fewer bits a model's file is smaller, says so, parses nearly as well, and the same from its file as before it was written.
fn fewer_bits(at: &Path, model: &str) {
    let length = |name: &str| fs::metadata(at.join(name)).unwrap().len();
    for bits in ["i16", "i8"] {
        let message = run(at, &format!("model freeze {model} --quantise {bits} --test dev.conllu -o fewer"));
        let line = message.lines().find(|line| line.starts_with("LAS")).unwrap();
        let scores: Vec<f64> = line.split_whitespace().skip(1).map(|number| number.parse().unwrap()).collect();
        assert!(scores[0] > 50.0 && scores[2].abs() < 1.0, "{bits}: {line}");
        assert!(length("fewer") < length(model), "{bits}");
        assert!((las(at, "fewer", 1) - scores[1]).abs() < 0.006, "{bits}: {line}");
        assert!(run(at, "model info fewer").contains(&format!("precision {bits}")));
        run(at, &format!("model freeze fewer --quantise {bits} -o again"));
        // Without the option there are as many bits as before; more bits would bring nothing back.
        run(at, "model freeze fewer -o same");
        assert_eq!(fs::read(at.join("same")).unwrap(), fs::read(at.join("again")).unwrap(), "{bits}");
        if bits == "i8" {
            let more = treebeam(at, "model freeze fewer --quantise i16 -o more").assert().code(2);
            let message = String::from_utf8_lossy(&more.get_output().stderr).into_owned();
            assert!(message.contains("its weights have 8 bits, to which 16 bring nothing back"), "{message}");
        }
        assert!(fs::read(at.join("fewer")).unwrap() == fs::read(at.join("again")).unwrap(), "{bits}");
        run(at, "parse --quiet --model fewer --beam 4 --threads 2 dev.conllu -o parsed.conllu");
    }
}

/// The same with an encoder, which learns what one of random parameters does not know; all commands take its models.
#[test]
fn encoders_are_trained_and_used_as_other_scorers_are() {
    let folder = folder();
    let at = folder.path();
    let train = TRAIN.replace("feed-forward", "bilstm --lstm-units 24 --hidden 32");
    let bytes = |name: &str| fs::read(at.join(name)).unwrap();
    for threads in [1, 2] {
        let local = "--system arc-hybrid --training greedy --iterations 8";
        run(at, &format!("{train} {local} --threads {threads} --model local{threads}"));
        let global = "--system arc-hybrid --beam 4 --iterations 6 --init local1";
        run(at, &format!("{train} {global} --threads {threads} --model global{threads}"));
    }
    assert!(bytes("local1") == bytes("local2"), "another model with two threads");
    assert!(bytes("global1") == bytes("global2"), "another model with two threads");
    let greedy = las(at, "local1", 1);
    assert!(greedy > 60.0, "{greedy}");
    let beam = las(at, "global1", 4);
    assert!(beam > greedy - 3.0, "{beam} after {greedy}");
    fewer_bits(at, "local1");
    let info = run(at, "model info local1");
    let expected = "bilstm network of 2 layers of 2 x 24, 11 places and 0 of labels, 32 hidden units, relu";
    assert!(info.contains(expected), "{info}");
    let once = run(at, "parse --quiet --model local1 --beam 8 --k-best 3 --threads 1 dev.conllu");
    assert_eq!(once, run(at, "parse --quiet --model local1 --beam 8 --k-best 3 --threads 2 dev.conllu"));
    assert!(run(at, "trace --json --model local1 --beam 4 dev.conllu").contains("\"templates\":[]"));
    run(at, "model freeze local1 -o frozen --test dev.conllu");
    assert!(bytes("frozen") == bytes("local1"));
    let line = format!("{train} --system arc-hybrid --init local1 --lstm-units 25 --model other");
    let refused = treebeam(at, &line.replace("--lstm-units 24", "")).assert().failure();
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("another number of units"));
}

/// Vectors of words reach the model and its card; a resumed run begins with them, too.
#[test]
fn networks_begin_with_vectors() {
    let folder = folder();
    let at = folder.path();
    let mut vectors = String::new();
    let forms: BTreeSet<String> = [generated(1, 600), generated(2, 60)]
        .iter()
        .flatten()
        .flat_map(|sentence| (1..=sentence.n_words() as u16).map(|word| sentence.form(word).to_lowercase()))
        .filter(|form| !form.chars().any(|c| c.is_numeric() || c.is_whitespace()))
        .collect();
    for (number, form) in forms.iter().enumerate() {
        vectors += &format!("{form} 0.{} -0.{} 0.5\n", number % 7, number % 11);
    }
    fs::write(at.join("w.vec"), format!("{} 3\n{vectors}", forms.len())).unwrap();
    let line = "--system arc-hybrid --training greedy --hidden 16 --vectors w.vec";
    for threads in [1, 2] {
        run(at, &format!("{TRAIN} {line} --iterations 4 --threads {threads} --model v{threads}"));
    }
    let bytes = |name: &str| fs::read(at.join(name)).unwrap();
    assert!(bytes("v1") == bytes("v2"), "another model with two threads");
    let line = format!("{} {line} --iterations 1 --model announced", TRAIN.replace(" --quiet", ""));
    let message = treebeam(at, &line).assert().success().get_output().stderr.clone();
    let message = String::from_utf8(message).unwrap();
    assert!(message.contains(&format!("vectors of {} words", forms.len())), "{message}");
    let info = run(at, "model info v1");
    assert!(
        info.contains("--vectors w.vec") && info.contains(&format!("of {} words, among them", forms.len())),
        "{info}"
    );
    let info: serde_json::Value = serde_json::from_str(&run(at, "model info v1 --json")).unwrap();
    assert_eq!(info["header"]["network"]["dimensions"][0], 3);
    let sha256 = info["header"]["provenance"]["vectors"]["sha256"].as_str().unwrap();
    assert_eq!(sha256.len(), 64);
    assert!(las(at, "v1", 1) > 40.0);
    fs::write(at.join("bad.vec"), "a 1 2\nb 1\n").unwrap();
    for (options, expected) in [
        ("--vectors w.vec --word-units 4", "w.vec:1: vectors of 3 numbers; expected 4, as --word-units says"),
        ("--vectors bad.vec", "bad.vec:2: 1 numbers behind the word `b`; expected 2"),
        ("--vectors none.vec", "none.vec: "),
        ("--vectors w.vec --init v1", "leave out --vectors"),
        ("--vectors w.vec --scorer linear", "expected --scorer feed-forward, bilstm or stack-lstm"),
        ("--word-units 0", "a whole number from 1 to 4,096"),
    ] {
        let train =
            if options.contains("--scorer") { TRAIN.replace("--scorer feed-forward", "") } else { TRAIN.to_owned() };
        let line = format!("{train} --system arc-hybrid --training greedy {options} --model other");
        let refused = treebeam(at, &line).assert().failure();
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{options}: {message}");
    }
}

/// The same with stacks.
#[test]
fn stacks_are_trained_and_used_as_other_scorers_are() {
    let folder = folder();
    let at = folder.path();
    let train = TRAIN.replace("feed-forward", "stack-lstm --lstm-units 24 --hidden 32");
    let bytes = |name: &str| fs::read(at.join(name)).unwrap();
    for threads in [1, 2] {
        let local = "--system arc-hybrid --training greedy --iterations 6";
        run(at, &format!("{train} {local} --threads {threads} --model local{threads}"));
        let global = "--system arc-hybrid --beam 4 --iterations 2 --init local1";
        run(at, &format!("{train} {global} --threads {threads} --model global{threads}"));
    }
    assert!(bytes("local1") == bytes("local2"), "another model with two threads");
    assert!(bytes("global1") == bytes("global2"), "another model with two threads");
    let greedy = las(at, "local1", 1);
    assert!(greedy > 60.0, "{greedy}");
    let beam = las(at, "global1", 4);
    assert!(beam > greedy - 3.0, "{beam} after {greedy}");
    let info = run(at, "model info local1");
    let expected = "stack-lstm network of three times 2 layers of 24, 3 places and 0 of labels, 32 hidden units, relu";
    assert!(info.contains(expected), "{info}");
    let once = run(at, "parse --quiet --model local1 --beam 8 --k-best 3 --threads 1 dev.conllu");
    assert_eq!(once, run(at, "parse --quiet --model local1 --beam 8 --k-best 3 --threads 2 dev.conllu"));
    assert!(run(at, "trace --json --model local1 --beam 4 dev.conllu").contains("\"templates\":[]"));
    run(at, "model freeze local1 -o frozen --test dev.conllu");
    assert!(bytes("frozen") == bytes("local1"));
    fewer_bits(at, "local1");
    for (options, expected) in [
        ("--init local1 --lstm-units 25", "another number of units"),
        (
            "--places focus",
            "focus.feat: places; expected lines `reads` and `embedding` alone: a stack-lstm reads the whole",
        ),
    ] {
        let line = format!("{train} --system arc-hybrid {options} --model other").replacen("--lstm-units 24", "", 1);
        let refused = treebeam(at, &line).assert().failure();
        assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains(expected));
    }
}

/// The sentences of so many words at most of a treebank, as a treebank.
fn short(sentences: Vec<Sentence>, most: usize) -> Vec<Sentence> {
    sentences.into_iter().filter(|sentence| sentence.n_words() <= most).collect()
}

/// Networks that read words by position only are searched exactly (Shi, Huang & Lee 2017): the best derivation is the one that beams
/// of unlimited width find, merging or not, and training by it learns.
#[test]
fn networks_are_searched_exactly() {
    let folder = folder();
    let at = folder.path();
    let few = short(generated(7, 2000), 4);
    assert!(few.len() > 20 && few.iter().any(|sentence| sentence.n_words() == 4));
    write(at, "short.conllu", &few);
    for (system, scorer) in [
        ("arc-hybrid", "bilstm --lstm-layers 1 --lstm-units 24"),
        ("arc-eager", "feed-forward"),
        ("arc-standard", "bilstm --lstm-layers 1 --lstm-units 16"),
    ] {
        let train = TRAIN.replace("feed-forward", &format!("{scorer} --hidden 64 --places minimal --system {system}"));
        let exact = "--training global --search exact --rate 0.003 --iterations 4";
        run(at, &format!("{train} {exact} --threads 2 --model exact"));
        if system == "arc-eager" {
            run(at, &format!("{train} {exact} --threads 1 --model again"));
            let [two, one] = ["exact", "again"].map(|model| fs::read(at.join(model)).unwrap());
            assert!(two == one, "another model with two threads");
        }
        run(at, "parse --quiet --model exact dev.conllu -o parsed.conllu");
        let report: serde_json::Value = serde_json::from_str(&run(at, "eval dev.conllu parsed.conllu --json")).unwrap();
        let las = report["systems"][0]["scores"][0]["las"].as_f64().unwrap();
        assert!(las > 55.0, "{system}: {las}");
        let [exact, wide] = ["--search exact", "--search beam --beam 100000 --margin none"]
            .map(|how| run(at, &format!("parse --quiet --model exact {how} short.conllu")));
        assert!(exact == wide, "{system}: a beam that holds everything finds another tree");
        // What was trained on single decisions compares sums of probabilities, which depend on what is permitted.
        run(at, &format!("{train} --training greedy --iterations 1 --model local"));
        let refused = treebeam(at, "parse --model local --search exact dev.conllu").assert().failure();
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains("trained on single decisions"), "{message}");
        run(at, &format!("{train} --training global --merge --beam 4 --init local --iterations 1 --model merged"));
        assert!(run(at, "model info merged").contains("--merge"));
    }
}

/// Beams of networks that merge find at least what plain ones of the same width find, and in wide ones the same.
#[test]
fn beams_of_networks_merge() {
    let folder = folder();
    let at = folder.path();
    write(at, "short.conllu", &short(generated(7, 400), 4));
    for scorer in ["feed-forward", "bilstm --lstm-layers 1 --lstm-units 8"] {
        let train = TRAIN.replace("feed-forward", &format!("{scorer} --hidden 16 --system arc-hybrid"));
        run(at, &format!("{train} --training greedy --iterations 2 --model local"));
        let [plain, merged] = ["", "--merge"]
            .map(|merge| run(at, &format!("parse --quiet --model local --beam 50000 {merge} short.conllu")));
        assert!(plain == merged, "{scorer}");
    }
}

/// Inputs of a network are data: places, and columns with their lengths.
#[test]
fn places_are_read_from_a_file() {
    let folder = folder();
    let at = folder.path();
    let text = "# Two words, their tags and forms\nnetwork\nembedding word 12\nembedding prefix 0\nembedding suffix 0\n\
                embedding shape 0\nembedding label 6\nS0 B0 S0.l1   # and a dependent\nS0.l1.label\n";
    fs::write(at.join("my.feat"), text).unwrap();
    for scorer in ["feed-forward", "bilstm --lstm-layers 1 --lstm-units 24"] {
        let train = TRAIN.replace("feed-forward", scorer);
        let line = "--places my.feat --system arc-hybrid --training greedy --hidden 32 --iterations 6";
        for threads in [1, 2] {
            run(at, &format!("{train} {line} --threads {threads} --model my{threads}"));
        }
        assert!(fs::read(at.join("my1")).unwrap() == fs::read(at.join("my2")).unwrap());
        let info: serde_json::Value = serde_json::from_str(&run(at, "model info my1 --json")).unwrap();
        let network = &info["header"]["network"];
        assert_eq!(network["places"], serde_json::json!(["S0", "S0.l1", "B0"]));
        assert_eq!(network["labels"], serde_json::json!(["S0.l1.label"]));
        assert_eq!(network["dimensions"], serde_json::json!([12, 32, 0, 0, 0]));
        assert_eq!(network["label-dimension"], 6);
        let las = las(at, "my1", 1);
        assert!(las > 50.0, "{scorer}: {las}");
        fewer_bits(at, "my1");
        run(at, &format!("{train} --system arc-hybrid --init my1 --beam 4 --iterations 1 --model global"));
    }
    let shown = run(at, "features show --places my.feat --system arc-hybrid train.conllu --step 3");
    assert!(shown.contains("S0.l1.label") && shown.contains("B0.w"), "{shown}");
    assert!(run(at, "features show --places minimal --system arc-standard").contains("S1"));
    assert!(run(at, "features list").contains("full            31 places"));
    for (options, expected) in [
        ("--scorer linear --features my.feat", "my.feat: a set for networks; expected templates"),
        ("--scorer feed-forward --places zn.feat", "zn.feat:1: column 1: `S0.w`; expected a set for networks"),
        ("--scorer feed-forward --places b1.feat", "b1.feat:2: column 4: `B1.l1`; expected of B1 only the word itself"),
    ] {
        fs::write(at.join("zn.feat"), "S0.w\n").unwrap();
        fs::write(at.join("b1.feat"), "network\nS0 B1.l1\n").unwrap();
        let refused = treebeam(at, &format!("train --train train.conllu {options} --model other")).assert().failure();
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{options}: {message}");
    }
}

/// Lemma, FEATS or MISC distinguish words of one form and tag, and nothing else does; by values of lists in whichever
/// order, and among others that were not seen in training.
#[test]
fn networks_read_inside_columns() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let treebank = |before: &str, behind: &str| {
        let word = |id: usize, lemma: &str, misc: &str, head: usize, label: &str| {
            let feats = format!("{before}Case={lemma}{behind}");
            format!("{id}\tx\t{lemma}\tX\t_\t{feats}\t{head}\t{label}\t_\t{misc}{behind}\n")
        };
        let first = word(1, "a", "Side=l", 2, "to-right") + &word(2, "r", "Side=m", 0, "root") + "\n";
        let second = word(1, "r", "Side=m", 0, "root") + &word(2, "b", "Side=r", 1, "to-left") + "\n";
        (first + &second).repeat(20)
    };
    fs::write(at.join("train.conllu"), treebank("A=b|", "")).unwrap();
    fs::write(at.join("dev.conllu"), treebank("", "|New=1|A=b")).unwrap();
    fs::write(at.join("clusters"), "0000\tx\n").unwrap();
    for (reads, options, tells_apart) in [
        ("lemma", "", true),
        ("misc:Side suf2", "", true),
        ("pre1 feats:Case c2", "--clusters clusters", true),
        ("feats* suf2", "", true),
        ("misc* feats:A", "", true),
        ("c4 form feats:A", "--clusters clusters", false),
    ] {
        for scorer in ["feed-forward", "bilstm", "stack-lstm"] {
            let places = if scorer == "stack-lstm" { "" } else { "S0 B0 S1\n" };
            fs::write(at.join("my.feat"), format!("network\nreads {reads}\n{places}")).unwrap();
            let sizes = if scorer == "feed-forward" { "" } else { "--lstm-layers 1 --lstm-units 16" };
            let train = format!("train --train train.conllu --scorer {scorer} {sizes} {options} --places my.feat");
            let line = "--system arc-standard --training greedy --iterations 12 --hidden 24 --model model";
            run(at, &format!("{train} {line}"));
            let info: serde_json::Value = serde_json::from_str(&run(at, "model info model --json")).unwrap();
            let inputs: Vec<&str> = reads.split(' ').collect();
            assert_eq!(info["header"]["network"]["inputs"], serde_json::json!(inputs));
            let las = las(at, "model", 1);
            assert!(if tells_apart { las == 100.0 } else { las <= 75.0 }, "{scorer}, {reads}: {las}");
            if reads.contains('*') {
                fewer_bits(at, "model");
                run(at, &format!("{train} --system arc-standard --init model --beam 4 --iterations 1 --model global"));
                assert_eq!(self::las(at, "global", 4), 100.0, "{scorer}, {reads}");
            }
        }
    }
    fs::write(at.join("none.feat"), "network\nreads c4 form feats:A\n").unwrap();
    fs::write(at.join("my.feat"), "network\nreads c4 form feats:A\nS0 B0 S1\n").unwrap();
    let shown = run(at, "features show --places my.feat");
    assert!(shown.starts_with("reads c4 form feats:A\n"), "{shown}");
    for (options, expected) in [
        ("--places my.feat", "features my.feat: `c4` reads clusters of words; expected --clusters FILE"),
        ("--places none.feat", "none.feat: no place whose word is read; expected places such as S0 or S0.l1"),
        (
            "--places my.feat --system tagger --tag-column feats",
            "my.feat: `feats:A` reads the column that the tagger fills",
        ),
    ] {
        let line = format!("train --train train.conllu --scorer feed-forward {options} --model other");
        let refused = treebeam(at, &line).assert().failure();
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{options}: {message}");
    }
}

/// A perceptron over hidden units that stay as they are (Weiss et al. 2015): nothing but the output layer changes.
#[test]
fn the_output_layer_learns_alone() {
    let folder = folder();
    let at = folder.path();
    run(at, &format!("{TRAIN} --system arc-hybrid --training greedy --hidden 32 --iterations 6 --model local"));
    let greedy = las(at, "local", 1);
    for learner in ["perceptron", "adam"] {
        let line =
            format!("--learner {learner} --system arc-hybrid --layers output --init local --beam 4 --iterations 3");
        for threads in [1, 2] {
            run(at, &format!("{TRAIN} {line} --threads {threads} --model frozen{threads}"));
        }
        assert!(fs::read(at.join("frozen1")).unwrap() == fs::read(at.join("frozen2")).unwrap());
        let model = |name: &str| AnyModel::from_bytes(&fs::read(at.join(name)).unwrap(), Path::new(name)).unwrap();
        let parameters = |name: &str| match model(name).scorer {
            AnyScorer::FeedForward(network) => network.parameters().clone(),
            AnyScorer::Linear(_) => unreachable!("{name} is a network"),
        };
        let (before, after) = (parameters("local"), parameters("frozen1"));
        let changed: Vec<usize> =
            (0..before.tensors.len()).filter(|&number| before.tensors[number] != after.tensors[number]).collect();
        assert_eq!(changed.len(), 2, "{learner}: {changed:?}");
        let beam = las(at, "frozen1", 4);
        assert!(beam > greedy - 3.0, "{learner}: {beam} after {greedy}");
        let again = run(at, "model info frozen1");
        assert!(again.contains("--layers output") && again.contains("the output layer alone"), "{again}");
        assert_eq!(again.contains("--learner perceptron"), learner == "perceptron", "{again}");
        let header = model("frozen1").header;
        assert_eq!(header.training["layers"], "output");
        let objective = run(at, &format!("{TRAIN} {line} --objective perceptron --print-options --model other"));
        assert!(!objective.contains("crf"), "{objective}");
    }
}

/// Options that exclude each other are refused, with advice.
#[test]
fn options_of_networks_are_checked() {
    let folder = folder();
    let at = folder.path();
    run(at, &format!("{TRAIN} --system arc-hybrid --training greedy --hidden 8 --iterations 1 --model local"));
    run(at, "train --train train.conllu --quiet --iterations 1 --model linear");
    for (options, expected) in [
        ("--learner ftrl", "expected --learner adam, adagrad or momentum"),
        ("--replicas 2", "networks cannot be added up"),
        ("--decisions separate", "expected --decisions joint"),
        ("--search exact --system arc-hybrid --training global", "the network reads S0.l1; expected --places minimal"),
        ("--search exact --system swap --training global --places minimal", "no exact search for swap"),
        (
            "--search exact --system arc-hybrid --training global --places minimal --update early",
            "expected --update standard",
        ),
        (
            "--search exact --system arc-hybrid --training global --places minimal --objective crf",
            "no beam to sum over",
        ),
        ("--merge --scorer stack-lstm --system arc-hybrid --training global", "reads all actions so far"),
        ("--merge --system arc-hybrid --training global --objective crf", "expected --objective perceptron"),
        ("--places everything", "unknown set of places `everything`; expected one of focus, extended, full"),
        ("--places none.feat", "none.feat"),
        ("--layers output", "expected --init"),
        ("--scorer linear --training greedy --explore-power 0.75", "draws from the probabilities of whole actions"),
        ("--training greedy --explore-power -1", "a number from 0 to 100"),
        ("--learner perceptron", "with --layers output also perceptron"),
        ("--scorer linear --layers output", "expected --scorer feed-forward"),
        ("--scorer linear --learner adam", "expected --scorer feed-forward, bilstm or stack-lstm"),
        ("--scorer linear --activation tanh", "expected --scorer feed-forward"),
        ("--system arc-eager --init local", "another transition system"),
        ("--system arc-hybrid --init local --hidden 9", "another number of hidden units"),
        ("--system arc-hybrid --init local --tag-column xpos", "another choice of columns"),
        ("--system arc-hybrid --init local --places focus", "another choice of places"),
        ("--system arc-hybrid --scorer bilstm --init local", "another kind of network"),
        ("--system arc-hybrid --lstm-units 8", "for --scorer bilstm"),
        ("--scorer linear --places focus", "expected --scorer feed-forward, bilstm or stack-lstm"),
        ("--scorer bilstm --lstm-layers 9", "a whole number from 1 to 8"),
        ("--init linear", "kind `linear`; expected `feed-forward, bilstm or stack-lstm`"),
    ] {
        let line = format!("{} {options} --model other", TRAIN.replace("--scorer feed-forward --quiet", ""));
        let line = if options.contains("--scorer") { line } else { format!("{line} --scorer feed-forward") };
        let refused = treebeam(at, &line).assert().failure();
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{options}: {message}");
    }
}

/// A rate that is far too high is reported, with the rate, and makes no model; of a run that died on the way the best
/// iteration is kept.
#[test]
fn networks_that_learn_nothing_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(1, 60));
    write(at, "dev.conllu", &generated(2, 20));
    let lstm = "--lstm-units 8 --lstm-layers 1";
    for (options, rate, expected) in [
        ("--scorer feed-forward --training greedy --hidden 32 --iterations 20", "0.1", "a standstill"),
        ("--scorer feed-forward --training greedy --hidden 16 --activation tanh --iterations 3", "10", "a standstill"),
        ("--scorer feed-forward --training greedy --hidden 16 --learner momentum --iterations 3", "10", "a standstill"),
        ("--scorer feed-forward --training global --beam 2 --hidden 16 --iterations 8", "0.1", "a standstill"),
        (&format!("--scorer bilstm --training greedy --hidden 16 {lstm} --iterations 3"), "1000", "a standstill"),
        (&format!("--scorer stack-lstm --training greedy --hidden 16 {lstm} --iterations 12"), "1000", "a standstill"),
        (
            "--scorer feed-forward --training greedy --hidden 16 --activation cube --iterations 12",
            "10",
            "next to nothing",
        ),
        (&format!("--system biaffine {lstm} --arc-units 8 --label-units 8 --iterations 12"), "1000", "next to nothing"),
    ] {
        let line = format!("train --train train.conllu --model m --quiet {options} --rate {rate}");
        let refused = treebeam(at, &line).assert().code(2);
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected) && message.contains(&format!("--rate than {rate}")), "{options}: {message}");
        assert!(!at.join("m").exists(), "{options}");
    }
    let line = "--scorer feed-forward --training greedy --hidden 32 --iterations 20 --rate 0.1 --dev dev.conllu";
    let kept = treebeam(at, &format!("train --train train.conllu --model m {line}")).assert().success();
    let message = String::from_utf8_lossy(&kept.get_output().stderr).into_owned();
    assert!(message.contains("a standstill") && message.contains(" is kept"), "{message}");
    assert!(las(at, "m", 1) > 20.0);
    let early = "--scorer stack-lstm --training greedy --iterations 2 --rate 0.0001 --lstm-units 8 --hidden 8";
    let early = treebeam(at, &format!("train --train train.conllu --model early {early}")).assert().success();
    let message = String::from_utf8_lossy(&early.get_output().stderr).into_owned();
    assert!(message.contains("expected another --rate than 0.0001, or more --iterations"), "{message}");
}

/// Every system, activation and learner; what a model file says is what the run had.
#[test]
fn all_systems_and_kinds_of_networks() {
    let train = treebank(generated(3, 24));
    let test = generated(4, 3);
    let learners = [Learner::Adam, Learner::Adagrad, Learner::Momentum];
    let activations = [Activation::Relu, Activation::Cube, Activation::Tanh];
    for (number, &system) in SystemKind::all().iter().enumerate() {
        let training = [Training::Greedy, Training::Global, Training::L2s][number % 3];
        let learner = learners[number / 3 % 3];
        let training =
            if system.greedy_oracle().explores() || training != Training::L2s { training } else { Training::Greedy };
        let options = TrainOptions::of(system, training, learner).with_scorer(ScorerKind::FeedForward);
        let activation = Some(activations[number % 3]);
        let options = TrainOptions { hidden: Some(8), activation, iterations: 1.into(), beam: 3, ..options };
        let encoder = TrainOptions { lstm_units: Some(4), ..options.clone().with_scorer(ScorerKind::Bilstm) };
        let encoder = TrainOptions { iterations: 1.into(), lstm_layers: Some(1 + number as u32 % 2), ..encoder };
        let stacks = TrainOptions { scorer: ScorerKind::StackLstm, ..encoder.clone() };
        for options in [options, encoder, stacks] {
            let data = TrainingData::new(&options, &train, None).unwrap();
            let model = train_any(&options, &data, 1).unwrap();
            let again = AnyModel::from_bytes(&model.to_bytes(), Path::new("again")).unwrap();
            assert_eq!(again.to_bytes(), model.to_bytes(), "{system}");
            let parse = |model: &AnyModel, width| Parser::new(model, width, 1).unwrap().parse(&test, 2);
            for width in [1, 4] {
                let trees = parse(&model, width);
                assert_eq!(trees, parse(&again, width), "{system}");
                assert!(trees.iter().zip(&test).all(|(trees, sentence)| trees[0].tree.n_words() == sentence.n_words()));
            }
            let emptied = in_no_room(&model, &test, 4, 2);
            assert!(emptied == parse(&model, 4), "{system}, {}", options.scorer);
        }
    }
}

/// The `k` best trees by a beam whose memory is emptied as soon as it has doubled.
fn in_no_room(model: &AnyModel, sentences: &[Sentence], width: usize, k: usize) -> Vec<Vec<Parsed>> {
    let Header { system, roots, .. } = model.header;
    let strategy = Strategy::Beam { width };
    let search = Search { system, roots, actions: &model.actions, strategy, margin: NO_MARGIN, marginals: None, k };
    let mut workspace = Workspace { room: 0, ..Workspace::new(model.actions.n_labels()) };
    let parse = |sentence: &Sentence| {
        model.read(sentence, &mut workspace.input);
        search.find(&*model.scorer.scorer(), &mut workspace)
    };
    sentences.iter().map(parse).collect()
}

/// Damaged model files are errors that name the file, even if their checksums are right.
#[test]
fn damaged_networks_are_errors() {
    let encoder = "encoder-inputs encoder-recurrent encoder-bias";
    let stacks = format!("{encoder} tokens tokens-bias composition composition-bias actions");
    let header = damaged(ScorerKind::Bilstm, &format!("{encoder} encoder-none"));
    assert!(header("\"hidden\":3,\"activation\"", "\"hidden\":0,\"activation\"").contains("a layer of 0 numbers"));
    assert!(header("\"layers\":2", "\"layers\":9").contains("9 layers; expected from 1 to 8"));
    assert!(header("\"encoder\":{\"layers\":2,\"units\":3},", "").contains("another kind than the scorer"));
    assert!(header("\"S0\",\"S0.l1\"", "\"S0.l1\",\"B0\"").contains("in the order of their roles"));
    assert!(header("\"S0.l2\"", "\"S0.x\"").contains("no place of a configuration"));
    let header = damaged(ScorerKind::StackLstm, &stacks);
    assert!(header("\"units\":3", "\"units\":0").contains("0 units; expected from 1 to 4096"));
    assert!(header("\"stacks\":{\"layers\":2,\"units\":3},", "").contains("reads the actions but has no stacks"));
    assert!(header("\"S0\",\"A\"", "\"S0\",\"S1\",\"A\"").contains("expected S0, M0, A and B0"));
}

/// Damages a model of this kind, which has these tensors of its own, in many places; then what becomes of it if its header is changed.
fn damaged(scorer: ScorerKind, own: &str) -> impl Fn(&str, &str) -> String + use<> {
    let train = treebank(generated(3, 8));
    let options = TrainOptions::of(treebeam_systems::ARC_HYBRID, Training::Greedy, Learner::Adam).with_scorer(scorer);
    let places = Some("full".to_owned()).filter(|_| scorer == ScorerKind::Bilstm);
    let options = TrainOptions { hidden: Some(3), places, iterations: 1.into(), ..options };
    let options = TrainOptions { lstm_layers: Some(2), lstm_units: Some(3), ..options };
    let data = TrainingData::new(&options, &train, None).unwrap();
    let bytes = train_any(&options, &data, 1).unwrap().to_bytes();
    let read = |bytes: &[u8]| AnyModel::from_bytes(bytes, Path::new("small.model"));
    for len in (0..bytes.len()).step_by(997) {
        assert!(read(&bytes[..len]).unwrap_err().to_string().starts_with("small.model: "));
    }
    let kind = FileKind { magic: b"treebeam", version: 4, name: "model" };
    let whole = kind.unpack(bytes, Path::new("small.model")).unwrap();
    let columns = (0..5).map(|column| format!("values-{column}"));
    let tensors =
        format!("words tags prefixes suffixes shapes labels places label-places bias output output-bias {own}");
    let names: Vec<String> = ["header", "scorer"]
        .into_iter()
        .map(str::to_owned)
        .chain(columns)
        .chain(tensors.split(' ').map(str::to_owned))
        .collect();
    /// New contents of the section of a name; none leaves it out.
    type Change<'c> = &'c dyn Fn(&str, Vec<u8>) -> Option<Vec<u8>>;
    let packed = |change: Change| {
        let sections = names.iter().filter_map(|name| {
            let bytes = change(name, whole.get(name).unwrap().to_vec())?;
            Some(Section::new(name.clone(), bytes))
        });
        kind.pack(&sections.collect::<Vec<_>>())
    };
    read(&packed(&|_, bytes| Some(bytes))).unwrap();
    // Not all networks read labels.
    for damaged in names.iter().filter(|name| !whole.get(name).unwrap().is_empty()) {
        let refused = |change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
            let bytes = packed(&|name, bytes| if name == damaged { change(bytes) } else { Some(bytes) });
            let error = read(&bytes).expect_err(damaged).to_string();
            assert!(error.starts_with("small.model: "), "{error}");
        };
        refused(&|_| None);
        refused(&|bytes| Some(bytes[..bytes.len().saturating_sub(8)].to_vec()));
        if tensors.split(' ').any(|tensor| tensor == damaged) {
            refused(&|bytes| Some([&f32::NAN.to_le_bytes()[..], &bytes[4..]].concat()));
        }
    }
    move |from, to| {
        let sections = names.iter().map(|name| {
            let bytes = whole.get(name).unwrap().to_vec();
            let text = || String::from_utf8(bytes.clone()).unwrap().replace(from, to).into_bytes();
            Section::new(name.clone(), if name == "header" { text() } else { bytes })
        });
        let bytes = kind.pack(&sections.collect::<Vec<_>>());
        AnyModel::from_bytes(&bytes, Path::new("small.model")).unwrap_err().to_string()
    }
}
