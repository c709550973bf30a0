//! Why a sentence is parsed wrongly: the model or the search.
//!
//! A wrong tree is a *search error* if some derivation of the gold tree scores more than the one that was put out: the model
//! would have preferred it, but it fell off the beam. Otherwise it is a *model error*: no width would help. The best gold
//! derivation is looked for by a beam of its own over correct actions, at least [`GOLD_WIDTH`] wide, so search errors are
//! counted from below.
//!
//! The system's oracle for beams defines the gold derivations: all of least cost where that is dynamic, the canonical
//! one otherwise. For a gold tree that the system does not derive they are those of the best tree that it does.

mod propagation;
mod replacements;

pub use propagation::Propagation;
pub use replacements::Replacements;

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::configuration::Arena;
use crate::decode::merged::Merging;
use crate::decode::{Machine, Margin, NO_MARGIN, Stepper, Strategy, Workspace, margin};
use crate::error::Result;
use crate::features::Input;
use crate::learn::{GoldBeam, GoldBeamSettings, GoldSide, MergedGoldBeam, Supervision};
use crate::model::{Header, Model, Scoring};
use crate::scorer::Scorer;
use crate::system::{Actions, Choice, OracleKind, OverStacks, TransitionSystem};
use crate::tree::{Gold, Roots};
use crate::treebank::{Sentence, Treebank};
use crate::with_system;

/// The least width of the beam that looks for the best gold derivation.
pub const GOLD_WIDTH: usize = 16;

/// Number of parts that the length of a derivation is divided into.
pub const PARTS: usize = 10;

/// Sentences by what became of their gold derivations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// All sentences.
    pub sentences: u64,
    /// Those whose gold tree, labels included, the system cannot derive with the labels it knows; they are counted below, too.
    pub not_derivable: u64,
    /// Those where a gold derivation, or its tree, was put out.
    pub right: u64,
    /// Those where a gold derivation scores more than what was put out.
    pub search_errors: u64,
    /// Those where none does.
    pub model_errors: u64,
    /// Those of the wrong ones where a gold derivation is in the final beam, though not first.
    pub in_final_beam: u64,
    /// Those where the last gold derivation fell off the beam, by the part of the derivation, in tenths, in which it did.
    pub fell_off: [u64; PARTS],
    /// Arcs of the derivations that were put out.
    #[serde(default, skip_serializing_if = "Replacements::are_none")]
    pub replacements: Replacements,
    /// Wrong arcs of these derivations after the first wrong one of their sentence.
    #[serde(default, skip_serializing_if = "Propagation::is_unknown")]
    pub propagation: Propagation,
}

impl AddAssign for Diagnosis {
    fn add_assign(&mut self, other: Diagnosis) {
        self.sentences += other.sentences;
        self.not_derivable += other.not_derivable;
        self.right += other.right;
        self.search_errors += other.search_errors;
        self.model_errors += other.model_errors;
        self.in_final_beam += other.in_final_beam;
        self.replacements += other.replacements;
        self.propagation += other.propagation;
        for (sum, n) in self.fell_off.iter_mut().zip(other.fell_off) {
            *sum += n;
        }
    }
}

impl Diagnosis {
    /// The share of sentences, from 0 to 1, whose last gold derivation has fallen off by the end of part `part`.
    pub fn fallen_by(&self, part: usize) -> f64 {
        self.fell_off[..=part].iter().sum::<u64>() as f64 / self.sentences as f64
    }
}

/// Decodes `gold` with a beam of `width`, which the margin prunes besides, and follows the gold derivations of its trees; `None`
/// for models whose training trees were lifted, as these are not the treebank's.
///
/// # Errors
/// If a tree is malformed.
pub fn diagnose<F: Scoring>(
    model: &Model<F>,
    gold: &Treebank,
    width: usize,
    margin: Margin,
) -> Result<Option<Diagnosis>> {
    if model.header.lift.is_some() {
        return Ok(None);
    }
    let gaps = &model.header.gaps;
    let margin = margin::margin(margin, gaps, width, model.scorer.scale()).unwrap_or(NO_MARGIN);
    let gold = &*gold.for_target(model.header.target());
    let mut labels = model.label_decoding.labels().clone();
    let trees = gold.trees(Roots::Several, &mut labels)?.into_iter().map(Gold::new);
    let golds = match model.header.joint_target() {
        None => trees.collect(),
        Some(column) => {
            let mut tag =
                |(gold, sentence): (Gold, &Sentence)| Ok(gold.with_tags(&sentence.tags(column, &mut labels)?));
            trees.zip(&gold.sentences).map(&mut tag).collect::<Result<_>>()?
        }
    };
    let scorer = model.scorer.scorer();
    let on = On { header: &model.header, actions: &model.actions, scorer: &*scorer };
    let read = |sentence: &Sentence, input: &mut Input| model.read(sentence, input);
    of_treebank(on, gold, golds, &read, (width, margin)).map(Some)
}

/// Model that is diagnosed.
#[derive(Clone, Copy)]
struct On<'m> {
    header: &'m Header,
    actions: &'m Actions,
    scorer: &'m dyn Scorer,
}

/// The diagnosis of all sentences with these gold sides, of which `read` fills in what the model reads.
fn of_treebank(
    on: On<'_>,
    gold: &Treebank,
    golds: Vec<Gold>,
    read: &dyn Fn(&Sentence, &mut Input),
    (width, margin): (usize, i64),
) -> Result<Diagnosis> {
    let mut workspace = Workspace::new(on.actions.n_labels());
    let merging = match Strategy::trained(width, on.header)? {
        Strategy::Merged { merging, .. } => Some(merging),
        Strategy::Beam { .. } | Strategy::Exact(_) => None,
    };
    let mut sum = Diagnosis::default();
    for (sentence, gold) in gold.sentences.iter().zip(golds) {
        read(sentence, &mut workspace.input);
        let system = on.header.system;
        sum += with_system!(system, on.header.roots, system.beam_oracle(), |kind| {
            of_sentence(kind, on, &gold, merging.as_ref(), (width, margin), &mut workspace)
        });
    }
    Ok(sum)
}

/// The diagnosis of the sentence in `workspace.input`.
fn of_sentence<S: TransitionSystem>(
    system: S,
    On { header, actions, scorer }: On<'_>,
    gold: &Gold,
    merging: Option<&Merging>,
    (width, margin): (usize, i64),
    workspace: &mut Workspace,
) -> Diagnosis {
    let machine = Machine::new(system, actions, scorer);
    let beams = Followers { gold, oracle: header.system.beam_oracle(), width, margin };
    let found = match merging {
        Some(merging) => {
            let machine = machine.over_stacks().expect("what merges is over a stack and a buffer");
            follow_merged(merging, &beams, scorer, workspace.stepper(machine, scorer).0)
        }
        None => follow(&beams, scorer, workspace.stepper(machine, scorer).0, |_| {}),
    };
    let mut diagnosis = Diagnosis { sentences: 1, ..Diagnosis::default() };
    diagnosis.not_derivable = u64::from(!found.is_derivable);
    diagnosis.replacements = found.replacements;
    diagnosis.propagation = found.propagation;
    match found.verdict {
        Verdict::Right => diagnosis.right = 1,
        Verdict::SearchError => diagnosis.search_errors = 1,
        Verdict::ModelError => diagnosis.model_errors = 1,
    }
    match found.fell_off {
        // Steps count from 1: the last one belongs to the last part.
        Some(step) => diagnosis.fell_off[(step - 1) * PARTS / found.n_steps] = 1,
        None => diagnosis.in_final_beam = 1 - diagnosis.right,
    }
    diagnosis
}

/// Cause of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing: a gold derivation, or its tree, was put out.
    Right,
    /// The search: a gold derivation scores more than what was put out.
    SearchError,
    /// The model: none does.
    ModelError,
}

impl Verdict {
    /// The verdict on an output of which it is known whether it is right, and its score and that of the best gold derivation.
    fn of(is_right: bool, (output, best_gold): (i64, i64)) -> Verdict {
        match (is_right, best_gold > output) {
            (true, _) => Verdict::Right,
            (false, true) => Verdict::SearchError,
            (false, false) => Verdict::ModelError,
        }
    }
}

/// Fate of the gold derivations of a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Followed {
    /// Cause of the error.
    pub verdict: Verdict,
    /// True if the system derives the gold tree with the labels that the model knows.
    pub is_derivable: bool,
    /// The step, from 1, after which no item of the beam is gold any more; `None` if one is to the end.
    pub fell_off: Option<usize>,
    /// The number of steps until all derivations were complete.
    pub n_steps: usize,
    /// The scores of the first item of the final beam and of the best gold derivation.
    pub scores: (i64, i64),
    /// Arcs of the derivation that was put out.
    pub replacements: Replacements,
    /// Wrong arcs of that derivation after the first one.
    pub propagation: Propagation,
}

/// Sentence whose gold derivations are followed in a beam of this width.
#[derive(Debug, Clone, Copy)]
pub struct Followers<'g> {
    /// The gold tree.
    pub gold: &'g Gold,
    /// The oracle that defines the gold derivations.
    pub oracle: OracleKind,
    /// The width of the free beam.
    pub width: usize,
    /// Its margin.
    pub margin: i64,
}

impl Followers<'_> {
    /// Calls `follow` with both beams of a search before the first step.
    fn start<'p, 'a, S: TransitionSystem>(
        &self,
        machine: Machine<'p, S>,
        arena: Arena<'a>,
        follow: impl FnOnce(GoldBeamSettings<'_, S>) -> Followed,
    ) -> Followed {
        let supervision = Supervision { machine, gold: self.gold };
        let canonical = self.oracle.is_static().then(|| supervision.derivation::<S::Shared<'_>>(arena));
        let gold_side = canonical.as_deref().map_or(GoldSide::LeastCost, GoldSide::Canonical);
        let (width, margin) = (self.width, self.margin);
        let gold_width = width.max(GOLD_WIDTH);
        follow(GoldBeamSettings { supervision, gold_side, width, gold_width, margin, loss_weight: 0 })
    }
}

/// [`follow`] for a beam that merges.
fn follow_merged<'a>(
    merging: &'a Merging,
    followers: &Followers,
    scorer: &dyn Scorer,
    stepper: Stepper<'a, 'a, &'static dyn OverStacks>,
) -> Followed {
    let (machine, arena, n_words) = (stepper.machine, stepper.arena, followers.gold.n_words());
    followers.start(machine, arena, |settings| {
        let mut gold_beam = MergedGoldBeam::start(merging, stepper, settings);
        let (mut n_steps, mut fell_off) = (0, None);
        while gold_beam.advance(scorer) {
            n_steps += 1;
            if fell_off.is_none() && !gold_beam.scores().gold_in_beam {
                fell_off = Some(n_steps);
            }
        }
        let best_gold = gold_beam.gold_items()[0];
        let reached = machine.tree(best_gold, n_words);
        let score = gold_beam.search.score(gold_beam.search.items()[0]);
        let derivation = gold_beam.search.best_after(n_steps).into_iter();
        let output = machine.derive(derivation.map(|action| Choice { point: 0, action }), arena, n_words);
        let scores = (score, best_gold.score);
        let verdict = Verdict::of(machine.tree(output, n_words) == reached, scores);
        let is_derivable = reached == *followers.gold.tree();
        let replacements = Replacements::default();
        let propagation = Propagation::of(machine, output, followers.gold);
        Followed { verdict, is_derivable, fell_off, n_steps, scores, replacements, propagation }
    })
}

/// Decodes a sentence beside the beam of its gold derivations. `watch` is shown both beams before the first step and after each.
pub fn follow<'p, 'a, S: TransitionSystem>(
    followers: &Followers,
    scorer: &dyn Scorer,
    stepper: Stepper<'p, 'a, S>,
    mut watch: impl FnMut(&GoldBeam<'_, 'a, S>),
) -> Followed {
    let (machine, arena, n_words) = (stepper.machine, stepper.arena, followers.gold.n_words());
    followers.start(machine, arena, |settings| {
        let mut beams = GoldBeam::new(stepper, settings);
        watch(&beams);
        let mut fell_off = None;
        while beams.advance(scorer) {
            watch(&beams);
            if fell_off.is_none() && !beams.scores().gold_in_beam {
                fell_off = Some(beams.n_steps());
            }
        }
        let (output, best_gold) = (beams.items[0], beams.gold_items[0]);
        let reached = machine.tree(best_gold, n_words);
        // The same tree by another derivation than the canonical one is right, too.
        let is_right = output.is_gold || machine.tree(output, n_words) == reached;
        let scores = (output.score, best_gold.score);
        let verdict = Verdict::of(is_right, scores);
        let is_derivable = reached == *followers.gold.tree();
        let replacements = Replacements::of(machine, output, followers.gold.tree());
        let propagation = Propagation::of(machine, output, followers.gold);
        Followed { verdict, is_derivable, fell_off, n_steps: beams.n_steps(), scores, replacements, propagation }
    })
}
