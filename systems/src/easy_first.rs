//! Easy-first (Goldberg & Elhadad 2010): arcs are made where the model is surest, not from left to right.
//!
//! A configuration is a list λ of pending nodes, which starts as root, 1..n, and the arcs. A move is taken at a point i of
//! it, between a = λᵢ and b = λᵢ₊₁:
//!
//! | move | precondition | effect | cost |
//! |---|---|---|---|
//! | LEFT at i | a is a word | adds b → a, takes a off λ | #{k ∈ λ : g(k) = a} + \[g(a) ∈ λ, g(a) ≠ b\] |
//! | RIGHT at i | | adds a → b, takes b off λ | #{k ∈ λ : g(k) = b} + \[g(b) ∈ λ, g(b) ≠ a\] |
//!
//! Initial: λ = root, 1..n. Terminal: λ = root. Derives every projective tree bottom-up, in n transitions, in as many ways
//! as there are orders that attach a word after all its dependents. (Goldberg & Nivre, TACL 2013, section 4.3, print LEFT for
//! i up to |λ|, but there is no λ at |λ| + 1.)
//!
//! Features see the two nodes as S0 = λᵢ and B0 = λᵢ₊₁, the context to the left as S1, S2, and to the right as B1, B2.
//!
//! **Oracles.** *Static*: the leftmost gold arc whose dependent has all its dependents. *Non-deterministic*: any such arc;
//! in training the parser stays where it is, correcting itself, until it predicts one, as the paper has it. *Dynamic*: the
//! costs above. The system is arc-decomposable, and they are exact for projective gold trees: an arc can still be made if
//! both its nodes are pending.
//!
//! **One root**: with [`Roots::Single`] an arc from the root is made only as the last transition. Point 0 is closed until
//! then, the others are open, so that nothing gets stuck. The costs stay as they are, and exact if one word hangs on the
//! root in the gold tree: while that word is pending, all others can get their heads before it does.

use std::ops::Range;

use treebeam::configuration::{Pending, Point};
use treebeam::system::{
    Action, MAX_WORDS_IF_QUADRATIC, Move, MoveCosts, MoveSet, Oracle, OracleKind, Permitted, Roots, System, SystemInfo,
    Transitions,
};
use treebeam::tree::{Gold, Node, ROOT};

/// The easy-first system.
#[derive(Debug, Clone, Copy)]
pub struct EasyFirst {
    roots: Roots,
}

impl EasyFirst {
    /// The facts about the system.
    pub const INFO: &'static SystemInfo = &SystemInfo {
        max_words: MAX_WORDS_IF_QUADRATIC,
        oracles: &[OracleKind::Static, OracleKind::NonDeterministic, OracleKind::Dynamic],
        features: "easy-first",
        buffer_is_suffix: false,
        local_points: true,
        corrects_itself: true,
        ..SystemInfo::new(
            "easy-first",
            "Easy-first (Goldberg & Elhadad 2010), arcs between neighbours on a list of pending nodes",
            &[Move::Left, Move::Right],
        )
    };

    /// The system with one or several words on the root.
    pub fn new(roots: Roots) -> EasyFirst {
        EasyFirst { roots }
    }
}

impl System for EasyFirst {
    fn info(&self) -> &'static SystemInfo {
        EasyFirst::INFO
    }

    fn weighs_arcs(&self) -> bool {
        true
    }

    fn max_derivation_len(&self, n_words: usize) -> usize {
        n_words
    }
}

/// The nodes that see a change: the four places on either side of a point, see [`SharedPending`].
const REACH: Point = 4;

impl<C: Pending> Transitions<C> for EasyFirst {
    fn initial(&self, arena: C::Arena, n_words: usize) -> C {
        C::initial(arena, n_words)
    }

    fn is_terminal(&self, c: &C) -> bool {
        c.n_pending() == 1
    }

    fn n_points(&self, c: &C) -> usize {
        c.n_pending() - 1
    }

    #[inline]
    fn permitted(&self, c: &C, point: Point) -> Permitted {
        let right_from_root = point == 0;
        let root_may_have_it = self.roots == Roots::Several || c.n_pending() == 2;
        let moves = MoveSet::default()
            .with(Move::Left, !right_from_root)
            .with(Move::Right, !right_from_root || root_may_have_it);
        Permitted { moves, from_root: MoveSet::default().with(Move::Right, right_from_root) }
    }

    #[inline]
    fn arc(&self, c: &C, point: Point, mv: Move) -> Option<(Node, Node)> {
        let (before, behind) = (c.pending(point as usize)?, c.pending(point as usize + 1)?);
        match mv {
            Move::Left => Some((behind, before)),
            Move::Right => Some((before, behind)),
            _ => None,
        }
    }

    #[inline]
    fn successor(&self, c: &C, action: Action, arena: C::Arena) -> C {
        match action.mv {
            Move::Left => c.left_arc_at(action.point, action.label, arena),
            Move::Right => c.right_arc_at(action.point, action.label, arena),
            mv => unreachable!("{} has no {}", self.info().name, mv.name()),
        }
    }

    /// A move at point i leaves the head at place i, and its neighbours with new neighbours.
    fn points_touched(&self, after: &C, point: Point) -> Range<Point> {
        let n_points = Transitions::<C>::n_points(self, after) as Point;
        point.saturating_sub(REACH)..(point + REACH).min(n_points)
    }

    fn point_name(&self, c: &C, point: Point) -> Node {
        c.pending(point as usize).unwrap_or(ROOT)
    }

    fn point_named(&self, c: &C, name: Node) -> Option<Point> {
        c.index_of(name).filter(|&index| index + 1 < c.n_pending()).map(|index| index as Point)
    }
}

impl EasyFirst {
    /// The gold dependents that `word` can still get.
    fn pending_dependents<C: Pending>(gold: &Gold, c: &C, word: Node) -> impl Iterator<Item = Node> {
        gold.dependents(word).iter().copied().filter(|&dependent| c.is_pending(dependent))
    }
}

impl<C: Pending> Oracle<C> for EasyFirst {
    /// The leftmost gold arc whose dependent has all its dependents.
    fn static_move(&self, gold: &Gold, c: &C) -> (Point, Move) {
        for point in 0..Transitions::<C>::n_points(self, c) as Point {
            for mv in [Move::Left, Move::Right] {
                if let Some((head, dependent)) = self.arc(c, point, mv)
                    && dependent != ROOT
                    && gold.head(dependent) == head
                    && Self::pending_dependents(gold, c, dependent).next().is_none()
                {
                    return (point, mv);
                }
            }
        }
        // There is one as long as the gold tree can be derived; elsewhere the oracle is not defined.
        (0, Move::Right)
    }

    fn costs(&self, gold: &Gold, c: &C, point: Point, permitted: MoveSet) -> MoveCosts {
        let mut costs = MoveCosts::default();
        for mv in permitted.iter() {
            if let Some((head, dependent)) = self.arc(c, point, mv) {
                let gold_head = gold.head(dependent);
                let loses_head = gold_head != head && c.is_pending(gold_head);
                let dependents = Self::pending_dependents(gold, c, dependent).map(|dependent| gold.weight(dependent));
                costs.set(mv, dependents.sum::<u32>() + if loses_head { gold.weight(dependent) } else { 0 });
            }
        }
        costs
    }
}
