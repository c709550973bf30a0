"""treebeam as a component of spaCy: ``nlp.add_pipe("treebeam", config={"model": "en.model"})``.

A parser reads what its model reads, words and tags mostly, so a tagger has to come first: spaCy's own, or the factory
``treebeam_tagger`` of this module with a tagger of treebeam. ``nlp.analyze_pipes()`` knows what each sets and needs. Sentences are
those of the document, or the document is one sentence if nothing has divided it. A pipeline that is saved has the model in it.
"""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

import numpy
from spacy.attrs import DEP, HEAD
from spacy.language import Language

from . import load


# The model's file in the folder of a component that was saved.
FILE = "treebeam.model"


class NoModel(ValueError, AttributeError):
    """The error of a component without a model; for spaCy, which looks for attributes, it has none of that name."""


class Component:
    """Sets heads and labels of documents, or tags if the model is of a tagger."""

    def __init__(self, model: str | None, beam: int | None = None, threads: int = 1) -> None:
        self.options = {"beam": beam, "threads": threads}
        self._path = model
        # A pipeline that is read from a disk gets its model from there; the file that it was made with may be gone.
        self._model = None if model is None or not Path(model).exists() else load(model)

    @property
    def model(self):
        """The model of treebeam."""
        if self._model is None:
            expected = "expected config={'model': ...}, or a pipeline that was saved with one"
            raise NoModel(f"the component has no model ({self._path}); {expected}")
        return self._model

    @property
    def target(self) -> str | None:
        """The column that a tagger fills; None for parsers."""
        return self.model.header["tag_column"] if self.model.system == "tagger" else None

    def to_bytes(self, *, exclude=()) -> bytes:
        """The model's file."""
        return Path(self.model.path).read_bytes()

    def from_bytes(self, data: bytes, *, exclude=()) -> Component:
        """Takes the model from its file's bytes, which are kept in a temporary file as long as the component lives."""
        self._folder = tempfile.TemporaryDirectory(prefix="treebeam-")
        return self._from(Path(self._folder.name), data)

    def to_disk(self, path, *, exclude=()) -> None:
        """Writes the model into a folder of its own."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_bytes(self.to_bytes())

    def from_disk(self, path, *, exclude=()) -> Component:
        """Reads the model from the folder that `to_disk` wrote."""
        self._model = load(Path(path) / FILE)
        return self

    def _from(self, folder: Path, data: bytes) -> Component:
        (folder / FILE).write_bytes(data)
        return self.from_disk(folder)

    def __getstate__(self) -> dict:
        # Another process, perhaps on another machine, gets the model itself and not the path of a file that may be gone.
        return {"options": self.options, "path": self._path, "data": None if self._model is None else self.to_bytes()}

    def __setstate__(self, state: dict) -> None:
        self.options, self._path, self._model = state["options"], state["path"], None
        if state["data"] is not None:
            self.from_bytes(state["data"])

    def __call__(self, doc):
        return next(self.pipe([doc]))

    def pipe(self, stream, *, batch_size: int = 64):
        """Parses so many documents together."""
        stream = iter(stream)
        while docs := list(islice(stream, batch_size)):
            spans = [[span for span in sentences(doc)] for doc in docs]
            trees = iter(self.model.parse([words(span) for of_doc in spans for span in of_doc if span], **self.options))
            for doc, of_doc in zip(docs, spans):
                parsed = [(span, next(trees)) for span in of_doc if span]
                if self.target:
                    tag(parsed, self.target)
                else:
                    annotate(doc, parsed)
                yield doc


def sentences(doc):
    """The sentences, each as those of its tokens that are words and not white space."""
    spans = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    return [[token for token in span if not token.is_space] for span in spans]


def words(tokens) -> list[dict]:
    """The tokens as `Model.parse` takes them."""
    return [
        {
            "form": token.text,
            "lemma": token.lemma_,
            "upos": token.pos_,
            "xpos": token.tag_,
            "feats": str(token.morph),
        }
        for token in tokens
    ]


def tag(tagged, column: str) -> None:
    """Sets parts of speech, the language's own tags, or morphological features."""
    for tokens, tree in tagged:
        for token, value in zip(tokens, tree.deprels):
            if column == "feats":
                token.set_morph(value)
            else:
                setattr(token, "pos_" if column == "upos" else "tag_", value)


def annotate(doc, parsed) -> None:
    """Sets heads and labels. The root's label is spaCy's `ROOT`; white space hangs from the word before it."""
    heads = list(range(len(doc)))
    labels = [""] * len(doc)
    for tokens, tree in parsed:
        for token, head, label in zip(tokens, tree.heads.tolist(), tree.deprels):
            heads[token.i] = token.i if head == 0 else tokens[head - 1].i
            labels[token.i] = "ROOT" if head == 0 else label
    last = None
    for token in doc:
        if not token.is_space:
            last = token.i
        elif last is not None:
            heads[token.i], labels[token.i] = last, "dep"
    first = next((token.i for token in doc if not token.is_space), None)
    for i in range(len(doc)):
        if not labels[i]:
            # White space before the first word, or nothing else.
            heads[i], labels[i] = (i, "ROOT") if first is None else (first, "dep")
    add = doc.vocab.strings.add
    values = numpy.array([[head - i, 0] for i, head in enumerate(heads)], dtype="int64").reshape(-1, 2).astype("uint64")
    values[:, 1] = [add(label) for label in labels]
    doc.from_array([HEAD, DEP], values)


DEFAULTS = {"model": None, "beam": None, "threads": 1}


@Language.factory("treebeam", assigns=["token.head", "token.dep"], requires=["token.pos"], default_config=DEFAULTS)
def create(nlp, name: str, model: str | None, beam: int | None, threads: int) -> Component:
    """The component of a pipeline; with a tagger's model it sets tags, as ``treebeam_tagger`` says that it does."""
    return Component(model, beam, threads)


@Language.factory("treebeam_tagger", assigns=["token.pos", "token.tag"], default_config=DEFAULTS)
def create_tagger(nlp, name: str, model: str | None, beam: int | None, threads: int) -> Component:
    """The component of a pipeline whose model is a tagger."""
    component = Component(model, beam, threads)
    if component._model is not None and component.target is None:
        raise ValueError(f"{model}: a parser; expected a tagger, or the factory `treebeam`")
    return component
