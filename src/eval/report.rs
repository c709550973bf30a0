//! Everything that `treebeam eval` has to say, as data.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::compare::{Compared, Triple, compared};
use super::input::ScoredSentence;
use super::significance::{self, Interval, LEVEL};
use super::{
    AlignedScore, BreakdownSection, Breakdowns, Counts, EvalInput, Granularity, Metric, Punctuation, PunctuationRule,
    Scores, aligned_scores, check_alignment, count,
};
use crate::error::Result;
use crate::random::GENERATOR;
use crate::treebank::{Column, Format};

/// Options of evaluation.
#[derive(Debug, Clone)]
pub struct EvalOptions {
    /// Definition of punctuation; if not given, the tag where the gold file uses it, else the form.
    pub rule: Option<PunctuationRule>,
    /// Headline score, of which breakdowns, intervals and tests are made.
    pub headline: Headline,
    /// The breakdowns to make.
    pub sections: Vec<BreakdownSection>,
    /// Samples of the bootstrap and rounds of the randomisation, at least 1.
    pub samples: usize,
    /// The seed of both.
    pub seed: u64,
    /// The column of tags that are scored in place of trees, if the inputs were read so.
    pub tags: Option<Column>,
}

/// One choice of words to score and labels to distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Headline {
    /// Scoring of punctuation.
    pub punctuation: Punctuation,
    /// Granularity of labels: those that count as the same.
    pub granularity: Granularity,
}

/// The version of what `--json` writes; fields may be added to a version.
pub const FORMAT: u32 = 2;

/// An evaluation of one or two systems.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The version of the format.
    pub format: u32,
    /// The gold file.
    pub gold: String,
    /// The column of tags that are scored in place of trees: the labelled score is then their accuracy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<&'static str>,
    /// Its sentences.
    pub sentences: usize,
    /// Its words.
    pub words: usize,
    /// The number of its sentences with several roots.
    pub several_roots: usize,
    /// Definition of punctuation.
    pub punctuation_rule: PunctuationRule,
    /// The number of words that are punctuation under the rule.
    pub punctuation_words: u64,
    /// Headline score, of which breakdowns, intervals and tests are made.
    pub headline: Headline,
    /// Samples of the bootstrap and rounds of the randomisation.
    pub samples: usize,
    /// The seed of both.
    pub seed: u64,
    /// Their generator.
    pub generator: &'static str,
    /// The systems, in the order given.
    pub systems: Vec<SystemReport>,
    /// The second system against the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Vec<Test>>,
    /// The same by class of words, in the breakdowns that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Vec<Compared>>,
}

/// One system's part of a [`Report`].
#[derive(Debug, Clone, Serialize)]
pub struct SystemReport {
    /// The system's file.
    pub path: String,
    /// The number of its sentences with several roots.
    pub several_roots: usize,
    /// Its scores with and without punctuation, with and without subtypes; none if its words or sentences are not gold's.
    pub scores: Vec<Variant>,
    /// Bootstrap intervals of its headline scores, if its words are gold's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// Its breakdowns; empty if its words are not gold's.
    pub breakdowns: Breakdowns,
    /// Scores as Universal Dependencies' `eval.py` computes them, whatever its words are; none if the words are gold's, but not
    /// the text of their multiword tokens.
    pub aligned: Vec<AlignedScore>,
    /// Labels that gold does not have, with the number of their words, most frequent first.
    pub labels_not_in_gold: Vec<(String, u64)>,
}

/// The scores under one [`Headline`].
#[derive(Debug, Clone, Serialize)]
pub struct Variant {
    /// Headline score: the words that are scored and the labels that are distinguished.
    #[serde(flatten)]
    pub headline: Headline,
    /// The scores.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Bootstrap intervals.
#[derive(Debug, Clone, Serialize)]
pub struct Intervals {
    /// The share of resamples that each contains.
    pub level: f64,
    /// Of the unlabelled attachment score.
    pub uas: Interval,
    /// Of the labelled attachment score.
    pub las: Interval,
}

/// The second system against the first by one metric.
#[derive(Debug, Clone, Serialize)]
pub struct Test {
    /// The metric.
    pub metric: Metric,
    /// The second system's score minus the first's, in percentage points.
    pub difference: f64,
    /// Its bootstrap interval at [`LEVEL`].
    pub interval: Interval,
    /// The p-value of the approximate randomisation.
    pub p: f64,
    /// Sentences with more correct words in the first.
    pub first_better: usize,
    /// Sentences with more correct words in the second.
    pub second_better: usize,
    /// Sentences with as many in both.
    pub tied: usize,
}

impl Report {
    /// Evaluates `systems` against `gold`; if there are two or more, the second is compared with the first.
    ///
    /// # Errors
    /// If a system does not have the text of `gold`.
    ///
    /// # Panics
    /// If `options.samples` is 0.
    pub fn new(gold: &EvalInput, systems: &[EvalInput], options: &EvalOptions) -> Result<Report> {
        let with_aligned = |system| {
            let scores = aligned_scores(gold, system);
            match check_alignment(gold, system) {
                Ok(()) => Ok((system, true, scores.unwrap_or_default())),
                Err(_) => Ok((system, false, scores?)),
            }
        };
        let systems = systems.iter().map(with_aligned).collect::<Result<Vec<_>>>()?;
        let rule = options.rule.unwrap_or_else(|| {
            PunctuationRule::for_tags(gold.sentences.iter().flat_map(|s| &s.upos).map(String::as_str))
        });
        let punctuation: Vec<Vec<bool>> = gold
            .sentences
            .iter()
            .map(|s| s.forms.iter().zip(&s.upos).map(|(form, upos)| rule.applies(form, upos)).collect())
            .collect();
        let headline_scored = scored(&punctuation, options.headline.punctuation);
        // Words that are not gold's have no counts.
        let counts_of = |&(system, is_same, _): &(&EvalInput, bool, _)| {
            is_same.then(|| counts(gold, system, &headline_scored, options.headline.granularity))
        };
        let by_sentence: Vec<Option<Vec<Counts>>> = systems.iter().map(counts_of).collect();
        let comparison = match by_sentence.as_slice() {
            [Some(a), Some(b), ..] => {
                Some([Metric::Uas, Metric::Las].map(|metric| Test::new(a, b, metric, options)).to_vec())
            }
            _ => None,
        };
        let compared = match systems.as_slice() {
            [(first, true, _), (second, true, _), ..] => {
                let sentences =
                    gold.sentences.iter().zip(&first.sentences).zip(&second.sentences).zip(&headline_scored);
                let triples: Vec<Triple> =
                    sentences.map(|(((gold, first), second), scored)| Triple { gold, first, second, scored }).collect();
                let EvalOptions { headline, sections, samples, seed, .. } = options;
                Some(compared(&triples, headline.granularity, sections, *samples, *seed))
            }
            _ => None,
        };
        let systems = systems.into_iter().zip(&by_sentence);
        Ok(Report {
            format: FORMAT,
            gold: gold.path.clone(),
            tags: options.tags.map(|column| column.name(Format::Conllu)),
            sentences: gold.sentences.len(),
            words: gold.n_words(),
            several_roots: gold.n_several_roots(),
            punctuation_rule: rule,
            punctuation_words: punctuation.iter().flatten().filter(|&&is| is).count() as u64,
            headline: options.headline,
            samples: options.samples,
            seed: options.seed,
            generator: GENERATOR,
            systems: systems
                .map(|((system, _, aligned), counts)| {
                    SystemReport::new(gold, system, aligned, &punctuation, counts.as_deref(), options)
                })
                .collect(),
            comparison,
            compared,
        })
    }

    /// Leaves out all breakdowns but those into `sections`.
    pub fn keep(&mut self, sections: &[BreakdownSection]) {
        self.systems.iter_mut().for_each(|system| system.breakdowns.keep(sections));
        if let Some(compared) = &mut self.compared {
            compared.retain(|compared| sections.contains(&compared.section));
        }
    }

    /// Warnings that the reader might overlook, one line each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.punctuation_words == 0 && self.tags.is_none() {
            warnings.push(format!(
                "n = {} with and without punctuation: no word of {} is punctuation by the rule \"{}\"",
                self.words,
                self.gold,
                self.punctuation_rule.description()
            ));
        }
        let words_differ: Vec<&str> =
            self.systems.iter().filter(|system| system.scores.is_empty()).map(|system| system.path.as_str()).collect();
        if !words_differ.is_empty() {
            let what =
                if self.systems.len() > 1 { "breakdowns, intervals and tests" } else { "breakdowns and intervals" };
            warnings.push(format!(
                "{}: words or sentences other than those of {}: aligned as eval.py of Universal Dependencies does it, without {what}",
                words_differ.join(", "),
                self.gold
            ));
        }
        for system in self.systems.iter().filter(|system| system.several_roots > 0 && self.tags.is_none()) {
            warnings.push(format!(
                "{}: {} of {} sentences have several roots, against {} in {}",
                system.path, system.several_roots, self.sentences, self.several_roots, self.gold
            ));
        }
        warnings
    }
}

/// Labels of `system` that `gold` does not have, with the number of their words, most frequent first.
fn labels_not_in_gold(gold: &EvalInput, system: &EvalInput) -> Vec<(String, u64)> {
    let known: HashSet<&String> = gold.sentences.iter().flat_map(|sentence| &sentence.labels).collect();
    let mut counts: BTreeMap<&String, u64> = BTreeMap::new();
    let labels = system.sentences.iter().flat_map(|sentence| &sentence.labels);
    labels.filter(|label| !known.contains(label)).for_each(|label| *counts.entry(label).or_default() += 1);
    let mut labels: Vec<(String, u64)> = counts.into_iter().map(|(label, n)| (label.clone(), n)).collect();
    labels.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    labels
}

/// By sentence and word: whether the word is scored.
fn scored(punctuation: &[Vec<bool>], choice: Punctuation) -> Vec<Vec<bool>> {
    let scored = |&is_punctuation: &bool| choice == Punctuation::Include || !is_punctuation;
    punctuation.iter().map(|sentence| sentence.iter().map(scored).collect()).collect()
}

/// Counts by sentence.
fn counts(gold: &EvalInput, system: &EvalInput, scored: &[Vec<bool>], granularity: Granularity) -> Vec<Counts> {
    let sentences = gold.sentences.iter().zip(&system.sentences).zip(scored);
    sentences
        .map(|((gold, system), scored)| count(&gold.analysis(), &system.analysis(), |word| scored[word], granularity))
        .collect()
}

impl SystemReport {
    /// `by_sentence` are the counts under the headline, if the words are gold's.
    fn new(
        gold: &EvalInput,
        system: &EvalInput,
        aligned: Vec<AlignedScore>,
        punctuation: &[Vec<bool>],
        by_sentence: Option<&[Counts]>,
        options: &EvalOptions,
    ) -> SystemReport {
        let mut report = SystemReport {
            path: system.path.clone(),
            several_roots: system.n_several_roots(),
            scores: Vec::new(),
            intervals: None,
            breakdowns: Breakdowns::default(),
            aligned,
            labels_not_in_gold: labels_not_in_gold(gold, system),
        };
        let Some(by_sentence) = by_sentence else { return report };
        for choice in [Punctuation::Include, Punctuation::Exclude] {
            let scored = scored(punctuation, choice);
            for granularity in [Granularity::Full, Granularity::Universal] {
                let total: Counts = counts(gold, system, &scored, granularity).iter().sum();
                report
                    .scores
                    .push(Variant { headline: Headline { punctuation: choice, granularity }, scores: total.into() });
            }
        }
        let interval = |metric| significance::bootstrap(by_sentence, metric, options.samples, options.seed);
        let scored = scored(punctuation, options.headline.punctuation);
        let sentences = gold.sentences.iter().zip(&system.sentences).zip(&scored).zip(by_sentence);
        let pairs: Vec<ScoredSentence> = sentences
            .map(|(((gold, system), scored), &counts)| ScoredSentence { gold, system, scored, counts })
            .collect();
        report.intervals = Some(Intervals { level: LEVEL, uas: interval(Metric::Uas), las: interval(Metric::Las) });
        report.breakdowns = Breakdowns::new(&pairs, options.headline.granularity, &options.sections);
        report
    }

    /// The scores under `headline`.
    pub fn under(&self, headline: Headline) -> Option<&Scores> {
        self.scores.iter().find(|variant| variant.headline == headline).map(|variant| &variant.scores)
    }
}

impl Test {
    fn new(a: &[Counts], b: &[Counts], metric: Metric, options: &EvalOptions) -> Test {
        let total = |counts: &[Counts]| metric.score(&counts.iter().sum());
        let better =
            |a: &[Counts], b: &[Counts]| a.iter().zip(b).filter(|(a, b)| metric.correct(a) > metric.correct(b)).count();
        let (first_better, second_better) = (better(a, b), better(b, a));
        Test {
            metric,
            difference: total(b) - total(a),
            interval: significance::bootstrap_difference(a, b, metric, options.samples, options.seed),
            p: significance::randomisation(a, b, metric, options.samples, options.seed),
            first_better,
            second_better,
            tied: a.len() - first_better - second_better,
        }
    }
}
