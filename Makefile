# `make run` and `make test` need python3 (3.11 or newer), make, and nothing else.
PYTHON ?= python3
BIN := .venv/bin
# What the one-file binary runs on.
PYTHONS := 3.11 3.12 3.13 3.14
PROCESSES ?= 3
CODE := app.py wsgi.py gunicorn.conf.py deploy standalone service schemas storage parts

.PHONY: help install run test test-core test-servers test-faults test-clients faults contract tools clients bench scale lint lint-python translations vendor wheel binary clean

help:
	@echo "make run            serve on http://127.0.0.1:8000, or on another PORT, with data in ./landform.db"
	@echo "make test           the tests in process; test-servers, test-faults and test-clients are the others"
	@echo "make test-core      the tests in process without any part"
	@echo "make lint           lint-python: ruff, bandit, hadolint and mypy; eslint and tsc, which need npm"
	@echo "make wheel binary   build both into dist/"
	@echo "make bench scale    measure; make faults: half an hour of faults"
	@echo "make translations   take new texts for visitors into the catalogs, and compile these"
	@echo "make vendor         compare what the console takes from others with npm's files"
	@echo "make clean          remove all that was installed and built"
	@echo "PYTHON=python3.13 make ... uses another Python, ARGS='...' are for what is run."

install: .venv/.installed

# Another Python than that of .venv makes it anew.
ASKED := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ifneq ($(ASKED),$(shell sed -n 's/^version = \([0-9]*\.[0-9]*\).*/\1/p' .venv/pyvenv.cfg 2> /dev/null))
.PHONY: .venv/.installed
ANEW := --clear
endif
NEW_ENOUGH = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
    "Error: landform needs Python 3.11 or newer, and $(PYTHON) is %s: PYTHON=python3.13 make ..." % sys.version.split()[0])'

.venv/.installed: pyproject.toml
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv $(ANEW) .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fast,media]' 2> /dev/null || { \
	    echo "The extra 'fast' cannot be built here (it needs a C compiler): the worker is slower without."; \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[media]'; }
	@touch $@

.venv/.test: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

.venv/.dev: .venv/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: install
	$(BIN)/landform serve $(if $(PORT),--bind 127.0.0.1:$(PORT)) $(ARGS)

# The tests in process, and one of a real server. What is compiled is kept, also where the environment
# says otherwise, since each process of pytest imports it.
TESTS = export PYTHONDONTWRITEBYTECODE=; $(BIN)/python -m compileall -q $(CODE) && \
    $(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist worksteal

test: .venv/.announced .venv/.test
	$(TESTS) --tier process $(ARGS)

.PHONY: .venv/.announced
.venv/.announced:
	@echo "Installs landform and what its tests need into .venv, which takes about a minute the first"
	@echo "time. Then runs the tests in process, which takes at most three minutes on two cores."

# Each of these alone takes some minutes: gunicorn, proxies, signals, the binary; kills and full disks
# in their short form; clients, browsers and a fuzzer. They mostly wait: more processes than cores.
test-servers test-faults: PROCESSES = 5
test-servers test-faults: test-%: .venv/.test
	$(TESTS) --tier $* $(ARGS)

test-clients: clients contract
	$(TESTS) --tier clients $(ARGS)

# The tests in process, in a copy without any part.
test-core: .venv/.test
	CORE_ALONE=1 $(BIN)/python -m pytest -k without_any_part tests/architecture

# The long form of the tests of faults, about half an hour.
ROUNDS ?= 200
SOAK ?= 600

faults: .venv/.test
	FAULTS_ROUNDS=$(ROUNDS) FAULTS_SOAK=$(SOAK) \
	    $(BIN)/python -m pytest -p no:randomly --tier faults tests/faults tests/parts

# The tools with which the tests hold the OpenAPI document against the service.
contract: .venv/.contract

.venv/.contract: .venv/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[contract]'
	@touch $@

# All of that at once, for CI: each of these steps alone would build the package anew.
tools:
	@$(NEW_ENOUGH)
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,contract,fast]'
	@touch .venv/.installed .venv/.test .venv/.dev .venv/.contract

# Clients of WordPress and Gravity Forms, in exact versions, with which the tests hold sessions; and
# what checks public pages: a validator of HTML and a checker of accessibility.
CLIENTS := tests/clients

clients: $(CLIENTS)/.venv/.installed

$(CLIENTS)/.venv/.installed: $(CLIENTS)/package-lock.json $(CLIENTS)/requirements.txt tests/site/package-lock.json
	npm ci --prefix $(CLIENTS) --ignore-scripts
	npm ci --prefix tests/site --ignore-scripts
	$(PYTHON) -m venv $(CLIENTS)/.venv
	$(CLIENTS)/.venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    --requirement $(CLIENTS)/requirements.txt
	@touch $@

# Ratios to the bare framework and to PocketBase (needs wrk); lists from 1,000 to 1,000,000 pages.
bench: install
	$(BIN)/python bench/compare.py $(ARGS)

scale: install
	$(BIN)/python bench/scale.py $(ARGS)

# What checks the modules of the console and of /docs, in exact versions.
LINT := tests/lint
MODULES := $(wildcard parts/*/static)

$(LINT)/node_modules/.installed: $(LINT)/package-lock.json
	npm ci --prefix $(LINT) --ignore-scripts --no-audit --no-fund
	@touch $@

lint: lint-python $(LINT)/node_modules/.installed
	$(LINT)/node_modules/.bin/eslint --config $(LINT)/eslint.config.js $(MODULES)
	$(LINT)/node_modules/.bin/tsc --project $(LINT)

# mypy sees no editable install of this layout; a link named like the package shows it the way.
lint-python: .venv/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml $(CODE)
	$(BIN)/hadolint deploy/Dockerfile
	@mkdir -p .lint && ln -sfn .. .lint/landform
	cd .lint && ../$(BIN)/mypy --config-file ../pyproject.toml $(addprefix landform/,$(filter-out gunicorn.conf.py,$(CODE)) tests/embedding/typed_host.py)

# The texts for visitors into the .po of each language, where those without a translation are empty,
# and these into the .mo that Python reads. The core has those of links to parts on the start page.
TRANSLATED := $(patsubst %/translations,%,$(wildcard service/site/translations parts/*/translations))

translations: .venv/.test
	@mkdir -p build
	for folder in $(TRANSLATED); do \
	    $(BIN)/pybabel -q extract -F pyproject.toml -k Message -k HomeLink:2 --no-location --sort-output --width 100 \
	        -o build/texts.pot $$folder $$([ $$folder != service/site ] || echo parts/*/__init__.py) && \
	    $(BIN)/pybabel -q update -D landform -i build/texts.pot -d $$folder/translations \
	        --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --width 100 && \
	    $(BIN)/pybabel -q compile -D landform -d $$folder/translations || exit 1; \
	done

wheel: .venv/.dev
	rm -rf build dist/*.whl
	$(BIN)/python -m build --wheel --outdir dist .

# What the console takes from others, compared with npm's own files.
vendor:
	$(PYTHON) docs/vendor.py $(ARGS)

# One file for every Python from 3.11 on: what is compiled for one of them only stays out, as
# MarkupSafe does without, and what pip notes down about this machine too.
binary: .venv/.installed
	rm -rf build dist/landform
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --target build/binary '.[wordpress,fast]'
	# orjson and uvloop are compiled for one Python each, as is gunicorn_h1c, which other Pythons than
	# this one do without; nh3 is for all, and MarkupSafe does without.
	versions=$$($(BIN)/python -m pip freeze --path build/binary | grep -E '^(orjson|uvloop)=='); \
	for python in $(PYTHONS); do \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --upgrade \
	        --only-binary=:all: --python-version $$python --target build/$$python $$versions && \
	    for name in orjson uvloop; do cp build/$$python/$$name/*.so build/binary/$$name/ || exit 1; done || exit 1; \
	done
	rm -rf build/binary/bin build/binary/markupsafe/_speedups* build/binary/*.dist-info/direct_url.json
	cp deploy/launch.py build/binary/__main__.py
	@mkdir -p dist
	$(BIN)/python -m zipapp build/binary --compress --python '/usr/bin/env python3' --output dist/landform
	chmod 755 dist/landform

clean:
	rm -rf .venv .lint build dist *.egg-info $(CLIENTS)/.venv $(CLIENTS)/node_modules tests/site/node_modules $(LINT)/node_modules
