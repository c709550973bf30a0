//! Tests over all systems.

mod covington;
mod errata;
mod examples;
mod proof;
mod walks;

use super::*;
use crate::tree::Tree;

/// A gold tree with these heads of the words 1..n and one label.
fn gold(heads: &[Node]) -> Gold {
    Gold::new(Tree::new(heads, &vec![0; heads.len()]))
}

/// The systems whose costs claim to be exact for projective gold trees, whether one word hangs on the root or several.
fn exact_for_projective() -> impl Iterator<Item = SystemKind> {
    let exactness = |kind: SystemKind| with_system!(kind, Roots::Single, |system| system.exactness());
    SystemKind::ALL.iter().copied().filter(move |&kind| exactness(kind) == Exactness::ExactForProjective)
}
