//! The training loop: iterations over shuffled sentences, mini-batches, averages, development scores.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::data::{Example, TrainingData};
use super::global::{self, GlobalOptions};
use super::local::{self, AmongCorrect, Dropout, Exploration, Policy, Setting, TrainedParameters};
use super::network;
use super::objective::LocalObjective;
use super::offline;
use super::setup::TransitionSetup;
use super::supervision::{GoldSide, Supervision};
use super::{TrainOptions, Training, exact, merged};
use crate::decode::exact::Tabulation;
use crate::decode::merged::Merging;
use crate::decode::{Machine, Strategy, Workspace, keeps_history};
use crate::error::{Error, Result};
use crate::eval::Counts;
use crate::features::Input;
use crate::files::{Section, Sections};
use crate::linear::{Learner, Linear, Perceptron, Regressors};
use crate::model::{Averaged, Header, Model, Scoring, Size, Trainable};
use crate::options::batch_of;
use crate::parallel;
use crate::process;
use crate::random;
use crate::scorer::Opaque;
use crate::scorers::{AnyLearner, AnyModel};
use crate::system::{OracleKind, TransitionSystem};
use crate::training::{ModelRun, Tick, Trainer, Trains};
use crate::with_system;

/// The run that `options` ask for, on `data` with up to `threads` threads, on which the result does not depend.
///
/// # Examples
/// ```
/// use treebeam::learn::start;
/// use treebeam::prelude::*;
/// # treebeam_systems::register();
///
/// let train = generate::treebank(generate::GeneratorOptions { seed: 1, n_sentences: 60, non_projective: false });
/// let options = TrainOptions { iterations: 2.into(), ..TrainOptions::default() };
/// let data = TrainingData::new(&options, &train, Some(&train))?;
/// let mut run = start(&options, &data, 1)?;
/// while !run.is_done() {
///     run.iterate(&mut |_sentences_done| ())?;
///     let report = run.reports().last().unwrap();
///     assert!(report.dev.unwrap().las() > 30.0);
/// }
/// assert_eq!(run.reports().len(), 2);
/// // The model of the iteration that was best on the development data.
/// let model = run.model()?;
/// assert!(model.header.provenance.iteration >= 1);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// If the options contradict each other, do not fit the data, or threads cannot be started.
pub fn start<'t>(
    options: &'t TrainOptions,
    data: &'t TrainingData,
    threads: usize,
) -> Result<Box<dyn ModelRun<AnyModel> + 't>> {
    let features = Arc::new(data.header().compile()?);
    if options.learner == Learner::Svm {
        return offline::start(options, data, features, threads);
    }
    start_with(options, data, threads, |seed| match data.network() {
        Some(network) => AnyLearner::FeedForward(network.learner(options, data.inputs(), seed)),
        None if options.is_perceptron() => {
            let perceptron = Perceptron::new(Arc::clone(&features), data.stages().clone());
            AnyLearner::Perceptron(match data.linear_start() {
                Some(start) => perceptron.with_weights(start.weights()),
                None => perceptron,
            })
        }
        None => {
            let stages = data.stages().clone();
            let mut regressors = Regressors::new(Arc::clone(&features), stages, options.learner(), seed);
            let initial = data.initial_weights();
            if !initial.is_empty() {
                regressors.begin_with(initial.iter().map(|of| (of.feature, u32::from(of.action), of.weight)));
            }
            AnyLearner::Regressors(regressors)
        }
    })
}

/// The run that `options` ask for, of parameters of any type: `new` makes them, from a seed of its own for each replica.
///
/// # Errors
/// As [`start`].
pub fn start_with<'t, T: Learning + 't>(
    options: &'t TrainOptions,
    data: &'t TrainingData,
    threads: usize,
    new: impl Fn(u64) -> T,
) -> Result<Box<dyn ModelRun<Model<T::Finished>> + 't>> {
    options.check()?;
    let n_stages = data.stages().outputs().len();
    let replicas = (0..options.replicas as usize).map(|number| Replica {
        model: new(replica_seed(options.seed, number)),
        objective: LocalObjective::new(options.local_objective(), options.aggressiveness(), n_stages)
            .self_normalising(network::self_normalising(options)),
    });
    let replicas = replicas.collect();
    Ok(Box::new(Trainer::new(TransitionSetup { options, data }, process::thread_pool(threads)?, replicas)?))
}

/// Trains a linear model from the first iteration to the last.
///
/// # Examples
/// As in [`prelude`](crate::prelude).
///
/// # Errors
/// As [`start`]; or if the options are for another kind of scorer, which [`train_any`] trains.
pub fn train(options: &TrainOptions, data: &TrainingData, threads: usize) -> Result<Model<Linear>> {
    if !options.scorer.is_linear() {
        let what = "the options are those of a network; expected --scorer linear, or `learn::train_any`";
        return Err(Error::Usage(what.to_owned()));
    }
    train_any(options, data, threads)?.into_linear()
}

/// Trains a model with whatever scorer from the first iteration to the last.
///
/// # Errors
/// As [`start`]; or if training diverges.
pub fn train_any(options: &TrainOptions, data: &TrainingData, threads: usize) -> Result<AnyModel> {
    let mut run = start(options, data, threads)?;
    while !run.is_done() {
        run.iterate(&mut |_| ())?;
    }
    let mut model = run.model()?;
    data.calibrate(&mut model);
    Ok(model)
}

/// Parameters that a run trains online.
pub trait Learning: Trainable + Averaged<Finished: Scoring> {}

impl<T: Trainable + Averaged<Finished: Scoring>> Learning for T {}

/// One of several times that the same is trained, each in a random order of its own.
#[derive(Debug, Clone)]
struct Replica<T> {
    model: T,
    /// Objective of training on single decisions.
    objective: LocalObjective,
}

impl<T: Averaged> Averaged for Replica<T> {
    type Finished = T::Finished;

    fn n_features(&self) -> usize {
        self.model.n_features()
    }

    fn end_sentence(&mut self) {
        self.model.end_sentence();
    }

    fn end_pass(&mut self) {
        self.model.end_pass();
    }

    fn has_diverged(&self) -> bool {
        self.model.has_diverged()
    }

    fn is_dead(&self) -> bool {
        self.model.is_dead()
    }

    fn rate(&self) -> Option<(f64, u64)> {
        self.model.rate()
    }

    fn restart_average(&mut self) {
        self.model.restart_average();
    }

    fn finish(replicas: &[&Replica<T>]) -> T::Finished {
        T::finish(&replicas.iter().map(|replica| &replica.model).collect::<Vec<&T>>())
    }

    fn save(&self) -> Vec<Section<'_>> {
        let mut sections = self.model.save();
        sections.push(Section::new("objective", self.objective.to_bytes()));
        sections
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        self.model.load(sections)?;
        let loaded = self.objective.load(sections.get("objective")?);
        loaded.ok_or_else(|| sections.damaged("what is known of the objective does not fit; the file is damaged"))
    }

    fn save_finished(finished: &T::Finished) -> Vec<Section<'_>> {
        T::save_finished(finished)
    }

    fn load_finished(&self, sections: &Sections) -> Result<T::Finished> {
        self.model.load_finished(sections)
    }
}

impl<T: Learning> Trains<Replica<T>> for TransitionSetup<'_> {
    type Model = Model<T::Finished>;

    /// `tick` is called after every mini-batch with the number of sentences done by all replicas.
    fn pass(&self, iteration: u32, replicas: &mut [Replica<T>], tick: &mut Tick) -> ControlFlow<(), u64> {
        let TransitionSetup { options, data } = *self;
        let done = Mutex::new((0, ControlFlow::Continue(()), tick));
        let tick = |n: usize, has_diverged: bool| {
            let (done, go_on, tick) = &mut *done.lock().expect("no thread fails while it reports");
            *done += n;
            // All threads get the answer that one gets, and if one learner has diverged, all can end.
            if has_diverged {
                *go_on = ControlFlow::Break(());
            } else if go_on.is_continue() {
                *go_on = tick(*done);
            }
            *go_on
        };
        let passes = parallel::map_mut(replicas, |number, replica| {
            with_system!(options.system, options.roots, options.training_in(iteration).1, |system| {
                ReplicaPass::new(system, options, data, iteration, number).run(replica, &tick)
            })
        });
        passes.into_iter().sum::<Option<u64>>().map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    fn score_dev(&self, finished: &T::Finished) -> Option<Counts> {
        self.data.score_dev(&*finished.scorer())
    }

    fn score_train(&self, finished: &T::Finished) -> Option<[u64; 2]> {
        Some(self.data.score_train(&*finished.scorer()))
    }

    fn model(&self, header: Header, finished: &T::Finished) -> Result<Model<T::Finished>> {
        Model::new(header, finished.clone())
    }

    fn write(&self, model: Model<T::Finished>, path: &Path) -> Result<Size> {
        self.write_model(model, path)
    }
}

impl TrainOptions {
    /// Settings of global training.
    pub(super) fn global_options(&self) -> GlobalOptions {
        GlobalOptions {
            width: self.beam,
            update: self.update,
            objective: self.objective(),
            loss_weight: self.loss_weight.unwrap_or(1.0) as f32,
            aggressiveness: self.aggressiveness(),
            restart_from: self.restart_from,
        }
    }
}

/// Results of `learn` for each sentence, in order, on as many threads as there are workspaces; each looks at its share
/// first.
///
/// This is no part of [`ReplicaPass`] so that it is compiled once, not for each system.
fn learn_side_by_side(
    batch: &[usize],
    workspaces: &mut [Workspace],
    look_ahead: &(dyn Fn(&[usize], &mut Workspace) + Sync),
    learn: &(dyn Fn(usize, &mut Workspace) -> (u64, Opaque) + Sync),
) -> Vec<(u64, Opaque)> {
    let share = batch.len().div_ceil(workspaces.len());
    let mut parts: Vec<_> = workspaces.iter_mut().zip(batch.chunks(share)).collect();
    let of_part = |_, (workspace, part): &mut (&mut Workspace, &[usize])| {
        look_ahead(part, workspace);
        part.iter().map(|&number| learn(number, workspace)).collect::<Vec<_>>()
    };
    parallel::map_mut(&mut parts, of_part).into_iter().flatten().collect()
}

/// The seed of a replica: the first one is the run that would be made without others.
fn replica_seed(seed: u64, number: usize) -> u64 {
    match number {
        0 => seed,
        _ => random::below(1 << 63, &mut random::stream(seed, "replica", &[number as u64])),
    }
}

/// Training method of a sentence.
#[derive(Debug, Clone, Copy)]
enum Method {
    /// One decision after the other.
    Local,
    /// Whole derivations in a beam.
    Global(GlobalOptions),
    /// Whole derivations in a beam that merges.
    Merged(Merging, GlobalOptions),
    /// Whole derivations against the best of all.
    Exact(Tabulation, GlobalOptions),
}

impl Method {
    fn of(training: Training, options: &TrainOptions, data: &TrainingData) -> Method {
        match (training, data.strategy()) {
            (Training::Greedy | Training::L2s, _) => Method::Local,
            (Training::Global, Strategy::Exact(tabulation)) => Method::Exact(tabulation, options.global_options()),
            (Training::Global, Strategy::Merged { merging, .. }) => Method::Merged(merging, options.global_options()),
            (Training::Global, Strategy::Beam { .. }) => Method::Global(options.global_options()),
        }
    }
}

/// One pass of one replica over the training data.
#[derive(Debug, Clone, Copy)]
struct ReplicaPass<'t, S> {
    options: &'t TrainOptions,
    data: &'t TrainingData,
    system: S,
    /// That of this iteration, and its oracle.
    training: Training,
    oracle: OracleKind,
    iteration: u32,
    seed: u64,
}

impl<'t, S: TransitionSystem> ReplicaPass<'t, S> {
    fn new(
        system: S,
        options: &'t TrainOptions,
        data: &'t TrainingData,
        iteration: u32,
        number: usize,
    ) -> ReplicaPass<'t, S> {
        let (training, oracle) = options.training_in(iteration);
        let seed = replica_seed(options.seed, number);
        ReplicaPass { options, data, system, training, oracle, iteration, seed }
    }

    /// The number of updates; none if `tick` breaks the pass off, which gets the number of sentences done and whether
    /// the learner has diverged: nothing is scored then any more, as the scores might overflow.
    fn run<T: Learning>(
        &self,
        replica: &mut Replica<T>,
        tick: &(dyn Fn(usize, bool) -> ControlFlow<()> + Sync),
    ) -> Option<u64> {
        let (data, options) = (self.data, self.options);
        let order = random::order(data.examples().len(), self.seed, self.iteration);
        let n_labels = data.actions().n_labels();
        let mut workspaces: Vec<Workspace> =
            (0..rayon::current_num_threads()).map(|_| Workspace::new(n_labels)).collect();
        let method = Method::of(self.training, options, data);
        let mut updates = 0;
        let by_batch = replica.model.by_batch();
        let batch = if by_batch { batch_of(options.batch, order.len()) } else { options.batch };
        for batch in order.chunks(batch) {
            if let (&[number], false) = (batch, by_batch) {
                let Replica { model, objective } = &mut *replica;
                let (n_updates, mut gradient) =
                    self.learn(number, method, &mut workspaces[0], TrainedParameters::AtOnce(model), objective);
                model.learn(&mut gradient);
                model.end_sentence();
                updates += n_updates;
            } else {
                let learned = self.batch(batch, method, replica, &mut workspaces);
                let (n_updates, mut gradients): (Vec<u64>, Vec<Opaque>) = learned.into_iter().unzip();
                if by_batch {
                    replica.model.learn_batch(&mut gradients);
                } else {
                    for gradient in &mut gradients {
                        replica.model.learn(gradient);
                        replica.model.end_sentence();
                    }
                }
                updates += n_updates.into_iter().sum::<u64>();
            }
            if tick(batch.len(), replica.has_diverged()).is_break() {
                return None;
            }
        }
        Some(updates)
    }

    /// The updates and gradients of each sentence of a mini-batch, in order, whichever thread they come from.
    fn batch<T: Learning>(
        &self,
        batch: &[usize],
        method: Method,
        replica: &Replica<T>,
        workspaces: &mut [Workspace],
    ) -> Vec<(u64, Opaque)> {
        let Replica { model, objective } = replica;
        let learn = |number: usize, workspace: &mut Workspace| {
            self.learn(number, method, workspace, TrainedParameters::PutOff(model), &mut objective.clone())
        };
        let look_ahead = |part: &[usize], workspace: &mut Workspace| {
            let inputs: Vec<&Input> = part.iter().map(|&number| &self.data.examples()[number].input).collect();
            model.look_ahead(&mut workspace.memory, &inputs);
        };
        learn_side_by_side(batch, workspaces, &look_ahead, &learn)
    }

    /// A random stream of this name for the sentence with this number.
    fn stream(&self, name: &str, number: usize) -> rand::rngs::Xoshiro256PlusPlus {
        random::stream(self.seed, name, &[u64::from(self.iteration), number as u64])
    }

    fn gold_side<'e>(&self, example: &'e Example) -> GoldSide<'e> {
        match self.oracle {
            // For a tree that is known in part, the model chooses a derivation of a whole one.
            oracle if oracle.is_static() && !example.gold.is_partial() => GoldSide::Canonical(&example.derivation),
            _ => GoldSide::LeastCost,
        }
    }

    fn exploration(&self, number: usize) -> Exploration {
        let (from, probability) = (self.options.explore_from, self.options.explore_prob);
        Exploration::new(from, probability, self.seed, self.iteration, number)
    }

    /// The share of the model's own derivation after which beams start, if not with the sentence.
    fn roll_in(&self, number: usize) -> Option<f64> {
        self.options.rolls_in().then(|| self.exploration(number).share()).flatten()
    }

    /// Policy of training on single decisions: costs, and the choice of the next transition.
    fn policy<'e>(&self, number: usize, gold: GoldSide<'e>) -> Policy<'e> {
        let options = self.options;
        if self.training == Training::L2s {
            let stream = self.stream("search", number);
            return Policy::Search { search: options.search(), pass: self.iteration, stream };
        }
        let explores = self.oracle.explores();
        let exploration = || self.exploration(number).by_power(options.explore_power);
        // The canonical choice is that of a whole tree.
        let is_partial = self.data.examples()[number].gold.is_partial();
        let among = options.among_correct().filter(|_| !self.oracle.is_static() && !is_partial);
        let among = among.map(|correct| AmongCorrect::new(correct, self.stream("correct", number)));
        Policy::Greedy { gold, exploration: explores.then(exploration), among }
    }

    /// The number of updates that the sentence calls for, and their gradients as far as they are put off.
    fn learn(
        &self,
        number: usize,
        method: Method,
        workspace: &mut Workspace,
        parameters: TrainedParameters,
        objective: &mut LocalObjective,
    ) -> (u64, Opaque) {
        let example = &self.data.examples()[number];
        workspace.input.clone_from(&example.input);
        // Merged and positional features do not read the last actions.
        let keeps_history = matches!(method, Method::Local | Method::Global(_)) && keeps_history(parameters.reads());
        let machine = Machine { system: self.system, actions: self.data.actions(), keeps_history };
        let supervision = Supervision { machine, gold: &example.gold };
        let side = self.gold_side(example);
        let over_stacks = || {
            let machine = machine.over_stacks().expect("what merges or tabulates is over a stack and a buffer");
            Supervision { machine, gold: &example.gold }
        };
        match method {
            Method::Local => {
                let setting = Setting {
                    machine,
                    stages: self.data.stages(),
                    reuse: self.system.info().local_points && !keeps_history,
                    unpermitted: self.options.unpermitted,
                    watched: self.data.watched(example),
                };
                let dropout = self.options.dropout;
                let dropout = (dropout > 0.0).then(|| Dropout::new(dropout, self.stream("dropout", number)));
                let policy = self.policy(number, side);
                local::learn(setting, &supervision, policy, dropout, objective, workspace, parameters)
            }
            Method::Global(options) => {
                global::learn(options, supervision, side, self.roll_in(number), workspace, parameters)
            }
            Method::Merged(merging, options) => {
                let gold_side = (side, self.roll_in(number));
                merged::learn(&merging, &over_stacks(), gold_side, options, &*parameters, workspace)
            }
            Method::Exact(tabulation, options) => {
                let (supervision, mut gradient) = (over_stacks(), Opaque::default());
                let into = &mut gradient;
                let updated = exact::learn(&tabulation, &supervision, side, options, &*parameters, workspace, into);
                (u64::from(updated), gradient)
            }
        }
    }
}
