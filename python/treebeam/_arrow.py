"""Columns of Arrow from the buffers that parsing makes."""

from __future__ import annotations

import json

# The names of the universal parts of speech where they are numbers, as in the Hub's `universal_dependencies`.
UPOS = "NOUN PUNCT ADP NUM SYM SCONJ ADJ PART DET CCONJ PROPN PRON X _ ADV INTJ VERB AUX".split()
COLUMNS = ("head", "deprel", "score")


def parse_arrow(self, batch, *, keep_going: bool = False, **options):
    """Parses a batch or table of Arrow, one sentence a row, its words in parallel lists.

    Columns are named as in the Universal Dependencies of the Hugging Face Hub: ``tokens, lemmas, upos, xpos, feats``; the text is
    read where it stands. The result is the batch with the columns ``head`` (lists of int32), ``deprel`` and ``score``, which
    replace those that it has. A row without a list gets nulls; so does a malformed one with ``keep_going``, which else is a
    ValueError that names it.
    """
    import pyarrow as pa

    is_table = isinstance(batch, pa.Table)
    if not is_table and not hasattr(batch, "__arrow_c_array__") and hasattr(batch, "__arrow_c_stream__"):
        batch, is_table = pa.table(batch), True
    if is_table:
        batches = [parse_arrow(self, part, keep_going=keep_going, **options) for part in batch.to_batches()]
        return pa.Table.from_batches(batches, schema=schema(batch.schema))
    if not isinstance(batch, pa.RecordBatch):
        batch = pa.record_batch(batch)
    batch = plain(batch)
    buffers = self._parse_arrow(batch, names_of_tags(batch.schema), keep_going, **options)
    new = dict(zip(COLUMNS, columns(pa, buffers)))
    old = {name: column for name, column in zip(batch.schema.names, batch.columns)}
    target = schema(batch.schema)
    return pa.RecordBatch.from_arrays([new.get(name, old.get(name)) for name in target.names], schema=target)


def schema(of):
    """The schema of parsed batches of this schema."""
    import pyarrow as pa

    types = dict(zip(COLUMNS, (pa.list_(pa.int32()), pa.list_(pa.string()), pa.float64())))
    fields = [field for field in of if field.name not in types]
    return pa.schema(fields + [pa.field(name, kind) for name, kind in types.items()], metadata=of.metadata)


def columns(pa, buffers):
    """``head``, ``deprel`` and ``score``."""
    n_rows, n_words, n_null, validity, offsets, heads, label_offsets, labels, scores = buffers
    validity, offsets, heads, label_offsets, labels, scores = map(
        pa.py_buffer, (validity, offsets, heads, label_offsets, labels, scores)
    )
    validity = validity if n_null else None
    words = pa.Array.from_buffers(pa.int32(), n_words, [None, heads])
    names = pa.Array.from_buffers(pa.string(), n_words, [None, label_offsets, labels])

    def lists(kind, values):
        return pa.Array.from_buffers(pa.list_(kind), n_rows, [validity, offsets], n_null, children=[values])

    return (
        lists(pa.int32(), words),
        lists(pa.string(), names),
        pa.Array.from_buffers(pa.float64(), n_rows, [validity, scores], n_null),
    )


def plain(batch):
    """The batch with features as CoNLL-U writes them, where they are written as Python's dictionaries: `{'Number': 'Sing'}`.

    So they are in some of the Hub's data sets, `None` meaning none.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in ("feats", "misc"):
        place = batch.schema.get_field_index(name)
        if place < 0 or not pa.types.is_list(batch.schema.field(place).type):
            continue
        column = batch.column(place)
        values = column.flatten()
        if not pa.types.is_string(values.type) or not _is_of_dictionaries(pc.drop_null(values.slice(0, 64))):
            continue
        values = pc.replace_substring_regex(values, r"^\{'(.*)'\}$", r"\1")
        values = pc.replace_substring(values, "', '", "|")
        values = pc.replace_substring_regex(values, r"': '|': None", "=")
        values = pc.if_else(pc.is_in(values, pa.array(["None", "{}"])), "_", values)
        lengths = pc.fill_null(pc.list_value_length(column), 0)
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths).cast(pa.int32())])
        lists = pa.ListArray.from_arrays(offsets, values, type=column.type, mask=column.is_null())
        batch = batch.set_column(place, batch.schema.field(place), lists)
    return batch


def _is_of_dictionaries(values) -> bool:
    """Whether values are Python's dictionaries: some are, or all say that there is none."""
    values = values.to_pylist()
    return any(v.startswith("{'") and v.endswith("}") for v in values) or bool(values) and set(values) == {"None"}


def names_of_tags(schema) -> list[str]:
    """The names of parts of speech that are numbers: what the data set says of itself, or else the Hub's."""
    about = (schema.metadata or {}).get(b"huggingface")
    if about:
        feature = json.loads(about).get("info", {}).get("features", {}).get("upos")
        while feature:
            if isinstance(feature, list):
                feature = feature[0]
            if "names" in feature:
                return feature["names"]
            feature = feature.get("feature")
    return list(UPOS)
