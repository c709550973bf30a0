"""Memory that runs out is a MemoryError, after which Python goes on."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

LIMITED = """
import gc, resource, sys
import numpy, treebeam

model, folder, megabytes, call = treebeam.load(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
words = [("the", "DET"), ("dog", "NOUN")]
conllu = "1\\tthe\\t_\\tDET\\t_\\t_\\t2\\tdet\\t_\\t_\\n2\\tdog\\t_\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (megabytes << 20), resource.RLIM_INFINITY))
try:
    exec(call)
except MemoryError:
    gc.collect()
    print("MemoryError,", len(model.parse([words])), "tree")
"""

CALLS = [
    "model.parse([words] * 2_000_000)",
    "model.parse(conllu * 1_000_000)",
    "model.parse([[('a' * 80_000_000, 'NOUN')]])",
    "model.parse([words * 30_000], beam=1 << 20)",
    "model.parse([words * 30_000], beam=1 << 20, threads=2)",
    "model.k_best([words * 30_000], 1 << 20, beam=1 << 20)",
    "model.parse_conllu(conllu * 2_500_000)",
    "treebeam.evaluate(conllu * 1_000_000, conllu * 1_000_000)",
    "treebeam.train(conllu * 1_000_000, folder + '/x.model', iterations=1)",
    "treebeam.train([words] * 2_000_000, folder + '/x.model', iterations=1)",
    "treebeam.load(folder + '/large.model')",
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses are Linux's")
@pytest.mark.parametrize("call", CALLS)
def test_memory_that_runs_out_is_an_error(data, tmp_path, call):
    if "large.model" in call:
        with open(tmp_path / "large.model", "wb") as file:
            file.truncate(1 << 32)
    arguments = [data.model_path("beams"), tmp_path, 180, call]
    done = subprocess.run([sys.executable, "-c", LIMITED, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "MemoryError, 1 tree\n"), done.stderr[-2000:]
    assert not (tmp_path / "x.model").exists()
