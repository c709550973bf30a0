//! Joint tagging and parsing (Hatori et al. 2011; Bohnet & Nivre 2012): a system over a stack and a buffer whose words get their tags on
//! the way.
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | TAG(t) | B0 is a word without a tag | B0 gets the tag t | \[t is not the tag of B0\] |
//! | the parser's | B0 has a tag, or is no word | the parser's | the parser's |
//!
//! So each word is tagged once, as soon as it becomes B0, and before anything else happens to it: LEFT of arc-eager and arc-hybrid sees
//! the tag of the head that it gives, and no order of tags and arcs is spurious. In arc-standard TAG(t) with the SHIFT that follows some
//! time later is the SHIFT(t) of these papers, made earlier. Features read tags of words that have one, and none of the others; to
//! features, the word before stands for the head of a word without a tag (`B0.h.p` is the last tag, `B0.h.h.p` the one before).
//!
//! A sentence of n words has 2n nodes beside the root here: node n + i is an arc's dependent whose head is the root and whose label is
//! the tag of word i. So tags are learned, weighted, counted and searched for as labels are, with nothing of their own.

use super::{
    Action, Exactness, Move, MoveCosts, MoveSet, Oracle, OverStacks, Permitted, System, SystemInfo, Transitions,
};
use crate::configuration::{Point, Stacks};
use crate::tree::{Gold, Node, ROOT};

/// End of the names of systems that tag and parse.
pub const SUFFIX: &str = "+tags";

/// A system that tags words, and makes the arcs of another one.
#[derive(Debug)]
pub struct Joint {
    info: &'static SystemInfo,
    parser: &'static dyn OverStacks,
    /// The number of nodes of the buffer that are no words.
    n_roots: usize,
}

/// The facts about the system that tags and makes the arcs of `parser`.
pub(super) fn info(parser: &SystemInfo) -> SystemInfo {
    SystemInfo {
        name: format!("{}{SUFFIX}", parser.name).leak(),
        about: format!("{} Each word is tagged as it becomes the first of the buffer", parser.about).leak(),
        moves: [&[Move::Tag], parser.moves].concat().leak(),
        features: format!("{}+joint", parser.features).leak(),
        tabulation: None,
        ..*parser
    }
}

impl Joint {
    /// The system with these facts that makes the arcs of `parser`.
    pub(super) fn new(info: &'static SystemInfo, parser: &'static dyn OverStacks) -> Joint {
        let initial: crate::configuration::PlainConfiguration = parser.initial((), 1);
        Joint { info, parser, n_roots: initial.buffer_len() - 1 }
    }

    /// The second node of B0.
    fn second<C: Stacks>(&self, c: &C) -> Option<Node> {
        // All words behind one without a tag are in the buffer.
        let (b0, n_words) = (c.buffer(0)?, (c.buffer_len() - self.n_roots) as Node);
        Some(b0 + b0 + n_words - 1)
    }
}

impl System for Joint {
    fn info(&self) -> &'static SystemInfo {
        self.info
    }

    fn exactness(&self) -> Exactness {
        self.parser.exactness()
    }

    fn weighs_arcs(&self) -> bool {
        self.parser.weighs_arcs()
    }

    fn prefers_static(&self) -> bool {
        self.parser.prefers_static()
    }

    fn arc_moves(&self, head: Node, dependent: Node) -> MoveSet {
        self.parser.arc_moves(head, dependent)
    }

    fn max_derivation_len(&self, n_nodes: usize) -> usize {
        self.parser.max_derivation_len(n_nodes / 2) + n_nodes / 2
    }
}

impl<C: Stacks> Transitions<C> for Joint
where
    dyn OverStacks: Oracle<C>,
{
    fn initial(&self, arena: C::Arena, n_nodes: usize) -> C {
        self.parser.initial(arena, n_nodes / 2)
    }

    fn is_terminal(&self, c: &C) -> bool {
        self.parser.is_terminal(c)
    }

    fn permitted(&self, c: &C, point: Point) -> Permitted {
        if !c.b0_awaits_tag() {
            return self.parser.permitted(c, point);
        }
        let moves = MoveSet::default().with(Move::Tag, true);
        Permitted { moves, from_root: moves }
    }

    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        match mv {
            Move::Tag => Some((ROOT, self.second(c)?)),
            _ => self.parser.arc(c, point, mv),
        }
    }

    fn detached(&self, c: &C, point: Point, mv: Move) -> [Option<Node>; 2] {
        if mv == Move::Tag { [None; 2] } else { self.parser.detached(c, point, mv) }
    }

    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Tag => c.tag_front(action.label, arena),
            _ => self.parser.successor(c, action, arena),
        }
    }
}

impl<C: Stacks> Oracle<C> for Joint
where
    dyn OverStacks: Oracle<C>,
{
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        if c.b0_awaits_tag() { (0, Move::Tag) } else { self.parser.static_move(gold.of_parser(), c) }
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        if !permitted.has(Move::Tag) {
            return self.parser.costs(gold.of_parser(), c, point, permitted);
        }
        let mut costs = MoveCosts::default();
        costs.set(Move::Tag, 0);
        costs
    }
}
