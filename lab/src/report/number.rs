//! Numbers for people.

/// Number of digits after the point for numbers of this size: none for thousands and for whole numbers, else two, and
/// three significant ones for what is smaller than 1.
pub(super) fn digits(values: impl Iterator<Item = f64>) -> usize {
    let (mut largest, mut are_whole) = (0.0f64, true);
    for value in values {
        largest = largest.max(value.abs());
        are_whole &= value.fract() == 0.0;
    }
    match largest {
        _ if are_whole => 0,
        1000.0.. => 0,
        100.0.. => 1,
        1.0.. => 2,
        _ => (2.0 - largest.log10().floor()) as usize,
    }
}

/// A number with so many digits after the point, its thousands apart if there are five digits before it or more.
pub(super) fn grouped(value: f64, digits: usize) -> String {
    let plain = format!("{value:.digits$}");
    let start = usize::from(plain.starts_with('-'));
    let end = plain.find('.').unwrap_or(plain.len());
    if end - start < 5 {
        return plain;
    }
    let mut out = String::new();
    for (at, digit) in plain.char_indices() {
        if at > start && at < end && (end - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A number by itself.
pub(super) fn alone(value: f64) -> String {
    grouped(value, digits(std::iter::once(value)))
}

/// A tick: as few digits as say it, thousands and millions by letter.
pub(super) fn tick(value: f64) -> String {
    let (scaled, letter) = match value.abs() {
        1e6.. => (value / 1e6, "M"),
        1e4.. => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Ten digits are more than a tick ever needs, and fewer than where binary fractions show.
    let text = format!("{scaled:.10}");
    format!("{}{letter}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_matter() {
        for (values, expected) in [
            (&[1.0, 8.0, 128.0][..], 0),
            (&[81.5, 90.25], 2),
            (&[250.5, 3.25], 1),
            (&[20_000.4, 1.0], 0),
            (&[0.5, 0.25], 3),
            (&[0.0042], 5),
            (&[], 0),
        ] {
            assert_eq!(digits(values.iter().copied()), expected, "{values:?}");
        }
    }

    #[test]
    fn thousands_stand_apart_from_five_digits_on() {
        for (value, digits, expected) in
            [(9999.0, 0, "9999"), (12345.678, 1, "12 345.7"), (-1234567.0, 0, "-1 234 567"), (0.5, 3, "0.500")]
        {
            assert_eq!(grouped(value, digits).replace('\u{202f}', " "), expected);
        }
    }
}
