//! Pseudo-projective parsing (Nivre & Nilsson 2005): non-projective arcs are lifted until the tree is projective, and
//! labels remember enough to lower them again after parsing.
//!
//! **Lifting.** While there is a non-projective arc, take the shortest (the leftmost dependent's among equals) and
//! replace the head by the head's head. What the labels then say, where `p` is a dependent's own label and `h` that of
//! the head it was lifted from (its *syntactic* head):
//!
//! | scheme | lifted arc | arcs that it was lifted over | labels at most, of `n` |
//! |---|---|---|---|
//! | [`Scheme::Head`] | `p↑h` | | `n(n + 1)` |
//! | [`Scheme::Path`] | `p↑` | `q↓` | `4n` |
//! | [`Scheme::HeadPath`] | `p↑h` | `q↓` | `2n(n + 1)` |
//!
//! **Lowering.** For each lifted arc the syntactic head is sought below the linear one, breadth first and from left to
//! right: the first node labelled `h` (head), the last node that is reached over `↓` arcs only (path), the first of
//! these that is labelled `h` (head+path). A node below the dependent itself is never taken, so that the result
//! is always a tree. If nothing is found, the arc stays where it is.
//!
//! The paper leaves open in which order lifted arcs are lowered. Here it is from the top of the tree to the bottom, each
//! search seeing the arcs lowered before it: with labels that are all different, this recovers 1,021 of the 1,023
//! non-projective trees over five words from `head`, where going from left to right recovers 956.

use super::projective::non_projective_arcs;
use super::{Labels, NO_LABEL, Node, ROOT, Tree};

mod encoding;

pub use encoding::Scheme;
use encoding::{Decoded, decode, encode};

/// Lifts `tree` until it is projective, encoding the lifts in its labels.
///
/// `plain` is the inventory that `tree` uses, `lifted` the one of the result; a name in it is a plain label
/// exactly if nothing was encoded in it. `tree` must be a tree.
pub fn projectivise(tree: &Tree, plain: &Labels, scheme: Scheme, lifted: &mut Labels) -> Tree {
    let n = tree.n_words();
    let mut result = tree.clone();
    let mut syntactic_head = vec![ROOT; n + 1];
    let mut lifted_over = vec![false; n + 1];
    loop {
        let crossing = non_projective_arcs(&result).into_iter();
        let shortest = crossing.min_by_key(|&word| (result.head(word).abs_diff(word), word));
        let Some(word) = shortest else { break };
        let head = result.head(word);
        if syntactic_head[word as usize] == ROOT {
            syntactic_head[word as usize] = head;
        }
        lifted_over[head as usize] = true;
        // Arcs from the root are projective, so this head has a head.
        result.attach(word, result.head(head), NO_LABEL);
    }
    for word in tree.words() {
        let from = syntactic_head[word as usize];
        let from = (from != ROOT).then(|| plain.name(tree.label(from)));
        let name = encode(plain.name(tree.label(word)), from, lifted_over[word as usize], scheme);
        result.attach(word, result.head(word), lifted.intern(&name));
    }
    result
}

/// Lowers the lifted arcs of parsed trees; prepared once for an inventory of encoded labels.
#[derive(Debug, Clone)]
pub struct Lowering {
    scheme: Scheme,
    decoded: Vec<Decoded>,
    plain: Labels,
}

impl Lowering {
    /// Prepares for trees labelled from `lifted`.
    pub fn new(lifted: &Labels, scheme: Scheme) -> Lowering {
        let mut plain = Labels::default();
        let decoded = lifted.names().iter().map(|name| decode(name, &mut plain)).collect();
        Lowering { scheme, decoded, plain }
    }

    /// The inventory of the labels of lowered trees.
    pub fn plain(&self) -> &Labels {
        &self.plain
    }

    /// The tree with its lifted arcs lowered and plain labels; a tree if `lifted` is one.
    pub fn lower(&self, lifted: &Tree) -> Tree {
        self.lower_others(lifted, |_| false)
    }

    /// The same, where some words keep their heads.
    pub fn lower_others(&self, lifted: &Tree, keeps: impl Fn(Node) -> bool) -> Tree {
        let mut result = lifted.clone();
        let is_lifted = |&word: &Node| self.of(lifted, word).lifted && !keeps(word);
        let mut todo: Vec<Node> = lifted.words().filter(is_lifted).collect();
        if !todo.is_empty() {
            let depths = depths(lifted);
            todo.sort_by_key(|&word| (depths[word as usize], word));
            for word in todo {
                if let Some(head) = self.find_head(&result, word) {
                    result.attach(word, head, result.label(word));
                }
            }
        }
        for word in lifted.words() {
            result.attach(word, result.head(word), self.of(lifted, word).own);
        }
        result
    }

    fn of(&self, tree: &Tree, word: Node) -> Decoded {
        self.decoded[tree.label(word) as usize]
    }

    /// The syntactic head of `word` below its head in `tree`, if there is one. Quadratic in the worst case, but lifted
    /// arcs are rare and their subtrees small.
    fn find_head(&self, tree: &Tree, word: Node) -> Option<Node> {
        let Decoded { from, .. } = self.of(tree, word);
        let mut queue = vec![tree.head(word)];
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            // Skipping `word` skips all that is below it: no head found can close a cycle.
            for dependent in tree.words().filter(|&d| d != word && tree.head(d) == node) {
                let candidate = self.of(tree, dependent);
                if self.scheme != Scheme::Head && !candidate.lifted_over {
                    continue;
                }
                if self.scheme != Scheme::Path && Some(candidate.own) == from {
                    return Some(dependent);
                }
                queue.push(dependent);
            }
        }
        (self.scheme == Scheme::Path && queue.len() > 1).then(|| queue[queue.len() - 1])
    }
}

/// The number of arcs between each node and the root.
fn depths(tree: &Tree) -> Vec<u32> {
    let mut depths = vec![0u32; tree.n_words() + 1];
    let mut path = Vec::new();
    for word in tree.words() {
        let mut node = word;
        while node != ROOT && depths[node as usize] == 0 {
            path.push(node);
            node = tree.head(node);
        }
        let mut depth = depths[node as usize];
        while let Some(node) = path.pop() {
            depth += 1;
            depths[node as usize] = depth;
        }
    }
    depths
}

#[cfg(test)]
mod tests;
