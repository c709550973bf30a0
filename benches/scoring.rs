//! Scoring every configuration of gold derivations, with and without memory.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, LabelSets, View as _};
use treebeam::linear::LinearMemory;
use treebeam::scorer::{Context, Query, Scorer as _};
use treebeam::system::Permitted;

use crate::data::{MODEL, N, TEST, golds, inputs};
use crate::features::trace;

/// Configurations per second. On a single derivation there is little to remember: that pays in a beam.
pub fn bench(c: &mut Criterion) {
    let (bump, sets) = (Bump::new(), LabelSets::new(MODEL.actions.n_labels()));
    let scorer = MODEL.scorer.linear_scorer();
    let arena = Arena::new(&bump, &sets, scorer.masks());
    let traces: Vec<_> =
        inputs(&TEST.sentences).into_iter().zip(golds()).map(|(input, gold)| (input, trace(&gold, arena))).collect();
    let mut plain = LinearMemory::default();
    let sum = |scores: &[i32]| scores.iter().map(|&score| i64::from(score)).sum::<i64>();
    let mut plainly = || {
        let mut total = 0;
        for (input, trace) in &traces {
            let context = Context { input, label_sets: &sets, actions: &MODEL.actions };
            scorer.begin(&mut plain, context);
            total += trace.iter().map(|c| sum(plain.score_plainly(&scorer, context, &c.cells(0)).0)).sum::<i64>();
        }
        total
    };
    let expected = plainly();
    let mut memoising = LinearMemory::default();
    let mut group = c.benchmark_group("scoring");
    group.throughput(Throughput::Elements(2 * TEST.n_words() as u64));
    group.bench_function(format!("plain/{N}-sentences"), |b| b.iter(|| assert_eq!(plainly(), expected)));
    group.bench_function(format!("memoised/{N}-sentences"), |b| {
        b.iter(|| {
            let mut total = 0;
            for (input, trace) in &traces {
                let context = Context { input, label_sets: &sets, actions: &MODEL.actions };
                scorer.begin(&mut memoising, context);
                for view in trace {
                    let query = Query { view, point: 0, permitted: Permitted::default() };
                    total += sum(scorer.score_one(&mut memoising, context, query));
                }
            }
            assert_eq!(total, expected);
        });
    });
    group.finish();
}
