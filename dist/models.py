#!/usr/bin/env python3
"""Trains a tagger and a parser for each treebank, and writes them to a folder with cards and an index.

    dist/models.py PROGRAM --treebanks FOLDER --out FOLDER [--set OPTION]... [NAME]...

A treebank is a folder with train, dev and test files, as FOLDER/NAME/train.conllu or as Universal Dependencies are released. All of
FOLDER are taken if none is named. Options are those that `treebeam train` recommends, and its defaults: a parser is the sum of four
replicas. A model is frozen in 8 bits if that costs less than 0.05 points of its score on the development data. NAME.md is the card,
index.json lists the models with their checksums for `treebeam model list` and `get`. Models that are there, of the same data and
version, are not trained again.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ENDINGS = ["conllu", "conllx", "conll"]
# Points of LAS (of a tagger: of accuracy) on the development data that 8 bits may cost.
MOST_LOSS = 0.05


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def file_of(folder, part):
    """The file of a part of a treebank, or None."""
    own = [folder / f"{part}.{ending}" for ending in ENDINGS]
    found = [path for path in own if path.exists()] or sorted(folder.glob(f"*-ud-{part}.conllu"))
    return found[0] if found else None


def licence_of(folder):
    """The treebank's licence in a line."""
    provenance = folder / "provenance.json"
    if provenance.exists() and (licence := json.loads(provenance.read_text(encoding="utf-8")).get("licence")):
        return licence
    for name in ["README.md", "README.txt"]:
        path = folder / name
        found = path.exists() and re.search(r"^License: *(\S.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found[1].strip()
    text = folder / "LICENSE.txt"
    lines = text.read_text(encoding="utf-8", errors="replace").split("\n") if text.exists() else []
    return next((line.strip() for line in lines if line.strip()), "not stated")


class Maker:
    def __init__(self, program, out, options):
        self.program, self.out, self.options = program, out, options
        self.version = self.run("--version").decode().split()[1]

    def run(self, *arguments):
        command = [str(self.program), *(str(argument) for argument in arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def train(self, name, kind, data, licence):
        """Trains and freezes a model; what freezing changed on the development data."""
        print(f"{name}: training", file=sys.stderr, flush=True)
        path = self.out / f"{name}.model"
        with tempfile.TemporaryDirectory(dir=self.out) as work:
            whole, small = Path(work, "whole.model"), Path(work, "small.model")
            own = ["--system", "tagger"] if kind == "tagger" else []
            dev = ["--dev", data["dev"]] if "dev" in data else []
            self.run("train", "--train", data["train"], *dev, "--model", whole, "--auto", "--quiet", "--licence", licence,
                     *own, *self.options)
            cost = None
            if "dev" in data:
                line = ["model", "freeze", whole, "--quantise", "i8", "-o", small, "--test", data["dev"], "--json"]
                frozen = json.loads(self.run(*line))
                cost = frozen["before"]["las"] - frozen["after"]["las"]
            chosen = small if cost is not None and cost < MOST_LOSS else whole
            chosen.replace(path)
        return path, cost, chosen is small

    def scores(self, work, data, models, tags):
        """Scores on the test data, in percent, and words a second on one thread."""
        parsed, stats = work / "parsed.conllu", work / "stats.json"
        line = [part for model in models for part in ["--model", model]]
        self.run("parse", *line, data["test"], "-o", parsed, "--stats-json", stats, "--threads", 1, "--quiet")
        report = json.loads(self.run("eval", data["test"], parsed, "--json", *(["--tags", "upos"] if tags else [])))
        counted = json.loads(stats.read_text())
        headline = report["headline"]
        [scores] = [score for score in report["systems"][0]["scores"]
                    if all(score[key] == headline[key] for key in headline)]
        names = {"las": "accuracy"} if tags else {"las": "LAS", "uas": "UAS"}
        return {named: round(scores[key], 2) for key, named in names.items()}, counted["tokens"] / counted["seconds"]

    def make(self, name, folder):
        """Both models of a treebank: their entries in the index."""
        data = {part: path for part in ["train", "dev", "test"] if (path := file_of(folder, part))}
        if "train" not in data:
            sys.exit(f"{folder}: no train data; expected train.conllu, or a folder of Universal Dependencies")
        licence = licence_of(folder)
        entries, models = [], {}
        for kind in ["tagger", "parser"]:
            own = f"{name}-{kind}" if kind == "tagger" else name
            path, cost, is_small = self.train(own, kind, data, licence)
            models[kind] = path
            entry = {"name": own, "kind": kind, "file": path.name, "sha256": sha256(path), "bytes": path.stat().st_size,
                     "treebank": name, "licence": licence, "version": self.version, "options": self.options,
                     "data": {part: {"file": file.name, "sha256": sha256(file)} for part, file in data.items()},
                     "bits": 8 if is_small else None, "cost_of_8_bits": cost, "scores": {}}
            if "test" in data:
                with tempfile.TemporaryDirectory(dir=self.out) as work:
                    entry["scores"], entry["words_per_second"] = self.scores(Path(work), data, [path], kind == "tagger")
                    if kind == "parser":
                        predicted, _ = self.scores(Path(work), data, [models["tagger"], path], False)
                        entry["scores"] |= {f"{score} with predicted tags": value for score, value in predicted.items()}
            self.card(entry, path)
            entries.append(entry)
        return entries

    def card(self, entry, path):
        info = self.run("model", "info", path).decode().replace(str(path), path.name)
        cost = "not tried: there is no development data" if entry["cost_of_8_bits"] is None else \
            f"{entry['cost_of_8_bits']:+.3f} points on the development data; {'taken' if entry['bits'] == 8 else 'not taken'}"
        lines = [f"# {entry['name']}", "", f"A {entry['kind']} trained on {entry['treebank']}. Licence of the data: {entry['licence']}.",
                 "", "| | |", "|---|---|"]
        lines += [f"| {score} on test, % | {value:.2f} |" for score, value in entry["scores"].items()]
        if "words_per_second" in entry:
            lines.append(f"| words a second, one thread | {entry['words_per_second']:,.0f} |")
        lines += [f"| bytes | {entry['bytes']:,} |", f"| cost of 8 bits | {cost} |", f"| SHA-256 | {entry['sha256']} |"]
        lines += [f"| SHA-256 of {part} ({facts['file']}) | {facts['sha256']} |" for part, facts in entry["data"].items()]
        (self.out / f"{entry['name']}.md").write_text("\n".join(lines) + f"\n\n```text\n{info}```\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--treebanks", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--set", action="append", default=[], help="an option of all trainings: --set=--iterations=5")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    if not arguments.treebanks.is_dir():
        sys.exit(f"{arguments.treebanks}: no folder of treebanks; set TREEBEAM_TREEBANKS")
    names = arguments.names or sorted(path.name for path in arguments.treebanks.iterdir() if path.is_dir() and file_of(path, "train"))
    if not names:
        sys.exit(f"{arguments.treebanks}: no treebanks; expected a folder for each, with train, dev and test files")
    arguments.out.mkdir(parents=True, exist_ok=True)
    maker = Maker(arguments.program, arguments.out, arguments.set)
    index = arguments.out / "index.json"
    known = {entry["name"]: entry for entry in json.loads(index.read_text())["models"]} if index.exists() else {}
    for name in names:
        folder = arguments.treebanks / name
        train = file_of(folder, "train")
        before = [known.get(f"{name}-tagger"), known.get(name)]
        if train and all(entry and (entry["version"], entry["options"]) == (maker.version, maker.options)
                         and all(sha256(file_of(folder, part)) == facts["sha256"] for part, facts in entry["data"].items() if file_of(folder, part))
                         and (arguments.out / entry["file"]).exists() for entry in before):
            print(f"{name}: there already", file=sys.stderr)
            continue
        known |= {entry["name"]: entry for entry in maker.make(name, folder)}
        text = json.dumps({"models": [known[key] for key in sorted(known)]}, indent=1, ensure_ascii=False) + "\n"
        # Whole or not at all.
        index.with_suffix(".new").write_text(text, encoding="utf-8")
        index.with_suffix(".new").replace(index)
    return 0


if __name__ == "__main__":
    sys.exit(main())
