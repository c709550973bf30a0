//! A scorer of another kind than the library's: unlabelled bigrams of tags. It shows what adding a kind of scorer takes, and
//! that everything else works with it: greedy and global training and learning to search, beams, files, checkpoints.

use std::path::Path;

use treebeam::configuration::{Reads, Role, Slot, View};
use treebeam::decode::{Decoder, Parser, Workspace};
use treebeam::error::Result;
use treebeam::features::{Columns, Input, Vocabulary};
use treebeam::files::{Section, Sections};
use treebeam::learn::{Keep, Learner, Objective, TrainOptions, Training, TrainingData, start_with};
use treebeam::model::{Averaged, DroppedFeatures, Frozen, Header, Model, Scoring, Seen, Size, Trainable};
use treebeam::scorer::{Context, Opaque, Query, Scorer, StepScores};
use treebeam::system::{OracleKind, Roots};
use treebeam::tree::NO_NODE;
use treebeam::treebank::Sentence;

use crate::common::{generated, treebank};

/// The weight of every move for every pair of tags, of S0 and of B0. All labels of a move score alike.
#[derive(Debug, Clone, PartialEq)]
struct TagBigrams {
    columns: Columns,
    vocabulary: Vocabulary,
    /// The move of each action, by output.
    moves: Vec<usize>,
    /// By the tags' numbers and the move.
    weights: Vec<i32>,
    /// The sum of the weights after each sentence, and the number of sentences: their average is what stays.
    sums: Vec<i64>,
    n_sentences: i64,
    /// Nodes alone are read.
    reads: Reads,
}

const N_MOVES: usize = 16;

impl TagBigrams {
    fn new(data: &TrainingData) -> TagBigrams {
        let inputs = data.examples().iter().map(|example| &example.input);
        let vocabulary = Vocabulary::new(inputs, data.columns().len(), 1);
        let columns = data.columns().clone();
        TagBigrams::with(columns, vocabulary, data.actions(), None)
    }

    fn with(
        columns: Columns,
        vocabulary: Vocabulary,
        actions: &treebeam::system::Actions,
        weights: Option<Vec<i32>>,
    ) -> TagBigrams {
        let moves = (0..actions.len() as u16).map(|id| actions.get(id).mv as usize).collect();
        let n = vocabulary.len(columns.word_and_tag().1).pow(2) * N_MOVES;
        let weights = weights.unwrap_or_else(|| vec![0; n]);
        TagBigrams {
            columns,
            vocabulary,
            moves,
            sums: vec![0; n],
            weights,
            n_sentences: 0,
            reads: Reads::of([Slot::Node]),
        }
    }

    /// Start of the weights of the moves.
    fn place(&self, input: &Input, view: &View) -> usize {
        let tag = self.columns.word_and_tag().1;
        let node = |role| view.cell(role).map_or(NO_NODE, |cell| cell.node());
        let [s0, b0] = [Role::S0, Role::B0].map(|role| input.id(tag, node(role)) as usize);
        (s0 * self.vocabulary.len(tag) + b0) * N_MOVES
    }
}

/// The scores of a step, and of one configuration.
#[derive(Debug, Default)]
struct Memory {
    step: StepScores,
    one: Vec<i32>,
}

impl Scorer for &TagBigrams {
    fn reads(&self) -> &Reads {
        &self.reads
    }

    fn begin(&self, _: &mut Opaque, _: Context) {}

    fn forget(&self, _: &mut Opaque) {}

    fn score<'s>(&self, memory: &'s mut Opaque, context: Context, queries: &[Query]) -> &'s mut StepScores {
        let Memory { step, .. } = memory.get();
        step.clear();
        // Queries that read the same weights and permit the same share a row.
        let mut places = Vec::new();
        for query in queries {
            let place = self.place(context.input, &query.view);
            places.extend(step.ask(place as u64, query.permitted).map(|_| place));
        }
        step.fill(context.actions, |row, _, scores| {
            self.moves.iter().zip(scores).for_each(|(mv, score)| *score = self.weights[places[row] + mv]);
        });
        step
    }

    fn score_one<'s>(&self, memory: &'s mut Opaque, context: Context, query: &Query) -> &'s [i32] {
        let Memory { one, .. } = memory.get();
        let place = self.place(context.input, &query.view);
        one.clear();
        one.extend(self.moves.iter().map(|mv| self.weights[place + mv]));
        one.resize(context.actions.width(), 0);
        one
    }
}

impl Scoring for TagBigrams {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self)
    }
}

impl Frozen for TagBigrams {
    const KIND: &'static str = "tag-bigrams";

    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn vocabulary(&self) -> Option<&Vocabulary> {
        Some(&self.vocabulary)
    }

    fn scale(&self) -> u32 {
        1
    }

    fn size(&self) -> Size {
        let weights = self.weights.iter().filter(|weight| **weight != 0).count();
        Size { features: self.weights.len() / N_MOVES, weights }
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let column = |i: usize| {
            let values: Vec<u8> = self.vocabulary.values(i).into_iter().flat_map(u64::to_le_bytes).collect();
            Section::new(format!("vocabulary-{i}"), values)
        };
        let weights: Vec<u8> = self.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        (0..self.columns.len()).map(column).chain([Section::new("weights", weights)]).collect()
    }

    fn from_sections(sections: &Sections, header: &Header, actions: &treebeam::system::Actions) -> Result<TagBigrams> {
        let (_, columns) = header.feature_set()?;
        let numbers = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&number| u64::from_le_bytes(number)).collect();
        let values: Vec<Vec<u64>> = (0..columns.len())
            .map(|i| Ok::<_, treebeam::error::Error>(numbers(sections.get(&format!("vocabulary-{i}"))?)))
            .collect::<Result<_>>()?;
        let vocabulary = Vocabulary::from_values(values.iter().map(|values| &values[..]))
            .ok_or_else(|| sections.damaged("the vocabulary has a value twice"))?;
        let weights = sections.get("weights")?.as_chunks().0.iter().map(|&weight| i32::from_le_bytes(weight)).collect();
        let model = TagBigrams::with(columns, vocabulary, actions, Some(weights));
        if model.weights.len() != model.sums.len() {
            return Err(sections.damaged("the weights do not fit the vocabulary"));
        }
        Ok(model)
    }
}

impl Averaged for TagBigrams {
    type Finished = TagBigrams;

    fn n_features(&self) -> usize {
        self.weights.len() / N_MOVES
    }

    fn end_sentence(&mut self) {
        self.sums.iter_mut().zip(&self.weights).for_each(|(sum, weight)| *sum += i64::from(*weight));
        self.n_sentences += 1;
    }

    fn restart_average(&mut self) {
        self.sums.fill(0);
        self.n_sentences = 0;
    }

    fn finish(replicas: &[&TagBigrams]) -> TagBigrams {
        let mut sum = replicas[0].clone();
        for (i, weight) in sum.weights.iter_mut().enumerate() {
            *weight = replicas.iter().map(|r| 1000 * r.sums[i] / r.n_sentences.max(1)).sum::<i64>() as i32;
        }
        sum
    }

    fn save(&self) -> Vec<Section<'_>> {
        let numbers = [&[self.n_sentences][..], &self.sums].concat();
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let mut sections = self.sections();
        sections.push(Section::new("numbers", numbers));
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let weights = sections.get("weights")?.as_chunks().0.iter();
        self.weights = weights.map(|&weight| i32::from_le_bytes(weight)).collect();
        let numbers = sections.get("numbers")?.as_chunks().0.iter();
        let mut numbers = numbers.map(|&number| i64::from_le_bytes(number));
        self.n_sentences = numbers.next().unwrap_or(0);
        self.sums = numbers.collect();
        Ok(())
    }

    fn save_finished(finished: &TagBigrams) -> Vec<Section<'_>> {
        finished.sections()
    }

    fn load_finished(&self, sections: &Sections) -> Result<TagBigrams> {
        let mut finished = self.clone();
        let weights = sections.get("weights")?.as_chunks().0.iter();
        finished.weights = weights.map(|&weight| i32::from_le_bytes(weight)).collect();
        Ok(finished)
    }
}

impl Trainable for TagBigrams {
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        Box::new(self)
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }

    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, _: DroppedFeatures, seen: &mut Seen) {
        seen.set((&self).score_one(memory, context, query));
    }

    fn credit(
        &self,
        _: &mut Opaque,
        context: Context,
        query: &Query,
        _: Option<&Seen>,
        _: usize,
        gradient: &[(u32, f32)],
        into: &mut Opaque,
    ) {
        let place = self.place(context.input, &query.view);
        let into: &mut Vec<(usize, i32)> = into.get();
        into.extend(gradient.iter().map(|&(output, slope)| (place + self.moves[output as usize], -slope as i32)));
    }

    fn learn(&mut self, gradient: &mut Opaque) {
        let changes: &mut Vec<(usize, i32)> = gradient.get();
        changes.drain(..).for_each(|(weight, change)| self.weights[weight] += change);
    }

    fn squared_distance(&self, _: (&Seen, u32), _: (&Seen, u32)) -> f32 {
        2.0
    }
}

fn attached(model: &Model<TagBigrams>, test: &[Sentence], width: usize) -> usize {
    let parsed = Parser::new(model, width, 2).unwrap().parse(test, 1);
    let right = |(sentence, parsed): (&Sentence, &Vec<treebeam::decode::Parsed>)| {
        let gold = sentence.heads(Roots::Single).unwrap();
        gold.iter().zip(parsed[0].tree.heads()).filter(|(gold, head)| gold == head).count()
    };
    test.iter().zip(&parsed).map(right).sum()
}

#[test]
fn a_scorer_of_another_kind_is_trained_decoded_saved_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [model_file, checkpoint] = ["tags.model", "tags.model.checkpoint"].map(|name| folder.path().join(name));
    let (train, test) = (treebank(generated(61, 200)), generated(62, 60));
    let n_words: usize = test.iter().map(Sentence::n_words).sum();
    let base = TrainOptions {
        iterations: 4.into(),
        average_from: 0,
        replicas: 2,
        keep: Keep::Last,
        ..TrainOptions::default()
    };
    let schools = [
        TrainOptions { training: Training::Greedy, oracle: OracleKind::Dynamic, ..base.clone() },
        TrainOptions { training: Training::Global, beam: 8, ..base.clone() },
        TrainOptions { training: Training::Global, beam: 4, batch: 3, ..base.clone() },
        TrainOptions {
            training: Training::L2s,
            learner: Learner::Perceptron,
            objective: Some(Objective::Hinge),
            ..base
        },
    ];
    for options in schools {
        let mut data = TrainingData::new(&options, &train, None).unwrap();
        let untrained = TagBigrams::new(&data);
        data.number(&untrained.vocabulary);
        let new = |_| untrained.clone();
        let mut run = start_with(&options, &data, 2, new).unwrap();
        let mut resumed = start_with(&options, &data, 1, new).unwrap();
        for iteration in 0..options.schedule().stopping.most {
            run.iterate(&mut |_| ()).unwrap();
            if iteration == 1 {
                run.save(&checkpoint).unwrap();
                resumed.load(&checkpoint).unwrap();
            } else if iteration > 1 {
                resumed.iterate(&mut |_| ()).unwrap();
            }
        }
        let model = run.model().unwrap();
        assert!(resumed.model().unwrap().to_bytes() == model.to_bytes(), "{:?}", options.training);

        // Tags beside words distinguish what labels cannot: half of the heads, at least; with weights that are
        // all alike a fifth is right.
        let nothing = Model::new(model.header.clone(), untrained.clone()).unwrap();
        let [learned, narrow, at_first] =
            [(&model, 8), (&model, 1), (&nothing, 8)].map(|(model, width)| attached(model, &test, width));
        println!("{:?}: {learned} of {n_words} at width 8, {narrow} at width 1, {at_first} before", options.training);
        assert!(learned * 2 > n_words && narrow * 2 > n_words && at_first * 3 < n_words);

        model.write(&model_file).unwrap();
        let again = Model::<TagBigrams>::read_file(&model_file).unwrap();
        assert_eq!(attached(&again, &test, 8), learned);
        let error = treebeam::linear::LinearModel::read_file(&model_file).unwrap_err().to_string();
        assert!(error.contains("kind `tag-bigrams`; expected `linear`"), "{error}");

        // The decoder by hand, over the model's parts.
        let scorer = Scoring::scorer(&again.scorer);
        let system = treebeam_systems::ARC_EAGER.over_stacks(Roots::Single);
        let decoder = Decoder::new(system, &again.actions, &*scorer);
        let mut workspace = Workspace::new(again.actions.n_labels());
        again.read(&test[0], &mut workspace.input);
        assert_eq!(again.system(), treebeam_systems::ARC_EAGER);
        assert_eq!(decoder.decode(&mut workspace, 8, 3).len(), 3);
    }
    assert!(Model::<TagBigrams>::from_bytes(b"", Path::new("nothing")).is_err());
}
