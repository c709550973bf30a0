//! Length of training: a number of iterations, or until the score on the development data rises no more.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::eval::Counts;

/// Spelling of `plateau` in options.
const PLATEAU: &str = "plateau";

/// Passes over the training data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Iterations {
    /// A fixed number.
    Number(u32),
    /// As long as the labelled attachment score on the development data rises, see [`Stopping`].
    Plateau,
}

/// Condition on which training stops.
///
/// The plateau is reached when the labelled attachment score on the development data has not risen above its best so far for
/// [`Stopping::patience`] iterations in a row (Prechelt 1998, "Early stopping: but when?", criterion UP with single iterations).
/// Iterations before averages start anew are not compared with those behind: the score falls there, and takes some iterations to
/// rise above what averages of the first ones had reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopping {
    /// The most iterations.
    pub most: u32,
    /// Iterations in a row without a better score after which training stops; `None`: only at [`Stopping::most`].
    pub patience: Option<u32>,
    /// The last iteration before averages start anew; 0 if they never do.
    pub from: u32,
}

/// Report of one iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationReport {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Greedy and learning to search: wrong decisions. Global and graph-based: sentences with an update. Over all replicas.
    pub updates: u64,
    /// Features, or other inputs, that something is known about, in the first replica.
    pub features: usize,
    /// Correct heads and labels on the development data, decoded with the averaged weights.
    pub dev: Option<Counts>,
    /// Wall time of the iteration's training, without the development data.
    pub seconds: f64,
    /// Seconds of the processor that all threads of the run used for it, without the development data; none where the system
    /// does not report it.
    #[serde(default)]
    pub cpu_seconds: Option<f64>,
}

/// End of a run to the plateau.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The score had not risen for as long as the patience lasts.
    Plateau,
    /// The most iterations were made before that.
    Maximum,
}

impl Iterations {
    /// Iterations without a better score after which a run to the plateau stops by default.
    pub const PATIENCE: u32 = 5;
    /// The default for the most iterations of a run to the plateau.
    pub const MOST: u32 = 100;

    /// Condition on which a run stops whose averages begin after iteration `average_from`. `patience` and `most` are for the
    /// plateau; `None`: [`Iterations::PATIENCE`], [`Iterations::MOST`].
    pub fn stopping(self, patience: Option<u32>, most: Option<u32>, average_from: u32) -> Stopping {
        match self {
            Iterations::Number(most) => Stopping { most, patience: None, from: 0 },
            Iterations::Plateau => Stopping {
                most: most.unwrap_or(Iterations::MOST),
                patience: Some(patience.unwrap_or(Iterations::PATIENCE)),
                from: average_from,
            },
        }
    }

    /// The steps of a run with so many of them in an iteration; `None` to the plateau: how long it takes nobody knows.
    pub fn n_steps(self, n_batches: usize) -> Option<u64> {
        match self {
            Iterations::Number(n) => Some(n_batches as u64 * u64::from(n)),
            Iterations::Plateau => None,
        }
    }

    /// Checks that the number, patience and maximum make sense together.
    ///
    /// # Errors
    /// If they do not, with the option to change.
    pub fn check(self, patience: Option<u32>, most: Option<u32>) -> Result<()> {
        let wrong = |message: &str| Err(Error::Usage(message.to_owned()));
        match self {
            Iterations::Number(_) if patience.is_some() || most.is_some() => {
                wrong("--patience and --max-iterations are for --iterations plateau")
            }
            _ => Ok(()),
        }
    }
}

impl Stopping {
    /// Refuses to look for the plateau without development data.
    ///
    /// # Errors
    /// If there are none.
    pub fn check_dev(&self, has_dev: bool) -> Result<()> {
        if self.patience.is_some() && !has_dev {
            let what = "--iterations plateau is judged by development data, and there are none; expected --dev FILE, or a \
                        number of iterations";
            return Err(Error::Usage(what.to_owned()));
        }
        Ok(())
    }

    /// True if a run that has made these iterations is over.
    pub fn is_done(&self, reports: &[IterationReport]) -> bool {
        reports.len() as u64 >= u64::from(self.most) || self.is_plateau(reports)
    }

    /// End of a run to the plateau; `None` for other runs and for those that are not over.
    pub fn stop(&self, reports: &[IterationReport]) -> Option<Stop> {
        self.patience?;
        match self.is_plateau(reports) {
            true => Some(Stop::Plateau),
            false => self.is_done(reports).then_some(Stop::Maximum),
        }
    }

    fn is_plateau(&self, reports: &[IterationReport]) -> bool {
        let Some(patience) = self.patience else { return false };
        let mut best: Option<(u64, u32)> = None;
        for report in reports.iter().filter(|report| report.iteration > self.from) {
            let Some(dev) = report.dev else { return false };
            if best.is_none_or(|(score, _)| dev.labelled > score) {
                best = Some((dev.labelled, report.iteration));
            }
        }
        let done = reports.last().map_or(0, |report| report.iteration);
        best.is_some_and(|(_, iteration)| done >= iteration.saturating_add(patience))
    }
}

impl From<u32> for Iterations {
    fn from(number: u32) -> Iterations {
        Iterations::Number(number)
    }
}

impl fmt::Display for Iterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Iterations::Number(number) => write!(f, "{number}"),
            Iterations::Plateau => f.write_str(PLATEAU),
        }
    }
}

impl FromStr for Iterations {
    type Err = String;

    fn from_str(text: &str) -> Result<Iterations, String> {
        match text {
            PLATEAU => Ok(Iterations::Plateau),
            number => number.parse().map(Iterations::Number).map_err(|_| "expected a number or `plateau`".to_owned()),
        }
    }
}

impl Serialize for Iterations {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Iterations::Number(number) => serializer.serialize_u32(*number),
            Iterations::Plateau => serializer.serialize_str(PLATEAU),
        }
    }
}

impl<'de> Deserialize<'de> for Iterations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Iterations, D::Error> {
        struct NumberOrPlateau;

        impl Visitor<'_> for NumberOrPlateau {
            type Value = Iterations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of iterations or \"plateau\"")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Iterations, E> {
                let unfit = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
                u32::try_from(number).map(Iterations::Number).map_err(unfit)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Iterations, E> {
                let unfit = |_| E::invalid_value(Unexpected::Signed(number), &self);
                u32::try_from(number).map(Iterations::Number).map_err(unfit)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Iterations, E> {
                match text {
                    PLATEAU => Ok(Iterations::Plateau),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(NumberOrPlateau)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports with these numbers of words with a right head and label.
    fn reports(scores: &[u64]) -> Vec<IterationReport> {
        let report = |(i, &labelled): (usize, &u64)| IterationReport {
            iteration: i as u32 + 1,
            updates: 0,
            features: 0,
            dev: Some(Counts { labelled, ..Counts::default() }),
            seconds: 0.0,
            cpu_seconds: None,
        };
        scores.iter().enumerate().map(report).collect()
    }

    /// The iteration after which a run with these scores stops, and how.
    fn stop(stopping: Stopping, scores: &[u64]) -> Option<(usize, Option<Stop>)> {
        let reports = reports(scores);
        let n = (1..=reports.len()).find(|&n| stopping.is_done(&reports[..n]))?;
        Some((n, stopping.stop(&reports[..n])))
    }

    #[test]
    fn runs_stop_when_the_score_has_not_risen_for_as_long_as_patience_lasts() {
        let to_plateau = |patience, most, from| Iterations::Plateau.stopping(Some(patience), Some(most), from);
        let rising_late = [5, 7, 7, 6, 8, 8, 8, 8, 9];
        assert_eq!(stop(to_plateau(3, 20, 0), &rising_late), Some((8, Some(Stop::Plateau))));
        assert_eq!(stop(to_plateau(2, 20, 0), &rising_late), Some((4, Some(Stop::Plateau))));
        assert_eq!(stop(to_plateau(2, 20, 3), &rising_late), Some((7, Some(Stop::Plateau))), "not before averages");
        let higher_before = [9, 9, 9, 5, 6, 7, 8, 8, 8];
        assert_eq!(stop(to_plateau(2, 20, 3), &higher_before), Some((9, Some(Stop::Plateau))), "averages rise again");
        assert_eq!(stop(to_plateau(3, 6, 0), &rising_late), Some((6, Some(Stop::Maximum))));
        assert_eq!(stop(to_plateau(4, 20, 0), &rising_late), None);
        assert_eq!(stop(Iterations::Number(4).stopping(None, None, 3), &rising_late), Some((4, None)));
    }

    #[test]
    fn numbers_and_the_plateau_are_read_and_written_alike() {
        for (text, iterations) in [("7", Iterations::Number(7)), ("plateau", Iterations::Plateau)] {
            assert_eq!(text.parse(), Ok(iterations));
            assert_eq!(iterations.to_string(), text);
            let json = serde_json::to_string(&iterations).unwrap();
            assert_eq!(serde_json::from_str::<Iterations>(&json).unwrap(), iterations);
        }
        assert_eq!(serde_json::to_string(&Iterations::Number(7)).unwrap(), "7", "as in earlier model files");
        assert!("plateu".parse::<Iterations>().is_err());
        for bad in ["-1", "\"plateu\"", "5000000000", "1.5"] {
            assert!(serde_json::from_str::<Iterations>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn contradictions_are_reported() {
        assert!(Iterations::Number(3).check(Some(2), None).is_err());
        assert!(Iterations::Plateau.check(Some(2), Some(9)).is_ok());
        let stopping = |iterations: Iterations| iterations.stopping(None, None, 0);
        assert!(stopping(Iterations::Plateau).check_dev(false).is_err());
        assert!(stopping(Iterations::Plateau).check_dev(true).is_ok());
        assert!(stopping(Iterations::Number(3)).check_dev(false).is_ok());
    }
}
