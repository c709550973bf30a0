//! Speed against the length of the sentence: the stacks share their structure, so that the rows should be flat.

use criterion::{Criterion, Throughput};
use treebeam::features::Input;
use treebeam::treebank::{Column, Format, Sentence, Treebank};

use crate::data::{MODEL, decoder, generated, workspace};

/// The first `n_words` words of `treebank` as one sentence.
fn joined(treebank: &Treebank, n_words: usize) -> Sentence {
    let words = treebank.sentences.iter().flat_map(|sentence| sentence.words().map(move |word| (sentence, word)));
    let line = |(i, (sentence, word)): (usize, (&Sentence, u16))| {
        let (form, tag) = (sentence.form(word), sentence.column(word, Column::Upos));
        format!("{}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n", i + 1)
    };
    let text: String = words.take(n_words).enumerate().map(line).collect();
    Sentence::new("joined", Format::Conllu, &text).expect("the block is well formed")
}

/// Words per second: the time of a word is its inverse.
pub fn bench(c: &mut Criterion) {
    let treebank = generated(3, 200);
    let mut group = c.benchmark_group("length");
    for width in [8, 64] {
        for n_words in [25, 50, 100, 200, 400, 800, 1600] {
            let input = Input::new(MODEL.features.columns(), &joined(&treebank, n_words));
            assert_eq!(input.n_words(), n_words);
            let mut workspace = workspace();
            group.throughput(Throughput::Elements(n_words as u64));
            group.bench_function(format!("width-{width}/{n_words}-words"), |b| {
                b.iter(|| {
                    workspace.input.clone_from(&input);
                    let parsed = decoder().decode(&mut workspace, width, 1);
                    assert_eq!((parsed[0].tree.n_words(), parsed[0].tree.n_roots()), (n_words, 1));
                });
            });
        }
    }
    group.finish();
}
