//! Sets of templates.

use super::{Atom, Attribute, Name, TextPart};
use crate::error::{Problem, Result};
use crate::treebank::{Column, Sentence};
use std::collections::BTreeSet;
use std::fmt;

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
    /// Name of the file in errors.
    pub fn path(&self) -> String {
        if self.name.ends_with(".feat") { self.name.clone() } else { format!("{}.feat", self.name) }
    }

    /// Checks that no template reads the column that a tagger fills.
    ///
    /// # Errors
    /// With the line of the first template that does.
    pub fn check_unread(&self, target: Column) -> Result<()> {
        let reads = |atom: &Atom| atom.attribute().is_some_and(|attribute| attribute.reads(target));
        let read =
            |template: &Template| Some((template.atoms.iter().find(|atom| reads(atom))?.to_string(), template.line));
        match self.templates.iter().find_map(read) {
            None => Ok(()),
            Some((atom, line)) => {
                let found = format!("`{atom}` reads the column that the tagger fills");
                let expected = "other columns; S0.label is the tag of the word before";
                Err(Problem::at(self.path(), line, found, expected).into())
            }
        }
    }

    /// The set with each template that reads the value of [each](TextPart::Each) name of a list in place of one template for each name that
    /// the column has in `sentences`; the set itself if no template does.
    ///
    /// # Errors
    /// If they are too many templates or names for one set, or none.
    pub fn expanded<'s>(self, sentences: impl Iterator<Item = &'s Sentence> + Clone) -> Result<FeatureSet> {
        let is_each = |atom: &Atom| matches!(atom.attribute(), Some(Attribute::Inside(_, TextPart::Each)));
        if !self.templates.iter().flat_map(|template| &template.atoms).any(is_each) {
            return Ok(self);
        }
        let names = [Column::Feats, Column::Misc].map(|column| {
            let lists =
                sentences.clone().flat_map(|sentence| sentence.words().map(move |word| sentence.column(word, column)));
            (column, lists.flat_map(Name::all).collect::<BTreeSet<Name>>())
        });
        let of_atom = |atom: &Atom| match *atom {
            Atom::Of(address, Attribute::Inside(column, TextPart::Each)) => {
                let names = names.iter().filter(|(of, _)| *of == column).flat_map(|(_, names)| names);
                names.map(|&name| Atom::Of(address, Attribute::Inside(column, TextPart::Named(name)))).collect()
            }
            _ => vec![atom.clone()],
        };
        let mut text = format!("# {}\n", self.title());
        for template in &self.templates {
            let mut all = vec![Vec::new()];
            for atom in &template.atoms {
                let atoms = of_atom(atom);
                let with = |before: &Vec<Atom>| {
                    atoms.iter().map(|atom| [&before[..], std::slice::from_ref(atom)].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(with).collect();
            }
            for atoms in all {
                text.push_str(&format!("{}\n", Template { atoms, line: template.line }));
            }
        }
        FeatureSet::parse(&self.name, &self.path(), &text)
    }

    /// True if a template reads the name of the sentence's treebank.
    pub fn reads_source(&self) -> bool {
        self.templates.iter().any(|template| template.atoms.contains(&Atom::Source))
    }

    /// The first atom that reads clusters of words, if one does.
    pub fn cluster_atom(&self) -> Option<&Atom> {
        let reads = |atom: &&Atom| atom.attribute().is_some_and(Attribute::is_cluster);
        self.templates.iter().flat_map(|template| &template.atoms).find(reads)
    }

    /// The first line of the text that is a comment: what the set is.
    pub fn title(&self) -> &str {
        self.text.lines().find_map(|line| line.strip_prefix('#')).unwrap_or("").trim()
    }
}
