//! A hash table from keys to vector numbers that forgets everything in constant time.

/// A table of one sentence's memoised vectors.
#[derive(Debug, Clone)]
pub(crate) struct Memo {
    places: Vec<Place>,
    n: usize,
    /// Places of other generations are free.
    generation: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    key: u64,
    generation: u32,
    value: u32,
}

/// Places of a new table. PERF: in so many what a step of a wide beam looks for meets hardly anything else first. With a quarter of them
/// width 64 took 3 % more time.
const PLACES: usize = 1 << 10;

impl Default for Memo {
    fn default() -> Memo {
        Memo { places: vec![Place::default(); PLACES], n: 0, generation: 1 }
    }
}

impl Memo {
    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.n = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.places.fill(Place::default());
            self.generation = 1;
        }
    }

    /// The value of `key`; if there is none, `value` is stored for it and `None` returned.
    #[inline]
    pub fn get_or_insert(&mut self, key: u64, value: u32) -> Option<u32> {
        let places = &mut self.places[..];
        let mask = places.len() - 1;
        let mut i = key as usize & mask;
        loop {
            let place = &mut places[i];
            if place.generation != self.generation {
                *place = Place { key, generation: self.generation, value };
                break;
            }
            if place.key == key {
                return Some(place.value);
            }
            i = (i + 1) & mask;
        }
        self.n += 1;
        if self.n * 2 >= self.places.len() {
            self.grow();
        }
        None
    }

    /// The value of `key`, if there is one.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u32> {
        let mask = self.places.len() - 1;
        let mut i = key as usize & mask;
        loop {
            let place = &self.places[i];
            if place.generation != self.generation {
                return None;
            }
            if place.key == key {
                return Some(place.value);
            }
            i = (i + 1) & mask;
        }
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.n
    }

    #[cold]
    fn grow(&mut self) {
        let doubled = vec![Place::default(); self.places.len() * 2];
        let old = std::mem::replace(&mut self.places, doubled);
        let mask = self.places.len() - 1;
        for place in old.into_iter().filter(|place| place.generation == self.generation) {
            let mut i = place.key as usize;
            while self.places[i & mask].generation == self.generation {
                i += 1;
            }
            self.places[i & mask] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_until_cleared() {
        let mut memo = Memo::default();
        for round in 0..3 {
            for key in 0..4000u64 {
                assert_eq!(memo.get_or_insert(key.wrapping_mul(0x9e37_79b9_7f4a_7c15), key as u32 + round), None);
            }
            for key in 0..4000u64 {
                let key_of = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                assert_eq!(memo.get_or_insert(key_of, 0), Some(key as u32 + round));
                assert_eq!((memo.get(key_of), memo.get(!key_of)), (Some(key as u32 + round), None));
            }
            memo.clear();
        }
    }
}
