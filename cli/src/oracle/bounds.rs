//! `treebeam oracle bounds`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::{range, write_json_line};
use treebeam::files::Paths;
use treebeam::treebank::Treebank;
use treebeam_lab::experiment::{Means, RollIn, Walk};

/// Options of `treebeam oracle bounds`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Treebanks in CoNLL-U or CoNLL-X
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Stop after so many transitions of each treebank
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = range::whole::<usize>(1..=1_000_000_000))]
    transitions: usize,
    /// The probability that a transition is any permitted one instead of one of least cost by the upper bound
    #[arg(long, default_value_t = 0.03, value_name = "P", value_parser = range::probability)]
    wander: f64,
    /// Compare after every permitted transition of the configurations on the way, not after the one that is taken alone
    #[arg(long)]
    every_transition: bool,
    /// Roll-in policy: a parser that is trained on these sentences. This is the probability that its transition is
    /// taken
    #[arg(long, value_name = "P", value_parser = range::probability)]
    follow: Option<f64>,
    /// With --follow: how many times the parser sees its sentences
    #[arg(long, default_value_t = 3, value_name = "N", requires = "follow", value_parser = range::whole::<u32>(1..=1000))]
    iterations: u32,
    /// With --follow: train on the first half of the sentences, and follow the parser in the others
    #[arg(long, requires = "follow")]
    held_out: bool,
    /// The seed of wandering
    #[arg(long, default_value_t = 1, value_name = "S", value_parser = range::number)]
    seed: u64,
    /// Give up the search for a configuration's loss after so many others; it is then left out
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = range::whole::<usize>(1..=1_000_000_000))]
    max_configurations: usize,
    /// Print one JSON object a line for each treebank
    #[arg(long)]
    json: bool,
}

/// A line of the output as JSON: means over configurations.
#[derive(serde::Serialize)]
struct Line<'a> {
    path: &'a str,
    configurations: usize,
    given_up: usize,
    loss: f64,
    lower: f64,
    pc_upper: f64,
    upper: f64,
    distance_of_lower: f64,
    distance_of_pc_upper: f64,
    distance_of_upper: f64,
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let paths = Paths::default().inputs(&args.files);
    let _ = paths.one_standard_input()?;
    let mut output = treebeam::console::output();
    let width = args.files.iter().map(|file| file.display().to_string().chars().count()).max().unwrap_or(0).max(8);
    let heads = format!(
        "{:<width$}  configurations  given up     lower      loss  pc-upper     upper    d lower  d pc-upper    d upper",
        "treebank"
    );
    if !args.json {
        writeln!(output, "{heads}")?;
    }
    let Args { transitions, wander, every_transition, seed, max_configurations, .. } = args;
    let roll_in = args.follow.map(|follow| RollIn { follow, iterations: args.iterations, held_out: args.held_out });
    let walk = Walk { transitions, wander, every_transition, seed, max_configurations, roll_in };
    let mut means: Vec<[f64; 7]> = Vec::new();
    for file in &args.files {
        let sums = walk.over(&Treebank::read(file, None)?)?;
        let Means { loss, bounds: [lower, pc_upper, upper], distances: [of_lower, of_pc_upper, of_upper] } =
            sums.means();
        if args.json {
            let path = &file.display().to_string();
            let line = Line {
                path,
                configurations: sums.configurations,
                given_up: sums.given_up,
                loss,
                lower,
                pc_upper,
                upper,
                distance_of_lower: of_lower,
                distance_of_pc_upper: of_pc_upper,
                distance_of_upper: of_upper,
            };
            write_json_line(&mut output, &line)?;
            output.flush()?;
            continue;
        }
        let row = [lower, loss, pc_upper, upper, of_lower, of_pc_upper, of_upper];
        write_row(
            &mut output,
            &format!("{:<width$}  {:>14}  {:>8}", file.display(), sums.configurations, sums.given_up),
            &row,
        )?;
        output.flush()?;
        means.push(row);
    }
    if means.len() > 1 {
        let average: [f64; 7] =
            std::array::from_fn(|place| means.iter().map(|row| row[place]).sum::<f64>() / means.len() as f64);
        write_row(&mut output, &format!("{:<width$}  {:>14}  {:>8}", "average", "", ""), &average)?;
    }
    if !args.json {
        writeln!(output, "\nmeans over configurations; d: mean of |bound - loss| / loss, 0 where the loss is 0")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_row(output: &mut impl Write, head: &str, means: &[f64; 7]) -> io::Result<()> {
    write!(output, "{head}")?;
    for mean in &means[..4] {
        write!(output, "  {mean:>8.5}")?;
    }
    for (mean, width) in means[4..].iter().zip([9, 10, 9]) {
        write!(output, "  {mean:>width$.5}")?;
    }
    writeln!(output)
}
