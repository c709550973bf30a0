//! Tagging from left to right, as a transition system: Algorithm 1 of Chang et al. (2015, "Learning to Search for Dependencies").
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | TAG(t) | β ≠ \[\] | adds root →t b, (σ, b\|β) → (σ\|b, β) | \[t is not the tag of b\] |
//!
//! Initial: σ = \[\], β = 1..n. Terminal: β = \[\]. A tagged sentence is a tree in which all words hang on the root and the labels
//! are the tags, so that oracles, scorers, beams and k-best lists are those of parsers: S0.label is the tag of the word before, and
//! S1.label that of the word before it. A tag costs what a label does, and no tag changes what later ones cost: the static and
//! the dynamic oracle are the same, and exact.

use treebeam::configuration::{Point, RootPlace, Stacks};
use treebeam::system::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo, Transitions,
};
use treebeam::tree::{Gold, MAX_WORDS, Node, ROOT};

/// The tagger.
#[derive(Debug, Clone, Copy)]
pub struct Tagger;

impl Tagger {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        oracles: &[OracleKind::Static, OracleKind::Dynamic],
        roots: &[Roots::Several],
        derives_all: true,
        projective_only: false,
        max_training_words: MAX_WORDS,
        features: "tagger",
        tags: true,
        ..SystemInfo::new(
            "tagger",
            "Tagger: fills --tag-column from left to right (Chang et al. 2015, Algorithm 1)",
            &[Move::Tag],
        )
    };

    /// The system, in which every word hangs on the root.
    pub fn new(_: Roots) -> Tagger {
        Tagger
    }
}

impl System for Tagger {
    fn info(&self) -> &'static SystemInfo {
        Tagger::INFO
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn prefers_static(&self) -> bool {
        true
    }

    fn arc_moves(&self, _: Node, _: Node) -> MoveSet {
        MoveSet::default().with(Move::Tag, true)
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        n_words
    }
}

impl<C: Stacks> Transitions<C> for Tagger {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words, RootPlace::Nowhere)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.buffer_len() == 0
    }

    #[inline]
    fn permitted(&self, c: &C, _: Point) -> Permitted {
        let moves = MoveSet::default().with(Move::Tag, c.buffer_len() > 0);
        Permitted { moves, from_root: moves }
    }

    fn arc(&self, c: &C, _: Point, _: Move) -> Option<(Node, Node)> {
        Some((ROOT, c.buffer(0)?))
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        c.tag_b0(action.label, arena)
    }
}

impl<C: Stacks> Oracle<C> for Tagger {
    fn static_move(&self, _: &Gold, _: &C) -> (Point, Move) {
        (0, Move::Tag)
    }

    fn costs(&self, _: &Gold, _: &C, _: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        permitted.iter().for_each(|mv| costs.set(mv, 0));
        costs
    }
}
