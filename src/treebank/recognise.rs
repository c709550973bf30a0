//! Recognition of files that are not CoNLL-U: one line that says what a file seems to be, and what would turn it into
//! CoNLL-U.

use crate::files::kind_of;

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

fn by_magic(start: &[u8]) -> Option<(&'static str, String)> {
    const PACKED: [(&[u8], &str, &str); 6] = [
        (b"PAR1", "a Parquet file", "CoNLL-U; treebeam's Python package reads Parquet (`treebeam.parquet`)"),
        (b"\x1f\x8b", "a file packed by gzip", "a name that ends in .gz, or `gunzip -c` in front"),
        (b"\x28\xb5\x2f\xfd", "a file packed by zstd", "a name that ends in .zst, or `zstd -dc` in front"),
        (b"BZh", "a file packed by bzip2", "it unpacked; put `bunzip2 -c` in front"),
        (b"\xfd7zXZ", "a file packed by xz", "it unpacked; put `xz -dc` in front"),
        (b"PK\x03\x04", "a ZIP archive", "CoNLL-U; unpack the archive with `unzip`"),
    ];
    if let Some(kind) = kind_of(start) {
        return Some((kind, "a treebank; are two arguments swapped?".into()));
    }
    let packed = PACKED.iter().find(|(magic, ..)| start.starts_with(magic));
    packed.map(|&(_, found, expected)| (found, expected.to_owned()))
}

/// A file of one word a line in another number of columns, or of running text.
fn lines_of_columns(text: &str, source: &str) -> Option<(&'static str, String)> {
    // The last line may be cut short by the end of what is looked at.
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let lines = if text.len() >= START - 4 { &lines[..lines.len().saturating_sub(1)] } else { &lines[..] };
    let columns = |line: &str| line.split('\t').count();
    let first = *lines.first()?;
    let convert = |columns: &str| {
        format!("ten columns; `treebeam treebank convert --from columns --columns {columns} {source}` makes them")
    };
    match columns(first) {
        10 => None,
        1 => {
            let pieces = first.split_whitespace().count();
            if pieces == 10 && lines.iter().all(|line| line.split_whitespace().count() == 10) {
                let names = "id,form,lemma,upos,xpos,feats,head,deprel,deps,misc";
                return Some(("columns that are separated by spaces", convert(names)));
            }
            if lines.iter().any(|line| line.split_whitespace().count() > 3) {
                let what = "split it into sentences and words and tag these first, for example with UDPipe or Stanza";
                return Some(("what seems to be running text", other_tool(what)));
            }
            let narrow = lines.len() > 1 && lines.iter().all(|line| columns(line) == 1);
            if !narrow {
                return None;
            }
            let most = lines.iter().map(|line| line.split_whitespace().count()).max().unwrap_or(1);
            let names = ["form", "form,upos", "form,upos,xpos"][most.clamp(1, 3) - 1];
            Some(("what seems to be a list of words, one a line", convert(names)))
        }
        14 if lines.iter().all(|line| columns(line) >= 14) => {
            let names = "id,form,lemma,_,upos,_,feats,_,head,_,deprel";
            Some(("what seems to be CoNLL-2009", convert(names)))
        }
        n if lines.len() > 1 && lines.iter().all(|line| columns(line) == n) => {
            let numbered = first.split('\t').next().is_some_and(|id| id == "1");
            let names = match (numbered, n) {
                (true, 2) => "id,form",
                (true, 3) => "id,form,upos",
                (true, 4) => "id,form,upos,head",
                (true, 5) => "id,form,upos,head,deprel",
                (true, _) => "id,form,lemma,upos,head,deprel",
                (false, 2) => "form,upos",
                (false, 3) => "form,lemma,upos",
                (false, 4) => "form,upos,head,deprel",
                (false, _) => "form,lemma,upos,head,deprel",
            };
            let found = "lines that all have the same number of columns, another one than ten";
            Some((found, format!("{}, if that is what they hold", convert(names))))
        }
        _ => None,
    }
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
            (b"The\ncat\nsat\n", "one a line", "--from columns --columns form "),
            (b"The\tDET\ncat\tNOUN\n", "same number of columns", "--columns form,upos "),
            (b"1\tThe\tDET\n2\tcat\tNOUN\n", "same number of columns", "--columns id,form,upos "),
            (b"1 The the DET DT _ 2 det _ _\n2 cat cat NOUN NN _ 0 root _ _\n", "spaces", "--columns id,form,lemma"),
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
