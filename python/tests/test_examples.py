"""The notebook runs from top to bottom, and what its cells show is what a notebook can draw."""

import ast
import json
import pathlib
import shutil
import xml.etree.ElementTree as xml

NOTEBOOK = pathlib.Path(__file__).resolve().parents[1] / "examples/notebook.ipynb"


def run(source, names):
    """Runs a cell; the value of its last expression, if it ends in one."""
    module = ast.parse(source)
    last = module.body.pop() if isinstance(module.body[-1], ast.Expr) else None
    exec(compile(module, str(NOTEBOOK), "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_the_notebook_runs(tmp_path, monkeypatch, capsys):
    for name in ("train.conllu", "dev.conllu"):
        shutil.copy(NOTEBOOK.parent / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names, shown = {"__name__": "__main__"}, []
    for cell in cells:
        assert cell["outputs"] == [], "outputs are not committed"
        shown.append(run("".join(cell["source"]), names))
    pictures = [value._repr_svg_() for value in shown if hasattr(value, "_repr_svg_")]
    assert len(pictures) == 1
    words = [element.text for element in xml.fromstring(pictures[0]).iter() if element.tag.endswith("text")]
    assert set(names["trees"][0].forms) <= set(words)
    [page] = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert page.count("<svg") == 2
    printed = capsys.readouterr().out
    assert "iteration 4: UAS" in printed and "las: beam - greedy" in printed
    assert names["evaluation"].uas > 50
