//! Levels of arcs.

/// The level of each arc, from 1, given its left and right word: the lowest level such that an arc is above all arcs
/// between its words, and that arcs which cross are on different levels.
///
/// Without crossing arcs, that is how deep arcs are nested. Time is quadratic in the number of arcs.
///
/// # Panics
/// If an arc's left word is not to the left of its right word.
pub(super) fn levels(spans: &[(usize, usize)]) -> Vec<usize> {
    let mut shortest_first: Vec<usize> = (0..spans.len()).collect();
    shortest_first.sort_by_key(|&arc| {
        let (left, right) = spans[arc];
        assert!(left < right, "an arc from word {left} to word {right}");
        (right - left, left)
    });
    let mut levels = vec![0; spans.len()];
    let mut taken = Vec::new();
    for (rank, &arc) in shortest_first.iter().enumerate() {
        let (left, right) = spans[arc];
        let mut level = 1;
        taken.clear();
        for &other in &shortest_first[..rank] {
            let (l, r) = spans[other];
            if left <= l && r <= right {
                level = level.max(levels[other] + 1);
            } else if l < right && left < r {
                taken.push(levels[other]);
            }
        }
        while taken.contains(&level) {
            level += 1;
        }
        levels[arc] = level;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam::tree::{ROOT, Roots, all_trees, is_projective};

    /// All trees of up to 5 words: no two arcs that overlap share a level, an arc is above what it spans, and without
    /// crossing arcs no level could be lower.
    #[test]
    fn levels_of_all_trees() {
        for tree in (2..=5).flat_map(|n| all_trees(n, Roots::Several)) {
            let spans: Vec<(usize, usize)> = tree
                .words()
                .map(|word| (tree.head(word).min(word).into(), tree.head(word).max(word).into()))
                .filter(|&(left, _)| left != usize::from(ROOT))
                .collect();
            let levels = levels(&spans);
            for (a, &(left, right)) in spans.iter().enumerate() {
                let mut highest_below = 0;
                for (b, &(l, r)) in spans.iter().enumerate().filter(|&(b, _)| b != a) {
                    if left <= l && r <= right {
                        assert!(levels[b] < levels[a], "{tree:?}");
                        highest_below = highest_below.max(levels[b]);
                    }
                    assert!(levels[a] != levels[b] || r <= left || right <= l, "{tree:?}");
                }
                assert!(!is_projective(&tree) || levels[a] == highest_below + 1, "{tree:?}");
            }
        }
    }
}
