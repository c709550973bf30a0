from typing import Literal, TypedDict, Union

class SearchOptions(TypedDict, total=False):
    """Options of `treebeam parse`, with underscores; what is None or not given is as the program has it by default."""

    beam: Union[int, None]
    threads: int
    search: Union[Literal["beam", "exact"], None]
    margin: Union[float, Literal["auto", "none"], None]
    merge: Union[bool, None]
    source: Union[str, None]

class KeepOptions(SearchOptions, total=False):
    """Those of search, and the heads and labels of the input to keep."""

    keep_heads: Union[Literal["all", "least-loss"], None]
    keep_labels: bool

class ParseOptions(KeepOptions, total=False):
    """Those of the best tree, with confidences from the K best; of a tagger, its most probable tags in MISC."""

    confidences: Union[int, None]
    alternatives: Union[int, None]
