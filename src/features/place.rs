//! Places of a configuration that networks read: a node, or the label of an arc.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::configuration::{Role, Slot};
use crate::error::{Error, Result};

/// The slots that a place may name, with their names, for nodes and for labels.
const NODES: [(&str, Slot); 9] = [
    ("", Slot::Node),
    ("l1", Slot::L1),
    ("l2", Slot::L2),
    ("r1", Slot::R1),
    ("r2", Slot::R2),
    ("l1.l1", Slot::L1L1),
    ("r1.r1", Slot::R1R1),
    ("h", Slot::Head),
    ("h2", Slot::Head2),
];
const LABELS: [(&str, Slot); 9] = [
    ("label", Slot::Label),
    ("l1.label", Slot::L1Label),
    ("l2.label", Slot::L2Label),
    ("r1.label", Slot::R1Label),
    ("r2.label", Slot::R2Label),
    ("l1.l1.label", Slot::L1L1Label),
    ("r1.r1.label", Slot::R1R1Label),
    ("h.label", Slot::HeadLabel),
    ("h2.label", Slot::Head2Label),
];

/// A place of a configuration: a cell, and what is read of it. It is written as in feature sets, `S0.l1`; as there, `S0.h.h` is
/// the head's head, which `S0.h2` stands for, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The cell.
    pub role: Role,
    /// The slot of the cell.
    pub slot: Slot,
}

impl Place {
    /// True if a node stands there, which has columns.
    pub fn is_node(&self) -> bool {
        NODES.iter().any(|(_, slot)| *slot == self.slot)
    }

    /// True if the label of an arc stands there.
    pub fn is_label(&self) -> bool {
        LABELS.iter().any(|(_, slot)| *slot == self.slot)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = NODES.iter().chain(&LABELS).find(|(_, slot)| *slot == self.slot);
        match known {
            Some((name, _)) if !name.is_empty() => write!(f, "{}.{name}", self.role),
            _ => self.role.fmt(f),
        }
    }
}

impl FromStr for Place {
    type Err = Error;

    fn from_str(text: &str) -> Result<Place> {
        let (role, name) = text.split_once('.').unwrap_or((text, ""));
        let name = match name {
            "h.h" => "h2",
            "h.h.label" => "h2.label",
            name => name,
        };
        let role =
            Role::ALL.into_iter().find(|known| known.to_string() == role && (*known != Role::A || name.is_empty()));
        // The node itself has no name: no dot stands before it.
        let slot = NODES.iter().chain(&LABELS).find(|(known, _)| *known == name && !text.ends_with('.'));
        match (role, slot) {
            (Some(role), Some(&(_, slot))) => Ok(Place { role, slot }),
            _ => Err(Error::Usage(format!("{text} is no place of a configuration; expected one such as S0 or S0.l1"))),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Place, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_and_read() {
        for role in Role::ALL.into_iter().filter(|role| *role != Role::A) {
            for (_, slot) in NODES.iter().chain(&LABELS) {
                let place = Place { role, slot: *slot };
                assert_eq!(place.to_string().parse::<Place>().unwrap(), place);
                assert!(place.is_node() != place.is_label());
            }
        }
        assert_eq!("S0.h.h".parse::<Place>().unwrap(), "S0.h2".parse().unwrap());
        for wrong in ["", "Q0", "S0.", "S0.l3", "A.l1", "S0.l1.r1", "S0.w"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
