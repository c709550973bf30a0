//! Items of a beam, their successors before they are built, and the tree at the end.

use crate::configuration::{History, Point, SharedConfiguration, View};
use crate::system::{ActionId, Choice};
use crate::tree::{LabelId, Tree};
use hashbrown::HashSet;

/// An item of a beam: a configuration, its score, and the way back.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a, C> {
    /// The configuration.
    pub configuration: C,
    /// The item that this one succeeded; `None` for the initial one.
    pub parent: Option<&'a Item<'a, C>>,
    /// The choice that led here; meaningless for the initial item. After the end of its derivation an item succeeds itself
    /// by [`IDLE`], so that all items of a beam have histories of one length.
    pub choice: Choice,
    /// The sum of the scores of all actions so far.
    pub score: i64,
    /// In training: whether the derivation so far is a gold one.
    pub is_gold: bool,
    /// The last actions, where scorers read them.
    pub last_actions: Option<&'a History<'a>>,
}

/// Padding action of an item whose derivation is complete.
pub const IDLE: Choice = Choice { point: 0, action: ActionId::MAX };

impl<'a, C> Item<'a, C> {
    /// The items from this one back to the initial one.
    pub fn history(&'a self) -> impl Iterator<Item = &'a Item<'a, C>> {
        std::iter::successors(Some(self), |item| item.parent)
    }

    /// The transitions so far, first to last, as the items before and after each; waiting is none.
    pub fn transitions(&'a self) -> Vec<[&'a Item<'a, C>; 2]> {
        let made = self.history().filter(|item| item.choice != IDLE);
        let mut transitions: Vec<_> = made.filter_map(|item| Some([item.parent?, item])).collect();
        transitions.reverse();
        transitions
    }

    /// The number of transitions so far; waiting is none.
    pub fn length(&'a self) -> usize {
        self.history().filter(|item| item.parent.is_some() && item.choice != IDLE).count()
    }
}

impl<'a, C: SharedConfiguration<'a>> Item<'a, C> {
    /// The configuration as scorers read it, from a point.
    #[inline(always)]
    pub fn view(&self, point: Point) -> View<'a> {
        View { cells: self.configuration.cells(point), history: self.last_actions }
    }

    /// A fingerprint of all that later scores of the derivation depend on. Whole histories are no part of it: else every
    /// derivation of a configuration would take a place of the beam.
    #[inline(always)]
    pub fn identity(&self) -> u64 {
        let last = self.last_actions.filter(|history| history.before.is_none()).map_or(0, History::as_number);
        self.configuration.identity() ^ last.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// A successor that has not been built: the parent's rank in the beam, the choice, and the score.
///
/// All in one number, so that its order is the order of a beam, best first: the highest score, ties by the parent's
/// rank, then by point and action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate(u128);

const SIGN: u64 = 1 << 63;

impl Candidate {
    /// The candidate with this score of its whole derivation.
    #[inline]
    pub fn new(score: i64, rank: u32, choice: Choice) -> Candidate {
        let descending = !(score as u64 ^ SIGN);
        let tie = u64::from(rank) << 32 | u64::from(choice.point) << 16 | u64::from(choice.action);
        Candidate(u128::from(descending) << 64 | u128::from(tie))
    }

    /// The score of the whole derivation.
    #[inline]
    pub fn score(self) -> i64 {
        (!((self.0 >> 64) as u64) ^ SIGN) as i64
    }

    /// The parent's rank.
    #[inline]
    pub fn rank(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The score, the parent's rank, and the choice.
    #[inline]
    pub fn parts(self) -> (i64, u32, Choice) {
        (self.score(), self.rank(), self.choice())
    }

    /// The action and where it is taken.
    #[inline]
    pub fn choice(self) -> Choice {
        Choice { point: (self.0 >> 16) as Point, action: self.0 as ActionId }
    }
}

/// Confidence in the arc into a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// The probability of the head, between 0 and 1.
    pub head: f64,
    /// The probability of the label given the head, between 0 and 1.
    pub label: f64,
}

/// One complete derivation's tree and score.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// The sum of the actions' scores, in the model's fixed point.
    pub score: i64,
    /// Confidence in the arc of each word; empty if that was not asked for.
    pub confidences: Vec<Confidence>,
    /// The tag of each word, one of the labels; empty unless the model tags and parses.
    pub tags: Vec<LabelId>,
    /// By word a tagger's most probable tags, the first one first; empty if they were not asked for.
    pub alternatives: Vec<Vec<LabelId>>,
}

impl Parsed {
    /// The tree of this score, without confidences.
    pub fn new(tree: Tree, score: i64) -> Parsed {
        Parsed { tree, score, confidences: Vec::new(), tags: Vec::new(), alternatives: Vec::new() }
    }

    /// The same with the tags apart from the tree, which has [second nodes](Tree::with_tags) for them.
    #[must_use]
    pub(crate) fn with_tags_apart(self) -> Parsed {
        let (tree, tags) = self.tree.without_tags();
        Parsed { tree, tags, ..self }
    }

    /// The first `k` trees of `parsed`, none of them twice: several derivations may make one tree.
    pub(crate) fn best(parsed: impl Iterator<Item = Parsed>, k: usize) -> Vec<Parsed> {
        let mut found = HashSet::new();
        parsed.filter(|parsed| k == 1 || found.insert(parsed.tree.clone())).take(k).collect()
    }
}
