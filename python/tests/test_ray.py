"""Ray Data makes the trees of the program; without Ray, what it calls is called as it does."""

import importlib.util

import pytest
from conftest import arcs

pa = pytest.importorskip("pyarrow")

from treebeam import ray as of_treebeam  # noqa: E402


def table(data):
    sentences = data.sentences()
    return pa.table(
        {
            "id": list(range(len(sentences))),
            "tokens": [[form for form, _ in sentence] for sentence in sentences],
            "upos": [[upos for _, upos in sentence] for sentence in sentences],
        }
    )


def arcs_in(rows):
    rows = sorted(rows, key=lambda row: row["id"])
    return [None if row["head"] is None else list(zip(map(int, row["head"]), row["deprel"])) for row in rows]


def test_batches_are_parsed_as_by_the_program(data):
    parser = of_treebeam.BatchParser(data.model_path("beams"), beam=4)
    whole = table(data)
    parts = [parser(whole.slice(start, 25)) for start in range(0, whole.num_rows, 25)]
    assert arcs_in(pa.concat_tables(parts).to_pylist()) == arcs(data.parsed())


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_datasets_are_parsed_as_by_the_program(data, tmp_path):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20)
    try:
        dataset = ray.data.from_arrow(table(data)).repartition(4)
        parsed = of_treebeam.parse(dataset, data.model_path("beams"), beam=8, batch_size=10)
        assert arcs_in(parsed.take_all()) == arcs(data.parsed("beams", "--beam", 8))
        moved = tmp_path / "moved.model"
        moved.write_bytes(data.model_path("beams").read_bytes())
        parsed = of_treebeam.parse(dataset, moved)
        # As on a machine that does not have the file.
        moved.unlink()
        assert arcs_in(parsed.take_all()) == arcs(data.parsed())
        wrong = ray.data.from_arrow(pa.table({"tokens": [["a", "b"]], "upos": [["X"]]}))
        with pytest.raises(Exception, match="1 values of UPOS for 2 tokens"):
            of_treebeam.parse(wrong, data.model_path("beams")).take_all()
        kept = of_treebeam.parse(wrong, data.model_path("beams"), keep_going=True).take_all()
        assert kept[0]["head"] is None
    finally:
        ray.shutdown()
