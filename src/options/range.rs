//! The numbers that an option may be.

use std::any::Any;
use std::fmt::{self, Debug};

use crate::error::{Error, Result, thousands};
use crate::training::Iterations;

/// The numbers that an option may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Whole numbers from the first to the second.
    Whole(u64, u64),
    /// The same, or a word.
    WholeOr(u64, u64, &'static str),
    /// Numbers from the first to the second.
    Closed(f64, f64),
    /// Numbers from the first to below the second.
    Below(f64, f64),
    /// Numbers above the first, up to the second.
    Above(f64, f64),
    /// Numbers between the first and the second, neither of them included.
    Between(f64, f64),
}

impl Range {
    /// Refuses the value of the option `name` if it is a number out of this range.
    ///
    /// # Errors
    /// With the name, the range and the number.
    pub fn check(self, value: &dyn Any, name: &str) -> Result<()> {
        let Some((number, found)) = number_of(value).filter(|&(number, _)| !self.holds(number)) else { return Ok(()) };
        let found = if number.is_finite() { format!("{found:?}") } else { "no finite number".to_owned() };
        Err(Error::Usage(format!("--{name} must be {self}; found {found}")))
    }

    fn holds(self, number: f64) -> bool {
        match self {
            Range::Whole(least, most) | Range::WholeOr(least, most, _) => {
                number.fract() == 0.0 && number >= least as f64 && number <= most as f64
            }
            Range::Closed(least, most) => number >= least && number <= most,
            Range::Below(least, most) => number >= least && number < most,
            Range::Above(least, most) => number > least && number <= most,
            Range::Between(least, most) => number > least && number < most,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |n: u64| thousands(n as usize);
        match *self {
            Range::Whole(least, most) => write!(f, "a whole number from {} to {}", whole(least), whole(most)),
            Range::WholeOr(least, most, word) => write!(f, "{} or `{word}`", Range::Whole(least, most)),
            Range::Closed(least, most) => write!(f, "a number from {least} to {most}"),
            Range::Below(least, most) => write!(f, "a number from {least} to below {most}"),
            Range::Above(least, most) => write!(f, "a number above {least} and at most {most}"),
            Range::Between(least, most) => write!(f, "a number above {least} and below {most}"),
        }
    }
}

/// The number that `value` is, and how it is written, if it is one; of options that may be left out, the one that is given.
fn number_of(value: &dyn Any) -> Option<(f64, &dyn Debug)> {
    macro_rules! number {
        ($($number:ty),+) => {
            $(
                let number = value.downcast_ref::<$number>().or(value.downcast_ref::<Option<$number>>().and_then(Option::as_ref));
                if let Some(number) = number {
                    return Some((*number as f64, number));
                }
            )+
        };
    }
    number!(f64, i64, u64, u32, usize, u8);
    let iterations = value.downcast_ref::<Iterations>().or(value.downcast_ref::<Option<Iterations>>()?.as_ref());
    match iterations? {
        Iterations::Number(number) => Some((f64::from(*number), number)),
        Iterations::Plateau => None,
    }
}

/// Reads a number of an option with this range from the command line. Whether it is in the range is seen when all options are known.
#[cfg(feature = "cli")]
pub(crate) fn number<T: std::str::FromStr>(range: Range) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync {
    move |text| text.parse().map_err(|_| format!("expected {range}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_their_range_are_named_with_it() {
        let beam = Range::Whole(1, 1 << 20);
        for (name, range, value, expected) in [
            ("beam", beam, &Some(0i64) as &dyn Any, "--beam must be a whole number from 1 to 1,048,576; found 0"),
            ("beam", beam, &Some(-1i64), "--beam must be a whole number from 1 to 1,048,576; found -1"),
            ("beam", beam, &0usize, "--beam must be a whole number from 1 to 1,048,576; found 0"),
            ("p", Range::Closed(0.0, 1.0), &Some(1.5), "--p must be a number from 0 to 1; found 1.5"),
            ("p", Range::Below(0.0, 1.0), &1.0, "--p must be a number from 0 to below 1; found 1.0"),
            (
                "rate",
                Range::Above(0.0, 1e6),
                &Some(f64::NAN),
                "--rate must be a number above 0 and at most 1000000; found no finite number",
            ),
            ("alpha", Range::Between(0.0, 1.0), &Some(0.0), "--alpha must be a number above 0 and below 1; found 0.0"),
        ] {
            assert_eq!(range.check(value, name).unwrap_err().to_string(), expected);
        }
        for value in [&1usize as &dyn Any, &Some(1i64 << 20), &None::<i64>, &Some("word".to_owned())] {
            beam.check(value, "beam").unwrap();
        }
        Range::WholeOr(1, 9, "plateau").check(&Some(Iterations::Plateau), "iterations").unwrap();
    }
}
