//! Positions of values on an axis, and its ticks.

use super::figure::Scale;
use super::number;

/// An axis that holds some values, with a little room at both ends.
pub(super) struct Ruler {
    scale: Scale,
    /// The ends, as places.
    low: f64,
    high: f64,
    /// The most ticks that leave room for their texts.
    most: usize,
    /// The values at its ticks.
    ticks: Vec<f64>,
}

/// The fewest ticks.
const LEAST: usize = 3;

impl Ruler {
    /// The axis for `values`, of which there is at least one, none but positive ones if it is logarithmic, with at most `most`
    /// ticks, which is 4 or more.
    pub(super) fn new(scale: Scale, most: usize, values: impl Iterator<Item = f64>) -> Ruler {
        let bounds = |(low, high): (f64, f64), place: f64| (low.min(place), high.max(place));
        let (low, high) = values.map(|v| place(scale, v)).fold((f64::INFINITY, f64::NEG_INFINITY), bounds);
        let least = match scale {
            Scale::Linear => low.abs().max(high.abs()).max(1e-9) * 1e-3,
            Scale::Doubling => 0.25,
            Scale::Decimal => 0.05,
        };
        let room = ((high - low) * 0.05).max(least);
        let mut ruler = Ruler { scale, low: low - room, high: high + room, most, ticks: Vec::new() };
        ruler.ticks = ruler.choose_ticks();
        ruler
    }

    /// Position of a value: 0 at the low end, 1 at the high one.
    pub(super) fn share(&self, value: f64) -> f64 {
        (place(self.scale, value) - self.low) / (self.high - self.low)
    }

    /// Position of 0 if there are values on both sides of it, and the axis is divided evenly.
    pub(super) fn zero(&self) -> Option<f64> {
        (self.scale == Scale::Linear && self.low < 0.0 && self.high > 0.0).then(|| self.share(0.0))
    }

    /// The shares of the ticks and their texts.
    pub(super) fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        self.ticks.iter().map(|&value| (self.share(value), number::tick(value)))
    }

    /// The densest ticks that are not too many; even steps where powers are too few.
    fn choose_ticks(&self) -> Vec<f64> {
        let powers: Vec<Vec<f64>> = match self.scale {
            Scale::Linear => Vec::new(),
            Scale::Doubling => [1, 2, 4, 8].map(|every| self.powers(2.0, every, &[1.0])).into(),
            Scale::Decimal => {
                let dense = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]].map(|factors| self.powers(10.0, 1, factors));
                let sparse = [2, 4, 8].map(|every| self.powers(10.0, every, &[1.0]));
                dense.into_iter().chain(sparse).collect()
            }
        };
        let fits = |ticks: &Vec<f64>| (LEAST..=self.most).contains(&ticks.len());
        powers.into_iter().find(fits).unwrap_or_else(|| self.even_steps())
    }

    /// Every so-manieth power of `base` in the range, times each of `factors`.
    fn powers(&self, base: f64, every: usize, factors: &[f64]) -> Vec<f64> {
        let (low, high) = (value(self.scale, self.low), value(self.scale, self.high));
        let (first, last) = (low.log(base).floor() as i32 - 1, high.log(base).ceil() as i32);
        let exponents = (first..=last).filter(|e| e.rem_euclid(every as i32) == 0);
        let all = exponents.flat_map(|e| factors.iter().map(move |factor| factor * base.powi(e)));
        all.filter(|tick| (low..=high).contains(tick)).collect()
    }

    /// Round numbers at steps of 1, 2 or 5 times a power of ten.
    fn even_steps(&self) -> Vec<f64> {
        let (low, high) = (value(self.scale, self.low), value(self.scale, self.high));
        let rough = (high - low) / (self.most - 2) as f64;
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].map(|m| m * magnitude).into_iter().find(|&s| s >= rough).unwrap_or(10.0 * magnitude);
        ((low / step).ceil() as i64..=(high / step).floor() as i64).map(|i| i as f64 * step).collect()
    }
}

fn place(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Doubling => value.log2(),
        Scale::Decimal => value.log10(),
    }
}

fn value(scale: Scale, place: f64) -> f64 {
    match scale {
        Scale::Linear => place,
        Scale::Doubling => place.exp2(),
        Scale::Decimal => 10f64.powf(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 9;

    fn texts(scale: Scale, values: &[f64]) -> String {
        Ruler::new(scale, MOST, values.iter().copied()).ticks().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(Scale::Doubling, &[1.0, 128.0]), "1 2 4 8 16 32 64 128");
        assert_eq!(texts(Scale::Doubling, &[1.0, 4096.0]), "1 4 16 64 256 1024 4096");
        assert_eq!(texts(Scale::Decimal, &[9_000.0, 240_000.0]), "10k 20k 50k 100k 200k");
        assert_eq!(texts(Scale::Decimal, &[3.0, 2e6]), "10 100 1000 10k 100k 1M");
        assert_eq!(texts(Scale::Decimal, &[110.0, 130.0]), "100 110 120 130 140");
        assert_eq!(texts(Scale::Linear, &[78.2, 82.9]), "78 79 80 81 82 83");
        assert_eq!(texts(Scale::Linear, &[-0.31, 0.42]), "-0.2 0 0.2 0.4");
    }

    #[test]
    fn whatever_the_values_they_are_inside_and_there_are_a_few_ticks() {
        for (scale, most) in [Scale::Linear, Scale::Doubling, Scale::Decimal].into_iter().flat_map(|s| [(s, 9), (s, 5)])
        {
            for low in [1e-4, 0.3, 1.0, 7.0, 80.0, 12345.0] {
                for ratio in [1.0, 1.0001, 1.1, 1.9, 3.0, 40.0, 1e4] {
                    let values = [low, low * ratio];
                    let ruler = Ruler::new(scale, most, values.into_iter());
                    assert!(values.iter().all(|&v| (0.0..=1.0).contains(&ruler.share(v))), "{scale:?} {values:?}");
                    let ticks: Vec<_> = ruler.ticks().collect();
                    assert!((1..=most).contains(&ticks.len()), "{scale:?} {values:?}: {ticks:?}");
                    assert!(
                        ticks.iter().all(|(share, _)| (0.0..=1.0).contains(share)),
                        "{scale:?} {values:?}: {ticks:?}"
                    );
                    let mut texts: Vec<_> = ticks.into_iter().map(|(_, text)| text).collect();
                    let n = texts.len();
                    texts.dedup();
                    assert_eq!(texts.len(), n, "{scale:?} {values:?}: {texts:?}");
                }
            }
        }
    }
}
