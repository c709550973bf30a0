//! The colours of the pages' style sheet, for pictures that have none.

use crate::style::colour;

/// The light one of the two colours that the style sheet has under this name.
pub(super) fn light(name: &str) -> &'static str {
    colour(name, false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::chart::N_COLOURS;
    use super::*;

    #[test]
    fn every_curve_has_a_colour_of_its_own() {
        let colours: BTreeSet<&str> = (0..N_COLOURS).map(|i| light(&format!("c{i}"))).collect();
        assert_eq!(colours.len(), N_COLOURS);
        assert!(colours.iter().all(|colour| colour.len() == 7 && colour.starts_with('#') && *colour != "#000000"));
    }
}
