//! Experiments whose cells are trainings.

use std::path::Path;

use super::Experiments;
use super::folder::{write, write_document};
use super::opened::Opened;
use treebeam_lab::experiment::{Overrides, Plan, Provenance, Spec, Trainings, Treebeam};
use treebeam_lab::report::{Summary, document, pooled, tsv};

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Opened<Trainings<Treebeam>>> {
    let spec = Spec::read(path)?;
    let mut plan = Plan::new(&spec, &args.profile, overrides, args.treebanks.as_deref())?;
    let is_own = spec.profiles.get(&args.profile).is_some_and(|profile| overrides.change(profile));
    let provenance = Provenance { protocol: spec.protocol_sha256()?, ..Provenance::of_this_process(args.jobs()) };
    let repetitions = args.repeat.into();
    let kind = Trainings { engine: Treebeam, experiment: spec.name.clone(), provenance, repetitions };
    let (cells, unreadable) = (plan.cells.clone(), std::mem::take(&mut plan.unreadable));
    let tables = move |opened: &Opened<Trainings<Treebeam>>| {
        let Opened { store, accept_stale, command, folder, .. } = opened;
        let pooled = pooled(&plan, store, *accept_stale)?;
        let (plan, store) = pooled.as_ref().map_or((&plan, store), |(plan, store)| (plan, store));
        let summary = Summary::new(plan, store, *accept_stale);
        let table = format!("{}.tsv", plan.profile_name);
        write(folder.path(), &table, &tsv(&summary, command))?;
        let document = document(&summary, command, vec![table, folder.records_name().to_owned()]);
        write_document(folder.path(), &document, command)
    };
    let mut opened = Opened::new(args, path, (&spec.name, is_own), (kind, cells), Box::new(tables))?;
    opened.unreadable = unreadable;
    Ok(opened)
}
