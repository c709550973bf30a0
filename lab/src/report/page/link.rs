//! Links from the page to the files of results, relative to where the page lies.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

/// Path of the folder of results, seen from the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(Option<String>);

impl Base {
    /// For a page that lies in the folder of results.
    pub fn same_folder() -> Base {
        Base(Some(String::new()))
    }

    /// For a page at `page`. Paths are taken as they are written; links are not resolved.
    ///
    /// There are no links if the way from the page to the results would reveal the names of folders outside of `here`,
    /// the current folder.
    pub fn between(page: &Path, results: &Path, here: &Path) -> Base {
        let (page, results) = (plain(&here.join(page)), plain(&here.join(results)));
        let folder = page.parent().unwrap_or(&page);
        if let Ok(below) = results.strip_prefix(folder) {
            return Base(Some(encode_path(below)));
        }
        let here = plain(here);
        let (Ok(folder), Ok(results)) = (folder.strip_prefix(&here), results.strip_prefix(&here)) else {
            return Base(None);
        };
        let n_shared = folder.components().zip(results.components()).take_while(|(a, b)| a == b).count();
        let up = "../".repeat(folder.components().count() - n_shared);
        Base(Some(up + &encode_path(&results.components().skip(n_shared).collect::<PathBuf>())))
    }

    /// True if files can be linked to at all.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// The folder of the experiment of this name.
    pub(super) fn folder(&self, name: &str) -> FolderLink {
        FolderLink(self.0.as_ref().map(|base| format!("{base}{}/", encode(name))))
    }
}

/// The folder of an experiment's results, seen from the page; none if nothing can be said of it.
#[derive(Serialize)]
pub(in crate::report) struct FolderLink(pub Option<String>);

impl FolderLink {
    /// The place of a file in it, as a URL.
    pub(in crate::report) fn href(&self, file: &str) -> Option<String> {
        self.0.as_ref().map(|folder| folder.clone() + &encode(file))
    }
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The folders of a path, a slash after each.
fn encode_path(path: &Path) -> String {
    path.components().map(|c| encode(&c.as_os_str().to_string_lossy()) + "/").collect()
}

/// A path segment of a URL: nothing in it ends an attribute or is taken for a scheme, a query or a fragment.
fn encode(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_relative_and_tell_nothing_of_the_machine() {
        let href = |page: &str, results: &str| {
            let base = Base::between(Path::new(page), Path::new(results), Path::new("/home/me/project"));
            base.folder("a b").href("full.tsv")
        };
        for (page, results, expected) in [
            ("results/report.html", "results", Some("a%20b/full.tsv")),
            ("./results/report.html", "results/", Some("a%20b/full.tsv")),
            ("report.html", "results", Some("results/a%20b/full.tsv")),
            ("target/x/report.html", "tests/report", Some("../../tests/report/a%20b/full.tsv")),
            ("results/x/../report.html", "/home/me/project/results", Some("a%20b/full.tsv")),
            ("/mnt/site/report.html", "/mnt/site/figures", Some("figures/a%20b/full.tsv")),
            ("/mnt/site/report.html", "results", None),
            ("report.html", "../secret/results", None),
        ] {
            assert_eq!(href(page, results).as_deref(), expected, "{page} {results}");
        }
    }

    #[test]
    fn names_of_files_are_never_schemes_or_attributes() {
        let folder = Base::same_folder().folder("x");
        assert_eq!(folder.href("javascript:a\"b'<é?#.svg").unwrap(), "x/javascript%3Aa%22b%27%3C%C3%A9%3F%23.svg");
    }
}
