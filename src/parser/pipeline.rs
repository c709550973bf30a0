//! Several models one behind the other: taggers, and at the end a parser or a tagger.

use super::{AnyParser, Loaded, ParseOptions};
use crate::decode::Parsed;
use crate::error::{Error, Result};
use crate::treebank::Sentence;

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
    /// The pipeline of `models`, each with the name that messages call it by. The options are for the last one; the threads are for
    /// all.
    ///
    /// # Errors
    /// If there is no model, one before the last is no tagger, or the options are not for the last one.
    pub fn new(models: &[(String, Loaded)], options: &ParseOptions) -> Result<Pipeline> {
        let Some(((_, last), before)) = models.split_last() else {
            return Err(Error::Usage("expected a model".to_owned()));
        };
        if let Some((name, model)) = before.iter().find(|(_, model)| model.target().is_none()) {
            let system = model.system().name();
            return Err(Error::Usage(format!("{name}: a model of `{system}`; expected taggers before the last model")));
        }
        let of_taggers = ParseOptions { threads: options.threads, ..ParseOptions::default() };
        let stage =
            |model: &Loaded, options| Ok(Stage { parser: AnyParser::new(model, options)?, model: model.clone() });
        let taggers = before.iter().map(|(_, model)| stage(model, &of_taggers)).collect::<Result<_>>()?;
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
            let pairs = sentences.iter().zip(&tagged);
            sentences =
                pairs.map(|(sentence, tagged)| model.annotated(sentence, &tagged[0].tree)).collect::<Result<_, _>>()?;
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
}
