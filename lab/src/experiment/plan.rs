//! A specification resolved into cells.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::cell::{Cell, training_key};
use super::data::Data;
use super::options::of_layers;
use super::overrides::Overrides;
use super::source::TreebankSource;
use super::spec::{Profile, Spec, Variant, profile_named};
use super::tags::{Tags, is_joint};
use treebeam::error::{Error, Result};
use treebeam::learn::TrainOptions;
use treebeam::options::{GivenOptions, Options};

/// All cells of an experiment at one scale.
#[derive(Debug)]
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
    /// Treebanks that cannot be read, and why; the plan is made without them.
    pub unreadable: Vec<Unreadable>,
}

/// Refuses tags that nothing could read or make.
fn check_tags(options: &Options, tags: Tags) -> Result<()> {
    if !tags.are_gold() && options.target().is_some() {
        let what = "tags of what tags, and reads none; expected tags = \"gold\", from which it learns";
        return Err(Error::Usage(what.to_owned()));
    }
    if is_joint(options) && tags == Tags::None {
        let what =
            "no tags for a parser that tags, too; expected tags = \"jackknifed\", which it reads beside gold ones";
        return Err(Error::Usage(what.to_owned()));
    }
    tags.tagger(options.columns().1).map(|_| ())
}

/// The most trainings of a plan. Nobody runs as many; a plan of millions would fill the memory before it is printed.
const MAX_CELLS: usize = 100_000;

impl Plan {
    /// Resolves `spec` at the scale of `profile`; `folder` holds the treebanks.
    ///
    /// # Errors
    /// If the profile does not exist, no treebank can be read, options do not make sense, two cells would be the same
    /// training, or there are too many.
    pub fn new(spec: &Spec, profile: &str, overrides: &Overrides, folder: Option<&Path>) -> Result<Plan> {
        let scale = overrides.apply(profile_named(&spec.profiles, profile, &spec.path)?);
        if scale.treebanks.is_empty() || scale.seeds.is_empty() {
            let path = spec.path.display();
            return Err(Error::Usage(format!("{path}: profile `{profile}` needs at least one treebank and one seed")));
        }
        let find = |source: TreebankSource| Data::find(source, folder, scale.max_train_sentences).map(Arc::new);
        let (treebanks, unreadable) = readable(&scale.treebanks, find)?;
        let (mut spec, profile_name) = (spec.clone(), profile.to_owned());
        if let Some(columns) = &scale.columns {
            spec.columns.retain(|column| columns.iter().any(|name| name.get_ref() == column.name.get_ref()));
        }
        if let Some(rows) = &scale.rows {
            // A row of no column has no cells.
            let is_left_out = |row: &&mut Variant| !rows.iter().any(|name| name.get_ref() == row.name.get_ref());
            spec.rows.iter_mut().filter(is_left_out).for_each(|row| row.columns = Some(Vec::new()));
        }
        let mut plan = Plan { spec, profile_name, profile: scale, treebanks, cells: Vec::new(), unreadable };
        plan.cells = plan.resolve(overrides)?;
        if plan.cells.is_empty() {
            let path = plan.spec.path.display();
            let found = "no treebank has more sentences than its columns are to be trained on";
            return Err(Error::Usage(format!("{path}: {found}; expected a smaller max-train-sentences")));
        }
        plan.check_distinct()?;
        plan.share_trainings()?;
        Ok(plan)
    }

    fn resolve(&self, overrides: &Overrides) -> Result<Vec<Cell>> {
        let (treebanks, seeds) = (self.treebanks.len(), self.profile.seeds.len());
        let (columns, rows) = (self.spec.columns.len(), self.spec.rows.len());
        let n_cells = [treebanks, columns, rows, seeds].into_iter().fold(1, usize::saturating_mul);
        if n_cells > MAX_CELLS {
            return Err(Error::Usage(format!(
                "{}: {treebanks} treebanks, {columns} columns, {rows} rows and {seeds} seeds are {n_cells} trainings; \
                 expected at most {MAX_CELLS}: divide the experiment, or give fewer values to a grid",
                self.spec.path.display()
            )));
        }
        let mut cells = Vec::new();
        for data in &self.treebanks {
            for column in &self.spec.columns {
                let data = match column.max_train_sentences.map(|cap| data.capped(cap)).transpose()? {
                    None => data.clone(),
                    Some(Some(capped)) => Arc::new(capped),
                    Some(None) => continue,
                };
                for row in self.spec.rows.iter().filter(|row| row.is_in(column)) {
                    let of = |row| self.options(row, column, overrides, data.train.n_sentences());
                    let options = of(row)?;
                    // Graph-based parsers pass over it, as they pass over options that they do not have.
                    let after = row.after.as_ref().filter(|_| options.transitions().is_some());
                    let after = after.map(|name| of(self.row(name.get_ref())?)).transpose()?;
                    if let (Some(first), Some(options)) = (&after, options.transitions()) {
                        check_follows(options, first).map_err(|error| self.located(error, row, column))?;
                    }
                    let given = [overrides.tags, row.tags, column.tags, self.profile.tags];
                    let tags = given.into_iter().flatten().next().unwrap_or(self.spec.tags);
                    check_tags(&options, tags).map_err(|error| self.located(error, row, column))?;
                    let own_width = options.decoding_beam();
                    let has_beam = options.transitions().is_some();
                    let decode = row.decode.clone().filter(|_| has_beam).unwrap_or_else(|| vec![own_width]);
                    for &seed in &self.profile.seeds {
                        let cell = Cell {
                            key: String::new(),
                            golden: String::new(),
                            row: row.name.get_ref().clone(),
                            column: column.name.get_ref().clone(),
                            options: options.with_seed(seed),
                            after: after.as_ref().map(|after| after.with_seed(seed)),
                            shared_training: None,
                            features_sha256: None,
                            data: data.clone(),
                            decode: decode.clone(),
                            margin: row.margin,
                            diagnose: self.profile.diagnose.unwrap_or(self.spec.diagnose),
                            tags,
                        };
                        cells.push(cell.keyed()?);
                    }
                }
            }
        }
        Ok(cells)
    }

    /// Marks the cells from whose training others go on.
    fn share_trainings(&mut self) -> Result<()> {
        let shared: HashSet<String> = self.cells.iter().filter_map(|cell| cell.shared_training.clone()).collect();
        if shared.is_empty() {
            return Ok(());
        }
        for cell in self.cells.iter_mut().filter(|cell| cell.after.is_none()) {
            cell.shared_training =
                Some(training_key(&cell.options, &cell.data, cell.tags)?).filter(|key| shared.contains(key));
        }
        Ok(())
    }

    /// The row with this name, from whose model another row goes on.
    fn row(&self, name: &str) -> Result<&Variant> {
        let row = self.spec.rows.iter().find(|row| row.name.get_ref() == name);
        row.ok_or_else(|| Error::Usage(format!("{}: no row is named `{name}`", self.spec.path.display())))
    }

    /// The options of a row in a column, for so many sentences to learn from: defaults, then base, profile, column, row and command
    /// line, the later before the earlier.
    fn options(&self, row: &Variant, column: &Variant, overrides: &Overrides, n_sentences: usize) -> Result<Options> {
        let layers = [&self.spec.base, &self.profile.options, &column.options, &row.options];
        let layers = layers.into_iter().flatten().map(|layer| layer.get_ref()).chain([&overrides.options]);
        // Before anything is run, rather than when its turn comes.
        let resolve = |given: GivenOptions| {
            let options = given.resolve()?;
            // A row that comes after another begins with its model, whatever the file will be.
            let init = given.init.clone().or_else(|| row.after.as_ref().map(|name| name.get_ref().clone()));
            Ok(GivenOptions { init, ..given }.planned(options, n_sentences))
        };
        of_layers(layers).and_then(resolve).map_err(|error| self.located(error, row, column))
    }

    fn located(&self, error: Error, row: &Variant, column: &Variant) -> Error {
        let (path, row, column) = (self.spec.path.display(), row.name.get_ref(), column.name.get_ref());
        Error::Usage(format!("{path}: row `{row}`, column `{column}`: {error}"))
    }

    /// Two cells with the same key would be one training under two names: a slip in the specification. Graph-based parsers may come
    /// several times: rows and columns of options that they do not have make no difference to them, and they are trained once.
    fn check_distinct(&self) -> Result<()> {
        let mut seen: HashMap<&str, &Cell> = HashMap::new();
        for cell in self.cells.iter().filter(|cell| cell.options.transitions().is_some()) {
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

/// Checks that a row with these options can go on from the model of a row with the options `first`.
fn check_follows(options: &TrainOptions, first: &Options) -> Result<()> {
    TrainOptions { init: Some("model".to_owned()), ..options.clone() }.check()?;
    let Some(first) = first.transitions() else {
        let found = "a row of a graph-based parser, after which no other goes on";
        return Err(Error::Usage(format!("{found}; expected the row of a transition system in `after`")));
    };
    options.check_follows(first)
}

/// The name of a treebank that cannot be read, and why.
pub type Unreadable = (String, Error);

/// Results of `find` for the treebanks with these names, and those that it cannot read.
///
/// # Errors
/// If a name makes no sense, or no treebank at all can be read.
pub(super) fn readable<T>(
    names: &[String],
    find: impl Fn(TreebankSource) -> Result<T>,
) -> Result<(Vec<T>, Vec<Unreadable>)> {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for name in names {
        let treebanks = name.parse::<TreebankSource>()?.treebanks();
        // Folds are of no use without each other.
        match treebanks.into_iter().map(&find).collect::<Result<Vec<T>>>() {
            Ok(all) => found.extend(all),
            Err(error) => unreadable.push((name.clone(), error)),
        }
    }
    if found.is_empty() && !unreadable.is_empty() {
        return Err(unreadable.swap_remove(0).1);
    }
    Ok((found, unreadable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::testing::{SPEC, plan, spec_of};
    use treebeam::learn::Update;

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
    fn plans_that_nobody_runs_are_refused() {
        let mut spec = spec_of(SPEC);
        let profile = spec.profiles.get_mut("quick").unwrap();
        profile.seeds = (1..=20_000).collect();
        let error = Plan::new(&spec, "quick", &Overrides::default(), None).unwrap_err().to_string();
        assert!(error.contains("20000 seeds are 240000 trainings; expected at most 100000"), "{error}");
    }

    #[test]
    fn columns_of_fewer_sentences_leave_out_what_has_no_more() {
        let capped = |n: usize| format!("name = \"hybrid\"\nmax-train-sentences = {n}");
        let cells = |n: usize| {
            let text = SPEC.replacen("name = \"hybrid\"", &capped(n), 1);
            let plan = Plan::new(&spec_of(&text), "quick", &Overrides::default(), None).unwrap();
            plan.cells.into_iter().filter(|cell| cell.column == "hybrid").collect::<Vec<Cell>>()
        };
        let fewer = cells(29);
        assert_eq!(fewer.len(), 2 * 3 * 2);
        assert!(fewer.iter().all(|cell| cell.data.train.sentences == (0..29)));
        let data = &fewer[0].data;
        assert_eq!(data.read(&data.train).unwrap().sentences.len(), 29, "and their checksum is right");
        assert!(cells(30).is_empty(), "both treebanks have 30 sentences");
        let of_none = SPEC.replace("name = \"eager\"", "name = \"eager\"\nmax-train-sentences = 30");
        assert!(
            error(&of_none.replacen("name = \"hybrid\"", &capped(30), 1)).contains("no treebank has more sentences")
        );
    }

    #[test]
    fn rows_name_columns_and_profiles_name_columns_and_rows() {
        let row =
            |columns: &str| SPEC.replacen("name = \"global\"", &format!("name = \"global\"\ncolumns = {columns}"), 1);
        let profile =
            |key: &str, names: &str| SPEC.replacen("seeds = [1, 2]", &format!("seeds = [1, 2]\n{key} = {names}"), 1);
        let plan = |text: &str| Plan::new(&spec_of(text), "quick", &Overrides::default(), None).unwrap();
        let of_row = plan(&row("[\"hybrid\"]")).cells;
        assert_eq!(of_row.len(), 2 * (3 + 2) * 2);
        assert!(of_row.iter().all(|cell| cell.row != "global" || cell.column == "hybrid"));
        let columns = plan(&profile("columns", "[\"hybrid\"]"));
        assert!(!columns.cells.is_empty() && columns.cells.iter().all(|cell| cell.column == "hybrid"));
        assert_eq!(columns.spec.columns.len(), 1, "tables have no others");
        let rows = plan(&profile("rows", "[\"greedy\", \"global\"]")).cells;
        let rows: HashSet<&str> = rows.iter().map(|cell| &*cell.row).collect();
        assert_eq!(rows, HashSet::from(["global", "greedy"]));
        for (text, expected) in [
            (row("[\"lazy\"]"), "lazy"),
            (row("[]"), "columns = []"),
            (profile("columns", "[\"lazy\"]"), "lazy"),
            (profile("columns", "[]"), "columns = [] in profile `quick`"),
            (profile("rows", "[\"lazy\"]"), "lazy"),
            (profile("rows", "[]"), "rows = [] in profile `quick`"),
        ] {
            let refused = Spec::parse(&text, Path::new("s.toml")).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn later_layers_override_earlier_ones() {
        let overrides = Overrides::parse(&["update=early"]).unwrap();
        let plan = Plan::new(&spec_of(SPEC), "quick", &overrides, None).unwrap();
        let global = plan.cells.iter().find(|c| c.row == "global" && c.column == "hybrid").unwrap();
        let options = global.options.transitions().unwrap();
        assert_eq!(options.system, treebeam_systems::ARC_HYBRID);
        assert_eq!((options.iterations, options.beam), (2.into(), 4));
        assert_eq!(options.update, Update::Early);
        assert_eq!(global.decode, [1, 4]);
        assert_eq!(plan.cells[0].decode, [1], "greedy training is decoded greedily");
    }

    #[test]
    fn graph_based_parsers_are_rows_and_columns_like_others() {
        let column = "[[column]]\nname = \"graph\"\noptions = { system = \"eisner\", aggressiveness = 0.5 }\n[table]";
        let row = "[[row]]\nname = \"mst\"\noptions = { system = \"mst\" }\n[[column]]\nname = \"eager\"";
        let text = SPEC.replacen("[table]", column, 1).replacen("[[column]]\nname = \"eager\"", row, 1);
        let plan = Plan::new(&spec_of(&text), "quick", &Overrides::default(), None).unwrap();
        assert_eq!(plan.cells.len(), 2 * 3 * 4 * 2);
        let of = |row: &str, column: &str| plan.cells.iter().find(|c| c.row == row && c.column == column).unwrap();
        assert_eq!(of("global", "graph").options.system(), "eisner");
        assert_eq!(of("global", "graph").decode, [1], "there is no beam");
        assert_eq!(of("global", "graph").key, of("greedy", "graph").key, "one training in several rows");
        assert_eq!(of("mst", "eager").key, of("mst", "hybrid").key);
        assert_eq!(of("mst", "graph").options.system(), "mst", "rows come after columns");
        assert_eq!(of("global", "eager").options.training_beam(), 4);
        let wrong = text.replace("aggressiveness = 0.5", "beam = 3");
        assert!(error(&wrong).contains("--beam is for transition systems"), "{}", error(&wrong));
    }

    #[test]
    fn iterations_and_rates_of_networks_follow_the_size_of_the_data() {
        let rows = "[[row]]\nname = \"local\"\noptions = { scorer = \"bilstm\", training = \"greedy\" }\n\
                    [[row]]\nname = \"crf\"\nafter = \"local\"\noptions = { scorer = \"bilstm\", training = \"global\" }\n";
        let text = SPEC.replacen("[[row]]", &format!("{rows}[[row]]"), 1);
        let of = |text: &str, row: &str| {
            let plan = Plan::new(&spec_of(text), "quick", &Overrides::default(), None).unwrap();
            let cell = plan.cells.into_iter().find(|cell| cell.row == row).unwrap();
            let first = cell.after.and_then(|first| first.transitions().map(|first| first.iterations));
            let options = cell.options.transitions().unwrap();
            (options.iterations, options.rate, first)
        };
        let stated = SPEC.lines().find(|line| line.starts_with("iterations")).unwrap();
        let unstated = text.replacen(stated, "", 1);
        assert_eq!(of(&unstated, "local"), (60.into(), None, None));
        let (_, rate, first) = of(&unstated, "crf");
        assert_eq!((rate, first), (Some(0.0003 / 8.0), Some(60.into())));
        assert_eq!(of(&text, "local").0, 2.into(), "what is stated stays");
    }

    #[test]
    fn rows_that_cannot_go_on_from_others_are_refused_before_anything_runs() {
        let with = |first: &str, then: &str| {
            let row = |name: &str, options: &str| format!("[[row]]\nname = \"{name}\"\noptions = {{ {options} }}\n");
            let rows = format!("{}{}after = \"local\"\n", row("local", first), row("crf", then));
            SPEC.replacen("[[row]]", &format!("{rows}[[row]]"), 1)
        };
        let global = "training = \"global\", scorer = \"feed-forward\"";
        let plan = |first: &str, then: &str| {
            Plan::new(&spec_of(&with(first, then)), "quick", &Overrides::default(), None).map(|_| ())
        };
        plan("scorer = \"feed-forward\", hidden = 40", global).unwrap();
        for (first, then, what) in [
            ("scorer = \"linear\"", global.to_owned(), "only networks go on from other models"),
            ("scorer = \"bilstm\"", global.to_owned(), "another kind of network"),
            ("scorer = \"feed-forward\"", format!("{global}, hidden = 40"), "another number of hidden units"),
            ("scorer = \"feed-forward\", tag-column = \"xpos\"", global.to_owned(), "another choice of columns"),
            ("scorer = \"feed-forward\", system = \"swap\"", global.to_owned(), "another transition system"),
            ("system = \"eisner\"", global.to_owned(), "a row of a graph-based parser"),
        ] {
            let error = plan(first, &then).unwrap_err().to_string();
            assert!(error.contains("row `crf`") && error.contains(what), "{what}: {error}");
        }
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
    fn slips_are_found() {
        let beamless = SPEC.replacen("beam = 4", "beam = 0", 1);
        assert!(error(&beamless).contains("row `global`, column `eager`: --beam must be"), "{}", error(&beamless));
        let same = SPEC.replace(
            "options = { training = \"greedy\", oracle = \"dynamic\" }",
            "options = { training = \"greedy\", oracle = \"static\" }",
        );
        assert!(error(&same).contains("are the same training"), "{}", error(&same));
    }
}
