//! A drawing for terminals: a word to a line, the arcs beside them. However long the sentence is, it needs no more room than its
//! deepest arcs.

use std::fmt::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::levels::levels;
use super::text::isolated;
use super::{ArcDifference, Drawing};
use treebeam::tree::{Node, ROOT};

/// Columns of text are not made narrower than this.
const NARROWEST: usize = 6;

/// Writes the drawing in lines of `width` characters, if that can be had by cutting words.
pub(super) fn write_lines(out: &mut String, drawing: &Drawing, width: usize) -> fmt::Result {
    let n = drawing.sentence.n_words();
    let arcs = arcs(&drawing.tree.analysis.heads);
    let labels = match drawing.with_labels {
        true => drawing.tree.analysis.labels.iter().map(printable).collect(),
        false => vec![String::new(); n],
    };
    let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
    let notes: Vec<String> = notes(drawing);
    let note_width = notes.iter().map(|note| note.width()).max().unwrap_or(0);
    let numbers = n.to_string().len();

    let mut columns: Vec<Vec<String>> =
        drawing.rows().into_iter().map(|(_, texts)| texts.into_iter().map(printable).collect()).collect();
    let mut widths: Vec<usize> = columns.iter().map(|texts| widest(texts)).collect();
    let others = numbers
        + arcs.first().map_or(0, |line| line.chars().count())
        + label_width
        + note_width
        + 2 * (widths.len() + 3);
    // The widest column gives way first.
    while others + widths.iter().sum::<usize>() > width {
        match widths.iter_mut().max().filter(|widest| **widest > NARROWEST) {
            Some(widest) => *widest -= 1,
            None => break,
        }
    }
    for (texts, &width) in columns.iter_mut().zip(&widths) {
        texts.iter_mut().for_each(|text| *text = padded(&isolated(&cut(text, width)), width));
    }

    writeln!(out, "{}", printable(drawing.title()))?;
    for word in 0..n {
        let mut line = format!("{:>numbers$}", word + 1);
        for texts in &columns {
            write!(line, "  {}", texts[word])?;
        }
        write!(line, "  {}  {}  {}", arcs[word], padded(&labels[word], label_width), notes[word])?;
        writeln!(out, "{}", line.trim_end())?;
    }
    if let Some(scores) = drawing.scores() {
        writeln!(out, "{}: {scores}", drawing.sentence_name())?;
    }
    Ok(())
}

/// Arcs that the other tree has instead, a text for each word.
fn notes(drawing: &Drawing) -> Vec<String> {
    let Some(other) = &drawing.other else {
        return vec![String::new(); drawing.sentence.n_words()];
    };
    let note = |(word, difference): (Node, ArcDifference)| {
        let place = usize::from(word) - 1;
        let label = printable(other.analysis.labels[place]);
        match (difference, other.analysis.heads[place]) {
            (ArcDifference::None, _) => String::new(),
            (ArcDifference::Label, _) => format!("{}: {label}", other.name),
            (ArcDifference::Head, ROOT) => format!("{}: {label} of the root", other.name),
            (ArcDifference::Head, head) => {
                format!("{}: {label} of {head} {}", other.name, isolated(&printable(drawing.sentence.form(head))))
            }
        }
    };
    drawing.sentence.words().zip(drawing.differences()).map(note).collect()
}

/// The arcs beside each word, all of one width: brackets that open to the left, with an arrow where they come in.
fn arcs(heads: &[Node]) -> Vec<String> {
    let brackets: Vec<(usize, usize)> =
        (0..heads.len()).filter(|&word| heads[word] != ROOT).map(|word| (word, usize::from(heads[word]) - 1)).collect();
    let spans: Vec<(usize, usize)> = brackets.iter().map(|&(word, head)| (word.min(head), word.max(head))).collect();
    // Brackets that meet at a word would be one line if they shared a level.
    let levels = levels(&spans.iter().map(|&(low, high)| (2 * low, 2 * high + 1)).collect::<Vec<_>>());
    let width = 2 * levels.iter().max().copied().unwrap_or(0);
    // The directions of lines in each place: up, down, left, right.
    let mut grid = vec![vec![[false; 4]; width]; heads.len()];
    let [up, down, left, right] = [0, 1, 2, 3];
    for (&(low, high), &level) in spans.iter().zip(&levels) {
        let x = 2 * level - 1;
        for (y, line) in grid.iter_mut().enumerate().take(high + 1).skip(low) {
            line[x][up] |= y > low;
            line[x][down] |= y < high;
        }
        for y in [low, high] {
            for (i, place) in grid[y].iter_mut().enumerate().take(x + 1) {
                place[left] = true;
                place[right] |= i < x;
            }
        }
    }
    let mut lines: Vec<Vec<char>> =
        grid.iter().map(|line| line.iter().map(|&sides| line_of(sides)).collect()).collect();
    for (&(word, _), &level) in brackets.iter().zip(&levels) {
        lines[word][2 * level - 2] = '◄';
    }
    lines.into_iter().map(String::from_iter).collect()
}

/// The character with lines up, down, to the left, to the right.
fn line_of(sides: [bool; 4]) -> char {
    match sides.map(u8::from) {
        [0, 0, 0, 0] => ' ',
        [1, 1, 0, 0] => '│',
        [1, 0, 1, 0] => '┘',
        [0, 1, 1, 0] => '┐',
        [1, 1, 1, 0] => '┤',
        [1, 0, 1, 1] => '┴',
        [0, 1, 1, 1] => '┬',
        [1, 1, 1, 1] => '┼',
        _ => '─',
    }
}

fn widest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.width()).max().unwrap_or(0)
}

/// `text` on one line, with blanks for what a terminal would not show as it stands.
pub(super) fn printable(text: impl AsRef<str>) -> String {
    text.as_ref().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// As much of the beginning of `text` as fits.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shortened = String::new();
    for c in text.chars() {
        shortened.push(c);
        if shortened.width() >= width {
            shortened.pop();
            break;
        }
    }
    shortened + "…"
}

/// `text` with blanks behind it.
fn padded(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.width()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam::tree::{Roots, all_trees};

    /// Every line has the same width, every word but roots an arrow, and lines that leave a place arrive at the next.
    #[test]
    fn all_small_trees() {
        let sides = |c: char| match c {
            '│' => [true, true, false, false],
            '┘' => [true, false, true, false],
            '┐' => [false, true, true, false],
            '┤' => [true, true, true, false],
            '┴' => [true, false, true, true],
            '┬' => [false, true, true, true],
            '┼' => [true, true, true, true],
            '─' | '◄' => [false, false, true, true],
            ' ' => [false; 4],
            other => panic!("{other}"),
        };
        for tree in (1..=5).flat_map(|n| all_trees(n, Roots::Several)) {
            let lines: Vec<Vec<char>> = arcs(tree.heads()).iter().map(|line| line.chars().collect()).collect();
            for (y, line) in lines.iter().enumerate() {
                assert_eq!(line.len(), lines[0].len());
                assert_eq!(
                    line.iter().filter(|&&c| c == '◄').count(),
                    usize::from(tree.heads()[y] != ROOT),
                    "{lines:?}"
                );
                for (x, &c) in line.iter().enumerate() {
                    let below = lines.get(y + 1).is_some_and(|line| sides(line[x])[0]);
                    let behind = line.get(x + 1).is_some_and(|&c| sides(c)[2]);
                    // Under an arrow, the line of a deeper arc goes on.
                    assert!(sides(c)[1] == below && (sides(c)[3] == behind), "{tree:?} {lines:?}");
                }
            }
        }
    }

    #[test]
    fn words_are_cut_to_the_width() {
        assert_eq!([cut("short", 5), cut("longer", 5), cut("依存文法", 5)], ["short", "long…", "依存…"]);
        assert_eq!(padded("é", 3), "é  ");
    }
}
