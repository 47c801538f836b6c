# Everything is set up from the committed lock into .venv; plain make, nothing else is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FOREIGN := PYTHONPATH=src OMP_NUM_THREADS=1
# Types of integrations are checked where their libraries are; the project's own settings leave them out.
TYPED := -p pyright-integrations.json
ALONE := -q --confcutdir tests/integrations
# A lock is whole, and what is never imported need not be compiled: four times as fast.
LOCKED := -m pip install --quiet --no-deps --no-compile
# What is imported is compiled once; else every process that a test starts would do it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test slow integrations sb3 torchrl d3rlpy rliable ray loggers onnx check fix docs bench lock clean

demo: $(READY)  ## pretrain, fine-tune and report on the embedded default task
	$(BIN)/road train

test: $(READY)  ## every test but the slow ones
	$(BIN)/python -m pytest -q -m "not slow" -n 2 --dist loadfile --no-loadscope-reorder

slow: $(READY)  ## the tests that learn something
	$(BIN)/python -m pytest -q -m slow

integrations: sb3 torchrl d3rlpy rliable ray loggers onnx  ## other libraries, each in an environment of its own

SB3_FILES := sb3.py sb3_buffer.py sb3_probes.py torch.py critic_copy.py probe_critics.py checks.py
SB3_TESTS := test_sb3_models.py test_sb3_probes.py test_torch_loop.py test_probe_critics.py
sb3: $(READY) .venv-sb3/.ready
	$(BIN)/basedpyright $(TYPED) --pythonpath .venv-sb3/bin/python $(addprefix src/road/integrations/,$(SB3_FILES))
	$(FOREIGN) .venv-sb3/bin/python -m pytest $(ALONE) $(addprefix tests/integrations/,$(SB3_TESTS))

torchrl: .venv-sb3/.ready  ## in the environment of Stable-Baselines3: both need PyTorch
	$(FOREIGN) .venv-sb3/bin/python -m pytest $(ALONE) tests/integrations/test_torchrl.py

d3rlpy: $(READY) .venv-bench/.ready
	$(BIN)/basedpyright $(TYPED) --pythonpath .venv-bench/bin/python $(addprefix src/road/integrations/,d3rlpy.py d3rlpy_buffer.py d3rlpy_probes.py)
	$(FOREIGN) .venv-bench/bin/python -m pytest $(ALONE) $(addprefix tests/integrations/,test_d3rlpy.py test_d3rlpy_probes.py)

rliable: .venv-rliable/.ready  ## the statistics against rliable's
	$(FOREIGN) .venv-rliable/bin/python -m pytest $(ALONE) tests/statistics/test_rliable.py

ray: .venv-ray/.ready  ## grids on a Ray cluster: the contract tests of every backend, and nodes that are killed
	$(FOREIGN) .venv-ray/bin/python -m pytest -q -k ray $(addprefix tests/experiments/,test_backends.py test_ray_cluster.py)

loggers: $(READY) .venv-loggers/.ready  ## runs exported to TensorBoard and W&B, and read back
	$(BIN)/basedpyright $(TYPED) --pythonpath .venv-loggers/bin/python src/road/integrations/wandb.py
	$(FOREIGN) .venv-loggers/bin/python -m pytest $(ALONE) tests/integrations/test_loggers.py

onnx: $(READY) .venv-onnx/.ready  ## policies as ONNX graphs, run by onnxruntime
	$(BIN)/basedpyright $(TYPED) --pythonpath .venv-onnx/bin/python src/road/policies/onnx.py
	$(FOREIGN) .venv-onnx/bin/python -m pytest $(ALONE) tests/integrations/test_onnx.py

check: $(READY)  ## the gates: format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/basedpyright -p benchmarks
	$(BIN)/lint-imports

fix: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: $(READY) .venv-bench/.ready
	$(BIN)/python -m benchmarks.run

lock:  ## renew the lock; needs uv
	uv pip compile pyproject.toml --extra train --extra robotics --extra minari --extra tables --extra video \
	  --group test --group gates --group docs --group build \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header -o requirements/lock.txt

clean:
	rm -rf $(VENV) .venv-sb3 .venv-bench .venv-rliable .venv-ray .venv-loggers .venv-onnx docs/_build .pytest_cache .ruff_cache

$(READY): requirements/lock.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(LOCKED) --require-hashes -r requirements/lock.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $(READY)

.venv-sb3/.ready: requirements/sb3.txt
	$(PYTHON) -m venv .venv-sb3
	.venv-sb3/bin/python $(LOCKED) -r requirements/sb3.txt
	touch .venv-sb3/.ready

.venv-bench/.ready: requirements/d3rlpy.txt requirements/bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(LOCKED) -r requirements/d3rlpy.txt
	touch .venv-bench/.ready

.venv-rliable/.ready: requirements/rliable.txt
	$(PYTHON) -m venv .venv-rliable
	.venv-rliable/bin/python $(LOCKED) -r requirements/rliable.txt
	touch .venv-rliable/.ready

.venv-ray/.ready: requirements/ray.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python $(LOCKED) -r requirements/ray.txt
	touch .venv-ray/.ready

.venv-loggers/.ready: requirements/loggers.txt
	$(PYTHON) -m venv .venv-loggers
	.venv-loggers/bin/python $(LOCKED) -r requirements/loggers.txt
	touch .venv-loggers/.ready

.venv-onnx/.ready: requirements/onnx.txt
	$(PYTHON) -m venv .venv-onnx
	.venv-onnx/bin/python $(LOCKED) -r requirements/onnx.txt
	touch .venv-onnx/.ready
