//! Experiments on bounds of a loss.

use std::path::Path;

use super::Experiments;
use super::folder::write_document;
use super::opened::Opened;
use treebeam::console::note;
use treebeam_lab::experiment::{Bounds, BoundsRecord, BoundsSpec, Overrides, Provenance, bounds_cells};
use treebeam_lab::report::bounds_document;

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<Opened<Bounds>> {
    let spec = BoundsSpec::read(path)?;
    let (cells, unreadable) = bounds_cells(&spec, path, &args.profile, overrides, args.treebanks.as_ref())?;
    let is_own = spec.profiles.get(&args.profile).is_some_and(|profile| {
        overrides.treebanks.as_ref().is_some_and(|treebanks| profile.treebanks != *treebanks)
            || overrides.transitions.is_some_and(|n| profile.transitions != n)
    });
    let foreign = overrides.of_trainings();
    if !foreign.is_empty() {
        let foreign = foreign.join(", ");
        note(format_args!("{}: nothing is trained here: --set of {foreign} changes nothing", spec.name));
    }
    let (name, profile) = (spec.name.clone(), args.profile.clone());
    let tables = move |opened: &Opened<Bounds>| {
        let Opened { cells, command, folder, .. } = opened;
        let records: Vec<&BoundsRecord> = cells.iter().filter_map(|cell| opened.usable(cell)).collect();
        let files = vec![folder.records_name().to_owned()];
        write_document(folder.path(), &bounds_document(&spec, &profile, cells.len(), &records, command, files), command)
    };
    let kind = Bounds { provenance: Provenance::of_this_process(args.jobs()) };
    let mut opened = Opened::new(args, path, (&name, is_own), (kind, cells), Box::new(tables))?;
    opened.unreadable = unreadable;
    Ok(opened)
}
