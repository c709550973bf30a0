"""Batches of sentences in worker processes: what Spark, Ray Data and files of Parquet have in common."""

from __future__ import annotations

import hashlib
import os
import re

#: Models that this process has loaded, by path: a worker loads each once.
_models: dict = {}
#: Checksums of files, by path, time of change and size.
_checksums: dict = {}
#: Columns that name a sentence, in messages.
_NAMES = ("sent_id", "id", "idx")


def loaded(path: str):
    """The model of this file, which is loaded once in a process."""
    import treebeam

    path = os.path.abspath(path)
    if path not in _models:
        _models[path] = treebeam.load(path)
    return _models[path]


def path_of(model) -> str:
    """The file of a model, or of the path of one."""
    return os.fspath(getattr(model, "path", model))


def sha256(path: str) -> str:
    """The checksum of a file, as 64 hexadecimal digits."""
    path = os.path.abspath(path)
    status = os.stat(path)
    key = (path, status.st_mtime_ns, status.st_size)
    if key not in _checksums:
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        _checksums[key] = digest.hexdigest()
    return _checksums[key]


def about(model, beam: int | None) -> dict:
    """Which model makes trees, at which width and by which version: what is kept with them as metadata."""
    import treebeam

    model = model if isinstance(model, treebeam.Model) else loaded(path_of(model))
    beam = model.beam if beam is None else beam
    return {"sha256": sha256(path_of(model)), "beam": beam, "version": treebeam.__version__}


def located(message: str, batch, first: int, where: str) -> str:
    """A message about a row of a batch, with the row's number in the whole of which the batch begins at row `first`.

    What names the sentence is added, if there is such a column.
    """
    found = re.match(r"row (\d+)(?=: )", message)
    if not found:
        return where + message
    row = int(found[1])
    name = next((name for name in _NAMES if name in batch.schema.names), None)
    name = "" if name is None else f" ({name} {batch.column(name)[row].as_py()})"
    return f"{where}row {first + row}{name}{message[found.end() :]}"


class BatchParser:
    """Parses batches and tables of Arrow in worker processes, each of which loads the model once.

    The file of the model is looked for under its path, and then among the files that Spark has sent.
    """

    def __init__(self, model, **options) -> None:
        path = path_of(model)
        # Workers are in other folders.
        self.model = os.path.abspath(path) if os.path.exists(path) else path
        self.options = options

    def __call__(self, batch):
        return self.loaded().parse_arrow(batch, **self.options)

    def loaded(self):
        if os.path.isabs(self.model):
            return loaded(self.model)
        from pyspark import SparkFiles

        return loaded(SparkFiles.get(self.model))

    def batches(self, batches):
        """Parses the batches of a partition, one after the other: what ``mapInArrow`` calls.

        A malformed row is a ValueError that says in which partition it is, its number there from 0, and its ``sent_id``, ``id``
        or ``idx``.
        """
        first = 0
        for batch in batches:
            try:
                parsed = self(batch)
            except ValueError as error:
                raise ValueError(located(str(error), batch, first, _partition())) from None
            yield parsed
            first += batch.num_rows


def _partition() -> str:
    """The partition that a task of Spark works on, as the beginning of a message."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return "" if context is None else f"partition {context.partitionId()}, "
