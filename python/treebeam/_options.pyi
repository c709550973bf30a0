# Made by `make reference` from the program's options: do not edit.
from os import PathLike
from typing import Literal, TypedDict, Union

class TrainOptions(TypedDict, total=False):
    """The options of `treebeam train`, with underscores; what is None is not given."""

    system: Union[Literal["arc-standard", "arc-eager", "arc-eager-nonmonotonic", "arc-eager-repair", "arc-eager-start", "arc-eager-unshift", "arc-eager-zpar", "arc-hybrid", "arc-hybrid-rootless", "arc-hybrid-swap", "attardi", "covington", "covington-nonlocal", "covington-nonmonotonic", "easy-first", "swap", "tagger", "2-planar", "eisner", "eisner-2", "eisner-3", "mst", "biaffine", "biaffine-projective", "arc-standard+tags", "arc-eager+tags", "arc-eager-nonmonotonic+tags", "arc-eager-repair+tags", "arc-eager-start+tags", "arc-eager-unshift+tags", "arc-eager-zpar+tags", "arc-hybrid+tags", "arc-hybrid-swap+tags", "attardi+tags", "swap+tags"], None]
    """Transition system or graph-based parser; other defaults follow it. Default: `arc-eager`. Defaults of `biaffine`: `--learner adam`, `--batch 8`, `--dropout 0.33`, `--rate 0.001`, `--average-from 0`, and `--iterations 12` or, with little data, as many as make 18,000 mini-batches, at most 60"""

    scorer: Union[Literal["linear", "feed-forward", "bilstm", "stack-lstm"], None]
    """Scorer: weights of sparse features, or a network over embeddings, which reads `--places` in place of `--features`. Default: `linear`. Defaults of networks: `--learner adam`, `--batch 8`, `--replicas 1`, `--average-from 0`, and `--training greedy`, unless an option is given that only global training has, such as `--init` or `--beam`. Greedy and l2s: `--objective softmax`, `--dropout 0.3`, and `--iterations 8` (bilstm and stack-lstm: 12) or, with little data, as many as make 12,000 (18,000) mini-batches, at most 60. Global: `--objective crf` (`--search exact`: `loss-augmented`; `--merge` or `--layers output`: `perceptron`), `--update early` and `--iterations 3`. A stack-lstm reads no places; systems without a linked stack show it the next four words on each side"""

    joint_tags: Union[bool, None]
    """Tag words in the derivation of the tree, with a system over one stack and a buffer: each word gets its tag, a value of `--tag-column`, as it becomes the first of the buffer. Features read tags of words that have one. Parsing fills the column, too"""

    features: Union[str, PathLike[str], None]
    """Feature set: a built-in one (`treebeam features list`), the path of a .feat file, or several of these joined with +. Default: the system's own: `zn11` for arc-eager's systems, `stack` for the others with one stack, `covington` for Covington's and 2-planar, and `easy-first`"""

    training: Union[Literal["greedy", "global", "l2s"], None]
    """Greedy training on single decisions, global training on whole derivations in a beam, or learning to search. Default: `global`; networks: `greedy`, unless an option is given that only global training has"""

    learner: Union[Literal["perceptron", "mira", "sgd", "sgd-plus", "adagrad", "ftrl", "svm", "nn", "adam", "momentum"], None]
    """Learner: turns gradients of the objective into changes of the weights. Default: `perceptron`; global with `--objective crf` or `softmax-margin`: `adagrad`; networks: `adam`, or else `adagrad` or `momentum`; graph-based: `mira`, or else `perceptron`; biaffine: `adam` only"""

    aggressiveness: Union[float, None]
    """Graph-based, with `--learner mira`: the longest step. Default: `1`. Range: a number above 0 and at most 1000"""

    objective: Union[Literal["regression", "multiclass", "softmax", "hinge", "perceptron", "loss-augmented", "crf", "softmax-margin"], None]
    """Loss that training minimises: global `perceptron`, `loss-augmented`, `crf` or `softmax-margin`, else the others and `softmax-margin`. Default: global `perceptron`, mira: `loss-augmented`; else `regression`; adagrad: `softmax`; mira and svm: `hinge`; perceptron: `perceptron`"""

    rate: Union[float, None]
    """Learning rate: η; of ftrl α, of mira and svm C. Default: sgd and sgd-plus 0.5, adagrad and svm 0.1, ftrl 0.005, mira 1, adam 0.001; with `--objective loss-augmented` sgd 0.03; adam in global training 0.0003, and with `--init` less in proportion where scarce data make mini-batches smaller than 8 sentences. Range: a number above 0 and at most 1000000"""

    l2: Union[float, None]
    """With `--learner sgd`: λ of the L2 penalty, λ/2 times the squared norm of the weights. Default: `0`. Range: a number from 0 to 1000000"""

    loss_weight: Union[float, None]
    """Global, with `--objective loss-augmented` or `softmax-margin`: the score that a loss of 1 adds. Default: `1`. Range: a number above 0 and at most 1000"""

    dropout: Union[float, None]
    """Probability of leaving a feature out of an example; networks: a hidden unit. Default: `0`; networks trained on single decisions: `0.3`; biaffine: `0.33`. Range: a number from 0 to below 1"""

    min_count: Union[int, None]
    """Leave out features that occur fewer times in the first pass. Default: `1`; nn: `2`. Range: a whole number from 1 to 255"""

    min_gradient: Union[float, None]
    """Least gradient that begins a weight; smaller ones change only weights that have begun. Saves memory in training on single decisions with `--objective softmax` or `softmax-margin`, where most gradients are tiny; not for sgd-plus and nn. Default: `0.02` where it is allowed, else `0`. Range: a number from 0 to 1"""

    hidden: Union[int, None]
    """With `--learner nn`: hidden units for each action, at most 32 for one decision; networks: hidden units. Default: `5`; networks: `200`. Range: a whole number from 1 to 4,096"""

    activation: Union[Literal["relu", "cube", "tanh"], None]
    """Networks: activation function of hidden units. Default: `relu`"""

    places: Union[str, PathLike[str], None]
    """Networks: the places that are read: a built-in set (`treebeam features list`), or the path of a .feat file that begins with `network`. Default: `full`; bilstm: `extended`. A stack-lstm and biaffine parsers take a file without places, which says what is read of words"""

    word_units: Union[int, None]
    """Networks: size of the embedding of a word. Default: `64`; with `--vectors` that of these. Range: a whole number from 1 to 4,096"""

    vectors: Union[str, PathLike[str], None]
    """Networks: pre-trained word vectors, in word2vec's text form, with or without its head line, in its binary form if the name ends in `.bin`, or in finalfusion's; also .gz and .zst. Words of the file alone are known to the model, too. Not with `--init`. Default: random embeddings"""

    lstm_layers: Union[int, None]
    """With `--scorer bilstm` or `--system biaffine`: layers of the encoder; `stack-lstm`: of each of the three. Default: `2`. Range: a whole number from 1 to 8"""

    lstm_units: Union[int, None]
    """With `--scorer bilstm` or `--system biaffine`: outputs of each direction of a layer; `stack-lstm`: of a layer, and size of the vector of a token or a tree. Default: `128`. Range: a whole number from 1 to 4,096"""

    arc_units: Union[int, None]
    """With `--system biaffine`: size of the vectors of head and dependent that score arcs. Default: `200`. Range: a whole number from 1 to 4,096"""

    label_units: Union[int, None]
    """With `--system biaffine`: size of those that score labels. Default: `64`. Range: a whole number from 1 to 4,096"""

    init: Union[str, PathLike[str], None]
    """Model to continue from, with the same system. A network continues on the same data, with its vocabulary and layout. A linear perceptron with the same features continues its weights and their average, also on other data, whose labels and words are added. Default: random parameters, or no weights"""

    layers: Union[Literal["all", "output"], None]
    """Networks: the layers that learn. `output` begins with a model that has learned the others (`--init`); in global training its default is `--objective perceptron`, and `--learner perceptron` takes steps of one length (`--rate`, 0.003) and keeps the average of all. Default: `all`"""

    nn_update: Union[Literal["perceptron", "mira", "sgd", "sgd-plus", "adagrad", "ftrl", "svm", "nn", "adam", "momentum"], None]
    """With `--learner nn`: how its layers learn, `sgd-plus` or `ftrl`. Default: `ftrl`"""

    decisions: Union[Literal["joint", "separate"], None]
    """Decide on moves and labels together, or in stages. Default: `joint`"""

    preset: Union[Literal["dagger", "searn", "aggrevate", "lols", "l2s"], None]
    """Algorithm: a preset of `--roll-in` and `--roll-out`, which may be overridden. Default: `l2s`"""

    roll_in: Union[Literal["reference", "learned", "mixture", "mix-per-roll", "reference-first"], None]
    """Roll-in policy: reaches the configurations that are learned from. Global, `learned`: beams start in the model's own derivation, as often as `--explore-from` and `--explore-prob` say. Default: `mix-per-roll`; global: `reference`"""

    roll_out: Union[Literal["reference", "learned", "mixture", "none"], None]
    """Roll-out policy: completes a derivation to estimate the cost of an action. Default: `reference`"""

    alpha: Union[float, None]
    """In mixtures the learned policy has probability 1 − (1 − alpha)^t after t examples. Default: `0.00001`. Range: a number above 0 and below 1"""

    reference_share: Union[float, None]
    """With `--roll-out mixture`: probability of the reference. Default: lols `0.5`, else by `--alpha`. Range: a number from 0 to 1"""

    run_reference: Union[bool, None]
    """Run the reference's roll-outs even where the oracle gives their losses, as a check"""

    oracle: Union[Literal["static", "lazy", "non-deterministic", "dynamic", "monotonic-first", "lower", "pc-upper", "upper"], None]
    """Oracle: the canonical derivation, or every correct action. Default: the system's own, mostly `dynamic`; arc-eager-nonmonotonic: `monotonic-first`; swap: `non-deterministic`, global `lazy`; covington-nonmonotonic: `upper`, global `static`; covington and 2-planar: global `static`"""

    clusters: Union[str, PathLike[str], None]
    """File of word clusters for the attributes `.c4`, `.c6` and `.c`, such as those of `--features zn11+clusters`: a path of 0 and 1, a tab and a word a line, as programs for Brown clusters write them. The model keeps them"""

    arc_weights: Union[str, PathLike[str], None]
    """File of weights of arcs in the dynamic oracle's costs and in losses: a label, a tab and a whole number a line. For arc-hybrid and easy-first, and with `--roots several` arc-eager, arc-eager-start and arc-eager-zpar. Default: each counts 1"""

    unpermitted: Union[bool, None]
    """Greedy, with a static oracle and `--objective perceptron`: predictions in training include actions that are not permitted"""

    initial_weights: Union[str, PathLike[str], None]
    """Greedy, with a linear model: file of initial weights, a feature, an action and a weight a line, separated by tabs. The model has no other features. Default: every weight is 0"""

    correct: Union[Literal["best-scored", "canonical", "random", "all"], None]
    """Greedy, with an oracle that is not static: the correct transition that is reinforced, and followed where the prediction is wrong; `all` not with `--learner mira` or `--objective multiclass`. Default: `canonical` for perceptrons of arc-standard; else by objective: `perceptron` and `hinge` `best-scored`; `softmax`, `softmax-margin` and `regression` `all`; `multiclass` the first that makes a gold arc"""

    explore_from: Union[int, None]
    """Greedy with a dynamic oracle, or global with `--roll-in learned`: explore after this many iterations (k of Goldberg & Nivre 2013). Default: `1`. Range: a whole number from 0 to 1,000,000"""

    explore_prob: Union[float, None]
    """Greedy with a dynamic oracle: probability of following a wrong prediction (p). Global with `--roll-in learned`: probability of starting a sentence's beam at a random step of the model's own derivation. Default: `0.9`. Range: a number from 0 to 1"""

    explore_power: Union[float, None]
    """Greedy with a dynamic oracle and `--objective softmax` or `softmax-margin`: with probability `--explore-prob` the transition to follow is drawn from the model's probabilities, raised to this power (Ballesteros et al. 2016 always draw, with 0.75); 0 is uniform. Default: the best-scored transition. Range: a number from 0 to 100"""

    pretrain: Union[int, None]
    """Global, with a linear model: the first iterations that train greedily, with exploration if there is a dynamic oracle; averages begin after them. Networks use `--init`. Default: `0`. Range: a whole number from 0 to 1,000,000"""

    update: Union[Literal["early", "standard", "max-violation", "latest", "hybrid", "laso", "restart", "restart-early"], None]
    """Global: where in the derivation to update. Default: `max-violation`; swap, arc-hybrid-swap, covington and covington-nonmonotonic: `laso`; with `--objective crf` or `softmax-margin`: `early`; with `--search exact`: `standard`"""

    restart_from: Union[Literal["best", "beam"], None]
    """With `--update restart` or `restart-early`: the items of the beam that both beams start again from. Default: `best`"""

    search: Union[Literal["beam", "exact"], None]
    """Global: beam search, or exact search by tabulation, in training and by default in parsing. Exact search needs features that read words by position only, such as `minimal`, or such a network (`--places minimal`), whose objective is then `loss-augmented`. Default: `beam`"""

    beam: Union[int, None]
    """Global: width of the beam in training and, by default, in parsing. Default: `8`. Range: a whole number from 1 to 4,096"""

    merge: Union[bool, None]
    """Global: merge items of a beam that look the same to all features, in training and by default in parsing; for arc-standard, arc-hybrid and arc-eager with `--objective perceptron`, except stack-lstm. Default: `false`"""

    iterations: Union[int, Literal["plateau"], None]
    """Passes over the training data, or `plateau`: until the development LAS has not risen for `--patience` iterations. Default: 15; graph-based: 10; networks: see `--scorer`. Range: a whole number from 1 to 1,000,000 or `plateau`"""

    patience: Union[int, None]
    """With `--iterations plateau`: stop after so many iterations without a better score. Default: `5`. Range: a whole number from 1 to 1,000,000"""

    max_iterations: Union[int, None]
    """With `--iterations plateau`: the most iterations. Default: `100`. Range: a whole number from 1 to 1,000,000"""

    average_from: Union[int, None]
    """First iterations to leave out of the average, if there are more. Default: `3`; graph-based: `1`; networks, and with `--init`: `0`. Range: a whole number from 0 to 1,000,000"""

    replicas: Union[int, None]
    """Models to train in different random orders, whose averages are added up. Default: `4`; networks and `--learner nn` or `svm`: `1`. Range: a whole number from 1 to 1,000"""

    seed: Union[int, None]
    """The seed of shuffling and exploration. Default: `1`. Range: a whole number from 0 to 18,446,744,073,709,551,615"""

    batch: Union[int, None]
    """Sentences of a mini-batch, in parallel with `--threads`. Networks: fewer if a pass over the data would have less than 256 mini-batches. Default: `1`; networks: `8`. Range: a whole number from 1 to 1,048,576"""

    nonprojective: Union[Literal["drop", "min-cost", "lift"], None]
    """Non-projective training trees: drop them, follow actions of least cost (graph-based: learn the projective tree that shares most arcs), or lift them. Default: `min-cost`"""

    lift: Union[Literal["head", "path", "head+path"], None]
    """With `--nonprojective lift`: the scheme of labels that record lifts. Default: `head`"""

    roots: Union[Literal["single", "several"], None]
    """Number of words that may depend on the root. Default: `single`; 2-planar: `several` only"""

    word_column: Union[Literal["form", "lemma", "upos", "xpos", "feats"], None]
    """The column that .w atoms read. Default: `form`"""

    word_shape: Union[Literal["as-written", "normalised"], None]
    """Read words as they are written, or in lower case with digits made equal. Default: `normalised`"""

    tag_column: Union[Literal["form", "lemma", "upos", "xpos", "feats"], None]
    """The column that .p atoms read. Default: `upos`"""

    keep: Union[Literal["best", "last"], None]
    """Weights to keep: of the best iteration on the development data, or of the last. Default: `best`"""
