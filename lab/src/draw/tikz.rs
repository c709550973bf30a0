//! A drawing for LaTeX, in the language of the package tikz-dependency.

use std::fmt::{self, Write};

use super::lines::printable;
use super::text::is_right_to_left;
use super::{ArcDifference, Drawing, DrawnTree};
use treebeam::tree::Node;
use treebeam::treebank::Column;

/// Writes the drawing as an environment `dependency`, or as a whole document.
pub(super) fn write_tikz(out: &mut String, drawing: &Drawing, standalone: bool) -> fmt::Result {
    let words = || drawing.sentence.words();
    let forms = || words().map(|word| drawing.sentence.form(word));
    writeln!(out, "% {}", printable(drawing.title()))?;
    if let Some(scores) = drawing.scores() {
        writeln!(out, "% {scores}")?;
    }
    let engine = if forms().all(|form| form.is_ascii()) {
        ""
    } else {
        "; LuaLaTeX or XeLaTeX, with a font that has the letters"
    };
    match standalone {
        true => {
            if !engine.is_empty() {
                writeln!(out, "% To be compiled by{}", &engine[1..])?;
            }
            out.push_str("\\documentclass{standalone}\n\\usepackage{tikz-dependency}\n\\begin{document}\n");
        }
        false => writeln!(out, "% In the preamble: \\usepackage{{tikz-dependency}}{engine}")?,
    }
    out.push_str("\\begin{dependency}\n  \\begin{deptext}[column sep=0.7em]\n");
    let is_reversed = is_right_to_left(forms());
    for (column, texts) in drawing.rows() {
        let cell = |text: &&str| match (escaped_latex(text), column) {
            (text, Column::Lemma) if !text.is_empty() => format!("\\textit{{{text}}}"),
            (text, _) if text.is_empty() => "{}".to_owned(),
            (text, _) => text,
        };
        let mut cells: Vec<String> = texts.iter().map(cell).collect();
        if is_reversed {
            cells.reverse();
        }
        writeln!(out, "    {} \\\\", cells.join(" \\& "))?;
    }
    out.push_str("  \\end{deptext}\n");
    let n = drawing.sentence.n_words();
    let place = |word: Node| if is_reversed { n + 1 - usize::from(word) } else { usize::from(word) };
    for (tree, below) in drawing.trees().zip([false, true]) {
        write_arcs(out, drawing, tree, below, place)?;
    }
    out.push_str("\\end{dependency}\n");
    if standalone {
        out.push_str("\\end{document}\n");
    }
    Ok(())
}

fn write_arcs(
    out: &mut String,
    drawing: &Drawing,
    tree: &DrawnTree,
    below: bool,
    place: impl Fn(Node) -> usize,
) -> fmt::Result {
    let differences = drawing.differences();
    for (word, difference) in drawing.sentence.words().zip(differences) {
        let (head, label) = (tree.analysis.heads[usize::from(word) - 1], tree.analysis.labels[usize::from(word) - 1]);
        let look = match difference {
            ArcDifference::None => None,
            ArcDifference::Head => Some("edge style={orange!80!black, densely dashed, thick}"),
            ArcDifference::Label => Some("label style={draw=blue!70!black}"),
        };
        let options: Vec<&str> = below.then_some("edge below").into_iter().chain(look).collect();
        let options = if options.is_empty() { String::new() } else { format!("[{}]", options.join(", ")) };
        let label = if drawing.with_labels { escaped_latex(label) } else { String::new() };
        match head {
            treebeam::tree::ROOT => writeln!(out, "  \\deproot{options}{{{}}}{{{label}}}", place(word))?,
            head => writeln!(out, "  \\depedge{options}{{{}}}{{{}}}{{{label}}}", place(head), place(word))?,
        }
    }
    Ok(())
}

/// `text` as LaTeX sets it, in a cell and elsewhere.
fn escaped_latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("\\symbol{34}"),
            // `\&` separates cells here.
            '&' => escaped.push_str("\\symbol{38}"),
            '#' | '$' | '%' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_latex_reads_otherwise_is_escaped() {
        assert_eq!(
            escaped_latex(r"50% of_{x} & $2 #1~^\"),
            r"50\% of\_\{x\} \symbol{38} \$2 \#1\textasciitilde{}\textasciicircum{}\textbackslash{}"
        );
        assert_eq!(escaped_latex("<b>|\u{1}é"), "\\textless{}b\\textgreater{}\\textbar{} é");
    }
}
