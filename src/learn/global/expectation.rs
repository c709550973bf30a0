//! The gradient of a probability over derivations: which of them gets how much of it, and what that makes of each choice.

use crate::system::Choice;

/// The gradient, in each derivation's score, of −log (Σ exp of gold ones / Σ exp of all): the probability of a derivation, less
/// its probability among the gold ones. Scores are in fixed point, `unit` being 1.0.
pub fn slopes(scores: &[(i64, bool)], unit: f64) -> Vec<f64> {
    let highest = |among_gold: bool| {
        let among = scores.iter().filter(|(_, gold)| *gold || !among_gold);
        among.map(|(score, _)| *score).max().unwrap_or(0)
    };
    // Each sum is taken relative to its highest term, so that none is without any.
    let part = |score: i64, highest: i64| ((score - highest) as f64 / unit).exp();
    let (of_all, of_gold) = (highest(false), highest(true));
    let all: f64 = scores.iter().map(|(score, _)| part(*score, of_all)).sum();
    let gold: f64 = scores.iter().filter(|(_, gold)| *gold).map(|(score, _)| part(*score, of_gold)).sum();
    let slope = |&(score, is_gold): &(i64, bool)| {
        let among_gold = if is_gold { part(score, of_gold) / gold } else { 0.0 };
        part(score, of_all) / all - among_gold
    };
    scores.iter().map(slope).collect()
}

/// Smaller gradients are not worth a step.
const NEGLIGIBLE: f64 = 1e-3;

/// Callback that receives the sums of slopes: see [`distribute`].
pub type Credit<'c> = dyn FnMut(usize, usize, &[(Choice, f32)]) + 'c;

/// Adds up the slopes of derivations that went the same way. `credit` is given a derivation and how many of its choices it takes
/// to get to a configuration, and of all that was chosen there, at one point at a time, the sum of the slopes of those that went
/// on by it. The prefix that all have in common sums to nothing, and is left out, as negligible derivations are.
///
/// Complexity: O(l m log m) for m derivations of l choices.
pub fn distribute(derivations: &[Vec<Choice>], slopes: &[f64], credit: &mut Credit) {
    let mut order: Vec<usize> = (0..derivations.len()).collect();
    order.sort_by_key(|&number| &derivations[number]);
    // Derivations that are the same up to so many choices.
    let mut open = vec![(0..order.len(), 0)];
    let mut chosen: Vec<(Choice, f32)> = Vec::new();
    while let Some((range, step)) = open.pop() {
        // Those that end here come first.
        let n_done = order[range.clone()].iter().take_while(|&&number| derivations[number].len() == step).count();
        let same = &order[range.start + n_done..range.end];
        if same.is_empty() {
            continue;
        }
        chosen.clear();
        let mut start = range.start + n_done;
        for on in same.chunk_by(|&a, &b| derivations[a][step] == derivations[b][step]) {
            let slope: f64 = on.iter().map(|&number| slopes[number]).sum();
            if slope.abs() >= NEGLIGIBLE {
                chosen.push((derivations[on[0]][step], slope as f32));
            }
            // Within what sums to nothing there may be more.
            if on.iter().any(|&number| slopes[number].abs() >= NEGLIGIBLE) {
                open.push((start..start + on.len(), step + 1));
            }
            start += on.len();
        }
        for at_point in chosen.chunk_by(|(a, _), (b, _)| a.point == b.point) {
            credit(same[0], step, at_point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(action: u16) -> Choice {
        Choice { point: action / 4, action }
    }

    /// A fixed beam, whose derivations are scored by a weight for each step and choice, with and without losses: the gradient
    /// against differences of the loss.
    #[test]
    fn gradients_are_those_of_the_loss() {
        const UNIT: f64 = 1e6;
        let beam: [(&[u16], bool, f64); 5] = [
            (&[0, 1, 2], true, 0.0),
            (&[0, 1, 3], false, 1.0),
            (&[0, 5, 2], false, 2.0),
            (&[0, 5, 6], true, 0.0),
            (&[0, 7, 2], false, 3.0),
        ];
        let derivations: Vec<Vec<Choice>> =
            beam.iter().map(|(actions, ..)| actions.iter().map(|&action| choice(action)).collect()).collect();
        let weights: Vec<f64> = (0..24).map(|number| f64::from(number * 37 % 11) / 7.0 - 0.8).collect();
        // Weights depend on the configuration, that is, on the prefix that leads to it.
        let place = |derivation: &[Choice], step: usize| {
            let prefix = if step == 2 { usize::from(derivation[1].action) % 3 } else { 0 };
            (step * 8 + prefix * 3 + usize::from(derivation[step].action)) % 24
        };
        for margin in [0.0, 1.0] {
            let score = |weights: &[f64], number: usize| {
                let of = &derivations[number];
                (0..3).map(|step| weights[place(of, step)]).sum::<f64>() + margin * beam[number].2
            };
            let loss = |weights: &[f64]| {
                let sum = |gold: bool| {
                    let among = (0..beam.len()).filter(|&number| beam[number].1 || !gold);
                    among.map(|number| score(weights, number).exp()).sum::<f64>().ln()
                };
                sum(false) - sum(true)
            };
            let scores: Vec<(i64, bool)> = (0..beam.len())
                .map(|number| ((score(&weights, number) * UNIT).round() as i64, beam[number].1))
                .collect();
            let mut found = [0.0; 24];
            let mut n_credits = 0;
            distribute(&derivations, &slopes(&scores, UNIT), &mut |member, step, chosen| {
                assert!(chosen.iter().all(|(choice, _)| choice.point == chosen[0].0.point));
                for &(choice, slope) in chosen {
                    let mut derivation = derivations[member].clone();
                    derivation[step] = choice;
                    found[place(&derivation, step)] += f64::from(slope);
                    n_credits += 1;
                }
            });
            // All took 0 first, which has no gradient: three ways from there, and two, two and one from these.
            assert_eq!(n_credits, 3 + 5);
            for (number, found) in found.into_iter().enumerate() {
                let mut changed = weights.clone();
                changed[number] += 1e-4;
                let above = loss(&changed);
                changed[number] -= 2e-4;
                let slope = (above - loss(&changed)) / 2e-4;
                assert!((found - slope).abs() < 1e-5, "weight {number}: {found} instead of {slope}");
            }
        }
    }

    /// Scores so far apart that the gold derivation has no probability left.
    #[test]
    fn the_unlikely_is_still_learned_from() {
        assert_eq!(slopes(&[(1_000_000, false), (0, true), (5, false)], 1.0), [1.0, -1.0, 0.0]);
    }
}
