//! `treebeam oracle`.

mod bounds;
mod coverage;
mod show;
mod verify;

use std::process::ExitCode;

use treebeam::error::Result;
use treebeam::system::{Roots, SystemKind};

/// Commands of `treebeam oracle`.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check oracles against exhaustive search over all trees and all configurations of a few words
    ///
    /// A configuration is paired with every gold tree, and the cost of every permitted transition is compared with the
    /// true loss that the transition causes. Exits with 1 if an oracle that is claimed to be exact is not.
    Verify(verify::Args),
    /// Show the derivations of gold trees, with the cost of each permitted move
    ///
    /// The derivation is the static oracle's. For a tree that the system does not derive it is one of least cost.
    Show(show::Args),
    /// Count the trees of treebanks that systems derive
    ///
    /// The static oracle derives a tree if its derivation makes exactly the tree's arcs. The arcs made of other trees are
    /// those of a derivation of least cost; where costs are approximations, another derivation may make more of them.
    Coverage(coverage::Args),
    /// Compare the bounds of non-monotonic Covington's loss with the loss, on real trees
    ///
    /// The configurations are those of derivations that now and then wander from the gold tree. The table is the first of
    /// Fernández-González & Gómez-Rodríguez (ACL 2017).
    Bounds(bounds::Args),
}

/// Runs the subcommand.
pub fn run(command: Command) -> anyhow::Result<ExitCode> {
    treebeam::process::start_threads();
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Show(args) => show::run(args),
        Command::Coverage(args) => coverage::run(args),
        Command::Bounds(args) => bounds::run(args),
    }
}

/// The setting of roots that is `asked` for, or else `preferred` if `system` has it.
///
/// # Errors
/// If `system` does not have the one asked for.
fn roots_for(system: SystemKind, asked: Option<Roots>, preferred: Roots) -> Result<Roots> {
    match asked {
        Some(asked) => system.check_roots(asked).map(|()| asked),
        None => Ok(system.own_roots(preferred)),
    }
}

/// Number of words that may hang on the root of the trees that are read: several if that is asked for, else as many as the file's format
/// allows. A tree with several roots may be shown to a system that allows one: it is not derivable, and is said to be so.
fn roots_of_trees(asked: Option<Roots>, of_format: Roots) -> Roots {
    if asked == Some(Roots::Several) { Roots::Several } else { of_format }
}

/// Name of a setting of roots in output.
fn roots_name(roots: Roots) -> &'static str {
    match roots {
        Roots::Single => "single",
        Roots::Several => "several",
    }
}

/// `part` in percent of `whole`; 0 if both are 0.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
