//! The best action of each kind for each choice of positions.

use super::tabulation::{Loss, Tabulation};
use crate::configuration::{Arena, ArenaConfiguration, Cell, Role, RootPlace, Stacks as _, View};
use crate::decode::value::Value;
use crate::scorer::{Context, Opaque, Query, Scorer};
use crate::system::Deduction;
use crate::system::{ActionId, Actions, Move, MoveSet, Permitted};
use crate::tree::{Gold, Node, ROOT, Roots, Tree};

/// Score of a transition that is not permitted.
pub(super) const NEVER: i64 = i64::NEVER;

/// The best of some actions, and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestEntry {
    pub score: i64,
    pub action: ActionId,
}

/// All labels of a transition.
#[derive(Debug, Clone, Copy)]
pub(super) struct SummedEntry {
    /// The best score, divided by the temperature of heads.
    pub weight: f64,
    /// The probability of the label that is asked for; 1 where there is none.
    pub label: f64,
}

/// Entry of a table: a transition with any of its labels.
pub(super) trait TableEntry: Copy {
    type Value: Value;
    /// Entry of a transition that is not permitted.
    const NEVER: Self;
    fn value(self) -> Self::Value;
}

impl TableEntry for BestEntry {
    type Value = i64;
    const NEVER: BestEntry = BestEntry { score: NEVER, action: ActionId::MAX };

    #[inline(always)]
    fn value(self) -> i64 {
        self.score
    }
}

impl TableEntry for SummedEntry {
    type Value = f64;
    const NEVER: SummedEntry = SummedEntry { weight: f64::NEVER, label: 1.0 };

    fn value(self) -> f64 {
        self.weight
    }
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

/// The best actions, or what else entries are of all labels, by positions: of S1, if it is read, S0 and B0.
///
/// Positions are those of words. 0 is the root at the bottom of a stack, or the bottom of a stack without a root; n + 1 is the
/// root behind the last word, or the end of the buffer.
#[derive(Debug)]
pub(super) struct Table<'t, E = BestEntry> {
    pub kind: Deduction,
    pub roots: Roots,
    pub reads_s1: bool,
    pub n_words: usize,
    pub gold: Option<&'t Gold>,
    entries: [Vec<E>; 6],
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

/// The best of some actions, of equal ones the first.
pub(super) fn best(scored: &[BestEntry]) -> BestEntry {
    scored.iter().copied().reduce(|a, b| if b.score > a.score { b } else { a }).unwrap_or(BestEntry::NEVER)
}

impl<'t, E: TableEntry> Table<'t, E> {
    /// Scores all choices of positions. `entry` makes an entry of the scores of a transition with each of its labels, if the arc that it
    /// makes is known.
    pub fn fill(
        &Tabulation { kind, roots, reads_s1, .. }: &Tabulation,
        scorer: &dyn Scorer,
        memory: &mut Opaque,
        context: Context,
        arena: Arena,
        loss: Option<Loss<'t>>,
        entry: impl Fn(Option<Arc>, &[BestEntry]) -> E,
    ) -> Table<'t, E> {
        let n_words = context.input.n_words();
        let gold = loss.map(|loss| loss.gold);
        let mut table = Table { kind, roots, reads_s1, n_words, gold, entries: [(); 6].map(|()| Vec::new()) };
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
        let mut scored = Vec::new();
        for places in places.chunks(BATCH) {
            queries.clear();
            queries.extend(places.iter().map(|&(c, i, j)| {
                let s1 = if i == 0 { None } else { on_stack(c) };
                let view = view(s1, on_stack(i), buffer.get(j - 1).copied());
                Query { view, permitted: Permitted::default() }
            }));
            let scores = scorer.score(memory, context, &queries);
            for (number, &(c, i, j)) in places.iter().enumerate() {
                debug_assert_eq!(table.place(c, i, j), table.entries[Ask::Shift as usize].len());
                for ask in [Ask::Shift, Ask::Reduce, Ask::Left, Ask::Right, Ask::RightGold, Ask::RightRoot] {
                    if !table.has(ask) {
                        continue;
                    }
                    scored.clear();
                    let transition = table.transition(ask, (c, i, j));
                    if let Some((mv, arc)) = transition {
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
                                scored.push(BestEntry { score, action });
                            }
                        }
                    }
                    table.entries[ask as usize].push(match scored.is_empty() {
                        true => E::NEVER,
                        false => entry(transition.and_then(|(_, arc)| arc), &scored),
                    });
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

    /// The entry of a transition with S1, S0 and B0 in these positions; that of S1 means nothing where S0 is the lowest.
    #[inline(always)]
    pub fn entry(&self, ask: Ask, c: usize, i: usize, j: usize) -> E {
        self.entries[ask as usize][self.place(c, i, j)]
    }

    /// All values of a transition.
    pub fn values(&self, ask: Ask) -> impl Iterator<Item = E::Value> + '_ {
        self.entries[ask as usize].iter().map(|entry| entry.value())
    }
}

/// An arc as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    head: Head,
    pub dependent: Node,
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
    /// False if the tree does not have it, whatever its head is.
    pub fn may_be_in(&self, tree: &Tree) -> bool {
        let head = tree.head(self.dependent);
        match self.head {
            Head::Is(known) => head == known,
            // Those of RIGHT.
            Head::IsGold | Head::IsNotGold => head < self.dependent,
        }
    }

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
