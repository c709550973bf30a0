//! The options of learning to search, and the algorithms that they amount to.
//!
//! | preset | paper | roll-in | roll-out |
//! |---|---|---|---|
//! | `dagger` | Ross, Gordon & Bagnell (2011) | the reference in the first pass, then the learned policy | none: the reference's actions are right |
//! | `searn` | Daumé, Langford & Marcu (2009) | mixture | the same mixture |
//! | `aggrevate` | Ross & Bagnell (2014) | learned | reference |
//! | `lols` | Chang, Krishnamurthy, Agarwal, Daumé & Langford (2015) | learned | reference or learned, one half each |
//! | `l2s` | Chang, He, Daumé & Langford (2015) | learned or reference for a whole sentence | reference |
//!
//! These are online forms: the policy changes with every decision instead of once a round, all decisions of a trajectory
//! are learned from (the papers draw one for AggreVaTe), and mixtures follow a schedule: after t examples the learned
//! policy has probability β = 1 − (1 − α)^t.

use crate::choice::choice;

choice! {
    /// Roll-in policy: decides which configurations are learned from.
    pub enum RollIn {
        /// The reference.
        Reference = "reference",
        /// The learned policy.
        Learned = "learned",
        /// The learned policy with probability β, drawn for each decision.
        Mixture = "mixture",
        /// The learned policy with probability β, drawn for each sentence.
        MixPerRoll = "mix-per-roll",
        /// The reference in the first pass, then the learned policy.
        ReferenceFirst = "reference-first",
    }
}

choice! {
    /// Roll-out policy: completes a derivation to estimate the cost of an action by its loss.
    pub enum RollOut {
        /// The reference.
        Reference = "reference",
        /// The learned policy.
        Learned = "learned",
        /// One or the other, drawn for each roll-out.
        Mixture = "mixture",
        /// No roll-out: actions of least cost cost 0, all others 1.
        None = "none",
    }
}

choice! {
    /// Algorithms by name.
    pub enum Preset {
        /// DAgger (Ross, Gordon & Bagnell 2011).
        Dagger = "dagger",
        /// SEARN (Daumé, Langford & Marcu 2009).
        Searn = "searn",
        /// AggreVaTe (Ross & Bagnell 2014).
        Aggrevate = "aggrevate",
        /// LOLS (Chang, Krishnamurthy et al. 2015).
        Lols = "lols",
        /// As for the paper on learning to search for dependencies (Chang, He et al. 2015).
        L2s = "l2s",
    }
}

/// Settings of learning to search, all resolved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearningToSearch {
    /// Roll-in policy: decides which configurations are learned from.
    pub roll_in: RollIn,
    /// Roll-out policy: completes a derivation to estimate the cost of an action.
    pub roll_out: RollOut,
    /// Rate at which the learned policy takes over in mixtures.
    pub alpha: f64,
    /// The probability of the reference in a mixed roll-out; `None`: 1 − β.
    pub reference_share: Option<f64>,
    /// True if the reference's roll-outs are run where its costs are known without.
    pub run_reference: bool,
}

impl Preset {
    /// The search that a preset stands for.
    pub fn search(self) -> LearningToSearch {
        let (roll_in, roll_out) = match self {
            Preset::Dagger => (RollIn::ReferenceFirst, RollOut::None),
            Preset::Searn => (RollIn::Mixture, RollOut::Mixture),
            Preset::Aggrevate => (RollIn::Learned, RollOut::Reference),
            Preset::Lols => (RollIn::Learned, RollOut::Mixture),
            Preset::L2s => (RollIn::MixPerRoll, RollOut::Reference),
        };
        let reference_share = (self == Preset::Lols).then_some(0.5);
        LearningToSearch { roll_in, roll_out, alpha: 1e-5, reference_share, run_reference: false }
    }
}

impl LearningToSearch {
    /// The probability of the learned policy in mixtures after `n_examples`.
    pub fn learned_share(&self, n_examples: u64) -> f64 {
        1.0 - (1.0 - self.alpha).powf(n_examples as f64)
    }
}

impl std::fmt::Display for LearningToSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "roll-in {}, roll-out {}", self.roll_in.name(), self.roll_out.name())?;
        let mixes_in = matches!(self.roll_in, RollIn::Mixture | RollIn::MixPerRoll);
        let mixes_out = self.roll_out == RollOut::Mixture;
        if mixes_in || mixes_out && self.reference_share.is_none() {
            write!(f, ", alpha {}", self.alpha)?;
        }
        if let Some(share) = self.reference_share.filter(|_| mixes_out) {
            write!(f, ", the reference rolls out {share} of the time")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the way after ln 2 / α examples, as in the paper's schedule.
    #[test]
    fn the_learned_policy_takes_over() {
        let search = Preset::L2s.search();
        assert_eq!(search.learned_share(0), 0.0);
        assert!((search.learned_share(69_314) - 0.5).abs() < 1e-4);
        assert!(search.learned_share(1_000_000) > 0.999);
    }
}
