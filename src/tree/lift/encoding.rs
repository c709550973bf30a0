//! Encoding of lifts in labels.

use crate::choice::choice;
use crate::tree::{LabelId, Labels};
use std::borrow::Cow;

choice! {
    /// Encoding schemes of lifts in labels (Nivre & Nilsson 2005, table 1).
    pub enum Scheme {
        /// The label of the syntactic head.
        Head = "head",
        /// The arcs on the path from the linear to the syntactic head.
        Path = "path",
        /// Both.
        HeadPath = "head+path",
    }
}

/// Marks a lifted arc; the syntactic head's label may follow.
const LIFTED: char = '↑';
/// Marks an arc over which another one was lifted.
const LIFTED_OVER: char = '↓';
/// Makes the next mark a part of the label, so that encoded labels never clash with plain ones.
const ESCAPE: char = '\\';

/// Content of an encoded label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decoded {
    /// The label of the arc itself.
    pub own: LabelId,
    /// True if the arc was lifted.
    pub lifted: bool,
    /// The label of the syntactic head, if it is known.
    pub from: Option<LabelId>,
    /// True if another arc was lifted over this one.
    pub lifted_over: bool,
}

/// The encoded label of an arc labelled `own`, lifted from a node labelled `from` if that is given.
pub(super) fn encode(own: &str, from: Option<&str>, lifted_over: bool, scheme: Scheme) -> String {
    let mut label = escape(own).into_owned();
    if let Some(from) = from {
        label.push(LIFTED);
        if scheme != Scheme::Path {
            label.push_str(&escape(from));
        }
    }
    if lifted_over && scheme != Scheme::Head {
        label.push(LIFTED_OVER);
    }
    label
}

/// The inverse of [`encode`], with the labels' names in `plain`.
pub(super) fn decode(label: &str, plain: &mut Labels) -> Decoded {
    let (mut own, mut from) = (String::new(), String::new());
    let (mut lifted, mut lifted_over) = (false, false);
    let mut chars = label.chars();
    while let Some(c) = chars.next() {
        let c = match c {
            LIFTED => {
                lifted = true;
                continue;
            }
            LIFTED_OVER => {
                lifted_over = true;
                continue;
            }
            ESCAPE => chars.next().unwrap_or(ESCAPE),
            other => other,
        };
        if lifted { from.push(c) } else { own.push(c) }
    }
    let from = (!from.is_empty()).then(|| plain.intern(&from));
    Decoded { own: plain.intern(&own), lifted, from, lifted_over }
}

fn escape(label: &str) -> Cow<'_, str> {
    let is_mark = |c| matches!(c, LIFTED | LIFTED_OVER | ESCAPE);
    if !label.contains(is_mark) {
        return Cow::Borrowed(label);
    }
    let mut escaped = String::with_capacity(label.len() + 4);
    for c in label.chars() {
        if is_mark(c) {
            escaped.push(ESCAPE);
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encoded_labels_read_well() {
        assert_eq!(encode("obl", Some("nsubj"), true, Scheme::Head), "obl↑nsubj");
        assert_eq!(encode("obl", Some("nsubj"), true, Scheme::Path), "obl↑↓");
        assert_eq!(encode("obl", Some("nsubj"), true, Scheme::HeadPath), "obl↑nsubj↓");
        assert_eq!(encode("obl", None, false, Scheme::HeadPath), "obl");
    }

    proptest! {
        #[test]
        fn decoding_inverts_encoding(
            own in "[a-c:↑↓\\\\]{1,6}",
            from in proptest::option::of("[a-c↑↓\\\\]{1,6}"),
            lifted_over: bool,
        ) {
            let label = encode(&own, from.as_deref(), lifted_over, Scheme::HeadPath);
            let mut plain = Labels::default();
            let decoded = decode(&label, &mut plain);
            prop_assert_eq!(plain.name(decoded.own), own);
            prop_assert_eq!(decoded.from.map(|id| plain.name(id)), from.as_deref());
            prop_assert_eq!(decoded.lifted, from.is_some());
            prop_assert_eq!(decoded.lifted_over, lifted_over);
        }
    }
}
