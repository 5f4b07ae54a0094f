# A newcomer needs two of these: `make demo` shows it work, `make test` runs the tests.
# The environment lies in .venv; stamps in it make every later call instant.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test integrations live setup check format docs bench compare lock build clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    see it work: two sample conversations, questions, a context"
	@echo "make test    run the tests"
	@echo "make integrations   the tests with the real libraries alone; a table at the end says how that went"
	@echo "make live    the tests with a real small model, which is fetched (200 MB in all)"
	@echo "make setup   only make the environment, $(VENV)"
	@echo "make check   format, lint, types, layers, docs, tests: all that must pass before a commit is shared"
	@echo "make format  put the code into its form"
	@echo "make docs    build the documentation into site/"
	@echo "make bench   measure the speed; BENCH=--quick for seconds, BENCH=--keep to keep the result"
	@echo "make compare DATA=DIR   Jiyi beside other memories, in an environment of its own, .venv-bench"
	@echo "make lock    write uv.lock anew (needs uv)"
	@echo "make build   build the wheel into dist/"

demo: $(VENV)/.use
	@$(BIN)/jiyi demo

test: $(VENV)/.dev
	@$(BIN)/python -m pytest

integrations: $(VENV)/.dev
	@$(BIN)/python -m pytest tests/integrations tests/cases/test_d23_adapters.py

live: $(VENV)/.dev
	@PYTHON=$(PYTHON) sh scripts/setup.sh llamacpp
	JIYI_LIVE_GGUF=$$($(BIN)/python scripts/live_model.py $(VENV)/live) $(BIN)/python -m pytest tests/live -s

setup: $(VENV)/.dev

check: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright
	$(BIN)/lint-imports
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python -m pytest

format: $(VENV)/.dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(VENV)/.dev
	@$(BIN)/python bench/run.py $(BENCH)

compare: .venv-bench/.made
	@.venv-bench/bin/python bench/compare/run.py --data "$(DATA)" $(ARGS)

lock:
	uv lock

build: $(VENV)/.dev
	$(BIN)/python -m pip --version >/dev/null 2>&1 && $(BIN)/python -m pip wheel --no-deps -w dist . || uv build --wheel

clean:
	rm -rf $(VENV) .venv-bench dist site .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.use: pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh onnx

$(VENV)/.dev: pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh dev

.venv-bench/.made: pyproject.toml bench/compare/requirements.txt
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -e ".[onnx]" -r bench/compare/requirements.txt
	@touch $@
