//! Sets of templates by name: built in, from a file, or put together of others; `zn11+below+mine.feat` is all templates of the three,
//! each once.

use std::collections::HashSet;
use std::path::Path;

use super::{Atom, FeatureSet};
use crate::error::{Error, Result};
use crate::system::SystemKind;

/// Source of the templates of a built-in set.
#[derive(Debug, Clone, Copy)]
pub enum TemplateSource {
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
pub const BUILT_IN: &[(&str, TemplateSource)] = &[
    ("zn11", TemplateSource::Text(include_str!("sets/zn11.feat"))),
    ("hs10", TemplateSource::Text(include_str!("sets/hs10.feat"))),
    ("gn13-hybrid", TemplateSource::Text(include_str!("sets/gn13-hybrid.feat"))),
    ("ge10", TemplateSource::Text(include_str!("sets/ge10.feat"))),
    ("easy-first", TemplateSource::Text(include_str!("sets/easy-first.feat"))),
    ("covington", TemplateSource::Text(include_str!("sets/covington.feat"))),
    ("stack", TemplateSource::Text(include_str!("sets/stack.feat"))),
    (
        "eager-rich",
        TemplateSource::Union {
            title: "for arc-eager: the templates of zn11, more of the tree, and the words beside S0 and B0 in the sentence",
            parts: "zn11+tree+context",
        },
    ),
    (
        "stack-rich",
        TemplateSource::Union {
            title: "for all systems with a stack: the templates of stack, more of the tree, and the words beside S1, S0 and B0 in \
                    the sentence",
            parts: "stack+stack-tree+stack-context",
        },
    ),
    (
        "greedy",
        TemplateSource::Union {
            title: "for greedy parsers by arc-eager: the templates of zn11, and what stands below and behind, more of the \
                    tree, and the last three actions",
            parts: "zn11+below+buffer+tree+history",
        },
    ),
    ("eager-forms", TemplateSource::Text(include_str!("sets/eager-forms.feat"))),
    ("stack-forms", TemplateSource::Text(include_str!("sets/stack-forms.feat"))),
    ("tagger", TemplateSource::Text(include_str!("sets/tagger.feat"))),
    ("l2s", TemplateSource::Text(include_str!("sets/l2s.feat"))),
    ("l2s-bigrams", TemplateSource::Text(include_str!("sets/l2s-bigrams.feat"))),
    ("l2s-unigrams", TemplateSource::Text(include_str!("sets/l2s-unigrams.feat"))),
    ("minimal", TemplateSource::Text(include_str!("sets/minimal.feat"))),
    ("minimal-stack", TemplateSource::Text(include_str!("sets/minimal-stack.feat"))),
];

/// Groups of templates to add to a set, by name and text.
pub const GROUPS: &[(&str, &str)] = &[
    ("below", include_str!("sets/below.feat")),
    ("buffer", include_str!("sets/buffer.feat")),
    ("tree", include_str!("sets/tree.feat")),
    ("history", include_str!("sets/history.feat")),
    ("context", include_str!("sets/context.feat")),
    ("clusters", include_str!("sets/clusters.feat")),
    ("joint", include_str!("sets/joint.feat")),
    ("joint-tagged", include_str!("sets/joint-tagged.feat")),
    ("source", include_str!("sets/source.feat")),
    ("tagger-source", include_str!("sets/tagger-source.feat")),
    ("stack-below", include_str!("sets/stack-below.feat")),
    ("stack-tree", include_str!("sets/stack-tree.feat")),
    ("stack-context", include_str!("sets/stack-context.feat")),
];

impl FeatureSet {
    /// The built-in set or group called `name`, the set in the file of that path, or, for `A+B`, the templates of both, each
    /// once.
    ///
    /// # Errors
    /// If there is none of these, or a file is malformed.
    pub fn load(name: &str) -> Result<FeatureSet> {
        let built_in = BUILT_IN.iter().find(|(built_in, _)| *built_in == name).map(|&(_, source)| source);
        let group = || GROUPS.iter().find(|(group, _)| *group == name).map(|&(_, text)| TemplateSource::Text(text));
        match built_in.or_else(group) {
            Some(TemplateSource::Text(text)) => return FeatureSet::parse(name, &format!("{name}.feat"), text),
            Some(TemplateSource::Union { title, parts }) => return FeatureSet::load_union(name, title, parts),
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
}

/// The templates of all `parts`, each at its first place, as a set called `name` with the title `title`.
///
/// # Errors
/// If they are too many templates for one set.
fn union(name: &str, title: &str, parts: &[FeatureSet]) -> Result<FeatureSet> {
    let mut text = format!("# {title}\n");
    let mut seen: HashSet<Vec<Atom>> = HashSet::new();
    for part in parts {
        let is_new: Vec<bool> = part.templates.iter().map(|template| seen.insert(template.sorted_atoms())).collect();
        // The text as it is, but for its title, unless a template of it is there already or a name of it may be: then its
        // templates, written out.
        let has_slots = part.text.lines().any(|line| line.trim_start().starts_with("slot"));
        if is_new.iter().all(|&is_new| is_new) && !has_slots {
            text.push_str(untitled(&part.text));
        } else {
            text.push_str(&format!("\n# {}\n", part.title()));
            for (template, _) in part.templates.iter().zip(&is_new).filter(|(_, is_new)| **is_new) {
                text.push_str(&format!("{template}\n"));
            }
        }
    }
    FeatureSet::parse(name, &format!("{name}.feat"), &text)
}

/// A set's text without its first line, if that is its title.
fn untitled(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with('#') => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Template;

    fn named(set: &FeatureSet) -> Vec<String> {
        set.templates.iter().map(ToString::to_string).collect()
    }

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

    #[test]
    fn parts_are_put_together_in_their_order() {
        let [zn11, below, both] = ["zn11", "below", "zn11+below"].map(|name| FeatureSet::load(name).unwrap());
        assert_eq!(named(&both), [named(&zn11), named(&below)].concat());
        assert_eq!(both.title(), "zn11 and below together");
        assert_eq!(FeatureSet::parse("again", "again.feat", &both.text).unwrap().templates, both.templates);
    }

    #[test]
    fn what_is_there_twice_is_taken_once() {
        let [stack, zn11, both] = ["stack", "zn11", "stack+zn11+zn11"].map(|name| FeatureSet::load(name).unwrap());
        let more = named(&zn11).into_iter().filter(|template| {
            let template = FeatureSet::parse("one", "one.feat", template).unwrap().templates[0].sorted_atoms();
            stack.templates.iter().all(|other| other.sorted_atoms() != template)
        });
        let expected: Vec<String> = named(&stack).into_iter().chain(more).collect();
        assert!(expected.len() < stack.templates.len() + zn11.templates.len());
        assert_eq!(named(&both), expected);
    }

    #[test]
    fn slots_of_parts_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["S0", "B0"].map(|place| {
            let path = folder.path().join(format!("{place}.feat"));
            std::fs::write(&path, format!("slot s = {place}.wp\ncross s s\n")).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let both = FeatureSet::load(&paths.join("+")).unwrap();
        assert_eq!(named(&both), ["S0.w S0.p", "B0.w B0.p"]);
    }

    #[test]
    fn an_unknown_part_is_named() {
        let error = FeatureSet::load("zn11+belo").unwrap_err().to_string();
        assert!(error.contains("unknown feature set `belo`"), "{error}");
        assert!(FeatureSet::load("zn11+").unwrap_err().to_string().contains("unknown feature set ``"));
    }
}
