//! From a folder of results to a report.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Experiment, Report, check::check};
use crate::report::document::Document;
use treebeam::error::{Error, Location, Problem, Result};
use treebeam::files::{Packing, read_whole};

/// Order of experiments: the tables of papers, then the comparisons of our own. Others follow by name.
const ORDER: [&str; 13] = [
    "gn13-table1",
    "gn13-figure1",
    "l2s-table3",
    "l2s-table4",
    "l2s-table5",
    "fg17-table1",
    "fg17-table3",
    "fg17-table4",
    "study",
    "systems",
    "learning-curves",
    "lecture-global-vs-greedy",
    "beam-ablation",
];

impl Report {
    /// Reads every `NAME/PROFILE.json` or `.json.zst` in a folder of results.
    ///
    /// # Errors
    /// If the folder cannot be read or holds no document, or if one of them is malformed, cannot be drawn, or stands under
    /// another name or profile than its own.
    pub fn read(results: &Path) -> Result<Report> {
        let mut documents = Vec::new();
        for folder in entries(results)?.iter().filter(|path| path.is_dir()) {
            for path in entries(folder)? {
                let unpacked = Packing::unpacked(&path);
                let has_packed = unpacked == path && path.with_extension("json.zst").exists();
                if unpacked.extension().is_some_and(|e| e == "json") && !has_packed {
                    documents.push(document(&path, folder)?);
                }
            }
        }
        if documents.is_empty() {
            let folder = results.display();
            return Err(Error::Usage(format!(
                "{folder}: no results; expected NAME/PROFILE.json, as `treebeam experiment run` writes it"
            )));
        }
        Report::new(documents)
    }

    /// A report of these documents, in the usual order: of profiles `full` comes first.
    ///
    /// # Errors
    /// If one of them cannot be drawn.
    pub fn new(mut documents: Vec<Document>) -> Result<Report> {
        for document in &documents {
            let path = format!("{}/{}.json", document.name, document.profile);
            check(document).map_err(|(found, expected)| problem(path, 0, found, expected))?;
        }
        let place = |name: &str| ORDER.iter().position(|&known| known == name).unwrap_or(ORDER.len());
        documents.sort_by(|a, b| {
            let key = |d: &Document| (place(&d.name), d.name.clone(), d.profile != "full", d.profile.clone());
            key(a).cmp(&key(b))
        });
        let mut experiments: Vec<Experiment> = Vec::new();
        for document in documents {
            match experiments.last_mut().filter(|last| last.name == document.name) {
                Some(last) => last.profiles.push(document),
                None => experiments.push(Experiment { name: document.name.clone(), profiles: vec![document] }),
            }
        }
        Ok(Report { experiments })
    }

    /// Puts the experiments of these names first, in this order.
    ///
    /// # Errors
    /// If there is none of such a name.
    pub fn begin_with(&mut self, names: &[String]) -> Result<()> {
        if let Some(unknown) = names.iter().find(|name| self.experiments.iter().all(|e| e.name != **name)) {
            let known: Vec<&str> = self.experiments.iter().map(|e| e.name.as_str()).collect();
            return Err(Error::Usage(format!("no results of `{unknown}`; there are {}", known.join(", "))));
        }
        self.experiments.sort_by_key(|e| names.iter().position(|name| *name == e.name).unwrap_or(names.len()));
        Ok(())
    }

    /// Numbers of experiments and of their documents.
    pub fn counts(&self) -> (usize, usize) {
        (self.experiments.len(), self.experiments.iter().map(|e| e.profiles.len()).sum())
    }
}

/// Contents of a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(Error::io(folder))?;
    paths.sort();
    Ok(paths)
}

fn document(path: &Path, folder: &Path) -> Result<Document> {
    let text = read_whole(path)?;
    let at = |line, found, expected| problem(path.display().to_string(), line, found, expected);
    let document: Document = serde_json::from_slice(&text).map_err(|error| {
        let found = error.to_string();
        let found = found.rsplit_once(" at line ").map_or(found.as_str(), |(found, _)| found).to_owned();
        at(error.line(), found, "a document of results, as `treebeam experiment table` writes it".to_owned())
    })?;
    let unpacked = Packing::unpacked(path);
    for (what, own, named) in
        [("name", &document.name, folder.file_name()), ("profile", &document.profile, unpacked.file_stem())]
    {
        let named = named.unwrap_or_default().to_string_lossy();
        if *own != named {
            return Err(at(0, format!("the document's {what} is `{own}`"), format!("`{named}`, as it stands there")));
        }
    }
    check(&document).map_err(|(found, expected)| at(0, found, expected))?;
    Ok(document)
}

fn problem(path: String, line: usize, found: String, expected: String) -> Error {
    Error::Problem(Problem { location: Location { path, line, sentence: None }, found, expected })
}
