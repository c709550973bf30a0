//! `treebeam combine` and `treebeam treebank agree` from outside.

use std::fs;
use std::path::Path;

use crate::common::{generated, treebeam, write};
use treebeam::treebank::{Reader, Sentence};

/// Standard error of a command.
fn stderr(folder: &Path, line: &str, code: i32) -> String {
    let assert = treebeam(folder, line).assert().code(code);
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// Sentences whose heads and labels are all those of some other tree: words hang on the next word, the last on the root.
fn chained(sentences: &[Sentence], label: &str) -> String {
    let mut text = Vec::new();
    for sentence in sentences {
        let n = sentence.n_words() as u16;
        let heads: Vec<u16> = (2..=n).chain([0]).collect();
        sentence.write_parsed(&mut text, &heads, &vec![label; n as usize]).unwrap();
    }
    String::from_utf8(text).unwrap()
}

/// A folder with gold trees, and twice other trees: `a.conllu` has gold in its first half, `b.conllu` in its second.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let sentences = generated(71, 40);
    write(at, "gold.conllu", &sentences);
    let gold = fs::read_to_string(at.join("gold.conllu")).unwrap();
    let wrong = chained(&sentences, "wrong");
    let half = |text: &str, second: bool| -> String {
        let blocks: Vec<&str> = text.split_inclusive("\n\n").collect();
        if second { blocks[20..].concat() } else { blocks[..20].concat() }
    };
    fs::write(at.join("a.conllu"), half(&gold, false) + &half(&wrong, true)).unwrap();
    fs::write(at.join("b.conllu"), half(&wrong, false) + &half(&gold, true)).unwrap();
    fs::write(at.join("wrong.conllu"), wrong).unwrap();
    folder
}

#[test]
fn the_most_votes_win_and_ties_are_the_first_files() {
    let folder = folder();
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let gold = read("gold.conllu");
    for decoder in ["eisner", "chu-liu-edmonds"] {
        let combine = |rest: &str| {
            let assert = treebeam(at, &format!("combine --decoder {decoder} {rest}")).assert().success();
            String::from_utf8(assert.get_output().stdout.clone()).unwrap()
        };
        assert!(combine("a.conllu b.conllu gold.conllu") == gold);
        assert!(combine("a.conllu b.conllu wrong.conllu") == read("wrong.conllu"));
        // Two files never outvote each other.
        assert!(combine("a.conllu b.conllu") == read("a.conllu"));
        assert!(combine("b.conllu a.conllu") == read("b.conllu"));
        assert!(combine("a.conllu b.conllu wrong.conllu gold.conllu --weights 1,1,1,1.001") == gold);
        assert!(combine("wrong.conllu wrong.conllu gold.conllu --weights 0.5,0.5,2") == gold);
    }
    let said = stderr(at, "combine a.conllu gold.conllu gold.conllu -o voted.conllu.gz", 0);
    assert!(said.starts_with("40 sentences of ") && said.contains(": all 3 files agree on the heads of "), "{said}");
    treebeam(at, "treebank check voted.conllu.gz").assert().success();
    let piped = treebeam(at, "combine - gold.conllu gold.conllu").write_stdin(read("wrong.conllu")).assert().success();
    assert_eq!(String::from_utf8_lossy(&piped.get_output().stdout), gold);
}

/// Other columns, comments and ranges are the first file's. The result is a tree with one root, whatever the votes.
#[test]
fn combined_trees_are_valid_and_keep_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = |heads: [u8; 4], label: &str| {
        let [a, b, c, d] = heads;
        let word = |id: u8, head: u8| format!("{id}\tw{id}\tl\tX\tY\tA=b\t{head}\t{label}\t_\tM=1\n");
        format!(
            "# sent_id = s\n# other\n1-2\tw1w2\t_\t_\t_\t_\t_\t_\t_\t_\n{}{}{}{}\n",
            word(1, a),
            word(2, b),
            word(3, c),
            word(4, d)
        )
    };
    // A tree that is not projective, and two with several roots.
    fs::write(at.join("a.conllu"), text([3, 4, 0, 3], "x")).unwrap();
    fs::write(at.join("b.conllu"), text([0, 0, 2, 0], "y").replace("l\tX", "m\tZ")).unwrap();
    fs::write(at.join("c.conllu"), text([0, 0, 0, 0], "z")).unwrap();
    for decoder in ["eisner", "chu-liu-edmonds"] {
        for files in ["a.conllu b.conllu", "b.conllu c.conllu", "c.conllu a.conllu b.conllu", "c.conllu c.conllu"] {
            treebeam(at, &format!("combine {files} --decoder {decoder} -o out.conllu")).assert().success();
            treebeam(at, "treebank check out.conllu").assert().success().stdout("");
            let out: Vec<Sentence> = Reader::open(&at.join("out.conllu"), None).unwrap().map(Result::unwrap).collect();
            let first = fs::read_to_string(at.join(files.split(' ').next().unwrap())).unwrap();
            let kept = |text: &str| -> Vec<String> {
                let columns = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
                columns
                    .map(|columns| {
                        [&columns[..columns.len().min(6)], &columns[columns.len().min(8)..]].concat().join("|")
                    })
                    .collect()
            };
            assert_eq!(kept(&format!("{}\n", out[0].text())), kept(&first), "{files}");
        }
    }
}

#[test]
fn sentences_on_which_parsers_agree_are_kept() {
    let folder = folder();
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let gold = read("gold.conllu");
    let blocks: Vec<&str> = gold.split_inclusive("\n\n").collect();
    let said = stderr(at, "treebank agree gold.conllu a.conllu -o out.conllu", 0);
    assert_eq!(read("out.conllu"), blocks[..20].concat());
    assert!(said.starts_with("the same heads in all 2 files: 20 of 40 sentences, "), "{said}");
    let said = stderr(at, "treebank agree gold.conllu a.conllu b.conllu -o out.conllu", 0);
    assert!(read("out.conllu").is_empty() && said.contains(": 0 of 40 sentences, 0 of "), "{said}");
    // Other labels do not matter unless they are asked for.
    fs::write(at.join("labels.conllu"), gold.replacen("\tnsubj\t", "\tother\t", 1)).unwrap();
    stderr(at, "treebank agree labels.conllu gold.conllu -o out.conllu", 0);
    assert_eq!(read("out.conllu"), read("labels.conllu"));
    let said = stderr(at, "treebank agree labels.conllu gold.conllu --labels -o out.conllu", 0);
    assert!(said.contains("the same heads and labels in all 2 files: 39 of 40 sentences"), "{said}");
    stderr(at, "treebank agree gold.conllu gold.conllu --min-words 6 --max-words 9 -o out.conllu", 0);
    let n_words = |block: &&&str| block.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    let expected: String = blocks.iter().filter(|block| (6..=9).contains(&n_words(block))).copied().collect();
    assert!(read("out.conllu") == expected && !expected.is_empty() && expected != gold);
}

#[test]
fn files_of_other_words_are_refused_with_their_place() {
    let folder = folder();
    let at = folder.path();
    let gold = fs::read_to_string(at.join("gold.conllu")).unwrap();
    let line_of =
        |number: usize| 1 + gold.split_inclusive("\n\n").take(number).map(|block| block.lines().count()).sum::<usize>();
    let short: String = gold.split_inclusive("\n\n").take(39).collect();
    fs::write(at.join("short.conllu"), &short).unwrap();
    fs::write(at.join("other.conllu"), gold.replacen("\n1\t", "\n1\tun", 1)).unwrap();
    fs::write(at.join("open.conllu"), short.clone() + "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n").unwrap();
    fs::write(at.join("torn.conllu"), short + "1\tx\n\n").unwrap();
    for command in ["combine", "treebank agree"] {
        for (files, expected) in [
            (
                "gold.conllu short.conllu",
                format!(
                    "short.conllu: the end of the file after 39 sentences; expected the sentence at gold.conllu:{}",
                    line_of(39)
                ),
            ),
            ("short.conllu gold.conllu", format!("gold.conllu:{}", line_of(39))),
            ("gold.conllu a.conllu other.conllu", "other.conllu:3".to_owned()),
            ("gold.conllu open.conllu", format!("open.conllu:{}: the head `_` of word 1", line_of(39))),
            ("gold.conllu torn.conllu", format!("torn.conllu:{}: ", line_of(39))),
            ("gold.conllu none.conllu", "none.conllu: ".to_owned()),
            ("- -", "only one of the files can be standard input".to_owned()),
            ("gold.conllu", "required".to_owned()),
            ("gold.conllu a.conllu -o a.conllu", "would replace an input".to_owned()),
        ] {
            let said = stderr(
                at,
                &format!("{command} {files} -o out.conllu").replace("-o a.conllu -o out.conllu", "-o a.conllu"),
                2,
            );
            assert!(said.contains(&expected) && !at.join("out.conllu").exists(), "{command} {files}: {said}");
        }
    }
    for (options, expected) in [
        ("--weights 1,2,3", "--weights: 3 weights and 2 files; expected one weight for each file"),
        ("--weights 0,0", "--weights: weights that are all 0; expected one at least that is more"),
        ("--weights 1,-1", "expected a number from 0 to 1,000,000 with at most three decimals"),
        ("--weights 31999,2", "whole numbers whose sum is 32001; expected at most 32000"),
        ("--decoder cle", "invalid value 'cle'"),
    ] {
        let said = stderr(at, &format!("combine gold.conllu a.conllu {options}"), 2);
        assert!(said.contains(expected), "{options}: {said}");
    }
    stderr(at, "treebank agree gold.conllu a.conllu --min-words 3 --max-words 2", 2);
}
