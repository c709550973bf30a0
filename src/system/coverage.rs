//! Coverage: the part of a treebank that a system derives.

use std::iter::Sum;

use bumpalo::Bump;

use super::{Derivation, Roots, SystemKind, TransitionSystem};
use crate::configuration::{Arena, Interner, Reads};
use crate::tree::Gold;
use crate::with_system;

/// Counts over trees and their arcs of what a system derives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Coverage {
    /// Trees.
    pub trees: u64,
    /// Trees that the static oracle rebuilds.
    pub rebuilt: u64,
    /// Arcs of these trees.
    pub arcs: u64,
    /// Gold arcs made, by the static oracle or else in a derivation of least cost.
    pub made: u64,
}

impl Coverage {
    /// The coverage of a tree with `n_labels` labels by the named system.
    pub fn of(kind: SystemKind, roots: Roots, gold: &Gold, n_labels: usize) -> Coverage {
        with_system!(kind, roots, |system| of_tree(&system, gold, n_labels))
    }
}

impl Sum for Coverage {
    fn sum<I: Iterator<Item = Coverage>>(counts: I) -> Coverage {
        counts.fold(Coverage::default(), |a, b| Coverage {
            trees: a.trees + b.trees,
            rebuilt: a.rebuilt + b.rebuilt,
            arcs: a.arcs + b.arcs,
            made: a.made + b.made,
        })
    }
}

/// The coverage of a tree with `n_labels` labels. Its configurations share what they have in common: to copy them would take time
/// as the square of the words.
fn of_tree<S: TransitionSystem>(system: &S, gold: &Gold, n_labels: usize) -> Coverage {
    let (bump, interner) = (Bump::new(), Interner::new(n_labels));
    interner.start(&Reads::of([]));
    let arena = Arena::new(&bump, &interner);
    let arcs = gold.n_words() as u64;
    let (rebuilt, made) = match Derivation::canonical::<S, S::Shared<'_>>(system, gold, arena) {
        Some(_) => (1, arcs),
        None => {
            let tree = Derivation::least_cost::<S, S::Shared<'_>>(system, gold, arena).tree;
            (0, tree.words().filter(|&word| tree.head(word) == gold.head(word)).count() as u64)
        }
    };
    Coverage { trees: 1, rebuilt, arcs, made }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    /// A projective tree, and one with a crossing arc: arc-eager must give up one of the two that cross, and swap none.
    #[test]
    fn arcs_of_what_is_not_derived_are_counted() {
        let gold = |heads: &[u16]| Gold::new(Tree::new(heads, &vec![0; heads.len()]));
        let golds = [gold(&[2, 0, 2]), gold(&[3, 4, 0, 3])];
        let coverage = |kind| -> Coverage { golds.iter().map(|gold| Coverage::of(kind, Roots::Single, gold, 1)).sum() };
        assert_eq!(coverage(crate::systems::SWAP), Coverage { trees: 2, rebuilt: 2, arcs: 7, made: 7 });
        assert_eq!(coverage(crate::systems::ARC_EAGER), Coverage { trees: 2, rebuilt: 1, arcs: 7, made: 6 });
    }
}
