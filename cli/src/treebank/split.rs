//! `treebeam treebank split`.

use anyhow::{bail, ensure};
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treebeam::error::{Error, counted};
use treebeam::files::{Output, Packing, Paths};
use treebeam::treebank::split::{begins_document, documents, order, sizes, whole_documents, write_alone};
use treebeam::treebank::{Format, Sentence, Treebank};

/// Options of `treebeam treebank split`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The last tenth as development data; ten folds for cross-validation, with documents whole:\n  \
    treebeam treebank split train.conll --parts 90,10 -o fit.conll -o dev.conll\n  \
    treebeam treebank split train.conllu --folds 10 -o folds/")]
pub struct Args {
    /// The file to divide; it is read into memory
    file: PathBuf,
    /// The parts' shares of the sentences
    #[arg(long, value_delimiter = ',', value_parser = crate::range::whole::<u32>(0..=1_000_000_000))]
    #[arg(required_unless_present = "folds", conflicts_with = "folds")]
    parts: Vec<u32>,
    /// Divide into K folds for cross-validation: --output is a folder, which gets K folders `1`, `2`, ..., each with the fold as `test`
    /// and all other sentences as `train`. Documents (`# newdoc`) are kept whole if there is one for each fold
    #[arg(long, value_name = "K", value_parser = crate::range::whole::<u32>(2..=100))]
    folds: Option<u32>,
    /// Files of the parts, in order, or the folder of folds
    #[arg(short, long, required = true)]
    output: Vec<PathBuf>,
    /// Read the file as this format
    #[arg(long)]
    format: Option<Format>,
    /// Keep documents (`# newdoc`) whole: parts end where the nearest document does
    #[arg(long, conflicts_with = "folds")]
    whole_documents: bool,
    /// Take the sentences in random order, without the comments `# newdoc` and `# newpar`; or the documents, if they are kept whole
    #[arg(long)]
    shuffle: bool,
    /// Seed of the random order
    #[arg(long, default_value_t = 1, requires = "shuffle", value_parser = crate::range::number)]
    seed: u64,
    /// Most sentences to divide: the first ones, or random ones with --shuffle
    #[arg(long, value_parser = crate::range::whole::<usize>(1..=u64::MAX))]
    max_sentences: Option<usize>,
}

/// Divides the file. Nothing appears unless the file is sound and all parts have sentences.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let names = names(args)?;
    let paths = Paths::default().input(&args.file);
    names.iter().try_fold(paths, |paths, output| paths.output(output))?;
    let treebank = Treebank::read(&args.file, args.format)?;
    names.iter().for_each(|path| super::warn_of_name(path, treebank.format));
    let division = Division::new(args, &treebank)?;
    if args.folds.is_some() {
        for folder in names.iter().filter_map(|path| path.parent()) {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
    }
    let mut outputs = names.iter().map(|path| Output::create(path)).collect::<Result<Vec<_>, Error>>()?;
    let parts = division.parts();
    let mut n_left_out = 0;
    let mut n_written = Vec::new();
    let mut write = |output: &mut Output, numbers: &[&[usize]]| -> anyhow::Result<()> {
        n_written.push(numbers.iter().map(|part| part.len()).sum::<usize>());
        let path = output.path().to_owned();
        for (place, &i) in numbers.iter().copied().flatten().enumerate() {
            let sentence = &treebank.sentences[i];
            let sentence = if place == 0 { sentence.at_start() } else { Cow::Borrowed(sentence) };
            if division.are_alone {
                n_left_out += write_alone(&sentence, output).map_err(Error::io(&path))?;
            } else {
                sentence.write(output).map_err(Error::io(&path))?;
            }
        }
        Ok(())
    };
    if args.folds.is_some() {
        for (fold, files) in outputs.chunks_mut(2).enumerate() {
            let others: Vec<&[usize]> = [&parts[..fold], &parts[fold + 1..]].concat();
            write(&mut files[0], &others)?;
            write(&mut files[1], &parts[fold..=fold])?;
        }
        // A sentence is left out of one file and in all others of the other kind.
        n_left_out /= parts.len();
    } else {
        for (output, part) in outputs.iter_mut().zip(&parts) {
            write(output, std::slice::from_ref(part))?;
        }
        let mut end = 0;
        for (path, part) in names.iter().zip(&parts) {
            end += part.len();
            if !args.shuffle && !args.whole_documents {
                warn_of_cut(path, &treebank.sentences, end);
            }
        }
    }
    if n_left_out > 0 {
        let path = args.file.display();
        eprintln!(
            "warning: {path}: sentences in random order make no documents: {} `# newdoc` and `# newpar` left out",
            counted(n_left_out, "comment")
        );
    }
    for (size, output) in n_written.into_iter().zip(outputs) {
        eprintln!("{}: {size} sentences", output.path().display());
        output.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Names of the files to write: one for each part, or two for each fold, training data first.
fn names(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let (n_parts, n_outputs) = (args.parts.len(), args.output.len());
    let Some(folds) = args.folds else {
        ensure!(n_parts == n_outputs, "{n_parts} parts and {n_outputs} outputs; name one output (-o) for each part");
        ensure!(args.parts.iter().any(|&part| part > 0), "all parts are empty; some share must be positive");
        return Ok(args.output.clone());
    };
    let [folder] = &args.output[..] else {
        bail!("{n_outputs} outputs with --folds; expected one folder (-o), which gets a folder for each fold");
    };
    ensure!(!folder.is_file() && folder != Path::new("-"), "{}: expected a folder for --folds", folder.display());
    // Folds are of the format of the file, and packed as it is.
    let format = args.format.or(Format::of_path(&args.file)).unwrap_or(Format::Conllu);
    let packing = Packing::of(&args.file).map_or("", |packing| match packing {
        Packing::Gzip => ".gz",
        Packing::Zstd => ".zst",
    });
    let ending = if format == Format::Conllx { "conllx" } else { "conllu" };
    let files = |fold: u32| ["train", "test"].map(|name| folder.join(format!("{fold}/{name}.{ending}{packing}")));
    Ok((1..=folds).flat_map(files).collect())
}

/// Sentences in the order in which they are divided, and the sizes of the parts.
struct Division {
    order: Vec<usize>,
    sizes: Vec<usize>,
    /// True if sentences are torn out of their documents.
    are_alone: bool,
}

impl Division {
    fn new(args: &Args, treebank: &Treebank) -> anyhow::Result<Division> {
        let path = args.file.display();
        let weights = args.folds.map_or_else(|| args.parts.clone(), |folds| vec![1; folds as usize]);
        let most = args.max_sentences.unwrap_or(usize::MAX);
        let seed = args.shuffle.then_some(args.seed);
        let whole = documents(&treebank.sentences);
        let n_documents = treebank.sentences.iter().filter(|sentence| begins_document(sentence)).count();
        let n_parts = weights.iter().filter(|&&weight| weight > 0).count();
        let keeps_documents =
            n_documents > 0 && (args.whole_documents || args.folds.is_some() && whole.len() >= n_parts);
        let (order, sizes, are_alone) = if keeps_documents {
            let mut n_sentences = 0;
            let documents: Vec<Range<usize>> = order(whole.len(), seed).into_iter().map(|i| whole[i].clone()).collect();
            let is_within = |document: &&Range<usize>| {
                n_sentences += document.len();
                n_sentences <= most
            };
            let documents: Vec<Range<usize>> = documents.iter().take_while(is_within).cloned().collect();
            ensure!(
                documents.len() >= n_parts,
                "{path}: {} for {}; expected one at least for each",
                counted(documents.len(), "document"),
                counted(n_parts, "part")
            );
            let mut rest = &documents[..];
            let size = |n| {
                let (part, others) = rest.split_at(n);
                rest = others;
                part.iter().map(Range::len).sum()
            };
            let sizes = whole_documents(&documents, &weights).into_iter().map(size).collect();
            (documents.into_iter().flatten().collect(), sizes, false)
        } else {
            if n_documents > 0 && args.folds.is_some() {
                eprintln!(
                    "warning: {path}: {} for {n_parts} folds; folds begin and end within documents",
                    counted(whole.len(), "document")
                );
            }
            let mut order = order(treebank.sentences.len(), seed);
            order.truncate(most);
            let sizes = sizes(order.len(), &weights);
            (order, sizes, args.shuffle)
        };
        for (i, size) in sizes.iter().enumerate() {
            match args.output.get(i).filter(|_| args.folds.is_none()) {
                Some(path) => ensure!(*size > 0, "{}: no sentence is left for this part", path.display()),
                None => ensure!(*size > 0, "{path}: no sentence is left for fold {}; expected fewer folds", i + 1),
            }
        }
        Ok(Division { order, sizes, are_alone })
    }

    /// The numbers of each part's sentences.
    fn parts(&self) -> Vec<&[usize]> {
        let mut rest = &self.order[..];
        let part = |&size: &usize| {
            let (part, others) = rest.split_at(size);
            rest = others;
            part
        };
        self.sizes.iter().map(part).collect()
    }
}

/// Warns if the first `end` of `sentences` end within a document.
fn warn_of_cut(path: &Path, sentences: &[Sentence], end: usize) {
    let begins = |sentence| begins_document(sentence);
    if sentences.get(end).is_some_and(|next| !begins(next)) && sentences[..end].iter().any(begins) {
        let begin = sentences[..end].iter().rev().take_while(|sentence| !begins(sentence)).count() + 1;
        let (path, begin) = (path.display(), counted(begin, "sentence"));
        eprintln!(
            "warning: {path}: ends within a document (`# newdoc`), of which it has the first {begin}; --whole-documents keeps it whole"
        );
    }
}
