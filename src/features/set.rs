//! Sets of templates, built in or from a file.

use super::Atom;
use crate::error::{Error, Result};
use crate::system::SystemKind;
use std::fmt;

/// The built-in sets: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("zn11", include_str!("sets/zn11.feat")),
    ("hs10", include_str!("sets/hs10.feat")),
    ("gn13-hybrid", include_str!("sets/gn13-hybrid.feat")),
    ("ge10", include_str!("sets/ge10.feat")),
    ("easy-first", include_str!("sets/easy-first.feat")),
    ("covington", include_str!("sets/covington.feat")),
    ("stack", include_str!("sets/stack.feat")),
    ("greedy", include_str!("sets/greedy.feat")),
    ("l2s", include_str!("sets/l2s.feat")),
    ("l2s-bigrams", include_str!("sets/l2s-bigrams.feat")),
    ("l2s-unigrams", include_str!("sets/l2s-unigrams.feat")),
    ("minimal", include_str!("sets/minimal.feat")),
    ("minimal-stack", include_str!("sets/minimal-stack.feat")),
];

/// A conjunction of atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// What the template reads.
    pub atoms: Vec<Atom>,
    /// The line on which it stands, from 1.
    pub line: usize,
}

impl Template {
    /// The atoms in an order of their own, so that templates that read the same are equal.
    pub fn sorted_atoms(&self) -> Vec<Atom> {
        let mut atoms = self.atoms.clone();
        atoms.sort();
        atoms
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, atom) in self.atoms.iter().enumerate() {
            write!(f, "{}{atom}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

/// A set of templates and the text it came from, which the model file keeps.
///
/// # Examples
/// ```
/// use treebeam::features::FeatureSet;
///
/// assert_eq!(FeatureSet::load("zn11")?.templates.len(), 72);
/// // A set of one's own: a template a line, each a conjunction of what it reads.
/// let text = "# Tags of two words\nS0.p B0.p\nS0.w  # and one form\n";
/// let set = FeatureSet::parse("tags", "tags.feat", text)?;
/// assert_eq!((set.title(), set.templates.len()), ("Tags of two words", 2));
/// // Errors say where.
/// let error = FeatureSet::parse("tags", "tags.feat", "S0.p\nQ0.p\n").unwrap_err();
/// assert!(error.to_string().starts_with("tags.feat:2: column 1: "));
/// # Ok::<(), treebeam::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSet {
    /// The set's name.
    pub name: String,
    /// The text of the `.feat` file.
    pub text: String,
    /// The templates, in order: a template's number is part of its features.
    pub templates: Vec<Template>,
}

impl FeatureSet {
    /// The built-in set called `name`, or else the set in the file of that path.
    ///
    /// # Errors
    /// If there is neither, or the file is malformed.
    pub fn load(name: &str) -> Result<FeatureSet> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return FeatureSet::parse(name, &format!("{name}.feat"), text);
        }
        if !name.ends_with(".feat") {
            let known = BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(Error::Usage(format!(
                "unknown feature set `{name}`; expected one of {known}, or the path of a .feat file"
            )));
        }
        let text = std::fs::read_to_string(name).map_err(Error::io(name))?;
        FeatureSet::parse(name, name, &text)
    }

    /// [`FeatureSet::load`] for `system`: of the sets called `minimal` the one that reads the words between which it makes arcs.
    ///
    /// # Errors
    /// As [`FeatureSet::load`].
    pub fn load_for(name: &str, system: SystemKind) -> Result<FeatureSet> {
        use SystemKind::{ArcStandard, Attardi, Swap};
        let in_stack = matches!(system, ArcStandard | Attardi | Swap);
        FeatureSet::load(if name == "minimal" && in_stack { "minimal-stack" } else { name })
    }

    /// What errors call the file.
    pub fn path(&self) -> String {
        if self.name.ends_with(".feat") { self.name.clone() } else { format!("{}.feat", self.name) }
    }

    /// The first line of the text that is a comment: what the set is.
    pub fn title(&self) -> &str {
        self.text.lines().find_map(|line| line.strip_prefix('#')).unwrap_or("").trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_have_the_published_sizes() {
        for (name, templates) in [("zn11", 72), ("hs10", 29), ("ge10", 84), ("gn13-hybrid", 49), ("covington", 87)] {
            assert_eq!(FeatureSet::load(name).unwrap().templates.len(), templates, "{name}");
        }
        assert!(FeatureSet::load("stack").is_ok());
        for (name, templates) in [("l2s-unigrams", 40), ("l2s-bigrams", 235), ("l2s", 325)] {
            assert_eq!(FeatureSet::load(name).unwrap().templates.len(), templates, "{name}");
        }
        let [ge10, easy_first] = ["ge10", "easy-first"].map(|name| FeatureSet::load(name).unwrap());
        let atoms = |template: &Template| template.sorted_atoms();
        assert!(ge10.templates.iter().all(|t| easy_first.templates.iter().any(|other| atoms(other) == atoms(t))));
    }
}
