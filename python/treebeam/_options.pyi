# Made by `make reference` from the program's options: do not edit.
from os import PathLike
from typing import Literal, TypedDict, Union

class TrainOptions(TypedDict, total=False):
    """The options of `treebeam train`, with underscores; what is None is not given."""

    system: Union[Literal["arc-standard", "arc-eager", "arc-eager-nonmonotonic", "arc-eager-repair", "arc-eager-start", "arc-eager-unshift", "arc-eager-zpar", "arc-hybrid", "arc-hybrid-rootless", "arc-hybrid-swap", "attardi", "covington", "covington-nonlocal", "covington-nonmonotonic", "easy-first", "swap", "tagger", "2-planar", "eisner", "eisner-2", "eisner-3", "mst", "biaffine", "biaffine-projective", "arc-standard+tags", "arc-eager+tags", "arc-eager-nonmonotonic+tags", "arc-eager-repair+tags", "arc-eager-start+tags", "arc-eager-unshift+tags", "arc-eager-zpar+tags", "arc-hybrid+tags", "arc-hybrid-swap+tags", "attardi+tags", "swap+tags"], None]
    """The transition system, or a graph-based parser. Default: `arc-eager`. Other defaults follow it: the feature set, the oracle, the update; with `biaffine` `--learner adam`, `--iterations 12` or, where that would be less than 18,000 mini-batches, as many as it takes, at most 60, `--batch 8`, `--dropout 0.33`, `--rate 0.001` and `--average-from 0`"""

    scorer: Union[Literal["linear", "feed-forward", "bilstm", "stack-lstm"], None]
    """Scorer: weights of sparse features, or a network over embeddings, for which the feature set does not matter. Default: `linear`. Defaults differ with networks: `--learner adam`, `--batch 8`, `--replicas 1`, `--average-from 0`, and `--training greedy` unless an option is given that only global training has, such as `--init` or `--beam`; with `--training greedy` or `l2s` `--objective softmax`, `--dropout 0.3`, and `--iterations 8` (bilstm and stack-lstm: 12) or, where that would be less than 12,000 (18,000) mini-batches, as many as it takes, at most 60; with `--training global` `--objective crf` (`--search exact`: `loss-augmented`; `--merge` or `--layers output`: `perceptron`), `--update early` and `--iterations 3`. A stack-lstm reads no `--places`; systems without a linked stack show it the next four words on each side"""

    joint_tags: Union[bool, None]
    """Systems over one stack and a buffer: tag words in the same derivation, in place of reading their tags. Each word gets its tag, a value of `--tag-column`, as it becomes the first of the buffer; features read tags of words that have one. Parsing fills the column, too"""

    features: Union[str, PathLike[str], None]
    """A built-in feature set (see `treebeam features list`), the path of a .feat file, or several of these with + between them. Default: the system's own: `zn11` for arc-eager's systems, `stack` for the others with one stack, `covington` for Covington's and 2-planar, and `easy-first`"""

    training: Union[Literal["greedy", "global", "l2s"], None]
    """Greedy: one decision at a time. Global: whole derivations in a beam. L2s: learning to search. Default: `global`; networks: `greedy`, unless an option is given that only global training has"""

    learner: Union[Literal["perceptron", "mira", "sgd", "sgd-plus", "adagrad", "ftrl", "svm", "nn", "adam", "momentum"], None]
    """Learner: turns gradients of the objective into changes of the weights. Graph-based: how far an update goes, `perceptron` or `mira`. Default: `perceptron`; global with `--objective crf` or `softmax-margin`: `adagrad`; networks: `adam`, which also take `adagrad` and `momentum`; graph-based: `mira`; biaffine: `adam`, and no other"""

    aggressiveness: Union[float, None]
    """Graph-based, with `--learner mira`: the longest step. Default: `1`. Range: a number above 0 and at most 1000"""

    objective: Union[Literal["regression", "multiclass", "softmax", "hinge", "perceptron", "loss-augmented", "crf", "softmax-margin"], None]
    """Loss that training minimises: global `perceptron`, `loss-augmented`, `crf` or `softmax-margin`, else the others and `softmax-margin`. Default: global `perceptron`, mira: `loss-augmented`; else `regression`; adagrad: `softmax`; mira and svm: `hinge`; perceptron: `perceptron`"""

    rate: Union[float, None]
    """The learner's rate: η, of ftrl α, of mira and svm C. Default: sgd and sgd-plus 0.5, adagrad and svm 0.1, ftrl 0.005, mira 1; adam 0.001, in global training 0.0003; if that begins with `--init`, less in proportion where mini-batches have fewer than 8 sentences because data are few. Range: a number above 0 and at most 1000000"""

    l2: Union[float, None]
    """With `--learner sgd`, λ: half of so many times the squared norm of the weights is added to the loss. Default: `0`. Range: a number from 0 to 1000000"""

    loss_weight: Union[float, None]
    """Global, with `--objective loss-augmented` or `softmax-margin`: how much a loss of 1 adds to a score. Default: `1`. Range: a number above 0 and at most 1000"""

    dropout: Union[float, None]
    """The probability with which each feature of a configuration is left out of its example; networks: each hidden unit. Default: `0`; networks trained on single decisions: `0.3`; biaffine: `0.33`. Range: a number from 0 to below 1"""

    min_count: Union[int, None]
    """Leave out features that come fewer times in the first pass. Default: `1`; nn: `2`. Range: a whole number from 1 to 255"""

    min_gradient: Union[float, None]
    """A weight begins with a gradient of at least this size, and takes no memory before. Smaller gradients change only weights that have begun. For training on single decisions with `--objective softmax` or `softmax-margin`, where every option has a part of each gradient and most parts are tiny; not for sgd-plus and nn. Default: `0.02` where it is allowed, else `0`. Range: a number from 0 to 1"""

    hidden: Union[int, None]
    """With `--learner nn`: hidden units for each action, at most 32 for one decision; networks: hidden units. Default: `5`; networks: `200`. Range: a whole number from 1 to 4,096"""

    activation: Union[Literal["relu", "cube", "tanh"], None]
    """Networks: what hidden units make of their sums. Default: `relu`"""

    places: Union[str, PathLike[str], None]
    """Networks: what is read of a configuration: the name of a built-in set (see `treebeam features list`), or the path of a .feat file that begins with `network`. Default: `full`; bilstm: `extended`"""

    word_units: Union[int, None]
    """Networks: the numbers in an embedding of a word. Default: `64`; with `--vectors` as many as these have. Range: a whole number from 1 to 4,096"""

    vectors: Union[str, PathLike[str], None]
    """Networks: word vectors to begin with, in word2vec's text form, with or without its head line, in its binary form if the name ends in `.bin`, or in finalfusion's; `.gz` and `.zst` are unpacked. Words that only the file has are known to the model, too. Not with `--init`. Default: random embeddings"""

    lstm_layers: Union[int, None]
    """With `--scorer bilstm` or `--system biaffine`: layers of the encoder; `stack-lstm`: of each of the three. Default: `2`. Range: a whole number from 1 to 8"""

    lstm_units: Union[int, None]
    """With `--scorer bilstm` or `--system biaffine`: the numbers that each direction of a layer gives on; `stack-lstm`: that a layer does, and those in a vector of a token or a tree. Default: `128`. Range: a whole number from 1 to 4,096"""

    arc_units: Union[int, None]
    """With `--system biaffine`: units of a head, and of a dependent, that arcs are scored by. Default: `200`. Range: a whole number from 1 to 4,096"""

    label_units: Union[int, None]
    """With `--system biaffine`: the same for labels. Default: `64`. Range: a whole number from 1 to 4,096"""

    init: Union[str, PathLike[str], None]
    """The model to go on from, with the same system. A network was trained on the same data, and keeps its vocabulary and its layout. A linear model of the perceptron has the same features; its weights and their average go on, also on other data, whose labels and words are added. Default: random parameters, or no weights"""

    layers: Union[Literal["all", "output"], None]
    """Networks: which layers learn. `output` begins with a model that has learned the others (`--init`); with `--training global` `--objective perceptron` is its default, and `--learner perceptron` takes steps of one length (`--rate`, 0.003) and keeps the average of all. Default: `all`"""

    nn_update: Union[Literal["perceptron", "mira", "sgd", "sgd-plus", "adagrad", "ftrl", "svm", "nn", "adam", "momentum"], None]
    """With `--learner nn`: how its layers learn, `sgd-plus` or `ftrl`. Default: `ftrl`"""

    decisions: Union[Literal["joint", "separate"], None]
    """Decide on moves and labels together, or in stages. Default: `joint`"""

    preset: Union[Literal["dagger", "searn", "aggrevate", "lols", "l2s"], None]
    """The algorithm; sets roll-in and roll-out, which may be overridden. Default: `l2s`"""

    roll_in: Union[Literal["reference", "learned", "mixture", "mix-per-roll", "reference-first"], None]
    """Roll-in policy: reaches the configurations that are learned from. Global: `learned` explores, so that beams start somewhere in the model's own derivation, as often as `--explore-from` and `--explore-prob` say. Default: `mix-per-roll`; global: `reference`"""

    roll_out: Union[Literal["reference", "learned", "mixture", "none"], None]
    """Roll-out policy: completes a derivation to estimate the cost of an action. Default: `reference`"""

    alpha: Union[float, None]
    """In mixtures the learned policy has probability 1 − (1 − alpha)^t after t examples. Default: `0.00001`. Range: a number above 0 and below 1"""

    reference_share: Union[float, None]
    """With `--roll-out mixture`: how often the reference rolls out. Default: lols `0.5`, else by `--alpha`. Range: a number from 0 to 1"""

    run_reference: Union[bool, None]
    """Run the reference's roll-outs even where the oracle gives their losses; the result is the same if the oracle is exact"""

    oracle: Union[Literal["static", "lazy", "non-deterministic", "dynamic", "monotonic-first", "lower", "pc-upper", "upper"], None]
    """The gold side: the canonical derivation, or every correct action. Default: the system's own, mostly `dynamic`. arc-eager-nonmonotonic has `monotonic-first`; swap `non-deterministic`, and globally `lazy`; covington-nonmonotonic `upper`, and like covington and 2-planar globally `static`"""

    clusters: Union[str, PathLike[str], None]
    """A file of clusters of words, which features read as `.c4`, `.c6` and `.c`, such as those of `--features zn11+clusters`: a path of 0 and 1 and a word a line, with a tab between them, as programs for Brown clusters write them. The model keeps them"""

    arc_weights: Union[str, PathLike[str], None]
    """A file of what arcs count in the costs of the dynamic oracle and in losses: a label and a whole number a line, with a tab between them. For arc-hybrid and easy-first, and with `--roots several` arc-eager, arc-eager-start and arc-eager-zpar. Default: each counts 1"""

    unpermitted: Union[bool, None]
    """Greedy, with a static oracle and `--objective perceptron`: actions that are not permitted compete in predictions, too, as where a classifier knows nothing of configurations. Parsing takes none of them"""

    initial_weights: Union[str, PathLike[str], None]
    """Greedy, with a linear model: a file of weights to begin with, a feature, an action and a weight a line, with tabs between them. The model has no other features: for small sets, as in examples that are worked by hand. Default: every weight is 0"""

    correct: Union[Literal["best-scored", "canonical", "random", "all"], None]
    """Greedy, with an oracle that is not static: which of several correct transitions is reinforced, and followed where the prediction is wrong; `all` not with `--learner mira` or `--objective multiclass`. Default: `canonical` for perceptrons of arc-standard; otherwise what the objective does: `perceptron` and `hinge` `best-scored`; `softmax`, `softmax-margin` and `regression` `all`; `multiclass` the first that makes a gold arc"""

    explore_from: Union[int, None]
    """Greedy with a dynamic oracle, or global with `--roll-in learned`: explore after this many iterations (k of Goldberg & Nivre 2013). Default: `1`. Range: a whole number from 0 to 1,000,000"""

    explore_prob: Union[float, None]
    """Greedy with a dynamic oracle: the probability of following a wrong prediction (p); global with `--roll-in learned`: of starting a sentence's beam in the model's own derivation, at a step drawn from all. Default: `0.9`. Range: a number from 0 to 1"""

    explore_power: Union[float, None]
    """Greedy with a dynamic oracle and `--objective softmax` or `softmax-margin`: with the probability of `--explore-prob` the transition that is followed, right or wrong, is drawn from the model's probabilities, each to this power (Ballesteros et al. 2016, who draw always, with 0.75); 0 is any transition. Default: the best-scored transition. Range: a number from 0 to 100"""

    pretrain: Union[int, None]
    """Global: so many of the iterations, the first ones, train greedily, with exploration if there is a dynamic oracle; averages begin after them. For linear models; networks go on from a model (`--init`). Default: `0`. Range: a whole number from 0 to 1,000,000"""

    update: Union[Literal["early", "standard", "max-violation", "latest", "hybrid", "laso", "restart", "restart-early"], None]
    """Global: where in the derivation to update. Default: `max-violation`; swap, arc-hybrid-swap, covington and covington-nonmonotonic: `laso`; with `--objective crf` or `softmax-margin`: `early`; with `--search exact`: `standard`"""

    restart_from: Union[Literal["best", "beam"], None]
    """With `--update restart` or `restart-early`: the items of the beam that both beams start again from. Default: `best`"""

    search: Union[Literal["beam", "exact"], None]
    """Global: in a beam, or exactly, by tabulation, with features that read words by position only such as `minimal`, or a network that does (`--places minimal`), whose objective then is `loss-augmented`; in training and, unless parsing is asked for another, in parsing. Default: `beam`"""

    beam: Union[int, None]
    """Global: the width of the beam, in training and, unless parsing is asked for another, in parsing. Default: `8`. Range: a whole number from 1 to 4,096"""

    merge: Union[bool, None]
    """Global: let items of a beam that look the same to all features become one, in training and, unless parsing is asked for something else, in parsing; for arc-standard, arc-hybrid and arc-eager, with `--objective perceptron`, networks too, but for stack-lstm. Default: `false`"""

    iterations: Union[int, Literal["plateau"], None]
    """Passes over the training data, or `plateau`: until the labelled attachment score on the development data has not risen for as long as `--patience` says. Default: 15; graph-based: 10; networks: see `--scorer`. Range: a whole number from 1 to 1,000,000 or `plateau`"""

    patience: Union[int, None]
    """With `--iterations plateau`: stop after so many iterations without a better score. Default: `5`. Range: a whole number from 1 to 1,000,000"""

    max_iterations: Union[int, None]
    """With `--iterations plateau`: the most iterations. Default: `100`. Range: a whole number from 1 to 1,000,000"""

    average_from: Union[int, None]
    """Leave the first iterations out of the average, if there are more: they are far from where learning ends. Default: `3`; graph-based: `1`; networks, and with `--init`: `0`. Range: a whole number from 0 to 1,000,000"""

    replicas: Union[int, None]
    """Train so many times, each time in another random order, and add up the averages: linear models vote so. Default: `4`; networks and `--learner nn` or `svm`: `1`. Range: a whole number from 1 to 1,000"""

    seed: Union[int, None]
    """The seed of shuffling and exploration. Default: `1`. Range: a whole number from 0 to 18,446,744,073,709,551,615"""

    batch: Union[int, None]
    """Sentences whose updates are made together, in parallel with `--threads`. Networks: fewer if a pass over the data would have less than 256 mini-batches. Default: `1`; networks: `8`. Range: a whole number from 1 to 1,048,576"""

    nonprojective: Union[Literal["drop", "min-cost", "lift"], None]
    """Non-projective training trees: leave them out, follow actions of least cost (Eisner's algorithm: learn the projective tree that shares most arcs with the gold tree), or lift them. Default: `min-cost`"""

    lift: Union[Literal["head", "path", "head+path"], None]
    """With `--nonprojective lift`: what labels remember of lifts. Default: `head`"""

    roots: Union[Literal["single", "several"], None]
    """Number of words that may hang on the root. Default: `single`; 2-planar: `several`, which is all it has"""

    word_column: Union[Literal["form", "lemma", "upos", "xpos", "feats"], None]
    """The column that .w atoms read. Default: `form`"""

    word_shape: Union[Literal["as-written", "normalised"], None]
    """Read words as they are written, or in lower case with digits made equal. Default: `normalised`"""

    tag_column: Union[Literal["form", "lemma", "upos", "xpos", "feats"], None]
    """The column that .p atoms read. Default: `upos`"""

    keep: Union[Literal["best", "last"], None]
    """The weights to keep: of the iteration that is best on the development data, or of the last. Default: `best`"""
