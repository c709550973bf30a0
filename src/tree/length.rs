//! Lengths of arcs, in classes.

use super::{Node, ROOT};

/// Classes of arcs by length: the distance of head and word, in words.
pub const ARC_LENGTHS: [&str; 5] = ["root", "1", "2", "3-6", "7+"];

/// The place in [`ARC_LENGTHS`] of an arc from `head` into the word of this entry, which is the node `entry + 1`.
pub fn arc_length(head: Node, entry: usize) -> usize {
    match (head, (entry + 1).abs_diff(head as usize)) {
        (ROOT, _) => 0,
        (_, ..=1) => 1,
        (_, 2) => 2,
        (_, 3..=6) => 3,
        (_, 7..) => 4,
    }
}
