//! Paired comparisons of a summary's methods, and p-values for people.

use super::summary::{Entry, Method, Summary};
use treebeam::eval::{Metric, Pairs, Punctuation};

/// `ours` against `theirs` in a column, over the seeds that both have; none unless every treebank has both.
pub fn pairs_of(summary: &Summary, column: &str, ours: &Method, theirs: &Method, metric: Metric) -> Option<Pairs> {
    let of_all = |method: &Method| vec![method.clone(); summary.plan.treebanks.len()];
    pairs_between(summary, column, &of_all(ours), &of_all(theirs), metric)
}

/// The same, with a method of either side for each treebank.
pub fn pairs_between(
    summary: &Summary,
    column: &str,
    ours: &[Method],
    theirs: &[Method],
    metric: Metric,
) -> Option<Pairs> {
    let of = |(t, (ours, theirs)): (&String, (&Method, &Method))| {
        by_sentence(summary.entry(t, column, ours)?, summary.entry(t, column, theirs)?, metric, summary.rule())
    };
    let treebanks = summary.treebanks();
    Some(Pairs::new(treebanks.iter().zip(ours.iter().zip(theirs)).map(of).collect::<Option<Vec<_>>>()?))
}

/// Contributions of sentences to the difference on its treebank, in percentage points, by seed; none without a common seed or a word.
fn by_sentence(ours: &Entry, theirs: &Entry, metric: Metric, rule: Punctuation) -> Option<Vec<Vec<f64>>> {
    let mut by_seed = Vec::new();
    for (record, decoding) in &ours.runs {
        let same_seed = theirs.runs.iter().find(|(other, _)| other.options.seed() == record.options.seed());
        let Some((_, other)) = same_seed else { continue };
        let unit = 100.0 / decoding.test.get(rule).tokens as f64;
        let (ours, theirs) = (decoding.errors.get(rule).of(metric), other.errors.get(rule).of(metric));
        let fewer = ours.iter().zip(theirs).map(|(&ours, &theirs)| (theirs as f64 - ours as f64) * unit);
        by_seed.push(fewer.collect::<Vec<f64>>());
    }
    let is_sound = !by_seed.is_empty() && by_seed.iter().flatten().all(|points| points.is_finite());
    is_sound.then_some(by_seed)
}

/// A p-value for people, as a part of a sentence.
pub fn p_text(p: f64) -> String {
    match p {
        p if p < 0.001 => format!("p {}", bare_p(p)),
        p => format!("p = {}", bare_p(p)),
    }
}

/// A p-value for people, as a figure of a table.
pub fn bare_p(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".to_owned(),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{full_store, plan};

    #[test]
    fn points_are_differences_of_averages() {
        let plan = plan();
        let store = full_store(&plan);
        let summary = Summary::new(&plan, &store, false);
        let methods = summary.methods("eager");
        for metric in [Metric::Las, Metric::Uas] {
            let score = |m: &Method| summary.average_score("eager", m, metric).unwrap().mean;
            let pairs = pairs_of(&summary, "eager", &methods[3], &methods[0], metric).unwrap();
            let gain = pairs.gain();
            assert!((gain.points - (score(&methods[3]) - score(&methods[0]))).abs() < 1e-9, "{gain:?}");
            assert!(gain.low < gain.points && gain.points < gain.high && gain.p > 0.0 && gain.p <= 1.0, "{gain:?}");
            let back = pairs_of(&summary, "eager", &methods[0], &methods[3], metric).unwrap();
            assert_eq!(back.gain().p, gain.p);
            let mean = Pairs::mean(&[pairs.clone(), back]).unwrap().gain();
            assert!(mean.points.abs() < 1e-9 && mean.p > 0.99, "{mean:?}");
            assert_eq!(pairs.n_sentences(), summary.plan.treebanks.iter().map(|t| t.test.n_sentences()).sum::<usize>());
        }
    }
}
