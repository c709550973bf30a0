# `make` lists what there is to make.

CARGO ?= cargo

.PHONY: help
help:
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 28

# Checks

.PHONY: build test lint doc bench

build: ## the program, as target/release/treebeam
	$(CARGO) build --release

test: lint doc ## everything that a change must pass; README's commands are among the tests
	$(CARGO) test --release

lint: ## formatting and clippy
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings

doc: ## the documentation, in target/doc
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps

bench: ## how long reading, features, scoring and decoding take
	$(CARGO) bench
