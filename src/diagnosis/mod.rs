//! Why a sentence is parsed wrongly: the model or the search.
//!
//! A wrong tree is a *search error* if some derivation of the gold tree scores more than the one that was put out: the model
//! would have preferred it, but it fell off the beam. Otherwise it is a *model error*: no width would help. The best gold
//! derivation is looked for by a beam of its own over correct actions, at least [`GOLD_WIDTH`] wide, so search errors are
//! counted from below.
//!
//! Which derivations are gold is what the system's oracle for beams says: all of least cost where that is dynamic, the
//! canonical one otherwise. For a gold tree that the system does not derive they are those of the best tree that it does.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::configuration::Arena;
use crate::decode::{Decoder, Margin, NO_MARGIN, Workspace, margin};
use crate::error::Result;
use crate::learn::{Beams, GoldSide, Pursuit, Supervision};
use crate::model::{Frozen, Model};
use crate::scorer::Scorer as _;
use crate::system::{System as _, TransitionSystem};
use crate::tree::{Gold, Roots, Tree};
use crate::treebank::Treebank;
use crate::with_system;

/// The least width of the beam that looks for the best gold derivation.
pub const GOLD_WIDTH: usize = 16;

/// How many parts the length of a derivation is divided into.
pub const PARTS: usize = 10;

/// Sentences by what became of their gold derivations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl AddAssign for Diagnosis {
    fn add_assign(&mut self, other: Diagnosis) {
        self.sentences += other.sentences;
        self.not_derivable += other.not_derivable;
        self.right += other.right;
        self.search_errors += other.search_errors;
        self.model_errors += other.model_errors;
        self.in_final_beam += other.in_final_beam;
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

/// Decodes `gold` with a beam of `width` that this margin prunes, too, and follows the gold derivations of its trees; `None` for models whose training trees
/// were lifted, as these are not the treebank's.
///
/// # Errors
/// If a tree is malformed.
pub fn diagnose<F: Frozen>(
    model: &Model<F>,
    gold: &Treebank,
    width: usize,
    margin: Margin,
) -> Result<Option<Diagnosis>> {
    if model.header.lift.is_some() {
        return Ok(None);
    }
    let lags = &model.header.lags;
    let margin = margin::margin(margin, lags, width, model.scorer.scale()).unwrap_or(NO_MARGIN);
    let mut labels = model.label_decoding.labels().clone();
    let trees = gold.trees(Roots::Several, &mut labels)?;
    let mut workspace = Workspace::new(model.actions.n_labels());
    let mut sum = Diagnosis::default();
    for (sentence, tree) in gold.sentences.iter().zip(trees) {
        model.read(sentence, &mut workspace.input);
        let system = model.header.system;
        sum += with_system!(system, model.header.roots, |kind| {
            of_sentence(kind.with_oracle(system.beam_oracle()), model, tree, (width, margin), &mut workspace)
        });
    }
    Ok(Some(sum))
}

/// The diagnosis of the sentence in `workspace.input`.
fn of_sentence<S: TransitionSystem, F: Frozen>(
    system: S,
    model: &Model<F>,
    tree: Tree,
    (width, margin): (usize, i64),
    workspace: &mut Workspace<F::Memory>,
) -> Diagnosis {
    let scorer = model.scorer.scorer();
    let decoder = Decoder::new(system, &model.actions, model.scorer.scorer()).with_margin(margin);
    let machine = decoder.machine;
    let gold = Gold::new(tree);
    let supervision = Supervision { machine, gold: &gold };
    workspace.start();
    let (bump, context, mut scratch) = workspace.parts(&model.actions);
    decoder.scorer.begin(scratch.memory, context);
    let arena = Arena::new(bump, context.label_sets, scorer.masks());
    let canonical;
    let gold_side = match model.header.system.beam_oracle() {
        oracle if oracle.is_static() => {
            canonical = supervision.derivation::<S::Shared<'_>>(Arena::new(bump, context.label_sets, &[]));
            GoldSide::Canonical(&canonical)
        }
        _ => GoldSide::LeastCost,
    };
    let (comparison, gold_width) = (model.header.comparison(), width.max(GOLD_WIDTH));
    let pursuit = Pursuit { decoder, supervision, gold_side, comparison, width, gold_width, loss_weight: 0 };
    let n_words = gold.n_words();
    let mut beams: Beams<S::Shared<'_>> = pursuit.start(arena, n_words);
    let mut n_steps = 0;
    let mut fell_off = None;
    while pursuit.advance(&mut beams, arena, context, &mut scratch) {
        n_steps += 1;
        if fell_off.is_none() && !beams.scores().gold_in_beam {
            fell_off = Some(n_steps);
        }
    }
    let (output, best_gold) = (beams.items[0], beams.gold_items[0]);
    let reached = machine.tree(best_gold, n_words);
    let mut diagnosis = Diagnosis { sentences: 1, ..Diagnosis::default() };
    diagnosis.not_derivable = u64::from(reached != *gold.tree());
    // The same tree by another derivation than the canonical one is right, too.
    let is_right = output.is_gold || machine.tree(output, n_words) == reached;
    match (is_right, best_gold.score > output.score) {
        (true, _) => diagnosis.right = 1,
        (false, true) => diagnosis.search_errors = 1,
        (false, false) => diagnosis.model_errors = 1,
    }
    match fell_off {
        // Steps count from 1: the last one belongs to the last part.
        Some(step) => diagnosis.fell_off[(step - 1) * PARTS / n_steps] = 1,
        None => diagnosis.in_final_beam = 1 - diagnosis.right,
    }
    diagnosis
}
