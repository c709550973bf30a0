//! Configurations outside an arena, which are put back when it has been emptied. That frees the memory of a search of many
//! transitions reaches no more.

use bumpalo::Bump;
use hashbrown::HashMap;

use super::{Cell, History, Interner, PartialTree};

/// Cells, histories and numbers of configurations, in the order in which they were written.
#[derive(Debug, Default)]
pub struct Saved {
    /// Each after those that it refers to.
    cells: Vec<SavedCell>,
    histories: Vec<SavedHistory>,
    /// Place of a cell or a history by its address.
    known: HashMap<usize, u32>,
    numbers: Vec<u64>,
}

#[derive(Debug)]
struct SavedCell {
    partial: PartialTree,
    below: Option<u32>,
    before: Option<u32>,
    nodes: u64,
}

#[derive(Debug)]
struct SavedHistory {
    last: [u16; History::LENGTH],
    before: Option<u32>,
}

/// Number that stands for no cell and for no history.
const NONE: u64 = u64::MAX;

impl Saved {
    /// Writes a number.
    pub fn number(&mut self, number: impl Into<u64>) {
        self.numbers.push(number.into());
    }

    /// Writes a cell, with all that it refers to; each is written once.
    pub fn cell(&mut self, cell: Option<&Cell>) {
        let mut waiting: Vec<&Cell> = cell.into_iter().filter(|cell| self.place(*cell).is_none()).collect();
        while let Some(&cell) = waiting.last() {
            let new = [cell.below, cell.before].into_iter().flatten().find(|next| self.place(*next).is_none());
            if let Some(new) = new {
                waiting.push(new);
                continue;
            }
            waiting.pop();
            let [below, before] = [cell.below, cell.before].map(|next| next.and_then(|next| self.place(next)));
            self.known.insert(std::ptr::from_ref(cell).addr(), self.cells.len() as u32);
            self.cells.push(SavedCell { partial: cell.partial, below, before, nodes: cell.nodes });
        }
        self.numbers.push(cell.and_then(|cell| self.place(cell)).map_or(NONE, u64::from));
    }

    /// Writes the last actions, with those before them where these are kept.
    pub fn history(&mut self, history: Option<&History>) {
        let new = std::iter::successors(history, |history| history.before);
        let new: Vec<&History> = new.take_while(|history| self.place(*history).is_none()).collect();
        for history in new.into_iter().rev() {
            let before = history.before.and_then(|before| self.place(before));
            self.known.insert(std::ptr::from_ref(history).addr(), self.histories.len() as u32);
            self.histories.push(SavedHistory { last: history.last, before });
        }
        self.numbers.push(history.and_then(|history| self.place(history)).map_or(NONE, u64::from));
    }

    /// Ends writing: the interner forgets all states but those of the cells that were written.
    pub fn end(&mut self, interner: &Interner) {
        interner.retain(self.cells.iter_mut().map(|cell| &mut cell.partial));
        self.known = HashMap::new();
    }

    fn place<T>(&self, of: &T) -> Option<u32> {
        self.known.get(&std::ptr::from_ref(of).addr()).copied()
    }

    /// Restores the configurations in the memory of an arena whose interner is that of the arena before.
    pub fn restore<'a>(&self, bump: &'a Bump) -> Restored<'a, '_> {
        let mut cells: Vec<&'a Cell<'a>> = Vec::with_capacity(self.cells.len());
        for &SavedCell { partial, below, before, nodes } in &self.cells {
            let [below, before] = [below, before].map(|place| place.map(|place| cells[place as usize]));
            cells.push(bump.alloc(Cell { partial, below, before, nodes }));
        }
        let mut histories: Vec<&'a History<'a>> = Vec::with_capacity(self.histories.len());
        for &SavedHistory { last, before } in &self.histories {
            let before = before.map(|place| histories[place as usize]);
            histories.push(bump.alloc(History { last, before }));
        }
        Restored { bump, cells, histories, numbers: self.numbers.iter() }
    }
}

/// [Saved] configurations, restored in an arena, to be read in the order in which they were written.
#[derive(Debug)]
pub struct Restored<'a, 's> {
    /// The memory.
    pub bump: &'a Bump,
    cells: Vec<&'a Cell<'a>>,
    histories: Vec<&'a History<'a>>,
    numbers: std::slice::Iter<'s, u64>,
}

impl<'a> Restored<'a, '_> {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        *self.numbers.next().expect("numbers are read as they were written")
    }

    /// The next cell.
    pub fn cell(&mut self) -> Option<&'a Cell<'a>> {
        let place = self.number();
        (place != NONE).then(|| self.cells[place as usize])
    }

    /// The next of several cells, all of which are there.
    pub fn listed(&mut self) -> &'a Cell<'a> {
        self.cell().expect("lists have no gaps")
    }

    /// The next last actions.
    pub fn history(&mut self) -> Option<&'a History<'a>> {
        let place = self.number();
        (place != NONE).then(|| self.histories[place as usize])
    }
}
