# Everything a contributor runs. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
EMULATORS := .emulators
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PIP_FLAGS := --quiet --disable-pip-version-check --no-input
LOCKS := requirements-build.lock requirements.lock requirements-dev.lock
# The stamp's name carries what the environment is made from, so that a changed file, not a newer one, renews it.
INSTALL_KEY := $(shell cat pyproject.toml $(LOCKS) monitor/__init__.py | sha256sum | cut -c1-16)
INSTALL_STAMP := $(VENV)/.installed-$(INSTALL_KEY)
TEST_FOLDERS := tests/unit tests/contract tests/integration tests/acceptance

.PHONY: help install demo test lint format bench emulators lock clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

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
