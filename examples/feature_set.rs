//! Trains with a feature set of one's own, beside a built-in one.
//!
//! `cargo run --release --example feature_set [FEATURES.feat]`

use treebeam::prelude::*;

/// A template a line; `slot` and `cross` make all conjunctions of the slots that are named. `treebeam features --help`
/// lists what can be read.
const TAGS: &str = "\
# the tags of the words at hand, and one dependent on either side
S0.p
B0.p
S0.p B0.p
S0.p B0.p B1.p
S1.p S0.p B0.p
S0.l1.p S0.p B0.p
S0.r1.p S0.p B0.p
S0.w B0.w
";

fn main() -> Result<(), Error> {
    treebeam_systems::register();
    let generated =
        |seed, n_sentences| generate::treebank(generate::GeneratorOptions { seed, n_sentences, non_projective: false });
    let own = std::env::temp_dir().join(format!("treebeam-example-{}.feat", std::process::id()));
    let path = match std::env::args().nth(1) {
        Some(path) => path,
        None => {
            std::fs::write(&own, TAGS).map_err(Error::io(&own))?;
            own.display().to_string()
        }
    };
    let (train, dev) = (generated(1, 500), generated(2, 200));
    for features in [path.as_str(), "stack"] {
        let set = FeatureSet::load(features)?;
        let options = TrainOptions { features: features.to_owned(), iterations: 5.into(), ..TrainOptions::default() };
        let data = TrainingData::new(&options, &train, Some(&dev))?;
        let model = train_model(&options, &data, 2)?;
        let parsed = Parser::new(&model, options.beam, 2)?.parse(&dev.sentences, 1);
        let mut right = 0;
        for (sentence, parsed) in dev.sentences.iter().zip(&parsed) {
            let heads = sentence.heads(Roots::Single)?;
            right += heads.iter().zip(parsed[0].tree.heads()).filter(|(gold, head)| gold == head).count();
        }
        println!(
            "{}: {} templates, UAS {:.2}",
            set.title(),
            set.templates.len(),
            100.0 * right as f64 / dev.n_words() as f64
        );
    }
    // A model file holds the text of its set, so that the file with the templates is not needed for parsing.
    let _ = std::fs::remove_file(own);
    Ok(())
}
