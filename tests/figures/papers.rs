//! What the texts say of the papers' tables, and of what follows from them.

use super::*;

pub(super) fn papers(texts: &mut Texts) {
    let table1 = document("gn13-table1", "full");
    let gain = |column: &str| wins(&table1, column, "dynamic", "static", Metric::Uas);
    let [eager, hybrid, easy] = [gain("arc-eager"), gain("arc-hybrid"), gain("easy-first")];
    texts.says(&format!(
        "UAS {}, {} and {} in the mean of five seeds (paper {}, {} and {}); higher on {}, {} and {} of {} languages, significantly on \
         {}, {} and {}; with arc-hybrid significantly lower on {}",
        signed(eager.mean),
        signed(easy.mean),
        signed(hybrid.mean),
        signed(eager.paper.unwrap()),
        signed(easy.paper.unwrap()),
        signed(hybrid.paper.unwrap()),
        eager.higher,
        easy.higher,
        hybrid.higher,
        eager.n,
        eager.surely_higher,
        easy.surely_higher,
        hybrid.surely_higher,
        hybrid.surely_lower
    ));
    assert!(table1.about.iter().any(|text| text.contains("for 15 iterations, with 5 seeds")), "{:?}", table1.about);
    texts.says("The paper trained easy-first for 20 iterations; all rows here have 15");

    let figure1 = document("gn13-figure1", "quick");
    let map = figure1.blocks.iter().find_map(|block| match &block.content {
        Content::HeatMap(map) if map.title.contains("average") => Some(map),
        _ => None,
    });
    let values: Vec<Vec<f64>> =
        map.unwrap().values.iter().map(|line| line.iter().map(|v| v.unwrap()).collect()).collect();
    let of_line = |i: usize| mean(&values[i]);
    let of_column = |j: usize| mean(&values.iter().map(|line| line[j]).collect::<Vec<_>>());
    let (last_line, last_column) = (values.len() - 1, values[0].len() - 1);
    texts.says(&format!(
        "in the mean UAS falls the later exploration begins ({:.1} to {:.1}) and rises with its probability ({:.1} to {:.1})",
        of_line(0),
        of_line(last_line),
        of_column(0),
        of_column(last_column)
    ));
    texts.says("ten treebanks, three seeds a cell, 10 iterations so far");
    let range =
        figure1.blocks.iter().find(|block| block.title == "UAS: from the worst to the best of the grid").unwrap();
    let part = |start: &str, end: &str| range.reading[0].split_once(start).unwrap().1.split_once(end).unwrap().0;
    texts.says(&format!(
        "the grid spans {} points in the mean over treebanks (paper {}); cells that differ by their seeds alone would span {}",
        part("there are ", " points"),
        part("treebanks here and ", " in the paper"),
        part("would span ", " points")
    ));

    learning_to_search(texts);
    texts.says("three treebanks, 800 sentences, three passes, none converged");

    let bounds = document("fg17-table1", "full");
    let losses = table(&bounds, "Bounds and loss, means over configurations").lines.last().unwrap();
    let nearness = table(&bounds, "How far the bounds are from the loss");
    let n_same = nearness.lines.iter().filter(|line| line.last().unwrap().text == "same").count();
    let n_chained = |line: &&Vec<Cell>| {
        let of = |i: usize| line[i].value.unwrap();
        of(3) <= of(4) && of(4) <= of(5) && of(5) <= of(6)
    };
    let lines = &table(&bounds, "Bounds and loss, means over configurations").lines;
    let (_, treebanks) = lines.split_last().unwrap();
    assert_eq!(treebanks.iter().filter(n_chained).count(), treebanks.len());
    texts.says(&format!("the bounds enclose the loss on all {}", treebanks.len()));
    texts.says(&format!(
        "(mean loss {:.2}, paper {:.2}); the order of the three is the paper's on {n_same} treebanks",
        losses[4].value.unwrap(),
        losses[8].value.unwrap()
    ));
    let average = nearness.lines.last().unwrap();
    let of = |i: usize| average[i].value.unwrap();
    texts.says(&format!(
        "({:.5} of the loss, the problematic-cycle bound {:.5}), in the paper the problematic-cycle bound ({:.5}, lower {:.5})",
        of(1),
        of(2),
        of(5),
        of(4)
    ));
    assert!(of(1) < of(2) && of(2) < of(3), "here the lower bound is nearest");
    assert!(of(5) < of(4) && of(4) < of(6), "in the paper the upper bound that counts problematic cycles is");

    let (table3, table4) = (document("fg17-table3", "full"), document("fg17-table4", "full"));
    let claim = wins(&table3, "all", "upper", "monotonic", Metric::Uas);
    // Its p over the sentences of all treebanks stands in what the table says first.
    let gist = table3.gist.join(" ");
    let (_, sure) = gist.split_once(&format!("{:+.2} against `monotonic`", claim.mean)).unwrap();
    let (_, sure) = sure.split_once("significant (").unwrap();
    texts.says(&format!(
        "UAS {} in the mean of 19 languages (paper: {}), significantly over sentences ({}), but it is higher on {} of {} only (significantly on {}, \
         and significantly lower on {}; sign test, p = {:.2})",
        signed(claim.mean),
        signed(claim.paper.unwrap()),
        sure.split_once(')').unwrap().0,
        claim.higher,
        claim.n,
        claim.surely_higher,
        claim.surely_lower,
        claim.p
    ));
    let exploring = ["monotonic", "upper"].map(|row| wins(&table3, "all", row, "static", Metric::Uas));
    let papers = exploring.each_ref().map(|wins| signed(wins.paper.unwrap()));
    texts.says(&format!(
        "Exploring over static, with final arcs and without: {} and {} (paper: {} and {}), higher on {} and {} of 19, p = {:.3} and {:.3}",
        signed(exploring[0].mean),
        signed(exploring[1].mean),
        papers[0],
        papers[1],
        exploring[0].higher,
        exploring[1].higher,
        exploring[0].p,
        exploring[1].p
    ));
    let beside = ["covington dynamic", "covington non-monotonic"]
        .map(|row| wins(&table4, "all", row, "arc-eager dynamic", Metric::Uas));
    texts.says(&format!(
        "Beside arc-eager {} and {} (paper: {} and {}), higher on {} and {} of {}, p = {:.2} and {:.2} by signs",
        signed(beside[0].mean),
        signed(beside[1].mean),
        signed(beside[0].paper.unwrap()),
        signed(beside[1].paper.unwrap()),
        beside[0].higher,
        beside[1].higher,
        beside[0].n,
        beside[0].p,
        beside[1].p
    ));
    let attardi = wins(&table4, "all", "attardi dynamic", "arc-eager dynamic", Metric::Las);
    texts.says(&format!(
        "is behind arc-eager, in LAS by {:.2} points (paper: {:.2} ahead), on {} of {} languages",
        -attardi.mean,
        attardi.paper.unwrap(),
        attardi.lower,
        attardi.n
    ));
}

pub(super) fn spurious_choices(texts: &mut Texts) {
    let document = document("spurious-choices", "quick");
    let choices = ["best-scored", "canonical", "random", "all"];
    let of = |system: &str, oracle: &str| {
        choices.map(|choice| wins(&document, system, &format!("{oracle}, {choice}"), "static", Metric::Uas))
    };
    let gains = |wins: &[Wins]| wins.iter().map(|wins| wins.mean).collect::<Vec<f64>>();
    let span = |values: &[f64]| {
        let (low, high) = range(values);
        format!("{} to {}", signed(low), signed(high))
    };
    let systems = ["arc-eager", "arc-hybrid", "arc-standard"];
    let others = systems.map(|system| of(system, "non-deterministic"));
    let explored = systems.map(|system| of(system, "dynamic"));
    assert!(others.iter().chain(&explored).flatten().all(|wins| wins.n == 10));
    let n_sure = |wins: &[Wins]| wins.iter().filter(|wins| wins.p < 0.05).count();
    assert_eq!(others.each_ref().map(|wins| n_sure(wins)), [0, 0, 1]);
    let sure = others[2][1].p;
    assert!(sure < 0.05 && 12.0 * sure > 0.05);
    let [a, b, c] = others.each_ref().map(|wins| span(&gains(wins)));
    texts.says("On ten treebanks of at most 600 sentences, to the plateau, with three seeds");
    texts.says(&format!(
        "the first alone changes the UAS of arc-eager by {a} points, of arc-hybrid by {b} and of arc-standard by {c}, significantly over \
         treebanks in 1 of 12 cases (arc-standard where the canonical one is preferred, p = {sure:.2}; not when corrected for 12 tests)"
    ));
    let [a, b, c] = explored.each_ref().map(|wins| span(&gains(wins)));
    let [d, e, f] = explored.each_ref().map(|wins| n_sure(wins));
    texts.says(&format!("With exploration as well it is {a}, {b} and {c}, significantly in {d}, {e} and {f} of 4"));
    let beyond: Vec<f64> = explored[1].iter().zip(&others[1]).map(|(wins, other)| wins.mean - other.mean).collect();
    texts.says(&format!("exploration adds {} to that", span(&beyond)));
    let (low, high) = range(&gains(&explored[1]));
    let standard = &explored[2];
    assert!([0, 2, 3].iter().all(|&other| standard[1].mean > standard[other].mean), "the canonical choice is the best");
    texts.says(&format!(
        "With exploration the four ways lie within {:.2} points of each other in arc-hybrid; in arc-standard the best is the canonical choice, \
         {:.2} points ahead of the paper's, the transition of the highest score",
        high - low,
        standard[1].mean - standard[0].mean
    ));
}

/// Learning to search beside a dynamic oracle, with the paper's passes and to the plateau, by rates chosen on development data.
fn learning_to_search(texts: &mut Texts) {
    let document = document("l2s-table3", "quick");
    let store = records("l2s-table3");
    assert_eq!(document.progress.as_ref().map(|p| (p.done, p.cells)), Some((100, 100)));
    let to_the_plateau = || store.records().iter().filter(|record| record.row != "L2S, 3 passes");
    let passes = to_the_plateau().map(|record| record.training.epochs.len());
    let n_stopped = to_the_plateau().filter(is_cut_off).count();
    texts.says(&format!(
        "ten treebanks of 500 sentences, one seed, all rows but one to the plateau ({} to {} iterations, the limit of 40 stopped {} of \
         90)",
        passes.clone().min().unwrap(),
        passes.max().unwrap(),
        if n_stopped == 0 { "none".to_owned() } else { n_stopped.to_string() }
    ));
    let dev = |row: &str| {
        let of_row = store.records().iter().filter(|record| record.row == row);
        mean(&of_row.map(|record| record.decodings[0].dev.without_punctuation.las()).collect::<Vec<_>>())
    };
    let without_rare = ["L2S", "L2S, rate 0.01", "L2S, rate 0.02"];
    let all_features = [
        "L2S, all features, rate 0.0025",
        "L2S, all features",
        "L2S, all features, rate 0.01",
        "L2S, all features, rate 0.02",
    ];
    let ([low, middle, high], [a, b, c, d]) = (without_rare.map(dev), all_features.map(dev));
    texts.says(&format!(
        "LAS on development data is {low:.2}, {middle:.2} and {high:.2} in the mean at rates of 0.005 (the paper's), 0.01 and 0.02 where rare \
         features are left out, and {a:.2}, {b:.2}, {c:.2} and {d:.2} at 0.0025, 0.005, 0.01 and 0.02 with all features"
    ));
    let rows = without_rare.iter().chain(&all_features);
    let best = rows.max_by(|one, other| dev(one).total_cmp(&dev(other))).unwrap();
    let gain = |row: &str, metric| wins(&document, "all", row, "Dyna", metric);
    let rows = ["L2S, 3 passes", "L2S", best];
    let unlabelled = rows.map(|row| gain(row, Metric::Uas));
    let labelled = rows.map(|row| gain(row, Metric::Las));
    texts.says(&format!(
        "With the paper's three passes it is {:.2} points of UAS and {:.2} of LAS behind the perceptron with a dynamic oracle (paper: {:.2} \
         and {:.2} ahead), lower on {} and {} of ten",
        -unlabelled[0].mean,
        -labelled[0].mean,
        unlabelled[0].paper.unwrap(),
        labelled[0].paper.unwrap(),
        unlabelled[0].lower,
        labelled[0].lower
    ));
    texts.says(&format!(
        "to the plateau at the paper's rate {} and {} from it, and at the best rate {} and {}",
        signed(unlabelled[1].mean),
        signed(labelled[1].mean),
        signed(unlabelled[2].mean),
        signed(labelled[2].mean)
    ));
    texts.says(&format!(
        "higher in LAS on {} of ten ({} significantly), lower on {} ({}), p = {:.2} by signs",
        labelled[2].higher, labelled[2].surely_higher, labelled[2].lower, labelled[2].surely_lower, labelled[2].p
    ));
    let [snn_uas, snn_las] = [Metric::Uas, Metric::Las].map(|metric| gain("Snn", metric));
    texts.says(&format!(
        "The static neural parser is {} points of UAS and {} of LAS from the perceptron (paper {} and {}), higher in LAS on {} of ten, p = \
         {:.3}",
        signed(snn_uas.mean),
        signed(snn_las.mean),
        signed(snn_uas.paper.unwrap()),
        signed(snn_las.paper.unwrap()),
        snn_las.higher,
        snn_las.p
    ));
}

pub(super) fn learners(texts: &mut Texts) {
    let (learners, features) = (document("l2s-table4", "quick"), document("l2s-table5", "quick"));
    let las = |row: &str| score(&learners, "LAS: all", "average", row);
    let uas = |row: &str| score(&features, "UAS: all", "average", row);
    texts.says(&format!(
        "`sgd` is {:.0} points of LAS behind `sgd-plus`, and that {:.0} to {:.0} behind networks; single features are {:.0} points of \
         UAS behind products of two, and these {:.0} behind products of three",
        las("sgd-plus") - las("sgd"),
        las("nn, ftrl") - las("sgd-plus"),
        las("multiclass") - las("sgd-plus"),
        uas("bigrams") - uas("unigrams"),
        uas("all") - uas("bigrams")
    ));
    texts.says("at most 800 sentences of three treebanks");
    let above: Vec<String> = ["en_ewt", "hu_szeged", "sv_lines"]
        .iter()
        .map(|t| score(&learners, "LAS: all", t, "adagrad") - score(&learners, "LAS: all", t, "perceptron"))
        .map(|gain| format!("{gain:.1}"))
        .collect();
    texts.says(&format!("is {} points of LAS above the greedy perceptron", above.join(", ")));
}

/// How far apart the seeds of one row are.
pub(super) fn seeds(texts: &mut Texts) {
    let store = records("gn13-table1");
    let groups = by_all_but_seed(store.records(), Punctuation::Include, Metric::Las);
    let span = |scores: &Vec<f64>| {
        let (low, high) = scores.iter().fold((f64::INFINITY, 0.0f64), |(l, h), score| (l.min(*score), h.max(*score)));
        high - low
    };
    let spans: Vec<f64> = groups.values().filter(|scores| scores.len() == 5).map(span).collect();
    assert!(spans.len() > 50, "{} rows have five seeds", spans.len());
    texts.says(&format!(
        "Five seeds of one row are {:.1} points of LAS apart in the mean, and {:.1} at most, in",
        mean(&spans),
        spans.iter().fold(0.0f64, |most, span| most.max(*span))
    ));
}
