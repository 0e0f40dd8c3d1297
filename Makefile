# Thin fronts over Meson. `make demo` and `make test` each set up everything they need.
BUILD ?= build
PY := .venv/bin/python
NINJA := .venv/bin/ninja
MESON := .venv/bin/meson

.PHONY: all demo test bench mutate determinism hard sanitize clang install setup clean
.DEFAULT_GOAL := all

setup:
	@scripts/setup

# An installed environment is reused; scripts/setup returns at once when nothing is missing.
$(BUILD)/build.ninja: | setup
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(MESON) setup $(BUILD) $(MESON_ARGS)

all: $(BUILD)/build.ninja
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(NINJA) -C $(BUILD)

# Only what the demonstration needs is built.
demo: $(BUILD)/build.ninja
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(NINJA) -C $(BUILD) demo
	@scripts/demo $(BUILD)

test: all
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(PY) scripts/run_tests.py $(BUILD)

bench: all
	@$(PY) bench/run.py $(BUILD)

# Every operator with one place changed at a time, examples with one synchronising action left out, and both as they are in
# 500 random schedules.
mutate: all
	@$(PY) tests/mutate/mutate.py --quiet --schedules 500 $(BUILD)

# The same reports by gcc and clang and with one and two threads: every must-find program, and operators changed in 300 places.
determinism: all
	@SUPERKERNEL_BUILD=$(abspath $(BUILD)) $(PY) tests/hazards/test_determinism.py --all

# Two-line caches, queues of one, a fiber switch at each chance: the whole suite passes it.
hard:
	@$(MAKE) --no-print-directory BUILD=build-hard MESON_ARGS="-Dhard=true" test

sanitize:
	@$(MAKE) --no-print-directory BUILD=build-asan MESON_ARGS="-Db_sanitize=address,undefined -Db_lundef=false" test

clang:
	@CC=clang CXX=clang++ $(MAKE) --no-print-directory BUILD=build-clang test

# PREFIX=DIR: there, else where the build directory was told, else below /usr/local.
install: all
	@$(if $(PREFIX),PATH="$(CURDIR)/.venv/bin:$$PATH" $(MESON) configure $(BUILD) -Dprefix=$(abspath $(PREFIX)))
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(MESON) install -C $(BUILD)

clean:
	@rm -rf build build-hard build-asan build-clang
