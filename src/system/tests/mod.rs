//! Tests over all systems.

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
