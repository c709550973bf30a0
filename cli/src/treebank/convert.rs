//! `treebeam treebank convert`.

use anyhow::{bail, ensure};
use std::io::BufRead;
use std::path::PathBuf;
use std::process::ExitCode;
use treebeam::error::{Error, Result};
use treebeam::files::{Output, Paths, open};
use treebeam::treebank::columns::{ColumnLayout, ColumnReader, Longer};
use treebeam::treebank::convert::{Dropped, write};
use treebeam::treebank::{Format, Reader, Sentence};

/// Options of `treebeam treebank convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  treebeam treebank convert train.conll -o train.conllu
  treebeam treebank convert --fix train.conllu -o train.conllu
  treebeam treebank convert --from columns --columns form,upos,head,deprel words.tsv -o words.conllu
  treebeam treebank convert --cut 1000 document.conllu -o parts.conllu")]
pub struct Args {
    /// The file to convert
    file: PathBuf,
    /// File to write to; the same file is allowed
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Read the file as this format; --columns names the columns
    #[arg(long)]
    from: Option<From>,
    /// With --from columns: the contents of the columns, such as form,upos,head,deprel, with _ for those to leave out. Tabs or spaces
    /// separate columns, blank lines sentences
    #[arg(long, value_name = "NAMES")]
    columns: Option<ColumnLayout>,
    /// Format to write [default: by the output's name, or else that of the input]
    #[arg(long)]
    to: Option<Format>,
    /// Repair carriage returns, a byte order mark, needless or non-empty blank lines and a missing one at the end; comments behind the last
    /// sentence are left out
    #[arg(long)]
    fix: bool,
    /// Divide sentences of more than N words, behind punctuation where there is some
    #[arg(long, value_name = "N", value_parser = crate::range::whole::<u32>(1..=65_533))]
    cut: Option<u32>,
}

/// Formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum From {
    /// CoNLL-U
    Conllu,
    /// CoNLL-X
    Conllx,
    /// Other columns, named by --columns
    Columns,
}

/// Converts, and says on standard error what was lost and what [`super::check`] would refuse.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let format = match args.from {
        Some(From::Conllu) => Some(Format::Conllu),
        Some(From::Conllx) => Some(Format::Conllx),
        Some(From::Columns) | None => None,
    };
    ensure!(
        args.columns.is_some() == (args.from == Some(From::Columns)),
        "--from columns and --columns NAMES belong together; expected both or neither"
    );
    Paths::default().input_converted_in_place(&args.file).output(&args.output)?;
    let mut of_columns = None;
    let (of_input, sentences): (Format, Box<dyn Iterator<Item = Result<Sentence>> + '_>) = match &args.columns {
        Some(layout) => {
            if args.fix || args.cut.is_some() {
                bail!("--fix and --cut are for CoNLL-U and CoNLL-X; convert the columns first");
            }
            let source = args.file.display().to_string();
            let reader = ColumnReader::new(open(&args.file)?, &source, layout.clone());
            (Format::Conllu, Box::new(of_columns.insert(reader)))
        }
        None => {
            let mut reader = Reader::open(&args.file, format)?.allowing_empty();
            if args.fix {
                reader = reader.repairing();
            }
            if let Some(most) = args.cut {
                reader = reader.cutting(most as usize);
            }
            (reader.format(), Box::new(std::iter::from_fn(move || next(&mut reader, args.fix))))
        }
    };
    let to = args.to.or(Format::of_path(&args.output)).unwrap_or(of_input);
    let mut output = Output::create(&args.output)?;
    let mut dropped = Dropped::default();
    let mut refused = Refused::default();
    for sentence in sentences {
        let sentence = sentence?;
        refused.look_at(&sentence, to);
        write(&sentence, to, &mut output, &mut dropped).map_err(Error::io(&args.output))?;
    }
    output.finish()?;
    if !dropped.is_empty() {
        eprintln!("{}: {dropped}", args.file.display());
    }
    if let (Some(Longer { n_lines, line, n_columns }), Some(layout)) =
        (of_columns.and_then(|reader| reader.longer()), &args.columns)
    {
        eprintln!(
            "warning: {}:{line}: {n_columns} columns, of which --columns names {}; the others are left out, here and on {} \
             other lines; `_` in --columns leaves a column out in silence",
            args.file.display(),
            layout.n_columns(),
            n_lines - 1
        );
    }
    refused.say(&args.output.display().to_string(), to);
    Ok(ExitCode::SUCCESS)
}

/// The next sentence; warns of what cannot be kept in repairing.
fn next(reader: &mut Reader<impl BufRead>, fix: bool) -> Option<Result<Sentence>> {
    if !fix {
        return reader.next();
    }
    loop {
        let step = match reader.step().transpose()? {
            Ok(step) => step,
            Err(error) => return Some(Err(error)),
        };
        if step.is_left_out() || step.sentence.is_some() && !step.problems.is_empty() {
            return step.problems.into_first().map(|problem| Err(problem.into()));
        }
        if let Some(sentence) = step.sentence {
            return Some(Ok(sentence));
        }
        step.problems.kept().iter().for_each(|(_, problem)| eprintln!("warning: left out: {}", problem));
    }
}

/// Sentences that were written and that `treebank check` refuses.
#[derive(Debug, Default)]
struct Refused {
    unannotated: usize,
    several_roots: usize,
    no_tree: usize,
}

impl Refused {
    fn look_at(&mut self, sentence: &Sentence, to: Format) {
        use treebeam::tree::Roots;
        if !sentence.annotation_problems(Roots::Several).is_empty() {
            let unannotated = sentence.words().all(|word| sentence.head(word).is_none());
            *(if unannotated { &mut self.unannotated } else { &mut self.no_tree }) += 1;
        } else if !sentence.annotation_problems(to.roots()).is_empty() {
            self.several_roots += 1;
        }
    }

    fn say(&self, path: &str, to: Format) {
        for (n, what, remedy) in [
            (self.several_roots, "have several roots", "--roots several allows them"),
            (self.no_tree, "have heads or labels that make no tree", "it lists them"),
            (self.unannotated, "have no heads", "--unannotated allows them"),
        ] {
            if n > 0 {
                let name = to.title();
                eprintln!(
                    "warning: {path}: {n} sentences {what}, which `treebeam treebank check` refuses in {name}; {remedy}"
                );
            }
        }
    }
}
