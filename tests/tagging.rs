//! Taggers from outside: trained, applied, scored, and before a parser.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{generated, generated_non_projective, treebeam, write};

/// A folder with training and test data, and a tagger of UPOS.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "train.conllu", &generated(61, 150));
    write(folder.path(), "test.conllu", &generated(62, 40));
    let line = "train --system tagger --train train.conllu --model upos.model --iterations 3";
    treebeam(folder.path(), line).assert().success();
    folder
}

fn output(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn refusal(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().code(2);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The text with `_` in these columns of words, from 0.
fn without(text: &str, columns: &[usize]) -> String {
    let blank = |line: &str| {
        let fields = line.split('\t').enumerate();
        fields.map(|(at, field)| if columns.contains(&at) { "_" } else { field }).collect::<Vec<_>>().join("\t")
    };
    text.lines().map(|line| if line.contains('\t') { blank(line) } else { line.to_owned() } + "\n").collect()
}

fn accuracy(folder: &Path, gold: &str, system: &str) -> f64 {
    let json = output(folder, &format!("eval --json --tags upos {gold} {system}"));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["tags"], "UPOS");
    report["systems"][0]["scores"][0]["las"].as_f64().unwrap()
}

/// Nothing but the column is changed, and nothing is read of it.
#[test]
fn a_tagger_fills_its_column_and_leaves_the_others() {
    let folder = folder();
    let gold = fs::read_to_string(folder.path().join("test.conllu")).unwrap();
    fs::write(folder.path().join("words.conllu"), without(&gold, &[3])).unwrap();
    let tagged = output(folder.path(), "tag --model upos.model words.conllu");
    assert_eq!(without(&tagged, &[3]), without(&gold, &[3]));
    assert_eq!(output(folder.path(), "parse --model upos.model test.conllu"), tagged);
    fs::write(folder.path().join("tagged.conllu"), &tagged).unwrap();
    let accuracy = accuracy(folder.path(), "test.conllu", "tagged.conllu");
    assert!((60.0..100.0).contains(&accuracy), "{accuracy}");
    let text = output(folder.path(), "eval --tags upos test.conllu tagged.conllu");
    assert!(text.contains(&format!("UPOS: accuracy {accuracy:.2} (")), "{text}");
    // The enhanced graph does not go with tags.
    let enhanced = "1\tdog\t_\tX\t_\t_\t0\troot\t0:root\t_\n1.1\tso\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\n";
    fs::write(folder.path().join("enhanced.conllu"), enhanced).unwrap();
    let tagged = output(folder.path(), "tag --model upos.model enhanced.conllu");
    assert_eq!(without(&tagged, &[3]), without(enhanced, &[3]));
}

#[test]
fn searches_of_parsers_are_those_of_taggers() {
    let folder = folder();
    let best = |n: usize| output(folder.path(), &format!("tag --model upos.model --beam 16 --k-best {n} test.conllu"));
    assert_eq!(best(3).matches("# rank = 1\n").count(), 40);
    assert!(best(3).matches("# rank = 2\n").count() > 30);
    for training in ["--training greedy --oracle static", "--training l2s", "--training greedy --scorer feed-forward"] {
        let line = format!("train --system tagger --train train.conllu --model m --iterations 2 {training}");
        treebeam(folder.path(), &line).assert().success();
        fs::write(folder.path().join("t"), output(folder.path(), "tag --model m test.conllu")).unwrap();
        let accuracy = accuracy(folder.path(), "test.conllu", "t");
        assert!(accuracy > 50.0, "{training}: {accuracy}");
    }
}

/// A parser behind a tagger reads its tags: as if the tagged text had been written in between.
#[test]
fn a_pipeline_is_its_parts_one_after_the_other() {
    let folder = folder();
    let path = folder.path();
    treebeam(path, "train --train train.conllu --model trees.model --iterations 2").assert().success();
    let gold = fs::read_to_string(path.join("test.conllu")).unwrap();
    fs::write(path.join("words.conllu"), without(&gold, &[3, 6, 7])).unwrap();
    let both = output(path, "parse --model upos.model --model trees.model words.conllu");
    fs::write(path.join("tagged.conllu"), output(path, "tag --model upos.model words.conllu")).unwrap();
    assert_eq!(output(path, "parse --model trees.model tagged.conllu"), both);
    let error = refusal(path, "parse --model trees.model --model upos.model words.conllu");
    assert!(error.contains("trees.model: a model of `arc-eager`; expected taggers before the last model"), "{error}");
}

/// A template with each value stands for one for each name in the training data: the same model as if they were written out.
#[test]
fn each_value_of_a_list_is_a_template() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let sentence =
        "1\tdogs\t_\tN\t_\tCase=Nom|Number=Plur\t2\tsubj\t_\t_\n2\tbark\t_\tV\t_\tTense=Pres\t0\troot\t_\tGloss=x\n\n";
    fs::write(path.join("train.conllu"), sentence.repeat(4)).unwrap();
    let header = |features: &str| {
        fs::write(path.join("my.feat"), features).unwrap();
        let line = "train --train train.conllu --features my.feat --model m --iterations 2";
        treebeam(path, line).assert().success();
        let json: serde_json::Value = serde_json::from_str(&output(path, "model info --json m")).unwrap();
        (json["header"]["feature_text"].as_str().unwrap().to_owned(), output(path, "parse --model m train.conllu"))
    };
    let each = header("# mine\nS0.feats* B0.p\nB0.misc*\nS0.w\n");
    let written = "# mine\nS0.feats:Case B0.p\nS0.feats:Number B0.p\nS0.feats:Tense B0.p\nB0.misc:Gloss\nS0.w\n";
    assert_eq!(each, header(written));
    assert_eq!(each.0, written);
    let shown = output(path, "features show --features my.feat");
    assert!(shown.contains("S0.feats:Tense B0.p"), "{shown}");
    fs::write(path.join("my.feat"), "B0.feats*\n").unwrap();
    let shown = output(path, "features show --features my.feat train.conllu --sentence 1");
    assert!(shown.contains("B0.feats:Number") && shown.contains("Pres"), "{shown}");
    fs::write(path.join("my.feat"), "S0.feats*=Plur B0.w\n").unwrap();
    let error = refusal(path, "features show --features my.feat");
    assert!(error.contains("my.feat:1: column 11"), "{error}");
}

/// Systems that tag, too, read none of the tags that they are to give, and write trees and tags.
#[test]
fn tags_and_trees_are_derived_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "train.conllu", &generated_non_projective(61, 150));
    write(path, "dev.conllu", &generated_non_projective(63, 60));
    write(path, "test.conllu", &generated_non_projective(62, 40));
    let gold = fs::read_to_string(path.join("test.conllu")).unwrap();
    fs::write(path.join("words.conllu"), without(&gold, &[3, 6, 7])).unwrap();
    let options = [
        "",
        "--training greedy",
        "--training l2s",
        "--update restart",
        "--nonprojective lift",
        "--learner svm --training greedy",
    ];
    let systems = ["arc-eager", "swap", "arc-standard"];
    for (options, system) in options.iter().zip(systems.iter().cycle()) {
        let line = "train --joint-tags --train train.conllu --dev dev.conllu --model m --iterations 3 --beam 4";
        let line = if options.contains("greedy") || options.contains("l2s") { &line[..line.len() - 9] } else { line };
        treebeam(path, &format!("{line} --system {system} {options}")).assert().success();
        let parsed = output(path, "parse --model m words.conllu");
        assert_eq!(without(&parsed, &[3, 6, 7]), without(&gold, &[3, 6, 7]));
        assert_eq!(output(path, "parse --model m --threads 2 test.conllu"), parsed, "no tag of the input is read");
        fs::write(path.join("parsed.conllu"), &parsed).unwrap();
        treebeam(path, "treebank check --level 1 parsed.conllu").assert().success();
        let tags = accuracy(path, "test.conllu", "parsed.conllu");
        let json = output(path, "eval --json test.conllu parsed.conllu");
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        let las = report["systems"][0]["scores"][0]["las"].as_f64().unwrap();
        assert!(tags > 60.0 && las > 40.0, "{system} {options}: {tags} {las}");
    }
    // Values of templates in words are those of the features that fire.
    let line =
        "train --joint-tags --train train.conllu --model n --training greedy --replicas 1 --iterations 1 --watch 3";
    let assert = treebeam(path, line).assert().success();
    let watched = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(watched.contains("TAG:DET"), "{watched}");
    let best = output(path, "parse --model m --beam 8 --k-best 3 words.conllu");
    assert_eq!(best.matches("# rank = 1\n").count(), 40);
    assert!(output(path, "model info m").contains("fills universal parts of speech (UPOS) too"));
    for (line, message) in [
        ("train --system covington --joint-tags --train train.conllu --model n", "and that is not so in covington"),
        (
            "train --system arc-hybrid-rootless --joint-tags --train train.conllu --model n",
            "and that is not so in arc-hybrid-rootless",
        ),
        ("train --system tagger --joint-tags --train train.conllu --model n", "and that is not so in tagger"),
        ("train --joint-tags --tag-column form --train train.conllu --model n", "expected upos, xpos or feats"),
        ("train --joint-tags --scorer bilstm --train train.conllu --model n", "expected --scorer linear"),
        ("train --joint-tags --train words.conllu --model n", "words.conllu:"),
        ("train --joint-tags --merge --train train.conllu --model n", "arc-eager+tags"),
        ("parse --model m --keep-heads test.conllu", "the model tags"),
        ("parse --model m --confidences 4 --beam 8 test.conllu", "the model tags"),
        ("trace --model m test.conllu", "the model tags and parses"),
    ] {
        let error = refusal(path, line);
        assert!(error.contains(message), "{line}: {error}");
    }
}

/// No part is tagged by a model that has seen it: of a word that stands in one part alone nobody else knows the tag.
#[test]
fn jackknifed_tags_are_of_models_that_have_not_seen_them() {
    let folder = folder();
    let path = folder.path();
    let line = |threads| format!("treebank jackknife --folds 5 --iterations 2 --threads {threads} train.conllu");
    let jackknifed = output(path, &line(1));
    assert_eq!(output(path, &line(2)), jackknifed, "threads do not matter");
    let gold = fs::read_to_string(path.join("train.conllu")).unwrap();
    assert_eq!(without(&jackknifed, &[3]), without(&gold, &[3]));
    // The first fifth, tagged by hand.
    let of = |text: &str, sentences: std::ops::Range<usize>| -> String {
        text.split_inclusive("\n\n").skip(sentences.start).take(sentences.len()).collect()
    };
    fs::write(path.join("others.conllu"), of(&gold, 30..150)).unwrap();
    fs::write(path.join("first.conllu"), of(&gold, 0..30)).unwrap();
    treebeam(path, "train --system tagger --train others.conllu --model m --iterations 2").assert().success();
    assert_eq!(output(path, "tag --model m first.conllu"), of(&jackknifed, 0..30));
    assert_ne!(output(path, "tag --model upos.model first.conllu"), of(&jackknifed, 0..30));
    let error = refusal(path, "treebank jackknife --folds 151 train.conllu");
    assert!(error.contains("train.conllu: 151 folds of 150 sentences; expected from 2 to 150 folds"), "{error}");
    fs::write(path.join("one.conllu"), of(&gold, 0..1)).unwrap();
    let error = refusal(path, "treebank jackknife one.conllu");
    assert!(error.contains("one.conllu: 10 folds of 1 sentence; expected two sentences or more"), "{error}");
    // Parsers, too.
    let parsed = output(path, "treebank jackknife --system arc-eager --folds 2 --iterations 1 train.conllu");
    assert_eq!(without(&parsed, &[6, 7]), without(&gold, &[6, 7]));
}

/// A tagger's most probable tags stand in MISC, where a parser that tags, too, reads those of words to come.
#[test]
fn joint_parsers_read_alternatives_of_a_tagger() {
    let folder = folder();
    let path = folder.path();
    let gold = fs::read_to_string(path.join("train.conllu")).unwrap();
    // By word the tag in the column, and those in MISC.
    let tags = |text: &str| -> Vec<(String, Vec<String>)> {
        let columns =
            text.lines().map(|line| line.split('\t').collect::<Vec<_>>()).filter(|columns| columns.len() == 10);
        let ranked =
            |rank: usize, attribute: &str| attribute.strip_prefix(&format!("Tag{}=", rank + 1)).map(str::to_owned);
        let of = |misc: &str| misc.split('|').enumerate().map(|(rank, tag)| ranked(rank, tag).unwrap()).collect();
        columns.map(|columns| (columns[3].to_owned(), of(columns[9]))).collect()
    };
    let tagged = output(path, "tag --model upos.model --alternatives 3 test.conllu");
    assert_eq!(without(&tagged, &[9]), output(path, "tag --model upos.model --margin none test.conllu"));
    assert_eq!(output(path, "tag --model upos.model --alternatives 3 --threads 2 test.conllu"), tagged);
    let found = tags(&tagged);
    let n = |n: usize| found.iter().filter(|(_, ranked)| ranked.len() == n).count();
    assert!(n(0) == 0 && n(1) > 0 && n(2) > 0 && n(4) == 0, "{tagged}");
    assert!(
        found.iter().all(|(_, ranked)| ranked.iter().collect::<std::collections::HashSet<_>>().len() == ranked.len())
    );
    let first = found.iter().filter(|(best, ranked)| ranked[0] == *best).count();
    assert!(first * 20 > found.len() * 19, "{first} of {}", found.len());
    // Greedily there is one.
    let greedy = tags(&output(path, "tag --model upos.model --beam 1 --alternatives 3 test.conllu"));
    assert!(greedy.iter().all(|(best, ranked)| *ranked == [best.clone()]));

    let line = "treebank jackknife --folds 5 --iterations 2 --alternatives 2 train.conllu";
    let jackknifed = output(path, line);
    assert_eq!(without(&jackknifed, &[9]), without(&gold, &[9]), "the gold tags stay");
    let right = tags(&jackknifed).iter().filter(|(gold, ranked)| ranked[0] == *gold).count();
    assert!(right < gold.lines().filter(|line| line.contains('\t')).count());
    fs::write(path.join("tags.conllu"), jackknifed).unwrap();
    let train = "train --joint-tags --training greedy --iterations 2 --train tags.conllu --model m";
    treebeam(path, &format!("{train} --features zn11+joint+joint-tagged")).assert().success();
    let behind = output(path, "parse --model upos.model --model m --alternatives 2 test.conllu");
    fs::write(path.join("tagged.conllu"), output(path, "tag --model upos.model --alternatives 2 test.conllu")).unwrap();
    assert_eq!(output(path, "parse --model m tagged.conllu"), behind);
    // Only the tagger of the joint parser's column writes ranks.
    let with_xpos = |line: &str| {
        let mut columns: Vec<&str> = line.split('\t').collect();
        if columns.len() == 10 {
            columns[4] = columns[3];
        }
        columns.join("\t") + "\n"
    };
    fs::write(path.join("xpos.conllu"), gold.lines().map(with_xpos).collect::<String>()).unwrap();
    let train = "train --system tagger --tag-column xpos --iterations 2 --train xpos.conllu --model xpos.model";
    treebeam(path, train).assert().success();
    for taggers in ["--model xpos.model --model upos.model", "--model upos.model --model xpos.model"] {
        let two = output(path, &format!("parse {taggers} --model m --alternatives 2 test.conllu"));
        assert_ne!(two, behind, "there are tags of XPOS, too");
        assert_eq!(without(&two, &[4]), without(&behind, &[4]), "{taggers}");
    }
    // Tags of an earlier call go, with all ranks.
    let again = output(path, "tag --model upos.model --alternatives 1 tagged.conllu");
    assert!(again.contains("Tag1=") && !again.contains("Tag2="));
    assert_ne!(without(&output(path, "parse --model m test.conllu"), &[9]), without(&behind, &[9]));
    fs::write(path.join("test.conllx"), "1\tx\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n\n").unwrap();
    for (line, message) in [
        ("parse --model m --alternatives 2 test.conllu", "--alternatives is for taggers"),
        ("tag --model upos.model --alternatives 10 test.conllu", "from 1 to 9"),
        ("tag --model upos.model --alternatives 2 test.conllx", "CoNLL-X has no such column"),
        (
            "treebank jackknife --system arc-eager --folds 2 --iterations 1 --alternatives 2 train.conllu",
            "a tagger's tags",
        ),
    ] {
        let error = refusal(path, line);
        assert!(error.contains(message), "{line}: {error}");
    }
}

/// Cells read what a tagger makes of their data; punctuation is gold's all the same.
#[test]
fn experiments_read_predicted_tags() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let spec = r#"
name = "tags"
title = "Tags"
[profiles.quick]
treebanks = ["generated:1,200,projective"]
seeds = [1]
[base]
training = "greedy"
iterations = 2
replicas = 1
[[row]]
name = "parser"
[[column]]
name = "gold"
[[column]]
name = "predicted"
tags = "jackknifed"
[[column]]
name = "none"
tags = "none"
[[column]]
name = "joint"
tags = "jackknifed"
options = { joint-tags = true, features = "zn11+joint+joint-tagged" }
"#;
    fs::write(path.join("tags.toml"), spec).unwrap();
    treebeam(path, "experiment run tags.toml --out runs").assert().success();
    treebeam(path, "experiment table tags.toml --out runs").assert().success();
    let records = fs::read_to_string(path.join("runs/records.jsonl")).unwrap();
    let records: Vec<serde_json::Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |column: &str| records.iter().find(|record| record["column"] == column).unwrap();
    let las = |column: &str| of(column)["decodings"][0]["test"]["with_punctuation"]["labelled"].as_u64().unwrap();
    let words = |column: &str| of(column)["decodings"][0]["test"]["without_punctuation"]["tokens"].clone();
    assert!(
        las("gold") > las("predicted") && las("predicted") > las("none"),
        "{} {} {}",
        las("gold"),
        las("predicted"),
        las("none")
    );
    assert!(las("joint") > las("none") && of("joint")["tagging"] == of("predicted")["tagging"]);
    assert_eq!((words("gold"), words("none")), (words("predicted"), words("predicted")));
    let tagging = &of("predicted")["tagging"];
    let [right, all] = ["right", "words"].map(|key| tagging[key][0].as_u64().unwrap() as f64);
    assert!((0.5..1.0).contains(&(right / all)), "{tagging}");
    assert_eq!((tagging["folds"].as_u64(), tagging["options"]["system"].as_str()), (Some(10), Some("tagger")));
    assert!(of("gold").get("tagging").is_none());
    let table = fs::read_to_string(path.join("runs/quick.md")).unwrap();
    assert!(table.contains("gold tokens, tags as rows and columns say"), "{table}");
    assert!(table.contains("Accuracy on test data: UPOS of generated:1,200,projective "), "{table}");
    let error = refusal(path, "experiment plan tags.toml --set system=tagger");
    assert!(error.contains("tags of what tags, and reads none"), "{error}");
    let error = refusal(path, "experiment plan tags.toml --set joint-tags=true");
    assert!(error.contains("no tags for a parser that tags, too; expected tags = \"jackknifed\""), "{error}");
}

#[test]
fn what_a_tagger_cannot_learn_is_refused() {
    let folder = folder();
    let path = folder.path();
    let train = "train --system tagger --train train.conllu --model m";
    let error = refusal(path, &format!("{train} --tag-column lemma"));
    assert!(error.contains("expected upos, xpos or feats"), "{error}");
    let error = refusal(path, &format!("{train} --features zn11"));
    assert!(error.contains("`S0.p` reads the column that the tagger fills"), "{error}");
    fs::write(path.join("mine.feat"), "# mine\nB0.w\nB0.upos\n").unwrap();
    let error = refusal(path, &format!("{train} --features mine.feat"));
    assert!(error.contains("mine.feat:3: `B0.upos` reads the column"), "{error}");
    let error = refusal(path, &format!("{train} --roots single"));
    assert!(error.contains("--roots several"), "{error}");
    let gold = fs::read_to_string(path.join("train.conllu")).unwrap();
    fs::write(path.join("half.conllu"), without(&gold, &[4])).unwrap();
    let error = refusal(path, "train --system tagger --tag-column xpos --train half.conllu --model m");
    assert!(
        error.contains("half.conllu:") && error.contains("the tag `_` of word 1; expected a value in XPOS"),
        "{error}"
    );
    assert!(!path.join("m").exists());
    // In FEATS `_` is a value; heads are not asked for.
    fs::write(path.join("half.conllu"), without(&gold, &[4, 5, 6, 7])).unwrap();
    let line = "train --system tagger --tag-column feats --train half.conllu --model m --iterations 1";
    treebeam(path, line).assert().success();
}

/// A model keeps the clusters that its features read; words that training never saw are known by them.
#[test]
fn clusters_are_read_and_kept() {
    let folder = folder();
    let path = folder.path();
    let gold =
        fs::read_to_string(path.join("train.conllu")).unwrap() + &fs::read_to_string(path.join("test.conllu")).unwrap();
    let tags: std::collections::BTreeSet<&str> = gold.lines().filter_map(|line| line.split('\t').nth(3)).collect();
    let words = gold.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        Some((fields.get(1)?.to_lowercase(), format!("{:05b}", tags.iter().position(|tag| *tag == fields[3])?)))
    });
    let words: std::collections::BTreeMap<String, String> = words.collect();
    let text: String = words.iter().map(|(word, bits)| format!("{bits}\t{word}\t1\n")).collect();
    fs::write(path.join("paths"), text).unwrap();
    fs::write(path.join("mine.feat"), "# mine\nB0.c\nB0.c2\nS0.c\n").unwrap();
    let train = "train --system tagger --train train.conllu --iterations 3 --replicas 1 --features mine.feat --model m";
    treebeam(path, &format!("{train} --clusters paths")).assert().success();
    fs::remove_file(path.join("paths")).unwrap();
    fs::write(path.join("t"), output(path, "tag --model m test.conllu")).unwrap();
    let accuracy = accuracy(path, "test.conllu", "t");
    assert!(accuracy > 97.0, "paths decide the tags: {accuracy}");
    let info: serde_json::Value = serde_json::from_str(&output(path, "model info --json m")).unwrap();
    assert_eq!(info["header"]["clusters"]["words"].as_u64(), Some(words.len() as u64));
    let error = refusal(path, train);
    assert!(error.contains("features mine.feat: `B0.c` reads clusters of words; expected --clusters FILE"), "{error}");
    fs::write(path.join("paths"), "01 a\n").unwrap();
    let error = refusal(path, &format!("{train} --clusters paths"));
    assert!(error.contains("paths:1: `01 a`; expected a path and a word"), "{error}");
    let error = refusal(path, "train --train train.conllu --model m --clusters paths");
    assert!(error.contains("--clusters is read by features such as S0.c4"), "{error}");
}
