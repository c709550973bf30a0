//! Exploration: whether to follow the model into a mistake.

use rand::rngs::Xoshiro256PlusPlus;

use crate::random;

/// The policy of Goldberg & Nivre (2013, algorithm 3): after iteration k, follow a wrong prediction with probability p.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// `None`: never.
    active: Option<(f64, Xoshiro256PlusPlus)>,
}

impl Exploration {
    /// The policy in `iteration` (from 0) on the sentence with number `sentence`, which has a random stream of its own.
    pub fn new(from: u32, probability: f64, seed: u64, iteration: u32, sentence: usize) -> Exploration {
        let active = iteration >= from && probability > 0.0;
        let stream = || random::stream(seed, "exploration", &[u64::from(iteration), sentence as u64]);
        Exploration { active: active.then(|| (probability, stream())) }
    }

    /// Whether to follow the wrong prediction at hand.
    pub fn follow_mistake(&mut self) -> bool {
        self.active.as_mut().is_some_and(|(probability, stream)| random::unit(stream) < *probability)
    }
}
