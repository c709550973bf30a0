use super::*;
use crate::style::tests::pieces;
use treebeam::eval::Analysis;
use treebeam::tree::Roots;
use treebeam::treebank::{Format, Sentence};

/// Words, one a line: form, tag, head, label.
fn sentence(words: &str) -> Sentence {
    let line = |(i, word): (usize, &str)| match word.split(' ').collect::<Vec<_>>()[..] {
        [form, tag, head, label] => format!("{}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n", i + 1),
        _ => panic!("{word}"),
    };
    let lines: String = words.lines().enumerate().map(line).collect();
    Sentence::new("a.conllu", Format::Conllu, &format!("# sent_id = s\n{lines}")).unwrap()
}

fn tree<'a>(name: &'a str, sentence: &'a Sentence) -> DrawnTree<'a> {
    let labels = sentence.words().map(|word| sentence.deprel(word)).collect();
    DrawnTree { name, analysis: Analysis { heads: sentence.heads(Roots::Several).unwrap(), labels } }
}

const COLUMNS: &[Column] = &[Column::Form, Column::Lemma, Column::Upos];

fn drawing<'a>(first: &'a Sentence, second: Option<&'a Sentence>) -> Drawing<'a> {
    Drawing {
        sentence: first,
        number: 1,
        columns: COLUMNS,
        with_labels: true,
        width: None,
        tree: tree("a.conllu", first),
        other: second.map(|second| tree("b.conllu", second)),
    }
}

/// The contents of all elements of this name, which hold nothing but text.
fn contents(svg: &str, element: &str) -> Vec<String> {
    let (start, end) = (format!("<{element}"), format!("</{element}>"));
    let starts = svg.match_indices(&start).filter(|&(at, tag)| {
        let behind = svg.as_bytes()[at + tag.len()];
        behind == b'>' || behind == b' '
    });
    let content = |(at, _): (usize, &str)| {
        let from = at + svg[at..].find('>').unwrap() + 1;
        svg[from..from + svg[from..].find(&end).unwrap()].to_owned()
    };
    starts.map(content).collect()
}

#[test]
fn one_tree() {
    let words = sentence("She PRON 2 nsubj\nleft VERB 0 root\n. PUNCT 2 punct");
    insta::assert_snapshot!(drawing(&words, None).svg());
}

#[test]
fn two_trees() {
    let first = sentence("I PRON 2 nsubj\nsaw VERB 0 root\nyou PRON 2 obj\nleave VERB 3 acl");
    let second = sentence("I PRON 2 dep\nsaw VERB 0 root\nyou PRON 4 nsubj\nleave VERB 2 xcomp");
    insta::assert_snapshot!(drawing(&first, Some(&second)).svg());
}

/// The places of the texts on the line of the words, by text.
fn places(svg: &str) -> Vec<(f64, String)> {
    let forms = svg.split_once("<g font-size=\"16\">").unwrap().1.split_once("</g>").unwrap().0;
    let place = |text: &str| {
        let x = text.split_once("x=\"").unwrap().1.split_once('"').unwrap().0.parse().unwrap();
        (x, text.rsplit_once('>').unwrap().1.to_owned())
    };
    forms.split("</text>").filter(|text| text.contains("<text")).map(place).collect()
}

#[test]
fn scripts_from_right_to_left_are_drawn_so() {
    let [left, right] =
        ["a X 2 x\nbb X 0 root\nc X 2 y\n1 X 3 z", "ا X 2 x\nبب X 0 root\nج X 2 y\n1 X 3 z"].map(sentence);
    let [left, right] = [&left, &right].map(|words| drawing(words, None).svg());
    let ascending = places(&left);
    assert_eq!(ascending.iter().map(|(_, form)| form.as_str()).collect::<Vec<_>>(), ["a", "bb", "c", "1"]);
    assert!(ascending.is_sorted_by(|a, b| a.0 < b.0), "{ascending:?}");
    let descending = places(&right);
    assert_eq!(descending.iter().map(|(_, form)| form.as_str()).collect::<Vec<_>>(), ["ا", "بب", "ج", "1"]);
    assert!(descending.is_sorted_by(|a, b| a.0 > b.0) && descending[3].0 > 0.0, "{descending:?}");
    pieces(&right);
}

#[test]
fn long_sentences_are_drawn_in_rows() {
    let words = sentence("one X 6 x\ntwo X 1 y\nthree X 2 y\nfour X 1 y\nfive X 6 y\nsix X 0 root");
    let mut drawing = drawing(&words, None);
    let line = drawing.svg();
    drawing.width = Some(200);
    let rows = drawing.svg();
    pieces(&rows);
    let size = |svg: &str, name: &str| -> f64 {
        svg.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0.parse().unwrap()
    };
    assert!(size(&line, "width") > 250.0 && size(&rows, "width") <= 200.0);
    assert!(size(&rows, "height") > 1.4 * size(&line, "height"), "{rows}");
    // Words stand there once, arcs over a break with their label on both sides of it, arrows only at words.
    let texts = contents(&rows, "text");
    let n = |text: &str| texts.iter().filter(|found| *found == text).count();
    assert_eq!(["one", "two", "three", "four", "five", "six"].map(n), [1; 6]);
    assert!(n("x") > 1 && n("root") == 1, "{texts:?}");
    assert_eq!(rows.matches("Z\"/>").count(), 6);
    assert_eq!(line.matches("Z\"/>").count(), 6);
    // A picture that is wide enough is the same as one without bounds.
    drawing.width = Some(1200);
    assert_eq!(drawing.svg(), line);
}

#[test]
fn rows_from_right_to_left_begin_on_the_right() {
    let words = sentence("ا X 2 x\nبب X 0 root\nج X 2 y\nد X 3 z\nه X 2 z");
    let mut drawing = drawing(&words, None);
    drawing.width = Some(130);
    let svg = drawing.svg();
    let rows: Vec<Vec<(f64, String)>> =
        svg.match_indices("<g font-size=\"16\">").map(|(at, _)| places(&svg[at..])).collect();
    assert!(rows.len() > 1, "{svg}");
    for row in &rows {
        assert!(row.is_sorted_by(|a, b| a.0 > b.0), "{rows:?}");
    }
    // The first words of rows stand beneath each other, as far as their widths and stems let them.
    assert!(rows.iter().all(|row| (row[0].0 - rows[0][0].0).abs() < 30.0), "{rows:?}");
}

#[test]
fn two_trees_in_latex() {
    let first = sentence("I PRON 2 nsubj\nsaw_it VERB 0 root\nR&D PRON 2 obj\nleave _ 3 acl");
    let second = sentence("I PRON 2 dep\nsaw_it VERB 0 root\nR&D PRON 4 nsubj\nleave _ 2 xcomp");
    insta::assert_snapshot!(drawing(&first, Some(&second)).tikz(true));
}

#[test]
fn latex_has_words_from_right_to_left_in_their_visual_order() {
    let words = sentence("ا X 2 x\nبب X 0 root\nج X 2 y");
    let latex = drawing(&words, None).tikz(false);
    assert!(latex.contains("    ج \\& بب \\& ا \\\\\n"), "{latex}");
    for arc in ["\\depedge{2}{3}{x}", "\\deproot{2}{root}", "\\depedge{2}{1}{y}"] {
        assert!(latex.contains(arc), "{arc}: {latex}");
    }
    assert!(latex.contains("LuaLaTeX") && !latex.contains("documentclass"), "{latex}");
}

#[test]
fn two_trees_in_lines() {
    let first = sentence("I PRON 2 nsubj\nsaw VERB 0 root\nyou PRON 2 obj\nleave VERB 3 acl");
    let second = sentence("I PRON 2 dep\nsaw VERB 0 root\nyou PRON 4 nsubj\nleave VERB 2 xcomp");
    insta::assert_snapshot!(drawing(&first, Some(&second)).text(0));
}

#[test]
fn lines_are_cut_to_the_width() {
    let url = "http://www.example.org/".repeat(20);
    let words = sentence(&format!("{url} X 2 subj\nis X 0 root"));
    let text = drawing(&words, None).text(60);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 60), "{text}");
    assert!(
        lines[0].contains("http://www.example.org/") && lines[0].contains('…') && lines[0].ends_with("subj"),
        "{text}"
    );
    let whole = drawing(&words, None).text(0);
    assert!(whole.contains(&url), "{whole}");
}

#[test]
fn equal_trees_need_no_legend() {
    let words = sentence("a X 0 root");
    let svg = drawing(&words, Some(&words)).svg();
    assert!(!svg.contains("dasharray") && !svg.contains("other head") && svg.contains("LAS 100.00"), "{svg}");
}

#[test]
fn markup_in_words_is_text() {
    let words = sentence("<b>&amp; X&Y 0 <mod>\n\u{1}\"' _ 1 a&b");
    let svg = drawing(&words, None).svg();
    pieces(&svg);
    let texts = contents(&svg, "text");
    for expected in ["&lt;b&gt;&amp;amp;", "X&amp;Y", "&lt;mod&gt;", "\u{fffd}\"'", "a&amp;b"] {
        assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
    }
}

#[test]
fn long_words_are_cut_and_given_in_full() {
    let url = "http://www.example.org/".repeat(20);
    let words = sentence(&format!("{url} X 0 root"));
    let svg = drawing(&words, None).svg();
    assert!(contents(&svg, "title").contains(&url));
    assert!(contents(&svg, "text").iter().any(|text| text.ends_with('…')));
}

#[test]
fn rows_without_text_and_labels_that_are_not_wanted_are_left_out() {
    let words = sentence("a X 0 root\nb _ 1 dep");
    let mut drawing = drawing(&words, None);
    // There is no lemma; the second word has no tag.
    assert_eq!(contents(&drawing.svg(), "text"), ["root", "dep", "a", "b", "X"]);
    drawing.with_labels = false;
    drawing.columns = &[Column::Lemma];
    assert!(contents(&drawing.svg(), "text").is_empty());
}

#[test]
fn numbers_have_at_most_one_digit_behind_the_point() {
    assert_eq!([0.0, -0.01, 2.0, 2.25, -3.16].map(|x| N(x).to_string()), ["0", "0", "2", "2.3", "-3.2"]);
}
