//! `treebeam oracle` from outside.

use assert_cmd::Command;
use std::fs;
use treebeam::system::{Roots, SystemKind};

fn treebeam(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("treebeam").unwrap();
    command.arg("oracle").args(args);
    command
}

/// A word a line: form, head, label. An empty line ends a sentence.
fn conllu(words: &str) -> String {
    let mut number = 0;
    let mut text = String::new();
    for line in words.lines() {
        if let [form, head, label] = line.split_whitespace().collect::<Vec<_>>()[..] {
            number += 1;
            text += &format!("{number}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n");
        } else {
            number = 0;
            text += "\n";
        }
    }
    text
}

const SENTENCES: &str = "John 2 nsubj\nsaw 0 root\nMary 2 obj\n\nwhom 3 obj\ndo 0 root\nsee 2 xcomp\n\n\
                         A 3 a\nb 0 root\nc 2 c\nd 1 d\n\n";

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

/// The message of a command that is refused.
fn refusal(args: &[&str], words: &str) -> String {
    let refused = treebeam(args).write_stdin(conllu(words)).assert().code(2);
    String::from_utf8(refused.get_output().stderr.clone()).unwrap()
}

#[test]
fn verify_prints_a_row_for_each_length() {
    let text = stdout(&mut treebeam(&["verify", "--system", "arc-eager", "--max-words", "4", "--roots", "several"]));
    let row: Vec<&str> = text.lines().nth(4).unwrap().split_whitespace().collect();
    assert_eq!(
        row,
        ["arc-eager", "several", "projective", "4", "55", "245", "10450", "13970", "0", "0", "0", "0", "55", "55"]
    );
}

#[test]
fn verify_covers_every_system_and_both_settings() {
    let text = stdout(&mut treebeam(&["verify", "--all", "--max-words", "3", "--labels", "2", "--non-projective"]));
    for system in SystemKind::all() {
        for &roots in system.roots() {
            let (system, roots) = (system.name(), if roots == Roots::Single { "single" } else { "several" });
            let rows = text.lines().filter(|line| {
                let mut cells = line.split_whitespace();
                cells.next() == Some(system) && cells.next() == Some(roots)
            });
            assert_eq!(rows.count(), 6, "{text}");
        }
    }
}

#[test]
fn verify_needs_a_system() {
    treebeam(&["verify"]).assert().code(2);
    treebeam(&["verify", "--all", "--system", "arc-eager"]).assert().code(2);
    treebeam(&["verify", "--all", "--max-words", "9"]).assert().code(2);
    treebeam(&["verify", "--system", "covington", "--max-words", "6"]).assert().code(2);
}

#[test]
fn show_prints_stack_buffer_action_costs_and_tree() {
    let text =
        stdout(treebeam(&["show", "--system", "arc-eager", "--sentence", "1", "-"]).write_stdin(conllu(SENTENCES)));
    insta::assert_snapshot!(text, @r"
# -:1, arc-eager, roots: single
  1               | 1:John 2:saw 3:Mary 0:ROOT  SHIFT       SHIFT 0
  2        1:John | 2:saw 3:Mary 0:ROOT         LEFT nsubj  SHIFT 3, LEFT 0, RIGHT 2
  3               | 2:saw 3:Mary 0:ROOT         SHIFT       SHIFT 0
  4         2:saw | 3:Mary 0:ROOT               RIGHT obj   LEFT 2, RIGHT 0
  5  2:saw 3:Mary | 0:ROOT                      REDUCE      REDUCE 0
  6         2:saw | 0:ROOT                      LEFT root   LEFT 0
  1  John    2  nsubj
  2  saw     0  root
  3  Mary    2  obj
");
}

const BOOK: &str = "He 2 nsubj\ngave 0 root\nMary 2 iobj\na 5 det\nbook 2 obj\n\n";

/// Goldberg's order reduces *Mary* at once, the lecture's waits.
#[test]
fn show_knows_both_static_oracles_of_arc_eager() {
    let of = |oracle: &str| {
        let args = ["show", "--system", "arc-eager", "--oracle", oracle, "--json", "-"];
        let text = stdout(treebeam(&args).write_stdin(conllu(BOOK)));
        let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
        let steps = shown["steps"].as_array().unwrap();
        steps.iter().map(|step| step["move"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("static"), "SHIFT LEFT SHIFT RIGHT REDUCE SHIFT LEFT RIGHT REDUCE LEFT");
    assert_eq!(of("lazy"), "SHIFT LEFT SHIFT RIGHT SHIFT LEFT REDUCE RIGHT REDUCE LEFT");
    let refused = refusal(&["show", "--system", "arc-hybrid", "--oracle", "lazy", "-"], BOOK);
    assert!(refused.contains("arc-hybrid has no lazy oracle; expected --oracle static or dynamic"), "{refused}");
}

/// After a wrong move the oracle makes the best of it.
#[test]
fn show_goes_on_from_any_configuration() {
    let args = ["show", "--system", "arc-eager", "--moves", "SHIFT RIGHT right", "-"];
    let text = stdout(treebeam(&args).write_stdin(conllu(BOOK)));
    insta::assert_snapshot!(text, @r"
# -:1, arc-eager, roots: single
  1                     | 1:He 2:gave 3:Mary 4:a +2    SHIFT       SHIFT 0
  2                1:He | 2:gave 3:Mary 4:a 5:book +1  RIGHT root  SHIFT 3, LEFT 0, RIGHT 2
  3         1:He 2:gave | 3:Mary 4:a 5:book 0:ROOT     RIGHT iobj  SHIFT 1, REDUCE 2, RIGHT 0
# from here on as the oracle says
  4  1:He 2:gave 3:Mary | 4:a 5:book 0:ROOT            REDUCE      SHIFT 0, REDUCE 0, RIGHT 1
  5         1:He 2:gave | 4:a 5:book 0:ROOT            SHIFT       SHIFT 0, REDUCE 1, RIGHT 1
  6     1:He 2:gave 4:a | 5:book 0:ROOT                LEFT det    LEFT 0
  7         1:He 2:gave | 5:book 0:ROOT                RIGHT obj   REDUCE 1, RIGHT 0
  8  1:He 2:gave 5:book | 0:ROOT                       REDUCE      REDUCE 0
  9         1:He 2:gave | 0:ROOT                       REDUCE      REDUCE 0
 10                1:He | 0:ROOT                       LEFT nsubj  LEFT 0
  1  He      0  nsubj  (gold head 2)
  2  gave    1  root  (gold head 0)
  3  Mary    2  iobj
  4  a       5  det
  5  book    2  obj
");
    // What is right so far goes on as the static oracle would have it.
    let canonical = |more: &[&str]| {
        let args = [&["show", "--system", "arc-eager", "--oracle", "lazy", "-"][..], more].concat();
        stdout(treebeam(&args).write_stdin(conllu(BOOK)))
    };
    let after = canonical(&["--moves", "SHIFT LEFT SHIFT RIGHT"]);
    let rest: Vec<&str> = after.lines().filter(|line| *line != "# from here on as the oracle says").collect();
    assert_eq!(rest, canonical(&[]).lines().collect::<Vec<_>>());
}

/// Errors about moves name their position.
#[test]
fn show_says_which_move_is_wrong() {
    for (system, moves, expected) in [
        ("arc-eager", "SHIFT LEFT LEFT", "-:1: --moves: LEFT at position 3 is not permitted; expected one of SHIFT"),
        ("arc-eager", "SHIFT LEFF", "the move at position 2 is `LEFF`; expected one of SHIFT, REDUCE, LEFT, RIGHT"),
        ("arc-eager", "SHIFT@1", "SHIFT@1 at position 1 is not permitted; expected one of SHIFT"),
        (
            "arc-eager-start",
            "SHIFT SHIFT SHIFT SHIFT RIGHT RIGHT",
            "RIGHT at position 5 is not permitted; expected one of LEFT",
        ),
        (
            "arc-standard",
            "SHIFT SHIFT LEFT SHIFT RIGHT SHIFT SHIFT LEFT RIGHT RIGHT SHIFT",
            "comes after the end of the derivation",
        ),
        ("easy-first", "LEFT@0", "expected one of LEFT@1, RIGHT@1, LEFT@2"),
    ] {
        let refused = refusal(&["show", "--system", system, "--moves", moves, "-"], BOOK);
        assert!(refused.contains(expected), "{system}, {moves}: {refused}");
    }
    let several = refusal(&["show", "--system", "swap", "--moves", "SHIFT", "-"], SENTENCES);
    assert!(several.contains("there are 3; expected --sentence N"), "{several}");
}

/// Every oracle can be asked about, and errors are one sentence.
#[test]
fn verify_checks_the_named_oracle() {
    let row = |args: &[&str]| {
        let args = [&["verify", "--max-words", "3", "--roots", "several", "--json"][..], args].concat();
        let text = stdout(&mut treebeam(&args));
        serde_json::from_str::<serde_json::Value>(text.lines().rfind(|line| line.contains("trees_of")).unwrap())
            .unwrap()
    };
    let lazy = row(&["--system", "arc-eager", "--oracle", "lazy"]);
    assert_eq!((&lazy["rebuilt"], &lazy["mismatches"], &lazy["counterexample"]), (&12.into(), &0.into(), &().into()));
    let [dynamic, first] =
        ["dynamic", "monotonic-first"].map(|oracle| row(&["--system", "arc-eager-nonmonotonic", "--oracle", oracle]));
    assert!(dynamic["mismatches"] == 0 && first["mismatches"].as_u64() > Some(0), "{first}");
    let example = first["counterexample"].as_str().unwrap();
    assert_eq!(
        example,
        "with the gold heads 0 0 1, after SHIFT, in [1 | 2 3 0] with no arcs, LEFT is said to cost 3 and costs 1"
    );
    let text =
        stdout(&mut treebeam(&["verify", "--system", "arc-eager-unshift", "--max-words", "3", "--roots", "single"]));
    assert_eq!(
        text.lines().last().unwrap(),
        "with the gold heads 2 0 1, after SHIFT, in [0 1 | 2 3] with no arcs, SHIFT is said to cost 1 and costs 0"
    );
    // Of one word no tree crosses itself: rates of nothing are 0.
    let text = stdout(&mut treebeam(&["verify", "--system", "arc-eager-unshift", "--max-words", "1"]));
    assert!(text.contains("0.0 % of transitions mismatch") && !text.contains("NaN"), "{text}");
    treebeam(&["verify", "--all", "--oracle", "static"]).assert().code(2);
    treebeam(&["verify", "--system", "arc-standard", "--oracle", "lazy"]).assert().code(2);
}

#[test]
fn show_says_what_the_system_does_not_derive() {
    let text =
        stdout(treebeam(&["show", "--system", "arc-standard", "--non-projective", "-"]).write_stdin(conllu(SENTENCES)));
    insta::assert_snapshot!(text, @r"
# -:5, arc-standard, roots: single
# arc-standard does not derive this tree: not projective are the arcs into 1:whom; what follows is a derivation of least cost
  1              0:ROOT | 1:whom 2:do 3:see  SHIFT        SHIFT 0
  2       0:ROOT 1:whom | 2:do 3:see         SHIFT        SHIFT 0
  3  0:ROOT 1:whom 2:do | 3:see              LEFT obj     SHIFT 0, LEFT 0, RIGHT 1
  4         0:ROOT 2:do | 3:see              SHIFT        SHIFT 0
  5   0:ROOT 2:do 3:see |                    RIGHT xcomp  LEFT 2, RIGHT 0
  6         0:ROOT 2:do |                    RIGHT root   RIGHT 0
  1  whom    2  obj  (gold head 3)
  2  do      0  root
  3  see     2  xcomp

# -:9, arc-standard, roots: single
# arc-standard does not derive this tree: not projective are the arcs into 1:A 4:d; what follows is a derivation of least cost
  1          0:ROOT | 1:A 2:b 3:c 4:d  SHIFT       SHIFT 0
  2      0:ROOT 1:A | 2:b 3:c 4:d      SHIFT       SHIFT 0
  3  0:ROOT 1:A 2:b | 3:c 4:d          LEFT a      SHIFT 0, LEFT 0, RIGHT 1
  4      0:ROOT 2:b | 3:c 4:d          SHIFT       SHIFT 0
  5  0:ROOT 2:b 3:c | 4:d              RIGHT c     SHIFT 0, LEFT 2, RIGHT 0
  6      0:ROOT 2:b | 4:d              SHIFT       SHIFT 0
  7  0:ROOT 2:b 4:d |                  RIGHT d     LEFT 1, RIGHT 0
  8      0:ROOT 2:b |                  RIGHT root  RIGHT 0
  1  A    2  a  (gold head 3)
  2  b    0  root
  3  c    2  c
  4  d    2  d  (gold head 1)
");
}

#[test]
fn show_reads_files_and_reports_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three.conllu");
    fs::write(&path, conllu(SENTENCES)).unwrap();
    let path = path.to_str().unwrap();
    let all = stdout(&mut treebeam(&["show", "--system", "arc-hybrid", path]));
    assert_eq!(all.lines().filter(|line| line.starts_with("# ") && line.ends_with("roots: single")).count(), 3);
    let missing = treebeam(&["show", "--system", "arc-hybrid", "--sentence", "4", path]).assert().code(2);
    let message = String::from_utf8(missing.get_output().stderr.clone()).unwrap();
    assert!(message.contains("no sentence `4`") && message.contains("from 1 to 3"), "{message}");
    treebeam(&["show", "--system", "arc-hybrid", "no-such-file.conllu"]).assert().code(2);
}

#[test]
fn a_system_without_several_roots_says_so() {
    for command in [
        &["verify", "--system", "arc-hybrid-rootless", "--roots", "several"][..],
        &["show", "--system", "arc-hybrid-rootless", "--roots", "several", "-"],
        &["coverage", "--system", "arc-hybrid-rootless", "--roots", "several", "-"],
    ] {
        let refused = treebeam(command).write_stdin(conllu(SENTENCES)).assert().code(2);
        let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(
            message.contains("arc-hybrid-rootless leaves one word on the root; expected --roots single"),
            "{message}"
        );
    }
}

#[test]
fn show_swaps() {
    let text = stdout(treebeam(&["show", "--system", "swap", "--sentence", "2", "-"]).write_stdin(conllu(SENTENCES)));
    insta::assert_snapshot!(text, @r"
# -:5, swap, roots: single
  1                    0:ROOT | 1:whom 2:do 3:see  SHIFT        SHIFT 0
  2             0:ROOT 1:whom | 2:do 3:see         SHIFT        SHIFT 0
  3        0:ROOT 1:whom 2:do | 3:see              SWAP         SHIFT 1, LEFT 1, RIGHT 1, SWAP 0
  4               0:ROOT 2:do | 1:whom 3:see       SHIFT        SHIFT 0
  5        0:ROOT 2:do 1:whom | 3:see              SHIFT        SHIFT 0, LEFT 1, RIGHT 1
  6  0:ROOT 2:do 1:whom 3:see |                    LEFT obj     LEFT 0, RIGHT 1, SWAP 1
  7         0:ROOT 2:do 3:see |                    RIGHT xcomp  LEFT 1, RIGHT 0, SWAP 1
  8               0:ROOT 2:do |                    RIGHT root   RIGHT 0
  1  whom    3  obj
  2  do      0  root
  3  see     2  xcomp
");
}

/// Of the three trees two are not projective; the second of these skips two nodes, each of which waits for another.
#[test]
fn coverage_counts_trees_and_arcs() {
    let text = stdout(treebeam(&["coverage", "--all", "-"]).write_stdin(conllu(SENTENCES)));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["system", "trees", "rebuilt", "%", "arcs", "made", "%", "file"]);
    assert_eq!(rows.len(), 1 + SystemKind::all().len());
    let row = |system: &str| rows.iter().find(|row| row[0] == system).unwrap()[1..].to_vec();
    for (system, made, percent) in [
        ("arc-eager", "7", "70.00"),
        ("arc-hybrid", "6", "60.00"),
        ("arc-hybrid-rootless", "6", "60.00"),
        ("arc-standard", "7", "70.00"),
    ] {
        assert_eq!(row(system), ["3", "1", "33.33", "10", made, percent, "-"], "{system}");
    }
    assert_eq!(row("attardi"), ["3", "2", "66.67", "10", "9", "90.00", "-"]);
    for system in ["swap", "2-planar"] {
        assert_eq!(row(system), ["3", "3", "100.00", "10", "10", "100.00", "-"], "{system}");
    }
    let one = stdout(treebeam(&["coverage", "--system", "swap", "-"]).write_stdin(conllu(SENTENCES)));
    assert_eq!(one.lines().count(), 2);
}

#[test]
fn verify_checks_the_bounds_of_the_loss() {
    let args = ["verify", "--system", "covington-nonmonotonic", "--max-words", "3", "--roots", "several"];
    let text = stdout(&mut treebeam(&args));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |bound| rows.iter().find(|row| row.starts_with(&["several", bound, "3"])).unwrap();
    assert_eq!(row("lower")[3..], ["2880", "0", "0.00122", "0.243", "%", "0.048", "%"]);
    assert_eq!(row("pc-upper")[3..], ["2880", "0", "0.00000", "0.069", "%", "0.000", "%"]);
    assert_eq!(row("upper")[3..], ["2880", "0", "0.00382", "0.556", "%", "0.096", "%"]);
}

#[test]
fn bounds_are_compared_along_derivations() {
    let numbers = |text: &str| -> Vec<f64> {
        let row = text.lines().nth(1).unwrap();
        row.split_whitespace().skip(1).map(|number| number.parse().unwrap()).collect()
    };
    let bounds = |args: &[&str]| {
        let args = [&["bounds", "-"], args].concat();
        numbers(&stdout(treebeam(&args).write_stdin(conllu(SENTENCES))))
    };
    // Without wandering nothing is lost.
    let straight = bounds(&["--wander", "0"]);
    assert!(straight[0] > 20.0 && straight[1..].iter().all(|&number| number == 0.0), "{straight:?}");
    let wandering = bounds(&["--wander", "0.5", "--transitions", "15"]);
    let [n, given_up, lower, loss, pc_upper, upper, ..] = wandering[..] else { panic!("{wandering:?}") };
    assert_eq!((n, given_up), (15.0, 0.0));
    assert!(0.0 < lower && lower <= loss && loss <= pc_upper && pc_upper <= upper, "{wandering:?}");
    treebeam(&["bounds", "--wander", "2", "-"]).assert().code(2);
    treebeam(&["bounds"]).assert().code(2);
}

fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn everything_is_there_as_json() {
    let lines = |args: &[&str]| json_lines(&stdout(treebeam(args).arg("--json").write_stdin(conllu(SENTENCES))));

    let verified = lines(&["verify", "--system", "covington-nonmonotonic", "--max-words", "2", "--roots", "several"]);
    assert_eq!(verified.len(), 4 + 2 * 3);
    assert!(verified[..4].iter().all(|row| row["as_claimed"] == true && row["system"] == "covington-nonmonotonic"));
    assert_eq!((&verified[1]["words"], &verified[1]["trees"]), (&2.into(), &3.into()));
    assert!(verified[4..].iter().all(|row| row["broken"] == 0 && row["bound"].is_string()));

    let covered = lines(&["coverage", "--system", "attardi", "-"]);
    let [row] = &covered[..] else { panic!("{covered:?}") };
    assert_eq!((&row["path"], &row["trees"], &row["rebuilt"]), (&"-".into(), &3.into(), &2.into()));
    assert_eq!((&row["arcs"], &row["made"], &row["roots"]), (&10.into(), &9.into(), &"single".into()));

    let bounds = lines(&["bounds", "--wander", "0", "-"]);
    let [row] = &bounds[..] else { panic!("{bounds:?}") };
    assert!(row["configurations"].as_u64().unwrap() > 20, "{row}");
    assert_eq!((&row["loss"], &row["distance_of_upper"]), (&0.0.into(), &0.0.into()));

    let shown = lines(&["show", "--system", "arc-standard", "-"]);
    assert_eq!(shown.len(), 3);
    assert_eq!((&shown[0]["path"], &shown[0]["line"]), (&"-".into(), &1.into()));
    assert!(shown[0]["not_derivable"].is_null() && shown[1]["not_derivable"].is_string());
    let step = &shown[1]["steps"][2];
    assert_eq!((&step["move"], &step["label"]), (&"LEFT".into(), &"obj".into()));
    assert_eq!(step["lists"], serde_json::json!([[0, 1, 2], [3]]));
    assert_eq!(step["costs"][2], serde_json::json!({ "move": "RIGHT", "point": 0, "cost": 1 }));
    let word = &shown[1]["words"][0];
    assert_eq!((&word["head"], &word["gold_head"], &word["form"]), (&2.into(), &3.into(), &"whom".into()));
}

#[test]
fn features_are_listed_and_shown_as_text_and_as_json() {
    let features = |args: &[&str]| {
        let mut command = Command::cargo_bin("treebeam").unwrap();
        stdout(command.arg("features").args(args).write_stdin(conllu(SENTENCES)))
    };
    let sets = json_lines(&features(&["list", "--json"]));
    let text = features(&["list"]);
    assert_eq!(sets.len(), text.lines().count());
    for (set, line) in sets.iter().zip(text.lines()) {
        let (read, what) = match set["templates"].as_array() {
            Some(templates) => (templates, "templates "),
            None => (set["places"].as_array().unwrap(), "places    "),
        };
        let start = format!("{:<14} {:>3} {what} ", set["name"].as_str().unwrap(), read.len());
        assert!(line.starts_with(&start) && line.ends_with(set["title"].as_str().unwrap()), "{line}");
    }

    let of_set = &json_lines(&features(&["show", "--features", "minimal", "--json"]))[0];
    let at = ["show", "-", "--features", "minimal", "--system", "arc-eager", "--step", "1"];
    let shown = &json_lines(&features(&[&at[..], &["--json"]].concat()))[0];
    assert_eq!((&shown["step"], &shown["steps"]), (&1.into(), &6.into()));
    assert_eq!(shown["lists"], serde_json::json!([[1], [2, 3, 0]]));
    let text = features(&at);
    assert!(text.starts_with("arc-eager after 1 transitions of 6\nJohn | saw Mary ROOT\n\n"), "{text}");
    let templates = shown["templates"].as_array().unwrap();
    assert_eq!(templates.len(), of_set["templates"].as_array().unwrap().len());
    for (place, (template, line)) in templates.iter().zip(text.lines().skip(3)).enumerate() {
        assert_eq!(template["template"], of_set["templates"][place]);
        let values: Vec<&str> = template["values"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        let expected =
            format!("{:>3}  {:<40}  {}", place + 1, template["template"].as_str().unwrap(), values.join("  "));
        assert_eq!(line, expected);
    }
}

/// The advice of a message works.
#[test]
fn several_roots_are_read_where_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("several.conllu");
    fs::write(&path, conllu("a 0 root\nb 0 root\n\n")).unwrap();
    let path = path.to_str().unwrap();
    for command in ["show", "coverage"] {
        let refused = treebeam(&[command, "--system", "swap", path]).assert().code(2);
        let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(message.contains("`--roots several` allows more"), "{message}");
        treebeam(&[command, "--system", "swap", "--roots", "several", path]).assert().success();
    }
    // Non-monotonic Covington lets several words hang on the root in any case.
    treebeam(&["bounds", path]).assert().success();
}

/// Whole lists at every step are the square of the words: longer sentences are refused, and take no time and memory before.
#[test]
fn long_sentences_are_not_shown_but_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.conllu");
    let word = |number: usize| format!("w {number} {}\n", if number == 0 { "root" } else { "x" });
    fs::write(&path, conllu(&((0..20_000).map(word).collect::<String>() + "\n"))).unwrap();
    let path = path.to_str().unwrap();
    let refused = treebeam(&["show", "--system", "arc-eager", path]).assert().code(2);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("20000 words; expected at most 1024 to be shown") && message.contains("convert --cut"),
        "{message}"
    );
    treebeam(&["coverage", "--system", "arc-eager", path]).assert().success();
}
