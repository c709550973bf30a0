//! The places of a configuration that features can name.

use std::fmt;

use super::Cell;

/// The cells in all places of a configuration.
pub type Cells<'a> = [Option<&'a Cell<'a>>; Role::COUNT];

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
    /// The last actions, in the cell that [`Arena::history`](super::Arena::history) makes.
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

    /// True if the place is in the buffer.
    pub fn in_buffer(self) -> bool {
        self >= Role::B0
    }

    /// The cells in all places, of a stack and a buffer.
    #[inline]
    pub fn cells<'a>(stack: Option<&'a Cell<'a>>, buffer: Option<&'a Cell<'a>>) -> Cells<'a> {
        let mut cells = [None; Role::COUNT];
        let (stack_cells, buffer_cells) = cells.split_at_mut(Role::B0 as usize);
        for (top, places) in [(stack, &mut stack_cells[..=Role::S3 as usize]), (buffer, buffer_cells)] {
            let mut cell = top;
            for place in places {
                let Some(here) = cell else { break };
                *place = cell;
                cell = here.below;
            }
        }
        cells
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
