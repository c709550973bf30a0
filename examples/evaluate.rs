//! Compares two ways of decoding with one model: attachment scores, and whether the difference is significant.
//!
//! `cargo run --release --example evaluate`

use treebeam::eval::significance::{bootstrap_difference, randomisation};
use treebeam::prelude::*;

fn main() -> Result<(), Error> {
    treebeam_systems::register();
    let generated =
        |seed, n_sentences| generate::treebank(generate::GeneratorOptions { seed, n_sentences, non_projective: false });
    let (train, test) = (generated(1, 500), generated(2, 200));
    let options = TrainOptions { iterations: 3.into(), ..TrainOptions::default() };
    let data = TrainingData::new(&options, &train, None)?;
    let model = train_model(&options, &data, 2)?;

    // By sentence, what is right; punctuation is not scored.
    let scored = |width: usize| -> Result<Vec<Counts>, Error> {
        let parsed = Parser::new(&model, width, 2)?.parse(&test.sentences, 1);
        let counts = test.sentences.iter().zip(&parsed).map(|(sentence, parsed)| {
            let tree = &parsed[0].tree;
            let gold = Analysis {
                heads: sentence.heads(Roots::Single)?,
                labels: sentence.words().map(|word| sentence.deprel(word)).collect(),
            };
            let system = Analysis { heads: tree.heads().to_vec(), labels: model.labels().names_of(tree) };
            let is_scored = |i: usize| {
                let word = i as Node + 1;
                !PunctuationRule::Upos.applies(sentence.form(word), sentence.column(word, Column::Upos))
            };
            Ok(count(&gold, &system, is_scored, Granularity::Full))
        });
        counts.collect()
    };
    let (greedy, beam) = (scored(1)?, scored(16)?);

    for (name, counts) in [("greedy", &greedy), ("beam 16", &beam)] {
        let all: Counts = counts.iter().sum();
        println!("{name}: UAS {:.2}, LAS {:.2}, {} words", all.uas(), all.las(), all.tokens);
    }
    let p = randomisation(&greedy, &beam, Metric::Las, 10_000, 1);
    let gained = bootstrap_difference(&greedy, &beam, Metric::Las, 10_000, 1);
    println!("the beam gains between {:.2} and {:.2} points of LAS (95 %), p = {p:.4}", gained.low, gained.high);
    Ok(())
}
