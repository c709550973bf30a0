//! Documents as Markdown.

use super::document::{Block, Content, Document, Table};
use super::figure::HeatMap;

/// The Markdown of `document`; pictures are expected beside it.
pub fn markdown(document: &Document) -> String {
    let mut out = markdown_head(&document.provenance, &document.title);
    if let Some(answer) = &document.answer {
        push(&mut out, &format!("{}\n", prose(&format!("{} {}", answer.headline, answer.reading.join(" ")))));
    }
    for paragraph in [&document.findings, &document.comparisons, &document.limits]
        .into_iter()
        .filter(|sentences| !sentences.is_empty())
    {
        push(&mut out, &format!("{}\n", prose(&paragraph.join(" "))));
    }
    if let Some(answer) = &document.answer {
        add_block(&mut out, &answer.block(), &document.profile);
    }
    for paragraph in &document.about {
        push(&mut out, &format!("{}\n", prose(paragraph)));
    }
    for block in &document.blocks {
        add_block(&mut out, block, &document.profile);
    }
    if !document.analysis.is_empty() {
        push(&mut out, &format!("## Reading these tables\n\n{}", document.analysis));
    }
    out
}

/// Beginning of a page of results: where it comes from, as a comment, and its title.
pub fn markdown_head(provenance: &[String], title: &str) -> String {
    format!("<!--\n{}\n-->\n\n# {}\n\n", provenance.join("\n").replace("-->", "--&gt;"), prose(title))
}

fn add_block(out: &mut String, block: &Block, profile: &str) {
    push(out, &format!("## {}\n", prose(&block.title)));
    if !block.reading.is_empty() {
        push(out, &format!("{}\n", prose(&block.reading.join(" "))));
    }
    let picture =
        |out: &mut String, name: &str| push(out, &format!("![{}]({profile}-{name}.svg)\n", prose(&block.title)));
    match &block.content {
        Content::Table(table) => *out += &table.markdown(),
        Content::Figure(figure) => picture(out, &figure.name),
        Content::HeatMap(HeatMap { name, .. }) => picture(out, name),
    }
    if !block.note.is_empty() {
        push(out, &format!("{}\n", prose(&block.note)));
    }
}

impl Table {
    /// The table in Markdown, the best of each line or group in bold, and an empty line.
    pub fn markdown(&self) -> String {
        let heads = self.heads.iter().map(|head| escaped(head)).collect();
        let lines = self.lines.iter().map(|line| {
            let cells = line.iter().map(|cell| match cell.best {
                true => format!("**{}**", escaped(&cell.text)),
                false => escaped(&cell.text),
            });
            cells.collect()
        });
        let lines: Vec<Vec<String>> = std::iter::once(heads).chain(lines).collect();
        let mut out = String::new();
        markdown_table(&mut out, self.n_texts, &lines);
        out
    }
}

/// Text as a cell of a table shows it: nothing in it is emphasis, a link, HTML or a command for a terminal.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next_is = |is: fn(&char) -> bool| chars.clone().next().is_some_and(|next| is(&next));
        let is_markup = match c {
            '\\' | '*' | '|' | '`' => true,
            // Emphasis begins or ends at words' ends, and a reference to a character is `&name;` or `&#1;`.
            '_' => !before.is_alphanumeric() || !next_is(|next| next.is_alphanumeric()),
            '~' => before == '~' || next_is(|&next| next == '~'),
            '&' => next_is(|&next| next.is_alphanumeric() || next == '#'),
            '<' => next_is(|&next| next.is_alphabetic() || matches!(next, '/' | '!' | '?')),
            '(' => before == ']',
            _ => false,
        };
        if is_markup {
            shown.push('\\');
        }
        if c.is_control() {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
        before = c;
    }
    shown
}

/// Sentences in Markdown in which names of rows and titles stand: nothing in them is HTML or a command for a terminal.
fn prose(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars().peekable();
    let mut is_code = false;
    while let Some(c) = chars.next() {
        is_code ^= c == '`';
        if c.is_control() {
            shown.extend(c.escape_default());
            continue;
        }
        let begins_tag = chars.peek().is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?'));
        if c == '<' && begins_tag && !is_code {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

/// One line with a line's end.
fn push(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Adds a table to `out`; the first line is the head, the first `n_texts` columns are text, the others numbers.
pub fn markdown_table(out: &mut String, n_texts: usize, lines: &[Vec<String>]) {
    for (i, line) in lines.iter().enumerate() {
        push(out, &format!("| {} |", line.join(" | ").trim_end()));
        if i == 0 {
            push(out, &format!("|{}{}", "---|".repeat(n_texts), "---:|".repeat(line.len() - n_texts)));
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{escaped, prose};

    #[test]
    fn sentences_keep_their_emphasis_and_have_no_html() {
        assert_eq!(prose("**a** p < .05, `<b>` <b> \u{1b}[2J"), "**a** p < .05, `<b>` \\<b> \\u{1b}[2J");
    }

    #[test]
    fn cells_are_text() {
        assert_eq!(escaped("a|b*c\\ [1.0, 2.0] p < 1"), "a\\|b\\*c\\\\ [1.0, 2.0] p < 1");
        assert_eq!(escaped("_a_ a_b ~~c~~ `d` R&D &lt; &#1;"), "\\_a\\_ a_b \\~\\~c\\~\\~ \\`d\\` R\\&D \\&lt; \\&#1;");
        assert_eq!(escaped("[x](http://y) <img src=z> \u{1b}[2J\n"), "[x]\\(http://y) \\<img src=z> \\u{1b}[2J\\n");
    }
}
