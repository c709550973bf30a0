# `make` lists what there is to make.

CARGO ?= cargo
HOST = $(shell rustc -vV | sed -n 's/^host: //p')

.PHONY: help
help:
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 28

# Checks

.PHONY: build test lint doc miri bench clean

build: ## the program, as target/release/treebeam
	$(CARGO) build --release --locked

test: lint doc ## everything that a change must pass; README's commands are among the tests
	$(CARGO) test --release --locked

lint: ## formatting and clippy
	$(CARGO) fmt --check
	$(CARGO) clippy --release --locked --all-targets -- -D warnings

doc: ## the documentation, in target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --no-deps

miri: ## the code around unsafe blocks under Miri and AddressSanitizer; needs the nightly toolchain with its miri and rust-src
	MIRIFLAGS=-Zmiri-disable-isolation $(CARGO) +nightly miri test --lib -- model::memory model::buckets model::levels
	RUSTFLAGS=-Zsanitizer=address $(CARGO) +nightly test --target $(HOST) --lib -- model::

bench: ## how long reading, features, scoring and decoding take
	$(CARGO) bench --bench main

clean: ## remove what was built and the demo's output
	$(CARGO) clean
	rm -rf demo

# Experiments
#
# make demo                                             on a generated treebank; nothing to download
# make global-vs-greedy TREEBEAM_TREEBANKS=DIR          DIR holds a folder for each treebank
# make beam-ablation TREEBEAM_TREEBANKS=DIR PROFILE=full JOBS=1
#
# PROFILE: quick or full. JOBS: cells side by side, by default one per core. SEEDS="1 2" and TREEBANKS="en_ewt tr_imst"
# replace those of the profile. Runs that were interrupted go on where they stopped; tables, plots and records are in
# results/ (demo/ for the demo).

PROFILE ?= quick
JOBS ?=
SEEDS ?=
TREEBANKS ?=

TREEBEAM = target/release/treebeam
SETTINGS = $(if $(JOBS),--jobs $(JOBS)) $(if $(SEEDS),--set 'seeds=$(SEEDS)') $(if $(TREEBANKS),--set 'treebanks=$(TREEBANKS)')

.PHONY: demo global-vs-greedy beam-ablation systems learning-to-search

demo: build ## train and compare on a generated treebank; nothing to download
	$(TREEBEAM) experiment run experiments/demo.toml --out demo $(SETTINGS)

global-vs-greedy: build ## what global training buys: systems x training, on real treebanks
	$(TREEBEAM) experiment run experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

beam-ablation: build ## accuracy and speed against the width of the beam
	$(TREEBEAM) experiment run experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

systems: build ## every transition system, greedy and with a beam
	$(TREEBEAM) experiment run experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

learning-to-search: build ## base learners and features of learning to search, and what greedy parsers reach
	$(TREEBEAM) experiment run experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

RESULTS ?= results
PICTURES = target/report-check

.PHONY: report report-check

report: build ## all results as one page of HTML, results/report.html
	$(TREEBEAM) report --results $(RESULTS)

report-check: build ## look at that page in a browser; not part of `make test`: needs Chromium and Python's playwright
	mkdir -p $(PICTURES)
	$(TREEBEAM) report --results $(RESULTS) -o $(PICTURES)/report.html
	$(PYTHON) tests/browser/report.py $(PICTURES)/report.html $(PICTURES)

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

bench-throughput: ## words per second against beam width, threads and sentence length; memory; training
	$(CARGO) bench --locked --bench program -- throughput --profile $(THROUGHPUT_PROFILE) \
		$(if $(TREEBANKS),--treebank '$(TREEBANKS)')

bench-instructions: ## instructions of parsing and training, counted by valgrind
	$(CARGO) bench --locked --bench program -- instructions $(if $(CHECK),--check --tolerance $(TOLERANCE))

bench-peers: build ## UDPipe and spaCy beside treebeam
	$(PYTHON) experiments/peers/run.py --profile $(THROUGHPUT_PROFILE)
