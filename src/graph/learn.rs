//! Training: the predicted tree against the gold tree, sentence by sentence.
//!
//! | learner | learns from | step | live weights are in units of |
//! |---|---|---|---|
//! | perceptron (Collins 2002) | the tree of the highest score | 1 | 1 |
//! | 1-best MIRA (McDonald, Crammer & Pereira 2005) | the tree of the highest score + loss | min(C, (loss − margin) / ‖Δ‖²) | 2⁻¹⁶ |
//!
//! Δ is the difference of the features of both trees, margin its score, loss the number of wrong heads plus the number of
//! words with a wrong head or label. MIRA so learns from the constraint that is violated most: the max-loss update of PA-I
//! (Crammer et al. 2006, section 8), where McDonald et al. take the tree of the highest score alone. PERF: this departure
//! is worth 0.8 points of LAS on the development data of English-EWT (83.2 to 84.0 after five iterations, Eisner).
//!
//! Weights are integers for both: a run is the same to the bit wherever it is run, and however it is interrupted.
//!
//! Each iteration takes the time of parsing all sentences, and for updates that of extracting the features of wrong arcs.

use std::ops::ControlFlow;
use std::path::Path;

use super::decoders::Parses;
use super::parser::GraphWorkspace;
use super::scorer::Reward;
use super::{
    ArcLabels, GraphData, GraphHeader, GraphModel, GraphOptions, GraphScorer, Learner, Order, Part, PartScorer,
};
use crate::error::Result;
use crate::eval::Counts;
use crate::features::Input;
use crate::linear::IntegerWeights;
use crate::model::{Averaged, Size};
use crate::process;
use crate::random;
use crate::system::ActionId;
use crate::training::{ModelRun, Schedule, Setup, Tick, Trainer, Trains};
use crate::tree::{LabelId, Tree};

/// Scale of live weights of MIRA: the value of 1.0.
const UNIT: f64 = 65536.0;

/// The run that `options` ask for, on `data` with up to `threads` threads, on which the result does not depend.
///
/// # Errors
/// If the options contradict each other or threads cannot be started.
pub fn start<'t>(
    options: &'t GraphOptions,
    data: &'t GraphData,
    threads: usize,
) -> Result<Box<dyn ModelRun<GraphModel> + 't>> {
    options.check()?;
    let (setup, pool) = (GraphSetup { options, data }, process::thread_pool(threads)?);
    Ok(match setup.biaffine() {
        Some(learner) => Box::new(Trainer::new(setup, pool, vec![learner])?),
        None => Box::new(Trainer::new(setup, pool, vec![IntegerWeights::new(data.inventory().width())])?),
    })
}

/// Options and data of a training run.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphSetup<'t> {
    pub options: &'t GraphOptions,
    pub data: &'t GraphData,
}

impl Setup for GraphSetup<'_> {
    type Header = GraphHeader;

    fn schedule(&self) -> Schedule {
        self.options.schedule()
    }

    fn header(&self) -> &GraphHeader {
        self.data.header()
    }

    fn n_sentences(&self) -> usize {
        self.data.examples().len()
    }

    fn has_dev(&self) -> bool {
        self.data.has_dev()
    }
}

/// Parameters that learn from sentences.
pub(super) trait Learns: Averaged<Finished: Parses + Into<GraphScorer>> {
    /// Learns from the sentences with these numbers, unless it is broken off; the number of those that were wrong.
    fn pass(&mut self, setup: GraphSetup, order: &[usize], tick: &mut Tick) -> ControlFlow<(), u64>;
}

impl<P: Learns> Trains<P> for GraphSetup<'_> {
    type Model = GraphModel;

    fn pass(&self, iteration: u32, replicas: &mut [P], tick: &mut Tick) -> ControlFlow<(), u64> {
        let order = random::order(self.n_sentences(), self.options.seed, iteration);
        replicas[0].pass(*self, &order, tick)
    }

    fn score_dev(&self, finished: &P::Finished) -> Option<Counts> {
        self.data.score_dev(finished)
    }

    fn score_train(&self, finished: &P::Finished) -> Option<[u64; 2]> {
        Some(self.data.score_train(finished))
    }

    fn model(&self, header: GraphHeader, finished: &P::Finished) -> Result<GraphModel> {
        Ok(GraphModel::new(header, finished.clone().into()))
    }

    fn write(&self, mut model: GraphModel, path: &Path) -> Result<Size> {
        self.data.calibrate(&mut model)?;
        model.write(path)?;
        Ok(model.scorer.size())
    }
}

impl Learns for IntegerWeights {
    fn pass(&mut self, setup: GraphSetup, order: &[usize], tick: &mut Tick) -> ControlFlow<(), u64> {
        let GraphSetup { options, data } = setup;
        let (mut workspace, mut difference) = (GraphWorkspace::default(), Difference::default());
        let mut updates = 0;
        for (done, &number) in (1..).zip(order) {
            let (input, gold) = &data.examples()[number];
            updates += u64::from(learn(options, data, &mut workspace, &mut difference, self, input, gold));
            self.end_sentence();
            tick(done)?;
        }
        ControlFlow::Continue(updates)
    }
}

/// Learns from one sentence; whether there was anything to learn.
fn learn(
    options: &GraphOptions,
    data: &GraphData,
    workspace: &mut GraphWorkspace,
    difference: &mut Difference,
    weights: &mut IntegerWeights,
    input: &Input,
    gold: &Tree,
) -> bool {
    let is_mira = options.learner == Learner::Mira;
    let reward = is_mira.then_some(Reward { gold, unit: UNIT as i32 });
    let predicted = workspace.decode(data.search(), weights, input, reward).tree;
    difference.clear();
    let mut loss = 0;
    let order = options.system.order();
    for word in gold.words() {
        let trees = [gold, &predicted];
        let [good, bad] = trees.map(|tree| (tree.head(word), tree.label(word)));
        if good != bad {
            loss += 1 + u32::from(good.0 != bad.0);
        }
        let [good, bad] = trees.map(|tree| (Part::of(tree.heads(), word, order), tree.label(word)));
        if good != bad {
            difference.add(&workspace.scorer, order, good, 1);
            difference.add(&workspace.scorer, order, bad, -1);
        }
    }
    let squared_norm = difference.merge();
    if squared_norm == 0 {
        return false;
    }
    // 1-best MIRA (McDonald, Crammer & Pereira 2005; PA-I of Crammer et al. 2006): as far as it takes for the gold tree to win over the
    // worst of the others by that one's loss, but at most by the aggressiveness. The structured perceptron (Collins 2002): always by 1.
    let step = if is_mira {
        let needed = f64::from(loss) * UNIT - difference.margin(weights) as f64;
        (needed / squared_norm as f64).min(options.aggressiveness * UNIT).round() as i32
    } else {
        1
    };
    for &(feature, output, count) in &difference.changes {
        weights.update(feature, output, step * count);
    }
    step != 0
}

/// The difference of the features of two trees: feature, output, how many times more the first has it.
#[derive(Debug, Clone, Default)]
struct Difference {
    changes: Vec<(u64, ActionId, i32)>,
    hashes: Vec<u64>,
    of_arc_alone: Vec<u64>,
}

impl Difference {
    fn clear(&mut self) {
        self.changes.clear();
    }

    /// Adds the features of a part with its label, `count` times.
    fn add(&mut self, scorer: &PartScorer, order: Order, (part, label): (Part, LabelId), count: i32) {
        let Difference { changes, hashes, of_arc_alone } = self;
        hashes.clear();
        of_arc_alone.clear();
        scorer.extract(order, part, hashes, of_arc_alone);
        for &feature in &*hashes {
            changes.extend([ArcLabels::ARC, ArcLabels::output(label)].map(|output| (feature, output, count)));
        }
        changes.extend(of_arc_alone.iter().map(|&feature| (feature, ArcLabels::ARC, count)));
    }

    /// Adds up the entries of the same weight; gives the squared norm.
    fn merge(&mut self) -> i64 {
        self.changes.sort_unstable_by_key(|&(feature, output, _)| (feature, output));
        self.changes.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        self.changes.retain(|&(_, _, count)| count != 0);
        self.changes.iter().map(|&(_, _, count)| i64::from(count) * i64::from(count)).sum()
    }

    /// Its score.
    fn margin(&self, weights: &IntegerWeights) -> i64 {
        self.changes
            .iter()
            .map(|&(feature, output, count)| i64::from(weights.get(feature, output)) * i64::from(count))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;
    use crate::treebank::generate::{GeneratorOptions, sentences};
    use crate::treebank::{Format, Treebank};

    /// After an update the gold tree beats the one it was learned from by exactly that one's loss, unless the step was cut
    /// off; the perceptron's margin grows by the squared norm.
    #[test]
    fn steps_are_as_long_as_they_should_be() {
        let sentences = sentences(GeneratorOptions { seed: 8, n_sentences: 30, non_projective: true }).collect();
        let path = "generated".into();
        let train = Treebank { path, format: Format::Conllu, sentences, sha256: String::new() };
        let short = 0.001;
        let mut n_cut = 0;
        for (learner, aggressiveness) in [(Learner::Mira, 1.0), (Learner::Mira, short), (Learner::Perceptron, 1.0)] {
            let options = GraphOptions { learner, aggressiveness, ..GraphOptions::default() };
            let data = GraphData::new(&options, &train, None).unwrap();
            let (mut workspace, mut difference) = (GraphWorkspace::default(), Difference::default());
            let mut weights = IntegerWeights::new(data.inventory().width());
            let mut n_updates = 0;
            for (input, gold) in data.examples() {
                let before = weights.clone();
                let reward = Some(Reward { gold, unit: UNIT as i32 }).filter(|_| learner == Learner::Mira);
                let predicted = workspace.decode(data.search(), &before, input, reward).tree;
                if !super::learn(&options, &data, &mut workspace, &mut difference, &mut weights, input, gold) {
                    assert_eq!(&predicted, gold);
                    continue;
                }
                n_updates += 1;
                let wrong_heads = gold.words().filter(|&word| gold.head(word) != predicted.head(word)).count();
                let wrong_arc =
                    |&word: &Node| (gold.head(word), gold.label(word)) != (predicted.head(word), predicted.label(word));
                let loss = (wrong_heads + gold.words().filter(wrong_arc).count()) as f64;
                let squared_norm = difference.changes.iter().map(|change| i64::from(change.2).pow(2)).sum::<i64>();
                let (was, is) = (difference.margin(&before), difference.margin(&weights));
                // A step is a whole number of units.
                let near = |margin: i64, wanted: f64| (margin as f64 - wanted).abs() <= squared_norm as f64 / 2.0 + 1.0;
                match learner {
                    Learner::Mira if near(is, loss * UNIT) => {}
                    Learner::Mira => {
                        n_cut += 1;
                        assert!((is as f64) < loss * UNIT);
                        assert!(near(is - was, short * UNIT * squared_norm as f64) && aggressiveness == short);
                    }
                    _ => assert_eq!(is, was + squared_norm),
                }
            }
            assert!(n_updates > 10, "{n_updates}");
        }
        assert!(n_cut > 10, "{n_cut}");
    }
}
