//! The official scorer and validator of Universal Dependencies, where Python has them, judge random mutants as this program
//! does: the package `udtools`, whose version `official/compare.py` names.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{generated_non_projective, root, write};

/// The mark of a test that cannot run, as the script says it.
const SKIPPED: i32 = 77;

/// Runs `official/compare.py` on mutants of `files`; true if it could run.
fn compare(what: &str, mutants: u32, files: &[PathBuf]) -> bool {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = root().join("tests/official/compare.py");
    let mut command = Command::new(&python);
    command.arg(script).arg(what).args(["--program", assert_cmd::cargo::cargo_bin!("treebeam").to_str().unwrap()]);
    command.args(["--mutants", &mutants.to_string()]).args(files);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: {python}: {error}");
            return false;
        }
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(SKIPPED) {
        eprintln!("skipped: {}; `pip install udtools==0.2.9` installs it", printed.trim());
        return false;
    }
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    eprintln!("{}", printed.trim());
    true
}

/// Files with what real treebanks have: multiword tokens, empty nodes, features, spaces that are missing.
fn files(folder: &std::path::Path) -> Vec<PathBuf> {
    let text = "\
# newdoc id = d1
# sent_id = s1
# text = Vámonos al mar, dijo.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\tMood=Imp|Number=Plur|Person=1\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\t_\tCase=Acc|Number=Plur|Person=1\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tin\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\tDefinite=Def|PronType=Art\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tn\tNumber=Sing\t1\tobl\t1:obl:a\tSpaceAfter=No
6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t7:punct\t_
7\tdijo\tdecir\tVERB\t_\tMood=Ind|Tense=Past\t1\tparataxis\t1:parataxis\tGloss=said|SpaceAfter=No
8\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\tSpaceAfter=No

# sent_id = s2
# text = Ann sold 10 000 maps and Bo books
1\tAnn\tAnn\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t2:nsubj\t_
2\tsold\tsell\tVERB\tVBD\tTense=Past\t0\troot\t0:root\t_
3\t10 000\t10000\tNUM\tCD\tNumType=Card\t4\tnummod\t4:nummod\t_
4\tmaps\tmap\tNOUN\tNNS\tNumber=Plur\t2\tobj\t2:obj\t_
5\tand\tand\tCCONJ\tCC\t_\t6\tcc\t6.1:cc\t_
6\tBo\tBo\tPROPN\tNNP\tNumber=Sing\t2\tconj\t6.1:nsubj\t_
6.1\tsold\tsell\tVERB\tVBD\tTense=Past\t_\t_\t2:conj:and\tCopyOf=2
7\tbooks\tbook\tNOUN\tNNS\tNumber=Plur\t6\torphan\t6.1:obj\t_

";
    fs::write(folder.join("written.conllu"), text).unwrap();
    write(folder, "generated.conllu", &generated_non_projective(1, 100));
    ["written.conllu", "generated.conllu"].map(|name| folder.join(name)).to_vec()
}

/// Files that hold the same text in other tokens and words have the scores of `udeval`, to the last bit.
#[test]
fn scores_are_those_of_the_official_scorer() {
    let folder = tempfile::tempdir().unwrap();
    compare("eval", 60, &files(folder.path()));
}

/// Files that `treebank check --level 1` or `2` refuses are refused by `udvalidate`, and the reverse, but for what the book lists.
#[test]
fn verdicts_are_those_of_the_official_validator() {
    let folder = tempfile::tempdir().unwrap();
    compare("check", 200, &files(folder.path()));
}
