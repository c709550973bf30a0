//! The record of an observed search.

use std::sync::Arc;

use super::data::{ActionName, Arcs, FORMAT, ModelCard, SentenceCard, Trace, Word};
use super::explain::Explainer;
use super::watch::{Subject, TooMany, watch};
use treebeam::decode::{Margin, NO_MARGIN, Workspace, margin};
use treebeam::error::{Error, Problem, Result};
use treebeam::model::Frozen as _;
use treebeam::parser::Loaded;
use treebeam::scorers::AnyModel;
use treebeam::tree::lift::projectivise;
use treebeam::tree::{Gold, Labels, Roots, Tree};
use treebeam::treebank::Sentence;
use treebeam::with_system;

/// Settings of a record.
#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// The widths of the beams; without any, powers of two up to the model's.
    pub widths: Vec<usize>,
    /// Margin of pruning.
    pub margin: Margin,
    /// Most successors of an item that are listed, besides those that were kept or are correct.
    pub listed: usize,
    /// True if the sentence's own tree is gold.
    pub with_gold: bool,
    /// True if scores are taken apart by template, where they are sums over templates.
    pub with_templates: bool,
}

impl Default for TraceOptions {
    fn default() -> TraceOptions {
        TraceOptions { widths: Vec::new(), margin: Margin::None, listed: 6, with_gold: true, with_templates: true }
    }
}

/// The most items of a beam that are recorded: what a page can hold.
const MOST_ITEMS: usize = 20_000;

/// The most bytes of a sentence's block: the page repeats words, and what is read of them, item by item.
const MOST_BYTES: usize = 1 << 20;

/// The most nodes in the lists of these items: each has those of the whole sentence, or nearly.
const MOST_NODES: usize = 2_000_000;

/// The model, if its beams can be watched.
///
/// # Errors
/// If it is graph-based, tags and parses, or was trained with a merging beam.
pub fn watchable(model: &Loaded) -> Result<&Arc<AnyModel>> {
    let found = match model {
        Loaded::Graph(model) => {
            let system = model.header.system;
            format!("the model is for `{system}`, whose search is exact: there is no beam to watch")
        }
        Loaded::Transitions(model) if model.header.joint_target().is_some() => {
            "the model tags and parses, and only derivations of trees can be watched".to_owned()
        }
        Loaded::Transitions(model) if model.header.merges() => {
            "the model was trained with --merge, and only plain beams can be watched".to_owned()
        }
        Loaded::Transitions(model) => return Ok(model),
    };
    Err(Error::Usage(found))
}

/// Decodes `sentence`, which has this `number` in its file, at several widths and records what happens.
///
/// # Errors
/// If the sentence is to have a gold tree and has none that is a tree; if a width is 0; if a beam has too many items to be
/// shown. Of the widths that nobody asked for those are left out that are too wide.
pub fn trace(model: &AnyModel, sentence: &Sentence, number: usize, options: &TraceOptions) -> Result<Trace> {
    let n_words = sentence.n_words();
    let n_bytes = sentence.text().len();
    if n_bytes > MOST_BYTES {
        let found = format!("a sentence of {n_bytes} bytes");
        let location = sentence.location(treebeam::tree::ROOT);
        return Err(
            Problem { location, found, expected: format!("at most {MOST_BYTES}, which a page can show") }.into()
        );
    }
    let most_items = MOST_ITEMS.min(MOST_NODES / n_words.max(1));
    // Every word takes a step at least, and every step has an item: there is no need to decode it to know that these are too many.
    if n_words >= most_items {
        return Err(too_many(sentence, widths(options, model.header.beam)[0].0, n_words + 1, most_items));
    }
    let (mut labels, actions) = model.header.labels_and_actions()?;
    let gold = options.with_gold.then(|| gold(model, sentence, &mut labels)).transpose()?;
    let prepared = gold.as_ref().map(|(_, tree)| Gold::new(tree.clone()));
    let mut explainer = Explainer::new(model, sentence, options.with_templates)?;
    let templates = explainer.templates();
    let mut workspace = Workspace::new(model.actions.n_labels());
    let oracle = model.header.system.beam_oracle();
    let mut lists = (&[][..], 0);
    let mut beams = Vec::new();
    for (width, is_wanted) in widths(options, model.header.beam) {
        if width == 0 {
            return Err(Error::Usage("a beam has at least width 1".to_owned()));
        }
        model.read(sentence, &mut workspace.input);
        let (gold, listed) = (prepared.as_ref(), options.listed);
        let margin = margin::margin(options.margin, &model.header.gaps, width, model.scorer.scale());
        let margin = margin.unwrap_or(NO_MARGIN);
        let subject = Subject { model, gold, oracle, width, margin, listed, most_items };
        let watched = with_system!(model.header.system, model.header.roots, oracle, |system| {
            watch(system, &subject, &mut explainer, &mut workspace)
        });
        match watched {
            Ok((beam, names, n_stacks)) => {
                lists = (names, n_stacks);
                beams.push(beam);
            }
            // The narrowest beam is shown in any case.
            Err(TooMany(n)) if is_wanted || beams.is_empty() => return Err(too_many(sentence, width, n, most_items)),
            Err(TooMany(_)) => {}
        }
    }
    let name = |action: &treebeam::system::Action| ActionName {
        mv: action.mv.name(),
        label: action.mv.makes_arc().then(|| labels.name(action.label).to_owned()),
    };
    Ok(Trace {
        format: FORMAT,
        program: concat!("treebeam ", env!("CARGO_PKG_VERSION")),
        model: ModelCard {
            system: model.header.system.name(),
            about: model.header.system.info().about,
            features: match &model.header.network {
                None => model.header.features.clone(),
                Some(network) => format!("a network of {} hidden units", network.hidden),
            },
            beam: model.header.beam,
            training: model.header.training.clone(),
        },
        sentence: sentence_card(model, sentence, number, gold.map(|(arcs, _)| arcs)),
        scale: model.scorer.scale(),
        lists: lists.0.to_vec(),
        stacks: lists.1,
        labels: labels.names().to_vec(),
        actions: actions.all().iter().map(name).collect(),
        templates,
        values: explainer.into_values(),
        listed: options.listed,
        beams,
    })
}

/// The widths in ascending order, and whether each was asked for.
fn widths(options: &TraceOptions, of_model: usize) -> Vec<(usize, bool)> {
    let mut widths: Vec<usize> = options.widths.clone();
    let are_wanted = !widths.is_empty();
    if !are_wanted {
        // Every second power of two where there are many.
        let step = if of_model > 16 { 4 } else { 2 };
        widths = std::iter::successors(Some(1usize), |width| width.checked_mul(step))
            .take_while(|&width| width < of_model)
            .chain([of_model])
            .collect();
    }
    widths.sort_unstable();
    widths.dedup();
    widths.into_iter().map(|width| (width, are_wanted)).collect()
}

fn too_many(sentence: &Sentence, width: usize, n: usize, most: usize) -> Error {
    Error::Usage(format!(
        "{}: a beam of width {width} has {n} items on the way, or more; at most {most} can be shown of {} words; expected a narrower \
         --beam or a shorter sentence, to which `treebeam treebank convert --cut` divides it",
        sentence.location(treebeam::tree::ROOT),
        sentence.n_words()
    ))
}

/// The gold tree as it stands in the file, and as the model's kind of trees with the model's labels.
fn gold(model: &AnyModel, sentence: &Sentence, labels: &mut Labels) -> Result<(Arcs, Tree)> {
    let Some(scheme) = model.header.lift else {
        let tree = sentence.tree(Roots::Several, labels)?;
        return Ok((Arcs::of(&tree, labels), tree));
    };
    let mut plain = Labels::default();
    let tree = sentence.tree(Roots::Several, &mut plain)?;
    Ok((Arcs::of(&tree, &plain), projectivise(&tree, &plain, scheme, labels)))
}

fn sentence_card(model: &AnyModel, sentence: &Sentence, number: usize, gold: Option<Arcs>) -> SentenceCard {
    let tag = |word| sentence.column(word, model.header.tag_column.into()).to_owned();
    let word = |word| Word { form: sentence.form(word).to_owned(), tag: tag(word) };
    let right_to_left = crate::draw::is_right_to_left(sentence.words().map(|word| sentence.form(word)));
    let id = sentence.id().map(str::to_owned);
    SentenceCard { number, id, words: sentence.words().map(word).collect(), right_to_left, gold }
}
