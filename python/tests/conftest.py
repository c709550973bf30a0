"""A small treebank and models of it, made by the program, which every test compares with."""

import os
import pathlib
import subprocess

import pytest

import treebeam

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TREEBEAM", ROOT / "target/release/treebeam"))

OPTIONS = {
    "beams": {"beam": 4, "iterations": 3, "replicas": 1},
    "greedy": {"training": "greedy", "oracle": "dynamic", "iterations": 3, "replicas": 2},
    "graph": {"system": "mst", "iterations": 2},
    "network": {"scorer": "feed-forward", "training": "greedy", "iterations": 2, "hidden": 16, "replicas": 1},
}

TAGGER = {"system": "tagger", "iterations": 2}


def run(*arguments, **options):
    """What the program prints."""
    if not PROGRAM.exists():
        pytest.skip(f"there is no {PROGRAM}; `make build` makes it")
    arguments = [str(argument) for argument in arguments]
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, encoding="utf-8", **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def flags(options):
    return [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]


class Data:
    """Files of a treebank and of models."""

    def __init__(self, folder):
        self.folder = folder
        self.train, self.dev = folder / "train.conllu", folder / "dev.conllu"
        run("treebank", "generate", "--sentences", 150, "--seed", 1, "-o", self.train)
        run("treebank", "generate", "--sentences", 60, "--seed", 2, "-o", self.dev)
        self._models = {}

    def model_path(self, name):
        if name not in self._models:
            path = self.folder / f"{name}.model"
            run("train", "--quiet", "--train", self.train, "--dev", self.dev, "--model", path, *flags(OPTIONS.get(name, TAGGER)))
            self._models[name] = path
        return self._models[name]

    def model(self, name="beams"):
        return treebeam.load(self.model_path(name))

    def parsed(self, name="beams", *arguments):
        """What the program makes of the development data."""
        return run("parse", "--quiet", "--model", self.model_path(name), *arguments, self.dev)

    def dev_text(self):
        return self.dev.read_text(encoding="utf-8")

    def sentences(self):
        """The development data as lists of (form, upos)."""
        blocks = self.dev_text().strip().split("\n\n")
        lines = [[line.split("\t") for line in block.split("\n") if not line.startswith("#")] for block in blocks]
        return [[(columns[1], columns[3]) for columns in of_sentence] for of_sentence in lines]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    return Data(tmp_path_factory.mktemp("data"))


def arcs(text):
    """Heads and labels of each sentence of CoNLL-U."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    lines = [[line.split("\t") for line in block.split("\n") if not line.startswith("#")] for block in blocks]
    return [[(int(columns[6]), columns[7]) for columns in of_sentence] for of_sentence in lines]


def arcs_of(tree):
    return list(zip(tree.heads.tolist(), tree.deprels))
