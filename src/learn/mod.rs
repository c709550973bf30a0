//! Learning: greedily, globally, and by learning to search, with any objective and any scorer that can be trained.
//!
//! | file | content |
//! |---|---|
//! | `data`, `setup` | what a run reads, and what it writes |
//! | `arc_weights` | what arcs count in losses |
//! | `initial`, `watch` | weights to begin with, and decisions in words, for examples worked by hand |
//! | `trainer` | the training loop |
//! | `network` | what the training of a network begins with |
//! | `supervision` | who is gold: which actions are correct, and the canonical derivation |
//! | `local`, `objective` | training on one decision after the other; from scores and costs to gradients |
//! | `exact` | training on whole derivations against exact search |
//! | `merged` | training in beams that merge |
//! | `offline` | training a support vector machine on the canonical derivations |
//! | `gold_beam`, `global`, `violation` | two beams that advance together; training on whole derivations; update methods |

mod arc_weights;
mod data;
mod exact;
mod global;
mod gold_beam;
mod initial;
mod linear_start;
mod local;
mod merged;
mod network;
mod objective;
mod offline;
mod setup;
mod supervision;
mod trainer;
mod violation;
mod watch;

pub use crate::linear::Learner;
pub use crate::options::{
    Correct, LearningToSearch, Objective, Preset, RollIn, RollOut, TrainOptions, Training, Update,
};
pub use crate::training::{IterationReport, Iterations, Keep, ModelRun, Nonprojective, Run, Stop, Stopping, Written};
pub use data::{Example, TrainingData};
pub use gold_beam::{GoldBeam, GoldBeamSettings};
pub use initial::{InitialWeight, InitialWeights};
pub use merged::MergedGoldBeam;
pub use network::NetworkStart;
pub use objective::{LocalObjective, ScoredOption};
pub use supervision::{GoldSide, Supervision};
pub use trainer::{Learning, start, start_with, train, train_any};
pub use violation::PrefixScores;
pub use watch::{ReportDecision, Watch};
