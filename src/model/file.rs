//! The model file of a transition-based parser: a header, the kind of its scorer, and the sections of that kind.

use std::path::Path;

use super::{Frozen, Header, Model};
use crate::error::Result;
use crate::files::{FileKind, Section, Sections};

const MODEL: FileKind =
    FileKind { magic: b"treebeam", version: 4, name: "model; expected a file written by `treebeam train`" };

/// Options in the headers of earlier models that there are no more.
const REMOVED: [&str; 4] =
    ["\"align\":\"words\"", "\"normalise\":\"length\"", "\"learner\":\"asgd\"", "\"learner\":\"dual-averaging\""];

impl<F: Frozen> Model<F> {
    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        MODEL.pack(&self.sections())
    }

    fn sections(&self) -> Vec<Section<'_>> {
        let header = serde_json::to_vec(&self.header).expect("a header is plain data");
        let mut sections = vec![Section::new("header", header), Section::new("scorer", self.scorer.kind().as_bytes())];
        sections.extend(self.scorer.sections());
        sections
    }

    /// True if a file that begins with these eight bytes is one.
    pub fn is(bytes: &[u8]) -> bool {
        bytes.starts_with(MODEL.magic)
    }

    /// The model in `bytes`; `path` is what errors call it.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged model file of this version and kind.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model<F>> {
        Model::from_sections(&MODEL.unpack(bytes.to_vec(), path)?)
    }

    /// Maps a model file into memory, or reads it if it is packed or a pipe.
    ///
    /// # Errors
    /// If it cannot be read, or is not a whole, unchanged model file of this version and kind.
    pub fn read_file(path: &Path) -> Result<Model<F>> {
        Model::from_sections(&MODEL.read(path)?)
    }

    /// The model that the sections of a file hold.
    ///
    /// # Errors
    /// If they do not hold one of this kind.
    pub fn from_sections(sections: &Sections) -> Result<Model<F>> {
        let kind = sections.get("scorer")?;
        if !F::reads(kind) {
            let (kind, expected) = (String::from_utf8_lossy(kind), F::KIND);
            return Err(sections.damaged(&format!("the scorer is of kind `{kind}`; expected `{expected}`")));
        }
        let text = String::from_utf8_lossy(sections.get("header")?);
        if let Some(option) = REMOVED.into_iter().find(|option| text.contains(option)) {
            let what = format!("it was trained with {option}, which there is no more; train it again without");
            return Err(sections.damaged(&what));
        }
        let header: Header = sections.json("header")?;
        let (labels, actions) = header.labels_and_actions().map_err(|error| sections.damaged(&error.to_string()))?;
        let scorer = F::from_sections(sections, &header, &actions)?;
        Ok(Model::of(header, (labels, actions), scorer))
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        MODEL.write(&self.sections(), path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Linear;

    #[test]
    fn models_with_removed_options_say_so() {
        for option in REMOVED {
            let header = format!("{{{option}}}").into_bytes();
            let sections = [Section::new("header", header), Section::new("scorer", Linear::KIND.as_bytes())];
            let error = Model::<Linear>::from_bytes(&MODEL.pack(&sections), Path::new("old.model")).unwrap_err();
            let expected =
                format!("old.model: it was trained with {option}, which there is no more; train it again without");
            assert_eq!(error.to_string(), expected);
        }
    }
}
