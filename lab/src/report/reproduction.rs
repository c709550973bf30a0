//! Differences that a paper reports beside what came out here: how many point the same way, and which do not.

use minijinja::Value;

use super::directions::{Direction, Found};
use super::document::{Reproduction, ReproductionVerdict};
use super::templates::{sentences, view};

impl Found<'_> {
    fn verdict(&self) -> ReproductionVerdict {
        match (self.same_way.len(), self.surely.len()) {
            (0, _) => ReproductionVerdict::Not,
            (_, surely) if surely == self.all.len() => ReproductionVerdict::Reproduced,
            _ => ReproductionVerdict::InPart,
        }
    }

    fn view(&self) -> Value {
        let [n, same_way, surely] = [&self.all, &self.same_way, &self.surely].map(Vec::len);
        view! { n, same_way, surely, n_treebanks => self.n_treebanks }
    }
}

/// Reproduction of the differences that a paper reports; none without figures of a paper.
pub fn reproduction(directions: &[Direction], differs: &str) -> Option<Reproduction> {
    let found = Found::new(directions)?;
    let unsure = found.same_way.iter().copied().filter(|d| !d.is_significant()).collect();
    let view = view! {
        found => found.view(),
        other_way => furthest_first(found.other_way.clone()),
        unsure => furthest_first(unsure),
        several_columns => directions.iter().any(|d| d.column != directions[0].column),
    };
    let mut sentences = sentences("reproduction.jinja", view).into_iter();
    Some(Reproduction {
        verdict: found.verdict(),
        found: sentences.next().unwrap_or_default(),
        otherwise: sentences.collect(),
        differs: differs.trim().to_owned(),
    })
}

/// Those first that are furthest from the paper.
fn furthest_first(mut directions: Vec<&Direction>) -> Vec<Value> {
    let distance = |d: &Direction| (d.mean() - d.paper.as_ref().map_or(0.0, |paper| paper.mean)).abs();
    directions.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    directions.into_iter().map(Direction::view).collect()
}

/// Verdict on what a paper found, in a sentence.
pub fn of_paper(directions: &[Direction]) -> Option<String> {
    let found = Found::new(directions)?;
    // They may all be of one row, while the paper's claim is about others. Of one or two this says nothing.
    let is_of = |row: &str, d: &Direction| d.method.row == row || d.against == row;
    let first = found.surely.first().filter(|_| found.surely.len() > 2);
    let of_one = first
        .into_iter()
        .flat_map(|first| [&first.method.row, &first.against])
        .find(|row| found.surely.iter().all(|d| is_of(row, d)) && found.all.iter().any(|d| !is_of(row, d)));
    let view = view! { of_one, found => found.view(), verdict => found.verdict().name() };
    sentences("paper.jinja", view).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::directions::Theirs;
    use crate::report::summary::{Difference, Method};
    use treebeam::eval::Metric;

    /// A method that gains a point against a row on so many treebanks, as it does in the paper.
    fn gains(row: &str, against: &str, n_treebanks: usize) -> Direction {
        let gain = |number| (format!("t{number}"), Difference { points: 1.0, p: 0.01 });
        let gains = (0..n_treebanks).map(|number| (format!("t{number}"), 1.0)).collect();
        Direction {
            column: "all".to_owned(),
            method: Method { row: row.to_owned(), width: 1, label: row.to_owned() },
            against: against.to_owned(),
            metric: Metric::Uas,
            ours: (0..n_treebanks).map(gain).collect(),
            paper: Some(Theirs { gains, mean: 1.0 }),
        }
    }

    #[test]
    fn a_table_is_reproduced_only_if_all_of_it_is() {
        let surely = gains("dynamic", "static", 10);
        let otherwise = |sign: f64| {
            let mut direction = gains("dynamic", "other", 10);
            direction.paper.as_mut().unwrap().mean = sign;
            direction
        };
        let verdict = |directions: &[Direction]| Found::new(directions).map(|found| found.verdict());
        assert_eq!(verdict(&[]), None);
        assert_eq!(verdict(&[surely.clone(), otherwise(1.0)]), Some(ReproductionVerdict::Reproduced));
        assert_eq!(verdict(&[surely.clone(), otherwise(-1.0)]), Some(ReproductionVerdict::InPart));
        assert_eq!(
            verdict(&[surely, gains("dynamic", "other", 2)]),
            Some(ReproductionVerdict::InPart),
            "two treebanks are too few"
        );
        assert_eq!(verdict(&[otherwise(-1.0)]), Some(ReproductionVerdict::Not));
        assert!(
            of_paper(&[otherwise(-1.0)])
                .unwrap()
                .starts_with("**Not reproduced:** the paper's one difference points the other")
        );
    }

    #[test]
    fn what_is_not_as_in_the_paper_is_named_the_furthest_first() {
        let paper = |row: &str, n_treebanks: usize, mean: f64| {
            let mut direction = gains(row, "static", n_treebanks);
            direction.paper.as_mut().unwrap().mean = mean;
            direction
        };
        let ten = [paper("a", 10, 1.0), paper("b", 10, -0.5), paper("c", 10, -2.0)];
        let reproduced = reproduction(&ten, " Other data.\n").unwrap();
        assert_eq!(reproduced.found, "1 of 3, 1 significantly");
        assert_eq!(
            reproduced.otherwise,
            ["the other way: `c` over `static` UAS +1.00, higher on 10 of 10 (paper -2.00); \
              `b` over `static` UAS +1.00, higher on 10 of 10 (paper -0.50)"]
        );
        assert_eq!(reproduced.differs, "Other data.");
        let mut elsewhere = paper("d", 10, -1.0);
        elsewhere.column = "others".to_owned();
        let reproduced = reproduction(&[ten[0].clone(), elsewhere, paper("e", 10, 0.0)], "").unwrap();
        assert_eq!(
            reproduced.found, "1 of 2, 1 significantly",
            "where the paper has no difference there is none to be found"
        );
        assert!(reproduced.otherwise[0].starts_with("the other way: others, `d` over `static` UAS"), "{reproduced:?}");
        let mut unsure = paper("a", 6, 1.0);
        unsure.ours[0].1.points = -1.0;
        let many: Vec<Direction> = std::iter::repeat_n(unsure, 5).collect();
        let reproduced = reproduction(&many, "").unwrap();
        assert_eq!(reproduced.found, "5 of 5, none significantly");
        assert!(
            reproduced.otherwise[0].starts_with("not significant: ")
                && reproduced.otherwise[0].ends_with("; and 2 more")
        );
        let few = reproduction(&[paper("a", 3, 1.0)], "").unwrap();
        assert_eq!((few.found.as_str(), few.otherwise.len()), ("1 of 1; 3 treebanks are too few for significance", 0));
        assert_eq!(reproduction(&[], "Other data."), None);
    }

    #[test]
    fn differences_that_are_all_from_one_row_are_said_to_be() {
        // Two treebanks that agree are not significant, ten are.
        let own = gains("dynamic", "monotonic", 2);
        let of_static = ["dynamic", "monotonic", "upper"].map(|row| gains(row, "static", 10));
        let said = of_paper(&[&of_static[..], std::slice::from_ref(&own)].concat()).unwrap();
        assert!(
            said.starts_with("**Reproduced in part:** of 4 differences") && said.contains(", 3 of them significantly"),
            "{said}"
        );
        assert!(said.ends_with(", all of these in comparison with `static`."), "{said}");
        let others = [gains("dynamic", "monotonic", 10)];
        for of_several in [[&of_static[..], &others].concat(), [&of_static[..2], std::slice::from_ref(&own)].concat()] {
            assert!(of_paper(&of_several).unwrap().ends_with("by the sign test over treebanks."));
        }
        assert!(of_paper(&[own]).unwrap().contains("over treebanks, which 2 are too few for."));
    }
}
