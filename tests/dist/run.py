#!/usr/bin/env python3
"""Installs each file of a release in a clean folder and runs it.

    tests/dist/run.py FOLDER

Checksums are those of SHA256SUMS; the archive's program trains, parses and scores, without any variable of this machine and, where
there is qemu-user, on a processor of 2006 and on aarch64, with the same bytes; Debian's package is unpacked by dpkg and its program
runs; the wheel is installed into a new virtual environment (numpy comes from the package index) and trains and parses the same.
The exit code is 1 if anything fails; what could not be tried is said.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

OLD_PROCESSOR = "core2duo"
TRAIN = "--beam 4 --iterations 2 --replicas 1 --threads 1 --seed 1"


def run(*command, cwd, expect=True):
    """Runs a command with hardly any variable."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **{name: os.environ[name] for name in os.environ if name.startswith("PIP_")}}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True)
    if expect and done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def used(program, folder):
    """Trains, parses and scores by the program; the bytes that come out."""
    folder.mkdir()
    for name, seed in [("train", 1), ("test", 2)]:
        run(*program, "treebank", "generate", "--seed", seed, "--sentences", 40, "-o", f"{name}.conllu", cwd=folder)
    run(*program, "train", "--train", "train.conllu", "--model", "a.model", *TRAIN.split(), "--quiet", cwd=folder)
    run(*program, "parse", "--model", "a.model", "test.conllu", "-o", "parsed.conllu", "--quiet", cwd=folder)
    scores = json.loads(run(*program, "eval", "test.conllu", "parsed.conllu", "--json", cwd=folder))
    model = (folder / "a.model").read_bytes()
    return hashlib.sha256(model).hexdigest(), (folder / "parsed.conllu").read_bytes(), scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    machine = os.uname().machine
    tried, left_out = [], []
    listed = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(listed) == {path.name for path in folder.iterdir()} - {"SHA256SUMS"}, "SHA256SUMS has other files than there are"
    for name, checksum in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum, name
    tried.append(f"checksums of {len(listed)} files")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        results = {}

        for path in sorted(folder.glob("*.tar.gz")):
            arch = path.name.removesuffix(".tar.gz").split("-")[2]
            with tarfile.open(path) as tar:
                tar.extractall(work / arch, filter="data")
            [top] = (work / arch).iterdir()
            program = top / "bin/treebeam"
            for name in ["share/man/man1/treebeam-train.1", "share/bash-completion/completions/treebeam",
                         "share/doc/treebeam/LICENSE-MIT", "share/doc/treebeam/README.md"]:
                assert (top / name).stat().st_size > 500, f"{path.name}: {name}"
            emulator = shutil.which(f"qemu-{arch}")
            if arch == machine:
                results[path.name] = used([program], work / f"{arch}-here")
                missing = run("ldd", program, cwd=work, expect=False)
                assert b"=>" not in missing, f"{program} needs libraries: {missing}"
                if emulator and arch == "x86_64":
                    results[f"{path.name} on {OLD_PROCESSOR}"] = used([emulator, "-cpu", OLD_PROCESSOR, program], work / "old")
            elif emulator:
                results[f"{path.name} in qemu"] = used([emulator, program], work / f"{arch}-emulated")
            else:
                left_out.append(f"{path.name}: there is no qemu-{arch} (package qemu-user)")

        for path in sorted(folder.glob("*.deb")):
            if not shutil.which("dpkg-deb"):
                left_out.append(f"{path.name}: there is no dpkg-deb")
                continue
            root = work / path.stem
            run("dpkg-deb", "-x", path, root, cwd=work)
            assert run("dpkg-deb", "-f", path, "Package", cwd=work) == b"treebeam\n", path.name
            assert (root / "usr/share/doc/treebeam/copyright").stat().st_size > 500, f"{path.name} has no copyright"
            if path.stem.endswith("amd64") == (machine == "x86_64"):
                results[path.name] = used([root / "usr/bin/treebeam"], work / f"{path.stem}-here")

        wheels = [path for path in sorted(folder.glob("*.whl")) if machine in path.name]
        left_out += [f"{path.name}: not for this processor" for path in sorted(folder.glob("*.whl")) if path not in wheels]
        for path in wheels:
            run(sys.executable, "-m", "venv", work / "venv", cwd=work)
            run(work / "venv/bin/python", "-m", "pip", "install", "--quiet", path, cwd=work)
            at = work / "here"
            shutil.copytree(next(work.glob("*-here")), at)
            script = ("import treebeam; treebeam.train('train.conllu', 'b.model', beam=4, iterations=2, replicas=1, threads=1, seed=1)\n"
                      "treebeam.load('b.model').parse_file('test.conllu', 'ours.conllu')")
            (at / "try.py").write_text(script)
            run(work / "venv/bin/python", "try.py", cwd=at)
            assert (at / "b.model").read_bytes() == (at / "a.model").read_bytes(), f"{path.name}: another model than the program's"
            assert (at / "ours.conllu").read_bytes() == (at / "parsed.conllu").read_bytes(), f"{path.name}: other trees than the program's"
            tried.append(path.name)

        assert results, f"{folder}: nothing that runs here"
        first = next(iter(results))
        for name, result in results.items():
            assert result[1:] == results[first][1:], f"{name} parses otherwise than {first}"
            tried.append(name)
        models = {result[0] for result in results.values()}
        assert len(models) == 1, f"models differ: { {name: result[0][:8] for name, result in results.items()} }"
    print("\n".join(f"tried: {name}" for name in tried))
    print("\n".join(f"not tried: {name}" for name in left_out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
