//! Decoders against enumeration of all trees.

use std::collections::HashSet;

use super::decoders::{Decoders, GraphSearch};
use super::parser::GraphWorkspace;
use super::{ArcLabels, ArcScores, ArcSide, Chart, Filled, GraphKind, Heads, Order, Part, PartScores, Wanted, k_best};
use super::{eisner, matrix_tree};
use crate::decode::Parsed;
use crate::features::{Columns, Input, WordShape, mix};
use crate::linear::IntegerWeights;
use crate::model::Marginals;
use crate::random::{below, stream};
use crate::system::ActionId;
use crate::tree::{LabelId, NO_NODE, Node, ROOT, Roots, Tree, all_trees, is_projective, violations};
use crate::treebank::generate::{GeneratorOptions, sentences};
use crate::treebank::{Column, Format, Sentence};

const FIRST_ORDER: [GraphKind; 2] = [GraphKind::Eisner, GraphKind::Mst];

/// A sentence of these words and tags, and the columns that features read of it.
pub(super) fn input(words: &[(&str, &str)]) -> (Columns, Input) {
    let line =
        |(id, (form, tag)): (usize, &(&str, &str))| format!("{}\t{form}\t_\t{tag}\t_\t_\t{id}\tx\t_\t_\n", id + 1);
    let lines: String = words.iter().enumerate().map(line).collect();
    let sentence = Sentence::new("x", Format::Conllu, &lines).unwrap();
    let columns = columns(WordShape::AsWritten);
    let input = Input::new(&columns, &sentence);
    (columns, input)
}

/// Columns of forms and tags.
pub(super) fn columns(shape: WordShape) -> Columns {
    Columns::of_words_and_tags(Column::Form, shape, Column::Upos)
}

/// Random scores from `-range..=range`; small ranges make ties, and cycles in cycles.
fn random_scores(n_words: usize, range: u64, numbers: &[u64]) -> ArcScores {
    let mut stream = stream(1, "arc scores", numbers);
    let mut scores = ArcScores::default();
    scores.reset(n_words);
    for dependent in 0..=n_words as Node {
        for head in 0..=n_words as Node {
            scores.set(head, dependent, below(2 * range + 1, &mut stream) as i32 - range as i32);
        }
    }
    scores
}

fn is_in_class(kind: GraphKind, tree: &Tree) -> bool {
    !kind.is_projective() || is_projective(tree)
}

#[test]
fn decoders_find_what_enumeration_finds() {
    for kind in FIRST_ORDER {
        // One workspace for all sentences: what one leaves behind must not reach the next.
        let mut decoder = Decoders::default();
        for roots in [Roots::Single, Roots::Several] {
            for n in 1..=5 {
                let trees: Vec<Tree> = all_trees(n, roots).filter(|tree| is_in_class(kind, tree)).collect();
                for (range, n_matrices) in [(2, 150), (50, 150), (1 << 28, 50)] {
                    for matrix in 0..n_matrices {
                        let scores = random_scores(n, range, &[n as u64, range, matrix]);
                        let highest = trees.iter().map(|tree| scores.of_tree(tree.heads())).max();
                        let heads = decoder.best(kind, roots, &scores).to_vec();
                        assert_eq!(violations(&heads, roots), [], "{kind} {scores:?}");
                        assert!(is_in_class(kind, &Tree::new(&heads, &vec![0; n])), "{kind} {scores:?}: {heads:?}");
                        assert_eq!(Some(scores.of_tree(&heads)), highest, "{kind} {roots:?} {scores:?}: {heads:?}");
                    }
                }
            }
        }
    }
}

/// Sums over all trees of a kind, and over the heads of each word, which are 1.
#[test]
fn marginals_are_those_of_enumeration() {
    let kinds =
        [GraphKind::Eisner, GraphKind::Mst].map(|kind| [Roots::Single, Roots::Several].map(|roots| (kind, roots)));
    for (kind, roots) in kinds.into_iter().flatten() {
        let marginals = if kind.is_projective() { eisner::marginals } else { matrix_tree::marginals };
        for n in 1..=5 {
            let trees: Vec<Tree> = all_trees(n, roots).filter(|tree| is_in_class(kind, tree)).collect();
            let ranges = [(2, 1.0), (2, 0.1), (50, 3.0), (50, 40.0), (1 << 28, 1e8), (1 << 28, 1e6)];
            // Further down scores of trees that need not be projective count as equal.
            for (range, temperature) in ranges.into_iter().chain(kind.is_projective().then_some((1 << 28, 1e3))) {
                for matrix in 0..20 {
                    let scores = random_scores(n, range, &[n as u64, range, matrix]);
                    let found = marginals(&scores, roots, temperature);
                    let highest = trees.iter().map(|tree| scores.of_tree(tree.heads())).max().unwrap();
                    let weight = |tree: &Tree| ((scores.of_tree(tree.heads()) - highest) as f64 / temperature).exp();
                    let all: f64 = trees.iter().map(weight).sum();
                    for word in 1..=n as Node {
                        let of = |head: Node| found[scores.place(head, word)];
                        for head in (0..=n as Node).filter(|&head| head != word) {
                            let with_arc = trees.iter().filter(|tree| tree.head(word) == head);
                            let expected = with_arc.map(weight).sum::<f64>() / all;
                            assert!((of(head) - expected).abs() < 1e-5, "{head} → {word}: {} {expected}", of(head));
                        }
                        assert!(((0..=n as Node).map(of).sum::<f64>() - 1.0).abs() < 1e-5);
                    }
                }
            }
        }
    }
}

/// Words that prefer each other in a cycle by more than the digits of a number can hold: it is opened once, at the root.
#[test]
fn marginals_of_cycles_lose_nothing() {
    for n in [2, 3, 8, 40] {
        let next = |word: Node| if usize::from(word) == n { 1 } else { word + 1 };
        for preference in [60, 250] {
            let mut scores = random_scores(n, 2, &[n as u64, preference]);
            (1..=n as Node).for_each(|word| scores.set(next(word), word, preference as i32));
            let weight = |word: Node| f64::from(scores.get(ROOT, word)).exp();
            let all: f64 = (1..=n as Node).map(weight).sum();
            for roots in [Roots::Single, Roots::Several] {
                let found = matrix_tree::marginals(&scores, roots, 1.0);
                for word in 1..=n as Node {
                    let [of_root, of_next] = [ROOT, next(word)].map(|head| found[scores.place(head, word)]);
                    assert!((of_root - weight(word) / all).abs() < 1e-9, "{n} {preference} {roots:?}: {of_root}");
                    assert!((of_root + of_next - 1.0).abs() < 1e-9, "{n} {preference} {roots:?}: {of_next}");
                }
            }
        }
    }
}

/// Each of several trees has confidences in its own arcs; those in labels depend on their arcs alone.
#[test]
fn labels_are_shares_of_their_arcs() {
    let (n, n_labels, temperature) = (4, 3, 0.8);
    for roots in [Roots::Single, Roots::Several] {
        let scores = Hashed { seed: 3, range: 5, n_labels };
        let mut arcs = ArcScores::default();
        arcs.reset(n);
        for dependent in 1..=n as Node {
            (0..=n as Node).for_each(|head| arcs.set(head, dependent, scores.best(Part::arc(head, dependent)) as i32));
        }
        let columns = columns(WordShape::Normalised);
        let (kind, inventory) = (GraphKind::Eisner, ArcLabels::new(n_labels.into(), []));
        let of_heads = eisner::marginals(&arcs, roots, 2.0);
        let calibration = Some(Marginals::of_temperatures(2.0, temperature));
        let search = GraphSearch { kind, roots, columns: &columns, inventory: &inventory, marginals: calibration };
        let of_arc = |head, dependent, labels: &mut Vec<_>| {
            labels.extend((0..n_labels).map(|label| (scores.of(Part::arc(head, dependent), label), label)));
        };
        for Parsed { tree, confidences, .. } in Decoders::default().k_best(search, &arcs, of_arc, 50) {
            for (word, found) in tree.words().zip(confidences) {
                let part = Part::arc(tree.head(word), word);
                let weight = |label| ((scores.of(part, label) - scores.best(part)) as f64 / temperature).exp();
                let expected = weight(tree.label(word)) / (0..n_labels).map(weight).sum::<f64>();
                assert!((found.label - expected).abs() < 1e-5, "{found:?} {expected}");
                assert_eq!(found.head, f64::min(of_heads[arcs.place(part.head, word)], 1.0));
            }
        }
    }
}

/// Beyond what can be enumerated: trees are trees, no projective one beats the best of all, and words that prefer
/// each other in nested cycles do not confuse the opening.
#[test]
fn longer_sentences_have_trees_and_projectivity_costs() {
    let mut decoder = Decoders::default();
    for roots in [Roots::Single, Roots::Several] {
        for matrix in 0..60 {
            let n = 10 + matrix as usize;
            let mut scores = random_scores(n, 1000, &[99, matrix]);
            for dependent in 1..=n as Node {
                // Neighbours in blocks of 2, 4, 8 ... attract each other.
                for head in 1..=n as Node {
                    let level = 16 - (head ^ dependent).leading_zeros() as i32;
                    scores.set(head, dependent, scores.get(head, dependent) + 4000 / (1 + level));
                }
            }
            let [projective, any] =
                [GraphKind::Eisner, GraphKind::Mst].map(|kind| decoder.best(kind, roots, &scores).to_vec());
            for heads in [&projective, &any] {
                assert_eq!(violations(heads, roots), []);
            }
            assert!(is_projective(&Tree::new(&projective, &vec![0; n])));
            assert!(scores.of_tree(&any) >= scores.of_tree(&projective));
            // No change of a single head to another makes a better tree.
            for dependent in 1..=n {
                for head in 0..=n as Node {
                    let mut changed = any.clone();
                    changed[dependent - 1] = head;
                    if violations(&changed, roots).is_empty() {
                        assert!(scores.of_tree(&changed) <= scores.of_tree(&any));
                    }
                }
            }
        }
    }
}

/// "John saw Mary" with the scores and the two trees of McDonald, Pereira, Ribarov & Hajič (2005, section 2.2.1): greedy heads
/// close the cycle John, saw; the best tree is root → saw, saw → John, saw → Mary, with 10 + 30 + 30.
#[test]
fn john_saw_mary() {
    let mut scores = ArcScores::default();
    scores.reset(3);
    let arcs = [(0, 1, 9), (0, 2, 10), (0, 3, 9), (1, 2, 20), (1, 3, 3), (2, 1, 30), (2, 3, 30), (3, 1, 11), (3, 2, 0)];
    for (head, dependent, score) in arcs {
        scores.set(head, dependent, score);
    }
    for kind in FIRST_ORDER {
        let heads = Decoders::default().best(kind, Roots::Single, &scores).to_vec();
        assert_eq!((heads.as_slice(), scores.of_tree(&heads)), (&[2, 0, 2][..], 70), "{kind}");
    }
}

/// Scores of parts with each of two or three labels, by hashing; small ranges make ties.
struct Hashed {
    seed: u64,
    range: i64,
    n_labels: LabelId,
}

impl Hashed {
    fn of(&self, part: Part, label: LabelId) -> i64 {
        let Part { grandparent, head, sibling, dependent } = part;
        let atoms = [grandparent, head, sibling, dependent, label];
        let hash =
            atoms.iter().fold(self.seed, |hash, &atom| mix(hash.wrapping_mul(0x9e37_79b9).wrapping_add(atom.into())));
        (hash % (2 * self.range as u64 + 1)) as i64 - self.range
    }

    fn best(&self, part: Part) -> i64 {
        (0..self.n_labels).map(|label| self.of(part, label)).max().unwrap()
    }
}

impl PartScores for Hashed {
    fn score(&mut self, (head, dependent): (Node, Node), grandparents: &[Node], wanted: Wanted, scores: &mut [i32]) {
        let siblings: Vec<Node> =
            std::iter::once(NO_NODE).chain(head.min(dependent) + 1..head.max(dependent)).collect();
        assert_eq!(siblings.len(), wanted.siblings.len());
        for (slot, &grandparent) in grandparents.iter().enumerate().filter(|&(slot, _)| wanted.grandparents[slot]) {
            for (column, &sibling) in siblings.iter().enumerate().filter(|&(column, _)| wanted.siblings[column]) {
                let part = Part { grandparent, head, sibling, dependent };
                scores[slot * siblings.len() + column] = self.best(part) as i32;
            }
        }
    }

    fn labels(&mut self, part: Part, labels: &mut Vec<(i64, LabelId)>) {
        labels.extend((0..self.n_labels).map(|label| (self.of(part, label), label)));
    }
}

/// The scores of all trees with all labels, the highest first; `score` is that of a part with a label.
fn all_scores<'t>(
    trees: impl Iterator<Item = &'t Tree>,
    order: Order,
    n_labels: LabelId,
    score: impl Fn(Part, LabelId) -> Option<i64>,
) -> Vec<i64> {
    let mut all = Vec::new();
    for tree in trees {
        let mut sums = vec![0];
        for word in tree.words() {
            let part = Part::of(tree.heads(), word, order);
            let with_label =
                |sum: i64| (0..n_labels).filter_map(|label| Some(sum + score(part, label)?)).collect::<Vec<_>>();
            sums = sums.into_iter().flat_map(with_label).collect();
        }
        all.extend(sums);
    }
    all.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
    all
}

/// The trees found are different, each has the score that it is said to have, and there are none better.
fn check(found: &[Parsed], all: &[i64], k: usize, order: Order, score: impl Fn(Part, LabelId) -> Option<i64>) {
    let scores: Vec<i64> = found.iter().map(|parsed| parsed.score).collect();
    assert_eq!(scores, all[..k.min(all.len())]);
    for Parsed { tree, score: known, .. } in found {
        let of_word = |word: Node| score(Part::of(tree.heads(), word, order), tree.label(word)).unwrap();
        assert_eq!(tree.words().map(of_word).sum::<i64>(), *known);
    }
    let different: HashSet<(&[Node], &[LabelId])> =
        found.iter().map(|it| (it.tree.heads(), it.tree.labels())).collect();
    assert_eq!(different.len(), found.len());
}

/// The parsers of a kind with these scores.
fn find(kind: GraphKind, n: usize, roots: Roots, scores: &mut Hashed, k: usize) -> Vec<Parsed> {
    let order = kind.order();
    if order > Order::First {
        let (mut chart, mut heads) = (Chart::new(order), Heads::default());
        heads.all(n);
        chart.fill(n, roots, &heads, scores);
        return k_best(&mut Filled { chart: &mut chart, scores }, n, k);
    }
    let mut arcs = ArcScores::default();
    arcs.reset(n);
    for dependent in 1..=n as Node {
        (0..=n as Node).for_each(|head| arcs.set(head, dependent, scores.best(Part::arc(head, dependent)) as i32));
    }
    let (columns, inventory) = (columns(WordShape::Normalised), ArcLabels::new(scores.n_labels.into(), []));
    let labels = |head, dependent, labels: &mut Vec<_>| scores.labels(Part::arc(head, dependent), labels);
    let search = GraphSearch { kind, roots, columns: &columns, inventory: &inventory, marginals: None };
    Decoders::default().k_best(search, &arcs, labels, k)
}

#[test]
fn the_k_best_trees_are_those_of_enumeration() {
    for kind in GraphKind::LINEAR {
        for roots in [Roots::Single, Roots::Several] {
            for n in 1..=5 {
                let trees: Vec<Tree> = all_trees(n, roots).filter(|tree| is_in_class(kind, tree)).collect();
                // More trees are asked for than a short sentence has.
                let (n_labels, ks) = if n < 4 { (3, vec![1, 7, 100_000]) } else { (2, vec![1, 60]) };
                for (range, n_seeds) in [(1, 8), (1 << 20, 8)] {
                    for seed in 0..n_seeds {
                        let mut scores = Hashed { seed, range, n_labels };
                        let score = |part, label| Some(Hashed { seed, range, n_labels }.of(part, label));
                        let all = all_scores(trees.iter(), kind.order(), n_labels, score);
                        for &k in &ks {
                            let found = find(kind, n, roots, &mut scores, k);
                            check(&found, &all, k, kind.order(), score);
                            assert!(found.iter().all(|found| violations(found.tree.heads(), roots).is_empty()));
                        }
                    }
                }
            }
        }
    }
}

/// With some heads left out, the best of the trees that are left.
#[test]
fn charts_over_some_heads_find_the_best_of_their_trees() {
    let (mut heads, mut n_less) = (Heads::default(), 0);
    for order in [Order::Second, Order::Third] {
        for roots in [Roots::Single, Roots::Several] {
            for n in 2..=5 {
                let trees: Vec<Tree> = all_trees(n, roots).filter(is_projective).collect();
                for seed in 0..30 {
                    let own = &trees[seed as usize * 7 % trees.len()];
                    let arcs = random_scores(n, 50, &[n as u64, seed]);
                    let most = 1 + seed as usize % 3;
                    heads.best(&arcs, own.heads(), most);
                    let is_candidate = |head: Node, word: Node| {
                        let better = (0..=n as Node).filter(|&other| {
                            let key = |head: Node| (std::cmp::Reverse(arcs.get(head, word)), head);
                            other != word && key(other) < key(head)
                        });
                        head == own.head(word) || better.count() < most
                    };
                    let has_candidates = |tree: &&Tree| tree.words().all(|word| is_candidate(tree.head(word), word));
                    let mut scores = Hashed { seed, range: 1000, n_labels: 2 };
                    let score = |part, label| Some(Hashed { seed, range: 1000, n_labels: 2 }.of(part, label));
                    let all = all_scores(trees.iter().filter(has_candidates), order, 2, score);
                    n_less += usize::from(all.len() < trees.len() << n);
                    let mut chart = Chart::new(order);
                    chart.fill(n, roots, &heads, &mut scores);
                    let found = k_best(&mut Filled { chart: &mut chart, scores: &mut scores }, n, 20);
                    check(&found, &all, 20, order, score);
                }
            }
        }
    }
    assert!(n_less > 200, "{n_less}");
}

/// Words to trees: with random weights, the k best trees are those with the largest sums of their features' weights.
#[test]
fn parsers_find_what_enumeration_of_features_finds() {
    let columns = columns(WordShape::Normalised);
    let inventory = ArcLabels::new(
        3,
        [(ArcSide::Root, 0), (ArcSide::Left, 1), (ArcSide::Left, 2), (ArcSide::Right, 1), (ArcSide::Right, 0)],
    );
    let may_bear =
        |part: Part, label| inventory.permitted(ArcSide::of(part.head, part.dependent)).any(|it| it == label);
    let mut workspaces = GraphKind::LINEAR.map(|kind| (kind, GraphWorkspace::default()));
    let mut n_sentences = 0;
    for sentence in sentences(GeneratorOptions { seed: 7, n_sentences: 400, non_projective: false })
        .filter(|s| s.n_words() <= 4)
        .take(8)
    {
        n_sentences += 1;
        let input = Input::new(&columns, &sentence);
        for (kind, workspace) in &mut workspaces {
            for roots in [Roots::Single, Roots::Several] {
                let mut stream = stream(5, "weights", &[n_sentences]);
                let mut weights = IntegerWeights::new(inventory.width());
                let search =
                    GraphSearch { kind: *kind, roots, columns: &columns, inventory: &inventory, marginals: None };
                // The search makes the workspace ready for extraction.
                workspace.k_best(search, &weights, (&input, None), 1);
                let trees: Vec<Tree> =
                    all_trees(input.n_words(), roots).filter(|tree| is_in_class(*kind, tree)).collect();
                let parts: HashSet<Part> = trees
                    .iter()
                    .flat_map(|tree| tree.words().map(|word| Part::of(tree.heads(), word, kind.order())))
                    .collect();
                let mut parts: Vec<Part> = parts.into_iter().collect();
                parts.sort_by_key(|part| (part.grandparent, part.head, part.sibling, part.dependent));
                let extract = |workspace: &GraphWorkspace, part| {
                    let (mut features, mut of_arc_alone) = (Vec::new(), Vec::new());
                    workspace.scorer.extract(kind.order(), part, &mut features, &mut of_arc_alone);
                    (features, of_arc_alone)
                };
                for &part in &parts {
                    let (features, of_arc_alone) = extract(workspace, part);
                    for feature in features.into_iter().chain(of_arc_alone) {
                        // Labels' weights of features that are for the arc alone must make no difference.
                        for output in 0..4 {
                            weights.update(feature, output as ActionId, below(41, &mut stream) as i32 - 20);
                        }
                    }
                }
                let score = |workspace: &GraphWorkspace, part: Part, label: LabelId| {
                    let (features, of_arc_alone) = extract(workspace, part);
                    let arc = features
                        .iter()
                        .chain(&of_arc_alone)
                        .map(|&f| i64::from(weights.get(f, ArcLabels::ARC)))
                        .sum::<i64>();
                    let labelled =
                        features.iter().map(|&f| i64::from(weights.get(f, ArcLabels::output(label)))).sum::<i64>();
                    may_bear(part, label).then_some(arc + labelled)
                };
                let found = workspace.k_best(search, &weights, (&input, None), 30);
                let all = all_scores(trees.iter(), kind.order(), 3, |part, label| score(workspace, part, label));
                check(&found, &all, 30, kind.order(), |part, label| score(workspace, part, label));
            }
        }
    }
    assert_eq!(n_sentences, 8);
}
