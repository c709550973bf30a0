//! Regressors: real-valued weights, or a hidden layer, under every output of a decision, changed by a learner's rule.

use std::sync::{Arc, OnceLock};

use super::learner::{
    AdaGrad, Fixed, Ftrl, HiddenNetwork, LearnerOptions, Sgd, SgdPlus, StepClock, Summed, UpdateScratch, linear,
    n_units,
};
use super::{
    FrozenWeights, HiddenLayer, Learner, Linear, LinearMemory, LinearScorer, OutputLayer, RealWeights, WeightState,
    reals, table::OUTSIDE,
};
use crate::configuration::Reads;
use crate::error::Result;
use crate::features::Compiled;
use crate::files::{Section, Sections};
use crate::linear::learner::UpdateRule;
use crate::model::{Averaged, DroppedFeatures, Seen, Trainable};
use crate::scorer::{Context, Opaque, Query, Scorer, Stages};

/// Regressors of decisions, of real-valued weights: one for each output.
#[derive(Debug, Clone)]
pub struct Regressors {
    features: Arc<Compiled>,
    options: LearnerOptions,
    stages: Stages,
    /// By stage.
    learned: Vec<Learned>,
    /// Output layer for beams, valid as long as nothing changes.
    output_layer: OnceLock<OutputLayer>,
    scratch: UpdateScratch,
}

/// Learned weights of one stage.
#[derive(Debug, Clone)]
enum Learned {
    Linear { weights: Box<RealWeights>, clock: StepClock },
    Network(Box<HiddenNetwork>),
}

/// Runs generic code with the rule that options name.
macro_rules! with_rule {
    ($options:expr, |$rule:ident| $body:expr) => {
        match $options.update {
            Learner::Perceptron | Learner::Mira | Learner::Svm | Learner::Nn | Learner::Adam | Learner::Momentum => {
                let $rule = Fixed;
                $body
            }
            Learner::Sgd if $options.l2 > 0.0 => {
                let $rule = Summed { rate: $options.rate, l2: $options.l2 };
                $body
            }
            Learner::Sgd => {
                let $rule = Sgd { rate: $options.rate };
                $body
            }
            Learner::SgdPlus => {
                let $rule = SgdPlus { rate: $options.rate };
                $body
            }
            Learner::Adagrad => {
                let $rule = AdaGrad { rate: $options.rate };
                $body
            }
            Learner::Ftrl => {
                let $rule = Ftrl { rate: $options.rate, beta: $options.beta };
                $body
            }
        }
    };
}

/// Number of values of a weight's state that its rule keeps.
fn kept<R: UpdateRule>(_: R) -> usize {
    R::KEPT
}

impl Regressors {
    /// Regressors that know nothing yet; the hidden units of networks begin at random.
    pub fn new(features: Arc<Compiled>, stages: Stages, options: LearnerOptions, seed: u64) -> Regressors {
        let mut first_unit = 0;
        let learned = stages.outputs().iter().cloned().map(|outputs| match options.hidden {
            0 => {
                let kept = with_rule!(options, |rule| kept(rule));
                let mut weights = RealWeights::new(options.update.averages(), kept, options.min_count);
                let clock = StepClock::default();
                if let Some(factor) = with_rule!(options, |rule| rule.factor(&clock)) {
                    weights.set_factor(factor);
                }
                Learned::Linear { weights: Box::new(weights), clock }
            }
            per_output => {
                let n_units = n_units(per_output, outputs.len());
                let outputs = outputs.collect();
                let network = with_rule!(options, |rule| HiddenNetwork::new(
                    rule,
                    options.min_count,
                    first_unit,
                    n_units,
                    outputs,
                    seed
                ));
                first_unit += n_units;
                Learned::Network(Box::new(network))
            }
        });
        let mut learned: Vec<Learned> = learned.collect();
        if options.in_fixed_point {
            learned.iter_mut().for_each(|learned| learned.table_mut().learn_from_sums_of(features.n_templates()));
        }
        Regressors {
            features,
            options,
            stages,
            learned,
            output_layer: OnceLock::new(),
            scratch: UpdateScratch::default(),
        }
    }

    /// Begins with these weights of features for outputs, and with no others: features that do not come here get none.
    pub fn begin_with(&mut self, weights: impl Iterator<Item = (u64, u32, f32)>) {
        self.learned[0].table_mut().begin_with(weights);
    }

    /// Sets the scores of a stage's outputs, and leaves the activations of its hidden units, if it has any.
    fn score(&self, stage: usize, features: &[u64], activations: &mut Vec<f32>, scores: &mut [f32]) {
        match &self.learned[stage] {
            Learned::Linear { weights, .. } => {
                let outputs = &self.stages.outputs()[stage];
                scores[outputs.start as usize..outputs.end as usize].fill(0.0);
                weights.add_unrounded(features, scores);
            }
            Learned::Network(network) => {
                network.activate(features, activations);
                network.score(activations, scores);
            }
        }
    }

    /// Learns from the gradients, by output, of the scores of one configuration or point.
    fn update(&mut self, update: &ScoreGradients) {
        let ScoreGradients { stage, features, activations, gradient } = update;
        let scratch = &mut self.scratch;
        match &mut self.learned[*stage] {
            Learned::Linear { weights, clock } => {
                let clock = (clock, !self.options.by_sentence);
                let least = self.options.min_gradient;
                with_rule!(self.options, |rule| {
                    linear::update((rule, least), weights, clock, features, gradient, scratch);
                });
            }
            Learned::Network(network) => {
                with_rule!(self.options, |rule| network.update(rule, features, activations, gradient, scratch));
            }
        }
    }

    fn tables(&self) -> impl Iterator<Item = &RealWeights> {
        self.learned.iter().map(Learned::table)
    }

    fn tables_mut(&mut self) -> impl Iterator<Item = &mut RealWeights> {
        self.learned.iter_mut().map(Learned::table_mut)
    }

    /// The finished hidden layers, one for each stage or none.
    fn layers(&self) -> Vec<HiddenLayer> {
        let layer = |learned: &Learned| match learned {
            Learned::Linear { .. } => None,
            Learned::Network(network) => Some(network.layer()),
        };
        self.learned.iter().filter_map(layer).collect()
    }

    fn new_output(&self) -> OutputLayer {
        OutputLayer::new(self.stages.clone(), &self.layers()).expect("the layers are those of the stages")
    }
}

impl Learned {
    /// The sections of a checkpoint, under `prefix`.
    fn sections(&self, prefix: &str) -> Vec<Section<'_>> {
        let mut sections = self.table().sections();
        let mut add = |name: &str, bytes: &[u8]| sections.push(Section::new(name, bytes.to_vec()));
        match self {
            Learned::Linear { clock, .. } => add("clocks", bytemuck::bytes_of(clock)),
            Learned::Network(network) => {
                add("clocks", bytemuck::cast_slice(&network.clocks));
                for (name, dense) in [("biases", &network.biases), ("outputs", &network.output_weights)] {
                    add(name, bytemuck::cast_slice(&dense.weights));
                    add(&format!("{name}-states"), bytemuck::cast_slice(&dense.states));
                }
            }
        }
        sections.into_iter().map(|section| section.under(prefix)).collect()
    }

    fn table(&self) -> &RealWeights {
        match self {
            Learned::Linear { weights, .. } => weights,
            Learned::Network(network) => &network.hidden,
        }
    }

    fn table_mut(&mut self) -> &mut RealWeights {
        match self {
            Learned::Linear { weights, .. } => weights,
            Learned::Network(network) => &mut network.hidden,
        }
    }
}

impl Averaged for Regressors {
    type Finished = Linear;

    fn n_features(&self) -> usize {
        self.learned[0].table().n_features()
    }

    fn end_sentence(&mut self) {
        self.tables_mut().for_each(RealWeights::tick);
        if self.options.by_sentence {
            for learned in &mut self.learned {
                let Learned::Linear { weights, clock } = learned else { continue };
                with_rule!(self.options, |rule| linear::count(rule, weights, clock, 1.0));
            }
        }
    }

    fn end_pass(&mut self) {
        self.tables_mut().for_each(RealWeights::end_pass);
    }

    fn has_diverged(&self) -> bool {
        self.learned.iter().any(|learned| learned.table().has_diverged())
    }

    fn restart_average(&mut self) {
        self.tables_mut().for_each(RealWeights::restart_average);
    }

    /// The tables of all replicas, added up; a network is always alone.
    fn finish(replicas: &[&Regressors]) -> Linear {
        let tables: Vec<&RealWeights> = replicas.iter().flat_map(|replica| replica.tables()).collect();
        let output = replicas[0].new_output();
        let weights = FrozenWeights::average(&tables, output.n_sums());
        Linear::new(Arc::clone(&replicas[0].features), weights, output)
    }

    fn save(&self) -> Vec<Section<'_>> {
        let stages = self.learned.iter().enumerate();
        stages.flat_map(|(number, learned)| learned.sections(&format!("stage-{number}"))).collect()
    }

    fn load(&mut self, sections: &Sections) -> Result<()> {
        let width = self.stages.width();
        for (number, learned) in self.learned.iter_mut().enumerate() {
            let sections = sections.under(&format!("stage-{number}"));
            let outside = || sections.damaged(OUTSIDE);
            let table = |width| RealWeights::from_sections(&sections, width).ok_or_else(outside);
            let clocks = sections.numbers::<StepClock>("clocks")?;
            match learned {
                Learned::Linear { weights, clock } => {
                    *clock = *clocks.first().ok_or_else(outside)?;
                    **weights = table(width)?;
                    if let Some(factor) = with_rule!(self.options, |rule| rule.factor(clock)) {
                        weights.set_factor(factor);
                    }
                }
                Learned::Network(network) => {
                    network.clocks = clocks[..].try_into().map_err(|_| outside())?;
                    network.hidden = table(network.first_unit + network.biases.weights.len())?;
                    for (name, dense) in [("biases", &mut network.biases), ("outputs", &mut network.output_weights)] {
                        let weights = sections.numbers::<f32>(name)?;
                        let states = sections.numbers::<WeightState>(&format!("{name}-states"))?;
                        if weights.len() != dense.weights.len() || states.len() != dense.states.len() {
                            return Err(outside());
                        }
                        dense.weights.copy_from_slice(&weights);
                        dense.states.copy_from_slice(&states);
                    }
                }
            }
            learned.table_mut().look_for_divergence();
            if self.options.in_fixed_point {
                learned.table_mut().learn_from_sums_of(self.features.n_templates());
            }
            if learned.table().has_diverged() {
                return Err(outside());
            }
        }
        self.output_layer = OnceLock::new();
        Ok(())
    }

    fn save_finished(finished: &Linear) -> Vec<Section<'_>> {
        let mut sections = finished.weights().sections();
        sections.extend(finished.output().sections());
        sections
    }

    fn load_finished(&self, sections: &Sections) -> Result<Linear> {
        let output = OutputLayer::from_sections(sections, self.stages.clone())?;
        let weights = FrozenWeights::from_sections(sections, output.n_sums())?;
        Ok(Linear::new(Arc::clone(&self.features), weights, output))
    }
}

/// The gradients of the scores of one configuration or point.
#[derive(Debug)]
pub struct ScoreGradients {
    stage: usize,
    features: Vec<u64>,
    activations: Vec<f32>,
    /// By output.
    gradient: Vec<(u32, f32)>,
}

#[cfg(test)]
impl ScoreGradients {
    /// By output.
    pub fn gradient(&self) -> &[(u32, f32)] {
        &self.gradient
    }
}

/// Inputs that regressors keep of a configuration.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The features that were not left out.
    features: Vec<u64>,
    /// By stage: the activations of its hidden units, if it has any and was scored.
    activations: Vec<Vec<f32>>,
    /// By output: the scores of the stages that were scored.
    scores: Vec<f32>,
}

/// Inputs of the decision that was seen, as regressors have kept them.
fn inputs(seen: &Seen) -> &Inputs {
    seen.kept.as_ref().expect("regressors have seen it")
}

impl Trainable for Regressors {
    fn counts_decisions(&self) -> bool {
        true
    }

    /// # Panics
    /// If decisions have several stages: beams over these are for finished models.
    fn scorer(&self) -> Box<dyn Scorer + '_> {
        assert_eq!(self.learned.len(), 1, "beams of what is being learned are over whole actions");
        let output = self.output_layer.get_or_init(|| self.new_output());
        Box::new(LinearScorer::with_output(&self.features, self.learned[0].table(), output))
    }

    fn reads(&self) -> &Reads {
        self.features.reads()
    }

    fn weight(&self, feature: u64, output: u32) -> f32 {
        self.learned[0].table().get(feature, output)
    }

    fn knows(&self, feature: u64) -> bool {
        self.learned[0].table().knows(feature)
    }

    fn begin(&self, memory: &mut Opaque, context: Context) {
        memory.get::<LinearMemory>().begin(context);
    }

    /// Nothing is memoised: parameters change with every decision.
    fn forget(&self, _: &mut Opaque) {}

    fn see(&self, memory: &mut Opaque, context: Context, query: &Query, dropped: DroppedFeatures, seen: &mut Seen) {
        let features = memory.get::<LinearMemory>().features(&self.features, context, &query.view);
        let inputs: &mut Inputs = seen.kept.get();
        inputs.features.clear();
        inputs.features.extend(features.iter().filter(|&&feature| !dropped.has(feature)));
        inputs.scores.resize(self.stages.width(), 0.0);
        self.see_stage(0, seen);
    }

    fn see_stage(&self, stage: usize, seen: &mut Seen) {
        let Seen { scores: seen_scores, kept } = seen;
        let Inputs { features, activations, scores } = kept.get();
        activations.resize(activations.len().max(stage + 1), Vec::new());
        self.score(stage, features, &mut activations[stage], scores);
        seen_scores.clear();
        seen_scores.extend(scores.iter().map(|&score| f64::from(score)));
    }

    fn credit(
        &self,
        memory: &mut Opaque,
        context: Context,
        query: &Query,
        seen: Option<&Seen>,
        stage: usize,
        gradient: &[(u32, f32)],
        into: &mut Opaque,
    ) {
        let gradient = gradient.to_vec();
        let (features, activations) = match seen {
            Some(seen) => (inputs(seen).features.clone(), inputs(seen).activations[stage].clone()),
            None => {
                let features = memory.get::<LinearMemory>().features(&self.features, context, &query.view).to_vec();
                let (mut activations, mut scores) = (Vec::new(), vec![0.0; self.stages.width()]);
                if let Learned::Network(_) = self.learned[stage] {
                    self.score(stage, &features, &mut activations, &mut scores);
                }
                (features, activations)
            }
        };
        into.get::<Vec<ScoreGradients>>().push(ScoreGradients { stage, features, activations, gradient });
    }

    fn learn(&mut self, gradient: &mut Opaque) {
        gradient.get::<Vec<ScoreGradients>>().drain(..).for_each(|update| self.update(&update));
        self.output_layer = OnceLock::new();
    }

    fn unit(&self) -> f32 {
        reals::UNIT
    }

    fn diverges(&self) -> bool {
        self.has_diverged()
    }

    /// As if there were no hidden layer.
    fn lengthen(&self, gradient: &mut Opaque, loss: f32, longest: f32) {
        let gradient: &mut Vec<ScoreGradients> = gradient.get();
        let slopes = |update: &ScoreGradients| {
            let pairs = update.features.iter().flat_map(|&feature| update.gradient.iter().map(move |of| (feature, of)));
            pairs.map(|(feature, &(output, slope))| (feature, output, slope)).collect::<Vec<_>>()
        };
        let mut slopes: Vec<(u64, u32, f32)> = gradient.iter().flat_map(slopes).collect();
        slopes.sort_unstable_by_key(|&(feature, output, _)| (feature, output));
        let of_weight = slopes.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let norm: f32 = of_weight.map(|slopes| slopes.iter().map(|(.., slope)| slope).sum::<f32>().powi(2)).sum();
        let step = if norm > 0.0 { (loss / norm).clamp(0.0, longest) } else { 0.0 };
        gradient.iter_mut().flat_map(|update| &mut update.gradient).for_each(|(_, slope)| *slope *= step);
    }

    /// That of the features, as if there were no hidden layer. What both have in common cancels, unless it counts for
    /// different outputs.
    fn squared_distance(&self, (right, right_output): (&Seen, u32), (wrong, wrong_output): (&Seen, u32)) -> f32 {
        let (of_right, of_wrong) = (&inputs(right).features, &inputs(wrong).features);
        let shared = match right_output == wrong_output {
            true => of_right.iter().filter(|feature| of_wrong.contains(feature)).count(),
            false => 0,
        };
        (of_right.len() + of_wrong.len() - 2 * shared) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Columns, FeatureSet, WordShape};
    use crate::linear::reals::unpacked;
    use crate::scorer::Decisions;
    use crate::system::{Actions, Move};
    use crate::treebank::Column;

    fn regressors(options: LearnerOptions, decisions: Decisions) -> Regressors {
        let actions = Actions::new(&[Move::Shift, Move::Left], 3, []).unwrap();
        let set = FeatureSet::parse("one", "one.feat", "1").unwrap();
        let columns = Columns::of_words_and_tags(Column::Form, WordShape::AsWritten, Column::Upos);
        Regressors::new(Arc::new(Compiled::new(&set, columns, true)), Stages::new(decisions, &actions), options, 1)
    }

    fn seen(regressors: &Regressors, stage: usize, features: &[u64]) -> Seen {
        let mut seen = Seen::default();
        let scores = vec![0.0; regressors.stages.width()];
        *seen.kept.get() = Inputs { features: features.to_vec(), activations: Vec::new(), scores };
        regressors.see_stage(stage, &mut seen);
        seen
    }

    fn learn_all(regressors: &mut Regressors, updates: Vec<ScoreGradients>) {
        let mut gradient = Opaque::default();
        *gradient.get() = updates;
        regressors.learn(&mut gradient);
    }

    /// A learner that was saved and loaded goes on as the one that was not.
    #[test]
    fn what_was_learned_comes_back() {
        for decisions in [Decisions::Joint, Decisions::Separate] {
            for learner in [Learner::Adagrad, Learner::SgdPlus, Learner::Nn] {
                let new = || regressors(LearnerOptions::of(learner), decisions);
                let learn = |regressors: &mut Regressors, seed: u64| {
                    for stage in 0..regressors.stages.outputs().len() {
                        for feature in 0..20 {
                            let seen = seen(regressors, stage, &[feature * seed, feature + 7]);
                            let gradient = regressors.stages.outputs()[stage].clone();
                            let gradient = gradient
                                .map(|output| (output, seen.scores[output as usize] as f32 - output as f32))
                                .collect();
                            let Inputs { features, activations, .. } = inputs(&seen).clone();
                            let activations = activations[stage].clone();
                            learn_all(regressors, vec![ScoreGradients { stage, features, activations, gradient }]);
                        }
                    }
                    regressors.end_sentence();
                    regressors.end_pass();
                };
                let mut learned = new();
                learn(&mut learned, 3);
                let sections = unpacked(&learned.save());
                let mut again = new();
                again.load(&sections).unwrap();
                assert!(new().load(&unpacked(&learned.save()[1..])).is_err());
                learn(&mut learned, 5);
                learn(&mut again, 5);
                assert!(again.save() == learned.save(), "{learner:?}, {decisions:?}");
            }
        }
    }

    /// Two points that share a feature: 3 + 2 features, of which one cancels if both count for the same output.
    #[test]
    fn what_two_points_share_cancels_for_the_same_output() {
        let regressors = regressors(LearnerOptions::of(Learner::Mira), Decisions::Joint);
        let [right, wrong] = [&[1, 2, 3][..], &[3, 4]].map(|features| seen(&regressors, 0, features));
        assert_eq!(regressors.squared_distance((&right, 0), (&wrong, 0)), 3.0);
        assert_eq!(regressors.squared_distance((&right, 0), (&wrong, 1)), 5.0);
    }
    /// The first sentence counts in full, so it may be long: gradients of 500 of its transitions are not divergence, and 50,000 are.
    #[test]
    fn a_long_first_sentence_does_not_diverge() {
        for (n, diverges) in [(500, false), (50_000, true)] {
            let options = LearnerOptions {
                rate: 0.1,
                by_sentence: true,
                in_fixed_point: true,
                l2: 1e-6,
                ..LearnerOptions::of(Learner::Sgd)
            };
            let mut regressors = regressors(options, Decisions::Joint);
            let update =
                || ScoreGradients { stage: 0, features: vec![1], activations: Vec::new(), gradient: vec![(0, 1.0)] };
            learn_all(&mut regressors, (0..n).map(|_| update()).collect());
            regressors.end_sentence();
            assert_eq!(regressors.has_diverged(), diverges, "{n}");
        }
    }
}
