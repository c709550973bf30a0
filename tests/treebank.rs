//! `treebeam treebank` from outside.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use treebeam::treebank::{Format, Reader};

fn treebeam(folder: &Path, line: &str) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("treebeam").expect("the program is built");
    command.current_dir(folder).arg("treebank").args(line.split_whitespace()).write_stdin("").assert()
}

fn stdout(assert: assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.success().get_output().stdout.clone()).expect("output is UTF-8")
}

/// Output of a check that finds problems.
fn listed(folder: &Path, line: &str) -> String {
    String::from_utf8(treebeam(folder, line).code(2).get_output().stdout.clone()).expect("output is UTF-8")
}

#[test]
fn generated_treebanks_pass_the_check_and_are_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    treebeam(at, "generate --seed 3 --sentences 200 --non-projective -o a.conllu").success();
    treebeam(at, "generate --seed 3 --sentences 200 --non-projective -o b.conllu.gz").success();
    treebeam(at, "check a.conllu b.conllu.gz").success().stdout("");
    let a = fs::read_to_string(at.join("a.conllu")).unwrap();
    assert_eq!(stdout(treebeam(at, "convert b.conllu.gz")), a);
    assert_eq!(stdout(treebeam(at, "generate --seed 3 --sentences 200 --non-projective")), a);
    assert_ne!(stdout(treebeam(at, "generate --seed 3 --sentences 200")), a);
}

#[test]
fn check_lists_every_problem_and_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let word = |id: u8, head: u8| format!("{id}\ta\t_\t_\t_\t_\t{head}\tx\t_\t_\n");
    let text = format!("{}{}\n\n{}{}", word(1, 0), word(2, 0), word(1, 2), word(2, 1));
    fs::write(at.join("bad.conllu"), text).unwrap();
    let expected = "bad.conllu:2: 2 words with head 0: 1, 2; expected one; `--roots several` allows more, as CoNLL-X does\n\
        bad.conllu:4: a blank line; expected a sentence; `treebeam treebank convert --fix` removes needless blank lines\n\
        bad.conllu:5: a cycle of heads: 1 -> 2 -> 1; expected heads that lead to the root\n\
        bad.conllu:5: no word with head 0; expected one\n\
        bad.conllu:6: the end of the file; expected a blank line behind the last sentence; `treebeam treebank convert --fix` adds it\n";
    treebeam(at, "check bad.conllu").code(2).stdout(expected);
    let lines = |assert: assert_cmd::assert::Assert| assert.get_output().stdout.iter().filter(|&&b| b == b'\n').count();
    assert_eq!(lines(treebeam(at, "check --roots several bad.conllu").code(2)), 4);
    assert_eq!(lines(treebeam(at, "check --unannotated bad.conllu").code(2)), 2);
    treebeam(at, "convert --fix bad.conllu -o bad.conllu").success();
    treebeam(at, "check --unannotated bad.conllu").success().stdout("");
    fs::write(
        at.join("untagged.conllu"),
        word(1, 9).replace("\tx\t", "\t_\t") + &word(2, 0).replace("\t0\t", "\t_\t") + "\n",
    )
    .unwrap();
    let expected = "untagged.conllu:1: the head `9` of word 1; expected a number from 0 (the root) to 2\n";
    treebeam(at, "check --unannotated untagged.conllu").code(2).stdout(expected);
    treebeam(at, "check missing.conllu").code(2);
    treebeam(at, "check -").code(2).stdout("-: no sentence; expected at least one; the file is empty\n");
}

#[test]
fn a_failed_conversion_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("bad.conllu"), "1\ta\n\n").unwrap();
    fs::write(at.join("out.conll"), "old").unwrap();
    treebeam(at, "convert bad.conllu -o out.conll").code(2);
    assert_eq!(fs::read_to_string(at.join("out.conll")).unwrap(), "old");
    assert_eq!(fs::read_dir(at).unwrap().count(), 2);
}

#[test]
fn parts_put_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let whole = stdout(treebeam(at, "generate --sentences 50"));
    fs::write(at.join("all.conllu"), &whole).unwrap();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    treebeam(at, "split all.conllu --parts 80,10,10 -o a.conllu -o b.conllu -o c.conllu").success();
    assert_eq!([read("a.conllu"), read("b.conllu"), read("c.conllu")].concat(), whole);
    assert_eq!(read("c.conllu").matches("# text").count(), 5);
    treebeam(at, "split all.conllu --parts 1 --shuffle --seed 4 --max-sentences 20 -o d.conllu").success();
    let blocks: Vec<String> = read("d.conllu").split_inclusive("\n\n").map(str::to_owned).collect();
    assert!(
        blocks.len() == 20 && blocks.iter().all(|block| whole.contains(block)) && !whole.starts_with(&blocks.concat())
    );
    treebeam(at, "split all.conllu --parts 1,1 -o e.conllu").code(2);
    treebeam(at, "split all.conllu --parts 99,1 -o e.conllu -o f.conllu").code(0);
    treebeam(at, "split all.conllu --parts 1,99 -o g.conllu -o h.conllu").code(2);
    assert!(!at.join("g.conllu").exists() && !at.join("h.conllu").exists());
}

#[test]
fn conversion_to_conllx_and_back_keeps_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    treebeam(at, "generate --sentences 20 -o a.conllu").success();
    let output = treebeam(at, "convert a.conllu -o b.conll").success();
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.starts_with("a.conllu: dropped 40 comments, 0 ranges"), "{said}");
    treebeam(at, "check b.conll").success();
    let words = |text: String| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let back = stdout(treebeam(at, "convert b.conll --to conllu"));
    assert_eq!(words(back), words(fs::read_to_string(at.join("a.conllu")).unwrap()));
}

#[test]
fn counts_are_the_same_as_text_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    treebeam(at, "generate --sentences 30 -o a.conllu").success();
    let text = stdout(treebeam(at, "stats --tsv a.conllu"));
    let row: Vec<&str> = text.lines().nth(1).unwrap().split('\t').collect();
    let json: serde_json::Value = serde_json::from_str(&stdout(treebeam(at, "stats --json a.conllu"))).unwrap();
    assert_eq!((row[0], row[12]), ("30", "a.conllu"));
    assert_eq!(json["n_words"].to_string(), row[1]);
    assert_eq!(json["labels"].as_object().unwrap().len().to_string(), row[11]);
    for counts in ["labels", "tags", "arc_lengths"] {
        let sum: u64 = json[counts].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!(sum.to_string(), row[1], "{counts}");
    }
}

#[test]
fn counts_stand_beside_each_other_with_what_stands_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    treebeam(at, "generate --sentences 30 -o a.conllu").success();
    let a = fs::read_to_string(at.join("a.conllu")).unwrap();
    let sentence =
        "1\tx\t_\tX\t_\t_\t3\todd\t_\t_\n2\ty\t_\tX\t_\t_\t0\troot\t_\t_\n3\tz\t_\tX\t_\t_\t0\troot\t_\t_\n\n";
    fs::write(at.join("b.conllu"), format!("{}\n\n{sentence}", a.split("\n\n").next().unwrap())).unwrap();
    let text = stdout(treebeam(at, "stats a.conllu b.conllu"));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["a.conllu", "b.conllu"], "{text}");
    assert_eq!(rows[1], ["sentences", "30", "2"], "{text}");
    assert!(rows.iter().any(|row| row[..] == ["sentences", "with", "several", "roots", "0", "1"]), "{text}");
    for named in ["arc length", "label", "tag"] {
        assert!(text.lines().any(|line| line.starts_with(named) && line.ends_with("b.conllu")), "{named}: {text}");
    }
    assert!(rows.iter().any(|row| matches!(row[..], ["odd", "0", _, _, "1", ..])), "{text}");
    let (_, stands_out) = text.split_once("What stands out:\n").unwrap();
    for expected in [
        "- a.conllu: empty in most words: XPOS, FEATS\n",
        "- b.conllu: 1 sentences have several roots (50.0 %); `--roots several` parses so\n",
        "- b.conllu: 50.0 % of the sentences have non-projective arcs; `--nonprojective lift`, or a system that makes them\n",
        "- b.conllu: 1 different sentences are in a.conllu, too\n",
        "- b.conllu: 1 labels that are not in a.conllu: odd\n",
    ] {
        assert!(stands_out.contains(expected), "{expected}{stands_out}");
    }
    let wide = "l".repeat(70_000);
    fs::write(at.join("c.conllu"), sentence.replace("odd", &wide)).unwrap();
    assert!(stdout(treebeam(at, "stats c.conllu")).contains(&wide));
}

#[test]
#[cfg_attr(not(treebanks), ignore = "TREEBEAM_TREEBANKS names no folder of treebanks")]
fn treebanks_survive_byte_for_byte_and_are_sound() {
    let folders = fs::read_dir(crate::common::treebanks()).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut n_files = 0;
    for path in files.map(|entry| entry.unwrap().path()).filter(|path| Format::of_path(path).is_some()) {
        n_files += 1;
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_path(&path).unwrap();
        let mut written = Vec::with_capacity(bytes.len());
        let mut reparsed = Vec::with_capacity(bytes.len());
        for sentence in Reader::new(bytes.as_slice(), "x", format) {
            let sentence = sentence.unwrap();
            sentence.write(&mut written).unwrap();
            assert!(sentence.annotation_problems(format.roots()).is_empty(), "{}", path.display());
            let heads = sentence.heads(format.roots()).unwrap();
            let labels: Vec<&str> = sentence.words().map(|word| sentence.deprel(word)).collect();
            sentence.write_parsed(&mut reparsed, &heads, &labels).unwrap();
        }
        assert!(written == bytes, "{} changed", path.display());
        // Parsing as it is annotated changes nothing but the enhanced graph.
        let without_deps = |bytes: &[u8]| -> Vec<String> {
            let lines = bytes.split(|&byte| byte == b'\n').map(|line| std::str::from_utf8(line).unwrap());
            let is_empty_node = |line: &str| {
                line.split('\t').next().unwrap().split_once('.').is_some_and(|(id, _)| id.parse::<u16>().is_ok())
            };
            lines
                .filter(|line| !is_empty_node(line))
                .map(|line| {
                    let mut columns: Vec<&str> = line.split('\t').collect();
                    if columns.len() == 10 && columns[0].parse::<usize>().is_ok() {
                        columns[8] = "_";
                    }
                    columns.join("\t")
                })
                .collect()
        };
        assert!(
            without_deps(&reparsed) == without_deps(&bytes),
            "{} changed beyond the enhanced graph",
            path.display()
        );
    }
    assert!(n_files > 0, "the folder has treebanks");
}

/// A warning counts a document's sentences if a share ends within it, and shuffled ones are in no document.
#[test]
fn documents_that_are_cut_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentence = |i: usize| format!("# sent_id = s{i}\n1\tw{i}\t_\tX\t_\t_\t0\troot\t_\t_\n\n");
    let document = |id: &str, i: usize| {
        format!("# newdoc id = {id}\n# newpar\n{}{}{}", sentence(i), sentence(i + 1), sentence(i + 2))
    };
    fs::write(at.join("d.conllu"), document("a", 1) + &document("b", 4)).unwrap();
    let stderr = |line: &str| {
        let assert = treebeam(at, line).success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let message = stderr("split d.conllu --parts 70,30 -o a.conllu -o b.conllu");
    let warning = "a.conllu: ends within a document (`# newdoc`), of which it has the first 1 sentence; ";
    assert!(
        message.starts_with(&format!("warning: {warning}")) && message.matches("warning").count() == 1,
        "{message}"
    );
    assert!(!stderr("split d.conllu --parts 50,50 -o a.conllu -o b.conllu").contains("warning"));
    assert!(stderr("split d.conllu --parts 1 --max-sentences 5 -o a.conllu").contains("has the first 2 sentences"));
    let message = stderr("split d.conllu --parts 1 --shuffle -o a.conllu");
    assert!(message.contains("4 comments `# newdoc` and `# newpar` left out"), "{message}");
    let mut shuffled: Vec<String> =
        fs::read_to_string(at.join("a.conllu")).unwrap().split_inclusive("\n\n").map(str::to_owned).collect();
    shuffled.sort();
    assert_eq!(shuffled, (1..=6).map(sentence).collect::<Vec<_>>());
}

/// Folds are apart, together the whole, and of whole documents.
#[test]
fn folds_and_parts_keep_documents() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentence = |i: usize| format!("# sent_id = s{i}\n1\tw{i}\t_\tX\t_\t_\t0\troot\t_\t_\n\n");
    // Ten documents of 1 to 10 sentences.
    let mut all = String::new();
    let mut documents = Vec::new();
    for n in 1..=10 {
        let text: String = (0..n).map(|i| sentence(n * 100 + i)).collect();
        documents.push(format!("# newdoc id = {n}\n{text}"));
        all += &documents[n - 1];
    }
    fs::write(at.join("all.conllu"), &all).unwrap();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let n_whole = |text: &str| documents.iter().filter(|document| text.contains(*document)).count();
    let said = |assert: assert_cmd::assert::Assert| String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for shuffle in ["", "--shuffle --seed 3"] {
        let message = said(treebeam(at, &format!("split all.conllu --folds 4 {shuffle} -o folds")).success());
        assert!(!message.contains("warning"), "{message}");
        let mut tested = String::new();
        for fold in 1..=4 {
            let (train, test) =
                (read(&format!("folds/{fold}/train.conllu")), read(&format!("folds/{fold}/test.conllu")));
            assert!(n_whole(&test) > 0 && n_whole(&train) + n_whole(&test) == 10);
            assert_eq!(train.len() + test.len(), all.len());
            tested += &test;
        }
        assert_eq!((tested == all, tested.len(), n_whole(&tested)), (shuffle.is_empty(), all.len(), 10));
        let message = said(
            treebeam(at, &format!("split all.conllu --parts 8,1,1 --whole-documents {shuffle} -o a -o b -o c"))
                .success(),
        );
        assert!(!message.contains("warning"), "{message}");
        let parts = ["a", "b", "c"].map(read);
        assert_eq!(parts.iter().map(|part| n_whole(part)).sum::<usize>(), 10);
        assert_eq!(parts.concat().len(), all.len());
        assert!(parts.iter().all(|part| part.starts_with("# newdoc")));
    }
    assert!(
        said(treebeam(at, "split all.conllu --parts 8,1,1 -o a -o b -o c").success()).contains("--whole-documents")
    );
    // More folds than documents cut these, and say so; without documents there is nothing to keep.
    let message = said(treebeam(at, "split all.conllu --folds 11 -o many/").success());
    assert!(message.contains("10 documents for 11 folds; folds begin and end within documents"), "{message}");
    let tested: String = (1..=11).map(|fold| read(&format!("many/{fold}/test.conllu"))).collect();
    assert_eq!(tested, all);
    fs::write(
        at.join("plain.conll"),
        all.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect::<String>(),
    )
    .unwrap();
    let message = said(treebeam(at, "split plain.conll --folds 5 -o plain").success());
    assert!(
        message.contains("plain/5/test.conllx: 11 sentences") && message.contains("plain/5/train.conllx: 44 sentences"),
        "{message}"
    );
    for (line, expected) in [
        ("--folds 56 -o few", "all.conllu: no sentence is left for fold 1; expected fewer folds"),
        ("--folds 1 -o few", "from 2 to 100"),
        ("--folds 3 -o few -o more", "2 outputs with --folds; expected one folder"),
        ("--folds 3 -o all.conllu", "all.conllu: expected a folder for --folds"),
        ("--folds 3 -o -", "-: expected a folder for --folds"),
        ("--folds 3 --parts 1,2 -o few", "cannot be used with"),
        ("-o few", "--parts"),
        (
            "--parts 1,1,1,1,1,1,1,1,1,1,1 --whole-documents -o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8 -o 9 -o 10 -o 11",
            "10 documents for 11 parts",
        ),
        ("--parts 1,1 --whole-documents --max-sentences 2 -o 1 -o 2", "1 document for 2 parts"),
    ] {
        let message = said(treebeam(at, &format!("split all.conllu {line}")).code(2));
        assert!(message.contains(expected) && !at.join("few").exists() && !at.join("1").exists(), "{line}: {message}");
    }
}

/// The options that an error recommends for another format give the right heads.
#[test]
fn recommended_columns_are_the_right_ones() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let conll_2009 = "1\tMs.\tms.\tms.\tNNP\tNNP\t_\t_\t2\t2\tTITLE\tTITLE\t_\t_\t_\n\
        2\tHaag\thaag\thaag\tNNP\tNNP\t_\t_\t3\t3\tSBJ\tSBJ\t_\t_\tA0\n\
        3\tplays\tplay\tplay\tVBZ\tVBZ\t_\t_\t0\t0\tROOT\tROOT\tY\tplay.02\t_\n\n\
        1\tNo\tno\tno\tUH\tUH\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n\n";
    let eight = "1\tMs.\tms.\tN\tNNP\t_\t2\tTITLE\n2\tHaag\thaag\tN\tNNP\t_\t3\tSBJ\n\
        3\tplays\tplay\tV\tVBZ\tpres\t0\tROOT\n\n1\tNo\tno\tU\tUH\t_\t0\tROOT\n\n";
    let plus = "# global.columns = ID UPOS FORM HEAD DEPREL ENTITY:1\n1\tN\tMs.\t2\tTITLE\tB\n2\tN\tHaag\t3\tSBJ\tI\n\
        3\tV\tplays\t0\tROOT\tO\n\n1\tU\tNo\t0\tROOT\tO\n\n";
    let ten = "# global.columns = ID FORM LEMMA XPOS UPOS FEATS HEAD DEPREL DEPS MISC\n\
        1\tNo\tno\tUH\tU\t_\t0\tROOT\t_\t_\n\n";
    for (name, text) in [("a.conll", conll_2009), ("b.conllu", eight), ("c.conllu", plus), ("d.conllu", ten)] {
        fs::write(at.join(name), text).unwrap();
        let message = listed(at, &format!("check {name}"));
        let command =
            message.lines().next().unwrap().split('`').nth(1).unwrap().strip_prefix("treebeam treebank ").unwrap();
        fs::write(at.join("out.conllu"), stdout(treebeam(at, command))).unwrap();
        treebeam(at, "check out.conllu").success();
        let sentences: Vec<_> = Reader::open(&at.join("out.conllu"), None).unwrap().collect::<Result<_, _>>().unwrap();
        let last = sentences.last().unwrap();
        assert_eq!((last.form(1), last.head(1), last.deprel(1)), ("No", Some(0), "ROOT"), "{name}");
        assert_eq!(last.column(1, treebeam::treebank::Column::Upos), if name == "a.conll" { "UH" } else { "U" });
        if sentences.len() == 2 {
            let first: Vec<_> =
                (1..=3).map(|word| (sentences[0].form(word), sentences[0].head(word).unwrap())).collect();
            assert_eq!(first, [("Ms.", 2), ("Haag", 3), ("plays", 0)], "{name}");
        }
    }
    fs::write(at.join("e.conllu"), "1\ta\tX\tY\tZ\tB\tC\n2\tb\tX\tY\tZ\t9\t_\n\n").unwrap();
    assert!(listed(at, "check e.conllu").contains("--columns NAMES e.conllu`"));
    treebeam(at, "convert --from columns --columns id,form,_,_,_,head e.conllu").code(2);
}

/// `--fix` mends what messages say that it mends.
#[test]
fn fix_mends_what_it_is_recommended_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let word = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n";
    for (text, mended, warns) in [
        (format!("{word}\n# trailing"), format!("{word}\n"), true),
        (format!("{word}\n# a\n\n# b\n\n"), format!("{word}\n"), true),
        (format!("{word} \n{word}\t\t\t\n"), format!("{word}\n{word}\n"), false),
        (format!("# licence\n\n{word}\n\n \n# c\n{word}"), format!("# licence\n{word}\n# c\n{word}\n"), false),
    ] {
        fs::write(at.join("x.conllu"), &text).unwrap();
        assert!(listed(at, "check x.conllu").contains("--fix"));
        let assert = treebeam(at, "convert --fix x.conllu -o x.conllu").success();
        let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert_eq!(stderr.contains("comments behind the last sentence"), warns, "{stderr}");
        assert_eq!(fs::read_to_string(at.join("x.conllu")).unwrap(), mended);
        treebeam(at, "check x.conllu").success();
    }
}

/// No part of an id is cut off where problems are listed.
#[test]
fn ids_are_listed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let id = format!("weblog-{}-0007", "x".repeat(60));
    let text = format!("# sent_id = {id}\n1\ta\t_\tX\t_\t_\t3\tdep\t_\t_\n\n");
    fs::write(folder.path().join("x.conllu"), text).unwrap();
    assert!(listed(folder.path(), "check --json x.conllu").contains(&format!("\"{id}\"")));
    assert!(listed(folder.path(), "check x.conllu").contains(&format!("(sentence {id})")));
}
