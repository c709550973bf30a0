//! The best trees of a sentence that is made of columns, with their scores.
//!
//! `cargo run --release --example k_best`

use treebeam::prelude::*;

fn main() -> Result<(), Error> {
    treebeam_systems::register();
    let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 500, non_projective: false });
    let options = TrainOptions { iterations: 3.into(), ..TrainOptions::default() };
    let data = TrainingData::new(&options, &train, None)?;
    let model = train_model(&options, &data, 1)?;

    // Words and tags as another program gives them: here, those of a sentence that was not trained on.
    let other = generate::GeneratorOptions { seed: 2, n_sentences: 1, non_projective: false };
    let given: Vec<Sentence> = generate::sentences(other).collect();
    let given = &given[0];
    let known = |word: Node| [Column::Form, Column::Upos].map(|column| (column, given.column(word, column)));
    let sentence = Sentence::from_columns("given", Format::Conllu, given.words().map(known))?;

    let (width, k) = (16, 5);
    let mut parser = Parser::new(&model, width, 1)?;
    for (rank, parsed) in parser.parse(&[sentence], k).remove(0).iter().enumerate() {
        let arcs = parsed.tree.words().zip(model.labels().names_of(&parsed.tree));
        let arcs = arcs.map(|(word, label)| format!("{label}({}, {word})", parsed.tree.head(word)));
        println!("{}. {}: {}", rank + 1, parsed.score, arcs.collect::<Vec<String>>().join(" "));
    }
    Ok(())
}
