//! Feature sets of networks, as data: `.feat` files with places in place of templates.
//!
//! ```text
//! # a comment
//! network                  what follows is for networks
//! reads lemma feats*       inputs beside word and tag, at most three; without this line prefix, suffix and shape
//! embedding word 64        the numbers in an embedding of a word; so of a tag, of what else is read, of a label; 0: it is not read
//! S0 S0.l1 S0.r1           places whose words are read, as many a line as one likes
//! S0.label S0.l1.label     places of which the label of an arc is read
//! ```
//!
//! Columns that are not named have the lengths of [`DIMENSIONS`]; what `reads` names has [`INPUT_DIMENSION`] numbers. `M0`, the first
//! word between the focus words of Covington's systems, is left out where systems have no such words. A set for a stack-lstm has no
//! places, as it reads whole stacks.

use std::path::Path;

use super::line::{LineFault, code, column, quoted, words};
use super::place::Place;
use super::{Attribute, FeatureSet};
use crate::configuration::{Role, Slot};
use crate::error::{Error, Problem, Result, excerpt};
use crate::system::SystemKind;
use crate::treebank::Column;

/// The columns of a sentence that networks read.
pub const N_COLUMNS: usize = 5;

/// The numbers in an embedding of a word, a tag, a prefix, a suffix and a shape unless a set says otherwise.
pub const DIMENSIONS: [usize; N_COLUMNS] = [64, 32, 24, 24, 16];

/// The most inputs beside word and tag.
const MAX_INPUTS: usize = N_COLUMNS - 2;

/// The numbers in an embedding of an input that `reads` names unless a set says otherwise.
pub const INPUT_DIMENSION: usize = 24;

/// The numbers in an embedding of a label unless a set says otherwise.
pub const LABEL_DIMENSION: usize = 24;

/// The most numbers that an embedding or a hidden layer may have.
pub const MAX_DIMENSION: usize = 4096;

/// Names of the columns with embeddings, in the order of [`DIMENSIONS`].
const COLUMNS: [&str; N_COLUMNS] = ["word", "tag", "prefix", "suffix", "shape"];

/// The most places that a set may have.
const MAX_PLACES: usize = 256;

/// Checks what a network reads of a word, as headers have it.
///
/// # Errors
/// If it is nothing, or more than there are columns.
pub(crate) fn check_inputs(inputs: &[Attribute], dimensions: &[usize; N_COLUMNS]) -> Result<()> {
    let found = if dimensions.iter().all(|dimension| *dimension == 0) {
        "the network reads no column of words; expected an embedding of one number or more"
    } else if inputs.len() > MAX_INPUTS || !inputs.iter().all(|input| input.is_column()) {
        "the network reads more of a word than three parts of columns"
    } else {
        return Ok(());
    };
    Err(Error::Usage(found.to_owned()))
}

/// The built-in sets for networks: name and text.
pub const NETWORK_SETS: &[(&str, &str)] = &[
    ("focus", include_str!("sets/network/focus.feat")),
    ("extended", include_str!("sets/network/extended.feat")),
    ("full", include_str!("sets/network/full.feat")),
    ("chen-manning", include_str!("sets/network/chen-manning.feat")),
    ("minimal", include_str!("sets/network/minimal.feat")),
    ("minimal-stack", include_str!("sets/network/minimal-stack.feat")),
];

/// Inputs of a network from a configuration, and the lengths of its embeddings.
///
/// # Examples
/// ```
/// use treebeam::features::NetworkSet;
///
/// assert_eq!(NetworkSet::load("extended")?.places.len(), 12);
/// // A set of one's own, which reads no affixes.
/// let text = "# Two words\nnetwork\nembedding word 50\nembedding prefix 0\nembedding suffix 0\nS0 B0\nS0.label\n";
/// let set = NetworkSet::parse("two", "two.feat", text)?;
/// assert_eq!((set.title(), set.places.len(), set.labels.len()), ("Two words", 2, 1));
/// assert_eq!(set.dimensions, [50, 32, 0, 0, 16]);
/// // Errors say where.
/// let error = NetworkSet::parse("two", "two.feat", "network\nS0 B0.w\n").unwrap_err();
/// assert!(error.to_string().starts_with("two.feat:2: column 4: "));
/// # Ok::<(), treebeam::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSet {
    /// The set's name.
    pub name: String,
    /// The text of the `.feat` file.
    pub text: String,
    /// Places whose nodes are read, those of one cell together, in the order of [`Role::ALL`].
    pub places: Vec<Place>,
    /// Places whose labels are read, in the same order.
    pub labels: Vec<Place>,
    /// Inputs beside word and tag, at most three; if there are none, prefix, suffix and shape are read.
    pub inputs: Vec<Attribute>,
    /// The numbers in an embedding of a word, a tag, and of each of `inputs`; 0: it is not read.
    pub dimensions: [usize; N_COLUMNS],
    /// The numbers in an embedding of a label.
    pub label_dimension: usize,
}

impl NetworkSet {
    /// The built-in set called `name`, or the one in the file of that path.
    ///
    /// # Errors
    /// If there is neither, or the file is malformed.
    pub fn load(name: &str) -> Result<NetworkSet> {
        if let Some((_, text)) = NETWORK_SETS.iter().find(|(built_in, _)| *built_in == name) {
            return NetworkSet::parse(name, &format!("{name}.feat"), text);
        }
        if !name.ends_with(".feat") || name.contains('+') && !Path::new(name).is_file() {
            let known = NETWORK_SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(Error::Usage(format!(
                "unknown set of places `{name}`; expected one of {known}, or the path of a .feat file"
            )));
        }
        NetworkSet::parse(name, name, &crate::files::read_text(Path::new(name))?)
    }

    /// [`NetworkSet::load`] for `system`: of the sets called `minimal` the one with the words between which it makes arcs.
    ///
    /// # Errors
    /// As [`NetworkSet::load`].
    pub fn load_for(name: &str, system: SystemKind) -> Result<NetworkSet> {
        NetworkSet::load(if name == "minimal" { system.info().minimal_features } else { name })
    }

    /// True if a text is that of a set for networks, and not one of templates.
    pub fn is_one(text: &str) -> bool {
        text.lines().find_map(|line| words(code(line)).next()).is_some_and(|(_, word)| word == "network")
    }

    /// Parses a set; `path` is what errors call the file.
    ///
    /// # Errors
    /// The first problem, with line and column: no `network` at the beginning, what is no place, a place twice, a length out of
    /// range, places but none whose word is read.
    pub fn parse(name: &str, path: &str, text: &str) -> Result<NetworkSet> {
        let problem =
            |line: usize, found: String, expected: String| -> Error { Problem::at(path, line, found, expected).into() };
        let mut set = NetworkSet {
            name: name.to_owned(),
            text: text.to_owned(),
            places: Vec::new(),
            labels: Vec::new(),
            inputs: Vec::new(),
            dimensions: DIMENSIONS,
            label_dimension: LABEL_DIMENSION,
        };
        let (mut begun, mut embeddings) = (false, Vec::new());
        for (index, line) in text.lines().enumerate() {
            let located = |(at, found, expected): LineFault| {
                problem(index + 1, format!("column {}: {found}", column(line, at)), expected)
            };
            let code = code(line);
            match words(code).next() {
                None => {}
                Some((_, "network")) if !begun && code.trim() == "network" => begun = true,
                Some((start, word)) if !begun => {
                    let expected =
                        "a set for networks, which begins with a line `network`; sets of templates are for --features";
                    return Err(located((start, quoted(word), expected.to_owned())));
                }
                Some((start, "reads")) if !set.inputs.is_empty() || !embeddings.is_empty() => {
                    let expected = "`reads` once, above all lines `embedding`".to_owned();
                    return Err(located((start, quoted(code.trim()), expected)));
                }
                Some((_, "reads")) => set.reads(code).map_err(located)?,
                Some((_, "embedding")) => set.embedding(code, &mut embeddings).map_err(located)?,
                Some(_) => set.add_places(code).map_err(located)?,
            }
        }
        let total: usize = set.dimensions.iter().sum();
        let missing = [
            (!begun, "no line `network`", "a set for networks, which begins with one"),
            (
                set.places.is_empty() && !set.labels.is_empty(),
                "no place whose word is read",
                "places such as S0 or S0.l1",
            ),
            (total == 0, "no column that is read", "an embedding of one number or more"),
        ];
        if let Some((_, found, expected)) = missing.into_iter().find(|(is_missing, ..)| *is_missing) {
            return Err(problem(0, found.to_owned(), expected.to_owned()));
        }
        set.places.sort_by_key(|place| place.role);
        set.labels.sort_by_key(|place| place.role);
        Ok(set)
    }

    /// Takes over a line such as `reads suf3 lemma feats:Case`.
    fn reads(&mut self, code: &str) -> Result<(), LineFault> {
        for (start, word) in words(code).skip(1) {
            let is_read =
                |attribute: &Attribute| attribute.is_column() && !matches!(attribute, Attribute::Word | Attribute::Tag);
            let fault = |found: String| {
                let expected = format!(
                    "at most {MAX_INPUTS} different ones of form lemma upos xpos feats pre1 to pre5 suf1 to suf5 shape c1 to c32 c \
                     feats:NAME misc:NAME feats* misc* column:NAME"
                );
                (start, found, expected)
            };
            let attribute = Attribute::spelled(word).filter(is_read).ok_or_else(|| fault(quoted(word)))?;
            if self.inputs.contains(&attribute) {
                return Err(fault(format!("{} again", excerpt(word))));
            }
            if self.inputs.len() == MAX_INPUTS {
                return Err(fault(format!("{} as one more", excerpt(word))));
            }
            self.inputs.push(attribute);
        }
        if self.inputs.is_empty() {
            return Err((0, quoted(code.trim()), "what is read of a word, such as lemma".to_owned()));
        }
        for (number, dimension) in self.dimensions[2..].iter_mut().enumerate() {
            *dimension = if number < self.inputs.len() { INPUT_DIMENSION } else { 0 };
        }
        Ok(())
    }

    /// The names of the columns with embeddings.
    fn columns(&self) -> Vec<String> {
        match &self.inputs[..] {
            [] => COLUMNS.map(str::to_owned).to_vec(),
            inputs => {
                COLUMNS[..2].iter().map(|&name| name.to_owned()).chain(inputs.iter().map(ToString::to_string)).collect()
            }
        }
    }

    /// The numbers in the embeddings of what is read of a word, in the order of the fields of an input. Where no tags are read, what else
    /// is read follows the word itself.
    pub fn dimensions_of_fields(&self, reads_tags: bool) -> [usize; N_COLUMNS] {
        let mut dimensions = self.dimensions;
        if !self.inputs.is_empty() && !reads_tags {
            dimensions[1..].rotate_left(1);
            dimensions[N_COLUMNS - 1] = 0;
        }
        dimensions
    }

    /// Checks that there are places; that there are none, for a network that reads all words, as `reads_all` says of it.
    ///
    /// # Errors
    /// If not.
    pub fn check_places(&self, reads_all: Option<&str>) -> Result<()> {
        let (found, expected) = match (self.places.is_empty(), reads_all) {
            (true, None) => ("no place whose word is read", "places such as S0 or S0.l1".to_owned()),
            (false, Some(reader)) => ("places", format!("lines `reads` and `embedding` alone: {reader}")),
            _ => return Ok(()),
        };
        Err(Problem::at(self.path(), 0, found.to_owned(), &expected).into())
    }

    /// Checks that the column that a tagger fills is not read.
    ///
    /// # Errors
    /// With the input that reads it.
    pub fn check_unread(&self, target: Column) -> Result<()> {
        let Some(attribute) = self.inputs.iter().find(|input| input.reads(target)) else { return Ok(()) };
        let found = format!("`{attribute}` reads the column that the tagger fills");
        Err(Problem::at(self.path(), 0, found, "other columns").into())
    }

    /// Takes over a line such as `embedding word 64`.
    fn embedding<'t>(&mut self, code: &'t str, known: &mut Vec<&'t str>) -> Result<(), LineFault> {
        let line: Vec<(usize, &str)> = words(code).collect();
        let columns = self.columns();
        let expected = || {
            let columns = columns.join(", ");
            format!("`embedding COLUMN NUMBERS` with one of {columns} and label, from 0 to {MAX_DIMENSION} numbers")
        };
        let [(start, _), (_, column), (_, numbers)] = line[..] else {
            return Err((line[0].0, quoted(code.trim()), expected()));
        };
        if known.contains(&column) {
            return Err((start, format!("another embedding of a {}", excerpt(column)), "one of each".to_owned()));
        }
        known.push(column);
        let least = usize::from(column == "label");
        let numbers = numbers.parse::<usize>().ok().filter(|numbers| (least..=MAX_DIMENSION).contains(numbers));
        let place = match columns.iter().position(|known| *known == column) {
            Some(number) => Some(&mut self.dimensions[number]),
            None => Some(&mut self.label_dimension).filter(|_| column == "label"),
        };
        match (place, numbers) {
            (Some(place), Some(numbers)) => *place = numbers,
            _ => return Err((start, quoted(code.trim()), expected())),
        }
        Ok(())
    }

    /// Adds the places of a line.
    fn add_places(&mut self, code: &str) -> Result<(), LineFault> {
        for (start, word) in words(code) {
            let place = word.parse::<Place>().ok().filter(|place| place.role != Role::A).ok_or_else(|| {
                let expected = "a place: S0 to S3, M0, B0 to B3, or one of these with .l1 .l2 .r1 .r2 .l1.l1 .r1.r1 .h .h.h behind it, for words, or \
                                with .label behind that, for labels";
                (start, quoted(word), expected.to_owned())
            })?;
            let list = if place.is_node() { &mut self.places } else { &mut self.labels };
            if list.contains(&place) {
                return Err((start, format!("{} again", excerpt(word)), "each place once".to_owned()));
            }
            list.push(place);
            if self.places.len() + self.labels.len() > MAX_PLACES {
                return Err((start, format!("more than {MAX_PLACES} places"), "fewer of them".to_owned()));
            }
        }
        Ok(())
    }

    /// Checks that the set makes sense for `system`; `buffer_is_suffix` as for [`FeatureSet::check`].
    ///
    /// # Errors
    /// The first place that stands for arcs of a word that never has any, with line and column.
    pub fn check(&self, system: &str, buffer_is_suffix: bool) -> Result<()> {
        let mut read = self.places.iter().chain(&self.labels);
        let is_empty = |place: &&Place| {
            buffer_is_suffix && place.role.in_buffer() && place.role != Role::B0 && place.slot != Slot::Node
        };
        let Some(place) = read.find(is_empty) else { return Ok(()) };
        let found = self.text.lines().enumerate().find_map(|(index, line)| {
            let is_it = |(_, word): &(usize, &str)| word.parse::<Place>().is_ok_and(|other| other == *place);
            words(code(line)).find(is_it).map(|(start, word)| (index + 1, column(line, start), word))
        });
        let (line, column, word) = found.unwrap_or((0, 0, ""));
        let expected = format!("of {0} only the word itself, {0}: in {system} it has no arcs yet", place.role);
        Err(Problem::at(self.path(), line, format!("column {column}: `{word}`"), expected).into())
    }

    /// A set of templates that reads the same, a place a template: to show what stands there.
    ///
    /// # Errors
    /// If there is no place, as in sets of inputs alone.
    pub fn as_templates(&self) -> Result<FeatureSet> {
        if self.places.is_empty() {
            return Err(Problem::at(self.path(), 0, "no place", "places such as S0, which can be shown").into());
        }
        let template = |place: &Place| {
            let place = place.to_string().replace(".h2", ".h.h");
            if place.ends_with(".label") { place } else { format!("{place}.w") }
        };
        let lines: Vec<String> = self.places.iter().chain(&self.labels).map(template).collect();
        FeatureSet::parse(&self.name, &self.path(), &lines.join("\n"))
    }

    /// Name of the file in errors.
    pub(crate) fn path(&self) -> String {
        if self.name.ends_with(".feat") { self.name.clone() } else { format!("{}.feat", self.name) }
    }

    /// The first line of the text that is a comment: what the set is.
    pub fn title(&self) -> &str {
        self.text.lines().find_map(|line| line.strip_prefix('#')).unwrap_or("").trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        NetworkSet::parse("my", "my.feat", text).unwrap_err().to_string()
    }

    #[test]
    fn built_in_sets_are_those_of_the_papers() {
        for (name, places, labels) in [
            ("focus", 5, 0),
            ("extended", 12, 0),
            ("full", 19, 12),
            ("chen-manning", 18, 12),
            ("minimal", 2, 0),
            ("minimal-stack", 3, 0),
        ] {
            let set = NetworkSet::load(name).unwrap();
            assert_eq!((set.places.len(), set.labels.len()), (places, labels), "{name}");
            assert!(!set.title().is_empty() && NetworkSet::is_one(&set.text));
            set.check("arc-eager", true).unwrap();
        }
        assert_eq!(NetworkSet::load_for("minimal", crate::systems::ARC_STANDARD).unwrap().name, "minimal-stack");
        assert_eq!(NetworkSet::load_for("minimal", crate::systems::ARC_EAGER).unwrap().name, "minimal");
    }

    #[test]
    fn what_is_read_of_a_word_is_named() {
        let text = "network\nreads misc:Gloss lemma feats*\nembedding lemma 7\nembedding feats* 9\nS0";
        let set = NetworkSet::parse("my", "my.feat", text).unwrap();
        assert_eq!(set.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(), ["misc:Gloss", "lemma", "feats*"]);
        assert_eq!(set.dimensions, [64, 32, INPUT_DIMENSION, 7, 9]);
        set.check_unread(Column::Upos).unwrap();
        let error = set.check_unread(Column::Lemma).unwrap_err().to_string();
        assert!(error.starts_with("my.feat: `lemma` reads the column that the tagger fills"), "{error}");
    }

    #[test]
    fn places_stand_in_the_order_of_their_cells() {
        let set = NetworkSet::parse("my", "my.feat", "network # mine\nB0 S1.l1.label S0.l1 S1\nS0 S0.h.h\n").unwrap();
        let names: Vec<String> = set.places.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["S0.l1", "S0", "S0.h2", "S1", "B0"]);
        assert_eq!((set.dimensions, set.label_dimension), (DIMENSIONS, LABEL_DIMENSION));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("S0 B0", "my.feat:1: column 1: `S0`; expected a set for networks"),
            ("# a\n network\nS0 S0.w", "my.feat:3: column 4: `S0.w`; expected a place"),
            ("network\nS0 A", "my.feat:2: column 4: `A`; expected a place"),
            ("network\nS0\n\nB0 S0", "my.feat:4: column 4: S0 again"),
            ("network\nembedding word", "my.feat:2: column 1: `embedding word`; expected `embedding COLUMN NUMBERS`"),
            ("network\nembedding lemma 3", "my.feat:2: column 1: `embedding lemma 3`"),
            ("network\nembedding label 0", "my.feat:2: column 1: `embedding label 0`"),
            ("network\nembedding word 5000", "my.feat:2: column 1: `embedding word 5000`"),
            ("network\nembedding tag 3\nembedding tag 4", "my.feat:3: column 1: another embedding of a tag"),
            ("network\nS0.label", "my.feat: no place whose word is read"),
            ("", "my.feat: no line `network`"),
            ("network\nembedding feats* 3", "my.feat:2: column 1: `embedding feats* 3`"),
        ] {
            assert!(message(text).starts_with(expected), "{}", message(text));
        }
        for (text, expected) in [
            ("network\nreads lemma S0", "my.feat:2: column 13: `S0`; expected at most 3 different ones of form lemma"),
            ("network\nreads feats* misc* feats*", "my.feat:2: column 20: feats* again"),
            ("network\nreads lemma*", "my.feat:2: column 7: `lemma*`"),
            ("network\nreads w", "my.feat:2: column 7: `w`"),
            ("network\nreads c4 c4", "my.feat:2: column 10: c4 again"),
            ("network\nreads c4 c5 c6 c7", "my.feat:2: column 16: c7 as one more"),
            ("network\nreads", "my.feat:2: column 1: `reads`; expected what is read of a word"),
            ("network\nembedding word 3\nreads c4", "my.feat:3: column 1: `reads c4`; expected `reads` once, above"),
            (
                "network\nreads c4\nembedding shape 4",
                "my.feat:3: column 1: `embedding shape 4`; expected `embedding COLUMN NUMBERS` with one of word, tag, c4",
            ),
        ] {
            assert!(message(text).starts_with(expected), "{}", message(text));
        }
        let none = COLUMNS.map(|column| format!("embedding {column} 0\n")).concat();
        assert!(message(&format!("network\n{none}S0")).contains("no column that is read"));
        let set = NetworkSet::parse("my.feat", "my.feat", "network\nS0 B0.l1\n# x\nB1.l1").unwrap();
        let error = set.check("arc-eager", true).unwrap_err().to_string();
        assert!(error.starts_with("my.feat:4: column 1: `B1.l1`; expected of B1 only the word itself"), "{error}");
        set.check("covington", false).unwrap();
        for name in ["fulll", "full+minimal"] {
            assert!(NetworkSet::load(name).unwrap_err().to_string().contains("expected one of focus, extended"));
        }
    }
}
