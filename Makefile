# Two commands do everything on a fresh machine: `make verify` and `make test`.

PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
LEMMATA = .venv/bin/lemmata

# Parallelism is over chunks, in processes; one BLAS thread each also fixes the order of every sum.
export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: verify test quick touched test-all full bench soak mutants nulls clean lock setup

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

test: .venv/.stamp
	$(LINT)
	.venv/bin/python -m pytest -q -n 2

# After an edit: what differs from the last commit, its rows and their ties.
quick: .venv/.stamp
	$(LINT)
	.venv/bin/python -m pytest -q -m "not slow and not soak" --touched HEAD || [ $$? -eq 5 ]

# Of the tests that `make test` leaves out, those that the last ten commits concern.
touched: .venv/.stamp
	@since=$$(git rev-parse -q --verify HEAD~10 || git rev-list --max-parents=0 HEAD | tail -1); \
	.venv/bin/python -m pytest -q -n 2 -m "(slow or rows) and not soak" --touched $$since || [ $$? -eq 5 ]

# Before a release: all but the hours of `make soak`, which begins with it.
test-all: .venv/.stamp
	$(LINT)
	.venv/bin/python -m pytest -q -n 2 -m "not soak"

# Fault injection, operating characteristics, and every verdict at a root that nobody has seen.
soak: test-all
	.venv/bin/python -m pytest -q -n 2 -m soak
	@root=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '); echo "every verdict at root $$root"; \
	.venv/bin/python -m tests.test_verdicts $$root

# About an hour and a half on two cores: 240 one-line mistakes, and all that notices each within its seconds.
mutants: .venv/.stamp
	.venv/bin/python -m tests.mutation.mutants --count 240 --all --table reports/published/mutants.csv

# About two hours on one core, and it may be ended at any moment: 2,000 audits of every mechanism that just keeps its claim.
nulls: .venv/.stamp
	.venv/bin/python -m lemmata.experiments.audits.nulls

bench: .venv/.stamp
	$(LEMMATA) bench

setup: .venv/.stamp

# Without a stamp, what stands in .venv is the ruin of a failed set-up: begin afresh.
.venv/.stamp: requirements.lock pyproject.toml
	@echo "Setting up .venv from requirements.lock; the first time this takes a few minutes."
	@test -e $@ || rm -rf .venv
	@rm -f $@
	@$(PYTHON) -m venv .venv
	@.venv/bin/python -m pip install -qq --require-hashes -r requirements.lock
	@.venv/bin/python -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

# Keeps the pins that still satisfy pyproject.toml; delete requirements.lock first to renew them all.
lock:
	@tools=$$(mktemp -d) && trap 'rm -rf "$$tools"' EXIT && \
	$(PYTHON) -m venv "$$tools" && \
	"$$tools/bin/python" -m pip install -qq pip-tools && \
	CUSTOM_COMPILE_COMMAND="make lock" "$$tools/bin/pip-compile" --quiet --extra dev --extra dask --extra fast \
	    --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-trusted-host \
	    --no-emit-options --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .asv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find lemmata bounds mechanisms experiments tools tests -name __pycache__ -type d -prune -exec rm -rf {} +
	if [ -d reports ]; then find reports -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} +; fi
