//! Extracting the features of every configuration of gold derivations.

use bumpalo::Bump;
use criterion::{Criterion, Throughput};
use treebeam::configuration::{Arena, ArenaConfiguration, Interner, SharedConfiguration as _, View};
use treebeam::features::{BUILT_IN, Columns, Compiled, FeatureSet, Input, WordShape};
use treebeam::linear::LinearMemory;
use treebeam::scorer::Context;
use treebeam::system::{Derivation, Roots};
use treebeam::treebank::Column;

use crate::data::{MODEL, N, TEST, golds};

/// The configurations of the derivation that `gold`'s static oracle follows, but for the terminal one.
pub fn trace<'a>(gold: &treebeam::tree::Gold, arena: Arena<'a>) -> Vec<ArenaConfiguration<'a>> {
    let system = treebeam_systems::ARC_EAGER.over_stacks(Roots::Single);
    let derivation = Derivation::canonical::<_, ArenaConfiguration>(&system, gold, arena);
    let initial: ArenaConfiguration = system.initial(arena, gold.n_words());
    let mut trace = vec![initial];
    for action in derivation.expect("the sentences are projective").actions {
        trace.push(system.successor(&trace[trace.len() - 1], action, arena));
    }
    trace.truncate(2 * gold.n_words());
    trace
}

/// Features per second.
pub fn bench(c: &mut Criterion) {
    let golds = golds();
    let bump = Bump::new();
    let mut group = c.benchmark_group("features");
    for (name, _) in BUILT_IN {
        let set = FeatureSet::load(name).expect("the set is built in");
        let features = Compiled::new(&set, Columns::of(&set, Column::Form, WordShape::AsWritten, Column::Upos), true);
        let interners: Vec<Interner> = golds.iter().map(|_| Interner::new(MODEL.actions.n_labels())).collect();
        let inputs = TEST.sentences.iter().map(|sentence| Input::new(features.columns(), sentence));
        let traces: Vec<_> = inputs
            .zip(golds.iter().zip(&interners))
            .map(|(input, (gold, interner))| (input, interner, trace(gold, Arena::new(&bump, interner))))
            .collect();
        let n_features = 2 * TEST.n_words() * features.n_templates();
        group.throughput(Throughput::Elements(n_features as u64));
        let mut scorer = LinearMemory::default();
        let mut expected = None;
        group.bench_function(format!("{name}/{N}-sentences"), |b| {
            b.iter(|| {
                let (mut n, mut sum) = (0, 0u64);
                for (input, interner, trace) in &traces {
                    for configuration in trace {
                        let context = Context { input, interner, actions: &MODEL.actions };
                        let hashes =
                            scorer.features(&features, context, &View { cells: configuration.cells(0), history: None });
                        n += hashes.len();
                        sum = hashes.iter().fold(sum, |sum, hash| sum.wrapping_add(*hash));
                    }
                }
                assert_eq!((n, sum), (n_features, *expected.get_or_insert(sum)));
            });
        });
    }
    group.finish();
}
