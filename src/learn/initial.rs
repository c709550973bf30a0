//! Weights to begin with, from a file: for small sets of features, as in examples that are worked by hand.

use std::fs;
use std::ops::Deref;

use crate::error::{Error, Problem, Result, excerpt};
use crate::features::{Compiled, FeatureSet, Template};
use crate::system::{ActionId, Actions};
use crate::tree::Labels;

/// A weight to begin with.
#[derive(Debug, Clone, PartialEq)]
pub struct InitialWeight {
    /// The feature's name: its template, and the values that it has.
    pub name: String,
    /// The feature.
    pub feature: u64,
    /// The action.
    pub action: ActionId,
    /// The weight.
    pub weight: f32,
}

/// Weights to begin with, in the order of their file; none if there is no such file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InitialWeights(Vec<InitialWeight>);

impl Deref for InitialWeights {
    type Target = [InitialWeight];

    fn deref(&self) -> &[InitialWeight] {
        &self.0
    }
}

/// The name of a feature.
pub(super) fn name(template: &Template, values: &[String]) -> String {
    format!("{template}: {}", values.join(" "))
}

/// Names that a file of initial weights may use: features, labels, actions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'t> {
    pub set: &'t FeatureSet,
    pub features: &'t Compiled,
    pub labels: &'t Labels,
    pub actions: &'t Actions,
}

impl InitialWeights {
    /// Reads a file: feature, action and weight a line, with tabs between them; `#` begins a comment.
    ///
    /// # Errors
    /// If it cannot be read, or a line is not of this form, with its number.
    pub(super) fn read(path: &str, terms: Terms) -> Result<InitialWeights> {
        let text = fs::read_to_string(path).map_err(Error::io(path))?;
        let mut weights: Vec<InitialWeight> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |found: String, expected: &str| Error::from(Problem::at(path, number, found, expected));
            let &[feature, action, weight] = &line.split('\t').collect::<Vec<_>>()[..] else {
                let found = format!("`{}`", excerpt(line));
                return Err(wrong(found, "a feature, an action and a weight, with a tab between each two"));
            };
            let (name, hash) = terms.feature(feature).map_err(|(found, expected)| wrong(found, expected))?;
            let ids = terms.actions(action);
            if ids.is_empty() {
                let found = format!("the action `{}`", excerpt(action));
                return Err(wrong(
                    found,
                    "a move of the system such as SHIFT, or with a label of the treebank, such as LEFT:nsubj",
                ));
            }
            let Some(value) = weight.trim().parse::<f32>().ok().filter(|weight| weight.abs() <= MAX) else {
                return Err(wrong(format!("the weight `{}`", excerpt(weight)), "a number from -512 to 512"));
            };
            for action in ids {
                if weights.iter().any(|known| (known.feature, known.action) == (hash, action)) {
                    return Err(wrong(format!("`{}` again", excerpt(line)), "one weight for each feature and action"));
                }
                weights.push(InitialWeight { name: name.clone(), feature: hash, action, weight: value });
            }
        }
        if weights.is_empty() {
            return Err(Problem::at(path, 0, "no weight", "a feature, an action and a weight a line").into());
        }
        Ok(InitialWeights(weights))
    }
}

/// The largest weight, whatever its sign.
const MAX: f32 = 512.0;

impl Terms<'_> {
    /// The name and number of the feature that `text` spells.
    fn feature(&self, text: &str) -> Result<(String, u64), (String, &'static str)> {
        let found = || format!("the feature `{}`", excerpt(text));
        let Some((template, values)) = text.split_once(": ") else {
            return Err((found(), "a template and its values, such as `S0.p B0.p: NOUN VERB`"));
        };
        let values: Vec<&str> = values.split_whitespace().collect();
        let Some(number) = self.set.templates.iter().position(|other| other.to_string() == template.trim()) else {
            return Err((found(), "a template of the set of features, spelled as `treebeam features show` prints it"));
        };
        let template = &self.set.templates[number];
        if values.len() != template.atoms.len() {
            return Err((
                found(),
                "a value for each atom of the template, `∅` where there is no word, `ROOT` for the root",
            ));
        }
        let Some(hash) = self.features.feature(self.set, number, &values) else {
            return Err((
                found(),
                "a template that reads columns of words, such as S0.w or B0.next.p, and nothing else",
            ));
        };
        let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
        Ok((name(template, &values), hash))
    }

    /// The actions that `text` spells: all labels of a move if it names none.
    fn actions(&self, text: &str) -> Vec<ActionId> {
        let (mv, label) = match text.trim().split_once(':') {
            Some((mv, label)) => (mv, Some(label)),
            None => (text.trim(), None),
        };
        let is_it = |id: &ActionId| {
            let action = self.actions.get(*id);
            let has_label = |label: &str| action.mv.makes_arc() && self.labels.name(action.label) == label;
            action.mv.name() == mv && label.is_none_or(has_label)
        };
        (0..self.actions.len() as ActionId).filter(is_it).collect()
    }
}
