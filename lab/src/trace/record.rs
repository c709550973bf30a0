//! From what was seen to the record.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::data::{
    ActionName, Arcs, Beam, Cell, FORMAT, FellOff, GoldSide, Item, ModelCard, Output, PrefixMargin, SentenceCard, Step,
    Successor, Trace, Word,
};
use super::explain::Explainer;
use super::watch::{SeenGold, SeenItem, SeenPlace, SeenSuccessor, Subject, TooMany, Watched, watch};
use treebeam::decode::{IDLE, Margin, NO_MARGIN, Workspace, margin};
use treebeam::error::{Error, Result};
use treebeam::learn::Update;
use treebeam::model::Frozen as _;
use treebeam::scorers::AnyModel;
use treebeam::system::{Choice, OracleKind};
use treebeam::tree::lift::projectivise;
use treebeam::tree::{Gold, Labels, Roots, Tree};
use treebeam::treebank::Sentence;
use treebeam::with_system;

/// Settings of a record.
#[derive(Debug, Clone)]
pub struct Options {
    /// The widths of the beams; without any, powers of two up to the model's.
    pub widths: Vec<usize>,
    /// Margin of pruning.
    pub margin: Margin,
    /// Most successors of an item that are listed, besides those that were kept or are correct.
    pub listed: usize,
    /// True if the sentence's own tree is gold.
    pub with_gold: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { widths: Vec::new(), margin: Margin::None, listed: 6, with_gold: true }
    }
}

/// The most items of a beam that are recorded: what a page can hold.
const MOST_ITEMS: usize = 20_000;

/// The most nodes in the lists of these items: each has those of the whole sentence, or nearly.
const MOST_NODES: usize = 2_000_000;

/// Decodes `sentence`, which has this `number` in its file, at several widths and records what happens.
///
/// # Errors
/// If the sentence is to have a gold tree and has none that is a tree; if a width is 0; if a beam has too many items to be
/// shown. Of the widths that nobody asked for those are left out that are too wide.
pub fn trace(model: &AnyModel, sentence: &Sentence, number: usize, options: &Options) -> Result<Trace> {
    let n_words = sentence.n_words();
    let most_items = MOST_ITEMS.min(MOST_NODES / n_words.max(1));
    // Every word takes a step at least, and every step has an item: there is no need to decode it to know that these are too many.
    if n_words >= most_items {
        return Err(too_many(sentence, widths(options, model.header.beam)[0].0, n_words + 1, most_items));
    }
    let (mut labels, actions) = model.header.labels_and_actions()?;
    let gold = options.with_gold.then(|| gold(model, sentence, &mut labels)).transpose()?;
    let prepared = gold.as_ref().map(|(_, tree)| Gold::new(tree.clone()));
    let mut explainer = Explainer::new(model, sentence)?;
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
        let margin = margin::margin(options.margin, &model.header.lags, width, model.scorer.scale());
        let margin = margin.unwrap_or(NO_MARGIN);
        let subject = Subject { model, gold, oracle, width, margin, listed, most_items };
        let watched = with_system!(model.header.system, model.header.roots, oracle, |system| {
            watch(system, &subject, &mut explainer, &mut workspace)
        });
        match watched {
            Ok(watched) => {
                lists = (watched.lists, watched.n_stacks);
                beams.push(Recorder::new(&watched, &subject).beam(&watched));
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
fn widths(options: &Options, of_model: usize) -> Vec<(usize, bool)> {
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
        return Ok((arcs(&tree, labels), tree));
    };
    let mut plain = Labels::default();
    let tree = sentence.tree(Roots::Several, &mut plain)?;
    Ok((arcs(&tree, &plain), projectivise(&tree, &plain, scheme, labels)))
}

fn arcs(tree: &Tree, labels: &Labels) -> Arcs {
    Arcs {
        heads: tree.words().map(|word| tree.head(word)).collect(),
        labels: labels.names_of(tree).into_iter().map(str::to_owned).collect(),
    }
}

fn sentence_card(model: &AnyModel, sentence: &Sentence, number: usize, gold: Option<Arcs>) -> SentenceCard {
    let tag = |word| sentence.column(word, model.header.tag_column.into()).to_owned();
    let word = |word| Word { form: sentence.form(word).to_owned(), tag: tag(word) };
    let right_to_left = crate::draw::is_right_to_left(sentence.words().map(|word| sentence.form(word)));
    let id = sentence.id().map(str::to_owned);
    SentenceCard { number, id, words: sentence.words().map(word).collect(), right_to_left, gold }
}

/// Recorder of the beams of one width.
struct Recorder<'r> {
    subject: &'r Subject<'r>,
    lists: &'static [&'static str],
    n_stacks: usize,
    has_points: bool,
    cells: Vec<Cell>,
    by_name: HashMap<usize, u32>,
    chains: Vec<(u32, Option<u32>)>,
    by_link: HashMap<(u32, Option<u32>), u32>,
}

impl<'r> Recorder<'r> {
    fn new(watched: &Watched, subject: &'r Subject<'r>) -> Recorder<'r> {
        Recorder {
            subject,
            lists: watched.lists,
            n_stacks: watched.n_stacks,
            has_points: watched.has_points,
            cells: Vec::new(),
            by_name: HashMap::new(),
            chains: Vec::new(),
            by_link: HashMap::new(),
        }
    }

    fn beam(mut self, watched: &Watched) -> Beam {
        let mut steps = Vec::with_capacity(watched.steps.len());
        for seen in &watched.steps {
            let names: HashSet<usize> = seen.items.iter().flat_map(cells_of).collect();
            steps.push(Step {
                items: seen.items.iter().zip(1..).map(|(item, rank)| self.item(item, Some(rank))).collect(),
                places: seen.items.iter().map(|item| cells_of(item).count()).sum(),
                cells: names.len(),
                successors: seen.n_successors,
            });
        }
        let model = self.subject.model;
        let tree = model.label_decoding.finish(watched.output.tree.clone());
        let output = Output { tree: arcs(&tree, model.labels()), score: watched.output.score, rank: 1 };
        let gold = watched.gold.as_ref().map(|gold| self.gold(gold, watched));
        let Subject { width, margin, .. } = *self.subject;
        let margin = (margin < NO_MARGIN).then_some(margin);
        Beam { width, margin, steps, output, gold, cells: self.cells, chains: self.chains }
    }

    fn gold(&mut self, gold: &SeenGold, watched: &Watched) -> GoldSide {
        let mut path = Vec::with_capacity(gold.path.len());
        // The rank of the item in the beam that has the same derivation.
        let mut rank = Some(0);
        for (step, seen) in gold.path.iter().enumerate() {
            if step > 0 {
                let beam = watched.steps.get(step).map_or(&[][..], |step| &step.items);
                let same = |item: &SeenItem| item.parent == rank && item.choice == seen.choice;
                rank = rank.and_then(|_| beam.iter().position(same));
            }
            path.push(self.item(seen, rank.map(|rank| rank + 1)));
        }
        let fell_off = gold.followed.fell_off.zip(gold.would_be).map(|(step, (rank, score))| {
            let last = watched.steps.get(step).and_then(|step| step.items.last()).map_or(score, |item| item.score);
            FellOff { step, rank: rank + 1, gap: last - score }
        });
        let margin = |prefix: &treebeam::learn::PrefixScores| PrefixMargin {
            best: prefix.predicted,
            gold: prefix.gold,
            in_beam: prefix.gold_in_beam,
        };
        let all = [Update::Early, Update::Standard, Update::MaxViolation, Update::Latest, Update::Hybrid];
        let chosen = all.into_iter().filter_map(|update| Some((update, update.choose(&gold.prefixes)? + 1)));
        GoldSide {
            oracle: oracle_name(self.subject.oracle).to_owned(),
            derivable: gold.followed.is_derivable,
            verdict: gold.followed.verdict,
            score: gold.followed.scores.1,
            output: gold.followed.scores.0,
            fell_off,
            path,
            margins: gold.prefixes.iter().map(margin).collect(),
            updates: chosen.collect::<BTreeMap<Update, usize>>(),
        }
    }

    fn item(&mut self, seen: &SeenItem, rank: Option<usize>) -> Item {
        let nodes = |list: &Vec<SeenPlace>| list.iter().map(|place| place.node).collect();
        let names = self.lists.iter().copied();
        Item {
            rank,
            score: seen.score,
            parent: seen.parent.map(|rank| rank + 1),
            action: self.action(seen.choice),
            point: self.point(seen.choice),
            gold: seen.is_gold,
            complete: seen.is_complete,
            lists: names.zip(seen.places.iter().map(nodes)).collect(),
            chains: seen.places.iter().enumerate().map(|(list, places)| self.chain(list, places)).collect(),
            arcs: seen.arcs.clone(),
            successors: seen.successors.iter().map(|successor| self.successor(successor)).collect(),
            more: seen.n_more,
            weights: seen.weights.clone(),
            reads: seen.reads.clone(),
        }
    }

    fn successor(&self, seen: &SeenSuccessor) -> Successor {
        let &SeenSuccessor { choice, score, fate, cost, is_correct } = seen;
        Successor { action: self.action(choice), point: self.point(choice), score, fate, cost, correct: is_correct }
    }

    fn action(&self, choice: Choice) -> Option<u16> {
        (choice != IDLE).then_some(choice.action)
    }

    fn point(&self, choice: Choice) -> Option<u16> {
        (choice != IDLE && self.has_points).then_some(choice.point)
    }

    /// The chain of a list's cells, from the end at which it changes.
    fn chain(&mut self, list: usize, places: &[SeenPlace]) -> Option<u32> {
        let mut chain = None;
        let add = |place: &SeenPlace| {
            let next = self.cells.len() as u32;
            let cell = *self.by_name.entry(place.cell).or_insert(next);
            if cell == next {
                self.cells.push(Cell { node: place.node, dependents: place.dependents });
            }
            let next = self.chains.len() as u32;
            let number = *self.by_link.entry((cell, chain)).or_insert(next);
            if number == next {
                self.chains.push((cell, chain));
            }
            chain = Some(number);
        };
        match list < self.n_stacks {
            true => places.iter().for_each(add),
            false => places.iter().rev().for_each(add),
        }
        chain
    }
}

/// The names of the cells in which an item's lists stand, each once.
fn cells_of(item: &SeenItem) -> impl Iterator<Item = usize> + '_ {
    item.places.iter().flatten().map(|place| place.cell)
}

fn oracle_name(oracle: OracleKind) -> &'static str {
    match oracle {
        oracle if oracle.is_static() => "the canonical derivation",
        _ => "every derivation of least cost",
    }
}
