# Two commands do everything on a fresh machine: `make verify` and `make test`.

PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
LEMMATA = .venv/bin/lemmata

# Parallelism is over chunks, in processes; one BLAS thread each also fixes the order of every sum.
export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: verify test types tests quick record touched test-all full bench soak mutants gate nulls corpus wild docs clean lock sbom setup

# `lemmata run` exits 1 when a verdict contradicts the published ledger: the report is still wanted then.
define run_and_report
@status=0; \
$(LEMMATA) run --profile $(1) || status=$$?; \
if [ $$status -le 1 ]; then $(LEMMATA) report || exit $$?; fi; \
exit $$status
endef

verify: .venv/.stamp
	$(call run_and_report,quick)

full: .venv/.stamp
	$(call run_and_report,full)

LINT = .venv/bin/ruff check . && .venv/bin/mypy

# Types are checked while tests run: on one core that takes a tenth of the time that these take on two.
test: .venv/.stamp-dev
	.venv/bin/ruff check .
	@$(MAKE) --no-print-directory -j 2 types tests

types: .venv/.stamp-dev
	.venv/bin/mypy

tests: .venv/.stamp-dev
	.venv/bin/python -m pytest -q -n 2

# After an edit: the tests that executed what differs from the last commit, when `make record` saw them last; committed
# records, verdicts of changed formulas, and then the nearest tests, as many as take 40 seconds when they are recorded.
quick: .venv/.stamp-dev
	$(LINT)
	.venv/bin/python -m pytest -q -m "not soak" --touched HEAD --budget 40 || [ $$? -eq 5 ]

# What every test of `make test` executes, into tests/executed.json.xz, for `make quick`: twice as long as the tests.
record: .venv/.stamp-dev
	.venv/bin/python -m pytest -q -n 2 --record

# Of the tests that `make test` leaves out, those that the last ten commits concern, or as many as there are: 800 at most
# and none that begins after 60 seconds, others at every commit.
touched: .venv/.stamp-dev
	@since=$$(git rev-parse -q --verify HEAD~10 || git rev-list --max-parents=0 HEAD | tail -1); \
	if [ -z "$$since" ]; then echo "No commits here: nothing was touched."; exit 0; fi; \
	.venv/bin/python -m pytest -q -n 2 -m "(slow or rows) and not soak" --touched $$since --at-most 800 --within 60 \
	    || [ $$? -eq 5 ]

# Before a release: all but the hours of `make soak`, which begins with it.
test-all: .venv/.stamp-dev
	$(LINT)
	.venv/bin/python -m pytest -q -n 2 -m "not soak"

# All tests, fault injection, operating characteristics, the oldest BLAS kernels, and every verdict at a root that nobody
# has seen. It may be stopped at any moment, and goes on where it was.
soak: .venv/.stamp-dev
	$(LINT)
	.venv/bin/python -m tests.soak

# About two hours on two cores: all mistakes in lines that privacy rests on, which must be noticed, and 240 others, with all
# that notices each within its seconds.
mutants: .venv/.stamp-dev
	.venv/bin/python -m tests.mutation.mutants --hardening
	.venv/bin/python -m tests.mutation.mutants --count 240 --all --table reports/published/mutants.csv

# Half an hour: the same kind of mistakes, each written into its file, and whether the tests of `make quick` are red. What is
# published are the first 129 mutants of seed 3 at commit 098880a6; those that were green have a test since, or a reason.
gate: .venv/.stamp-dev
	.venv/bin/python -m tests.mutation.gate --count 240 --table reports/published/quick.csv

# About two hours on one core, and it may be ended at any moment: 2,000 audits of every mechanism that just keeps its claim.
nulls: .venv/.stamp-dev
	.venv/bin/python -m lemmata.experiments.audits.nulls

# Published mistakes and their corrections, audited in ten minutes on one core. It goes on where it was stopped: rows of
# reports/published/corpus.csv that this search made are not made again.
corpus: .venv/.stamp-dev
	.venv/bin/python -m lemmata.experiments.audits.corpus.table

# Libraries that others wrote, at pinned versions, each in an environment of its own below .wild/: half an hour. It goes on
# where it was stopped: rows of reports/published/wild.csv that this search made are not made again. No test needs it.
wild: .venv/.stamp-dev
	.venv/bin/python -m lemmata.tools.wild.run $(LIBRARY) $(TARGET)

bench: .venv/.stamp-dev
	$(LEMMATA) bench

# The documentation, into reports/docs; the pages that are there then link it. All of it runs, without a network.
docs: .venv/.stamp-docs
	.venv/bin/sphinx-build --fail-on-warning --keep-going --quiet -d reports/doctrees docs reports/docs
	@rm -rf reports/jupyter_execute
	@test ! -e reports/index.html || $(LEMMATA) report

setup: .venv/.stamp-dev

# The locks name all packages: there is nothing to resolve.
INSTALL = .venv/bin/python -m pip install -qq --no-compile --no-deps
# Bytecode on all cores: of this package, which several processes load at once, and of the libraries, but for their own
# tests and what hardly any command imports. What is left out is compiled when it is imported.
COMPILE = .venv/bin/python -m compileall -qq -j 0 -x '/(tests|pip|setuptools|fontTools|statsmodels)/' \
    .venv/lib bounds mechanisms experiments lemmata || true

# What `make verify` needs. Without a stamp, what stands in .venv is the ruin of a failed set-up: begin afresh.
.venv/.stamp: requirements-lab.lock pyproject.toml
	@echo "Setting up .venv from requirements-lab.lock; the first time this takes a minute."
	@test -e $@ || rm -rf .venv
	@rm -f $@
	@$(PYTHON) -m venv .venv
	@$(INSTALL) --require-hashes -r requirements-lab.lock
	@$(INSTALL) --no-build-isolation -e .
	@$(COMPILE)
	@touch $@

# What tests, types and benchmarks need beside it: the pins of the first are among those of the second.
.venv/.stamp-dev: .venv/.stamp requirements.lock
	@echo "Adding what the tests need from requirements.lock."
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(COMPILE)
	@touch $@

# What `make docs` needs beside that: a lock of its own, so that tests are set up as fast as before.
.venv/.stamp-docs: .venv/.stamp-dev requirements-docs.lock
	@echo "Adding what the documentation needs from requirements-docs.lock."
	@$(INSTALL) --require-hashes -r requirements-docs.lock
	@$(COMPILE)
	@touch $@

# Keeps the pins that still satisfy pyproject.toml; delete the locks first to renew them all. uv reads the hashes of all
# platforms' files from the index, in a second; pip-compile downloads each of these files, some gigabytes, to compute them.
PINS = "$$tools/bin/uv" pip compile --quiet --no-config --no-build --generate-hashes --custom-compile-command "make lock" \
    --python "$$tools/bin/python" --extra fast
BUILDING = import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

# The two programs of the next targets are pinned themselves; the uv that is pinned pins its successor.
TOOLS = "$$tools/bin/python" -m pip install -qq --require-hashes -r tools/tools.lock

lock:
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && \
	$(TOOLS) && \
	$(PINS) --extra dev --extra dask --output-file requirements.lock pyproject.toml && \
	"$$tools/bin/python" -c '$(BUILDING)' | $(PINS) --extra lab --constraint requirements.lock \
	    --output-file requirements-lab.lock pyproject.toml - && \
	$(PINS) --extra docs --extra dev --extra dask --constraint requirements.lock \
	    --output-file requirements-docs.lock pyproject.toml && \
	printf 'uv\ncyclonedx-bom\n' | "$$tools/bin/uv" pip compile --quiet --no-config --no-build --generate-hashes \
	    --python "$$tools/bin/python" --upgrade --custom-compile-command "make lock" --output-file tools/tools.lock -

# What the locked environment holds, with its licences: the bill of materials and docs/licences.md, after each `make lock`.
sbom: .venv/.stamp-dev
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && \
	$(TOOLS) && \
	"$$tools/bin/cyclonedx-py" environment .venv --output-reproducible --short-PURLs --pyproject pyproject.toml \
	    --output-file reports/published/sbom.json && \
	.venv/bin/python -m lemmata.tools.licences

clean:
	rm -rf docs/generated
	rm -rf .venv .asv .wild build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find lemmata bounds mechanisms experiments tools tests -name __pycache__ -type d -prune -exec rm -rf {} +
	if [ -d reports ]; then find reports -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} +; fi
