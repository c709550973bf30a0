//! README.md and the book in docs/: their commands run as they stand, their links lead somewhere, and the reference has every
//! option and every key. Their figures are those of the results.
//!
//! Every block marked `sh` is run, the blocks of a file one after the other in a folder of its own, but for those whose first
//! line starts with `# not run:`, which gives the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::root;
use treebeam_lab::experiment::Spec;
use treebeam_lab::report::texts::fill;

const NOT_RUN: &str = "# not run:";

/// If this variable is set to `update`, the pictures that commands make take the place of those in the book.
const PICTURES: &str = "TREEBEAM_PICTURES";

/// The files of the book with this ending, and README.md if it has it.
fn documents(ending: &str) -> Vec<PathBuf> {
    fn list(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => list(&path, ending, files),
                false if path.extension().is_some_and(|found| found == ending) => files.push(path),
                false => {}
            }
        }
    }
    let mut files = Vec::new();
    list(&root().join("docs/src"), ending, &mut files);
    files.extend(Some(root().join("README.md")).filter(|_| ending == "md"));
    files.sort();
    files
}

/// Name of a file of the repository in messages.
fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

/// A text without its blocks of code, each line with its number.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut in_block = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            lines.push((number + 1, line));
        }
    }
    lines
}

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

/// The program's folder before all others that programs are looked for in.
fn search_path() -> std::ffi::OsString {
    let mut path = assert_cmd::cargo::cargo_bin!("treebeam").parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path
}

#[test]
fn commands_of_the_documents_run() {
    let path = search_path();
    let mut n_run = 0;
    for document in documents("md") {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("experiments"), folder.path().join("experiments")).unwrap();
        let text = fs::read_to_string(&document).unwrap();
        for (line, block) in blocks(&text).iter().filter(|(_, block)| !block.starts_with(NOT_RUN)) {
            let mut shell = Command::new("bash");
            shell.args(["-euo", "pipefail", "-c", block]).current_dir(folder.path()).env("PATH", &path);
            let output = shell.env_remove("TREEBEAM_TREEBANKS").output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            let place = format!("{}:{line}", name(&document));
            assert!(output.status.success(), "{place}: {}\n{block}{message}", output.status);
            n_run += block.lines().filter(|line| line.contains("treebeam ")).count();
        }
        if std::env::var(PICTURES).is_ok_and(|wanted| wanted == "update") {
            for picture in pictures_of(&text) {
                let made = folder.path().join(&picture);
                fs::copy(made, root().join("docs/src/pictures").join(&picture)).unwrap();
            }
        }
    }
    assert!(n_run >= 100, "only {n_run} lines of commands were found");
}

/// The example worked by hand: the book has the decisions and the weights that the program prints.
#[test]
fn the_worked_example_prints_what_the_book_says() {
    let text = fs::read_to_string(root().join("docs/src/theory/oracles.md")).unwrap();
    let (_, block) = blocks(&text).into_iter().find(|(_, block)| block.contains("--watch")).unwrap();
    let below = text.split_once(&block).unwrap().1;
    let printed = below.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &block]).current_dir(folder.path()).env("PATH", search_path());
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
    assert!(printed.contains("4.5 5.5 4.5 5 5 6 5 5 5 6 5 5"), "the weights of the lecture");
}

/// The files in the book's folder of pictures that a chapter shows and makes.
fn pictures_of(text: &str) -> Vec<String> {
    let commands: String = blocks(text).into_iter().map(|(_, block)| block).collect();
    let shown =
        text.split("pictures/").skip(1).filter_map(|rest| rest.split_once(')').map(|(name, _)| name.to_owned()));
    shown.filter(|picture| commands.contains(&format!("-o {picture}"))).collect()
}

#[test]
fn pictures_are_made_by_commands_of_the_book() {
    let made: BTreeSet<String> =
        documents("md").iter().flat_map(|d| pictures_of(&fs::read_to_string(d).unwrap())).collect();
    let there: BTreeSet<String> =
        documents("svg").iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    // Those of pages are saved by their buttons, which needs a browser: `make book-pictures`.
    let script = fs::read_to_string(root().join("tests/browser/pictures.py")).unwrap();
    let saved: BTreeSet<String> = script
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('"')?.split_once("\": (\""))
        .map(|(name, _)| name.to_owned())
        .collect();
    assert!(saved.len() >= 4 && saved.is_disjoint(&made), "{saved:?}");
    assert_eq!(made.union(&saved).cloned().collect::<BTreeSet<_>>(), there);
    let texts: String = documents("md").iter().map(|d| fs::read_to_string(d).unwrap()).collect();
    for picture in saved {
        assert!(texts.contains(&format!("pictures/{picture})")), "no chapter shows {picture}");
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    let mut n_links = 0;
    for document in documents("md") {
        let text = fs::read_to_string(&document).unwrap();
        for (number, line) in prose(&text) {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
            for target in targets.filter(|target| !target.starts_with("http")) {
                let place = format!("{}:{number}: {target}", name(&document));
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let linked = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
                assert!(linked.exists(), "{place} does not exist");
                if !anchor.is_empty() {
                    let there = fs::read_to_string(&linked).unwrap();
                    let headings = prose(&there).into_iter().filter(|(_, line)| line.starts_with('#'));
                    assert!(headings.map(|(_, line)| heading(line)).any(|h| h == anchor), "{place}: no such heading");
                }
                n_links += 1;
            }
        }
    }
    assert!(n_links > 50, "only {n_links} links were found");
}

/// A site of the book needs nothing else: in the folder that it is built from every link leads to a file of that folder, and every
/// page is a chapter.
#[test]
fn the_staged_book_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let staged = Command::new("sh").arg(root().join("docs/stage.sh")).arg(folder.path()).status().unwrap();
    assert!(staged.success() && folder.path().join("book.toml").is_file());
    let source = folder.path().join("src").canonicalize().unwrap();
    let summary = fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let mut pages = vec![PathBuf::from("SUMMARY.md")];
    pages.extend(summary.split("](").skip(1).filter_map(|rest| Some(PathBuf::from(rest.split_once(')')?.0))));
    assert!(pages.len() > 50, "{pages:?}");
    let mut n_links = 0;
    for page in pages {
        let text = fs::read_to_string(source.join(&page)).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        for (line, text) in prose(&text) {
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
            for target in targets.filter(|target| !target.starts_with("http") && !target.starts_with('#')) {
                let place = format!("{}:{line}: {target}", page.display());
                let file = source.join(&page).with_file_name("").join(target.split('#').next().unwrap());
                let file = file.canonicalize().unwrap_or_else(|error| panic!("{place}: {error}"));
                assert!(file.starts_with(&source) && file.is_file(), "{place}: no file of the book");
                let Some(chapter) = file.strip_prefix(&source).ok().filter(|_| target.contains(".md")) else {
                    continue;
                };
                assert!(summary.contains(&format!("]({})", chapter.display())), "{place}: no chapter of the book");
                n_links += 1;
            }
        }
    }
    assert!(n_links > 200, "only {n_links} links were found");
}

#[test]
fn figures_are_those_of_the_results() {
    let mut n_quoting = 0;
    for document in documents("md") {
        let text = fs::read_to_string(&document).unwrap();
        let filled = fill(&document, &text, &root().join("results")).unwrap_or_else(|error| panic!("{error}"));
        assert!(filled == text, "{}: `make report` fills its figures", name(&document));
        if filled.contains("<!--=") {
            n_quoting += 1;
            let by_hand = scores_by_hand(&text);
            assert!(by_hand.is_empty(), "{}: figures without an expression: {by_hand:?}", name(&document));
        }
    }
    assert!(n_quoting >= 5, "only {n_quoting} documents quote figures");
}

/// Words with a number of two digits after the point and no comment behind it; tables and code left out.
fn scores_by_hand(text: &str) -> Vec<String> {
    let is_score = |word: &str| {
        let numbers = word.split(|c: char| !c.is_ascii_digit() && c != '.');
        numbers
            .filter_map(|number| number.trim_matches('.').split_once('.'))
            .any(|(whole, rest)| !whole.is_empty() && rest.len() == 2)
    };
    let lines = prose(text).into_iter().filter(|(_, line)| !line.starts_with('|'));
    // A blank within a figure is one that no line breaks at.
    let words = lines.flat_map(|(number, line)| {
        line.split('`').step_by(2).flat_map(|part| part.split(' ')).map(move |word| (number, word))
    });
    let by_hand = words.filter(|(_, word)| is_score(word) && !word.contains("<!--"));
    by_hand.map(|(number, word)| format!("line {number}: {word}")).collect()
}

#[test]
fn every_chapter_is_in_the_summary() {
    let folder = root().join("docs/src");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for document in documents("md") {
        let Ok(chapter) = document.strip_prefix(&folder) else { continue };
        let chapter = chapter.display().to_string();
        assert!(
            chapter == "SUMMARY.md" || summary.contains(&format!("]({chapter})")),
            "{chapter} is not in SUMMARY.md"
        );
    }
}

#[test]
fn readme_is_short_and_begins_with_two_commands() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 150, "{} lines", text.lines().count());
    let (_, first) = &blocks(&text)[0];
    let commands: Vec<&str> = first.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(commands[0].starts_with("make demo ") && commands[1].starts_with("make test "), "{commands:?}");
}

#[test]
fn the_reference_is_what_the_program_says() {
    let folder = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("treebeam");
    for (option, file, at) in
        [("--markdown", "options.md", "docs/src/reference"), ("--stubs", "_options.pyi", "python/treebeam")]
    {
        assert!(Command::new(program).args(["man", option]).arg(folder.path()).status().unwrap().success());
        let [written, committed] =
            [folder.path().join(file), root().join(at).join(file)].map(|path| fs::read_to_string(path).unwrap());
        assert!(written == committed, "{at}/{file} is out of date; `make reference` writes it");
    }
}

/// The names in backticks of an error's list of what was expected.
fn expected_names(specification: &str) -> Vec<String> {
    let message = Spec::parse(specification, Path::new("test.toml")).unwrap_err().to_string();
    let (_, expected) = message.split_once("expected").unwrap_or_else(|| panic!("{message}"));
    let names: Vec<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(!names.is_empty(), "{message}");
    names
}

#[test]
fn the_reference_has_every_key_of_specifications() {
    let page = fs::read_to_string(root().join("docs/src/reference/specifications.md")).unwrap();
    let head = "name = \"n\"\ntitle = \"t\"\n";
    let plot = "[[plot]]\nname = \"p\"\ntitle = \"t\"\n";
    for unknown in [
        "what = 1\n",
        "[profiles.quick]\nwhat = 1\n",
        "[[row]]\nwhat = 1\n",
        "[[column]]\nwhat = 1\n",
        "[[grid]]\nwhat = 1\n",
        "[table]\nwhat = 1\n",
        "[table]\nlines = \"what\"\n",
        "[table]\nmetrics = [\"what\"]\n",
        "[table]\npunctuation = \"what\"\n",
        "[[plot]]\nwhat = 1\n",
        &format!("{plot}y = \"what\"\n"),
        &format!("{plot}x = \"what\"\n"),
        &format!("{plot}y = \"las\"\nseries = [{{ what = 1 }}]\n"),
        "[[paper]]\nwhat = 1\n",
        "[[paper]]\nmetric = \"what\"\n",
        "[paper-range]\nwhat = 1\n",
    ] {
        for key in expected_names(&format!("{head}{unknown}")) {
            assert!(page.contains(&format!("`{key}`")), "specifications.md does not have `{key}`: {unknown}");
        }
    }
}

/// Statements of the texts, recomputed from records by a script that shares no code with the program.
#[test]
fn statements_are_as_another_program_computes_them() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if let Some(missing) = ["python3", "zstd"].into_iter().find(|program| !has(program)) {
        eprintln!("skipped: there is no {missing}");
        return;
    }
    let output = Command::new("python3").arg(root().join("tests/recompute.py")).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.lines().count() > 10, "{printed}");
}
