"""Files of Parquet: the same trees as those of CoNLL-U, both ways."""

import json
import os
import subprocess

import pytest
from conftest import PROGRAM, arcs, run

import treebeam

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from treebeam import parquet  # noqa: E402


def as_table(data):
    """The development data as in the Hub: tags are numbers, features dictionaries of Python."""
    upos = ["NOUN", "DET", "VERB", "PROPN", "PUNCT", "ADJ", "ADP", "PRON", "ADV", "AUX", "CCONJ", "SCONJ", "NUM", "PART", "X"]
    sentences = data.sentences()
    assert all(tag in upos for sentence in sentences for _, tag in sentence)
    feature = {"feature": {"names": upos, "_type": "ClassLabel"}, "_type": "Sequence"}
    columns = {
        "idx": [f"s-{i}" for i in range(len(sentences))],
        "text": [" ".join(form for form, _ in sentence) for sentence in sentences],
        "tokens": [[form for form, _ in sentence] for sentence in sentences],
        "upos": [[upos.index(tag) for _, tag in sentence] for sentence in sentences],
        "feats": [["None"] * len(sentence) for sentence in sentences],
        "head": [["0"] * len(sentence) for sentence in sentences],
        "deprel": [["x"] * len(sentence) for sentence in sentences],
    }
    about = json.dumps({"info": {"features": {"upos": feature}}}).encode()
    return pa.table(columns).replace_schema_metadata({b"huggingface": about})


def trees_in(path):
    table = pq.read_table(path)
    rows = zip(table.column("head").to_pylist(), table.column("deprel").to_pylist())
    return [None if heads is None else list(zip(heads, labels)) for heads, labels in rows]


def test_the_hubs_columns_are_parsed_to_parquet_and_to_conllu(data, tmp_path):
    source, target, text = tmp_path / "dev.parquet", tmp_path / "parsed.parquet", tmp_path / "parsed.conllu"
    pq.write_table(as_table(data), source, row_group_size=7)
    model = data.model_path("beams")
    assert parquet.parse(source, target, model, beam=4) == 0
    assert trees_in(target) == arcs(data.parsed())
    written = pq.read_table(target)
    assert written.column_names == ["idx", "text", "tokens", "upos", "feats", "head", "deprel", "score"]
    about = json.loads(written.schema.metadata[b"treebeam"])
    assert about["beam"] == 4 and about["version"] == treebeam.__version__ and len(about["sha256"]) == 64
    assert b"huggingface" in written.schema.metadata
    parquet.parse(source, text, model, threads=2)
    assert arcs(text.read_text(encoding="utf-8")) == arcs(data.parsed())
    run("treebank", "check", text)
    assert treebeam.evaluate(data.parsed(), text, samples=10).las == 100
    assert text.read_text(encoding="utf-8").startswith("# sent_id = s-0\n# text = ")


def test_conllu_becomes_parquet_and_is_the_same_again(data, tmp_path):
    target, again, packed = tmp_path / "a.parquet", tmp_path / "a.conllu", tmp_path / "a.conllu.gz"
    expected = data.parsed()
    parquet.parse(data.dev, target, data.model_path("beams"))
    assert trees_in(target) == arcs(expected)
    parquet.parse(target, again, data.model_path("beams"))
    assert again.read_text(encoding="utf-8") == expected
    parquet.parse(target, packed, data.model_path("beams"))
    parquet.parse(packed, tmp_path / "b.parquet", data.model_path("beams"))
    assert trees_in(tmp_path / "b.parquet") == arcs(expected)


def test_ranges_and_comments_stay(data, tmp_path):
    words = "".join(f"{i}\t{form}\t_\t{upos}\t_\t_\t_\t_\t_\tx=1\n" for i, (form, upos) in enumerate(data.sentences()[0], 1))
    source, between, text = tmp_path / "a.conllu", tmp_path / "a.parquet", tmp_path / "b.conllu"
    source.write_text(f"# sent_id = a\n# free\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n{words}\n", encoding="utf-8")
    parquet.parse(source, between, data.model_path("beams"))
    parquet.parse(between, text, data.model_path("beams"))
    assert text.read_text(encoding="utf-8") == run("parse", "--quiet", "--model", data.model_path("beams"), source)


def test_malformed_rows_are_named(data, tmp_path):
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    upos = [["DET", "NOUN"], ["X"], None, []]
    tokens = [["the", "dog"], ["a", "b"], None, []]
    pq.write_table(pa.table({"sent_id": list("pqrs"), "tokens": tokens, "upos": upos}), source)
    model = data.model_path("beams")
    with pytest.raises(ValueError) as error:
        parquet.parse(source, target, model)
    message = f"{source}: row 1 (sent_id q): 1 values of UPOS for 2 tokens; expected one for each"
    assert str(error.value).startswith(message) and not target.exists()
    assert sorted(os.listdir(tmp_path)) == ["a.parquet"]
    assert parquet.parse(source, target, model, keep_going=True) == 1
    assert [tree if tree is None else len(tree) for tree in trees_in(target)] == [2, None, None, 0]
    broken = tmp_path / "a.conllu"
    broken.write_text(data.dev_text() + "1\ta\t_\n\n", encoding="utf-8")
    line = data.dev_text().count("\n") + 1
    with pytest.raises(ValueError) as error:
        parquet.parse(broken, target, model)
    assert str(error.value).startswith(f"{broken}:{line}: 3 columns; expected 10")
    assert parquet.parse(broken, target, model, keep_going=True) == 1
    assert trees_in(target) == arcs(data.parsed())
    pq.write_table(pa.table({"words": [["a"]]}), source)
    with pytest.raises(ValueError, match="found the columns words; expected `tokens`"):
        parquet.parse(source, target, model)
    source.write_bytes(b"no such thing")
    with pytest.raises(ValueError, match="expected a file of Parquet"):
        parquet.parse(source, target, model)
    with pytest.raises(FileNotFoundError):
        parquet.parse(tmp_path / "missing.parquet", target, model)


def test_files_without_sentences(data, tmp_path):
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(as_table(data).slice(0, 0), source)
    assert parquet.parse(source, target, data.model_path("beams")) == 0
    assert pq.read_table(target).num_rows == 0 and pq.read_table(target).column_names[-1] == "score"
    (tmp_path / "empty.conllu").write_text("", encoding="utf-8")
    parquet.parse(tmp_path / "empty.conllu", target, data.model_path("beams"))
    assert pq.read_table(target).num_rows == 0


def test_features_of_the_hub_are_those_of_conllu(data):
    from treebeam._arrow import plain

    feats = [["{'Case': 'Nom', 'Number': 'Sing'}", "None"], None, [], ["{'A': 'b'}"]]
    batch = pa.RecordBatch.from_pydict({"feats": feats, "misc": [["a"], [], None, ["None"]]})
    expected = [["Case=Nom|Number=Sing", "_"], None, [], ["A=b"]]
    assert plain(batch).column("feats").to_pylist() == expected
    assert plain(batch).column("misc").to_pylist() == [["a"], [], None, ["None"]]
    assert plain(batch.slice(1)).column("feats").to_pylist() == expected[1:]


def test_the_module_is_a_program(data, tmp_path):
    source, target, text = tmp_path / "dev.parquet", tmp_path / "parsed.parquet", tmp_path / "parsed.conllu"
    pq.write_table(as_table(data), source)
    model = str(data.model_path("beams"))
    assert parquet.main(["--model", model, "--beam", "8", str(source), "-o", str(target)]) == 0
    assert trees_in(target) == arcs(data.parsed("beams", "--beam", 8))
    unnamed = tmp_path / "unnamed"
    source.rename(unnamed)
    assert parquet.main(["--model", model, "--input", "parquet", str(unnamed), "-o", str(text)]) == 0
    assert arcs(text.read_text(encoding="utf-8")) == arcs(data.parsed())
    assert parquet.main(["--model", model, str(data.dev), "-o", str(target)]) == 0
    assert trees_in(target) == arcs(data.parsed())


def test_the_program_has_no_parquet(data, tmp_path):
    source = tmp_path / "dev.parquet"
    pq.write_table(as_table(data), source)
    for files in [(source, "-o", tmp_path / "out.conllu"), (data.dev, "-o", tmp_path / "out.parquet")]:
        command = [PROGRAM, "parse", "--model", data.model_path("beams"), *files]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2 and "treebeam.parquet" in done.stderr
