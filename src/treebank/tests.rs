use super::*;
use crate::error::Problems;
use crate::tree::Roots;
use proptest::prelude::*;

/// The problems of `text`, as `line: found`.
fn problems(text: &[u8], format: Format) -> Vec<String> {
    let mut reader = Reader::new(text, "x", format);
    let mut all = Vec::new();
    while let Some(step) = reader.step().unwrap() {
        all.push(step.problems);
        all.extend(step.sentence.iter().map(|sentence| sentence.annotation_problems(format.roots())));
    }
    all.iter()
        .flat_map(Problems::kept)
        .map(|(_, problem)| format!("{}: {}", problem.location.line, problem.found))
        .collect()
}

fn word(id: &str, head: &str, label: &str) -> String {
    format!("{id}\ta\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n")
}

#[test]
fn each_malformed_kind_is_reported_on_its_line() {
    use Format::{Conllu, Conllx};
    let good = word("1", "0", "root");
    let two = good.clone() + &word("2", "1", "x");
    let line = |id: &str| word(id, "_", "_");
    let table: Vec<(Format, Vec<u8>, &[&str])> = vec![
        (Conllu, format!("{good}\n").into(), &[]),
        (Conllu, "".into(), &["0: no sentence"]),
        (Conllu, "\n\n".into(), &["1: a blank line", "0: no sentence"]),
        (Conllu, format!("\n{good}\n").into(), &["1: a blank line"]),
        (Conllu, format!("{good}\n\n\n{good}\n").into(), &["3: a blank line"]),
        (Conllu, format!("{good}\n\n").into(), &["3: a blank line"]),
        (Conllu, good.clone().into(), &["1: the end of the file"]),
        (Conllu, good.trim_end().into(), &["1: the end of the file"]),
        (Conllu, format!("{good}\n").replace('\n', "\r\n").into(), &["1: a carriage return at the end of the line"]),
        (Conllu, format!("\u{feff}{good}\n").into(), &["1: a byte order mark"]),
        (
            Conllu,
            format!("{good}\n\u{feff}").into(),
            &["3: the end of the file", "3: 1 column", "3: the id `\\u{feff}` (U+FEFF)", "3: a sentence without words"],
        ),
        (Conllu, b"# \xff\n1\t\xfe\n\n".to_vec(), &["1: bytes that are not UTF-8", "2: bytes that are not UTF-8"]),
        (
            Conllu,
            format!("# x\n{good}").replace('a', "a\rb").into_bytes(),
            &["2: the end of the file", "2: a carriage return within the line"],
        ),
        (Conllu, format!("{}\n", good.replacen("\t_\n", "\n", 1)).into(), &["1: 9 columns"]),
        (Conllu, format!("{}\n", good.replacen('\n', "\t_\n", 1)).into(), &["1: 11 columns"]),
        (
            Conllu,
            format!("{good} \n\t\t\n{good}\n").into(),
            &[
                "2: spaces or tabs on a line of their own",
                "3: spaces or tabs on a line of their own",
                "3: a blank line",
            ],
        ),
        (Conllu, format!("{good}\u{a0}\n\n").into(), &["2: 1 column", "2: the id `\\u{a0}` (U+00A0)"]),
        (Conllu, format!("{}\n", good.replace("\ta\t", "\t\t")).into(), &["1: an empty FORM"]),
        (Conllx, format!("{}\n", good.replace("\t_\n", "\t\n")).into(), &["1: an empty PDEPREL"]),
        (
            Conllu,
            "# only\n# comments\n\n".into(),
            &["1: comments behind the last sentence", "3: a blank line", "0: no sentence"],
        ),
        (
            Conllu,
            format!("# x\n\n\n# y\n\n{}\n", word("1", "9", "x")).into(),
            &["2: a blank line", "6: the head `9` of word 1"],
        ),
        (Conllu, format!("{good}\n# x\n# y").into(), &["3: comments behind the last sentence"]),
        (Conllx, format!("{good}\n# x\n\n").into(), &["3: a comment", "3: a sentence without words"]),
        (Conllu, format!("{good}# late\n\n").into(), &["2: a comment"]),
        (Conllx, format!("# x\n{good}\n").into(), &["1: a comment"]),
        (Conllu, format!("{}\n", word("0", "0", "root")).into(), &["1: the id `0`", "1: a sentence without words"]),
        (Conllu, format!("{}\n", word("01", "0", "root")).into(), &["1: the id `01`", "1: a sentence without words"]),
        (
            Conllu,
            format!("{}\n", word("99999999999999999999", "0", "root")).into(),
            &["1: the id `99999999999999999999`", "1: a sentence without words"],
        ),
        (Conllu, format!("{good}{}{}\n", line("3"), line("4")).into(), &["2: the id `3`"]),
        (Conllu, format!("{}{good}\n", line("2-3")).into(), &["1: the id `2-3`"]),
        (Conllu, format!("{}{good}\n", line("1-1")).into(), &["1: the id `1-1`"]),
        (Conllu, format!("{}{two}\n", line("1-3")).into(), &["1: a range that ends with word 3"]),
        (Conllu, format!("{}{good}{}{}\n", line("1-2"), line("2-3"), line("2")).into(), &["3: the id `2-3`"]),
        (Conllx, format!("{}{two}\n", line("1-2")).into(), &["1: the id `1-2`"]),
        (Conllu, format!("{}{good}{}{}\n", line("0.1"), line("1.1"), line("1.2")).into(), &[]),
        (Conllu, format!("{good}{}\n", line("1.2")).into(), &["2: the id `1.2`"]),
        (Conllu, format!("{good}{}\n", line("2.1")).into(), &["2: the id `2.1`"]),
        (Conllu, format!("{}\n", line("1")).into(), &["1: the head `_` of word 1", "1: the label `_` of word 1"]),
        (Conllu, format!("{good}{}\n", word("2", "3", "x")).into(), &["2: the head `3` of word 2"]),
        (Conllu, format!("{good}{}\n", word("2", "70000", "x")).into(), &["2: the head `70000` of word 2"]),
        (Conllu, format!("{good}{}\n", word("2", "-1", "x")).into(), &["2: the head `-1` of word 2"]),
        (Conllu, format!("{good}{}\n", word("2", "2", "x")).into(), &["2: word 2 is its own head"]),
        (
            Conllu,
            format!("{good}{}{}\n", word("2", "3", "x"), word("3", "2", "x")).into(),
            &["2: a cycle of heads: 2 -> 3 -> 2"],
        ),
        (
            Conllu,
            format!("# c\n{}{}\n", word("1", "2", "x"), word("2", "1", "x")).into(),
            &["1: no word with head 0", "2: a cycle of heads: 1 -> 2 -> 1"],
        ),
        (Conllu, format!("{good}{}\n", word("2", "0", "root")).into(), &["2: 2 words with head 0: 1, 2"]),
        (Conllx, format!("{good}{}\n", word("2", "0", "root")).into(), &[]),
    ];
    for (format, text, expected) in table {
        assert_eq!(problems(&text, format), expected, "{}", text.escape_ascii());
    }
}

#[test]
fn too_many_words_are_refused() {
    let n = crate::tree::MAX_WORDS + 1;
    let text: String = (1..=n).map(|id| word(&id.to_string(), "0", "x")).collect::<String>() + "\n";
    assert_eq!(problems(text.as_bytes(), Format::Conllx), [format!("{n}: word {n}")]);
}

#[test]
fn faults_without_end_are_counted_and_not_kept() {
    let faults = 200_000;
    let block = "x\n".repeat(faults);
    let mut reader = Reader::new(block.as_bytes(), "x", Format::Conllu);
    let problems = reader.step().unwrap().unwrap().problems;
    let kept_at_most = 5 * Problems::LIMIT;
    assert!(problems.len() > 2 * faults && problems.kept().len() < kept_at_most, "{}", problems.kept().len());
    // A head that does not exist for every word: each has its line, found in one pass.
    let n = 60_000;
    let text: String = (1..=n).map(|id| word(&id.to_string(), "x", "x")).collect();
    let problems = Sentence::new("x", Format::Conllu, &text).unwrap().annotation_problems(Roots::Single);
    assert_eq!((problems.len(), problems.kept().len()), (n, Problems::LIMIT));
    assert_eq!(problems.kept()[99].1.location.line, 100);
}

#[test]
fn messages_repeat_little_of_what_was_found() {
    let long = "y".repeat(1 << 20);
    let text = format!("# sent_id = {long}\n{}\n", word(&long, "0", "root"));
    let error = Reader::new(text.as_bytes(), "x", Format::Conllu).next().unwrap().unwrap_err();
    assert!(error.to_string().len() < 1000, "{} bytes", error.to_string().len());
}

#[test]
fn long_sentences_are_divided_on_request() {
    let n = crate::tree::MAX_WORDS + 1;
    let text: String = (1..=n).map(|id| word(&id.to_string(), "0", "x")).collect::<String>() + "\n";
    let sentences = Reader::new(text.as_bytes(), "x", Format::Conllx).cutting(1000).collect::<Result<Vec<_>, _>>();
    let sentences = sentences.unwrap();
    assert_eq!(sentences.iter().map(Sentence::n_words).sum::<usize>(), n);
    assert_eq!((sentences.len(), sentences[1].line()), (n.div_ceil(1000), 1001));
}

#[test]
fn nothing_in_nothing_out_where_that_is_asked() {
    assert!(Reader::new(&b""[..], "x", Format::Conllu).allowing_empty().next().is_none());
}

#[test]
fn messages_name_file_line_sentence_and_remedy() {
    let text = format!("# sent_id = s1\n{}\n", word("1", "0", "root").replace("\t_\n", "\n"));
    let error = Reader::new(text.as_bytes(), "dir/x.conllu", Format::Conllu).next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "dir/x.conllu:2 (sentence s1): 9 columns; expected 10 columns, separated by single tabs"
    );
}

#[test]
fn a_reader_ends_after_the_first_error() {
    let text = format!("{}\n1\n\n{}\n", word("1", "0", "root"), word("1", "0", "root"));
    let results: Vec<bool> = Reader::new(text.as_bytes(), "x", Format::Conllu).map(|r| r.is_ok()).collect();
    assert_eq!(results, [true, false]);
}

#[test]
fn layout_is_repaired_on_request() {
    let good = word("1", "0", "root");
    let text = format!("\u{feff}\n{good}\n\n{good}").replace('\n', "\r\n");
    let mut written = Vec::new();
    for sentence in Reader::new(text.as_bytes(), "x", Format::Conllu).repairing() {
        sentence.unwrap().write(&mut written).unwrap();
    }
    assert_eq!(String::from_utf8(written).unwrap(), format!("{good}\n{good}\n"));
    // Comments go with the words behind them, and where there are none they are reported.
    let text = format!("# a\n \t\n# b\n\n{good}\t\n\n# c\n\n");
    let mut reader = Reader::new(text.as_bytes(), "x", Format::Conllu).repairing();
    let read = reader.step().unwrap().unwrap();
    assert_eq!((read.sentence.unwrap().text(), read.problems.len()), (&*format!("# a\n# b\n{good}"), 0));
    let read = reader.step().unwrap().unwrap();
    assert!(!read.is_left_out() && read.problems.to_string().starts_with("x:8: comments behind the last sentence; "));
    assert!(reader.step().unwrap().is_none());
    assert!(Reader::new(&b"\n"[..], "x", Format::Conllu).repairing().next().unwrap().is_err());
}

#[test]
fn packed_files_are_read_and_hashed_unpacked() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}\n", word("1", "0", "root"));
    let mut hashes = Vec::new();
    for name in ["a.conllu", "a.conllu.gz", "a.conllu.zst"] {
        let path = folder.path().join(name);
        let mut output = crate::files::Output::create(&path).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.finish().unwrap();
        // Two members or frames, one behind the other, are one file.
        let once = std::fs::read(&path).unwrap();
        std::fs::write(&path, [once.as_slice(), &once].concat()).unwrap();
        let treebank = Treebank::read(&path, None).unwrap();
        assert_eq!((treebank.sentences.len(), treebank.n_words(), treebank.format), (2, 2, Format::Conllu));
        hashes.push(treebank.sha256);
        std::fs::write(&path, &once[..once.len() - 3]).unwrap();
        assert!(Treebank::read(&path, None).is_err(), "{name} is cut");
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0] && hash.len() == 64), "{hashes:?}");
}

#[test]
fn too_many_labels_are_a_problem_and_no_panic() {
    let mut labels: crate::tree::Labels = (0..crate::tree::Labels::MAX).map(|i| i.to_string()).collect();
    let tree = |label: &str, labels: &mut _| {
        Sentence::new("x", Format::Conllu, &word("1", "0", label)).unwrap().tree(Roots::Single, labels)
    };
    assert!(tree("7", &mut labels).is_ok());
    assert!(tree("new", &mut labels).unwrap_err().found.contains("`new`"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    /// No change of bytes makes reading panic, and what is accepted survives byte for byte.
    #[test]
    fn mutated_files_are_refused_or_survive(
        changes in proptest::collection::vec(
            (any::<proptest::sample::Index>(), prop_oneof![
                any::<u8>(),
                proptest::sample::select(b"\t\n\r#_-.0123459 \xef\xbb\xbf".to_vec()),
            ], 0..3u8),
            1..5,
        ),
        conllx: bool,
    ) {
        let mut text = format!(
            "# sent_id = 1\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n{}{}{}\n{}\n",
            word("1", "0", "root"), word("2", "1", "x"), word("2.1", "_", "_"), word("1", "0", "r\u{e9}")
        ).into_bytes();
        for (at, byte, kind) in changes {
            let at = at.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => { text.remove(at); }
            }
        }
        let format = if conllx { Format::Conllx } else { Format::Conllu };
        let sentences: crate::error::Result<Vec<Sentence>> = Reader::new(text.as_slice(), "x", format).collect();
        prop_assert_eq!(sentences.is_err(), {
            let mut reader = Reader::new(text.as_slice(), "x", format);
            std::iter::from_fn(|| reader.step().unwrap()).any(|step| !step.problems.is_empty())
        });
        for sentence in sentences.iter().flatten() {
            let sound = sentence.annotation_problems(Roots::Several).is_empty();
            prop_assert_eq!(sentence.tree(Roots::Several, &mut Default::default()).is_ok(), sound);
        }
        if let Ok(sentences) = sentences {
            let mut written = Vec::new();
            sentences.iter().try_for_each(|sentence| sentence.write(&mut written)).unwrap();
            prop_assert_eq!(written, text);
        }
    }
}
