//! Two rows beside each other, in a sentence: which of them is ahead, by how much, how sure that is, and on how many treebanks.
//!
//! Names of the two come from the specification, the one that is ahead from the records, so that the sentence is true of
//! whatever data the experiment was run on.

use super::directions::sign_test;
use super::paired::pairs_of;
use super::summary::Summary;
use super::templates::{sentences, view};
use crate::experiment::ComparisonSpec;
use treebeam::eval::Pairs;

/// The comparisons that the specification asks for, as far as they have been run, a sentence each.
pub fn comparisons(summary: &Summary) -> Vec<String> {
    summary.plan.spec.comparisons.iter().filter_map(|comparison| sentence(summary, comparison)).collect()
}

/// The sentence; none unless every treebank has both rows in every column that is meant.
fn sentence(summary: &Summary, comparison: &ComparisonSpec) -> Option<String> {
    let metric = summary.main_metric();
    let ComparisonSpec { what, row, width, than, against, against_width, columns } = comparison;
    let all = summary.columns();
    let is_meant =
        |column: &&String| columns.as_ref().is_none_or(|names| names.iter().any(|name| name.get_ref() == *column));
    let columns: Vec<&String> = all.filter(is_meant).collect();
    let of_column = |column: &&String| {
        let ours = summary.method_at(column, row.get_ref(), *width)?;
        let theirs = summary.method_at(column, against.get_ref(), *against_width)?;
        pairs_of(summary, column, &ours, &theirs, metric)
    };
    let pairs = columns.iter().map(of_column).collect::<Option<Vec<Pairs>>>()?;
    let mean = Pairs::mean(&pairs)?;
    let signs = mean.signs();
    let columns: Vec<(&String, f64)> = columns.into_iter().zip(pairs.iter().map(Pairs::points)).collect();
    let view = view! {
        what, than, columns,
        higher => signs.0,
        metric => metric.name(),
        gain => mean.gain(),
        treebanks => summary.treebanks(),
        p_of_signs => sign_test(signs),
    };
    sentences("comparison.jinja", view).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Plan;
    use crate::experiment::testing::{SPEC, plan, spec_of, store_of};

    const COMPARISON: &str = "[[comparison]]\nwhat = \"a beam of 4\"\nrow = \"global\"\nwidth = 4\nthan = \"exploration\"\n\
                              against = \"dynamic\"\n";

    /// Sentences where `wrong` gives the number of wrong labelled words of each sentence, by row and width.
    fn said(wrong: impl Fn(&str, usize, usize) -> u64, comparison: &str) -> Vec<String> {
        let mut plan: Plan = plan();
        plan.spec = spec_of(&SPEC.replace("[table]", &format!("{comparison}[table]")));
        let store = store_of(&plan.cells, |cell, record| {
            for decoding in &mut record.decodings {
                let width = decoding.width;
                let labelled = &mut decoding.errors.with_punctuation.labelled;
                labelled.iter_mut().enumerate().for_each(|(i, errors)| *errors = wrong(&cell.row, width, i));
            }
        });
        comparisons(&Summary::new(&plan, &store, false))
    }

    #[test]
    fn which_is_ahead_comes_from_the_records() {
        let better = |row: &str, width: usize, _: usize| if (row, width) == ("global", 4) { 1 } else { 2 };
        let ahead = said(better, COMPARISON);
        assert_eq!(ahead.len(), 1);
        assert!(
            ahead[0].starts_with("A beam of 4 is ") && ahead[0].contains("of LAS ahead of exploration"),
            "{ahead:?}"
        );
        assert!(ahead[0].contains(" in the mean of 2 treebanks (eager +"), "{ahead:?}");
        assert!(ahead[0].ends_with("p < 0.001; ahead on 2 of 2 treebanks)."), "{ahead:?}");
        let behind = said(|row, width, i| 3 - better(row, width, i), COMPARISON);
        assert!(behind[0].contains(" behind exploration") && behind[0].contains("ahead on 0 of 2"), "{behind:?}");
        // At the first width, as no other is named, they are the same.
        let same = said(better, &COMPARISON.replace("width = 4\n", ""));
        assert!(
            same[0].starts_with(
                "A beam of 4 differs from exploration by +0.00 points of LAS, which is not significant, in"
            ),
            "{same:?}"
        );
        let one = said(better, &format!("{COMPARISON}columns = [\"hybrid\"]\n"));
        assert!(one[0].contains("2 treebanks (95 % interval"), "{one:?}");
    }
}
