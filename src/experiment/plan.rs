//! A specification resolved into cells.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use toml::Table;

use super::cell::Cell;
use super::data::Data;
use super::overrides::Overrides;
use super::source::Source;
use super::spec::{Profile, Spec, Variant};
use crate::error::{Error, Result};
use crate::learn::TrainOptions;
use crate::options::{GivenOptions, Options};

/// All cells of an experiment at one scale.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The specification.
    pub spec: Spec,
    /// The name of the profile.
    pub profile_name: String,
    /// The profile with overrides applied.
    pub profile: Profile,
    /// The treebanks, in the order of the profile.
    pub treebanks: Vec<Arc<Data>>,
    /// The cells: by treebank, then column, row and seed.
    pub cells: Vec<Cell>,
}

impl Plan {
    /// Resolves `spec` at the scale of `profile`; `folder` holds the treebanks.
    ///
    /// # Errors
    /// If the profile does not exist, a treebank cannot be found, options do not make sense, or two cells would be the same
    /// training.
    pub fn new(spec: &Spec, profile: &str, overrides: &Overrides, folder: Option<&Path>) -> Result<Plan> {
        let scale = spec.profiles.get(profile).ok_or_else(|| {
            let names: Vec<&str> = spec.profiles.keys().map(String::as_str).collect();
            let path = spec.path.display();
            Error::Usage(format!("{path}: no profile is named `{profile}`; expected {}", names.join(" or ")))
        })?;
        let scale = overrides.apply(scale);
        if scale.treebanks.is_empty() || scale.seeds.is_empty() {
            let path = spec.path.display();
            return Err(Error::Usage(format!("{path}: profile `{profile}` needs at least one treebank and one seed")));
        }
        let find = |name: &String| Data::find(name.parse::<Source>()?, folder, scale.max_train_sentences).map(Arc::new);
        let treebanks: Vec<Arc<Data>> = scale.treebanks.iter().map(find).collect::<Result<_>>()?;

        let mut plan =
            Plan { spec: spec.clone(), profile_name: profile.to_owned(), profile: scale, treebanks, cells: Vec::new() };
        plan.cells = plan.resolve(overrides)?;
        plan.check_distinct()?;
        Ok(plan)
    }

    fn resolve(&self, overrides: &Overrides) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for data in &self.treebanks {
            for column in &self.spec.columns {
                for row in self.spec.rows.iter().filter(|row| row.open.is_none()) {
                    let options = self.options(row, column, overrides)?;
                    let own_width = options.decoding_beam();
                    let decode = row.decode.clone().unwrap_or_else(|| vec![own_width]);
                    for &seed in &self.profile.seeds {
                        let options = TrainOptions { seed, ..options.clone() };
                        let (row, column) = (row.name.get_ref(), column.name.get_ref());
                        let (decode, diagnose) = (decode.clone(), self.spec.diagnose);
                        cells.push(Cell::new(row, column, options, data.clone(), decode, diagnose)?);
                    }
                }
            }
        }
        Ok(cells)
    }

    /// The options of a row in a column: defaults, then base, profile, column, row and command line, the later before the
    /// earlier.
    fn options(&self, row: &Variant, column: &Variant, overrides: &Overrides) -> Result<TrainOptions> {
        let layers = [&self.spec.base, &self.profile.options, &column.options, &row.options];
        let mut merged = Table::new();
        for layer in layers.into_iter().flatten() {
            merged.extend(layer.get_ref().clone());
        }
        merged.extend(overrides.options.clone());
        let problem = |message: &str| {
            let (path, row, column) = (self.spec.path.display(), row.name.get_ref(), column.name.get_ref());
            Error::Usage(format!("{path}: row `{row}`, column `{column}`: {message}"))
        };
        let given: GivenOptions = merged.try_into().map_err(|e: toml::de::Error| problem(e.message()))?;
        // Before anything is run, rather than when its turn comes.
        match given.resolve().map_err(|e| problem(&e.to_string()))? {
            Options::Transitions(options) => Ok(options),
            Options::Graph(options) => {
                Err(problem(&format!("`{}` is a graph-based parser; expected a transition system", options.system)))
            }
        }
    }

    /// Two cells with the same key would be one training under two names: a slip in the specification.
    fn check_distinct(&self) -> Result<()> {
        let mut seen: HashMap<&str, &Cell> = HashMap::new();
        for cell in &self.cells {
            if let Some(other) = seen.insert(&cell.key, cell) {
                let (path, a, b) = (self.spec.path.display(), other.title(), cell.title());
                return Err(Error::Usage(format!(
                    "{path}: ({a}) and ({b}) are the same training; expected one of them"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, plan, spec_of};
    use crate::learn::Update;
    use crate::system::SystemKind;

    fn error(text: &str) -> String {
        Plan::new(&spec_of(text), "quick", &Overrides::default(), None).unwrap_err().to_string()
    }

    #[test]
    fn cells_are_the_product_in_a_fixed_order() {
        let plan = plan();
        assert_eq!(plan.cells.len(), 2 * 2 * 3 * 2);
        let titles: Vec<String> = plan.cells.iter().take(3).map(Cell::title).collect();
        assert_eq!(
            titles,
            [
                "generated:1,50,projective, eager, greedy, seed 1",
                "generated:1,50,projective, eager, greedy, seed 2",
                "generated:1,50,projective, eager, dynamic, seed 1",
            ]
        );
        assert_eq!(plan.cells[0].data.train.sentences, 0..30, "capped");
    }

    #[test]
    fn later_layers_override_earlier_ones() {
        let overrides = Overrides::parse(&["update=early"]).unwrap();
        let plan = Plan::new(&spec_of(SPEC), "quick", &overrides, None).unwrap();
        let global = plan.cells.iter().find(|c| c.row == "global" && c.column == "hybrid").unwrap();
        assert_eq!(global.options.system, SystemKind::ArcHybrid);
        assert_eq!((global.options.iterations, global.options.beam), (2, 4));
        assert_eq!(global.options.update, Update::Early);
        assert_eq!(global.decode, [1, 4]);
        assert_eq!(plan.cells[0].decode, [1], "greedy training is decoded greedily");
    }

    #[test]
    fn keys_depend_on_what_decides_the_figures_and_on_nothing_else() {
        let keys = |text: &str, settings: &[&str]| -> Vec<String> {
            let overrides = Overrides::parse(settings).unwrap();
            let plan = Plan::new(&spec_of(text), "quick", &overrides, None).unwrap();
            plan.cells.into_iter().map(|c| c.key).collect()
        };
        let before = keys(SPEC, &[]);
        assert_eq!(
            before,
            keys(
                &SPEC.replace("\"dynamic\"", "\"renamed\"").replace("oracle = \"renamed\"", "oracle = \"dynamic\""),
                &[]
            )
        );
        for setting in ["iterations=3", "max-train-sentences=20"] {
            assert!(keys(SPEC, &[setting]).iter().all(|k| !before.contains(k)), "{setting}");
        }
        let wider = keys(&SPEC.replace("decode = [1, 4]", "decode = [1, 4, 8]"), &[]);
        let changed = before.iter().zip(&wider).filter(|(a, b)| a != b).count();
        assert_eq!(changed, before.len() / 3, "only the row whose widths changed");
    }

    #[test]
    fn all_shipped_specifications_can_be_planned() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
        let overrides = Overrides::parse(&["treebanks=generated:1,50,projective"]).unwrap();
        let mut n = 0;
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if path.extension().is_none_or(|e| e != "toml") || text.contains("\nkind = ") {
                continue;
            }
            let spec = Spec::read(&path).unwrap();
            for profile in spec.profiles.keys() {
                let plan = Plan::new(&spec, profile, &overrides, None).unwrap();
                assert!(!plan.cells.is_empty());
            }
            n += 1;
        }
        assert!(n > 10, "{n}");
    }

    #[test]
    fn slips_are_found() {
        let beamless = SPEC.replacen("beam = 4", "beam = 0", 1);
        assert!(error(&beamless).contains("row `global`, column `eager`: --beam must be"), "{}", error(&beamless));
        let same = SPEC.replace(
            "options = { training = \"greedy\", oracle = \"dynamic\" }",
            "options = { training = \"greedy\", oracle = \"static\" }",
        );
        assert!(error(&same).contains("are the same training"), "{}", error(&same));
        assert!(
            error(&SPEC.replace("profiles.quick", "profiles.slow"))
                .contains("no profile is named `quick`; expected slow")
        );
        let folder = SPEC.replace("\"generated:1,50,projective\"", "\"en_ewt\"");
        assert!(error(&folder).contains("--treebanks"));
    }
}
