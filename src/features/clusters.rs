//! Clusters of words (Brown et al. 1992), of which features read prefixes of the paths (Koo, Carreras & Collins 2008).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Problem, Result, excerpt};
use crate::files::read_text;

/// Paths from the root of a hierarchy of clusters to words. Clones share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters(Arc<HashMap<Box<str>, Box<str>>>);

impl Clusters {
    /// Reads a file as Liang's program writes it: path, word and count a line, with tabs between them; other columns than the first
    /// two are not read.
    ///
    /// # Errors
    /// If it cannot be read, a line has no word, a path is not made of 0 and 1, or a word comes twice, with the line.
    pub fn read(path: &Path) -> Result<Clusters> {
        let text = read_text(path)?;
        let mut paths: HashMap<Box<str>, Box<str>> = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
            let mut fields = line.split('\t');
            let wrong = |expected: &str| {
                Problem::at(path.display().to_string(), number, format!("`{}`", excerpt(line)), expected)
            };
            let (Some(bits), Some(word)) = (fields.next(), fields.next().filter(|word| !word.is_empty())) else {
                return Err(wrong("a path and a word, with a tab between them").into());
            };
            if bits.is_empty() || !bits.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
                return Err(wrong("a path of 0 and 1 in the first column").into());
            }
            if paths.insert(word.into(), bits.into()).is_some() {
                return Err(wrong("each word once").into());
            }
        }
        if paths.is_empty() {
            return Err(Problem::at(path.display().to_string(), 0, "no word", "paths and words").into());
        }
        Ok(Clusters(Arc::new(paths)))
    }

    /// The first `length` steps of the path to the word, or to the word in lower case; all of them if `length` is 0, and `_` if
    /// the word is in no cluster.
    pub fn path(&self, word: &str, length: u8) -> &str {
        let found = self.0.get(word).or_else(|| self.0.get(word.to_lowercase().as_str()));
        let path = found.map_or("_", |path| path);
        let end = if length == 0 { path.len() } else { path.len().min(length.into()) };
        &path[..end]
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Model files have the words of each path, with tabs between them.
impl Serialize for Clusters {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        self.0.iter().for_each(|(word, path)| words.entry(path).or_default().push(word));
        serializer.collect_map(words.into_iter().map(|(path, mut words)| {
            words.sort_unstable();
            (path, words.join("\t"))
        }))
    }
}

impl<'de> Deserialize<'de> for Clusters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Clusters, D::Error> {
        let words = BTreeMap::<String, String>::deserialize(deserializer)?;
        let pairs = words
            .iter()
            .flat_map(|(path, words)| words.split('\t').map(move |word| (word.into(), path.as_str().into())));
        Ok(Clusters(Arc::new(pairs.collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Clusters> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Clusters::read(file.path())
    }

    #[test]
    fn words_have_paths() {
        let clusters = read("0010\tthe\t7\n0011\ta\t5\n1\tDog\t1\n").unwrap();
        let path = |word, length| clusters.path(word, length).to_owned();
        assert_eq!([path("the", 0), path("the", 3), path("The", 2), path("a", 9)], ["0010", "001", "00", "0011"]);
        assert_eq!([path("Dog", 4), path("dog", 4), path("", 0)], ["1", "_", "_"]);
        let json = serde_json::to_string(&clusters).unwrap();
        assert_eq!(json, r#"{"0010":"the","0011":"a","1":"Dog"}"#);
        assert_eq!(serde_json::from_str::<Clusters>(&json).unwrap(), clusters);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, expected) in [
            ("01\ta\n01 b\n", 2, "a path and a word"),
            ("01\ta\nx1\tb\n", 2, "a path of 0 and 1"),
            ("01\ta\n\n1\ta\n", 3, "each word once"),
            ("01\t\n", 1, "a path and a word"),
            ("\n", 0, "paths and words"),
        ] {
            let crate::error::Error::Problem(problem) = read(text).unwrap_err() else { panic!("{text}") };
            assert_eq!(problem.location.line, line, "{text}");
            assert!(problem.expected.starts_with(expected), "{text}: {}", problem.expected);
        }
    }
}
