//! Suggestions for names that do not exist: the known name that is nearest.

use strsim::osa_distance;

/// More single changes than this share of a name's letters make another name of it.
const ALIKE: usize = 3;

/// A message of serde about an unknown field or variant, with the known name that it is nearest to instead of all of them:
/// "unknown field `beem`; did you mean `beam`?". Other messages, and those about names like no other, are left as they are.
///
/// # Examples
/// ```
/// use treebeam::suggest::with_suggestion;
///
/// let message = "unknown field `beem`, expected one of `beam`, `batch`";
/// assert_eq!(with_suggestion(message), "unknown field `beem`; did you mean `beam`?");
/// let message = "unknown field `width`, expected one of `beam`, `batch`";
/// assert_eq!(with_suggestion(message), message);
/// ```
pub fn with_suggestion(message: &str) -> String {
    let suggested = || {
        let place = ["unknown field `", "unknown variant `"].iter().find_map(|what| message.find(what))?;
        let mut names = message[place..].split('`').skip(1).step_by(2);
        let name = names.next()?;
        let nearest = nearest(name, names)?;
        let (said, _) = message.split_once(", expected ")?;
        Some(format!("{said}; did you mean `{nearest}`?"))
    };
    suggested().unwrap_or_else(|| message.to_owned())
}

/// The known name that is the fewest changes away, if these are few: letters added, left out, replaced, or swapped with the next one
/// (Damerau 1964; optimal string alignment).
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.replace('_', "-");
    let (n, nearest) = known.into_iter().map(|known| (osa_distance(&name, known), known)).min()?;
    (n * ALIKE <= name.chars().count().max(nearest.len())).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_if_few_changes_lead_there() {
        let known = ["beam", "iterations", "explore-from", "explore-prob"];
        for (name, expected) in [
            ("beem", Some("beam")),
            ("baem", Some("beam")),
            ("beams", Some("beam")),
            ("iteratons", Some("iterations")),
            ("explore_form", Some("explore-from")),
            ("width", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        let message = "--training: unknown variant `gready`, expected one of `greedy`, `global`, `l2s`";
        assert_eq!(with_suggestion(message), "--training: unknown variant `gready`; did you mean `greedy`?");
        assert_eq!(with_suggestion("missing field `a`, expected `b`"), "missing field `a`, expected `b`");
    }
}
