//! Experiments on bounds of a loss.

use std::path::Path;

use super::Experiments;
use super::folder::write_document;
use super::opened::{Opened, View};
use treebeam::console::note;
use treebeam_lab::experiment::{Bounds, BoundsRecord, BoundsSpec, Overrides, Provenance, bounds_cells};
use treebeam_lab::report::bounds_document;

/// A specification at one scale.
pub struct BoundsView {
    spec: BoundsSpec,
    profile: String,
}

/// An experiment on bounds with what has been run of it.
pub type OpenedBounds = Opened<Bounds, BoundsView>;

/// Opens the experiment of the specification at `path`.
pub fn open(args: &Experiments, path: &Path, overrides: &Overrides) -> anyhow::Result<OpenedBounds> {
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
    let out = args.folder(&spec.name, is_own);
    let (name, kind) = (spec.name.clone(), Bounds { provenance: Provenance::of_this_process(args.jobs()) });
    let view = BoundsView { spec, profile: args.profile.clone() };
    let mut opened = Opened::new((kind, view), &name, cells, &out, args.accept_stale, args.command(path))?;
    opened.unreadable = unreadable;
    Ok(opened)
}

impl View<Bounds> for BoundsView {
    fn write_tables(opened: &OpenedBounds) -> anyhow::Result<()> {
        let Opened { view: BoundsView { spec, profile }, cells, accept_stale, command, folder, .. } = opened;
        let usable = |cell| opened.status(cell).usable(*accept_stale);
        let records: Vec<&BoundsRecord> = cells.iter().filter_map(usable).collect();
        let files = vec![folder.records_name().to_owned()];
        let document = bounds_document(spec, profile, cells.len(), &records, command, files);
        write_document(folder.path(), &document, command)
    }
}
