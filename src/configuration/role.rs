//! The places of a configuration that features can name.

use std::fmt;

use super::{Cell, History};

/// The cells in all places of a configuration; none in that of the last actions.
pub type Cells<'a> = [Option<&'a Cell<'a>>; Role::COUNT];

/// A configuration as scorers read it, from one point.
#[derive(Debug, Clone, Copy, Default)]
pub struct View<'a> {
    /// The cells in all places.
    pub cells: Cells<'a>,
    /// The last actions, if there are any and they are kept.
    pub history: Option<&'a History<'a>>,
}

impl<'a> View<'a> {
    /// The cell in a place.
    #[inline]
    pub fn cell(&self, role: Role) -> Option<&'a Cell<'a>> {
        self.cells[role as usize]
    }
}

/// A place of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Role {
    S0,
    S1,
    S2,
    S3,
    /// Middle word between the two focus words of a Covington configuration: the first word of λ2.
    M0,
    /// The last actions: no cell, but the [history](super::History) of the derivation.
    A,
    B0,
    B1,
    B2,
    B3,
}

impl Role {
    /// The number of roles.
    pub const COUNT: usize = 10;
    /// Every role, the stack's first and the buffer's last.
    pub const ALL: [Role; Role::COUNT] =
        [Role::S0, Role::S1, Role::S2, Role::S3, Role::M0, Role::A, Role::B0, Role::B1, Role::B2, Role::B3];

    /// The name of the place.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; Role::COUNT] = ["S0", "S1", "S2", "S3", "M0", "A", "B0", "B1", "B2", "B3"];
        NAMES[self as usize]
    }

    /// True if the place is in the buffer.
    pub fn in_buffer(self) -> bool {
        self >= Role::B0
    }

    /// The cells in all places, of a stack and a buffer.
    #[inline(always)]
    pub fn cells<'a>(s0: Option<&'a Cell<'a>>, b0: Option<&'a Cell<'a>>) -> Cells<'a> {
        // PERF: without a loop, as there is a call for each item of a beam.
        let next = |cell: Option<&'a Cell<'a>>| cell.and_then(|cell| cell.below);
        let (s1, b1) = (next(s0), next(b0));
        let (s2, b2) = (next(s1), next(b1));
        [s0, s1, s2, next(s2), None, None, b0, b1, b2, next(b2)]
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
