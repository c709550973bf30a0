//! The models of a page, and what they make of sentences.

use std::path::Path;
use std::sync::Arc;

use treebeam::error::{Error, Result};
use treebeam::parser::{AnyParser, Loaded, ParseOptions};
use treebeam::scorers::AnyModel;
use treebeam::treebank::{Format, Sentence};
use treebeam_lab::trace::{self, TraceOptions, data::Trace};

/// Most words of a sentence: what can be drawn at every width.
const MOST_WORDS: usize = 120;

/// Widest beam.
const MOST_WIDTH: usize = 64;

/// A tagger and parsers.
#[derive(Debug, Default)]
pub struct Engine {
    tagger: Option<(Loaded, AnyParser)>,
    parsers: Vec<Arc<AnyModel>>,
}

impl Engine {
    /// Takes a model on, a tagger or the next parser, which are counted from 0.
    ///
    /// # Errors
    /// If these are not the bytes of a model, or if its system is no transition system.
    pub fn load(&mut self, bytes: &[u8]) -> Result<()> {
        treebeam_systems::register();
        let model = Arc::new(AnyModel::from_bytes(bytes, Path::new("the model"))?);
        if model.header.target().is_none() {
            self.parsers.push(model);
            return Ok(());
        }
        let tagger = Loaded::Transitions(model);
        let parser = AnyParser::new(&tagger, &ParseOptions { threads: 1, ..ParseOptions::default() })?;
        self.tagger = Some((tagger, parser));
        Ok(())
    }

    /// A sentence of CoNLL-U with its tags replaced by those of the tagger.
    ///
    /// # Errors
    /// If it is no sentence, or too long.
    pub fn tag(&mut self, text: &str) -> Result<Sentence> {
        let sentence = sentence(text)?;
        let Some((model, parser)) = &mut self.tagger else { return Ok(sentence) };
        let tagged = parser.parse(std::slice::from_ref(&sentence))?;
        Ok(model.annotated(&sentence, &tagged[0][0].tree)?)
    }

    /// A tagged sentence of CoNLL-U in a beam of one width by one of the parsers. If its words have heads, these are gold.
    ///
    /// # Errors
    /// If it is no sentence, or too long; if there is no such parser, or the beam is too wide.
    pub fn trace(&self, parser: usize, width: usize, text: &str) -> Result<Trace> {
        let sentence = sentence(text)?;
        let model = self.parsers.get(parser).ok_or_else(|| Error::Usage(format!("there is no parser {parser}")))?;
        if !(1..=MOST_WIDTH).contains(&width) {
            return Err(Error::Usage(format!("a beam of width {width}; expected 1 to {MOST_WIDTH}")));
        }
        let with_gold = sentence.words().all(|word| sentence.head(word).is_some());
        trace::trace(model, &sentence, 0, &TraceOptions { widths: vec![width], with_gold, ..TraceOptions::default() })
    }
}

fn sentence(text: &str) -> Result<Sentence> {
    let sentence = Sentence::new("the sentence", Format::Conllu, text.trim_end())?;
    match sentence.n_words() {
        0 => Err(Error::Usage("expected a sentence of one word at least".to_owned())),
        n if n > MOST_WORDS => Err(Error::Usage(format!("a sentence of {n} words; expected at most {MOST_WORDS}"))),
        _ => Ok(sentence),
    }
}
