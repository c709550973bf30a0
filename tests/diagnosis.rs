//! Search errors and model errors, replaced arcs, and wrong arcs after the first one.

use treebeam::decode::{Margin, Parser, Strategy};
use treebeam::diagnosis::{Diagnosis, diagnose};
use treebeam::learn::{Keep, Learner, Nonprojective, TrainOptions, Training};
use treebeam::linear::LinearModel;
use treebeam::system::{OracleKind, SystemKind};
use treebeam::tree::{Roots, Tree};

use crate::common::{generated, generated_non_projective, train, treebank};

fn trained(system: SystemKind, training: Training) -> LinearModel {
    let oracle = if training == Training::Greedy { OracleKind::Static } else { system.beam_oracle() };
    let options = TrainOptions {
        system,
        training,
        oracle,
        features: "stack".to_owned(),
        iterations: 2.into(),
        beam: 8,
        replicas: 1,
        keep: Keep::Last,
        nonprojective: Nonprojective::MinCost,
        ..TrainOptions::default()
    };
    train(&options, &treebank(generated(41, 60)))
}

#[test]
fn every_sentence_is_accounted_for_and_wide_beams_search_better() {
    let gold = treebank(generated(42, 40));
    for system in [
        treebeam_systems::ARC_STANDARD,
        treebeam_systems::ARC_EAGER,
        treebeam_systems::ARC_HYBRID,
        treebeam_systems::SWAP,
    ] {
        let model = trained(system, Training::Global);
        let at = |width| diagnose(&model, &gold, width, Margin::None).unwrap().unwrap();
        let widths: Vec<Diagnosis> = [1, 4, 64].map(at).to_vec();
        for d in &widths {
            assert_eq!(d.sentences, 40);
            assert_eq!(d.right + d.search_errors + d.model_errors, d.sentences, "{system:?}: {d:?}");
            assert!(d.in_final_beam <= d.search_errors + d.model_errors);
            let fallen: u64 = d.fell_off.iter().sum();
            assert!(fallen + d.in_final_beam <= d.sentences && fallen + d.in_final_beam + d.right >= d.sentences);
            assert!((d.fallen_by(9) - fallen as f64 / 40.0).abs() < 1e-12);
        }
        let fallen = |d: &Diagnosis| d.fell_off.iter().sum::<u64>();
        assert!(fallen(&widths[0]) > fallen(&widths[2]), "{system:?}: {widths:?}");
        assert!(widths[0].search_errors >= widths[2].search_errors, "{system:?}: {widths:?}");
        assert_eq!(widths[0].in_final_beam, 0, "a beam of one has nothing behind its first item");
    }
}

/// Sentences of at most four words have fewer derivations than a wide beam has places: what is wrong is the model's fault.
#[test]
fn a_beam_that_holds_every_derivation_makes_no_search_error() {
    let mut short = generated(43, 600);
    short.retain(|sentence| sentence.n_words() <= 4);
    assert!(short.len() > 5, "{}", short.len());
    let gold = treebank(short);
    let model = trained(treebeam_systems::ARC_EAGER, Training::Greedy);
    let wide = diagnose(&model, &gold, 100_000, Margin::None).unwrap().unwrap();
    assert_eq!((wide.search_errors, wide.fell_off), (0, [0; 10]));
    assert_eq!(wide.in_final_beam, wide.model_errors);
    let narrow = diagnose(&model, &gold, 1, Margin::None).unwrap().unwrap();
    assert!(narrow.right <= narrow.sentences - narrow.model_errors);
}

/// Only arcs of non-monotonic systems take others away, and an arc that does is gold, harmful, or neither.
#[test]
fn arcs_that_replace_others_are_counted() {
    let gold = treebank(generated(42, 40));
    let of = |system: SystemKind| {
        let options = TrainOptions {
            system,
            training: Training::Greedy,
            oracle: system.greedy_oracle(),
            features: "covington".to_owned(),
            explore_from: 0,
            iterations: 2.into(),
            replicas: 1,
            ..TrainOptions::default()
        };
        let model = train(&options, &treebank(generated(41, 60)));
        diagnose(&model, &gold, 1, Margin::None).unwrap().unwrap().replacements
    };
    let found = of(treebeam_systems::COVINGTON_NONMONOTONIC);
    assert!(found.replacing > 0 && found.replacing < found.arcs, "{found:?}");
    assert!(found.gold > 0 && found.gold + found.harmful <= found.replacing, "{found:?}");
    let found = of(treebeam_systems::COVINGTON);
    let n_words: usize = gold.sentences.iter().map(|sentence| sentence.n_words()).sum();
    assert!(found.are_none() && found.arcs <= n_words as u64, "{found:?}");
    assert_eq!((found.gold, found.harmful), (0, 0));
}

/// The derivation whose wrong arcs are counted is that of the tree that parsing gives, also for gold trees that are not derived.
#[test]
fn wrong_arcs_are_those_of_the_output() {
    let gold = treebank(generated_non_projective(42, 40));
    let mut not_derivable = 0;
    for (system, merge) in [
        (treebeam_systems::ARC_HYBRID, true),
        (treebeam_systems::ARC_EAGER_NONMONOTONIC, false),
        (treebeam_systems::COVINGTON_NONMONOTONIC, false),
        (treebeam_systems::EASY_FIRST, false),
        (treebeam_systems::SWAP, false),
    ] {
        let options = TrainOptions {
            merge,
            beam: 4,
            iterations: 2.into(),
            replicas: 1,
            keep: Keep::Last,
            nonprojective: Nonprojective::MinCost,
            ..TrainOptions::of(system, Training::Global, Learner::default())
        };
        let model = train(&options, &treebank(generated(41, 60)));
        let mut labels = model.labels().clone();
        let trees = gold.trees(Roots::Several, &mut labels).unwrap();
        for width in [1, 4, 16] {
            let strategy = Strategy::trained(width, &model.header).unwrap();
            let parsed = Parser::with(&model, strategy, 1).unwrap().parse(&gold.sentences, 1);
            let (mut n_wrong, mut with_wrong) = (0, 0);
            for (gold, parsed) in trees.iter().zip(&parsed) {
                let arc = |tree: &Tree, word| (tree.head(word), tree.label(word));
                let wrong = gold.words().filter(|&word| arc(gold, word) != arc(&parsed[0].tree, word)).count() as u64;
                n_wrong += wrong;
                with_wrong += u64::from(wrong > 0);
            }
            let found = diagnose(&model, &gold, width, Margin::None).unwrap().unwrap();
            let counts = found.propagation;
            assert_eq!((counts.sentences, counts.with_wrong), (40, with_wrong), "{system:?}, width {width}");
            assert_eq!(counts.with_wrong + counts.wrong_after, n_wrong, "{system:?}, {width}");
            assert!(with_wrong > 0 && counts.steps_before >= counts.before, "{system:?}: {counts:?}");
            not_derivable += found.not_derivable;
        }
    }
    assert!(not_derivable > 0);
}
