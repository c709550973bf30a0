//! The commands of README.md, run as they stand.
//!
//! Every block marked `sh` is run, one after the other in one folder, but for those whose first line starts with
//! `# not run:`, which gives the reason.

use std::path::Path;
use std::process::Command;

const NOT_RUN: &str = "# not run:";

/// The `sh` blocks of a Markdown text: the line on which each begins, and what is in it.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: String = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|&line| line != "```")
                .flat_map(|l| [l, "\n"])
                .collect();
            if language == "sh" {
                blocks.push((number + 2, block));
            }
        }
    }
    blocks
}

#[test]
fn commands_of_the_readme_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let blocks = blocks(&std::fs::read_to_string(root.join("README.md")).unwrap());
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root.join("experiments"), folder.path().join("experiments")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("treebeam");
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut n_run = 0;
    for (line, block) in blocks.iter().filter(|(_, block)| !block.starts_with(NOT_RUN)) {
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", block]).current_dir(folder.path()).env("PATH", &path);
        let output = shell.env_remove("TREEBEAM_TREEBANKS").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "README.md:{line}: {}\n{block}{told}", output.status);
        n_run += block.lines().filter(|line| line.contains("treebeam ")).count();
    }
    assert!(n_run >= 15, "only {n_run} lines of commands were found");
}
