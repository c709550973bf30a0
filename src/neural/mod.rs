//! Scorers with networks: feed-forward ones over embeddings (Chen & Manning 2014), or over what a bidirectional long short-term
//! memory makes of them (Kiperwasser & Goldberg 2016), or of the stack, the buffer and the actions so far (Dyer et al. 2015).
//!
//! | file | content |
//! |---|---|
//! | `kernel`, `bytes` | products of matrices and functions of vectors, the same bits on all processors |
//! | `parameters`, `gradients`, `optimiser` | the numbers that are learned, in a network of any kind; how they follow their gradients |
//! | `sentence`, `noise` | the tokens of a sentence; what training changes of them at random |
//! | `lstm` | long short-term memories |
//! | `encoder`, `through_time` | vectors of words in their sentence, and the gradients of what makes them |
//! | `layout`, `tensors` | what is read of a configuration; what is learned |
//! | `stack_lstm` | vectors of the stack, the buffer and the actions so far, which share their structure |
//! | `score`, `sums` | scoring a beam's configurations, sharing what they have in common |
//! | `tape`, `backward` | from gradients of scores to those of parameters |
//! | `learner` | the network that is being trained |
//! | `vectors` | word vectors that were made elsewhere, to begin with |
//! | `frozen`, `quantised` | the finished network and its sections of a model file; the same in fewer bits |
//!
//! Inputs are embeddings of words, tags, affixes of three letters and shapes, of the words in some
//! [places](crate::model::Network) of a configuration, and of the labels of their arcs. There is no framework: the
//! layers are written out with their gradients, which tests compare with differences of the loss.

mod activation;
mod backward;
mod bytes;
mod derived;
pub(crate) mod encoder;
#[cfg(test)]
mod encoder_tests;
mod frozen;
pub(crate) mod gradients;
pub(crate) mod kernel;
mod layout;
mod learner;
pub(crate) mod lstm;
pub(crate) mod noise;
pub(crate) mod optimiser;
pub(crate) mod parameters;
#[cfg(test)]
pub(crate) mod plain;
mod quantised;
#[cfg(test)]
mod quantised_tests;
pub(crate) mod score;
pub(crate) mod sentence;
mod stack_lstm;
mod sums;
mod tape;
mod tensors;
#[cfg(test)]
mod tests;
pub(crate) mod through_time;
mod vectors;

pub use frozen::{FeedForward, FeedForwardModel};
pub(crate) use kernel::{exp, ln};
pub use layout::{CellGroup, Layout};
pub use learner::{FeedForwardLearner, LearnerSettings};
pub use noise::{Noise, SentenceNoise};
pub use optimiser::OptimiserRule;
pub use parameters::Parameters;
pub use score::{FeedForwardMemory, FeedForwardScorer, Hidden, UNIT};
pub use tape::Tape;
pub use tensors::initial_parameters;
pub use vectors::WordVectors;
