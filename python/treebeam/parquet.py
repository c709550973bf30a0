"""Parsing from and to files of Parquet and CoNLL-U: ``treebeam.parquet.parse("in.parquet", "out.parquet", "en.model")``.

As a program: ``python -m treebeam.parquet --model en.model in.parquet -o out.conllu``.

One row is a sentence; its words stand in parallel lists, named as in the Universal Dependencies of the Hugging Face Hub: ``tokens,
lemmas, upos, xpos, feats, misc``. Parsing adds ``head``, ``deprel`` and ``score``; the other columns pass through, and what the file
says of itself does, with the model's checksum, the width of the beam and the version under ``treebeam``. What CoNLL-U has besides
becomes the columns ``sent_id``, ``text``, ``comments`` and ``mwt`` (ranges), and the other way round; its empty nodes and enhanced
dependencies do not become columns.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import warnings

from ._batches import about, loaded, located, path_of

#: Sentences that are read before they are parsed together.
ROWS = 4096
#: Sentences of a row group.
GROUP = 64 * ROWS
_LISTS = ("tokens", "lemmas", "upos", "xpos", "feats", "misc")
_OF_WORD = {"tokens": 1, "lemmas": 2, "upos": 3, "xpos": 4, "feats": 5, "misc": 9}


def parse(source, target, model, *, input=None, output=None, keep_going=False, **options) -> int:
    """Parses a file into another; returns the number of malformed sentences that were left without trees, with ``keep_going``.

    Files are of Parquet or of CoNLL-U (also .gz or .zst), as their names end or as ``input`` and ``output`` say: ``"parquet"``,
    ``"conllu"``; ``-`` is standard input or output. The target appears whole or not at all. A model is a path or a loaded one;
    options are those of `Model.parse`.
    """
    source, target = os.fspath(source), os.fspath(target)
    input, output = _format(source, input), _format(target, output)
    made_by = about(model, options.get("beam"))
    model = model if hasattr(model, "parse_arrow") else loaded(path_of(model))
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(source, target):
        raise ValueError(f"{target} is read; expected another file to write")
    read = _of_parquet if input == "parquet" else _of_conllu
    n_left_out = 0
    with _written(target) as path, contextlib.ExitStack() as stack:
        write = None
        for batch, n_without in read(source, model, keep_going, options):
            n_left_out += n_without
            if write is None:
                make = _to_parquet if output == "parquet" else _to_conllu
                write = stack.enter_context(make(path, target, batch.schema, made_by))
            write(batch)
    return n_left_out


def _format(path: str, name: str | None) -> str:
    """What a file is written in."""
    if name not in (None, "parquet", "conllu"):
        raise ValueError(f"found the format {name!r}; expected parquet or conllu")
    return name or ("parquet" if path.lower().endswith((".parquet", ".pq")) else "conllu")


@contextlib.contextmanager
def _written(target: str):
    """A file beside the target, which takes its place if all goes well; or standard output."""
    if target == "-":
        # Who writes closes what it writes to, and that may not be the program's own.
        with open(os.dup(sys.stdout.fileno()), "wb") as file:
            yield file
        return
    folder = os.path.dirname(os.path.abspath(target))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{target}: there is no folder {folder}; expected one that exists")
    file, path = tempfile.mkstemp(prefix=".treebeam-", dir=folder)
    os.close(file)
    try:
        yield path
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(path, 0o666 & ~mask)
        os.replace(path, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _of_parquet(source, model, keep_going, options):
    """The parsed batches of a file, and how many of the rows of each are malformed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A file of Parquet is not read from its beginning to its end.
        file = pq.ParquetFile(pa.BufferReader(sys.stdin.buffer.read()) if source == "-" else _existing(source))
    except pa.ArrowException as error:
        raise ValueError(f"{source}: {error}; expected a file of Parquet") from None
    if "tokens" not in file.schema_arrow.names:
        found = ", ".join(file.schema_arrow.names)
        raise ValueError(f"{source}: found the columns {found}; expected `tokens`, a list of text for each sentence")
    first, n_batches = 0, 0
    for batch in file.iter_batches(ROWS):
        batch = batch.replace_schema_metadata(file.schema_arrow.metadata)
        parsed = _parsed(model, batch, source, first, keep_going, options)
        yield parsed, parsed.column("head").null_count - batch.column("tokens").null_count
        first += batch.num_rows
        n_batches += 1
    if n_batches == 0:
        yield _parsed(model, _empty(file.schema_arrow), source, 0, keep_going, options), 0


def _parsed(model, batch, source, first, keep_going, options):
    try:
        return model.parse_arrow(batch, keep_going=keep_going, **options)
    except ValueError as error:
        remedy = "" if keep_going or not str(error).startswith("row ") else " (--keep-going leaves out what is malformed)"
        raise ValueError(located(str(error), batch, first, f"{source}: ") + remedy) from None


def _empty(schema):
    """A batch without rows."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def _schema():
    """The columns that CoNLL-U has."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    ranges = pa.list_(pa.struct([(name, pa.string()) for name in ("id", "form", "feats", "misc")]))
    fields = [("sent_id", pa.string()), ("text", pa.string()), ("comments", texts)]
    fields += [(name, texts) for name in _LISTS] + [("mwt", ranges)]
    fields += [("head", pa.list_(pa.int32())), ("deprel", texts), ("score", pa.float64())]
    return pa.schema(fields)


def _of_conllu(source, model, keep_going, options):
    """The parsed sentences of a file as batches, and how many of each are malformed and not among them."""
    schema, n_batches = _schema(), 0
    for text, line in _texts(source):
        trees, n_left_out = _trees(model, text, source, line, keep_going, options)
        yield _batch(trees, schema), n_left_out
        n_batches += 1
    if n_batches == 0:
        yield _empty(schema), 0


def _texts(source):
    """The text of so many sentences each, and the number of its first line."""
    import pyarrow as pa

    lines, first, n_sentences, number = [], 1, 0, 0
    packed = {".gz": "gzip", ".zst": "zstd"}.get(os.path.splitext(source)[1])
    file = sys.stdin.buffer if source == "-" else _existing(source)
    with pa.input_stream(file, compression=packed, buffer_size=1 << 20) as stream:
        for line in io.BufferedReader(stream):
            number += 1
            lines.append(line)
            if not line.strip():
                n_sentences += 1
                if n_sentences == ROWS:
                    yield b"".join(lines), first
                    lines, first, n_sentences = [], number + 1, 0
    if lines:
        yield b"".join(lines), first


def _existing(path: str) -> str:
    """A file that is there."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: No such file or directory (os error 2)")
    return path


def _trees(model, text, source, first, keep_going, options):
    """The trees of a text; problems name the lines of the file, or the sentence is left out."""
    try:
        return model.parse(text, **options), 0
    except ValueError as error:
        message, is_malformed = _placed(str(error), source, first)
        if not keep_going or not is_malformed:
            raise ValueError(message + (" (--keep-going leaves out what is malformed)" if is_malformed else "")) from None
    trees, n_left_out, line = [], 0, first
    for block in re.split(rb"(?<=\n)\r?\n", text):
        if block.strip():
            try:
                trees += model.parse(block.rstrip(b"\r\n") + b"\n\n", **options)
            except ValueError as error:
                n_left_out += 1
                print(f"warning: {_placed(str(error), source, line)[0]}", file=sys.stderr)
        line += block.count(b"\n") + 1
    return trees, n_left_out


def _placed(message: str, source: str, first: int) -> tuple[str, bool]:
    """A message about a text with its place in the file, where the text begins at line `first`; whether it has one."""
    found = re.match(r"text:(\d+)", message)
    return (f"{source}:{first + int(found[1]) - 1}{message[found.end():]}", True) if found else (f"{source}: {message}", False)


def _batch(trees, schema):
    """Trees as a batch."""
    import pyarrow as pa

    columns = {name: [] for name in schema.names}
    for tree in trees:
        comments, words, ranges = [], [], []
        for line in tree.to_conllu().splitlines():
            fields = line.split("\t")
            if line.startswith("#"):
                comments.append(line)
            elif fields[0].isdigit():
                words.append(fields)
            elif "-" in fields[0]:
                ranges.append({"id": fields[0], "form": fields[1], "feats": fields[5], "misc": fields[9]})
        text = next((c.split("=", 1)[1].strip() for c in comments if re.match(r"#\s*text\s*=", c)), None)
        columns["sent_id"].append(tree.sent_id)
        columns["text"].append(text)
        columns["comments"].append(comments)
        for name, place in _OF_WORD.items():
            columns[name].append([word[place] for word in words])
        columns["mwt"].append(ranges)
        columns["head"].append(tree.heads)
        columns["deprel"].append(tree.deprels)
        columns["score"].append(tree.score)
    return pa.RecordBatch.from_arrays([pa.array(columns[f.name], f.type) for f in schema], schema=schema)


@contextlib.contextmanager
def _to_parquet(path, target, schema, made_by):
    """Writes batches as row groups."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = schema.with_metadata({**(schema.metadata or {}), b"treebeam": json.dumps(made_by).encode()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        waiting = []

        def flush():
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting), row_group_size=GROUP)
                waiting.clear()

        def write(batch):
            waiting.append(batch.replace_schema_metadata(schema.metadata))
            if sum(batch.num_rows for batch in waiting) >= GROUP:
                flush()

        yield write
        flush()


@contextlib.contextmanager
def _to_conllu(path, target, schema, made_by):
    """Writes the rows that have trees as sentences."""
    import pyarrow as pa

    from ._arrow import names_of_tags, plain

    ending = os.path.splitext(target)[1]
    packed = {".gz": "gzip", ".zst": "zstd"}.get(ending)
    tags = names_of_tags(schema)
    with pa.output_stream(path, compression=packed) as stream:

        def write(batch):
            rows = plain(batch).to_pylist()
            stream.write("".join(_block(row, tags) for row in rows if row["head"]).encode())

        yield write


def _block(row, tags) -> str:
    """A row as CoNLL-U."""
    comments = row.get("comments")
    if not isinstance(comments, list):
        sent_id = next((row[name] for name in ("sent_id", "idx") if row.get(name) is not None), None)
        named = {"sent_id": sent_id, "text": row.get("text")}
        comments = [f"# {name} = {value}" for name, value in named.items() if isinstance(value, str) and "\n" not in value]
    lines = list(comments)
    ranges = {}
    for span in row.get("mwt") or ():
        if isinstance(span, dict) and re.fullmatch(r"\d+-\d+", span.get("id") or ""):
            ranges[int(span["id"].split("-")[0])] = span
    n_words = len(row["head"])
    columns = []
    for name in _LISTS:
        values = row.get(name)
        columns.append(values if isinstance(values, list) and len(values) == n_words else [None] * n_words)
    for number, (form, lemma, upos, xpos, feats, misc) in enumerate(zip(*columns), start=1):
        if number in ranges:
            span = ranges[number]
            form_of, feats_of, misc_of = (_value(span.get(name)) for name in ("form", "feats", "misc"))
            lines.append("\t".join([span["id"], form_of, "_", "_", "_", feats_of, "_", "_", "_", misc_of]))
        upos = tags[upos] if isinstance(upos, int) else upos
        values = map(_value, (form, lemma, upos, xpos, feats))
        tree = (str(row["head"][number - 1]), row["deprel"][number - 1], "_", _value(misc))
        lines.append("\t".join([str(number), *values, *tree]))
    return "\n".join(lines) + "\n\n"


def _value(value) -> str:
    """A value of a column; what is not known is `_`."""
    value = "_" if value in (None, "") else str(value)
    return re.sub(r"[\t\r\n]+", " ", value)


def main(arguments=None) -> int:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m treebeam.parquet", description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="the model")
    parser.add_argument("--input", choices=("parquet", "conllu"), help="what is read [default: by the file's ending]")
    parser.add_argument("--output-format", choices=("parquet", "conllu"), help="what is written [default: by the file's ending]")
    parser.add_argument("-o", "--output", required=True, help="the file to write, whole or not at all")
    parser.add_argument("--beam", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--search")
    parser.add_argument("--margin")
    parser.add_argument("--merge", choices=("true", "false"))
    parser.add_argument("--keep-going", action="store_true", help="leave malformed sentences without trees; the exit code is then 1")
    parser.add_argument("source", help="the file to parse")
    given = vars(parser.parse_args(arguments))
    source, target, model = given.pop("source"), given.pop("output"), given.pop("model")
    given["output"] = given.pop("output_format")
    if given["merge"] is not None:
        given["merge"] = given["merge"] == "true"
    warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
    try:
        n_left_out = parse(source, target, model, **given)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if n_left_out:
        print(f"warning: {n_left_out} sentences are malformed, and have no trees", file=sys.stderr)
    return 1 if n_left_out else 0


if __name__ == "__main__":
    sys.exit(main())
