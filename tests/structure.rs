//! What stands where: folders of the library import only from those that its front page lists above them.

use std::path::{Path, PathBuf};

/// Imports that go up, and are to go: the one list of options names what training and graph-based parsers choose among, and these are
/// run by the options that it makes.
const UP: [(&str, &str); 2] = [("learn", "options"), ("graph", "options")];

/// The files of Rust below `folder`.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => files(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The text without comments and without what stands behind `#[cfg(test)]`.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn folders_import_only_from_those_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let front = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    let name =
        |line: &str| Some(line.strip_prefix("//! | [`")?.split('`').next()?.trim_start_matches("mod@").to_owned());
    let folders: Vec<String> = front.lines().filter_map(name).collect();
    assert!(folders.len() > 15, "{folders:?}");
    let mut found = Vec::new();
    files(&source, &mut found);
    let mut wrong = Vec::new();
    for path in found {
        let place = path.strip_prefix(&source).unwrap();
        let is_test = place.iter().any(|part| part.to_string_lossy().trim_end_matches(".rs").ends_with("tests"));
        let folder = place.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(own) = folders.iter().position(|known| *known == folder).filter(|_| !is_test) else { continue };
        let text = code(&std::fs::read_to_string(&path).unwrap());
        let below = folders[own + 1..].iter().filter(|other| {
            text.contains(&format!("crate::{other}::")) && !UP.contains(&(folder.as_str(), other.as_str()))
        });
        wrong.extend(below.map(|other| format!("{} imports from {other}", place.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
