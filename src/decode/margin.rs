//! Pruning by score: a candidate with a large score gap to the best of its step hardly ever leads to the tree that is chosen.
//!
//! The scale of gaps depends on the model. So each model is calibrated: its development data are parsed without a
//! margin, and for each sentence the largest gap of the winning derivation to the best item of a step is noted.
//! Pruning by the largest gap of all but one sentence in a hundred, say, then changes at most that one.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use super::{Decoder, NO_MARGIN, Workspace};
use crate::features::Input;
use crate::model::{Model, ScoreGaps, Scoring};
use crate::parallel;
use crate::with_system;

/// Margin of pruning: candidates of a step with a larger gap to the best are left out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Margin {
    /// None: the beam alone prunes.
    #[default]
    None,
    /// Those with a larger gap than almost all winners in the model's development data, see [`Margin::AUTO`]; none if the
    /// model was not calibrated, or on fewer sentences than [`Margin::AUTO_SENTENCES`].
    Auto,
    /// Those with a larger gap than this percentage of the winners.
    Quantile(f64),
}

impl Margin {
    /// The percentage that [`Margin::Auto`] stands for: of 95, 97.5, 98, 99 and 99.5 the least that costs at most 0.03 points of LAS
    /// in the mean and less than 0.10 on any of the development data of ten treebanks, at widths 8 and 64. Models were trained at width 8
    /// on whole treebanks, with one seed. There it costs nothing in the mean, and at most 0.04 points at width 8 and 0.06 at width 64.
    pub const AUTO: f64 = 99.5;

    /// Least number of sentences that a model must have been calibrated on for [`Margin::Auto`]. Of n sentences with
    /// the largest gap that was met, one in n + 1 more is expected to have a larger one.
    pub const AUTO_SENTENCES: usize = 200;

    /// The percentage of winners that are to survive, if there is a margin.
    pub fn percentage(self) -> Option<f64> {
        match self {
            Margin::None => None,
            Margin::Auto => Some(Margin::AUTO),
            Margin::Quantile(percentage) => Some(percentage),
        }
    }
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Margin, String> {
        match text {
            "none" => Ok(Margin::None),
            "auto" => Ok(Margin::Auto),
            _ => match text.parse() {
                Ok(percentage) if percentage > 0.0 && percentage <= 100.0 => Ok(Margin::Quantile(percentage)),
                _ => Err(format!(
                    "`{text}` is no margin; expected `auto`, `none`, or a percentage above 0 and up to 100"
                )),
            },
        }
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Margin::None => f.write_str("none"),
            Margin::Auto => f.write_str("auto"),
            Margin::Quantile(percentage) => write!(f, "{percentage}"),
        }
    }
}

impl TryFrom<String> for Margin {
    type Error = String;

    fn try_from(text: String) -> Result<Margin, String> {
        text.parse()
    }
}

impl From<Margin> for String {
    fn from(margin: Margin) -> String {
        margin.to_string()
    }
}

/// The widths that models are calibrated at.
pub const WIDTHS: [usize; 6] = [2, 4, 8, 16, 32, 64];

/// The margin for a beam of `width` by the `gaps` of a model, in units of 1 / `scale`: from the narrowest beam known that is as
/// wide, or else from the widest. `None` where there is none.
pub fn margin(margin: Margin, gaps: &[ScoreGaps], width: usize, scale: u32) -> Option<i64> {
    let percentage = margin.percentage().filter(|_| width > 1)?;
    let as_wide = gaps.iter().filter(|gaps| gaps.width >= width).min_by_key(|gaps| gaps.width);
    let nearest = as_wide.or_else(|| gaps.iter().max_by_key(|gaps| gaps.width))?;
    if margin == Margin::Auto && nearest.sentences < Margin::AUTO_SENTENCES {
        return None;
    }
    let gap = nearest.quantile(percentage)? * f64::from(scale);
    gap.is_finite().then_some((gap.ceil().max(0.0) as i64).min(NO_MARGIN))
}

impl<F: Scoring> Model<F> {
    /// Notes in the header the score gaps of the derivations that win, on these sentences, at
    /// [the usual widths](WIDTHS) and at the model's own. The threads are those of the current pool.
    pub fn calibrate(&mut self, inputs: &[&Input]) {
        let mut widths = WIDTHS.to_vec();
        if !widths.contains(&self.header.beam) {
            widths.push(self.header.beam);
        }
        widths.retain(|&width| width > 1);
        self.header.gaps = widths.into_iter().map(|width| self.gaps(inputs, width)).collect();
    }

    fn gaps(&self, inputs: &[&Input], width: usize) -> ScoreGaps {
        let workspace = || Workspace::new(self.actions.n_labels());
        let scorer = self.scorer.scorer();
        let gap = |workspace: &mut Workspace, number: usize| {
            workspace.input.clone_from(inputs[number]);
            with_system!(self.header.system, self.header.roots, |system| {
                Decoder::new(system, &self.actions, &*scorer).largest_gap(workspace, width)
            })
        };
        let gaps = parallel::map_with(inputs.len(), workspace, gap);
        ScoreGaps::new(width, gaps, self.scorer.scale())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_that_of_a_beam_as_wide() {
        let of = |width| ScoreGaps {
            width,
            sentences: 1,
            quantiles: vec![(99.0, width as f64), (100.0, 2.0 * width as f64)],
        };
        let gaps = [of(2), of(8), of(64)];
        let margin_at = |width| margin(Margin::Quantile(99.0), &gaps, width, 10);
        assert_eq!(
            [1, 2, 3, 8, 9, 64, 100].map(margin_at),
            [None, Some(20), Some(80), Some(80), Some(640), Some(640), Some(640)]
        );
        assert_eq!(margin(Margin::None, &gaps, 8, 10), None);
        assert_eq!(margin(Margin::Auto, &[], 8, 10), None);
        // Automatic margins need enough sentences to show what is rare.
        assert_eq!(margin(Margin::Auto, &gaps, 8, 10), None);
        let gaps = gaps.map(|gaps| ScoreGaps { sentences: Margin::AUTO_SENTENCES, ..gaps });
        assert!(margin(Margin::Auto, &gaps, 8, 10).is_some_and(|margin| margin > 80 && margin < 160));
    }

    #[test]
    fn margins_are_read_as_they_are_written() {
        for text in ["none", "auto", "99.5", "100"] {
            assert_eq!(text.parse::<Margin>().unwrap().to_string(), text);
        }
        for text in ["", "0", "-1", "100.1", "nan", "inf", "all"] {
            assert!(text.parse::<Margin>().is_err(), "{text}");
        }
    }
}
