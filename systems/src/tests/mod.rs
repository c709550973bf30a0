//! Tests over all systems.

mod covington;
mod eager;
mod errata;
mod examples;
mod partial;
mod proof;
mod reordering;
mod walks;

use super::*;
use treebeam::configuration::Configuration;
use treebeam::system::*;
use treebeam::tree::{Gold, LabelId, Node, Tree};
use treebeam::with_system;

/// True if the system derives trees that are not projective.
fn derives_others(kind: SystemKind) -> bool {
    kind.info().derives_all || kind.name().starts_with("covington")
}

/// A gold tree with these heads of the words 1..n and one label.
fn gold(heads: &[Node]) -> Gold {
    Gold::new(Tree::new(heads, &vec![0; heads.len()]))
}

/// The systems with this setting of roots that derive no other trees than projective ones and whose costs claim to be exact
/// for these.
fn exact_for_projective(roots: Roots) -> impl Iterator<Item = SystemKind> {
    let exactness = move |kind: SystemKind| kind.system(roots).system().exactness();
    let systems = SystemKind::all().iter().copied().filter(move |kind| kind.roots().contains(&roots));
    systems.filter(move |&kind| match exactness(kind) {
        Exactness::ExactForProjective => true,
        Exactness::Exact => !derives_others(kind),
        _ => false,
    })
}
