//! The answer in some ten sentences, each of them with the results that it is from: who wins, by how much, where not, at what
//! cost, what the papers' tables say, what remains open.

use super::Experiment;
use super::answer::{documents, main_answer};
use crate::report::answer::{Answer, FOR_SIGNS};
use crate::report::document::{Document, Verdict};

/// A sentence of the answer, or two, in Markdown.
pub(super) struct Conclusion<'a> {
    pub text: String,
    /// What it is from.
    pub from: Vec<&'a Document>,
}

impl<'a> Conclusion<'a> {
    fn new(text: String, from: &'a Document) -> Conclusion<'a> {
        Conclusion { text, from: vec![from] }
    }
}

/// The answer, its headline first; none unless some experiment answers the question.
pub(super) fn conclusions(experiments: &[Experiment]) -> Vec<Conclusion<'_>> {
    let Some((document, answer)) = main_answer(experiments) else { return Vec::new() };
    let so_where = answer.over_treebanks().unwrap_or_else(|| answer.where_it_holds());
    let of_answer = [Some(answer.headline.clone()), Some(so_where), answer.cost()].into_iter().flatten();
    let mut all: Vec<Conclusion> = of_answer.map(|text| Conclusion::new(text, document)).collect();
    all.extend(on_more_systems(experiments, document, answer));
    let firsts = || experiments.iter().map(|experiment| &experiment.profiles[0]);
    all.extend(firsts().flat_map(|d| d.comparisons.iter().map(move |text| Conclusion::new(text.clone(), d))));
    all.extend(of_papers(&firsts().collect::<Vec<_>>()));
    all.extend(open(experiments));
    all
}

/// What an experiment says that has more systems than the main one.
fn on_more_systems<'a>(experiments: &'a [Experiment], main: &Document, answer: &Answer) -> Option<Conclusion<'a>> {
    let others = documents(experiments).into_iter().filter(|(document, other)| {
        let is_fair = other.explores && other.are_systems && other.metric == answer.metric;
        document.name != main.name && is_fair && other.settings.len() > answer.settings.len()
    });
    // Of equals the first.
    let most = others.reduce(|most, other| if other.1.settings.len() > most.1.settings.len() { other } else { most });
    most.map(|(document, other)| Conclusion::new(format!("{} {}", other.headline, other.where_it_holds()), document))
}

/// How many of the papers' tables are reproduced.
fn of_papers<'a>(documents: &[&'a Document]) -> Option<Conclusion<'a>> {
    let judged: Vec<(&Document, Verdict)> = documents.iter().filter_map(|d| Some((*d, d.verdict?))).collect();
    let so_many = |wanted: Verdict| {
        let of_verdict = judged.iter().filter(|(_, verdict)| *verdict == wanted).map(|(d, _)| format!("`{}`", d.name));
        let names: Vec<String> = of_verdict.collect();
        let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        format!("{}{named}", names.len())
    };
    (!judged.is_empty()).then(|| Conclusion {
        text: format!(
            "**The papers:** of {} tables with figures of a paper beside ours, {} have every difference the paper's way and significant \
             over treebanks, {} some of them, {} none.",
            judged.len(),
            so_many(Verdict::Reproduced),
            so_many(Verdict::InPart),
            so_many(Verdict::Not)
        ),
        from: judged.iter().map(|(document, _)| *document).collect(),
    })
}

/// What the results cannot say, counted.
fn open(experiments: &[Experiment]) -> Option<Conclusion<'static>> {
    let firsts = experiments.iter().map(|experiment| &experiment.profiles[0]);
    let run: Vec<(&Document, _)> = firsts.filter_map(|d| Some((d, d.progress.as_ref()?))).collect();
    let count = |is: &dyn Fn(&Document) -> bool| run.iter().filter(|(d, _)| is(d)).count();
    let of_progress = |is: &dyn Fn(usize, usize) -> bool| {
        run.iter().filter(|(_, progress)| is(progress.treebanks, progress.seeds)).count()
    };
    let n = run.len();
    (n > 0).then(|| Conclusion {
        text: format!(
            "**What remains open:** of {n} experiments {} stand as a small version only, {} have one seed, {} fewer than {FOR_SIGNS} \
             treebanks, and {} lack some of their trainings; what those would say of other seeds, languages and sizes is not known.",
            count(&|document| document.profile != "full"),
            of_progress(&|_, seeds| seeds == 1),
            of_progress(&|treebanks, _| (1..FOR_SIGNS).contains(&treebanks)),
            run.iter().filter(|(_, progress)| progress.done < progress.cells).count(),
        ),
        from: Vec::new(),
    })
}
