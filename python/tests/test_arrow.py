"""Batches of Arrow: the same trees, wherever the text stands."""

import ctypes
import random

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
    "tokens, upos, message",
    [
        (["a", "b"], ["X"], "row 1: 1 values of UPOS for 2 tokens; expected one for each"),
        (["a", ""], ["X", "X"], "row 1: word 2 without a token"),
        (["a", None], ["X", "X"], "row 1: word 2 without a token"),
    ],
)
def test_malformed_rows_are_reported_or_left_out(data, tokens, upos, message):
    sentences = data.sentences()[:2]
    columns = batch(sentences).to_pydict()
    columns["tokens"].insert(1, tokens)
    columns["upos"].insert(1, upos)
    columns["id"].append(2)
    rows = pa.RecordBatch.from_pydict(columns, schema=batch(sentences).schema)
    with pytest.raises(ValueError) as error:
        data.model().parse_arrow(rows)
    assert message in str(error.value)
    expected = arcs(data.parsed())
    assert arcs_in(data.model().parse_arrow(rows, keep_going=True)) == [expected[0], None, expected[1]]


def test_columns_that_are_not_there_are_reported(data):
    model = data.model()
    with pytest.raises(ValueError, match="expected `upos`"):
        model.parse_arrow(batch(data.sentences()).select(["tokens"]))
    with pytest.raises(ValueError, match="expected lists of text"):
        model.parse_arrow(pa.RecordBatch.from_pydict({"tokens": ["a"], "upos": ["X"]}))
    with pytest.raises(ValueError, match="17 is|where there are 18 names"):
        model.parse_arrow(pa.RecordBatch.from_pydict({"tokens": [["a"]], "upos": [[99]]}))


def test_tabs_and_line_ends_in_words_are_blanks(data):
    sentences = data.sentences()[:3]
    torn = [[(f"{form}\t\n", upos) for form, upos in sentences[0]], *sentences[1:]]
    blank = [[(f"{form} ", upos) for form, upos in sentences[0]], *sentences[1:]]
    model = data.model()
    assert arcs_in(model.parse_arrow(batch(torn))) == arcs_in(model.parse_arrow(batch(blank)))


@pytest.mark.parametrize("by", range(1, 9))
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_buffers_that_are_not_aligned_are_copied(data, kind, by):
    whole = batch(data.sentences(), kind)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_batch(whole)
    moved = pa.py_buffer(bytes(by) + sink.getvalue().to_pybytes()).slice(by)
    read = pa.ipc.open_stream(moved).read_next_batch()
    assert arcs_in(data.model().parse_arrow(read)) == arcs(data.parsed())


class Schema(ctypes.Structure):
    """`ArrowSchema` of the C data interface."""


class Array(ctypes.Structure):
    """`ArrowArray` of the C data interface."""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    *[(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")],
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Forged:
    """A batch whose description is changed before it is read, and put right before it is given back."""

    def __init__(self, of, change):
        self.of, self.change = of, change

    def __arrow_c_array__(self, requested_schema=None):
        self.capsules = self.of.__arrow_c_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        schema = Schema.from_address(pointer(self.capsules[0], b"arrow_schema"))
        array = Array.from_address(pointer(self.capsules[1], b"arrow_array"))
        self.undo = []
        self.change(self, schema, array)
        return self.capsules

    def set(self, structure, field, value):
        self.write(ctypes.addressof(structure) + getattr(type(structure), field).offset, value)

    def put(self, pointers, place, value):
        self.write(ctypes.addressof(pointers.contents) + 8 * place, value)

    def write(self, address, value):
        place = ctypes.c_int64.from_address(address)
        self.undo.append((place, place.value))
        place.value = value or 0

    def parse(self, model):
        try:
            return model._parse_arrow(self, list(UPOS), False)
        finally:
            for place, value in reversed(self.undo):
                place.value = value


def of_numbers(kind, numbers):
    return (kind * len(numbers))(*numbers)


def arrays(schema, array):
    """Both columns, each with the array of its values: of schemas, of arrays."""
    for i in range(1, 3):
        yield schema.children[i].contents, array.children[i].contents
        yield schema.children[i].contents.children[0].contents, array.children[i].contents.children[0].contents


@pytest.mark.parametrize("field", ["length", "offset", "n_buffers", "n_children"])
@pytest.mark.parametrize("value", [-1, -(2**63), 2**62, 2**63 - 1])
def test_impossible_numbers_are_reported(data, field, value):
    if field in ("n_buffers", "n_children") and value > 0:
        pytest.skip("the number of pointers is unknown")
    for place in range(5):

        def change(forged, schema, array):
            forged.set([array, *(of for _, of in arrays(schema, array))][place], field, value)

        with pytest.raises(ValueError):
            Forged(batch(data.sentences()), change).parse(data.model())


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("offsets", [[-1], [0, -5], [0, 3, 2], [0, 2**31 - 1], [2**31 - 1]])
def test_impossible_offsets_are_reported(data, offsets, place):
    sentences = data.sentences()[:3]

    def change(forged, schema, array):
        of = [of for _, of in arrays(schema, array)][place]
        offsets_of_all = [*offsets, *[offsets[-1]] * (of.length + 1 - len(offsets))]
        if place % 2 and offsets == [2**31 - 1]:
            # Of text that long, and all of it empty.
            offsets_of_all = [0, -1, *offsets_of_all[2:]]
        if place % 2 and offsets == [0, 2**31 - 1]:
            offsets_of_all = [0, 2**31 - 1, 5, *offsets_of_all[3:]]
        forged.numbers = of_numbers(ctypes.c_int32, offsets_of_all)
        forged.put(of.buffers, 1, ctypes.addressof(forged.numbers))

    with pytest.raises(ValueError):
        Forged(batch(sentences), change).parse(data.model())


@pytest.mark.parametrize("place", range(4))
def test_missing_buffers_and_children_are_reported(data, place):
    def no_buffer(forged, schema, array):
        forged.put([of for _, of in arrays(schema, array)][place].buffers, 1, None)

    def no_buffers(forged, schema, array):
        forged.set([of for _, of in arrays(schema, array)][place], "buffers", None)

    def no_child(forged, schema, array):
        forged.put(array.children, 1 + place % 2, None)

    def no_children(forged, schema, array):
        forged.set([array, array.children[1].contents, array.children[2].contents][place % 3], "children", None)

    def given_away(forged, schema, array):
        forged.set([of for _, of in arrays(schema, array)][place], "release", None)

    for change in (no_buffer, no_buffers, no_child, no_children, given_away):
        with pytest.raises(ValueError):
            Forged(batch(data.sentences()), change).parse(data.model())


def test_no_change_of_a_description_is_worse_than_a_value_error(data):
    """Counts that are too small, lists that begin anywhere, other types of the same layout: trees or ValueErrors."""
    chance, model, parsed = random.Random(1), data.model(), 0
    for _ in range(300):

        def change(forged, schema, array):
            of = chance.choice([array, *(of for _, of in arrays(schema, array))])
            what = chance.choice(["length", "offset", "null_count", "offsets"])
            if what == "offsets" and of.n_buffers > 1:
                n, most = of.length + 1, chance.choice([3, 50])
                numbers = [chance.randint(-1, most) for _ in range(n)]
                numbers = sorted(numbers) if chance.random() < 0.5 else numbers
                forged.numbers = of_numbers(ctypes.c_int32, numbers)
                forged.put(of.buffers, 1, ctypes.addressof(forged.numbers))
            elif what != "offsets":
                forged.set(of, what, chance.randint(-2, of.length) if what == "length" else chance.randint(-2, 0))

        try:
            Forged(batch(data.sentences()), change).parse(model)
            parsed += 1
        except ValueError:
            pass
    assert 20 < parsed < 280
