//! The facts about a node that features read of its partial tree.

/// The number of places that the slots of a partial tree take.
pub const N_SLOTS: usize = 24;

/// Slots of a partial tree: the facts about its node that features read. Every slot is a `u16`: a node, a label, a count or
/// a label set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Slot {
    /// The node itself.
    Node,
    /// The label of the arc into it.
    Label,
    /// Its leftmost dependent.
    L1,
    /// The label of the leftmost dependent.
    L1Label,
    /// The second leftmost left dependent.
    L2,
    /// Its label.
    L2Label,
    /// The rightmost dependent.
    R1,
    /// Its label.
    R1Label,
    /// The second rightmost right dependent.
    R2,
    /// Its label.
    R2Label,
    /// The number of left dependents.
    LeftValency,
    /// The number of right dependents.
    RightValency,
    /// The set of labels of left dependents.
    LeftLabels,
    /// The set of labels of right dependents.
    RightLabels,
    /// The head.
    Head,
    /// The label of the arc into the head.
    HeadLabel,
    /// The head's head.
    Head2,
    /// The label of the arc into the head's head.
    Head2Label,
    /// The number of words of its partial tree, itself included, each dependent's tree as it was when it was attached.
    Size,
    /// The leftmost dependent of the leftmost dependent, as that was when it was attached.
    L1L1,
    /// Its label.
    L1L1Label,
    /// The rightmost dependent of the rightmost dependent, as that was when it was attached.
    R1R1,
    /// Its label.
    R1R1Label,
}

impl Slot {
    /// Every slot.
    pub const ALL: [Slot; 23] = {
        use Slot::*;
        [
            Node,
            Label,
            L1,
            L1Label,
            L2,
            L2Label,
            R1,
            R1Label,
            R2,
            R2Label,
            LeftValency,
            RightValency,
            LeftLabels,
            RightLabels,
            Head,
            HeadLabel,
            Head2,
            Head2Label,
            Size,
            L1L1,
            L1L1Label,
            R1R1,
            R1R1Label,
        ]
    };
}
