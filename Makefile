# Every command of this project. `make` alone explains them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test check bench docs references package format lint clean

# Python programs of the local environment come first, so that tests find them.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Room for arguments: make test ARGS='--filter Plan'
ARGS ?=

help: ## Explain these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Watch a person leave an example database: preview, erase, verify, receipt
	@Scripts/install build
	@Scripts/run

test: ## Run all tests on SQLite and a throw-away PostgreSQL (ARGS='--filter Plan' for some)
	@Scripts/install test
	@Scripts/recap Scripts/postgres run Scripts/suite Scripts/swift test --experimental-maximum-parallelization-width 6 $(ARGS)
	$(if $(ARGS),,@Scripts/emulator)

check: lint test docs ## What a change must pass: format, warnings as errors, all tests, documentation

bench: ## Measure Farewell beside the bare statements, on this machine
	@Scripts/install bench
	@swift build -c release --package-path Benchmarks
	@FAREWELL_POSTGRES_OPTIONS="-c fsync=on -c full_page_writes=on -c autovacuum=on -c shared_buffers=1GB" \
	  Scripts/postgres run swift run -c release --package-path Benchmarks farewell-bench $(ARGS)

docs: ## Build the documentation of the libraries into docs/.output
	@Scripts/install build
	@Scripts/docs

references: ## Write the reference pages (docs/plan.md, settings, commands, http, errors, metrics, systems/responses) from the code
	@Scripts/install build
	@Scripts/swift build --product farewell
	@.build/debug/farewell references docs
	@.build/debug/farewell plan --schema > docs/farewell.schema.json

package: ## Build a Debian package, a tarball, checksums and a bill of materials into dist
	@Scripts/install build
	@Scripts/package $(ARGS)

format: ## Format the Swift files
	@swift format format --parallel --in-place --recursive Package.swift $(wildcard Sources Tests Benchmarks/Sources)

lint: ## Say what format would change, and what it cannot mend
	@swift format lint --strict --parallel --recursive Package.swift $(wildcard Sources Tests Benchmarks/Sources)

clean: ## Remove everything that can be built again
	@rm -rf .build Benchmarks/.build docs/.output dist .venv
