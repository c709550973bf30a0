"""Parsing with Spark.

One row is a sentence; its words stand in parallel lists, named as in the Universal Dependencies of the Hugging Face Hub:
``tokens, lemmas, upos, xpos, feats``. Parsing adds ``head`` (array<int>), ``deprel`` (array<string>) and ``score`` (double); the
other columns pass through. Nothing but the standard library is imported before it is needed.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from ._batches import BatchParser, about, path_of, sha256

__all__ = ["BatchParser", "parse", "pipe"]

#: What has been sent, by application, path and checksum: the name that workers find it by.
_sent: dict = {}


def _send(context, path: str, ending: str) -> str:
    """Sends a file to all workers, once; the name that they find it by.

    Its name is made from what it holds: two files of one name do not get into each other's way.
    """
    path = os.path.abspath(path)
    key = (context.applicationId, path, sha256(path))
    if key not in _sent:
        name = f"treebeam-{sha256(path)[:16]}{ending}"
        # Spark serves the file for as long as the application runs.
        copy = os.path.join(tempfile.mkdtemp(prefix="treebeam-"), name)
        shutil.copy2(path, copy)
        context.addFile(copy)
        _sent[key] = name
    return _sent[key]


def _added(metadata: dict, with_score: bool) -> list:
    """The fields that parsing adds."""
    from pyspark.sql.types import ArrayType, DoubleType, IntegerType, StringType, StructField

    fields = [
        StructField("head", ArrayType(IntegerType()), True, metadata),
        StructField("deprel", ArrayType(StringType()), True, metadata),
    ]
    return fields + ([StructField("score", DoubleType(), True, metadata)] if with_score else [])


def _check(df) -> None:
    if "tokens" not in df.columns:
        columns = ", ".join(df.columns)
        raise ValueError(f"the data frame has the columns {columns}; expected `tokens`, a list of text for each sentence")


def parse(df, model, *, beam=None, keep_going=False, **options):
    """Parses a data frame of sentences.

    The model, a path or a loaded one, is sent to the workers once; options are those of `Model.parse`. A malformed row ends the job
    with an error that names it; with ``keep_going``, its ``head``, ``deprel`` and ``score`` are null. The fields that are added say
    in their metadata, under ``treebeam``, which model made them: ``sha256``, ``beam``, ``version``.
    """
    from pyspark.sql.types import StructType

    _check(df)
    added = _added({"treebeam": about(model, beam)}, True)
    name = _send(df.sparkSession.sparkContext, path_of(model), ".model")
    kept = [field for field in df.schema.fields if field.name not in {field.name for field in added}]
    parser = BatchParser(name, beam=beam, keep_going=keep_going, **options)
    parsed = df.mapInArrow(parser.batches, StructType(kept + added))
    for field in added:
        parsed = parsed.withMetadata(field.name, field.metadata)
    return parsed


def pipe(df, model, *, program="treebeam", options=()):
    """Parses a data frame through `treebeam parse`, where workers have no wheel of treebeam.

    ``program`` is what workers call; if it is a file here, it is sent to them. ``options`` are further arguments of
    `treebeam parse`, such as ``["--beam", "8"]``. There is no column ``score``.
    """
    from pyspark.sql.types import StructType

    _check(df)
    context = df.sparkSession.sparkContext
    path = path_of(model)
    model_name = _send(context, path, ".model")
    is_sent = os.path.isfile(program)
    program_name = _send(context, program, "") if is_sent else program
    added = _added({"treebeam": {"sha256": sha256(path)}}, False)
    kept = [field for field in df.schema.fields if field.name not in {"head", "deprel"}]
    names = [field.name for field in kept]
    arguments = list(options)

    # Workers have no module to import this from: what they need is in here.
    def lines(row):
        import re

        columns = [row["tokens"]]
        for name in ("lemmas", "upos", "xpos", "feats"):
            columns.append((row[name] if name in names else None) or [None] * len(row["tokens"]))
        if any(len(column) != len(columns[0]) for column in columns):
            raise ValueError(f"found columns of lengths {[len(column) for column in columns]}; expected one value for each token")
        for number, values in enumerate(zip(*columns), start=1):
            values = [str(value) if value not in (None, "") else "_" for value in values]
            # As everywhere: what separates columns and words may stand in a word.
            form, lemma, upos, xpos, feats = (re.sub(r"[\t\r\n]+", " ", value) for value in values)
            yield f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t_\n"
        yield "\n"

    def partition(rows):
        import queue
        import subprocess
        import threading

        from pyspark import SparkFiles

        rows = iter(rows)
        first = next(rows, None)
        if first is None:
            return
        command = program_name
        if is_sent:
            command = SparkFiles.get(program_name)
            os.chmod(command, 0o755)
        process = subprocess.Popen(
            [command, "parse", "--quiet", "--model", SparkFiles.get(model_name), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        waiting, failed, messages = queue.Queue(maxsize=1 << 14), [], []

        def feed():
            try:
                row = first
                while row is not None:
                    if row["tokens"]:
                        process.stdin.writelines(lines(row))
                    waiting.put(row)
                    row = next(rows, None)
                process.stdin.close()
            except BaseException as error:  # the thread that waits reports it
                failed.append(error)
                process.kill()
            finally:
                waiting.put(None)

        threads = [threading.Thread(target=feed, daemon=True)]
        threads.append(threading.Thread(target=lambda: messages.append(process.stderr.read()), daemon=True))
        for thread in threads:
            thread.start()
        while True:
            row = waiting.get()
            if row is None:
                break
            heads, labels = [], []
            if row["tokens"]:
                for line in process.stdout:
                    if line == "\n":
                        break
                    columns = line.split("\t")
                    heads.append(int(columns[6]))
                    labels.append(columns[7])
                if len(heads) != len(row["tokens"]):
                    break
            missing = row["tokens"] is None
            yield tuple(row[name] for name in names) + ((None, None) if missing else (heads, labels))
        # The program's own words come before what came of them, a pipe that broke.
        status = process.wait()
        threads[1].join()
        if failed and not isinstance(failed[0], BrokenPipeError):
            raise failed[0]
        if status != 0:
            raise RuntimeError(f"{' '.join(process.args)}: status {status}: {''.join(messages).strip()}")

    return df.sparkSession.createDataFrame(df.rdd.mapPartitions(partition), StructType(kept + added))
