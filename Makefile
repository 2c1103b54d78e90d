# Everything a contributor runs. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
EMULATORS := .emulators
EMULATOR_NAMES := rotel
EMULATOR_STAMPS := $(EMULATOR_NAMES:%=$(EMULATORS)/%/.installed)
LOCK_TOOL := uv==0.13.9
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PIP_FLAGS := --quiet --disable-pip-version-check --no-input
LOCKS := requirements-build.lock requirements.lock requirements-dev.lock
# The stamp's name carries what the environment is made from, so that a changed file, not a newer one, renews it.
INSTALL_KEY := $(shell cat pyproject.toml $(LOCKS) monitor/__init__.py | sha256sum | cut -c1-16)
INSTALL_STAMP := $(VENV)/.installed-$(INSTALL_KEY)
TEST_FOLDERS := tests/unit tests/contract tests/integration tests/acceptance

.PHONY: help install demo test lint format bench bench-grounding bench-speed fuzz emulators lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

install: $(INSTALL_STAMP) ## make .venv with the `monitor` script and the tools of a contributor

$(INSTALL_STAMP):
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed and '$(PYTHON)' is not: install it, or say which with PYTHON=…" >&2; exit 2; }
	@rm -f $(VENV)/.installed-*
	@[ -x $(BIN)/python ] && $(BIN)/python -c 'import pip' 2>/dev/null || "$(PYTHON)" -m venv --clear $(VENV)
	$(BIN)/python -m pip install $(PIP_FLAGS) --require-hashes -r requirements-build.lock
	$(BIN)/python -m pip install $(PIP_FLAGS) --require-hashes --no-build-isolation -r requirements-dev.lock
	$(BIN)/python -m pip install $(PIP_FLAGS) --no-build-isolation --no-deps --editable .
	@touch $@

demo: install ## check packaged recordings with nothing configured, print the summary and exit
	@$(BIN)/monitor demo --once

test: install ## run every test; PYTEST_ARGS="-k name" or PYTEST_ARGS="tests/unit -q" for some
	$(BIN)/python -m pytest $(if $(filter tests tests/% ./tests/% $(CURDIR)/tests/%,$(PYTEST_ARGS)),,$(wildcard $(TEST_FOLDERS))) $(PYTEST_ARGS)

lint: install ## style, format and types, as CI wants them
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install ## write what `make lint` wants, where a tool can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install ## measure how many turns a second are evaluated
	$(BIN)/python -m tests.benchmarks.throughput

bench-grounding: install ## measure how good the figure check is and hold it to its floors; ARGS=own for the sets that come along, ARGS=--raise
	$(BIN)/python -m tests.benchmarks.grounding $(ARGS)

bench-speed: install ## measure what the figure check costs: typical and wide turns, more and more rows
	$(BIN)/python -m tests.benchmarks.grounded_micro $(ARGS)

fuzz: install ## throw random turns at the grounded check; FUZZ_SECONDS=60, FUZZ_SEED=… for the same ones again
	$(BIN)/python -m tests.fuzz.grounded

emulators: $(EMULATOR_STAMPS) ## install the real counterparts that tests start, each into its own environment

# One environment for each; an executable that a package carries beside its code becomes a command in bin/.
$(EMULATORS)/%/.installed: tests/emulators/%.lock
	"$(PYTHON)" -m venv --clear $(EMULATORS)/$*
	$(EMULATORS)/$*/bin/python -m pip install $(PIP_FLAGS) --require-hashes --only-binary :all: -r $<
	@find $(EMULATORS)/$*/lib/python*/site-packages/$* -maxdepth 1 -type f -perm -u+x -exec ln -sr -t $(EMULATORS)/$*/bin {} +
	@touch $@

lock: ## pin every dependency with its hashes; UPGRADE=--upgrade for the newest releases
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	"$(PYTHON)" -m venv "$$folder"; \
	"$$folder/bin/python" -m pip install $(PIP_FLAGS) $(LOCK_TOOL); \
	pin() { "$$folder/bin/uv" pip compile --quiet --universal --python-version 3.11 --no-header --generate-hashes $(UPGRADE) "$$@"; }; \
	pin --group build --output-file requirements-build.lock; \
	pin pyproject.toml --output-file requirements.lock; \
	pin pyproject.toml --group dev --constraint requirements.lock --output-file requirements-dev.lock; \
	for name in $(EMULATOR_NAMES); do pin --group "$$name" --output-file "tests/emulators/$$name.lock"; done

clean: ## remove everything that make made
	rm -rf $(VENV) $(EMULATORS) dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find monitor tests -name __pycache__ -type d -prune -exec rm -rf {} +
