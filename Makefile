# Every command that a person or CI runs.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CARGO  := cargo
export CARGO_TERM_COLOR ?= never

.PHONY: help setup build demo test test-rust test-loom test-python check bench docs soak clean

help:            ## List the commands.
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/.ready  ## Install everything that building and testing need.

$(VENV)/.ready: requirements-dev.txt benches/requirements.txt tools/setup
	PYTHON="$(PYTHON)" tools/setup $(VENV)
	touch $@

build: setup     ## Build the extension into the virtual environment.
	$(BIN)/maturin develop --release --locked --quiet --extras cli

demo: build      ## Label files with a real model and watch its operators live.
	$(BIN)/python examples/magika_live.py

test: build test-rust test-loom test-python  ## Run all tests.

test-rust: setup
	$(CARGO) test --release --locked --workspace --exclude optap-py

test-loom:
	RUSTFLAGS="--cfg optap_loom" LOOM_MAX_PREEMPTIONS=2 CARGO_TARGET_DIR=target/loom \
	  $(CARGO) test --release --locked -p optap-ring --test loom

test-python: build
	$(BIN)/python -m pytest

check: build     ## Format, lint, type-check, prove the stub, build the docs.
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --exclude optap-py --no-deps
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest optap._core
	$(MAKE) docs

bench: build     ## Run the benchmarks; benches/README.md keeps the figures.
	$(BIN)/python benches/run.py

docs: build      ## Build the documentation into site/.
	$(BIN)/mkdocs build --strict --quiet

soak: build      ## Run the long cases at their full counts.
	OPTAP_SOAK=1 $(BIN)/python -m pytest -m "soak or not soak" --timeout 1800
	LOOM_MAX_PREEMPTIONS=3 $(MAKE) test-loom

clean:           ## Remove what was built.
	rm -rf target dist site build $(VENV) .mypy_cache .ruff_cache .pytest_cache
