"""Batches of Arrow: the same trees, wherever the text stands."""

import pytest
from conftest import arcs

pa = pytest.importorskip("pyarrow")

from treebeam._arrow import UPOS  # noqa: E402


def batch(sentences, kind=None, lists=pa.list_):
    kind = kind or pa.string()
    columns = {
        "id": pa.array(range(len(sentences))),
        "tokens": pa.array([[form for form, _ in sentence] for sentence in sentences], lists(kind)),
        "upos": pa.array([[upos for _, upos in sentence] for sentence in sentences], lists(kind)),
    }
    return pa.RecordBatch.from_pydict(columns)


def arcs_in(parsed):
    rows = zip(parsed.column("head").to_pylist(), parsed.column("deprel").to_pylist())
    return [None if heads is None else list(zip(heads, labels)) for heads, labels in rows]


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_batches_are_parsed_as_by_the_program(data, kind, lists):
    parsed = data.model().parse_arrow(batch(data.sentences(), kind, lists), threads=2)
    parsed.validate(full=True)
    assert arcs_in(parsed) == arcs(data.parsed())
    assert parsed.schema.names == ["id", "tokens", "upos", "head", "deprel", "score"]
    assert parsed.schema.field("head").type == pa.list_(pa.int32())
    assert parsed.column("id").to_pylist() == list(range(len(data.sentences())))
    trees = data.model().parse(data.sentences())
    assert parsed.column("score").to_pylist() == [tree.score for tree in trees]


def test_slices_tables_and_columns_that_are_there_already(data):
    model, expected = data.model(), arcs(data.parsed())
    whole = batch(data.sentences())
    assert arcs_in(model.parse_arrow(whole.slice(7, 20))) == expected[7:27]
    # Lists, and values in lists, that do not begin where their buffers do.
    sliced = pa.RecordBatch.from_arrays([column.slice(5, 9) for column in whole.columns], whole.schema.names)
    assert arcs_in(model.parse_arrow(sliced.slice(1))) == expected[6:14]
    table = pa.Table.from_batches([whole.slice(0, 11), whole.slice(11), whole.slice(0, 0)])
    parsed = model.parse_arrow(table)
    assert isinstance(parsed, pa.Table) and arcs_in(parsed) == expected
    again = model.parse_arrow(parsed.select(["head", "tokens", "upos"]))
    assert again.schema.names == ["tokens", "upos", "head", "deprel", "score"] and arcs_in(again) == expected


def test_tags_may_be_numbers(data):
    sentences = [sentence for sentence in data.sentences() if all(upos in UPOS for _, upos in sentence)]
    numbers = pa.array([[UPOS.index(upos) for _, upos in sentence] for sentence in sentences], pa.list_(pa.int64()))
    numbered = batch(sentences).set_column(2, "upos", numbers)
    model = data.model()
    assert arcs_in(model.parse_arrow(numbered)) == arcs_in(model.parse_arrow(batch(sentences)))
    named = b'{"info": {"features": {"upos": {"feature": {"names": ["DET", "NOUN"], "_type": "ClassLabel"}}}}}'
    words = {"tokens": [["the", "dog"]], "upos": [[0, 1]]}
    of_hub = pa.RecordBatch.from_pydict(words).replace_schema_metadata({b"huggingface": named})
    expected = model.parse_arrow(batch([[("the", "DET"), ("dog", "NOUN")]]))
    assert arcs_in(model.parse_arrow(of_hub)) == arcs_in(expected)
    assert model.parse_arrow(of_hub).schema.metadata[b"huggingface"] == named


def test_rows_without_words(data):
    sentences = data.sentences()[:3]
    columns = batch(sentences).to_pydict()
    columns["tokens"][1:1] = [[], None]
    columns["upos"][1:1] = [[], None]
    columns["id"] += [3, 4]
    schema = batch(sentences).schema
    parsed = data.model().parse_arrow(pa.RecordBatch.from_pydict(columns, schema=schema))
    parsed.validate(full=True)
    expected = arcs(data.parsed())
    assert arcs_in(parsed) == [expected[0], [], None, expected[1], expected[2]]
    assert parsed.column("score").to_pylist()[2] is None
    empty = data.model().parse_arrow(batch(sentences).slice(0, 0))
    assert empty.num_rows == 0 and empty.schema.names[-1] == "score"


@pytest.mark.parametrize(
    "tokens, upos, told",
    [
        (["a", "b"], ["X"], "row 1: 1 values of UPOS for 2 tokens; expected one for each"),
        (["a", ""], ["X", "X"], "row 1: word 2 without a token"),
        (["a", None], ["X", "X"], "row 1: word 2 without a token"),
        (["a\tb"], ["X"], "row 1: the FORM `a\\tb`"),
    ],
)
def test_malformed_rows_are_told_or_left_out(data, tokens, upos, told):
    sentences = data.sentences()[:2]
    columns = batch(sentences).to_pydict()
    columns["tokens"].insert(1, tokens)
    columns["upos"].insert(1, upos)
    columns["id"].append(2)
    rows = pa.RecordBatch.from_pydict(columns, schema=batch(sentences).schema)
    with pytest.raises(ValueError) as error:
        data.model().parse_arrow(rows)
    assert told in str(error.value)
    expected = arcs(data.parsed())
    assert arcs_in(data.model().parse_arrow(rows, keep_going=True)) == [expected[0], None, expected[1]]


def test_columns_that_are_not_there_are_told(data):
    model = data.model()
    with pytest.raises(ValueError, match="expected `upos`"):
        model.parse_arrow(batch(data.sentences()).select(["tokens"]))
    with pytest.raises(ValueError, match="expected lists of text"):
        model.parse_arrow(pa.RecordBatch.from_pydict({"tokens": ["a"], "upos": ["X"]}))
    with pytest.raises(ValueError, match="17 is|where there are 18 names"):
        model.parse_arrow(pa.RecordBatch.from_pydict({"tokens": [["a"]], "upos": [[99]]}))
