//! Sentences of a treebank on which something can be seen, by what both parsers make of them at several widths.

use std::path::Path;

use serde::Serialize;
use treebeam::decode::Margin;
use treebeam::error::Result;
use treebeam::parser::{AnyParser, Loaded, ParseOptions, Pipeline};
use treebeam::treebank::{Reader, Sentence};

/// Widths at which sentences are looked at.
const WIDTHS: [usize; 4] = [1, 4, 16, 64];

/// Lengths of sentences that fit a screen.
const WORDS: std::ops::RangeInclusive<usize> = 7..=14;

/// Most sentences that are looked at, and most of a kind that are listed.
const MOST_READ: usize = 1500;
const MOST_LISTED: usize = 4;

/// Numbers of wrong arcs of a sentence at each of [`WIDTHS`].
type Wrong = [usize; WIDTHS.len()];

/// Strength of the example: larger for a clearer one, 0 if the sentence is not of the kind. Computed from the wrong arcs of the greedily and
/// of the globally trained parser.
type Measure = fn(Wrong, Wrong) -> usize;

/// A kind of sentence.
struct SentenceKind {
    name: &'static str,
    /// The width at which it shows.
    width: usize,
    measure: Measure,
}

/// The kinds; a sentence is of the first one that it fits.
const KINDS: [SentenceKind; 6] = [
    SentenceKind {
        name: "A beam spoils it, after greedy training",
        width: 16,
        measure: |[one, _, sixteen, _], [.., global, _]| if one + global == 0 { sixteen } else { 0 },
    },
    SentenceKind {
        name: "Only global training finds it, at any width",
        width: 16,
        measure: |greedy, global| if global == [0; WIDTHS.len()] { least(greedy) } else { 0 },
    },
    SentenceKind {
        name: "A beam repairs it, after global training",
        width: 1,
        measure: |_, [one, four, sixteen, _]| if four + sixteen == 0 { one } else { 0 },
    },
    SentenceKind {
        name: "A beam of 4 is too narrow",
        width: 4,
        measure: |_, [_, four, sixteen, most]| if sixteen + most == 0 { four } else { 0 },
    },
    SentenceKind {
        name: "Only greedy training finds it",
        width: 1,
        measure: |[one, ..], global| if one == 0 { least(global) } else { 0 },
    },
    SentenceKind {
        name: "Neither finds it, at any width",
        width: 16,
        measure: |greedy, global| least(greedy).min(least(global)),
    },
];

fn least(wrong: Wrong) -> usize {
    wrong.into_iter().min().unwrap_or(0)
}

/// A group of the list.
#[derive(Debug, Serialize)]
pub struct Group {
    name: &'static str,
    width: usize,
    /// The sentences as CoNLL-U with their gold trees.
    sentences: Vec<String>,
}

/// The sentences of `sentences.conllu` in `folder` that show something; `models` are the files of the tagger and of the parsers that were
/// trained greedily and globally.
///
/// # Errors
/// If a file cannot be read, or a sentence has no tree.
pub fn choose(folder: &Path, models: &[String; 3]) -> Result<Vec<Group>> {
    let load = |name: &String| Loaded::read(&folder.join(name)).map(|model| (name.clone(), model));
    let [tagger, greedy, global] = models;
    let (tagger, greedy, global) = (load(tagger)?, load(greedy)?, load(global)?);
    let gold: Vec<Sentence> = Reader::open(&folder.join("sentences.conllu"), None)?
        .filter(|sentence| sentence.as_ref().map_or(true, |sentence| WORDS.contains(&sentence.n_words())))
        .take(MOST_READ)
        .collect::<Result<_, _>>()?;
    let tagged = Pipeline::new(&[tagger, greedy.clone()], &ParseOptions::default())?.tag(gold.clone())?;
    let [of_greedy, of_global] = [wrong(&greedy.1, &gold, &tagged)?, wrong(&global.1, &gold, &tagged)?];
    let mut listed: Vec<Vec<(usize, usize)>> = KINDS.map(|_| Vec::new()).into();
    for i in 0..gold.len() {
        let measured = KINDS.iter().map(|kind| (kind.measure)(of_greedy[i], of_global[i]));
        if let Some((kind, by)) = measured.enumerate().find(|&(_, by)| by > 0) {
            listed[kind].push((by, i));
        }
    }
    let group = |(kind, mut found): (&SentenceKind, Vec<(usize, usize)>)| {
        // The clearest ones; of these the shorter ones first.
        found.sort_by_key(|&(by, i)| (std::cmp::Reverse(by.min(3)), gold[i].n_words(), i));
        let sentences = found.iter().take(MOST_LISTED).map(|&(_, i)| gold[i].text().to_owned()).collect();
        Group { name: kind.name, width: kind.width, sentences }
    };
    let groups = KINDS.iter().zip(listed).map(group);
    Ok(groups.filter(|group| !group.sentences.is_empty()).collect())
}

/// Numbers of words of each sentence with another head or label than gold, at each width.
fn wrong(model: &Loaded, gold: &[Sentence], tagged: &[Sentence]) -> Result<Vec<Wrong>> {
    let mut all = vec![[0; WIDTHS.len()]; gold.len()];
    for (place, width) in WIDTHS.into_iter().enumerate() {
        let options = ParseOptions { beam: Some(width), margin: Some(Margin::None), ..ParseOptions::default() };
        let parsed = AnyParser::new(model, &options)?.parse(tagged)?;
        for ((wrong, sentence), parsed) in all.iter_mut().zip(gold).zip(parsed) {
            let tree = &parsed[0].tree;
            let names = model.labels().names_of(tree);
            let is_wrong = |&(word, name): &(_, &str)| {
                sentence.head(word) != Some(tree.head(word)) || sentence.deprel(word) != name
            };
            wrong[place] = sentence.words().zip(names).filter(is_wrong).count();
        }
    }
    Ok(all)
}
