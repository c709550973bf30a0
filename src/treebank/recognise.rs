//! Recognition of files that are not CoNLL-U: one line that says what a file seems to be, and what would turn it into
//! CoNLL-U.

use super::plus::{further_columns, names_of_columns};
use super::scan::{fields, number};
use super::{Column, Format, Sentence};
use crate::files::by_magic;
use crate::tree::{Node, Roots, violations};

/// Number of bytes of a file that are looked at.
const START: usize = 1 << 14;

/// Format that the block at the start of the file `source` seems to be, if it is known, and what to do with it.
pub(super) fn other_format(block: &[u8], source: &str) -> Option<(&'static str, String)> {
    let start = &block[..block.len().min(START)];
    if let Some(found) = by_magic(start) {
        return Some(found);
    }
    let wide = |byte: usize| start.len() >= 8 && start.iter().skip(byte).step_by(2).take(64).all(|&byte| byte == 0);
    for (is_it, encoding) in [
        (start.starts_with(b"\xff\xfe") || wide(1), "UTF-16LE"),
        (start.starts_with(b"\xfe\xff") || wide(0), "UTF-16BE"),
    ] {
        if is_it {
            return Some((
                "what seems to be UTF-16",
                format!("UTF-8; `iconv -f {encoding} -t UTF-8 {source}` makes it"),
            ));
        }
    }
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start();
    if text.starts_with("<?xml") || (text.starts_with('<') && text.lines().next()?.trim_end().ends_with('>')) {
        return Some(("what seems to be XML", other_tool("export it as CoNLL-U with the tools of its treebank")));
    }
    if text.starts_with('{') || text.starts_with("[{") {
        return Some(("what seems to be JSON", other_tool("export it as CoNLL-U with the tool that wrote it")));
    }
    if text.starts_with("((") || text.starts_with("( (") || text.starts_with("(ROOT") || text.starts_with("(TOP") {
        let what = "convert the phrases to dependencies first, for example with Stanford CoreNLP's converter";
        return Some(("what seems to be bracketed phrase structure", other_tool(what)));
    }
    lines_of_columns(text, source)
}

fn other_tool(what: &str) -> String {
    format!("CoNLL-U; {what}")
}

/// A file of one word a line in other columns than CoNLL-U's ten, or of running text.
fn lines_of_columns(text: &str, source: &str) -> Option<(&'static str, String)> {
    if further_columns(text).is_some() {
        return None;
    }
    let convert = |columns: &str| {
        format!("ten columns; `treebeam treebank convert --from columns --columns {columns} {source}` makes them")
    };
    if let Some(columns) = text.lines().find_map(plus_columns).filter(|columns| columns != CONLLU) {
        return Some(("what seems to be CoNLL-U Plus", convert(&columns)));
    }
    // The last line may be cut short by the end of what is looked at.
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#') && !line.trim_matches(' ').is_empty()).collect();
    let lines = if text.len() >= START - 4 { &lines[..lines.len().saturating_sub(1)] } else { &lines[..] };
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| fields(line)).collect();
    let first = rows.first()?;
    let has_tabs = lines[0].contains('\t');
    let are_even = rows.iter().all(|row| row.len() == first.len()) && !first.is_empty();
    if has_tabs && (first.len() == 10 || !are_even) {
        return None;
    }
    let names = if are_even { names_of(&rows) } else { None };
    // Numbers among words are no heads yet: of a single line, or where all lines end as sentences do.
    let is_sentence = |row: &&Vec<&str>| row.len() > 1 && row.last().is_some_and(|last| last.ends_with(ENDS));
    let is_word = first[0] == "1" && first.contains(&"_");
    let is_text = rows.iter().all(|row| is_sentence(&row)) || lines.len() == 1 && first.len() > 3 && !is_word;
    if !has_tabs && (is_text || first.len() > 3 && names.is_none()) || !are_even && rows.iter().any(|row| row.len() > 3)
    {
        let what = "split it into sentences and words and tag these first, for example with UDPipe or Stanza";
        return Some(("what seems to be running text", other_tool(what)));
    }
    let found = match first.len() {
        1..=3 if !has_tabs && lines.len() > 1 => "what seems to be a list of words, one a line",
        1..=3 if !has_tabs => return None,
        // One line may as well be a slip.
        9..=11 if lines.len() == 1 && has_tabs => return None,
        _ if lines.len() == 1 && !names.as_ref().is_some_and(|names| names.contains("head")) => return None,
        14.. if names.as_deref() == Some(CONLL_2009) => "what seems to be CoNLL-2009",
        _ if !has_tabs => "columns that are separated by spaces",
        _ => "lines that all have the same number of columns, another one than ten",
    };
    let most = rows.iter().map(Vec::len).max().unwrap_or(1);
    Some(match names {
        Some(names) => (found, format!("{}, if that is what they hold", convert(&names))),
        None if !has_tabs => (found, convert(["form", "form,upos", "form,upos,xpos"][most.clamp(1, 3) - 1])),
        None => (
            found,
            format!(
                "{}, where NAMES says what each holds, such as form,upos,head,deprel, with _ for those to leave out",
                convert("NAMES")
            ),
        ),
    })
}

/// Ends of sentences.
const ENDS: [char; 9] = ['.', '!', '?', '…', '。', '！', '？', '।', '؟'];

/// Columns of CoNLL-U.
const CONLLU: &str = "id,form,lemma,upos,xpos,feats,head,deprel,deps,misc";

/// Columns of CoNLL-2009, without those of predicates and their arguments, of which each sentence has as many as predicates.
const CONLL_2009: &str = "id,form,lemma,_,upos,_,feats,_,head,_,deprel";

/// Names of the columns, as `--columns` takes them, by their content: the head is the column of numbers of words that make a
/// tree, the label stands behind it, the lemma is like the form, tags stand between. `None` if that does not decide.
fn names_of(lines: &[Vec<&str>]) -> Option<String> {
    let n_columns = lines.first()?.len();
    // Ranges and empty nodes are no words, if words have numbers at all.
    let is_word =
        |row: &&Vec<&str>| row[0].split(['-', '.']).any(|part| number(part).is_none()) || number(row[0]).is_some();
    let words: Vec<&Vec<&str>> = lines.iter().filter(is_word).collect();
    let counts = words.iter().zip(1..).all(|(row, id)| number(row[0]) == Some(id));
    let rows = if counts { words } else { lines.iter().collect() };
    let numbers = |column: usize| -> Option<Vec<Node>> {
        rows.iter().map(|row| number(row[column]).filter(|&n| n <= rows.len()).map(|n| n as Node)).collect()
    };
    let form = usize::from(counts && n_columns > 1);
    let makes_tree = |column: usize, roots| numbers(column).is_some_and(|heads| violations(&heads, roots).is_empty());
    let head = [Roots::Single, Roots::Several]
        .into_iter()
        .find_map(|roots| (form + 1..n_columns).find(|&column| makes_tree(column, roots)));
    if n_columns >= 14 && form == 1 && head.is_some_and(|head| head == 8 || head == 9) {
        return Some(CONLL_2009.to_owned());
    }
    // Without heads a few columns are a lemma and tags, more may be anything.
    let end = head.unwrap_or(n_columns);
    if head.is_none() && end > form + 3 {
        return None;
    }
    let is_lemma = |row: &&Vec<&str>| {
        let (word, lemma) = (row[form], row[form + 1]);
        lemma.chars().any(|c| c.is_alphabetic() && !c.is_uppercase()) && lemma.to_lowercase() == word.to_lowercase()
    };
    let mut names = vec!["form"];
    if form == 1 {
        names.insert(0, "id");
    }
    if end > form + 1 && (rows.iter().any(is_lemma) || end > form + 2 && rows.iter().all(|row| row[form + 1] == "_")) {
        names.push("lemma");
    }
    names.extend(["upos", "xpos", "feats"].into_iter().take(end.saturating_sub(names.len())));
    names.resize(end, "_");
    if let Some(head) = head {
        names.push("head");
        let label = (head + 1..n_columns)
            .find(|&column| rows.iter().any(|row| number(row[column]).is_none() && row[column] != "_"));
        if let Some(label) = label {
            names.resize(label, "_");
            names.push("deprel");
        }
        if names == ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel"] && n_columns >= 10 {
            names.extend(["deps", "misc"]);
        }
    }
    Some(names.join(","))
}

/// False if the sentence, the first of a file, says that its columns are others than CoNLL-U's and, behind these, some that have names.
pub(super) fn has_usual_columns(sentence: &Sentence) -> bool {
    let columns = sentence.comments().next().and_then(plus_columns);
    columns.is_none_or(|columns| columns == CONLLU) || !sentence.further_columns().is_empty()
}

/// Names of the columns in a first line `# global.columns = ...` of CoNLL-U Plus, as `--columns` takes them.
pub(super) fn plus_columns(line: &str) -> Option<String> {
    let name = |name: &str| Column::ALL.into_iter().find(|column| column.name(Format::Conllu) == name);
    let names = names_of_columns(line)?.map(|text| name(text).map_or("_".to_owned(), |_| text.to_ascii_lowercase()));
    Some(names.collect::<Vec<_>>().join(","))
}

/// Expected encoding of a block that is not UTF-8: a guess.
pub(super) fn encoding(block: &[u8]) -> String {
    let seems = if block.iter().any(|byte| (0x80..0xa0).contains(byte)) { "WINDOWS-1252" } else { "ISO-8859-1" };
    format!("UTF-8; if the encoding is {seems}, `iconv -f {seems} -t UTF-8` converts it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seems(block: impl AsRef<[u8]>) -> Option<(&'static str, String)> {
        other_format(block.as_ref(), "x")
    }

    #[test]
    fn formats_are_recognised_with_a_remedy() {
        let utf16: Vec<u8> = "1\tword\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (block, found, remedy) in [
            (b"<?xml version=\"1.0\"?>\n<corpus>\n".as_slice(), "XML", "CoNLL-U"),
            (b"<corpus>\n <s>\n", "XML", "CoNLL-U"),
            (b"{\"tokens\": []}\n", "JSON", "CoNLL-U"),
            (b"( (S (NP-SBJ (DT The))))\n", "phrase structure", "dependencies"),
            (b"The cat sat on the mat .\nIt slept .\n", "running text", "UDPipe"),
            (b"Of the 9 cats , 0 sat on mats .\n", "running text", "UDPipe"),
            (b"He had 0 dogs in that house\n", "running text", "UDPipe"),
            (b"The 2 dogs were seen in the 0 park .\nThe 1 cat was seen in the 0 park .\n", "running text", "UDPipe"),
            (b"It slept .\nThey did .\n", "running text", "UDPipe"),
            (b"The\ncat\nsat\n", "one a line", "--from columns --columns form "),
            (b"The\tDET\ncat\tNOUN\n", "same number of columns", "--columns form,upos "),
            (b"1\tThe\tDET\n2\tcat\tNOUN\n", "same number of columns", "--columns id,form,upos "),
            (
                b"1 The the DET DT _ 2 det _ _\n2 cat cat NOUN NN _ 0 root _ _\n",
                "spaces",
                "--columns id,form,lemma,upos,xpos,feats,head,deprel,deps,misc ",
            ),
            (
                b"1 No no UH UH _ 0 root _ _\n",
                "spaces",
                "--columns id,form,lemma,upos,xpos,feats,head,deprel,deps,misc ",
            ),
            (b"# global.columns = ID FORM HEAD X:Y UPOS\n1\ta\t0\tx\tX\n", "Plus", "--columns id,form,head,_,upos "),
            (b"\x1f\x8b\x08\x00", "gzip", ".gz"),
            (b"treebeam\x03\x00", "the model of a transition system", "swapped"),
            (b"\xff\xfe1\x00", "UTF-16", "iconv -f UTF-16LE"),
            (&utf16, "UTF-16", "iconv -f UTF-16LE"),
        ] {
            let (seems, expected) = seems(block).unwrap_or_else(|| panic!("{}", block.escape_ascii()));
            assert!(seems.contains(found) && expected.contains(remedy), "{seems}; {expected}");
        }
    }

    #[test]
    fn columns_are_recognised_by_what_they_hold() {
        const CONLL_2009: &str =
            "1\tNo\tno\tno\tUH\tUH\t_\t_\t2\t2\tX\tX\t_\t_\n2\tgo\tgo\tgo\tVB\tVB\t_\t_\t0\t0\tR\tR\tY\tgo.1\n";
        for (block, names) in [
            (CONLL_2009, super::CONLL_2009),
            (&CONLL_2009.replace('\n', "\tA0\n"), super::CONLL_2009),
            (
                "1\tRain\train\tN\tNN\tsg\t2\tSBJ\n2\tfell\tfall\tV\tVBD\t_\t0\tROOT\n",
                "id,form,lemma,upos,xpos,feats,head,deprel",
            ),
            ("1\tRain\tN\tNN\t2\tSBJ\n2\tfell\tV\tVBD\t0\tROOT\n", "id,form,upos,xpos,head,deprel"),
            ("Rain\train\tN\t2\tSBJ\nfell\tfall\tV\t0\tROOT\n", "form,lemma,upos,head,deprel"),
            ("Rain N 2 SBJ\nfell V 0 ROOT\n", "form,upos,head,deprel"),
            ("1\tGo\tgo\tV\tVB\t_\t0\tROOT\n", "id,form,lemma,upos,xpos,feats,head,deprel"),
            ("1\tI\tPRP\t2\n2\tgo\tVB\t0\n", "id,form,upos,head"),
            ("1\tI\t2\tSBJ\n2\tgo\t0\tROOT\n", "id,form,head,deprel"),
            // A number that is no word's, a cycle: none of these are heads.
            ("1\t7\tCD\t7\t2\tX\n2\tgo\tVB\tx\t0\tR\n", "id,form,upos,xpos,head,deprel"),
            ("1\ta\t2\tT\t2\tX\n2\tb\t1\tT\t0\tR\n", "id,form,upos,xpos,head,deprel"),
            // Gold and predicted columns of CoNLL-2008.
            (
                "1\tI\ti\tP\tP\ti\ti\tP\t2\tSBJ\t_\n2\tgo\tgo\tV\tV\tgo\tgo\tV\t0\tROOT\t_\n",
                "id,form,lemma,upos,xpos,feats,_,_,head,deprel",
            ),
            ("a\tX\tY\tZ\tB\nb\tX\tY\tZ\t9\n", "NAMES"),
            ("1\ta\tX\tY\tZ\tB\tC\n2\tb\tX\tY\tZ\t9\t_\n", "NAMES"),
        ] {
            let (_, expected) = seems(block).unwrap_or_else(|| panic!("{block}"));
            assert!(expected.contains(&format!(" --columns {names} x`")), "{block}: {expected}");
        }
    }

    #[test]
    fn a_treebank_with_a_slip_is_no_other_format() {
        let good = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n";
        for block in [good.to_owned(), good.replacen("\t_\n", "\n", 1), format!("{good}x\n"), format!("{good} \n")] {
            assert_eq!(seems(&block), None, "{block}");
        }
    }

    #[test]
    fn encodings_are_guessed() {
        assert!(encoding(b"caf\xe9").contains("iconv -f ISO-8859-1 -t UTF-8"));
        assert!(encoding(b"\x93quoted\x94").contains("iconv -f WINDOWS-1252 -t UTF-8"));
    }
}
