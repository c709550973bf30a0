//! Recommendations for a treebank: options that suit it better than those that would be used. The thresholds are those
//! of a first look, as MaltOptimizer (Ballesteros & Nivre 2012) takes one, not of a search.

use super::{GivenOptions, Options};
use crate::features::ColumnName;
use crate::training::Nonprojective;
use crate::tree::Roots;
use crate::treebank::{Column, Survey};

/// Sentences with several roots, in percent, from which they are worth an option.
const SEVERAL_ROOTS: f64 = 0.5;
/// Sentences with a non-projective arc, in percent, from which lifting them is worth it.
const NON_PROJECTIVE: f64 = 1.0;

/// One option that should be another.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The option as it is given on the command line.
    pub flag: &'static str,
    /// Reason in the treebank.
    pub why: String,
    /// The option alone.
    pub given: GivenOptions,
}

impl Options {
    /// True if the parser derives non-projective trees.
    pub fn derives_all(&self) -> bool {
        match self {
            Options::Transitions(options) => options.system.info().derives_all,
            Options::Graph(options) => !options.system.is_projective(),
        }
    }

    /// True if the parser makes projective trees only.
    pub fn makes_projective_only(&self) -> bool {
        match self {
            _ if self.nonprojective() == Nonprojective::Lift => false,
            Options::Transitions(options) => options.system.info().projective_only,
            Options::Graph(options) => options.system.is_projective(),
        }
    }

    fn allows_several_roots(&self) -> bool {
        match self {
            Options::Transitions(options) => options.system.check_roots(Roots::Several).is_ok(),
            Options::Graph(_) => true,
        }
    }

    /// Recommended changes for the treebank, the most important first.
    pub fn recommendations(&self, survey: &Survey) -> Vec<Recommendation> {
        let mut found = Vec::new();
        let stats = &survey.stats;
        let several = survey.several_roots_percent();
        if self.roots() == Roots::Single && several >= SEVERAL_ROOTS && self.allows_several_roots() {
            found.push(Recommendation {
                flag: "--roots several",
                why: format!(
                    "{several:.1} % of the sentences have several roots, and the parser would make one in each"
                ),
                given: GivenOptions { roots: Some(Roots::Several), ..GivenOptions::default() },
            });
        }
        let tags = Column::from(self.columns().1);
        if survey.empty_percent(tags) > 50.0 {
            let others = [(ColumnName::Upos, "--tag-column upos"), (ColumnName::Xpos, "--tag-column xpos")];
            let filled = others.into_iter().find(|(name, _)| survey.empty_percent(Column::from(*name)) < 10.0);
            if let Some((name, flag)) = filled {
                found.push(Recommendation {
                    flag,
                    why: format!("{} is empty in {:.0} % of the words", tags_name(tags), survey.empty_percent(tags)),
                    given: GivenOptions { tag_column: Some(name), ..GivenOptions::default() },
                });
            }
        }
        let share = stats.non_projective_sentences_percent();
        if !self.derives_all() && share >= NON_PROJECTIVE && self.nonprojective() == Nonprojective::MinCost {
            found.push(Recommendation {
                flag: "--nonprojective lift",
                why: format!(
                    "{share:.1} % of the sentences have non-projective arcs, which the parser cannot make; lifting teaches it \
                     to say in labels where they belong"
                ),
                given: GivenOptions { nonprojective: Some(Nonprojective::Lift), ..GivenOptions::default() },
            });
        }
        found
    }
}

fn tags_name(column: Column) -> &'static str {
    column.name(crate::treebank::Format::Conllu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::{Format, Sentence, Treebank};
    use std::path::Path;

    fn survey(heads: &[[u8; 4]]) -> Survey {
        let sentence = |heads: &[u8; 4]| {
            let word = |(i, head): (usize, &u8)| format!("{}\tw\t_\t_\tN\t_\t{head}\tx\t_\t_\n", i + 1);
            let text: String = heads.iter().enumerate().map(word).collect();
            Sentence::new("x", Format::Conllx, &text).unwrap()
        };
        let sentences = heads.iter().map(sentence).collect();
        Survey::of(&Treebank::of_sentences(Path::new("x"), Format::Conllx, sentences)).unwrap()
    }

    fn flags(options: &Options, survey: &Survey) -> Vec<&'static str> {
        options.recommendations(survey).iter().map(|recommendation| recommendation.flag).collect()
    }

    #[test]
    fn the_treebank_decides() {
        let given = |system: &str| GivenOptions {
            system: crate::options::ParserKind::all().iter().copied().find(|kind| kind.name() == system),
            ..GivenOptions::default()
        };
        let [plain, roots, crossing] = [[0, 1, 2, 3], [0, 0, 2, 3], [3, 4, 0, 3]].map(|heads| survey(&[heads]));
        let eager = given("arc-eager").resolve().unwrap();
        assert_eq!(flags(&eager, &plain), ["--tag-column xpos"]);
        assert_eq!(flags(&eager, &roots), ["--roots several", "--tag-column xpos"]);
        assert_eq!(flags(&eager, &crossing), ["--tag-column xpos", "--nonprojective lift"]);
        assert_eq!(flags(&given("swap").resolve().unwrap(), &crossing), ["--tag-column xpos"]);
        assert_eq!(flags(&given("mst").resolve().unwrap(), &crossing), ["--tag-column xpos"]);
    }

    #[test]
    fn what_is_given_stays() {
        let mut given = GivenOptions { roots: Some(Roots::Single), ..GivenOptions::default() };
        let recommended = GivenOptions { roots: Some(Roots::Several), ..GivenOptions::default() };
        assert!(!given.complete(&recommended) && given.roots == Some(Roots::Single));
        let lifted = GivenOptions { nonprojective: Some(Nonprojective::Lift), ..GivenOptions::default() };
        assert!(given.complete(&lifted) && given.nonprojective == Some(Nonprojective::Lift));
    }
}
