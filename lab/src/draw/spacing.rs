//! Positions of words.

/// The distances between the centres of neighbouring words. They only ever grow.
#[derive(Debug, Clone)]
pub(super) struct Spacing {
    distances: Vec<f64>,
}

impl Spacing {
    /// Words of these widths with `gap` between them.
    pub(super) fn new(widths: &[f64], gap: f64) -> Spacing {
        Spacing { distances: widths.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0 + gap).collect() }
    }

    /// Sees to it that the centres of the words `left` and `right`, counted from 0, are at least `distance` apart. What is
    /// missing is spread evenly over the gaps between them.
    pub(super) fn require(&mut self, left: usize, right: usize, distance: f64) {
        let between = &mut self.distances[left..right];
        let missing = distance - between.iter().sum::<f64>();
        if missing > 0.0 {
            let share = missing / between.len() as f64;
            between.iter_mut().for_each(|distance| *distance += share);
        }
    }

    /// The words' centres, the first at 0.
    pub(super) fn centres(&self) -> Vec<f64> {
        let mut x = 0.0;
        let others = self.distances.iter().map(|distance| {
            x += distance;
            x
        });
        std::iter::once(0.0).chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_spread() {
        let mut spacing = Spacing::new(&[10.0, 20.0, 30.0], 5.0);
        assert_eq!(spacing.centres(), [0.0, 20.0, 50.0]);
        spacing.require(0, 2, 40.0);
        assert_eq!(spacing.centres(), [0.0, 20.0, 50.0]);
        spacing.require(0, 2, 60.0);
        assert_eq!(spacing.centres(), [0.0, 25.0, 60.0]);
        spacing.require(1, 2, 45.0);
        assert_eq!(spacing.centres(), [0.0, 25.0, 70.0]);
    }
}
