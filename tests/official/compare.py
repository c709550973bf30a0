#!/usr/bin/env python3
"""Compares `treebeam eval` and `treebeam treebank check` with the official programs of Universal Dependencies.

These are the package `udtools` (https://pypi.org/project/udtools). From treebanks, random mutants are made; both programs
judge each of them.

    compare.py eval  --program treebeam --mutants 100 --seed 1 FILE...
    compare.py check --program treebeam --mutants 100 --seed 1 FILE...

The exit status is 1 if they disagree, 77 if udtools is missing.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from importlib.metadata import version

try:
    from udtools.udeval import UDError, evaluate, load_conllu_file
    from udtools.validator import Validator
except ImportError as error:
    print(f"udtools cannot be imported: {error}")
    sys.exit(77)

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)


def sentences(path):
    """The blocks of a file, as lists of lines."""
    with open(path, encoding="utf-8") as file:
        return [block.split("\n") for block in file.read().strip("\n").split("\n\n") if block]


def write(path, blocks):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("".join("\n".join(block) + "\n\n" for block in blocks))


# --- eval -------------------------------------------------------------------------------------------------------------


class Word:
    """A word with its columns, and its head as another word, or None for the root."""

    def __init__(self, columns):
        self.columns = columns
        self.head = None


def tokens(block):
    """A sentence as a list of tokens: the form, and the words; a token of several words has a range."""
    rows = [line.split("\t") for line in block if not line.startswith("#")]
    words, all_tokens, end = {}, [], 0
    for row in rows:
        if "." in row[ID]:
            continue
        if "-" in row[ID]:
            all_tokens.append([row[FORM], [], True])
            end = int(row[ID].split("-")[1])
            continue
        word = words[int(row[ID])] = Word(row)
        if int(row[ID]) > end:
            all_tokens.append([row[FORM], [], False])
        all_tokens[-1][1].append(word)
    for word in words.values():
        word.head = words.get(int(word.columns[HEAD]))
    return all_tokens


def copy_of(word, form):
    copy = Word(list(word.columns))
    copy.columns[FORM] = form
    copy.head = word
    return copy


def split_token(token, rng):
    form, words, _ = token
    letters = form.replace(" ", "")
    if len(words) > 1 or len(letters) < 2:
        return [token]
    at = rng.randrange(1, len(letters))
    words[0].columns[FORM] = letters[:at]
    return [[letters[:at], words, False], [letters[at:], [copy_of(words[0], letters[at:])], False]]


def contract(token, rng):
    """A multiword token of one of one word."""
    form, words, is_range = token
    if is_range:
        return [token]
    n = rng.choice([1, 2, 2, 3])
    at = rng.randrange(len(form))
    forms = [form[:at] or "x", form[at:], rng.choice([form, form.upper(), "x y", "o"])][:n]
    new = words + [copy_of(words[0], "_") for _ in forms[1:]]
    for word, of_word in zip(new, forms):
        word.columns[FORM] = of_word
    return [[form, new, True]]


def open_range(token, rng):
    form, words, is_range = token
    letters = form.replace(" ", "")
    if not is_range or len(letters) < len(words):
        return [token]
    cuts = [0, *sorted(rng.sample(range(1, len(letters)), len(words) - 1)), len(letters)]
    pieces = [letters[a:b] for a, b in zip(cuts, cuts[1:])]
    for word, piece in zip(words, pieces):
        word.columns[FORM] = piece
    return [[piece, [word], False] for word, piece in zip(words, pieces)]


def merge(first, second, rng):
    """Two tokens as one: of one word, or of all words of both."""
    form = first[0] + rng.choice(["", "", " ", "\u00a0"]) + second[0]
    words = first[1] + second[1]
    if rng.random() < 0.4:
        return [form.replace(" ", "").replace("\u00a0", ""), words, True]
    for word in words[1:]:
        word.gone = words[0]
    words[0].columns[FORM] = form
    return [form, words[:1], False]


def mutate_tokens(sentence, rate, rng):
    done = []
    for token in sentence:
        chance = rng.random()
        if chance < rate:
            done += rng.choice([split_token, contract, open_range])(token, rng)
        elif chance < 1.5 * rate and done:
            done[-1] = merge(done[-1], token, rng)
        else:
            done.append(token)
    return done


def mutate_words(words, rate, rng):
    """Other values in the columns, taken from other words, and other heads; heads make a tree again."""
    for word in words:
        for column in (LEMMA, UPOS, XPOS, FEATS, DEPREL):
            if rng.random() < rate:
                word.columns[column] = rng.choice(words).columns[column]
        while word.head is not None and getattr(word.head, "gone", None) is not None:
            word.head = word.head.gone
        if rng.random() < rate:
            word.head = rng.choice(words)
    root = next((word for word in words if word.head is None), words[0])
    root.head = None
    here = set(words)
    for word in words:
        if word is not root and (word.head is None or word.head not in here):
            word.head = root
        seen, at = {word}, word.head
        while at is not None and at not in seen:
            seen.add(at)
            at = at.head
        if at is not None:
            word.head = None if word is root else root


def block_of(sentence):
    number, lines = 0, []
    ids = {word: i + 1 for i, word in enumerate(word for _, words, _ in sentence for word in words)}
    for form, words, is_range in sentence:
        if is_range:
            lines.append(f"{number + 1}-{number + len(words)}\t{form}" + "\t_" * 8)
        for word in words:
            number += 1
            columns = list(word.columns)
            columns[ID], columns[HEAD] = str(number), str(ids[word.head] if word.head else 0)
            columns[DEPS] = "_"
            lines.append("\t".join(columns))
    return lines


def retokenised(blocks, rng):
    """The same text in other tokens, words and sentences with other annotation."""
    rate, of_words = rng.choice([0.02, 0.1, 0.3, 0.6]), rng.choice([0.0, 0.05, 0.3])
    all_sentences = []
    for block in blocks:
        sentence = mutate_tokens(tokens(block), rate, rng)
        chance = rng.random()
        if chance < 0.1 and all_sentences:
            all_sentences[-1] += sentence
        elif chance < 0.2 and len(sentence) > 1:
            at = rng.randrange(1, len(sentence))
            all_sentences += [sentence[:at], sentence[at:]]
        else:
            all_sentences.append(sentence)
    for sentence in all_sentences:
        mutate_words([word for _, words, _ in sentence for word in words], of_words, rng)
    # A range of one word is none in CoNLL-U.
    for sentence in all_sentences:
        for token in sentence:
            if token[2] and len(token[1]) == 1:
                token[1][0].columns[FORM], token[2] = token[0], False
    return [block_of(sentence) for sentence in all_sentences]


def official_scores(gold, system):
    kind = {"multiple_roots_okay": True}
    try:
        return evaluate(load_conllu_file(gold, kind), load_conllu_file(system, kind))
    except UDError as error:
        return str(error)


def compare_eval(program, gold, system):
    """What the two programs say otherwise of a pair of files."""
    official = official_scores(gold, system)
    run = subprocess.run([program, "eval", gold, system, "--json", "--samples", "1"], capture_output=True, text=True)
    if isinstance(official, str):
        return [] if run.returncode == 2 else [f"official: {official}; exit status {run.returncode}"]
    if run.returncode != 0:
        return [f"exit status {run.returncode}: {run.stderr.strip()}"]
    found = {score["metric"]: score for score in json.loads(run.stdout)["systems"][0]["aligned"]}
    wrong = []
    for metric in found.keys() | official.keys() - {"ELAS", "EULAS"}:
        ours, theirs = found.get(metric), official[metric]
        if ours is None:
            wrong.append(f"no {metric}")
            continue
        pairs = [
            (ours["correct"], theirs.correct),
            (ours["gold"], theirs.gold_total),
            (ours["system"], theirs.system_total),
            (ours.get("aligned"), theirs.aligned_total),
            (ours["precision"], 100 * theirs.precision),
            (ours["recall"], 100 * theirs.recall),
            (ours["f1"], 100 * theirs.f1),
        ]
        wrong += [f"{metric}: {ours} against {theirs.__dict__}" for a, b in pairs if a != b][:1]
    return wrong


def run_eval(arguments, rng, folder):
    n, n_differ = 0, 0
    gold, system = (os.path.join(folder, name) for name in ("gold.conllu", "system.conllu"))
    for path in arguments.files:
        blocks = sentences(path)
        for _ in range(arguments.mutants):
            start = rng.randrange(len(blocks))
            some = blocks[start : start + rng.choice([1, 2, 5, 20])]
            gold_blocks, system_blocks = retokenised(some, rng), retokenised(some, rng)
            write(gold, some if rng.random() < 0.5 else gold_blocks)
            write(system, system_blocks)
            wrong = compare_eval(arguments.program, gold, system)
            n += 1
            if wrong:
                n_differ += 1
                if n_differ <= 5:
                    keep(gold, system)
                    print(f"{path}, pair {n}: " + "; ".join(wrong))
    print(f"eval: {n} pairs of files, {n - n_differ} with equal scores (udtools {version('udtools')})")
    return n_differ == 0


def keep(*paths):
    """Prints files that show a difference."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            print(f"--- {os.path.basename(path)}\n{file.read()[:3000]}")


# --- check ------------------------------------------------------------------------------------------------------------

COMMENTS = [
    "# sent_id = {}", "# sent_id  =  {}", "#sent_id={}", "# sent_id = {} ", "# sent_id = {} b", "# sent_id = a/b/{}",
    "# sent_id = a/{}", "# sent_id\u00a0= {}", "#  sent_id = {} x", "# sent_id {}", "# sent_ids = {}",
    "# parallel_id = x/{}", "# parallel_id = x/same", "# parallel_id = X/{}", "# parallel_id = x/{}/alt1",
    "# parallel_id = x/same/alt2", "# parallel_id = x/same/part1", "# parallel_id = x/same/alt1part1", "#parallel_id = x",
    "# newdoc", "# newdoc id = {}", "# newdoc {}", "# newpar", "# newpar id = {}", "# text = {}", "# text =", "#text=x ",
    "# text_en = {}", "# cafe\u0301", "# \ufffd", "#", "# sent_id = \u00a0{}", "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC",
]
LABELS = ["foo", "root", "nsubj", "nsubj:pass", "nsubj:a:b", "Nsubj", "ref", "_", "nsubj:", "obl:à", "obl:a_b", "dep", "x1"]
ENHANCED = [
    "_", "0:root", "1:dep", "2:nsubj|1:obj", "1:obj|1:nsubj", "1:obl:in_the:gen", "1:obl:à:gen", "1:obl:a:b:c:d",
    "1.1:conj", "1:foo", "1:ref", "9999:dep", "x:dep", "1", "1:obl:_", "1:obl:a__b", "0:dep", "1:root", "01:dep", "1:OBL",
    "1:obl:arg:à", "1:obl:à:à", "1:dep|1:dep", "1:dep|", "1:obl:ʰ", "1.0:dep",
]
FEATURES = [
    "_", "Number=Sing", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing", "Case=Nom|Case=Acc", "Case=Acc,Nom", "Case=Nom,Acc",
    "Case=Nom,Nom", "Case", "case=Nom", "Case=nom", "Number[psor]=Sing", "Number[Psor]=Sing", "Typo=Yes", "A=1|a=2", "A=1|A1=2",
    "A1=2|A=1", "A=a", "A=B,a", "AB=1|Ab=2", "Ab=1|AB=2", "A=Ab,AC", "A=AC,Ab", "Case=", "=Nom", "Case=Nom|",
]
MISCS = [
    "_", "SpaceAfter=No", "SpaceAfter=Yes", "SpaceAfter=no", "NoSpaceAfter=Yes", "SpaceAfter=No|SpaceAfter=No", "Gloss=a|Gloss=b",
    "spaceafter=No", "X=SpaceAfter=No", "Gloss=a  b", " a", "a ", "a b", "Lang=en", "Ref=1|Lang=en|Ref=2", "|", "=x",
    "SpacesAfter=\\n", "cafe\u0301", "SpaceAfter", "SpaceAfter|SpaceAfter=No", "a\u00a0\u00a0b", "a\u001fb", "a\u001f",
]
FORMS = ["_", "a b", "a  b", " a", "a ", "cafe\u0301", "a\u00a0b", "\ufffd", "a\u2003b", "", "x", "\u0344", "a\u001cb", "a\u001f"]
IDS = ["1-2", "2-3", "3-3", "1.1", "2.1", "0.1", "5-4", "01", "0", "1", "2", "3", "x", "1-", "99", "3-9", "1.01", "01.1", "1.2"]
TAGS = ["NOUN", "X", "_", "noun", "V", "PUNCT", "N N", "CCONJ", "CONJ"]
HEADS = ["0", "1", "2", "3", "01", "-1", "_", "99", "1.1", "x", "+1"]


def with_graph(block, rng):
    """The block with an enhanced graph that is the tree, and perhaps an empty node."""
    lines = []
    for line in block:
        row = line.split("\t")
        if len(row) == 10 and row[ID].isdigit():
            row[DEPS] = f"{row[HEAD]}:{row[DEPREL]}"
        lines.append("\t".join(row))
    if rng.random() < 0.3:
        words = [i for i, line in enumerate(lines) if line.split("\t")[0].isdigit()]
        at = rng.choice(words)
        number = lines[at].split("\t")[0]
        lines.insert(at + 1, f"{number}.1\tx\t_\t_\t_\t_\t_\t_\t{rng.choice(['1:conj', '0:root', number + ':dep', '_'])}\t_")
    return lines


def without_graph(block):
    lines = []
    for line in block:
        row = line.split("\t")
        if len(row) == 10:
            if "." in row[ID]:
                continue
            row[DEPS] = "_"
        lines.append("\t".join(row))
    return lines


def slip(block, rng):
    """The block with one slip, or with something that only looks like one."""
    block = list(block)
    words = [i for i, line in enumerate(block) if not line.startswith("#")]
    kind = rng.random()
    if kind < 0.2 or not words:
        comment = rng.choice(COMMENTS).format(rng.choice(["x", "s1", "é", str(rng.randrange(10**6))]))
        place = rng.randrange(len(block) - len(words) + 1)
        if rng.random() < 0.5 and place < len(block) and block[place].startswith("#"):
            block[place] = comment
        else:
            block.insert(place, comment)
        return block
    if kind < 0.25:
        place = rng.randrange(len(block) - len(words)) if len(block) > len(words) else 0
        if block[place].startswith("#"):
            at = rng.randrange(len(block[place]) + 1)
            block[place] = block[place][:at] + rng.choice([" ", "\u00a0", "\u0301", "=", "#", "_", "é", "/", "1"]) + block[place][at:]
        return block
    at = rng.choice(words)
    if kind < 0.35:
        # A range of the words from here on, perhaps with an empty node behind it or before it.
        number = block[at].split("\t")[0]
        if number.isdigit():
            first = int(number) + rng.choice([0, 0, 0, 0, 1, -1])
            form = rng.choice([block[at].split("\t")[min(1, block[at].count("\t"))], "ab", "a b"])
            lines = [f"{first}-{first + rng.choice([1, 1, 1, 0, 2, 3, -1])}\t{form}" + "\t_" * 7 + f"\t{rng.choice(MISCS)}"]
            if rng.random() < 0.4:
                empty = f"{int(number) - 1}.1\t_" + "\t_" * 6 + f"\t{rng.choice(ENHANCED)}\t_"
                lines.insert(rng.randrange(2), empty)
            block[at:at] = lines
        return block
    if kind < 0.42:
        what = rng.randrange(6)
        if what == 0:
            del block[at]
        elif what == 1:
            block.insert(at, block[at])
        elif what == 2:
            other = rng.choice(words)
            block[at], block[other] = block[other], block[at]
        elif what == 3:
            block.insert(at, f"{rng.choice(IDS)}\t{rng.choice(FORMS)}" + "\t_" * 7 + f"\t{rng.choice(MISCS)}")
        elif what == 4:
            block.insert(at, rng.choice(["", " ", "\t", "\u00a0", "x", "# late"]))
        else:
            block[at] = rng.choice([block[at] + "\t_", block[at].rsplit("\t", 1)[0], block[at] + "\r", block[at] + " "])
        return block
    row = block[at].split("\t")
    if len(row) != 10:
        return block
    column = rng.randrange(10)
    values = [IDS, FORMS, FORMS, TAGS, TAGS, FEATURES, HEADS, LABELS, ENHANCED, MISCS]
    chance = rng.random()
    if chance < 0.75:
        row[column] = rng.choice(values[column])
    elif chance < 0.9:
        row[column] = other_value(block, words, column, rng)
    else:
        place = rng.randrange(len(row[column]) + 1)
        row[column] = row[column][:place] + rng.choice([" ", "\u00a0", "\u0301", "_", "|", ":", "é", "A", "1"]) + row[column][place:]
    block[at] = "\t".join(row)
    return block


def other_value(block, words, column, rng):
    row = block[rng.choice(words)].split("\t")
    return row[column] if len(row) == 10 else "_"


def mutant(blocks, rng):
    """The contents of the files of one call."""
    start = rng.randrange(len(blocks))
    some = blocks[start : start + rng.choice([1, 1, 2, 3])]
    graph = rng.random()
    if graph < 0.4:
        some = [with_graph(block, rng) for block in some]
    elif graph < 0.8:
        some = [without_graph(block) for block in some]
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2])):
        place = rng.randrange(len(some))
        some[place] = slip(some[place], rng)
    files = [some]
    if rng.random() < 0.15:
        files.append([rng.choice(blocks)] if rng.random() < 0.5 else some[:1])
    return files


VALIDATORS = {level: Validator(lang="ud", level=level, output=None) for level in (1, 2)}


def official_verdict(paths, level):
    """Whether all is well, and the tests that found something; None if the validator breaks down."""
    validator = VALIDATORS[level]
    # DEPS adds this label to those of DEPREL, for the rest of a run.
    validator.data.udeprel.discard("ref")
    try:
        state = validator.validate_files(paths)
    except Exception as error:  # pylint: disable=broad-except
        return None, [repr(error)]
    tests = {incident.testid for incident in state.error_tracker if type(incident).__name__ == 'Error'}
    return state.passed(), sorted(tests)


# What only this program refuses, as docs/src/reference/formats.md lists it.
LISTED = (
    "a range that starts with the next word",
    "a range that ends behind word",
    "the label `ref`",
    "what seems to be CoNLL-U Plus",
    "expected at least one; the file is empty",
    ".1 for an empty node here",
)


def run_check(arguments, rng, folder):
    counts = {1: [0, 0, 0, 0], 2: [0, 0, 0, 0]}
    n_broken, kinds = 0, {}
    for path in arguments.files:
        blocks = sentences(path)
        for _ in range(arguments.mutants):
            paths = []
            for number, some in enumerate(mutant(blocks, rng)):
                paths.append(os.path.join(folder, f"{number}.conllu"))
                write(paths[-1], some)
            for level in (1, 2):
                passed, tests = official_verdict(paths, level)
                if passed is None:
                    n_broken += 1
                    continue
                run = subprocess.run(
                    [arguments.program, "treebank", "check", "--level", str(level), *paths], capture_output=True, text=True
                )
                ours = run.returncode == 0
                counts[level][0] += 1
                if ours == passed:
                    continue
                problems = run.stdout.strip().split("\n")
                if not ours and all(any(text in problem for text in LISTED) for problem in problems):
                    counts[level][3] += 1
                    continue
                counts[level][1 if ours else 2] += 1
                kind = f"level {level}: " + ("only official: " + ", ".join(tests) if ours else "only ours: " + run.stdout.strip())
                short = kind if ours else f"level {level}: only ours: " + run.stdout.split(":", 2)[-1].strip()[-90:]
                if short not in kinds and len(kinds) < arguments.show:
                    print(kind)
                    keep(*paths)
                kinds[short] = kinds.get(short, 0) + 1
    for kind, n in sorted(kinds.items(), key=lambda kind: -kind[1])[:40]:
        print(f"{n:5} {kind}")
    for level, (n, lenient, strict, listed) in counts.items():
        print(
            f"check --level {level}: {n} verdicts, {n - lenient - strict - listed} the same, {lenient} more lenient, "
            f"{strict} stricter, {listed} as the book lists them (udtools {version('udtools')})"
        )
    if n_broken:
        print(f"the validator itself broke down {n_broken} times")
    return all(lenient + strict == 0 for _, lenient, strict, _ in counts.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["eval", "check"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--program", default="treebeam")
    parser.add_argument("--mutants", type=int, default=100, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="differences of which everything is shown")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        same = {"eval": run_eval, "check": run_check}[arguments.what](arguments, rng, folder)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
