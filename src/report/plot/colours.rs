//! The colours of the page's style sheet, for pictures that have none.

const STYLES: &str = include_str!("../page/page.css");

/// The light one of the two colours that the style sheet calls `--name: light-dark(#..., #...)`; black if there is none.
pub(super) fn light(name: &str) -> &'static str {
    let colour = || {
        let (_, rest) = STYLES.split_once(&format!("--{name}: light-dark("))?;
        rest.split_once(',').map(|(colour, _)| colour)
    };
    colour().unwrap_or("#000000")
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
