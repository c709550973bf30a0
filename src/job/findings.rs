//! Findings before training begins: what its treebanks hold, and what would suit them better.

use super::Job;
use crate::decode::SearchKind;
use crate::error::Result;
use crate::features::FeatureSet;
use crate::options::Options;
use crate::training::Observer;
use crate::tree::Roots;
use crate::treebank::{Column, Survey, Treebank};

impl Job {
    /// Says what the treebanks hold, warns of what cannot be learned from them, and recommends options: with `auto`, those that were not given
    /// are taken over. Options that follow the size of the data are those for `train`.
    ///
    /// # Errors
    /// If the options do not go together any more; nothing is an error that training itself would not notice.
    pub(super) fn findings(
        &self,
        train: &Treebank,
        dev: Option<&Treebank>,
        observer: &mut dyn Observer,
    ) -> Result<Options> {
        let (mut given, mut options) = (self.given.clone(), self.options.clone());
        let names = train.names();
        if let Options::Transitions(transitions) = &mut options
            && !names.is_empty()
        {
            let group = if transitions.target().is_some() { "tagger-source" } else { "source" };
            if given.features.is_none() && transitions.scorer.is_linear() && transitions.search != SearchKind::Exact {
                transitions.features = format!("{}+{group}", transitions.features);
                given.features = Some(transitions.features.clone());
            } else if transitions.scorer.is_linear() && !FeatureSet::load(&transitions.features)?.reads_source() {
                observer.warn(format_args!(
                    "warning: no template reads the source of sentences; expected a set with the atom `source`, such as {}+{group}",
                    transitions.features
                ));
            }
            observer.note(format_args!("sources: {}; the first is that of input by default", names.join(", ")));
        }
        let Ok(survey) = Survey::of(train) else {
            // Training will say what is wrong.
            return Ok(options);
        };
        if options.target().is_none() {
            say(train, &survey, observer);
        }
        let has_several = survey.stats.n_multi_root_sentences > 0;
        if has_several && train.format.roots() == Roots::Single && options.roots() == Roots::Single && !self.auto {
            // In this format training refuses several roots, and says what allows them.
            return Ok(options);
        }
        let mut taken = false;
        for recommendation in options.recommendations(&survey) {
            let what = format!("{}: {}", recommendation.flag, recommendation.why);
            if self.auto && given.complete(&recommendation.given) {
                taken = true;
                observer.note(format_args!("taken over: {what}"));
            } else if !self.auto {
                observer.note(format_args!("recommended: {what} (--auto takes recommendations over)"));
            }
        }
        if taken {
            options = given.resolve()?;
        }
        // Options that were taken over need no warning.
        warn(train, dev, &survey, &options, observer);
        let n_sentences = train.sentences.len();
        let suited = given.suited(options.clone(), n_sentences);
        say_suited(&options, &suited, n_sentences, observer);
        Ok(suited)
    }
}

/// Says which options of a network follow the size of the data here.
fn say_suited(usual: &Options, suited: &Options, n_sentences: usize, observer: &mut dyn Observer) {
    let iterations = |options: &Options| options.stopping().most;
    let rate = |options: &Options| options.transitions().and_then(|options| options.rate);
    let mut changes = Vec::new();
    if iterations(usual) != iterations(suited) {
        changes.push(format!("{} iterations (--iterations)", iterations(suited)));
    }
    if let Some(value) = rate(suited).filter(|value| rate(usual) != Some(*value)) {
        changes.push(format!("a rate of {value} (--rate)"));
    }
    if !changes.is_empty() {
        observer.note(format_args!("chosen for a network and {n_sentences} sentences: {}", changes.join(", ")));
    }
}

fn say(train: &Treebank, survey: &Survey, observer: &mut dyn Observer) {
    let stats = &survey.stats;
    observer.note(format_args!(
        "{}: {} sentences, {} words, the longest sentence {}; {} labels; {} sentences with several roots ({:.1} %); \
         {} non-projective arcs ({:.2} %) in {} sentences ({:.1} %)",
        train.path.display(),
        stats.n_sentences,
        stats.n_words,
        stats.longest,
        stats.labels.len(),
        stats.n_multi_root_sentences,
        survey.several_roots_percent(),
        stats.n_non_projective_arcs,
        stats.non_projective_arcs_percent(),
        stats.n_non_projective_sentences,
        stats.non_projective_sentences_percent(),
    ));
    let empty: Vec<&str> = survey.mostly_empty().map(|column| column.name(train.format)).collect();
    if !empty.is_empty() {
        let columns = empty.join(", ");
        observer.note(format_args!("{}: empty in most words: {columns}", train.path.display()));
    }
}

/// No treebank is known with as many labels.
const MANY_LABELS: usize = 1000;

fn warn(train: &Treebank, dev: Option<&Treebank>, survey: &Survey, options: &Options, observer: &mut dyn Observer) {
    let path = train.path.display();
    let (words, tags) = options.columns();
    let mut read = vec![Column::from(words)];
    if words != tags && options.target().is_none() {
        read.push(Column::from(tags));
    }
    for column in read {
        let percent = survey.empty_percent(column);
        if percent > 50.0 {
            let name = column.name(train.format);
            observer.warn(format_args!(
                "warning: {path}: {name} is empty in {percent:.0} % of the words, and the model would read it"
            ));
        }
    }
    let several = survey.stats.n_multi_root_sentences;
    // In a format that allows no more than one root, training refuses several.
    if options.roots() == Roots::Single && train.format.roots() == Roots::Several && several > 0 {
        observer.warn(format_args!(
            "warning: {path}: {several} sentences have several roots and are trained on as if they had one"
        ));
    }
    if !options.derives_all() && survey.stats.n_non_projective_arcs > 0 {
        let arcs = survey.stats.n_non_projective_arcs;
        let made = match options.makes_projective_only() {
            true => "the parser that is trained makes projective trees only",
            false => "the parser that is trained cannot make all such trees",
        };
        let arcs = if arcs == 1 { "1 arc is".to_owned() } else { format!("{arcs} arcs are") };
        observer.warn(format_args!("warning: {path}: {arcs} not projective, and {made}"));
    }
    let n_labels = survey.stats.labels.len();
    if n_labels > MANY_LABELS {
        observer.warn(format_args!(
            "warning: {path}: there are {n_labels} labels, and training takes time and memory for each of them; is something else in \
             their column?"
        ));
    }
    if survey.n_repeated * 20 > survey.stats.n_sentences {
        observer
            .warn(format_args!("warning: {path}: {} sentences have the words of an earlier one", survey.n_repeated));
    }
    let Some(dev) = dev else { return };
    let name = dev.path.display();
    if dev.sha256 == train.sha256 {
        observer.warn(format_args!(
            "warning: {name} is what is trained on: its scores say nothing of other text, and choose the wrong iteration"
        ));
        return;
    }
    let shared = survey.n_shared_with(dev);
    if shared > 0 {
        let n = dev.sentences.len();
        observer.warn(format_args!(
            "warning: {name}: {shared} of {n} sentences have the words of a sentence that is trained on"
        ));
    }
}
