//! Global training with beams that merge (Huang & Sagae 2010; Huang, Fayong & Guo 2012, section 5).
//!
//! The predicted prefix is the best derivation of the best item. The gold prefixes are those of a plain beam restricted to
//! correct actions; an item *contains* each of them as long as the item was made, among others, by it: by the pushes and pops
//! that it consists of, with the predictors that it came from. Gold has fallen off where no item contains a gold prefix, even if
//! one has its signature: from that one only other stacks can be continued. Where nothing reads labels, an item that contains a
//! derivation with other labels contains it.

use bumpalo::Bump;

use super::Update;
use super::global::{AdditionOrder, GlobalOptions, learn_difference};
use super::gold_beam::{GoldBeam, GoldBeamSettings};
use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use crate::decode::merged::{MergedSearch, Merging};
use crate::decode::{ItemOf, Scratch, Stepper, Workspace};
use crate::model::Trainable;
use crate::scorer::{Opaque, Scorer};
use crate::system::{ActionId, Choice, OverStacks};

/// Place of a gold prefix: the item, and the predictors of the words that it has pushed and not popped.
#[derive(Debug, Clone, Copy)]
struct Track<'a> {
    item: u32,
    below: Option<&'a Below<'a>>,
}

/// The predictors of the words that have been pushed and not popped, the last one first.
#[derive(Debug)]
struct Below<'a> {
    predictor: u32,
    rest: Option<&'a Below<'a>>,
}

impl<'a> Track<'a> {
    /// Place of the prefix after `action`.
    fn after(self, action: ActionId, search: &MergedSearch<'a, '_>, bump: &'a Bump) -> Option<Track<'a>> {
        if search.pushes(action) {
            let successor = search.successor(self.item, 0, action)?;
            let below = bump.alloc(Below { predictor: successor.predictor, rest: self.below });
            return Some(Track { item: successor.item, below: Some(below) });
        }
        let Below { predictor, rest } = *self.below?;
        Some(Track { item: search.successor(self.item, predictor, action)?.item, below: rest })
    }
}

/// A beam that merges and the plain one of gold prefixes beside it.
#[derive(Debug)]
pub struct MergedGoldBeam<'p, 'a> {
    /// The beam that merges.
    pub search: MergedSearch<'a, 'p>,
    /// The gold beam.
    gold: GoldBeam<'p, 'a, &'static dyn OverStacks>,
    /// By rank in the gold beam: where the prefix is.
    tracks: Vec<Option<Track<'a>>>,
}

impl<'p, 'a> MergedGoldBeam<'p, 'a> {
    /// Both beams before the first step. The width of the free beam in `settings` is that of the one that merges.
    pub fn start(
        merging: &'p Merging,
        stepper: Stepper<'p, 'a, &'static dyn OverStacks>,
        settings: GoldBeamSettings<'p, &'static dyn OverStacks>,
    ) -> Self {
        let search = MergedSearch::new(merging, stepper.arena, stepper.context, (settings.width, 1));
        let tracks = vec![Some(Track { item: 0, below: None })];
        MergedGoldBeam { search, gold: GoldBeam::new(stepper, settings), tracks }
    }

    /// Both beams go on from what a derivation, without scores, leads to.
    pub fn restart(&mut self, from: ItemOf<'a, &'static dyn OverStacks>) {
        let Stepper { arena, context, .. } = self.gold.stepper;
        self.gold.restart(&[from]);
        self.search.restart(arena, context);
        let mut choices: Vec<Choice> =
            from.history().filter(|item| item.parent.is_some()).map(|item| item.choice).collect();
        choices.reverse();
        let initial = Some(Track { item: 0, below: None });
        let track = choices.into_iter().fold(initial, |track, Choice { action, .. }| {
            self.search.follow(action);
            track?.after(action, &self.search, arena.bump())
        });
        self.tracks = vec![track];
    }

    /// The gold prefixes, best first.
    pub fn gold_items(&self) -> &[ItemOf<'a, &'static dyn OverStacks>] {
        &self.gold.gold_items
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance(&mut self, scorer: &dyn Scorer) -> bool {
        let Stepper { arena, context, ref mut memory, .. } = self.gold.stepper;
        if !self.search.advance(scorer, memory, context) {
            return false;
        }
        let before = self.gold.gold_items.clone();
        self.gold.advance_gold(scorer);
        let track = |item: &ItemOf<'a, &'static dyn OverStacks>| {
            let parent = item.parent?;
            let place = before.iter().position(|before| std::ptr::eq(*before, parent))?;
            self.tracks[place]?.after(item.choice.action, &self.search, arena.bump())
        };
        self.tracks = self.gold.gold_items.iter().map(track).collect();
        true
    }

    /// The scores of the best prefixes, which training records of each step.
    pub fn scores(&self) -> PrefixScores {
        let first = self.search.items()[0];
        let predicted = self.search.score(first);
        let mut gold = self.gold.gold_items.iter().zip(&self.tracks);
        let is_first = |track: &Option<Track>| track.is_some_and(|track| track.item == first);
        PrefixScores {
            predicted,
            gold: self.gold.gold_items[0].score,
            predicted_is_gold: gold.any(|(item, track)| is_first(track) && item.score == predicted),
            gold_in_beam: self.tracks.iter().any(Option::is_some),
        }
    }
}

/// Decodes the sentence in `workspace.input` and learns from it: the number of updates, and their gradients. With `roll_in`, a share of
/// its length, the beams start where the model's own derivation has got to then.
pub fn learn(
    merging: &Merging,
    supervision: &Supervision<&'static dyn OverStacks>,
    (gold_side, roll_in): (GoldSide, Option<f64>),
    options: GlobalOptions,
    model: &dyn Trainable,
    workspace: &mut Workspace,
) -> (u64, Opaque) {
    let machine = supervision.machine;
    let GlobalOptions { width, update, .. } = options;
    let scorer = model.scorer();
    let (arena, context, Scratch { memory, buffers, .. }) = workspace.begin(&*scorer, machine.actions);
    let n_words = context.input.n_nodes();
    let choice = |action| Choice { point: 0, action };
    let stepper = Stepper::new(machine, arena, context, (memory, buffers));
    let settings = GoldBeamSettings::new(*supervision, gold_side, width);
    let mut gold_beam = MergedGoldBeam::start(merging, stepper, settings);
    if let Some(share) = roll_in {
        let mut n_steps = 0;
        while gold_beam.search.advance(&*scorer, gold_beam.gold.stepper.memory, context) {
            n_steps += 1;
        }
        let derivation = gold_beam.search.best_after(n_steps).into_iter();
        gold_beam.restart(machine.derive(
            derivation.map(choice).take((share * n_steps as f64) as usize),
            arena,
            n_words,
        ));
    }
    let (mut n_updates, mut gradient) = (0, Opaque::default());
    loop {
        let first = gold_beam.gold.n_steps();
        let (mut trace, mut gold_prefixes) = (Vec::new(), Vec::new());
        let mut fell_off = false;
        while !fell_off && gold_beam.advance(&*scorer) {
            let scores: PrefixScores = gold_beam.scores();
            trace.push(scores);
            gold_prefixes.push(gold_beam.gold_items()[0]);
            fell_off = update.stops_early() && !scores.gold_in_beam;
        }
        let Some(step) = update.choose(&trace) else { break };
        let predicted = gold_beam.search.best_after(first + step + 1).into_iter().map(choice);
        let predicted = machine.derive(predicted, arena, n_words);
        let of = (model, &mut *gold_beam.gold.stepper.memory, context);
        let learned = learn_difference(AdditionOrder::FirstFirst, predicted, gold_prefixes[step], of, &mut gradient);
        n_updates += u64::from(learned);
        match update {
            Update::Restart => gold_beam.restart(predicted),
            Update::RestartEarly if fell_off => gold_beam.restart(predicted),
            _ => break,
        }
    }
    (n_updates, gradient)
}
