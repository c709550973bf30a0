//! Folders of trained models: made, listed, and copied from.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::common::{generated, root, treebeam, write};

fn made(at: &Path) -> std::process::Output {
    let mut python = Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()));
    python.arg(root().join("dist/models.py")).arg(env!("CARGO_BIN_EXE_treebeam"));
    python.args(["--treebanks", "treebanks", "--out", "models", "--set=--iterations=2", "--set=--threads=1", "xx"]);
    python.current_dir(at).output().unwrap()
}

#[test]
fn models_are_made_listed_and_copied() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("treebanks/xx")).unwrap();
    for (part, seed, n) in [("train", 1, 60), ("dev", 2, 20), ("test", 3, 20)] {
        write(&at.join("treebanks/xx"), &format!("{part}.conllu"), &generated(seed, n));
    }
    fs::write(at.join("treebanks/xx/LICENSE.txt"), "CC0\n").unwrap();
    let output = made(at);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = made(at);
    assert_eq!(String::from_utf8_lossy(&again.stderr), "xx: there already\n");

    let card = fs::read_to_string(at.join("models/xx.md")).unwrap();
    let said = ["LAS on test", "LAS with predicted tags", "words a second", "cost of 8 bits", "CC0", "treebeam train"];
    assert!(said.iter().all(|said| card.contains(said)), "{card}");
    let listed = treebeam(at, "model list --from models --json").assert().success();
    let listed = String::from_utf8(listed.get_output().stdout.clone()).unwrap();
    let entries: Vec<serde_json::Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["xx", "xx-tagger"]);
    assert!(entries[1]["scores"]["accuracy"].as_f64().unwrap() > 50.0, "{listed}");
    let table = treebeam(at, "model list --from models").assert().success();
    let table = String::from_utf8(table.get_output().stdout.clone()).unwrap();
    assert!(table.contains("xx-tagger") && table.contains("CC0") && table.contains("LAS"), "{table}");

    // The score in the index is that of the model that comes out.
    treebeam(at, "model get xx --from models").assert().success();
    assert_eq!(fs::read(at.join("xx.model")).unwrap(), fs::read(at.join("models/xx.model")).unwrap());
    treebeam(at, "parse xx.model treebanks/xx/test.conllu -o parsed.conllu").assert().success();
    let report = treebeam(at, "eval treebanks/xx/test.conllu parsed.conllu").assert().success();
    let report = String::from_utf8(report.get_output().stdout.clone()).unwrap();
    assert!(report.contains(&format!("{:.2}", entries[0]["scores"]["LAS"].as_f64().unwrap())), "{report}");

    let refused = |line: &str, expected: &str| {
        let refused = treebeam(at, line).assert().code(2);
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{expected}: {message}");
    };
    refused("model get xx-taggre --from models", "no model `xx-taggre`; did you mean `xx-tagger`?");
    refused("model list --from treebanks", "no index.json; expected a folder that `make models` wrote");
    refused(
        "model get xx --from https://example.org/m/",
        "opens no connections; expected a folder. Fetch https://example.org/m/index.json",
    );
    let mut bytes = fs::read(at.join("models/xx.model")).unwrap();
    bytes[100] ^= 1;
    fs::write(at.join("models/xx.model"), bytes).unwrap();
    refused("model get xx --from models -o other.model", "the file is damaged, or another one");
    assert!(!at.join("other.model").exists());
    let index = fs::read_to_string(at.join("models/index.json")).unwrap();
    fs::write(at.join("models/index.json"), index.replace("\"xx.model\"", "\"../xx.model\"")).unwrap();
    refused("model get xx --from models -o other.model", "expected the name of a file beside it");
}
