//! Following the static oracle, with configurations in an arena and with plain ones.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, ArenaConfiguration, LabelSets, PlainConfiguration};
use treebeam::system::{Derivation, Roots, SystemKind};
use treebeam::with_system;

use crate::data::{MODEL, N, TEST, golds};

/// Transitions per second, the oracle's decisions included; two per word.
pub fn bench(c: &mut Criterion) {
    let golds = golds();
    let mut group = c.benchmark_group("transitions");
    group.throughput(Throughput::Elements(2 * TEST.n_words() as u64));
    let check = |derivation: Option<Derivation>, n_words: usize| {
        let derivation = derivation.expect("the sentences are projective");
        assert_eq!(derivation.actions.len(), 2 * n_words);
    };
    for &kind in SystemKind::ALL {
        with_system!(kind, Roots::Single, |system| {
            let (mut bump, sets) = (Bump::new(), LabelSets::new(MODEL.actions.n_labels()));
            group.bench_function(format!("{kind}/arena/{N}-sentences"), |b| {
                b.iter(|| {
                    for gold in &golds {
                        bump.reset();
                        let arena = Arena::new(&bump, &sets, MODEL.features.masks());
                        check(Derivation::canonical::<_, ArenaConfiguration>(&system, gold, arena), gold.n_words());
                    }
                });
            });
            group.bench_function(format!("{kind}/plain/{N}-sentences"), |b| {
                b.iter(|| {
                    for gold in &golds {
                        check(Derivation::canonical::<_, PlainConfiguration>(&system, gold, ()), gold.n_words());
                    }
                });
            });
        });
    }
    group.finish();
}
