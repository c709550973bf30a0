//! Marginals of arcs in all trees, projective or not.
//!
//! The matrix-tree theorem computes them from an inverse matrix (Koo, Globerson, Carreras & Collins 2007; Smith & Smith 2007). That takes
//! subtractions, which lose all digits where words strongly prefer each other in a cycle. Here nothing is subtracted. In a random tree,
//! the path from a word up to the root is a random walk over heads without its loops (Wilson 1996). The head of d is the word h for which
//! the walk leaves d the last time, so
//!
//! P(h → d) ∝ w(h, d) · P(the walk from h meets the root before d)
//!
//! The latter follows from eliminating all words but d from the walk (Grassmann, Taksar & Heyman 1985). The heads of an eliminated word k
//! become heads of its dependents:
//!
//! w(h, d) += w(h, k) · w(k, d) / Σ w(·, k)
//!
//! Probabilities are filled in in the reverse order. So that each d is once the last word, one half of the words is eliminated for the
//! other, and so on in each half: cubic time altogether, quadratic space.
//!
//! With one root, arcs from it get so small a weight that trees with two of them do not count.

use super::ArcScores;
use crate::tree::{Node, ROOT, Roots};

/// Logarithm of the least weight, where the greatest one of the same dependent is 1; smaller weights count as this one.
const LEAST: f64 = -300.0;

/// Logarithm of the factor of arcs from a single root: a second root weighs less than the least other weight.
const ONE_ROOT: f64 = LEAST - 40.0;

/// Weights of the arcs between the words that are not eliminated, which stand side by side.
#[derive(Debug, Clone)]
struct Walk {
    /// The first word.
    first: usize,
    /// By dependent: the weights of its heads, and 0 for itself.
    heads: Vec<Vec<f64>>,
    /// By dependent: the weight of the root.
    root: Vec<f64>,
}

/// An eliminated word, with the probabilities of its heads among the words that were left then.
#[derive(Debug)]
struct Eliminated {
    word: usize,
    root: f64,
    first: usize,
    heads: Vec<f64>,
}

impl Walk {
    /// Eliminates a word at one end.
    fn eliminate(&mut self, last: bool) -> Eliminated {
        let at = if last { self.heads.len() - 1 } else { 0 };
        let (mut heads, mut root) = (self.heads.remove(at), self.root.remove(at));
        let total = root + heads.iter().sum::<f64>();
        heads.iter_mut().for_each(|weight| *weight /= total);
        root /= total;
        heads.remove(at);
        for (dependent, (of, of_root)) in self.heads.iter_mut().zip(&mut self.root).enumerate() {
            let weight = of.remove(at);
            of.iter_mut().zip(&heads).for_each(|(to, share)| *to += weight * share);
            of[dependent] = 0.0;
            *of_root += weight * root;
        }
        let word = self.first + at;
        self.first += usize::from(!last);
        Eliminated { word, root, first: self.first, heads }
    }

    /// Calls `found` with each word and all others, in the order in which they were eliminated.
    fn each(self, eliminated: &mut Vec<Eliminated>, found: &mut dyn FnMut(usize, &[Eliminated])) {
        let n = self.heads.len();
        if n == 1 {
            return found(self.first, eliminated);
        }
        let before = eliminated.len();
        for (last, kept) in [(true, n / 2), (false, n - n / 2)] {
            let mut half = self.clone();
            while half.heads.len() > kept {
                eliminated.push(half.eliminate(last));
            }
            half.each(eliminated, found);
            eliminated.truncate(before);
        }
    }
}

/// The probability of each arc at [`ArcScores::place`], by the softmax of the scores of all trees at this temperature. Scores that lie
/// 300 temperatures below the best one of their word count as if they lay no lower.
pub fn marginals(scores: &ArcScores, roots: Roots, temperature: f64) -> Vec<f64> {
    let n = scores.n_words();
    let of_root = if roots == Roots::Single { ONE_ROOT } else { 0.0 };
    let mut walk = Walk { first: 1, heads: Vec::new(), root: Vec::new() };
    for dependent in 1..=n as Node {
        let is_head = |head: Node| head != dependent;
        let heads = (ROOT..=n as Node).filter(|&head| is_head(head));
        let best = heads.map(|head| scores.get(head, dependent)).max().unwrap_or(0);
        let weight = |head: Node| {
            let gap = f64::from(scores.get(head, dependent)) - f64::from(best);
            if is_head(head) { (gap / temperature).max(LEAST).exp() } else { 0.0 }
        };
        walk.heads.push((1..=n as Node).map(weight).collect());
        walk.root.push(weight(ROOT) * of_root.exp());
    }
    let (whole, mut found) = (walk.clone(), vec![0.0; (n + 1) * (n + 1)]);
    // By word: the probability of meeting the root before the word at hand.
    let mut escapes = vec![0.0; n];
    walk.each(&mut Vec::new(), &mut |word, eliminated| {
        escapes[word - 1] = 0.0;
        for Eliminated { word, root, first, heads } in eliminated.iter().rev() {
            let of_heads = heads.iter().zip(&escapes[first - 1..]).map(|(share, escape)| share * escape);
            escapes[word - 1] = root + of_heads.sum::<f64>();
        }
        let of_heads = whole.heads[word - 1].iter().zip(&escapes).map(|(weight, escape)| weight * escape);
        let weights: Vec<f64> = [whole.root[word - 1]].into_iter().chain(of_heads).collect();
        let total: f64 = weights.iter().sum();
        let place = scores.place(ROOT, word as Node);
        found[place..=place + n].iter_mut().zip(weights).for_each(|(to, weight)| *to = weight / total);
    });
    found
}
