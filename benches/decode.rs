//! Parsing whole sentences.

use criterion::{Criterion, Throughput};

use crate::data::{N, TEST, decode, inputs, workspace};

/// Words per second.
pub fn bench(c: &mut Criterion) {
    let inputs = inputs(&TEST.sentences);
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(TEST.n_words() as u64));
    for width in [1, 8, 64] {
        // Sentence by sentence with fresh memory: what is left behind by one must not change the next.
        let expected: i64 =
            inputs.iter().map(|input| decode(std::slice::from_ref(input), &mut workspace(), width)).sum();
        let mut workspace = workspace();
        group.bench_function(format!("width-{width}/{N}-sentences"), |b| {
            b.iter(|| assert_eq!(decode(&inputs, &mut workspace, width), expected));
        });
    }
    group.finish();
}
