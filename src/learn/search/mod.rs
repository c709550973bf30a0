//! Learning to search: parsing as a sequence of cost-sensitive decisions (Chang, He, Daumé & Langford 2015; Daumé, Langford &
//! Marcu 2009), and greedy training with any base learner.
//!
//! ```text
//! for each sentence, from the initial configuration c:
//!     score all options in c
//!     costs of the options: the loss after a roll-out from each, or what the oracle says it would be
//!     the base learner learns from features, options and costs
//!     c := the successor of c by the roll-in policy
//! ```
//!
//! The loss of a tree is 2 for each word with a wrong head, 1 for each with the right head and a wrong label.
//!
//! **Costs without roll-outs.** With the reference's roll-outs and an oracle whose costs are exact, an action costs twice the
//! unlabelled cost of its move, and 1 more if it makes a gold arc with a wrong label: the reference gives all later arcs
//! that can still be had, with their labels. So nothing is rolled out for the reference, unless [`Search::run_reference`] asks
//! for it. Where the oracle's costs are not exact they stand for the reference's costs all the same.
//!
//! **Labels.** A learned roll-out is run once for each move: with the gold label if the move makes a gold arc, else with the
//! label of the highest score. Wrong labels of gold arcs cost 1 more. With [separate decisions](Decisions::Separate) the
//! label's decision is learned from for the move that the roll-in takes, if that makes a gold arc; on other arcs all labels
//! cost the same.
//!
//! **Greedy training** learns from the same options: with a static oracle all but the derivation's action cost 1, with others
//! costs are the oracle's. A wrong prediction is followed if the exploration policy says so; else the best of the right ones
//! is.
//!
//! **Dropout**, if asked for, leaves features out of an example, and so out of the prediction that goes with it: weights that
//! lean on a few features alone are not enough. Roll-outs see all features.
//!
//! Changes take effect at once, so a trajectory is made by a policy that learns on its way (Vowpal Wabbit changes weights after
//! each sentence).
//!
//! Complexity: O(n) decisions a sentence without roll-outs; a roll-out is as long as the rest of its derivation, so with
//! learned ones it is O(m n²) scorings for m moves.

mod example;
mod frame;
mod options;
mod roll_out;
#[cfg(test)]
mod tests;

pub use frame::Dropout;
pub use options::{Preset, RollIn, RollOut, Search};

use rand::rngs::Xoshiro256PlusPlus;

use super::base::Base;
use super::greedy::Teacher;
use super::supervision::Supervision;
use crate::configuration::{Arena, Point};
use crate::decode::{Decoder, Item, Workspace};
use crate::model::{Decisions, Parts};
use crate::random;
use crate::system::{ActionId, Choice, TransitionSystem};
use example::{Example, Follow};
use frame::{Frame, MoveOption, Source};

/// Who decides on options' costs and on where to go.
#[derive(Debug)]
pub enum Guide<'t> {
    /// Greedy training.
    Greedy(Teacher<'t>),
    /// Learning to search, in a pass with this number.
    Search {
        /// How.
        search: Search,
        /// The pass, from 0.
        pass: u32,
        /// What is drawn from.
        stream: Xoshiro256PlusPlus,
    },
}

/// Learns from the sentence in `workspace.input`; the number of wrong predictions.
pub fn learn<S: TransitionSystem>(
    decoder: &Decoder<S, ()>,
    supervision: &Supervision<S>,
    parts: &Parts,
    guide: Guide,
    dropout: Option<Dropout>,
    workspace: &mut Workspace,
    base: &mut Base,
) -> u64 {
    let n_words = workspace.input.n_words();
    workspace.start(decoder.actions.width());
    let Workspace { bump, label_sets, scorer, input, .. } = workspace;
    let arena = Arena::new(bump, label_sets, decoder.features.masks());
    let source = Source { features: decoder.features, input, label_sets, scorer };
    let mut searcher = Searcher {
        decoder,
        supervision,
        parts,
        source,
        arena,
        n_words,
        frame: Frame::default(),
        spare: Frame::default(),
        dropout,
        example: Example::default(),
    };
    searcher.learn(guide, base)
}

struct Searcher<'s, 'a, S> {
    decoder: &'s Decoder<'s, S, ()>,
    supervision: &'s Supervision<'s, S>,
    parts: &'s Parts,
    source: Source<'s>,
    arena: Arena<'a>,
    n_words: usize,
    frame: Frame,
    /// For roll-outs.
    spare: Frame,
    dropout: Option<Dropout>,
    example: Example,
}

impl<'a, S: TransitionSystem> Searcher<'_, 'a, S> {
    fn learn(&mut self, mut guide: Guide, base: &mut Base) -> u64 {
        let mut item = self.decoder.initial(self.arena, self.n_words);
        let mut options: Vec<MoveOption> = Vec::new();
        let mut n_wrong = 0;
        let whole_sentence = match &mut guide {
            Guide::Search { search, stream, .. } if search.roll_in == RollIn::MixPerRoll => {
                Some(draw(stream, search.learned_share(base.n_examples())))
            }
            _ => None,
        };
        for step in 0.. {
            if self.decoder.system.is_terminal(&item.configuration) {
                break;
            }
            let n_points = self.decoder.system.n_points(&item.configuration);
            if let Some(dropout) = &mut self.dropout {
                self.frame.dropped = dropout.draw();
            }
            self.frame.fill(&mut self.source, base, item, n_points);
            match &guide {
                Guide::Greedy(Teacher::Static(derivation)) => self.prescribed(item, derivation[step], &mut options),
                _ => self.reference_options(item, &mut options),
            }
            if let Guide::Search { search, stream, .. } = &mut guide {
                if search.roll_out == RollOut::None {
                    options.iter_mut().for_each(|option| option.cost = option.cost.min(1.0));
                }
                self.roll_out(item, *search, stream, base, &mut options);
            }
            let reference = reference(&options);
            let n_examples = base.n_examples();
            let mut follow = |is_right: bool| match &mut guide {
                Guide::Greedy(Teacher::Static(_)) => Follow::Reference,
                Guide::Greedy(Teacher::NonDeterministic) => Follow::Corrected,
                Guide::Greedy(Teacher::Dynamic(exploration)) => {
                    if !is_right && exploration.follow_mistake() {
                        Follow::Learned
                    } else {
                        Follow::Corrected
                    }
                }
                Guide::Search { search, pass, stream } => {
                    let learned = match search.roll_in {
                        RollIn::Reference => false,
                        RollIn::Learned => true,
                        RollIn::ReferenceFirst => *pass > 0,
                        RollIn::MixPerRoll => whole_sentence == Some(true),
                        RollIn::Mixture => draw(stream, search.learned_share(n_examples)),
                    };
                    if learned { Follow::Learned } else { Follow::Reference }
                }
            };
            let (choice, is_right) = match self.parts.decisions() {
                Decisions::Joint => {
                    self.example.set_actions(&options, &self.frame, self.decoder);
                    let reference = self.example.position(&options[reference]);
                    let (chosen, is_right) = self.example.decide(reference, &mut follow);
                    self.example.learn(0, reference, &self.frame, base);
                    let (point, lane) = self.example.options[chosen];
                    (Choice { point, action: lane as ActionId }, is_right)
                }
                Decisions::Separate => {
                    self.example.set_moves(&options, &self.frame, self.parts);
                    let (chosen, is_right) = self.example.decide(reference, &mut follow);
                    self.example.learn(0, reference, &self.frame, base);
                    let option = options[chosen];
                    let Some(part) = self.parts.of_labels(option.mv) else {
                        let action = self.decoder.actions.of_move(option.mv).next();
                        let action = action.expect("every move has an action");
                        item =
                            self.decoder.successor(item, Choice { point: option.point, action }, 0, false, self.arena);
                        n_wrong += u64::from(!is_right);
                        continue;
                    };
                    self.frame.score(base, part, option.point);
                    self.example.set_labels(&option, &self.frame, self.decoder);
                    let gold = option.gold.map(|gold| (option.point, u32::from(gold)));
                    let reference = self.example.options.iter().position(|&option| Some(option) == gold);
                    let (chosen, label_is_right) = self.example.decide(reference.unwrap_or(0), &mut follow);
                    let chosen = if reference.is_none() { self.example.predicted() } else { chosen };
                    if let Some(reference) = reference {
                        self.example.learn(part, reference, &self.frame, base);
                    }
                    let (point, lane) = self.example.options[chosen];
                    (Choice { point, action: lane as ActionId }, is_right && label_is_right)
                }
            };
            n_wrong += u64::from(!is_right);
            item = self.decoder.successor(item, choice, 0, false, self.arena);
        }
        base.tick();
        n_wrong
    }

    /// Lists the permitted moves, of which a static oracle prescribes one.
    fn prescribed(&self, item: &Item<'a, S::Shared<'a>>, right: Choice, options: &mut Vec<MoveOption>) {
        let right_move = self.decoder.actions.get(right.action).mv;
        self.list(item, options, |_: &mut Option<()>, option| {
            let is_right = (option.point, option.mv) == (right.point, right_move);
            option.cost = if is_right { 0.0 } else { 1.0 };
            option.gold = Some(right.action).filter(|_| is_right && option.mv.makes_arc());
        });
    }

    /// Lists the permitted moves with the oracle's costs: those of the reference's roll-outs.
    fn reference_options(&self, item: &Item<'a, S::Shared<'a>>, options: &mut Vec<MoveOption>) {
        let (system, gold, c) = (self.decoder.system, self.supervision.gold, &item.configuration);
        self.list(item, options, |costs, option| {
            let MoveOption { point, mv, permitted, .. } = *option;
            let costs = costs.get_or_insert_with(|| system.costs(gold, c, point, permitted.moves));
            option.cost = 2.0 * costs.get(mv).unwrap_or(0) as f32;
            option.gold = self.supervision.gold_action(c, point, mv, permitted);
        });
        from_least(options);
    }

    /// Lists the permitted moves; `price` fills in what they cost, and may keep what it knows of all moves at one point.
    fn list<T>(
        &self,
        item: &Item<'a, S::Shared<'a>>,
        options: &mut Vec<MoveOption>,
        price: impl Fn(&mut Option<T>, &mut MoveOption),
    ) {
        options.clear();
        for point in 0..self.decoder.system.n_points(&item.configuration) as Point {
            let permitted = self.decoder.system.permitted(&item.configuration, point);
            let mut known = None;
            for mv in permitted.moves.iter() {
                let mut option = MoveOption { point, mv, permitted, cost: 0.0, gold: None };
                price(&mut known, &mut option);
                options.push(option);
            }
        }
    }
}

/// Subtracts the least cost from all.
fn from_least(options: &mut [MoveOption]) {
    let least = options.iter().fold(f32::INFINITY, |least, option| least.min(option.cost));
    options.iter_mut().for_each(|option| option.cost -= least);
}

/// The option that the reference takes: of those that cost nothing the first that makes a gold arc, else the first.
fn reference(options: &[MoveOption]) -> usize {
    let free = || options.iter().enumerate().filter(|(_, option)| option.cost == 0.0);
    let preferred = free().find(|(_, option)| option.gold.is_some()).or_else(|| free().next());
    preferred.expect("some option costs nothing").0
}

/// Whether something of this probability happens.
fn draw(stream: &mut Xoshiro256PlusPlus, probability: f64) -> bool {
    random::unit(stream) < probability
}
