//! The parser of Dozat & Manning (2017), "Deep biaffine attention for neural dependency parsing": arcs and labels are scored by forms
//! that are linear in head and dependent each, over vectors of words in their sentence.
//!
//! With v the vector that the [encoder](crate::neural) gives a word, and for each of the four kinds of unit a layer r(v) = leaky(W v + b):
//!
//! ```text
//! s(h → d)     = r_dᵀ U r_h + uᵀ r_h                        P(h | d)    = softmax over all h ≠ d, the root among them
//! s(l | h → d) = r'_dᵀ V_l r'_h + w_lᵀ r'_h + x_lᵀ r'_d + b_l    P(l | h, d) = softmax over labels that arcs from that side bear
//! ```
//!
//! Training minimises −log P(h | d) − log P(l | h, d) of each word's gold head and label. An arc's score in parsing is log P(h | d)
//! + log P(l | h, d) with its best label, so the best tree over arcs, by the decoders of the other graph-based parsers, is the most
//!   probable labelled tree of all, and the k best ones are the k most probable.
//!
//! | file | content |
//! |---|---|
//! | `network`, `layout` | the network as headers have it; all that its numbers do not change |
//! | `tensors` | the numbers that are learned |
//! | `score` | from sentences to scores of arcs and labels |
//! | `gradient` | from gold trees to the gradients of all numbers |
//! | `learner` | how the numbers follow them |
//! | `decode` | from scores to trees |
//! | `train` | initial network, and passes over the data |

mod decode;
mod gradient;
mod layout;
mod learner;
mod network;
mod score;
mod tensors;
#[cfg(test)]
mod tests;
mod train;

pub use learner::Biaffine;
pub use network::BiaffineNetwork;
