"""treebeam as a component of spaCy: ``nlp.add_pipe("treebeam", config={"model": "en.model"})``.

A parser reads what its model reads, words and tags mostly, so a tagger has to come first: spaCy's own, or this component with a
tagger of treebeam, under another name. Sentences are those of the document, or the
document is one sentence if nothing has divided it.
"""

from __future__ import annotations

from itertools import islice

import numpy
from spacy.attrs import DEP, HEAD
from spacy.language import Language

from . import load


class Component:
    """Sets heads and labels of documents, or tags if the model is of a tagger."""

    def __init__(self, model: str, beam: int | None = None, threads: int = 1) -> None:
        self.model = load(model)
        self.target = self.model.header["tag_column"] if self.model.system == "tagger" else None
        self.options = {"beam": beam, "threads": threads}

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


@Language.factory("treebeam", assigns=["token.head", "token.dep"], default_config={"beam": None, "threads": 1})
def create(nlp, name: str, model: str, beam: int | None, threads: int) -> Component:
    """The component of a pipeline."""
    return Component(model, beam, threads)
