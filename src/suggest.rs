//! What somebody meant who wrote a name that does not exist.

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

/// The name that takes the fewest changes to come by, if that is few.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = name.chars().map(|c| if c == '_' { '-' } else { c }).collect();
    let of = |known: &'n str| (changes(&letters, &known.chars().collect::<Vec<_>>()), known);
    let (n, nearest) = known.into_iter().map(of).min()?;
    (n * ALIKE <= letters.len().max(nearest.len())).then_some(nearest)
}

/// Letters to be added, left out, replaced, or swapped with the next one (Damerau 1964; optimal string alignment).
fn changes(one: &[char], other: &[char]) -> usize {
    let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            table[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let (same, before) = (one[i - 1] == other[j - 1], table[i - 1][j - 1]);
                    let mut least = (before + usize::from(!same)).min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                }
            };
        }
    }
    table[one.len()][other.len()]
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
