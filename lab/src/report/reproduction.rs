//! What a paper reports beside what came out here: how many of its differences point the same way, and which do not.

use super::answer::FOR_SIGNS;
use super::directions::{Direction, Found};
use super::document::{Reproduction, Verdict};

/// The most comparisons that are named where they point the other way, and where they are not significant.
const MOST_EXCEPTIONS: usize = 3;

impl Found<'_> {
    fn verdict(&self) -> Verdict {
        match (self.same_way.len(), self.surely.len()) {
            (0, _) => Verdict::Not,
            (_, surely) if surely == self.all.len() => Verdict::Reproduced,
            _ => Verdict::InPart,
        }
    }

    /// Whether the sign test cannot be significant, whatever the differences are.
    fn has_too_few_treebanks(&self) -> bool {
        self.n_treebanks < FOR_SIGNS
    }

    /// How many are significant, in words.
    fn so_many_surely(&self) -> String {
        if self.surely.is_empty() { "none".to_owned() } else { self.surely.len().to_string() }
    }
}

/// How much of what a paper reports is found here, and what is not; none without figures of a paper.
pub fn reproduction(directions: &[Direction], differs: &str) -> Option<Reproduction> {
    let found = Found::new(directions)?;
    // What cannot be significant on so few treebanks is no exception.
    let (surely, unsure) = match found.n_treebanks {
        _ if found.same_way.is_empty() => (String::new(), Vec::new()),
        n if found.has_too_few_treebanks() => (format!("; {n} treebanks are too few for significance"), Vec::new()),
        _ => {
            let unsure = found.same_way.iter().copied().filter(|d| !d.is_significant()).collect();
            (format!(", {} significantly", found.so_many_surely()), unsure)
        }
    };
    let is_only_column = directions.iter().all(|d| d.column == directions[0].column);
    let otherwise = [("the other way", found.other_way.clone()), ("not significant", unsure)];
    let otherwise = otherwise.into_iter().filter_map(|(what, of_it)| exceptions(what, of_it, is_only_column)).collect();
    let held = format!("{} of {}{surely}", found.same_way.len(), found.all.len());
    Some(Reproduction { verdict: found.verdict(), held, otherwise, differs: differs.trim().to_owned() })
}

/// The comparisons that are not as a paper has them: those named that are furthest from it.
fn exceptions(what: &str, mut directions: Vec<&Direction>, is_only_column: bool) -> Option<String> {
    let theirs = |d: &Direction| d.paper.as_ref().map_or(0.0, |paper| paper.mean);
    let distance = |d: &Direction| (d.mean() - theirs(d)).abs();
    directions.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let n = directions.len();
    let clause = |d: &&Direction| {
        let (name, row) = (d.metric.name(), &d.method.label);
        let ours = format!("{:+.2}, higher on {} of {}", d.mean(), d.n_higher(), d.ours.len());
        let place = if is_only_column { String::new() } else { format!("{}, ", d.column) };
        format!("{place}`{row}` over `{}` {name} {ours} (paper {:+.2})", d.against, theirs(d))
    };
    let mut clauses: Vec<String> = directions.iter().take(MOST_EXCEPTIONS).map(clause).collect();
    clauses.extend((n > MOST_EXCEPTIONS).then(|| format!("and {} more", n - MOST_EXCEPTIONS)));
    (n > 0).then(|| format!("{what}: {}", clauses.join("; ")))
}

/// Whether what a paper found is found here, in a sentence.
pub fn of_paper(directions: &[Direction]) -> Option<String> {
    let found = Found::new(directions)?;
    let verdict = found.verdict().name();
    let (n, n_surely) = (found.all.len(), found.surely.len());
    // They may all be of one row, while the paper's claim is about others. Of one or two this says nothing.
    let is_of = |row: &str, d: &Direction| d.method.row == row || d.against == row;
    let first = found.surely.first().filter(|_| n_surely > 2);
    let of_one = first
        .into_iter()
        .flat_map(|first| [&first.method.row, &first.against])
        .find(|row| found.surely.iter().all(|d| is_of(row, d)) && found.all.iter().any(|d| !is_of(row, d)));
    let of_one = of_one.map_or_else(String::new, |row| format!(", all of these in comparison with `{row}`"));
    let too_few = match found.n_treebanks {
        n if found.has_too_few_treebanks() => format!(", which {n} are too few for"),
        _ => String::new(),
    };
    let how_many = found.so_many_surely();
    Some(match (n, found.same_way.len()) {
        (1, n_held) => {
            let holds = if n_held == 1 { "points the same way here" } else { "points the other way here" };
            let sure = if n_surely == 1 { "significant" } else { "not significant" };
            format!(
                "**{verdict}:** the paper's one difference {holds}, {sure} by the sign test over treebanks{too_few}."
            )
        }
        (n, 0) => format!(
            "**{verdict}:** of {n} differences that the paper reports, none points the same way here in the mean over treebanks."
        ),
        (n, n_held) => format!(
            "**{verdict}:** of {n} differences that the paper reports, {n_held} point the same way here in the mean over treebanks, \
             {how_many} of them significantly by the sign test over treebanks{too_few}{of_one}."
        ),
    })
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
        assert_eq!(verdict(&[surely.clone(), otherwise(1.0)]), Some(Verdict::Reproduced));
        assert_eq!(verdict(&[surely.clone(), otherwise(-1.0)]), Some(Verdict::InPart));
        assert_eq!(
            verdict(&[surely, gains("dynamic", "other", 2)]),
            Some(Verdict::InPart),
            "two treebanks are too few"
        );
        assert_eq!(verdict(&[otherwise(-1.0)]), Some(Verdict::Not));
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
        let told = reproduction(&ten, " Other data.\n").unwrap();
        assert_eq!(told.held, "1 of 3, 1 significantly");
        assert_eq!(
            told.otherwise,
            ["the other way: `c` over `static` UAS +1.00, higher on 10 of 10 (paper -2.00); \
              `b` over `static` UAS +1.00, higher on 10 of 10 (paper -0.50)"]
        );
        assert_eq!(told.differs, "Other data.");
        let mut elsewhere = paper("d", 10, -1.0);
        elsewhere.column = "others".to_owned();
        let told = reproduction(&[ten[0].clone(), elsewhere, paper("e", 10, 0.0)], "").unwrap();
        assert_eq!(told.held, "1 of 2, 1 significantly", "where the paper has no difference there is none to be found");
        assert!(told.otherwise[0].starts_with("the other way: others, `d` over `static` UAS"), "{told:?}");
        let mut unsure = paper("a", 6, 1.0);
        unsure.ours[0].1.points = -1.0;
        let many: Vec<Direction> = std::iter::repeat_n(unsure, 5).collect();
        let told = reproduction(&many, "").unwrap();
        assert_eq!(told.held, "5 of 5, none significantly");
        assert!(told.otherwise[0].starts_with("not significant: ") && told.otherwise[0].ends_with("; and 2 more"));
        let few = reproduction(&[paper("a", 3, 1.0)], "").unwrap();
        assert_eq!((few.held.as_str(), few.otherwise.len()), ("1 of 1; 3 treebanks are too few for significance", 0));
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
