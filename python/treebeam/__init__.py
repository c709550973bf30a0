"""treebeam: dependency parsing by transition systems with beams, and by graphs.

>>> import treebeam
>>> model = treebeam.load("en.model")
>>> [tree] = model.parse([[("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")]])
>>> tree.heads, tree.deprels
(array([2, 3, 0], dtype=int32), ['det', 'nsubj', 'root'])

Options have the names of the program's, with underscores: ``--average-from 3`` is ``average_from=3``.
"""

from __future__ import annotations

import json as _json

from . import _arrow, _treebeam, display
from ._treebeam import Model, Tree, __version__, load, train

__all__ = ["Evaluation", "Model", "Tree", "__version__", "display", "evaluate", "load", "train"]


class Evaluation:
    """What `treebeam eval` says: ``report`` has all of it, as ``--json`` does; ``str()`` is the text."""

    def __init__(self, report: dict, text: str) -> None:
        self.report = report
        self._text = text

    def _score(self, name: str, system: int = 0) -> float:
        variants = self.report["systems"][system]["scores"]
        headline = self.report["headline"]
        # Words that are not gold's have the scores of eval.py alone.
        aligned = self.report["systems"][system]["aligned"]
        of_aligned = next((score["f1"] for score in aligned if score["metric"] == name.upper()), None)
        return next((v[name] for v in variants if all(v[key] == headline[key] for key in headline)), of_aligned)

    @property
    def uas(self) -> float:
        """The unlabelled attachment score of the (first) system, in percent."""
        return self._score("uas")

    @property
    def las(self) -> float:
        """The labelled attachment score of the (first) system, in percent."""
        return self._score("las")

    @property
    def intervals(self) -> dict | None:
        """Bootstrap intervals of the scores of the (first) system; none if its words are not those of gold."""
        return self.report["systems"][0].get("intervals")

    @property
    def comparison(self) -> list[dict] | None:
        """The second system against the first, by metric: difference, interval, p."""
        return self.report.get("comparison")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<treebeam.Evaluation UAS {self.uas:.2f} LAS {self.las:.2f}>"


def evaluate(
    gold,
    system,
    system2=None,
    *,
    punct: str = "include",
    punct_rule: str | None = None,
    granularity: str = "full",
    by: list[str] | None = None,
    samples: int = 10_000,
    seed: int = 1,
) -> Evaluation:
    """Scores a system against gold trees; with two systems, tests the second against the first.

    Each may be a file, CoNLL-U text, or sentences: trees, TokenLists of conllu.
    """
    systems = [system] if system2 is None else [system, system2]
    report, text = _treebeam.evaluate(gold, systems, punct, punct_rule, granularity, by, samples, seed)
    return Evaluation(_json.loads(report), text)


Model.parse_arrow = _arrow.parse_arrow
Model.trace = display.trace
Model.draw = display.draw
Tree.draw = display.draw_tree
