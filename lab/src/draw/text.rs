//! Widths of texts, which nobody knows before a viewer has chosen a font.

use unicode_width::UnicodeWidthChar;

pub(crate) use crate::style::escaped_xml;

/// The width of `text` at font size `size`, estimated by classes of characters.
///
/// The estimate is for wide sans-serif fonts: in narrower ones there is a little more space between texts.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The advance of a character in ems.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '|' | '\'' | '`' | '.' | ',' | ':' | ';' | '!' => 0.34,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | ' ' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.98,
        _ => match c.width() {
            None | Some(0) => 0.0,
            Some(1) if c.is_uppercase() => 0.76,
            Some(1) => 0.62,
            Some(_) => 1.05,
        },
    }
}

/// `text`, or as much of its beginning as fits into `limit` at font size `size` with an ellipsis behind it.
pub(super) fn shortened(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut room = limit - width("…", size);
    let fits = |c: &char| {
        room -= advance(*c) * size;
        room >= 0.0
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// `text` for the middle of a line in another script: what is written from right to left does not reorder the rest.
pub(super) fn isolated(text: &str) -> String {
    if text.contains(is_of_right_to_left) { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() }
}

/// True if the character is of a script that is written from right to left.
fn is_of_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1eeff}')
}

/// True if the words of a sentence are written from right to left: most of those that have letters are.
pub fn is_right_to_left<'t>(words: impl Iterator<Item = &'t str>) -> bool {
    let (mut from_right, mut others) = (0, 0);
    for word in words {
        match word.chars().find(|c| c.is_alphabetic()) {
            Some(c) if is_of_right_to_left(c) => from_right += 1,
            Some(_) => others += 1,
            None => {}
        }
    }
    from_right > others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_script() {
        assert_eq!(width("", 10.0), 0.0);
        assert!(width("illi", 10.0) < width("does", 10.0) && width("does", 10.0) < width("WWWW", 10.0));
        assert_eq!(width("依存", 10.0), 21.0);
        // A combining accent takes no room.
        assert_eq!(width("e\u{301}", 10.0), width("é", 10.0));
        assert_eq!(width("a", 20.0), 2.0 * width("a", 10.0));
    }

    #[test]
    fn long_texts_are_cut_to_the_limit_and_short_ones_are_left_alone() {
        assert_eq!(shortened("short", 10.0, 100.0), "short");
        let url = "http://www.example.org/".repeat(9);
        let cut = shortened(&url, 10.0, 100.0);
        assert!(cut.ends_with('…') && url.starts_with(cut.trim_end_matches('…')), "{cut}");
        assert!(width(&cut, 10.0) <= 100.0 && width(&cut, 10.0) > 85.0, "{cut}");
    }

    #[test]
    fn words_from_right_to_left_are_isolated() {
        assert_eq!(isolated("كتب"), "\u{2068}كتب\u{2069}");
        assert_eq!(isolated("saw 依存"), "saw 依存");
    }
}
