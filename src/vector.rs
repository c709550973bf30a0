//! Vector instructions, chosen when the program runs.
//!
//! The compiler may use only what every processor of its kind has: on x86-64, vectors of four numbers (SSE2). So the inner
//! loops are compiled three times, and [`vectorised!`](vectorised) runs the version with vectors of sixteen (AVX-512) where the
//! processor has them, or that with vectors of eight (AVX2), as nearly all have since 2013 (Intel) and 2015 (AMD). On other kinds of
//! processors there is one version.
//!
//! All versions compute the same: scores of sparse weights are sums of integers, which do not depend on the order of addition, and
//! networks compute as [`crate::neural::kernel`] says.
//!
//! # How to write an inner loop
//!
//! A function that works on a whole batch asks once: `vectorised!(simd => work(simd, ...))`. Only what is inlined there is
//! compiled more than once, so `work` and the functions that it calls in its loops are `#[inline(always)]`. The compiler vectorises
//! plain loops by itself; where it does not, `simd` goes to the vector types of the crate `fearless_simd`.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{
    Level,
    x86::{Avx2, Avx512, Sse2},
};

/// AVX-512, if this processor has it, as far as Intel's Ice Lake and AMD's Zen 4 do. The processor is asked once; afterwards this is
/// a look at a variable.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn widest() -> Option<Avx512> {
    Level::new().as_avx512()
}

/// AVX2, if this processor has it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn wide() -> Option<Avx2> {
    Level::new().as_avx2()
}

/// Vector instructions that every processor of this kind has.
///
/// # Panics
/// Never: SSE2 belongs to x86-64.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn narrow() -> Sse2 {
    Level::baseline().as_sse2().expect("every x86-64 processor has SSE2")
}

/// `vectorised!(simd => work(simd))` runs `work` in the version for the best vector instructions that the processor has.
#[cfg(target_arch = "x86_64")]
macro_rules! vectorised {
    ($simd:ident => $work:expr) => {
        if let Some($simd) = $crate::vector::widest() {
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            )
        } else if let Some($simd) = $crate::vector::wide() {
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            )
        } else {
            let $simd = $crate::vector::narrow();
            $work
        }
    };
}

/// `vectorised!(simd => work(simd))` runs `work` with the vector instructions that all processors of this kind have.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! vectorised {
    ($simd:ident => $work:expr) => {
        fearless_simd::dispatch!(fearless_simd::Level::baseline(), $simd => $work)
    };
}

pub(crate) use vectorised;

/// Places of the ones in a number, from the lowest bit on: of a comparison's bitmask, the lanes for which it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ones(pub u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        place
    }
}

/// `versions!(simd => work(simd))` is what `work` gives in each version that this processor can run.
#[cfg(test)]
macro_rules! versions {
    ($simd:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        let given = {
            let first = {
                let $simd = $crate::vector::narrow();
                $work
            };
            let second = $crate::vector::wide().map(|$simd| fearless_simd::Simd::vectorize($simd, || $work));
            let third = $crate::vector::widest().map(|$simd| fearless_simd::Simd::vectorize($simd, || $work));
            std::iter::once(first).chain(second).chain(third).collect::<Vec<_>>()
        };
        #[cfg(not(target_arch = "x86_64"))]
        let given = vec![$crate::vector::vectorised!($simd => $work)];
        given
    }};
}

#[cfg(test)]
pub(crate) use versions;
