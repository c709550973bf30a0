//! Watching greedy training: its first decisions in words, as they are made.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::Mutex;

use super::initial::{InitialWeights, name};
use crate::configuration::{Point, View};
use crate::error::excerpt;
use crate::features::{Compiled, Extractor, FeatureSet, Shown};
use crate::model::Trainable;
use crate::scorer::Context;
use crate::system::{Action, ActionId, Actions, Choice};
use crate::tree::{Labels, Node, ROOT};
use crate::treebank::Sentence;

/// Callback for reports on watched decisions, in whole lines.
pub type ReportDecision = dyn Fn(&str) + Send + Sync;

/// The first decisions of greedy training, and the receiver of reports on them.
pub struct Watch {
    /// Sentences of the training treebank by the line on which they begin.
    sentences: HashMap<usize, Sentence>,
    labels: Labels,
    set: FeatureSet,
    features: Compiled,
    n_decisions: usize,
    n_reported: Mutex<usize>,
    report: Box<ReportDecision>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("n_decisions", &self.n_decisions).finish_non_exhaustive()
    }
}

/// Watching of a sentence's decisions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watched<'w> {
    pub watch: &'w Watch,
    pub initial: &'w InitialWeights,
    /// The line on which the sentence begins.
    pub line: usize,
}

/// A decision to be looked at.
pub(super) struct Watchable<'d, 'v> {
    /// Number of transitions before it.
    pub n_steps: usize,
    pub context: Context<'d>,
    /// The configuration.
    pub lists: Vec<Vec<Node>>,
    pub view: &'d dyn Fn(Point) -> View<'v>,
    pub candidates: Vec<Competitor>,
    pub correct: Vec<Choice>,
}

/// An action that competes in a decision.
pub(super) struct Competitor {
    pub choice: Choice,
    pub score: f32,
    pub is_permitted: bool,
}

/// A decision that was looked at, and is not yet learned from.
pub(super) struct Before {
    number: usize,
    text: String,
    fires: Vec<Fires>,
}

/// A feature that fires.
struct Fires {
    feature: u64,
    name: String,
    /// By action.
    weights: Vec<f32>,
}

impl Watch {
    pub(super) fn new(
        sentences: &[Sentence],
        labels: Labels,
        (set, features): (FeatureSet, Compiled),
        n_decisions: usize,
        report: Box<ReportDecision>,
    ) -> Watch {
        let by_line = sentences.iter().map(|sentence| (sentence.location(ROOT).line, sentence.clone())).collect();
        Watch { sentences: by_line, labels, set, features, n_decisions, n_reported: Mutex::new(0), report }
    }

    /// True if decisions are to come.
    pub(super) fn goes_on(&self) -> bool {
        self.n_reported.lock().is_ok_and(|n_reported| *n_reported < self.n_decisions)
    }

    /// The features that fire at a point and have weights, or may get some, in the order of the set.
    fn fires(&self, decision: &Watchable, sentence: &Sentence, model: &dyn Trainable, point: Point) -> Vec<Fires> {
        let Context { input, interner, actions } = decision.context;
        let view = (decision.view)(point);
        let columns = self.features.columns();
        let shown = Shown { columns, sentence, labels: &self.labels, interner, actions: actions.all() };
        let mut hashes = Vec::new();
        Extractor::default().extract_all(&self.features, input, interner, &view, &mut hashes, |_| ());
        let mut known: Vec<(usize, u64)> = self.features.order().zip(hashes).collect();
        known.retain(|&(_, feature)| model.knows(feature));
        known.sort_by_key(|&(number, _)| number);
        let fires = known.into_iter().map(|(number, feature)| {
            let template = &self.set.templates[number];
            let weights = (0..actions.len() as u32).map(|output| model.weight(feature, output)).collect();
            Fires { feature, name: name(template, &shown.template(template, &view)), weights }
        });
        fires.collect()
    }

    /// An action, with its point if there are several.
    fn spelled(&self, actions: &Actions, choice: Choice, has_points: bool) -> String {
        let Action { mv, label, .. } = actions.get(choice.action);
        let label = if mv.makes_arc() { format!(":{}", self.labels.name(label)) } else { String::new() };
        let point = if has_points { format!("@{}", choice.point) } else { String::new() };
        format!("{}{label}{point}", mv.name())
    }
}

impl Watched<'_> {
    /// Looks at a decision before it is learned from; `None` if all were reported.
    pub(super) fn look(&self, decision: Watchable, model: &dyn Trainable) -> Option<Before> {
        let watch = self.watch;
        let sentence = watch.sentences.get(&self.line)?;
        let number = {
            let mut n_reported = watch.n_reported.lock().ok().filter(|n_reported| **n_reported < watch.n_decisions)?;
            *n_reported += 1;
            *n_reported
        };
        let actions = decision.context.actions;
        let has_points = decision.candidates.iter().any(|candidate| candidate.choice.point > 0);
        let spelled = |choice| watch.spelled(actions, choice, has_points);
        let predicted =
            decision.candidates.iter().reduce(|best, other| if other.score > best.score { other } else { best })?;
        let mut points: Vec<Point> = decision.correct.iter().map(|choice| choice.point).collect();
        points.push(predicted.choice.point);
        points.sort_unstable();
        points.dedup();
        let fires: Vec<Fires> =
            points.into_iter().flat_map(|point| watch.fires(&decision, sentence, model, point)).collect();
        let node = |&node: &Node| match node {
            ROOT => "0:ROOT".to_owned(),
            word => format!("{word}:{}", excerpt(sentence.form(word))),
        };
        let lists = decision.lists.iter().map(|list| list.iter().map(node).collect::<Vec<_>>().join(" "));
        let lists = lists.collect::<Vec<_>>().join(" | ");
        let scores =
            decision.candidates.iter().map(|candidate| format!("{} {}", spelled(candidate.choice), candidate.score));
        let refused = if predicted.is_permitted { "" } else { ", which is not permitted" };
        let mut text = String::new();
        let place = sentence.location(ROOT);
        _ = writeln!(text, "decision {number}: {place}, after {} transitions, {lists}", decision.n_steps);
        _ = writeln!(text, "  features    {}", joined(fires.iter().map(|fires| fires.name.clone())));
        _ = writeln!(text, "  scores      {}", joined(scores));
        _ = writeln!(text, "  prediction  {}{refused}", spelled(predicted.choice));
        _ = writeln!(text, "  oracle      {}", joined(decision.correct.iter().map(|&choice| spelled(choice))));
        Some(Before { number, text, fires })
    }

    /// Reports a decision that was looked at, after it was learned from.
    pub(super) fn report(&self, before: Before, actions: &Actions, model: &dyn Trainable) {
        let Before { number, mut text, fires } = before;
        let spelled = |action: ActionId| self.watch.spelled(actions, Choice { point: 0, action }, false);
        let mut changes = Vec::new();
        for Fires { feature, name, weights } in &fires {
            for (action, weight) in (0..).zip(weights) {
                let after = model.weight(*feature, u32::from(action));
                if after != *weight {
                    changes.push(format!("{name}, {}: {weight} to {after}", spelled(action)));
                }
            }
        }
        let changes = if changes.is_empty() { "none".to_owned() } else { changes.join("\n              ") };
        _ = writeln!(text, "  update      {changes}");
        if number == self.watch.n_decisions && !self.initial.is_empty() {
            let weights: Vec<f32> =
                self.initial.iter().map(|of| model.weight(of.feature, u32::from(of.action))).collect();
            let listed: Vec<String> = weights.iter().map(f32::to_string).collect();
            _ = writeln!(text, "weights after {number} decisions: {}", listed.join(" "));
            for (of, weight) in self.initial.iter().zip(weights) {
                _ = writeln!(text, "{}\t{}\t{weight}", of.name, spelled(of.action));
            }
        }
        (self.watch.report)(&text);
    }
}

fn joined(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}
