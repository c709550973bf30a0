//! Exploration: whether to follow the model into a mistake.
//!
//! Goldberg & Nivre (2013) follow the prediction, which a model that is nearly always right leaves for nothing else. Ballesteros, Goldberg,
//! Dyer & Smith (2016) draw the transition to follow from the model's probabilities, each to a power below 1, which makes unlikely ones
//! less unlikely.

use rand::rngs::Xoshiro256PlusPlus;

use super::decision::Follow;
use crate::random;

/// The policy of Goldberg & Nivre (2013, algorithm 3): after iteration k, follow a wrong prediction with probability p.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// `None`: never.
    active: Option<(f64, Xoshiro256PlusPlus)>,
    /// The power to which probabilities are raised that transitions are drawn by; `None`: predictions are followed.
    power: Option<f64>,
}

impl Exploration {
    /// The policy in `iteration` (from 0) on the sentence with number `sentence`, which has a random stream of its own.
    pub fn new(from: u32, probability: f64, seed: u64, iteration: u32, sentence: usize) -> Exploration {
        let active = iteration >= from && probability > 0.0;
        let stream = || random::stream(seed, "exploration", &[u64::from(iteration), sentence as u64]);
        Exploration { active: active.then(|| (probability, stream())), power: None }
    }

    /// The same, where the transition to follow is drawn from the model's probabilities to this power, if there is one.
    #[must_use]
    pub fn by_power(self, power: Option<f64>) -> Exploration {
        Exploration { power, ..self }
    }

    /// Way into a whole sentence: with probability p the share of the model's derivation that is followed, else `None`.
    pub fn share(&mut self) -> Option<f64> {
        let (probability, stream) = self.active.as_mut()?;
        (random::unit(stream) < *probability).then(|| random::unit(stream))
    }

    /// Way on from a decision, whose prediction may be right.
    pub(super) fn follow(&mut self, is_right: bool) -> Follow {
        let Some((probability, stream)) = &mut self.active else { return Follow::Corrected };
        match self.power {
            Some(power) if random::unit(stream) < *probability => Follow::Drawn { power, unit: random::unit(stream) },
            None if !is_right && random::unit(stream) < *probability => Follow::Learned,
            _ => Follow::Corrected,
        }
    }
}
