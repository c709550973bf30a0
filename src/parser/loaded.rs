//! A model of whichever kind.

use std::borrow::Cow;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::sync::Arc;

use crate::decode::{Confidence, Parsed};
use crate::error::{Error, Problem, Result};
use crate::features::{ColumnName, Input};
use crate::files::{open, open_to_keep};
use crate::graph::GraphModel;
use crate::model::{Calibration, Frozen as _};
use crate::options::ParserKind;
use crate::scorers::AnyModel;
use crate::tree::{LabelId, Labels, Roots};
use crate::treebank::{CONFIDENCES, Column, Enhanced, Sentence, Words};

/// A model, of a transition system or a graph-based parser. Clones share it.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// Of a transition system.
    Transitions(Arc<AnyModel>),
    /// Of a graph-based parser.
    Graph(Arc<GraphModel>),
}

impl Loaded {
    /// Maps or reads a model file; its first bytes show its kind.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file.
    pub fn read(path: &Path) -> Result<Loaded> {
        let transitions = |model| Loaded::Transitions(Arc::new(model));
        let graph = |model| Loaded::Graph(Arc::new(model));
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) || path == Path::new("-") {
            // A pipe can be read only once, and may have no end.
            let mut input = open_to_keep(path).map_err(Error::io(path))?;
            let mut bytes = Vec::new();
            input.by_ref().take(8).read_to_end(&mut bytes).map_err(Error::io(path))?;
            if GraphModel::is(&bytes) || AnyModel::is(&bytes) {
                input.read_to_end(&mut bytes).map_err(Error::io(path))?;
            }
            return match GraphModel::is(&bytes) {
                true => GraphModel::from_bytes(&bytes, path).map(graph),
                false => AnyModel::from_bytes(&bytes, path).map(transitions),
            };
        }
        let mut start = Vec::new();
        open(path)?.take(8).read_to_end(&mut start).map_err(Error::io(path))?;
        match GraphModel::is(&start) {
            true => GraphModel::read(path).map(graph),
            false => AnyModel::read_file(path).map(transitions),
        }
    }

    /// The parser that the model is of.
    pub fn system(&self) -> ParserKind {
        match self {
            Loaded::Transitions(model) => ParserKind::Transitions(model.header.system),
            Loaded::Graph(model) => ParserKind::Graph(model.header.system),
        }
    }

    /// The width of the beam that it was trained with, if it is for beams.
    pub fn beam(&self) -> Option<usize> {
        match self {
            Loaded::Transitions(model) => Some(model.header.beam),
            Loaded::Graph(_) => None,
        }
    }

    /// The whole header.
    ///
    /// # Errors
    /// Never, as headers are plain data.
    pub fn header(&self) -> Result<serde_json::Value> {
        let header = match self {
            Loaded::Transitions(model) => serde_json::to_value(&model.header),
            Loaded::Graph(model) => serde_json::to_value(&model.header),
        };
        header.map_err(|error| Error::Usage(error.to_string()))
    }

    /// The labels of parsed trees.
    pub fn labels(&self) -> &Labels {
        match self {
            Loaded::Transitions(model) => model.label_decoding.labels(),
            Loaded::Graph(model) => model.label_decoding.labels(),
        }
    }

    /// The column that the model fills, if it is a tagger.
    pub fn target(&self) -> Option<Column> {
        match self {
            Loaded::Transitions(model) => model.header.target(),
            Loaded::Graph(_) => None,
        }
    }

    /// The column that the model fills beside the tree, if it tags and parses.
    pub fn joint_target(&self) -> Option<Column> {
        match self {
            Loaded::Transitions(model) => model.header.joint_target(),
            Loaded::Graph(_) => None,
        }
    }

    /// The column of tags that the model fills, if it fills one: as a tagger, or beside the tree.
    pub fn tags_column(&self) -> Option<Column> {
        self.target().or(self.joint_target())
    }

    /// The sentence with the tags that the model gave it, if it tags; in MISC those alternatives of a tagger that were asked for.
    pub fn tagged<'s>(&self, sentence: &'s Sentence, parsed: &Parsed) -> Cow<'s, Sentence> {
        let name = |&label: &LabelId| self.labels().name(label);
        let (column, tags) = match (self.target(), self.joint_target()) {
            (Some(column), _) => (column, parsed.tree.labels()),
            (None, Some(column)) => (column, &parsed.tags[..]),
            (None, None) => return Cow::Borrowed(sentence),
        };
        let tagged = sentence.with_column(column, &tags.iter().map(name).collect::<Vec<_>>());
        if parsed.alternatives.is_empty() {
            return Cow::Owned(tagged);
        }
        let of_word = |tags: &Vec<LabelId>| tags.iter().map(name).collect();
        Cow::Owned(tagged.with_ranked_tags(&parsed.alternatives.iter().map(of_word).collect::<Vec<_>>()))
    }

    /// The number of words that may hang on the root.
    pub fn roots(&self) -> Roots {
        match self {
            Loaded::Transitions(model) => model.header.roots,
            Loaded::Graph(model) => model.header.roots,
        }
    }

    /// The labels of trees as they are decoded, if search can be restricted to some of them.
    pub(super) fn decoded_labels(&self) -> Option<&[String]> {
        match self {
            Loaded::Transitions(model) => Some(&model.header.labels),
            Loaded::Graph(_) => None,
        }
    }

    /// The columns that features of words and of tags read.
    pub fn columns(&self) -> (ColumnName, ColumnName) {
        match self {
            // A tagger does not read what it fills.
            Loaded::Transitions(model) if self.tags_column().is_some() => {
                (model.header.word_column, model.header.word_column)
            }
            Loaded::Transitions(model) => (model.header.word_column, model.header.tag_column),
            Loaded::Graph(model) => (model.header.word_column, model.header.tag_column),
        }
    }

    /// All columns that features read.
    pub fn read_columns(&self) -> Vec<Column> {
        match self {
            Loaded::Transitions(model) => model.scorer.columns().read(),
            Loaded::Graph(model) => model.columns.read(),
        }
    }

    /// The names of the treebanks that the model was trained on, if they had names.
    pub fn sources(&self) -> &[String] {
        match self {
            Loaded::Transitions(model) => &model.header.sources,
            Loaded::Graph(_) => &[],
        }
    }

    /// The tags of the training data, if the model names them.
    pub fn tags(&self) -> &[String] {
        match self {
            Loaded::Transitions(model) => &model.header.tags,
            Loaded::Graph(_) => &[],
        }
    }

    /// Scale of scores: the value of a score of 1.0 in the model's fixed point.
    pub fn scale(&self) -> u32 {
        match self {
            Loaded::Transitions(model) => model.scorer.scale(),
            Loaded::Graph(model) => model.scorer.scale(),
        }
    }

    /// The calibration of confidences, if there is one.
    pub fn confidence(&self) -> Option<Calibration> {
        match self {
            Loaded::Transitions(model) => model.confidence(),
            Loaded::Graph(model) => model.header.confidence,
        }
    }

    /// Replaces `input` by what the model reads of `sentence`, keeping the memory.
    pub fn input(&self, sentence: &dyn Words, input: &mut Input) {
        match self {
            Loaded::Transitions(model) => model.read(sentence, input),
            Loaded::Graph(model) => model.read_words(sentence, input),
        }
    }

    /// The sentence with the tags, or the tree, that the model gave it; without its enhanced graph if that may not go with the tree.
    ///
    /// # Errors
    /// None that a model's labels could cause.
    pub fn annotated(&self, sentence: &Sentence, parsed: &Parsed) -> Result<Sentence, Problem> {
        if self.target().is_some() {
            return Ok(self.tagged(sentence, parsed).into_owned());
        }
        let (tree, names) = (&parsed.tree, self.labels().names_of(&parsed.tree));
        let mut text = Vec::new();
        sentence.write_parsed(&mut text, tree.heads(), &names).expect("memory takes all that is written");
        let text = String::from_utf8_lossy(&text);
        sentence.with_text(text.strip_suffix('\n').unwrap_or(&text))
    }

    /// Writes a sentence once with each of the trees that were parsed of it; `with_scores` with rank and score as comments.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write(
        &self,
        sentence: &Sentence,
        parsed: &[Parsed],
        with_scores: bool,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        self.write_with(sentence, parsed, with_scores, Enhanced::Drop, output)
    }

    /// [`Loaded::write`], with the sentence's enhanced graph as `enhanced` says.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write_with(
        &self,
        sentence: &Sentence,
        parsed: &[Parsed],
        with_scores: bool,
        enhanced: Enhanced,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let labels = self.labels();
        for (rank, parsed) in parsed.iter().enumerate() {
            if with_scores {
                let score = parsed.score as f64 / f64::from(self.scale());
                writeln!(output, "# rank = {}\n# score = {score:.4}", rank + 1)?;
            }
            let (names, sentence) = (labels.names_of(&parsed.tree), self.tagged(sentence, parsed));
            let confidences = parsed.confidences.iter().map(|confidence| {
                let ([of_head, of_label], Confidence { head, label }) = (CONFIDENCES, confidence);
                format!("{of_head}={head:.2}|{of_label}={label:.2}")
            });
            let confidences: Vec<String> = confidences.collect();
            match self.target() {
                Some(_) => sentence.write(output)?,
                None => sentence.write_parsed_with(output, parsed.tree.heads(), &names, enhanced, &confidences)?,
            }
        }
        Ok(())
    }
}
