//! The program on processors that lack the vector instructions of the one at hand.

use std::path::Path;
use std::process::{Command, Output};

use super::common::{generated, treebeam, write};

/// Emulates an x86-64 processor; of the package `qemu-user`.
const EMULATOR: &str = "qemu-x86_64";
/// Processors of 2006, with SSSE3, and of 2008, with SSE4.2; AVX came in 2011 and AVX2 in 2013.
const OLD: [&str; 2] = ["core2duo", "Nehalem"];

/// Why nothing can be emulated here.
fn obstacle() -> Option<&'static str> {
    if !cfg!(target_arch = "x86_64") {
        return Some("the program is not compiled for x86-64");
    }
    if cfg!(target_feature = "avx") {
        return Some("the compiler uses AVX throughout (RUSTFLAGS)");
    }
    let emulator = Command::new(EMULATOR).arg("--version").output();
    (!emulator.is_ok_and(|output| output.status.success())).then_some("there is no qemu-x86_64; install qemu-user")
}

/// Runs the program in `folder` on an emulated processor.
fn emulated(processor: &str, folder: &Path, line: &str) -> Output {
    let mut command = Command::new(EMULATOR);
    command.args(["-cpu", processor, env!("CARGO_BIN_EXE_treebeam")]);
    command.current_dir(folder).env_remove("TREEBEAM_TREEBANKS").args(line.split_whitespace()).output().unwrap()
}

/// One binary for all processors of a kind: models and parses are the same to the byte, be they of integers or of real
/// numbers.
#[test]
fn old_processors_learn_and_parse_the_same() {
    if let Some(obstacle) = obstacle() {
        eprintln!("skipped: {obstacle}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "train.conllu", &generated(1, 20));
    write(folder, "test.conllu", &generated(2, 10));
    let methods = [
        "--training global --beam 4",
        "--training greedy --features greedy --learner adagrad",
        "--training l2s --features l2s --learner nn",
        "--training greedy --scorer feed-forward --hidden 16",
        "--training greedy --scorer bilstm --lstm-units 8 --hidden 16",
        "--training greedy --scorer stack-lstm --lstm-units 8 --hidden 16",
    ];
    let learnt = "--train train.conllu --system arc-eager --iterations 1 --seed 1 --threads 1";
    for (number, method) in methods.into_iter().enumerate() {
        let processor = OLD[number % OLD.len()];
        treebeam(folder, &format!("train {learnt} {method} --model here.model")).assert().success();
        let output = emulated(processor, folder, &format!("train {learnt} {method} --model there.model"));
        assert!(output.status.success(), "{processor}: {}", String::from_utf8_lossy(&output.stderr));
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        assert!(read("here.model") == read("there.model"), "{processor}: another model with {method}");
        for width in [1, 8, 64] {
            let line = format!("parse --model here.model --beam {width} --threads 1 test.conllu");
            let here = treebeam(folder, &line).output().unwrap();
            let there = emulated(processor, folder, &line);
            assert!(there.status.success(), "{processor}: {}", String::from_utf8_lossy(&there.stderr));
            assert!(!here.stdout.is_empty());
            assert!(here.stdout == there.stdout, "{processor}: another parse at width {width} with {method}");
        }
    }
}
