//! Sets put together of others: `zn11+below+mine.feat` is all templates of the three, each once.

use std::collections::HashSet;

use super::{Atom, FeatureSet};
use crate::error::Result;

/// The templates of all `parts`, each at its first place, as a set called `name` with the title `title`.
///
/// # Errors
/// If they are too many templates for one set.
pub(super) fn union(name: &str, title: &str, parts: &[FeatureSet]) -> Result<FeatureSet> {
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

    fn named(set: &FeatureSet) -> Vec<String> {
        set.templates.iter().map(ToString::to_string).collect()
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
