//! A hash table that is only read: from a feature to a number, one cache line a look-up.

use fearless_simd::prelude::*;
use fearless_simd::u32x8;

use super::Row;
use crate::files::{Numbers, prefetch};
use crate::vector::Ones;

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

/// The table. Its buckets are of as many *homes*, each of the same number of buckets, mostly one. What a table does not keep of a feature
/// does not decide its home, and so a table with as many homes can be made of the table. A feature stands in its home bucket, or if that is full of smaller tags, in the next one that is not: so
/// the last tag of a full bucket distinguishes most features that are not in the table from those that overflowed.
#[derive(Debug, Clone)]
pub struct Buckets {
    buckets: Numbers<Bucket>,
    homes: Homes,
    /// Buckets of a home, among which the tag decides.
    spread: usize,
}

/// Homes of features: what a table keeps of their lower halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Homes {
    n: usize,
    /// Number of homes of the table that this one was made of, some of which are one here; else as many as there are.
    n_before: usize,
    /// Homes for one of those before, with 32 bits behind the point.
    ratio: u64,
}

impl Homes {
    /// So many homes.
    pub fn new(n: usize) -> Homes {
        Homes { n, n_before: n, ratio: 1 << 32 }
    }

    /// So many homes of so many before; `None` if these are fewer, or too many to be distinguished.
    pub fn merging(n: usize, n_before: usize) -> Option<Homes> {
        let is_sound = (1..=n_before).contains(&n) && u32::try_from(n_before).is_ok();
        is_sound.then(|| Homes { n, n_before, ratio: ((n as u64) << 32) / n_before as u64 })
    }

    /// The number of homes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The number of homes before some became one; `None` if none did.
    pub fn n_before(&self) -> Option<usize> {
        (self.n != self.n_before).then_some(self.n_before)
    }

    /// The home of a feature.
    #[inline(always)]
    fn of(&self, feature: u64) -> usize {
        ((part(feature, self.n_before) as u64 * self.ratio) >> 32) as usize
    }

    /// The lowest half of a feature with this home.
    fn lowest_of(&self, home: usize) -> u64 {
        let before = ((home as u64) << 32).div_ceil(self.ratio);
        (before << 32).div_ceil(self.n_before as u64)
    }

    /// The feature with all that a table of these homes keeps of it, and nothing else: what is equal so, such a table takes for the same.
    #[inline(always)]
    pub fn key(&self, feature: u64) -> u64 {
        u64::from(tag(feature) | 1) << 32 | self.lowest_of(self.of(feature))
    }
}

/// Load factor of the table. PERF: at 0.8, where one feature in twenty overflows its bucket, greedy parsing takes 3 %
/// and width 8 2 % more instructions; the file is 15 % smaller.
const LOAD: f64 = 0.6;

/// Load factor beyond which homes get more buckets: twice as many would often be far too many.
pub const FULL: f64 = 0.8;

/// Load factor of tables that shall be small rather than fast.
const PACKED: f64 = 0.9;

impl Buckets {
    /// The table of `n` features with their numbers.
    pub fn new(n: usize, numbers: impl Iterator<Item = (u64, Flagged)>) -> Buckets {
        Buckets::with_homes(n, numbers, Homes::new(n_buckets(n, LOAD)), FULL)
    }

    /// The table of `n` features with their numbers, of these homes and at most as full as `full` says.
    pub fn with_homes(n: usize, mut numbers: impl Iterator<Item = (u64, Flagged)>, homes: Homes, full: f64) -> Buckets {
        let least = (n as f64 / full / WAYS as f64).ceil() as usize;
        let spread = least.div_ceil(homes.n).max(1);
        let n_buckets = homes.n * spread;
        let mut buckets = vec![Bucket::default(); n_buckets];
        const BATCH: usize = 32;
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.extend(numbers.by_ref().take(BATCH));
            if batch.is_empty() {
                break;
            }
            // The misses of a batch overlap.
            batch.iter().for_each(|&(feature, _)| prefetch(&buckets, bucket(feature, homes, spread)));
            for (feature, number) in batch.drain(..) {
                let mut b = bucket(feature, homes, spread);
                let mut pushed_on = Some((tag(feature) & !1 | (number >> 32) as u32, number as u32));
                while let Some((tag, number)) = pushed_on {
                    pushed_on = buckets[b].insert(tag, number);
                    b = (b + 1) % n_buckets;
                }
            }
        }
        Buckets { buckets: Numbers::from(buckets), homes, spread }
    }

    /// The table in these buckets, as many for each home; `None` if a look-up could run round it for ever, or homes are not whole.
    pub fn from_buckets(buckets: Numbers<Bucket>, homes: Homes) -> Option<Buckets> {
        let has_end = buckets.iter().any(|bucket| bucket.numbers[WAYS - 1] == 0);
        let spread = buckets.len().checked_div(homes.n)?;
        let is_sound = has_end && spread > 0 && buckets.len() == spread * homes.n;
        is_sound.then_some(Buckets { buckets, homes, spread })
    }

    /// The number of buckets for each home.
    pub fn spread(&self) -> usize {
        self.spread
    }

    /// The homes.
    pub fn homes(&self) -> Homes {
        self.homes
    }

    /// The features that `number` gives one, in buckets that are nearly full, for which neighbouring homes become one. Look-ups find the
    /// same as far as the tags show.
    pub fn packed(&self, number: impl Fn(Flagged) -> Option<Flagged>) -> Buckets {
        let mut kept: Vec<(u64, Flagged)> =
            self.keys().filter_map(|(key, before)| Some((key, number(before)?))).collect();
        let homes = Homes::merging(n_buckets(kept.len(), PACKED), self.homes.n).unwrap_or(self.homes);
        // A key whose two homes are the same is there once.
        kept.sort_by_key(|&(key, _)| homes.key(key));
        kept.dedup_by_key(|&mut (key, _)| homes.key(key));
        Buckets::with_homes(kept.len(), kept.into_iter(), homes, PACKED)
    }

    /// The features that a look-up finds, as [`Homes::key`] has them, with their numbers. What overflowed a bucket may be at home there or in
    /// the next, as far as the table knows, and comes with both.
    pub fn keys(&self) -> impl Iterator<Item = (u64, Flagged)> + '_ {
        let (n_buckets, homes) = (self.buckets.len(), self.homes);
        (0..n_buckets).flat_map(move |b| {
            let mut found: Vec<(u32, Flagged)> = Vec::new();
            let (mut at, mut least) = (b, 0);
            loop {
                let Bucket { tags, numbers } = self.buckets[at];
                let here = (0..WAYS).take_while(|&way| numbers[way] != 0).map(|way| (tags[way], numbers[way]));
                for (tag, number) in here {
                    let is_at_home = within_home(tag, self.spread) == b % self.spread;
                    if is_at_home && tag | 1 >= least && found.iter().all(|(known, _)| *known != tag | 1) {
                        found.push((tag | 1, flagged(tag, number)));
                    }
                }
                if numbers[WAYS - 1] == 0 {
                    break;
                }
                (at, least) = ((at + 1) % n_buckets, least.max(tags[WAYS - 1]));
            }
            let home = b / self.spread;
            found.into_iter().map(move |(tag, number)| (u64::from(tag) << 32 | homes.lowest_of(home), number))
        })
    }

    /// The buckets.
    pub fn as_slice(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The tags, whose lowest bits are the flags of numbers, and the numbers of each bucket; those of free places are 0.
    #[inline(always)]
    pub fn tags_and_numbers(&self) -> impl Iterator<Item = (&[u32; WAYS], &[u32; WAYS])> {
        self.buckets.iter().map(|Bucket { tags, numbers }| (tags, numbers))
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
        Buckets { buckets: Numbers::from(buckets), homes: self.homes, spread: self.spread }
    }

    /// Function that prefetches the bucket of a feature, to be called some time before the look-up.
    #[inline(always)]
    pub fn prefetcher(&self) -> impl Fn(u64) {
        let (buckets, is_plain, homes, spread) = (&self.buckets[..], self.is_plain(), self.homes, self.spread);
        move |feature| {
            let place = if is_plain { part(feature, buckets.len()) } else { bucket(feature, homes, spread) };
            prefetch(buckets, place);
        }
    }

    /// Looks up `features`, at most [`BATCH`].
    ///
    /// PERF: no branch waits for memory. Look-ups are independent of each other, and the processor overlaps their misses. The tags that
    /// were read are compared with the wanted ones afterwards, eight at a time.
    #[inline(always)]
    pub fn find<V: Simd>(&self, simd: V, features: &[u64], found: &mut Found) {
        let (n_buckets, homes, spread) = (self.buckets.len(), self.homes, self.spread);
        if self.is_plain() {
            self.find_at(simd, features, |feature| part(feature, n_buckets), found);
        } else {
            self.find_at(simd, features, |feature| bucket(feature, homes, spread), found);
        }
    }

    /// True if each bucket is a home.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.spread == 1 && self.homes.n == self.homes.n_before
    }

    #[inline(always)]
    fn find_at<V: Simd>(&self, simd: V, features: &[u64], bucket: impl Fn(u64) -> usize, found: &mut Found) {
        let buckets = &self.buckets[..];
        let mut wanted = [0; BATCH];
        wanted.iter_mut().zip(features).for_each(|(wanted, &feature)| *wanted = tag(feature) | 1);
        let places = found.tags.iter_mut().zip(&mut found.numbers);
        for ((&feature, &wanted), (tag, number)) in features.iter().zip(&wanted).zip(places) {
            (*tag, *number) = buckets[bucket(feature)].probe(simd, wanted);
        }
        found.compare(simd, &wanted, features.len());
        // PERF: what is known cannot have overflowed, and so the others alone are asked.
        for i in Ones(!found.known & first_ones(features.len())) {
            let own = bucket(features[i]);
            if buckets[own].overflows_with(wanted[i])
                && let Some((tag, number)) = self.find_behind(simd, own, wanted[i])
            {
                (found.tags[i], found.numbers[i]) = (tag, number);
                found.known |= 1 << i;
                found.flags |= u64::from(tag & 1) << i;
            }
        }
    }

    /// The tag and the number of a feature that its own bucket, which is full, does not have.
    #[inline(always)]
    fn find_behind<V: Simd>(&self, simd: V, mut bucket: usize, wanted: u32) -> Option<(u32, u32)> {
        loop {
            bucket = if bucket + 1 == self.buckets.len() { 0 } else { bucket + 1 };
            let bucket = &self.buckets[bucket];
            match bucket.probe(simd, wanted) {
                (tag, number) if tag | 1 == wanted && number != 0 => return Some((tag, number)),
                _ if !bucket.overflows_with(wanted) => return None,
                _ => {}
            }
        }
    }
}

/// Number of features that are looked up at once.
pub const BATCH: usize = 64;

/// Results of a batch of look-ups.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    tags: [u32; BATCH],
    /// Numbers of those features that are known, without their flags.
    numbers: [u32; BATCH],
    /// By place, a bit for each feature: 1 if it is known.
    pub known: u64,
    /// 1 if it is known and its number has a flag.
    pub flags: u64,
}

impl Found {
    /// No results.
    pub const NONE: Found = Found { tags: [0; BATCH], numbers: [0; BATCH], known: 0, flags: 0 };

    /// Writes down the numbers with their flags, [`NOTHING`] for features that are not known.
    #[inline(always)]
    pub fn write(&self, rows: &mut [Row]) {
        for (i, (row, (&tag, &number))) in rows.iter_mut().zip(self.tags.iter().zip(&self.numbers)).enumerate() {
            *row = Row(flagged(tag, number) & (self.known >> i & 1).wrapping_neg());
        }
    }

    /// The number of the feature in this place, without its flag.
    #[inline(always)]
    pub fn number(&self, place: usize) -> Flagged {
        self.numbers[place % BATCH].into()
    }

    /// The numbers, eight at a time.
    #[inline(always)]
    pub fn eights(&self) -> &[[u32; 8]] {
        self.numbers.as_chunks().0
    }

    /// Sets `known` and `flags` for the first `n` features, whose tags and numbers have been read.
    #[inline(always)]
    fn compare<V: Simd>(&mut self, simd: V, wanted: &[u32; BATCH], n: usize) {
        let (flag, zero) = (u32x8::splat(simd, 1), u32x8::splat(simd, 0));
        let (mut known, mut flags) = (0, 0);
        for first in (0..n).step_by(WAYS) {
            let eight = |numbers: &[u32; BATCH]| u32x8::from_slice(simd, &numbers[first..first + WAYS]);
            let (tags, numbers) = (eight(&self.tags), eight(&self.numbers));
            let is_known = (tags | flag).simd_eq(eight(wanted)) & !numbers.simd_eq(zero);
            known |= is_known.to_bitmask() << first;
            flags |= (is_known & (tags & flag).simd_eq(flag)).to_bitmask() << first;
        }
        // Places from `n` on hold what an earlier batch has left.
        (self.known, self.flags) = (known & first_ones(n), flags & first_ones(n));
    }
}

/// A number whose first `n` bits are ones.
#[inline(always)]
fn first_ones(n: usize) -> u64 {
    !u64::MAX.unbounded_shl(n as u32)
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

    /// The tag and the number of the feature with this tag, if there is one; else those of another, or of a free place.
    #[inline(always)]
    fn probe<V: Simd>(&self, simd: V, wanted: u32) -> (u32, u32) {
        let (flag, wanted) = (u32x8::splat(simd, 1), u32x8::splat(simd, wanted));
        // PERF: from the slice; of an array there would be a copy, where the tag that was found is read again.
        let hits = (u32x8::from_slice(simd, &self.tags) | flag).simd_eq(wanted).to_bitmask();
        let way = hits.trailing_zeros() as usize % WAYS;
        (self.tags[way], self.numbers[way])
    }

    /// True if a feature with this tag that is not here may stand in a later bucket.
    #[inline(always)]
    fn overflows_with(&self, wanted: u32) -> bool {
        let (last, is_full) = (self.tags[WAYS - 1], self.numbers[WAYS - 1] != 0);
        is_full && wanted >= last
    }
}

/// The number in a place, with its flag. A free place's tag has none.
#[inline(always)]
fn flagged(tag: u32, number: u32) -> Flagged {
    u64::from(tag & 1) << 32 | u64::from(number)
}

/// The number of buckets for so many features, of which they fill such a share.
fn n_buckets(n_features: usize, load: f64) -> usize {
    (n_features as f64 / load / WAYS as f64).ceil() as usize + 1
}

/// The bucket, within its home, of a feature with this tag.
#[inline(always)]
fn within_home(tag: u32, spread: usize) -> usize {
    ((u64::from(tag >> 1) * spread as u64) >> 31) as usize
}

/// The part, of `n` parts, in which the lower half of a feature lies.
#[inline(always)]
fn part(feature: u64, n: usize) -> usize {
    (((feature & 0xffff_ffff) * n as u64) >> 32) as usize
}

/// The bucket of a feature.
#[inline(always)]
fn bucket(feature: u64, homes: Homes, spread: usize) -> usize {
    let home = homes.of(feature);
    if spread == 1 { home } else { home * spread + within_home(tag(feature), spread) }
}

#[inline(always)]
fn tag(feature: u64) -> u32 {
    (feature >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::versions;

    #[inline(always)]
    fn rows_of<V: Simd>(simd: V, table: &Buckets, features: &[u64]) -> Vec<Row> {
        let (mut found, mut rows) = (Found::NONE, vec![Row(u64::MAX); features.len()]);
        for (features, rows) in features.chunks(BATCH).zip(rows.chunks_mut(BATCH)) {
            table.find(simd, features, &mut found);
            found.write(rows);
        }
        rows
    }

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        for n in [0u64, 1, 7, 8, 100, 5000] {
            let feature = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let flagged = |i: u64| (i + 1) | if i.is_multiple_of(3) { FLAG } else { 0 };
            let numbers: Vec<(u64, Flagged)> = (0..n).map(|i| (feature(i), flagged(i))).collect();
            let table = Buckets::new(numbers.len(), numbers.iter().copied());
            let features: Vec<u64> = (0..2 * n).map(feature).collect();
            let expected = (0..2 * n).map(|number| Row(if number < n { flagged(number) } else { NOTHING }));
            let expected: Vec<Row> = expected.collect();
            let found = versions!(simd => {
                rows_of(simd, &table, &features)
            });
            assert!(found.iter().all(|found| *found == expected));
            assert_eq!(table.numbers().count() as u64, n);
        }
    }

    /// A table of a table's keys finds what that finds, and has room for more.
    #[test]
    fn tables_grow_without_their_features() {
        let feature = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for n in [0u64, 1, 7, 100, 5000] {
            let numbers: Vec<(u64, Flagged)> = (0..n).map(|i| (feature(i), i + 1)).collect();
            let table = Buckets::new(numbers.len(), numbers.iter().copied());
            let homes = table.homes();
            let mut grown: Vec<(u64, Flagged)> = table.keys().collect();
            assert!(grown.len() as u64 >= n && (grown.len() as f64) < 1.3 * n as f64 + 1.0, "{} of {n}", grown.len());
            let known: std::collections::HashSet<u64> = grown.iter().map(|(key, _)| *key).collect();
            assert!((0..n).all(|i| known.contains(&homes.key(feature(i)))));
            let more = (n..9 * n + 50).map(|i| (homes.key(feature(i)), i + 1));
            grown.extend(more.filter(|(key, _)| !known.contains(key)));
            let grown = Buckets::with_homes(grown.len(), grown.iter().copied(), homes, FULL);
            assert!(grown.homes() == homes && grown.spread() > 1);
            let again = Buckets::from_buckets(Numbers::from(grown.as_slice().to_vec()), homes).unwrap();
            // And grows again.
            let keys: Vec<(u64, Flagged)> = again.keys().collect();
            let larger = Buckets::with_homes(keys.len(), keys.iter().copied(), homes, FULL);
            let features: Vec<u64> = (0..10 * n + 60).map(feature).collect();
            for table in [&grown, &again, &larger] {
                let found = versions!(simd => {
                    rows_of(simd, table, &features)
                });
                for found in found {
                    let expected = |i: u64| Row(if i < 9 * n + 50 { i + 1 } else { NOTHING });
                    let n_wrong = (0..).zip(&found).filter(|&(i, row)| *row != expected(i)).count();
                    // Features that are the same to a table, by chance.
                    assert!(n_wrong <= found.len() / 1000, "{n_wrong} of {}", found.len());
                }
            }
            assert!(
                Buckets::from_buckets(Numbers::from(table.as_slice().to_vec()), Homes::new(homes.n() + 1)).is_none()
            );
        }
    }

    /// A packed table finds those of a table's features that were kept, and can be gone on from.
    #[test]
    fn packed_tables_hold_what_is_kept() {
        let feature = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for n in [0u64, 1, 7, 100, 5000] {
            let numbers: Vec<(u64, Flagged)> = (0..n).map(|i| (feature(i), i + 1)).collect();
            let table = Buckets::new(numbers.len(), numbers.iter().copied());
            let packed = table.packed(|number| (!number.is_multiple_of(4)).then_some(number));
            let load = packed.numbers().count() as f64 / (WAYS * packed.as_slice().len()) as f64;
            assert!(n < 5000 || (0.85..0.95).contains(&load), "{load} of {n}");
            let again = Buckets::from_buckets(Numbers::from(packed.as_slice().to_vec()), packed.homes()).unwrap();
            let homes = packed.homes();
            let keys: Vec<(u64, Flagged)> = (0..n).map(|i| (homes.key(feature(i)), i + 1)).collect();
            let grown = Buckets::with_homes(keys.len(), keys.iter().copied(), homes, FULL);
            assert!(keys.iter().all(|&(key, _)| homes.key(key) == key));
            let features: Vec<u64> = (0..2 * n).map(feature).collect();
            let kept = |i: u64| i < n && !(i + 1).is_multiple_of(4);
            for (table, is_there) in [(&packed, &kept as &dyn Fn(u64) -> bool), (&again, &kept), (&grown, &|i| i < n)] {
                let found = versions!(simd => {
                    rows_of(simd, table, &features)
                });
                let expected = |i: u64| Row(if is_there(i) { i + 1 } else { NOTHING });
                assert!(found.iter().all(|found| (0..).zip(found).all(|(i, &row)| row == expected(i))), "{n}");
            }
        }
    }

    /// All features at home in one bucket, and one bucket after the last is the first.
    #[test]
    fn overflowing_buckets_go_on_in_the_next_ones() {
        // Not in the order of their tags.
        let feature = |i: u64| (i * 37 % 211) << 33 | 0xffff_ffff;
        let numbers: Vec<(u64, Flagged)> = (1..=100).map(|i| (feature(i), i)).collect();
        let table = Buckets::new(numbers.len(), numbers.iter().copied());
        let features: Vec<u64> = (60..124).map(feature).collect();
        let found = versions!(simd => {
            rows_of(simd, &table, &features)
        });
        for found in found {
            assert!((60..124).zip(found).all(|(i, Row(found))| found == if i <= 100 { i } else { 0 }));
        }
    }
}
