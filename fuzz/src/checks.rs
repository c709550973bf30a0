//! What must hold of any input: the library neither panics nor believes what it should not. One function for each target;
//! `tests/fuzz.rs` runs them over the corpora and whatever fell before, `make fuzz` looks for more.

#![allow(dead_code, reason = "each target uses one of these")]

use std::path::{Path, PathBuf};

use treebeam::error::Problems;
use treebeam::experiment::Spec;
use treebeam::features::FeatureSet;
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::columns::{ColumnReader, Layout};
use treebeam::treebank::convert::{Dropped, write};
use treebeam::treebank::{Format, Reader, Sentence, Treebank, Validator};

/// The reader: what is accepted survives byte for byte, whatever is asked of it afterwards. The first byte chooses how to read.
pub fn reader(data: &[u8]) {
    let Some((&how, text)) = data.split_first() else { return };
    let format = if how & 1 == 0 { Format::Conllu } else { Format::Conllx };
    let mut reader = Reader::new(text, "fuzz", format);
    if how & 2 != 0 {
        reader = reader.repairing();
    }
    if how & 4 != 0 {
        reader = reader.cutting(usize::from(how >> 4) + 1);
    }
    let plain = how & 6 == 0;
    let mut validator = Validator::new(2);
    let mut problems = Problems::new(3);
    let mut written = Vec::new();
    let mut sound = true;
    while let Ok(Some(step)) = reader.step() {
        sound &= step.problems.is_empty();
        assert!(step.sentence.is_some() || !step.problems.is_empty(), "a refusal without a reason");
        problems.append(step.problems);
        let Some(sentence) = step.sentence else { continue };
        sentence.write(&mut written).expect("memory takes everything");
        use_sentence(&sentence, &mut validator, &mut problems);
    }
    assert!(problems.to_string().len() < 100_000, "messages without end");
    if plain && sound {
        assert!(written == text, "what was accepted did not survive");
    }
    if plain {
        let first = Reader::new(text, "fuzz", format).find_map(Result::err);
        assert_eq!(first.is_some(), !sound, "stopping at the first problem and going on do not agree");
    }
    if let Ok(layout) = "form,upos,head".parse::<Layout>() {
        ColumnReader::new(text, "fuzz", layout).for_each(drop);
    }
}

fn use_sentence(sentence: &Sentence, validator: &mut Validator, problems: &mut Problems) {
    for roots in [Roots::Single, Roots::Several] {
        let is_sound = sentence.annotation_problems(roots).is_empty();
        assert_eq!(sentence.tree(roots, &mut Labels::default()).is_ok(), is_sound);
    }
    if sentence.format() == Format::Conllu {
        validator.check(sentence, Some(Roots::Single), problems);
    }
    for format in [Format::Conllu, Format::Conllx] {
        let mut converted = Vec::new();
        write(sentence, format, &mut converted, &mut Dropped::default()).expect("memory takes everything");
        let again = Reader::new(converted.as_slice(), "converted", format).collect::<Result<Vec<_>, _>>();
        assert_eq!(again.map(|sentences| sentences.len()).ok(), Some(1), "what was converted cannot be read");
    }
    let heads: Vec<_> = sentence.words().map(|word| word - 1).collect();
    let labels = vec!["x"; heads.len()];
    let mut parsed = Vec::new();
    sentence.write_parsed(&mut parsed, &heads, &labels).expect("memory takes everything");
    let again = Reader::new(parsed.as_slice(), "parsed", sentence.format()).next();
    assert!(again.is_some_and(|sentence| sentence.is_ok()), "what was parsed cannot be read");
}

/// Packed files: whole, cut or damaged, they are read or refused. The first byte chooses the packer.
pub fn packed(data: &[u8]) {
    let Some((&how, bytes)) = data.split_first() else { return };
    let ending = if how & 1 == 0 { "gz" } else { "zst" };
    let path = temporary(&format!("packed.conllu.{ending}"));
    std::fs::write(&path, bytes).expect("the folder of temporary files can be written");
    let _ = Treebank::read(&path, None);
    let _ = treebeam::files::read_whole(&path);
    let _ = std::fs::remove_file(&path);
}

/// Feature sets: what parses is printed, parsed again and compiled.
pub fn features(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(set) = FeatureSet::parse("fuzz", "fuzz.feat", text) else { return };
    let printed: String = set.templates.iter().map(|template| format!("{template}\n")).collect();
    let again = FeatureSet::parse("fuzz", "fuzz.feat", &printed).expect("what is printed can be read");
    assert_eq!(again.templates.len(), set.templates.len());
    let columns = treebeam::features::Columns::of(
        &set,
        treebeam::treebank::Column::Form,
        treebeam::features::WordShape::Normalised,
        treebeam::treebank::Column::Upos,
    );
    for buffer_is_suffix in [true, false] {
        if set.check("fuzz", buffer_is_suffix).is_ok() {
            treebeam::features::Compiled::new(&set, columns.clone(), buffer_is_suffix);
        }
    }
}

/// Specifications of experiments.
pub fn specification(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Spec::parse(text, Path::new("fuzz.toml"));
    }
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("treebeam-fuzz-{}-{name}", std::process::id()))
}
