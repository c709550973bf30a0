//! Labels of arcs as small numbers.

use super::Tree;
use hashbrown::HashMap;

/// A label's number in its [`Labels`].
pub type LabelId = u16;

/// "No label": the arc does not exist.
pub const NO_LABEL: LabelId = LabelId::MAX;

/// The inventory of labels: names to numbers and back, numbered in order of first appearance.
///
/// # Examples
/// ```
/// use treebeam::tree::Labels;
///
/// let mut labels = Labels::default();
/// assert_eq!([labels.intern("det"), labels.intern("nsubj"), labels.intern("det")], [0, 1, 0]);
/// assert_eq!((labels.name(1), labels.get("obj")), ("nsubj", None));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    names: Vec<String>,
    ids: HashMap<String, LabelId>,
}

impl Labels {
    /// The most labels that an inventory holds.
    pub const MAX: usize = NO_LABEL as usize;

    /// The labels of these names, as they stand in a file: numbered in order, all different, each one column of a treebank.
    ///
    /// # Errors
    /// If there are none or more than [`Labels::MAX`], or a name is empty, comes twice, or holds a tab or the end of a line.
    pub fn from_file(names: &[String]) -> Result<Labels, String> {
        if names.is_empty() || names.len() > Labels::MAX {
            return Err(format!("{} labels; expected from 1 to {}", names.len(), Labels::MAX));
        }
        if let Some(name) = names.iter().find(|name| name.is_empty() || name.contains(['\t', '\n', '\r'])) {
            return Err(format!("the label {name:?}; expected some text without tabs and line ends"));
        }
        let labels: Labels = names.iter().collect();
        if labels.len() < names.len() {
            return Err("a label twice; expected each of them once".to_owned());
        }
        Ok(labels)
    }

    /// The number of `name`, new if it was not known.
    ///
    /// # Panics
    /// If there are more than [`Labels::MAX`] labels.
    pub fn intern(&mut self, name: &str) -> LabelId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id =
            LabelId::try_from(self.names.len()).ok().filter(|&id| id < NO_LABEL).expect("at most Labels::MAX labels");
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The number of `name`, if it is known.
    pub fn get(&self, name: &str) -> Option<LabelId> {
        self.ids.get(name).copied()
    }

    /// The name of `id`.
    ///
    /// # Panics
    /// If `id` is not from this inventory.
    pub fn name(&self, id: LabelId) -> &str {
        &self.names[id as usize]
    }

    /// The names of the labels of `tree`'s words; entry 0 belongs to word 1.
    ///
    /// # Panics
    /// If a word of `tree` has no label of this inventory.
    pub fn names_of(&self, tree: &Tree) -> Vec<&str> {
        tree.labels().iter().map(|&label| self.name(label)).collect()
    }

    /// All names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of labels.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if there is no label.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl<S: AsRef<str>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Labels {
        let mut labels = Labels::default();
        for name in names {
            labels.intern(name.as_ref());
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_from_files_are_checked() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(Labels::from_file(&names(&["a", "b c"])).unwrap().names(), ["a", "b c"]);
        for wrong in [&[] as &[&str], &["a", "a"], &[""], &["a\tb"], &["a\n"], &["\r"]] {
            assert!(Labels::from_file(&names(wrong)).is_err(), "{wrong:?}");
        }
        assert!(Labels::from_file(&(0..70_000).map(|i| i.to_string()).collect::<Vec<_>>()).is_err());
    }
}
