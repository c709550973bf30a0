//! What the texts say of widths, updates, exact search, margins, features and what each of them gives.

use super::*;

pub(super) fn ablations(texts: &mut Texts) {
    let lecture = document("lecture-global-vs-greedy", "quick");
    let las = |row: &str| score(&lecture, "LAS: arc-eager", "average", row);
    texts.says(&format!(
        "arc-eager, LAS: gold configurations {:.1}, explored ones {:.1}; global without early update {:.1}, with it {:.1}, \
         max-violation {:.1}",
        las("greedy, gold configurations"),
        las("greedy, explored configurations"),
        las("global, no early update"),
        las("global, early update"),
        las("global, max-violation")
    ));
    texts.says("ten treebanks of at most 2,000 sentences, to the plateau, three seeds");
    texts.says(&format!(
        "(LAS {:.1}, with early updates {:.1}; ten treebanks of at most 2,000 sentences, three seeds)",
        las("global, no early update"),
        las("global, early update")
    ));
    let beams = document("exploration-vs-beam", "quick");
    let figure = beams.blocks.iter().find_map(|block| match &block.content {
        Content::Figure(figure) if figure.name == "decoding-time" => Some(figure),
        _ => None,
    });
    let ends: Vec<f64> = figure.unwrap().curves.iter().map(|curve| curve.points.last().unwrap().y).collect();
    texts.says(&format!(
        "with all the time that any row takes, beams are ahead on {} of {} systems, by {:.2} points of LAS in the mean",
        ends.iter().filter(|end| **end > 0.0).count(),
        ends.len(),
        mean(&ends)
    ));
    let planned = planned("exploration-vs-beam", "quick");
    let passes = || planned.iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "600 sentences each of ten treebanks, to the plateau ({} to {} iterations), two seeds",
        passes().min().unwrap(),
        passes().max().unwrap()
    ));
    let cut_off: Vec<_> = planned.iter().filter(is_cut_off).collect();
    assert_eq!(cut_off.iter().filter(|record| !record.row.starts_with("beam")).count(), 1);
    texts.says(&format!(
        "{} of the {} trainings, all but one of them with a beam, were stopped by the limit of 30 iterations",
        cut_off.len(),
        planned.len()
    ));
    texts.says("with covington and 2-planar, whose beams gain longest, the limit is 60");
    // Of the models that are compared where greedy training is ahead.
    let of_systems = beams.answer.as_ref().unwrap().settings.iter().filter(|setting| setting.gain.points < 0.0);
    let compared: Vec<&Record> = of_systems
        .flat_map(|setting| {
            let is_compared = |record: &&Record| {
                record.column == setting.name
                    && [&setting.greedy, &setting.global].iter().any(|chosen| {
                        chosen.label == record.row || chosen.label.starts_with(&format!("{}, width", record.row))
                    })
            };
            planned.iter().filter(is_compared)
        })
        .collect();
    assert_eq!(compared.iter().copied().filter(is_cut_off).count(), 1);
    texts
        .says(&format!("of the {} models that are compared there the limit of iterations stopped one", compared.len()));
}

pub(super) fn widths(texts: &mut Texts) {
    let document = document("beam-ablation", "quick");
    let store = records("beam-ablation");
    let treebanks: BTreeSet<&str> = store.records().iter().map(|record| record.treebank.as_str()).collect();
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    assert_eq!((treebanks.len(), store.records().len()), (10, 10 * systems.len() * 13));
    let passes: Vec<f64> = store.records().iter().map(|record| record.training.epochs.len() as f64).collect();
    let (least, most) = range(&passes);
    texts.says(&format!(
        "ten treebanks of at most 1,000 sentences, to the plateau ({least} to {most} iterations; the limit stopped {} of the {} \
         trainings), one seed",
        store.records().iter().filter(is_cut_off).count(),
        store.records().len()
    ));
    let of = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let las = |system: &str, row: &str| of("average", system, row);
    let matched = |width: usize| match width {
        1 | 8 | 64 => format!("global b={width}, width {width}"),
        _ => format!("global b={width}"),
    };
    let widths = [1, 2, 4, 8, 16, 32, 64];
    texts.says(&format!("| | trained | {} |", widths.map(|width| width.to_string()).join(" | ")));
    for system in systems {
        let line = |name: &str, row: &dyn Fn(usize) -> String| {
            let cells = widths.map(|width| format!("{:.2}", las(system, &row(width))));
            format!("| {system} | {name} | {} |", cells.join(" | "))
        };
        texts.says(&line("greedily, explored", &|width| format!("greedy dynamic, width {width}")));
        texts.says(&line("globally, in a beam of 8", &|width| format!("global b=8, width {width}")));
        texts.says(&line("globally, in the same beam", &matched));
    }
    let gains = |row: &str, other: &str| {
        let [a, b, c] = systems.map(|system| signed(las(system, row) - las(system, other)));
        format!("{a}, {b} and {c}")
    };
    let [one, eight, wide] = [1, 8, 64].map(matched);
    // On how many treebanks the wide beam is ahead, and the sign test over them.
    let [(a, p), (b, q), (c, r)] = systems.map(|system| {
        let gains = treebanks.iter().map(|t| of(t, system, &wide) - of(t, system, &eight));
        let (ahead, behind): (Vec<f64>, Vec<f64>) = gains.filter(|gain| *gain != 0.0).partition(|gain| *gain > 0.0);
        (ahead.len(), sign_test(ahead.len(), behind.len()))
    });
    texts.says(&format!(
        "With arc-standard, arc-eager and arc-hybrid, training and parsing in a beam of 8 instead of one of 1 gives {} points, in one of \
         64 instead of one of 8 {} points (higher on {a}, {b} and {c} of ten treebanks; sign test, p = {p:.2}, {q:.3} and {r:.2})",
        gains(&eight, &one),
        gains(&wide, &eight)
    ));
    texts.says(&format!(
        "What was trained in a beam of 8 changes by {} points where it parses in one of 64, and what was trained in one of 64 by {} where \
         it parses in one of 8",
        gains("global b=8, width 64", "global b=8, width 8"),
        gains("global b=64, width 8", &wide)
    ));
    texts.says(&format!(
        "Models that were trained greedily, with exploration, lose {} points in a beam of 8",
        gains("greedy dynamic, width 8", "greedy dynamic, width 1").replace('−', "")
    ));
    let dynamic =
        |update: &str, width: &str| gains(&format!("{update} b=8, dynamic gold"), &format!("{update} b=8{width}"));
    texts.says(&format!(
        "training against all derivations of the gold tree (*dynamic gold*) instead of the canonical one changes LAS by {} points \
         with arc-standard, arc-eager and arc-hybrid, with max-violation updates by {}",
        dynamic("early", ""),
        dynamic("global", ", width 8")
    ));
    texts.says("ten treebanks, one seed, to the plateau");
}

pub(super) fn updates(texts: &mut Texts) {
    let document = document("updates", "quick");
    let against = "perceptron, max-violation";
    let las = |system: &str, row: &str| score(&document, &format!("LAS: {system}"), "average", row);
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let [standard, eager, hybrid] =
        systems.map(|system| signed(las(system, "perceptron, standard") - las(system, against)));
    let store = records("updates");
    assert!(store.records().iter().all(|record| !is_cut_off(&record)));
    let iterations = range(&store.records().iter().map(|r| r.training.epochs.len() as f64).collect::<Vec<_>>());
    texts.says(&format!(
        "four treebanks of 300 sentences, to the plateau ({} to {} iterations, the limit stopped none), three seeds",
        iterations.0, iterations.1
    ));
    texts.says(&format!("(LAS {standard}, {eager} and {hybrid} for arc-standard, arc-eager and arc-hybrid)"));
    let ways = ["perceptron, early", against, "perceptron, laso"];
    let spread = |system: &str| {
        let (least, most) = range(&ways.map(|row| las(system, row)));
        most - least
    };
    let widest = systems.map(spread).into_iter().fold(0.0, f64::max);
    texts.says(&format!("early, max-violation and LaSO lie within {widest:.2} points of each other"));
    assert_eq!(store.records().len(), 15 * 3 * 4 * 3);
    let [standard, eager, hybrid] = systems.map(|system| signed(las(system, "dual averaging") - las(system, against)));
    texts.says(&format!(
        "Dual averaging, a perceptron without averages here, is behind it ({standard}, {eager} and {hybrid})"
    ));
    let [softmax_margin, loss_augmented] = ["softmax-margin, adagrad", "loss-augmented, perceptron"];
    for system in systems {
        let table = table(&document, &format!("LAS: {system}"));
        // Rows may stand in lines or in columns.
        let rows = || table.lines.iter().map(|line| &line[0].text).chain(&table.heads[1..]);
        for row in rows().filter(|row| row.contains(", ") && !row.starts_with("greedy") || *row == "adagrad") {
            assert!(row == softmax_margin || las(system, row) < las(system, softmax_margin), "{system}: {row}");
        }
    }
    texts.says("On test data softmax-margin is highest with all three systems");
    let chosen = [("arc-standard", softmax_margin), ("arc-hybrid", softmax_margin), ("arc-eager", loss_augmented)];
    for (system, row) in chosen {
        assert_eq!(best_on_development_data(&store, system), row, "{system}");
    }
    let [standard, hybrid, eager] = chosen.map(|(system, row)| signed(las(system, row) - las(system, against)));
    texts.says(&format!("({standard} and {hybrid} on max-violation by the perceptron, on test data)"));
    texts.says(&format!("loss-augmented perceptron with arc-eager ({eager})"));
    let wins = table(&document, "Who wins");
    let at = |head: &str| wins.heads.iter().position(|h| h == head).unwrap();
    let significant = chosen.map(|(system, row)| {
        let line = wins.lines.iter().find(|line| {
            line[at("column")].text == system && line[at("method")].text == row && line[at("score")].text == "LAS"
        });
        line.unwrap()[at("higher, p < .05")].value.unwrap()
    });
    texts.says(&format!(
        "significant on {}, {} and {} of the four treebanks",
        significant[0], significant[1], significant[2]
    ));
}

/// The row with a beam whose LAS on development data is highest for `system`, in the mean of treebanks and seeds.
fn best_on_development_data(store: &Store, system: &str) -> String {
    let mut scores: HashMap<&str, Vec<f64>> = HashMap::new();
    for record in store.records().iter().filter(|record| record.column == system && !record.row.starts_with("greedy")) {
        scores.entry(&record.row).or_default().push(record.decodings[0].dev.with_punctuation.las());
    }
    // All rows that are whole have as many trainings.
    let whole = scores.values().map(Vec::len).max().unwrap();
    scores.retain(|_, scores| scores.len() == whole);
    let best = scores.iter().max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
    (*best.unwrap().0).to_owned()
}

pub(super) fn axis_of_search(texts: &mut Texts) {
    let document = document("search-axis", "quick");
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let las_on = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let las = |system: &str, row: &str| las_on("average", system, row);
    let rows = [
        "greedy static",
        "greedy explored",
        "beam, width 8",
        "beam, merging, width 8",
        "beam, merging, width 64",
        "beam 64, merging, standard",
        "exact",
        "exact, loss-augmented",
    ];
    for system in systems {
        texts.says(&format!("| {system} | {} |", rows.map(|row| format!("{:.2}", las(system, row))).join(" | ")));
    }
    texts.says(
        "LAS averaged over ten treebanks (Bulgarian, Danish, Dutch, English, Basque, German, Hungarian, Italian, Swedish, \
         Turkish), 500 training sentences each, trained to the plateau, one seed",
    );
    for head in [
        "| merging, 8 |",
        "| merging, 64 |",
        "| merging, 64, whole derivations |",
        "merging beam of 8",
        "merging beam of 64",
    ] {
        texts.says(head);
    }
    let diagnosis = table(&document, "Search errors and model errors");
    let errors = diagnosis.heads.iter().position(|head| head == "search errors %").unwrap();
    let most = |method: &str| {
        let lines = diagnosis.lines.iter().filter(|line| line[1].text == method);
        lines.map(|line| line[errors].value.unwrap()).fold(f64::NAN, f64::max)
    };
    texts.says(&format!("errs in at most {:.1} % of the sentences", most("beam, merging, width 8")));
    texts.says(&format!("a plain beam of 8 in at most {:.1} %", most("beam, width 8")));
    let (averages, treebanks) = {
        let heads = &table(&document, "LAS: arc-eager").heads;
        (heads.last().unwrap(), &heads[1..heads.len() - 1])
    };
    assert_eq!((averages.as_str(), treebanks.len()), ("average", 10));
    // The mean over systems on each treebank, and the sign test over these.
    let gains = |more: &str, less: &str| -> (f64, usize, f64) {
        let on = |t: &String| mean(&systems.map(|system| las_on(t, system, more) - las_on(t, system, less)));
        let gains: Vec<f64> = treebanks.iter().map(on).collect();
        let ahead = gains.iter().filter(|gain| **gain > 0.0).count();
        (mean(&gains), ahead, sign_test(ahead, gains.len() - ahead))
    };
    let gaps = |more: &str, less: &str| systems.map(|system| las(system, more) - las(system, less));
    let (gain, ahead, p) = gains("beam, merging, width 8", "beam, width 8");
    texts
        .says(&format!("{gain:.2} points ahead of the plain one, on {ahead} of ten treebanks (sign test, p = {p:.3})"));
    let (gain, ahead, p) = gains("beam, merging, width 8", "exact");
    texts.says(&format!("{gain:.2} points ahead of exact search, on {ahead} of ten (p = {p:.2})"));
    let (gain, ahead, p) = gains("exact", "beam, width 8");
    texts.says(&format!("Exact search is {gain:.2} points ahead of the plain beam, on {ahead} of ten (p = {p:.2})"));
    let (gain, ahead, p) = gains("exact, loss-augmented", "beam, width 8");
    texts.says(&format!("{gain:.2} when the loss is added to its scores (on {ahead} of ten, p = {p:.2})"));
    let (least, most) = range(&gaps("beam, merging, width 64", "beam 64, merging, standard"));
    let (_, ahead, p) = gains("beam, merging, width 64", "beam 64, merging, standard");
    assert_eq!(ahead, 10);
    texts.says(&format!(
        "loses {least:.2} to {most:.2} points when it learns from whole derivations, as exact search has to, on all ten (p = {p:.3})"
    ));
    let (gain, ahead, p) = gains("exact", "greedy explored");
    assert_eq!(ahead, 10);
    texts.says(&format!("ahead of greedy training with exploration by {gain:.2} points, on all ten (p = {p:.3})"));
    let (least, most) = range(&gaps("exact, loss-augmented", "exact"));
    let [least, most] = [least, most].map(signed);
    texts.says(&format!("The loss added to the scores changes exact training by {least} to {most} points"));
    let store = records("search-axis");
    let cut_off = store.records().iter().filter(is_cut_off).count();
    texts.says(&format!("The limit of 25 iterations stopped {cut_off} of the {} trainings", store.records().len()));
    texts.says("(ten treebanks, 500 sentences each, one seed)");
}

pub(super) fn margins_and_features(texts: &mut Texts) {
    let margins = document("beam-margin", "quick");
    let las = |margin: &str, width: u32| score(&margins, "LAS: all", "average", &format!("{margin}, width {width}"));
    let margins = ["margin 99 %", "margin 99.5 %", "margin 99.9 %", "margin 100 %"];
    let changes =
        [8, 16, 32, 64].map(|width| margins.map(|margin| (las(margin, width) - las("no margin", width)).abs()));
    let most = changes.as_flattened().iter().fold(0.0_f64, |most, change| most.max(*change));
    texts.says("five treebanks of 910 to 1,500 sentences, arc-eager, one seed");
    texts.says(&format!(
        "margins that keep 99 to 100 % of the winning derivations of the development data change LAS by {most:.2} points at most"
    ));
    let (eager, stack) = (document("features", "quick"), document("features-stack", "quick"));
    let gain = |document: &Document, base: &str, column: &str, group: &str| {
        let las = |row: &str| score(document, &format!("LAS: {column}"), "average", row);
        las(&format!("{base} and {group}")) - las(base)
    };
    let columns = ["arc-eager, greedy", "arc-eager, width 8"];
    let groups = ["below", "buffer", "tree", "history", "context"];
    let gains = columns.map(|column| groups.map(|group| gain(&eager, "zn11", column, group)));
    let [(low, high), (low_8, high_8)] = gains.map(|gains| range(&gains));
    texts.says("four treebanks and two of 910 to 1,000 sentences, to the plateau, one seed");
    texts.says(&format!(
        "changes LAS by {} to {} points greedily and by {} to {} at width 8",
        signed(low),
        signed(high),
        signed(low_8),
        signed(high_8)
    ));
    let rich = columns.map(|column| {
        let las = |row: &str| score(&eager, &format!("LAS: {column}"), "average", row);
        signed(las("zn11, tree and context") - las("zn11"))
    });
    texts.says(&format!("`eager-rich` by {} and {}", rich[0], rich[1]));
    for group in groups {
        for (column, treebank, sign) in [(columns[0], "en_ewt", 1.0), (columns[1], "tr_imst", -1.0)] {
            let las = |row: &str| score(&eager, &format!("LAS: {column}"), treebank, row);
            assert!((las(&format!("zn11 and {group}")) - las("zn11")) * sign > 0.0, "{column}, {treebank}, {group}");
        }
    }
    let hybrid = ["arc-hybrid, greedy", "arc-hybrid, width 8"];
    let [history, beside] = ["history", "stack-context"]
        .map(|group| hybrid.map(|column| format!("{:.2}", gain(&stack, "stack", column, group))));
    texts.says(&format!(
        "the history of the last actions adds {} points with greedy arc-hybrid and {} at width 8, the words beside \
         (`stack-context`) {} and {}",
        history[0], history[1], beside[0], beside[1]
    ));
    let both =
        ["arc-hybrid, greedy", "arc-hybrid, width 8", "arc-standard, greedy", "arc-standard, width 8"].map(|column| {
            let las = |row: &str| score(&stack, &format!("LAS: {column}"), "average", row);
            signed(las("stack, stack-tree and stack-context") - las("stack"))
        });
    texts
        .says(&format!("`stack-rich`, {} and {}, and {} and {} with arc-standard", both[0], both[1], both[2], both[3]));
    for column in ["arc-standard, greedy", "arc-standard, width 8"] {
        for group in ["stack-below", "buffer", "stack-tree", "history", "stack-context"] {
            assert!(gain(&stack, "stack", column, group) <= 0.0, "{column}, {group}");
        }
    }
}

pub(super) fn ingredients(texts: &mut Texts) {
    let store = records("en-ewt-targets");
    let decoding = |row: &str, width: usize| {
        let record = store.records().iter().find(|record| record.row == row).unwrap();
        record.decodings.iter().find(|decoding| decoding.width == width).unwrap()
    };
    let las = |row: &str, width: usize| {
        let decoding = decoding(row, width);
        [&decoding.dev, &decoding.test].map(|scores| scores.with_punctuation.las())
    };
    let mut line = |name: &str, row: &str, width: usize, base: &str| {
        let ([dev, test], [_, base]) = (las(row, width), las(base, width));
        let gain = if row.starts_with("zn11") && !row.contains(',') || row == "greedy, zn11, 4 replicas" {
            String::new()
        } else {
            format!(" {}", signed(test - base))
        };
        texts.says(&format!("| {name} | {width} | {dev:.2} | {test:.2} |{gain} |"));
    };
    for (name, row) in [
        ("`zn11`", "zn11"),
        ("`zn11+context`", "context"),
        ("`eager-rich`", "rich"),
        ("`eager-rich`, loss-augmented", "rich, losses"),
        ("`zn11`, four replicas", "zn11, 4 replicas"),
        ("`eager-rich`, four replicas", "rich, 4 replicas"),
    ] {
        for width in [8, 64] {
            line(name, row, width, "zn11");
        }
    }
    for (name, row) in [
        ("greedy, `zn11`, four replicas", "greedy, zn11, 4 replicas"),
        ("greedy, `eager-rich`, four replicas", "greedy, rich, 4 replicas"),
        ("greedy, `eager-rich+history`, four replicas", "greedy, rich and history, 4 replicas"),
        ("greedy, `eager-rich+below+buffer`, four replicas", "greedy, all but history, 4 replicas"),
        ("the same, always exploring", "greedy, all but history, always exploring, 4 replicas"),
        ("the same, non-monotonic", "greedy, non-monotonic, always exploring, 4 replicas"),
        ("learning to search, `eager-rich`, four replicas", "search, rich, 4 replicas"),
    ] {
        line(name, row, 1, "greedy, zn11, 4 replicas");
    }
    for row in ["eisner", "eisner-2", "eisner-3"] {
        let [dev, test] = las(row, 1);
        texts.says(&format!("| `{row}` | | {dev:.2} | {test:.2} | |"));
    }
    let siblings = las("eisner-2", 1)[1] - las("eisner", 1)[1];
    texts.says(&format!("those of neighbouring siblings besides (`eisner-2`, {})", signed(siblings)));
    let test = |row: &str, width: usize| las(row, width)[1];
    let third = test("eisner-3", 1);
    texts.says(&format!("those of grandparents, too (`eisner-3`, {})", signed(third - test("eisner", 1))));
    assert!(third > test("greedy, zn11, 4 replicas", 1) && third < test("greedy, rich, 4 replicas", 1));
    let uas = |row: &str, width: usize| decoding(row, width).test.with_punctuation.uas();
    texts.says(&format!(
        "it is {:.2} points behind in LAS and {:.2} ahead in UAS",
        test("zn11", 8) - third,
        uas("eisner-3", 1) - uas("zn11", 8)
    ));
    let iterations = || store.records().iter().map(|record| record.training.epochs.len());
    texts.says(&format!(
        "the whole treebank, arc-eager, to the plateau ({} to {} iterations), one seed",
        iterations().min().unwrap(),
        iterations().max().unwrap()
    ));
}

/// Graph-based parsers.
pub(super) fn graphs(texts: &mut Texts) {
    let document = document("graph-orders", "quick");
    let las = |row: &str| score(&document, "LAS: all", "average", row);
    let more = |row: &str| signed(las(row) - las("eisner"));
    texts.says("500 sentences each of two treebanks, one seed; LAS on average");
    texts.says(&format!(
        "(`eisner`) it is {:.2}; scores of siblings change it by {}, of siblings and grandparents by {}, trees that need not be projective \
         (`mst`) by {}",
        las("eisner"),
        more("eisner-2"),
        more("eisner-3"),
        more("mst")
    ));
    texts.says(&format!(
        "Arc-eager is {} from it greedily and {} in a beam of 8, the biaffine networks {}, and {} where trees are projective",
        more("arc-eager, greedy"),
        more("arc-eager, beam 8"),
        more("biaffine"),
        more("biaffine-projective")
    ));
    let planned = planned("graph-orders", "quick");
    assert!(planned.iter().all(|record| is_cut_off(&record) == record.row.starts_with("biaffine")));
    texts.says("Their trainings, and no others, were stopped by the limit of 30 iterations");
}
