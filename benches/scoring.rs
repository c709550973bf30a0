//! Scoring every configuration of gold derivations, with and without memory.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, Interner, SharedConfiguration as _, View};
use treebeam::features::Input;
use treebeam::linear::LinearMemory;
use treebeam::scorer::{Context, Opaque, Query, Scorer as _};
use treebeam::system::Permitted;

use crate::data::{MODEL, N, TEST, golds, inputs};
use crate::features::trace;

/// Configurations per second. On a single derivation there is little to remember: that pays in a beam.
pub fn bench(c: &mut Criterion) {
    let (bump, scorer) = (Bump::new(), MODEL.scorer.linear_scorer());
    let golds = golds();
    let interners: Vec<Interner> = golds.iter().map(|_| Interner::new(MODEL.actions.n_labels())).collect();
    let mut traces: Vec<(Input, Vec<View>)> = Vec::new();
    for (input, (gold, interner)) in inputs(&TEST.sentences).into_iter().zip(golds.iter().zip(&interners)) {
        interner.start(scorer.reads());
        let views = trace(gold, Arena::new(&bump, interner)).into_iter();
        traces.push((input, views.map(|c| View { cells: c.cells(0), history: None }).collect()));
    }
    let (mut plain, mut memory) = (LinearMemory::default(), Opaque::default());
    let sum = |scores: &[i32]| scores.iter().map(|&score| i64::from(score)).sum::<i64>();
    let context = |input, interner| Context { input, interner, actions: &MODEL.actions };
    let mut plainly = || {
        let mut total = 0;
        for ((input, trace), interner) in traces.iter().zip(&interners) {
            let context = context(input, interner);
            plain.begin(context);
            total += trace.iter().map(|view| sum(plain.score_plainly(&scorer, context, view).0)).sum::<i64>();
        }
        total
    };
    let expected = plainly();
    let mut group = c.benchmark_group("scoring");
    group.throughput(Throughput::Elements(2 * TEST.n_words() as u64));
    group.bench_function(format!("plain/{N}-sentences"), |b| b.iter(|| assert_eq!(plainly(), expected)));
    group.bench_function(format!("memoised/{N}-sentences"), |b| {
        b.iter(|| {
            let mut total = 0;
            for ((input, trace), interner) in traces.iter().zip(&interners) {
                let context = context(input, interner);
                scorer.begin(&mut memory, context);
                for &view in trace {
                    let query = Query { view, permitted: Permitted::default() };
                    total += sum(scorer.score_one(&mut memory, context, &query));
                }
            }
            assert_eq!(total, expected);
        });
    });
    group.finish();
}
