//! A hash table that is only read: from a feature to a number, one cache line a look-up.

use super::memory::{self, Numbers};

/// How many features share a cache line.
const WAYS: usize = 8;

/// A cache line of the table. Places are filled from the first on; a free one has the number 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Bucket {
    /// The upper halves of the features' hashes.
    tags: [u32; WAYS],
    numbers: [u32; WAYS],
}

/// The table. A feature stands in its home bucket, or if that is full, in the next one that is not.
#[derive(Debug, Clone)]
pub struct Buckets {
    buckets: Numbers<Bucket>,
}

impl Buckets {
    /// The table of these features with their numbers, which are not 0.
    pub fn new(numbers: &[(u64, u32)]) -> Buckets {
        // Five sixths full: one feature in twenty-five overflows its bucket.
        let n_buckets = (numbers.len() * 6 / 5).div_ceil(WAYS) + 1;
        let mut buckets = vec![Bucket::default(); n_buckets];
        for &(feature, number) in numbers {
            let mut b = home(feature, n_buckets);
            let place = loop {
                match buckets[b].numbers.iter().position(|&number| number == 0) {
                    Some(place) => break place,
                    None => b = (b + 1) % n_buckets,
                }
            };
            buckets[b].tags[place] = tag(feature);
            buckets[b].numbers[place] = number;
        }
        Buckets { buckets: Numbers::Owned(buckets) }
    }

    /// The table in these buckets; `None` if a look-up could run round it for ever.
    pub fn from_buckets(buckets: Numbers<Bucket>) -> Option<Buckets> {
        let has_end = buckets.iter().any(|bucket| bucket.numbers[WAYS - 1] == 0);
        has_end.then_some(Buckets { buckets })
    }

    /// The buckets.
    pub fn as_slice(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The numbers of all features.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.buckets.iter().flat_map(|bucket| bucket.numbers).filter(|&number| number != 0)
    }

    /// The same features with other numbers, which must not be 0.
    pub fn map(&self, mut number: impl FnMut(u32) -> u32) -> Buckets {
        let mut buckets = self.buckets.to_vec();
        for known in buckets.iter_mut().flat_map(|bucket| &mut bucket.numbers).filter(|known| **known != 0) {
            *known = number(*known);
        }
        Buckets { buckets: Numbers::Owned(buckets) }
    }

    /// Tells the memory that `features` will soon be looked up.
    #[inline]
    pub fn prefetch(&self, features: &[u64]) {
        let buckets = &self.buckets[..];
        for &feature in features {
            memory::prefetch(buckets, home(feature, buckets.len()));
        }
    }

    /// The numbers of `features`, as many as `found` has places; 0 for unknown ones.
    ///
    /// No branch waits for memory: look-ups are independent of each other, and the processor overlaps their misses. What
    /// overflowed is sought afterwards.
    #[inline]
    pub fn find_all(&self, features: &[u64], found: &mut [u64]) {
        const BATCH: usize = 64;
        let buckets = &self.buckets[..];
        for (features, found) in features.chunks(BATCH).zip(found.chunks_mut(BATCH)) {
            let mut overflows = 0u64;
            for (i, (found, &feature)) in found.iter_mut().zip(features).enumerate() {
                let (number, overflow) = buckets[home(feature, buckets.len())].find(tag(feature));
                *found = u64::from(number);
                overflows |= u64::from(overflow) << i;
            }
            while overflows != 0 {
                let i = overflows.trailing_zeros() as usize;
                overflows &= overflows - 1;
                found[i] = u64::from(self.find_behind(features[i]));
            }
        }
    }

    #[cold]
    fn find_behind(&self, feature: u64) -> u32 {
        let mut b = home(feature, self.buckets.len());
        loop {
            b = (b + 1) % self.buckets.len();
            if let (number, false) = self.buckets[b].find(tag(feature)) {
                return number;
            }
        }
    }
}

impl Bucket {
    /// The number of the feature with this tag, 0 if there is none; and whether it may stand in a later bucket.
    #[inline]
    fn find(&self, tag: u32) -> (u32, bool) {
        let mut hits = 0u32;
        for way in 0..WAYS {
            hits |= u32::from(self.tags[way] == tag) << way;
        }
        let known = hits != 0;
        let number = self.numbers[hits.trailing_zeros() as usize % WAYS];
        (if known { number } else { 0 }, !known & (self.numbers[WAYS - 1] != 0))
    }
}

#[inline]
fn home(feature: u64, n_buckets: usize) -> usize {
    (((feature & 0xffff_ffff) * n_buckets as u64) >> 32) as usize
}

#[inline]
fn tag(feature: u64) -> u32 {
    (feature >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        for n in [0u64, 1, 7, 8, 100, 5000] {
            let feature = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let numbers: Vec<(u64, u32)> = (0..n).map(|i| (feature(i), i as u32 + 1)).collect();
            let table = Buckets::new(&numbers);
            let features: Vec<u64> = (0..2 * n).map(feature).collect();
            for (batch, features) in features.chunks(64).enumerate() {
                let mut found = [u64::MAX; 64];
                table.find_all(features, &mut found[..features.len()]);
                for (i, &found) in found[..features.len()].iter().enumerate() {
                    let number = (batch * 64 + i) as u64;
                    assert_eq!(found, if number < n { number + 1 } else { 0 });
                }
            }
            assert_eq!(table.numbers().count() as u64, n);
        }
    }

    /// All features at home in one bucket, and one bucket after the last is the first.
    #[test]
    fn overflowing_buckets_go_on_in_the_next_ones() {
        let feature = |i: u64| i << 32 | 0xffff_ffff;
        let numbers: Vec<(u64, u32)> = (1..=100).map(|i| (feature(i), i as u32)).collect();
        let table = Buckets::new(&numbers);
        let mut found = [0; 64];
        table.find_all(&(60..124).map(feature).collect::<Vec<_>>(), &mut found);
        assert!((60..124).zip(found).all(|(i, found)| found == if i <= 100 { i } else { 0 }));
    }
}
