//! The answer in some ten sentences, each of them with the results that it is from: who wins, by how much, where not, at what
//! cost, what the papers' tables say, what remains open.

use serde::Serialize;

use super::Experiment;
use super::answer::{documents, main_answer};
use super::papers::papers;
use crate::report::answer::{Answer, FOR_SIGNS};
use crate::report::document::{Document, Progress, Reproduction, ReproductionVerdict};
use crate::report::templates::{sentences, view};

/// A sentence of the answer, in Markdown.
#[derive(Serialize)]
pub(super) struct Conclusion<'a> {
    pub text: String,
    /// Names and profiles of the documents that it is from.
    from: Vec<(&'a str, &'a str)>,
}

impl<'a> Conclusion<'a> {
    fn new(text: String, from: &[&'a Document]) -> Conclusion<'a> {
        Conclusion { text, from: from.iter().map(|document| (&*document.name, &*document.profile)).collect() }
    }
}

/// The answer, its headline first; none unless some experiment answers the question.
pub(super) fn conclusions(experiments: &[Experiment]) -> Vec<Conclusion<'_>> {
    let Some((document, answer)) = main_answer(experiments) else { return Vec::new() };
    let of = |part: &str| sentences("conclusions.jinja", view! { part, a => answer.view() });
    let of_answer = [vec![answer.headline.clone()], of("where"), of("cost")].into_iter().flatten();
    let mut all: Vec<Conclusion> = of_answer.map(|text| Conclusion::new(text, &[document])).collect();
    all.extend(on_other_data(experiments, document));
    all.extend(on_more_systems(experiments, document, answer));
    let firsts = experiments.iter().map(|experiment| &experiment.profiles[0]);
    let firsts = firsts.filter(|d| d.progress.as_ref().is_some_and(|progress| progress.treebanks >= FOR_SIGNS));
    all.extend(firsts.flat_map(|d| d.comparisons.iter().map(move |text| Conclusion::new(text.clone(), &[d]))));
    all.extend(of_papers(&papers(experiments)));
    all.extend(open(experiments));
    all
}

/// Conclusions of the main experiment's profiles on other data.
fn on_other_data<'a>(experiments: &'a [Experiment], main: &'a Document) -> impl Iterator<Item = Conclusion<'a>> {
    let own = experiments.iter().filter(|experiment| experiment.name == main.name);
    own.flat_map(Experiment::other_data).filter_map(|document| {
        let (profile, a) = (&document.profile, document.answer.as_ref()?.view());
        let train_sentences = document.progress.as_ref().map(|progress| &progress.sentences);
        let text = sentences("conclusions.jinja", view! { part => "data", profile, train_sentences, a }).pop()?;
        Some(Conclusion::new(text, &[document]))
    })
}

/// Conclusion of an experiment that has more systems than the main one.
fn on_more_systems<'a>(experiments: &'a [Experiment], main: &Document, answer: &Answer) -> Option<Conclusion<'a>> {
    let others = documents(experiments).into_iter().filter(|(document, other)| {
        let is_fair = other.explores && other.are_systems && other.metric == answer.metric;
        document.name != main.name && is_fair && other.settings.len() > answer.settings.len()
    });
    // The first of equals.
    let most = others.reduce(|most, other| if other.1.settings.len() > most.1.settings.len() { other } else { most });
    let (document, other) = most?;
    let text = sentences("conclusions.jinja", view! { part => "systems", a => other.view() }).pop()?;
    Some(Conclusion::new(text, &[document]))
}

/// The number of the papers' tables that are reproduced.
fn of_papers<'a>(judged: &[(&'a Document, &Reproduction)]) -> Option<Conclusion<'a>> {
    let of_verdict =
        |wanted: ReproductionVerdict| judged.iter().filter(move |(_, paper)| paper.verdict == wanted).map(|(d, _)| *d);
    let names = |wanted: ReproductionVerdict| of_verdict(wanted).map(|document| &document.name).collect::<Vec<_>>();
    let view = view! {
        part => "papers",
        n => judged.len(),
        reproduced => names(ReproductionVerdict::Reproduced),
        in_part => names(ReproductionVerdict::InPart),
        not_reproduced => names(ReproductionVerdict::Not),
    };
    let from = [ReproductionVerdict::Reproduced, ReproductionVerdict::InPart, ReproductionVerdict::Not]
        .into_iter()
        .flat_map(of_verdict)
        .collect::<Vec<_>>();
    let text = sentences("conclusions.jinja", view).pop()?;
    (!judged.is_empty()).then(|| Conclusion::new(text, &from))
}

/// Gaps of the results, counted.
fn open(experiments: &[Experiment]) -> Option<Conclusion<'_>> {
    let firsts = experiments.iter().map(|experiment| &experiment.profiles[0]);
    let run: Vec<(&Document, &Progress)> = firsts.filter_map(|d| Some((d, d.progress.as_ref()?))).collect();
    let those = |is: &dyn Fn(&Document, &Progress) -> bool| -> Vec<&Document> {
        run.iter().filter(|(document, progress)| is(document, progress)).map(|(document, _)| *document).collect()
    };
    let small = those(&|document, _| document.profile != "full").len();
    let one_seed = those(&|_, progress| progress.seeds == 1).len();
    let few_treebanks = those(&|_, progress| (1..FOR_SIGNS).contains(&progress.treebanks)).len();
    let unfinished = those(&|_, progress| progress.done < progress.cells);
    let n = run.len();
    let view = view! { part => "open", small, n, one_seed, few_treebanks, unfinished => unfinished.len() };
    let text = sentences("conclusions.jinja", view).pop()?;
    (n > 0).then(|| Conclusion::new(text, &unfinished))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Tags;
    use crate::report::answer::{Chosen, Setting};
    use crate::report::page::{Base, Report};
    use treebeam::eval::Gain;

    /// An experiment of `n_systems` on `n_treebanks`, where global training gains a point with all of them.
    fn answering(name: &str, n_systems: usize, n_treebanks: usize) -> Document {
        let gain = Gain { points: 1.0, low: 0.5, high: 1.5, p: 0.001 };
        let chosen = |label: &str, test| Chosen { label: label.to_owned(), dev: test, test };
        let setting = |number: usize| Setting {
            name: format!("system {number}"),
            greedy: chosen("greedy", 80.0),
            global: chosen("global", 81.0),
            gain,
            n_ahead: (n_treebanks, 0),
            same_beam: None,
            parsing_time: Some(2.0),
            training_time: Some(3.0),
        };
        let answer = Answer {
            metric: "LAS".to_owned(),
            treebanks: (0..n_treebanks).map(|number| format!("t{number}")).collect(),
            settings: (0..n_systems).map(setting).collect(),
            are_systems: true,
            n_systems,
            explores: true,
            seeds: 1,
            overall: gain,
            n_meant: n_systems,
            tags: Tags::Gold,
            other_tags: Vec::new(),
            mixed: None,
            in_same_beam: None,
            headline: format!("**Global is ahead** in {name}."),
            reading: vec!["Only here.".to_owned()],
        };
        let progress =
            Progress { done: 4, cells: 5, treebanks: n_treebanks, seeds: 1 + n_systems % 2, ..Progress::default() };
        Document {
            name: name.to_owned(),
            profile: "quick".to_owned(),
            title: format!("All of {name}"),
            answer: Some(answer),
            progress: Some(progress),
            ..Document::default()
        }
    }

    #[test]
    fn the_answer_is_that_of_a_study_with_a_protocol() {
        let whole = Document { profile: "full".to_owned(), ..answering("whole", 3, 19) };
        let study = Document { has_protocol: true, ..answering("study", 3, 6) };
        let first = |documents: Vec<Document>| {
            let index = Report::new(documents).unwrap().index(&[]);
            index.lines().find(|line| line.starts_with("1. ")).unwrap().to_owned()
        };
        assert!(first(vec![whole.clone(), answering("small", 3, 6)]).contains("in whole."));
        assert!(first(vec![whole, study]).contains("in study."));
    }

    #[test]
    fn the_answer_stands_in_numbered_sentences_that_link_to_their_results() {
        let mut main = answering("many-treebanks", 3, 19);
        main.comparisons.push("A beam is ahead of none.".to_owned());
        let mut other = Document { profile: "whole".to_owned(), ..answering("many-treebanks", 3, 19) };
        other.answer.as_mut().unwrap().headline = "**Global is further ahead**.".to_owned();
        other.progress.as_mut().unwrap().sentences = "860 to 12544".to_owned();
        // It has fewer treebanks, and more pairs of models.
        let mut wide = answering("many-systems", 15, 5);
        wide.comparisons.push("Too few treebanks to say.".to_owned());
        let paper = |name: &str, verdict| Document {
            name: name.to_owned(),
            profile: "full".to_owned(),
            reproduction: Some(Reproduction {
                verdict,
                found: "1 of 2".to_owned(),
                otherwise: vec!["the other way: a | b".to_owned()],
                differs: "Other data.".to_owned(),
            }),
            findings: vec!["Said above.".to_owned(), "Said here.".to_owned()],
            ..Document::default()
        };
        let papers = [paper("table-a", ReproductionVerdict::Not), paper("table-b", ReproductionVerdict::Reproduced)];
        let report = Report::new([vec![main, other, wide], papers.into()].concat()).unwrap();
        let index = report.index(&[]);
        let lines: Vec<&str> = index.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
        let expected = [
            "1. **Global is ahead** in many-treebanks. ([many-treebanks](many-treebanks/quick.md))",
            "2. Counted by treebank (sign test, Holm-corrected), global training is ahead with system 0 on 19 of 19, behind on 0 (p < 0.001); ",
            "3. **What it costs:** parsing takes 2.0 times as long, training 3.0 times as long; medians over systems. (",
            "4. **On other data (`whole`, 860 to 12544 training sentences a treebank):** global is further ahead. ([many-treebanks](many-treebanks/whole.md))",
            "5. **On more systems:** global is ahead in many-systems. ([many-systems](many-systems/quick.md))",
            "6. A beam is ahead of none. ([many-treebanks](many-treebanks/quick.md))",
            "7. **The papers:** of 2 tables with figures of a paper beside ours, 1 (`table-b`) have every difference",
            "8. **What remains open:** 2 of 2 experiments exist only as a small version; with one seed: 0; with fewer than 6 treebanks: 1; with trainings missing: 2; what other",
        ];
        assert_eq!(lines.len(), expected.len(), "{index}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{line}");
        }
        assert!(
            lines[6].contains(
                "0 some of them, 1 (`table-a`) none. ([table-b](table-b/full.md), [table-a](table-a/full.md))"
            )
        );
        assert!(index.contains(
            "| [All of many-systems](many-systems/quick.md) | quick, 4 of 5 cells | 5 | 2 | +1.00 (+0.50 to +1.50) |"
        ));
        assert!(index.contains("| full | – | – | 1 of 2 |"), "{index}");
        let page = report.page(&Base::same_folder()).unwrap();
        assert!(page.contains("id=\"papers\"") && page.contains("Other data."));
        assert!(page.contains("<ol class=\"conclusions\">"));
        assert!(
            page.contains("<a href=\"#many-systems\">many-systems</a>"),
            "in the picture of other experiments, too"
        );
        let nothing = Report::new(vec![paper("table-a", ReproductionVerdict::Not)]).unwrap();
        assert!(!nothing.index(&[]).contains("\n1. "), "no answer, no sentences");
    }

    #[test]
    fn every_setting_has_its_line_in_the_picture() {
        let svg = crate::report::answer_svg(&answering("x", 3, 6).answer.unwrap(), "made by x").unwrap();
        for expected in ["system 0", "system 2", "mean of 3 systems", "+1.00", "× 2.0", "× 3.0", "made by x"] {
            assert!(svg.contains(expected), "{expected}: {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 4);
    }
}
