#!/usr/bin/env python3
"""Recomputes statements of README.md and the book from records, by code of its own.

    tests/recompute.py [REPOSITORY]

Each statement is found in its text, computed from `results/*/records.jsonl.zst`, and compared. Only Python's standard library and
the program zstd are needed. The exit code is 1 if a figure differs or a statement is no longer there.
"""

import json
import random
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
THREE = ["arc-standard", "arc-eager", "arc-hybrid"]


def digits(text):
    """Errors by sentence: a character each, base 36; larger numbers in brackets."""
    return [int(big) if big else int(small, 36) for big, small in re.findall(r"\((\d+)\)|([0-9a-z])", text)]


class Experiment:
    """The records of an experiment: by column, row, treebank and seed, with the most training sentences within bounds."""

    def __init__(self, name, least=0, most=10**9):
        text = subprocess.run(["zstd", "-dc", ROOT / "results" / name / "records.jsonl.zst"], check=True, capture_output=True).stdout
        records = [json.loads(line) for line in text.splitlines()]
        self.cells = {}
        sizes = defaultdict(int)
        for record in records:
            sentences = record["train"]["sentences"]["end"]
            key = record["column"], record["row"], record["treebank"], record["options"].get("seed")
            # Cells that read predicted tags beside the same ones with gold tags are of other profiles.
            if "tagging" in record and "tagging" not in self.cells.get(key, record):
                continue
            if max(least, sizes[key]) <= sentences <= most:
                sizes[key] = sentences
                self.cells[key] = record

    def treebanks(self):
        return sorted({treebank for _, _, treebank, _ in self.cells})

    def runs(self, column, row, treebank):
        return {seed: r["decodings"][0] for (c, w, t, seed), r in self.cells.items() if (c, w, t) == (column, row, treebank)}

    def score(self, column, row, treebank, data="test", metric="labelled"):
        counts = [run[data]["with_punctuation"] for run in self.runs(column, row, treebank).values()]
        return sum(100 * c[metric] / c["tokens"] for c in counts) / len(counts)

    def mean(self, column, row, data="test", metric="labelled"):
        treebanks = [t for t in self.treebanks() if self.runs(column, row, t)]
        return sum(self.score(column, row, t, data, metric) for t in treebanks) / len(treebanks)

    def chosen(self, column):
        """The best global and the best greedy row of each treebank, on development data."""
        sides = [["early", "max-violation", "latent gold", "restart"], ["static", "dynamic, best-scored", "dynamic, canonical", "l2s"]]
        best = lambda rows, t: max((row for row in rows if self.runs(column, row, t)), key=lambda row: self.score(column, row, t, "dev"))
        return [{t: best(rows, t) for t in self.treebanks()} for rows in sides]

    def gains(self, column, rows, against):
        return {t: self.score(column, rows[t], t) - self.score(column, against[t], t) for t in self.treebanks()}

    def by_sentence(self, column, rows, against, treebank):
        """By seed the points that each sentence contributes to the difference."""
        ours, theirs = self.runs(column, rows[treebank], treebank), self.runs(column, against[treebank], treebank)
        tokens = next(iter(ours.values()))["test"]["with_punctuation"]["tokens"]
        errors = lambda run: digits(run["errors"]["with_punctuation"]["labelled"])
        return [[100 * (b - a) / tokens for a, b in zip(errors(ours[s]), errors(theirs[s]))] for s in sorted(ours) if s in theirs]


def interval(experiment, pairs, weights, resamples=500):
    """95 % interval of the weighted mean over (column, rows, against): treebanks, seeds and sentences are resampled."""
    chance = random.Random(1)
    data = []
    for treebank in experiment.treebanks():
        columns = [experiment.by_sentence(*pair, treebank) for pair in pairs]
        data.append([[sum(w * v for w, v in zip(weights, values)) for values in zip(*(column[seed] for column in columns))] for seed in range(len(columns[0]))])
    means = []
    for _ in range(resamples):
        total = 0.0
        for _ in data:
            seeds = chance.choice(data)
            drawn = [chance.choice(seeds) for _ in seeds]
            picked = chance.choices(range(len(seeds[0])), k=len(seeds[0]))
            total += sum(sum(seed[i] for i in picked) for seed in drawn) / len(drawn)
        means.append(total / len(data))
    means.sort()
    return means[resamples // 40], means[resamples - 1 - resamples // 40]


def plain(name):
    """A text without the comments that fill its figures, in one line."""
    text = re.sub(r"<!--.*?-->", "", (ROOT / name).read_text(), flags=re.S)
    return " ".join(text.replace("\u2212", "-").replace("\u00a0", " ").split())


def statements():
    """Text, pattern with a group for each figure, the figures, and how far they may differ."""
    study = Experiment("study", most=800)
    systems = {"arc-standard": ["arc-standard"], "arc-hybrid": ["arc-hybrid"], "arc-eager": ["arc-eager", "arc-eager zn11", "arc-eager rich"]}
    systems["arc-eager"].append("arc-eager zn11 (4 replicas)")
    predicted = [f"{name} (predicted tags)" for name in ["arc-standard", "arc-hybrid", "arc-eager zn11"]]
    chosen = {column: study.chosen(column) for column in [*sum(systems.values(), []), *predicted]}
    gain = {column: study.gains(column, *sides) for column, sides in chosen.items()}
    mean = {column: sum(points.values()) / len(points) for column, points in gain.items()}
    by_system = [sum(mean[column] for column in columns) / len(columns) for columns in systems.values()]
    overall, with_predicted = sum(by_system) / 3, sum(mean[column] for column in predicted) / 3
    shares = [[1 / len(columns) / 3] * len(columns) for columns in systems.values()]
    low, high = interval(study, [(column, *chosen[column]) for column in sum(systems.values(), [])], sum(shares, []))
    for text in ["README.md", "docs/src/paper.md"]:
        yield text, r"gains? [^.]*?(\d+\.\d+) points of labelled attachment score", [overall], 0.0051
        yield text, r"95 % interval (?:of )?([+-]\d+\.\d+) to ([+-]\d+\.\d+)", [low, high], 0.06
    yield "docs/src/paper.md", r"and (\d+\.\d+) with predicted (?:tags|ones)", [with_predicted], 0.0051
    whole = Experiment("study", least=801)
    lines = [(study, "arc-standard", "arc-standard | stack | gold"), (study, "arc-eager zn11", "arc-eager | zn11 | gold"), (study, predicted[1], "arc-hybrid | stack | predicted")]
    lines += [(whole, "arc-standard", "arc-standard | stack, whole | gold"), (whole, "arc-hybrid", "arc-hybrid | stack, whole | gold")]
    lines += [(whole, "arc-eager zn11", "arc-eager | zn11, whole | gold"), (whole, predicted[2], "arc-eager | zn11, whole | predicted")]
    for experiment, column, columns in lines:
        best = experiment.chosen(column)
        points = experiment.gains(column, *best).values()
        row = r"\| %s \| (\d+\.\d+) \| (\d+\.\d+) \| ([+-]\d+\.\d+) \| [^|]* \| (\d+) \|" % columns.replace("|", r"\|")
        sides = [sum(experiment.score(column, rows[t], t) for t in rows) / len(rows) for rows in reversed(best)]
        yield "docs/src/paper.md", row, [*sides, sum(points) / len(points), sum(p > 1e-9 for p in points)], 0.0051
    points = [whole.gains(column, *whole.chosen(column)).values() for column in ["arc-standard", "arc-hybrid", "arc-eager zn11"]]
    overall = sum(sum(of_system) / len(of_system) for of_system in points) / len(points)
    for text in ["README.md", "docs/src/paper.md"]:
        yield text, r"[Oo]n whole treebanks, with gold tags, (?:it gains )?(\d+\.\d+)", [overall], 0.0051
    scores = [study.mean(column, "restart") for column in ["arc-standard", "arc-eager", "arc-hybrid"]]
    yield "docs/src/paper.md", r"\| restart \| (\d+\.\d+) \| (\d+\.\d+) \| (\d+\.\d+) ", scores, 0.0051

    updates = Experiment("updates")
    rows = ["greedy, dynamic", "greedy, svm", "perceptron, restart"]
    low, svm, high = ([sum(updates.score(system, row, t) for system in THREE) / 3 for t in updates.treebanks()] for row in rows)
    over_svm = sum(high) / len(high) - sum(svm) / len(svm)
    for better, worse in [(svm, low), (high, svm)]:
        ahead = sum(a > b for a, b in zip(better, worse))
        yield "docs/src/paper.md", r"restarts are ahead of it by (\d+\.\d+) in the mean, each on (\d+) of 10", [over_svm, ahead], 0.0051


def main():
    texts, wrong = {}, 0
    for name, pattern, figures, tolerance in statements():
        text = texts.setdefault(name, plain(name))
        found = re.search(pattern, text)
        stated = [float(figure) for figure in found.groups()] if found else []
        is_right = len(stated) == len(figures) and all(abs(a - b) <= tolerance for a, b in zip(stated, figures))
        wrong += not is_right
        shown = ", ".join(f"{figure:.2f}" for figure in figures)
        print("as computed" if is_right else f"WRONG (computed {shown})", name, found.group(0)[:110] if found else f"no text like {pattern}", sep=": ")
    print(f"{wrong} statements are wrong" if wrong else "all statements are as computed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
