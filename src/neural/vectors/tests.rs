//! Vectors are exactly what files say, in every form, and files that do not say it are refused with the place.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::WordVectors;
use crate::features::{Columns, Vocabulary, WordShape};
use crate::files::write_whole;
use crate::learn::{TrainOptions, Training, TrainingData};
use crate::linear::Learner;
use crate::model::{ScorerKind, VectorsOrigin};
use crate::treebank::{Column, Format, Treebank, generate};

fn columns(shape: WordShape) -> Columns {
    Columns::of_words_and_tags(Column::Form, shape, Column::Upos).with_inputs(&[])
}

fn write(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    write_whole(&path, bytes).unwrap();
    path
}

fn read(path: &Path) -> crate::error::Result<WordVectors> {
    WordVectors::read(path.to_str().unwrap(), &columns(WordShape::Normalised))
}

/// The vector of a word.
fn vector<'v>(vectors: &'v WordVectors, word: &str) -> Option<&'v [f32]> {
    let &(row, _) = vectors.rows.get(&vectors.columns.word(word))?;
    Some(&vectors.numbers[row * vectors.dimension..][..vectors.dimension])
}

/// A file of finalfusion with chunks of these kinds and contents.
fn finalfusion(chunks: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"FiFu".to_vec();
    file.extend([0, chunks.len() as u32].map(u32::to_le_bytes).concat());
    chunks.iter().for_each(|(kind, _)| file.extend(kind.to_le_bytes()));
    for (kind, content) in chunks {
        file.extend(kind.to_le_bytes());
        file.extend((content.len() as u64).to_le_bytes());
        file.extend(content);
    }
    file
}

/// The chunk of words, with `beyond` between their number and themselves.
fn words(words: &[&str], beyond: usize) -> Vec<u8> {
    let mut chunk = (words.len() as u64).to_le_bytes().to_vec();
    chunk.extend(vec![3; beyond]);
    for word in words {
        chunk.extend((word.len() as u32).to_le_bytes());
        chunk.extend(word.as_bytes());
    }
    chunk
}

/// The chunk of a matrix.
fn matrix(rows: &[[f32; 2]], padding: usize) -> Vec<u8> {
    let mut chunk = (rows.len() as u64).to_le_bytes().to_vec();
    chunk.extend([2, 10].map(u32::to_le_bytes).concat());
    chunk.extend(vec![0; padding]);
    rows.iter().flatten().for_each(|number| chunk.extend(number.to_le_bytes()));
    chunk
}

#[test]
fn all_forms_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [[1.5, -2.0], [0.25, 3e-7], [4.0, 5.0]];
    let names = ["dog", "Straße", "a"];
    let text: String = rows.iter().zip(names).map(|([x, y], word)| format!("{word} {x} {y} \n")).collect();
    let mut binary = b"3 2\n".to_vec();
    for ([x, y], word) in rows.iter().zip(names) {
        binary.extend(format!("{word} ").into_bytes());
        binary.extend([*x, *y].map(f32::to_le_bytes).concat());
        binary.push(b'\n');
    }
    // The first tool writes line ends behind vectors, others do not.
    let mut dense = b"3 2\n".to_vec();
    for ([x, y], word) in rows.iter().zip(names) {
        dense.extend(format!("{word} ").into_bytes());
        dense.extend([*x, *y].map(f32::to_le_bytes).concat());
    }
    let with_ngrams = [rows[0], rows[1], rows[2], [9.0, 9.0]];
    let files = [
        ("plain.txt", text.clone().into_bytes()),
        ("head.vec", format!("3 2\r\n{}", text.replace(' ', "\t").replace('\n', "\r\n")).into_bytes()),
        ("packed.gz", text.clone().into_bytes()),
        ("binary.bin", binary.clone()),
        ("dense.bin.zst", dense),
        (
            "simple.fifu",
            finalfusion(&[(5, b"{}".to_vec()), (1, words(&names, 0)), (2, matrix(&rows, 4)), (6, vec![0; 7])]),
        ),
        ("buckets.fifu", finalfusion(&[(3, words(&names, 12)), (2, matrix(&with_ngrams, 1))])),
        ("fasttext.fifu", finalfusion(&[(7, words(&names, 12)), (2, matrix(&with_ngrams, 2))])),
        ("explicit.fifu", finalfusion(&[(8, [words(&names, 16), vec![7; 30]].concat()), (2, matrix(&with_ngrams, 0))])),
    ];
    for (name, bytes) in files {
        let path = write(&folder, name, &bytes);
        let vectors = read(&path).unwrap();
        assert_eq!((vectors.len(), vectors.dimension()), (3, 2), "{name}");
        for (row, word) in rows.iter().zip(names) {
            assert_eq!(vector(&vectors, word), Some(&row[..]), "{name}: {word}");
        }
        assert_eq!(vector(&vectors, "cat"), None);
    }
}

#[test]
fn words_are_looked_up_as_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "v", b"The 1\nTHE 2\nthe 3\nThe 4\n1984 5\n1985 6\nA 7\nnot\xffutf8 8\n");
    let vectors = read(&path).unwrap();
    let of = |word: &str| vector(&vectors, word).map(|vector| vector[0]);
    // The word as it is read has its own vector; of others the first one counts.
    assert_eq!(["THE", "the", "2001", "0000", "a"].map(of), [3.0, 3.0, 5.0, 5.0, 7.0].map(Some));
    assert_eq!(vectors.len(), 4);
    let vectors = WordVectors::read(path.to_str().unwrap(), &columns(WordShape::AsWritten)).unwrap();
    let of = |word: &str| vector(&vectors, word).map(|vector| vector[0]);
    assert_eq!(["The", "THE", "the", "1985", "a"].map(of), [Some(1.0), Some(2.0), Some(3.0), Some(6.0), None]);
}

#[test]
fn what_is_wrong_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let row = [[1.0, 2.0]];
    let no_number = matrix(&[[1.0, f32::NAN]], 4);
    let wrong_kind = [&matrix(&row, 4)[..12], &1_u32.to_le_bytes(), &matrix(&row, 4)[16..]].concat();
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty", b"", "empty: no vector; expected a word and its numbers"),
        ("line", b"\n", "line: no vector"),
        ("none", b"0 5\n", "none: no vector"),
        ("word", b"word\n", "word:1: vectors of 0 numbers; expected vectors of 1 to 4096"),
        ("short", b"a 1 2\nb 1\n", "short:2: 1 numbers behind the word `b`; expected 2, as in the first line"),
        ("letter", b"a 1 2\nb 1 x\n", "letter:2: `x`, which is no number; expected a number behind the word `b`"),
        ("infinite", b"a 1 inf\n", "infinite:1: `inf`, which is no number"),
        ("nan", b"a NaN 1\n", "nan:1: `NaN`, which is no number"),
        ("gap", b"a 1 2\n\nb 1 2\n", "gap:2: an empty line; expected a word and its numbers"),
        ("fewer", b"3 2\na 1 2\nb 1 2\n", "fewer:1: a head line that says 3 words, before 2"),
        ("more", b"1 2\na 1 2\nb 1 2\n", "more:1: a head line that says 1 words, before 2"),
        ("lying", b"2 3\na 1 2\nb 1 2\n", "lying:2: 2 numbers behind the word `a`; expected 3, as the first line says"),
        ("huge", b"1 5000\na 1\n", "huge:1: vectors of 5000 numbers; expected vectors of 1 to 4096"),
        ("binary.vec", b"1 2\na \0\0\x80\x3f\0\0\0\x40\n", "read from files whose names end in .bin"),
        ("text.bin", b"a 1 2\nb 1 2\n", "text.bin:1: a first line `a 1 2\\n`"),
        ("cut.bin", b"2 2\na \0\0\x80\x3f\0\0\0\x40\nb \0\0", "cut.bin: an end at word 2; expected 2 words"),
        ("over.bin", b"1 1\na \0\0\x80\x3f\nb \0\0\x80\x3f", "over.bin: more behind the last word"),
        ("nan.bin", b"1 1\na \0\0\xc0\x7f", "nan.bin: NaN in the vector of word 1, `a`; expected finite numbers"),
        ("model.bin", b"\xba\x16\x4f\x2f\x0c\0\0\0", "a model of fastText; expected word vectors"),
        ("version.fifu", b"FiFu\x01\0\0\0\0\0\0\0", "version 1 of finalfusion's format; expected version 0"),
        ("none.fifu", &finalfusion(&[]), "none.fifu: no vector"),
        (
            "quantised.fifu",
            &finalfusion(&[(1, words(&["a"], 0)), (4, vec![0; 40])]),
            "a quantised matrix; expected one that",
        ),
        ("floret.fifu", &finalfusion(&[(9, vec![0; 40])]), "a vocabulary of floret"),
        ("odd.fifu", &finalfusion(&[(77, vec![0; 40])]), "a chunk of kind 77"),
        ("matrix.fifu", &finalfusion(&[(2, matrix(&row, 4))]), "a matrix before any words"),
        (
            "rows.fifu",
            &finalfusion(&[(1, words(&["a", "b"], 0)), (2, matrix(&row, 4))]),
            "a matrix of 1 rows; expected one for each of 2",
        ),
        ("nan.fifu", &finalfusion(&[(1, words(&["a"], 0)), (2, no_number)]), "NaN in the vector of word 1, `a`"),
        ("kind.fifu", &finalfusion(&[(1, words(&["a"], 0)), (2, wrong_kind)]), "a matrix of numbers of kind 1"),
        ("size.fifu", &finalfusion(&[(1, words(&["a"], 0)), (2, matrix(&row, 9))]), "in a chunk of 33 bytes"),
    ];
    for (name, bytes, expected) in cases {
        let message = read(&write(&folder, name, bytes)).unwrap_err().to_string();
        assert!(message.contains(expected), "{name}: {message}");
    }
    for name in ["endless", "endless.bin"] {
        let message = read(&write(&folder, name, &vec![b'x'; 2 << 20])).unwrap_err().to_string();
        assert!(message.contains("1048576 bytes without the end of a line"), "{message}");
    }
    let whole = finalfusion(&[(1, words(&["dog", "cat"], 0)), (2, matrix(&[[1.0, 2.0], [3.0, 4.0]], 3))]);
    assert_eq!(read(&write(&folder, "whole", &whole)).unwrap().len(), 2);
    for length in 12..whole.len() {
        let message = read(&write(&folder, "cut", &whole[..length])).unwrap_err().to_string();
        assert!(message.contains("cut: a file of finalfusion that is cut or damaged"), "{length}: {message}");
    }
    let missing = folder.path().join("missing");
    assert!(read(&missing).unwrap_err().to_string().contains("missing: "));
}

proptest! {
    /// Any bytes of a file are read or refused.
    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), form in 0..3_usize) {
        let folder = tempfile::tempdir().unwrap();
        let start = ["2 2\n", "FiFu\0\0\0\0", ""][form].as_bytes();
        _ = read(&write(&folder, ["a.bin", "a.fifu", "a.txt"][form], &[start, &bytes].concat()));
    }
}

/// Embeddings begin as the file has them, of words of the training data and of others; what it does not have begins at random.
#[test]
fn words_begin_with_their_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let sentences =
        generate::sentences(generate::GeneratorOptions { seed: 5, n_sentences: 12, non_projective: false }).collect();
    let treebank = Treebank::of_sentences(Path::new("generated"), Format::Conllu, sentences);
    let forms: Vec<&str> = treebank.sentences.iter().map(|sentence| sentence.form(1)).collect();
    let known = forms[0];
    let unseen = "unseenword";
    let path = write(&folder, "v.txt", format!("{known} 0.5 -7 3\n{unseen} 1 2 3\n").as_bytes());
    for scorer in [ScorerKind::FeedForward, ScorerKind::Bilstm] {
        let plain = TrainOptions::of(crate::systems::ARC_HYBRID, Training::Greedy, Learner::Adam).with_scorer(scorer);
        let plain = TrainOptions { word_units: Some(3), ..plain };
        let options = TrainOptions { vectors: Some(path.display().to_string()), word_units: None, ..plain.clone() };
        options.check().unwrap();
        let data = TrainingData::new(&options, &treebank, None).unwrap();
        let without = TrainingData::new(&plain, &treebank, None).unwrap();
        let [start, random] = [&data, &without].map(|data| data.network().unwrap());
        let learner = start.learner(&options, data.inputs(), 1);
        let before = random.learner(&plain, without.inputs(), 1);
        let number = |word: &str| start.vocabulary().id(0, data.columns().word(word)) as usize;
        let embedding = |word: &str| &learner.parameters().tensors[0][3 * number(word)..][..3];
        assert_eq!(embedding(known), [0.5, -7.0, 3.0]);
        assert_eq!(embedding(unseen), [1.0, 2.0, 3.0]);
        assert_eq!(number(unseen), start.vocabulary().len(0) - 1);
        // All other parameters are those of a network without vectors.
        let random_number = random.vocabulary().id(0, data.columns().word(known)) as usize;
        for (row, random) in before.parameters().tensors[0].chunks_exact(3).enumerate() {
            let same = random == &learner.parameters().tensors[0][3 * row..][..3];
            assert_eq!(same, row != random_number, "row {row}");
        }
        assert_eq!(before.parameters().tensors[1..], learner.parameters().tensors[1..]);
        let origin = data.header().provenance.vectors.clone().unwrap();
        let n_words = random.vocabulary().len(0) - 3;
        let sha256 = origin.sha256.clone();
        assert_eq!(origin, VectorsOrigin { sha256, words: 2, train_words: n_words, covered: 1 });
        assert_ne!(number(unseen), Vocabulary::UNKNOWN as usize);

        let message = TrainingData::new(&TrainOptions { word_units: Some(4), ..options.clone() }, &treebank, None);
        let message = message.unwrap_err().to_string();
        assert!(message.contains("v.txt:1: vectors of 3 numbers; expected 4, as --word-units says"), "{message}");
    }
}

/// The last fields are the vector, whatever stands before them.
#[test]
fn words_may_hold_spaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.vec").display().to_string();
    let columns = columns(WordShape::AsWritten);
    let text = "a 1 2\n0,0 km 3 4\n. . . 5 6\n1 7 8\n\u{a0} 9 10\n";
    for head in ["", "5 2\n"] {
        std::fs::write(&path, format!("{head}{text}")).unwrap();
        let vectors = WordVectors::read(&path, &columns).unwrap();
        for (word, expected) in [
            ("a", [1.0, 2.0]),
            ("0,0 km", [3.0, 4.0]),
            (". . .", [5.0, 6.0]),
            ("1", [7.0, 8.0]),
            ("\u{a0}", [9.0, 10.0]),
        ] {
            assert_eq!(vector(&vectors, word), Some(&expected[..]), "{word}");
        }
    }
    std::fs::write(&path, "New York 1 2\nb 3 4\n").unwrap();
    assert_eq!(vector(&WordVectors::read(&path, &columns).unwrap(), "New York"), Some(&[1.0, 2.0][..]));
    for packed in [b"\x1f\x8b\x08\x00\x00\x00\x00\x00 1 2\n".as_slice(), b"\x00\x01\xff\x02 x\n"] {
        std::fs::write(&path, packed).unwrap();
        let error = WordVectors::read(&path, &columns).unwrap_err().to_string();
        assert!(error.chars().all(|c| !c.is_control() && c != '\u{fffd}') && !error.contains("\\u{"), "{error}");
    }
}
