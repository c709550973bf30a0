//! Stacks against plain ones in double precision, which read every configuration from its lists anew, and whose loss tests
//! differences of.

use crate::configuration::SharedConfiguration as _;
use crate::decode::{Decoder, Machine, Workspace};
use crate::features::N_COLUMNS;
use crate::learn::{TrainOptions, Training, TrainingData};
use crate::linear::Learner;
use crate::model::{Activation, Dropped, Layers, Lstm, Network, ScorerKind, Seen, Trainable as _};
use crate::neural::backward::Gradients;
use crate::neural::learner::drop_units;
use crate::neural::parameters::*;
use crate::neural::score::{FeedForwardMemory, FeedForwardScorer, Hidden};
use crate::neural::{FeedForwardLearner, Layout, LearnerSettings, Noise, Rule, Tape};
use crate::random;
use crate::scorer::{Opaque, Query, Scorer as _};
use crate::system::{Choice, Roots, SystemKind, TransitionSystem};
use crate::tree::{LabelId, Node};
use crate::treebank::{Format, Treebank, generate};

fn data(system: SystemKind, layers: u32) -> TrainingData {
    let non_projective = system == crate::systems::SWAP;
    let sentences = generate::sentences(generate::Options { seed: 5, n_sentences: 12, non_projective }).collect();
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
    let network = network.with_stacks(stacks, between);
    let vocabulary = data.network().unwrap().vocabulary().clone();
    let sizes = Sizes::new(&vocabulary, data.header().labels.len(), data.actions().width());
    let mut parameters = Parameters::random(&network, &sizes, 3);
    let mut stream = random::stream(9, "test", &[]);
    for tensor in &mut parameters.tensors {
        tensor.iter_mut().for_each(|w| *w = *w * 2.0 + (random::unit(&mut stream) - 0.5) as f32 * 0.3);
    }
    let noise = Noise::new(4, &vocabulary, data.inputs());
    let rule = Rule { learner: Learner::Adam, rate: 0.01, second: 0.99, n_steps: Some(100) };
    let parts = (Layout::new(network), data.columns().clone(), vocabulary);
    FeedForwardLearner::new(
        parts,
        sizes,
        parameters,
        LearnerSettings { rule, divisor: 1.0, layers: Layers::All },
        noise,
    )
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
    tensors: [Vec<f64>; N_TENSORS],
    lanes: usize,
}

impl Plain<'_> {
    fn product(&self, x: &[f64], weights: &[f64], sums: &mut [f64]) {
        for (x, row) in x.iter().zip(weights.chunks_exact(sums.len())) {
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += x * w);
        }
    }

    /// The vectors of the tokens of a sentence: none, the root, the words.
    fn tokens(&self, tape: &Tape) -> Vec<Vec<f64>> {
        let mut masks = vec![1.0; tape.sentence.embeddings.len()];
        tape.sentence.noise.mask(&mut masks);
        let token = |(token, masks): (usize, &[f32])| {
            let columns = tape.sentence.ids.iter().zip(&self.tensors).zip(&self.network.dimensions);
            let embedding = columns.flat_map(|((ids, table), &n)| &table[ids[token] as usize * n..][..n]);
            let embedding: Vec<f64> = embedding.zip(masks).map(|(x, &mask)| x * f64::from(mask)).collect();
            let mut vector = self.tensors[TOKENS_BIAS].clone();
            self.product(&embedding, &self.tensors[TOKENS], &mut vector);
            vector.into_iter().map(|x| x.max(0.0)).collect()
        };
        masks.chunks_exact(self.network.dimension()).enumerate().map(token).collect()
    }

    /// Last output of the last layer of a strand.
    fn read(&self, strand: usize, inputs: &[Vec<f64>], tape: &Tape) -> Vec<f64> {
        let Lstm { layers, units } = self.network.stacks.unwrap();
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut state = vec![(vec![0.0; units], vec![0.0; units]); layers];
        for input in inputs {
            let mut x = input.clone();
            for (layer, (c, h)) in state.iter_mut().enumerate() {
                let number = strand * layers + layer;
                if layer > 0 {
                    let mut mask = vec![1.0; units];
                    tape.sentence.noise.mask_within(number, &mut mask);
                    x.iter_mut().zip(mask).for_each(|(x, factor)| *x *= f64::from(factor));
                }
                // By part: the inputs of those before it.
                let before: usize =
                    (0..number).map(|part| if part == 2 * layers { self.network.label_dimension } else { units }).sum();
                let mut sums = self.tensors[ENCODER_BIAS][number * 4 * units..][..4 * units].to_vec();
                self.product(&x, &self.tensors[ENCODER_INPUTS][before * 4 * units..], &mut sums);
                self.product(
                    h,
                    &self.tensors[ENCODER_RECURRENT][number * 4 * units * units..][..4 * units * units],
                    &mut sums,
                );
                for unit in 0..units {
                    let [i, f, o] = [0, 1, 3].map(|gate| sigmoid(sums[gate * units + unit]));
                    c[unit] = f * c[unit] + i * sums[2 * units + unit].tanh();
                    h[unit] = o * c[unit].tanh();
                }
                x = h.clone();
            }
        }
        state.pop().unwrap().1
    }

    fn scores(&self, tokens: &[Vec<f64>], tape: &Tape, of: &Written) -> Vec<f64> {
        let (units, label_dimension) = (self.network.vector_dimension(), self.network.label_dimension);
        let mut vectors = tokens.to_vec();
        for &(head, dependent, label) in &of.arcs {
            let relation = 2 * label as usize + usize::from(dependent < head);
            let relation = self.tensors[LABELS][relation * label_dimension..][..label_dimension].to_vec();
            let parts = [&vectors[head as usize + 1][..], &vectors[dependent as usize + 1], &relation].concat();
            let mut sums = self.tensors[COMPOSITION_BIAS].clone();
            self.product(&parts, &self.tensors[COMPOSITION], &mut sums);
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
        self.product(&read.concat(), &self.tensors[PLACES], &mut sums);
        let hidden: Vec<f64> =
            sums.iter().zip(&of.factors).map(|(sum, &factor)| sum.tanh() * f64::from(factor)).collect();
        let mut scores = self.tensors[OUTPUT_BIAS].clone();
        self.product(&hidden, &self.tensors[OUTPUT], &mut scores);
        assert_eq!(scores.len(), self.lanes);
        scores
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
            let dropped = Dropped::new(salt, 0.3);
            learner.see(memory, context, &query, dropped, &mut seen);
            let other = (salt % data.actions().len() as u64) as u32;
            let gradient = [(u32::from(choice.action), -1.0), (other, 0.7)];
            // Whether what was seen is handed on does not matter, but for what is left out.
            learner.credit(memory, context, &query, Some(&seen), 0, &gradient, &mut tape);
            let mut slopes = vec![0.0; seen.lanes.len()];
            gradient.iter().for_each(|&(lane, slope)| slopes[lane as usize] += f64::from(slope));
            let mut factors = Hidden { units: vec![1.0; hidden], slopes: vec![1.0; hidden] };
            drop_units(dropped, &mut factors);
            let lists = item.configuration.places();
            let nodes =
                |list: &[crate::configuration::Place]| list.iter().map(|place| place.node).collect::<Vec<Node>>();
            written.push(Written {
                sentence,
                lists: [nodes(&lists[0]), nodes(&lists[1]).into_iter().rev().collect()],
                arcs: arcs.clone(),
                actions: actions.clone(),
                factors: factors.units,
                scores: seen.lanes.clone(),
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
    let lanes = data.actions().width();
    let gradients = Gradients::new((&Layout::new(network.clone()), parameters, lanes), &tapes, 1.0);
    let tensors = std::array::from_fn(|number| parameters.tensors[number].iter().map(|&w| f64::from(w)).collect());
    let mut plain = Plain { network: &network, tensors, lanes };
    let all_scores = |plain: &Plain| -> Vec<Vec<f64>> {
        let tokens: Vec<Vec<Vec<f64>>> = tapes.iter().map(|tape| plain.tokens(tape)).collect();
        written.iter().map(|of| plain.scores(&tokens[of.sentence], &tapes[of.sentence], of)).collect()
    };
    for (of, expected) in written.iter().zip(all_scores(&plain)) {
        for (&found, expected) in of.scores.iter().zip(expected) {
            let error = (found - expected).abs();
            assert!(error < 1e-3 * expected.abs().max(1.0), "{kind}: {found}, not {expected}");
        }
    }
    let loss = |plain: &Plain| -> f64 {
        let scores = all_scores(plain);
        let of = |(of, scores): (&Written, &Vec<f64>)| of.slopes.iter().zip(scores).map(|(a, b)| a * b).sum::<f64>();
        written.iter().zip(&scores).map(of).sum()
    };
    let mut stream = random::stream(1, "places", &[]);
    let mut n_nonzero = [0; N_TENSORS];
    for (tensor, n_nonzero) in n_nonzero.iter_mut().enumerate() {
        let n = gradients.tensors[tensor].len();
        if tensor >= N_COLUMNS {
            assert_eq!(n, parameters.tensors[tensor].len(), "tensor {tensor}");
        }
        for _ in 0..if n == 0 { 0 } else { 12 } {
            let at = random::below(n as u64, &mut stream) as usize;
            let place = match network.dimensions.get(tensor) {
                Some(&dimension) => gradients.rows[tensor][at / dimension] as usize * dimension + at % dimension,
                None => at,
            };
            let was = plain.tensors[tensor][place];
            let mut at_distance = |distance: f64| {
                plain.tensors[tensor][place] = was + distance;
                loss(&plain)
            };
            let slope = (at_distance(1e-5) - at_distance(-1e-5)) / 2e-5;
            plain.tensors[tensor][place] = was;
            let found = f64::from(gradients.tensors[tensor][at]);
            let error = (found - slope).abs();
            assert!(error < 2e-3 * slope.abs().max(0.1), "{kind}, tensor {tensor}: {found} instead of {slope}");
            *n_nonzero += usize::from(slope.abs() > 1e-3);
        }
    }
    let read = [
        LABELS,
        PLACES,
        BIAS,
        OUTPUT,
        ENCODER_INPUTS,
        ENCODER_RECURRENT,
        ENCODER_BIAS,
        TOKENS,
        TOKENS_BIAS,
        COMPOSITION,
    ];
    assert!(read.into_iter().all(|tensor| n_nonzero[tensor] > 0), "{n_nonzero:?}");
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
            let lanes: Vec<i32> = actions.map(|id| scores.score(number, id, data.actions())).collect();
            assert_eq!(lanes, alone[..data.actions().len()]);
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
