"""Scores are those of the program."""

import json

import pytest
from conftest import run

import treebeam


def test_reports_are_those_of_the_program(data, tmp_path):
    parsed, greedy = tmp_path / "parsed.conllu", tmp_path / "greedy.conllu"
    parsed.write_text(data.parsed(), encoding="utf-8")
    greedy.write_text(data.parsed("beams", "--beam", 1), encoding="utf-8")
    options = {"samples": 500, "punct": "exclude"}
    evaluation = treebeam.evaluate(data.dev, greedy, parsed, **options)
    arguments = ["eval", data.dev, greedy, parsed, "--samples", 500, "--punct", "exclude"]
    assert evaluation.report == json.loads(run(*arguments, "--json"))
    assert str(evaluation) == run(*arguments)
    assert [test["metric"] for test in evaluation.comparison] == ["uas", "las"]
    assert evaluation.intervals["las"]["low"] <= evaluation.las <= evaluation.intervals["las"]["high"]


def test_trees_are_scored_as_their_files(data, tmp_path):
    parsed = tmp_path / "parsed.conllu"
    parsed.write_text(data.parsed(), encoding="utf-8")
    from_files = treebeam.evaluate(data.dev, parsed, samples=100)
    trees = data.model().parse(data.dev_text())
    from_trees = treebeam.evaluate(data.dev_text(), trees, samples=100)
    assert (from_trees.uas, from_trees.las) == (from_files.uas, from_files.las)
    assert from_trees.comparison is None and 0 < from_trees.las <= from_trees.uas <= 100
    with pytest.raises(ValueError):
        treebeam.evaluate(data.dev, trees[:-1])
    with pytest.raises(FileNotFoundError):
        treebeam.evaluate(tmp_path / "missing.conllu", parsed)
    with pytest.raises(ValueError):
        treebeam.evaluate(data.dev, parsed, punct="some")
