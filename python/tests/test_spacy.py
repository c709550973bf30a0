"""The component of spaCy."""

import pytest
from conftest import arcs, arcs_of

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")

from spacy.tokens import Doc  # noqa: E402


def doc(vocab, sentences):
    words = [word for sentence in sentences for word in sentence]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence))]
    return Doc(vocab, [form for form, _ in words], pos=[upos for _, upos in words], sent_starts=starts)


def arcs_in(span):
    """As CoNLL-U has them."""
    head = lambda token: 0 if token.head == token else token.head.i - span.start + 1  # noqa: E731
    return [(head(token), "root" if token.dep_ == "ROOT" else token.dep_) for token in span]


def test_raw_text_goes_through_a_sentencizer_and_a_tagger(data):
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("treebeam", name="tagger of treebeam", config={"model": str(data.model_path("tagger"))})
    nlp.add_pipe("treebeam", config={"model": str(data.model_path("beams"))})
    [first, second] = nlp("the dog sees the cat. a cat sleeps.").sents
    sentences = [[{"form": token.text} for token in span] for span in (first, second)]
    tagged, other = data.model("tagger").parse(sentences)
    assert [token.pos_ for token in first] == tagged.upos and [token.pos_ for token in second] == other.upos
    [tree] = data.model().parse([tagged])
    assert arcs_in(first) == [(head, "root" if head == 0 else label) for head, label in arcs_of(tree)]


def test_documents_are_parsed_as_by_the_program(data):
    nlp = spacy.blank("xx")
    component = nlp.add_pipe("treebeam", config={"model": str(data.model_path("beams"))})
    sentences, expected = data.sentences(), arcs(data.parsed())
    docs = [doc(nlp.vocab, sentences[i : i + 5]) for i in range(0, len(sentences), 5)]
    docs.append(Doc(nlp.vocab))
    parsed = list(component.pipe(docs, batch_size=3))
    assert [arcs_in(span) for d in parsed for span in d.sents] == expected
    assert all(d.has_annotation("DEP") for d in parsed)
    assert [arcs_in(span) for span in component(doc(nlp.vocab, sentences[:2])).sents] == expected[:2]


def test_white_space_hangs_from_the_word_before_it(data):
    nlp = spacy.blank("xx")
    component = nlp.add_pipe("treebeam", config={"model": str(data.model_path("beams"))})
    [sentence] = data.sentences()[:1]
    words = [("\n", "SPACE"), *sentence[:1], ("  ", "SPACE"), *sentence[1:]]
    parsed = component(Doc(nlp.vocab, [form for form, _ in words], pos=[upos for _, upos in words]))
    assert [token.head.i for token in parsed if token.is_space] == [1, 1]
    others = [token for token in parsed if not token.is_space]
    heads = [0 if token.head == token else others.index(token.head) + 1 for token in others]
    assert heads == [head for head, _ in arcs(data.parsed())[0]]
    blank = component(Doc(nlp.vocab, [" "]))
    assert blank[0].dep_ == "ROOT"


def test_spans_are_sentences(data):
    nlp = spacy.blank("xx")
    document = doc(nlp.vocab, data.sentences()[:3])
    trees = data.model().parse(document.sents)
    assert [list(zip(tree.heads.tolist(), tree.deprels)) for tree in trees] == arcs(data.parsed())[:3]
