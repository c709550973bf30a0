"""The chapter of the book: its blocks run one after the other, but for those whose first line says why not."""

import pathlib
import re
import shutil
import sys

import pytest

CHAPTER = pathlib.Path(__file__).resolve().parents[2] / "docs/src/python.md"
NEEDED = {"import spacy": "spacy", "udpipe.": "ufal", "stanza.": "stanza", "import pyarrow": "pyarrow", "import parquet": "pyarrow", "pyspark": "pyspark"}


def test_the_chapter_runs(data, tmp_path, monkeypatch, capsys):
    shutil.copy(data.train, tmp_path / "train.conllu")
    shutil.copy(data.dev, tmp_path / "dev.conllu")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    names, n_run, left_out = {}, 0, set()
    for block in re.findall(r"^```python\n(.*?)^```$", CHAPTER.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        missing = [name for sign, name in NEEDED.items() if sign in block and not is_there(name)]
        if block.startswith("# not run:") or missing:
            left_out.update(missing)
            continue
        exec(compile(block, str(CHAPTER), "exec"), names)
        n_run += 1
    assert n_run >= 4 and "LAS" in capsys.readouterr().out
    if left_out:
        pytest.skip(f"run but for the blocks that need {', '.join(sorted(left_out))}")


def is_there(name):
    import importlib.util

    return importlib.util.find_spec(name) is not None and (name != "pyspark" or shutil.which("java") is not None)
