"""Spark beside the program on many words: local threads, a cluster of two executors, one of which is then killed.

Prints what was measured; fails if a tree differs from the program's, or a malformed row is not named. `make test-spark` runs it.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import treebeam
from treebeam import spark as of_treebeam

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("TREEBEAM", str(ROOT / "target/release/treebeam"))
BEAM = 4


def program(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True)


def make_data(folder, n_words):
    """A model, and a treebank that is repeated until it has so many words, as CoNLL-U and as Parquet."""
    treebanks = os.environ.get("TREEBEAM_TREEBANKS")
    if treebanks:
        train, test = (pathlib.Path(treebanks, "en_ewt", f"{name}.conllu") for name in ("dev", "test"))
    else:
        print("TREEBEAM_TREEBANKS is not set: a generated treebank is parsed")
        train, test = folder / "train.conllu", folder / "test.conllu"
        program("treebank", "generate", "--sentences", 500, "--seed", 1, "-o", train)
        program("treebank", "generate", "--sentences", 2000, "--seed", 2, "-o", test)
    model = folder / "en.model"
    program("train", "--quiet", "--train", train, "--model", model, "--beam", BEAM, "--iterations", 2, "--replicas", 1)
    text = test.read_text(encoding="utf-8")
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    words = [[line.split("\t") for line in block if line[:1].isdigit()] for block in blocks]
    words = [[word for word in sentence if word[0].isdigit()] for sentence in words]
    rows = {"tokens": [[w[1] for w in s] for s in words], "upos": [[w[3] for w in s] for s in words]}
    n_of_test = sum(map(len, words))
    times = -(-n_words // n_of_test)
    with open(folder / "corpus.conllu", "w", encoding="utf-8") as file:
        for _ in range(times):
            file.write(text)
    table = pa.concat_tables([pa.table(rows)] * times).combine_chunks()
    table = table.add_column(0, "id", pa.array(range(len(table)), pa.int64()))
    pq.write_table(table, folder / "corpus.parquet", row_group_size=len(table) // 32 + 1)
    print(f"{test.name}, {times} times: {len(table)} sentences, {n_of_test * times} words; model of beam {BEAM}")
    return model, n_of_test * times


def trees_of_program(path):
    """Heads and labels of each sentence."""
    trees, tree = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line == "\n":
                trees.append(tree)
                tree = []
            elif line[0] != "#":
                columns = line.split("\t")
                if columns[0].isdigit():
                    tree.append((int(columns[6]), columns[7]))
    return trees


def session(master):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("treebeam")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.files.minPartitionNum", "32")
    builder = builder.config("spark.sql.files.openCostInBytes", "1").config("spark.ui.showConsoleProgress", "false")
    made = builder.config("spark.driver.memory", "1g").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def parsed(spark, folder, model):
    """The trees, in the order of the sentences, and the seconds that they took, without the start of the workers."""
    frame = spark.read.parquet(str(folder / "corpus.parquet"))
    of_treebeam.parse(frame.where("id < 10"), model).count()
    began = time.monotonic()
    table = of_treebeam.parse(frame, model).select("id", "head", "deprel").toArrow()
    seconds = time.monotonic() - began
    return table.sort_by("id"), seconds


def check(table, expected, what):
    ids = table.column("id").to_pylist()
    assert ids == list(range(len(expected))), f"{what}: {len(ids)} sentences; expected {len(expected)}, each once"
    heads, labels = table.column("head").to_pylist(), table.column("deprel").to_pylist()
    for number, tree in enumerate(expected):
        found = list(zip(heads[number], labels[number]))
        assert found == tree, f"{what}: sentence {number}: {found}; expected {tree}"


def descendants(of):
    """The processes below one, with their command lines."""
    parents, lines = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                lines[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                pass  # it has ended
    found, waiting = [], [of]
    while waiting:
        process = waiting.pop()
        below = [child for child, parent in parents.items() if parent == process]
        found += below
        waiting += below
    return {process: lines[process] for process in found}


def kill_an_executor(spark, job, killings):
    """Kills one, by `kill -9`, as soon as some of the tasks are done and others are not."""
    tracker = spark.sparkContext.statusTracker()
    while job.is_alive():
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info and info.numCompletedTasks >= 2 and info.numCompletedTasks + 2 < info.numTasks:
                below = descendants(os.getpid())
                executors = [process for process, line in below.items() if "CoarseGrainedExecutorBackend" in line]
                executors = [process for process in executors if below[process].split()[0].endswith("java")]
                os.kill(executors[0], signal.SIGKILL)
                killings.append((executors[0], len(executors), info.numCompletedTasks, info.numTasks))
                return
        time.sleep(0.02)


def check_partitions(spark, folder, model, expected):
    """Empty partitions are no matter; a malformed row is named, or left out."""
    frame = spark.read.parquet(str(folder / "corpus.parquet")).where("id < 20").coalesce(1)
    rows = [tuple(row) for row in frame.sort("id").collect()]
    schema = "id long, tokens array<string>, upos array<string>"
    spread = spark.createDataFrame(spark.sparkContext.parallelize(rows, 50), schema)
    check(of_treebeam.parse(spread, model).select("id", "head", "deprel").toArrow().sort_by("id"), expected[:20], "empty")
    nothing = spark.createDataFrame([], schema)
    assert of_treebeam.parse(nothing, model).count() == 0
    for wrong, words in [
        ((["a", "b"], ["X"]), "1 values of UPOS for 2 tokens"),
        ((["a", None], ["X", "X"]), "word 2 without a token"),
        ((["a", ""], ["X", "X"]), "word 2 without a token"),
        ((["a\tb"], ["X"]), "without tabs"),
    ]:
        broken = spark.createDataFrame(spark.sparkContext.parallelize(rows + [(77, *wrong)], 1), schema)
        try:
            of_treebeam.parse(broken, model).collect()
        except Exception as error:
            message = str(error)
            assert "partition 0, row 20 (id 77): " in message and words in message, message
        else:
            raise AssertionError(f"{wrong} was parsed")
        kept = of_treebeam.parse(broken, model, keep_going=True).select("id", "head", "deprel").toArrow().sort_by("id")
        assert kept.column("head").to_pylist()[20] is None
        check(kept.slice(0, 20), expected[:20], "malformed")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--words", type=int, default=1_000_000)
    arguments = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="treebeam-spark-") as folder:
        folder = pathlib.Path(folder)
        model, n_words = make_data(folder, arguments.words)
        print(f"treebeam {treebeam.__version__}, {os.cpu_count()} processors")
        output, stats = folder / "parsed.conllu", folder / "stats.json"
        common = ["parse", "--quiet", "--model", model, "--threads", 2, "--stats-json", stats]
        program(*common, folder / "corpus.conllu", "-o", output)
        speed = json.loads(stats.read_text())["tokens_per_second"]
        print(f"treebeam parse --threads 2            {speed:9.0f} words/s")
        expected = trees_of_program(output)

        spark = session("local[2]")
        table, seconds = parsed(spark, folder, model)
        print(f"local[2]                              {n_words / seconds:9.0f} words/s")
        check(table, expected, "local[2]")
        about = of_treebeam.parse(spark.read.parquet(str(folder / "corpus.parquet")), model).schema["head"].metadata
        print(f"  of the column `head`: {json.dumps(about)}")
        check_partitions(spark, folder, model, expected)
        print("  empty and malformed partitions: as expected")
        spark.stop()

        spark = session("local-cluster[2,1,1024]")
        table, seconds = parsed(spark, folder, model)
        print(f"local-cluster[2,1,1024]               {n_words / seconds:9.0f} words/s")
        check(table, expected, "local-cluster")
        results, killings = [], []
        job = threading.Thread(target=lambda: results.append(parsed(spark, folder, model)))
        job.start()
        kill_an_executor(spark, job, killings)
        job.join()
        assert killings, "the job ended before an executor was killed; give it more words"
        [(killed, n_executors, done, of)] = killings
        [(table, seconds)] = results
        print(f"the same, an executor killed          {n_words / seconds:9.0f} words/s")
        print(f"  kill -9 {killed}, one of {n_executors}, when {done} of {of} tasks were done")
        check(table, expected, "killed executor")
        check_partitions(spark, folder, model, expected)
        spark.stop()
    print("all trees are those of treebeam parse")


if __name__ == "__main__":
    main()
