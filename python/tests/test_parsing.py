"""Trees are those of the program."""

import copy
import multiprocessing
import pathlib
import pickle
import re
import threading
import warnings

import numpy
import pytest
from conftest import OPTIONS, arcs, arcs_of

import treebeam
from treebeam import _treebeam, display


@pytest.mark.parametrize("name", OPTIONS)
def test_text_is_parsed_as_by_the_program(data, name):
    model = data.model(name)
    expected = data.parsed(name)
    assert model.parse_conllu(data.dev_text()) == expected
    assert model.parse_conllu(data.dev_text().encode(), threads=2) == expected
    assert [arcs_of(tree) for tree in model.parse(data.sentences(), threads=2)] == arcs(expected)
    assert "".join(tree.to_conllu() for tree in model.parse(data.dev_text())) == expected


def test_a_parser_reads_what_a_tagger_made(data):
    tagger, parser = data.model("tagger"), data.model("beams")
    words = [[{"form": form} for form, _ in sentence] for sentence in data.sentences()]
    tagged = tagger.parse(words)
    assert tagged[0].deprels == tagged[0].upos and set(tagged[0].heads) == {0}
    assert pickle.loads(pickle.dumps(tagged[0])) == tagged[0]
    several = tagger.parse(words, alternatives=2)
    lines = [line.split("\t") for line in several[0].to_conllu().splitlines() if "\t" in line]
    assert [line[3] for line in lines] == tagged[0].upos and all(line[9].startswith("Tag1=") for line in lines)
    text = "".join(tree.to_conllu() for tree in several)
    assert tagger.parse_conllu(text, alternatives=2) == text
    with pytest.raises(ValueError, match="alternatives is for taggers"):
        parser.parse(words, alternatives=2)
    again = parser.parse("".join(tree.to_conllu() for tree in tagged))
    assert [arcs_of(tree) for tree in parser.parse(tagged)] == [arcs_of(tree) for tree in again]


def test_widths_and_several_trees(data):
    model = data.model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.parse_conllu(data.dev_text(), beam=1) == data.parsed("beams", "--beam", 1)
        assert model.parse_conllu(data.dev_text(), k_best=3) == data.parsed("beams", "--k-best", 3)
    with pytest.warns(UserWarning, match="decoded greedily"):
        data.model("greedy").parse(data.sentences(), beam=8)


def test_the_enhanced_graph_goes_or_stays(data):
    text, model = "1\ta\t_\tX\t_\t_\t_\t_\t0:root\t_\n\n", data.model()
    assert "0:root" not in model.parse_conllu(text)
    assert "\t0:root\t_\n" in model.parse_conllu(text, enhanced="keep")
    with pytest.raises(ValueError, match="enhanced"):
        model.parse_conllu(text, enhanced="some")


def test_several_trees_and_how_they_agree(data):
    model = data.model()
    for trees in model.k_best(data.sentences(), 4, beam=8):
        scores = [tree.score for tree in trees]
        assert scores == sorted(scores, reverse=True) and len(trees) <= 4
        calibration = model.header["confidence"]
        shares = numpy.exp((numpy.array(scores) - scores[0]) / calibration["temperature"])
        shares /= shares.sum()
        for tree in trees:
            agree = [other.heads == tree.heads for other in trees]
            both = [heads & numpy.equal(other.deprels, tree.deprels) for heads, other in zip(agree, trees)]
            assert numpy.allclose(tree.confidences, calibration["heads"] * (shares @ agree), atol=1e-5)
            labels = calibration["labels"] * (shares @ both) / (shares @ agree)
            assert numpy.allclose(tree.label_confidences, labels, atol=1e-5)
    best = model.parse(data.sentences(), beam=8, margin="none")
    sure = model.parse(data.sentences(), beam=8, confidences=4)
    assert best == sure and best[0].confidences is None and best[0].label_confidences is None
    assert all(((tree.confidences > 0) & (tree.confidences <= 1)).all() for tree in sure)
    written = model.parse_conllu(data.dev_text(), beam=8, confidences=4)
    assert written == data.parsed("beams", "--beam", 8, "--confidences", 4)
    found = re.findall(r"HeadConf=([01]\.[0-9]{2})\|LabelConf=([01]\.[0-9]{2})$", written, re.MULTILINE)
    heads, labels = (numpy.array(column, float) for column in zip(*found))
    assert numpy.allclose(heads, numpy.concatenate([tree.confidences for tree in sure]), atol=0.0051)
    assert numpy.allclose(labels, numpy.concatenate([tree.label_confidences for tree in sure]), atol=0.0051)
    with pytest.raises(ValueError, match="expected --beam"):
        model.parse(data.sentences(), beam=1, confidences=4)


def test_every_kind_of_sentence(data):
    conllu = pytest.importorskip("conllu")
    model, expected = data.model(), arcs(data.parsed())
    lists = conllu.parse(data.dev_text())
    assert [arcs_of(tree) for tree in model.parse(lists)] == expected
    assert "".join(tree.to_conllu() for tree in model.parse(lists)) == data.parsed()
    dictionaries = [[{"form": form, "upos": upos} for form, upos in sentence] for sentence in data.sentences()]
    assert [arcs_of(tree) for tree in model.parse(dictionaries)] == expected
    assert [arcs_of(tree) for tree in model.parse(tuple(map(tuple, data.sentences())))] == expected
    assert [arcs_of(tree) for tree in model.parse(list(s) for s in data.sentences())] == expected
    assert [arcs_of(tree) for tree in model.parse([[list(w) for w in s] for s in data.sentences()])] == expected
    assert model.parse([]) == [] and model.parse("") == [] and model.parse_conllu("") == ""


def test_ranges_and_comments_stay(data):
    text = "# sent_id = a\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + "".join(
        f"{i}\t{form}\t_\t{upos}\t_\t_\t_\t_\t_\t_\n" for i, (form, upos) in enumerate(data.sentences()[0], start=1)
    )
    [tree] = data.model().parse(text + "\n")
    assert tree.sent_id == "a" and tree.to_conllu().startswith("# sent_id = a\n1-2\tdu\t")


def test_a_tree_is_what_it_says(data):
    tree = data.model().parse(data.sentences())[0]
    assert tree.heads.dtype == numpy.int32 and tree.heads.shape == (len(tree),) and (tree.heads == 0).sum() >= 1
    assert list(zip(tree.forms, tree.upos)) == data.sentences()[0]
    assert isinstance(tree.score, float) and set(tree.deprels) <= set(data.model().labels)
    tree.heads[0] = 7
    assert arcs_of(tree) == arcs(data.parsed())[0], "what is changed is a copy"


def test_pictures(data):
    first, second = data.model().k_best(data.sentences()[:1], 2, beam=8)[0]
    assert first._repr_svg_().startswith("<svg") and first.forms[0] in first._repr_svg_()
    assert display.show([first, second])._repr_html_().count("<svg") == 2
    assert "UAS" in display.compare(first, second)._repr_html_()
    other = data.model().parse(data.sentences()[1:2])[0]
    with pytest.raises(ValueError, match="same words"):
        display.compare(first, other)


@pytest.mark.parametrize(
    "sentences, message",
    [
        ([[("a", "X")], [("b", "X"), ("", "X")]], "sentences[1]:2: an empty FORM"),
        ([[]], "a sentence without words"),
        ([("the", "DET"), ("dog", "NOUN")], "a single sentence is put into a list"),
        (["the dog barks"], "found text"),
        ([[1, 2]], "expected a list of (form, upos)"),
        ([[(1, "X")]], "expected text"),
        ([7], "expected a list of (form, upos)"),
        ("1\ta\t_\n\n", "text:1: 3 columns; expected 10 columns"),
    ],
)
def test_what_is_no_sentence_is_reported(data, sentences, message):
    with pytest.raises(ValueError) as error:
        data.model().parse(sentences)
    assert message in str(error.value)


def test_options_that_do_not_fit_are_reported(data):
    for options in [{"beam": 0}, {"threads": 0}, {"search": "no"}, {"margin": "wide"}, {"beam": -3}]:
        with pytest.raises(ValueError):
            data.model().parse(data.sentences(), **options)
    with pytest.raises(ValueError, match="beams are for transition systems"):
        data.model("graph").parse(data.sentences(), beam=4)
    with pytest.raises(ValueError):
        data.model().k_best(data.sentences(), 0)


def test_unknown_tags_are_reported(data):
    with pytest.warns(UserWarning, match="were not in the training data"):
        data.model().parse([[("a", "NN"), ("b", "NN")]])
    with pytest.warns(UserWarning, match="is empty"):
        data.model().parse([["a", "b"]])


def test_files_that_are_no_models_are_reported(data, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.model"):
        treebeam.load(tmp_path / "missing.model")
    with pytest.raises(ValueError, match="train.conllu"):
        treebeam.load(data.train)
    (tmp_path / "cut.model").write_bytes(data.model_path("beams").read_bytes()[:1000])
    with pytest.raises(ValueError, match="cut.model"):
        treebeam.load(tmp_path / "cut.model")


@pytest.mark.parametrize("torn", ["New\tYork", "\n", "a\r\nb\tc\n"])
def test_tabs_and_line_ends_in_words_are_blanks(data, torn):
    conllu = pytest.importorskip("conllu")
    model, sentences = data.model(), data.sentences()
    blank = re.sub(r"[\t\r\n]+", " ", torn)
    sentences[1] = [(torn, "PROPN"), *sentences[1]]
    trees = model.parse(sentences)
    assert trees[1].forms[0] == blank
    assert [arcs_of(tree) for tree in trees[2:]] == arcs(data.parsed())[2:]
    assert model.parse([[{"form": form, "upos": upos} for form, upos in sentence] for sentence in sentences]) == trees
    lists = conllu.parse("".join(tree.to_conllu() for tree in trees))
    lists[1][0]["form"] = torn
    assert model.parse(lists) == trees and lists[1][0]["form"] == torn


def test_no_panic_crosses_the_border(data):
    with pytest.raises(RuntimeError, match="on purpose"):
        _treebeam._panic("on purpose")
    # Whatever Python can call does all of its work behind that guard.
    sources = pathlib.Path(__file__).resolve().parents[1] / "src"
    functions = []
    for source in sources.glob("**/*.rs"):
        text = source.read_text(encoding="utf-8")
        code = text.split("#[pymethods]")[1:] + [of[: of.index("\n}\n")] for of in text.split("#[pyfunction]")[1:]]
        functions += [of for part in code for of in re.split(r"\n(?:    )?(?:pub )?fn ", part)[1:]]
    assert len(functions) > 25
    bodies = [re.sub(r"^.*?-> [^{]*\{", "", function, count=1, flags=re.DOTALL) for function in functions]
    assert [body for body in bodies if not re.match(r"\s*(guarded|handed)\(", body)] == []


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_trees_are_pickled_and_copied(data, protocol):
    model = data.model()
    trees = [*model.parse(data.dev_text()), *model.k_best(data.sentences(), 3, beam=4)[0], *model.parse(data.sentences(), confidences=2)]
    for tree in trees:
        for other in (pickle.loads(pickle.dumps(tree, protocol)), copy.copy(tree), copy.deepcopy(tree)):
            assert other == tree and hash(other) == hash(tree) and repr(other) == repr(tree)
            assert (other.sent_id, other.score, other.forms, other.upos) == (tree.sent_id, tree.score, tree.forms, tree.upos)
            assert other.to_conllu() == tree.to_conllu() and other.to_svg() == tree.to_svg()
            assert numpy.array_equal(other.confidences, tree.confidences)
            assert numpy.array_equal(other.label_confidences, tree.label_confidences)
    assert model.parse(pickle.loads(pickle.dumps(trees, protocol))) == model.parse(trees)


def test_all_that_is_handed_out_is_pickled_and_copied(data):
    model = data.model()
    [tree] = model.parse(data.sentences()[:1])
    evaluation = treebeam.evaluate(data.dev, model.parse(data.dev_text()), samples=10)
    for thing in (model, evaluation, display.show(tree), display.compare(tree, tree)):
        for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert repr(other) == repr(thing)


def trees_of(model, sentences):
    return model.parse(sentences)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_trees_come_back_from_processes(data, method):
    model, sentences = data.model(), data.sentences()
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(trees_of, [(model, sentences)] * 2, chunksize=1) == [model.parse(sentences)] * 2


def parse(model, sentences):
    return [arcs_of(tree) for tree in model.parse(sentences, threads=2)]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_models_are_sent_to_processes(data, method):
    model, sentences = data.model(), data.sentences()
    expected = parse(model, sentences)
    assert parse(pickle.loads(pickle.dumps(model)), sentences) == expected
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.starmap(parse, [(model, sentences)] * 2, chunksize=1) == [expected] * 2


def fork_and_parse(sentences):
    return parse(fork_and_parse.model, sentences)


def test_threads_of_a_parent_are_not_waited_for(data):
    fork_and_parse.model, sentences = data.model(), data.sentences()
    expected = parse(fork_and_parse.model, sentences)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(fork_and_parse, (sentences,)).get(timeout=60) == expected


def test_other_threads_run_meanwhile(data):
    model, sentences = data.model(), data.sentences() * 50
    done, counted = threading.Event(), 0
    results = []
    worker = threading.Thread(target=lambda: (results.append(model.parse(sentences, beam=64)), done.set()))
    worker.start()
    while not done.wait(0.001):
        counted += 1
    worker.join()
    assert len(results[0]) == len(sentences) and counted > 10


def test_many_threads_share_a_model(data):
    model, expected = data.model(), arcs(data.parsed())
    results = [None] * 6

    def work(i):
        results[i] = [arcs_of(tree) for tree in model.parse(data.sentences())]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * len(results)
