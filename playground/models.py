#!/usr/bin/env python3
"""Trains the models of the playground: a tagger, and two parsers of the same features, one trained greedily, one globally.

    playground/models.py PROGRAM --out FOLDER [--treebanks FOLDER] [--sentences N]

The treebank is en_ewt, or else the first one of that folder; without a folder it is generated. The parsers read tags as the tagger gives
them. Models are frozen in 8 bits; of both parsers weights below the same threshold are left out, the lowest one at which each has less than 3 MB.
FOLDER gets the models, the sentences to choose from, and data.txt, a line on the data. Nothing is trained again while program and data stay as
they are.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "dist"))
from models import file_of  # noqa: E402

MOST_BYTES = 3_000_000
THRESHOLDS = ["0.5", "1", "1.5", "2", "3", "4", "6"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--treebanks", type=Path)
    parser.add_argument("--sentences", type=int, default=4000, help="sentences to train on")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)

    def run(*words):
        command = [str(word) for word in (arguments.program, *words)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    with tempfile.TemporaryDirectory(dir=out) as work:
        work = Path(work)
        if arguments.treebanks:
            if not arguments.treebanks.is_dir():
                sys.exit(f"{arguments.treebanks}: no folder of treebanks; set TREEBEAM_TREEBANKS, or unset it")
            folders = [path for path in sorted(arguments.treebanks.iterdir())
                       if all(path.is_dir() and file_of(path, part) for part in ["train", "dev", "test"])]
            if not folders:
                sys.exit(f"{arguments.treebanks}: no treebanks; expected a folder for each, with train, dev and test in CoNLL-U")
            folder = next((path for path in folders if path.name == "en_ewt"), folders[0])
            data = {part: file_of(folder, part) for part in ["train", "dev", "test"]}
            name = f"the treebank {folder.name}"
        else:
            data = {part: work / f"{part}.conllu" for part in ["train", "dev", "test"]}
            for seed, (part, n) in enumerate([("train", arguments.sentences), ("dev", 500), ("test", 1500)], 1):
                run("treebank", "generate", "--seed", seed, "--sentences", n, "-o", data[part], "--quiet")
            name = "a generated treebank, whose sentences mean nothing"
        made = out / "made.json"
        state = {"program": hashlib.sha256(arguments.program.read_bytes()).hexdigest(), "sentences": arguments.sentences,
                 "script": hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
                 "data": {part: hashlib.sha256(path.read_bytes()).hexdigest() for part, path in data.items()}}
        if made.exists() and json.loads(made.read_text()) == state:
            return
        made.unlink(missing_ok=True)
        blocks = data["train"].read_text(encoding="utf-8").strip("\n").split("\n\n")[:arguments.sentences]
        train, jackknifed, dev = work / "some.conllu", work / "jackknifed.conllu", work / "tagged.conllu"
        train.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
        print(f"training a tagger and two parsers on {len(blocks)} sentences of {name}", file=sys.stderr, flush=True)
        tagger = ["--system", "tagger", "--replicas", 1]
        run("train", *tagger, "--iterations", 8, "--train", train, "--dev", data["dev"], "--model", work / "tagger", "--quiet")
        run("treebank", "jackknife", *tagger, "--folds", 5, "--iterations", 5, train, "-o", jackknifed, "--quiet")
        run("tag", "--model", work / "tagger", data["dev"], "-o", dev, "--quiet")
        for training in ["greedy", "global"]:
            run("train", "--training", training, "--replicas", 1, "--iterations", 10, "--train", jackknifed, "--dev", dev,
                "--model", work / training, "--quiet")

        def small(models):
            for threshold in THRESHOLDS:
                for model in models:
                    run("model", "freeze", work / model, "--small", "--prune", threshold, "-o", out / f"{model}.model", "--quiet")
                if all((out / f"{model}.model").stat().st_size < MOST_BYTES for model in models):
                    return
            sys.exit(f"{' and '.join(models)}: more than {MOST_BYTES} bytes; expected fewer sentences: --sentences")

        small(["tagger"])
        small(["greedy", "global"])
        (out / "sentences.conllu").write_bytes(data["test"].read_bytes())
        (out / "data.txt").write_text(f"{len(blocks):,} sentences of {name}\n", encoding="utf-8")
        made.write_text(json.dumps(state))


if __name__ == "__main__":
    main()
