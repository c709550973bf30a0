//! Sets of templates, built in or from a file.

use super::Atom;
use super::union::union;
use crate::error::{Error, Result};
use crate::system::SystemKind;
use std::fmt;
use std::path::Path;

/// Where the templates of a built-in set stand.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// The text of a `.feat` file.
    Text(&'static str),
    /// Other sets, put together as `--features A+B` does.
    Union {
        /// Title of the set.
        title: &'static str,
        /// The names of its parts, with `+` between them.
        parts: &'static str,
    },
}

/// The built-in sets: name and source.
pub const BUILT_IN: &[(&str, Source)] = &[
    ("zn11", Source::Text(include_str!("sets/zn11.feat"))),
    ("hs10", Source::Text(include_str!("sets/hs10.feat"))),
    ("gn13-hybrid", Source::Text(include_str!("sets/gn13-hybrid.feat"))),
    ("ge10", Source::Text(include_str!("sets/ge10.feat"))),
    ("easy-first", Source::Text(include_str!("sets/easy-first.feat"))),
    ("covington", Source::Text(include_str!("sets/covington.feat"))),
    ("stack", Source::Text(include_str!("sets/stack.feat"))),
    (
        "eager-rich",
        Source::Union {
            title: "for arc-eager: the templates of zn11, more of the tree, and the words beside S0 and B0 in the sentence",
            parts: "zn11+tree+context",
        },
    ),
    (
        "stack-rich",
        Source::Union {
            title: "for all systems with a stack: the templates of stack, more of the tree, and the words beside S1, S0 and B0 in \
                    the sentence",
            parts: "stack+stack-tree+stack-context",
        },
    ),
    (
        "greedy",
        Source::Union {
            title: "for greedy parsers by arc-eager: the templates of zn11, and what stands below and behind, more of the \
                    tree, and the last three actions",
            parts: "zn11+below+buffer+tree+history",
        },
    ),
    ("l2s", Source::Text(include_str!("sets/l2s.feat"))),
    ("l2s-bigrams", Source::Text(include_str!("sets/l2s-bigrams.feat"))),
    ("l2s-unigrams", Source::Text(include_str!("sets/l2s-unigrams.feat"))),
    ("minimal", Source::Text(include_str!("sets/minimal.feat"))),
    ("minimal-stack", Source::Text(include_str!("sets/minimal-stack.feat"))),
];

/// Groups of templates to add to a set, by name and text.
pub const GROUPS: &[(&str, &str)] = &[
    ("below", include_str!("sets/below.feat")),
    ("buffer", include_str!("sets/buffer.feat")),
    ("tree", include_str!("sets/tree.feat")),
    ("history", include_str!("sets/history.feat")),
    ("context", include_str!("sets/context.feat")),
    ("stack-below", include_str!("sets/stack-below.feat")),
    ("stack-tree", include_str!("sets/stack-tree.feat")),
    ("stack-context", include_str!("sets/stack-context.feat")),
];

/// A conjunction of atoms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Atoms of the template.
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
    /// The built-in set or group called `name`, the set in the file of that path, or, for `A+B`, the templates of both, each
    /// once.
    ///
    /// # Errors
    /// If there is none of these, or a file is malformed.
    pub fn load(name: &str) -> Result<FeatureSet> {
        let built_in = BUILT_IN.iter().find(|(built_in, _)| *built_in == name).map(|&(_, source)| source);
        let group = || GROUPS.iter().find(|(group, _)| *group == name).map(|&(_, text)| Source::Text(text));
        match built_in.or_else(group) {
            Some(Source::Text(text)) => return FeatureSet::parse(name, &format!("{name}.feat"), text),
            Some(Source::Union { title, parts }) => return FeatureSet::load_union(name, title, parts),
            None => {}
        }
        if name.contains('+') && !Path::new(name).is_file() {
            return FeatureSet::load_union(name, &format!("{} together", name.replace('+', " and ")), name);
        }
        if !name.ends_with(".feat") {
            let known = BUILT_IN.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let groups = GROUPS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(Error::Usage(format!(
                "unknown feature set `{name}`; expected one of {known}, one of the groups {groups}, the path of a .feat file, \
                 or several of these with + between them"
            )));
        }
        FeatureSet::parse(name, name, &crate::files::read_text(Path::new(name))?)
    }

    fn load_union(name: &str, title: &str, parts: &str) -> Result<FeatureSet> {
        let parts: Vec<FeatureSet> = parts.split('+').map(FeatureSet::load).collect::<Result<_>>()?;
        union(name, title, &parts)
    }

    /// [`FeatureSet::load`] for `system`: of the sets called `minimal` the one that reads the words between which it makes arcs.
    ///
    /// # Errors
    /// As [`FeatureSet::load`].
    pub fn load_for(name: &str, system: SystemKind) -> Result<FeatureSet> {
        FeatureSet::load(if name == "minimal" { system.info().minimal_features } else { name })
    }

    /// Name of the file in errors.
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
        for (name, _) in GROUPS {
            assert!(FeatureSet::load(name).is_ok(), "{name}");
        }
        assert_eq!(FeatureSet::load("eager-rich").unwrap().templates.len(), 110);
        assert_eq!(FeatureSet::load("stack-rich").unwrap().templates.len(), 152);
        for (name, templates) in [("l2s-unigrams", 40), ("l2s-bigrams", 235), ("l2s", 325)] {
            assert_eq!(FeatureSet::load(name).unwrap().templates.len(), templates, "{name}");
        }
        let [ge10, easy_first] = ["ge10", "easy-first"].map(|name| FeatureSet::load(name).unwrap());
        let atoms = |template: &Template| template.sorted_atoms();
        assert!(ge10.templates.iter().all(|t| easy_first.templates.iter().any(|other| atoms(other) == atoms(t))));
    }
}
