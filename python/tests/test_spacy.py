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


def pipeline(data):
    nlp = spacy.blank("xx")
    nlp.add_pipe("treebeam_tagger", config={"model": str(data.model_path("tagger"))})
    nlp.add_pipe("treebeam", config={"model": str(data.model_path("beams"))})
    return nlp


def test_pipelines_know_what_is_missing(data):
    nlp = pipeline(data)
    assert not any(nlp.analyze_pipes()["problems"].values())
    nlp.remove_pipe("treebeam_tagger")
    assert nlp.analyze_pipes()["problems"]["treebeam"] == ["token.pos"]
    with pytest.raises(ValueError, match="expected a tagger"):
        nlp.add_pipe("treebeam_tagger", config={"model": str(data.model_path("beams"))})


def test_a_saved_pipeline_has_its_models(data, tmp_path):
    nlp = spacy.blank("xx")
    for factory, name in [("treebeam_tagger", "tagger"), ("treebeam", "beams")]:
        copy = tmp_path / name
        copy.write_bytes(data.model_path(name).read_bytes())
        nlp.add_pipe(factory, config={"model": str(copy)})
    text = "the dog sees the cat"
    expected = [(token.pos_, token.head.i, token.dep_) for token in nlp(text)]
    nlp.to_disk(tmp_path / "saved")
    (tmp_path / "beams").unlink()
    read = spacy.load(tmp_path / "saved")
    assert [(token.pos_, token.head.i, token.dep_) for token in read(text)] == expected
    other = spacy.blank("xx")
    for factory in ["treebeam_tagger", "treebeam"]:
        other.add_pipe(factory)
    with pytest.raises(ValueError, match="the component has no model"):
        other(text)
    other.from_bytes(read.to_bytes())
    assert [(token.pos_, token.head.i, token.dep_) for token in other(text)] == expected


def test_several_processes_parse_the_same(data):
    nlp = pipeline(data)
    texts = ["the dog sees the cat", "a cat sleeps", "the cat sees a dog"]
    arcs_of_all = [[[(token.head.i, token.dep_) for token in doc] for doc in nlp.pipe(texts, n_process=n)] for n in (1, 2)]
    assert arcs_of_all[0] == arcs_of_all[1]


def test_spans_are_sentences(data):
    nlp = spacy.blank("xx")
    document = doc(nlp.vocab, data.sentences()[:3])
    trees = data.model().parse(document.sents)
    assert [list(zip(tree.heads.tolist(), tree.deprels)) for tree in trees] == arcs(data.parsed())[:3]
