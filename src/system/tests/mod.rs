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

/// Whether the system derives trees that are not projective.
fn derives_others<S: System>(_: &S) -> bool {
    S::DERIVES_ALL || S::NAME.starts_with("covington")
}

/// A gold tree with these heads of the words 1..n and one label.
fn gold(heads: &[Node]) -> Gold {
    Gold::new(Tree::new(heads, &vec![0; heads.len()]))
}

/// The systems with this setting of roots that derive no other trees than projective ones and whose costs claim to be exact
/// for these.
fn exact_for_projective(roots: Roots) -> impl Iterator<Item = SystemKind> {
    let exactness = move |kind: SystemKind| with_system!(kind, roots, |system| system.exactness());
    let systems = SystemKind::ALL.iter().copied().filter(move |kind| kind.roots().contains(&roots));
    systems.filter(move |&kind| match exactness(kind) {
        Exactness::ExactForProjective => true,
        Exactness::Exact => !with_system!(kind, roots, |system| derives_others(&system)),
        _ => false,
    })
}
