# `make` lists what there is to make, the tables first.

CARGO ?= cargo
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

.PHONY: help
help:
	@awk -F ':.*## ' -v first=' $(TABLES) study lecture-global-vs-greedy ' ' \
		/^[a-z0-9-]+:.*## / { line = sprintf("  make %-26s %s\n", $$1, $$2); \
			if (index(first, " " $$1 " ")) tables = tables line; else others = others line } \
		END { printf "%s\n%s", tables, others }' $(MAKEFILE_LIST)

# Checks

.PHONY: build test golden lint doc examples deny deny-install publish-check portable miri bench clean

build: ## the program, as target/release/treebeam
	$(CARGO) build --release --locked

# The parser's own tests are compiled with checks of overflow and of what the code assumes, and lightly optimised, each part by
# itself, in half the time; all else is tested as it is released.
CHECKED = -Copt-level=1 -Clto=off -Cdebug-assertions -Coverflow-checks

test: lint doc examples ## everything that a change must pass; commands of README and the book are among the tests
	set -e; tests=`$(CARGO) rustc --profile bench --locked --package treebeam --lib --message-format json-render-diagnostics -- $(CHECKED) | \
		sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'`; test -n "$$tests"; "$$tests"
	$(CARGO) test --release --locked --package treebeam-lab --package treebeam-cli --lib --bins --test main --test golden
	$(CARGO) test --release --locked --test library
	$(CARGO) test --release --locked --doc

golden: build ## write the checksums of tests/golden.toml anew, for a change of behaviour that is meant
	GOLDEN=write $(CARGO) test --release --locked --test golden

# Systems are named one by one, as cargo does not follow modules that a macro declares.
lint: ## formatting and clippy; the parser alone, as a library, compiles
	$(CARGO) fmt --check --package treebeam --package treebeam-systems --package treebeam-lab --package treebeam-cli --package treebeam-playground -- $(wildcard systems/src/*.rs systems/src/*/*.rs)
	$(CARGO) clippy --release --locked --all-targets -- -D warnings
	$(CARGO) clippy --release --locked --package treebeam --package treebeam-lab --lib -- -D warnings

doc: ## the documentation, in target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --no-deps

examples: ## the programs of examples/, which train and parse through the library
	$(CARGO) build --release --locked --examples
	set -e; for example in $(basename $(notdir $(wildcard examples/*.rs))); do target/release/examples/$$example >/dev/null; done

# What Python's module is made of is looked at too, though nothing here builds it. Advisories need their database, which is fetched;
# where there is neither a network nor a database of an earlier time, this is said and nothing more.
deny: ## licences, bans, sources and security advisories of all dependencies by deny.toml; needs cargo-deny
	$(CARGO) fetch --locked --quiet || echo "not every crate of Cargo.lock is there" >&2
	$(CARGO) deny --offline check bans licenses sources
	if $(CARGO) deny fetch db || ls $${CARGO_HOME:-$$HOME/.cargo}/advisory-dbs/*/ >/dev/null 2>&1; then \
		$(CARGO) deny --offline check advisories; \
	else echo "the database of advisories is not there and cannot be fetched: advisories are not checked" >&2; fi

publish-check: ## all packages as they would be published, each compiled from what is packed; needs the package index
	$(CARGO) publish --dry-run --locked --package treebeam $(addprefix --package treebeam-,lab systems cli)

deny-install: ## cargo-deny, for `make deny`
	$(CARGO) install --locked cargo-deny@0.20.2

portable: ## the program on emulated processors without AVX: the same models and parses; needs qemu-user
	@command -v qemu-x86_64 >/dev/null || { echo "there is no qemu-x86_64; install the package qemu-user" >&2; exit 2; }
	$(CARGO) test --release --locked --package treebeam-cli --test main -- processors

miri: ## the code around unsafe blocks under Miri and AddressSanitizer; needs the nightly toolchain with its miri and rust-src
	MIRIFLAGS=-Zmiri-disable-isolation $(CARGO) +nightly miri test --package treebeam --lib -- files::memory linear::buckets linear::levels lazy_rows
	RUSTFLAGS=-Zsanitizer=address $(CARGO) +nightly test --target $(HOST) --package treebeam --lib -- files::memory linear:: neural::quantised lazy_rows

SECONDS ?= 60
# What cargo-fuzz would pass: counters of coverage for libFuzzer, on whatever toolchain builds the rest.
FUZZ_FLAGS = --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1
FUZZ_TARGETS = reader packed features specification model checkpoint decoder
ROUNDS ?= 20

.PHONY: book fuzz torture official

book: ## the book and all results as a site, in target/book/html; needs mdBook
	sh docs/stage.sh target/book
	mdbook build target/book --dest-dir '$(abspath target/book/html)'

reference: build ## write the reference of all options, docs/src/reference/options.md, and their types for Python
	$(TREEBEAM) man --markdown docs/src/reference
	$(TREEBEAM) man --stubs python/treebeam

fuzz: ## look for inputs that break a promise: SECONDS=... for each target, FUZZ_TARGETS="reader model"; results/fuzzing.md; needs Python
	cd fuzz && RUSTFLAGS="$(FUZZ_FLAGS)" $(CARGO) build --release --target $(HOST) --target-dir target
	for target in $(FUZZ_TARGETS); do \
		$(PYTHON) fuzz/run.py $$target fuzz/target/$(HOST)/release/$$target $(SECONDS) || exit 1; \
	done

torture: build ## closed streams, full disks, kills, bombs, flipped bits, strange numbers and names; ROUNDS=... of each; needs Python
	$(PYTHON) tests/torture/run.py $(TREEBEAM) --rounds $(ROUNDS)

MUTANTS ?= 100
official: build ## verdicts and scores on MUTANTS=... of each treebank against the official ones; needs Python with udtools and TREEBEAM_TREEBANKS
	$(PYTHON) tests/official/compare.py check --program $(TREEBEAM) --mutants $(MUTANTS) $(TREEBEAM_TREEBANKS)/*/dev.conllu
	$(PYTHON) tests/official/compare.py eval --program $(TREEBEAM) --mutants $(MUTANTS) $(TREEBEAM_TREEBANKS)/*/dev.conllu

test-slurm: build ## an experiment on a Slurm of two simulated nodes; needs root and the packages slurm-wlm and munge
	tests/slurm/run.sh $(TREEBEAM)

bench: ## how long reading, features, scoring and decoding take
	$(CARGO) bench --bench main

clean: ## remove what was built and the demo's output
	$(CARGO) clean
	rm -rf demo

# Experiments
#
# make demo                                             on a generated treebank; nothing to download
# make tables TREEBEAM_TREEBANKS=DIR QUICK=1            every table; DIR holds a folder for each treebank
# make gn13-table1 TREEBEAM_TREEBANKS=DIR JOBS=1        one table
# make report                                           what has been run, as one page
#
# The papers' tables are run in full, which takes days, unless QUICK=1 asks for their small versions, and so is
# lecture-global-vs-greedy; the plan, with an estimate of time, is printed first. The other experiments are small unless
# PROFILE=full. JOBS: cells side by side, by default
# one per core. Runs that were interrupted go on where they stopped, and several may run at the same time. SEEDS="1 2" and
# TREEBANKS="en_ewt UD_Turkish-IMST" replace those of the profile. Tables, plots and records are in results/ (demo/ for the demo);
# those of runs with other seeds or treebanks in runs/, for they are no results of these experiments; OUT=DIR puts them anywhere.
# ENGINE=slurm submits the cells to a cluster instead of running them here.
#
# make verify TREEBEAM_TREEBANKS=DIR SHARE=0.1          a tenth of what is recorded, run again and compared with the records

QUICK ?=
PROFILE ?= quick
JOBS ?=
SEEDS ?=
OUT ?=
TREEBANKS ?=
ENGINE ?=
SHARE ?= 0.1

TREEBEAM = target/release/treebeam
EXPERIMENT = $(TREEBEAM) experiment $(if $(ENGINE),submit --engine $(ENGINE),run)
SETTINGS = $(if $(OUT),--out '$(OUT)') $(if $(JOBS),--jobs $(JOBS)) $(if $(SEEDS),--set 'seeds=$(SEEDS)') $(if $(TREEBANKS),--set 'treebanks=$(TREEBANKS)')

# The papers' tables, in the order in which they are run.
TABLES = fg17-table1 gn13-table1 gn13-figure1 l2s-table3 l2s-table4 l2s-table5 fg17-table3 fg17-table4
# The argument of this project.
ABLATIONS = study lecture-global-vs-greedy beam-ablation
# The other experiments.
COMPARISONS = systems beam-margin search-axis graph-orders networks spurious-choices nonprojective joint learning-curves restart updates en-ewt-targets en-ewt-networks
# Full unless something else is asked for.
TABLES_PROFILE = $(if $(QUICK),quick,$(if $(filter file,$(origin PROFILE)),full,$(PROFILE)))

.PHONY: demo tables verify features $(TABLES) $(ABLATIONS) $(COMPARISONS)

demo: build ## train and compare on a generated treebank; nothing to download
	$(TREEBEAM) experiment run experiments/demo.toml $(if $(OUT),,--out demo) $(SETTINGS)

tables: build ## every table of the papers, and the ablations; QUICK=1 for small versions
	$(EXPERIMENT) $(patsubst %,experiments/%.toml,$(TABLES) $(ABLATIONS)) \
		--profile $(TABLES_PROFILE) $(SETTINGS)
	$(if $(ENGINE),,$(TREEBEAM) report --results $(RESULTS))

verify: build ## a share of all records, run again and compared with them: SHARE=0.1
	$(TREEBEAM) experiment verify experiments/*.toml --profile $(PROFILE) --share $(SHARE) $(SETTINGS)

fg17-table1: ## bounds of non-monotonic Covington's loss against the loss, 19 languages
gn13-table1: ## dynamic oracles against static ones: three systems, 10 languages
gn13-figure1: ## when to explore, and how often: heat maps, 10 languages
l2s-table3: ## learning to search beside a dynamic oracle, 10 languages
l2s-table4: ## base learners of learning to search
l2s-table5: ## features of learning to search
fg17-table3: ## Covington's parser with static, dynamic and non-monotonic oracles, 19 languages
fg17-table4: ## Covington's parser beside others, on average, with speeds
$(TABLES): build
	$(EXPERIMENT) experiments/$@.toml --profile $(TABLES_PROFILE) $(SETTINGS)

lecture-global-vs-greedy: build ## from greedy to global training, step by step, with learning curves
	$(EXPERIMENT) experiments/$@.toml --profile $(TABLES_PROFILE) $(SETTINGS)

study: build ## the study: equal menus of four for greedy and global training, gold and predicted tags, 19 treebanks
beam-ablation: build ## accuracy, search errors and speed against the width of the beam
systems: build ## the question of the study on every transition system: equal menus of three
beam-margin: build ## pruning by score margin beside narrower beams: accuracy, search errors and speed
search-axis: build ## from greedy to exact search: the same features, the same systems
graph-orders: build ## graph-based parsers of first to third order beside transition systems
networks: build ## networks beside linear models: explored, explored further, trained globally, by exact search
spurious-choices: build ## which of several correct transitions greedy training teaches: three systems, 10 languages
nonprojective: build ## non-projective training trees: learned from at least cost, left out, or lifted
joint: build ## tags first, or tags and trees in one derivation: greedily, and in a beam
learning-curves: build ## global training against exploration, by the size of the treebank
en-ewt-targets: build ## what each ingredient gives on English-EWT: features, losses, replicas, width, learning to search
en-ewt-networks: build ## networks on English-EWT: exploration, beams, global training, encoders, biaffine
restart: build ## exploration and beams together: updates that restart, beams that start in the model's own derivations
features: build ## which groups of templates pay: one more, one less, with speeds; for arc-eager, and for systems with a stack
updates: build ## what global training compares and minimises: update strategies, losses, learners
study beam-ablation $(COMPARISONS):
	$(EXPERIMENT) experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

features:
	$(EXPERIMENT) experiments/features.toml experiments/features-stack.toml --profile $(PROFILE) $(SETTINGS)

# Release
#
# make dist ARCHS=x86_64                                one kind of processor; about five minutes for each program and each wheel
# MAINTAINER="Name <address>" is written into Debian packages.

ARCHS ?= x86_64 aarch64
DIST = target/dist
DIST_ENV = target/dist-tools
export MAINTAINER
# zig is the C compiler and linker of all targets.
DIST_PACKAGES = cargo-zigbuild==0.24.1 ziglang==0.17.1 maturin==1.16.0 auditwheel==6.8.2 twine==7.0.0

.PHONY: dist dist-test

dist: ## a release's files in target/dist: archives, packages for Debian, wheels, what they are made of, checksums; needs Python 3.11 and rustup
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is `$(PYTHON) --version`; expected Python 3.11 or later: make dist PYTHON=..." >&2; exit 2; }
	test -x $(DIST_ENV)/bin/python || $(PYTHON) -m venv $(DIST_ENV)
	@$(DIST_ENV)/bin/python -m pip install --quiet $(DIST_PACKAGES) || \
		{ echo "pip could not install $(DIST_PACKAGES): is there a package index?" >&2; exit 2; }
	$(PYTHON) dist/build.py --out $(DIST) --tools $(DIST_ENV) $(ARCHS)

dist-test: ## install each file of target/dist in a clean folder and run it, on old and other processors where there is qemu-user
	$(PYTHON) tests/dist/run.py $(DIST)

# Models
#
# make models TREEBEAM_TREEBANKS=DIR                    a tagger and a parser for each treebank, in models/, with cards and an index
# make models TREEBEAM_TREEBANKS=DIR TREEBANKS="en_ewt it_isdt" OUT=DIR

.PHONY: models
models: build ## a trained tagger and parser for each treebank, with cards and an index; needs TREEBEAM_TREEBANKS and Python
	@test -n "$(TREEBEAM_TREEBANKS)" || { echo "TREEBEAM_TREEBANKS is not set; expected the folder of treebanks: make models TREEBEAM_TREEBANKS=DIR" >&2; exit 2; }
	$(PYTHON) dist/models.py $(TREEBEAM) --treebanks '$(TREEBEAM_TREEBANKS)' --out '$(or $(OUT),models)' $(TREEBANKS)

# Playground
#
# make playground                                       on a generated treebank
# make playground TREEBEAM_TREEBANKS=DIR                on en_ewt, or the first treebank there

PLAYGROUND = target/playground
PLAYGROUND_MODELS = target/playground-models
WASM = wasm32-unknown-unknown
WASM_FILE = target/$(WASM)/wasm/treebeam_playground.wasm

.PHONY: playground playground-test

playground: build ## two parsers in the browser, as one page in target/playground; needs Python and the target for WebAssembly
	@rustup target list --installed 2>/dev/null | grep -qx $(WASM) || test -d "`rustc --print sysroot`/lib/rustlib/$(WASM)" || \
		{ echo "Rust's target for WebAssembly is missing: rustup target add $(WASM)" >&2; exit 2; }
	$(PYTHON) playground/models.py $(TREEBEAM) --out $(PLAYGROUND_MODELS) $(if $(TREEBEAM_TREEBANKS),--treebanks '$(TREEBEAM_TREEBANKS)')
	RUSTFLAGS='-C target-feature=+simd128' $(CARGO) build --profile wasm --locked --target $(WASM) --package treebeam-playground --lib
	$(CARGO) build --release --locked $(addprefix --package treebeam,'' -systems -lab -cli -playground)
	mkdir -p $(PLAYGROUND)
	target/release/treebeam-playground $(PLAYGROUND_MODELS) $(WASM_FILE) $(PLAYGROUND)/index.html
	@echo "the playground: $(PLAYGROUND)/index.html, one file that needs no network"

playground-test: playground ## its trees are the program's, it is fast, it asks for nothing; pictures in target/playground-test; needs Node.js and Chromium
	@command -v node >/dev/null || { echo "there is no node; install Node.js (package nodejs)" >&2; exit 2; }
	$(CARGO) clippy --release --locked $(addprefix --package treebeam,'' -systems -lab -cli -playground) -- -D warnings
	$(CARGO) check --locked --target $(WASM) --no-default-features --package treebeam
	node playground/test.mjs $(PLAYGROUND)/index.html $(TREEBEAM) $(PLAYGROUND_MODELS) target/playground-test

.PHONY: python python-tools test-spark bench-python

# Tests of what is not among these are left out, and say so. All of them: PYTHON_PACKAGES="$(PYTHON_ALL)"; pyspark needs Java.
PYTHON_PACKAGES ?= conllu pyarrow
PYTHON_ALL = conllu pyarrow pandas pyspark spacy ray mypy
PYTHON_ENV = target/python
IN_PYTHON_ENV = TREEBEAM=$(abspath $(TREEBEAM)) $(PYTHON_ENV)/bin/python

# What the interpreter already has is taken from it; the rest comes from the package index. Compiles the libraries once more, without
# the command line's feature, which takes some minutes.
python: build python-tools ## Python's module: the wheel, in target/wheels, and its tests; needs Python 3.9 and a package index
	$(CARGO) fmt --check -p treebeam-python
	rm -rf target/wheels
	$(PYTHON_ENV)/bin/python -m maturin build --release --locked --manifest-path python/Cargo.toml \
		--interpreter $(PYTHON_ENV)/bin/python --out target/wheels
	$(PYTHON_ENV)/bin/python -m pip install --quiet --force-reinstall --no-deps target/wheels/*.whl
	$(IN_PYTHON_ENV) -m pytest -q -rs python/tests

python-tools:
	@command -v $(PYTHON) >/dev/null || { echo "there is no $(PYTHON); install Python 3.9 or later, or name it: make python PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 9))' || \
		{ echo "$(PYTHON) is `$(PYTHON) --version`; expected Python 3.9 or later: make python PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make environments; install its modules venv and ensurepip (package python3-venv)" >&2; exit 2; }
	test -x $(PYTHON_ENV)/bin/python || $(PYTHON) -m venv --system-site-packages $(PYTHON_ENV)
	@$(PYTHON_ENV)/bin/python -m pip install --quiet maturin numpy pytest $(PYTHON_PACKAGES) || \
		{ echo "pip could not install maturin, numpy, pytest and $(PYTHON_PACKAGES): is there a package index?" >&2; exit 2; }

test-spark: python ## Spark on WORDS=... words of real text beside the program: local, a cluster, a killed executor; needs Java
	@command -v java >/dev/null || { echo "there is no java, which Spark needs; install a runtime (package default-jre-headless)" >&2; exit 2; }
	$(PYTHON_ENV)/bin/python -m pip install --quiet pyspark pyarrow pandas
	$(IN_PYTHON_ENV) python/tests/spark/run.py $(if $(WORDS),--words $(WORDS))

bench-python: python ## the processor time of parsing from Python beside that of the program: text, Arrow, lists
	$(IN_PYTHON_ENV) python/tests/overheads.py

RESULTS ?= results
PICTURES = target/report-check
# One of each family of configurations.
SYSTEMS ?= arc-eager arc-standard swap covington covington-nonlocal easy-first 2-planar

.PHONY: report report-check trace-check two-parsers draw-check eval-check book-pictures

report: build ## all results as one page, results/report.html, as an index, results/README.md, and in the documents that quote them
	$(TREEBEAM) report --results $(RESULTS) --documents README.md docs/src

report-check: build ## look at that page in a browser; not part of `make test`: needs Chromium and Python's playwright
	mkdir -p $(PICTURES)
	$(TREEBEAM) report --results $(RESULTS) -o $(PICTURES)/report.html
	$(PYTHON) tests/browser/report.py $(PICTURES)/report.html $(PICTURES)

trace-check: build ## look at beams in a browser, of every system; needs what report-check needs
	mkdir -p $(PICTURES)
	$(TREEBEAM) treebank generate --sentences 60 -o $(PICTURES)/trace.conllu --non-projective
	set -e; for system in $(SYSTEMS); do \
		$(TREEBEAM) train --system $$system --training global --beam 8 --iterations 2 --nonprojective min-cost \
			--train $(PICTURES)/trace.conllu --model $(PICTURES)/trace.model --quiet; \
		$(TREEBEAM) trace $(PICTURES)/trace.model $(PICTURES)/trace.conllu --sentence 3 -o $(PICTURES)/trace-$$system.html \
			--json=$(PICTURES)/trace-$$system.json; \
		$(PYTHON) tests/browser/trace.py $(PICTURES)/trace-$$system.html $(PICTURES)/trace-$$system; \
	done

# What two parsers make of the same sentences.
two-parsers: build
	mkdir -p $(PICTURES)
	$(TREEBEAM) treebank generate --sentences 60 -o $(PICTURES)/gold.conllu --non-projective
	$(TREEBEAM) treebank generate --sentences 150 --seed 2 -o $(PICTURES)/train.conllu --non-projective
	set -e; for training in greedy global; do \
		$(TREEBEAM) train --training $$training --iterations 3 --nonprojective lift --train $(PICTURES)/train.conllu \
			--model $(PICTURES)/two.model --quiet; \
		$(TREEBEAM) parse --model $(PICTURES)/two.model $(PICTURES)/gold.conllu -o $(PICTURES)/$$training.conllu --quiet; \
	done

draw-check: two-parsers ## look at trees in a browser; needs what report-check needs
	cd $(PICTURES) && $(abspath $(TREEBEAM)) draw gold.conllu greedy.conllu global.conllu -o trees.html
	$(PYTHON) tests/browser/trees.py $(PICTURES)/trees.html $(PICTURES)/trees

eval-check: two-parsers ## look at an evaluation's page in a browser; needs what report-check needs
	cd $(PICTURES) && $(abspath $(TREEBEAM)) eval gold.conllu greedy.conllu global.conllu --html eval.html
	$(PYTHON) tests/browser/scores.py $(PICTURES)/eval.html $(PICTURES)/eval

# The sentence of docs/src/theory/beams.md, by the commands that stand there.
book-pictures: build ## the book's pictures of beams, saved in a browser; needs what report-check needs
	mkdir -p $(PICTURES)
	cd $(PICTURES) && set -e; \
		for part in "1 200 train" "2 60 dev" "3 60 test"; do set -- $$part; \
			$(abspath $(TREEBEAM)) treebank generate --seed $$1 --sentences $$2 -o $$3.conllu; done; \
		$(abspath $(TREEBEAM)) train --train train.conllu --dev dev.conllu --model my.model --iterations 5 --quiet; \
		$(abspath $(TREEBEAM)) trace my.model test.conllu --sentence 37 --beam 1,2,4,8 -o beam.html
	$(PYTHON) tests/browser/pictures.py $(PICTURES)/beam.html docs/src/pictures

# Speed
#
# make bench-throughput TREEBEAM_TREEBANKS=DIR          without it, on a generated treebank; QUICK=1 is PROFILE=quick
# make bench-instructions                               against the committed counts; CHECK=1 fails if they are exceeded
# make bench-peers TREEBEAM_TREEBANKS=DIR               fetches the other parsers from a package index; needs Python
#
# Let nothing else run meanwhile. Tables, plots and records go to results/.

THROUGHPUT_PROFILE = $(if $(QUICK),quick,$(PROFILE))
TOLERANCE ?= 2
CHECK ?=
PYTHON ?= python3

.PHONY: bench-throughput bench-instructions bench-peers

bench-throughput: build ## words per second against beam width, threads and sentence length; memory; training
	$(TREEBEAM) experiment run experiments/throughput.toml --profile $(THROUGHPUT_PROFILE) $(SETTINGS)

bench-instructions: ## instructions of parsing and training, counted by valgrind
	$(CARGO) bench --locked --bench program -- instructions --out "$(CURDIR)/results/instructions" $(if $(CHECK),--check --tolerance $(TOLERANCE))

bench-peers: build ## UDPipe and spaCy beside treebeam
	PYTHON='$(PYTHON)' $(TREEBEAM) experiment run experiments/peers.toml --profile $(THROUGHPUT_PROFILE) $(SETTINGS)
