//! `treebeam parse`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::decode::Parser;
use crate::model::Model;
use crate::treebank::{Column, Treebank};

/// Options of `treebeam parse`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// m
    #[arg(long)]
    model: PathBuf,
    /// b
    #[arg(long)]
    beam: Option<usize>,
    /// t
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// i
    input: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let t = std::time::Instant::now();
    let model = Model::read(&args.model)?;
    eprintln!(
        "loaded {:.3}, {} features {} weights",
        t.elapsed().as_secs_f64(),
        model.weights.n_features(),
        model.weights.n_weights()
    );
    let tb = Treebank::read(&args.input, None)?;
    let mut parser = Parser::new(&model, args.beam.unwrap_or(model.header.beam), args.threads)?;
    for _ in 0..3 {
        let t = std::time::Instant::now();
        let parsed = parser.parse(&tb.sentences, 1);
        let s = t.elapsed().as_secs_f64();
        let (mut n, mut u, mut l) = (0, 0, 0);
        for (s, p) in tb.sentences.iter().zip(&parsed) {
            for w in p[0].tree.words() {
                n += 1;
                if p[0].tree.head(w).to_string() == s.column(w, Column::Head) {
                    u += 1;
                    if model.outcome.labels().name(p[0].tree.label(w)) == s.column(w, Column::Deprel) {
                        l += 1;
                    }
                }
            }
        }
        writeln!(
            std::io::stdout(),
            "{n} tokens, {:.0} tokens/s UAS {:.2} LAS {:.2}",
            n as f64 / s,
            u as f64 * 100.0 / n as f64,
            l as f64 * 100.0 / n as f64
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
