//! The best action of each kind for each choice of positions.

use super::tabulation::{Loss, Tabulation};
use crate::configuration::{Arena, ArenaConfiguration, Cell, Role, RootPlace, Stacks as _, View};
use crate::scorer::{Context, Opaque, Query, Scorer};
use crate::system::Deduction;
use crate::system::{ActionId, Actions, Move, MoveSet, Permitted};
use crate::tree::{Gold, Node, ROOT, Roots};

/// The score of what cannot be. Sums of a few of them are still numbers.
pub(super) const NEVER: i64 = i64::MIN / 16;

/// The best of some actions, and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub score: i64,
    pub action: ActionId,
}

/// Queries for scores of transitions: a move, and of RIGHT in arc-hybrid, whose head features need not read, the kind
/// of its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Ask {
    Shift,
    Reduce,
    Left,
    Right,
    /// RIGHT from the gold head.
    RightGold,
    /// RIGHT from the root.
    RightRoot,
}

/// The best actions by positions: of S1, if it is read, S0 and B0.
///
/// Positions are those of words. 0 is the root at the bottom of a stack, or the bottom of a stack without a root; n + 1 is the
/// root behind the last word, or the end of the buffer.
#[derive(Debug)]
pub(super) struct Table<'t> {
    pub kind: Deduction,
    pub roots: Roots,
    pub reads_s1: bool,
    pub n_words: usize,
    pub gold: Option<&'t Gold>,
    best: [Vec<Best>; 6],
}

/// A configuration as scorers read it whose words are known by their positions.
fn view<'a>(s1: Option<&'a Cell<'a>>, s0: Option<&'a Cell<'a>>, b0: Option<&'a Cell<'a>>) -> View<'a> {
    let mut cells = Role::cells(None, b0);
    cells[Role::S0 as usize] = s0;
    cells[Role::S1 as usize] = s1;
    View { cells, history: None }
}

/// Number of configurations that are scored together.
const BATCH: usize = 256;

impl<'t> Table<'t> {
    /// Scores all choices of positions.
    pub fn fill(
        &Tabulation { kind, roots, reads_s1, .. }: &Tabulation,
        scorer: &dyn Scorer,
        memory: &mut Opaque,
        context: Context,
        arena: Arena,
        loss: Option<Loss<'t>>,
    ) -> Table<'t> {
        let n_words = context.input.n_words();
        let gold = loss.map(|loss| loss.gold);
        let mut table = Table { kind, roots, reads_s1, n_words, gold, best: Default::default() };
        let root_place = if kind == Deduction::Eager { RootPlace::BufferEnd } else { RootPlace::StackBottom };
        let initial = ArenaConfiguration::initial(arena, n_words, root_place);
        let buffer: Vec<&Cell> = std::iter::successors(initial.buffer_cell(), |cell| cell.below).collect();
        let on_stack = |place: usize| if place == 0 { initial.stack_cell() } else { Some(buffer[place - 1]) };
        let mut places = Vec::new();
        for j in 1..=n_words + 1 {
            for i in 0..j {
                places.extend((0..if reads_s1 { i.max(1) } else { 1 }).map(|c| (c, i, j)));
            }
        }
        let mut queries = Vec::with_capacity(BATCH);
        for places in places.chunks(BATCH) {
            queries.clear();
            queries.extend(places.iter().map(|&(c, i, j)| {
                let s1 = if i == 0 { None } else { on_stack(c) };
                let view = view(s1, on_stack(i), buffer.get(j - 1).copied());
                Query { view, permitted: Permitted::default() }
            }));
            let scores = scorer.score(memory, context, &queries);
            for (number, &(c, i, j)) in places.iter().enumerate() {
                debug_assert_eq!(table.place(c, i, j), table.best[Ask::Shift as usize].len());
                for ask in [Ask::Shift, Ask::Reduce, Ask::Left, Ask::Right, Ask::RightGold, Ask::RightRoot] {
                    if !table.has(ask) {
                        continue;
                    }
                    let mut best = Best { score: NEVER, action: ActionId::MAX };
                    if let Some((mv, arc)) = table.transition(ask, (c, i, j)) {
                        let from_root = arc.is_some_and(|arc| arc.from_root);
                        let moves = MoveSet::default().with(mv, true);
                        let permitted = Permitted { moves, from_root: MoveSet::default().with(mv, from_root) };
                        let lost = |action| match (loss, arc) {
                            (Some(loss), Some(arc)) => loss.weight * arc.loss(loss.gold, context.actions, action),
                            _ => 0,
                        };
                        for action in context.actions.of_move(mv) {
                            if context.actions.permits(permitted, action) {
                                let score = i64::from(scores.score(number, action, context.actions)) + lost(action);
                                if best.action == ActionId::MAX || score > best.score {
                                    best = Best { score, action };
                                }
                            }
                        }
                    }
                    table.best[ask as usize].push(best);
                }
            }
        }
        table
    }

    /// True if this is scored at all.
    fn has(&self, ask: Ask) -> bool {
        match ask {
            Ask::Shift | Ask::Left | Ask::Right => true,
            Ask::Reduce => self.kind == Deduction::Eager,
            Ask::RightGold => self.kind == Deduction::Hybrid && self.gold.is_some(),
            Ask::RightRoot => self.kind == Deduction::Hybrid,
        }
    }

    /// The move of a transition and its arc, where it may be taken.
    fn transition(&self, ask: Ask, (s1, s0, b0): (usize, usize, usize)) -> Option<(Move, Option<Arc>)> {
        let at_end = b0 > self.n_words;
        let several = self.roots == Roots::Several;
        let arc = |head: usize, dependent: usize, from_root| {
            Some(Arc { head: Head::Is(head as Node), dependent: dependent as Node, from_root })
        };
        let of_gold = |head| Some(Arc { head, dependent: s0 as Node, from_root: false });
        match (self.kind, ask) {
            (_, Ask::Shift) => (!at_end).then_some((Move::Shift, None)),
            (Deduction::Standard, Ask::Left) => (s0 > 0 && s1 > 0).then(|| (Move::Left, arc(s0, s1, false))),
            (Deduction::Standard, Ask::Right) => {
                (s0 > 0 && (s1 > 0 || several || at_end)).then(|| (Move::Right, arc(s1, s0, s1 == 0)))
            }
            (Deduction::Hybrid, Ask::Left) => (s0 > 0 && !at_end).then(|| (Move::Left, arc(b0, s0, false))),
            (Deduction::Hybrid, Ask::Right) => (s0 > 0).then(|| (Move::Right, of_gold(Head::IsNotGold))),
            (Deduction::Hybrid, Ask::RightGold) => (s0 > 0).then(|| (Move::Right, of_gold(Head::IsGold))),
            (Deduction::Hybrid, Ask::RightRoot) => {
                (s0 > 0 && (several || at_end)).then(|| (Move::Right, arc(0, s0, true)))
            }
            (Deduction::Eager, Ask::Left) => {
                let head = if at_end { ROOT.into() } else { b0 };
                (s0 > 0).then(|| (Move::Left, arc(head, s0, at_end)))
            }
            (Deduction::Eager, Ask::Right) => (s0 > 0 && !at_end).then(|| (Move::Right, arc(s0, b0, false))),
            (Deduction::Eager, Ask::Reduce) => (s0 > 0).then_some((Move::Reduce, None)),
            _ => None,
        }
    }

    /// Index of positions; those with `c` from 0 up are side by side.
    #[inline(always)]
    pub fn place(&self, c: usize, i: usize, j: usize) -> usize {
        if self.reads_s1 {
            let before = (j - 1) + j * (j - 1) * (j.max(2) - 2) / 6;
            before + if i > 0 { 1 + i * (i - 1) / 2 + c } else { 0 }
        } else {
            j * (j - 1) / 2 + i
        }
    }

    /// The best of a transition with S1, S0 and B0 in these positions; that of S1 means nothing where S0 is the lowest.
    #[inline(always)]
    pub fn best(&self, ask: Ask, c: usize, i: usize, j: usize) -> Best {
        self.best[ask as usize][self.place(c, i, j)]
    }

    /// All scores of a transition.
    pub fn scores(&self, ask: Ask) -> impl Iterator<Item = i64> + '_ {
        self.best[ask as usize].iter().map(|best| best.score)
    }
}

/// An arc as far as it is known.
#[derive(Debug, Clone, Copy)]
struct Arc {
    head: Head,
    dependent: Node,
    from_root: bool,
}

/// Kind of a head.
#[derive(Debug, Clone, Copy)]
enum Head {
    Is(Node),
    IsGold,
    IsNotGold,
}

impl Arc {
    /// Loss of head and label against the gold tree: see [`Loss`].
    fn loss(&self, gold: &Gold, actions: &Actions, action: ActionId) -> i64 {
        let is_gold = match self.head {
            Head::Is(head) => gold.head(self.dependent) == head,
            Head::IsGold => true,
            Head::IsNotGold => false,
        };
        match is_gold {
            _ if gold.is_partial() && gold.weight(self.dependent) == 0 => 0,
            true => i64::from(!gold.has_label(self.dependent, actions.get(action).label)),
            false => 2,
        }
    }
}
