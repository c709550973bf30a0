use super::*;
use treebeam::random::{Xoshiro256PlusPlus, below, order, stream, unit};
use treebeam::tree::{Roots, Tree, all_trees, is_projective};

/// The arcs of a tree with labels of these widths.
fn arcs(tree: &Tree, labels: &[f64]) -> Vec<Arc> {
    let head = |word| usize::from(tree.head(word)).checked_sub(1);
    tree.words()
        .zip(labels)
        .map(|(word, &label)| Arc { head: head(word), dependent: usize::from(word) - 1, label })
        .collect()
}

fn overlap(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

/// Checks of every picture in a line.
fn check(widths: &[f64], trees: &[Vec<Arc>]) -> Layout {
    let mut rows = rows(widths, trees, None);
    assert_eq!(rows.len(), 1);
    check_row(rows.remove(0), widths, trees)
}

/// Checks of every row.
fn check_row(layout: Layout, all_widths: &[f64], all_trees: &[Vec<Arc>]) -> Layout {
    let range = layout.range.clone();
    let widths = &all_widths[range.clone()];
    let trees: Vec<Vec<Arc>> = all_trees
        .iter()
        .zip(&layout.sides)
        .map(|(arcs, side)| side.numbers.iter().map(|&number| arcs[number]).collect())
        .collect();
    let around = |x: f64, width: f64| (x - width / 2.0, x + width / 2.0);
    // A word has its text and its stems.
    let n_stems = |arcs: &[Arc], word| {
        arcs.iter().map(|arc| usize::from(arc.dependent == word) + usize::from(arc.head == Some(word))).sum::<usize>()
    };
    let cell = |(word, &width): (usize, &f64)| {
        trees.iter().map(|arcs| n_stems(arcs, range.start + word) as f64 * SLOT).fold(width, f64::max)
    };
    let cells: Vec<f64> = widths.iter().enumerate().map(cell).collect();
    for (word, pair) in layout.words.windows(2).enumerate() {
        let gap = pair[1] - pair[0] - (cells[word] + cells[word + 1]) / 2.0;
        assert!(gap > GAP - 1e-6, "words {word} and the next: {gap}");
    }
    let mut extents: Vec<(f64, f64)> = layout.words.iter().zip(widths).map(|(&x, &width)| around(x, width)).collect();
    for (side, arcs) in layout.sides.iter().zip(&trees) {
        assert_eq!(side.arcs.len(), arcs.len(), "every arc is drawn");
        assert_eq!(side.height, side.arcs.iter().map(|arc| arc.level).max().unwrap());
        for (arc, placed) in arcs.iter().zip(&side.arcs) {
            assert!((1..=side.height).contains(&placed.level));
            // Stems are on their words, or on the edge behind which the words are.
            let edges = [layout.words[0] - GAP, layout.words[range.len() - 1] + GAP];
            let is_over = |x: f64, word: usize| match range.contains(&word) {
                true => (layout.words[word - range.start] - x).abs() < cells[word - range.start] / 2.0,
                false if word < range.start => x < edges[0] + 1e-6,
                false => x > edges[1] - 1e-6,
            };
            assert!(is_over(placed.dependent_x, arc.dependent));
            assert!(is_over(placed.head_x, arc.head.unwrap_or(arc.dependent)));
            assert_eq!(placed.has_dependent, range.contains(&arc.dependent));
            assert_eq!(placed.has_head, arc.head.is_none_or(|head| range.contains(&head)));
            extents.push(around(placed.label_x, arc.label));
            // A label lies on its arc.
            let (left, right) = placed.extent();
            let (label_left, label_right) = around(placed.label_x, arc.label);
            assert!(arc.head.is_none() || (left < label_left + 1e-5 && label_right < right + 1e-5), "{layout:?}");
        }
        for (a, b) in (0..arcs.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let label = |arc: usize| around(side.arcs[arc].label_x, arcs[arc].label);
            let [pa, pb] = [a, b].map(|arc| side.arcs[arc]);
            if pa.level == pb.level {
                assert!(!overlap(pa.extent(), pb.extent()), "arcs {a} and {b} at one level: {layout:?}");
                assert!(!overlap(label(a), label(b)), "labels {a} and {b}: {layout:?}");
            }
            for (a, b, pb) in [(a, b, pb), (b, a, pa)] {
                let ends = [(pb.has_head, pb.head_x), (pb.has_dependent, pb.dependent_x)];
                let passing: Vec<f64> = ends.into_iter().filter(|(is_here, _)| *is_here).map(|(_, x)| x).collect();
                // Labels are above their arcs, so a stem passes if it rises above the arc.
                if side.arcs[b].level > side.arcs[a].level && arcs[a].label > 0.0 {
                    let (left, right) = label(a);
                    assert!(!passing.iter().any(|&x| left < x && x < right), "label {a}, stem of {b}: {layout:?}");
                }
            }
        }
    }
    let left = extents.iter().map(|e| e.0).fold(f64::INFINITY, f64::min);
    let right = extents.iter().map(|e| e.1).fold(0.0, f64::max);
    assert!(left > -1e-6 && right < layout.width + 1e-6, "{left} to {right} in {}", layout.width);
    layout
}

/// The number of times that a stem goes through an arc.
fn crossings(side: &Side) -> usize {
    let through = |a: &Placed, b: &Placed| {
        let (left, right) = b.extent();
        let mut stems = vec![a.dependent_x];
        stems.extend((a.head_x != a.dependent_x).then_some(a.head_x));
        stems.into_iter().filter(|&x| left < x && x < right && a.level > b.level).count()
    };
    side.arcs.iter().flat_map(|a| side.arcs.iter().map(move |b| through(a, b))).sum()
}

/// All trees of up to 5 words, with labels much wider than words and without labels.
#[test]
fn all_small_trees() {
    for tree in (1..=5).flat_map(|n| all_trees(n, Roots::Several)) {
        let n = tree.n_words();
        for label in [0.0, 15.0, 90.0] {
            let layout = check(&vec![12.0; n], &[arcs(&tree, &vec![label; n])]);
            // With one root, arcs cross exactly if the tree is not projective; a second root has its stem anywhere.
            if tree.n_roots() == 1 {
                assert_eq!(crossings(&layout.sides[0]) == 0, is_projective(&tree), "{tree:?} {layout:?}");
            }
        }
    }
}

/// Up to 24 words of random widths under one or two random trees: a word hangs on a word before it in a shuffled order, or on the
/// root.
fn random_trees(seed: u64) -> (Vec<f64>, Vec<Vec<Arc>>, Xoshiro256PlusPlus) {
    let mut rng = stream(seed, "layout", &[]);
    let n = 1 + below(24, &mut rng) as usize;
    let widths = (0..n).map(|_| 150.0 * unit(&mut rng)).collect();
    let n_trees = 1 + below(2, &mut rng);
    let tree = |number: u64| -> Vec<Arc> {
        let order = order(n, seed, number as u32);
        let arc = |place: usize| {
            let head = order[below(place as u64 + 1, &mut rng) as usize];
            let label = 120.0 * unit(&mut rng);
            Arc { head: (head != order[place]).then_some(head), dependent: order[place], label }
        };
        (0..n).map(arc).collect()
    };
    let trees = (0..n_trees).map(tree).collect();
    (widths, trees, rng)
}

/// Rows have all words once and in order, are no wider than they may be, could not have one more word, and every arc is
/// seen in all rows from its one word to the other, at the same height above and below others.
#[test]
fn any_trees_in_rows() {
    for seed in 0..1000 {
        let (widths, trees, mut rng) = random_trees(seed);
        let limit = 60.0 + 840.0 * unit(&mut rng);
        let rows: Vec<Layout> = rows(&widths, &trees, Some(limit));
        let words: Vec<usize> = rows.iter().flat_map(|row| row.range.clone()).collect();
        assert_eq!(words, (0..widths.len()).collect::<Vec<_>>());
        for layout in rows {
            let (range, width) = (layout.range.clone(), layout.width);
            assert!(width <= limit || range.len() == 1, "seed {seed}: {width} of {limit}");
            if width <= limit && range.end < widths.len() {
                let texts: f64 = widths[range.start..=range.end].iter().sum::<f64>() + range.len() as f64 * GAP;
                assert!(texts > limit || row(&widths, &trees, range.start..range.end + 1).width > limit, "seed {seed}");
            }
            for (side, arcs) in layout.sides.iter().zip(&trees) {
                let seen = |arc: &Arc| match arc.head {
                    None => range.contains(&arc.dependent),
                    Some(head) => head.min(arc.dependent) < range.end && head.max(arc.dependent) >= range.start,
                };
                let expected: Vec<usize> = (0..arcs.len()).filter(|&number| seen(&arcs[number])).collect();
                assert_eq!(side.numbers, expected, "seed {seed}");
            }
            check_row(layout, &widths, &trees);
        }
    }
}

#[test]
fn arcs_go_on_where_they_left_the_row() {
    // Nested arcs over the break keep their order; the longest stays the highest.
    let arc = |head, dependent| Arc { head, dependent, label: 20.0 };
    let trees =
        [vec![arc(None, 0), arc(Some(0), 5), arc(Some(1), 4), arc(Some(0), 1), arc(Some(1), 2), arc(Some(4), 3)]];
    let rows = rows(&[30.0; 6], &trees, Some(150.0));
    assert_eq!(rows.iter().map(|row| row.range.clone()).collect::<Vec<_>>(), [0..2, 2..4, 4..6]);
    for row in rows {
        let level = |number| row.sides[0].arcs[row.sides[0].numbers.iter().position(|&n| n == number).unwrap()].level;
        assert!(level(1) > level(2), "{row:?}");
    }
}
