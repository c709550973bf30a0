"""Trees in notebooks. A tree by itself is shown as a picture; these show several, or two over the same words."""

from __future__ import annotations

import json as _json
import os
from html import escape as _escape


class Pictures:
    """Pictures that a notebook shows one below the other."""

    def __init__(self, pictures: list[str]) -> None:
        self.pictures = pictures

    def _repr_html_(self) -> str:
        return "\n".join(f'<div style="overflow-x:auto">{picture}</div>' for picture in self.pictures)

    def __repr__(self) -> str:
        return f"<{len(self.pictures)} pictures of trees>"


def show(trees, *, columns=("form", "upos"), labels: bool = True) -> Pictures:
    """Shows trees, with these columns under the words."""
    trees = [trees] if hasattr(trees, "to_svg") else trees
    return Pictures([tree.to_svg(list(columns), labels) for tree in trees])


def compare(trees, others, *, columns=("form", "upos"), labels: bool = True) -> Pictures:
    """Shows each tree above the words and another of the same words below them, with what differs marked."""
    if hasattr(trees, "to_svg"):
        trees, others = [trees], [others]
    pairs = list(zip(trees, others))
    return Pictures([tree.to_svg(list(columns), labels, other) for tree, other in pairs])


def save(tree, path: str | os.PathLike, **options) -> None:
    """Writes the picture of a tree as an SVG file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(tree.to_svg(**options))


class Trace:
    """Beams of a sentence: ``record`` as `treebeam trace --json` writes it, ``html`` the page, which a notebook shows."""

    def __init__(self, record: dict, html: str) -> None:
        self.record = record
        self.html = html

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{_escape(self.html)}" style="width:100%;height:44rem;border:0" title="beams"></iframe>'

    def __repr__(self) -> str:
        widths = [beam["width"] for beam in self.record["beams"]]
        return f"<treebeam.display.Trace of widths {widths}>"

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page, which needs nothing else."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def trace(self, sentence, *, beam=(), margin=None, gold: bool = True, successors: int = 6) -> Trace:
    beam = [beam] if isinstance(beam, int) else list(beam)
    margin = None if margin is None else str(margin)
    record, html = self._trace(sentence, beam, margin, gold, successors)
    return Trace(_json.loads(record), html)


def draw(self, sentences, *, columns=("form", "upos"), labels: bool = True, **options) -> Pictures:
    return show(self.parse(sentences, **options), columns=columns, labels=labels)


def draw_tree(self, other=None, *, columns=("form", "upos"), labels: bool = True) -> Pictures:
    return Pictures([self.to_svg(list(columns), labels, other)])
