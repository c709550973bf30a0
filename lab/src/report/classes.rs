//! Differences of greedy and global training: by length of arc and of sentence, by label and by projectivity.

use super::answer::{ChosenModels, chosen};
use super::document::{Block, Content, Table, TableCell};
use super::summary::Summary;
use super::templates::{block, view};
use treebeam::eval::{Classes, Metric, OfClass, RightWords};

/// A kind of classes: its name, the head of its column, whether they are of predicted trees, and where they are found.
type Breakdown = (&'static str, &'static str, bool, fn(&Classes) -> &OfClass);

/// The kinds, recall before precision.
const BREAKDOWNS: [Breakdown; 6] = [
    ("by arc length", "distance to the gold head", false, |classes| &classes.arc_length),
    ("by length of the predicted arc", "predicted distance to the head", true, |classes| &classes.predicted_arc_length),
    ("by sentence length", "words of the sentence", false, |classes| &classes.sentence_length),
    ("by label", "gold label", false, |classes| &classes.label),
    ("by projectivity", "gold arc", false, |classes| &classes.projectivity),
    ("by projectivity of the predicted arc", "predicted arc", true, |classes| &classes.predicted_projectivity),
];

/// The most classes that are shown, those with the most words.
const MOST: usize = 15;

/// A table for each kind of classes, with the best greedy and the best global model of each column, chosen
/// on development data; none without records that have them.
pub fn classes(summary: &Summary, metric: Metric) -> Vec<Block> {
    let columns = summary.columns();
    let compared: Vec<(&String, [Classes; 2])> = columns
        .filter_map(|column| {
            let [ours, theirs] = chosen(summary, column, metric)?;
            Some((column, [of_side(summary, column, &theirs)?, of_side(summary, column, &ours)?]))
        })
        .collect();
    let of_kind = |(by, head, predicted, of): Breakdown| -> Option<Block> {
        let metric_name = metric.name();
        // Two systems have as many words in a class of gold trees, and others in one of their own.
        let words = if predicted { "words, greedy and global" } else { "words" };
        let heads =
            ["column", head, words, &format!("greedy {metric_name}"), &format!("global {metric_name}"), "difference"];
        let mut table = Table::new(2, heads);
        let mut readings = Vec::new();
        for (column, [greedy, global]) in &compared {
            let lines = lines(of(greedy), of(global), metric);
            let difference = |(.., greedy, global): &Line| global - greedy;
            let by_difference = |a: &&Line, b: &&Line| difference(a).total_cmp(&difference(b));
            let most = lines.iter().max_by(by_difference).zip(lines.iter().min_by(by_difference));
            if let Some((most, least)) = most.filter(|_| lines.len() > 1) {
                let [most, least] = [most, least].map(|line| (&line.0, difference(line)));
                readings.push(view! { column, most, least });
            }
            table.lines.extend(lines.iter().map(|line| {
                let (class, [first, second], greedy, global) = line;
                let both = if first == second { first.to_string() } else { format!("{first}, {second}") };
                let mut cells = vec![TableCell::text(*column), TableCell::text(class), TableCell::text(both)];
                cells.extend([greedy, global].map(|&score| TableCell::number(Some(score), 2)));
                cells.push(TableCell::text(format!("{:+.2}", difference(line))));
                cells
            }));
        }
        let view = view! { by, predicted, columns => readings, most_classes => MOST };
        (!table.lines.is_empty()).then(|| block("classes.jinja", view, Content::Table(table)))
    };
    BREAKDOWNS.into_iter().filter_map(of_kind).collect()
}

/// A class: its name, its words and the scores of greedy and global training.
type Line = (String, [u64; 2], f64, f64);

fn lines(greedy: &OfClass, global: &OfClass, metric: Metric) -> Vec<Line> {
    let both = greedy.iter().filter_map(|(class, greedy)| Some((class, greedy, global.get(class)?)));
    let mut all: Vec<(&String, &RightWords, &RightWords)> = both.collect();
    if all.len() > MOST {
        all.sort_by_key(|(_, greedy, _)| std::cmp::Reverse(greedy.words));
        all.truncate(MOST);
    }
    let line = |(class, greedy, global): (&String, &RightWords, &RightWords)| {
        (class.clone(), [greedy.words, global.words], greedy.score(metric), global.score(metric))
    };
    all.into_iter().map(line).collect()
}

/// The classes of the words of a side's models, over treebanks and seeds; nothing unless every decoding has them, and of a kind nothing
/// unless every decoding has that.
fn of_side(summary: &Summary, column: &str, side: &ChosenModels) -> Option<Classes> {
    let treebanks = summary.treebanks();
    let entries = treebanks.iter().zip(&side.methods).filter_map(|(t, method)| summary.entry(t, column, method));
    let runs = entries.flat_map(|e| &e.runs);
    let all: Vec<&Classes> = runs.map(|(_, decoding)| decoding.classes.as_ref()).collect::<Option<_>>()?;
    let sum = |(.., of): Breakdown| {
        let mut sum = OfClass::new();
        let known = if all.iter().all(|classes| !of(classes).is_empty()) { &all[..] } else { &[] };
        for (class, &right) in known.iter().flat_map(|classes| of(classes)) {
            *sum.entry(class.clone()).or_default() += right;
        }
        sum
    };
    let [arc_length, predicted_arc_length, sentence_length, label, projectivity, predicted_projectivity] =
        BREAKDOWNS.map(sum);
    Some(Classes { arc_length, sentence_length, label, projectivity, predicted_arc_length, predicted_projectivity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{full_store, plan, store_of};

    #[test]
    fn tables_add_up_what_the_records_of_the_chosen_models_tell() {
        let plan = plan();
        let store = full_store(&plan);
        let summary = Summary::new(&plan, &store, false);
        let blocks = classes(&summary, Metric::Las);
        assert_eq!(
            blocks.iter().map(|b| b.title.as_str()).collect::<Vec<_>>(),
            [
                "Where they differ, by arc length",
                "Where they differ, by length of the predicted arc",
                "Where they differ, by sentence length",
                "Where they differ, by label",
                "Where they differ, by projectivity",
                "Where they differ, by projectivity of the predicted arc"
            ]
        );
        let Content::Table(table) = &blocks[0].content else { panic!("a table") };
        let n_words: u64 = {
            let entries = summary.entries.iter().filter(|e| e.column == "eager" && e.method.label == "dynamic");
            entries.flat_map(|e| &e.runs).map(|(_, d)| d.test.with_punctuation.tokens).sum()
        };
        let of_eager = table.lines.iter().filter(|line| line[0].text == "eager");
        assert_eq!(of_eager.map(|line| line[2].text.parse::<u64>().unwrap()).sum::<u64>(), n_words);
        assert!(blocks[0].reading[0].starts_with("eager: global less greedy is "), "{:?}", blocks[0].reading);
    }

    #[test]
    fn there_are_none_where_a_record_does_not_tell() {
        let plan = plan();
        let store = store_of(&plan.cells, |_, record| {
            record.decodings.iter_mut().for_each(|decoding| decoding.classes = None);
        });
        assert_eq!(classes(&Summary::new(&plan, &store, false), Metric::Las), []);
    }
}
