//! `treebeam experiment init`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;

use treebeam::files::write_whole;
use treebeam_lab::experiment::Spec;

/// The specification, with `NAME` for its name.
const TEMPLATE: &str = include_str!("init.toml");

/// Writes the specification.
pub fn run(name: &str, output: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let path = output.unwrap_or_else(|| Path::new(&format!("{name}.toml")).to_owned());
    let text = TEMPLATE.replace("NAME", name);
    // Refuses names that cannot be those of experiments before anything is written.
    Spec::parse(&text, &path)?;
    if path.exists() {
        bail!("{}: the file is there already; expected another name, or -o FILE", path.display());
    }
    write_whole(&path, text.as_bytes())?;
    if path == Path::new("-") {
        return Ok(ExitCode::SUCCESS);
    }
    let path = path.display();
    treebeam::console::note(format_args!(
        "wrote {path}; `treebeam experiment run {path} --dry-run` shows what it would run"
    ));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treebeam_lab::experiment::of_layers;

    #[test]
    fn the_template_states_every_option_that_an_experiment_of_its_kind_has() {
        let spec = Spec::parse(&TEMPLATE.replace("NAME", "some-name"), Path::new("init.toml")).unwrap();
        assert_eq!(spec.name, "some-name");
        let stated = spec.base.unwrap();
        let options = of_layers([stated.get_ref()]).unwrap().resolve().unwrap();
        let all = toml::Table::try_from(options.transitions().unwrap()).unwrap();
        let unstated: Vec<&String> = all
            .keys()
            .filter(|key| !["seed", "system"].contains(&key.as_str()) && !stated.get_ref().contains_key(*key))
            .collect();
        assert!(unstated.is_empty(), "{unstated:?}");
    }
}
