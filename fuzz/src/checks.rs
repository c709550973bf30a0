//! Checks of any input: the library neither panics nor believes what it should not. One function for each target;
//! `tests/fuzz.rs` runs them over the corpora and whatever fell before, `make fuzz` looks for more.

#![allow(dead_code, reason = "each target uses one of these")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use treebeam::decode::Parser;
use treebeam::error::Problems;
use treebeam::features::{FeatureSet, NetworkSet};
use treebeam::files::{FileKind, Section};
use treebeam::job::Job;
use treebeam::learn::{Keep, TrainOptions, TrainingData, start};
use treebeam::linear::Precision;
use treebeam::options::GivenOptions;
use treebeam::parser::{AnyParser, Loaded, ParseOptions};
use treebeam::tree::{Labels, Roots};
use treebeam::treebank::columns::{ColumnLayout, ColumnReader};
use treebeam::treebank::convert::{Dropped, write};
use treebeam::treebank::generate::{GeneratorOptions, sentences};
use treebeam::treebank::{Format, Reader, Sentence, Treebank, Validator};
use treebeam_lab::experiment::{Record, Spec, Store};

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
    if let Ok(layout) = "form,upos,head".parse::<ColumnLayout>() {
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
    if let Ok(set) = NetworkSet::parse("fuzz", "fuzz.feat", text) {
        assert!(NetworkSet::is_one(text) && FeatureSet::parse("fuzz", "fuzz.feat", text).is_err());
        match set.as_templates() {
            Ok(shown) => assert_eq!(shown.templates.len(), set.places.len() + set.labels.len()),
            Err(_) => assert!(set.places.is_empty(), "what places read can be shown"),
        }
        for buffer_is_suffix in [true, false] {
            let _ = set.check("fuzz", buffer_is_suffix);
        }
    }
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

/// Specifications of experiments, and records, which begin with a brace.
pub fn specification(data: &[u8]) {
    if data.starts_with(b"{") {
        let path = temporary("records.jsonl");
        std::fs::write(&path, data).expect("the folder of temporary files can be written");
        let _ = Store::<Record>::read(&path);
        let _ = std::fs::remove_file(&path);
    } else if let Ok(text) = std::str::from_utf8(data) {
        let _ = Spec::parse(text, Path::new("fuzz.toml"));
    }
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("treebeam-fuzz-{}-{name}", std::process::id()))
}

/// Model files with sound checksums whatever they hold: what loads, parses. The input is the kind of a small model, of [`MODELS`], and
/// a list of changes of six bytes each, made to it: which change, to which section, where, and what.
pub fn model(data: &[u8]) {
    let Some((&kind, changes)) = data.split_first() else { return };
    let base = &small_models()[usize::from(kind) % MODELS.len()];
    let magic = if base.starts_with(b"treegrph") { b"treegrph" } else { b"treebeam" };
    let path = temporary("changed.model");
    std::fs::write(&path, changed(base, magic, changes)).expect("the folder of temporary files can be written");
    let loaded = Loaded::read(&path);
    let _ = std::fs::remove_file(&path);
    let Ok(loaded) = loaded else { return };
    for beam in [Some(1), Some(3), None] {
        let Ok(mut parser) = AnyParser::new(&loaded, &ParseOptions { beam, ..ParseOptions::default() }) else {
            continue;
        };
        let sentences = generated(9, 3);
        for parsed in parser.parse(&sentences).into_iter().flatten().flatten() {
            let heads = parsed.tree.heads();
            let is_tree = treebeam::tree::violations(heads, Roots::Several).is_empty();
            assert!(is_tree || loaded.target().is_some(), "what was parsed is no tree");
        }
    }
}

/// Checkpoints with sound checksums whatever they hold, changed as models are: what is gone on from, trains and makes a model.
pub fn checkpoint(data: &[u8]) {
    let (options, training, base) = small_run();
    let path = temporary("changed.checkpoint");
    std::fs::write(&path, changed(base, b"treebckp", data)).expect("the folder of temporary files can be written");
    let mut run = start(options, training, 1).expect("the options fit");
    if run.load(&path).is_ok() {
        // With a run that has diverged nothing more can be done.
        let has_diverged = !run.is_done() && run.iterate(&mut |_| ()).is_err();
        if let (false, Ok(model)) = (has_diverged, run.model()) {
            let mut parser = Parser::new(&model, 2, 1).expect("a parser is made of any model");
            parser.parse(&generated(9, 2), 1);
        }
    }
    let _ = std::fs::remove_file(&path);
}

/// The file of `base` after the changes that `data` says, with the checksums that it then has.
fn changed(base: &[u8], magic: &'static [u8; 8], data: &[u8]) -> Vec<u8> {
    let mut sections = sections_of(base);
    for change in data.chunks_exact(6).take(32) {
        let number = usize::from(change[1]) % sections.len();
        let (name, bytes) = &mut sections[number];
        let is_json = ["header", "summary"].contains(&name.as_str());
        let at = usize::from(u16::from_le_bytes([change[2], change[3]]));
        let value = u16::from_le_bytes([change[4], change[5]]);
        match change[0] % 6 {
            _ if bytes.is_empty() => bytes.push(change[4]),
            0 => {
                let len = bytes.len();
                bytes[at % len] = change[4];
            }
            1 => {
                const WORDS: [u32; 8] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0001_0000, 0x4000_0000, 0xff];
                let word = WORDS[usize::from(value) % WORDS.len()].to_le_bytes();
                let len = bytes.len();
                (0..4).for_each(|i| bytes[(at / 4 * 4 + i) % len] = word[i]);
            }
            2 => bytes.truncate(bytes.len().saturating_sub(usize::from(value) % 64)),
            3 => bytes.extend(std::iter::repeat_n(change[4], usize::from(change[5]))),
            4 if is_json => replace_number(bytes, at, usize::from(value)),
            5 if is_json => replace_string(bytes, at, usize::from(value)),
            _ => {
                let len = bytes.len();
                bytes.rotate_left(at % len);
            }
        }
    }
    let kind = FileKind { magic, version: version_of(base), name: "file" };
    let sections: Vec<Section> = sections.iter().map(|(name, bytes)| Section::new(name.clone(), &bytes[..])).collect();
    kind.pack(&sections)
}

fn generated(seed: u64, n_sentences: usize) -> Vec<Sentence> {
    sentences(GeneratorOptions { seed, n_sentences, non_projective: false }).collect()
}

/// Templates of the small models, and places of their networks, which also read sets of values.
const SET: &str = "S0.p B0.p\nS1.p\nS0.l1.label\n";
const PLACES: &str = "network\nreads suf3 lemma feats*\nS0 S1 B0\nS0.l1.label\n";

/// Options for a model of a few kilobytes, and data to train it on.
fn small() -> (TrainOptions, TrainingData) {
    let path = temporary("small.feat");
    std::fs::write(&path, SET).expect("the folder of temporary files can be written");
    let features = path.display().to_string();
    let options = TrainOptions {
        features,
        iterations: treebeam::learn::Iterations::Number(2),
        beam: 2,
        replicas: 1,
        keep: Keep::Last,
        ..TrainOptions::default()
    };
    let treebank = Treebank::of_sentences(Path::new("generated"), Format::Conllu, generated(31, 4));
    let data = TrainingData::new(&options, &treebank, None).expect("a generated treebank can be trained on");
    let _ = std::fs::remove_file(&path);
    (options, data)
}

/// Options of small models, as specifications have them, and the precision to which each is frozen.
const MODELS: [(&str, Precision); 11] = [
    (r#"features = "SET"; beam = 2; replicas = 1"#, Precision::Full),
    (r#"features = "SET"; beam = 2; replicas = 1"#, Precision::I8),
    (r#"system = "tagger"; beam = 2; replicas = 1; tag-column = "upos""#, Precision::Full),
    (r#"system = "swap"; beam = 2; replicas = 1; joint-tags = true"#, Precision::I16),
    (r#"scorer = "feed-forward"; places = "PLACES"; hidden = 3"#, Precision::Full),
    (r#"scorer = "feed-forward"; places = "PLACES"; hidden = 3"#, Precision::I8),
    (r#"scorer = "bilstm"; hidden = 3; lstm-layers = 1; lstm-units = 3"#, Precision::Full),
    (r#"scorer = "stack-lstm"; hidden = 3; lstm-layers = 1; lstm-units = 3"#, Precision::Full),
    (r#"system = "mst""#, Precision::Full),
    (r#"system = "eisner""#, Precision::I8),
    (r#"system = "biaffine"; lstm-layers = 1; lstm-units = 3"#, Precision::Full),
];

/// The bytes of the small models.
fn small_models() -> &'static [Vec<u8>] {
    static SMALL: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SMALL.get_or_init(|| {
        let [set, places, model] = ["small.feat", "places.feat", "small.model"].map(temporary);
        std::fs::write(&set, SET).expect("the folder of temporary files can be written");
        std::fs::write(&places, PLACES).expect("the folder of temporary files can be written");
        let treebank = Treebank::of_sentences(Path::new("generated"), Format::Conllu, generated(31, 25));
        let bytes = MODELS.iter().map(|(options, precision)| {
            let path = |path: &Path| path.display().to_string();
            let options = options.replace("; ", "\n").replace("SET", &path(&set)).replace("PLACES", &path(&places));
            let given: GivenOptions = toml::from_str(&options).expect("these are options");
            let given = GivenOptions { iterations: Some(2.into()), ..given };
            let job = Job::new(given, model.clone()).expect("the options fit");
            job.run(treebank.clone(), None, &mut ()).expect("training ends");
            if *precision != Precision::Full {
                let small =
                    Loaded::read(&model).and_then(|model| model.quantise(*precision)).expect("the model can be frozen");
                small.write_file(&model).expect("the folder of temporary files can be written");
            }
            std::fs::read(&model).expect("the model is there")
        });
        let bytes = bytes.collect();
        [set, places, model].iter().for_each(|path| drop(std::fs::remove_file(path)));
        bytes
    })
}

/// The bytes of a checkpoint after the first iteration of a small run, and what the run is of.
fn small_run() -> &'static (TrainOptions, TrainingData, Vec<u8>) {
    static RUN: OnceLock<(TrainOptions, TrainingData, Vec<u8>)> = OnceLock::new();
    RUN.get_or_init(|| {
        let (options, data) = small();
        let path = temporary("small.checkpoint");
        let mut run = start(&options, &data, 1).expect("the options fit");
        run.iterate(&mut |_| ()).expect("a small run does not diverge");
        run.save(&path).expect("the folder of temporary files can be written");
        drop(run);
        let bytes = std::fs::read(&path).expect("what was written can be read");
        let _ = std::fs::remove_file(&path);
        (options, data, bytes)
    })
}

/// Offsets of the number of sections, its table, and a section's name and place: see `files/container.rs`.
const TABLE: usize = 24;
const NAME: usize = 64;

fn number_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize
}

fn version_of(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"))
}

fn sections_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let section = |i: usize| {
        let entry = TABLE + i * (NAME + 24);
        let name = String::from_utf8_lossy(&bytes[entry..entry + NAME]).trim_end_matches('\0').to_owned();
        let (start, len) = (number_at(bytes, entry + NAME), number_at(bytes, entry + NAME + 8));
        (name, bytes[start..start + len].to_vec())
    };
    (0..number_at(bytes, 16)).map(section).collect()
}

/// Puts another number in the place of one in the JSON of a header.
fn replace_number(json: &mut Vec<u8>, which: usize, with: usize) {
    const NUMBERS: [&str; 8] = ["0", "-1", "65535", "65536", "4294967296", "1152921504606846976", "1e999", "0.5"];
    let starts: Vec<usize> =
        (1..json.len()).filter(|&i| json[i].is_ascii_digit() && b":,[".contains(&json[i - 1])).collect();
    if let Some(&start) = starts.get(which % starts.len().max(1)) {
        let end = (start..json.len()).find(|&i| !json[i].is_ascii_digit()).unwrap_or(json.len());
        json.splice(start..end, NUMBERS[with % NUMBERS.len()].bytes());
    }
}

/// Puts another string in the place of one in the JSON of a header.
fn replace_string(json: &mut Vec<u8>, which: usize, with: usize) {
    const STRINGS: [&str; 8] = ["", "a\\tb", "a\\nb", "\\r", "root", "arc-eager", "S0.w B0.w", "\\u0000"];
    let quotes: Vec<usize> = (0..json.len()).filter(|&i| json[i] == b'"').collect();
    if let Some(&[start, end]) = quotes.chunks_exact(2).nth(which % (quotes.len() / 2).max(1)) {
        json.splice(start + 1..end, STRINGS[with % STRINGS.len()].bytes());
    }
}
