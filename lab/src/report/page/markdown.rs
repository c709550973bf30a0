//! Texts in Markdown as HTML that is safe to stand in the page.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::link::FolderLink;

/// `text` as HTML. Raw HTML in it is shown as text, pictures become their descriptions, headings stand below those of the
/// page, and links lead to the web or to files of `folder`.
pub(in crate::report) fn html(text: &str, folder: &FolderLink) -> String {
    let mut out = String::new();
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| {
        Some(match event {
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => return None,
            Event::Start(Tag::Heading { level, .. }) => {
                Event::Start(Tag::Heading { level: below(level), id: None, classes: Vec::new(), attrs: Vec::new() })
            }
            Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Link { link_type, dest_url: destination(&dest_url, folder).into(), title, id })
            }
            other => other,
        })
    });
    html::push_html(&mut out, events);
    out
}

/// The level of a heading within an experiment's text, whose own heading is of level 3.
fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

/// Target of a link: to the web, within the page, or to a file of results; any other leads nowhere.
fn destination(url: &CowStr, folder: &FolderLink) -> String {
    let is_web = ["https://", "http://", "mailto:", "#"].iter().any(|start| url.starts_with(start));
    match is_web {
        true => url.to_string(),
        false if url.contains([':', '/']) => String::new(),
        false => folder.href(url).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::Base;

    fn html(text: &str) -> String {
        super::html(text, &Base::same_folder().folder("x"))
    }

    #[test]
    fn markdown_is_rendered() {
        assert_eq!(html("**a** `b<c`"), "<p><strong>a</strong> <code>b&lt;c</code></p>\n");
        assert_eq!(html("# A\n\n### B"), "<h4>A</h4>\n<h5>B</h5>\n");
    }

    #[test]
    fn raw_html_is_text() {
        assert_eq!(html("a <b>c</b>"), "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
        let block = html("<script>\nalert(1)\n</script>\n\nafter");
        assert!(
            !block.contains("<script") && block.contains("&lt;/script&gt;") && block.contains("<p>after</p>"),
            "{block}"
        );
        assert_eq!(html("p < .05 & \"q\""), "<p>p &lt; .05 &amp; &quot;q&quot;</p>\n".replace("&quot;", "\""));
    }

    #[test]
    fn nothing_is_loaded_and_links_lead_to_the_web_or_to_files() {
        assert_eq!(html("![a plot](https://example.org/a.svg)"), "<p>a plot</p>\n");
        assert_eq!(html("[a](javascript:b)"), "<p><a href=\"\">a</a></p>\n");
        assert_eq!(html("[a](../../b)"), "<p><a href=\"\">a</a></p>\n");
        assert_eq!(html("[a](full.tsv)"), "<p><a href=\"x/full.tsv\">a</a></p>\n");
        assert_eq!(html("[a](https://example.org/?b)"), "<p><a href=\"https://example.org/?b\">a</a></p>\n");
    }
}
