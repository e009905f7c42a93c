# Every verb of the project; `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What a line of .env says, as Docker Compose and `make start` read it too.
dotenv = $(shell sed -n 's/^ *\(export \)*$(1) *= *//p' .env 2>/dev/null | tr -d "'\"" | tail -n 1)
PYTHON_IMAGE ?= $(call dotenv,PYTHON_IMAGE)
CORPUS_TAG ?= $(call dotenv,CORPUS_TAG)
IMAGES := gateway shard proxy all-in-one

.DEFAULT_GOAL := help
.PHONY: help install dev run test test-slow quality soak check lint types contracts format docs lock \
	validate-corpus corpus-list golden bench clean test-docker \
	build start stop down restart ps logs scale restart-shard named-in-env

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(VENV)/.run ## set up .venv with all that running needs
dev: $(VENV)/.dev ## set up .venv with all that testing needs too

run: install ## start the cluster and serve http://127.0.0.1:8000/mcp (Ctrl-C ends it)
	$(BIN)/corpus-mcp up

test: dev ## run the test suite
	$(BIN)/pytest -m "not slow and not docker"

test-slow: dev ## run the tests that take longer
	$(BIN)/pytest -m "slow and not docker"

test-docker: dev ## run the tests that need a Docker Engine
	$(BIN)/pytest -m docker

quality: dev ## measure the answers over real archives; ARGS="--misses", "--update", "--local", …
	$(BIN)/python -m tests.quality $(ARGS)

soak: dev ## hurt a cluster under load for a quarter of an hour and print what it bears; ARGS="--list", …
	$(BIN)/python -m benchmarks.soak $(ARGS)

check: lint types contracts ## lint, types and import contracts

lint: dev ## find mistakes and untidy code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: dev ## check the types, strictly
	$(BIN)/mypy

contracts: dev ## check which package may import what
	$(BIN)/lint-imports

format: dev ## format the code and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: dev ## rewrite the tables in README.md that the code generates
	$(BIN)/python -m tests.docs.generate

validate-corpus: install ## open every archive of the manifest and tell what is wrong
	$(BIN)/corpus-mcp validate

corpus-list: install ## list the libraries of the manifest
	$(BIN)/corpus-mcp list

build: ## build the images; ARGS="--pull", "--network host", …
	for role in $(IMAGES); do \
	  docker build --file docker/Dockerfile --target $$role \
	    --build-arg PYTHON_IMAGE=$(or $(PYTHON_IMAGE),python:3.13-slim) \
	    --tag corpus-mcp-$$role:$(or $(CORPUS_TAG),latest) $(ARGS) . || exit 1; done

start: IMAGES := gateway shard proxy
start: install build ## start the cluster in containers and wait until it serves
	$(BIN)/corpus-mcp compose start

# Without files of its own Compose would take those of a folder above.
stop down restart ps logs: named-in-env
named-in-env:
	@grep -qs '^COMPOSE_FILE=' .env || { echo "nothing was started here: run make start" >&2; exit 1; }

stop: ## stop the containers and keep them
	docker compose stop

down: ## stop the containers and remove them
	docker compose down --remove-orphans

restart: ## restart the containers, all at once
	docker compose restart

ps: ## list the containers
	docker compose ps --all

logs: ## show what the containers log, until Ctrl-C
	docker compose logs --follow --tail 20

scale: install ## run N replicas of a library (LIBRARY=… N=…), or GATEWAY=… gateways
	$(BIN)/corpus-mcp compose scale $(if $(GATEWAY),--gateways "$$GATEWAY") \
	  $(if $(LIBRARY),"$$LIBRARY") $(if $(N),"$$N")

restart-shard: install ## serve the newest archive of a library (LIBRARY=…), without a gap
	$(BIN)/corpus-mcp compose restart "$$LIBRARY"

golden: dev ## rewrite the Markdown that the pages in tests/pages should become, for review
	$(BIN)/python -m tests.pages.golden

bench: dev ## print the tables of benchmarks/RESULTS.md, measured now (needs ../shared/data)
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --group bench
	$(BIN)/python -m benchmarks.documents
	$(BIN)/python -m benchmarks.fetch

lock: dev ## pin the newest versions that pyproject.toml allows
	$(BIN)/pip install --quiet uv
	for pair in "build requirements" "dev requirements-dev"; do set -- $$pair; \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-annotate \
	    --custom-compile-command "make lock" --constraint requirements.txt \
	    pyproject.toml --group $$1 --output-file $$2.txt || exit 1; done
	for pair in "gateway gateway" "shard shard" "all-in-one gateway,shard,deploy"; do set -- $$pair; \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-annotate \
	    --custom-compile-command "make lock" --constraint requirements.txt \
	    $$(printf -- ' --group %s' $$(echo $$2 | tr , ' ')) \
	    --output-file docker/requirements-$$1.txt || exit 1; done

clean: ## remove what the other verbs made, apart from archives and images
	if grep -qs '^# corpus-mcp: written' .env; then docker compose down --remove-orphans && \
	  sed '/^# corpus-mcp: written/,/^# corpus-mcp: end/d' .env >.env.new && mv .env.new .env; fi
	rm -rf $(VENV) .run .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# A pinned install first, then the project itself: pip cannot check hashes of a local folder.
$(VENV)/.run: requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || \
	  { echo "cannot make a virtual environment: install your system's python3-venv package"; exit 1; }
	$(BIN)/pip install --quiet --require-hashes -r requirements.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.txt
	$(BIN)/pip install --quiet --require-hashes -r requirements-dev.txt
	touch $@
