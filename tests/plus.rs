//! Columns of CoNLL-U Plus behind the ten: read by features, kept by what writes sentences.

use std::fs;
use std::path::Path;

use crate::common::{generated, treebeam, write};

const COMMENT: &str = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC APP:TAG APP:NO\n";

fn refusal(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().code(2);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn output(folder: &Path, line: &str) -> String {
    let assert = treebeam(folder, line).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The sentences with UPOS and a number in further columns.
fn plus(text: &str) -> String {
    let line = |(i, line): (usize, &str)| match line.split('\t').nth(3) {
        Some(tag) => format!("{line}\t{tag}\t{i}.5\n"),
        None => format!("{line}\n"),
    };
    COMMENT.to_owned() + &text.lines().enumerate().map(line).collect::<String>()
}

/// Lines without HEAD, DEPREL and MISC.
fn kept(text: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let columns = line.split('\t').enumerate().filter(|(i, _)| ![6, 7, 9].contains(i)).map(|(_, column)| column);
        columns.collect::<Vec<_>>().join("\t")
    };
    text.lines().map(of_line).collect()
}

fn heads(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split('\t').skip(6).take(2).collect::<Vec<_>>().join(" ")).collect()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, seed, n) in [("train", 81, 120), ("test", 82, 20)] {
        write(at, &format!("{name}.conllu"), &generated(seed, n));
        let text = fs::read_to_string(at.join(format!("{name}.conllu"))).unwrap();
        fs::write(at.join(format!("{name}.conllup")), plus(&text)).unwrap();
    }
    let templates =
        "S0.TAG B0.TAG\nS0.TAG S1.TAG\nB0.TAG B1.TAG\nS0.l1.TAG S0.r1.TAG\nS0.prev.TAG B0.TAG=NOUN\nB0.TAG\n";
    fs::write(at.join("upos.feat"), templates.replace("TAG", "upos")).unwrap();
    fs::write(at.join("column.feat"), templates.replace("TAG", "column:APP:TAG")).unwrap();
    folder
}

/// A further column with the values of UPOS makes the trees that UPOS makes, and all columns are written as they were.
#[test]
fn further_columns_are_read_and_kept() {
    let folder = folder();
    let at = folder.path();
    let options = "--iterations 4 --replicas 1 --beam 4";
    output(at, &format!("train --train train.conllu --features upos.feat --model upos.model {options}"));
    output(at, &format!("train --train train.conllup --features column.feat --model column.model {options}"));
    let by_upos = output(at, "parse --model upos.model test.conllu");
    let by_column = output(at, "parse --model column.model test.conllup");
    assert_eq!(heads(&by_upos), heads(&by_column)[1..]);
    let test = fs::read_to_string(at.join("test.conllup")).unwrap();
    assert_eq!(kept(&by_column), kept(&test));
    // Confidences go to MISC, before the further columns.
    let parsed = output(at, "parse --model column.model --confidences 4 test.conllup");
    let line = parsed.lines().find(|line| line.starts_with("1\t")).unwrap();
    let columns: Vec<&str> = line.split('\t').collect();
    assert!(columns.len() == 12 && columns[9].contains("HeadConf=") && columns[11].ends_with(".5"), "{line}");
    assert_eq!(kept(&parsed), kept(&test));
    // A tagger before the parser keeps them, too.
    output(at, "train --system tagger --train train.conllup --model tags.model --iterations 2 --replicas 1");
    let tagged = output(at, "parse --model tags.model --model column.model test.conllup");
    assert_eq!((heads(&tagged), tagged.lines().next()), (heads(&by_column), COMMENT.lines().next()));
    let shown = output(at, "features show --features column.feat train.conllup --sentence 2 --step 3");
    assert!(shown.contains("NOUN") || shown.contains("DET"), "{shown}");
}

/// A model says which column its input lacks.
#[test]
fn lacking_columns_are_named() {
    let folder = folder();
    let at = folder.path();
    let train = "train --features column.feat --iterations 1 --replicas 1 --model column.model --train";
    let message = refusal(at, &format!("{train} train.conllu"));
    assert!(message.contains("train.conllu:1") && message.contains("no column `APP:TAG`"), "{message}");
    output(at, &format!("{train} train.conllup"));
    let message = refusal(at, "parse --model column.model test.conllu");
    assert!(message.contains("test.conllu:1") && message.contains("no column `APP:TAG`"), "{message}");
    fs::write(at.join("other.conllup"), plus("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n").replace("APP:TAG", "NER")).unwrap();
    let message = refusal(at, "parse --model column.model other.conllup");
    assert!(message.contains("other.conllup:1") && message.contains("no column `APP:TAG`"), "{message}");
    output(at, "train --train train.conllu --features upos.feat --model upos.model --iterations 1 --replicas 1");
    let message = refusal(at, "parse --model upos.model test.conllup other.conllup");
    assert!(
        message.contains("the columns NER, APP:NO behind the ten; expected the columns APP:TAG, APP:NO"),
        "{message}"
    );
    let message = refusal(at, "parse --model upos.model test.conllup test.conllu");
    assert!(message.contains("no columns behind the ten; expected the columns APP:TAG"), "{message}");
    output(at, "parse --model upos.model test.conllup other.conllup -o both/");
}

/// Lines must have the columns that the first line names; the levels of Universal Dependencies know ten.
#[test]
fn files_with_further_columns_are_checked() {
    let folder = folder();
    let at = folder.path();
    output(at, "treebank check train.conllup");
    let said = |line: &str| {
        let assert = treebeam(at, line).assert().code(2);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    assert!(
        said("treebank check --level 1 train.conllup").contains("further columns, of CoNLL-U Plus; expected CoNLL-U")
    );
    let word = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\tX\t5\n";
    for (line, expected) in [
        (
            word.replace("\tX\t5", ""),
            "x.conllup:2: 10 columns; expected 12 columns, separated by single tabs, as `# global",
        ),
        (word.replace("\t5", "\t"), "x.conllup:2: an empty APP:NO"),
        (word.replace("\tX\t5", "\t\t5"), "x.conllup:2: an empty APP:TAG"),
    ] {
        fs::write(at.join("x.conllup"), format!("{COMMENT}{line}\n")).unwrap();
        assert!(said("treebank check x.conllup").contains(expected), "{line}");
    }
    // Names of other columns than the ten before the further ones, twice the same name, or CoNLL-U with eleven columns.
    for comment in [COMMENT.replace("LEMMA ", ""), COMMENT.replace(":NO", ":TAG"), COMMENT.replace("APP:NO", "FORM")] {
        fs::write(at.join("x.conllup"), format!("{comment}{word}\n")).unwrap();
        assert!(said("treebank check x.conllup").contains("what seems to be CoNLL-U Plus"), "{comment}");
    }
    fs::write(at.join("x.conllup"), format!("{word}\n")).unwrap();
    said("treebank check x.conllup");
}

/// Parts of a treebank are files of the same columns.
#[test]
fn parts_of_a_treebank_name_their_columns() {
    let folder = folder();
    let at = folder.path();
    output(at, "treebank split test.conllup --parts 50,50 -o a.conllup -o b.conllup");
    output(at, "treebank split test.conllup --parts 50,50 --shuffle -o c.conllup -o d.conllup");
    for name in ["a", "b", "c", "d"] {
        let text = fs::read_to_string(at.join(format!("{name}.conllup"))).unwrap();
        assert!(text.starts_with(COMMENT), "{name}: {text}");
        output(at, &format!("treebank check {name}.conllup"));
    }
    output(at, "treebank agree a.conllup a.conllup --min-words 5 -o e.conllup");
    output(at, "treebank convert --cut 3 a.conllup -o f.conllup");
    output(at, "treebank check e.conllup");
    output(at, "treebank check --unannotated f.conllup");
    assert!(fs::read_to_string(at.join("f.conllup")).unwrap().lines().nth(2).unwrap().ends_with(".5"));
}
