//! The bounds of non-monotonic Covington's loss against the loss itself.

use super::{Shape, Space, gold_trees};
use crate::configuration::PlainLists;
use crate::parallel;
use crate::system::{Bounds, LossBounds, OracleKind, OverLists};
use crate::tree::{Gold, Roots};

/// Findings over all configurations, terminal ones included, and all gold trees of one length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoundFindings {
    /// Pairs of a configuration and a gold tree.
    pub pairs: u64,
    /// Pairs in which lower ≤ loss ≤ pc-upper ≤ upper does not hold.
    pub broken: u64,
    /// Pairs whose configuration is not terminal.
    pub decisions: u64,
    /// By oracle, in the order of [`BoundFindings::KINDS`].
    pub of: [OfBound; 3],
}

/// Findings for one bound.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OfBound {
    /// The sum of |bound - loss| / loss over all pairs in which the loss is not 0.
    pub distances: f64,
    /// Pairs in which the bound is not the loss.
    pub different: u64,
    /// Decisions in which a move after which the bound is least is not of least loss.
    pub misled: u64,
}

impl BoundFindings {
    /// The oracles that go by bounds.
    pub const KINDS: [OracleKind; 3] = [OracleKind::Lower, OracleKind::PcUpper, OracleKind::Upper];

    fn add(&mut self, other: &BoundFindings) {
        self.pairs += other.pairs;
        self.broken += other.broken;
        self.decisions += other.decisions;
        for (sum, of) in self.of.iter_mut().zip(other.of) {
            sum.distances += of.distances;
            sum.different += of.different;
            sum.misled += of.misled;
        }
    }
}

/// Compares the bounds that `system` has with the loss for every gold tree of `n_words`.
///
/// # Panics
/// If the system has no bounds.
pub fn check_bounds(system: &dyn OverLists, n_words: usize, roots: Roots) -> BoundFindings {
    let space: Space<PlainLists> = Space::of(&system, n_words, 1);
    let golds = [Shape::Projective, Shape::NonProjective].map(|shape| gold_trees(n_words, roots, shape, 1)).concat();
    let check = |number: usize| {
        let gold: &Gold = &golds[number];
        check_gold(&space, gold, &mut *system.bounds(gold, 0).expect("the system has bounds"))
    };
    let found = parallel::map(golds.len(), check);
    // In order, so that sums of fractions are always the same.
    found.iter().fold(BoundFindings::default(), |mut sum, found| {
        sum.add(found);
        sum
    })
}

fn check_gold(space: &Space<PlainLists>, gold: &Gold, search: &mut dyn LossBounds) -> BoundFindings {
    let losses = space.losses(gold);
    let bounds: Vec<Bounds> = space.configurations.iter().map(|c| search.bounds(c)).collect();
    let mut findings = BoundFindings::default();
    for c in space.numbers() {
        let (loss, of_c) = (losses[c], bounds[c]);
        findings.pairs += 1;
        findings.decisions += u64::from(!space.is_terminal(c));
        let chain = of_c.lower <= loss && loss <= of_c.pc_upper && of_c.pc_upper <= of_c.upper;
        findings.broken += u64::from(!chain);
        for (kind, found) in BoundFindings::KINDS.into_iter().zip(&mut findings.of) {
            let bound = of_c.of_kind(kind);
            found.different += u64::from(bound != loss);
            if loss > 0 {
                found.distances += f64::from(bound.abs_diff(loss)) / f64::from(loss);
            }
            let after = || space.transitions(c).iter().map(|&(_, to)| (bounds[to].of_kind(kind), losses[to]));
            let least = after().map(|(bound, _)| bound).min();
            found.misled += u64::from(after().any(|(bound, after)| Some(bound) == least && after > loss));
        }
    }
    findings
}
