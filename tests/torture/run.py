#!/usr/bin/env python3
"""Treats the program badly, and counts what it did not stand.

    tests/torture/run.py PROGRAM [--rounds N] [--seed S] [--only NAME]

Every attack ends well if the program exits by itself, with code 0, 1 or 2 (or 128 and the number of a signal that asked it to
stop), says no word of a panic, leaves no temporary file, takes no more memory than 20 times its input beyond what it takes for
an empty one, and does what the attack says besides. The exit code is 1 if anything fell.
"""

import argparse
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MEGABYTE = 1 << 20
ATTACKS = []


def attack(function):
    ATTACKS.append(function)
    return function


class Fell(Exception):
    """The program did not stand an attack."""


class Ended:
    def __init__(self, code, out, err, memory, seconds):
        self.code, self.out, self.err, self.memory, self.seconds = code, out, err, memory, seconds


class Bench:
    """The program, a folder to run it in, and counts."""

    def __init__(self, program, folder, rounds, seed):
        self.program, self.folder, self.rounds = program, folder, rounds
        self.random = random.Random(seed)
        self.count = 0

    def path(self, name):
        return self.folder / name

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.path(name).write_bytes(data)
        return name

    def write_apart(self, name, make):
        """Writes what `make` makes, in another process: the peak of this one's memory is inherited by those it starts."""
        pid = os.fork()
        if pid == 0:
            try:
                self.write(name, make())
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        return self.path(name).stat().st_size

    def start(self, line, **streams):
        arguments = line if isinstance(line, list) else line.split()
        self.count += 1
        return subprocess.Popen([self.program, *arguments], cwd=self.folder, **streams)

    def run(self, line, codes=(0, 1, 2), stdin=b"", timeout=120, limit=None, tidy=True):
        """Runs a command to its end and checks how it ended."""
        what = line if isinstance(line, str) else " ".join(map(repr, line))
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
            given.write(stdin)
            given.seek(0)
            started = time.monotonic()
            process = self.start(line, stdin=given, stdout=out, stderr=subprocess.PIPE, preexec_fn=limit)
            # A pipe, as what is said into a file would be lost where a limit of its size is what is tried.
            err = []
            listener = threading.Thread(target=lambda: err.append(process.stderr.read()))
            listener.start()
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - started > timeout:
                    process.kill()
                    os.wait4(process.pid, 0)
                    process.returncode = -9
                    raise Fell(f"{what}: not finished after {timeout} s")
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - started
            listener.join()
            process.stderr.close()
            out.seek(0)
            ended = Ended(process.returncode, out.read(), err[0], usage.ru_maxrss * 1024, seconds)
        self.judge(what, ended, codes, tidy)
        return ended

    def judge(self, what, ended, codes, tidy=True):
        message = ended.err[-600:].decode(errors="replace")
        if ended.code < 0:
            raise Fell(f"{what}: ended by {signal.Signals(-ended.code).name}: {message}")
        if b"panicked" in ended.err or ended.code == 101:
            raise Fell(f"{what}: panicked: {message}")
        if ended.code not in codes:
            raise Fell(f"{what}: exit code {ended.code}, expected one of {codes}: {message}")
        if ended.code == 2 and not ended.err.strip() and not ended.out.strip():
            raise Fell(f"{what}: exit code 2 without a word")
        if tidy:
            self.tidy(what)

    def tidy(self, what):
        left = [str(p) for p in self.folder.rglob(".treebeam-*")]
        if left:
            for name in left:
                os.unlink(name)
            raise Fell(f"{what}: left {left}")


def word(number, head, label="dep", form="w", upos="X"):
    return f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"


def chain(n, **columns):
    return "".join(word(i, i - 1, **columns) for i in range(1, n + 1)) + "\n"


TRAIN = "train --train train.conllu --dev dev.conllu --iterations 2 --replicas 1 --beam 4 --features stack --threads 1"


def prepare(bench):
    bench.run("treebank generate --seed 1 --sentences 80 -o train.conllu", codes=(0,))
    bench.run("treebank generate --seed 2 --sentences 20 -o dev.conllu", codes=(0,))
    bench.run(f"{TRAIN} --model small.model", codes=(0,))
    bench.run("train --train train.conllu --model graph.model --system mst --iterations 1", codes=(0,))
    bench.run("parse --model small.model dev.conllu -o parsed.conllu", codes=(0,))
    bench.write("empty.conllu", "")
    bench.base = bench.run("treebank check dev.conllu").memory


def bounded(bench, what, ended, size):
    if ended.memory > bench.base + 20 * size + 16 * MEGABYTE:
        raise Fell(f"{what}: {ended.memory / MEGABYTE:.0f} MB for {size / MEGABYTE:.1f} MB of input")


@attack
def malformed_input_in_bounded_memory_and_time(bench):
    files = {
        "x lines": lambda: "x\n" * 5_000_000,
        "numbers": lambda: "1\n" * 2_000_000,
        "blank lines": lambda: "\n" * 5_000_000,
        "comments": lambda: "# c\n" * 2_000_000,
        "tabs": lambda: "\t" * 10_000_000 + "\n",
        "one line": lambda: "x" * 10_000_000,
        "no heads": lambda: "".join(word(i, "_") for i in range(1, 60_001)) + "\n",
        "one cycle": lambda: "".join(word(i, i % 60_000 + 1) for i in range(1, 60_001)) + "\n",
        "self loops": lambda: "".join(word(i, i) for i in range(1, 60_001)) + "\n",
        "all roots": lambda: "".join(word(i, 0) for i in range(1, 60_001)) + "\n",
        "wrong sentences": lambda: (word(1, 7) + "\n") * 200_000,
        "not utf-8": lambda: b"1\t\xff\n" * 1_000_000,
        "crlf": lambda: (word(1, 0, "root") + "\n").replace("\n", "\r\n") * 100_000,
        "nul": lambda: b"\0" * 10_000_000,
        "long id": lambda: "# sent_id = " + "y" * 5_000_000 + "\n" + word("9" * 1_000_000, 0),
    }
    for name, make in files.items():
        size = bench.write_apart("bad.conllu", make)
        for line in ["treebank check bad.conllu", "treebank check --level 2 --json bad.conllu", "treebank stats bad.conllu",
                     "eval bad.conllu bad.conllu", "parse --model small.model bad.conllu -o out.conllu",
                     "parse --keep-going --model small.model bad.conllu -o out.conllu"]:
            ended = bench.run(line, timeout=60)
            # Heads are not read by `parse`: these are sound sentences of 60,000 words, and a beam of 8 is kept for all of it.
            is_sound = name in {"no heads", "one cycle", "self loops", "all roots"} and line.startswith("parse")
            bounded(bench, f"{name}: {line}", ended, 60_000 * 100 if is_sound else size * line.count("bad.conllu"))
            if len(ended.out) + len(ended.err) > 4 * MEGABYTE:
                raise Fell(f"{name}: {line}: {len(ended.out) + len(ended.err)} bytes of messages")


@attack
def sentences_of_any_length(bench):
    for n, codes in [(1000, (0,)), (32_000, (0,)), (65_533, (0,)), (65_534, (2,)), (1_000_000, (2,))]:
        size = bench.write_apart("long.conllu", lambda: chain(n, label="root"))
        ended = bench.run("parse --model small.model --beam 1 long.conllu -o out.conllu", codes=codes, timeout=240)
        if n >= 32_000:
            bounded(bench, f"{n} words", ended, size)
        if codes == (2,) and b"convert --cut" not in ended.err:
            raise Fell(f"{n} words: no remedy: {ended.err[:300]}")
        if codes == (0,):
            bench.run("eval long.conllu out.conllu", codes=(0,), timeout=60)
            bench.run("draw long.conllu --sentence 1 -o tree.svg", timeout=120)
        bench.run("treebank convert --cut 1000 long.conllu -o cut.conllu", codes=(0,))
        bench.run("parse --model small.model --beam 1 cut.conllu -o out.conllu", codes=(0,), timeout=240)
        with open(bench.path("out.conllu"), encoding="utf-8") as parsed:
            words = sum(1 for line in parsed if line[:1].isdigit())
        if words != n:
            raise Fell(f"{n} words became {words}")


@attack
def numbers_out_of_range(bench):
    bad = ["0", "-1", "inf", "nan", "1e999", "99999999999999999999", "18446744073709551615", "", "x", "1000000000"]
    options = {
        f"{TRAIN} --model never.model": ["--threads", "--checkpoint-seconds", "--replicas", "--beam", "--iterations", "--batch",
                                         "--explore-prob", "--explore-from", "--average-from", "--rate", "--dropout",
                                         "--min-count", "--hidden", "--alpha", "--reference-share", "--aggressiveness"],
        "parse --model small.model dev.conllu -o out.conllu": ["--threads", "--beam", "--k-best"],
        "treebank check dev.conllu": ["--level", "--most"],
        "treebank convert dev.conllu -o out.conllu": ["--cut"],
        "eval dev.conllu parsed.conllu": ["--samples"],
        "oracle show --system arc-eager dev.conllu": ["--sentence"],
        "draw dev.conllu -o tree.svg": ["--sentence"],
    }
    heavy = {("--iterations", "1000000000"), ("--samples", "1000000000"), ("--hidden", "1000000000")}
    given = ["--threads", "--replicas", "--beam", "--iterations", "--batch"]
    for line, names in options.items():
        for name in names:
            for value in bad:
                if (name, value) in heavy:
                    continue
                arguments = line.split()
                if name in given and name in arguments:
                    arguments[arguments.index(name) + 1] = value
                    arguments += [] if value != "0" else []
                else:
                    arguments += [f"{name}={value}"]
                ended = bench.run(arguments, timeout=60)
                if value in ("inf", "nan", "-1", "", "x") and ended.code == 0:
                    raise Fell(f"{arguments}: accepted")


@attack
def outputs_that_would_replace_inputs(bench):
    kept = {name: bench.path(name).read_bytes() for name in ["train.conllu", "dev.conllu", "small.model", "parsed.conllu"]}
    os.symlink("train.conllu", bench.path("link.conllu"))
    os.mkdir(bench.path("sub"))
    for line in ["train --train train.conllu --model train.conllu", "train --train train.conllu --model link.conllu",
                 "train --train train.conllu --dev dev.conllu --model dev.conllu",
                 "train --train train.conllu --model m --stats-json m",
                 "train --train train.conllu --model m --stats-json train.conllu",
                 "train --train train.conllu --model m --stats-json m.checkpoint",
                 "parse --model small.model dev.conllu -o small.model", "parse --model small.model dev.conllu -o dev.conllu",
                 "parse --model small.model dev.conllu -o sub/../dev.conllu",
                 "parse --model small.model dev.conllu -o out --stats-json out",
                 "parse --model small.model dev.conllu -o out --stats-json small.model",
                 "parse --model small.model dev.conllu --stats-json -",
                 "treebank split train.conllu --parts 1,1 -o s -o s", "treebank split train.conllu --parts 1,1 -o s -o train.conllu",
                 "treebank split train.conllu --parts 1,1 -o s -o ./s",
                 "draw dev.conllu -o dev.conllu", "model freeze small.model -o small.model",
                 "model freeze small.model -o dev.conllu --test dev.conllu"]:
        ended = bench.run(line, codes=(2,))
        for name, bytes_ in kept.items():
            if bench.path(name).read_bytes() != bytes_:
                raise Fell(f"{line}: {name} is not what it was")
    bench.run("treebank convert --fix train.conllu -o train.conllu", codes=(0,))
    os.unlink(bench.path("link.conllu"))


@attack
def streams_that_are_closed(bench):
    bench.write("many.conllu", bench.path("dev.conllu").read_text() * 200)
    bench.write("bad.conllu", word(1, 7) + "\n" + (word(1, 0) + word(2, 0) + "\n") * 5000)
    for line, code in [("treebank check bad.conllu", 2), ("treebank check --json bad.conllu", 2),
                       ("parse --model small.model many.conllu", 0), ("treebank convert many.conllu", 0),
                       ("eval dev.conllu parsed.conllu", 0), ("treebank stats dev.conllu", 0), ("features list", 0),
                       ("oracle show --system arc-eager dev.conllu", 0), ("--help", 0), ("model show small.model", None)]:
        for how in ["stdout closed", "stdout read a little", "stderr closed", "both closed", "not there"]:
            out = err = subprocess.PIPE
            shut = None
            if how == "not there":
                def shut():
                    os.close(1), os.close(2), os.close(0)
            process = bench.start(line, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=shut)
            if how in ("stdout closed", "both closed"):
                process.stdout.close()
            if how in ("stderr closed", "both closed"):
                process.stderr.close()
            if how == "stdout read a little":
                process.stdout.read(10)
                process.stdout.close()
            message = b"" if process.stderr.closed else process.stderr.read()
            if not process.stdout.closed:
                process.stdout.read()
            ended = Ended(process.wait(120), b"?", message, 0, 0)
            if how == "not there" and "--help" not in line:
                code = 2  # Nothing can be written, which is an error.
            bench.judge(f"{line}, {how}", ended, (0, 1, 2) if code is None else (code,))
    # Training that nobody listens to makes its model.
    process = bench.start(f"{TRAIN} --model heard.model", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stderr.readline()
    process.stderr.close()
    process.stdout.close()
    bench.judge("train 2>&1 | head -1", Ended(process.wait(300), b"", b"", 0, 0), (0,))
    if bench.path("heard.model").read_bytes() != bench.path("small.model").read_bytes():
        raise Fell("train with a closed stderr: another model")


@attack
def nothing_and_malformed_ends(bench):
    for line in ["parse --model small.model", "parse --model small.model --keep-going", "parse --model graph.model",
                 "treebank convert -", "treebank convert --to conllx -"]:
        ended = bench.run(line, codes=(0,), stdin=b"")
        if ended.out:
            raise Fell(f"{line}: something out of nothing: {ended.out[:200]}")
    whole = bench.path("dev.conllu").read_text()
    bench.write("torn.conllu", whole + "1\tbro")
    bench.run("parse --model small.model torn.conllu -o torn.out", codes=(2,))
    if bench.path("torn.out").exists():
        raise Fell("a torn file without --keep-going left an output")
    ended = bench.run("parse --model small.model --keep-going torn.conllu -o torn.out", codes=(1,))
    bench.run("parse --model small.model dev.conllu -o whole.out", codes=(0,))
    if bench.path("torn.out").read_bytes() != bench.path("whole.out").read_bytes():
        raise Fell("--keep-going lost sentences")
    if b"left out" not in ended.err:
        raise Fell("--keep-going does not say what it left out")
    packed = gzip.compress(whole.encode() * 20)
    bench.write("torn.conllu.gz", packed[: len(packed) // 2])
    bench.run("parse --model small.model torn.conllu.gz -o never.out", codes=(2,))
    bench.run("parse --keep-going --model small.model torn.conllu.gz -o some.out", codes=(1,))


@attack
def bombs(bench):
    sentence = (word(1, 0, "root") + "\n").encode()
    for name, make in [("lines", lambda: b"x\n" * (128 * MEGABYTE // 2)),
                       ("sentences", lambda: sentence * (256 * MEGABYTE // len(sentence))),
                       ("zeros", lambda: b"\0" * (256 * MEGABYTE))]:
        size = bench.write_apart("bomb.conllu.gz", lambda: gzip.compress(make(), 6))
        for line in ["treebank check bomb.conllu.gz", "eval bomb.conllu.gz bomb.conllu.gz", "treebank stats bomb.conllu.gz",
                     "train --train bomb.conllu.gz --model never.model --iterations 1"]:
            ended = bench.run(line, timeout=300)
            if ended.memory > bench.base + 400 * MEGABYTE and "eval" not in line:
                raise Fell(f"{name}: {line}: {ended.memory // MEGABYTE} MB for {size // 1024} kB")
        shutil.copy(bench.path("bomb.conllu.gz"), bench.path("bomb.model.gz"))
        ended = bench.run("parse --model bomb.model.gz dev.conllu", codes=(2,))
        if ended.memory > bench.base + 400 * MEGABYTE:
            raise Fell(f"{name}: model: {ended.memory // MEGABYTE} MB")


@attack
def pipes_as_files(bench):
    for name in ["in.fifo", "out.fifo"]:
        os.mkfifo(bench.path(name))
    feeder = subprocess.Popen(["sh", "-c", "cat small.model > in.fifo"], cwd=bench.folder)
    bench.run("parse --model in.fifo dev.conllu -o piped.conllu", codes=(0,))
    feeder.wait(10)
    if bench.path("piped.conllu").read_bytes() != bench.path("parsed.conllu").read_bytes():
        raise Fell("a model through a pipe parses otherwise")
    reader = subprocess.Popen(["sh", "-c", "cat out.fifo > through.model"], cwd=bench.folder)
    bench.run(f"{TRAIN} --model out.fifo", codes=(0,))
    reader.wait(10)
    if bench.path("through.model").read_bytes() != bench.path("small.model").read_bytes():
        raise Fell("a model written to a pipe is another")


@attack
def signals(bench):
    bench.write("many.conllu", bench.path("dev.conllu").read_text() * 2000)
    for line in ["parse --model small.model --beam 64 many.conllu -o out.conllu",
                 "train --train many.conllu --model big.model --iterations 50 --checkpoint-seconds 0"]:
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2,
                       signal.SIGXCPU, signal.SIGBUS]:
            for _ in range(max(1, bench.rounds // 5)):
                process = bench.start(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(0.3 + bench.random.random())
                process.send_signal(number)
                message = process.stderr.read()
                ended = Ended(process.wait(60), b"", message, 0, 0)
                bench.judge(f"{line}, {number.name}", ended, (128 + number,))
                if number.name.encode() not in message:
                    raise Fell(f"{line}: nothing said of {number.name}: {message[-200:]}")
    process = bench.start("parse --model small.model --beam 8 many.conllu -o out.conllu", stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.5)
    process.send_signal(signal.SIGHUP)
    bench.judge("nohup", Ended(process.wait(300), b"", process.stderr.read(), 0, 0), (0,))


@attack
def kills(bench):
    for round_ in range(bench.rounds):
        line = f"{TRAIN} --model killed.model --checkpoint-seconds 0 --resume --iterations 4".replace("--iterations 2 ", "")
        if round_ == 0:
            bench.run(line.replace("killed", "whole"), codes=(0,))
        while not bench.path("killed.model").exists():
            process = bench.start(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                message = process.communicate(timeout=bench.random.uniform(0.02, 2.0))[1]
                bench.judge(line, Ended(process.returncode, b"", message, 0, 0), (0,), tidy=False)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        for left in bench.folder.glob(".treebeam-*"):
            left.unlink()
        if bench.path("killed.model").read_bytes() != bench.path("whole.model").read_bytes():
            raise Fell(f"round {round_}: a killed run made another model")
        bench.path("killed.model").unlink()


def scores(folder):
    """What the records of an experiment say, times left out."""
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    return sorted((record["key"], json.dumps([(d["width"], d["test"]) for d in record["decodings"]])) for record in records)


@attack
def killed_experiments(bench):
    """Experiments that are stopped again and again make the records of one that runs in peace, and leave nothing beside them."""
    line = ["experiment", "run", str(ROOT / "experiments/demo.toml"), "--set", "treebanks=generated:1,400,nonprojective", "--set",
            "iterations=8", "--set", "seeds=1", "--jobs", "2", "--quiet", "--out"]
    bench.run([*line, "whole"], codes=(0,))
    left = sorted(path.name for path in bench.path("whole").rglob("*"))
    for round_ in range(max(2, bench.rounds // 2)):
        number = [signal.SIGKILL, signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1][round_ % 4]
        for _ in range(200):
            process = bench.start([*line, "killed"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                message = process.communicate(timeout=bench.random.uniform(0.05, 0.8))[1]
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                message = process.communicate()[1]
            if process.returncode != -signal.SIGKILL:
                bench.judge(f"{line}, {number.name}", Ended(process.returncode, b"", message, 0, 0), (0, 128 + number), tidy=False)
            if process.returncode == 0:
                break
        bench.run([*line, "killed"], codes=(0,))
        found = sorted(path.name for path in bench.path("killed").rglob("*"))
        if found != left:
            raise Fell(f"{number.name}: left {sorted(set(found) ^ set(left))}")
        if scores(bench.path("killed")) != scores(bench.path("whole")):
            raise Fell(f"{number.name}: other records")
        shutil.rmtree(bench.path("killed"))


@attack
def dangling_and_endless(bench):
    """Links to nothing are written through or refused; what has no end is refused."""
    for line in ["parse --model small.model dev.conllu -o OUT", "treebank convert dev.conllu -o OUT", f"{TRAIN} --model OUT"]:
        os.symlink("there", bench.path("link"))
        ended = bench.run(line.replace("OUT", "link"))
        if ended.code == 0 and not (bench.path("link").is_symlink() and bench.path("there").exists()):
            raise Fell(f"{line}: the link is gone")
        for name in ["link", "there"]:
            bench.path(name).unlink(missing_ok=True)
    for line in ["experiment plan /dev/zero", "features show --features /dev/zero --system arc-eager", "parse --model /dev/zero dev.conllu",
                 "treebank check /dev/zero", "parse --model small.model /dev/zero", "oracle show --system arc-eager /dev/zero"]:
        ended = bench.run(line, codes=(2,), timeout=60)
        bounded(bench, line, ended, 4 * MEGABYTE)


@attack
def full_disks(bench):
    commands = [f"{TRAIN} --model OUT", "parse --model small.model dev.conllu -o OUT", "treebank convert dev.conllu -o OUT",
                "treebank generate --sentences 2000 -o OUT", "draw dev.conllu -o OUT", "model freeze small.model -o OUT",
                "parse --model small.model dev.conllu -o fine.conllu --stats-json OUT"]
    for line in commands:
        bench.run(line.replace("OUT", "/dev/full"), codes=(2,))
    for size in [0, 100, 5000]:
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        for line in commands:
            if size >= 5000 and ("draw" in line or "stats-json" in line or "convert" in line):
                continue
            ended = bench.run(line.replace("OUT", "never"), limit=limit, codes=(0, 2))
            if ended.code == 2 and bench.path("never").exists():
                raise Fell(f"{line}: half a file")
            bench.path("never").unlink(missing_ok=True)
    with open("/dev/full", "wb") as full:
        for line in ["treebank check dev.conllu", "treebank stats dev.conllu", "eval dev.conllu parsed.conllu",
                     "parse --model small.model dev.conllu", "features list", "treebank generate"]:
            process = bench.start(line, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
            message = process.communicate(timeout=60)[1]
            codes = (0, 2) if "check" in line else (2,)
            bench.judge(f"{line} > /dev/full", Ended(process.returncode, b"", message, 0, 0), codes)


@attack
def flipped_bits(bench):
    bench.run(f"{TRAIN} --model flipped.model", codes=(0,))
    process = bench.start("train --train train.conllu --model go.model --iterations 40 --replicas 1 --checkpoint-seconds 0",
                          stderr=subprocess.DEVNULL)
    while not bench.path("go.model.checkpoint").exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    for left in bench.folder.glob(".treebeam-*"):
        left.unlink()
    subjects = [("small.model", "parse --model damaged dev.conllu -o out.conllu"),
                ("graph.model", "parse --model damaged dev.conllu -o out.conllu"),
                ("go.model.checkpoint", None)]
    for name, line in subjects:
        whole = bench.path(name).read_bytes()
        for _ in range(bench.rounds * 4):
            bytes_ = bytearray(whole)
            kind = bench.random.randrange(3)
            at = bench.random.randrange(min(len(bytes_), bench.random.choice([200, 5000, len(bytes_)])))
            if kind == 0:
                bytes_[at] ^= 1 << bench.random.randrange(8)
            elif kind == 1:
                del bytes_[at:]
            else:
                bytes_[at:at + 8] = bench.random.randbytes(8)
            if line:
                bench.write("damaged", bytes(bytes_))
                ended = bench.run(line)
                if ended.code == 2 and b"damaged" not in ended.err:
                    raise Fell(f"{line}: the message does not name the file: {ended.err[:200]}")
            else:
                bench.write("d.model.checkpoint", bytes(bytes_))
                bench.run("train --train train.conllu --model d.model --iterations 1 --replicas 1 --resume")
                bench.path("d.model").unlink(missing_ok=True)


@attack
def mutated_treebanks(bench):
    whole = bench.path("dev.conllu").read_bytes()[:4000]
    pieces = [b"\t", b"\n", b"\r", b"#", b"_", b"-", b".", b"0", b"65536", b"\xff", b"\0", b"\xe2\x80\xa8", b"1-2", b"\n\n"]
    for _ in range(bench.rounds * 10):
        bytes_ = bytearray(whole)
        for _ in range(bench.random.randint(1, 5)):
            at = bench.random.randrange(len(bytes_))
            bytes_[at:at + bench.random.randint(0, 3)] = bench.random.choice(pieces)
        bench.write("mutant.conllu", bytes(bytes_))
        line = bench.random.choice(["treebank check mutant.conllu", "treebank check --level 2 mutant.conllu",
                                    "treebank stats mutant.conllu", "treebank convert --to conllx mutant.conllu -o m.conll",
                                    "treebank convert --fix mutant.conllu -o m.conllu", "eval mutant.conllu mutant.conllu",
                                    "treebank convert --cut 3 mutant.conllu -o m.conllu",
                                    "treebank convert --from columns --columns form,upos mutant.conllu -o m.conllu",
                                    "parse --model small.model mutant.conllu -o m.conllu",
                                    "parse --keep-going --model small.model mutant.conllu -o m.conllu",
                                    "draw mutant.conllu -o m.svg", "oracle show --system swap mutant.conllu",
                                    "train --skip-invalid --train mutant.conllu --model m.model --iterations 1 --replicas 1"])
        bench.run(line)


@attack
def strange_names_and_labels(bench):
    long = "l" * 65_536
    bench.write("long.conllu", word(1, 0, "root") + word(2, 1, long) + word(3, 1, "x", form=long) + "\n")
    for line in ["eval long.conllu long.conllu", "oracle show --system arc-eager long.conllu", "treebank stats long.conllu",
                 "draw long.conllu -o tree.svg", "treebank check --level 2 long.conllu", "features show --features zn11 --system arc-eager long.conllu"]:
        bench.run(line, codes=(0, 2), timeout=60)
    bench.run("train --train long.conllu --model long.model --iterations 1 --replicas 1", codes=(0,))
    bench.run("parse --model long.model long.conllu", codes=(0,))
    for name in ["a b.conllu", "new\nline.conllu", "pipe|.conllu", "--x.conllu", "ü.conllu", "t\tab.conllu"]:
        shutil.copy(bench.path("dev.conllu"), bench.path(name))
        for line in [["treebank", "check", "--", name], ["eval", "--", name, name], ["treebank", "stats", "--", name]]:
            bench.run(line, codes=(0,))
    bench.write(b"\xff.conllu".decode(errors="surrogateescape"), bench.path("dev.conllu").read_bytes())
    bench.run(["treebank", "check", b"\xff.conllu"], codes=(0,))


@attack
def feature_sets(bench):
    many = "".join(f"S0.w B0.p=T{i}\n" for i in range(300))
    wide = "slot a " + " ".join(f"{p}.{c}" for p in ["S0", "S1", "S2", "B0", "B1", "B2"] for c in "wp") + "\n"
    for text in [many, wide + "cross " + "a " * 40 + "\n", "S0.w\n" * 200_000, "S0.w B0.p=" + "x|" * 100_000 + "y\n", "\0", "# only\n",
                 "".join(f"S0.w B{i}.w\n" for i in range(1000)), "S0." + "w" * 1_000_000]:
        bench.write("own.feat", text)
        bench.run("train --train train.conllu --model f.model --features own.feat --iterations 1 --replicas 1", timeout=60)


@attack
def two_processes(bench):
    lines = [f"{TRAIN} --model shared.model", f"{TRAIN} --model shared.model"]
    processes = [bench.start(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for line in lines]
    for process in processes:
        message = process.communicate(timeout=300)[1]
        bench.judge("two trainings of one model", Ended(process.returncode, b"", message, 0, 0), (0, 2), tidy=False)
    bench.tidy("two trainings of one model")
    if bench.path("shared.model").read_bytes() != bench.path("small.model").read_bytes():
        raise Fell("two trainings of one model made another")


@attack
def models_that_change_while_they_are_used(bench):
    """What has been read is what is used: the trees are those of the model as it was, or there is an error."""
    large = TRAIN.replace("--iterations 2", "--iterations 1") + " --scorer feed-forward --hidden 4096"
    bench.run(f"{large} --model large.model", codes=(0,), timeout=300)
    if bench.path("large.model").stat().st_size < 32 * MEGABYTE:
        raise Fell("the large model is small")
    for model, copies in [("small.model", 500), ("large.model", 20)]:
        bench.write("many.conllu", bench.path("dev.conllu").read_text() * copies)
        whole = bench.path(model).read_bytes()
        line = "parse --model used.model --beam 8 many.conllu -o used.out"
        bench.write("used.model", whole)
        bench.run(line, codes=(0,))
        expected = bench.path("used.out").read_bytes()
        for how in ["truncated", "overwritten", "flipped", "replaced", "removed"]:
            for _ in range(max(1, bench.rounds // 10)):
                bench.write("used.model", whole)
                bench.path("used.out").unlink(missing_ok=True)
                process = bench.start(line, stderr=subprocess.PIPE)
                time.sleep(bench.random.uniform(0.02, 0.6))
                if how == "truncated":
                    open(bench.path("used.model"), "wb").close()
                elif how == "overwritten":
                    bench.write("used.model", bench.random.randbytes(len(whole)))
                elif how == "flipped":
                    with open(bench.path("used.model"), "r+b") as file:
                        for at in range(0, len(whole), 4096):
                            file.seek(at)
                            file.write(bytes([whole[at] ^ 255]))
                elif how == "replaced":
                    bench.write("new.model", whole[::-1])
                    os.replace(bench.path("new.model"), bench.path("used.model"))
                else:
                    bench.path("used.model").unlink()
                message = process.communicate(timeout=300)[1]
                what = f"{model}, {how} while it is used"
                bench.judge(what, Ended(process.returncode, b"", message, 0, 0), (0, 2))
                if process.returncode == 0 and bench.path("used.out").read_bytes() != expected:
                    raise Fell(f"{what}: other trees")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--rounds", type=int, default=20, help="how often random attacks are made")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="attacks with this in their name")
    arguments = parser.parse_args()
    fallen = total = 0
    named = [(function.__name__.replace("_", " "), function) for function in ATTACKS]
    chosen = [(name, function) for name, function in named if not arguments.only or arguments.only in name]
    if not chosen:
        parser.error(f"no attack has `{arguments.only}` in its name; expected one of: {'; '.join(name for name, _ in named)}")
    for name, function in chosen:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(arguments.program.resolve(), Path(folder), arguments.rounds, arguments.seed)
            started = time.monotonic()
            try:
                prepare(bench)
                function(bench)
                verdict = "stood"
            except Fell as fell:
                verdict = f"FELL: {fell}"
                fallen += 1
            except Exception as error:
                verdict = f"BROKE: {error!r}"
                fallen += 1
            total += bench.count
            print(f"{name}: {bench.count} runs, {time.monotonic() - started:.0f} s: {verdict}", flush=True)
    print(f"{total} runs of the program; {fallen} attacks that it did not stand")
    sys.exit(1 if fallen else 0)


if __name__ == "__main__":
    main()
