//! Worked examples from the literature.

use super::*;
use treebeam::configuration::{PlainConfiguration, PlainView as _, Stacks as _};

/// Chang et al. (2015), figure 2: arc-hybrid on "Flying planes can be dangerous".
#[test]
fn learning_to_search_figure_2() {
    use Move::{Left as L, Right as R, Shift as S};
    let moves = [S, L, S, L, S, S, S, R, R, R];
    let stacks: [&[Node]; 10] =
        [&[0, 1], &[0], &[0, 2], &[0], &[0, 3], &[0, 3, 4], &[0, 3, 4, 5], &[0, 3, 4], &[0, 3], &[0]];
    let system = ArcHybrid::new(Roots::Several);
    assert_eq!(system.max_derivation_len(5), moves.len());
    let built = gold(&[2, 3, 0, 3, 4]);
    // The gold tree is chosen so that the first LEFT loses two arcs: can → Flying and Flying → planes.
    let other = gold(&[3, 1, 0, 3, 4]);
    let mut c: PlainConfiguration = system.initial((), 5);
    for (step, mv) in moves.into_iter().enumerate() {
        let permitted = system.permitted(&c, 0).moves;
        assert!(permitted.has(mv));
        assert_eq!(system.static_move(&built, &c), (0, mv));
        assert_eq!(system.costs(&built, &c, 0, permitted).get(mv), Some(0));
        assert_eq!(system.costs(&other, &c, 0, permitted).get(mv), Some(if step == 1 { 2 } else { 0 }));
        c = system.successor(&c, Action::labelled(mv, 0), ());
        assert_eq!(c.lists()[0], stacks[step]);
    }
    assert!(system.is_terminal(&c));
    assert_eq!(c.tree().heads(), [2, 3, 0, 3, 4]);
}

/// Goldberg & Nivre (2013, section 4.3): arc-standard is not arc-decomposable. With 1, 2 and 3 on the stack and the
/// gold arcs 3 → 2 and 2 → 1, one of the two is lost already; LEFT costs nothing more, and RIGHT loses the other as well.
#[test]
fn arc_standard_is_not_arc_decomposable() {
    let gold = gold(&[2, 3, 0]);
    let system = ArcStandard::new(Roots::Several);
    let mut c: PlainConfiguration = system.initial((), 3);
    for _ in 0..3 {
        c = c.shift(());
    }
    let costs = system.costs(&gold, &c, 0, system.permitted(&c, 0).moves);
    assert_eq!((costs.get(Move::Left), costs.get(Move::Right)), (Some(0), Some(1)));
}

/// Example in which the condition of Goldberg, Sartorio & Satta (2014) keeps too many words: with 1 attached to the root and the gold
/// arcs 3 → 2 → 1, it keeps 2 for its dependent 1, which is no longer there, and finds two arcs lost instead of one.
#[test]
fn arc_standard_forgets_attached_dependents() {
    let gold = gold(&[2, 3, 0]);
    let system = ArcStandard::new(Roots::Several);
    let mut c: PlainConfiguration = system.initial((), 3);
    c = c.shift(());
    let costs = system.costs(&gold, &c, 0, system.permitted(&c, 0).moves);
    assert_eq!((costs.get(Move::Shift), costs.get(Move::Right)), (Some(0), Some(1)));
}

/// With one root: 1 and 2 on the stack and the gold arcs 1 → 2 → 3. One of 1 and 2 must get its head from 3, so that
/// the arc 2 → 3 is lost along with 1 → 2.
#[test]
fn arc_eager_with_one_root() {
    let gold = gold(&[0, 1, 2]);
    for (roots, cost) in [(Roots::Several, 1), (Roots::Single, 2)] {
        let system = ArcEager::new(roots);
        let c: PlainConfiguration = system.initial((), 3);
        let c = c.shift(());
        assert_eq!(system.costs(&gold, &c, 0, system.permitted(&c, 0).moves).get(Move::Shift), Some(cost));
    }
}

/// Without a root node, arc-hybrid takes the same transitions but the first and the last.
#[test]
fn arc_hybrid_needs_no_root() {
    use treebeam::system::exhaustive::{Shape, gold_trees};
    for n_words in 1..=5 {
        for gold in gold_trees(n_words, Roots::Single, Shape::Projective, 1) {
            let rooted = ArcHybrid::new(Roots::Single);
            let rooted = Derivation::canonical::<_, PlainConfiguration>(&rooted, &gold, ()).unwrap();
            let rootless = ArcHybridRootless::new(Roots::Single);
            let rootless = Derivation::canonical::<_, PlainConfiguration>(&rootless, &gold, ()).unwrap();
            assert_eq!(rootless.actions, rooted.actions[1..2 * n_words - 1]);
            assert_eq!(rootless.tree, rooted.tree);
        }
    }
}
