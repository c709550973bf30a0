"""Models are those of the program, to the byte."""

import subprocess
import sys
import textwrap

import pytest
from conftest import OPTIONS, PROGRAM, run

import treebeam


@pytest.mark.parametrize("name", OPTIONS)
def test_models_are_those_of_the_program(data, tmp_path, name):
    reports = []
    path = tmp_path / "python.model"
    model = treebeam.train(data.train, path, dev=str(data.dev), on_iteration=reports.append, **OPTIONS[name])
    assert path.read_bytes() == data.model_path(name).read_bytes()
    assert [report["iteration"] for report in reports] == list(range(1, OPTIONS[name]["iterations"] + 1))
    assert 0 < reports[-1]["las"] <= reports[-1]["uas"] <= 100
    assert model.path == path and model.system == OPTIONS[name].get("system", "arc-eager")
    assert not (tmp_path / "python.model.checkpoint").exists()


def test_sentences_train_as_their_file_does(data, tmp_path):
    conllu = pytest.importorskip("conllu")
    train = conllu.parse(data.train.read_text(encoding="utf-8"))
    treebeam.train(train, tmp_path / "a.model", dev=data.dev_text(), **OPTIONS["beams"])
    assert (tmp_path / "a.model").read_bytes() == data.model_path("beams").read_bytes()


def test_several_treebanks_train_as_those_of_the_program_do(data, tmp_path):
    of_program, path = tmp_path / "program.model", tmp_path / "python.model"
    options = ["--dev", data.dev, "--model", of_program, "--iterations", 1]
    for flags, train in [
        ([data.train, data.dev], [data.train, str(data.dev)]),
        ([f"a={data.train}", f"b={data.dev}"], {"a": data.train, "b": str(data.dev)}),
        ([f"a={data.train}", f"a={data.dev}"], {"a": (data.train, data.dev)}),
    ]:
        run("train", "--quiet", "--train", flags[0], "--train", flags[1], *options)
        treebeam.train(train, path, dev=[data.dev], iterations=1)
        assert path.read_bytes() == of_program.read_bytes()


def test_named_treebanks_are_sources(data, tmp_path):
    train = data.train.read_text(encoding="utf-8")
    other = train.replace("\tnsubj\t", "\tsubject\t")
    model = treebeam.train({"a": train, "b": [other]}, tmp_path / "a.model", dev={"b": data.dev}, iterations=4)
    assert model.header["sources"] == ["a", "b"]
    of_b = [label for tree in model.parse(data.dev_text(), source="b") for label in tree.deprels]
    assert of_b.count("subject") > 4 * of_b.count("nsubj")
    with pytest.raises(ValueError, match="source: found the treebank `c`"):
        model.parse(data.dev_text(), source="c")


@pytest.mark.parametrize("treebanks, message", [
    ({}, "train: there are no treebanks"),
    ({"a|b": "a.conllu"}, r"train: found 'a\|b' before a treebank; expected a name of at most 24 letters"),
    ({1: "a.conllu"}, "train: found 1 before a treebank"),
    ({"a": []}, r"train\['a'\]: there are no sentences"),
    (["a.conllu", [("a", "X")]], r"train\[1\]: found a list; expected a path or CoNLL-U text"),
    (["a.conllu", None], r"train\[1\]: found a NoneType; expected"),
    ([], "train: there are no sentences"),
])
def test_treebanks_that_are_none_are_refused(tmp_path, treebanks, message):
    with pytest.raises(ValueError, match=message):
        treebeam.train(treebanks, tmp_path / "a.model")


def test_a_run_that_broke_off_goes_on(data, tmp_path):
    path = tmp_path / "a.model"

    def fail(report):
        if report["iteration"] == 3:
            raise RuntimeError("enough")

    options = {"dev": data.dev, "checkpoint_seconds": 0, **OPTIONS["beams"]}
    with pytest.raises(RuntimeError, match="enough"):
        treebeam.train(data.train, path, on_iteration=fail, **options)
    assert not path.exists()
    iterations = []
    treebeam.train(data.train, path, resume=True, on_iteration=lambda r: iterations.append(r["iteration"]), **options)
    assert iterations == [3]
    assert path.read_bytes() == data.model_path("beams").read_bytes()


def test_the_callback_may_end_training(data, tmp_path):
    options = {**OPTIONS["beams"], "iterations": 50}
    model = treebeam.train(data.train, tmp_path / "a.model", on_iteration=lambda r: r["iteration"] < 2, **options)
    assert model.header["provenance"]["iteration"] == 2


def test_ctrl_c_stops_within_a_sentence(data, tmp_path):
    """Measured in processor time, which does not depend on what else runs: an iteration takes about one minute of it."""
    train, path = tmp_path / "train.conllu", tmp_path / "a.model"
    train.write_text(data.train.read_text(encoding="utf-8") * 200, encoding="utf-8")
    script = f"""
        import os, signal, threading, time, treebeam

        # What a shell starts in the background ignores the signal, and so does what that starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def interrupt():
            global before
            before = time.process_time()
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(3, interrupt).start()
        try:
            treebeam.train({str(train)!r}, {str(path)!r}, beam=128, iterations=1, replicas=1,
                on_iteration=lambda report: print("the iteration ended"))
        except KeyboardInterrupt:
            stopped = time.process_time()
            time.sleep(1)
            print(stopped - before, time.process_time() - stopped)
    """
    script = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    until_it_stopped, afterwards = map(float, done.stdout.split())
    assert until_it_stopped < 1 and afterwards < 0.2
    assert not path.exists()


def test_errors_are_those_of_the_program(data, tmp_path):
    model = tmp_path / "a.model"
    for options in [{"beam": 0}, {"system": "mst", "beam": 4}, {"iterations": "plateau"}, {"features": "no-such"}]:
        flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        message = fails("train", "--train", data.train, "--model", model, *flags)
        with pytest.raises(ValueError) as error:
            treebeam.train(data.train, model, **options)
        assert f"error: {error.value}" == message, options
    for options in [{"beem": 4}, {"system": "arc-lazy"}, {"beam": "wide"}, {"seed": -1}, {"threads": 0}]:
        with pytest.raises(ValueError):
            treebeam.train(data.train, model, **options)
    missing = tmp_path / "missing.conllu"
    with pytest.raises(FileNotFoundError) as error:
        treebeam.train(missing, model)
    assert f"error: {error.value}" == fails("train", "--train", missing, "--model", model)
    with pytest.raises(ValueError):
        treebeam.train(data.train, data.train)
    assert not model.exists()


def test_options_without_effect_are_reported(data, tmp_path):
    with pytest.warns(UserWarning, match="--update has no effect"):
        treebeam.train(data.train, tmp_path / "a.model", training="greedy", update="early", iterations=1)


def fails(*arguments):
    """What the program says last when it fails."""
    run("--version")
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode != 0
    return next(line for line in done.stderr.splitlines() if line.startswith("error: "))
