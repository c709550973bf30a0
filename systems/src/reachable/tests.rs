//! Both computations against all trees that intervals can make, and against each other.

use proptest::prelude::*;

use super::*;
use treebeam::tree::{NO_NODE, Tree};

/// The loss by trying every way to make the interval, with buffer and gold tree as they are: O(n⁵).
fn loss_by_trying(gold: &Gold, stack: &[Node], buffer: Range<Node>, roots: Roots) -> u32 {
    let items: Vec<Node> = stack.iter().copied().filter(|&node| roots == Roots::Several || node != ROOT).collect();
    let nodes: Vec<Node> = items.iter().rev().copied().chain(buffer).collect();
    let (n, top) = (nodes.len(), items.len() - 1);
    // By first and last node of the interval and its root.
    let mut most = vec![vec![vec![NEVER; n]; n]; n];
    for (node, from) in most.iter_mut().enumerate() {
        from[node][node] = 0;
    }
    let join = |most: &mut Vec<Vec<Vec<i32>>>, first: usize, middle: usize, last: usize| {
        for left in first..=middle {
            for right in middle + 1..=last {
                let sum = most[first][middle][left] + most[middle + 1][last][right];
                for (head, dependent) in [(left, right), (right, left)] {
                    if nodes[dependent] != ROOT {
                        let sum = sum + i32::from(gold.head(nodes[dependent]) == nodes[head]);
                        most[first][last][head] = most[first][last][head].max(sum);
                    }
                }
            }
        }
    };
    for first in (0..n).rev() {
        for last in first + 1..n {
            match first {
                // Within the buffer.
                _ if first > top => (first..last).for_each(|middle| join(&mut most, first, middle, last)),
                _ if last < top => {}
                _ => {
                    if first < top {
                        join(&mut most, first, first, last);
                    }
                    (top..last).for_each(|middle| join(&mut most, first, middle, last));
                }
            }
        }
    }
    let whole = &most[0][n - 1];
    let n_right = match roots {
        Roots::Several => whole[0],
        Roots::Single => (0..n).map(|root| whole[root] + i32::from(gold.head(nodes[root]) == ROOT)).max().unwrap(),
    };
    (nodes.iter().filter(|&&node| node != ROOT).count() as i32 - n_right) as u32
}

/// A tree over `n` words that follows from `choices`; one word hangs on the root if `single`.
fn some_tree(n: usize, projective: bool, single: bool, choices: &[u16]) -> Tree {
    let mut heads = vec![NO_NODE; n];
    let mut choices = choices.iter().copied().cycle();
    let mut below = |n: usize| choices.next().unwrap() as usize % n;
    if projective {
        // Spans of words to hang on a head.
        let mut open = vec![(1, n, ROOT)];
        while let Some((first, last, head)) = open.pop() {
            let all = single && head == ROOT;
            let end = if all { last } else { first + below(last - first + 1) };
            let root = first + below(end - first + 1);
            heads[root - 1] = head;
            for (first, last, head) in
                [(first, root - 1, root as Node), (root + 1, end, root as Node), (end + 1, last, head)]
            {
                if first <= last {
                    open.push((first, last, head));
                }
            }
        }
    } else {
        let mut order: Vec<usize> = (1..=n).collect();
        (0..n).for_each(|place| order.swap(place, place + below(n - place)));
        for (place, &word) in order.iter().enumerate() {
            let head = if place == 0 || !single && below(6) == 0 { 0 } else { order[below(place)] };
            heads[word - 1] = head as Node;
        }
    }
    Tree::new(&heads, &vec![0; n])
}

/// A stack of words before `front`, from the top down, with the root at its bottom; at least one word.
fn some_stack(front: Node, choices: &[u16]) -> Vec<Node> {
    let density = 1 + choices[0] % 4;
    let mut stack: Vec<Node> =
        (1..front).rev().filter(|&word| choices[word as usize % choices.len()] % 4 < density).collect();
    if stack.is_empty() {
        stack.push(front - 1);
    }
    stack.push(ROOT);
    stack
}

fn some_case(n: usize, projective: bool, roots: Roots, choices: &[u16]) -> (Gold, Vec<Node>, Range<Node>) {
    let gold = Gold::new(some_tree(n, projective, roots == Roots::Single, choices));
    let front = 2 + choices[1] % n as Node;
    (gold, some_stack(front, &choices[2..]), front..n as Node + 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn losses_are_those_found_by_trying(n in 1usize..11, choices in prop::collection::vec(any::<u16>(), 40)) {
        let mut reachable = Reachable::default();
        for roots in [Roots::Single, Roots::Several] {
            for projective in [true, false] {
                let (gold, stack, buffer) = some_case(n, projective, roots, &choices);
                let expected = loss_by_trying(&gold, &stack, buffer.clone(), roots);
                let loss = reachable.loss(&gold, stack.iter().copied(), buffer.clone(), roots);
                prop_assert_eq!(loss, expected, "{:?} {:?} {:?} {:?}", roots, gold, stack, buffer);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// In linear time as in cubic time, on longer sentences.
    #[test]
    fn both_computations_agree(n in 1usize..40, choices in prop::collection::vec(any::<u16>(), 160)) {
        let (mut linear, mut cubic) = (LinearTime::default(), CubicTime::default());
        for roots in [Roots::Single, Roots::Several] {
            let (gold, mut stack, buffer) = some_case(n, true, roots, &choices);
            prop_assert!(gold.is_projective());
            if roots == Roots::Single {
                stack.pop();
            }
            let (a, b) = (linear.n_right(&gold, &stack, buffer.clone(), roots), cubic.n_right(&gold, &stack, buffer, roots));
            prop_assert_eq!(a, b, "{:?} {:?} {:?}", roots, gold, stack);
        }
    }
}
