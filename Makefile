# `make walk` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run
TESTS  := $(VENV)/.tests
EXTRAS := $(VENV)/.extras
# a package of Debian's, from fresh lists, where one may install; waits for other installations to end
APT    := { [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq; } >/dev/null 2>&1 && \
          apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# chromium, node, three.js and Godot, for tests in a browser, of exported files and of the sample for Godot, where they are
# missing and may be installed
.PHONY: extras browser axe coverage wheel wheel-check kernels studio-pictures live-modules live-pages docs gallery walk test test-slow fuzz lint pictures clean

walk: $(RUN)
	@echo "3 of 3  twenty seconds of walking"
	@$(BIN)/footfall run walk --seconds 20 --out walk.html --out walk.png

test: $(TESTS)
	$(BIN)/python -m pytest -n 2 -m "not slow"

# tests that take more than ten seconds each; one that fails runs once more, alone, since browsers share two cores here
test-slow: $(TESTS)
	$(BIN)/python -m pytest -n 2 -m slow || $(BIN)/python -m pytest -m slow --last-failed --last-failed-no-failures none

axe: ## axe-core, with which tests check pages for accessibility
	npm install --no-save axe-core

browser:
	@command -v chromium >/dev/null 2>&1 || $(APT) chromium || echo "chromium is missing: browser tests will be skipped"
	@command -v node >/dev/null 2>&1 || $(APT) nodejs || echo "node is missing: tests of live modules will be skipped"
	@command -v godot3-server >/dev/null 2>&1 || $(APT) godot3-server || \
	  echo "godot3-server is missing: the sample for Godot will not be tested"
	@[ -d build/node/node_modules/three ] || npm install --silent --no-fund --no-audit --prefix build/node three@0.187.0 || \
	  echo "three.js is missing: exported BVH files will not be opened with it"

# the compiled modules that come with footfall, again where their source changed
live-modules: $(EXTRAS)
	$(BIN)/python -m tools.live_modules

# the compiled kernels that come with footfall, for machines such as this one
kernels: $(TESTS)
	$(BIN)/python -m tools.kernels

# a wheel with compiled kernels, for machines such as this one
wheel: $(TESTS)
	rm -rf dist
	$(BIN)/python -m tools.wheel --out dist

# that wheel in a fresh environment: it is installed with what it needs, and tried
wheel-check: wheel
	$(BIN)/python -m tools.wheel_check dist/*.whl

# which lines the default tests reach; the processes that they start are not counted
coverage: $(TESTS)
	$(BIN)/python -m coverage run -m pytest -m "not slow"
	$(BIN)/python -m coverage html --directory build/coverage
	$(BIN)/python -m coverage report --skip-covered --sort cover | tail -40

# the live figures of the documentation
live-pages: $(EXTRAS)
	mkdir -p docs/live
	$(BIN)/footfall live walk-3d walk run skipping --out docs/live/front.html
	$(BIN)/footfall live walk fast-walk run skipping scissor-hop high-step-walk crouch-walk sturdy-walk --out docs/live/walk.html
	$(BIN)/footfall live walk-3d --out docs/live/walk-3d.html
	$(BIN)/footfall live generalised-walk ground-sight-walk --out docs/live/improving-simbicon.html
	$(BIN)/footfall live human-walk human-12-walk bird-run --out docs/live/limit-cycles.html
	$(BIN)/footfall live 3lp --out docs/live/pendulum.html
	$(BIN)/footfall course --out docs/live/course

# the documentation as a website in build/site, its live figures included; warnings are errors
docs: $(TESTS) live-pages
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs build/site
	@echo "open build/site/index.html"

# the films of the documentation's gallery, and the pictures of its tutorials
gallery: $(TESTS)
	$(BIN)/python -m tools.gallery docs/images

studio-pictures: $(TESTS) browser
	mkdir -p docs/images
	$(BIN)/python -m tools.screenshots docs/images

pictures: $(TESTS)
	mkdir -p docs/images
	$(BIN)/footfall run walk --seconds 6 --out docs/images/walk.png
	$(BIN)/footfall run walk --seconds 4 --out docs/images/walk.gif
	$(BIN)/footfall run walk --seconds 6 --push=-900@3:0.1 --out docs/images/fall.png
	$(BIN)/footfall run walk-3d --seconds 6 --out docs/images/walk-3d.png
	$(BIN)/footfall run walk-3d --seconds 2 --camera front --out docs/images/walk-3d-front.png
	mkdir -p build
	$(BIN)/footfall run walk-3d --seconds 5 --push 0,200,0@1.2:0.25 --out build/pushed.npz
	$(BIN)/footfall export build/pushed.npz --out docs/images/pushed.gif --size 440x248 --fps 15 --start 0.4 --end 4.0
	$(BIN)/footfall show walk --out docs/images/walk-graph.png
	$(BIN)/footfall show human-28 --out docs/images/human-28.png
	$(BIN)/footfall robustness walk --push-map 10000 --out docs/images/push-map.png
	$(BIN)/footfall stability walk --over swing_hip.c_d=-0.5:1.1:241 --branch 12 --out docs/images
	$(BIN)/footfall robustness walk thrifty-walk sturdy-walk --step 30 --out docs/images/robustness.png

# files with mistakes in them, of every kind that footfall reads
fuzz: $(TESTS)
	$(BIN)/python -m tests.fuzz --count 100000

lint: $(TESTS)
	$(BIN)/ruff check src reproductions tools tests examples conftest.py
	$(BIN)/ruff format --check src reproductions tools tests examples conftest.py
	$(BIN)/mypy

# what a run needs and nothing else
$(RUN): pyproject.toml reproductions/pyproject.toml constraints.txt
	@echo "1 of 3  a Python environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "2 of 3  the packages that a run needs, about 0.9 GB"
	@$(PIP) --editable ".[studio]" --editable reproductions
	@touch $(RUN)

# what tests, the linter and the type checker need besides
$(TESTS): $(RUN)
	@echo "the packages that tests need, about 0.6 GB more"
	@$(PIP) --editable ".[dev]"
	@touch $(TESTS)

# large packages that few commands need: a compiler for WebAssembly, USD, rerun; tests marked "extra" need them
extras: $(EXTRAS)
$(EXTRAS): $(TESTS)
	@echo "the large packages that few commands need, about 1.2 GB more"
	@$(PIP) --editable ".[live,usd,rerun]"
	@touch $(EXTRAS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache walk.html walk.png
