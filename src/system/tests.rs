use super::exhaustive::{Scope, Shape, check};
use super::*;
use crate::with_system;

#[test]
fn try_out() {
    for roots in [Roots::Several, Roots::Single] {
        for shape in [Shape::Projective, Shape::NonProjective] {
            for &kind in SystemKind::ALL {
                for n_words in 1..=5 {
                    let f = with_system!(kind, roots, |system| check(
                        &system,
                        Scope { n_words, roots, shape, n_labels: 1 }
                    ));
                    println!("{kind} {roots:?} {n_words} {f:?}");
                }
            }
        }
    }
}
