"""The processor time of parsing from Python beside that of `treebeam parse`, in turns in one run: text, Arrow, lists.

Both are user time: the program's with reading, writing and the model's loading, Python's with the loading alone beside the call.
`make bench-python` runs it.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

import treebeam

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TREEBEAM", str(ROOT / "target/release/treebeam"))
ALLOWED = {"text": 1.05, "Arrow": 1.05, "lists": 1.15}


def user(who):
    return resource.getrusage(who).ru_utime


def program(*arguments):
    """The seconds of a run of the program."""
    before = user(resource.RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL)
    return user(resource.RUSAGE_CHILDREN) - before


def measured(work):
    before = user(resource.RUSAGE_SELF)
    work()
    return user(resource.RUSAGE_SELF) - before


def make_data(folder, times):
    treebanks = os.environ.get("TREEBEAM_TREEBANKS")
    train, test = folder / "train.conllu", folder / "test.conllu"
    if treebanks:
        train, test = (pathlib.Path(treebanks, "en_ewt", f"{name}.conllu") for name in ("dev", "test"))
    else:
        program("treebank", "generate", "--sentences", 1000, "--seed", 1, "-o", train)
        program("treebank", "generate", "--sentences", 2000, "--seed", 2, "-o", test)
    (folder / "corpus.conllu").write_text(test.read_text(encoding="utf-8") * times, encoding="utf-8")
    for beam in (1, 8):
        options = ["--beam", beam, "--iterations", 2, "--replicas", 1]
        program("train", "--quiet", "--train", train, "--model", folder / f"{beam}.model", *options)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--times", type=int, default=8, help="how often the treebank is repeated")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments = arguments.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="treebeam-overheads-") as folder:
        folder = pathlib.Path(folder)
        make_data(folder, arguments.times)
        text = (folder / "corpus.conllu").read_text(encoding="utf-8")
        blocks = [block.split("\n") for block in text.strip().split("\n\n")]
        words = [[line.split("\t") for line in block if line[:1].isdigit()] for block in blocks]
        lists = [[(word[1], word[3]) for word in sentence if word[0].isdigit()] for sentence in words]
        inputs = {"text": text, "lists": lists}
        try:
            import pyarrow as pa

            columns = zip(*(tuple(zip(*sentence)) for sentence in lists))
            inputs["Arrow"] = pa.RecordBatch.from_pydict(dict(zip(("tokens", "upos"), map(list, columns))))
        except ImportError:
            print("pyarrow is not installed: batches of Arrow are not measured")
        print(f"{sum(map(len, lists))} words, the least user time of {arguments.rounds} rounds")
        for beam in (1, 8):
            path, output = folder / f"{beam}.model", folder / "parsed.conllu"
            times = {"program": [], **{name: [] for name in inputs}}
            for _ in range(arguments.rounds):
                times["program"].append(program("parse", "--quiet", "--model", path, folder / "corpus.conllu", "-o", output))
                for name, given in inputs.items():
                    call = {"text": "parse_conllu", "Arrow": "parse_arrow", "lists": "parse"}[name]
                    # The trees of lists are freed within the time.
                    times[name].append(measured(lambda: getattr(treebeam.load(path), call)(given)))
            of_program = min(times["program"])
            print(f"beam {beam}: treebeam parse {of_program:.2f} s")
            for name in inputs:
                ratio = min(times[name]) / of_program
                failed |= ratio > ALLOWED[name]
                print(f"  {name:6} {min(times[name]):.2f} s, {ratio:.3f} of it; expected {ALLOWED[name]} at most")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
