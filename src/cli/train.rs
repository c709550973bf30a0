//! `treebeam train`.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::learn::*;
use crate::treebank::Treebank;

/// Options of `treebeam train`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// t
    #[arg(long)]
    train: PathBuf,
    /// d
    #[arg(long)]
    dev: Option<PathBuf>,
    /// o
    #[arg(long, default_value = "{}")]
    json: String,
    /// m
    #[arg(long)]
    model: PathBuf,
    /// t
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let options: TrainOptions = serde_json::from_str(&args.json)?;
    let train = Treebank::read(&args.train, None)?;
    let dev = args.dev.map(|dev| Treebank::read(&dev, None)).transpose()?;
    let t = std::time::Instant::now();
    let data = TrainingData::new(&options, &train, dev.as_ref())?;
    eprintln!(
        "prepared in {:.2}s; groups {:?}",
        t.elapsed().as_secs_f64(),
        data.features().groups().iter().map(|g| (g.places().collect::<Vec<_>>(), g.len())).collect::<Vec<_>>()
    );
    let trainer = Trainer::new(&options, &data, args.threads)?;
    let mut progress = Progress::default();
    for _ in 0..options.iterations {
        trainer.iterate(&mut progress, &mut |_| ());
        let r = progress.reports.last().unwrap();
        let d = r.dev.unwrap_or_default();
        eprintln!(
            "{} updates {} feats {} {:.2}s UAS {:.2} LAS {:.2}  total {:.1}",
            r.iteration,
            r.updates,
            r.features,
            r.seconds,
            d.uas(),
            d.las(),
            t.elapsed().as_secs_f64()
        );
    }
    trainer.finish(&progress)?.write(&args.model)?;
    Ok(ExitCode::SUCCESS)
}
