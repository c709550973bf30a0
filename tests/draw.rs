//! `treebeam draw` as its users run it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{generated, treebeam, write};

/// Two sentences, the first with a multiword token and an empty node.
const GOLD: &str = "\
# sent_id = s1
1-2\tgonna\t_\t_\t_\t_\t_\t_\t_\t_
1\tgon\tgo\tVERB\t_\t_\t0\troot\t_\t_
2\tna\tto\tPART\t_\t_\t3\tmark\t_\t_
2.1\tnobody\t_\tPRON\t_\t_\t_\t_\t_\t_
3\tleave\tleave\tVERB\t_\t_\t1\txcomp\t_\t_

# sent_id = s2
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

";

/// A folder with `gold.conllu`, and `system.conllu` with `from` replaced by `to`.
fn folder(from: &str, to: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gold.conllu"), GOLD).unwrap();
    assert_eq!(GOLD.matches(from).count(), 1, "{from}");
    fs::write(folder.path().join("system.conllu"), GOLD.replace(from, to)).unwrap();
    folder
}

fn drawn(folder: &Path, line: &str) -> String {
    String::from_utf8(treebeam(folder, line).assert().success().get_output().stdout.clone()).unwrap()
}

/// Message about a request that must be refused.
fn refused(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().code(2);
    let output = assert.get_output();
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn sentences_are_chosen_by_number_and_by_id() {
    let folder = folder("nsubj", "nsubj:pass");
    let first = drawn(folder.path(), "draw gold.conllu");
    assert!(first.starts_with("<svg ") && first.ends_with("</svg>\n"));
    assert!(first.contains(">leave<") && !first.contains("nobody") && !first.contains("gonna"), "words only: {first}");
    let second = drawn(folder.path(), "draw gold.conllu --sentence 2");
    assert!(second.contains(">She<") && second.contains("sentence 2 (s2) of gold.conllu"), "{second}");
    assert_eq!(drawn(folder.path(), "draw gold.conllu --sentence s2"), second);
    let text = fs::read(folder.path().join("gold.conllu")).unwrap();
    let piped = treebeam(folder.path(), "draw - --sentence s2 -o tree.svg").write_stdin(text).assert().success();
    assert!(piped.get_output().stdout.is_empty());
    let file = fs::read_to_string(folder.path().join("tree.svg")).unwrap();
    assert_eq!(file.replace("of standard input", "of gold.conllu"), second);
}

#[test]
fn columns_and_labels_are_chosen() {
    let folder = folder("nsubj", "nsubj:pass");
    let svg = drawn(folder.path(), "draw gold.conllu --sentence 2 --columns form,LEMMA --no-labels");
    assert!(svg.contains(">she<") && !svg.contains(">PRON<") && !svg.contains(">nsubj<"), "{svg}");
    assert!(refused(folder.path(), "draw gold.conllu --columns form,tag").contains("upos"));
}

#[test]
fn differing_sentences_are_found() {
    let folder = folder("2\tnsubj", "3\tnsubj");
    let svg = drawn(folder.path(), "draw gold.conllu system.conllu --differ");
    assert!(svg.contains("sentence 2 (s2): UAS 66.67 (2 of 3 words), LAS 66.67 (2), punctuation included"), "{svg}");
    assert_eq!(drawn(folder.path(), "draw --differ=1 gold.conllu system.conllu"), svg);
    assert_eq!(drawn(folder.path(), "draw gold.conllu system.conllu --sentence 2"), svg);
    let message = refused(folder.path(), "draw gold.conllu system.conllu --differ=2");
    assert_eq!(
        message,
        "error: --differ=2: the trees of only 1 of 2 sentences differ; expected a number from 1 to 1\n"
    );
    let message = refused(folder.path(), "draw gold.conllu gold.conllu --differ");
    assert_eq!(message, "error: gold.conllu and gold.conllu have the same trees in all 2 sentences\n");
    assert!(refused(folder.path(), "draw gold.conllu --differ").contains("<OTHER>"));
}

#[test]
fn sentences_that_are_not_there_are_refused() {
    let folder = folder("nsubj", "nsubj:pass");
    let message = refused(folder.path(), "draw gold.conllu --sentence 3");
    assert_eq!(message, "error: gold.conllu: no sentence `3`; expected the id of a sentence or a number from 1 to 2\n");
    assert!(refused(folder.path(), "draw gold.conllu --sentence 0").contains("a number from 1 to 2"));
    let message = refused(folder.path(), "draw gold.conllu --sentence s3");
    assert_eq!(
        message,
        "error: gold.conllu: no sentence `s3`; expected the id of a sentence or a number from 1 to 2\n"
    );
    assert!(refused(folder.path(), "draw - -").contains("only one of the files can be standard input"));
}

#[test]
fn other_words_are_reported_with_both_places() {
    let differing = folder("3\t.\t", "3\t!\t");
    assert_eq!(
        refused(differing.path(), "draw gold.conllu system.conllu --differ -o tree.svg"),
        "error: system.conllu:11 (sentence s2): word `!`; expected word `.` as in gold.conllu:11 (sentence s2)\n"
    );
    assert!(!differing.path().join("tree.svg").exists());
    // The first sentences are the same.
    drawn(differing.path(), "draw gold.conllu system.conllu");
    let (_, second) = GOLD.split_once("\n\n").unwrap();
    let shorter = folder(second, "");
    assert_eq!(
        refused(shorter.path(), "draw gold.conllu system.conllu --sentence 2"),
        "error: system.conllu: the end of the file after 1 sentences; expected the sentence at gold.conllu:8 (sentence s2)\n"
    );
}

#[test]
fn what_is_not_a_tree_is_reported_with_its_line() {
    let malformed = folder("3\tleave\tleave\t", "3\tleave\t");
    let message = refused(malformed.path(), "draw system.conllu");
    assert!(message.starts_with("error: system.conllu:6 (sentence s1): 9 columns"), "{message}");
    let cycle = folder("0\troot\t_\t_\n2\tna", "3\troot\t_\t_\n2\tna");
    let message = refused(cycle.path(), "draw system.conllu");
    assert!(message.starts_with("error: system.conllu:3 (sentence s1): a cycle of heads: 1 -> 3 -> 1"), "{message}");
    // The other sentence is sound.
    drawn(cycle.path(), "draw system.conllu --sentence 2");
}

#[test]
fn long_sentences_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let words: String =
        (1..=2000).map(|word| format!("{word}\tw{word}\t_\t_\t_\t_\t{}\tdep\t_\t_\n", word / 2)).collect();
    fs::write(folder.path().join("long.conllu"), words + "\n").unwrap();
    let svg = drawn(folder.path(), "draw long.conllu --width 0");
    assert_eq!(svg.matches("class=\"arc\"").count(), 2000);
    assert!(width(&svg) > 20_000);
    // Heads are near, as they are in real sentences, so that rows are as high as a sentence of their length.
    let words: String = (1..=2000)
        .map(|word: usize| format!("{word}\tw{word}\t_\t_\t_\t_\t{}\tdep\t_\t_\n", (word - 1).saturating_sub(word % 7)))
        .collect();
    fs::write(folder.path().join("long.conllu"), words + "\n").unwrap();
    let svg = drawn(folder.path(), "draw long.conllu");
    assert!(width(&svg) <= 1200);
    assert_eq!(svg.matches(">w1999<").count(), 1);
    assert!(width(&drawn(folder.path(), "draw long.conllu --width 500")) <= 500);
}

/// The width of a picture.
fn width(svg: &str) -> usize {
    svg.split_once(" width=\"").unwrap().1.split_once('"').unwrap().0.parse().unwrap()
}

#[test]
fn the_ending_of_the_output_chooses_what_is_written() {
    let folder = folder("2\tnsubj", "3\tnsubj");
    let written = |line: &str, file: &str| {
        assert!(drawn(folder.path(), line).is_empty());
        fs::read_to_string(folder.path().join(file)).unwrap()
    };
    let svg = drawn(folder.path(), "draw gold.conllu system.conllu --differ");
    assert_eq!(written("draw gold.conllu system.conllu --differ -o tree.svg", "tree.svg"), svg);
    assert_eq!(written("draw gold.conllu system.conllu --differ -o tree", "tree"), svg);
    drawn(folder.path(), "draw gold.conllu --sentence s2 -o tree.SVG.gz");
    let latex = written("draw gold.conllu system.conllu --differ -o tree.tex", "tree.tex");
    assert!(latex.contains("\\begin{deptext}") && latex.contains("\\depedge[edge below, edge style"), "{latex}");
    assert!(!latex.contains("documentclass"));
    assert_eq!(drawn(folder.path(), "draw gold.conllu system.conllu --differ --format tikz"), latex);
    assert!(drawn(folder.path(), "draw gold.conllu --format tikz --standalone").contains("\\end{document}"));
    let text = written("draw gold.conllu --sentence s2 -o tree.txt", "tree.txt");
    let expected = "\
Dependency tree of sentence 2 (s2) of gold.conllu
1  She   PRON   ◄┐    nsubj
2  left  VERB   ─┴─┐  root
3  .     PUNCT  ──◄┘  punct
";
    assert_eq!(text, expected);
    for (line, expected) in [
        ("-o tree.png", "error: tree.png: no png is written; write tree.svg and convert it, as by `rsvg-convert"),
        ("-o tree.pdf", "error: tree.pdf: no pdf is written; write tree.svg"),
        ("-o tree.jpg", "error: tree.jpg: no jpg is written; expected .svg"),
        (
            "-o tree.odt",
            "error: tree.odt: the ending `.odt` says nothing of pictures; expected .svg, .html, .tex or .txt",
        ),
        ("--standalone", "error: --standalone is for LaTeX"),
        ("system.conllu gold.conllu", "error: gold.conllu: one file too many for a picture"),
    ] {
        let found = refused(folder.path(), &format!("draw gold.conllu {line}"));
        assert!(found.starts_with(expected) && found.lines().count() == 1, "{found}");
    }
    assert!(!folder.path().join("tree.png").exists());
    let output = treebeam(folder.path(), "draw gold.conllu --sentence s2 --format text -o a.svg").assert().success();
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(message, "warning: a.svg: what is written is plain text, though the name says SVG\n");
}

/// The data of a page.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_has_all_sentences_with_the_trees_of_all_files() {
    let folder = folder("2\tnsubj", "3\tnsubj");
    let page = drawn(folder.path(), "draw gold.conllu system.conllu gold.conllu --format html");
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
    assert!(!page.contains("<img") && !page.contains("<link") && !page.contains("{{"));
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http://") && !outside.contains("https://"));
    let found = data(&page);
    assert_eq!(found["names"], serde_json::json!(["gold.conllu", "system.conllu", "gold.conllu"]));
    let sentences = found["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 2);
    let second = &sentences[1];
    assert_eq!([&second["number"], &second["id"]], [&serde_json::json!(2), &serde_json::json!("s2")]);
    assert_eq!(second["columns"], serde_json::json!([["She", "left", "."], ["PRON", "VERB", "PUNCT"]]));
    assert_eq!(second["punctuation"], serde_json::json!([2]));
    let heads: Vec<_> = second["trees"].as_array().unwrap().iter().map(|tree| tree["heads"].clone()).collect();
    assert_eq!(heads, [serde_json::json!([2, 0, 2]), serde_json::json!([3, 0, 2]), serde_json::json!([2, 0, 2])]);
    let labels = second["trees"][0]["labels"].as_array().unwrap();
    let label = |n: &serde_json::Value| found["labels"][n.as_u64().unwrap() as usize].as_str().unwrap();
    assert_eq!(labels.iter().map(label).collect::<Vec<_>>(), ["nsubj", "root", "punct"]);
}

#[test]
fn a_page_can_be_restricted() {
    let folder = folder("2\tnsubj", "3\tnsubj");
    let numbers = |line: &str| -> Vec<u64> {
        let page = drawn(folder.path(), &format!("draw gold.conllu system.conllu --format html {line}"));
        data(&page)["sentences"].as_array().unwrap().iter().map(|s| s["number"].as_u64().unwrap()).collect()
    };
    assert_eq!([numbers(""), numbers("--differ"), numbers("--sentence s1")], [vec![1, 2], vec![2], vec![1]]);
    let message = refused(folder.path(), "draw gold.conllu gold.conllu --format html --differ");
    assert!(message.contains("the same trees in all 2 sentences"), "{message}");
}

#[test]
fn a_page_reads_files_to_their_end() {
    let (first, second) = GOLD.split_once("\n\n").unwrap();
    let folder = folder(second, "");
    assert!(
        refused(folder.path(), "draw gold.conllu system.conllu --format html").contains("the end of the file after 1")
    );
    let message = refused(folder.path(), "draw system.conllu gold.conllu --format html");
    assert_eq!(
        message,
        "error: gold.conllu:8 (sentence s2): a sentence more; expected the end of the file, as system.conllu has 1 sentences\n"
    );
    // What looks like markup stays text.
    fs::write(folder.path().join("markup.conllu"), first.replace("gon\tgo", "</script><b>\tgo") + "\n\n").unwrap();
    let page = drawn(folder.path(), "draw markup.conllu --format html");
    assert_eq!(data(&page)["sentences"][0]["columns"][0][0], "</script><b>");
    assert!(!page.contains("</script><b>"));
}

#[test]
fn every_generated_sentence_can_be_drawn_against_another_tree() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = generated(5, 30);
    write(folder.path(), "gold.conllu", &sentences);
    let mut chain = fs::File::create(folder.path().join("chain.conllu")).unwrap();
    for sentence in &sentences {
        let heads: Vec<_> = sentence.words().map(|word| word - 1).collect();
        sentence.write_parsed(&mut chain, &heads, &vec!["dep"; heads.len()]).unwrap();
    }
    for (number, sentence) in (1..).zip(&sentences) {
        let svg = drawn(folder.path(), &format!("draw gold.conllu chain.conllu --sentence {number} --width 0"));
        assert_eq!(
            svg.matches("<g class=\"arc").count(),
            2 * sentence.n_words() + svg.matches("other head:").count() + svg.matches("other label:").count()
        );
    }
}
