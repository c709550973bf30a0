"""spaCy's dependency parser over CoNLL-U, with the file's own words and sentences.

    spacy_driver.py train TRAIN DEV MODEL_FOLDER STEPS
    spacy_driver.py parse MODEL_FOLDER INPUT OUTPUT

The pipeline is spaCy's own default for the processor (`init config --pipeline parser --optimize efficiency`): hashed
embeddings of norm, prefix, suffix and shape, four convolutions of width 96, a transition-based parser on top. It reads no tags.
"""

import sys
import tempfile
from pathlib import Path

import spacy
from spacy.cli.init_config import init_config
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop

ID, FORM, HEAD, DEPREL, DEPS = 0, 1, 6, 7, 8


def sentences(path):
    """The sentences of a CoNLL-U file as lists of lines, each a list of columns; comments have one column."""
    block = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line:
                block.append(line.split("\t") if line[0] != "#" else [line])
            elif block:
                yield block
                block = []
    if block:
        yield block


def words(block):
    """The lines that are words: no comments, multiword tokens or empty nodes."""
    return [line for line in block if line[ID].isdigit()]


def document(vocab, block, with_tree):
    """A document of one sentence, which the parser may not cut into several."""
    lines = words(block)
    starts = [i == 0 for i in range(len(lines))]
    forms = [line[FORM].replace(" ", "\u00a0") for line in lines]
    if not with_tree:
        return Doc(vocab, words=forms, sent_starts=starts)
    heads = [int(line[HEAD]) - 1 if line[HEAD] != "0" else i for i, line in enumerate(lines)]
    labels = ["ROOT" if line[HEAD] == "0" else line[DEPREL] for line in lines]
    return Doc(vocab, words=forms, heads=heads, deps=labels)


def train(train_path, dev_path, model_path, steps):
    """Trains for so many steps and keeps the model that is best on the development data."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        vocab = spacy.blank("en").vocab
        for name, path in (("train", train_path), ("dev", dev_path)):
            documents = [document(vocab, block, True) for block in sentences(path)]
            paths[name] = str(Path(folder, f"{name}.spacy"))
            DocBin(docs=documents).to_disk(paths[name])
        config = init_config(lang="en", pipeline=["parser"], optimize="efficiency", silent=True)
        config["paths"].update(paths)
        config["training"]["max_steps"] = int(steps)
        config["training"]["eval_frequency"] = min(int(steps), config["training"]["eval_frequency"])
        Path(model_path).mkdir(exist_ok=True)
        train_loop(init_nlp(config), Path(model_path), stdout=sys.stderr, stderr=sys.stderr)


def parse(model_path, input_path, output_path):
    """Parses a file and changes heads and labels alone, but for the enhanced graph, which it empties."""
    nlp = spacy.load(Path(model_path, "model-best"))
    pairs = ((document(nlp.vocab, block, False), block) for block in sentences(input_path))
    with open(output_path, "w", encoding="utf-8") as output:
        for parsed, block in nlp.pipe(pairs, as_tuples=True):
            for token, line in zip(parsed, words(block)):
                is_root = token.head.i == token.i
                line[HEAD] = "0" if is_root else str(token.head.i + 1)
                line[DEPREL] = "root" if is_root else token.dep_
                line[DEPS] = "_"
            output.write("\n".join("\t".join(line) for line in block) + "\n\n")


if __name__ == "__main__":
    {"train": train, "parse": parse}[sys.argv[1]](*sys.argv[2:])
