//! Arcs that take others away in derivations of non-monotonic systems.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::configuration::Configuration;
use crate::decode::{Item, Machine};
use crate::system::Transitions;
use crate::tree::{NO_NODE, Node, Tree};

/// Counts of the arcs that derivations make, and of those that replace others (after section 6.3 of Fernández-González &
/// Gómez-Rodríguez 2017). Beams that merge are of monotonic systems, so nothing is counted there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacements {
    /// Arcs made.
    pub arcs: u64,
    /// Those that took one or more arcs away.
    pub replacing: u64,
    /// Those that took arcs away and are gold, labels aside.
    pub gold: u64,
    /// Those that took arcs away, gold ones among them, and are not gold.
    pub harmful: u64,
}

impl AddAssign for Replacements {
    fn add_assign(&mut self, other: Replacements) {
        self.arcs += other.arcs;
        self.replacing += other.replacing;
        self.gold += other.gold;
        self.harmful += other.harmful;
    }
}

impl Replacements {
    /// True if no arc took another one away.
    pub fn are_none(&self) -> bool {
        self.replacing == 0
    }

    /// Arcs of the derivation that ends in `item`, beside those of the gold tree.
    pub(super) fn of<'a, C: Configuration, S: Transitions<C>>(
        machine: Machine<'_, S>,
        item: &'a Item<'a, C>,
        gold: &Tree,
    ) -> Replacements {
        let mut heads: Vec<Node> = vec![NO_NODE; gold.n_words() + 1];
        let mut counts = Replacements::default();
        for [parent, item] in item.transitions() {
            let action = machine.actions.chosen(item.choice);
            let detached = machine.system.detached(&parent.configuration, action.point, action.mv);
            let Some((head, dependent)) = machine.system.arc(&parent.configuration, action.point, action.mv) else {
                detached.into_iter().flatten().for_each(|word| heads[word as usize] = NO_NODE);
                continue;
            };
            let lost = detached.into_iter().flatten().chain([dependent]);
            let lost = lost.filter(|&word| heads[word as usize] != NO_NODE).collect::<Vec<_>>();
            let is_gold = gold.head(dependent) == head;
            counts.arcs += 1;
            counts.replacing += u64::from(!lost.is_empty());
            counts.gold += u64::from(!lost.is_empty() && is_gold);
            counts.harmful += u64::from(!is_gold && lost.iter().any(|&word| gold.head(word) == heads[word as usize]));
            lost.into_iter().for_each(|word| heads[word as usize] = NO_NODE);
            heads[dependent as usize] = head;
        }
        counts
    }
}
