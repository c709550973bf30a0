"""Spark makes the trees of the program."""

import os
import sys

import pytest
from conftest import PROGRAM, arcs

pytest.importorskip("pyspark", reason="pyspark is not installed")
pa = pytest.importorskip("pyarrow")

from treebeam import spark as of_treebeam  # noqa: E402


@pytest.fixture(scope="module")
def session():
    import shutil

    from pyspark.sql import SparkSession

    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(os.environ.get("TREEBEAM_SPARK_MASTER", "local[2]")).appName("treebeam")
    builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
    session = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "16").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


SCHEMA = "id long, tokens array<string>, upos array<string>"


def rows(sentences):
    return [(i, [form for form, _ in s], [upos for _, upos in s]) for i, s in enumerate(sentences)]


def frame(session, rows, partitions=3):
    return session.createDataFrame(session.sparkContext.parallelize(rows, partitions), SCHEMA)


def arcs_in(parsed):
    found = sorted(parsed.collect(), key=lambda row: row["id"])
    return [None if row["head"] is None else list(zip(row["head"], row["deprel"])) for row in found]


def test_trees_are_those_of_the_program(session, data):
    path = data.model_path("beams")
    parsed = of_treebeam.parse(frame(session, rows(data.sentences())), path)
    assert parsed.columns == ["id", "tokens", "upos", "head", "deprel", "score"]
    assert arcs_in(parsed) == arcs(data.parsed())
    about = parsed.schema["head"].metadata["treebeam"]
    assert (about["beam"], len(about["sha256"])) == (4, 64) and about["version"]
    wider = of_treebeam.parse(frame(session, rows(data.sentences())), data.model(), beam=8, threads=2)
    assert arcs_in(wider) == arcs(data.parsed("beams", "--beam", 8))
    assert wider.schema["score"].metadata["treebeam"]["beam"] == 8
    again = of_treebeam.parse(parsed.select("id", "head", "tokens", "upos"), path)
    assert again.columns == parsed.columns and arcs_in(again) == arcs(data.parsed())


def test_two_models_of_one_name(session, data, tmp_path):
    path = tmp_path / data.model_path("beams").name
    path.write_bytes(data.model_path("graph").read_bytes())
    parsed = of_treebeam.parse(frame(session, rows(data.sentences())), path)
    assert arcs_in(parsed) == arcs(data.parsed("graph"))


def test_empty_partitions_and_rows(session, data):
    path, expected = data.model_path("beams"), arcs(data.parsed())
    few = rows(data.sentences()[:2]) + [(2, [], []), (3, None, None)]
    assert arcs_in(of_treebeam.parse(frame(session, few, 9), path)) == [*expected[:2], [], None]
    assert of_treebeam.parse(frame(session, [], 2), path).count() == 0


def test_malformed_partitions(session, data):
    path, expected = data.model_path("beams"), arcs(data.parsed())
    wrong = rows(data.sentences()[:3]) + [(3, ["a", "b"], ["X"])]
    with pytest.raises(Exception, match=r"partition 2, row 1 \(id 3\): 1 values of UPOS for 2 tokens"):
        of_treebeam.parse(frame(session, wrong), path).collect()
    kept = of_treebeam.parse(frame(session, wrong), path, keep_going=True)
    assert arcs_in(kept) == [*expected[:3], None]
    with pytest.raises(ValueError, match="expected `tokens`"):
        of_treebeam.parse(frame(session, wrong).select("id"), path)


def test_without_a_wheel(session, data):
    if not PROGRAM.exists():
        pytest.skip(f"there is no {PROGRAM}; `make build` makes it")
    path, expected = data.model_path("beams"), arcs(data.parsed())
    mixed = rows(data.sentences()) + [(1000, [], []), (1001, None, None)]
    parsed = of_treebeam.pipe(frame(session, mixed, 5), path, program=str(PROGRAM))
    assert parsed.columns == ["id", "tokens", "upos", "head", "deprel"]
    assert arcs_in(parsed) == [*expected, [], None]
    wrong = [(0, ["a", "b"], ["X"])]
    with pytest.raises(Exception, match="expected one value for each token"):
        of_treebeam.pipe(frame(session, wrong), path, program=str(PROGRAM)).collect()
    failing = of_treebeam.pipe(frame(session, mixed), path, program=str(PROGRAM), options=["--beam", "0"])
    with pytest.raises(Exception, match="--beam"):
        failing.collect()


def test_batches_for_ray(data):
    columns = {"tokens": [row[1] for row in rows(data.sentences())], "upos": [row[2] for row in rows(data.sentences())]}
    parser = of_treebeam.BatchParser(data.model_path("beams"), beam=4)
    parsed = parser(pa.table(columns))
    found = zip(parsed.column("head").to_pylist(), parsed.column("deprel").to_pylist())
    assert [list(zip(heads, labels)) for heads, labels in found] == arcs(data.parsed())
