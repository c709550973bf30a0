//! Dropout, so that the network does not depend on single inputs: values of columns become unknown ones, the rarer the
//! more often, and numbers of embeddings become 0 (Srivastava et al. 2014).

use crate::features::{Input, N_COLUMNS, Sets, Vocabulary};
use crate::random;
use crate::vector::vectorised;

/// Word dropout: a value that comes c times becomes unknown with probability α / (α + c).
const FORGOTTEN: f64 = 0.25;
/// Dropout rate of embeddings.
const MASKED: f32 = 0.2;
/// Dropout rate between the layers of an encoder.
const MASKED_WITHIN: f32 = 0.33;

/// Source of random numbers for dropout.
#[derive(Debug, Clone)]
pub struct Noise {
    seed: u64,
    /// Of the optimiser; a sentence comes again after other steps.
    pub step: u64,
    /// By column and number: the probability of becoming unknown.
    forgotten: [Vec<f32>; N_COLUMNS],
}

/// Dropout masks of a sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SentenceNoise {
    salt: u64,
}

impl Noise {
    /// Noise for values that come as often as they do in `inputs`, which are numbered.
    pub fn new<'i>(seed: u64, vocabulary: &Vocabulary, inputs: impl Iterator<Item = &'i Input>) -> Noise {
        let mut counts: [Vec<u32>; N_COLUMNS] = std::array::from_fn(|column| vec![0; vocabulary.len(column)]);
        for input in inputs {
            for (column, counts) in counts.iter_mut().enumerate() {
                for word in 1..=input.n_words() as u16 {
                    let id = input.id(column, word);
                    input.sets().values(column, &id).iter().for_each(|&value| counts[value as usize] += 1);
                }
            }
        }
        // Neither the root nor the value of no token becomes unknown.
        let probability = |&count: &u32| match count {
            0 => 0.0,
            count => (FORGOTTEN / (FORGOTTEN + f64::from(count))) as f32,
        };
        Noise { seed, step: 0, forgotten: counts.map(|counts| counts.iter().map(probability).collect()) }
    }

    /// Dropout masks of a sentence at this step, whichever thread comes to it first.
    pub fn of_sentence(&self, input: &Input) -> SentenceNoise {
        let words = input.column(0).iter().fold(0_u64, |hash, &value| mixed(hash ^ value));
        let mut stream = random::stream(self.seed, "embeddings", &[self.step, words]);
        SentenceNoise { salt: random::below(u64::MAX, &mut stream) }
    }

    /// Replaces values by unknown ones, those of a set one by one.
    pub fn forget_rare(&self, of: &SentenceNoise, column: usize, ids: &mut [u32], sets: &mut Sets) {
        let salt = mixed(of.salt ^ (column as u64 + 1));
        for (token, id) in ids.iter_mut().enumerate() {
            let is_forgotten = |(value, number): (u32, u64)| {
                let salt = if number == 0 { salt } else { mixed(salt ^ number) };
                drawn(salt, token) < self.forgotten[column][value as usize]
            };
            let values = || sets.values(column, id).iter().copied().zip(0..);
            if values().any(is_forgotten) {
                let kept = values().map(|of| if is_forgotten(of) { Vocabulary::UNKNOWN } else { of.0 }).collect();
                *id = sets.number(column, kept);
            }
        }
    }
}

impl SentenceNoise {
    /// Puts 0 in place of some numbers of embeddings, always the same ones, and makes the others larger.
    pub fn mask(&self, numbers: &mut [f32]) {
        mask(self.salt, MASKED, numbers);
    }

    /// The same of what a layer of an encoder reads of the one below it.
    pub fn mask_within(&self, layer: usize, numbers: &mut [f32]) {
        mask(mixed(self.salt ^ (layer as u64) << 32), MASKED_WITHIN, numbers);
    }

    /// The same of units that are no inputs of the encoder, so many of them.
    pub fn mask_units(&self, share: f32, numbers: &mut [f32]) {
        mask(mixed(self.salt ^ 1 << 63), share, numbers);
    }
}

fn mask(salt: u64, share: f32, numbers: &mut [f32]) {
    let kept = 1.0 / (1.0 - share);
    vectorised!(_simd => {
        for (place, number) in numbers.iter_mut().enumerate() {
            *number *= if drawn(salt, place) < share { 0.0 } else { kept };
        }
    });
}

/// A number from 0 to below 1, of the salt and a place.
#[inline(always)]
fn drawn(salt: u64, place: usize) -> f32 {
    (mixed(salt ^ (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 40) as f32 / (1 << 24) as f32
}

/// Every bit of the result depends on every bit of `x` (the finaliser of splitmix64, Steele, Lea & Flood 2014).
#[inline(always)]
pub fn mixed(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
