"""Trees in notebooks. A tree by itself is shown as a picture; these show several, or two over the same words."""

from __future__ import annotations

import os


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
