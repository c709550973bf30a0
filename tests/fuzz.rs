//! The checks of `fuzz/`, over what fell before, over the corpora, and over what comes of changing these at random.

#[path = "../fuzz/src/checks.rs"]
mod checks;
#[path = "../fuzz/src/decoders.rs"]
mod decoders;

use std::fs;
use std::path::PathBuf;

use crate::common::root;

use treebeam::random::{below, stream};

/// Random changes of each input of a corpus.
const CHANGES: u64 = 200;

fn inputs(target: &str, folder: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = root().join("fuzz").join(folder).join(target);
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn replay(target: &str, check: fn(&[u8])) {
    let corpus = inputs(target, "corpus");
    assert!(!corpus.is_empty(), "{target} has no corpus");
    for (path, input) in corpus.iter().chain(&inputs(target, "crashers")) {
        println!("{}", path.display());
        check(input);
    }
    const PIECES: [&[u8]; 12] =
        [b"\t", b"\n", b"\r", b"#", b"_", b"-", b".", b"0", b"4294967296", b"\xff", b"\0", b"\xe2\x80\xa8"];
    for (number, (_, input)) in corpus.iter().enumerate() {
        for change in 0..CHANGES {
            let mut random = stream(1, target, &[number as u64, change]);
            let mut changed = input.clone();
            for _ in 0..=below(4, &mut random) {
                let at = below(changed.len() as u64 + 1, &mut random) as usize;
                let end = (at + below(4, &mut random) as usize).min(changed.len());
                let piece = PIECES[below(PIECES.len() as u64, &mut random) as usize];
                changed.splice(at..end, piece.iter().copied());
            }
            let failing = std::env::temp_dir().join(format!("treebeam-fuzz-failing-{target}"));
            fs::write(&failing, &changed).unwrap();
            // A check that panics leaves its input there, to be kept in `fuzz/crashers`.
            check(&changed);
            fs::remove_file(&failing).unwrap();
        }
    }
}

#[test]
fn reader() {
    replay("reader", checks::reader);
}

#[test]
fn packed() {
    replay("packed", checks::packed);
}

#[test]
fn features() {
    replay("features", checks::features);
}

#[test]
fn specification() {
    replay("specification", checks::specification);
}

#[test]
fn model() {
    replay("model", checks::model);
}

#[test]
fn checkpoint() {
    replay("checkpoint", checks::checkpoint);
}

#[test]
fn decoder() {
    replay("decoder", decoders::decoder);
}
