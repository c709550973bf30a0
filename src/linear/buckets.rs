//! A hash table that is only read: from a feature to a number, one cache line a look-up.

use fearless_simd::prelude::*;
use fearless_simd::u32x8;

use super::Row;
use crate::files::{Numbers, prefetch};
use crate::vector::vectorised;

/// Number of features that share a cache line.
const WAYS: usize = 8;

/// A cache line of the table. Places are filled from the first on, in the order of the tags; a free one has the number 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Bucket {
    /// The upper halves of the features' hashes; the lowest bit is the number's flag instead.
    tags: [u32; WAYS],
    numbers: [u32; WAYS],
}

/// A number of 32 bits, which is not 0 but for [`NOTHING`], and above it a flag.
pub type Flagged = u64;

/// Empty entry: the result of a look-up that finds nothing.
pub const NOTHING: Flagged = 0;

/// The flag of a [`Flagged`].
pub const FLAG: Flagged = 1 << 32;

/// The table. A feature stands in its home bucket, or if that is full of smaller tags, in the next one that is not: so
/// the last tag of a full bucket tells most features that are not in the table from those that overflowed.
#[derive(Debug, Clone)]
pub struct Buckets {
    buckets: Numbers<Bucket>,
}

/// Load factor of the table. PERF: at 0.8, where one feature in twenty overflows its bucket, greedy parsing takes 3 %
/// and width 8 2 % more instructions; the file is 15 % smaller.
const LOAD: f64 = 0.6;

impl Buckets {
    /// The table of these features with their numbers.
    pub fn new(numbers: &[(u64, Flagged)]) -> Buckets {
        let n_buckets = (numbers.len() as f64 / LOAD / WAYS as f64).ceil() as usize + 1;
        let mut buckets = vec![Bucket::default(); n_buckets];
        for &(feature, number) in numbers {
            let mut b = home(feature, n_buckets);
            let mut pushed_on = Some((tag(feature) & !1 | (number >> 32) as u32, number as u32));
            while let Some((tag, number)) = pushed_on {
                pushed_on = buckets[b].insert(tag, number);
                b = (b + 1) % n_buckets;
            }
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
    pub fn numbers(&self) -> impl Iterator<Item = Flagged> + '_ {
        let of_bucket = |bucket: &Bucket| {
            let (tags, numbers) = (bucket.tags, bucket.numbers);
            (0..WAYS).map(move |way| flagged(tags[way], numbers[way]))
        };
        self.buckets.iter().flat_map(of_bucket).filter(|&number| number != NOTHING)
    }

    /// The same features with other numbers.
    pub fn map(&self, mut number: impl FnMut(Flagged) -> Flagged) -> Buckets {
        let mut buckets = self.buckets.to_vec();
        for bucket in &mut buckets {
            for way in 0..bucket.numbers.iter().take_while(|&&number| number != 0).count() {
                let mapped = number(flagged(bucket.tags[way], bucket.numbers[way]));
                bucket.numbers[way] = mapped as u32;
                bucket.tags[way] = bucket.tags[way] & !1 | (mapped >> 32) as u32;
            }
        }
        Buckets { buckets: Numbers::Owned(buckets) }
    }

    /// Tells the memory that `features` will soon be looked up.
    #[inline]
    pub fn prefetch(&self, features: &[u64]) {
        let buckets = &self.buckets[..];
        for &feature in features {
            prefetch(buckets, home(feature, buckets.len()));
        }
    }

    /// The numbers of `features`, as many as `found` has places; [`NOTHING`] for unknown ones.
    ///
    /// No branch waits for memory: look-ups are independent of each other, and the processor overlaps their misses. What
    /// overflowed is sought afterwards.
    #[inline]
    pub fn find_all(&self, features: &[u64], found: &mut [Row]) {
        vectorised!(simd => self.find_all_with(simd, features, found));
    }

    #[inline(always)]
    fn find_all_with<V: Simd>(&self, simd: V, features: &[u64], found: &mut [Row]) {
        const BATCH: usize = 64;
        let buckets = &self.buckets[..];
        for (features, found) in features.chunks(BATCH).zip(found.chunks_mut(BATCH)) {
            let mut unknown = 0u64;
            for (i, (found, &feature)) in found.iter_mut().zip(features).enumerate() {
                let number = buckets[home(feature, buckets.len())].find(simd, tag(feature));
                *found = Row(number.unwrap_or(NOTHING));
                unknown |= u64::from(number.is_none()) << i;
            }
            // PERF: what is known cannot have overflowed, and so the others alone are asked.
            while unknown != 0 {
                let i = unknown.trailing_zeros() as usize;
                unknown &= unknown - 1;
                let feature = features[i];
                if buckets[home(feature, buckets.len())].overflows_with(tag(feature)) {
                    found[i] = Row(self.find_behind(feature));
                }
            }
        }
    }

    #[cold]
    fn find_behind(&self, feature: u64) -> Flagged {
        let mut b = home(feature, self.buckets.len());
        loop {
            b = (b + 1) % self.buckets.len();
            let bucket = &self.buckets[b];
            match vectorised!(simd => bucket.find(simd, tag(feature))) {
                Some(number) => return number,
                None if !bucket.overflows_with(tag(feature)) => return NOTHING,
                None => {}
            }
        }
    }
}

impl Bucket {
    /// Puts a feature in its place; the one that has to go on to the next bucket, if this one is full.
    fn insert(&mut self, tag: u32, number: u32) -> Option<(u32, u32)> {
        let n = self.numbers.iter().position(|&number| number == 0).unwrap_or(WAYS);
        let place = self.tags[..n].partition_point(|&known| known | 1 <= tag | 1);
        if place == WAYS {
            return Some((tag, number));
        }
        let last = (n == WAYS).then(|| (self.tags[WAYS - 1], self.numbers[WAYS - 1]));
        let end = n.min(WAYS - 1);
        self.tags.copy_within(place..end, place + 1);
        self.numbers.copy_within(place..end, place + 1);
        (self.tags[place], self.numbers[place]) = (tag, number);
        last
    }

    /// The number of the feature with this tag, if there is one; [`NOTHING`] if it looks like a free place.
    #[inline(always)]
    fn find<V: Simd>(&self, simd: V, tag: u32) -> Option<Flagged> {
        // Free places have tag 0 and number 0: whom they match finds nothing.
        let (flag, wanted) = (u32x8::splat(simd, 1), u32x8::splat(simd, tag | 1));
        // PERF: from the slice; of an array there would be a copy, where the tag that was found is read again.
        let hits = (u32x8::from_slice(simd, &self.tags) | flag).simd_eq(wanted).to_bitmask();
        let way = hits.trailing_zeros() as usize % WAYS;
        let found = flagged(self.tags[way], self.numbers[way]);
        (hits != 0).then_some(found)
    }

    /// True if a feature with this tag that is not here may stand in a later bucket.
    #[inline(always)]
    fn overflows_with(&self, tag: u32) -> bool {
        let (last, is_full) = (self.tags[WAYS - 1], self.numbers[WAYS - 1] != 0);
        is_full && tag | 1 >= last
    }
}

/// The number in a place, with its flag. A free place's tag has none.
#[inline(always)]
fn flagged(tag: u32, number: u32) -> Flagged {
    u64::from(tag & 1) << 32 | u64::from(number)
}

#[inline(always)]
fn home(feature: u64, n_buckets: usize) -> usize {
    (((feature & 0xffff_ffff) * n_buckets as u64) >> 32) as usize
}

#[inline(always)]
fn tag(feature: u64) -> u32 {
    (feature >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        for n in [0u64, 1, 7, 8, 100, 5000] {
            let feature = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let flagged = |i: u64| (i + 1) | if i.is_multiple_of(3) { FLAG } else { 0 };
            let numbers: Vec<(u64, Flagged)> = (0..n).map(|i| (feature(i), flagged(i))).collect();
            let table = Buckets::new(&numbers);
            let features: Vec<u64> = (0..2 * n).map(feature).collect();
            let expected = (0..2 * n).map(|number| Row(if number < n { flagged(number) } else { NOTHING }));
            let expected: Vec<Row> = expected.collect();
            let found = versions!(simd => {
                let mut found = vec![Row(u64::MAX); features.len()];
                table.find_all_with(simd, &features, &mut found);
                found
            });
            assert!(found.iter().all(|found| *found == expected));
            assert_eq!(table.numbers().count() as u64, n);
        }
    }

    /// All features at home in one bucket, and one bucket after the last is the first.
    #[test]
    fn overflowing_buckets_go_on_in_the_next_ones() {
        // Not in the order of their tags.
        let feature = |i: u64| (i * 37 % 211) << 33 | 0xffff_ffff;
        let numbers: Vec<(u64, Flagged)> = (1..=100).map(|i| (feature(i), i)).collect();
        let table = Buckets::new(&numbers);
        let features: Vec<u64> = (60..124).map(feature).collect();
        let found = versions!(simd => {
            let mut found = [Row::default(); 64];
            table.find_all_with(simd, &features, &mut found);
            found
        });
        for found in found {
            assert!((60..124).zip(found).all(|(i, Row(found))| found == if i <= 100 { i } else { 0 }));
        }
    }
}
