"""A program with types, which mypy checks against the stubs: what users call, as they call it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import treebeam
import treebeam.parquet
import treebeam.ray
import treebeam.spark
from treebeam import display


def progress(report: dict[str, object]) -> bool:
    return report["iteration"] != 3


model: treebeam.Model = treebeam.train("train.conllu", "en.model", dev="dev.conllu", on_iteration=progress, beam=8,
    iterations="plateau", training="global", average_from=3)
model = treebeam.load("en.model")
trees: list[treebeam.Tree] = model.parse([[("the", "DET"), ("dog", "NOUN")]], beam=64, threads=2, confidences=4)
heads: npt.NDArray[np.int32] = trees[0].heads
labels: list[str] = trees[0].deprels
score: float = trees[0].score
sure: npt.NDArray[np.float64] | None = trees[0].confidences
of_labels: npt.NDArray[np.float64] | None = trees[0].label_confidences
best: list[list[treebeam.Tree]] = model.k_best("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", 3, margin=99.5)
text: str = model.parse_conllu(b"", search="beam", k_best=2)
names: list[str] = model.labels
width: int | None = model.beam
evaluation: treebeam.Evaluation = treebeam.evaluate("gold.conllu", trees, punct="exclude")
las: float = evaluation.las
picture: str = trees[0].to_svg(columns=["form"], other=trees[0])
shown: display.Pictures = display.show(trees)
left_out: int = treebeam.parquet.parse("a.parquet", "b.conllu", model, keep_going=True, beam=4)
n_parsed: int = model.parse_file("in.conllu", "out.conllu.gz", beam=8, k_best=2)
smaller: treebeam.Model = model.freeze("small.model", quantise="i8", prune=0.5)
facts: dict[str, object] = smaller.info()
watched: display.Trace = model.trace("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", beam=[1, 8])
drawn: display.Pictures = model.draw("", beam=2)
pair: display.Pictures = trees[0].draw(trees[0])
