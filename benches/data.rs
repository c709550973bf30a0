//! The sentences and the model that benchmarks share.

use std::path::PathBuf;
use std::sync::LazyLock;

use treebeam::decode::{Decoder, Workspace};
use treebeam::features::Input;
use treebeam::learn::{Keep, TrainOptions, Training, TrainingData, train};
use treebeam::linear::{FrozenWeights, LinearModel, LinearScorer};
use treebeam::model::Frozen as _;
use treebeam::system::{AnySystem, OverPending, OverStacks, Roots};
use treebeam::tree::{Gold, Labels};
use treebeam::treebank::generate::{GeneratorOptions, sentences};
use treebeam::treebank::{Format, Sentence, Treebank};

/// `n_sentences` generated sentences, projective ones.
pub fn generated(seed: u64, n_sentences: usize) -> Treebank {
    let sentences = sentences(GeneratorOptions { seed, n_sentences, non_projective: false }).collect();
    Treebank { path: PathBuf::from("generated"), format: Format::Conllu, sentences, sha256: String::new() }
}

/// The number of sentences in [`TEST`].
pub const N: usize = 200;

/// The sentences to work on.
pub static TEST: LazyLock<Treebank> = LazyLock::new(|| generated(2, N));

/// An arc-eager model with the 72 templates of Zhang & Nivre (2011), trained on other sentences.
pub static MODEL: LazyLock<LinearModel> = LazyLock::new(|| trained(TrainOptions::default()));

/// An easy-first model, trained greedily on the same sentences.
pub static EASY_FIRST: LazyLock<LinearModel> = LazyLock::new(|| {
    let (system, features) = (treebeam_systems::EASY_FIRST, treebeam_systems::EASY_FIRST.info().features.to_owned());
    trained(TrainOptions { system, features, training: Training::Greedy, ..TrainOptions::default() })
});

fn trained(options: TrainOptions) -> LinearModel {
    let options = TrainOptions { iterations: 3.into(), keep: Keep::Last, ..options };
    let data = TrainingData::new(&options, &generated(1, 500), None).expect("generated sentences are sound");
    train(&options, &data, 1).expect("the options agree")
}

static SCORER: LazyLock<LinearScorer<'static, FrozenWeights>> = LazyLock::new(|| MODEL.scorer.linear_scorer());
static EASY_FIRST_SCORER: LazyLock<LinearScorer<'static, FrozenWeights>> =
    LazyLock::new(|| EASY_FIRST.scorer.linear_scorer());

/// The model's decoder.
pub fn decoder() -> Decoder<'static, &'static dyn OverStacks> {
    Decoder::new(treebeam_systems::ARC_EAGER.over_stacks(Roots::Single), &MODEL.actions, &*SCORER)
}

/// The easy-first model's decoder.
pub fn easy_first_decoder() -> Decoder<'static, &'static dyn OverPending> {
    let AnySystem::Pending(system) = treebeam_systems::EASY_FIRST.system(Roots::Single) else {
        unreachable!("easy-first has pending nodes")
    };
    Decoder::new(system, &EASY_FIRST.actions, &*EASY_FIRST_SCORER)
}

/// Inputs of the model's features for `sentences`.
pub fn inputs(sentences: &[Sentence]) -> Vec<Input> {
    sentences.iter().map(|sentence| Input::new(MODEL.scorer.columns(), sentence)).collect()
}

/// The gold trees of [`TEST`], with the model's labels.
pub fn golds() -> Vec<Gold> {
    let mut labels: Labels = MODEL.label_decoding.labels().clone();
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
