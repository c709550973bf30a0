//! Orders of a tree's nodes under which it is projective, and the parts of it that are projective as they stand.

use super::{Node, ROOT, Tree};

/// Scratch memory for sorting a sentence into its tree's projective order (Nivre 2009; Nivre, Kuhlmann & Hall 2009).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orders {
    places: Vec<Node>,
    components: Vec<Node>,
    is_projective: bool,
}

impl Orders {
    /// Orders of `tree`, with the dependents of a node in order by `dependents`. Linear in the number of words.
    pub(super) fn of<'t>(tree: &Tree, dependents: impl Fn(Node) -> &'t [Node]) -> Orders {
        let places = projective_places(tree, &dependents);
        let is_projective = places.is_sorted();
        Orders { places, components: maximal_projective_components(tree, &dependents), is_projective }
    }

    /// True if the projective order is that of the sentence, and so the tree projective.
    #[inline]
    pub fn is_projective(&self) -> bool {
        self.is_projective
    }

    /// The place of `node` in the projective order: that of an in-order traversal of the tree, in which a node stands
    /// behind the subtrees of its dependents to the left and before those of its dependents to the right. The order of a
    /// projective tree is that of the sentence.
    #[inline]
    pub fn place(&self, node: Node) -> Node {
        self.places[node as usize]
    }

    /// The root of the maximal projective component that `node` belongs to: of the largest tree that arc-standard, given
    /// the words in the order of the sentence, makes around it.
    #[inline]
    pub fn component(&self, node: Node) -> Node {
        self.components[node as usize]
    }
}

fn projective_places<'t>(tree: &Tree, dependents: impl Fn(Node) -> &'t [Node]) -> Vec<Node> {
    let mut places = vec![0; tree.n_words() + 1];
    let mut next = 0;
    // A node, and how many of its dependents have been visited.
    let mut open = vec![(ROOT, 0)];
    while let Some((node, visited)) = open.last_mut() {
        let (node, dependents) = (*node, dependents(*node));
        let dependent = dependents.get(*visited).copied();
        if *visited == dependents.partition_point(|&d| d < node) && places[node as usize] == 0 && node != ROOT {
            next += 1;
            places[node as usize] = next;
        }
        *visited += 1;
        match dependent {
            Some(dependent) => open.push((dependent, 0)),
            None => _ = open.pop(),
        }
    }
    places
}

fn maximal_projective_components<'t>(tree: &Tree, dependents: impl Fn(Node) -> &'t [Node]) -> Vec<Node> {
    let n = tree.n_words();
    let mut linear_heads: Vec<Node> = (0..=n as Node).collect();
    let mut missing: Vec<usize> = (0..=n as Node).map(|node| dependents(node).len()).collect();
    let mut stack = vec![ROOT];
    for word in 1..=n as Node {
        stack.push(word);
        while let [.., s1, s0] = stack[..] {
            let (head, dependent) = if tree.head(s1) == s0 && missing[s1 as usize] == 0 {
                (s0, s1)
            } else if tree.head(s0) == s1 && missing[s0 as usize] == 0 {
                (s1, s0)
            } else {
                break;
            };
            linear_heads[dependent as usize] = head;
            missing[head as usize] -= 1;
            stack.truncate(stack.len() - 2);
            stack.push(head);
        }
    }
    // Heads are resolved before their dependents by following each chain to its end once.
    let mut components = linear_heads;
    for node in 0..=n {
        let mut top = node;
        while components[top] as usize != top {
            top = components[top] as usize;
        }
        let mut below = node;
        while below != top {
            below = std::mem::replace(&mut components[below], top as Node) as usize;
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Gold, Roots, all_trees, is_projective};

    /// Nivre (2009), figure 1: "A hearing is scheduled on the issue today ." Its projective order takes "on the issue"
    /// to "a hearing".
    #[test]
    fn a_hearing_is_scheduled() {
        let heads = [2, 3, 0, 3, 2, 7, 5, 4, 3];
        let gold = Gold::new(Tree::new(&heads, &[0; 9]));
        let places: Vec<Node> = (0..=9).map(|node| gold.orders().place(node)).collect();
        assert_eq!(places, [0, 1, 2, 6, 7, 3, 4, 5, 8, 9]);
        // "A hearing" waits for "on the issue", and "scheduled" for "today".
        let components: Vec<Node> = (0..=9).map(|node| gold.orders().component(node)).collect();
        assert_eq!(components, [0, 2, 2, 3, 4, 5, 5, 5, 8, 9]);
    }

    /// Every tree is projective in its projective order, and only a projective one is one component.
    #[test]
    fn projective_in_their_order() {
        for n in 1..=5 {
            for tree in all_trees(n, Roots::Several) {
                let gold = Gold::new(tree.clone());
                let place = |node: Node| gold.orders().place(node);
                let mut heads = vec![0; n];
                tree.words().for_each(|word| heads[place(word) as usize - 1] = place(tree.head(word)));
                assert!(is_projective(&Tree::new(&heads, &vec![0; n])), "{tree:?}");
                let in_order = gold.orders().is_projective();
                let whole = tree.words().all(|word| gold.orders().component(word) == ROOT);
                assert_eq!((in_order, whole), (is_projective(&tree), is_projective(&tree)), "{tree:?}");
                for word in tree.words() {
                    let side = |a: Node, b: Node| a < b;
                    assert_eq!(side(place(word), place(tree.head(word))), side(word, tree.head(word)));
                }
            }
        }
    }
}
