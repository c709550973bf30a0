//! Following the static oracle, with configurations in an arena and with plain ones.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, Interner};
use treebeam::system::{Derivation, Roots, SystemKind, TransitionSystem};
use treebeam::with_system;

use crate::data::{MODEL, N, TEST, golds};

/// Transitions per second, the oracle's decisions included; two per word in systems of constant length.
pub fn bench(c: &mut Criterion) {
    for &kind in SystemKind::all() {
        with_system!(kind, Roots::Single, |system| bench_system(c, &system));
    }
}

fn bench_system<S: TransitionSystem>(c: &mut Criterion, system: &S) {
    let golds = golds();
    let mut group = c.benchmark_group("transitions");
    group.throughput(Throughput::Elements(2 * TEST.n_words() as u64));
    let check = |derivation: Option<Derivation>, n_words: usize| {
        let derivation = derivation.expect("the sentences are projective");
        assert!((n_words..=system.max_derivation_len(n_words)).contains(&derivation.actions.len()));
    };
    let (mut bump, interner) = (Bump::new(), Interner::new(MODEL.actions.n_labels()));
    group.bench_function(format!("{}/arena/{N}-sentences", system.info().name), |b| {
        b.iter(|| {
            for gold in &golds {
                bump.reset();
                interner.start(MODEL.scorer.features().reads());
                let arena = Arena::new(&bump, &interner);
                check(Derivation::canonical::<S, S::Shared<'_>>(system, gold, arena), gold.n_words());
            }
        });
    });
    group.bench_function(format!("{}/plain/{N}-sentences", system.info().name), |b| {
        b.iter(|| {
            for gold in &golds {
                check(Derivation::canonical::<S, S::Plain>(system, gold, ()), gold.n_words());
            }
        });
    });
    group.finish();
}
