//! Derivations that wander from gold trees, and the bounds of the loss wherever they come.

use serde::{Deserialize, Serialize};

use treebeam::configuration::{Arena, PlainLists, SharedLists};
use treebeam::decode::{Item, Machine, Workspace};
use treebeam::error::{Error, Result};
use treebeam::learn::{TrainOptions, Training, TrainingData, train};
use treebeam::linear::Linear;
use treebeam::model::{Model, Scoring};
use treebeam::random;
use treebeam::scorer::{Context, Opaque, Query, Scorer, best_permitted};
use treebeam::system::{Action, AnySystem, Bounds, Choice, Move, OracleKind, OverLists, Roots, SystemKind};
use treebeam::tree::{Gold, Labels, NO_LABEL, Tree};
use treebeam::treebank::{Sentence, Treebank};

/// Walk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Walk {
    /// Stop after so many transitions of a treebank; in a specification the profile says it.
    #[serde(default)]
    pub transitions: usize,
    /// The probability that a transition is any permitted one instead of one of least cost by the upper bound.
    pub wander: f64,
    /// True if bounds and loss are compared after every permitted transition of the configurations of a derivation, as Table 1 of the
    /// paper counts; if not, after those that it consists of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_transition: bool,
    /// The seed of wandering.
    pub seed: u64,
    /// Give up the search for a configuration's loss after so many others; it is then left out.
    pub max_configurations: usize,
    /// Roll-in policy besides the oracle, if there is one.
    #[serde(default, rename = "guide", skip_serializing_if = "Option::is_none")]
    pub roll_in: Option<RollIn>,
}

/// Roll-in policy: a parser chooses transitions. It was trained on the same sentences, as in training with exploration, or on the
/// other half of the treebank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RollIn {
    /// The probability that the parser's transition is taken instead of one of least cost.
    pub follow: f64,
    /// Number of passes over the parser's training sentences.
    pub iterations: u32,
    /// True if the parser was not trained on these sentences.
    #[serde(default)]
    pub held_out: bool,
}

/// Sums over the configurations of one treebank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Configurations whose loss was found.
    pub configurations: usize,
    /// Those where the search was given up.
    pub given_up: usize,
    /// Of the loss.
    pub loss: u64,
    /// Of the bounds: lower, pc-upper, upper.
    pub bounds: [u64; 3],
    /// Of |bound - loss| / loss, 0 where the loss is 0.
    pub distances: [f64; 3],
}

/// Means over configurations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Means {
    /// The loss.
    pub loss: f64,
    /// The bounds: lower, pc-upper, upper.
    pub bounds: [f64; 3],
    /// The relative distances of the bounds from the loss.
    pub distances: [f64; 3],
}

impl Sums {
    fn add(&mut self, bounds: Bounds, loss: u32) {
        self.configurations += 1;
        self.loss += u64::from(loss);
        for (place, bound) in [bounds.lower, bounds.pc_upper, bounds.upper].into_iter().enumerate() {
            self.bounds[place] += u64::from(bound);
            if loss > 0 {
                self.distances[place] += f64::from(bound.abs_diff(loss)) / f64::from(loss);
            }
        }
    }

    /// The means over configurations.
    pub fn means(&self) -> Means {
        let n = self.configurations.max(1) as f64;
        let mean = |sum: u64| sum as f64 / n;
        Means { loss: mean(self.loss), bounds: self.bounds.map(mean), distances: self.distances.map(|sum| sum / n) }
    }
}

impl Walk {
    /// Follows derivations that wander, sentence by sentence, and compares bounds and loss wherever they come.
    ///
    /// # Errors
    /// If a tree is malformed or a sentence too long; if the roll-in policy is trained on half of the sentences and there is but one.
    pub fn over(&self, treebank: &Treebank) -> Result<Sums> {
        let Some(roll_in) = self.roll_in else { return self.along(treebank, None) };
        let halves = roll_in.held_out.then(|| halves(treebank)).transpose()?;
        let (known, walked) = halves.as_ref().map_or((treebank, treebank), |(first, second)| (first, second));
        let options = TrainOptions {
            system: kind()?,
            features: kind()?.info().features.to_owned(),
            training: Training::Greedy,
            oracle: OracleKind::Upper,
            roots: Roots::Several,
            iterations: roll_in.iterations.into(),
            replicas: 1,
            seed: self.seed,
            ..TrainOptions::default()
        };
        let model = train(&options, &TrainingData::new(&options, known, None)?, 1)?;
        self.along(walked, Some((&model, roll_in.follow)))
    }

    /// Follows derivations of all sentences. The model, if there is one, chooses each transition with this probability.
    fn along(&self, treebank: &Treebank, roll_in: Option<(&Model<Linear>, f64)>) -> Result<Sums> {
        for sentence in &treebank.sentences {
            kind()?.check_training_length(sentence)?;
        }
        // Non-monotonic Covington lets several words hang on the root, whatever the format says.
        let trees = treebank.trees(Roots::Several, &mut Labels::default())?;
        let mut sums = Sums::default();
        let mut n_left = self.transitions;
        let system = system()?;
        let n_labels = roll_in.map_or(0, |(model, _)| model.actions.n_labels());
        let mut workspace = Workspace::new(n_labels);
        for (number, (tree, sentence)) in trees.into_iter().zip(&treebank.sentences).enumerate() {
            let mut followed = roll_in
                .map(|(model, follow)| (ModelDerivation::new(model, system, sentence, &tree, &mut workspace), follow));
            let gold = Gold::new(tree);
            let mut rng = random::stream(self.seed, "bounds", &[number as u64]);
            let mut search = system.bounds(&gold, self.max_configurations).expect("the system has bounds");
            let mut c: PlainLists = system.initial((), gold.n_words());
            while !system.is_terminal(&c) {
                let permitted = system.permitted(&c, 0).moves;
                let after = |mv: Move| {
                    let label = if mv.makes_arc() { 0 } else { NO_LABEL };
                    system.successor(&c, Action::labelled(mv, label), ())
                };
                let compared =
                    if self.every_transition { permitted.iter().map(after).collect() } else { vec![c.clone()] };
                for c in &compared {
                    if n_left == 0 {
                        return Ok(sums);
                    }
                    n_left -= 1;
                    match search.loss(c) {
                        Some(loss) => sums.add(search.bounds(c), loss),
                        None => sums.given_up += 1,
                    }
                }
                let costs = system.costs(&gold, &c, 0, permitted);
                let wanders = random::unit(&mut rng) < self.wander;
                let mut any = || {
                    let moves: Vec<Move> =
                        permitted.iter().filter(|&mv| wanders || costs.get(mv) == costs.least()).collect();
                    moves[random::below(moves.len() as u64, &mut rng) as usize]
                };
                let mv = match &mut followed {
                    None => any(),
                    Some((derivation, follow)) => {
                        let drawn = any();
                        let follows = random::unit(&mut rng) < *follow && !wanders;
                        derivation.step((!follows).then_some(drawn))
                    }
                };
                c = after(mv);
            }
        }
        Ok(sums)
    }
}

/// Non-monotonic Covington, whose oracle goes by bounds.
fn kind() -> Result<SystemKind> {
    let missing =
        || Error::Usage("bounds of the loss are those of covington-nonmonotonic, which this program lacks".to_owned());
    SystemKind::named("covington-nonmonotonic").ok_or_else(missing)
}

/// Non-monotonic Covington with several roots and the upper bound for its oracle.
fn system() -> Result<&'static dyn OverLists> {
    match kind()?.system(Roots::Several) {
        AnySystem::Lists(system) => Ok(system),
        other => unreachable!("{other:?} is a system over lists"),
    }
}

/// The first half of a treebank's sentences and the second.
fn halves(treebank: &Treebank) -> Result<(Treebank, Treebank)> {
    let (first, second) = treebank.sentences.split_at(treebank.sentences.len() / 2);
    if first.is_empty() {
        let path = treebank.path.display();
        return Err(Error::Usage(format!(
            "{path}: one sentence cannot be halved; expected two or more, or no held-out half"
        )));
    }
    let of = |sentences: &[Sentence]| Treebank {
        path: treebank.path.clone(),
        format: treebank.format,
        sentences: sentences.to_vec(),
        sha256: treebank.sha256.clone(),
    };
    Ok((of(first), of(second)))
}

/// The derivation of a sentence as a model sees it.
struct ModelDerivation<'a> {
    machine: Machine<'a, &'static dyn OverLists>,
    scorer: Box<dyn Scorer + 'a>,
    memory: &'a mut Opaque,
    context: Context<'a>,
    arena: Arena<'a>,
    item: &'a Item<'a, SharedLists<'a>>,
}

impl<'a> ModelDerivation<'a> {
    fn new(
        model: &'a Model<Linear>,
        system: &'static dyn OverLists,
        sentence: &Sentence,
        tree: &Tree,
        workspace: &'a mut Workspace,
    ) -> ModelDerivation<'a> {
        model.read(sentence, &mut workspace.input);
        let scorer = model.scorer.scorer();
        let machine = Machine::new(system, &model.actions, &*scorer);
        let (arena, context, scratch) = workspace.begin(&*scorer, &model.actions);
        let item = machine.initial(arena, tree.n_words());
        ModelDerivation { machine, scorer, memory: scratch.memory, context, arena, item }
    }

    /// Takes this move, or if there is none, the model's; which it was. A move's label is the first that the model knows.
    fn step(&mut self, mv: Option<Move>) -> Move {
        let ModelDerivation { machine, scorer, memory, context, arena, item } = self;
        let permitted = machine.system.permitted(&item.configuration, 0);
        let of_model = || {
            let scores = scorer.score_one(memory, *context, &Query { view: item.view(0), permitted });
            best_permitted(scores, machine.actions.mask(permitted)).map(|(_, action)| action)
        };
        let of_move = |mv| machine.actions.of_move(mv).find(|&id| machine.actions.permits(permitted, id));
        // A move that the model never learned leaves it its own.
        let action =
            mv.and_then(of_move).or_else(of_model).expect("a configuration that is not terminal permits something");
        self.item = machine.successor(item, Choice { point: 0, action }, 0, false, *arena);
        machine.actions.get(action).mv
    }
}
