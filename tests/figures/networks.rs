//! What the texts say of networks.

use super::*;

pub(super) fn networks(texts: &mut Texts) {
    let document = document("neural-global-vs-greedy", "quick");
    let store = records("neural-global-vs-greedy");
    assert_eq!(store.records().len(), 2 * 4 * 19);
    let systems = ["arc-standard", "arc-eager", "arc-hybrid", "swap"];
    let treebanks = ["hu_szeged", "tr_imst"];
    let on = |system: &str, treebank: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    let of_treebank = |treebank: &str, row: &str| mean(&systems.map(|system| on(system, treebank, row)));
    let las = |row: &str| mean(&treebanks.map(|treebank| of_treebank(treebank, row)));
    texts.says(
        "152 trainings; 500 Hungarian and 500 Turkish sentences, one seed; LAS on test data averaged over four systems and the two \
         treebanks",
    );
    let epochs = |row: &str| store.records().iter().find(|record| record.row == row).unwrap().training.epochs.len();
    let [local, global] = ["bilstm, explored", "bilstm, CRF latent"].map(epochs);
    texts.says(&format!("Networks learned for {local} iterations, and for {global} more in global training"));
    texts.says("decoded at width 1 and at width 8, the rest at width 8");
    texts.says("| | static, 1 | static, 8 | explored, 1 | explored, 8 | global, static gold |");
    let scorers = ["linear", "feed-forward", "bilstm", "stack-lstm"];
    let greedy = ["static, width 1", "static, width 8", "explored, width 1", "explored, width 8"];
    let global = |scorer: &str| match scorer {
        "linear" => &["global static", "global latent"][..],
        _ => &["CRF static", "CRF latent", "frozen perceptron"],
    };
    let of = |scorer: &str, row: &str| las(&format!("{scorer}, {row}"));
    for scorer in scorers {
        let rows = greedy.iter().chain(global(scorer));
        let cells: Vec<String> = rows.map(|row| format!("{:.2}", of(scorer, row))).collect();
        texts.says(&format!("| {scorer} | {} |", cells.join(" | ")));
    }
    let latent = |scorer: &str| of(scorer, global(scorer)[1]);
    let [a, b, c, d] = scorers.map(|scorer| signed(of(scorer, "explored, width 8") - of(scorer, "explored, width 1")));
    texts.says(&format!(
        "changes the linear model by {a}, the feed-forward network by {b}, the bilstm by {c} and the stack-LSTM by {d}"
    ));
    let [a, b, c, d] = scorers.map(|scorer| signed(latent(scorer) - of(scorer, "explored, width 8")));
    let on_each = treebanks.map(|treebank| {
        let gain = |scorer: &str| {
            let row = |row: &str| of_treebank(treebank, &format!("{scorer}, {row}"));
            signed(row(global(scorer)[1]) - row("explored, width 8"))
        };
        let [a, b, c, d] = scorers.map(gain);
        format!("{a}, {b}, {c} and {d}")
    });
    texts.says(&format!(
        "global training changes them by {a}, {b}, {c} and {d} in the same beam (on Hungarian by {}, on Turkish by {})",
        on_each[0], on_each[1]
    ));
    let [a, b, c, d] = scorers.map(|scorer| signed(latent(scorer) - of(scorer, "explored, width 1")));
    texts.says(&format!("Together, from greedy to global, these are {a}, {b}, {c} and {d} points"));

    exact_networks(texts);
}

pub(super) fn networks_elsewhere(texts: &mut Texts) {
    let document = document("networks", "quick");
    let held_out = ["de_gsd_reduced", "it_partut", "sv_lines", "tr_imst"];
    let treebanks = ["hu_szeged"].into_iter().chain(held_out);
    let of = |row: &str, treebank: &str| score(&document, "LAS: arc-hybrid", treebank, row);
    let elsewhere = |row: &str| mean(&held_out.map(|treebank| of(row, treebank)));
    texts.says("five whole treebanks of 910 to 3,435 sentences, arc-hybrid, one seed");
    texts.says("how many iterations they take on 500 of the Hungarian sentences");
    texts.says("| | Hungarian | German | Italian | Swedish | Turkish | mean of the last four |");
    for (name, row) in [
        ("linear, explored, greedily", "linear, explored, width 1"),
        ("the same, in a beam of 8", "linear, explored, width 8"),
        ("linear, globally", "linear, global latent"),
        ("feed-forward, explored, greedily", "feed-forward, explored, width 1"),
        ("the same, in a beam of 8", "feed-forward, explored, width 8"),
        ("the same, then globally", "feed-forward, CRF latent"),
        ("bilstm, explored, greedily", "bilstm, explored, width 1"),
        ("the same, in a beam of 8", "bilstm, explored, width 8"),
        ("the same, then globally", "bilstm, CRF latent"),
    ] {
        let cells: Vec<String> = treebanks.clone().map(|treebank| format!("{:.2}", of(row, treebank))).collect();
        texts.says(&format!("| {name} | {} | {:.2} |", cells.join(" | "), elsewhere(row)));
    }
    let gain = |row: &str, other: &str| signed(elsewhere(row) - elsewhere(other));
    let beyond = |scorer: &str| {
        let [greedy, beam] = [1, 8].map(|width| format!("{scorer}, explored, width {width}"));
        let global = format!("{scorer}, CRF latent");
        [gain(&greedy, "linear, global latent"), gain(&beam, &greedy), gain(&global, &beam)]
    };
    let [a, b, c] = beyond("feed-forward");
    let [d, e, f] = beyond("bilstm");
    texts.says(&format!(
        "In the mean of the four held-out treebanks the greedy feed-forward network is {a} and the greedy encoder {d} points from the \
         linear model that was trained globally; a beam of 8 changes them by {b} and {e}, global training in it by {c} and {f}"
    ));
    let small = |row: &str| signed(of(row, "hu_szeged") - of("linear, global latent", "hu_szeged"));
    texts.says(&format!(
        "on Hungarian, with 910 sentences, the two in a beam of 8 are {} and {} points from it",
        small("feed-forward, explored, width 8"),
        small("bilstm, explored, width 8")
    ));
    // Every network against both linear models.
    for scorer in ["feed-forward", "bilstm"] {
        for row in ["explored, width 1", "explored, width 8", "CRF latent"] {
            for against in ["linear, global latent", "linear, explored"] {
                let row = format!("{scorer}, {row}");
                let wins = wins(&document, "arc-hybrid", &row, against, Metric::Las);
                assert_eq!((wins.n, wins.surely_higher), (5, 5), "{row}, {against}");
            }
        }
    }
    let store = records("networks");
    let of = |how: &str| -> Vec<&Record> {
        let is_network = |record: &&Record| !record.row.starts_with("linear") && record.row.ends_with(how);
        store.records().iter().filter(is_network).collect()
    };
    let n_last = |records: &[&Record]| {
        records.iter().filter(|r| r.training.kept_epoch as usize == r.training.epochs.len()).count()
    };
    assert_eq!(n_last(&of("explored")), 0);
    texts.says("No network that was trained on single decisions was best in its last iteration");
    let global = of("CRF latent");
    assert!(global.iter().all(|record| record.training.epochs.len() == 3));
    texts.says(&format!(
        "of the {} that were then trained globally, for three iterations, {} were",
        global.len(),
        n_last(&global)
    ));
    let n = |row: &str| wins(&document, "arc-hybrid", row, "linear, global latent", Metric::Las).surely_higher;
    texts.says(&format!(
        "significantly higher than that model on {} and {} of five treebanks",
        n("feed-forward, explored, width 8"),
        n("bilstm, explored, width 8")
    ));
}

fn exact_networks(texts: &mut Texts) {
    let document = document("exact-networks", "quick");
    let systems = ["arc-standard", "arc-eager", "arc-hybrid"];
    let treebanks = [("Hungarian", "hu_szeged"), ("Turkish", "tr_imst")];
    let rows = [
        "greedy explored",
        "greedy explored, tanh",
        "beam 8 after exploration",
        "exact after exploration",
        "exact after exploration, tanh",
        "beam 8, tanh",
        "exact",
        "exact, tanh",
    ];
    let las = |treebank: &str, system: &str, row: &str| score(&document, &format!("LAS: {system}"), treebank, row);
    for (name, treebank) in treebanks {
        for system in systems {
            let cells = rows.map(|row| format!("{:.2}", las(treebank, system, row)));
            texts.says(&format!("| {name}, {system} | {} |", cells.join(" | ")));
        }
    }
    texts.says("LAS on Hungarian-Szeged and Turkish-IMST, 500 training sentences each, two layers of 2 × 128,");
    texts.says(
        "36 iterations, one seed; whole derivations are learned by the same loss in all rows, by 4 iterations more",
    );
    let beyond = |treebank: &str, row: &str, other: &str| -> Vec<f64> {
        systems.iter().map(|system| las(treebank, system, row) - las(treebank, system, other)).collect()
    };
    let both = |row: &str, other: &str| [beyond("hu_szeged", row, other), beyond("tr_imst", row, other)].concat();
    let changes = |gains: &[f64]| {
        let (least, most) = range(gains);
        format!("{} to {}", signed(least), signed(most))
    };
    let surely = |row: &str| {
        let wins = systems.map(|system| wins(&document, system, row, "greedy explored", Metric::Las));
        [wins.iter().map(|wins| wins.surely_higher).sum(), wins.iter().map(|wins| wins.surely_lower).sum::<usize>()]
    };
    let numbers = ["none", "one", "two", "three", "four", "five", "all"];
    let after = ["exact after exploration", "beam 8 after exploration"];
    let [exact, beam] = after.map(|row| changes(&both(row, "greedy explored")));
    let [[up, down], [up_in_a_beam, down_in_a_beam]] = after.map(surely);
    assert_eq!([down, down_in_a_beam], [0, 0]);
    texts.says("After exploration 4 iterations of global training with exact search");
    texts.says(&format!(
        "change LAS by {exact} points, significantly upwards in {} of six comparisons and downwards in none, and as many with a beam of 8 \
         by {beam}, in {}; between the two lie {} points",
        numbers[up],
        numbers[up_in_a_beam],
        changes(&both(after[0], after[1]))
    ));
    texts.says(&format!("change LAS by {exact} points, and as many with a beam of 8 by {beam}."));
    let gains = |treebank: &str| beyond(treebank, "exact, tanh", "greedy explored");
    let (least, most) = range(&gains("hu_szeged"));
    let (behind, ahead) = range(&gains("tr_imst"));
    let (least_lost, most_lost) = range(&both("exact, tanh", "beam 8, tanh"));
    assert!(least_lost > 0.0);
    texts.says(&format!(
        "{least:.2} to {most:.2} points ahead of greedy exploration on Hungarian, significantly in all three systems, and from {:.2} points \
         behind it to {ahead:.2} ahead on Turkish, nowhere significantly; a beam of 8 that learns from random parameters in the same way is \
         behind exact search in all six comparisons, by {least_lost:.2} to {most_lost:.2} points",
        -behind
    ));
    assert_eq!(surely("exact, tanh"), [3, 0]);
    for system in systems {
        assert!(rows.iter().all(|row| las("hu_szeged", system, row) <= las("hu_szeged", system, "exact, tanh")));
    }
    texts.says(&format!(
        "To greedy training tangents give {} points",
        changes(&both("greedy explored, tanh", "greedy explored"))
    ));
}

pub(super) fn networks_on_english(texts: &mut Texts) {
    let store = records("en-ewt-networks");
    assert_eq!(store.records().len(), 13 * 3);
    // On development and on test data, in the mean of the seeds.
    let las = |row: &str, width: usize| {
        let of_row = store.records().iter().filter(|record| record.row == row);
        let decodings = of_row.flat_map(|record| &record.decodings).filter(|decoding| decoding.width == width);
        let scores = decodings.map(|d| [&d.dev, &d.test].map(|scores| scores.with_punctuation.las()));
        let (dev, test): (Vec<f64>, Vec<f64>) = scores.map(|[dev, test]| (dev, test)).unzip();
        [mean(&dev), mean(&test)]
    };
    texts.says("no vectors from outside, means of three seeds");
    for (name, row, widths) in [
        ("feed-forward, 200 units, static", "feed-forward 200, static", &[1, 8][..]),
        ("feed-forward, 200 units, explored", "feed-forward 200, explored", &[1, 8, 64]),
        ("feed-forward, 300 units, explored", "feed-forward 300, explored", &[1, 8]),
        ("feed-forward, 400 units, static", "feed-forward 400, static", &[1, 8]),
        ("feed-forward, 400 units, explored", "feed-forward 400, explored", &[1, 8]),
        ("the same, then globally", "feed-forward 400, CRF latent", &[8, 32]),
        ("`chen-manning`, 200 units, static", "chen-manning 200, static", &[1, 8]),
        ("bilstm of 128, explored", "bilstm, explored", &[1, 8]),
        ("the same, then globally", "bilstm, CRF latent", &[8, 32]),
        ("bilstm of 192, explored", "bilstm 192, explored", &[1, 8]),
        ("the same, then globally", "bilstm 192, CRF latent", &[8, 32]),
        ("bilstm of 256, explored", "bilstm 256, explored", &[1, 8, 32]),
    ] {
        for &width in widths {
            let [dev, test] = las(row, width);
            texts.says(&format!("| {name} | {width} | {dev:.2} | {test:.2} |"));
        }
    }
    let [dev, test] = las("biaffine", 1);
    texts.says(&format!("| biaffine | | {dev:.2} | {test:.2} |"));
    // Of all rows and widths.
    let widths = |record: &Record| -> Vec<usize> { record.decodings.iter().map(|decoding| decoding.width).collect() };
    let all = store.records().iter().flat_map(|record| widths(record).into_iter().map(|width| (&*record.row, width)));
    let best = all.max_by(|a, b| las(a.0, a.1)[0].total_cmp(&las(b.0, b.1)[0]));
    assert_eq!(best.unwrap(), ("bilstm 256, explored", 32));
    let [dev, test] = las("bilstm 256, explored", 32);
    texts.says(&format!(
        "The encoder of 256 units in a beam of 32 is the best of all on development data, {dev:.2}, and has {test:.2} on test data"
    ));
    let gain = |row: &str, from: usize, other: &str, to: usize| las(other, to)[1] - las(row, from)[1];
    let explored =
        ["feed-forward 200, explored", "feed-forward 400, explored", "bilstm, explored", "bilstm 192, explored"];
    let [small, large, encoder, larger] = explored.map(|row| gain(row, 1, row, 8));
    texts.says(&format!(
        "networks of 200 and 400 units without an encoder gain {small:.2} and {large:.2} points by a beam of 8, those with an encoder \
         of 128 and 192 units {encoder:.2} and {larger:.2}"
    ));
    // The same where trainings are named first.
    texts.says(&format!(
        "networks of 200 and 400 units without an encoder, trained greedily with exploration, gain {small:.2} and {large:.2} points by \
         a beam of 8, those with an encoder of 128 and 192 units {encoder:.2} and {larger:.2}"
    ));
    texts.says(&format!(
        "global training changes the network of 400 units by {}, the encoder of 128 by {} and that of 192 by {}",
        signed(gain("feed-forward 400, explored", 8, "feed-forward 400, CRF latent", 8)),
        signed(gain("bilstm, explored", 8, "bilstm, CRF latent", 8)),
        signed(gain("bilstm 192, explored", 8, "bilstm 192, CRF latent", 8))
    ));
    texts.says(&format!(
        "In the network of 200 units exploration adds {:.2} greedily, in that of 400 units {:.2}",
        gain("feed-forward 200, static", 1, "feed-forward 200, explored", 1),
        gain("feed-forward 400, static", 1, "feed-forward 400, explored", 1)
    ));
    let is_last = |record: &&Record| record.training.kept_epoch as usize == record.training.epochs.len();
    let n_last = store.records().iter().filter(is_last).count();
    texts.says(&format!("{n_last} of the {} trainings were best in their last one", store.records().len()));
}
