//! Parsers of whichever kind that are kept and used again; training that is broken off.

use std::ops::ControlFlow;
use std::sync::Arc;

use treebeam::decode::Parser;
use treebeam::graph::{self, GraphData, GraphModel, GraphOptions, GraphParser};
use treebeam::learn::{ModelRun, TrainOptions, TrainingData, start};
use treebeam::parser::{AnyParser, Loaded, ParseOptions};
use treebeam::tree::Tree;

use crate::common::{generated, train, treebank};

fn trees(parsed: Vec<Vec<treebeam::decode::Parsed>>) -> Vec<Tree> {
    parsed.into_iter().filter_map(|best| best.into_iter().next()).map(|best| best.tree).collect()
}

#[test]
fn parsers_of_every_kind_are_used_again_and_again() {
    let sentences = generated(52, 40);
    let transitions =
        train(&TrainOptions { iterations: 2.into(), ..TrainOptions::default() }, &treebank(generated(51, 60)));
    let expected = trees(Parser::new(&transitions, 8, 1).unwrap().parse(&sentences, 1));
    let options = GraphOptions { iterations: 1.into(), ..GraphOptions::default() };
    let data = GraphData::new(&options, &treebank(generated(51, 60)), None).unwrap();
    let mut run = graph::start(&options, &data, 1).unwrap();
    run.iterate(&mut |_| ()).unwrap();
    let graph = run.model().unwrap();
    let of_graph = GraphParser::new(&graph, 1).unwrap().parse(&sentences).unwrap();
    let of_graph: Vec<Tree> = of_graph.into_iter().map(|parsed| parsed.tree).collect();

    let models = [Loaded::Transitions(Arc::new(transitions.into())), Loaded::Graph(Arc::new(graph))];
    for (model, expected) in models.into_iter().zip([expected, of_graph]) {
        for threads in [1, 3] {
            let mut parser = AnyParser::new(&model, &ParseOptions { threads, ..ParseOptions::default() }).unwrap();
            let model = model.clone();
            // It has its own share in the model, and goes where it likes.
            let parsed = std::thread::scope(|scope| {
                let parse = || sentences.chunks(7).flat_map(|part| trees(parser.parse(part).unwrap())).collect();
                scope.spawn::<_, Vec<Tree>>(parse).join().unwrap()
            });
            assert_eq!(parsed, expected, "{}, {threads} threads", model.system().name());
        }
        for wrong in [
            ParseOptions { threads: 0, ..ParseOptions::default() },
            ParseOptions { k_best: 0, ..ParseOptions::default() },
            ParseOptions { beam: Some(0), ..ParseOptions::default() },
        ] {
            assert!(AnyParser::new(&model, &wrong).is_err(), "{wrong:?}");
        }
    }
}

/// Breaks a run off in its second iteration and goes on from a checkpoint: the model is that of a run that was not broken off.
fn break_off<'t, M>(new: impl Fn() -> Box<dyn ModelRun<M> + 't>, bytes: impl Fn(&M) -> Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("checkpoint");
    let mut whole = new();
    (0..2).for_each(|_| whole.iterate(&mut |_| ()).unwrap());
    let mut run = new();
    run.iterate(&mut |_| ()).unwrap();
    run.save(&checkpoint).unwrap();
    let mut last = 0;
    let broken = run.try_iterate(&mut |done| {
        last = done;
        if done >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let broken = broken.unwrap();
    assert!(broken.is_break() && last == 5 && run.reports().len() == 1);
    let mut resumed = new();
    resumed.load(&checkpoint).unwrap();
    assert!(resumed.try_iterate(&mut |_| ControlFlow::Continue(())).unwrap().is_continue());
    let [resumed, whole] = [resumed, whole].map(|run| bytes(&run.model().unwrap()));
    assert!(resumed == whole);
}

#[test]
fn runs_are_broken_off_after_a_sentence() {
    let treebank = treebank(generated(53, 30));
    let options = GraphOptions { iterations: 2.into(), ..GraphOptions::default() };
    let data = GraphData::new(&options, &treebank, None).unwrap();
    break_off(|| graph::start(&options, &data, 1).unwrap(), GraphModel::to_bytes);

    // Replicas learn side by side: if one is to stop, so does the other.
    let options = TrainOptions { iterations: 2.into(), beam: 2, replicas: 2, ..TrainOptions::default() };
    let data = TrainingData::new(&options, &treebank, None).unwrap();
    let mut run = start(&options, &data, 2).unwrap();
    let mut last = 0;
    let broken = run.try_iterate(&mut |done| {
        assert!(last < 5, "nobody asks again");
        last = done;
        if done >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let broken = broken.unwrap();
    assert!(broken.is_break() && run.reports().is_empty());
}
