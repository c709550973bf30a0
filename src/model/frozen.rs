//! The weights of a finished model: averaged, in fixed point, in one flat table.

use super::{LiveWeights, Weights};
use crate::system::ActionId;

/// A place of the table: the upper half of the feature's hash, and where its row is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Place {
    tag: u32,
    /// Start of the row in `rows`; rows start at 1, so 0 marks a free place.
    start: u32,
}

/// Frozen weights. A score is a sum of integers, so it does not depend on the order of summation: cached, batched and
/// plain scoring agree to the bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrozenWeights {
    places: Vec<Place>,
    /// Rows. Sparse: the number of entries, then for each the action and the weight. Dense: [`DENSE`], then a weight for
    /// each of the `width` lanes.
    rows: Vec<i32>,
    width: usize,
    n_features: usize,
    n_weights: usize,
    /// The fixed-point factor: a weight of 1.0 is stored as this.
    scale: u32,
}

/// Marks a dense row.
const DENSE: i32 = -1;

/// A row is dense from this share of its lanes on. Adding a dense row costs a vector operation for four lanes or
/// more, adding a sparse one two loads and a store for each entry; features of tags alone have long rows and fire always.
const DENSE_SHARE: usize = 5;

/// The most templates that can fire at once, for the bound on sums.
const MAX_TEMPLATES: f64 = 1024.0;

impl FrozenWeights {
    /// The sums of the replicas' averages, in fixed point, for scores of `width` lanes; weights that round to zero are left
    /// out.
    pub fn average(replicas: &[LiveWeights], width: usize) -> FrozenWeights {
        let mut largest: f64 = 0.0;
        for_each_sum(replicas, |_, row| row.iter().for_each(|&(_, sum)| largest = largest.max(sum.abs())));
        // 16 bits behind the point, fewer only if sums could overflow.
        let mut scale = 1u32 << 16;
        while largest * f64::from(scale) * MAX_TEMPLATES > f64::from(i32::MAX / 4) && scale > 1 {
            scale /= 2;
        }
        let mut rows = vec![0i32];
        let mut starts: Vec<(u64, u32)> = Vec::with_capacity(replicas.first().map_or(0, LiveWeights::n_features));
        let mut n_weights = 0;
        let mut entries: Vec<(ActionId, i32)> = Vec::new();
        for_each_sum(replicas, |feature, row| {
            entries.clear();
            entries.extend(row.iter().map(|&(action, sum)| (action, (sum * f64::from(scale)).round() as i32)));
            entries.retain(|&(_, weight)| weight != 0);
            if entries.is_empty() {
                return;
            }
            n_weights += entries.len();
            starts.push((feature, u32::try_from(rows.len()).expect("at most 2^32 weights")));
            if entries.len() * DENSE_SHARE >= width {
                rows.push(DENSE);
                let first = rows.len();
                rows.resize(first + width, 0);
                entries.iter().for_each(|&(action, weight)| rows[first + action as usize] = weight);
            } else {
                rows.push(entries.len() as i32);
                rows.extend(entries.iter().flat_map(|&(action, weight)| [i32::from(action), weight]));
            }
        });
        let mut frozen = FrozenWeights {
            places: vec![Place::default(); (starts.len() * 3 / 2 + 1).next_power_of_two()],
            rows,
            width,
            n_features: starts.len(),
            n_weights,
            scale,
        };
        let mask = frozen.places.len() - 1;
        for (feature, start) in starts {
            let mut i = feature as usize;
            while frozen.places[i & mask].start != 0 {
                i += 1;
            }
            frozen.places[i & mask] = Place { tag: tag(feature), start };
        }
        frozen
    }

    /// The number of features with a weight.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The number of weights that are not zero.
    pub fn n_weights(&self) -> usize {
        self.n_weights
    }

    /// The fixed-point factor.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The start of the feature's row, of which the place at home is known already.
    #[inline]
    fn find(&self, feature: u64, home: Place) -> usize {
        if home.start == 0 || home.tag == tag(feature) { home.start as usize } else { self.find_behind(feature) }
    }

    fn find_behind(&self, feature: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut i = feature as usize;
        loop {
            i += 1;
            let place = self.places[i & mask];
            if place.start == 0 || place.tag == tag(feature) {
                return place.start as usize;
            }
        }
    }
}

/// Calls `read` with each feature that any replica has and the sums of its averaged weights.
fn for_each_sum(replicas: &[LiveWeights], mut read: impl FnMut(u64, &[(ActionId, f64)])) {
    let mut sums: Vec<(ActionId, f64)> = Vec::new();
    for (number, replica) in replicas.iter().enumerate() {
        let (earlier, later) = (&replicas[..number], &replicas[number + 1..]);
        replica.for_each_average(|feature, row| {
            if earlier.iter().any(|replica| replica.has(feature)) {
                return;
            }
            sums.clear();
            sums.extend(row);
            for (action, average) in later.iter().flat_map(|replica| replica.averages_of(feature)) {
                match sums.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, sum)) => *sum += average,
                    None => sums.push((action, average)),
                }
            }
            read(feature, &sums);
        });
    }
}

/// The bits of a feature's hash that the table's places do not use.
#[inline]
fn tag(feature: u64) -> u32 {
    (feature >> 32) as u32
}

impl Weights for FrozenWeights {
    /// Three passes. In the first two no branch waits for memory: the loads of a batch are independent of each other, and the
    /// processor overlaps their misses.
    #[inline]
    fn add(&self, features: &[u64], scores: &mut [i32]) {
        const BATCH: usize = 32;
        let mask = self.places.len() - 1;
        let mut homes = [Place::default(); BATCH];
        let mut starts = [(0usize, 0i32); BATCH];
        for features in features.chunks(BATCH) {
            for (home, &feature) in homes.iter_mut().zip(features) {
                *home = self.places[feature as usize & mask];
            }
            for ((start, &home), &feature) in starts.iter_mut().zip(&homes).zip(features) {
                let row = self.find(feature, home);
                *start = (row + 1, self.rows[row]);
            }
            // Row 0 is empty: what an unknown feature finds.
            for &(row, len) in &starts[..features.len()] {
                if len == DENSE {
                    for (score, weight) in scores.iter_mut().zip(&self.rows[row..row + self.width]) {
                        *score += weight;
                    }
                } else {
                    for entry in self.rows[row..row + 2 * len as usize].chunks_exact(2) {
                        scores[entry[0] as usize] += entry[1];
                    }
                }
            }
        }
    }
}

impl FrozenWeights {
    /// The table as bytes: scale and counts, places, rows.
    pub fn sections(&self) -> (Vec<u8>, &[u8], &[u8]) {
        let counts = [u64::from(self.scale), self.n_features as u64, self.n_weights as u64, self.width as u64];
        let counts = counts.into_iter().flat_map(u64::to_le_bytes).collect();
        (counts, bytemuck::cast_slice(&self.places), bytemuck::cast_slice(&self.rows))
    }

    /// The table from its bytes; `None` if anything in it points outside it or beyond `width` lanes.
    pub fn from_sections(counts: &[u8], places: &[u8], rows: &[u8], width: usize) -> Option<FrozenWeights> {
        let counts: Vec<u64> = from_bytes(counts)?;
        let &[scale, n_features, n_weights, lanes] = &counts[..] else { return None };
        let (places, rows): (Vec<Place>, Vec<i32>) = (from_bytes(places)?, from_bytes(rows)?);
        // A look-up ends at a free place, so there must be one; row 0 is what it finds there.
        let sound = places.len().is_power_of_two() && places.iter().any(|p| p.start == 0) && rows.first() == Some(&0);
        let row_is_sound = |place: &Place| {
            let rest = rows.get(place.start as usize..)?;
            let (&len, rest) = rest.split_first()?;
            if len == DENSE {
                return (rest.len() >= width).then_some(());
            }
            let entries = rest.get(..usize::try_from(len).ok()?.checked_mul(2)?)?;
            entries.chunks_exact(2).all(|entry| (0..width as i64).contains(&i64::from(entry[0]))).then_some(())
        };
        let sound = sound && lanes == width as u64;
        (sound && places.iter().all(|place| row_is_sound(place).is_some())).then_some(FrozenWeights {
            places,
            rows,
            width,
            n_features: usize::try_from(n_features).ok()?,
            n_weights: usize::try_from(n_weights).ok()?,
            scale: u32::try_from(scale).ok()?,
        })
    }
}

/// Numbers from bytes of any alignment; `None` if there is a rest.
pub(super) fn from_bytes<T: bytemuck::Pod>(bytes: &[u8]) -> Option<Vec<T>> {
    bytes.len().is_multiple_of(size_of::<T>()).then(|| bytemuck::allocation::pod_collect_to_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replicas add up, over features that both have and features that one has.
    #[test]
    fn a_sum_scores_what_its_parts_score_together() {
        const WIDTH: usize = 32;
        let feature = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let replica = |features: std::ops::Range<u64>, step: u64| {
            let mut weights = LiveWeights::default();
            for number in features {
                for action in 0..number * step % 9 {
                    weights.update(feature(number), (action * step % WIDTH as u64) as ActionId, 1 + action as i32);
                }
                weights.tick();
            }
            weights
        };
        let replicas = [replica(0..300, 3), replica(200..500, 5)];
        let parts = replicas.each_ref().map(|part| FrozenWeights::average(std::slice::from_ref(part), WIDTH));
        let sum = FrozenWeights::average(&replicas, WIDTH);
        assert!(sum.n_features() > parts[0].n_features().max(parts[1].n_features()));
        for number in 0..500 {
            let score = |weights: &FrozenWeights| {
                let mut scores = [0; WIDTH];
                weights.add(&[feature(number)], &mut scores);
                scores
            };
            let (a, b) = (score(&parts[0]), score(&parts[1]));
            for (lane, sum) in score(&sum).into_iter().enumerate() {
                assert!((sum - a[lane] - b[lane]).abs() <= 1, "feature {number}, lane {lane}");
            }
        }
    }
}
