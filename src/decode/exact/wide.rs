//! Push computations of arc-standard: the word on top of one is the head of all words that it has read.
//!
//! An item (i, a, h, j) is the best push computation on the word in position a, from B0 being in position i, which was
//! pushed, to S0 being in position h, S1 still a, and B0 in position j. Two of them make a third: (b, s, a, i), SHIFT, and
//! (i, a, h, j), then
//!
//! * RIGHT makes (b, s, a, j): a keeps its place; which h it was does not matter any more,
//! * LEFT makes (b, s, h, j): h takes the place of a.
//!
//! Positions are in the order s < b ≤ a < i ≤ h < j, so that LEFT takes n⁶/720 additions. They are made for all s at once.

use super::table::{Ask, NEVER, Table};
use crate::system::ActionId;
use crate::vector::vectorised;

/// The best derivation and its score.
pub(super) fn search(table: &Table) -> (Vec<ActionId>, i64) {
    // Sums of 32 bits where all fit.
    let scores = [Ask::Shift, Ask::Left, Ask::Right].into_iter().flat_map(|ask| table.values(ask));
    let furthest = scores.filter(|&score| score > NEVER).map(i64::abs).max().unwrap_or(0);
    if furthest.saturating_mul(2 * table.n_words as i64) < i64::from(-<i32 as Sum>::NEVER / 4) {
        Chart::<i32>::new(table).search()
    } else {
        Chart::<i64>::new(table).search()
    }
}

/// Numbers that items are scored by.
trait Sum: Copy + Ord + std::ops::Add<Output = Self> {
    /// The score of what cannot be: twice as much is still a number.
    const NEVER: Self;
    fn new(score: i64) -> Self;
    fn get(self) -> i64;
}

impl Sum for i32 {
    const NEVER: i32 = i32::MIN / 4;

    fn new(score: i64) -> i32 {
        if score <= NEVER { Self::NEVER } else { score as i32 }
    }

    fn get(self) -> i64 {
        self.into()
    }
}

impl Sum for i64 {
    const NEVER: i64 = NEVER;

    fn new(score: i64) -> i64 {
        score.max(NEVER)
    }

    fn get(self) -> i64 {
        self
    }
}

/// a + b, or what cannot be if one of them cannot.
#[inline(always)]
fn sum<T: Sum>(a: T, b: T) -> T {
    (a + b).max(T::NEVER)
}

struct Chart<'t, T> {
    table: &'t Table<'t>,
    end: usize,
    shift: Vec<T>,
    left: Vec<T>,
    right: Vec<T>,
    /// By i: the items from there on, by h and j and, side by side, a.
    items: Vec<Vec<T>>,
    /// By i: the best that RIGHT makes of its items, by j and a.
    rights: Vec<Vec<T>>,
}

impl<'t, T: Sum> Chart<'t, T> {
    fn new(table: &'t Table<'t>) -> Chart<'t, T> {
        let of = |ask| table.values(ask).map(T::new).collect();
        let end = table.n_words + 1;
        let (items, rights) = (vec![Vec::new(); end + 1], vec![Vec::new(); end + 1]);
        Chart { table, end, shift: of(Ask::Shift), left: of(Ask::Left), right: of(Ask::Right), items, rights }
    }

    /// Index of the items with S0 in position h and B0 in position j among those from i on.
    #[inline(always)]
    fn row(i: usize, h: usize, j: usize) -> usize {
        let n = j - i;
        (n * (n - 1) / 2 + (h - i)) * i
    }

    #[inline(always)]
    fn item(&self, i: usize, a: usize, h: usize, j: usize) -> T {
        self.items[i][Self::row(i, h, j) + a]
    }

    fn right_of(&self, i: usize, a: usize, j: usize) -> T {
        self.rights[i][(j - i - 1) * i + a]
    }

    fn search(mut self) -> (Vec<ActionId>, i64) {
        for b in (1..self.end).rev() {
            let (items, rights) = vectorised!(_simd => self.starting_at(b));
            self.items[b] = items;
            self.rights[b] = rights;
        }
        // The root, with nothing but it on the stack, by the position of B0.
        let mut root = vec![T::NEVER; self.end + 1];
        root[1] = T::new(0);
        for j in 2..=self.end {
            let at = |i: usize| sum(sum(root[i], self.shift[self.table.place(0, 0, i)]), self.right_of(i, 0, j));
            root[j] = (1..j).map(at).max().unwrap_or(T::NEVER);
        }
        let mut steps = Vec::new();
        let mut to = self.end;
        while to > 1 {
            let at = |i: usize| sum(sum(root[i], self.shift[self.table.place(0, 0, i)]), self.right_of(i, 0, to));
            let Some(i) = (1..to).find(|&i| at(i) == root[to]) else { break };
            steps.push((i, to));
            to = i;
        }
        let mut derivation = Vec::with_capacity(2 * self.table.n_words);
        for (i, j) in steps.into_iter().rev() {
            self.trace_right(0, 0, i, j, &mut derivation);
        }
        (derivation, root[self.end].get())
    }

    /// The items from b on, and the best that RIGHT makes of them.
    #[inline(always)]
    fn starting_at(&self, b: usize) -> (Vec<T>, Vec<T>) {
        let Chart { table, end, .. } = *self;
        let mut items = vec![T::NEVER; Self::row(b, b, end + 1)];
        items[Self::row(b, b, b + 1)..][..b].fill(T::new(0));
        // By a and, side by side, s: the items that end where B0 is in position i, with the next SHIFT.
        let mut shifted: Vec<T> = Vec::new();
        for i in b + 1..end {
            shifted.clear();
            for a in b..i {
                let item = &items[Self::row(b, a, i)..][..b];
                let shift = &self.shift[table.place(0, a, i)..][..b];
                shifted.extend(item.iter().zip(shift).map(|(&item, &shift)| sum(item, shift)));
            }
            for j in i + 1..=end {
                let rights = &self.rights[i][(j - i - 1) * i..][..i];
                for (a, shifted) in (b..i).zip(shifted.chunks_exact(b)) {
                    raise(&mut items[Self::row(b, a, j)..][..b], shifted, rights[a]);
                }
                for h in i..j {
                    let inner = &self.items[i][Self::row(i, h, j)..][..i];
                    let left = &self.left[table.place(0, h, j)..][..i];
                    let row = &mut items[Self::row(b, h, j)..][..b];
                    for (a, shifted) in (b..i).zip(shifted.chunks_exact(b)) {
                        raise(row, shifted, sum(inner[a], left[a]));
                    }
                }
            }
        }
        let mut rights = vec![T::NEVER; (end - b) * b];
        for j in b + 1..=end {
            let best = &mut rights[(j - b - 1) * b..][..b];
            for h in b..j {
                let item = &items[Self::row(b, h, j)..][..b];
                let right = &self.right[table.place(0, h, j)..][..b];
                for ((best, &item), &right) in best.iter_mut().zip(item).zip(right) {
                    *best = (*best).max(sum(item, right));
                }
            }
        }
        (items, rights)
    }

    /// Appends the transitions that shift i onto a, which stands on s, and bring a back by RIGHT with B0 in position j.
    fn trace_right(&self, s: usize, a: usize, i: usize, j: usize, derivation: &mut Vec<ActionId>) {
        let best = self.right_of(i, a, j);
        let right = |h: usize| self.right[self.table.place(a, h, j)];
        let Some(h) = (i..j).find(|&h| sum(self.item(i, a, h, j), right(h)) == best) else { return };
        derivation.push(self.table.entry(Ask::Shift, s, a, i).action);
        self.trace(i, a, h, j, derivation);
        derivation.push(self.table.entry(Ask::Right, a, h, j).action);
    }

    /// Appends the transitions of an item behind the SHIFT with which it begins.
    fn trace(&self, b: usize, s: usize, h: usize, j: usize, derivation: &mut Vec<ActionId>) {
        if (h, j) == (b, b + 1) {
            return;
        }
        let best = self.item(b, s, h, j);
        let shifted = |a: usize, i: usize| sum(self.item(b, s, a, i), self.shift[self.table.place(s, a, i)]);
        // By RIGHT onto h.
        if let Some(i) = (h + 1..j).find(|&i| sum(shifted(h, i), self.right_of(i, h, j)) == best) {
            self.trace(b, s, h, i, derivation);
            return self.trace_right(s, h, i, j, derivation);
        }
        // By LEFT from h to a.
        let left = |a: usize, i: usize| sum(self.item(i, a, h, j), self.left[self.table.place(a, h, j)]);
        let places = (b + 1..=h).flat_map(|i| (b..i).map(move |a| (a, i)));
        let mut places = places.filter(|&(a, i)| sum(shifted(a, i), left(a, i)) == best);
        if let Some((a, i)) = places.next() {
            self.trace(b, s, a, i, derivation);
            derivation.push(self.table.entry(Ask::Shift, s, a, i).action);
            self.trace(i, a, h, j, derivation);
            derivation.push(self.table.entry(Ask::Left, a, h, j).action);
        }
    }
}

/// Raises each of `best` to `from` and `by`, where that is more.
#[inline(always)]
fn raise<T: Sum>(best: &mut [T], from: &[T], by: T) {
    if by <= T::NEVER {
        return;
    }
    for (best, &from) in best.iter_mut().zip(from) {
        *best = (*best).max(from + by);
    }
}
