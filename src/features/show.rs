//! Values that each template reads in a configuration, in words.

use super::input::{NOTHING, THE_ROOT};
use super::{Address, Atom, Attribute, Columns, Template};
use crate::configuration::{Interner, Role, Slot, View};
use crate::system::Action;
use crate::tree::{Labels, NO_LABEL, NO_NODE, ROOT};
use crate::treebank::Sentence;

/// Context for putting a configuration's values into words.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'s> {
    /// The columns that word and tag atoms read.
    pub columns: &'s Columns,
    /// The sentence.
    pub sentence: &'s Sentence,
    /// The names of labels.
    pub labels: &'s Labels,
    /// The partial trees of the configuration.
    pub interner: &'s Interner,
    /// Actions by their numbers in the history.
    pub actions: &'s [Action],
}

impl Shown<'_> {
    /// The values of the template's atoms, in order.
    pub fn template(&self, template: &Template, view: &View) -> Vec<String> {
        template.atoms.iter().map(|atom| self.atom(atom, view)).collect()
    }

    /// The value of one atom.
    pub fn atom(&self, atom: &Atom, view: &View) -> String {
        match *atom {
            Atom::Is(address, attribute, _) => self.atom(&Atom::Of(address, attribute), view),
            Atom::One => "1".to_owned(),
            Atom::Source => self.columns.source(self.sentence.treebank()).unwrap_or(NOTHING).to_owned(),
            Atom::Action(number) => match view.history.map(|history| history.last[usize::from(number)]) {
                None | Some(NO_NODE) => NOTHING.to_owned(),
                Some(action) => {
                    let Action { mv, label, .. } = self.actions[action as usize];
                    let label = if mv.makes_arc() { format!("({})", self.label(label)) } else { String::new() };
                    format!("{}{label}", mv.name())
                }
            },
            Atom::Distance(a, b) => {
                let node = |role: Role| view.cell(role).map_or(NO_NODE, |cell| cell.node());
                super::extract::distance((a, node(a)), (b, node(b)), self.sentence.n_words()).to_string()
            }
            Atom::Of(Address { role, step }, attribute) => {
                let Some(cell) = view.cell(role) else { return NOTHING.to_owned() };
                let slot = |slot: Slot| self.interner.get(cell, slot);
                match attribute {
                    Attribute::Label => self.label(slot(step.label_slot())),
                    Attribute::LeftValency => slot(Slot::LeftValency).to_string(),
                    Attribute::RightValency => slot(Slot::RightValency).to_string(),
                    Attribute::Size => super::extract::distance_class(slot(Slot::Size).into()).to_string(),
                    Attribute::Leaf => if slot(Slot::Size) == 1 { "leaf" } else { "inner" }.to_owned(),
                    Attribute::LeftLabels => self.set(slot(Slot::LeftLabels)),
                    Attribute::RightLabels => self.set(slot(Slot::RightLabels)),
                    Attribute::Word | Attribute::Tag | Attribute::Column(_) | Attribute::Inside(..) => {
                        let n_words = self.sentence.n_words();
                        let (node, label) = self.columns.word_and_label(n_words, slot(step.node_slot()));
                        // The tag of a word beside this one is not seen.
                        let label = label.filter(|_| !step.is_in_sentence());
                        match (step.node(role, node, n_words), self.columns.named(attribute)) {
                            (ROOT, _) => THE_ROOT.to_owned(),
                            (NO_NODE, _) | (_, None) => NOTHING.to_owned(),
                            (_, Some(field)) if self.columns.fills(field) => match label {
                                Some(label) => self.columns.part(field, self.labels.name(label)).into_owned(),
                                None => NOTHING.to_owned(),
                            },
                            (word, Some(field)) => self.columns.text(field, self.sentence, word).into_owned(),
                        }
                    }
                }
            }
        }
    }

    fn label(&self, label: u16) -> String {
        if label == NO_LABEL { NOTHING.to_owned() } else { self.labels.name(label).to_owned() }
    }

    fn set(&self, set: u16) -> String {
        let names =
            self.interner.label_sets().members(set, |labels| labels.iter().map(|&l| self.label(l)).collect::<Vec<_>>());
        format!("{{{}}}", names.join(","))
    }
}
