//! `key=value` from the command line.

use toml::{Table, Value};

use super::options::given;
use super::spec::Profile;
use super::tags::Tags;
use treebeam::error::{Error, Result};

/// Changes to a profile and to the training options of all its cells.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Instead of the profile's treebanks.
    pub treebanks: Option<Vec<String>>,
    /// Instead of the profile's seeds.
    pub seeds: Option<Vec<u64>>,
    /// Instead of the profile's cap; 0 lifts it.
    pub max_train_sentences: Option<usize>,
    /// Instead of the profile's number of transitions, where these are walked over.
    pub transitions: Option<usize>,
    /// Tags that are read in all cells.
    pub tags: Option<Tags>,
    /// Training options that override those of rows and columns.
    pub options: Table,
}

impl Overrides {
    /// Reads `key=value`s. Lists are separated by blanks: `treebanks=en_ewt hu_szeged`, `seeds=1 2 3`.
    ///
    /// # Errors
    /// If a key is unknown or a value does not fit it.
    pub fn parse<S: AsRef<str>>(settings: &[S]) -> Result<Overrides> {
        let mut overrides = Overrides::default();
        for setting in settings {
            let setting = setting.as_ref();
            let unfit = |why: &str| Error::Usage(format!("--set {setting}: {why}"));
            let (key, text) = setting.split_once('=').ok_or_else(|| unfit("expected key=value"))?;
            if matches!(key, "treebanks" | "seeds") && text.trim().is_empty() {
                return Err(unfit("expected at least one"));
            }
            match key {
                "treebanks" => overrides.treebanks = Some(text.split_whitespace().map(str::to_owned).collect()),
                "seeds" => {
                    let seeds: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
                    overrides.seeds = Some(seeds.map_err(|_| unfit("expected whole numbers, separated by blanks"))?);
                }
                "max-train-sentences" => {
                    let cap = text.parse().map_err(|_| unfit("expected a whole number, 0 for no limit"))?;
                    overrides.max_train_sentences = Some(cap);
                }
                "transitions" => {
                    let n =
                        text.parse().ok().filter(|n| *n > 0).ok_or_else(|| unfit("expected a whole number from 1"))?;
                    overrides.transitions = Some(n);
                }
                "tags" => overrides.tags = Some(Tags::named(text).map_err(|error| unfit(&error.to_string()))?),
                "seed" => return Err(unfit("expected seeds=...")),
                _ => {
                    overrides.options.insert(key.to_owned(), value(text));
                    given(&overrides.options).map_err(|error| unfit(&error.to_string()))?;
                }
            }
        }
        Ok(overrides)
    }

    /// The keys that are for trainings alone.
    pub fn of_trainings(&self) -> Vec<&str> {
        let of_profile = [
            (self.seeds.is_some(), "seeds"),
            (self.max_train_sentences.is_some(), "max-train-sentences"),
            (self.tags.is_some(), "tags"),
        ];
        let of_profile = of_profile.into_iter().filter_map(|(is_given, key)| is_given.then_some(key));
        of_profile.chain(self.options.keys().map(String::as_str)).collect()
    }

    /// True if cells of `profile` come out otherwise with these changes.
    pub fn change(&self, profile: &Profile) -> bool {
        let changed = self.apply(profile);
        !self.options.is_empty()
            || changed.treebanks != profile.treebanks
            || changed.seeds != profile.seeds
            || changed.max_train_sentences != profile.max_train_sentences
    }

    /// `profile` with these changes.
    pub fn apply(&self, profile: &Profile) -> Profile {
        let mut profile = profile.clone();
        if let Some(treebanks) = &self.treebanks {
            profile.treebanks.clone_from(treebanks);
        }
        if let Some(seeds) = &self.seeds {
            profile.seeds.clone_from(seeds);
        }
        if let Some(cap) = self.max_train_sentences {
            profile.max_train_sentences = (cap > 0).then_some(cap);
        }
        profile
    }
}

/// A number or truth value if it reads as one, else the text itself, so that names need no quotes in the shell.
fn value(text: &str) -> Value {
    let plain = || Value::String(text.to_owned());
    match format!("v = {text}").parse::<Table>() {
        Ok(mut table) => table.remove("v").unwrap_or_else(plain),
        Err(_) => plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_and_unfit_values_are_refused() {
        for (setting, part) in [
            ("beam", "expected key=value"),
            ("beams=4", "unknown field `beams`"),
            ("beam=four", "invalid type"),
            ("update=soon", "unknown variant `soon`"),
            ("seeds=1,2", "separated by blanks"),
            ("seed=1", "expected seeds="),
            ("transitions=0", "expected a whole number from 1"),
            ("seeds=", "expected at least one"),
            ("treebanks= ", "expected at least one"),
        ] {
            let message = Overrides::parse(&[setting]).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
