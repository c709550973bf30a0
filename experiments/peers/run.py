#!/usr/bin/env python3
"""Trains and times UDPipe and spaCy beside treebeam: the same files, the same run, the same clock, one core.

Every program is measured as a whole process, from outside (wait4): seconds of the processor and by the clock, peak memory.
The test file is parsed once and COPIES times; the difference is the time of parsing with reading and writing but without
starting and loading the model. All output of timed runs goes to the null device. All trees are scored by `treebeam eval`.

What was trained is kept in the working folder and used again as long as the settings, the data and the version are the
same; everything that is timed is timed anew in each run, program by program in turn, so that all see the same noise.
README.md says how to read the results. Exit code: 0 all measured, 1 some peer could not be installed or run, 2 an error.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# Every setting of every program. `{train}`, `{dev}`, `{model}`, `{input}`, `{output}` are filled in.
UDPIPE = (
    "iterations={iterations};hidden_layer=200;batch_size=10;learning_rate=0.01;learning_rate_final=0.001;l2=0.3;"
    "embedding_upostag=20;embedding_feats=0;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;embedding_deprel=20;"
    "transition_system=projective;transition_oracle=dynamic;structured_interval=8;use_gold_tags=1"
)
TREEBEAM = (
    "--system arc-eager --features zn11 --oracle dynamic --explore-from 1 --explore-prob 0.9 --update max-violation "
    "--average-from 3 --replicas {replicas} --seed 1 --batch 1 --nonprojective min-cost --roots single --word-column form "
    "--word-shape normalised --tag-column upos --keep best --threads 1 --checkpoint-seconds 1e9"
)
SCALES = {
    # Minutes to an hour, most of it UDPipe's; its published settings are those of `full`.
    "quick": {"udpipe iterations": 2, "spacy steps": 1000, "treebeam iterations": 5, "replicas": 1, "repetitions": 3},
    "full": {"udpipe iterations": 10, "spacy steps": 20000, "treebeam iterations": 15, "replicas": 1, "repetitions": 5},
}


@dataclass
class Trained:
    """A model to be trained: who trains it, and how."""

    name: str
    package: str
    train: list
    # Ways of parsing with it: name, command.
    parsers: list


def peers(scale, treebeam, python):
    """All programs with their settings."""
    udpipe = UDPIPE.format(iterations=scale["udpipe iterations"])
    common = TREEBEAM.format(replicas=scale["replicas"]).split()
    iterations = ["--iterations", str(scale["treebeam iterations"])]
    driver = {name: [python, HERE / f"{name}_driver.py"] for name in ("udpipe", "spacy")}

    def own(name, options, beams):
        train = [treebeam, "train", "--train", "{train}", "--dev", "{dev}", "--model", "{model}", *options]
        parse = lambda beam: [treebeam, "parse", "--model", "{model}", "--threads", "1", "--beam", str(beam), "{input}", "-o", "{output}"]
        return Trained(name, None, train + common + iterations, [(f"{name}, beam {beam}", parse(beam)) for beam in beams])

    def of_udpipe(beam):
        return (f"UDPipe, beam {beam}", driver["udpipe"] + ["parse", "{model}", "{input}", "{output}", f"beam_search={beam}"])

    return [
        own("treebeam greedy", ["--training", "greedy"], [1]),
        own("treebeam global", ["--training", "global", "--beam", "8"], [8, 64]),
        Trained("UDPipe", "ufal.udpipe", driver["udpipe"] + ["train", "{train}", "{dev}", "{model}", udpipe], [of_udpipe(1), of_udpipe(5)]),
        Trained("spaCy", "spacy", driver["spacy"] + ["train", "{train}", "{dev}", "{model}", str(scale["spacy steps"])],
                [("spaCy", driver["spacy"] + ["parse", "{model}", "{input}", "{output}"])]),
    ]


def fail(message):
    """Ends with exit code 2."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def filled(command, **values):
    """The command as strings, with the places in braces filled."""
    return [str(part).format(**values) if str(part).startswith("{") else str(part) for part in command]


def shown(command):
    """The command for readers: programs by their names, no path of this machine."""
    return " ".join(Path(part).name if os.sep in str(part) and "=" not in str(part) else str(part) for part in command)


def measured(command, core, log):
    """Runs a command on one core and waits for it; its figures, or None with what it said at the end in `log`."""
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")}
    pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
    with open(log, "wb") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **threads}, preexec_fn=pin)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return None
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"wall_s": round(wall, 4), "cpu_s": round(usage.ru_utime + usage.ru_stime, 4), "peak_rss_bytes": peak}


def last_lines(log):
    """How a program's output ended."""
    return " / ".join(Path(log).read_text(errors="replace").strip().splitlines()[-3:])


def install(work):
    """A virtual environment with the peers; for each package its version, or why there is none."""
    venv = work / "venv"
    python = venv / "bin" / "python"
    requirements = [line.strip() for line in (HERE / "requirements.txt").read_text().splitlines() if line.strip()]
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, text=True)
        if made.returncode != 0:
            reason = (made.stderr or made.stdout).strip().splitlines()[-1:]
            return python, {r.split("==")[0]: f"python3 -m venv failed: {' '.join(reason)}" for r in requirements}, {}
    missing, versions = {}, {}
    for requirement in requirements:
        name, version = requirement.split("==")
        print(f"installing {requirement}", file=sys.stderr)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", requirement]
        done = subprocess.run(pip, capture_output=True, text=True)
        if done.returncode == 0:
            versions[name] = version
        else:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
            # The reason is written into results, where the name of the package index has no place.
            missing[name] = re.sub(r"https?://\S+|host='[^']*'", "(address)", errors[0])
    return python, missing, versions


def sha256(path):
    """The checksum of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def count(path):
    """Sentences and words of a CoNLL-U file."""
    words = sentences = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            words += line.split("\t", 1)[0].isdigit()
            sentences += line == "\n"
    return sentences, words


def data(args, work):
    """The three files: of a treebank, or generated where there is none."""
    if args.treebanks:
        folder = Path(args.treebanks, args.treebank)
        files = {name: folder / f"{name}.conllu" for name in ("train", "dev", "test")}
        for path in files.values():
            if not path.exists():
                fail(f"{path}: no such file; --treebanks names a folder of treebanks, --treebank one in it")
        return args.treebank, files
    print("TREEBEAM_TREEBANKS is not set: generated sentences stand in for a treebank", file=sys.stderr)
    files = {}
    for seed, (name, n) in enumerate((("train", 4000), ("dev", 500), ("test", 1000)), 1):
        files[name] = work / f"{name}.conllu"
        command = [args.treebeam, "treebank", "generate", "--seed", str(seed), "--sentences", str(n), "-o", files[name]]
        subprocess.run(command, check=True)
    return "generated", files


def train(model, files, checksums, versions, work, core):
    """Trains a model unless it is there already; its folder or file, and the record."""
    slug = model.name.replace(" ", "-").lower()
    path, note = work / f"{slug}.model", work / f"{slug}.json"
    command = filled(model.train, train=files["train"], dev=files["dev"], model=path)
    version = versions.get(model.package) or versions["treebeam"]
    wanted = {"command": shown(command), "version": version, "train": checksums["train"], "dev": checksums["dev"]}
    if path.exists() and note.exists():
        kept = json.loads(note.read_text())
        if {key: kept[key] for key in wanted} == wanted:
            print(f"{model.name}: trained before", file=sys.stderr)
            return path, kept
    shutil.rmtree(path, ignore_errors=True)
    print(f"{model.name}: training", file=sys.stderr)
    log = work / f"{slug}.log"
    figures = measured(command, core, log)
    if figures is None:
        return None, {"error": f"training failed: {last_lines(log)}"}
    size = sum(p.stat().st_size for p in ([path] if path.is_file() else (path / "model-best").rglob("*")) if p.is_file())
    kept = {**wanted, **figures, "model_bytes": size}
    note.write_text(json.dumps(kept))
    return path, kept


def score(treebeam, gold, parsed):
    """UAS and LAS by `treebeam eval`, with and without punctuation, over full labels."""
    done = subprocess.run([treebeam, "eval", gold, parsed, "--json", "--samples", "10"], capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip()}
    full = [s for s in json.loads(done.stdout)["systems"][0]["scores"] if s["granularity"] == "full"]
    by_rule = {s["punctuation"]: s for s in full}
    return {
        "tokens": by_rule["include"]["tokens"],
        "uas": by_rule["include"]["uas"],
        "las": by_rule["include"]["las"],
        "las_without_punctuation": by_rule["exclude"]["las"],
    }


def speed(run, n_words, copies):
    """Words per second of the processor and by the clock: the difference between one copy and many."""
    difference = {clock: run["many"][clock] - run["one"][clock] for clock in ("cpu_s", "wall_s")}
    return {clock: (copies - 1) * n_words / d if d > 0 else float("nan") for clock, d in difference.items()}


def copies_for(seconds):
    """So many copies that parsing takes two seconds or more, at least two, at most thirty."""
    return max(2, min(30, 1 + int(2.0 / max(seconds, 1e-3))))


def repeated(test, copies, work):
    """The test file so many times over."""
    path = work / f"test-{copies}.conllu"
    text = Path(test).read_bytes()
    with open(path, "wb") as file:
        for _ in range(copies):
            file.write(text)
    return path


def time_all(parsers, test, n_words, repetitions, treebeam, work, core):
    """Parses the test file with everything, in turn; adds scores, runs and speeds to the records."""
    for record, command in parsers:
        log, output = work / "parse.log", work / "parsed.conllu"
        first = measured(filled(command, model=record["path"], input=test, output=output), core, log)
        if first is None:
            record["error"] = f"parsing failed: {last_lines(log)}"
            continue
        record.update(score(treebeam, test, output))
        # A second run, with one copy more, tells parsing from starting.
        two = measured(filled(command, model=record["path"], input=repeated(test, 2, work), output=os.devnull), core, log)
        record["copies"] = copies_for(two["cpu_s"] - first["cpu_s"])
        record["runs"] = []
    for repetition in range(repetitions):
        for record, command in parsers:
            if "runs" not in record:
                continue
            print(f"repetition {repetition + 1} of {repetitions}: {record['name']}", file=sys.stderr)
            run = {}
            for key, path in (("one", test), ("many", repeated(test, record["copies"], work))):
                run[key] = measured(filled(command, model=record["path"], input=path, output=os.devnull), core, work / "parse.log")
            if None in run.values():
                record["error"] = f"parsing failed: {last_lines(work / 'parse.log')}"
                del record["runs"]
                continue
            record["runs"].append(run)
    for record, _ in parsers:
        if "runs" in record:
            speeds = [speed(run, n_words, record["copies"]) for run in record["runs"]]
            for clock in ("cpu_s", "wall_s"):
                values = sorted(s[clock] for s in speeds)
                record[f"tokens_per_{clock}"] = {"median": statistics.median(values), "least": values[0], "most": values[-1]}
            start = [r["one"]["cpu_s"] - (r["many"]["cpu_s"] - r["one"]["cpu_s"]) / (record["copies"] - 1) for r in record["runs"]]
            record["starting_s"] = max(0.0, statistics.median(start))
            record["peak_rss_bytes"] = max(r["one"]["peak_rss_bytes"] for r in record["runs"])


def revision():
    """The revision of the code."""
    done = subprocess.run(["git", "log", "-1", "--format=%H", "--", "src", "Cargo.toml", "Cargo.lock"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def processor():
    """The processor's model."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


COLUMNS = ["program", "uas", "las", "las_without_punctuation", "tokens_per_cpu_s", "least", "most", "tokens_per_wall_s",
           "starting_s", "peak_parsing_mb", "training_cpu_s", "training_wall_s", "peak_training_mb", "model_mb"]


def lines_of(record):
    """The figures of a record as text, in the order of COLUMNS; empty where there are none."""
    def number(value, digits, scale=1):
        return "" if value is None else f"{value / scale:.{digits}f}"
    cpu, wall, training = (record.get(k, {}) for k in ("tokens_per_cpu_s", "tokens_per_wall_s", "training"))
    return [record["name"], *(number(record.get(k), 2) for k in ("uas", "las", "las_without_punctuation")),
            *(number(cpu.get(k), 0) for k in ("median", "least", "most")), number(wall.get("median"), 0),
            number(record.get("starting_s"), 2), number(record.get("peak_rss_bytes"), 0, 1e6),
            number(training.get("cpu_s"), 1), number(training.get("wall_s"), 1),
            number(training.get("peak_rss_bytes"), 0, 1e6), number(training.get("model_bytes"), 1, 1e6)]


def write(records, facts, out):
    """The table in Markdown and TSV, and the records as lines of JSON."""
    out.mkdir(parents=True, exist_ok=True)
    head = [f"{key}: {value}" for key, value in facts.items()]
    texts = {"jsonl": "".join(json.dumps({**facts, **{k: v for k, v in r.items() if k != "path"}}) + "\n" for r in records)}
    rows = [lines_of(record) for record in records if "error" not in record]
    texts["tsv"] = "".join(f"# {line}\n" for line in head) + "".join("\t".join(line) + "\n" for line in [COLUMNS, *rows])
    titles = ["", "UAS", "LAS", "LAS no punct.", "tokens per CPU second", "least", "most", "tokens/s by the clock", "starting, CPU s",
              "peak MB parsing", "training CPU s", "training s by the clock", "peak MB training", "model MB"]
    table = [titles, ["---"] + ["---:"] * (len(titles) - 1), *rows]
    text = "<!--\n" + "\n".join(head) + "\n-->\n\n# treebeam beside other parsers\n\n"
    text += f"{facts['data']}, gold tokens and tags, one core. Median, least and most of {facts['repetitions']} repetitions.\n\n"
    text += "".join("| " + " | ".join(line) + " |\n" for line in table)
    errors = [f"- **{r['name']}**: {r['error']}\n" for r in records if "error" in r]
    text += "\n## Not measured\n\n" + "".join(errors) if errors else ""
    text += "\n## Settings\n\n"
    for record in records:
        if record.get("training"):
            text += f"- **{record['name']}** ({record['version']}): `{record['training']['command']}`; then `{record['command']}`\n"
    text += "\n" + (HERE / "reading.md").read_text()
    texts["md"] = text
    for ending, text in texts.items():
        part = out / f".peers.{ending}.part"
        part.write_text(text)
        part.replace(out / f"peers.{ending}")
        print(f"wrote {out / f'peers.{ending}'}", file=sys.stderr)


def main():
    """Everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", choices=SCALES, default="quick")
    parser.add_argument("--treebanks", default=os.environ.get("TREEBEAM_TREEBANKS"), help="the folder of treebanks")
    parser.add_argument("--treebank", default="en_ewt", help="the treebank in it")
    parser.add_argument("--treebeam", type=Path, default=ROOT / "target/release/treebeam", help="the program")
    parser.add_argument("--work", type=Path, default=ROOT / "target/peers", help="the folder of environment and models")
    parser.add_argument("--out", type=Path, default=ROOT / "results/throughput", help="the folder of results")
    parser.add_argument("--core", type=int, help="the core to run on [default: the last one]")
    parser.add_argument("--only", help="some of treebeam, udpipe, spacy, separated by commas")
    parser.add_argument("--train-only", action="store_true", help="train what is missing, and stop")
    args = parser.parse_args()
    if not args.treebeam.exists():
        fail(f"{args.treebeam}: no such program; run `make build`")
    args.work.mkdir(parents=True, exist_ok=True)
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    core = args.core if args.core is not None else (cores[-1] if cores else None)
    if core is not None and core not in cores:
        fail(f"--core {core}: expected one of {cores}")

    name, files = data(args, args.work)
    checksums = {key: sha256(path) for key, path in files.items()}
    python, missing, versions = install(args.work)
    for package, reason in missing.items():
        print(f"{package}: not installed: {reason}", file=sys.stderr)
    # A model depends on the program that trained it.
    own = subprocess.run([args.treebeam, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    versions["treebeam"] = f"{own}, program {sha256(args.treebeam)[:12]}"
    scale = SCALES[args.profile]
    n_sentences, n_words = count(files["test"])

    records, parsers = [], []
    wanted = args.only.lower().split(",") if args.only else None
    for model in peers(scale, args.treebeam, python):
        if wanted and model.name.lower().split()[0] not in wanted:
            continue
        version = versions.get(model.package or "treebeam")
        path, training = None, {"error": f"not installed: {missing.get(model.package)}"}
        if model.package not in missing:
            path, training = train(model, files, checksums, versions, args.work, core)
        if "error" in training:
            records.append({"name": model.name, "version": version, "error": training["error"]})
            continue
        for title, command in model.parsers:
            record = {"name": title, "version": version, "path": path, "training": training}
            record["command"] = shown(filled(command, model=path, input="INPUT", output="OUTPUT"))
            records.append(record)
            parsers.append((record, command))
    if args.train_only:
        for record in records:
            print(record["name"], record.get("error") or record["training"])
        sys.exit(1 if any("error" in record for record in records) else 0)
    time_all(parsers, files["test"], n_words, scale["repetitions"], args.treebeam, args.work, core)
    facts = {
        "generated by": f"experiments/peers/run.py --profile {args.profile}: do not edit",
        "data": f"{name}: test {n_sentences} sentences, {n_words} words",
        **{f"sha256 of {key}": value for key, value in checksums.items()},
        "revision": revision(),
        "machine": f"{processor()}, {os.cpu_count()} cores, one used",
        "python": platform.python_version(),
        "repetitions": scale["repetitions"],
        "load before": " ".join(f"{x:.2f}" for x in os.getloadavg()),
    }
    write(records, facts, args.out)
    print((args.out / "peers.md").read_text().split("-->", 1)[1].strip())
    sys.exit(1 if any("error" in record for record in records) else 0)


if __name__ == "__main__":
    main()
