//! Derivations that wander from gold trees, and the bounds of the loss wherever they come.

use serde::{Deserialize, Serialize};

use crate::configuration::PlainLists;
use crate::error::Result;
use crate::random;
use crate::system::covington::{Bounds, ExactLoss};
use crate::system::{Action, CovingtonNonmonotonic, Move, Oracle as _, Roots, Transitions as _};
use crate::tree::{Gold, Labels, NO_LABEL};
use crate::treebank::Treebank;

/// How to wander.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Walk {
    /// Stop after so many transitions of a treebank.
    pub transitions: usize,
    /// The probability that a transition is any permitted one instead of one of least cost by the upper bound.
    pub wander: f64,
    /// The seed of wandering.
    pub seed: u64,
    /// Give up the search for a configuration's loss after so many others; it is then left out.
    pub max_configurations: usize,
}

/// Sums over the configurations of one treebank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Configurations whose loss was found.
    pub configurations: usize,
    /// Those where the search was given up.
    pub given_up: usize,
    /// Of the loss.
    pub loss: u64,
    /// Of the bounds: lower, pc-upper, upper.
    pub bounds: [u64; 3],
    /// Of |bound - loss| / loss, 0 where the loss is 0.
    pub distances: [f64; 3],
}

/// Means over configurations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Means {
    /// The loss.
    pub loss: f64,
    /// The bounds: lower, pc-upper, upper.
    pub bounds: [f64; 3],
    /// The relative distances of the bounds from the loss.
    pub distances: [f64; 3],
}

impl Sums {
    fn add(&mut self, bounds: Bounds, loss: u32) {
        self.configurations += 1;
        self.loss += u64::from(loss);
        for (place, bound) in [bounds.lower, bounds.pc_upper, bounds.upper].into_iter().enumerate() {
            self.bounds[place] += u64::from(bound);
            if loss > 0 {
                self.distances[place] += f64::from(bound.abs_diff(loss)) / f64::from(loss);
            }
        }
    }

    /// The means over configurations.
    pub fn means(&self) -> Means {
        let n = self.configurations.max(1) as f64;
        let mean = |sum: u64| sum as f64 / n;
        Means { loss: mean(self.loss), bounds: self.bounds.map(mean), distances: self.distances.map(|sum| sum / n) }
    }
}

impl Walk {
    /// Follows derivations that wander, sentence by sentence, and compares bounds and loss wherever they come.
    ///
    /// # Errors
    /// If a tree is malformed.
    pub fn over(&self, treebank: &Treebank) -> Result<Sums> {
        let trees = treebank.trees(treebank.format.roots(), &mut Labels::default())?;
        let mut sums = Sums::default();
        let mut n_left = self.transitions;
        let system = CovingtonNonmonotonic::new(Roots::Several);
        for (number, tree) in trees.into_iter().enumerate() {
            let gold = Gold::new(tree);
            let mut rng = random::stream(self.seed, "bounds", &[number as u64]);
            let mut search = ExactLoss::new(&gold, self.max_configurations);
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
                let wanders = random::unit(&mut rng) < self.wander;
                let moves: Vec<Move> =
                    permitted.iter().filter(|&mv| wanders || costs.get(mv) == costs.least()).collect();
                let mv = moves[random::below(moves.len() as u64, &mut rng) as usize];
                let label = if mv.makes_arc() { 0 } else { NO_LABEL };
                c = system.successor(&c, Action::labelled(mv, label), ());
            }
        }
        Ok(sums)
    }
}
