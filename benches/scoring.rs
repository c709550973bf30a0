//! Scoring every configuration of gold derivations, with and without memory.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, LabelSets, View as _};
use treebeam::decode::Scorer;

use crate::data::{MODEL, N, TEST, golds, inputs};
use crate::features::trace;

/// Configurations per second. On a single derivation there is little to remember: that pays in a beam.
pub fn bench(c: &mut Criterion) {
    let (bump, sets) = (Bump::new(), LabelSets::new(MODEL.actions.n_labels()));
    let (features, weights, width) = (&MODEL.features, &MODEL.weights, MODEL.actions.width());
    let arena = Arena::new(&bump, &sets, features.masks());
    let traces: Vec<_> =
        inputs(&TEST.sentences).into_iter().zip(golds()).map(|(input, gold)| (input, trace(&gold, arena))).collect();
    let mut scorer = Scorer::default();
    let sum = |scores: &[i32]| scores.iter().map(|&score| i64::from(score)).sum::<i64>();
    let mut plainly = || {
        let mut total = 0;
        for (input, trace) in &traces {
            scorer.start(width, false);
            total += trace
                .iter()
                .map(|c| sum(scorer.score_plainly(features, weights, input, &sets, &c.cells(0)).0))
                .sum::<i64>();
        }
        total
    };
    let expected = plainly();
    let mut memoising = Scorer::default();
    let mut group = c.benchmark_group("scoring");
    group.throughput(Throughput::Elements(2 * TEST.n_words() as u64));
    group.bench_function(format!("plain/{N}-sentences"), |b| b.iter(|| assert_eq!(plainly(), expected)));
    group.bench_function(format!("memoised/{N}-sentences"), |b| {
        b.iter(|| {
            let mut total = 0;
            for (input, trace) in &traces {
                memoising.start(width, false);
                total +=
                    trace.iter().map(|c| sum(memoising.score(features, weights, input, &sets, (c, 0)))).sum::<i64>();
            }
            assert_eq!(total, expected);
        });
    });
    group.finish();
}
