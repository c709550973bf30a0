//! The Covington family (Covington 2001; Nivre 2008): every pair of nodes may be looked at, so every tree can be derived.
//!
//! A configuration is ⟨λ1, λ2, β, A⟩ with the focus words i, the last of λ1, and j, the first of β. λ1 is always 0..i, λ2
//! i+1..j-1 and β j..n, so that (i, j, A) says it all. The root is a real node of λ1, the first one.
//!
//! | file | content |
//! |---|---|
//! | `monotonic` | [`Covington`]: arcs are final |
//! | `nonlocal` | [`CovingtonNonlocal`]: one transition passes over any number of words |
//! | `nonmonotonic` | [`CovingtonNonmonotonic`]: a later arc takes the place of an earlier one |
//! | `list_state` | the state of a configuration that losses depend on, and its successors, for oracles |
//! | `loss` | the exact loss if arcs are final |
//! | `bounds` | bounds of the loss if they are not |
//! | `cycles` | elementary cycles (Johnson 1975) |
//! | `exact` | the loss if they are not, by search |
//!
//! **Words without a head**: with [`Roots::Several`](super::Roots) nothing makes sure that every word gets a head, as in
//! the papers. What is left without one hangs on the root in the end, but the loss counts it as wrong: the arc from the
//! root has to be made.
//!
//! **One root**: with [`Roots::Single`](super::Roots) the system itself makes a tree with one root, and never gets stuck.
//! While j < n anything may be left open, because the last word can put it right: it can be the head of all words without
//! one. When j = n a move is permitted only if the tree can still be completed after it (`can_be_completed`), and the last
//! SHIFT only if it is complete.
//!
//! **Beams**: items of a beam are compared after equally many transitions, however far in the sentence each has come. An
//! item whose derivation is complete waits until all are; waiting ([`Move::Idle`]) is scored like any transition (Zhu et
//! al. 2013), as the longer derivations of a beam would otherwise gain by their length. Sums of scores are not divided by
//! the number of transitions. Global training does better with the static oracle: to the dynamic ones SHIFT and any number
//! of NO-ARC before it are all gold where nothing more is to be linked, so that gold derivations of many lengths compete.
//! In the non-local system with one root all derivations have 2n transitions, and there is nothing to wait for.

mod bounds;
mod cycles;
mod exact;
mod list_state;
mod loss;
mod monotonic;
mod nonlocal;
mod nonmonotonic;

pub use monotonic::Covington;
pub use nonlocal::CovingtonNonlocal;
pub use nonmonotonic::CovingtonNonmonotonic;

use list_state::top;
use treebeam::configuration::Lists;
use treebeam::system::Move;
use treebeam::tree::{Gold, NO_NODE, Node, ROOT};

/// The left focus, if λ1 is not empty.
fn left_focus<C: Lists>(c: &C) -> Option<Node> {
    c.n_left().checked_sub(1)
}

/// True if the right focus is the last word.
fn at_last_word<C: Lists>(c: &C) -> bool {
    c.right() as usize == c.n_words()
}

/// The word that hangs on the root, if there is one.
fn root_word(heads: &[Node]) -> Option<Node> {
    heads.iter().skip(1).position(|&head| head == ROOT).map(|place| place as Node + 1)
}

/// True if every word can still get a head, one of them the root, when the last word n is the right focus and λ1 holds
/// `n_left` nodes.
///
/// 1. Words of λ2 can get no head any more: they must have one.
/// 2. Words of λ1 without a head can get n for one. If n descends from such a word, arcs must be revocable: then the new
///    arc takes the head from n or from words between them.
/// 3. In the end n must descend from the root. It does so already; or some word of λ1 does and can become n's head; or
///    nothing hangs on the root, and n can. For the latter two, if arcs are final, n must have no head.
fn can_be_completed(heads: &[Node], n_left: Node, arcs_are_final: bool) -> bool {
    let last = heads.len() as Node - 1;
    let word_is_open = |word: Node| heads[word as usize] == NO_NODE;
    if (n_left.max(1)..last).any(word_is_open) {
        return false;
    }
    let descends_from_root = |word: Node| top(heads, word) == ROOT;
    let can_get_head = !arcs_are_final || word_is_open(last);
    descends_from_root(last)
        || can_get_head
            && match root_word(heads) {
                Some(_) => (1..n_left).any(|word| word != last && descends_from_root(word)),
                None => n_left > 0,
            }
}

/// True if j is linked in the gold tree to a node before `node`.
fn is_linked_before(gold: &Gold, j: Node, node: Node) -> bool {
    gold.head(j) < node || gold.dependents(j).first().is_some_and(|&first| first < node)
}

/// LEFT or RIGHT if it makes a gold arc; NO-ARC if j is linked to a node before i; else SHIFT.
fn static_move<C: Lists>(gold: &Gold, c: &C) -> Move {
    let (Some(i), j) = (left_focus(c), c.right()) else { return Move::Shift };
    if i != ROOT && gold.head(i) == j {
        Move::Left
    } else if gold.head(j) == i {
        Move::Right
    } else if is_linked_before(gold, j, i) {
        Move::NoArc
    } else {
        Move::Shift
    }
}
