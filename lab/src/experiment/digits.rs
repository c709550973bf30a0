//! Small numbers in a row as text, one character each: `0` to `9`, then `a` to `z` for 10 to 35; what is larger stands in
//! brackets, as in `03a(57)1`. A list of JSON takes two and more characters a number, and records are mostly such numbers.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// For `#[serde(with = "digits")]`.
pub(super) fn serialize<S: Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&written(numbers))
}

/// For `#[serde(with = "digits")]`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    read(&text).ok_or_else(|| D::Error::custom("expected digits 0-9 and a-z, or larger numbers in brackets"))
}

fn written(numbers: &[u64]) -> String {
    let digit = |&number: &u64| match u32::try_from(number).ok().and_then(|n| char::from_digit(n, 36)) {
        Some(digit) => digit.to_string(),
        None => format!("({number})"),
    };
    numbers.iter().map(digit).collect()
}

fn read(mut text: &str) -> Option<Vec<u64>> {
    let mut numbers = Vec::with_capacity(text.len());
    while let Some(first) = text.chars().next() {
        if first == '(' {
            let (number, rest) = text[1..].split_once(')')?;
            numbers.push(number.parse().ok()?);
            text = rest;
        } else {
            numbers.push(u64::from(first.to_digit(36)?));
            text = &text[first.len_utf8()..];
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 9, 10, 35, 36, 523, 1];
        assert_eq!(written(&numbers), "09az(36)(523)1");
        assert_eq!(read("09az(36)(523)1").unwrap(), numbers);
        assert_eq!(read(""), Some(Vec::new()));
        for bad in ["(", "(12", "()", "(x)", "0 1", "é"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
