//! Mixed-effects estimates of a gain over treebanks and systems.
//!
//! The gain of system s on treebank t is y_ts = mu + a_t + b_s + c_ts + error: treebanks (a) and treebanks by systems (c) are
//! random. Cells are balanced, so that the estimates are those of the analysis of variance (Searle, Casella & McCulloch 1992,
//! chapter 4), in closed form: mu is the mean of all cells. With systems fixed its variance is MS_t / (S T), with T - 1 degrees of
//! freedom; with systems random, too, (MS_t + MS_s - MS_ts) / (S T), with those of Satterthwaite (1946).

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// 95 % intervals of a mean gain, in percentage points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// Treebanks are a sample, systems are these.
    pub these_systems: (f64, f64),
    /// Systems are a sample, too; none with one system.
    pub any_systems: Option<(f64, f64)>,
}

impl Mixed {
    /// The estimate of gains by system and treebank, in percentage points; none with fewer than two treebanks.
    pub fn of(gains: &[Vec<f64>]) -> Option<Mixed> {
        let (n_systems, n_treebanks) = (gains.len(), gains.first()?.len());
        if n_treebanks < 2 {
            return None;
        }
        let (of_systems, of_treebanks) = (n_systems as f64 - 1.0, n_treebanks as f64 - 1.0);
        let mean_of = |values: &mut dyn Iterator<Item = f64>, n: usize| values.sum::<f64>() / n as f64;
        let systems: Vec<f64> = gains.iter().map(|of| mean_of(&mut of.iter().copied(), n_treebanks)).collect();
        let treebanks: Vec<f64> =
            (0..n_treebanks).map(|t| mean_of(&mut gains.iter().map(|of| of[t]), n_systems)).collect();
        let mean = mean_of(&mut systems.iter().copied(), n_systems);
        let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
        let ms_t = n_systems as f64 * squares(&mut treebanks.iter().map(|t| t - mean)) / of_treebanks;
        let n = (n_systems * n_treebanks) as f64;
        let interval = |variance: f64, freedom: f64| {
            let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.975));
            let half = quantile * variance.sqrt();
            (mean - half, mean + half)
        };
        let any_systems = (n_systems > 1).then(|| {
            let ms_s = n_treebanks as f64 * squares(&mut systems.iter().map(|s| s - mean)) / of_systems;
            let rest = |(s, of): (usize, &Vec<f64>)| -> f64 {
                squares(&mut of.iter().zip(&treebanks).map(|(y, t)| y - systems[s] - t + mean))
            };
            let ms_ts = gains.iter().enumerate().map(rest).sum::<f64>() / (of_systems * of_treebanks);
            // No less than with systems fixed: an estimated variance of systems may be negative.
            let sum = (ms_t + ms_s - ms_ts).max(ms_t);
            let parts =
                ms_t.powi(2) / of_treebanks + ms_s.powi(2) / of_systems + ms_ts.powi(2) / (of_systems * of_treebanks);
            let freedom = if parts > 0.0 { (sum.powi(2) / parts).max(1.0) } else { of_treebanks };
            interval(sum / n, freedom)
        });
        Some(Mixed { these_systems: interval(ms_t / n, of_treebanks), any_systems })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close((low, high): (f64, f64), expected: (f64, f64)) {
        assert!((low - expected.0).abs() < 5e-3 && (high - expected.1).abs() < 5e-3, "{low} to {high}, {expected:?}");
    }

    /// With one system it is Student's interval of the mean: mean 2, standard deviation 1, n = 3, t = 4.303.
    #[test]
    fn of_one_system_it_is_that_of_student() {
        let mixed = Mixed::of(&[vec![1.0, 2.0, 3.0]]).unwrap();
        let half = 4.302_65 / 3f64.sqrt();
        close(mixed.these_systems, (2.0 - half, 2.0 + half));
        assert_eq!(mixed.any_systems, None);
        assert_eq!(Mixed::of(&[vec![1.0], vec![2.0]]), None, "one treebank");
    }

    /// An example by hand: MS_t = 3, MS_s = 6, MS_ts = 0.
    #[test]
    fn systems_at_random_widen_the_interval() {
        let mixed = Mixed::of(&[vec![1.0, 2.0, 3.0, 2.0], vec![2.732_05, 3.732_05, 4.732_05, 3.732_05]]).unwrap();
        let mean = 2.0 + 1.732_05 / 2.0;
        let of_t = 2.0 * 2.0 / 3.0;
        let half = 3.182_45 * (of_t / 8.0f64).sqrt();
        close(mixed.these_systems, (mean - half, mean + half));
        let (sum, freedom) = (of_t + 6.0, (of_t + 6.0f64).powi(2) / (of_t.powi(2) / 3.0 + 36.0));
        let quantile = StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(0.975);
        let half = quantile * (sum / 8.0).sqrt();
        close(mixed.any_systems.unwrap(), (mean - half, mean + half));
    }
}
