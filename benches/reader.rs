//! Reading CoNLL-U.

use criterion::{Criterion, Throughput};
use treebeam::treebank::{Format, Reader};

use crate::data::{N, TEST};

/// Bytes per second from memory to checked sentences.
pub fn bench(c: &mut Criterion) {
    let mut text = Vec::new();
    TEST.sentences.iter().try_for_each(|sentence| sentence.write(&mut text)).expect("memory takes everything");
    let mut group = c.benchmark_group("reader");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function(format!("{N}-sentences"), |b| {
        b.iter(|| {
            let words = Reader::new(&text[..], "memory", Format::Conllu).map(|s| s.map(|s| s.n_words()));
            let words: usize = words.sum::<Result<usize, _>>().expect("the text is sound");
            assert_eq!(words, TEST.n_words());
        });
    });
    group.finish();
}
