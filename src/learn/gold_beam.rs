//! Two beams that advance together: the free one, and one that is restricted to correct actions and supplies the gold prefix
//! after gold has fallen off the free one.

use hashbrown::HashMap;

use super::supervision::{GoldSide, Supervision};
use super::violation::PrefixScores;
use crate::decode::{IDLE, Item, ItemOf, NO_MARGIN, Restricted, Stepper};
use crate::scorer::Scorer;
use crate::system::{Choice, TransitionSystem};

/// The free beam of a sentence and its gold beam, after equally many steps.
#[derive(Debug)]
pub struct GoldBeam<'p, 'a, S: TransitionSystem> {
    /// The search.
    pub stepper: Stepper<'p, 'a, S>,
    /// The free beam, best first.
    pub items: Vec<ItemOf<'a, S>>,
    /// The best gold derivations so far, best first.
    pub gold_items: Vec<ItemOf<'a, S>>,
    settings: GoldBeamSettings<'p, S>,
    n_steps: usize,
    /// Number of steps that the histories of items leave out.
    n_before: usize,
}

/// Settings of both beams of a sentence.
#[derive(Debug, Clone, Copy)]
pub struct GoldBeamSettings<'p, S> {
    /// Supervision: finds correct actions.
    pub supervision: Supervision<'p, S>,
    /// Gold derivations.
    pub gold_side: GoldSide<'p>,
    /// The width of the free beam.
    pub width: usize,
    /// The width of the gold one.
    pub gold_width: usize,
    /// Margin of pruning of the free beam.
    pub margin: i64,
    /// Loss augmentation: value of a loss of 1 in scores of the free beam; 0 unless decoding is loss-augmented.
    pub loss_weight: i32,
}

impl<'p, S: TransitionSystem> GoldBeamSettings<'p, S> {
    /// Beams of this width for training without loss augmentation.
    pub fn new(supervision: Supervision<'p, S>, gold_side: GoldSide<'p>, width: usize) -> GoldBeamSettings<'p, S> {
        GoldBeamSettings { supervision, gold_side, width, gold_width: width, margin: NO_MARGIN, loss_weight: 0 }
    }

    /// The correct choices after `n_steps` of a gold derivation, in ascending order: waiting, once it is complete.
    pub fn correct<'a>(&self, item: ItemOf<'a, S>, n_steps: usize, correct: &mut Vec<Choice>) {
        if self.supervision.machine.is_terminal(item) {
            correct.clear();
            correct.push(IDLE);
        } else {
            self.supervision.correct(self.gold_side, &item.configuration, n_steps, correct);
        }
    }

    /// The losses of an item's actions, by point and action, as scores.
    fn losses<'a>(&self, item: ItemOf<'a, S>, losses: &mut Vec<Vec<i32>>) {
        self.supervision.losses(&item.configuration, losses);
        losses.iter_mut().flatten().for_each(|loss| *loss = loss.saturating_mul(self.loss_weight));
    }
}

impl<'p, 'a, S: TransitionSystem> GoldBeam<'p, 'a, S> {
    /// Both beams before the first step.
    pub fn new(stepper: Stepper<'p, 'a, S>, settings: GoldBeamSettings<'p, S>) -> GoldBeam<'p, 'a, S> {
        let initial = stepper.initial();
        GoldBeam::after(stepper, settings, initial, 0)
    }

    /// Both beams at a gold item after `n_before` steps, which its history leaves out.
    pub fn after(
        stepper: Stepper<'p, 'a, S>,
        settings: GoldBeamSettings<'p, S>,
        item: ItemOf<'a, S>,
        n_before: usize,
    ) -> GoldBeam<'p, 'a, S> {
        GoldBeam { stepper, items: vec![item], gold_items: vec![item], settings, n_steps: n_before, n_before }
    }

    /// Settings of both beams.
    pub fn settings(&self) -> &GoldBeamSettings<'p, S> {
        &self.settings
    }

    /// Number of steps so far.
    pub fn n_steps(&self) -> usize {
        self.n_steps
    }

    /// Takes one step in both beams; false, and nothing is done, if all derivations are complete.
    pub fn advance(&mut self, scorer: &dyn Scorer) -> bool {
        let GoldBeam { stepper, items, gold_items, settings, n_steps, n_before: _ } = self;
        let choices = |item: ItemOf<'a, S>, choices: &mut Vec<Choice>| settings.correct(item, *n_steps, choices);
        let losses = |item: ItemOf<'a, S>, losses: &mut Vec<Vec<i32>>| settings.losses(item, losses);
        let restricted = Restricted {
            items: gold_items,
            width: settings.gold_width,
            choices: &choices,
            losses: (settings.loss_weight != 0).then_some(&losses),
        };
        let advanced = stepper.advance(scorer, (settings.width, settings.margin), items, Some(restricted));
        *n_steps += usize::from(advanced);
        advanced
    }

    /// Takes one step in the gold beam alone.
    pub fn advance_gold(&mut self, scorer: &dyn Scorer) {
        let free = std::mem::take(&mut self.items);
        self.advance(scorer);
        self.items = free;
    }

    /// Both beams go on from `items`, best first and after equally many steps: from a single one as gold, of several those that have
    /// lost least are gold.
    pub fn restart(&mut self, items: &[ItemOf<'a, S>]) {
        let bump = self.stepper.arena.bump();
        let lost = if items.len() == 1 { vec![0] } else { self.lost(items) };
        let least = lost.iter().min().copied();
        let marked = |(&item, &lost): (&ItemOf<'a, S>, &i32)| -> ItemOf<'a, S> {
            bump.alloc(Item { is_gold: Some(lost) == least, ..*item })
        };
        self.items = items.iter().zip(&lost).map(marked).collect();
        self.gold_items = self.items.iter().copied().filter(|item| item.is_gold).collect();
        self.n_steps = self.n_before + self.items[0].history().count() - 1;
    }

    /// The losses of derivations so far, as [`Supervision::losses`] counts them.
    pub fn lost(&self, items: &[ItemOf<'a, S>]) -> Vec<i32> {
        let mut known: HashMap<*const Item<'a, S::Shared<'a>>, i32> = HashMap::new();
        let mut losses = Vec::new();
        let of_item = |&item: &ItemOf<'a, S>| {
            let new: Vec<ItemOf<'a, S>> =
                item.history().take_while(|&item| !known.contains_key(&std::ptr::from_ref(item))).collect();
            let mut lost =
                new.last().and_then(|item| item.parent).map_or(0, |before| known[&std::ptr::from_ref(before)]);
            for item in new.into_iter().rev() {
                if let Some(before) = item.parent.filter(|_| item.choice != IDLE) {
                    self.settings.supervision.losses(&before.configuration, &mut losses);
                    lost += losses[usize::from(item.choice.point)][usize::from(item.choice.action)];
                }
                known.insert(item, lost);
            }
            known[&std::ptr::from_ref(item)]
        };
        items.iter().map(of_item).collect()
    }

    /// The scores of the best prefixes.
    pub fn scores(&self) -> PrefixScores {
        let (predicted, gold) = (self.items[0], self.gold_items[0]);
        PrefixScores {
            predicted: predicted.score,
            gold: gold.score,
            predicted_is_gold: predicted.is_gold,
            gold_in_beam: self.items.iter().any(|item| item.is_gold),
        }
    }
}
