//! Exact search from the command line.

use crate::common::{generated, generated_non_projective, treebeam, write};

/// Trains in `folder` with these options.
fn trained(folder: &std::path::Path, options: &str) -> std::process::Output {
    treebeam(folder, &format!("train --train train.conllu --model model --iterations 2 --replicas 1 {options}"))
        .output()
        .unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The labelled attachment score on the development data after the last iteration.
fn las_of(log: &str) -> f64 {
    let (_, after) = log.rsplit_once("LAS ").unwrap();
    after.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn exact_search_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated_non_projective(31, 60));
    write(at, "test.conllu", &generated(32, 12));
    for (system, oracle) in
        [("arc-standard", "static"), ("arc-hybrid", "dynamic"), ("arc-hybrid", "static"), ("arc-eager", "dynamic")]
    {
        for roots in ["single", "several"] {
            let options = format!(
                "--system {system} --oracle {oracle} --roots {roots} --features minimal --search exact --dev test.conllu"
            );
            let trained = trained(at, &options);
            assert!(trained.status.success(), "{options}: {}", stderr(&trained));
            // Exact is what it was trained with; a beam so wide finds mostly the same trees.
            for (name, options) in [("exact", ""), ("again", "--search exact --threads 2"), ("wide", "--beam 500")] {
                let line = format!("parse --model model test.conllu -o {name}.conllu {options}");
                treebeam(at, &line).assert().success();
            }
            let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
            assert_eq!(read("exact.conllu"), read("again.conllu"));
            let same = read("exact.conllu").lines().zip(read("wide.conllu").lines()).filter(|(a, b)| a == b).count();
            let all = read("exact.conllu").lines().count();
            assert!(same * 100 >= all * 80, "{system}, {roots}: {same} of {all} lines");
        }
    }
    let learners = [
        ("arc-hybrid", "--objective loss-augmented"),
        ("arc-hybrid", "--learner mira"),
        ("arc-eager", "--learner mira --oracle static"),
    ];
    for (system, options) in learners {
        let options = format!("--system {system} --features minimal --search exact --dev test.conllu {options}");
        let trained = trained(at, &options);
        assert!(trained.status.success(), "{options}: {}", stderr(&trained));
        assert!(las_of(&stderr(&trained)) > 30.0, "{options}: {}", stderr(&trained));
    }
    // A model of a beam, decoded exactly.
    assert!(trained(at, "--system arc-hybrid --features minimal --beam 2").status.success());
    treebeam(at, "parse --model model test.conllu --search exact -o exact.conllu").assert().success();
    for (line, expected) in [
        ("--search exact --beam 4", "exact search has no beam"),
        ("--search exact --k-best 2", "exact search finds the one best tree"),
    ] {
        let refused = treebeam(at, &format!("parse --model model test.conllu {line}")).output().unwrap();
        assert!(!refused.status.success() && stderr(&refused).contains(expected), "{line}: {}", stderr(&refused));
    }
    // Sentences that are too long are named, or left out.
    let long: String = (1..=1001).map(|word| format!("{word}\tw\t_\tN\t_\t_\t_\t_\t_\t_\n")).collect();
    std::fs::write(at.join("long.conllu"), format!("{long}\n1\tw\t_\tN\t_\t_\t_\t_\t_\t_\n\n")).unwrap();
    let refused = treebeam(at, "parse --model model long.conllu --search exact").output().unwrap();
    let expected = "long.conllu:1: a sentence of 1001 words; expected at most 1000 for exact search with arc-hybrid";
    assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
    let rest = treebeam(at, "parse --model model long.conllu --search exact --keep-going").output().unwrap();
    assert_eq!(String::from_utf8(rest.stdout).unwrap().lines().filter(|line| !line.is_empty()).count(), 1);
}

#[test]
fn what_cannot_be_searched_exactly_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "train.conllu", &generated(33, 20));
    std::fs::write(at.join("my.feat"), "S0.w B0.w\n# dependents\nS0.p S0.l1.p\n").unwrap();
    for (options, expected) in [
        ("--features zn11 --search exact", "zn11.feat:30: template `S0.h.p S0.p B0.p`, whose `S0.h.p` reads arcs"),
        (
            "--features my.feat --search exact",
            "my.feat:3: template `S0.p S0.l1.p`, whose `S0.l1.p` reads arcs that were made before",
        ),
        (
            "--features minimal --search exact --system swap",
            "there is no exact search for swap; expected --system arc-standard",
        ),
        ("--features minimal --search exact --training greedy", "expected --training global"),
        ("--features minimal --search exact --update early", "expected --update standard"),
        ("--features minimal --search exact --objective crf", "expected --objective perceptron or loss-augmented"),
    ] {
        let refused = trained(at, options);
        assert!(!refused.status.success() && stderr(&refused).contains(expected), "{options}: {}", stderr(&refused));
    }
    assert!(trained(at, "--beam 2").status.success());
    let refused = treebeam(at, "parse --model model train.conllu --search exact").output().unwrap();
    assert!(stderr(&refused).contains("zn11.feat:30: template"), "{}", stderr(&refused));
}
