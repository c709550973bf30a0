//! Several models one behind the other: taggers, and at the end a parser or a tagger.

use super::{AnyParser, Loaded, ParseOptions};
use crate::decode::Parsed;
use crate::error::{Error, Result};
use crate::treebank::{Enhanced, ReadBlock, Sentence, Unread};

/// Models of which each reads what those before it have filled.
#[derive(Debug)]
pub struct Pipeline {
    taggers: Vec<Stage>,
    last: Stage,
}

/// A model and its parser.
#[derive(Debug)]
struct Stage {
    model: Loaded,
    parser: AnyParser,
}

impl Pipeline {
    /// The pipeline of `models`, each with the name that messages call it by. The options are for the last one, `alternatives` for
    /// all taggers, the threads for all.
    ///
    /// # Errors
    /// If there is no model, one before the last is no tagger, or the options are not for the last one.
    pub fn new(models: &[(String, Loaded)], options: &ParseOptions) -> Result<Pipeline> {
        let Some((last, before)) = models.split_last() else {
            return Err(Error::Usage("expected a model".to_owned()));
        };
        if let Some((name, model)) = before.iter().find(|(_, model)| model.target().is_none()) {
            let system = model.system().name();
            return Err(Error::Usage(format!("{name}: a model of `{system}`; expected taggers before the last model")));
        }
        // Some of the models may know of sources.
        let of_model = |model: &Loaded| options.source.filter(|_| !model.sources().is_empty());
        // A joint parser reads the ranks of one tagger.
        let is_read = |model: &Loaded| last.1.joint_target().is_none_or(|column| model.target() == Some(column));
        let of_tagger = |model| ParseOptions {
            threads: options.threads,
            alternatives: options.alternatives.filter(|_| is_read(model)),
            source: of_model(model),
            ..Default::default()
        };
        let stage = |model: &Loaded, options: &ParseOptions| {
            Ok(Stage { parser: AnyParser::new(model, options)?, model: model.clone() })
        };
        let taggers = before.iter().map(|(_, model)| stage(model, &of_tagger(model))).collect::<Result<_>>()?;
        let reads_source = before.iter().any(|(_, model)| !model.sources().is_empty());
        let source = if reads_source { of_model(&last.1) } else { options.source };
        let alternatives = options.alternatives.filter(|_| before.is_empty() || last.1.target().is_some());
        let of_last = ParseOptions { source, alternatives, ..*options };
        let (last, options) = (&last.1, &of_last);
        Ok(Pipeline { taggers, last: stage(last, options)? })
    }

    /// The last model.
    pub fn model(&self) -> &Loaded {
        &self.last.model
    }

    /// The parser of the last model.
    pub fn parser(&self) -> &AnyParser {
        &self.last.parser
    }

    /// Checks that all models take the sentence.
    ///
    /// # Errors
    /// If it is too long for one of them.
    pub fn check(&self, sentence: &Sentence) -> Result<()> {
        self.taggers.iter().chain([&self.last]).try_for_each(|stage| stage.parser.check(sentence))
    }

    /// The sentences with the columns that the models before the last one fill.
    ///
    /// # Errors
    /// If a sentence cannot be tagged.
    pub fn tag(&mut self, mut sentences: Vec<Sentence>) -> Result<Vec<Sentence>> {
        for Stage { model, parser } in &mut self.taggers {
            let tagged = parser.parse(&sentences)?;
            let annotated = parser.each(sentences.len(), |i| model.annotated(&sentences[i], &tagged[i][0]));
            sentences = annotated.into_iter().collect::<Result<_, _>>()?;
        }
        Ok(sentences)
    }

    /// The best trees of tagged sentences by the last model, as [`AnyParser::parse`].
    ///
    /// # Errors
    /// As there.
    pub fn parse(&mut self, sentences: &[Sentence]) -> Result<Vec<Vec<Parsed>>> {
        self.last.parser.parse(sentences)
    }

    /// The sentences of blocks with all that is wrong with them, in the order of the blocks, by all threads.
    pub fn read(&self, blocks: &[Unread]) -> Vec<ReadBlock> {
        self.last.parser.each(blocks.len(), |i| blocks[i].read())
    }

    /// The text of each sentence with its trees, as [`Loaded::write_with`], by all threads.
    pub fn written(
        &self,
        sentences: &[Sentence],
        parsed: &[Vec<Parsed>],
        with_scores: bool,
        enhanced: Enhanced,
    ) -> Vec<Vec<u8>> {
        let Stage { model, parser } = &self.last;
        parser.each(sentences.len(), |i| {
            let mut text = Vec::with_capacity(sentences[i].text().len());
            let written = model.write_with(&sentences[i], &parsed[i], with_scores, enhanced, &mut text);
            written.expect("memory takes all that is written");
            text
        })
    }
}
