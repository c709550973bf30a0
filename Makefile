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

.PHONY: build demo global-vs-greedy beam-ablation clean

build:
	cargo build --release --locked

demo: build
	$(TREEBEAM) experiment run experiments/demo.toml --out demo $(SETTINGS)

global-vs-greedy beam-ablation: build
	$(TREEBEAM) experiment run experiments/$@.toml --profile $(PROFILE) $(SETTINGS)

clean:
	cargo clean
	rm -rf demo
