//! `treebeam parse` from outside.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::common::{generated, treebeam, write};

/// A folder with `model`, trained once for all tests, and `test.conllu`.
fn folder() -> TempDir {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    let model = MODEL.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "train.conllu", &generated(51, 150));
        let line = "train --train train.conllu --model model --iterations 3 --beam 4 --keep last";
        treebeam(folder.path(), line).assert().success();
        fs::read(folder.path().join("model")).unwrap()
    });
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model"), model).unwrap();
    write(folder.path(), "test.conllu", &generated(52, 200));
    folder
}

fn parse(folder: &Path, rest: &str) -> String {
    let assert = treebeam(folder, &format!("parse --model model {rest}")).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Parts of a treebank beside words, which must come back unchanged.
const ODD: &str = "\
# newdoc
# sent_id = odd 1
# text = dunno
1-2\tdunno\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdu\tdo\tAUX\tVB\tA=b|C=d\t7\tfoo:bar\t3:x|4:y\tGloss=a b
2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
2.1\t_\t_\tVERB\t_\t_\t_\t_\t0:root\tCopyOf=2
3\tknow  it\tknow\tVERB\tVB\t_\t3\t_\t_\t_

";

#[test]
fn only_heads_labels_and_the_enhanced_graph_change() {
    let folder = folder();
    fs::write(folder.path().join("odd.conllu"), ODD).unwrap();
    let parsed = parse(folder.path(), "odd.conllu");
    let kept = || ODD.lines().filter(|line| !line.starts_with("2.1"));
    assert_eq!(parsed.lines().count(), kept().count());
    for (before, after) in kept().zip(parsed.lines()) {
        let (before, after): (Vec<&str>, Vec<&str>) = (before.split('\t').collect(), after.split('\t').collect());
        assert_eq!(before.len(), after.len());
        if before.len() == 10 && before[0].parse::<u32>().is_ok() {
            assert_eq!((&before[..6], before[9]), (&after[..6], after[9]));
            assert!(after[6].parse::<u32>().is_ok_and(|head| head <= 3) && after[7] != "_", "{after:?}");
            assert_eq!(after[8], "_");
        } else {
            assert_eq!(before, after);
        }
    }
    // What stood in these columns is not read.
    let blank: String = ODD.replace("\t7\tfoo:bar\t", "\t_\t_\t").replace("\t3\t_\t_\t_\n", "\t0\troot\t_\t_\n");
    fs::write(folder.path().join("blank.conllu"), blank).unwrap();
    assert_eq!(parse(folder.path(), "blank.conllu"), parsed);
}

/// The columns of a word's line that parsing leaves alone: the first six, and the last where it is not empty. (In CoNLL-X the
/// last belongs to a second tree; it is empty in the files at hand.)
fn kept(line: &str) -> impl Iterator<Item = &str> {
    line.split('\t').enumerate().filter(|(i, column)| *i < 6 || (*i == 9 && *column != "_")).map(|(_, column)| column)
}

/// On real files too: every line comes back with the same columns, but for heads and labels and what is made of them.
#[test]
#[cfg_attr(not(treebanks), ignore = "TREEBEAM_TREEBANKS names no folder of treebanks")]
fn real_treebanks_keep_all_else() {
    let folder = folder();
    let mut n_words = 0;
    for treebank in fs::read_dir(crate::common::treebanks()).unwrap() {
        for name in ["test.conllu", "test.conll"] {
            let path = treebank.as_ref().unwrap().path().join(name);
            let Ok(before) = fs::read_to_string(&path) else { continue };
            let after = parse(folder.path(), &format!("--beam 1 --threads 2 {}", path.display()));
            // Empty nodes are a part of the enhanced graph.
            let is_empty_node =
                |line: &str| !line.starts_with('#') && line.split('\t').next().is_some_and(|id| id.contains('.'));
            let before = || before.lines().filter(|line| !is_empty_node(line));
            assert!(before().count() == after.lines().count(), "{}", path.display());
            for (before, after) in before().zip(after.lines()) {
                let is_word = before.split_once('\t').is_some_and(|(id, _)| id.parse::<u32>().is_ok());
                let same = if is_word { kept(before).eq(kept(after)) } else { before == after };
                assert!(same, "{}: {before} {after}", path.display());
                n_words += usize::from(is_word);
            }
        }
    }
    assert!(n_words > 0);
}

#[test]
fn a_parsed_treebank_is_sound_and_better_than_chance() {
    let folder = folder();
    let at = folder.path();
    treebeam(at, "parse --model model test.conllu -o parsed.conllu").assert().success().stdout("");
    treebeam(at, "treebank check parsed.conllu").assert().success().stdout("");
    let scores = treebeam(at, "eval test.conllu parsed.conllu --json --samples 10").assert().success();
    let scores: serde_json::Value = serde_json::from_slice(&scores.get_output().stdout).unwrap();
    let las = scores["systems"][0]["scores"][0]["las"].as_f64().unwrap();
    assert!(las > 75.0, "LAS {las}");
}

#[test]
fn threads_do_not_matter_and_widths_do() {
    let folder = folder();
    let wide = parse(folder.path(), "test.conllu --beam 8");
    assert_eq!(parse(folder.path(), "test.conllu --beam 8 --threads 2"), wide);
    assert_ne!(parse(folder.path(), "test.conllu --beam 1"), wide);
    // The model remembers the width it was trained with.
    assert_eq!(parse(folder.path(), "test.conllu"), parse(folder.path(), "test.conllu --beam 4"));
}

#[test]
fn standard_input_and_packed_files_are_parsed_alike() {
    let folder = folder();
    let at = folder.path();
    let expected = parse(at, "test.conllu");
    let text = fs::read_to_string(at.join("test.conllu")).unwrap();
    for line in ["parse --model model", "parse --model model -", "parse --model model - -o -"] {
        treebeam(at, line).write_stdin(text.clone()).assert().success().stdout(expected.clone());
    }
    for ending in ["gz", "zst"] {
        treebeam(at, &format!("treebank convert test.conllu -o test.conllu.{ending}")).assert().success();
        let line = format!("parse --model model test.conllu.{ending} -o parsed.conllu.{ending}");
        treebeam(at, &line).assert().success();
        let unpacked = treebeam(at, &format!("treebank convert parsed.conllu.{ending}")).assert().success();
        assert_eq!(String::from_utf8(unpacked.get_output().stdout.clone()).unwrap(), expected);
        assert_ne!(fs::read(at.join(format!("parsed.conllu.{ending}"))).unwrap(), expected.as_bytes());
    }
}

#[test]
fn k_best_lists_different_trees_best_first() {
    let folder = folder();
    let at = folder.path();
    let best = parse(at, "test.conllu --beam 8");
    let listed = parse(at, "test.conllu --beam 8 --k-best 3");
    let mut firsts = String::new();
    let mut n_second = 0;
    let mut last_score = f64::INFINITY;
    for block in listed.split_inclusive("\n\n") {
        let comment = |key: &str| block.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim().to_owned();
        let (rank, score) = (comment("# rank ="), comment("# score =").parse::<f64>().unwrap());
        if rank == "1" {
            let plain = block.lines().filter(|l| !l.starts_with("# rank =") && !l.starts_with("# score ="));
            firsts.extend(plain.flat_map(|line| [line, "\n"]));
        } else {
            assert!(score <= last_score, "{block}");
            n_second += usize::from(rank == "2");
        }
        last_score = score;
    }
    assert_eq!(firsts, best);
    assert!(n_second > 100, "{n_second} sentences with a second tree");
    treebeam(at, "parse --model model test.conllu --k-best 0").assert().code(2);
}

/// The confidences of each word, and the lines without them.
fn confidences(parsed: &str) -> (Vec<[f64; 2]>, String) {
    let (mut all, mut rest) = (Vec::new(), String::new());
    for line in parsed.lines() {
        let Some((before, after)) = line.split_once("HeadConf=") else {
            rest += &format!("{line}\n");
            continue;
        };
        let (head, label) = after.split_once("|LabelConf=").unwrap();
        all.push([head, label].map(|text| text.parse().unwrap()));
        let empty = if before.ends_with('\t') { "_" } else { "" };
        rest += &format!("{}{empty}\n", before.trim_end_matches('|'));
    }
    (all, rest)
}

/// Sums of the listed trees' shares, by the calibration in the model's header.
#[test]
fn confidences_are_sums_over_the_k_best_trees() {
    let folder = folder();
    let at = folder.path();
    write(at, "train.conllu", &generated(51, 150));
    write(at, "dev.conllu", &generated(53, 60));
    let line = "train --train train.conllu --dev dev.conllu --model model --iterations 3 --beam 4 --replicas 1";
    treebeam(at, line).assert().success();
    let info = treebeam(at, "model info --json model").assert().success();
    let info: serde_json::Value = serde_json::from_slice(&info.get_output().stdout).unwrap();
    let [temperature, heads, labels] =
        ["temperature", "heads", "labels"].map(|name| info["header"]["confidence"][name].as_f64().unwrap());
    assert!(temperature > 0.0 && heads < 1.0 && labels <= 1.0);

    let (found, rest) = confidences(&parse(at, "test.conllu --beam 8 --confidences 4"));
    assert_eq!(rest, parse(at, "test.conllu --beam 8 --margin none"));
    let n_words = rest.lines().filter(|line| line.contains('\t')).count();
    assert_eq!(found.len(), n_words);
    assert!(found.iter().flatten().all(|p| (0.0..=1.0).contains(p)));
    assert!(found.iter().any(|[head, _]| *head < 0.9) && found.iter().any(|[_, label]| *label < 0.9));

    // From what --k-best lists: sentences begin where the rank is 1.
    let listed = parse(at, "test.conllu --beam 8 --k-best 4");
    let mut sentences: Vec<Vec<(f64, Vec<[String; 2]>)>> = Vec::new();
    for block in listed.split("\n\n").filter(|block| !block.is_empty()) {
        let score = block.lines().find_map(|line| line.strip_prefix("# score = ")).unwrap().parse().unwrap();
        let columns = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let words = block.lines().filter(|line| !line.starts_with('#')).map(columns);
        let tree = words.map(|word| [word[6].clone(), word[7].clone()]).collect();
        if block.contains("# rank = 1\n") {
            sentences.push(Vec::new());
        }
        sentences.last_mut().unwrap().push((score, tree));
    }
    let mut found = found.into_iter();
    for best in sentences {
        let shares: Vec<f64> = best.iter().map(|(score, _)| ((score - best[0].0) / temperature).exp()).collect();
        for (word, [head, label]) in best[0].1.iter().enumerate() {
            let sum = |agrees: &dyn Fn(&[String; 2]) -> bool| -> f64 {
                best.iter().zip(&shares).filter(|((_, tree), _)| agrees(&tree[word])).map(|(_, share)| share).sum()
            };
            let of_head = sum(&|arc| arc[0] == *head);
            let of_both = sum(&|arc| arc[0] == *head && arc[1] == *label);
            let expected = [heads * of_head / sum(&|_| true), labels * of_both / of_head];
            for (found, expected) in found.next().unwrap().into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.0051, "{found} {expected}");
            }
        }
    }

    // Each of several trees has its own; MISC keeps what it has, but for older confidences.
    fs::write(at.join("odd.conllu"), ODD.replace("Gloss=a b", "HeadConf=0.5|Gloss=a b|LabelConf=1")).unwrap();
    let twice = parse(at, "odd.conllu --beam 8 --confidences 4 --k-best 2 --enhanced keep");
    assert_eq!(confidences(&twice).0.len(), 3 * twice.matches("# rank =").count());
    assert!(twice.contains("\t3:x|4:y\tGloss=a b|HeadConf=") && twice.contains("\t_\tHeadConf="), "{twice}");
    assert!(twice.contains("\tSpaceAfter=No\n") && twice.contains("\t0:root\tCopyOf=2\n"));

    // How far they can be trusted.
    fs::write(at.join("sure.conllu"), parse(at, "test.conllu --beam 8 --confidences 8")).unwrap();
    let report = treebeam(at, "eval --by confidence --json test.conllu sure.conllu").assert().success();
    let report: serde_json::Value = serde_json::from_slice(&report.get_output().stdout).unwrap();
    let of_heads = &report["systems"][0]["breakdowns"]["confidence"][0];
    assert_eq!((of_heads["of"].as_str(), of_heads["words"].as_u64()), (Some("head"), Some(n_words as u64)));
    assert!(of_heads["expected_calibration_error"].as_f64().unwrap() < 15.0, "{of_heads}");
}

/// Confidences of exact search do not depend on K, and leave the tree as it is.
#[test]
fn confidences_of_exact_search_are_marginals() {
    let folder = folder();
    let at = folder.path();
    write(at, "train.conllu", &generated(51, 150));
    write(at, "dev.conllu", &generated(53, 60));
    for options in [
        "--system arc-hybrid --training global --features minimal --search exact --replicas 1",
        "--system arc-eager --training global --features minimal --search exact --replicas 1",
        "--system eisner",
        "--system biaffine-projective --word-units 8 --lstm-units 8 --arc-units 8 --label-units 8",
    ] {
        let line = format!("train --train train.conllu --dev dev.conllu --model exact.model --iterations 2 {options}");
        treebeam(at, &line).assert().success();
        let info = treebeam(at, "model info --json exact.model").assert().success();
        let info: serde_json::Value = serde_json::from_slice(&info.get_output().stdout).unwrap();
        let calibration = &info["header"]["confidence"]["marginals"];
        let numbers =
            ["head_temperature", "label_temperature", "labels"].map(|name| calibration[name].as_f64().unwrap());
        assert!(numbers.iter().all(|&number| number > 0.0) && numbers[2] <= 1.0, "{options} {numbers:?}");

        let parse_file = |file: &str, options: &str| {
            let parsed = treebeam(at, &format!("parse --model exact.model {file} {options}")).assert().success();
            String::from_utf8(parsed.get_output().stdout.clone()).unwrap()
        };
        let parse = |options: &str| parse_file("test.conllu", options);
        let sure = parse("--confidences 2");
        assert_eq!(sure, parse("--confidences 50 --threads 2"), "{options}");
        let (found, rest) = confidences(&sure);
        assert_eq!(rest, parse(""), "{options}");
        assert!(found.iter().flatten().all(|p| (0.0..=1.0).contains(p)));
        assert!(found.iter().any(|[head, _]| *head < 0.9), "{options}");
        // What is given is certain.
        fs::write(at.join("given.conllu"), &rest).unwrap();
        let (certain, kept) = confidences(&parse_file("given.conllu", "--keep-heads --keep-labels --confidences 2"));
        assert_eq!(kept, rest, "{options}");
        assert!(certain.iter().flatten().all(|p| *p > 0.99), "{options}");

        fs::write(at.join("sure.conllu"), sure).unwrap();
        let report = treebeam(at, "eval --by confidence --json test.conllu sure.conllu").assert().success();
        let report: serde_json::Value = serde_json::from_slice(&report.get_output().stdout).unwrap();
        for of in report["systems"][0]["breakdowns"]["confidence"].as_array().unwrap() {
            assert!(of["expected_calibration_error"].as_f64().unwrap() < 15.0, "{options} {of}");
        }
    }
    // Temperatures are fitted to development data: without any, there are none for marginals.
    let line = "train --train train.conllu --model raw.model --system arc-hybrid --training global --features minimal --search exact";
    treebeam(at, &format!("{line} --iterations 1 --replicas 1")).assert().success();
    let refused = treebeam(at, "parse --model raw.model test.conllu --confidences 2").assert().code(2);
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("search in a beam (--search beam)"));
}

#[test]
fn confidences_need_several_trees() {
    let folder = folder();
    let at = folder.path();
    for (line, expected) in [
        ("--beam 1 --confidences 8", "expected --beam with a width above 1"),
        ("--confidences 1", "must be a whole number from 2 to 1,048,576"),
        ("--beam 8 --k-best 4 --confidences 2", "expected --confidences 4 or more"),
        ("--confidences 4 --format conllx", "CoNLL-X has no such column"),
    ] {
        let refused = treebeam(at, &format!("parse --model model test.conllu {line}")).assert().code(2);
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(expected), "{line}: {message}");
    }
    // A model without calibration says so, and ranks all the same.
    let parsed = treebeam(at, "parse --model model test.conllu --confidences 4").assert().success();
    assert!(
        String::from_utf8_lossy(&parsed.get_output().stderr).contains("the model was not calibrated for --confidences")
    );
    let (found, _) = confidences(&String::from_utf8_lossy(&parsed.get_output().stdout));
    assert!(found.iter().any(|[head, _]| *head < 0.9));
}

#[test]
fn statistics_count_what_was_parsed() {
    let folder = folder();
    let at = folder.path();
    treebeam(at, "parse --model model test.conllu -o out --stats-json stats.json").assert().success();
    let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
    let text = fs::read_to_string(at.join("test.conllu")).unwrap();
    let n_words = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!((stats["sentences"].as_u64(), stats["tokens"].as_u64()), (Some(200), Some(n_words as u64)), "{stats}");
}

/// Input from a pipe is parsed piece by piece: ten times as much needs no more memory.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_input() {
    let folder = folder();
    let text = fs::read_to_string(folder.path().join("test.conllu")).unwrap();
    let peak = |copies: usize| {
        let line = "parse --model model --beam 1 --stats-json stats.json";
        treebeam(folder.path(), line).write_stdin(text.repeat(copies)).assert().success();
        let stats = fs::read(folder.path().join("stats.json")).unwrap();
        let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
        assert_eq!(stats["sentences"].as_u64(), Some(200 * copies as u64));
        stats["peak_rss_bytes"].as_f64().unwrap()
    };
    let (few, many) = (peak(15), peak(150));
    assert!(many < 1.1 * few, "{few} bytes with 15 copies, {many} with 150");
}

#[test]
fn malformed_input_ends_with_2_the_line_and_no_file() {
    let folder = folder();
    let at = folder.path();
    let good = fs::read_to_string(at.join("test.conllu")).unwrap();
    let n_lines = good.lines().count();
    let cases: [(&str, Vec<u8>, String); 5] = [
        ("columns", format!("{good}1\ta\n\n").into(), format!("columns:{}", n_lines + 1)),
        ("id", good.replacen("\n2\t", "\n3\t", 1).into(), "id:4".into()),
        ("utf8", [good.as_bytes(), b"1\t\xff\t_\t_\t_\t_\t_\t_\t_\t_\n\n"].concat(), format!("utf8:{}", n_lines + 1)),
        ("crlf", good.replace('\n', "\r\n").into(), "crlf:1".into()),
        ("cut", good.trim_end().into(), format!("cut:{}", n_lines - 1)),
    ];
    for (name, bytes, expected) in cases {
        fs::write(at.join(name), bytes).unwrap();
        let assert =
            treebeam(at, &format!("parse --model model {name} -o out --stats-json stats.json")).assert().code(2);
        let message = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(message.contains(&expected) && message.contains("; expected "), "{name}: {message}");
        assert!(!at.join("out").exists() && !at.join("stats.json").exists(), "{name}");
    }
    for line in
        ["parse --model none test.conllu", "parse --model model none", "parse --model model test.conllu -o no/out"]
    {
        treebeam(at, line).assert().code(2).stdout("");
    }
    treebeam(at, "parse --model model test.conllu --beam 0").assert().code(2).stdout("");
    // Empty in, empty out.
    fs::write(at.join("nothing"), "").unwrap();
    treebeam(at, "parse --model model nothing").assert().success().stdout("");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder();
    write(folder.path(), "long.conllu", &generated(53, 3000));
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("treebeam"));
    command.current_dir(folder.path()).args(["parse", "--model", "model", "--beam", "1", "long.conllu"]);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // As `head` does: a little is read, then the pipe is closed.
    let mut stdout = run.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error"));
}

/// Standard error of a run.
fn stderr(folder: &Path, line: &str) -> String {
    let output = treebeam(folder, line).assert().success();
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn margins_are_calibrated_on_development_data_and_keep_their_trees() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(54, 150));
    write(at, "dev.conllu", &generated(55, 80));
    let train = "train --train train.conllu --dev dev.conllu --iterations 3 --replicas 1";
    stderr(at, &format!("{train} --model beam.model --beam 8"));
    stderr(at, &format!("{train} --model greedy.model --training greedy"));
    let info = treebeam(at, "model info beam.model").assert().success();
    let info = String::from_utf8(info.get_output().stdout.clone()).unwrap();
    assert_eq!(info.matches("of 80 sentences have score gaps").count(), 6, "{info}");

    let parse = |margin: &str, out: &str| {
        let line = format!("parse --model beam.model dev.conllu --stats-json stats.json {margin} -o {out}");
        let message = stderr(at, &line);
        let stats: serde_json::Value = serde_json::from_slice(&fs::read(at.join("stats.json")).unwrap()).unwrap();
        (fs::read(at.join(out)).unwrap(), stats["margin"].clone(), message)
    };
    let (without, margin, _) = parse("--margin none", "none.conllu");
    assert!(margin.is_null());
    // Of these sentences every winner survives.
    let (all, widest, reported) = parse("--margin 100", "all.conllu");
    assert!(all == without);
    assert!(reported.contains(&format!("margin {:.1}", widest.as_f64().unwrap())), "{reported}");
    let (half, narrow, _) = parse("--margin 50", "half.conllu");
    assert!(narrow.as_f64() < widest.as_f64());
    let differ = half.split(|&b| b == b'\n').zip(without.split(|&b| b == b'\n')).filter(|(a, b)| a != b).count();
    assert!(differ * 2 < without.split(|&b| b == b'\n').count());
    let (by_default, of_default, _) = parse("", "default.conllu");
    assert!(by_default == without && of_default.is_null());
    // Eighty sentences are too few for a margin that nobody asked for.
    let (auto, of_auto, _) = parse("--margin auto", "auto.conllu");
    assert!(auto == all && of_auto.is_null());
    write(at, "more.conllu", &generated(56, 240));
    stderr(at, "train --train train.conllu --dev more.conllu --iterations 3 --replicas 1 --model beam.model --beam 8");
    let (by_default, of_default, _) = parse("", "default.conllu");
    let (auto, of_auto, _) = parse("--margin auto", "auto.conllu");
    assert!(by_default == auto && of_default == of_auto && of_auto.is_number());
    let (_, of_k_best, _) = parse("--k-best 2", "two.conllu");
    assert!(of_k_best.is_null());
    let warned = stderr(at, "parse --model greedy.model dev.conllu --beam 4 -o greedy.conllu");
    assert!(warned.contains("warning: the model was trained to be decoded greedily"), "{warned}");
    treebeam(at, "parse --model greedy.model dev.conllu --beam 4 --margin 99").assert().code(2).stdout("");
    for margin in ["0", "101", "nan", "much"] {
        treebeam(at, &format!("parse --model beam.model dev.conllu --margin {margin}")).assert().code(2).stdout("");
    }
}

#[test]
fn tags_that_the_model_never_saw_are_reported() {
    let folder = folder();
    let at = folder.path();
    let known = fs::read_to_string(at.join("test.conllu")).unwrap();
    let other: Vec<String> = known
        .lines()
        .map(|line| {
            let mut columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if let Some(tag) = columns.get_mut(3) {
                *tag = format!("new-{tag}");
            }
            columns.join("\t") + "\n"
        })
        .collect();
    fs::write(at.join("other.conllu"), other.concat()).unwrap();
    let expected = "warning: other.conllu: 100 % of the words have tags in UPOS that were not in the training data";
    assert!(stderr(at, "parse --model model other.conllu -o out").contains(expected));
    assert!(!stderr(at, "parse --model model test.conllu -o out").contains("warning"));
}

/// No part of an enhanced graph comes back without the rest, and a warning says that it is lost.
#[test]
fn the_enhanced_graph_goes_whole() {
    let folder = folder();
    let text = "1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t2:nsubj\t_\n2\tsold\tsell\tVERB\tVBD\t_\t0\troot\t0:root\t_\n\
        3\tand\tand\tCCONJ\tCC\t_\t4\tcc\t4.1:cc\t_\n4\tBo\tBo\tPROPN\tNNP\t_\t2\tconj\t4.1:nsubj\t_\n";
    let empty = "4.1\tsold\tsell\tVERB\tVBD\t_\t_\t_\t2:conj:and\t_\n";
    for empty in [empty, ""] {
        fs::write(folder.path().join("x.conllu"), format!("{text}{empty}\n")).unwrap();
        let assert = treebeam(folder.path(), "parse --model model --k-best 2 x.conllu").assert().success();
        let output = assert.get_output();
        let parsed = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(!parsed.contains("4.1") && parsed.matches("\t_\t_\n").count() == 8, "{parsed}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("1 sentence had an enhanced graph, which is left out")
        );
        // On request it comes back as it was, with new heads and labels alone.
        let assert = treebeam(folder.path(), "parse --model model --enhanced keep x.conllu").assert().success();
        let output = assert.get_output();
        let without_tree = |text: &str| -> Vec<String> {
            let columns = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
            columns
                .map(|columns| columns[..columns.len().min(6)].join(" ") + &columns[columns.len().min(8)..].join(" "))
                .collect()
        };
        let kept = String::from_utf8_lossy(&output.stdout);
        assert_eq!(without_tree(&kept), without_tree(&format!("{text}{empty}\n")));
        let (message, n_roots) = (String::from_utf8_lossy(&output.stderr), kept.matches("\t0\troot\t").count());
        assert!(
            message.contains("1 sentence had an enhanced graph, which is kept as it was") && n_roots == 1,
            "{message}{kept}"
        );
    }
}

/// Blank lines that nobody needs cost no sentence, whatever they hold.
#[test]
fn needless_lines_lose_no_sentence() {
    let folder = folder();
    let word = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n";
    fs::write(folder.path().join("x.conllu"), format!("\n{word}\n\n{word} \n\t\n\n# c\n\n{word}\n# trailing\n\n"))
        .unwrap();
    let assert = treebeam(folder.path(), "parse --model model --keep-going x.conllu").assert().success();
    let output = assert.get_output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("1\tGo\t").count(), 3);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("left out"), "{output:?}");
    let train = "train --train x.conllu --model out --skip-invalid --iterations 1";
    let assert = treebeam(folder.path(), train).assert().success();
    assert!(!String::from_utf8_lossy(&assert.get_output().stderr).contains("left out"));
    fs::write(folder.path().join("y.conllu"), format!("{word}\n1\tGo\n\n")).unwrap();
    treebeam(folder.path(), "parse --model model --keep-going y.conllu").assert().code(1);
}

/// However many threads read the blocks of an input, parse them and write them: the trees, what is said, and where it ends.
#[test]
fn threads_read_and_write_in_order() {
    let folder = folder();
    let at = folder.path();
    write(at, "whole.conllu", &generated(65, 3000));
    let whole = fs::read_to_string(at.join("whole.conllu")).unwrap();
    let mut line = 1;
    let (mut torn, mut places) = (String::new(), Vec::new());
    for (number, block) in whole.split_inclusive("\n\n").enumerate() {
        torn += block;
        line += block.lines().count();
        if number % 700 == 650 {
            places.push(line);
            torn += "1\ta\n\n";
            line += 2;
        }
    }
    fs::write(at.join("torn.conllu"), &torn).unwrap();
    treebeam(at, "treebank convert whole.conllu -o packed.conllu.gz").assert().success();
    let packed = fs::read(at.join("packed.conllu.gz")).unwrap();
    fs::write(at.join("cut.conllu.gz"), &packed[..packed.len() * 3 / 4]).unwrap();
    let run = |line: &str, threads: usize, code: i32| {
        let line = format!("parse --model model --beam 1 --threads {threads} {line}");
        let assert = treebeam(at, &line).assert().code(code);
        let output = assert.get_output();
        let (trees, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let said: Vec<&str> = said.lines().filter(|line| !line.contains("tokens/s")).collect();
        (trees.into_owned(), said.join("\n"))
    };
    let whole = run("whole.conllu", 1, 0).0;
    for threads in [1, 3] {
        assert_eq!(run("packed.conllu.gz", threads, 0).0, whole);
        let (trees, said) = run("--keep-going torn.conllu", threads, 1);
        assert_eq!(trees, whole);
        assert!(
            places.len() == 4 && places.iter().all(|line| said.contains(&format!("torn.conllu:{line}: "))),
            "{said}"
        );
        let (trees, said) = run("torn.conllu", threads, 2);
        assert!(whole.starts_with(&trees) && said.contains(&format!("torn.conllu:{}: ", places[0])), "{said}");
    }
    let [alone, together] = [1, 3].map(|threads| run("--keep-going cut.conllu.gz", threads, 1));
    assert_eq!(alone, together);
    assert!(alone.0.len() > whole.len() / 2 && alone.1.contains("the input ends here"), "{}", alone.1);
}

/// No tree comes twice, by whatever derivations.
#[test]
fn k_best_trees_are_different_trees() {
    use std::collections::HashSet;
    use treebeam::job::Job;
    use treebeam::options::{GivenOptions, ParserKind};
    use treebeam::parser::{AnyParser, Loaded, ParseOptions};
    use treebeam::training::Nonprojective;

    let folder = tempfile::tempdir().unwrap();
    let train = crate::common::treebank(crate::common::generated_non_projective(5, 20));
    let mut short = generated(6, 200);
    short.sort_by_key(|sentence| sentence.n_words());
    short.truncate(4);
    let one = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n";
    short.push(treebeam::treebank::Sentence::new("one", treebeam::treebank::Format::Conllu, one).unwrap());
    for &system in ParserKind::all() {
        for nonprojective in [None, Some(Nonprojective::Lift)] {
            let given = GivenOptions {
                system: Some(system),
                iterations: Some(1.into()),
                nonprojective,
                ..GivenOptions::default()
            };
            let Ok(job) = Job::new(given, folder.path().join("m")) else { continue };
            job.run(train.clone(), None, &mut ()).unwrap();
            let model = Loaded::read(&job.model).unwrap();
            let beam = matches!(model, Loaded::Transitions(_)).then_some(16);
            let mut parser =
                AnyParser::new(&model, &ParseOptions { k_best: 16, beam, ..ParseOptions::default() }).unwrap();
            for trees in parser.parse(&short).unwrap() {
                let different: HashSet<_> = trees.iter().map(|parsed| &parsed.tree).collect();
                assert!(different.len() == trees.len() && !trees.is_empty(), "{}: {trees:?}", system.name());
            }
        }
    }
}

/// Trees come before the input ends.
#[test]
fn a_sentence_is_answered_before_the_next_is_asked_for() {
    use std::io::{BufRead, BufReader, Write};
    let folder = folder();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("treebeam"))
        .current_dir(folder.path())
        .args(["parse", "--quiet", "--model", "model"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for n in 1..=3 {
        let words = (1..=n).map(|id| format!("{id}\tGo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n"));
        input.write_all((words.collect::<String>() + "\n").as_bytes()).unwrap();
        // Blocks for ever if the tree waits for more input.
        let tree: Vec<String> = lines.by_ref().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
        assert_eq!(tree.len(), n);
    }
    drop(input);
    assert!(lines.next().is_none() && child.wait().unwrap().success());
}

/// Control characters in files and their names do not reach the terminal.
#[cfg(unix)]
#[test]
fn names_of_files_do_not_reach_the_terminal_raw() {
    let folder = folder();
    let name = "a\u{1b}]0;x\u{7}.conllu";
    fs::write(folder.path().join(name), "1\tGo\n\n").unwrap();
    let mut command = treebeam(folder.path(), "parse --model model");
    let assert = command.arg(name).assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains("a\\u{1b}]0;x\\u{7}.conllu:1: ") && !message.contains('\u{1b}'), "{message}");
}

/// Several inputs are one output in their order, or one output each in a folder; what an error stops leaves no file in part.
#[test]
fn several_inputs_are_parsed_in_order_or_each_for_itself() {
    let folder = folder();
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    for (name, seed, n) in [("a.conllu", 61, 30), ("b.conllu", 62, 1), ("c.conllu", 63, 20)] {
        write(at, name, &generated(seed, n));
    }
    treebeam(at, "treebank convert c.conllu -o c.conllu.gz").assert().success();
    let [a, b, c] = ["a.conllu", "b.conllu", "c.conllu"].map(|name| parse(at, name));
    assert_eq!(parse(at, "b.conllu a.conllu c.conllu.gz"), format!("{b}{a}{c}"));
    let first = treebeam(at, "parse model b.conllu a.conllu c.conllu.gz").assert().success();
    assert_eq!(String::from_utf8_lossy(&first.get_output().stdout), format!("{b}{a}{c}"));
    let first = treebeam(at, "parse model").write_stdin(read("b.conllu")).assert().success();
    assert_eq!(String::from_utf8_lossy(&first.get_output().stdout), b);
    for (line, expected) in [
        ("parse", "no model; expected `treebeam parse MODEL FILE`, or --model MODEL"),
        ("parse a.conllu b.conllu", "a.conllu: CoNLL-U by its name; expected a model first, or --model MODEL"),
    ] {
        let assert = treebeam(at, line).assert().code(2);
        assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains(expected), "{assert}");
    }
    let line = "parse --model model a.conllu - c.conllu -o all.conllu --threads 2 --stats-json stats.json";
    let assert = treebeam(at, line).write_stdin(read("b.conllu")).assert().success();
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("51 sentences"), "{assert}");
    assert_eq!(read("all.conllu"), format!("{a}{b}{c}"));
    let stats: serde_json::Value = serde_json::from_str(&read("stats.json")).unwrap();
    assert_eq!(stats["sentences"].as_u64(), Some(51));

    treebeam(at, "parse --model model a.conllu b.conllu c.conllu.gz -o out/").assert().success().stdout("");
    assert_eq!((read("out/a.conllu"), read("out/b.conllu")), (a.clone(), b.clone()));
    let packed = treebeam(at, "treebank convert out/c.conllu.gz").assert().success();
    assert_eq!(String::from_utf8_lossy(&packed.get_output().stdout), c);
    // A folder that is there needs no slash, and one file is as good as several.
    treebeam(at, "parse --model model c.conllu -o out").assert().success();
    assert_eq!(read("out/c.conllu"), c);

    let torn = read("c.conllu") + "1\ta\n\n";
    fs::write(at.join("torn.conllu"), &torn).unwrap();
    let failure = |line: &str, code: i32| {
        let assert = treebeam(at, &format!("parse --model model {line}")).assert().code(code);
        String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
    };
    let place = format!("torn.conllu:{}: ", torn.lines().count() - 1);
    let message = failure("a.conllu torn.conllu b.conllu -o lost.conllu", 2);
    assert!(message.contains(&place) && !at.join("lost.conllu").exists(), "{message}");
    let message = failure("a.conllu torn.conllu b.conllu -o some/", 2);
    assert!(message.contains(&place) && message.contains("1 of 3 files"), "{message}");
    assert_eq!(read("some/a.conllu"), a);
    assert_eq!(fs::read_dir(at.join("some")).unwrap().count(), 1);
    let message = failure("--keep-going a.conllu torn.conllu b.conllu -o most/", 1);
    assert!(message.contains("1 sentence was left out, 20 were parsed"), "{message}");
    assert_eq!([read("most/a.conllu"), read("most/torn.conllu"), read("most/b.conllu")], [a, c, b]);

    // These are known before anything is parsed.
    fs::create_dir(at.join("sub")).unwrap();
    write(&at.join("sub"), "a.conllu", &generated(64, 1));
    treebeam(at, "treebank convert b.conllu -o b.conll").assert().success();
    for (line, expected) in [
        ("a.conllu none.conllu -o never/", "none.conllu: "),
        ("a.conllu sub -o never/", "sub: a folder; expected the name of a file"),
        ("a.conllu - -o never/", "-: an input without a name; expected files, as --output never/ is a folder"),
        ("a.conllu sub/a.conllu -o never/", "would replace another output"),
        ("sub/a.conllu b.conllu -o sub", "would replace an input"),
        ("- a.conllu - -o never.conllu", "only one of the files can be standard input"),
        ("a.conllu b.conll -o never.conllu", "b.conll: CoNLL-X behind a.conllu, which is CoNLL-U; expected one format"),
    ] {
        let message = failure(line, 2);
        assert!(message.contains(expected), "{line}: {message}");
        assert!(!at.join("never").exists() && !at.join("never.conllu").exists(), "{line}");
    }
    failure("a.conllu b.conll -o both/", 0);
    assert!(read("both/b.conll").starts_with("1\t"));
}
