//! Global training with beams that merge (Huang & Sagae 2010; Huang, Fayong & Guo 2012, section 5).
//!
//! The predicted prefix is the best derivation of the best item. The gold prefixes are those of a plain beam restricted to
//! correct actions; each of them is *held* by an item as long as the item was made, among others, by it: by the pushes and pops
//! that it consists of, with the predictors that it came from. Gold has fallen off where no item holds a gold prefix, even if
//! one has its signature: from that one only other stacks can be continued. Where nothing reads labels, an item that holds a
//! derivation with other labels holds it.

use bumpalo::Bump;

use super::exact::difference;
use super::global::GlobalOptions;
use super::gold_beam::{Beams, GoldBeam};
use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use crate::configuration::{Arena, ArenaConfiguration};
use crate::decode::merged::{Merging, Search};
use crate::decode::{Decoder, Item, Scratch, Workspace};
use crate::model::Trainable;
use crate::scorer::{Context, Scorer};
use crate::system::{ActionId, Choice, OverStacks};

/// Where a gold prefix is held: the item, and the predictors of the words that it has pushed and not popped.
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
    /// Where the prefix is held after `action`.
    fn after(self, action: ActionId, search: &Search<'a, '_>, bump: &'a Bump) -> Option<Track<'a>> {
        if search.pushes(action) {
            let held = search.held(self.item, 0, action)?;
            let below = bump.alloc(Below { predictor: held.predictor, rest: self.below });
            return Some(Track { item: held.item, below: Some(below) });
        }
        let Below { predictor, rest } = *self.below?;
        Some(Track { item: search.held(self.item, predictor, action)?.item, below: rest })
    }
}

/// A beam that merges and the plain one of gold prefixes beside it.
#[derive(Debug)]
pub struct MergedGoldBeam<'p, 'a, C> {
    gold_beam: GoldBeam<'p, &'static dyn OverStacks, C>,
    arena: Arena<'a>,
    /// The beam that merges.
    pub search: Search<'a, 'p>,
    /// The gold beam.
    gold: Beams<'a, ArenaConfiguration<'a>>,
    /// By rank in the gold beam: where the prefix is held.
    tracks: Vec<Option<Track<'a>>>,
}

impl<'p, 'a, C: Scorer> MergedGoldBeam<'p, 'a, C> {
    /// Both beams before the first step. What `gold_beam` says of the free beam counts for the width of this one.
    pub fn start(
        merging: &'p Merging,
        gold_beam: GoldBeam<'p, &'static dyn OverStacks, C>,
        arena: Arena<'a>,
        context: Context<'p>,
    ) -> Self {
        let gold = gold_beam.start(arena, context.input.n_words());
        let search = Search::new(merging, arena, context, (gold_beam.width, 1));
        MergedGoldBeam { gold_beam, arena, search, gold, tracks: vec![Some(Track { item: 0, below: None })] }
    }

    /// The gold prefixes, best first.
    pub fn gold_items(&self) -> &[&'a Item<'a, ArenaConfiguration<'a>>] {
        &self.gold.gold_items
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance(&mut self, context: Context, scratch: &mut Scratch<C::Memory>) -> bool {
        if !self.search.advance(&self.gold_beam.decoder.scorer, scratch.memory, context) {
            return false;
        }
        let before = self.gold.gold_items.clone();
        self.gold_beam.advance_gold(&mut self.gold, self.arena, context, scratch);
        let track = |item: &&Item<ArenaConfiguration<'a>>| {
            let parent = item.parent?;
            let place = before.iter().position(|before| std::ptr::eq(*before, parent))?;
            self.tracks[place]?.after(item.choice.action, &self.search, self.arena.bump())
        };
        self.tracks = self.gold.gold_items.iter().map(track).collect();
        true
    }

    /// The scores of the best prefixes, which training records of each step.
    pub fn scores(&self) -> PrefixScores {
        let first = self.search.items()[0];
        let predicted = self.search.score(first);
        let mut held = self.gold.gold_items.iter().zip(&self.tracks);
        let is_first = |track: &Option<Track>| track.is_some_and(|track| track.item == first);
        PrefixScores {
            predicted,
            gold: self.gold.gold_items[0].score,
            predicted_is_gold: held.any(|(item, track)| is_first(track) && item.score == predicted),
            gold_in_beam: self.tracks.iter().any(Option::is_some),
        }
    }
}

/// Decodes the sentence in `workspace.input` and adds to `gradient` that of the difference between the scores of the predicted
/// and the gold prefix; whether there is any.
pub fn learn<T: Trainable>(
    merging: &Merging,
    supervision: &Supervision<&'static dyn OverStacks>,
    gold_side: GoldSide,
    options: GlobalOptions,
    model: &T,
    workspace: &mut Workspace<T::Memory>,
    gradient: &mut T::Gradient,
) -> bool {
    let machine = supervision.machine;
    let GlobalOptions { width, update, .. } = options;
    workspace.start();
    let (bump, context, mut scratch) = workspace.parts(machine.actions);
    let scorer = model.scorer();
    scorer.begin(scratch.memory, context);
    let arena = Arena::new(bump, context.label_sets, scorer.masks());
    let decoder = Decoder::new(machine.system, machine.actions, model.scorer());
    let gold_beam =
        GoldBeam { decoder, supervision: *supervision, gold_side, width, gold_width: width, loss_weight: 0 };
    let mut gold_beam = MergedGoldBeam::start(merging, gold_beam, arena, context);
    let (mut trace, mut gold_prefixes) = (Vec::new(), Vec::new());
    while gold_beam.advance(context, &mut scratch) {
        let scores: PrefixScores = gold_beam.scores();
        trace.push(scores);
        gold_prefixes.push(gold_beam.gold_items()[0]);
        if update.stops_early() && !scores.gold_in_beam {
            break;
        }
    }
    let Some(step) = update.choose(&trace) else { return false };
    let choice = |action| Choice { point: 0, action };
    let predicted: Vec<Choice> = gold_beam.search.best_after(step + 1).into_iter().map(choice).collect();
    let mut gold: Vec<Choice> = gold_prefixes[step].history().map(|item| item.choice).collect();
    // The initial item has no choice.
    gold.pop();
    gold.reverse();
    difference(&machine, arena, (&predicted, &gold), (model, scratch.memory, context), gradient)
}
