# Every target does its own set-up in .venv, from nothing but Python and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# Compiles ahead, on all cores: tests that compile at the same time wait for each other.
WARM := $(BIN)/ipc-articulation warm
FOREIGN := OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=generic
NUMERICAL := tests/dynamics tests/articulation tests/contact tests/engine
# Tests that need no libuipc, which has wheels for two systems only.
PORTABLE := articulation dynamics elasticity meshing scenefile recording test_extras.py \
	test_spatial.py test_tetrads.py test_workflows.py contact/test_closest_points.py \
	contact/test_face_trees.py contact/test_inside.py contact/test_materials.py contact/test_parting.py \
	contact/test_smooth_norm.py contact/test_springs.py contact/test_stencils.py
WITH_LIBUIPC := dynamics/algorithms/test_solve.py dynamics/equations/test_equations.py \
	elasticity/test_textbook.py scenefile/test_extreme_numbers.py scenefile/test_hostile_files.py \
	scenefile/test_mutations.py

# Tests start hundreds of processes, which would each parse all sources.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-foreign test-portable check format bench docs wheel fetch-models clean

help:  ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1|/' | column -t -s '|'

demo: $(VENV)/.demo  ## a Franka Panda pushes a crate: minimum distance, recording and picture
	$(BIN)/ipc-articulation run scenes/panda_push.yaml --force
	@echo "picture: out/panda_push/end.png"

test: $(VENV)/.test  ## the tests that take a few minutes together, on all cores; says at the end which were skipped and why
	-$(BIN)/python tools/fetch_models.py
	$(WARM)
	$(PYTEST) -m "not slow and not stress"

test-all: $(VENV)/.test  ## all tests: the slow ones, robots of models/, and the numerical ones as two other CPUs compute them
	-$(BIN)/python tools/fetch_models.py
	$(PYTEST)
	OPENBLAS_CORETYPE=Haswell $(PYTEST) $(NUMERICAL)
	NUMBA_CPU_NAME=generic $(PYTEST) $(NUMERICAL)

test-foreign: $(VENV)/.test  ## the numerical tests as another CPU computes them: other kernels of BLAS, and code for any x86-64
	$(FOREIGN) $(WARM)
	$(FOREIGN) $(PYTEST) -m "not slow and not stress" $(NUMERICAL)

test-portable: $(VENV)/.portable  ## tests of what needs no libuipc, for systems without a wheel of it; without the long ones
	$(PYTEST) -m "not slow and not stress" $(addprefix --ignore=tests/,$(WITH_LIBUIPC)) \
		$(addprefix tests/,$(PORTABLE))

check: $(VENV)/.dev  ## linter, formatter and type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_types.py

format: $(VENV)/.dev  ## format the code and sort its imports
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.demo  ## time of a coupled step and of its parts
	$(BIN)/python -m benchmarks.coupled_step

docs: $(VENV)/.docs  ## the documentation as a web site in site/; warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "site: site/index.html"

wheel: $(VENV)/.test  ## a wheel in dist/ that brings machine code, so that the first run compiles nothing; takes minutes
	$(BIN)/python tools/build_wheel.py dist

fetch-models: $(VENV)/.python  ## fetch models/, which some tests need and the repository does not hold
	$(BIN)/python tools/fetch_models.py

clean:  ## remove .venv, results and caches, also what numba has compiled
	rm -rf $(VENV) out site build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name MUJOCO_LOG.TXT -delete

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[view]'
	@touch $@

$(VENV)/.test: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.portable: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[portable]'
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.docs: $(VENV)/.python pyproject.toml
	$(PIP) --editable '.[docs]'
	@touch $@
