# Everything a newcomer needs: `make demo` and `make test` install all they use into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
INSTALLED_BENCH := $(VENV)/installed-bench
INSTALLED_DOCS := $(VENV)/installed-docs
# Optional C modules are compiled when the package is installed, if a C compiler is found.
BUILT_FROM := pyproject.toml hatch_build.py src/ossature/simulation/stepping/_loop.c src/ossature/simulation/sensors/_triangle_bvh.c \
	src/ossature/simulation/_singular_values.c src/ossature/recordings/_number_template.c src/ossature/_instance_maker.c \
	src/ossature/syntax/_xml.c src/ossature/syntax/_number_arrays.c
JOBS ?= auto
LOWEST := $(VENV)-lowest
LOWEST_TESTS := tests/skel tests/urdf tests/chrono tests/kinematics tests/model tests/simulation tests/recordings tests/cli/test_ik_command.py
MUTANTS ?= 10000

.PHONY: demo test test-lowest lint bench docs site release-check validation corpus pictures fuzz mutants cases failures comparisons browser setup clean help

help: ## show what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

demo: $(INSTALLED) ## check, pose, convert and simulate an example
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# Tests start many programs. Where Python is told to keep no bytecode, each of them would compile all modules anew.
test: $(INSTALLED_DEV) ## the tests, in parallel
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(JOBS)

test-lowest: $(LOWEST)/installed ## the tests of the core with the lowest versions that pyproject.toml declares
	$(LOWEST)/bin/python -m pytest -n $(JOBS) -W "ignore:'click:DeprecationWarning" $(LOWEST_TESTS)

lint: $(INSTALLED_DEV) ## style, types, and the direction of imports
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/vocabulary.py
	$(BIN)/codespell

bench: $(INSTALLED_BENCH) ## times, side by side with DART, Pinocchio, Drake and MuJoCo in one run; PART=states: of one part
	$(BIN)/python -m benchmarks $(PART)

fuzz: cases mutants failures ## all long tests: cases, mutants of untrusted files, failures; hours with the default MUTANTS=10000

cases: $(INSTALLED_DEV) ## the cases of tests of which `make test` tries one in several
	$(BIN)/python -m pytest -n $(JOBS) -m "slow and one_in" tests
	$(BIN)/python -m pytest -n $(JOBS) -m slow tests/sdf/test_written_corpus.py \
		tests/simulation/test_closing_displacement.py tests/usdf
	$(BIN)/python -m pytest -n $(JOBS) -m hypothesis --hypothesis-profile many tests

mutants: $(INSTALLED_DEV) ## MUTANTS=10000 seeded mutations of files of each format, recordings and archives, hostile files, long restarts, linkages, arms
	OSSATURE_MUTANTS=$(MUTANTS) $(BIN)/python -m pytest -n $(JOBS) -m slow tests/skel/test_mutations.py tests/sdf/test_mutations.py \
		tests/chrono/test_mutations.py tests/collada/test_mutations.py tests/urdf/test_mutations.py tests/recordings \
		tests/assets/test_archive.py tests/untrusted tests/simulation/test_energy.py tests/simulation/test_restart_at_random_instants.py \
		tests/simulation/test_restart_of_grippers.py tests/usdf/test_joint_states_from_links.py \
		tests/urdf/test_random_robots.py tests/mjcf/test_mutations.py tests/chrono/test_random_linkages.py \
		tests/chrono/test_against_maximal_coordinates.py tests/kinematics/test_ik_solver.py
	$(BIN)/python -m pytest -n $(JOBS) -m slow -k "every_field or is_meant_the_same" tests

failures: $(INSTALLED_DEV) ## every failure of every file operation of every output
	$(BIN)/python -m pytest -n $(JOBS) -m slow tests/cli/test_failing_outputs.py tests/cli/test_terminal.py

comparisons: $(INSTALLED_DEV) ## all MJCF files of the corpus against MuJoCo: kinematics, compiled models, motion
	$(BIN)/python -m pytest -n $(JOBS) -m slow tests/mjcf/test_read_corpus.py tests/mjcf/test_compiled_as_mujoco.py

browser: $(INSTALLED_DEV) ## the long tests of the viewer in Chromium, which depend on the speed of its drawing
	$(BIN)/python -m pytest -m slow tests/viewer

docs: $(INSTALLED_DEV) ## write the generated pages
	$(BIN)/python docs/generate.py

site: $(INSTALLED_DOCS) ## the documentation as a site in build/site, which needs no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release-check: ## wheel and source archive, installed into fresh environments; EXTRAS="core plot": of these extras only
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip install --quiet build twine
	build/release/bin/python tools/release_check.py $(EXTRAS)

validation: $(INSTALLED_DEV) ## simulate all files of the corpora and write docs/validation.md: what each run shows about its accuracy
	$(BIN)/python docs/validation.py

corpus: $(INSTALLED_DEV) ## read and check all model files of the corpora and write docs/corpus.md
	$(BIN)/python docs/corpus.py

pictures: $(INSTALLED_DEV) ## make the pictures of the README
	$(BIN)/python docs/render_pictures.py

setup: $(INSTALLED_DEV) ## .venv with everything for development

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(INSTALLED): $(BUILT_FROM) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[plot,view,tables,render]"
	@touch $@

$(INSTALLED_DEV): $(BUILT_FROM) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --group dev --editable ".[all]"
	@touch $@ $(INSTALLED)

$(INSTALLED_BENCH): $(INSTALLED_DEV)
	$(BIN)/python -m pip install --quiet --group bench --editable .
	@touch $@

$(INSTALLED_DOCS): $(INSTALLED_DEV)
	$(BIN)/python -m pip install --quiet --group docs --editable .
	@touch $@

$(LOWEST)/installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade pip
	$(PYTHON) tools/lowest_versions.py tables > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --requirement $(LOWEST)/lowest.txt --editable . \
		pytest pytest-xdist hypothesis scipy trimesh pillow
	@touch $@

clean: ## remove everything that was made
	rm -rf $(VENV) $(LOWEST) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
