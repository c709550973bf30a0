//! The 255 values that weights of 8 bits can have.

/// The value of each code, the code of a value being that of the nearest. Codes are signed bytes: 0 is zero, and opposite
/// codes have opposite values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// By the code as an unsigned byte.
    values: [i32; 256],
}

/// Sizes beside zero.
const N: usize = 127;

impl Levels {
    /// The levels that lie where the weights do: the mean square of what is lost is made small by k-means in one dimension
    /// (Lloyd 1982). Equal steps would do for the many small weights or for the few large ones, not for both.
    ///
    /// `sizes` are the weights without their signs, in any order.
    pub fn new(mut sizes: Vec<u32>) -> Levels {
        sizes.sort_unstable();
        let sums: Vec<u64> = std::iter::once(0)
            .chain(sizes.iter().scan(0, |sum, &size| {
                *sum += u64::from(size);
                Some(*sum)
            }))
            .collect();
        let largest = f64::from(sizes.last().copied().unwrap_or(0).max(1));
        // Steps that grow with the size, to begin with.
        let mut centres: Vec<f64> = (0..=N).map(|i| largest * (i as f64 / N as f64).powi(3)).collect();
        for _ in 0..ROUNDS {
            let bounds: Vec<usize> = centres
                .windows(2)
                .map(|pair| sizes.partition_point(|&size| f64::from(size) < (pair[0] + pair[1]) / 2.0))
                .chain([sizes.len()])
                .collect();
            // The first level stays zero.
            for (i, pair) in bounds.windows(2).enumerate().filter(|(_, pair)| pair[0] < pair[1]) {
                centres[i + 1] = (sums[pair[1]] - sums[pair[0]]) as f64 / (pair[1] - pair[0]) as f64;
            }
        }
        let mut values = [0; 256];
        for (i, centre) in centres.iter().enumerate().skip(1) {
            values[i] = centre.round() as i32;
            values[256 - i] = -values[i];
        }
        Levels { values }
    }

    /// The levels with these values by code; `None` if there are not 256 of them.
    pub fn from_values(values: &[u64]) -> Option<Levels> {
        let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
        Some(Levels { values: values.try_into().ok()? })
    }

    /// The values by code, as a file holds them.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.values.iter().map(|&value| value as u64)
    }

    /// The value of `code`, which is a signed byte.
    #[inline]
    pub fn value(&self, code: i32) -> i32 {
        self.values[code as u8 as usize]
    }

    /// The code of the value nearest to `weight`.
    pub fn code(&self, weight: i32) -> i32 {
        let sizes = &self.values[..=N];
        let above = sizes.partition_point(|&size| size < weight.abs());
        let nearest = match above {
            0 => 0,
            _ if above > N => N,
            _ if weight.abs() - sizes[above - 1] < sizes[above] - weight.abs() => above - 1,
            _ => above,
        };
        nearest as i32 * weight.signum()
    }
}

/// Lloyd's rounds; after these, the loss hardly changes.
const ROUNDS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_lie_where_weights_do() {
        // Many small weights, few large ones.
        let sizes: Vec<u32> = (1..=20_000u32).map(|i| 4_000_000 / i).collect();
        let levels = Levels::new(sizes.clone());
        let lost: f64 =
            sizes.iter().map(|&size| (f64::from(size) - f64::from(value(&levels, size as i32))).powi(2)).sum();
        let step = 4_000_000.0 / 127.0;
        let by_equal_steps: f64 =
            sizes.iter().map(|&size| (f64::from(size) - (f64::from(size) / step).round() * step).powi(2)).sum();
        assert!(lost * 10.0 < by_equal_steps, "{lost} against {by_equal_steps}");
    }

    #[test]
    fn the_code_is_that_of_the_nearest_value() {
        let levels = Levels::new((0..5000).map(|i: u32| i.pow(2) / 7).collect());
        for weight in (-4_000_000..4_000_000).step_by(7919) {
            let nearest = (-127..=127).map(|code| (levels.value(code) - weight).abs()).min();
            assert_eq!(Some((value(&levels, weight) - weight).abs()), nearest, "{weight}");
            assert_eq!(levels.code(-weight), -levels.code(weight));
        }
        assert_eq!(levels.code(0), 0);
        assert_eq!(Levels::from_values(&levels.values().collect::<Vec<u64>>()), Some(levels));
    }

    fn value(levels: &Levels, weight: i32) -> i32 {
        levels.value(levels.code(weight))
    }
}
