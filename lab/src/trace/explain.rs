//! Contributions of templates to a score.

use std::collections::HashMap;

use treebeam::configuration::View;
use treebeam::error::Result;
use treebeam::features::{Columns, Extractor, FeatureSet, Shown};
use treebeam::linear::{Linear, Weights as _};
use treebeam::scorer::Context;
use treebeam::scorers::AnyModel;
use treebeam::system::{Action, ActionId};
use treebeam::tree::Labels;
use treebeam::treebank::Sentence;

/// Takes the scores of a linear model apart; of other models it gives nothing.
#[derive(Debug)]
pub(super) struct Explainer<'m> {
    /// Linear model to take apart, if the scorer is one.
    linear: Option<&'m Linear>,
    set: FeatureSet,
    columns: Columns,
    labels: Labels,
    actions: Vec<Action>,
    sentence: &'m Sentence,
    extractor: Extractor,
    /// Edition of the label sets that the extractor knows.
    edition: Option<u64>,
    hashes: Vec<u64>,
    scores: Vec<i32>,
    numbers: HashMap<String, u32>,
}

impl<'m> Explainer<'m> {
    /// Explains the scores that `model` gives for `sentence`, if they `are_wanted`.
    ///
    /// # Errors
    /// If the model contradicts itself.
    pub(super) fn new(model: &'m AnyModel, sentence: &'m Sentence, are_wanted: bool) -> Result<Explainer<'m>> {
        let (mut set, columns) = model.header.feature_set()?;
        let linear = model.scorer.as_linear().filter(|_| are_wanted);
        if linear.is_none() {
            set.templates.clear();
        }
        let (labels, actions) = model.header.labels_and_actions()?;
        Ok(Explainer {
            linear,
            set,
            columns,
            labels,
            actions: actions.all().to_vec(),
            sentence,
            extractor: Extractor::default(),
            edition: None,
            hashes: Vec::new(),
            scores: Vec::new(),
            numbers: HashMap::new(),
        })
    }

    /// The templates, if scores are sums over them.
    pub(super) fn templates(&self) -> Vec<String> {
        match self.linear.is_some_and(|linear| linear.output().is_direct()) {
            true => self.set.templates.iter().map(ToString::to_string).collect(),
            false => Vec::new(),
        }
    }

    /// Contribution of each template to the score of `action` in a configuration; nothing if scores are not
    /// sums over templates.
    pub(super) fn weights(&mut self, context: Context, view: &View, action: ActionId) -> Vec<i32> {
        let Some(linear) = self.linear.filter(|linear| linear.output().is_direct()) else {
            return Vec::new();
        };
        let edition = context.interner.label_sets().edition();
        if self.edition.replace(edition) != Some(edition) {
            self.extractor.clear();
        }
        self.hashes.clear();
        let compiled = linear.features();
        self.extractor.extract_all(compiled, context.input, context.interner, view, &mut self.hashes, |_| ());
        let mut weights = vec![0; compiled.n_templates()];
        for (&hash, template) in self.hashes.iter().zip(compiled.order()) {
            self.scores.clear();
            self.scores.resize(linear.weights().width(), 0);
            linear.weights().add_features(&[hash], &mut self.scores);
            weights[template] = self.scores[usize::from(action)];
        }
        weights
    }

    /// Values that templates read in a configuration, as numbers.
    pub(super) fn reads(&mut self, context: Context, view: &View) -> Vec<u32> {
        let Explainer { columns, labels, sentence, actions, .. } = self;
        let shown = Shown { columns, sentence, labels, interner: context.interner, actions };
        let texts: Vec<String> = self.set.templates.iter().map(|t| shown.template(t, view).join(" · ")).collect();
        let numbers = &mut self.numbers;
        let number = |text: String| {
            let next = numbers.len() as u32;
            *numbers.entry(text).or_insert(next)
        };
        texts.into_iter().map(number).collect()
    }

    /// The values, by number.
    pub(super) fn into_values(self) -> Vec<String> {
        let mut values: Vec<(u32, String)> = self.numbers.into_iter().map(|(text, number)| (number, text)).collect();
        values.sort_unstable();
        values.into_iter().map(|(_, text)| text).collect()
    }
}
