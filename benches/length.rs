//! Speed against the length of the sentence: the stacks share their structure, and greedy easy-first looks again only where
//! something changed, so that the rows should be flat.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use treebeam::decode::{Decoder, Parsed, Workspace};
use treebeam::features::{Columns, Input};
use treebeam::model::Frozen as _;
use treebeam::system::TransitionSystem;
use treebeam::treebank::{Column, Format, Sentence, Treebank};

use crate::data::{EASY_FIRST, MODEL, decoder, easy_first_decoder, generated};

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
            let sentence = joined(&treebank, n_words);
            let name = format!("width-{width}/{n_words}-words");
            bench_sentence(&mut group, &name, &decoder(), (MODEL.scorer.columns(), &sentence), |decoder, workspace| {
                decoder.decode(workspace, width, 1).swap_remove(0)
            });
        }
    }
    let easy_first = easy_first_decoder();
    for n_words in [25, 50, 100, 200, 400, 800] {
        let sentence = joined(&treebank, n_words);
        let name = format!("easy-first-greedy/{n_words}-words");
        bench_sentence(
            &mut group,
            &name,
            &easy_first,
            (EASY_FIRST.scorer.columns(), &sentence),
            |decoder, workspace| decoder.decode(workspace, 1, 1).swap_remove(0),
        );
        // The reference, which looks at every point before every move.
        let name = format!("easy-first-by-beam/{n_words}-words");
        bench_sentence(
            &mut group,
            &name,
            &easy_first,
            (EASY_FIRST.scorer.columns(), &sentence),
            |decoder, workspace| decoder.decode_by_beam(workspace, 1, 1).swap_remove(0),
        );
    }
    group.finish();
}

fn bench_sentence<S: TransitionSystem>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    decoder: &Decoder<'static, S>,
    (columns, sentence): (&Columns, &Sentence),
    decode: impl Fn(&Decoder<'static, S>, &mut Workspace) -> Parsed,
) {
    let input = Input::new(columns, sentence);
    let n_words = input.n_words();
    let mut workspace = Workspace::new(decoder.machine.actions.n_labels());
    group.throughput(Throughput::Elements(n_words as u64));
    group.bench_function(name, |b| {
        b.iter(|| {
            workspace.input.clone_from(&input);
            let tree = decode(decoder, &mut workspace).tree;
            assert_eq!((tree.n_words(), tree.n_roots()), (n_words, 1));
        });
    });
}
