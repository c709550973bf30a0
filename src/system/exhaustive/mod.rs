//! Proof by exhaustion: the costs of a dynamic oracle against the true losses, in every configuration that any sequence
//! of transitions reaches, sensible or not, for every gold tree of a few words.
//!
//! The cost of a transition is claimed to be loss(after) - loss(before), where the loss of a configuration is the least
//! number of wrong words in any tree that can still be derived. For a few words the loss is a backward pass over all
//! configurations, so the claim is checked as it stands. Every error of a published oracle that we know of shows on five
//! words.
//!
//! Costs that are verdicts on derivations of their own ([`Exactness::SoundOnItsWay`]) are checked on these derivations, and
//! there against the loss or 1, whichever is less.

mod bounds;
mod space;
mod trees;

pub use bounds::{BoundFindings, OfBound, check_bounds};
pub use space::Space;
pub use trees::{Shape, gold_trees};

use super::{
    Action, Derivation, Exactness, MoveCosts, MoveSet, OracleKind, Roots, SystemKind, TransitionSystem, gold_label,
};
use crate::configuration::{PlainView as _, Point};
use crate::parallel;
use crate::tree::{Gold, LabelId, Node, Tree};
use crate::with_system;

/// Scope of the enumeration.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// The number of words.
    pub n_words: usize,
    /// Number of words on the root in the gold trees; the system's own setting is the system's.
    pub roots: Roots,
    /// The class of gold trees.
    pub shape: Shape,
    /// The number of labels: with 1, costs are unlabelled.
    pub n_labels: LabelId,
}

/// Findings of exhaustive search. A pair is a configuration that is not terminal with a gold tree; a transition is a
/// pair with an action permitted in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Gold trees.
    pub trees: u64,
    /// Configurations reachable from the initial one, terminal ones included.
    pub configurations: u64,
    /// Configurations that are not terminal and permit nothing.
    pub stuck: u64,
    /// Pairs.
    pub pairs: u64,
    /// Transitions.
    pub transitions: u64,
    /// Transitions whose cost is not the loss they cause.
    pub mismatches: u64,
    /// Of these, those whose cost is too high.
    pub overestimates: u64,
    /// Of these, those in pairs where the gold tree can still be derived.
    pub reachable_mismatches: u64,
    /// Transitions that are claimed to be free and are not, or are free and claimed not to be.
    pub zero_set_errors: u64,
    /// Pairs in which no transition is claimed to be free.
    pub without_zero: u64,
    /// Pairs in which some transition of least claimed cost is not of least loss.
    pub suboptimal: u64,
    /// Of the zero-set errors, those in pairs where the gold tree can still be derived.
    pub reachable_zero_set_errors: u64,
    /// Gold trees that some derivation makes.
    pub derivable: u64,
    /// Gold trees that the static oracle derives.
    pub rebuilt: u64,
    /// Derivations of all gold trees.
    pub derivations: u64,
    /// The greatest number of derivations of one gold tree.
    pub max_derivations: u64,
    /// The greatest number of configurations after equally many transitions that all lead to one gold tree.
    pub max_abreast: u64,
    /// The first gold tree that some derivation makes and the static oracle does not.
    pub not_rebuilt: Option<Tree>,
    /// The first mismatch.
    pub counterexample: Option<Counterexample>,
}

/// A transition whose claimed cost is not the loss it causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The transitions of a shortest derivation of the configuration.
    pub path: Vec<Action>,
    /// The lists of the configuration.
    pub lists: Vec<Vec<Node>>,
    /// The arcs of the configuration.
    pub arcs: Tree,
    /// The gold tree.
    pub gold: Tree,
    /// The transition.
    pub action: Action,
    /// The cost that the oracle claims.
    pub claimed: u32,
    /// The loss it causes.
    pub loss: u32,
}

/// Checks the costs that `system`'s own oracle claims.
pub fn check<S: TransitionSystem>(system: &S, scope: Scope) -> Findings {
    check_costs(system, scope, |gold, c, point, permitted| system.costs(gold, c, point, permitted))
}

/// Checks the costs that the named system's own oracle claims.
pub fn check_named(kind: SystemKind, scope: Scope) -> Findings {
    check_oracle(kind, OracleKind::Dynamic, scope)
}

/// Checks the costs that this oracle of the named system claims, and the derivations of its static one.
pub fn check_oracle(kind: SystemKind, oracle: OracleKind, scope: Scope) -> Findings {
    with_system!(kind, scope.roots, oracle, |system| check(&system, scope))
}

/// Checks the unlabelled costs that `costs` claims; an arc of the gold tree with a wrong label costs 1 more.
pub fn check_costs<S: TransitionSystem>(
    system: &S,
    scope: Scope,
    costs: impl Fn(&Gold, &S::Plain, Point, MoveSet) -> MoveCosts + Sync,
) -> Findings {
    let golds = gold_trees(scope.n_words, scope.roots, scope.shape, scope.n_labels);
    match system.info().is_joint() {
        true => check_golds(system, scope, &with_all_tags(golds, scope), costs),
        false => check_golds(system, scope, &golds, costs),
    }
}

/// Each tree with all tags that its words may have.
fn with_all_tags(golds: Vec<Gold>, Scope { n_words, n_labels, .. }: Scope) -> Vec<Gold> {
    let tags = |of_all: LabelId| (0..n_words as u32).map(move |word| of_all / n_labels.pow(word) % n_labels);
    let with_tags = |gold: &Gold| {
        let gold = gold.clone();
        (0..n_labels.pow(n_words as u32)).map(move |of_all| gold.clone().with_tags(&tags(of_all).collect::<Vec<_>>()))
    };
    golds.iter().flat_map(with_tags).collect()
}

/// Checks the costs that `system`'s own oracle claims if arcs count by their labels.
pub fn check_weighted<S: TransitionSystem>(system: &S, scope: Scope, by_label: &[u32]) -> Findings {
    let golds = gold_trees(scope.n_words, scope.roots, scope.shape, scope.n_labels);
    let golds: Vec<Gold> = golds.into_iter().map(|gold| gold.weighted(by_label)).collect();
    check_golds(system, scope, &golds, |gold, c, point, permitted| system.costs(gold, c, point, permitted))
}

/// Checks the costs that `system`'s own oracle claims of every part of every gold tree: as if the heads of some words alone were known.
pub fn check_parts<S: TransitionSystem>(system: &S, scope: Scope) -> Findings {
    let golds: Vec<Gold> = parts(scope).collect();
    check_golds(system, scope, &golds, |gold, c, point, permitted| system.costs(gold, c, point, permitted))
}

/// Every part of every gold tree.
pub fn parts(scope: Scope) -> impl Iterator<Item = Gold> {
    let golds = gold_trees(scope.n_words, scope.roots, scope.shape, scope.n_labels).into_iter();
    golds.flat_map(move |gold| {
        let part = move |part: u32| gold.clone().counting(|word| part >> (word - 1) & 1 == 1);
        (0..1u32 << scope.n_words).map(part)
    })
}

fn check_golds<S: TransitionSystem>(
    system: &S,
    scope: Scope,
    golds: &[Gold],
    costs: impl Fn(&Gold, &S::Plain, Point, MoveSet) -> MoveCosts + Sync,
) -> Findings {
    let n_nodes = golds.first().map_or(scope.n_words, Gold::n_words);
    let space = Space::of(system, n_nodes, scope.n_labels);
    let ways = space.n_derivations();
    let of_space = Findings {
        configurations: space.len() as u64,
        stuck: space.numbers().filter(|&c| !space.is_terminal(c) && space.transitions(c).is_empty()).count() as u64,
        ..Findings::default()
    };
    check_all(golds, &|gold| check_gold(system, &space, &ways, gold, &costs)).and(of_space)
}

/// Findings for all trees together.
fn check_all(golds: &[Gold], of: &(dyn Fn(&Gold) -> Findings + Sync)) -> Findings {
    parallel::map(golds.len(), |number| of(&golds[number])).into_iter().fold(Findings::default(), Findings::and)
}

fn check_gold<S: TransitionSystem>(
    system: &S,
    space: &Space<S::Plain>,
    ways: &[u64],
    gold: &Gold,
    costs: impl Fn(&Gold, &S::Plain, Point, MoveSet) -> MoveCosts,
) -> Findings {
    let losses = space.losses(gold);
    let mut findings = Findings { trees: 1, derivable: u64::from(losses[0] == 0), ..Findings::default() };
    let everywhere = system.exactness() != Exactness::SoundOnItsWay;
    let most = if everywhere { u32::MAX } else { 1 };
    let mut on_the_way = vec![everywhere; space.len()];
    on_the_way[0] = true;
    let mut abreast = vec![0; system.max_derivation_len(gold.n_words()) + 1];
    for &c in &space.order {
        if losses[c] == 0 {
            abreast[space.steps[c]] += 1;
            findings.derivations += if space.is_terminal(c) { ways[c] } else { 0 };
        }
        if space.is_terminal(c) || !on_the_way[c] {
            continue;
        }
        let configuration = &space.configurations[c];
        let unlabelled: Vec<MoveCosts> = (space.permitted[c].iter().enumerate())
            .map(|(point, permitted)| costs(gold, configuration, point as Point, permitted.moves))
            .collect();
        let claims = space.transitions(c).iter().map(|&(action, to)| {
            let Action { mv, label, point } = action;
            let wrong_label = gold_label(system, gold, configuration, point, mv).is_some_and(|gold| gold != label);
            let cost = unlabelled[point as usize].get(mv).expect("permitted moves have costs");
            let weight = system.arc(configuration, point, mv).map_or(1, |(_, dependent)| gold.weight(dependent));
            let cost = cost + if wrong_label { weight } else { 0 };
            on_the_way[to] |= cost == 0;
            (action, cost, (losses[to] - losses[c]).min(most))
        });
        let claims: Vec<(Action, u32, u32)> = claims.collect();
        let claims = claims.iter().copied();
        findings.pairs += 1;
        let least = claims.clone().map(|(_, claimed, _)| claimed).min();
        findings.without_zero += u64::from(least != Some(0));
        findings.suboptimal += u64::from(claims.clone().any(|(_, claimed, loss)| Some(claimed) == least && loss > 0));
        for (action, claimed, loss) in claims {
            findings.transitions += 1;
            let zero_set_error = (claimed == 0) != (loss == 0);
            findings.zero_set_errors += u64::from(zero_set_error);
            findings.reachable_zero_set_errors += u64::from(zero_set_error && losses[c] == 0);
            if claimed != loss {
                findings.mismatches += 1;
                findings.overestimates += u64::from(claimed > loss);
                findings.reachable_mismatches += u64::from(losses[c] == 0);
                findings.counterexample.get_or_insert_with(|| Counterexample {
                    path: space.path(c),
                    lists: configuration.lists(),
                    arcs: configuration.tree(),
                    gold: gold.tree().clone(),
                    action,
                    claimed,
                    loss,
                });
            }
        }
    }
    findings.max_derivations = findings.derivations;
    findings.max_abreast = abreast.into_iter().max().unwrap_or(0);
    let canonical = Derivation::canonical::<S, S::Plain>(system, gold, ());
    findings.rebuilt = u64::from(canonical.is_some());
    findings.not_rebuilt = (canonical.is_none() && losses[0] == 0).then(|| gold.tree().clone());
    findings
}

impl Findings {
    /// Both findings together; the counterexample is the earlier one.
    fn and(self, other: Findings) -> Findings {
        Findings {
            trees: self.trees + other.trees,
            configurations: self.configurations + other.configurations,
            stuck: self.stuck + other.stuck,
            pairs: self.pairs + other.pairs,
            transitions: self.transitions + other.transitions,
            mismatches: self.mismatches + other.mismatches,
            overestimates: self.overestimates + other.overestimates,
            reachable_mismatches: self.reachable_mismatches + other.reachable_mismatches,
            zero_set_errors: self.zero_set_errors + other.zero_set_errors,
            without_zero: self.without_zero + other.without_zero,
            suboptimal: self.suboptimal + other.suboptimal,
            reachable_zero_set_errors: self.reachable_zero_set_errors + other.reachable_zero_set_errors,
            derivable: self.derivable + other.derivable,
            rebuilt: self.rebuilt + other.rebuilt,
            derivations: self.derivations + other.derivations,
            max_derivations: self.max_derivations.max(other.max_derivations),
            max_abreast: self.max_abreast.max(other.max_abreast),
            not_rebuilt: self.not_rebuilt.or(other.not_rebuilt),
            counterexample: self.counterexample.or(other.counterexample),
        }
    }
}
