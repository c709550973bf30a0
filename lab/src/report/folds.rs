//! The folds of a treebank as one treebank.
//!
//! Every sentence is test data of one fold, parsed by a model that never saw it. So the folds' test data together are the treebank, and
//! counts and errors by sentence add up to those of one long test. Folds share most of their training data, and so are no sample of
//! treebanks: averages, signs and intervals over treebanks take them as one.

use std::collections::HashMap;
use std::sync::Arc;

use crate::experiment::{
    ByRule, Cell, Data, Decoding, Epoch, Errors, Plan, Record, Store, TrainingRecord, TreebankSource,
};
use treebeam::diagnosis::Diagnosis;
use treebeam::error::{Error, Result};
use treebeam::eval::{Classes, Counts};

/// The plan and the usable records with one treebank, `folds:N:NAME`, in the place of its folds; none if there are no folds. A treebank of
/// which a fold has no usable record has none.
///
/// # Errors
/// If the treebank cannot be read.
pub fn pooled(plan: &Plan, store: &Store, accept_stale: bool) -> Result<Option<(Plan, Store)>> {
    let is_fold = |data: &&Arc<Data>| whole_of(&data.source).is_some();
    if !plan.treebanks.iter().any(|data| is_fold(&data)) {
        return Ok(None);
    }
    // Folds of one treebank with equal options, in order.
    let mut folds: HashMap<_, Vec<&Cell>> = HashMap::new();
    for cell in &plan.cells {
        if let Some((_, whole)) = whole_of(&cell.data.source) {
            folds.entry((whole, &cell.row, &cell.column, cell.options.seed())).or_default().push(cell);
        }
    }
    let is_complete = |cells: &[&Cell]| {
        let numbers = cells.iter().filter_map(|cell| Some(whole_of(&cell.data.source)?.0));
        matches!(&cells[0].data.source, TreebankSource::Fold { n, .. } if numbers.eq(1..=*n))
    };
    let mut treebanks: HashMap<Vec<&str>, Arc<Data>> = HashMap::new();
    let mut pooled = Store::default();
    let mut cells = Vec::new();
    for cell in &plan.cells {
        let of_cell = whole_of(&cell.data.source);
        let all = of_cell.map(|(_, whole)| &folds[&(whole, &cell.row, &cell.column, cell.options.seed())]);
        let Some(all) = all.filter(|all| is_complete(all)) else {
            store.of_key(&cell.key).for_each(|record| pooled.insert(record.clone()));
            cells.push(cell.clone());
            continue;
        };
        if all[0].key != cell.key {
            continue;
        }
        let sums = all.iter().flat_map(|cell| [&*cell.data.train.sha256, &cell.data.test.sha256]).collect();
        let data = match treebanks.get(&sums) {
            Some(data) => data.clone(),
            None => {
                let all: Vec<&Data> = all.iter().map(|cell| &*cell.data).collect();
                treebanks.entry(sums).or_insert(Arc::new(Data::of_folds(&all)?)).clone()
            }
        };
        let key = all.iter().map(|cell| &*cell.key).collect::<Vec<_>>().join("+");
        let whole = Cell { key, data, ..cell.clone() };
        let records: Option<Vec<&Record>> = all.iter().map(|cell| store.usable(cell, accept_stale)).collect();
        if let Some(records) = records {
            // The provenance is that of a record of other code, if there is one.
            let oldest = all.iter().zip(&records).find(|(cell, record)| !cell.is_current(record));
            let provenance = oldest.map_or(records[0], |(_, record)| record).provenance.clone();
            pooled.insert(Record { provenance, ..sum_of(&whole, &records) });
        }
        cells.push(whole);
    }
    let mut of_plan: Vec<Arc<Data>> = Vec::new();
    for data in &plan.treebanks {
        let whole = whole_of(&data.source).map(|(_, whole)| whole);
        let found = cells.iter().find(|cell| Some(&cell.data.source) == whole.as_ref());
        let data = found.map_or(data, |cell| &cell.data);
        if of_plan.iter().all(|known| known.source != data.source) {
            of_plan.push(data.clone());
        }
    }
    let unreadable = plan.unreadable.iter().map(|(name, error)| (name.clone(), Error::Usage(error.to_string())));
    let plan = Plan {
        spec: plan.spec.clone(),
        profile_name: plan.profile_name.clone(),
        profile: plan.profile.clone(),
        treebanks: of_plan,
        unreadable: unreadable.collect(),
        cells,
    };
    Ok(Some((plan, pooled)))
}

/// Number of a fold, and the name of all folds of its treebank.
fn whole_of(source: &TreebankSource) -> Option<(usize, TreebankSource)> {
    match source {
        TreebankSource::Fold { number, n, of } => Some((*number, TreebankSource::Folds { n: *n, of: of.clone() })),
        _ => None,
    }
}

/// The record of a cell of all folds: sums of counts, errors, times; means of sizes.
fn sum_of(cell: &Cell, records: &[&Record]) -> Record {
    let first = records[0];
    let n_epochs = records.iter().map(|record| record.training.epochs.len()).max().unwrap_or(0);
    let epoch = |number: usize| {
        let epochs = || records.iter().filter_map(|record| record.training.epochs.get(number));
        let dev = || epochs().map(|epoch| epoch.dev).sum::<Option<Counts>>();
        Epoch {
            epoch: number as u32 + 1,
            updates: epochs().map(|epoch| epoch.updates).sum(),
            seconds: epochs().map(|epoch| epoch.seconds).sum(),
            // Folds whose training has ended have no score any more.
            dev: (epochs().count() == records.len()).then(dev).flatten(),
        }
    };
    let mean = |of: &dyn Fn(&TrainingRecord) -> u64| {
        records.iter().map(|record| of(&record.training)).sum::<u64>() / records.len() as u64
    };
    let training = TrainingRecord {
        epochs: (0..n_epochs).map(epoch).collect(),
        kept_epoch: mean(&|training| training.kept_epoch.into()) as u32,
        n_features: mean(&|training| training.n_features),
        wall_s: records.iter().map(|record| record.training.wall_s).sum(),
        cpu_s: records.iter().map(|record| record.training.cpu_s).sum(),
        stop: first.training.stop.filter(|stop| records.iter().all(|record| record.training.stop == Some(*stop))),
    };
    let decoding = |width| {
        let all: Option<Vec<&Decoding>> = records.iter().map(|record| record.decoding(width)).collect();
        all.map(|all| decoded(&all))
    };
    Record {
        key: cell.key.clone(),
        treebank: cell.treebank(),
        train: cell.data.train.clone(),
        dev: cell.data.dev.clone(),
        test: cell.data.test.clone(),
        training,
        decodings: first.decodings.iter().filter_map(|of_first| decoding(of_first.width)).collect(),
        peak_rss_bytes: records.iter().filter_map(|record| record.peak_rss_bytes).max(),
        ..first.clone()
    }
}

fn decoded(all: &[&Decoding]) -> Decoding {
    let sum = |of: &dyn Fn(&Decoding) -> ByRule<Counts>| {
        let [with_punctuation, without_punctuation] = [0, 1].map(|i| {
            let counts = all.iter().map(|decoding| of(decoding));
            counts.map(|counts| [counts.with_punctuation, counts.without_punctuation][i]).sum()
        });
        ByRule { with_punctuation, without_punctuation }
    };
    let errors = |of: &dyn Fn(&Decoding) -> &Errors| Errors {
        heads: all.iter().flat_map(|decoding| of(decoding).heads.iter().copied()).collect(),
        labelled: all.iter().flat_map(|decoding| of(decoding).labelled.iter().copied()).collect(),
    };
    // A repetition of all folds.
    let times = |of: &dyn Fn(&Decoding) -> &[f64]| -> Vec<f64> {
        let n = all.iter().map(|decoding| of(decoding).len()).min().unwrap_or(0);
        (0..n).map(|i| all.iter().map(|decoding| of(decoding)[i]).sum()).collect()
    };
    let add_classes = |mut sum: Classes, decoding: &&Decoding| {
        sum += decoding.classes.as_ref()?;
        Some(sum)
    };
    let add_diagnosis = |mut sum: Diagnosis, decoding: &&Decoding| {
        sum += decoding.diagnosis?;
        Some(sum)
    };
    Decoding {
        width: all[0].width,
        test: sum(&|decoding| decoding.test),
        dev: sum(&|decoding| decoding.dev),
        errors: ByRule {
            with_punctuation: errors(&|decoding| &decoding.errors.with_punctuation),
            without_punctuation: errors(&|decoding| &decoding.errors.without_punctuation),
        },
        right_tags: all.iter().map(|decoding| decoding.right_tags).sum(),
        classes: all.iter().try_fold(Classes::default(), add_classes),
        wall_s: times(&|decoding| &decoding.wall_s),
        cpu_s: times(&|decoding| &decoding.cpu_s),
        diagnosis: all.iter().try_fold(Diagnosis::default(), add_diagnosis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, full_store, plan_of, record, spec_of};
    use crate::report::{Summary, document};
    use treebeam::eval::{Metric, Punctuation};

    fn plan_of_folds() -> Plan {
        let treebanks = "[\"folds:4:generated:1,50,projective\", \"generated:2,400,nonprojective\"]";
        let text = SPEC.replace("[\"generated:1,50,projective\", \"generated:2,400,nonprojective\"]", treebanks);
        plan_of(&spec_of(&text))
    }

    #[test]
    fn folds_are_one_treebank_with_the_sums_of_their_records() {
        let plan = plan_of_folds();
        assert_eq!((plan.treebanks.len(), plan.cells.len()), (5, 5 * 2 * 3 * 2));
        let store = full_store(&plan);
        let (whole, records) = pooled(&plan, &store, false).unwrap().unwrap();
        let names: Vec<String> = whole.treebanks.iter().map(|data| data.source.to_string()).collect();
        assert_eq!(names, ["folds:4:generated:1,50,projective", "generated:2,400,nonprojective"]);
        assert_eq!((whole.cells.len(), whole.treebanks[0].test.n_sentences()), (2 * 2 * 3 * 2, 50));
        let of_folds = Summary::new(&plan, &store, false);
        let summary = Summary::new(&whole, &records, false);
        assert_eq!((summary.n_done, summary.n_stale), (whole.cells.len(), 0));
        for entry in &summary.entries {
            assert!(entry.is_complete());
            for (i, (record, decoding)) in entry.runs.iter().enumerate() {
                let folds: Vec<&Decoding> = of_folds
                    .entries
                    .iter()
                    .filter(|e| {
                        e.treebank == entry.treebank || names[0] == entry.treebank && e.treebank.starts_with("fold:")
                    })
                    .filter(|e| (&e.column, &e.method) == (&entry.column, &entry.method))
                    .map(|e| e.runs[i].1)
                    .collect();
                assert_eq!(folds.len(), if entry.treebank == names[0] { 4 } else { 1 });
                let counts: Counts = folds.iter().map(|fold| fold.test.with_punctuation).sum();
                assert_eq!(decoding.test.with_punctuation, counts);
                let errors = decoding.errors.get(Punctuation::Include).of(Metric::Las);
                assert_eq!(errors.len() as u64, counts.sentences);
                assert_eq!(errors.iter().sum::<u64>(), counts.tokens - counts.labelled);
                assert_eq!(record.test.n_sentences() as u64, counts.sentences);
            }
        }
        let about = document(&summary, "command", Vec::new()).about.join("\n");
        assert!(about.contains("`folds:4:generated:1,50,projective`") && about.contains("one treebank"), "{about}");
        assert!(!document(&of_folds, "command", Vec::new()).about.join("\n").contains("one treebank"));
    }

    #[test]
    fn a_fold_without_a_record_leaves_its_treebank_without_one() {
        let plan = plan_of_folds();
        let missing = plan.cells.iter().position(|cell| cell.data.source.to_string().starts_with("fold:3/4")).unwrap();
        let mut store = Store::default();
        for (i, cell) in plan.cells.iter().enumerate().filter(|(i, _)| *i != missing) {
            store.insert(record(cell, if i == missing + 1 { "r2" } else { "r1" }));
        }
        let (whole, records) = pooled(&plan, &store, false).unwrap().unwrap();
        let summary = Summary::new(&whole, &records, false);
        assert_eq!(summary.n_done, whole.cells.len() - 2);
        assert_eq!(summary.entries.iter().filter(|entry| !entry.is_complete()).count(), 1);
        // A record of other code makes those of all folds such a one.
        let (whole, records) = pooled(&plan, &store, true).unwrap().unwrap();
        let summary = Summary::new(&whole, &records, true);
        assert_eq!((summary.n_done, summary.n_stale), (whole.cells.len() - 1, 1));
        // Nothing to pool.
        let plain = crate::experiment::testing::plan();
        assert!(pooled(&plain, &full_store(&plain), false).unwrap().is_none());
    }
}
