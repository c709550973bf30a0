//! Calibration of pruning, by score gaps of winning derivations in beams of several widths, and of confidences.

use serde::{Deserialize, Serialize};

/// Quantiles of the largest score gap of winning derivations to the best item of a step, in a beam of one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreGaps {
    /// The width of the beam.
    pub width: usize,
    /// The sentences that were parsed.
    pub sentences: usize,
    /// Percentages of them, ascending, and the largest gap of so many: as a score, in which a step of the perceptron changes a
    /// weight by 1 before averaging.
    pub quantiles: Vec<(f64, f64)>,
}

/// Calibration of confidences; see [`confidence`](crate::decode::confidence).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The temperature, in the unit of scores.
    pub temperature: f64,
    /// Share of heads that are among the best trees: the factor of probabilities of heads.
    pub heads: f64,
    /// The same of labels of words that have the right head.
    pub labels: f64,
    /// Calibration of exact marginals, which do without the above; none where search computes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marginals: Option<Marginals>,
}

/// Calibration of exact marginals; see [`confidence`](crate::decode::confidence).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marginals {
    /// The temperature of heads, in the unit of scores.
    pub head_temperature: f64,
    /// The temperature of labels given their heads, in the unit of scores.
    pub label_temperature: f64,
    /// The factor of probabilities of labels.
    pub labels: f64,
}

impl Marginals {
    /// These temperatures, and labels as they are.
    pub fn of_temperatures(head_temperature: f64, label_temperature: f64) -> Marginals {
        Marginals { head_temperature, label_temperature, labels: 1.0 }
    }

    /// The same with temperatures in the fixed point of scores.
    #[must_use]
    pub fn scaled(self, scale: u32) -> Marginals {
        let [head_temperature, label_temperature] =
            [self.head_temperature, self.label_temperature].map(|temperature| temperature * f64::from(scale));
        Marginals { head_temperature, label_temperature, ..self }
    }
}

impl Calibration {
    /// This temperature, and nothing that the best trees miss.
    pub fn of_temperature(temperature: f64) -> Calibration {
        Calibration { temperature, heads: 1.0, labels: 1.0, marginals: None }
    }
}

/// The percentages that are kept.
const PERCENTAGES: [f64; 10] = [50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.8, 99.9, 100.0];

impl ScoreGaps {
    /// The quantiles of these gaps, in units of 1 / `scale`.
    pub fn new(width: usize, mut gaps: Vec<i64>, scale: u32) -> ScoreGaps {
        gaps.sort_unstable();
        let quantile = |percentage: f64| {
            // 99.9 % of 1,000 are 999, in spite of rounding.
            let n = (percentage * gaps.len() as f64 / 100.0 - 1e-6).ceil() as usize;
            let gap = gaps.get(n.max(1) - 1).copied().unwrap_or_default();
            // Four digits are read from a file as they were written.
            (percentage, (gap as f64 / f64::from(scale) * 1e4).round() / 1e4)
        };
        ScoreGaps { width, sentences: gaps.len(), quantiles: PERCENTAGES.map(quantile).to_vec() }
    }

    /// The largest gap of this percentage of the sentences; between those that are known, on a straight line. None if nothing
    /// is known.
    pub fn quantile(&self, percentage: f64) -> Option<f64> {
        let next = self.quantiles.iter().position(|&(known, _)| known >= percentage);
        let (above, gap) = match next {
            Some(next) => self.quantiles[next],
            None => *self.quantiles.last()?,
        };
        let below = next.and_then(|next| next.checked_sub(1)).map(|below| self.quantiles[below]);
        Some(match below {
            Some((known, gap_below)) if above > known => {
                gap_below + (gap - gap_below) * (percentage.min(above) - known) / (above - known)
            }
            _ => gap,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_gaps_that_were_met() {
        let gaps = ScoreGaps::new(8, (1..=1000).rev().collect(), 10);
        let quantile = |percentage| gaps.quantile(percentage).unwrap();
        assert_eq!([50.0, 99.0, 99.9, 100.0].map(quantile), [50.0, 99.0, 99.9, 100.0]);
        assert_eq!(quantile(80.0), 80.0);
        assert_eq!(quantile(1.0), 50.0, "below the first that is known");
        assert_eq!(ScoreGaps { quantiles: Vec::new(), ..gaps }.quantile(99.0), None);
    }
}
