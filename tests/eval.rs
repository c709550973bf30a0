//! `treebeam eval` as its users run it.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;
use treebeam::eval::{BreakdownSection, EvalInput, EvalOptions, Headline, Report};
use treebeam_lab::evaluation::render;

/// "She left." and "No one, seriously, knew": the second non-projective, with a subtype and a multiword range.
const GOLD: &str = "\
# sent_id = s1
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

# sent_id = s2
1-2\tNoone\t_\t_\t_\t_\t_\t_\t_\t_
1\tNo\tno\tDET\t_\t_\t2\tdet:neg\t_\t_
2\tone\tone\tPRON\t_\t_\t4\tnsubj\t_\t_
3\tseriously\tseriously\tADV\t_\t_\t0\troot\t_\t_
4\tknew\tknow\tVERB\t_\t_\t3\tparataxis\t_\t_

";

/// A folder with `gold` in it, and what else a test needs.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gold"), GOLD).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn eval(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("treebeam").unwrap();
    command.current_dir(folder).arg("eval").args(arguments).output().unwrap()
}

/// The JSON of a run that must succeed.
fn json(folder: &TempDir, arguments: &[&str]) -> Value {
    let output = eval(folder.path(), &[arguments, &["--json", "--samples", "200"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// GOLD with one place changed, which must exist.
fn changed(from: &str, to: &str) -> String {
    assert_eq!(GOLD.matches(from).count(), 1, "{from}");
    GOLD.replace(from, to)
}

/// Runs `eval gold system` on a system that must be refused, and returns what it says.
fn refused(system: &str) -> String {
    let folder = folder(&[("system", system)]);
    let output = eval(folder.path(), &["gold", "system"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

/// Wrong: the head of "No" and its label's subtype; the head and the label of the full stop.
fn wrong() -> String {
    changed("2\tdet:neg", "4\tdet").replace("2\tpunct", "1\tdep")
}

#[test]
fn tables() {
    let folder = folder(&[("system", &wrong())]);
    let output = eval(folder.path(), &["gold", "system", "--samples", "100"]);
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
    gold: 2 sentences, 7 words
    punctuation: 1 words (UPOS = PUNCT)

    system

    punctuation  subtypes  sentences  n        UAS        LAS  label accuracy  exact UAS  exact LAS
    included     kept              2  7  71.43 (5)  71.43 (5)       71.43 (5)   0.00 (0)   0.00 (0)
    included     dropped           2  7  71.43 (5)  71.43 (5)       85.71 (6)   0.00 (0)   0.00 (0)
    excluded     kept              2  6  83.33 (5)  83.33 (5)       83.33 (5)  50.00 (1)  50.00 (1)
    excluded     dropped           2  6  83.33 (5)  83.33 (5)      100.00 (6)  50.00 (1)  50.00 (1)

    95% intervals (punctuation included, subtypes kept): UAS 66.67 to 75.00, LAS 66.67 to 75.00 (bootstrap, 100 samples of sentences, seed 1)
    as eval.py of Universal Dependencies has it (F1, subtypes dropped): CLAS 90.91, MLAS 54.55, BLEX 90.91
    labels that gold does not have: dep (1), det (1)

    by arc length, unlabelled (punctuation included, subtypes kept)

    length  gold      recall  predicted   precision      F1
    root       2  100.00 (2)          2  100.00 (2)  100.00
    1          4   50.00 (2)          2  100.00 (2)   66.67
    2          1  100.00 (1)          2   50.00 (1)   66.67
    3-6        0           -          1    0.00 (0)    0.00
    7+         0           -          0           -       -

    by label, head and label right (punctuation included, subtypes kept)

    label      gold      recall  predicted   precision      F1
    nsubj         2  100.00 (2)          2  100.00 (2)  100.00
    root          2  100.00 (2)          2  100.00 (2)  100.00
    parataxis     1  100.00 (1)          1  100.00 (1)  100.00
    det:neg       1    0.00 (0)          0           -    0.00
    punct         1    0.00 (0)          0           -    0.00
    dep           0           -          1    0.00 (0)    0.00
    det           0           -          1    0.00 (0)    0.00

    by sentence length in words (punctuation included, subtypes kept)

    length  sentences  n        UAS        LAS  label accuracy  exact UAS  exact LAS
    1-10            2  7  71.43 (5)  71.43 (5)       71.43 (5)   0.00 (0)   0.00 (0)
    11-20           0  0          -          -               -          -          -
    21-30           0  0          -          -               -          -          -
    31-40           0  0          -          -               -          -          -
    41-50           0  0          -          -               -          -          -
    51+             0  0          -          -               -          -          -

    by projectivity, unlabelled (punctuation included, subtypes kept)

    arcs            gold      recall  predicted   precision     F1
    projective         6   66.67 (4)          4  100.00 (4)  80.00
    non-projective     1  100.00 (1)          3   33.33 (1)  50.00
    "#);
}

#[test]
fn reliability_of_confidences() {
    let with_confidences =
        |line: &str, confidences: &str| changed(line, &line.replacen("\t_\t_", &format!("\t_\t{confidences}"), 1));
    let she = "2\tnsubj\t_\t_\n2\tleft";
    let system = with_confidences(she, "HeadConf=0.95|LabelConf=0.50")
        .replace("0\troot\t_\t_\n3\t.", "3\tdep\t_\tX=y|HeadConf=0.91\n3\t.");
    let system = system.replace("2\tpunct\t_\t_", "0\tpunct\t_\tHeadConf=0.2|LabelConf=0.4");
    let folder = folder(&[("system", &system)]);
    let output = eval(folder.path(), &["gold", "system", "--samples", "100", "--by", "confidence"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!(text.split_once("\nby ").unwrap().1, @r#"
    confidence (punctuation included, subtypes kept)

    of                           confidence  words   mean   right  expected calibration error   Brier
    head                         0.2 to 0.3      1  20.00    0.00
    head                         0.9 to 1.0      2  93.00   50.00
    head                         all             3  68.67   33.33                       35.33  0.2902
    label, the head being right  0.5 to 0.6      1  50.00  100.00
    label, the head being right  all             1  50.00  100.00                       50.00  0.2500
    "#);
    let output = eval(folder.path(), &["gold", "gold", "--by", "confidence"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no scored word has HeadConf or LabelConf"));
    assert!(
        refused(&with_confidences(she, "HeadConf=1.5"))
            .contains("system:2 (sentence s1): HeadConf=1.5 in MISC; expected a probability from 0 to 1")
    );
}

#[test]
fn counts_by_hand() {
    let folder = folder(&[("system", &wrong())]);
    let report = json(&folder, &["gold", "system"]);
    assert_eq!((report["sentences"].as_u64(), report["words"].as_u64()), (Some(2), Some(7)));
    assert_eq!(report["punctuation_rule"], "upos");
    let scores = report["systems"][0]["scores"].as_array().unwrap();
    let figures: Vec<_> = scores
        .iter()
        .map(|s| {
            let of = |name: &str| s[name].as_u64().unwrap();
            let what = (s["punctuation"].as_str().unwrap(), s["granularity"].as_str().unwrap());
            (what, of("tokens"), of("heads"), of("labelled"), of("labels"), of("exact_heads"))
        })
        .collect();
    assert_eq!(
        figures,
        [
            (("include", "full"), 7, 5, 5, 5, 0),
            (("include", "universal"), 7, 5, 5, 6, 0),
            (("exclude", "full"), 6, 5, 5, 5, 1),
            (("exclude", "universal"), 6, 5, 5, 6, 1),
        ]
    );
    assert_eq!(scores[0]["uas"].as_f64().unwrap(), 100.0 * 5.0 / 7.0);
}

#[test]
fn breakdowns_follow_the_headline() {
    let folder = folder(&[("system", &wrong())]);
    let labels = |arguments: &[&str]| -> Vec<(String, u64)> {
        let report = json(&folder, &[&["gold", "system", "--by", "label"], arguments].concat());
        let breakdowns = &report["systems"][0]["breakdowns"];
        assert!(breakdowns.get("length").is_none());
        let classes = breakdowns["label"].as_array().unwrap().iter();
        classes.map(|c| (c["class"].as_str().unwrap().to_owned(), c["gold"].as_u64().unwrap())).collect()
    };
    let has = |classes: &[(String, u64)], label: &str| classes.iter().any(|(class, _)| class == label);
    let all = labels(&[]);
    assert!(has(&all, "det:neg") && has(&all, "punct") && has(&all, "dep"));
    let words = labels(&["--punct", "exclude", "--granularity", "universal"]);
    assert!(!has(&words, "det:neg") && has(&words, "det") && !has(&words, "punct") && !has(&words, "dep"));
}

#[test]
fn a_page_needs_nothing_else_and_has_every_breakdown() {
    let folder = folder(&[("system", &wrong()), ("<b>other", GOLD)]);
    let output = eval(folder.path(), &["gold", "system", "<b>other", "--html", "page.html", "--samples", "50"]);
    assert!(output.status.success() && output.stdout.is_empty());
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for expected in [
        "default-src 'none'; style-src 'unsafe-inline'",
        "&lt;b&gt;other against system",
        "Both by tag of the word",
        "By label in gold and in the system",
        "By direction and distance of the head",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("url("));
    // A line for each class that gold has, a dot for each system.
    let picture = |page: &str| {
        let start = page.find("<figcaption>F1 of heads by the distance between word and head").unwrap();
        page[start..start + page[start..].find("</figure>").unwrap()].to_owned()
    };
    let both = picture(&page);
    let (lines, dots) = (both.matches("<tr><th").count(), both.matches("class=\"dot s").count());
    assert!(lines > 1 && dots == 2 * lines, "{both}");
    assert_eq!(both.matches("class=\"dot s1\" style=\"left:100%\"").count(), lines, "the second is perfect: {both}");
    assert!(eval(folder.path(), &["gold", "system", "--html", "page.html", "--samples", "50"]).status.success());
    let one = picture(&fs::read_to_string(folder.path().join("page.html")).unwrap());
    assert_eq!(one.matches("class=\"dot s0\"").count(), lines, "{one}");
    let report = json(&folder, &["gold", "system", "<b>other"]);
    assert_eq!(report["format"].as_u64(), Some(2));
    let compared = report["compared"].as_array().unwrap();
    let words = |section: &str| -> u64 {
        compared.iter().filter(|c| c["section"] == section).map(|c| c["gold"].as_u64().unwrap()).sum()
    };
    for section in ["label", "tag", "direction", "length"] {
        assert_eq!(words(section), 7, "{section}: every word is in one class");
    }
}

#[test]
fn the_same_file_is_perfect_and_does_not_differ_from_itself() {
    let folder = folder(&[]);
    let report = json(&folder, &["gold", "gold", "gold"]);
    for test in report["comparison"].as_array().unwrap() {
        assert_eq!((test["p"].as_f64(), test["difference"].as_f64()), (Some(1.0), Some(0.0)));
        assert_eq!(test["tied"].as_u64(), Some(2));
    }
    for score in report["systems"][1]["scores"].as_array().unwrap() {
        assert_eq!((score["las"].as_f64(), score["exact_match_labelled"].as_f64()), (Some(100.0), Some(100.0)));
    }
}

#[test]
fn the_seed_decides_and_the_number_of_threads_does_not() {
    let (mut gold, mut first, mut second) = (String::new(), String::new(), String::new());
    for i in 0..40 {
        gold += GOLD;
        first += if i % 3 == 0 { GOLD.to_owned() } else { wrong() }.as_str();
        second += if i % 5 == 0 { GOLD.to_owned() } else { wrong() }.as_str();
    }
    let folder = folder(&[("many", &gold), ("first", &first), ("second", &second)]);
    let run = |seed: &str, threads: &str| {
        let mut command = Command::cargo_bin("treebeam").unwrap();
        command.current_dir(folder.path()).env("RAYON_NUM_THREADS", threads);
        command.args(["eval", "many", "first", "second", "--json", "--seed", seed]).output().unwrap().stdout
    };
    let one = run("7", "1");
    assert!(!one.is_empty());
    assert_eq!(one, run("7", "2"));
    let p = |output: &[u8]| serde_json::from_slice::<Value>(output).unwrap()["comparison"][0]["p"].as_f64().unwrap();
    assert_ne!(p(&one), p(&run("8", "1")));
    // Where they differ one of them is right on one word more: the first in 22 sentences, the second in 10. So this is the
    // sign test, p = 2 · Σ_{k ≤ 10} C(32, k) / 2^32.
    let binomial = |k: u64| (0..k).fold(1, |c, i| c * (32 - i) / (i + 1));
    let exact = 2.0 * (0..=10).map(binomial).sum::<u64>() as f64 / 2f64.powi(32);
    assert!((p(&one) - exact).abs() < 4.0 * (exact * (1.0 - exact) / 10_000.0f64).sqrt(), "{} {exact}", p(&one));
}

#[test]
fn another_text_is_refused_with_both_lines() {
    let message = refused(&changed("3\tseriously\t", "3\tserious\t"));
    assert!(message.contains("system:10 (sentence s2): word `serious`"), "{message}");
    assert!(message.contains("expected word `seriously` as in gold:10 (sentence s2)"), "{message}");
    let message = refused(&changed("3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n", ""));
    assert!(message.contains("system:6 (sentence s2): word `Noone`; expected word `.` as in gold:4"), "{message}");
    // The text is that of multiword tokens.
    let message = refused(&changed("1-2\tNoone", "1-2\tNobody").replace("2\tone", "2\tbody"));
    assert!(message.contains("system:7 (sentence s2): word `Nobody`; expected word `Noone` as in gold:7"), "{message}");
    let (first, second) = GOLD.split_at(GOLD.find("# sent_id = s2").unwrap());
    let message = refused(first);
    assert!(message.contains("system: the end of the file after 1 sentences"), "{message}");
    assert!(message.contains("expected the sentence at gold:7 (sentence s2)"), "{message}");
    let message = refused(&format!("{GOLD}{second}"));
    assert!(message.contains("system:14 (sentence s2): a sentence more than the 2 of gold"), "{message}");
}

/// Two words for one of gold's, and one sentence for its two: worked by hand.
#[test]
fn other_words_and_sentences_are_aligned() {
    let system = "\
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
4-5\tNoone\t_\t_\t_\t_\t_\t_\t_\t_
4\tNo\tno\tDET\t_\t_\t5\tdet\t_\t_
5\tONE\tone\tPRON\t_\t_\t8\tnsubj\t_\t_
6\tserious\tserious\tADJ\t_\t_\t8\tadvmod\t_\t_
7\tly\tly\tX\t_\t_\t6\tdep\t_\t_
8\tknew\tknow\tVERB\t_\t_\t2\tconj\t_\t_

";
    let folder = folder(&[("system", system)]);
    let report = json(&folder, &["gold", "system"]);
    let of_system = &report["systems"][0];
    assert!(of_system["scores"].as_array().unwrap().is_empty() && of_system.get("intervals").is_none());
    assert_eq!(
        of_system["labels_not_in_gold"],
        serde_json::json!([["advmod", 1], ["conj", 1], ["dep", 1], ["det", 1]])
    );
    let counts = |metric: &str| {
        let scores = of_system["aligned"].as_array().unwrap();
        let score = scores.iter().find(|score| score["metric"] == metric).unwrap();
        ["correct", "gold", "system", "aligned"].map(|of| score[of].as_u64())
    };
    let of = |correct, gold, system, aligned| [Some(correct), Some(gold), Some(system), aligned];
    assert_eq!(counts("Tokens"), of(5, 6, 7, None));
    assert_eq!(counts("Sentences"), of(0, 2, 1, None));
    // All but "seriously"; of a multiword token's words, case does not count.
    assert_eq!(counts("Words"), of(6, 7, 8, None));
    // "knew" hangs elsewhere; the subtype of "det:neg" does not count.
    assert_eq!(counts("UAS"), of(5, 7, 8, Some(6)));
    assert_eq!(counts("LAS"), of(5, 7, 8, Some(6)));
    assert_eq!(counts("CLAS"), of(3, 5, 6, Some(4)));
    assert_eq!(counts("MLAS"), of(3, 5, 6, Some(4)));
    let output = eval(folder.path(), &["gold", "system"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nLAS           7       8      62.50   71.43  66.67             83.33\n"), "{text}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("system: words or sentences other than those of gold"));
    // Beside a system with gold's words there are no tests; the page is made all the same.
    let report = json(&folder, &["gold", "gold", "system"]);
    assert!(report.get("comparison").is_none() && report.get("compared").is_none());
    assert!(eval(folder.path(), &["gold", "gold", "system", "--html", "page.html", "--samples", "9"]).status.success());
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("system has LAS 66.67 and UAS 66.67"), "{page}");
}

#[test]
fn cycles_are_refused() {
    let message = refused(&changed("3\tparataxis", "2\tparataxis"));
    assert!(message.contains("system:9 (sentence s2): a cycle of heads: 2 -> 4 -> 2"), "{message}");
    assert!(refused(&changed("2\tnsubj", "1\tnsubj")).contains("system:2 (sentence s1): word 1 is its own head"));
}

#[test]
fn missing_and_impossible_heads_are_refused() {
    let message = refused(&changed("2\tnsubj", "_\tnsubj"));
    assert!(message.contains("system:2 (sentence s1): the head `_` of word 1; expected a number"), "{message}");
    for head in ["4", "-1", "x", "99999999999999999999"] {
        let message = refused(&changed("2\tnsubj", &format!("{head}\tnsubj")));
        assert!(message.contains(&format!("system:2 (sentence s1): the head `{head}`")), "{message}");
    }
}

#[test]
fn malformed_and_absent_files_are_refused() {
    assert!(refused("").contains("system: no sentence; expected at least one"));
    assert!(refused("# only a comment\n\n").contains("system:1: "));
    assert!(refused(&changed("4\tknew\tknow", "4\tknew know")).contains("system:11"));
    let folder = folder(&[]);
    let output = eval(folder.path(), &["gold", "absent"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("absent"));
}

#[test]
fn a_gold_file_with_several_roots_is_accepted_and_a_system_warned_of() {
    let two_roots = changed("2\tnsubj\t_\t_\n2", "0\tnsubj\t_\t_\n2");
    let folder = folder(&[("two", &two_roots)]);
    let report = json(&folder, &["two", "gold"]);
    assert_eq!((report["several_roots"].as_u64(), report["systems"][0]["several_roots"].as_u64()), (Some(1), Some(0)));
    let output = eval(folder.path(), &["gold", "two"]);
    assert!(output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("warning: two: 1 of 2 sentences have several roots, against 0 in gold"), "{message}");
}

#[test]
fn without_tags_the_form_decides() {
    let untagged: String =
        GOLD.lines().map(|line| line.replace("\tPUNCT\t", "\tT\t").replace("\tPRON\t", "\tN\t") + "\n").collect();
    let folder = folder(&[("untagged", &untagged)]);
    let report = json(&folder, &["untagged", "gold"]);
    assert_eq!(report["punctuation_rule"], "form");
    assert_eq!(report["punctuation_words"].as_u64(), Some(1));
    let output = eval(folder.path(), &["untagged", "gold", "--punct-rule", "upos"]);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("warning: n = 7 with and without punctuation"));
}

#[test]
fn standard_input_once() {
    let folder = folder(&[]);
    let mut command = Command::cargo_bin("treebeam").unwrap();
    let output = command.current_dir(folder.path()).args(["eval", "gold", "-", "--json"]).write_stdin(GOLD).output();
    let report: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(report["systems"][0]["path"], "-");
    assert_eq!(report["systems"][0]["scores"][0]["uas"].as_f64(), Some(100.0));
    assert_eq!(eval(folder.path(), &["-", "-"]).status.code(), Some(2));
}

/// Real files score 100 against themselves, whatever stands in them.
#[test]
#[cfg_attr(not(treebanks), ignore = "TREEBEAM_TREEBANKS names no folder of treebanks")]
fn treebanks_against_themselves() {
    let mut n_files = 0;
    for folder in fs::read_dir(crate::common::treebanks()).unwrap() {
        for name in ["test.conllu", "test.conll"] {
            let path = folder.as_ref().unwrap().path().join(name);
            if path.exists() {
                let path = path.to_str().unwrap();
                let output = eval(Path::new("."), &[path, path, "--json", "--samples", "1"]);
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let report: Value = serde_json::from_slice(&output.stdout).unwrap();
                for score in report["systems"][0]["scores"].as_array().unwrap() {
                    assert_eq!(score["tokens"], score["labelled"], "{path}");
                    assert_eq!(score["sentences"], score["exact_labelled"], "{path}");
                }
                n_files += 1;
            }
        }
    }
    assert!(n_files > 0);
}

/// Parts that are left out of a report are not in its text, and the rest is as if nothing else had been asked for.
#[test]
fn breakdowns_can_be_left_out_afterwards() {
    let folder = folder(&[("system", &changed("1\tShe\tshe\tPRON\t_\t_\t2", "1\tShe\tshe\tPRON\t_\t_\t3"))]);
    let read = |name: &str| EvalInput::read(&folder.path().join(name)).unwrap();
    let (gold, systems) = (read("gold"), [read("system"), read("gold")]);
    let report = |sections: &[BreakdownSection]| {
        let headline = Headline::default();
        let options =
            EvalOptions { rule: None, headline, sections: sections.to_vec(), samples: 50, seed: 1, tags: None };
        Report::new(&gold, &systems, &options).unwrap()
    };
    let mut kept = report(&BreakdownSection::ALL);
    kept.keep(&BreakdownSection::USUAL);
    let usual = report(&BreakdownSection::USUAL);
    assert_eq!(render(&kept), render(&usual));
    assert_eq!(serde_json::to_value(&kept).unwrap(), serde_json::to_value(&usual).unwrap());
    assert_ne!(render(&kept), render(&report(&BreakdownSection::ALL)));
}

/// Code points distinguish forms that look the same.
#[test]
fn look_alikes_are_distinguished_by_code_points() {
    let folder = tempfile::tempdir().unwrap();
    for (name, form) in [("a.conllu", "café"), ("b.conllu", "cafe\u{301}")] {
        fs::write(folder.path().join(name), format!("1\t{form}\t_\tX\t_\t_\t0\troot\t_\t_\n\n")).unwrap();
    }
    let assert = crate::common::treebeam(folder.path(), "eval a.conllu b.conllu").assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        message.contains("word `cafe\u{301}` (U+0065 U+0301); expected word `café` (U+00E9) as in a.conllu:1"),
        "{message}"
    );
}
