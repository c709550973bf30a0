//! `treebeam oracle bounds`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::configuration::PlainLists;
use crate::error::Result;
use crate::random;
use crate::system::covington::{Bounds, ExactLoss};
use crate::system::{Action, CovingtonNonmonotonic, Move, Oracle as _, Roots, Transitions as _};
use crate::tree::{Gold, Labels, NO_LABEL};
use crate::treebank::Treebank;

/// Options of `treebeam oracle bounds`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Treebanks in CoNLL-U or CoNLL-X
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Stop after so many transitions of each treebank
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    transitions: usize,
    /// The probability that a transition is any permitted one instead of one of least cost by the upper bound
    #[arg(long, default_value_t = 0.03, value_name = "P", value_parser = probability)]
    wander: f64,
    /// The seed of wandering
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Give up the search for a configuration's loss after so many others; it is then left out
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    max_configurations: usize,
}

fn probability(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse::<f64>().map_err(|error| error.to_string())?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err("expected a number from 0 to 1".to_owned()) }
}

/// Sums over the configurations of one treebank.
#[derive(Debug, Clone, Default)]
struct Sums {
    configurations: usize,
    given_up: usize,
    loss: f64,
    /// Lower, pc-upper, upper.
    bounds: [f64; 3],
    /// |bound - loss| / loss, where the loss is not 0.
    distances: [f64; 3],
}

/// Runs the subcommand.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut output = io::stdout().lock();
    let width = args.files.iter().map(|file| file.display().to_string().chars().count()).max().unwrap_or(0).max(8);
    writeln!(
        output,
        "{:<width$}  configurations  given up     lower      loss  pc-upper     upper    d lower  d pc-upper    d upper",
        "treebank"
    )?;
    let mut means: Vec<[f64; 7]> = Vec::new();
    for file in &args.files {
        let sums = walk_treebank(&args, file)?;
        let row = sums.means();
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
    writeln!(output, "\nmeans over configurations; d: mean of |bound - loss| / loss, 0 where the loss is 0")?;
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

impl Sums {
    fn add(&mut self, bounds: Bounds, loss: u32) {
        self.configurations += 1;
        self.loss += f64::from(loss);
        for (place, bound) in [bounds.lower, bounds.pc_upper, bounds.upper].into_iter().enumerate() {
            self.bounds[place] += f64::from(bound);
            if loss > 0 {
                self.distances[place] += f64::from(bound.abs_diff(loss)) / f64::from(loss);
            }
        }
    }

    /// Lower, loss, pc-upper, upper; the distances of lower, pc-upper, upper.
    fn means(&self) -> [f64; 7] {
        let [lower, pc_upper, upper] = self.bounds;
        let [of_lower, of_pc_upper, of_upper] = self.distances;
        [lower, self.loss, pc_upper, upper, of_lower, of_pc_upper, of_upper]
            .map(|sum| sum / self.configurations.max(1) as f64)
    }
}

/// Follows derivations that wander, sentence by sentence, and compares bounds and loss wherever they come.
fn walk_treebank(args: &Args, file: &std::path::Path) -> Result<Sums> {
    let treebank = Treebank::read(file, None)?;
    let trees = treebank.trees(treebank.format.roots(), &mut Labels::default())?;
    let mut sums = Sums::default();
    let mut n_left = args.transitions;
    let system = CovingtonNonmonotonic::new(Roots::Several);
    for (number, tree) in trees.into_iter().enumerate() {
        let gold = Gold::new(tree);
        let mut rng = random::stream(args.seed, "bounds", &[number as u64]);
        let mut search = ExactLoss::new(&gold, args.max_configurations);
        let mut c: PlainLists = system.initial((), gold.n_words());
        while !system.is_terminal(&c) {
            if n_left == 0 {
                return Ok(sums);
            }
            n_left -= 1;
            match search.loss(&c) {
                Some(loss) => sums.add(search.bounds(&c), loss),
                None => sums.given_up += 1,
            }
            let permitted = system.permitted(&c, 0).moves;
            let costs = system.costs(&gold, &c, 0, permitted);
            let wanders = random::unit(&mut rng) < args.wander;
            let moves: Vec<Move> = permitted.iter().filter(|&mv| wanders || costs.get(mv) == costs.least()).collect();
            let mv = moves[random::below(moves.len() as u64, &mut rng) as usize];
            let label = if mv.makes_arc() { 0 } else { NO_LABEL };
            c = system.successor(&c, Action::labelled(mv, label), ());
        }
    }
    Ok(sums)
}
