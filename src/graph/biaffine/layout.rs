//! Layout of a biaffine network.

use super::BiaffineNetwork;
use crate::features::Vocabulary;
use crate::graph::{ArcLabels, ArcSide};
use crate::system::FORBIDDEN;

/// Layout of a network: all that its parameters do not change.
#[derive(Debug)]
pub struct BiaffineLayout {
    /// The network as headers describe it.
    pub network: BiaffineNetwork,
    /// The values that are known.
    pub vocabulary: Vocabulary,
    /// By side: 0 for labels that arcs from there may bear.
    pub masks: [Vec<i32>; 3],
}

impl BiaffineLayout {
    /// The layout for this network, vocabulary and inventory of labels.
    pub fn new(
        network: BiaffineNetwork,
        vocabulary: Vocabulary,
        inventory: &ArcLabels,
        n_labels: usize,
    ) -> BiaffineLayout {
        // A whole number of vectors.
        let n_outputs = n_labels.max(1).next_multiple_of(16);
        let mask = |side| {
            let mut mask = vec![FORBIDDEN; n_outputs];
            inventory.permitted(side).for_each(|label| mask[label as usize] = 0);
            mask
        };
        let masks = [ArcSide::Root, ArcSide::Left, ArcSide::Right].map(mask);
        BiaffineLayout { network, vocabulary, masks }
    }

    /// Outputs of the scorer of labels: one a label, padded to whole vectors.
    pub fn n_outputs(&self) -> usize {
        self.masks[0].len()
    }
}
