//! `treebeam parse`.

mod engine;
mod stats;

use anyhow::bail;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::loaded::Loaded;
use crate::decode::Parsed;
use crate::error::Result;
use crate::files::Output;
use crate::treebank::{Format, Reader, Sentence};
use engine::Engine;
use stats::Stats;

/// Options of `treebeam parse`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Only HEAD and DEPREL change, and DEPS is emptied: it would be stale. What the input has in these columns is not read.

Examples:
  treebeam parse --model en.model test.conllu -o parsed.conllu
  zcat corpus.conllu.gz | treebeam parse --model en.model --beam 64 --threads 2 > parsed.conllu")]
pub struct Args {
    /// The model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The width of the beam, 1 being greedy [default: what the model was trained with]
    #[arg(long, value_name = "B")]
    beam: Option<usize>,
    /// Threads; the output does not depend on their number
    #[arg(long, default_value_t = 1, value_name = "T")]
    threads: usize,
    /// Write the N best items of the final beam, best first, with their scores as comments
    #[arg(long, default_value_t = 1, value_name = "N")]
    k_best: usize,
    /// Write sentences, tokens, seconds, speeds and peak memory to this file as JSON
    #[arg(long, value_name = "FILE")]
    stats_json: Option<PathBuf>,
    /// The format of the input [default: by the file's ending, CoNLL-U for standard input]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to parse, tokenised and tagged; also .gz or .zst; - for standard input
    #[arg(default_value = "-")]
    input: PathBuf,
    /// The file to write, whole or not at all; also .gz or .zst; - for standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Words that are read before they are parsed together: enough to keep threads busy, little enough to stream.
const CHUNK_WORDS: usize = 1 << 14;

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let loading = Instant::now();
    let model = Loaded::read(&args.model)?;
    let load_seconds = loading.elapsed().as_secs_f64();
    let mut parser = Engine::new(&model, args.beam, args.k_best, args.threads)?;
    let mut reader = Reader::open(&args.input, args.format)?;
    if args.k_best > 1 && reader.format() == Format::Conllx {
        bail!("--k-best writes scores as comments, and CoNLL-X has none; convert the input to CoNLL-U");
    }
    let mut output = Output::create(&args.output)?;
    let stats_output = args.stats_json.as_deref().map(Output::create).transpose()?;

    let start = Instant::now();
    let mut decoding = Duration::ZERO;
    let (mut sentences, mut words) = (0, 0);
    loop {
        let chunk = read_chunk(&mut reader)?;
        if chunk.is_empty() {
            break;
        }
        let started = Instant::now();
        let parsed = parser.parse(&chunk, args.k_best)?;
        decoding += started.elapsed();
        for (sentence, parsed) in chunk.iter().zip(&parsed) {
            write(&model, sentence, parsed, args.k_best > 1, &mut output)
                .map_err(crate::error::Error::io(&args.output))?;
        }
        sentences += chunk.len();
        words += chunk.iter().map(Sentence::n_words).sum::<usize>();
    }
    output.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    let stats =
        Stats::new(sentences, words, seconds, decoding.as_secs_f64(), load_seconds, parser.beam(), args.threads);
    eprintln!("{stats}");
    if let Some(mut file) = stats_output {
        serde_json::to_writer_pretty(&mut file, &stats)?;
        writeln!(file)?;
        file.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_chunk(reader: &mut impl Iterator<Item = Result<Sentence>>) -> Result<Vec<Sentence>> {
    let mut chunk = Vec::new();
    let mut words = 0;
    while words < CHUNK_WORDS
        && let Some(sentence) = reader.next()
    {
        let sentence = sentence?;
        words += sentence.n_words();
        chunk.push(sentence);
    }
    Ok(chunk)
}

fn write(
    model: &Loaded,
    sentence: &Sentence,
    parsed: &[Parsed],
    with_scores: bool,
    output: &mut Output,
) -> std::io::Result<()> {
    let labels = model.labels();
    for (rank, parsed) in parsed.iter().enumerate() {
        if with_scores {
            let score = parsed.score as f64 / f64::from(model.scale());
            writeln!(output, "# rank = {}\n# score = {score:.4}", rank + 1)?;
        }
        sentence.write_parsed(output, parsed.tree.heads(), &labels.names_of(&parsed.tree))?;
    }
    Ok(())
}
