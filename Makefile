# The two commands of the README are `make run` and `make test`; both work on a fresh machine.
PYTHON ?= python3
VENV := .venv
# bytecode is kept, of what is imported: every process would compile the sources anew
unexport PYTHONDONTWRITEBYTECODE
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# temporary files of tests in memory, where 4 GB of it are free: they are synced thousands of times
IN_MEMORY := [ "$$(df -k --output=avail /dev/shm 2> /dev/null | tail -n 1)" -gt 4000000 ] 2> /dev/null \
  && TMPDIR=$$(mktemp -d /dev/shm/shoal-tests-XXXXXX) && export TMPDIR && trap 'rm -rf "$$TMPDIR"' EXIT && trap 'exit 130' INT TERM
# one test process more than processors: some tests wait for servers and browsers
TESTS := $(IN_MEMORY); $(BIN)/python -m pytest -n $$(($$($(BIN)/python -c 'import os; print(os.cpu_count())') + 1)) \
  --dist loadgroup

# what tests use; Spark is apart, as it needs Java
TESTED := $(foreach one,charts dask formats optimal sign sklearn web,--extra $(one))

.PHONY: run test test-all lint types coverage attacks fuzz real-files faults scales papers papers-full published study thesis search kaim mixed closeness audit measures risk records records-check estimates load cluster goldens mutate size compat docs docs-all pictures lock clean

run: $(VENV)/run.stamp          ## anonymize the embedded sample into out/ and out.private/
	$(BIN)/shoal run src/shoal/datasets/patients.toml -o out/ --force

test: $(VENV)/run.stamp         ## ruff, mypy, import-linter, pytest without the slow ones
	@# kernels are compiled once, and not by every test process: while the rest is installed, and
	@# those of extras with the bytecode of the tests; sources are checked beside both and the tests
	@[ -e $(VENV)/test.stamp ] || $(BIN)/shoal warmup > /dev/null 2>&1 & compiling=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/test.stamp || { wait $$compiling; exit 1; }; \
	  { checks=$$(nice $(MAKE) --no-print-directory lint 2>&1) || { echo "$$checks" >&2; exit 1; }; } & \
	  checking=$$!; \
	  { [ -e tests/__pycache__ ] || $(BIN)/python -m pytest --collect-only > /dev/null 2>&1; } & \
	  collecting=$$!; wait $$compiling; $(BIN)/shoal warmup > /dev/null 2>&1; wait $$collecting; \
	  $(TESTS); passed=$$?; wait $$checking || passed=1; \
	  times > $(VENV)/test.times; exit $$passed  # which `make scales` reads

test-all: lint $(VENV)/engines.stamp  ## the slow tests too, and those with Spark (which needs Java)
	$(BIN)/shoal warmup > /dev/null  # or pages wait while kernels are compiled
	$(TESTS) -m ''

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

TYPESCRIPT := 5.9.3

types:                          ## JSDoc types of the desk's scripts, where node and its registry are there
	@if ! command -v npx > /dev/null; then echo "types: skipped, there is no node here"; \
	elif ! npx --yes -p typescript@$(TYPESCRIPT) tsc --version > /dev/null 2>&1; then \
	  echo "types: skipped, TypeScript $(TYPESCRIPT) cannot be fetched from the npm registry"; \
	else npx --yes -p typescript@$(TYPESCRIPT) tsc -p tests/web/types && echo "types: no error"; fi

coverage: $(VENV)/test.stamp    ## branch coverage of table, release and models: at least 95 %
	$(BIN)/python -m pytest -n auto --cov=shoal.table --cov=shoal.release --cov=shoal.judge.models \
	  --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=95

attacks: $(VENV)/test.stamp     ## attacks on what is published, each carried out: how many learn something
	$(BIN)/python -m pytest -n auto -m '' tests/attacks

fuzz: $(VENV)/test.stamp        ## random tables and options through every door; docs/fuzz has the figures
	cd tests && ../$(BIN)/python -m fuzz run --page ../docs/fuzz/README.md

REAL_FILES ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/shoal-real-files

real-files: $(VENV)/test.stamp  ## SPSS, Stata and SAS files of other packages: read, written, read the same
	$(BIN)/python benchmarks/real_files/fetch.py $(REAL_FILES)
	SHOAL_REAL_FILES=$(REAL_FILES) $(BIN)/python -m pytest tests/table/test_real_files.py

faults: $(VENV)/test.stamp      ## kills, failing calls and full disks while a release is written
	cd tests && ../$(BIN)/python faults.py

scales: $(VENV)/test.stamp      ## what Shoal weighs beside something that does the same: one table of ratios
	$(BIN)/python benchmarks/scales/scales.py

published: $(VENV)/test.stamp   ## every printed figure of the 2007 and 2018 papers beside ours
	$(BIN)/python benchmarks/quality/published.py

study: $(VENV)/test.stamp       ## the 2007 paper's study of loss and speed, with pictures of our own
	$(BIN)/python benchmarks/study_2007/losses.py
	$(BIN)/python benchmarks/study_2007/study.py

# each page is made whatever the others miss
PAPERS := published study thesis kaim records-check
define each_paper
	@missed=; for page in $(PAPERS); do \
	  $(MAKE) --no-print-directory $$page $(1) || missed="$$missed $$page"; done; \
	  test -z "$$missed" || { echo "papers: bars are missed in$$missed" >&2; exit 1; }
endef

papers: $(VENV)/test.stamp      ## every page of printed figures beside ours, within an hour on two cores
	$(call each_paper,)

papers-full: $(VENV)/test.stamp ## as papers, with all restarts, runs and repeats as printed: about eight hours on two cores, goes on where it ended
	$(call each_paper,FULL=--full)

thesis: $(VENV)/test.stamp      ## of the 2020 thesis what is printed: tables 3 to 7, figures 1 to 11
	$(BIN)/python benchmarks/search/search.py $(FULL) table3 table4 table5 table6 table7 descents pairs

records-check: $(VENV)/test.stamp  ## the records beside print, every loss computed again
	$(BIN)/python benchmarks/records/records.py check

search: $(VENV)/test.stamp      ## the 2020 thesis, and beyond it: speed, growth, curves
	$(BIN)/python benchmarks/search/search.py

kaim: $(VENV)/test.stamp        ## the KAIM paper: figures 4 to 8 on the adult table, kaim beside k-member
	$(BIN)/python benchmarks/kaim/kaim.py $(FULL)

mixed: $(VENV)/test.stamp       ## texts, trees, missing cells: kaim+ beside kaim and other methods
	$(BIN)/python benchmarks/mixed/mixed.py

closeness: $(VENV)/test.stamp   ## t-closeness on census and adult: slices and swapping beside merging
	$(BIN)/python benchmarks/closeness/closeness.py

audit: $(VENV)/test.stamp       ## minimality and downcoding: every possible world of toy tables
	$(BIN)/python benchmarks/audit/audit.py

measures: $(VENV)/test.stamp    ## what releases cost and which risks are left
	$(BIN)/python benchmarks/measures/measures.py

risk: $(VENV)/test.stamp        ## the risk of tables as they are: adult beside ARX
	$(BIN)/python benchmarks/risk/risk.py

records: $(VENV)/test.stamp     ## the lowest losses with their bounds and label files, and their bars
	$(BIN)/python benchmarks/records/records.py

load: $(VENV)/test.stamp        ## the desk: a large upload, and twenty clients at once
	$(BIN)/python benchmarks/web/load.py

estimates: $(VENV)/test.stamp   ## what runs take: measure every method anew, then hold estimates against runs
	$(BIN)/python benchmarks/estimates/measure.py measure
	$(BIN)/python benchmarks/estimates/measure.py check

cluster: $(VENV)/engines.stamp    ## engines: threads, Dask and Spark side by side (Spark needs Java)
	$(BIN)/python benchmarks/cluster/cluster.py

goldens: $(VENV)/engines.stamp   ## record the goldens anew, and say what has changed
	$(BIN)/python tests/goldens/record.py

mutate: $(VENV)/test.stamp      ## 60 faults drawn from a seed, planted one by one: the goldens must notice
	$(BIN)/python benchmarks/mutation/mutate.py

size: $(VENV)/test.stamp        ## the wheel in a fresh environment: packages, megabytes, every command
	$(BIN)/python benchmarks/install/size.py

compat: $(VENV)/test.stamp      ## lowest and newest dependencies under each Python here; sdist, wheel
	$(BIN)/python benchmarks/compat/compat.py

lock: $(VENV)/test.stamp        ## pin anew what pyproject.toml asks for
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --group install -o requirements/uv.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate pyproject.toml --extra charts --group build -o requirements/run.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate pyproject.toml $(TESTED) --group build --group test -o requirements/test.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --group engines -c requirements/test.txt -o requirements/engines.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --group docs -c requirements/test.txt -o requirements/docs.txt

docs: $(VENV)/run.stamp         ## the site, strictly: docs/_build/html/index.html; notebooks run, links are checked
	@# kernels are compiled while the rest is installed; those of extras when it is
	@[ -e $(VENV)/docs.stamp ] || $(BIN)/shoal warmup > /dev/null 2>&1 & compiling=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/docs.stamp || { wait $$compiling; exit 1; }; \
	  wait $$compiling
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs docs/_build/html
	$(BIN)/python docs/_ext/check_site.py
	$(BIN)/codespell $(SPELLED)

SPELLED := docs/*.md $(addprefix docs/,start jobs understand coming-from guide reference gallery evidence developers \
  methods web) README.md CONTRIBUTING.md RELEASING.md SECURITY.md CHANGELOG.md

docs-all: $(VENV)/docs.stamp $(VENV)/engines.stamp  ## stored outputs of the jobs of ten million records and of a cluster (Spark needs Java), then the site
	$(BIN)/python docs/_ext/stored.py
	$(MAKE) --no-print-directory docs

pictures: $(VENV)/test.stamp    ## pictures of the README and of the desk (needs Chromium)
	$(BIN)/python docs/_ext/method_pages.py
	$(BIN)/python docs/_ext/desk_pictures.py

clean:
	rm -rf $(VENV) out out.private .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Shoal needs Python 3.11 or newer; try: make PYTHON=python3.12 run" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# uv takes a fifth of pip's time; where it cannot be had, or finds no packages, pip does the same
define install
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps $(1) 2> /dev/null \
	  || $(PIP) install -q --no-compile --no-deps $(1)
endef

$(BIN)/uv: requirements/uv.txt | $(BIN)/python
	$(PIP) install -q --no-compile --no-deps --require-hashes -r $< && touch $@ \
	  || echo "uv cannot be installed here: pip installs the rest" >&2

$(VENV)/run.stamp: requirements/run.txt pyproject.toml | $(BIN)/uv
	$(call install,--require-hashes -r requirements/run.txt)
	$(call install,--no-build-isolation -e .)
	touch $@

$(VENV)/test.stamp: requirements/test.txt $(VENV)/run.stamp
	$(call install,--require-hashes -r requirements/test.txt)
	touch $@

$(VENV)/docs.stamp: requirements/docs.txt $(VENV)/test.stamp
	$(call install,--require-hashes -r requirements/docs.txt)
	touch $@

$(VENV)/engines.stamp: requirements/engines.txt $(VENV)/test.stamp
	$(call install,--require-hashes -r requirements/engines.txt)
	touch $@
