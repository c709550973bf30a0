//! Tests over all systems.

mod covington;
mod errata;
mod examples;
mod proof;
mod reordering;
mod walks;

use super::*;
use crate::tree::Tree;
use crate::with_system;

/// A gold tree with these heads of the words 1..n and one label.
fn gold(heads: &[Node]) -> Gold {
    Gold::new(Tree::new(heads, &vec![0; heads.len()]))
}

/// The systems with this setting of roots whose costs claim to be exact for projective gold trees.
fn exact_for_projective(roots: Roots) -> impl Iterator<Item = SystemKind> {
    let exactness = move |kind: SystemKind| with_system!(kind, roots, |system| system.exactness());
    let systems = SystemKind::ALL.iter().copied().filter(move |kind| kind.roots().contains(&roots));
    systems.filter(move |&kind| exactness(kind) == Exactness::ExactForProjective)
}
