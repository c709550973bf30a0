//! Stack LSTMs (Dyer, Ballesteros, Ling, Matthews & Smith 2015; with exploration Ballesteros, Goldberg, Dyer & Smith 2016).
//!
//! A configuration is read whole, as three sequences: the stack S from the bottom up, the buffer B from its end to the front, and
//! the actions A so far. A long short-term memory reads each, and its last output stands for the sequence:
//!
//! ```text
//! v = max(0, V e + d)                       of a token's embedding e
//! c = tanh(U [h; d; r] + u)                 of a head's vector h, a dependent's d and the embedding r of their relation
//! s, b, a = LSTM_S(.. S1 S0), LSTM_B(.. B1 B0), LSTM_A(.. actions)
//! z = W_S s + W_B b + W_A a + w             the sums of hidden units, and from there on as in other networks
//! ```
//!
//! In S and B stand vectors of tokens, which grow into those of partial trees as arcs are made. What one of the three has read is a
//! **node** of a tree of all sequences that share it: to push is a step from a node to a new one, to pop is to go back to the node
//! before. Cells of configurations share their structure in the same way, and know the number of their partial tree
//! ([`Trees`](crate::configuration::Trees)): so nodes, like compositions, are made once, however many items of a beam stand on
//! them, and a transition takes a step for each new cell on top of the stack or at the front of the buffer, of which there are at
//! most two, and one for the action, whatever the lengths of the sequences. All nodes follow from the cells, so they can be forgotten and made again at any time.
//!
//! Configurations without linked stacks show their next four cells, which then are the sequence: of Covington's systems and the
//! pending list of easy-first. M0, which is in neither sequence (the words between the focus words, the other stack of two), has a
//! vector of its own in the sum.
//!
//! | file | content |
//! |---|---|
//! | `shape`, `derived` | sizes; what follows from parameters |
//! | `memory` | nodes and compositions of a sentence, and finding those of a configuration |
//! | `step` | making those that are new, a whole step of a beam at once |
//! | `tape` | what of them led to a loss |
//! | `backward` | the gradients of all parameters |

mod backward;
mod derived;
mod memory;
mod shape;
mod step;
mod tape;
#[cfg(test)]
mod tests;

pub use derived::StackDerived;
pub use memory::StackMemory;
pub use shape::StackShape;
pub use step::StackScorer;
pub use tape::StackTape;
