//! Positions of the words, arcs and labels of a picture.
//!
//! An arc is a bracket over two words: a *stem* on each, and at the height of its *level* a line from one to the other,
//! with the label on top of it. Arcs at one word have a stem each, in the order in which no two of them cross: leftward
//! arcs, the longest last; the root's arc, which is a stem without a bracket; rightward arcs, the longest first. So two
//! arcs cross only if their words do, and then the label makes room for the stem.
//!
//! Widths come first (words, stems, labels), then levels. Time is quadratic in the number of words.
//!
//! A sentence that is too long for a line is laid out in rows, each by itself. Arcs that reach beyond a row end at its *edge*,
//! which is a word without width and without stems; levels and the order of stems are those of the whole arcs, so that arcs
//! leave a row in the order in which they enter the next one.

use std::cmp::Reverse;
use std::ops::Range;

use super::levels::levels;
use super::spacing::Spacing;

/// Between the texts of neighbouring words.
const GAP: f64 = 20.0;
/// Between stems at one word.
const SLOT: f64 = 8.0;
/// Between a label and a stem that passes it.
const CLEARANCE: f64 = 5.0;
/// A label is no further from the stem on its dependent than this, so that it is on the same screen.
const REACH: f64 = 300.0;
/// The shortest line from stem to stem.
const SHORTEST: f64 = 18.0;

/// An arc to be laid out. Words are counted from 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    /// The head; `None` is the root.
    pub(super) head: Option<usize>,
    /// The dependent.
    pub(super) dependent: usize,
    /// The width of the label, 0 if there is none.
    pub(super) label: f64,
}

/// An arc's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed {
    /// Level of the arc, from 1.
    pub(super) level: usize,
    /// The stem on the head; that on the dependent, if the head is the root.
    pub(super) head_x: f64,
    /// The stem on the dependent.
    pub(super) dependent_x: f64,
    /// The middle of the label.
    pub(super) label_x: f64,
    /// True if the head is in the row; else its stem is the row's edge.
    pub(super) has_head: bool,
    /// True if the dependent is in the row.
    pub(super) has_dependent: bool,
}

impl Placed {
    fn extent(&self) -> (f64, f64) {
        (self.head_x.min(self.dependent_x), self.head_x.max(self.dependent_x))
    }
}

/// The arcs of one tree in a row.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// The arcs that are seen in the row, in the order in which they were given.
    pub(super) arcs: Vec<Placed>,
    /// Numbers of the arcs in the tree.
    pub(super) numbers: Vec<usize>,
    /// The highest level.
    pub(super) height: usize,
}

/// A row's layout. The leftmost thing is at 0.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The words of the row.
    pub(super) range: Range<usize>,
    /// The middles of these words.
    pub(super) words: Vec<f64>,
    /// The trees, as they were given.
    pub(super) sides: Vec<Side>,
    /// Right end of the rightmost thing.
    pub(super) width: f64,
}

impl Layout {
    /// The same from right to left, on a ground of this width: the first word is the rightmost.
    pub(super) fn mirrored(mut self, width: f64) -> Layout {
        let arcs = self.sides.iter_mut().flat_map(|side| &mut side.arcs);
        let of_arcs = arcs.flat_map(|arc| [&mut arc.head_x, &mut arc.dependent_x, &mut arc.label_x]);
        for x in self.words.iter_mut().chain(of_arcs) {
            *x = width - *x;
        }
        self
    }
}

/// Lays out words of these widths and the arcs of some trees over them, in rows that are no wider than `limit` unless they
/// have a single word.
pub(super) fn rows(widths: &[f64], trees: &[Vec<Arc>], limit: Option<f64>) -> Vec<Layout> {
    let Some(limit) = limit else {
        return vec![row(widths, trees, 0..widths.len())];
    };
    let mut rows = Vec::new();
    let mut start = 0;
    while start < widths.len() {
        let found = longest_row(widths, trees, start, limit);
        start = found.range.end;
        rows.push(found);
    }
    rows
}

/// The row from word `start` with as many words as fit. What does not fit in comparison is left out at once, and what then
/// fits again is added word by word.
fn longest_row(widths: &[f64], trees: &[Vec<Arc>], start: usize, limit: f64) -> Layout {
    let mut end = start;
    let mut texts = -GAP;
    while end < widths.len() && (end == start || texts + GAP + widths[end] <= limit) {
        texts += GAP + widths[end];
        end += 1;
    }
    let mut too_long = end + 1;
    loop {
        let found = row(widths, trees, start..end);
        if found.width <= limit || end == start + 1 {
            return longer_row(widths, trees, found, too_long, limit);
        }
        too_long = end;
        let share = ((end - start) as f64 * limit / found.width) as usize;
        end = start + share.clamp(1, end - start - 1);
    }
}

/// The row, or a longer one from the same word that also fits and ends before `too_long`.
fn longer_row(widths: &[f64], trees: &[Vec<Arc>], mut found: Layout, too_long: usize, limit: f64) -> Layout {
    while found.range.end + 1 < too_long && found.width <= limit {
        let longer = row(widths, trees, found.range.start..found.range.end + 1);
        if longer.width > limit {
            break;
        }
        found = longer;
    }
    found
}

/// The cells of a row: its words, and an edge on each side where the sentence goes on.
struct Cells {
    range: Range<usize>,
    n_words: usize,
}

impl Cells {
    /// True if there is an edge on the left.
    fn edge(&self) -> usize {
        usize::from(self.range.start > 0)
    }

    fn len(&self) -> usize {
        self.edge() + self.range.len() + usize::from(self.range.end < self.n_words)
    }

    /// The cell in which a word is, or the edge behind which it is.
    fn of(&self, word: usize) -> usize {
        if word < self.range.start { 0 } else { (word - self.range.start + self.edge()).min(self.len() - 1) }
    }

    /// True if anything of an arc is seen in the row.
    fn show(&self, arc: &Arc) -> bool {
        let head = arc.head.unwrap_or(arc.dependent);
        head.min(arc.dependent) < self.range.end && head.max(arc.dependent) >= self.range.start
    }
}

/// Lays out the words of `range`.
fn row(widths: &[f64], trees: &[Vec<Arc>], range: Range<usize>) -> Layout {
    let place = Cells { range, n_words: widths.len() };
    let mut cells = vec![0.0; place.len()];
    cells[place.edge()..place.edge() + place.range.len()].copy_from_slice(&widths[place.range.clone()]);
    let numbers: Vec<Vec<usize>> =
        trees.iter().map(|arcs| (0..arcs.len()).filter(|&number| place.show(&arcs[number])).collect()).collect();
    let trees: Vec<Vec<Arc>> =
        trees.iter().zip(&numbers).map(|(arcs, numbers)| numbers.iter().map(|&n| arcs[n]).collect()).collect();
    let slots: Vec<Vec<Slots>> = trees.iter().map(|arcs| slots(arcs, &place, &mut cells)).collect();
    let mut spacing = Spacing::new(&cells, GAP);
    for (arcs, slots) in trees.iter().zip(&slots) {
        make_room(&mut spacing, arcs, slots, &place);
    }
    let levels: Vec<Vec<usize>> = trees.iter().map(|arcs| levels_of_brackets(arcs)).collect();
    // A label that a stem crosses wants room on one side of it. Space only grows, and with it what other labels have.
    let placed = |spacing: &Spacing| -> Vec<(Side, Vec<Shortage>)> {
        let words = spacing.centres();
        let sides = trees.iter().zip(&slots).zip(&levels);
        sides.map(|((arcs, slots), levels)| side(arcs, slots, levels, &words, &place)).collect()
    };
    for shortage in placed(&spacing).into_iter().flat_map(|(_, shortages)| shortages) {
        spacing.require(shortage.left, shortage.right, shortage.distance);
    }
    let mut sides: Vec<Side> = placed(&spacing).into_iter().map(|(side, _)| side).collect();
    for (side, numbers) in sides.iter_mut().zip(numbers) {
        side.numbers = numbers;
    }
    aligned(&cells, spacing.centres(), &trees, sides, place)
}

/// Moves everything to the right of 0.
fn aligned(cells: &[f64], mut words: Vec<f64>, trees: &[Vec<Arc>], mut sides: Vec<Side>, place: Cells) -> Layout {
    let (mut low, mut high) = (0f64, 0f64);
    let mut hold = |x: f64, width: f64| {
        low = low.min(x - width / 2.0);
        high = high.max(x + width / 2.0);
    };
    words.iter().zip(cells).for_each(|(&x, &width)| hold(x, width));
    for (side, arcs) in sides.iter().zip(trees) {
        side.arcs.iter().zip(arcs).for_each(|(placed, arc)| hold(placed.label_x, arc.label));
    }
    let mut words: Vec<f64> = words.drain(place.edge()..place.edge() + place.range.len()).collect();
    words.iter_mut().for_each(|x| *x -= low);
    for arc in sides.iter_mut().flat_map(|side| &mut side.arcs) {
        for x in [&mut arc.head_x, &mut arc.dependent_x, &mut arc.label_x] {
            *x -= low;
        }
    }
    Layout { range: place.range, words, sides, width: high - low }
}

/// Positions of the stems of an arc, from the middles of its words.
#[derive(Debug, Clone, Copy, Default)]
struct Slots {
    head: f64,
    dependent: f64,
}

/// Orders the stems at each word of the row. Words whose stems need more room than their texts get it in `cells`.
fn slots(arcs: &[Arc], place: &Cells, cells: &mut [f64]) -> Vec<Slots> {
    // At each word, its stems: which arc's, whether the head's, and the key of their order.
    let mut stems = vec![Vec::new(); cells.len()];
    for (number, arc) in arcs.iter().enumerate() {
        let Some(head) = arc.head else {
            stems[place.of(arc.dependent)].push(((1, Reverse(0)), number, false));
            continue;
        };
        for (here, there, is_head) in [(head, arc.dependent, true), (arc.dependent, head, false)] {
            let direction = if there < here { 0 } else { 2 };
            if place.range.contains(&here) {
                stems[place.of(here)].push(((direction, Reverse(there)), number, is_head));
            }
        }
    }
    let mut slots = vec![Slots::default(); arcs.len()];
    for (stems, cell) in stems.iter_mut().zip(cells) {
        stems.sort_unstable();
        *cell = cell.max(stems.len() as f64 * SLOT);
        let middle = (stems.len() as f64 - 1.0) / 2.0;
        for (place, &(_, number, is_head)) in stems.iter().enumerate() {
            let offset = (place as f64 - middle) * SLOT;
            if is_head {
                slots[number].head = offset;
            } else {
                slots[number].dependent = offset;
            }
        }
    }
    slots
}

/// The cells of the arc's words from left to right with the offset of their stems; `None` for the root's arcs.
fn ends(arc: &Arc, slots: Slots, place: &Cells) -> Option<[(usize, f64); 2]> {
    let mut ends = [(place.of(arc.head?), slots.head), (place.of(arc.dependent), slots.dependent)];
    ends.sort_by_key(|&(cell, _)| cell);
    Some(ends)
}

/// Sees to it that every label fits on its arc, and those of several roots beside each other. Short arcs come first: what
/// they get is there for the longer ones.
fn make_room(spacing: &mut Spacing, arcs: &[Arc], slots: &[Slots], place: &Cells) {
    let brackets = arcs.iter().zip(slots).filter_map(|(arc, &slots)| {
        let [(left, left_offset), (right, right_offset)] = ends(arc, slots, place)?;
        Some((left, right, arc.label.max(SHORTEST) + left_offset - right_offset))
    });
    let mut roots: Vec<(usize, f64, f64)> = arcs
        .iter()
        .zip(slots)
        .filter(|(arc, _)| arc.head.is_none())
        .map(|(arc, slots)| (place.of(arc.dependent), slots.dependent, arc.label))
        .collect();
    roots.sort_by_key(|&(word, ..)| word);
    let roots = roots.windows(2).map(|pair| {
        let [(left, left_offset, left_label), (right, right_offset, right_label)] = [pair[0], pair[1]];
        (left, right, (left_label + right_label) / 2.0 + CLEARANCE + left_offset - right_offset)
    });
    let mut wanted: Vec<(usize, usize, f64)> = brackets.chain(roots).collect();
    wanted.sort_by_key(|&(left, right, _)| (right - left, left));
    for (left, right, distance) in wanted {
        spacing.require(left, right, distance);
    }
}

/// The levels of all arcs but the root's, which are 0.
fn levels_of_brackets(arcs: &[Arc]) -> Vec<usize> {
    let brackets: Vec<(usize, (usize, usize))> = arcs
        .iter()
        .enumerate()
        .filter_map(|(number, arc)| Some((number, (arc.head?.min(arc.dependent), arc.head?.max(arc.dependent)))))
        .collect();
    let spans: Vec<(usize, usize)> = brackets.iter().map(|&(_, span)| span).collect();
    let mut all = vec![0; arcs.len()];
    for (&(number, _), level) in brackets.iter().zip(levels(&spans)) {
        all[number] = level;
    }
    all
}

/// Two cells that would have to be further apart.
struct Shortage {
    left: usize,
    right: usize,
    distance: f64,
}

/// Places arcs over cells with their middles at `cells`; which distances are too short for labels to keep clear of stems.
fn side(arcs: &[Arc], slots: &[Slots], levels: &[usize], cells: &[f64], place: &Cells) -> (Side, Vec<Shortage>) {
    let mut placed: Vec<Placed> = arcs
        .iter()
        .zip(slots)
        .zip(levels)
        .map(|((arc, slots), &level)| {
            let dependent_x = cells[place.of(arc.dependent)] + slots.dependent;
            let head_x = arc.head.map_or(dependent_x, |head| cells[place.of(head)] + slots.head);
            let is_here = |word| place.range.contains(&word);
            Placed {
                level,
                head_x,
                dependent_x,
                label_x: (head_x + dependent_x) / 2.0,
                has_head: arc.head.is_none_or(is_here),
                has_dependent: is_here(arc.dependent),
            }
        })
        .collect();
    raise_roots(arcs, &mut placed);

    // All stems from left to right, with their words and how far from the word's middle they are.
    let mut stems: Vec<Stem> = Vec::with_capacity(2 * arcs.len());
    for ((arc, slots), placed) in arcs.iter().zip(slots).zip(&placed) {
        let Placed { level, head_x, dependent_x, .. } = *placed;
        stems.push(Stem { x: dependent_x, cell: place.of(arc.dependent), offset: slots.dependent, level });
        stems.extend(arc.head.map(|head| Stem { x: head_x, cell: place.of(head), offset: slots.head, level }));
    }
    stems.sort_by(|a, b| a.x.total_cmp(&b.x));

    let mut shortages = Vec::new();
    for (number, arc) in arcs.iter().enumerate().filter(|(_, arc)| arc.head.is_some() && arc.label > 0.0) {
        let (level, (left, right)) = (placed[number].level, placed[number].extent());
        let inside = &stems[stems.partition_point(|s| s.x < left)..stems.partition_point(|s| s.x <= right)];
        let bounds: Vec<&Stem> = inside.iter().filter(|s| s.x == left || s.x == right || s.level > level).collect();
        let dependent_x = placed[number].dependent_x;
        let best = placed[number].label_x.clamp(dependent_x - REACH, dependent_x + REACH);
        match free_place(&bounds, arc.label, best) {
            Ok(x) => placed[number].label_x = x,
            Err(shortage) => shortages.push(shortage),
        }
    }
    let height = placed.iter().map(|arc| arc.level).max().unwrap_or(0);
    (Side { arcs: placed, numbers: Vec::new(), height }, shortages)
}

/// Gives the root's arcs levels, the lowest at which they and their labels, which are above them, clear all brackets.
/// Among themselves they have room.
fn raise_roots(arcs: &[Arc], placed: &mut [Placed]) {
    let (roots, brackets): (Vec<usize>, Vec<usize>) = (0..arcs.len()).partition(|&arc| arcs[arc].head.is_none());
    for root in roots {
        let (x, reach) = (placed[root].dependent_x, arcs[root].label / 2.0 + CLEARANCE);
        let below = brackets.iter().map(|&bracket| placed[bracket]).filter(|bracket| {
            let (left, right) = bracket.extent();
            left < x + reach && x - reach < right
        });
        placed[root].level = below.map(|bracket| bracket.level).max().unwrap_or(0) + 1;
    }
}

/// A vertical line of an arc.
struct Stem {
    x: f64,
    cell: usize,
    offset: f64,
    level: usize,
}

/// The place for a label of this width that is nearest to `best`, between two of the stems `bounds`: the first and last
/// are the arc's own, the others pass through it. If there is none, the room that is missing where most of it is there.
fn free_place(bounds: &[&Stem], label: f64, best: f64) -> Result<f64, Shortage> {
    let last = bounds.len() - 1;
    let gaps = bounds.windows(2).enumerate().map(|(number, pair)| {
        let clearance = |is_own| if is_own { 0.0 } else { CLEARANCE };
        let (before, behind) = (clearance(number == 0), clearance(number + 1 == last));
        // Rounding must not make a label too long for room that was made for it.
        let room = pair[1].x - behind - (pair[0].x + before) + 1e-6;
        (pair, before, behind, room)
    });
    let fitting = gaps.clone().filter(|&(_, _, _, room)| room >= label).map(|(pair, before, behind, _)| {
        let low = pair[0].x + before + label / 2.0;
        best.clamp(low, (pair[1].x - behind - label / 2.0).max(low))
    });
    fitting.min_by(|a, b| (a - best).abs().total_cmp(&(b - best).abs())).ok_or_else(|| {
        // Stems at one word keep their distance, but there are at least two cells.
        let growing = gaps.filter(|(pair, ..)| pair[0].cell != pair[1].cell);
        let (pair, before, behind, _) =
            growing.max_by(|a, b| a.3.total_cmp(&b.3)).expect("an arc's ends are in different cells");
        let distance = label + before + behind + pair[0].offset - pair[1].offset;
        Shortage { left: pair[0].cell, right: pair[1].cell, distance }
    })
}

#[cfg(test)]
mod tests;
