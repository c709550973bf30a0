"""Methods of models beside parsing sentences: files, fewer bits, beams to watch, pictures."""

import gzip

import pytest

import treebeam


def test_a_file_is_parsed_as_by_the_program(data, tmp_path):
    source, parsed, packed = tmp_path / "in.conllu", tmp_path / "out.conllu", tmp_path / "out.conllu.gz"
    source.write_text(data.dev_text(), encoding="utf-8")
    model = data.model()
    assert model.parse_file(source, parsed, threads=2) == len(data.sentences())
    assert parsed.read_text(encoding="utf-8") == data.parsed("beams")
    model.parse_file(str(source), str(packed), k_best=3)
    assert gzip.decompress(packed.read_bytes()).decode() == data.parsed("beams", "--k-best", 3)
    with pytest.raises(FileNotFoundError, match="missing.conllu"):
        model.parse_file(tmp_path / "missing.conllu", parsed)
    with pytest.raises(ValueError, match="would replace an input"):
        model.parse_file(source, source)
    source.write_text(data.dev_text() + "1\tx\n\n", encoding="utf-8")
    with pytest.raises(ValueError, match="in.conllu:"):
        model.parse_file(source, parsed)
    assert parsed.read_text(encoding="utf-8") == data.parsed("beams"), "whole or not at all"


def test_fewer_bits(data, tmp_path):
    model = data.model()
    info = model.info()
    assert info["header"] == model.header and info["sizes"]["features"] > 0
    small = model.freeze(tmp_path / "small.model", small=True)
    assert small.info()["precision"] == "i8" and small.info()["sizes"]["bytes"] < info["sizes"]["bytes"] / 2
    assert small.info()["header"]["provenance"]["pruned"]["below"] == 1.0
    same = model.freeze(tmp_path / "same.model")
    assert same.parse_conllu(data.dev_text()) == model.parse_conllu(data.dev_text())
    with pytest.raises(ValueError, match='found `i4`; expected "i16" or "i8"'):
        model.freeze(tmp_path / "x.model", quantise="i4")
    with pytest.raises(ValueError, match="16 bring nothing back"):
        small.freeze(tmp_path / "x.model", quantise="i16")
    with pytest.raises(ValueError, match="would replace an input"):
        model.freeze(model.path)


def test_beams_are_watched(data, tmp_path):
    model = data.model()
    trace = model.trace(data.sentences()[0], beam=[1, 4])
    assert [beam["width"] for beam in trace.record["beams"]] == [1, 4]
    assert "<iframe srcdoc=" in trace._repr_html_() and repr(trace) == "<treebeam.display.Trace of widths [1, 4]>"
    trace.save(tmp_path / "beam.html")
    assert (tmp_path / "beam.html").read_text(encoding="utf-8") == trace.html
    block = data.dev_text().split("\n\n")[0] + "\n\n"
    assert model.trace(block, beam=2).record["sentence"]["gold"] is not None
    assert model.trace(block, beam=2, gold=False).record["sentence"].get("gold") is None
    with pytest.raises(ValueError, match="expected one"):
        model.trace(data.dev_text())
    with pytest.raises(ValueError, match="widths from 1"):
        model.trace(block, beam=0)


def test_pictures(data):
    model = data.model()
    pictures = model.draw(data.sentences()[:2], beam=1)
    assert pictures._repr_html_().count("<svg") == 2
    [tree] = model.parse(data.sentences()[:1])
    [greedy] = model.parse(data.sentences()[:1], beam=1)
    assert tree.draw(greedy)._repr_html_().count("<svg") == 1
    assert isinstance(tree, treebeam.Tree)
