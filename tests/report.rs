//! `treebeam report` from the outside.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::treebeam;

/// Results that come with the tests.
fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/results")
}

/// A folder with a copy of the results in `results`.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for experiment in fs::read_dir(shipped()).unwrap() {
        let experiment = experiment.unwrap();
        if !experiment.file_type().unwrap().is_dir() {
            continue;
        }
        let copy = folder.path().join("results").join(experiment.file_name());
        fs::create_dir_all(&copy).unwrap();
        for file in fs::read_dir(experiment.path()).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
    }
    folder
}

/// What the program says when it fails as it should on wrong input.
fn error(folder: &Path, line: &str) -> String {
    let output = treebeam(folder, line).assert().code(2);
    assert!(!folder.join("results/report.html").exists(), "nothing is written");
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn a_page_is_written_beside_the_results_and_tells_nothing_of_the_machine() {
    let folder = copied();
    // Other files of results are no concern of the page.
    fs::create_dir(folder.path().join("results/peers")).unwrap();
    fs::write(folder.path().join("results/peers/peers.jsonl"), "{}").unwrap();
    fs::write(folder.path().join("results/notes.json"), "{}").unwrap();
    let output = treebeam(folder.path(), "report").assert().success();
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(said, "wrote results/report.html: 2 experiments, 3 documents\n");
    let page = fs::read_to_string(folder.path().join("results/report.html")).unwrap();
    assert!(page.contains("href=\"gn13-table1/full.tsv\""));
    assert!(!page.contains(folder.path().to_str().unwrap()));
    let printed = treebeam(folder.path(), "report -o -").assert().success();
    assert_eq!(String::from_utf8(printed.get_output().stdout.clone()).unwrap(), page);
    treebeam(folder.path(), "report -o all.html").assert().success();
    let above = fs::read_to_string(folder.path().join("all.html")).unwrap();
    assert!(above.contains("href=\"results/gn13-table1/full.tsv\""));
}

#[test]
fn experiments_can_be_put_first() {
    let folder = copied();
    let places = |line: &str| {
        let output = treebeam(folder.path(), line).assert().success();
        let page = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        ["gn13-table1", "beam-ablation"].map(|name| page.find(&format!("id=\"{name}\"")).unwrap())
    };
    let [table, ablation] = places("report -o -");
    assert!(table < ablation);
    let [table, ablation] = places("report -o - --order beam-ablation gn13-table1");
    assert!(ablation < table);
    let said = error(folder.path(), "report --order beam");
    assert_eq!(said, "error: no results of `beam`; there are gn13-table1, beam-ablation\n");
}

#[test]
fn without_results_it_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    assert!(error(folder.path(), "report").starts_with("error: results: "));
    fs::create_dir_all(folder.path().join("results/empty")).unwrap();
    let said = error(folder.path(), "report");
    let expected = "error: results: no results; expected NAME/PROFILE.json, as `treebeam experiment run` writes it\n";
    assert_eq!(said, expected);
}

#[test]
fn malformed_results_are_told_with_their_line() {
    let folder = copied();
    let path = folder.path().join("results/beam-ablation/quick.json");
    let good = fs::read_to_string(&path).unwrap();
    let write = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        error(folder.path(), "report")
    };
    let said = write("\"profile\": \"quick\"", "\"profile\": 3");
    assert!(said.starts_with("error: results/beam-ablation/quick.json:3: invalid type: integer `3`"), "{said}");
    assert!(said.contains("expected a document of results"), "{said}");
    let said = write("\"profile\": \"quick\"", "\"profile\": \"full\"");
    assert!(said.contains("quick.json: the document's profile is `full`; expected `quick`"), "{said}");
    let said = write("\"name\": \"beam-ablation\"", "\"name\": \"beam\"");
    assert!(said.contains("quick.json: the document's name is `beam`; expected `beam-ablation`"), "{said}");
    let said = write("\"n_texts\": 3", "\"n_texts\": 9");
    assert!(said.contains("quick.json: block `Costs`: 9 columns of text; expected at most 5"), "{said}");
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    let said = error(folder.path(), "report");
    assert!(said.contains("EOF while parsing"), "{said}");
    fs::write(&path, b"\xff").unwrap();
    assert!(error(folder.path(), "report").contains("quick.json"));
}
