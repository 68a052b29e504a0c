# Two commands do everything on a fresh machine: `make run` and `make test`.
# The work is in .ci/: each target is one script there. Build output lies in $CARGO_TARGET_DIR, by default
# ~/.cache/soit/target, and tools in ~/.cache/soit/tools.

.DEFAULT_GOAL := help
# `make check test` means one after the other, also under -j.
.NOTPARALLEL:
.PHONY: help setup build run test check e2e chaos bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build what is missing and start soit on :5000 and :9200 (RUN_ARGS="..." goes to it)
	@.ci/run.sh $(RUN_ARGS)

test: ## Run every test, on SQLite and on PostgreSQL, with browser and clients (TEST_ARGS="..." selects Rust tests)
	@.ci/test.sh $(TEST_ARGS)

check: ## Check format, lints, documentation, dependencies and Compose files
	@.ci/check.sh

build: ## Build the release binary with the console inside
	@.ci/build.sh release

e2e: ## Run only the browser and client tests
	@.ci/e2e.sh $(E2E_ARGS)

chaos: ## Kill processes under load and check the books (KILLS=600, SEED=…)
	@.ci/chaos.sh

bench: ## Measure the release build and write docs/benchmarks.md (BENCH_ARGS="...")
	@.ci/bench.sh $(BENCH_ARGS)

setup: ## Install everything that is missing, and say why (the other targets do it by themselves)
	@.ci/setup.sh all

clean: ## Remove the build output (tools stay)
	@cargo clean --target-dir "$${CARGO_TARGET_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/soit/target}"
