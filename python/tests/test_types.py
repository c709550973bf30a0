"""The stubs say what the module has, and mypy accepts a program that uses it."""

import ast
import importlib.util
import pathlib
import subprocess
import sys

import pytest

import treebeam
from treebeam import _treebeam

FOLDER = pathlib.Path(__file__).parent


def test_stubs_have_what_the_module_has():
    stubs = ast.parse((FOLDER.parent / "treebeam/_treebeam.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stubs.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in dir(_treebeam) if not name.startswith("_")}
    assert set(classes) | functions == public
    for name, stub in classes.items():
        declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        found = {member for member in vars(getattr(_treebeam, name)) if not member.startswith("_")}
        assert {member for member in declared if not member.startswith("_")} == found, name
    assert set(treebeam.__all__) <= set(dir(treebeam))


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_typed_program_is_accepted(tmp_path):
    def check(text):
        (tmp_path / "typed.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", tmp_path / "typed.py"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    text = (FOLDER / "typed.py").read_text(encoding="utf-8")
    done = check(text)
    assert done.returncode == 0, done.stdout + done.stderr
    for line, expected in [
        ('model.parse("", beam="wide")\n', '"beam"'),
        ('treebeam.train("t", "m", beem=3)\n', '"beem"'),
        ('treebeam.train("t", "m", beam="wide")\n', '"beam"'),
        ('treebeam.train("t", "m", training="gready")\n', '"training"'),
    ]:
        wrong = check(text + line)
        assert wrong.returncode != 0 and expected in wrong.stdout, wrong.stdout


def test_names_that_do_not_exist_are_guessed(tmp_path):
    with pytest.raises(ValueError, match="unknown field `beem`; did you mean `beam`"):
        treebeam.train("train.conllu", tmp_path / "m", beem=3)
    with pytest.raises(ValueError, match="did you mean `greedy`"):
        treebeam.train("train.conllu", tmp_path / "m", training="gready")
