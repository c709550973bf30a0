from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

from ._options import TrainOptions
from ._parsing import KeepOptions, ParseOptions, SearchOptions
from .display import Pictures, Trace

__version__: str

_Path = Union[str, PathLike[str]]
_Text = Union[str, bytes]
_Margin = Union[float, Literal["auto", "none"]]

# One sentence: (form, upos) pairs, dictionaries of columns, a TokenList of conllu, a Doc or Span of spaCy, or a Tree.
_Sentence = Any
# Many sentences, or CoNLL-U text.
_Sentences = Union[_Text, Iterable[_Sentence]]

class Tree:
    """A dependency tree over the words of a sentence."""

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """The heads of the words, as numbers from 1; 0 is the root."""
    @property
    def deprels(self) -> list[str]:
        """The labels of the arcs into the words; the tags that a tagger gave them."""
    @property
    def forms(self) -> list[str]:
        """The words."""
    @property
    def upos(self) -> list[str]:
        """The words' universal parts of speech."""
    @property
    def sent_id(self) -> str | None:
        """The sentence's id, from its comment `# sent_id = ...`."""
    @property
    def score(self) -> float:
        """The score of the tree's derivation."""
    @property
    def confidences(self) -> npt.NDArray[np.float64] | None:
        """The probability of each word's head, from 0 to 1, by the K best trees: `HeadConf` of `treebeam parse --confidences K`.

        None unless K trees were asked for: `Model.parse(..., confidences=K)`, `Model.k_best(..., K)`.
        """
    @property
    def label_confidences(self) -> npt.NDArray[np.float64] | None:
        """The probability of each word's label, given its head, by the K best trees: `LabelConf`; None as `confidences`."""
    def to_conllu(self) -> str:
        """The sentence as CoNLL-U with this tree, as `treebeam parse` writes it."""
    def to_svg(self, columns: list[str] = ..., labels: bool = True, other: Tree | None = None, width: int | None = 1200) -> str:
        """A picture: the tree over its words, and another of the same words under them, if given."""
    def draw(self, other: Tree | None = None, *, columns: Iterable[str] = ..., labels: bool = True) -> Pictures:
        """A picture for a notebook: the tree, and `other` below the same words, if given."""
    def _repr_svg_(self) -> str: ...
    def __len__(self) -> int: ...

class Model:
    """A trained model. It can be used by many threads, and is pickled by the path of its file."""

    @property
    def path(self) -> Path:
        """The file that it was read from."""
    @property
    def system(self) -> str:
        """The transition system or graph-based parser."""
    @property
    def beam(self) -> int | None:
        """The width of the beam that it was trained with; None for graph-based parsers."""
    @property
    def labels(self) -> list[str]:
        """The labels of the trees that it makes."""
    @property
    def header(self) -> dict[str, Any]:
        """What it is and how it was made, as `treebeam model info --json` says."""
    def parse(
        self,
        sentences: _Sentences,
        **options: Unpack[ParseOptions],
    ) -> list[Tree]:
        """The best tree of each sentence. What is None is as `treebeam parse` has it by default."""
    def k_best(
        self,
        sentences: _Sentences,
        k: int,
        **options: Unpack[KeepOptions],
    ) -> list[list[Tree]]:
        """The K best trees of each sentence, best first."""
    def parse_conllu(
        self,
        text: _Text,
        *,
        k_best: int = 1,
        enhanced: Literal["drop", "keep"] = "drop",
        **options: Unpack[ParseOptions],
    ) -> str:
        """Parses CoNLL-U into CoNLL-U: what `treebeam parse` writes, to the byte."""
    def parse_file(
        self,
        input: _Path,
        output: _Path,
        *,
        k_best: int = 1,
        enhanced: Literal["drop", "keep"] = "drop",
        **options: Unpack[ParseOptions],
    ) -> int:
        """Parses a file into a file, as `treebeam parse` does, and returns the number of sentences.

        Files that end in .gz or .zst are packed. The output is written whole or not at all.
        """
    def info(self) -> dict[str, Any]:
        """Facts of the model: `header`, `sizes` (features, weights, bytes of the scorer, scale of weights) and `precision`."""
    def freeze(
        self,
        path: _Path,
        *,
        quantise: Literal["i16", "i8"] | None = None,
        prune: float | None = None,
        small: bool = False,
    ) -> Model:
        """Writes the model in fewer bits, as `treebeam model freeze` does, and loads what was written.

        `prune` leaves out weights that are nearer to 0; `small` is `quantise="i8", prune=1` and a table that is nearly full.
        """
    def trace(
        self,
        sentence: _Sentence,
        *,
        beam: int | Iterable[int] = ...,
        margin: _Margin | None = None,
        gold: bool = True,
        successors: int = 6,
    ) -> Trace:
        """Watches beams of these widths on a sentence, for a notebook; by default powers of two up to the model's width.

        `gold` takes the sentence's own tree for gold, if it has one. Raises ValueError for graph-based models and merging beams.
        """
    def draw(self, sentences: _Sentences, *, columns: Iterable[str] = ..., labels: bool = True, **options: Unpack[ParseOptions]) -> Pictures:
        """Parses with `options` of `parse`, and shows the trees in a notebook."""
    def parse_arrow(
        self,
        batch: Any,
        *,
        keep_going: bool = False,
        **options: Unpack[SearchOptions],
    ) -> Any:
        """Parses a batch or table of Arrow: adds the columns `head`, `deprel`, `score`."""

def load(path: _Path) -> Model:
    """Reads a model file."""

def train(
    train: Any,
    model: _Path,
    *,
    dev: Any = None,
    on_iteration: Callable[[dict[str, Any]], bool | None] | None = None,
    threads: int | None = None,
    auto: bool = False,
    skip_invalid: bool = False,
    resume: bool = False,
    checkpoint_seconds: float = 10.0,
    **options: Unpack[TrainOptions],
) -> Model:
    """Trains as `treebeam train` does, writes the model file and loads it.

    `train` and `dev` are files, CoNLL-U text or annotated sentences; or several treebanks: a list of files, or a dictionary by
    names, of which `Model.parse(..., source=NAME)` takes one. `on_iteration` is called with what each iteration did;
    if it returns False, training ends and the model of the iterations so far is written. `options` are those of
    `treebeam train`, with underscores: `average_from=3`, `iterations="plateau"`.
    """

def evaluate(
    gold: Any,
    systems: list[Any],
    punct: str,
    punct_rule: str | None,
    granularity: str,
    by: list[str] | None,
    samples: int,
    seed: int,
) -> tuple[str, str]: ...
