//! Style that the pages and pictures of the program share: colours, fonts, resets, the bar at the top.

/// The style sheet that every page begins with.
pub const BASE: &str = include_str!("style/base.css");

/// Style of pages with controls, behind it.
const CONTROLS: &str = include_str!("style/controls.css");

/// The script that pages which draw their own pictures begin with: elements, pictures, light and dark.
pub const SCRIPT: &str = include_str!("style/page.js");

/// Markup before the content of a page with controls.
pub(crate) struct Head<'a> {
    /// The title, in the window's bar.
    pub title: &'a str,
    /// The style sheet of this page alone.
    pub css: &'a str,
    /// The style sheet of its pictures, which goes with them when they are saved.
    pub pictures: &'a str,
    /// The element that a key goes to directly, and what the link to it says.
    pub skip: (&'a str, &'a str),
}

impl Head<'_> {
    /// The page of this head and `content`, which is filled with `parts` as by [`filled`].
    pub(crate) fn page<'t>(&self, content: &str, parts: impl IntoIterator<Item = (&'t str, String)>) -> String {
        let head = [
            ("{{title}}", escaped_xml(self.title)),
            ("{{css}}", [BASE, CONTROLS, self.css].concat()),
            ("{{pictures}}", self.pictures.to_owned()),
            ("{{skip}}", escaped_xml(self.skip.0)),
            ("{{skip-name}}", escaped_xml(self.skip.1)),
        ];
        filled(include_str!("style/head.html"), head) + &filled(content, parts)
    }
}

/// `template` with the text for each `{{name}}`, in the order in which they stand in it.
fn filled<'t>(template: &str, parts: impl IntoIterator<Item = (&'t str, String)>) -> String {
    let mut page = String::new();
    let mut rest = template;
    for (name, text) in parts {
        let (before, after) = rest.split_once(name).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page + rest
}

/// `data` as the content of a `script` element that no script engine runs.
///
/// # Errors
/// None that data could cause.
pub(crate) fn embedded(data: &impl serde::Serialize) -> treebeam::error::Result<String> {
    let json =
        serde_json::to_string(data).map_err(|error| treebeam::error::Error::Usage(format!("the page: {error}")))?;
    // `<` could end the element; JSON reads the escape as the same character.
    Ok(json.replace('<', "\\u003c"))
}

/// A colour of the style sheet: `--name: light-dark(#..., #...)`; black if there is none of this name.
pub fn colour(name: &str, is_dark: bool) -> &'static str {
    let both = || {
        let (_, rest) = BASE.split_once(&format!("--{name}: light-dark("))?;
        let (both, _) = rest.split_once(')')?;
        let (light, dark) = both.split_once(", ")?;
        Some(if is_dark { dark } else { light })
    };
    both().unwrap_or("#000000")
}

/// `text` as the content of an element. What XML cannot hold becomes the replacement character.
pub(crate) fn escaped_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' => escaped.push(' '),
            '\0'..' ' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tag with its attributes, as they stand there, and the text up to the next tag.
    type Piece<'a> = (&'a str, String);

    /// Checks that tags nest; the pieces. Style and script are skipped: nothing in them is ours to escape.
    pub(crate) fn pieces(page: &str) -> Vec<Piece<'_>> {
        let mut open: Vec<&str> = Vec::new();
        let mut pieces = Vec::new();
        let mut rest = page;
        while let Some(start) = rest.find('<') {
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap_or_default();
            rest = &rest[end + 1..];
            if ["style", "script"].contains(&name) {
                let close = format!("</{name}>");
                rest = &rest[rest.find(&close).expect("it is closed") + close.len()..];
                continue;
            }
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "closed before {:?}", &rest[..rest.len().min(80)]);
            } else if !tag.ends_with('/') && !tag.starts_with(['!', '?']) && name != "meta" {
                open.push(name);
            }
            let text = &rest[..rest.find('<').unwrap_or(rest.len())];
            assert!(!text.contains('>'), "not escaped: {text}");
            pieces.push((tag, unescaped(text)));
        }
        assert!(open.is_empty(), "left open: {open:?}");
        pieces
    }

    fn unescaped(text: &str) -> String {
        let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&amp;", "&")];
        known.into_iter().fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
    }

    #[test]
    fn colours_are_those_of_the_style_sheet() {
        for name in ["page", "raised", "ink", "soft", "wrong", "label", "accent", "c0"] {
            let (light, dark) = (colour(name, false), colour(name, true));
            assert!(light != dark, "{name}");
            for colour in [light, dark] {
                assert!(colour.len() == 7 && colour.starts_with('#') && colour != "#000000", "{name}: {colour}");
            }
        }
        assert_eq!(colour("nothing", true), "#000000");
    }
}
