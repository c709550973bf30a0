//! Reliability of confidences: whether what is said to be right with probability p is right that often.

use serde::Serialize;

use super::Granularity;
use super::counts::percent;
use super::input::{ScoredSentence, scored_words};

/// Reliability of the confidences in heads, or in labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reliability {
    /// Subject of the confidences: `head`, or `label` of words that have the right head.
    pub of: &'static str,
    /// Words with a confidence.
    pub words: u64,
    /// Those of them that are right, in percent.
    pub right: f64,
    /// Mean confidence, in percent.
    pub mean_confidence: f64,
    /// Expected calibration error, in percentage points: the distance between confidence and share of right words, by bin, averaged over words (Naeini,
    /// Cooper & Hauskrecht, AAAI 2015).
    pub expected_calibration_error: f64,
    /// Mean squared distance of confidences from 1 where the word is right and from 0 where it is not (Brier 1950).
    pub brier: f64,
    /// Words by confidence: bins that have any, in ascending order.
    pub bins: Vec<Bin>,
}

/// The words whose confidence is in a range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// The least confidence of the range.
    pub from: f64,
    /// The end of the range, which belongs to the next bin, but for 1.
    pub to: f64,
    /// Words.
    pub words: u64,
    /// Mean confidence, in percent.
    pub mean_confidence: f64,
    /// Words that are right.
    pub words_right: u64,
    /// The same in percent.
    pub right: f64,
}

const BINS: usize = 10;

/// Reliability of the confidences in heads, and in labels of words with the right head; `None` if no scored word has any.
pub(super) fn of_confidences(pairs: &[ScoredSentence], granularity: Granularity) -> Option<Vec<Reliability>> {
    let (mut heads, mut labels) = (Vec::new(), Vec::new());
    for (pair, word) in scored_words(pairs) {
        let [of_head, of_label] = pair.system.confidences.get(word).copied().unwrap_or_default();
        let has_head = pair.gold.heads[word] == pair.system.heads[word];
        let has_label = granularity.of(&pair.gold.labels[word]) == granularity.of(&pair.system.labels[word]);
        heads.extend(of_head.map(|confidence| (confidence, has_head)));
        labels.extend(of_label.filter(|_| has_head).map(|confidence| (confidence, has_label)));
    }
    let all = [("head", heads), ("label", labels)].into_iter().filter(|(_, found)| !found.is_empty());
    let all: Vec<Reliability> = all.map(|(of, found)| Reliability::new(of, &found)).collect();
    Some(all).filter(|all| !all.is_empty())
}

impl Reliability {
    /// Reliability of these confidences, each with whether the word is right.
    fn new(of: &'static str, found: &[(f64, bool)]) -> Reliability {
        let mut bins = [(0u64, 0.0, 0u64); BINS];
        let mut squares = 0.0;
        for &(confidence, is_right) in found {
            let (words, sum, right) = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
            *words += 1;
            *sum += confidence;
            *right += u64::from(is_right);
            squares += (confidence - f64::from(u8::from(is_right))).powi(2);
        }
        let n = found.len() as u64;
        let (sum, right) = bins.iter().fold((0.0, 0), |(sum, right), bin| (sum + bin.1, right + bin.2));
        let distances = bins.iter().map(|&(_, sum, right)| (sum - right as f64).abs());
        let bin = |(place, (words, sum, right)): (usize, (u64, f64, u64))| Bin {
            from: place as f64 / BINS as f64,
            to: (place + 1) as f64 / BINS as f64,
            words,
            mean_confidence: 100.0 * sum / words as f64,
            words_right: right,
            right: percent(right, words),
        };
        Reliability {
            of,
            words: n,
            right: percent(right, n),
            mean_confidence: 100.0 * sum / n as f64,
            expected_calibration_error: 100.0 * distances.sum::<f64>() / n as f64,
            brier: squares / n as f64,
            bins: bins.into_iter().enumerate().filter(|(_, (words, ..))| *words > 0).map(bin).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bins: at 0.5 one of two is right, as it should be; at 0.9 and 1 one of two, which is 0.45 too few.
    #[test]
    fn the_error_is_the_mean_distance_of_bins() {
        let found = Reliability::new("head", &[(0.5, true), (0.5, false), (0.9, true), (1.0, false)]);
        assert_eq!((found.words, found.right, found.bins.len()), (4, 50.0, 2));
        assert!((found.expected_calibration_error - 22.5).abs() < 1e-9, "{found:?}");
        assert!((found.mean_confidence - 72.5).abs() < 1e-9);
        assert!((found.brier - (0.25 + 0.25 + 0.01 + 1.0) / 4.0).abs() < 1e-9);
        let last = &found.bins[1];
        assert_eq!((last.from, last.to, last.words, last.words_right, last.right), (0.9, 1.0, 2, 1, 50.0));
    }
}
