//! Settings of exact search besides scores, and what it takes.

use crate::configuration::Role;
use crate::error::{Error, Result};
use crate::features::FeatureSet;
use crate::model::Network;
use crate::system::{Deduction, SystemKind};
use crate::tree::{Gold, Node, Roots, Tree};
use crate::treebank::{Words, check_length};

fn deduction(system: SystemKind) -> Result<Deduction> {
    system.info().tabulation.ok_or_else(|| {
        Error::Usage(format!(
            "there is no exact search for {system}; expected --system arc-standard, arc-hybrid or arc-eager, or --search beam"
        ))
    })
}

/// Settings of exact search besides scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabulation {
    pub(super) kind: Deduction,
    pub(super) system: SystemKind,
    pub(super) roots: Roots,
    pub(super) reads_s1: bool,
}

/// A loss that is added to scores, the Hamming loss of heads and labels: a word with a wrong head counts as 2, one with the gold
/// head and a wrong label as 1.
#[derive(Debug, Clone, Copy)]
pub struct Loss<'g> {
    /// The gold tree.
    pub gold: &'g Gold,
    /// Score of a loss of 1 (loss-augmented search), in fixed point; below 0 it takes away.
    pub weight: i64,
}

impl<'g> Loss<'g> {
    /// The loss that no score makes up for.
    pub fn forbidding(gold: &'g Gold) -> Loss<'g> {
        Loss { gold, weight: -(1 << 44) }
    }

    /// Loss of a tree by this, as a score.
    pub fn of_tree(&self, tree: &Tree) -> i64 {
        let of = |word: Node| match tree.head(word) == self.gold.head(word) {
            _ if self.gold.is_partial() && self.gold.weight(word) == 0 => 0,
            true => i64::from(!self.gold.has_label(word, tree.label(word))),
            false => 2,
        };
        self.weight * tree.words().map(of).sum::<i64>()
    }
}

impl Tabulation {
    /// The tabulation for `system` with features of `set`.
    ///
    /// # Errors
    /// If the system has none, or the set reads more than positions of words.
    pub fn new(system: SystemKind, roots: Roots, set: &FeatureSet) -> Result<Tabulation> {
        let kind = deduction(system)?;
        set.check_positional(&format!("exact search with {system}"), &[Role::S0, Role::S1])?;
        Ok(Tabulation { kind, system, roots, reads_s1: kind == Deduction::Standard || set.reads(Role::S1) })
    }

    /// The tabulation for `system` with scores of `network`, which reads an encoder's vectors of these words or their embeddings
    /// (Shi, Huang & Lee 2017).
    ///
    /// # Errors
    /// If the system has none, or the network reads more than positions of words, or its scores are probabilities of single
    /// decisions.
    pub fn of_network(system: SystemKind, roots: Roots, network: &Network) -> Result<Tabulation> {
        let kind = deduction(system)?;
        let places = "expected --places minimal, or others of S0, S1 and B0 to B3 alone, or --search beam";
        network.check_positional().map_err(|what| {
            Error::Usage(format!(
                "exact search with {system} needs scores that read words by position only, and the network reads {what}; {places}"
            ))
        })?;
        if network.normalised {
            return Err(Error::Usage(
                "exact search compares sums of scores, and this network was trained on single decisions: its scores are probabilities \
                 among what is permitted; expected a model of --training global, or --search beam"
                    .to_owned(),
            ));
        }
        let reads_s1 = kind == Deduction::Standard || network.places.iter().any(|place| place.role == Role::S1);
        Ok(Tabulation { kind, system, roots, reads_s1 })
    }

    /// True if it computes exact [marginals](Tabulation::confidences): not for arc-standard.
    pub fn has_marginals(&self) -> bool {
        self.kind != Deduction::Standard
    }

    /// The longest sentence that it takes: memory stays below 1 GB.
    pub fn max_words(&self) -> usize {
        match (self.kind, self.reads_s1) {
            (Deduction::Standard, _) => 220,
            (_, true) => 300,
            (_, false) => 1000,
        }
    }

    /// Checks that exact search takes the sentence.
    ///
    /// # Errors
    /// If it is too long.
    pub fn check(&self, sentence: &dyn Words) -> Result<()> {
        let (system, most) = (self.system, self.max_words());
        check_length(sentence, most, || {
            format!("at most {most} for exact search with {system} and these features; --search beam has no limit")
        })
    }
}
