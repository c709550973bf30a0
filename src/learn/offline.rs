//! Training offline: the decisions of all canonical derivations are collected once, with their features, and a
//! [support vector machine](SupportVectors) is trained on them as one problem, pass after pass. What the parser would do is not
//! asked: this is how MaltParser is trained, and the baseline that learning along one's own path was measured against.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::TrainOptions;
use super::data::{Example, TrainingData};
use super::setup::TransitionSetup;
use crate::configuration::Point;
use crate::decode::{Machine, Workspace};
use crate::error::Result;
use crate::eval::Counts;
use crate::features::Compiled;
use crate::linear::{Examples, Linear, LinearMemory, SupportVectors};
use crate::model::{Header, Model, Scoring as _, Size};
use crate::parallel;
use crate::process;
use crate::random;
use crate::scorers::AnyModel;
use crate::system::TransitionSystem;
use crate::training::{ModelRun, Tick, Trainer, Trains};
use crate::with_system;

/// A training run of a support vector machine over these features, on `data` with up to `threads` threads, on which the result does
/// not depend.
///
/// # Errors
/// If the options contradict each other or threads cannot be started.
pub(super) fn start<'t>(
    options: &'t TrainOptions,
    data: &'t TrainingData,
    features: Arc<Compiled>,
    threads: usize,
) -> Result<Box<dyn ModelRun<AnyModel> + 't>> {
    options.check()?;
    let pool = process::thread_pool(threads)?;
    let examples = parallel::within(&pool, || {
        with_system!(options.system, options.roots, |system| {
            // Whether items remember their actions matters to what features read.
            let machine = Machine { system, actions: data.actions(), keeps_history: features.reads().history };
            let of = |workspace: &mut Workspace, example: &Example| collect(machine, &features, example, workspace);
            gather(data, &of)
        })
    });
    let machine = SupportVectors::new(features, data.stages().clone(), Arc::new(examples), options.learner().rate);
    Ok(Box::new(Trainer::new(TransitionSetup { options, data }, pool, vec![machine])?))
}

/// All sentences' examples, one sentence after the other.
fn gather(data: &TrainingData, of: &(dyn Fn(&mut Workspace, &Example) -> Examples + Sync)) -> Examples {
    let n_labels = data.actions().n_labels();
    let examples = data.examples();
    let of = |workspace: &mut Workspace, number: usize| of(workspace, &examples[number]);
    let parts = parallel::map_with(examples.len(), || Workspace::new(n_labels), of);
    let mut all = Examples::default();
    parts.iter().for_each(|part| all.append(part));
    all
}

/// The decisions of a canonical derivation.
fn collect<S: TransitionSystem>(
    machine: Machine<S>,
    features: &Compiled,
    example: &Example,
    workspace: &mut Workspace,
) -> Examples {
    workspace.input.clone_from(&example.input);
    workspace.start(features.reads());
    let (arena, context, scratch) = workspace.parts(machine.actions);
    let memory: &mut LinearMemory = scratch.memory.get();
    memory.begin(context);
    let mut item = machine.initial(arena, context.input.n_nodes());
    let mut examples = Examples::default();
    for &choice in &example.derivation {
        let c = &item.configuration;
        for point in 0..machine.system.n_points(c) as Point {
            let features = memory.features(features, context, &item.view(point));
            examples.push_point(features, machine.system.permitted(c, point));
        }
        examples.push(choice);
        item = machine.successor(item, choice, 0, true, arena);
    }
    examples
}

impl Trains<SupportVectors> for TransitionSetup<'_> {
    type Model = AnyModel;

    /// The progress of a pass is reported in sentences, though decisions of all are visited in any order.
    fn pass(&self, iteration: u32, replicas: &mut [SupportVectors], tick: &mut Tick) -> ControlFlow<(), u64> {
        let [machine] = replicas else { unreachable!("there is one replica") };
        let TransitionSetup { options, data } = *self;
        let order = random::order(machine.n_decisions(), options.seed, iteration);
        // As many decisions together as sentences have on average.
        let n_sentences = data.examples().len();
        let (mut updates, mut begin) = (0, 0);
        for done in 1..=n_sentences {
            let end = (done * order.len()).div_ceil(n_sentences);
            updates += machine.pass(&order[begin..end], data.actions());
            begin = end;
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }

    fn score_dev(&self, finished: &Linear) -> Option<Counts> {
        self.data.score_dev(&*finished.scorer())
    }

    fn model(&self, header: Header, finished: &Linear) -> Result<AnyModel> {
        Model::new(header, finished.clone().into())
    }

    fn write(&self, model: AnyModel, path: &Path) -> Result<Size> {
        self.write_model(model, path)
    }
}
