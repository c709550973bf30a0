//! Labels beside points: where there is room, and none where there is not.

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub(super) struct Rectangle {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rectangle {
    fn around(x: f64, y: f64, reach: f64) -> Rectangle {
        Rectangle { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }
    }

    fn meets(&self, other: &Rectangle) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, other: &Rectangle) -> bool {
        self.left <= other.left && self.top <= other.top && other.right <= self.right && other.bottom <= self.bottom
    }
}

/// Reach of a mark from its point.
const MARK: f64 = 6.0;
/// From the point to the label beside it.
const GAP: f64 = 8.0;
/// A line is taken for a chain of squares of this size.
const STEP: f64 = 3.0;
/// The width of a character, at most of the usual ones, and the height of a line.
const CHARACTER: f64 = 6.2;
const LINE: f64 = 12.0;

/// Places of texts of so many characters beside points, `None` if every place beside it is taken by a mark, another
/// label, one of `lines` or the end of `area`. Points that come first choose first.
///
/// Complexity: quadratic in the number of points; linear in the length of lines for each point.
pub(super) fn place(
    points: &[(f64, f64)],
    lengths: &[usize],
    lines: &[&[(f64, f64)]],
    area: Rectangle,
) -> Vec<Option<Rectangle>> {
    let marks = points.iter().map(|&(x, y)| Rectangle::around(x, y, MARK));
    let steps = lines.iter().flat_map(|line| line.windows(2)).flat_map(|ends| along(ends[0], ends[1]));
    let mut taken: Vec<Rectangle> = marks.chain(steps.map(|(x, y)| Rectangle::around(x, y, STEP / 2.0))).collect();
    let beside = |&(x, y): &(f64, f64), length: usize| {
        let width = length as f64 * CHARACTER;
        let (right, left, centre) = (x + GAP, x - GAP - width, x - width / 2.0);
        let (above, below, middle) = (y - MARK - LINE - 1.0, y + MARK + 1.0, y - LINE / 2.0);
        let corners = [(right, middle), (left, middle), (centre, above), (centre, below)].into_iter();
        let corners = corners.chain([(right, above), (left, above), (right, below), (left, below)]);
        corners.map(move |(left, top)| Rectangle { left, top, right: left + width, bottom: top + LINE })
    };
    let choose = |(point, &length)| {
        let free = |place: &Rectangle| area.holds(place) && !taken.iter().any(|other| other.meets(place));
        let place = (length > 0).then(|| beside(point, length).find(free)).flatten();
        taken.extend(place);
        place
    };
    points.iter().zip(lengths).map(choose).collect()
}

/// Points on the way from one to the other.
fn along(from: (f64, f64), to: (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    let n_steps = ((to.0 - from.0).hypot(to.1 - from.1) / STEP).ceil().max(1.0);
    (0..=n_steps as usize).map(move |i| {
        let share = i as f64 / n_steps;
        (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam::random::{below, stream, unit};

    const AREA: Rectangle = Rectangle { left: 0.0, top: 0.0, right: 600.0, bottom: 400.0 };

    #[test]
    fn a_lone_point_has_its_label_to_the_right_and_one_at_the_edge_to_the_left() {
        let places = place(&[(100.0, 100.0), (590.0, 200.0), (300.0, 300.0)], &[4, 4, 0], &[], AREA);
        assert_eq!(places[0].unwrap().left, 100.0 + GAP);
        assert_eq!(places[1].unwrap().right, 590.0 - GAP);
        assert_eq!(places[2], None);
    }

    #[test]
    fn labels_cover_neither_marks_nor_lines_nor_each_other() {
        for seed in 0..256 {
            let mut rng = stream(seed, "labels", &[]);
            let sizes = [1 + below(59, &mut rng), 2 + below(2, &mut rng)];
            let [points, line] =
                sizes.map(|n| (0..n).map(|_| (600.0 * unit(&mut rng), 400.0 * unit(&mut rng))).collect::<Vec<_>>());
            let lengths: Vec<usize> = points.iter().map(|_| below(20, &mut rng) as usize).collect();
            let places: Vec<Rectangle> = place(&points, &lengths, &[&line], AREA).into_iter().flatten().collect();
            for (i, label) in places.iter().enumerate() {
                assert!(AREA.holds(label), "seed {seed}");
                assert!(points.iter().all(|&(x, y)| !Rectangle::around(x, y, MARK).meets(label)), "seed {seed}");
                for ends in line.windows(2) {
                    let at = |share: f64| {
                        let along = |from: f64, to: f64| from + share * (to - from);
                        (along(ends[0].0, ends[1].0), along(ends[0].1, ends[1].1))
                    };
                    let mut steps = (0..=1000).map(|step| at(f64::from(step) / 1000.0));
                    assert!(steps.all(|(x, y)| !Rectangle::around(x, y, 0.0).meets(label)), "{line:?} {label:?}");
                }
                assert!(places[..i].iter().all(|other| !other.meets(label)), "seed {seed}");
            }
        }
    }
}
