# Everything is set up from the committed lock into .venv; plain make, nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test slow check fix docs bench lock clean

demo: $(READY)  ## pretrain, fine-tune and report on the embedded default task
	$(BIN)/road train

test: $(READY)  ## every test but the slow ones
	$(BIN)/python -m pytest -q -m "not slow" -n 2 --dist loadfile

slow: $(READY)  ## the tests that learn something
	$(BIN)/python -m pytest -q -m slow

check: $(READY)  ## the gates: format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

fix: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: $(READY) .venv-bench/.ready
	$(BIN)/python -m benchmarks.run

lock:  ## renew the lock; needs uv
	uv pip compile pyproject.toml --extra train --extra robotics --extra minari --extra tables \
	  --group test --group gates --group docs --group build \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header -o requirements/lock.txt

clean:
	rm -rf $(VENV) .venv-bench docs/_build .pytest_cache .ruff_cache

$(READY): requirements/lock.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/lock.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(READY)

.venv-bench/.ready: requirements/bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet -r requirements/bench.txt
	touch .venv-bench/.ready
