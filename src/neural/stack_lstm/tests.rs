//! Stacks against plain ones in double precision, which read every configuration from its lists anew, and whose loss tests
//! differences of.

use crate::configuration::SharedConfiguration as _;
use crate::decode::{Decoder, Machine, Workspace};
use crate::features::N_COLUMNS;
use crate::learn::{TrainOptions, Training, TrainingData};
use crate::linear::Learner;
use crate::model::{Activation, DroppedFeatures, Lstm, Network, ScorerKind, Seen, Trainable as _};
use crate::neural::gradients::Gradients;
use crate::neural::learner::drop_units;
use crate::neural::plain::{add_product, check_gradients, embeddings, factors, step, wide};
use crate::neural::score::{FeedForwardMemory, FeedForwardScorer, Hidden};
use crate::neural::tensors::*;
use crate::neural::tests::{learner_of, scores_of};
use crate::neural::{FeedForwardLearner, Tape};
use crate::scorer::{Opaque, Query, Scorer as _};
use crate::system::{Choice, Roots, SystemKind, TransitionSystem};
use crate::tree::{LabelId, Node};
use crate::treebank::{Format, Treebank, generate};

fn data(system: SystemKind, layers: u32) -> TrainingData {
    let non_projective = system == crate::systems::SWAP;
    let sentences =
        generate::sentences(generate::GeneratorOptions { seed: 5, n_sentences: 12, non_projective }).collect();
    let treebank = Treebank::of_sentences(std::path::Path::new("generated"), Format::Conllu, sentences);
    let options = TrainOptions::of(system, Training::Greedy, Learner::Adam).with_scorer(ScorerKind::StackLstm);
    let options = TrainOptions { hidden: Some(7), activation: Some(Activation::Tanh), ..options };
    let options = TrainOptions { lstm_layers: Some(layers), lstm_units: Some(5), ..options };
    TrainingData::new(&options, &treebank, None).unwrap()
}

/// A learner whose parameters are larger than those that training begins with. With `between` M0 is read, which the systems do not
/// have: it is no token.
fn learner(data: &TrainingData, between: bool) -> FeedForwardLearner {
    let network = data.header().network.clone().unwrap();
    let stacks = network.stacks.unwrap();
    learner_of(data, network.with_stacks(stacks, between), (2.0, 0.3))
}

/// A configuration written down: the stack from the bottom up, the buffer from its end to the front, and what was done.
#[derive(Default)]
struct Written {
    sentence: usize,
    lists: [Vec<Node>; 2],
    arcs: Vec<(Node, Node, LabelId)>,
    actions: Vec<u16>,
    factors: Vec<f32>,
    scores: Vec<f64>,
    slopes: Vec<f64>,
}

/// The network in double precision, written down as the formulas have it.
struct Plain<'p> {
    network: &'p Network,
    tensors: &'p [Vec<f64>],
}

impl Plain<'_> {
    /// The vectors of the tokens of a sentence: none, the root, the words.
    fn tokens(&self, tape: &Tape) -> Vec<Vec<f64>> {
        let token = |embedding: &Vec<f64>| {
            let mut vector = self.tensors[TOKENS_BIAS].clone();
            add_product(embedding, &self.tensors[TOKENS], &mut vector);
            vector.into_iter().map(|x| x.max(0.0)).collect()
        };
        embeddings(&tape.sentence, self.tensors, &self.network.dimensions).iter().map(token).collect()
    }

    /// Last output of the last layer of a sequence.
    fn read(&self, sequence: usize, inputs: &[Vec<f64>], tape: &Tape) -> Vec<f64> {
        let Lstm { layers, units } = self.network.stacks.unwrap();
        let mut states = vec![(vec![0.0; units], vec![0.0; units]); layers];
        for input in inputs {
            let mut x = input.clone();
            for (layer, state) in states.iter_mut().enumerate() {
                let number = sequence * layers + layer;
                if layer > 0 {
                    let factors = factors(units, |numbers| tape.sentence.mask_within(number, numbers));
                    x.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor);
                }
                // By part: the inputs of those before it.
                let before: usize =
                    (0..number).map(|part| if part == 2 * layers { self.network.label_dimension } else { units }).sum();
                let tensors = [
                    &self.tensors[ENCODER_INPUTS][before * 4 * units..],
                    &self.tensors[ENCODER_RECURRENT][number * 4 * units * units..],
                    &self.tensors[ENCODER_BIAS][number * 4 * units..],
                ];
                step(&x, state, tensors);
                x.clone_from(&state.1);
            }
        }
        states.pop().unwrap().1
    }

    fn scores(&self, tokens: &[Vec<f64>], tape: &Tape, of: &Written) -> Vec<f64> {
        let (units, label_dimension) = (self.network.vector_dimension(), self.network.label_dimension);
        let mut vectors = tokens.to_vec();
        for &(head, dependent, label) in &of.arcs {
            let relation = 2 * label as usize + usize::from(dependent < head);
            let relation = self.tensors[LABELS][relation * label_dimension..][..label_dimension].to_vec();
            let parts = [&vectors[head as usize + 1][..], &vectors[dependent as usize + 1], &relation].concat();
            let mut sums = self.tensors[COMPOSITION_BIAS].clone();
            add_product(&parts, &self.tensors[COMPOSITION], &mut sums);
            vectors[head as usize + 1] = sums.into_iter().map(f64::tanh).collect();
        }
        let list =
            |list: &[Node]| -> Vec<Vec<f64>> { list.iter().map(|&node| vectors[node as usize + 1].clone()).collect() };
        let action =
            |&action: &u16| self.tensors[ACTIONS][action as usize * label_dimension..][..label_dimension].to_vec();
        let stack = self.read(0, &list(&of.lists[0]), tape);
        let buffer = self.read(1, &list(&of.lists[1]), tape);
        let history = self.read(2, &of.actions.iter().map(action).collect::<Vec<_>>(), tape);
        let read = match self.network.places.len() {
            3 => vec![stack, history, buffer],
            _ => vec![stack, vectors[0].clone(), history, buffer],
        };
        let mut sums = self.tensors[BIAS].clone();
        assert_eq!(read.concat().len() * sums.len(), self.tensors[PLACES].len());
        assert_eq!(read[0].len(), units);
        add_product(&read.concat(), &self.tensors[PLACES], &mut sums);
        scores_of(Activation::Tanh, self.tensors, &sums, &of.factors)
    }
}

/// Walks through canonical derivations, seeing and crediting every configuration.
fn walk<S: TransitionSystem>(
    system: S,
    data: &TrainingData,
    learner: &FeedForwardLearner,
) -> (Vec<Written>, Vec<Tape>) {
    let (mut written, mut tapes) = (Vec::new(), Vec::new());
    let mut workspace = Workspace::new(data.actions().n_labels());
    let hidden = data.header().network.as_ref().unwrap().hidden;
    for (sentence, example) in data.examples().iter().enumerate().take(4) {
        workspace.input.clone_from(&example.input);
        workspace.start(learner.reads());
        let machine = Machine { system, actions: data.actions(), keeps_history: true };
        let (arena, context, scratch) = workspace.parts(data.actions());
        let memory = scratch.memory;
        learner.begin(memory, context);
        let mut item = machine.initial(arena, example.input.n_words());
        let (mut tape, mut seen) = (Opaque::default(), Seen::default());
        let (mut arcs, mut actions) = (Vec::new(), Vec::new());
        for &choice in &example.derivation {
            let permitted = machine.system.permitted(&item.configuration, 0);
            let query = Query { view: item.view(0), permitted };
            let salt = written.len() as u64;
            let dropped = DroppedFeatures::new(salt, 0.3);
            learner.see(memory, context, &query, dropped, &mut seen);
            let other = (salt % data.actions().len() as u64) as u32;
            let gradient = [(u32::from(choice.action), -1.0), (other, 0.7)];
            // Whether what was seen is handed on does not matter, but for what is left out.
            learner.credit(memory, context, &query, Some(&seen), 0, &gradient, &mut tape);
            let mut slopes = vec![0.0; seen.scores.len()];
            gradient.iter().for_each(|&(output, slope)| slopes[output as usize] += f64::from(slope));
            let mut factors = Hidden { units: vec![1.0; hidden], slopes: vec![1.0; hidden] };
            drop_units(dropped, &mut factors);
            let lists = item.configuration.places();
            let nodes =
                |list: &[crate::configuration::ListPlace]| list.iter().map(|place| place.node).collect::<Vec<Node>>();
            written.push(Written {
                sentence,
                lists: [nodes(&lists[0]), nodes(&lists[1]).into_iter().rev().collect()],
                arcs: arcs.clone(),
                actions: actions.clone(),
                factors: factors.units,
                scores: seen.scores.clone(),
                slopes,
            });
            let Choice { point, action } = choice;
            let done = machine.actions.chosen(choice);
            if let Some((head, dependent)) = machine.system.arc(&item.configuration, point, done.mv) {
                arcs.push((head, dependent, done.label));
            }
            actions.push(action);
            item = machine.successor(item, choice, 0, false, arena);
        }
        tapes.push(std::mem::take(tape.get::<Tape>()));
    }
    (written, tapes)
}

/// Scores are those of plain stacks, and gradients their differences: of each tensor, in some places.
fn check<S: TransitionSystem>(system: S, kind: SystemKind, layers: u32, between: bool) {
    let data = data(kind, layers);
    let learner = learner(&data, between);
    let (written, tapes) = walk(system, &data, &learner);
    assert!(written.iter().any(|of| of.arcs.len() > 2) && written.iter().any(|of| of.factors.contains(&0.0)));
    let stacks = data.header().network.clone().unwrap();
    let network = stacks.clone().with_stacks(stacks.stacks.unwrap(), between);
    let parameters = learner.parameters();
    let n_outputs = data.actions().width();
    let gradients = Gradients::new(&learner.layout, parameters, &tapes, 1.0);
    let all_scores = |tensors: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let plain = Plain { network: &network, tensors };
        let tokens: Vec<Vec<Vec<f64>>> = tapes.iter().map(|tape| plain.tokens(tape)).collect();
        written.iter().map(|of| plain.scores(&tokens[of.sentence], &tapes[of.sentence], of)).collect()
    };
    let tensors: Vec<Vec<f64>> = parameters.tensors.iter().map(|tensor| wide(tensor)).collect();
    for (of, expected) in written.iter().zip(all_scores(&tensors)) {
        assert_eq!(expected.len(), n_outputs);
        for (&found, expected) in of.scores.iter().zip(expected) {
            let error = (found - expected).abs();
            assert!(error < 1e-3 * expected.abs().max(1.0), "{kind}: {found}, not {expected}");
        }
    }
    let loss = |tensors: &[Vec<f64>]| -> f64 {
        let scores = all_scores(tensors);
        let of = |(of, scores): (&Written, &Vec<f64>)| of.slopes.iter().zip(scores).map(|(a, b)| a * b).sum::<f64>();
        written.iter().zip(&scores).map(of).sum()
    };
    for (found, tensor) in gradients.tensors.iter().zip(&parameters.tensors).skip(N_COLUMNS) {
        assert_eq!(found.len(), tensor.len());
    }
    let largest = check_gradients(&gradients, parameters, &network.dimensions, (12, 0.1), loss);
    let lstm = [ENCODER_INPUTS, ENCODER_RECURRENT, ENCODER_BIAS];
    let read = [LABELS, PLACES, BIAS, OUTPUT, TOKENS, TOKENS_BIAS, COMPOSITION].into_iter().chain(lstm);
    assert!(read.into_iter().all(|tensor| largest[tensor] > 1e-3), "{largest:?}");
}

#[test]
fn gradients_are_differences_of_the_loss() {
    check(crate::systems::ARC_HYBRID.over_stacks(Roots::Single), crate::systems::ARC_HYBRID, 1, true);
    check(crate::systems::ARC_EAGER.over_stacks(Roots::Single), crate::systems::ARC_EAGER, 2, false);
    check(crate::systems::SWAP.over_stacks(Roots::Single), crate::systems::SWAP, 2, false);
}

/// A configuration has the same scores, to the bit, if it is scored by itself, among others, or after all was forgotten.
#[test]
fn scores_do_not_depend_on_company_nor_on_memory() {
    let data = data(crate::systems::ARC_HYBRID, 2);
    let learner = learner(&data, false);
    let scorer = FeedForwardScorer { noise: None, ..learner.network_scorer() };
    let mut workspace = Workspace::new(data.actions().n_labels());
    let example = &data.examples()[0];
    workspace.input.clone_from(&example.input);
    workspace.start(learner.reads());
    let machine = Machine::new(crate::systems::ARC_HYBRID.over_stacks(Roots::Single), data.actions(), &scorer);
    assert!(machine.keeps_history);
    let (arena, context, scratch) = workspace.parts(data.actions());
    let together = scratch.memory;
    let [mut alone, mut forgetful] = [0, 1].map(|_| Opaque::default());
    for memory in [&mut *together, &mut alone, &mut forgetful] {
        scorer.begin(memory, context);
    }
    let mut item = machine.initial(arena, example.input.n_words());
    let (mut queries, mut all) = (Vec::new(), Vec::new());
    for &choice in &example.derivation {
        let permitted = machine.system.permitted(&item.configuration, 0);
        let query = Query { view: item.view(0), permitted };
        let scores = scorer.score_one(&mut alone, context, &query).to_vec();
        scorer.stacks().unwrap().forget(&mut forgetful.get::<FeedForwardMemory>().stacks);
        scorer.forget(&mut forgetful);
        assert_eq!(scorer.score_one(&mut forgetful, context, &query), scores);
        queries.push(query);
        all.push(scores);
        item = machine.successor(item, choice, 0, false, arena);
    }
    for _ in 0..2 {
        let scores = scorer.score(together, context, &queries);
        for (number, alone) in all.iter().enumerate() {
            let actions = 0..data.actions().len() as u16;
            let found: Vec<i32> = actions.map(|id| scores.score(number, id, data.actions())).collect();
            assert_eq!(found, alone[..data.actions().len()]);
        }
    }
    let [together, alone] = [together, &mut alone].map(|memory| memory.get::<FeedForwardMemory>().stacks.n_steps);
    assert_eq!(together, alone);
}

/// A beam takes a step for the stack or the buffer and one for the action for each configuration that it makes, however long its
/// lists are.
#[test]
fn steps_are_as_many_as_new_configurations() {
    let data = data(crate::systems::ARC_HYBRID, 1);
    let learner = learner(&data, false);
    let scorer = FeedForwardScorer { noise: None, ..learner.network_scorer() };
    let decoder = Decoder::new(crate::systems::ARC_HYBRID.over_stacks(Roots::Single), data.actions(), &scorer);
    let mut lengths = Vec::new();
    for example in data.examples() {
        let n_words = example.input.n_words() as u64;
        lengths.push(n_words);
        for width in [2, 8, 32] {
            let mut workspace = Workspace::new(data.actions().n_labels());
            workspace.input.clone_from(&example.input);
            decoder.decode_by_beam(&mut workspace, width, 1);
            let (n_steps, n_scored) = (workspace.memory.get::<FeedForwardMemory>().stacks.n_steps, workspace.n_scored);
            // At first the root and the words stand in the lists.
            assert!(n_steps <= 2 * n_scored + n_words + 1, "{n_words} words, width {width}: {n_steps} for {n_scored}");
            assert!(n_steps > n_scored / 2, "{n_words} words, width {width}: {n_steps} for {n_scored}");
        }
    }
    assert!(lengths.iter().max() > lengths.iter().min());
}
