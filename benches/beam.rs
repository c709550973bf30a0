//! One step of the beam: choosing the best of all successors of all items.

use criterion::{Criterion, Throughput};
use treebeam::decode::{Beam, Selection};
use treebeam::random;
use treebeam::scorer::{Scores, Vectors};
use treebeam::system::{ActionId, FORBIDDEN};

/// Actions of each item; some are not permitted.
const N_ACTIONS: usize = 80;

/// Candidates per second.
pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("beam-step");
    for width in [8, 64] {
        let mut rng = random::stream(1, "beam", &[width as u64]);
        let mut draw = |bound: u64| random::below(bound, &mut rng);
        let mut bases: Vec<i64> = (0..width).map(|_| draw(1 << 22) as i64).collect();
        bases.sort_unstable_by(|a, b| b.cmp(a));
        let scores: Vec<Vec<i32>> =
            (0..width).map(|_| (0..N_ACTIONS).map(|_| draw(1 << 22) as i32 - (1 << 21)).collect()).collect();
        let mask: Vec<i32> = (0..N_ACTIONS).map(|_| if draw(4) == 0 { FORBIDDEN } else { 0 }).collect();

        let mut expected: Vec<(i64, u32, ActionId)> = Vec::new();
        for (rank, scores) in scores.iter().enumerate() {
            let permitted = (0..N_ACTIONS).filter(|&action| mask[action] == 0);
            let candidate =
                |action: usize| (-(bases[rank] + i64::from(scores[action])), rank as u32, action as ActionId);
            expected.extend(permitted.map(candidate));
        }
        expected.sort_unstable();
        expected.truncate(width);

        let mut vectors = Vectors::default();
        vectors.clear(N_ACTIONS);
        scores.iter().for_each(|scores| vectors.push_zero().copy_from_slice(scores));
        let mut selection = Selection::default();
        group.throughput(Throughput::Elements((width * N_ACTIONS) as u64));
        group.bench_function(format!("width-{width}/{N_ACTIONS}-actions"), |b| {
            b.iter(|| {
                let mut beam = Beam::new(width, bases[0], &mut selection);
                for (rank, &base) in bases.iter().enumerate() {
                    beam.offer_all(rank as u32, 0, base, Scores::new(&vectors, &[rank as u32]), &mask);
                }
                let chosen = beam.finish().iter().map(|c| (-c.score(), c.rank(), c.choice().action));
                assert!(chosen.eq(expected.iter().copied()));
            });
        });
    }
    group.finish();
}
