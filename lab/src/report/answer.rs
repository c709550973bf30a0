//! Greedy or global: the question that the program was made for, answered by an experiment that has rows of both.
//!
//! In each column the best greedy and the best global model are chosen by their score on development data, averaged over
//! treebanks or for each treebank; then the two are compared on test data. Nothing that is tested has chosen what it is tested on.

mod sentences;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::costs::processors;
use super::directions::sign_test;
use super::mixed::Mixed;
use super::paired::pairs_between;
use super::summary::{Method, Summary};
use crate::experiment::{Cell, ChosenFor, Decoding, Record, Tags};
use treebeam::decode::SearchKind;
use treebeam::eval::{Gain, Metric, Pairs, holm};
use treebeam::learn::{TrainOptions, Training};
use treebeam::system::OracleKind;

/// Answer of an experiment to the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The score that is compared.
    pub metric: String,
    /// The names of the treebanks.
    pub treebanks: Vec<String>,
    /// The comparison in each column, the largest gain of global training first.
    pub settings: Vec<Setting>,
    /// True if columns are transition systems, each of them once.
    pub are_systems: bool,
    /// The number of systems. Several columns of one system count in the mean as one.
    #[serde(default)]
    pub n_systems: usize,
    /// True if some of the greedy models have explored: otherwise this is not the whole question.
    #[serde(default)]
    pub explores: bool,
    /// The number of seeds.
    #[serde(default)]
    pub seeds: usize,
    /// The mean over systems, of the columns that read the tags that the first of them reads.
    pub overall: Gain,
    /// The number of columns in that mean; 0 in documents of earlier versions, which average over all columns.
    #[serde(default)]
    pub n_meant: usize,
    /// The tags that those read.
    #[serde(default)]
    pub tags: Tags,
    /// The mean over systems of the columns that read other tags.
    #[serde(default)]
    pub other_tags: Vec<(Tags, Gain)>,
    /// The mean over systems by a mixed-effects model; none with one treebank.
    #[serde(default)]
    pub mixed: Option<Mixed>,
    /// The mean over systems of the gain over greedily trained models that parse in a beam of the same width; none unless every
    /// column has one.
    #[serde(default)]
    pub in_same_beam: Option<Gain>,
    /// The answer in a sentence, in Markdown.
    pub headline: String,
    /// Sentences after it, a sentence each, in Markdown: where it holds, what it costs.
    pub reading: Vec<String>,
}

/// The comparison in one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The column's name.
    pub name: String,
    /// The best greedy model.
    pub greedy: Chosen,
    /// The best global model.
    pub global: Chosen,
    /// Global less greedy.
    pub gain: Gain,
    /// On how many treebanks the global model is ahead, and on how many behind.
    #[serde(default)]
    pub n_ahead: (usize, usize),
    /// The best greedily trained model that parses in a beam of the global one's width, and what global training gains over it.
    #[serde(default)]
    pub same_beam: Option<(Chosen, Gain)>,
    /// Time of global parsing over that of greedy parsing, where it was measured.
    pub parsing_time: Option<f64>,
    /// Time of global training over that of greedy training, where it was measured.
    pub training_time: Option<f64>,
}

/// A model that was chosen on development data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// Its row, with the width.
    pub label: String,
    /// Its score on development data, averaged over treebanks and seeds.
    pub dev: f64,
    /// Its score on test data.
    pub test: f64,
}

impl Answer {
    /// By column, the p of its gain, corrected for all columns.
    fn corrected(&self) -> Vec<f64> {
        holm(&self.settings.iter().map(|s| s.gain.p).collect::<Vec<_>>())
    }

    /// By column, the p of the sign test over treebanks, corrected for all columns.
    fn corrected_signs(&self) -> Vec<f64> {
        holm(&self.settings.iter().map(|s| sign_test(s.n_ahead)).collect::<Vec<_>>())
    }
}

/// The comparison in a column, with what its mean over columns is made of.
struct Comparison {
    setting: Setting,
    pairs: Pairs,
    same_beam: Option<Pairs>,
    /// True if the global model searches exactly.
    is_exact: bool,
    /// True if the greedy model has left the gold derivation in training.
    explores: bool,
}

/// With fewer treebanks the sign test can find nothing at p < .05.
pub(super) const FOR_SIGNS: usize = 6;

/// The answer; none unless some column has a greedy and a global model on every treebank.
pub fn answer(summary: &Summary) -> Option<Answer> {
    let metric = summary.main_metric();
    let columns: Vec<&String> = summary.columns().collect();
    let compared: Vec<Comparison> = columns.iter().filter_map(|column| compare(summary, column, metric)).collect();
    let tags_of = |c: &Comparison| tags_of(summary, &c.setting.name);
    let mut kinds: Vec<Tags> = Vec::new();
    compared.iter().map(tags_of).for_each(|tags| {
        if !kinds.contains(&tags) {
            kinds.push(tags)
        }
    });
    let tags = *kinds.first()?;
    let of_tags = |tags: Tags| compared.iter().filter(move |c| tags_of(c) == tags);
    let by_system = mean_by_system(summary, of_tags(tags), |c| Some(c.pairs.clone()))?;
    let mean = Pairs::mean(&by_system)?;
    let in_same_beam = mean_by_system(summary, of_tags(tags), |c| c.same_beam.clone());
    let other_tags = kinds.iter().skip(1).filter_map(|&kind| {
        let pairs = mean_by_system(summary, of_tags(kind), |c| Some(c.pairs.clone()))?;
        Some((kind, Pairs::mean(&pairs)?.gain()))
    });
    let (n_meant, other_tags) = (of_tags(tags).count(), other_tags.collect());
    let sides = [
        match compared.iter().filter(|c| c.is_exact).count() {
            0 => "global training with a beam",
            n if n == compared.len() => "global training with exact search",
            _ => "global training",
        },
        if compared.iter().any(|c| c.explores) { "greedy training" } else { "greedy training on gold derivations" },
    ];
    let mut systems: Vec<&str> = columns.iter().filter_map(|column| system_of(summary, column)).collect();
    systems.sort_unstable();
    systems.dedup();
    let mut answer = Answer {
        metric: metric.name().to_owned(),
        treebanks: summary.treebanks(),
        are_systems: systems.len() == columns.len(),
        n_systems: by_system.len(),
        explores: summary.plan.cells.iter().any(|cell| cell.options.transitions().is_some_and(explores)),
        seeds: summary.plan.profile.seeds.len(),
        in_same_beam: in_same_beam.and_then(|pairs| Pairs::mean(&pairs)).map(|pairs| pairs.gain()),
        settings: compared.into_iter().map(|c| c.setting).collect(),
        overall: mean.gain(),
        n_meant,
        tags,
        other_tags,
        mixed: Mixed::of(&by_system.iter().map(Pairs::by_treebank).collect::<Vec<_>>()),
        headline: String::new(),
        reading: Vec::new(),
    };
    answer.settings.sort_by(|a, b| b.gain.points.total_cmp(&a.gain.points));
    let mut sentences = answer.sentences(sides, &mean).into_iter();
    answer.headline = sentences.next().unwrap_or_default();
    answer.reading = sentences.collect();
    Some(answer)
}

/// By system, the mean over its columns of what `of` gives for them; none unless all have it.
fn mean_by_system<'c>(
    summary: &Summary,
    compared: impl Iterator<Item = &'c Comparison>,
    of: impl Fn(&Comparison) -> Option<Pairs>,
) -> Option<Vec<Pairs>> {
    let mut systems: Vec<(Option<&str>, Vec<Pairs>)> = Vec::new();
    for comparison in compared {
        let (system, pairs) = (system_of(summary, &comparison.setting.name), of(comparison)?);
        match systems.iter_mut().find(|(known, _)| *known == system) {
            Some((_, all)) => all.push(pairs),
            None => systems.push((system, vec![pairs])),
        }
    }
    systems.iter().map(|(_, all)| Pairs::mean(all)).collect()
}

/// True if such training is greedy and leaves the gold derivation.
fn explores(options: &TrainOptions) -> bool {
    match options.training {
        Training::Greedy => options.oracle != OracleKind::Static,
        Training::L2s => true,
        Training::Global => false,
    }
}

fn tags_of(summary: &Summary, column: &str) -> Tags {
    summary.plan.cells.iter().find(|cell| cell.column == column).map(Cell::tags_parsed_with).unwrap_or_default()
}

fn system_of<'a>(summary: &'a Summary, column: &str) -> Option<&'a str> {
    summary.plan.cells.iter().find(|cell| cell.column == column).map(|cell| cell.options.system())
}

/// The options of a row; none of parsers without transitions.
fn options_of<'a>(summary: &'a Summary, column: &str, row: &str) -> Option<&'a TrainOptions> {
    let cell = summary.plan.cells.iter().find(|cell| cell.column == column && cell.row == row)?;
    cell.options.transitions()
}

/// The best global and the best greedy models of a column, chosen on development data, of one transition system: between two of them
/// the system would be compared, too.
pub(super) fn chosen(summary: &Summary, column: &str, metric: Metric) -> Option<[ChosenModels; 2]> {
    let system = |m: &Method| options_of(summary, column, &m.row).map(|options| options.system);
    let is_trained_globally = |m: &Method| is_global(summary, column, m) == Some(true);
    let global = best(summary, column, metric, &|m, _| is_trained_globally(m))?;
    // A greedy parser is one that was trained for greedy decoding and decodes greedily.
    let is_greedy = |m: &Method| m.width == 1 && is_global(summary, column, m) == Some(false);
    let is_comparable = |m: &Method, treebank: usize| is_greedy(m) && system(m) == system(&global.methods[treebank]);
    let greedy = best(summary, column, metric, &is_comparable)?;
    Some([global, greedy])
}

/// True if a transition-based parser was trained globally.
fn is_global(summary: &Summary, column: &str, method: &Method) -> Option<bool> {
    Some(options_of(summary, column, &method.row)?.training == Training::Global)
}

fn compare(summary: &Summary, column: &str, metric: Metric) -> Option<Comparison> {
    let [global, greedy] = chosen(summary, column, metric)?;
    let pairs = pairs_between(summary, column, &global.methods, &greedy.methods, metric)?;
    let options = |side: &ChosenModels| -> Option<Vec<&TrainOptions>> {
        side.methods.iter().map(|m| options_of(summary, column, &m.row)).collect()
    };
    let is_exact = options(&global)?.iter().any(|options| options.search == SearchKind::Exact);
    let width = |treebank: usize| global.methods[treebank].width;
    let is_in_same_beam =
        |m: &Method, treebank: usize| m.width == width(treebank) && is_global(summary, column, m) == Some(false);
    let is_wide = !is_exact && global.methods.iter().all(|m| m.width > 1);
    let same_beam = is_wide.then(|| best(summary, column, metric, &is_in_same_beam)).flatten();
    let same_beam = same_beam
        .and_then(|side| Some((side.chosen, pairs_between(summary, column, &global.methods, &side.methods, metric)?)));
    let ratio = |ours: Option<f64>, theirs: Option<f64>| Some(ours? / theirs?).filter(|r| r.is_finite() && *r > 0.0);
    let per_word = |side: &ChosenModels| side.mean(summary, column, |_, d| 1.0 / d.tokens_per_second());
    let seconds = |side: &ChosenModels| side.mean(summary, column, |r, _| r.training.seconds());
    // Times of several processors do not compare.
    let [of_global, of_greedy] =
        [&global, &greedy].map(|side| processors(summary, |c, m| c == column && side.methods.contains(m)));
    let ratio = |ours, theirs| ratio(ours, theirs).filter(|_| of_global == of_greedy);
    let setting = Setting {
        name: column.to_owned(),
        gain: pairs.gain(),
        n_ahead: pairs.signs(),
        same_beam: same_beam.as_ref().map(|(chosen, pairs)| (chosen.clone(), pairs.gain())),
        parsing_time: ratio(per_word(&global), per_word(&greedy)),
        training_time: ratio(seconds(&global), seconds(&greedy)),
        greedy: greedy.chosen.clone(),
        global: global.chosen.clone(),
    };
    let explores = options(&greedy)?.into_iter().any(explores);
    Some(Comparison { setting, pairs, same_beam: same_beam.map(|(_, pairs)| pairs), is_exact, explores })
}

/// Models of a column that were chosen on development data: of one side of the comparison.
pub(super) struct ChosenModels {
    /// A method for each treebank of the summary, in its order.
    pub methods: Vec<Method>,
    /// Their names, and their scores averaged over treebanks.
    pub chosen: Chosen,
}

impl ChosenModels {
    /// The mean of a value over treebanks, each counting the same.
    fn mean(&self, summary: &Summary, column: &str, value: impl Fn(&Record, &Decoding) -> f64) -> Option<f64> {
        let (treebanks, n) = (summary.treebanks(), self.methods.len() as f64);
        let of = |(treebank, method): (&String, &Method)| summary.entry(treebank, column, method)?.mean(&value);
        Some(treebanks.iter().zip(&self.methods).map(of).sum::<Option<f64>>()? / n)
    }
}

/// The method, of those `wanted` on a treebank, that is best on development data: for all treebanks together, or for each.
pub(super) fn best(
    summary: &Summary,
    column: &str,
    metric: Metric,
    wanted: &dyn Fn(&Method, usize) -> bool,
) -> Option<ChosenModels> {
    let (treebanks, rule) = (summary.treebanks(), summary.rule());
    let at_once = if summary.plan.spec.table.choose == ChosenFor::Each { 1 } else { treebanks.len().max(1) };
    let (mut methods, mut dev, mut test) = (Vec::new(), 0.0, 0.0);
    for start in (0..treebanks.len()).step_by(at_once) {
        let group = start..start + at_once;
        let scored = |m: Method| {
            let is_meant = |treebank: &str| treebanks[group.clone()].iter().any(|name| name == treebank);
            let mean = |of: &dyn Fn(&Decoding) -> f64| summary.average_on(column, &m, is_meant, |_, d| of(d));
            let dev = mean(&|d| metric.score(d.dev.get(rule)))?.mean;
            let test = mean(&|d| metric.score(d.test.get(rule)))?.mean;
            Some((m, dev, test))
        };
        let wanted = |m: &Method| group.clone().all(|treebank| wanted(m, treebank));
        let all = summary.methods(column).into_iter().filter(wanted).filter_map(scored);
        // The first of equals.
        let (method, its_dev, its_test) = all.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
        let weight = group.len() as f64 / treebanks.len() as f64;
        (dev, test) = (dev + its_dev * weight, test + its_test * weight);
        methods.extend(group.map(|_| method.clone()));
    }
    let chosen = Chosen { label: label_of(&methods), dev, test };
    Some(ChosenModels { methods, chosen })
}

/// The method's name; of several the names with the number of treebanks, the most frequent first.
fn label_of(methods: &[Method]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for method in methods {
        match counts.iter_mut().find(|(label, _)| *label == method.label) {
            Some((_, n)) => *n += 1,
            None => counts.push((&method.label, 1)),
        }
    }
    counts.sort_by_key(|&(_, n)| Reverse(n));
    match counts[..] {
        [(label, _)] => label.to_owned(),
        _ => counts.iter().map(|(label, n)| format!("{label} {n}×")).collect::<Vec<_>>().join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, plan, plan_of, spec_of, store_of};
    use crate::experiment::{Cell, Plan};
    use crate::report::directions::LEVEL;
    use crate::report::templates::{sentences, view};

    /// The answer of made-up records: how many labelled words `wrong` says of each sentence in a cell.
    fn answered(wrong: impl Fn(&Cell, usize) -> u64) -> Answer {
        answered_by(&plan(), |cell, _, i| wrong(cell, i))
    }

    /// The same of any plan, by the width, too.
    fn answered_by(plan: &Plan, wrong: impl Fn(&Cell, usize, usize) -> u64) -> Answer {
        let store = store_of(&plan.cells, |cell, record| {
            for decoding in &mut record.decodings {
                let n = decoding.errors.with_punctuation.labelled.len();
                let errors: Vec<u64> = (0..n).map(|i| wrong(cell, decoding.width, i)).collect();
                let labelled = decoding.test.with_punctuation.tokens - errors.iter().sum::<u64>();
                decoding.errors.with_punctuation.labelled = errors;
                decoding.test.with_punctuation.labelled = labelled;
                decoding.dev.with_punctuation.labelled = labelled.min(decoding.dev.with_punctuation.tokens);
            }
        });
        answer(&Summary::new(plan, &store, false)).unwrap()
    }

    /// The plan of the small comparison with this in the place of that.
    fn plan_with(that: &str, this: &str) -> Plan {
        assert!(SPEC.contains(that));
        plan_of(&spec_of(&SPEC.replace(that, this)))
    }

    #[test]
    fn the_better_side_is_named_with_its_lead_and_its_price() {
        // The one that explores is the better of the greedy ones.
        let answer = answered(|cell, i| match cell.row.as_str() {
            "global" => 1,
            "dynamic" => 2 + u64::from(i % 3 == 0),
            _ => 3 + u64::from(i % 3 == 0),
        });
        assert!(answer.headline.starts_with("**Global training with a beam parses better** than greedy training, by "));
        assert!(
            answer.headline.contains("points of LAS, averaged over 2 systems and 2 treebanks"),
            "{}",
            answer.headline
        );
        assert!(answer.headline.contains("p < 0.001"), "{}", answer.headline);
        assert_eq!(answer.reading[0], "Global training is ahead on both systems, significantly on both.");
        assert!(answer.reading[1].starts_with("**What it costs:** parsing takes "), "{:?}", answer.reading);
        assert!(answer.are_systems && answer.corrected().iter().all(|p| *p < LEVEL));
        let back = answered(|cell, i| match cell.row.as_str() {
            "global" => 2 + u64::from(i % 3 == 0),
            "dynamic" => 1,
            _ => 2,
        });
        assert!(back.headline.starts_with("**Greedy training parses better** than global training with a beam, by "));
        assert!((back.overall.points + answer.overall.points).abs() < 1e-9);
        assert_eq!(back.reading[0], "Greedy training is ahead on both systems, significantly on both.");
        // The interval is that of the lead of the side that is ahead.
        assert!(back.headline.contains("interval +"), "{}", back.headline);
        let mixed = answer.mixed.unwrap().these_systems;
        assert!(mixed.0 < answer.overall.points && answer.overall.points < mixed.1, "{mixed:?}");
    }

    /// A beam that greedily trained models gain as much from is no gain of global training.
    #[test]
    fn what_the_beam_alone_gives_is_shown_apart() {
        let greedily = "training = \"greedy\", oracle = \"dynamic\" }";
        let plan = plan_with(greedily, &format!("{greedily}\ndecode = [1, 4]"));
        let in_a_beam = |wrong_greedily: u64| {
            answered_by(&plan, move |cell, width, i| match (cell.row.as_str(), width) {
                ("global", 4) => 1 + (i as u64 % 2),
                ("global", _) => 2 + (i as u64 % 2),
                ("greedy", _) => 4,
                (_, 1) => 3,
                _ => wrong_greedily - (i as u64 % 2),
            })
        };
        let as_well = in_a_beam(2);
        let expected = "; it is not clearly better than greedy training with a beam of the same width in parsing (";
        assert!(as_well.headline.contains(expected), "{}", as_well.headline);
        let (chosen, gain) = as_well.settings[0].same_beam.as_ref().unwrap();
        assert_eq!(chosen.label, "dynamic, width 4");
        assert!(gain.p > LEVEL);
        let says_so =
            |answer: &Answer| answer.reading.iter().any(|text| text.contains("parse in a beam of the same width"));
        assert!(says_so(&as_well));
        let worse = in_a_beam(4);
        assert!(!worse.headline.contains("same width") && says_so(&worse), "{}", worse.headline);
        assert!(worse.in_same_beam.unwrap().points > 0.0);
        assert!(!says_so(&answered(|cell, _| if cell.row == "global" { 1 } else { 2 })), "none parses so");
    }

    #[test]
    fn the_sides_are_called_what_they_are() {
        let better = |cell: &Cell, _: usize, i: usize| match cell.row.as_str() {
            "global" => 1,
            "dynamic" => 2 + (i as u64 % 2),
            _ => 3,
        };
        let exact = plan_with("beam = 4 }\ndecode = [1, 4]", "search = \"exact\", features = \"minimal\" }");
        let headline = answered_by(&exact, better).headline;
        assert!(
            headline.starts_with("**Global training with exact search parses better** than greedy training, by "),
            "{headline}"
        );
        let gold = |cell: &Cell, i: usize| match cell.row.as_str() {
            "global" => 1,
            "greedy" => 2 + (i as u64 % 2),
            _ => 4,
        };
        let headline = answered(gold).headline;
        assert!(headline.contains("parses better** than greedy training on gold derivations, by "), "{headline}");
    }

    #[test]
    fn with_many_systems_those_are_named_whose_treebanks_agree() {
        let mut answer = answered(|cell, _| if cell.row == "global" { 1 } else { 2 });
        let setting = answer.settings[0].clone();
        answer.treebanks = (0..10).map(|number| number.to_string()).collect();
        let counts = [(10, 0), (9, 1), (8, 2), (5, 5), (2, 8), (0, 10)];
        answer.settings = counts
            .iter()
            .map(|&n_ahead| Setting { name: format!("s{}", n_ahead.0), n_ahead, ..setting.clone() })
            .collect();
        let said = sentences("conclusions.jinja", view! { part => "where", a => answer.view() }).concat();
        let expected = "Counted by treebank (sign test over 10 treebanks, Holm-corrected p < .05), global training is significantly ahead with 1 of 6 \
                        systems (s10), and significantly behind with 1 (s0).";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_chance_explains_is_not_called_better() {
        let answer = answered(|cell, i| if cell.row == "global" { 2 + (i as u64 % 2) } else { 3 - (i as u64 % 2) });
        assert!(answer.headline.starts_with("**Neither is clearly better here:**"), "{}", answer.headline);
        assert!(answer.overall.p > LEVEL);
    }

    #[test]
    fn sides_that_differ_between_systems_are_both_named() {
        let answer = answered(|cell, _| match (cell.row.as_str(), cell.column.as_str()) {
            ("global", "eager") | ("greedy" | "dynamic", "hybrid") => 1,
            _ => 2,
        });
        let expected = "Global training is ahead on 1 of 2 systems, significantly on it (eager); greedy training on 1 of 2 systems, \
                        significantly on it (hybrid).";
        assert_eq!(answer.reading[0], expected);
        assert_eq!(answer.settings[0].name, "eager", "the largest gain first");
    }

    #[test]
    fn models_may_be_chosen_for_each_treebank() {
        let wrong = |cell: &Cell, _: usize, _: usize| {
            let is_first = cell.data.source.to_string().contains("generated:1,");
            match cell.row.as_str() {
                "global" => 1,
                "dynamic" => 2 + u64::from(is_first),
                _ => 2 + u64::from(!is_first),
            }
        };
        let for_all = answered_by(&plan(), wrong);
        assert!(!for_all.settings[0].greedy.label.contains(';'), "{for_all:?}");
        let for_each = answered_by(&plan_with("[table]", "[table]\nchoose = \"each\""), wrong);
        let Setting { greedy, global, gain, .. } = &for_each.settings[0];
        assert_eq!(greedy.label, "greedy 1×; dynamic 1×");
        assert_eq!(global.label, for_all.settings[0].global.label, "one name where all are the same");
        assert!((global.test - greedy.test - gain.points).abs() < 1e-9, "{for_each:?}");
        assert!(gain.points < for_all.settings[0].gain.points, "the greedy side is at its best");
    }

    #[test]
    fn kinds_of_tags_are_distinguished() {
        let predicted = plan_with("name = \"hybrid\"", "name = \"hybrid\"\ntags = \"none\"");
        let answer = answered_by(&predicted, |cell, _, i| match (cell.row.as_str(), cell.column.as_str()) {
            ("global", "eager") => 1,
            ("global", _) => 2 + (i as u64 % 2),
            _ => 3,
        });
        assert!(answer.headline.contains("over 1 system with gold tags and 2 treebanks"), "{}", answer.headline);
        let [(Tags::None, gain)] = answer.other_tags[..] else { panic!("{:?}", answer.other_tags) };
        assert!(gain.points > 0.0 && gain.points < answer.overall.points);
        let expected = format!("With no tags global training gains {:.2} points (95 % interval ", gain.points);
        assert!(answer.reading[0].starts_with(&expected), "{:?}", answer.reading);
    }

    #[test]
    fn without_both_there_is_no_answer() {
        let plan = plan();
        let store = store_of(plan.cells.iter().filter(|cell| cell.row != "global"), |_, _| ());
        assert_eq!(answer(&Summary::new(&plan, &store, false)), None);
    }
}
