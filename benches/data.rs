//! The sentences and the model that benchmarks share.

use std::path::PathBuf;
use std::sync::LazyLock;

use treebeam::decode::{Decoder, Workspace};
use treebeam::features::Input;
use treebeam::learn::{Keep, Progress, Run as _, TrainOptions, Trainer, Training, TrainingData};
use treebeam::model::{FrozenWeights, Model};
use treebeam::system::{ArcEager, EasyFirst, Roots, SystemKind};
use treebeam::tree::{Gold, Labels};
use treebeam::treebank::generate::{Options, sentences};
use treebeam::treebank::{Format, Sentence, Treebank};

/// `n_sentences` generated sentences, projective ones.
pub fn generated(seed: u64, n_sentences: usize) -> Treebank {
    let sentences = sentences(Options { seed, n_sentences, non_projective: false }).collect();
    Treebank { path: PathBuf::from("generated"), format: Format::Conllu, sentences, sha256: String::new() }
}

/// The number of sentences in [`TEST`].
pub const N: usize = 200;

/// The sentences to work on.
pub static TEST: LazyLock<Treebank> = LazyLock::new(|| generated(2, N));

/// An arc-eager model with the 72 templates of Zhang & Nivre (2011), trained on other sentences.
pub static MODEL: LazyLock<Model> = LazyLock::new(|| trained(TrainOptions::default()));

/// An easy-first model, trained greedily on the same sentences.
pub static EASY_FIRST: LazyLock<Model> = LazyLock::new(|| {
    let (system, features) = (SystemKind::EasyFirst, SystemKind::EasyFirst.features().to_owned());
    trained(TrainOptions { system, features, training: Training::Greedy, ..TrainOptions::default() })
});

fn trained(options: TrainOptions) -> Model {
    let options = TrainOptions { iterations: 3.into(), keep: Keep::Last, ..options };
    let train = generated(1, 500);
    let data = TrainingData::new(&options, &train, None).expect("generated sentences are sound");
    let trainer = Trainer::new(&options, &data, 1).expect("the options agree");
    let mut progress = Progress::default();
    while !trainer.is_done(&progress) {
        trainer.iterate(&mut progress, &mut |_| ());
    }
    trainer.finish(&progress).expect("there were iterations")
}

/// The model's decoder.
pub fn decoder() -> Decoder<'static, ArcEager, FrozenWeights> {
    let Model { features, actions, weights, .. } = &*MODEL;
    Decoder { system: ArcEager::new(Roots::Single), features, actions, weights }
}

/// The easy-first model's decoder.
pub fn easy_first_decoder() -> Decoder<'static, EasyFirst, FrozenWeights> {
    let Model { features, actions, weights, .. } = &*EASY_FIRST;
    Decoder { system: EasyFirst::new(Roots::Single), features, actions, weights }
}

/// What the model's features read of `sentences`.
pub fn inputs(sentences: &[Sentence]) -> Vec<Input> {
    sentences.iter().map(|sentence| Input::new(MODEL.features.columns(), sentence)).collect()
}

/// The gold trees of [`TEST`], with the model's labels.
pub fn golds() -> Vec<Gold> {
    let mut labels: Labels = MODEL.outcome.labels().clone();
    let trees = TEST.trees(Roots::Single, &mut labels).expect("generated sentences are sound");
    trees.into_iter().map(Gold::new).collect()
}

/// Scratch memory for the model.
pub fn workspace() -> Workspace {
    Workspace::new(MODEL.actions.n_labels())
}

/// The sum of the scores of the best derivations.
pub fn decode(inputs: &[Input], workspace: &mut Workspace, width: usize) -> i64 {
    let decode = |input| {
        workspace.input.clone_from(input);
        decoder().decode(workspace, width, 1)[0].score
    };
    inputs.iter().map(decode).sum()
}
