//! `treebeam trace --find`: sentences that are worth a look, as a list or as pages behind an index.

use std::path::Path;

use treebeam::diagnosis::Verdict;
use treebeam::error::{Error, Result};
use treebeam::files::Output;
use treebeam::scorers::AnyModel;
use treebeam::treebank::Sentence;
use treebeam_lab::trace::data::{Arcs, Trace};
use treebeam_lab::trace::{Listed, TraceOptions, index, page, trace};

/// Kinds of sentences to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Find {
    /// A gold derivation scores more than the output: the beam lost it
    SearchError,
    /// No gold derivation that was found scores more than the wrong output
    ModelError,
    /// The beam gets arcs right that greedy parsing gets wrong, and more than the other way round
    Repair,
    /// No gold derivation stays in the beam to the end
    GoldFallsOff,
}

/// A sentence and what became of it.
pub struct DecodedSentence {
    number: usize,
    sentence: Sentence,
    /// Words with another head or label than gold: of the output, and of greedy parsing.
    wrong: usize,
    wrong_greedily: usize,
    verdict: Verdict,
    fell_off: Option<usize>,
}

/// Heads of the columns before the sentence.
pub const HEADS: [&str; 7] = ["number", "id", "words", "wrong arcs", "wrong greedily", "gold falls off at", "verdict"];

impl DecodedSentence {
    /// `sentence`, decoded greedily and in the widest beam of `options`; `None` without a gold tree.
    ///
    /// # Errors
    /// If no page could show it.
    pub fn new(model: &AnyModel, sentence: Sentence, number: usize, options: &TraceOptions) -> Result<Option<Self>> {
        let record = trace(model, &sentence, number, options)?;
        let found = record.beams.first().zip(record.beams.last()).zip(record.sentence.gold.as_ref());
        let Some(((greedy, beam), (gold, side))) =
            found.and_then(|(beams, gold)| Some((beams, (gold, beams.1.gold.as_ref()?))))
        else {
            return Ok(None);
        };
        let wrong = |tree: &Arcs| {
            let heads = tree.heads.iter().zip(&gold.heads);
            let labels = tree.labels.iter().zip(&gold.labels);
            heads.zip(labels).filter(|((head, right), (label, name))| head != right || label != name).count()
        };
        let (wrong, wrong_greedily) = (wrong(&beam.output.tree), wrong(&greedy.output.tree));
        let (verdict, fell_off) = (side.verdict, side.fell_off.map(|fell| fell.step));
        Ok(Some(DecodedSentence { number, sentence, wrong, wrong_greedily, verdict, fell_off }))
    }

    /// Number by which sentences of this kind are ranked, the worst first; `None` for one of another kind.
    pub fn rank(&self, find: Find) -> Option<usize> {
        let is_of_kind = match find {
            Find::SearchError => self.verdict == Verdict::SearchError,
            Find::ModelError => self.verdict == Verdict::ModelError,
            Find::Repair => self.wrong < self.wrong_greedily,
            Find::GoldFallsOff => self.fell_off.is_some(),
        };
        let rank = if find == Find::Repair { self.wrong_greedily.saturating_sub(self.wrong) } else { self.wrong };
        is_of_kind.then_some(rank)
    }

    fn text(&self) -> String {
        self.sentence.words().map(|word| self.sentence.form(word)).collect::<Vec<_>>().join(" ")
    }

    /// Values in the columns of the list.
    fn cells(&self) -> Vec<String> {
        let verdict = match self.verdict {
            Verdict::Right => "right",
            Verdict::SearchError => "search error",
            Verdict::ModelError => "model error",
        };
        vec![
            self.number.to_string(),
            self.sentence.id().unwrap_or("_").to_owned(),
            self.sentence.n_words().to_string(),
            self.wrong.to_string(),
            self.wrong_greedily.to_string(),
            self.fell_off.map_or("_".to_owned(), |step| format!("step {step}")),
            verdict.to_owned(),
        ]
    }
}

/// The list as text: a line for each sentence, with tabs between its columns.
pub fn list(found: &[DecodedSentence]) -> String {
    let line = |found: &DecodedSentence| format!("{}\t{}\n", found.cells().join("\t"), found.text());
    format!("{}\tsentence\n", HEADS.join("\t")) + &found.iter().map(line).collect::<String>()
}

/// Writes the page of each sentence and an index to `folder`.
///
/// # Errors
/// If a file cannot be written.
pub fn pages(
    width: usize,
    found: &[DecodedSentence],
    title: &str,
    folder: &Path,
    record: impl Fn(&Sentence, usize) -> Result<Trace>,
) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let mut listed = Vec::new();
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let mut output = Output::create(&path)?;
        std::io::Write::write_all(&mut output, text.as_bytes()).map_err(Error::io(&path))?;
        output.finish()
    };
    for found in found {
        let name = format!("sentence-{}.html", found.number);
        write(&name, &page(record(&found.sentence, found.number)?)?)?;
        let step = found.fell_off.map_or(String::new(), |step| format!("#width={width}&step={step}&rank=1"));
        listed.push(Listed { page: name + &step, text: found.text(), cells: found.cells() });
    }
    write("index.html", &index(title, &HEADS, &listed))
}
