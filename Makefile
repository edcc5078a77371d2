# margin: `make help` lists the targets. Everything that is built goes to build/.
MAKEFLAGS += --no-builtin-rules -j$(shell nproc)
SHELL = /bin/sh
.SUFFIXES:
.DELETE_ON_ERROR:

CC       = gcc
GREATEST = build/greatest.h
CFLAGS   = -std=c99 -O2 -g -ffp-contract=off
TESTWARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wvla -Wundef -Werror
# `make Q= ...` shows the whole commands.
Q        = @

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build/greatest.h:
	@tests/get-greatest.sh $@

# $(call suite,NAME,COMPILER,FLAGS): the test program of tests/*.c, built in build/NAME.
define suite
build/$(1)/%.o: tests/%.c $(GREATEST) Makefile
	@mkdir -p $$(@D)
	@echo "$(2) $$@"
	$$Q$(2) $(CFLAGS) $(TESTWARN) $(3) -I. -isystem $(dir $(GREATEST)) -MMD -MP -c $$< -o $$@
build/$(1)/tests: $(patsubst tests/%.c,build/$(1)/%.o,$(wildcard tests/*.c))
	$$Q$(2) $(3) $$^ -lm -o $$@
-include $(wildcard build/$(1)/*.d)
endef
$(eval $(call suite,float,$(CC),))
$(eval $(call suite,double,$(CC),-DMARGIN_REAL_DOUBLE))

test: build/float/tests build/double/tests ## all host tests; the last line is `N passed, N failed`
	@tests/run.sh $^

# $(call bench,NAME,FLAGS): every tests/bench/bench_*.c as a program in build/bench-NAME.
BENCHES := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/bench_*.c))
define bench
build/bench-$(1)/%: tests/bench/%.c margin.h margin_impl.h Makefile
	@mkdir -p $$(@D)
	$$Q$(CC) -std=c99 -O3 -march=native -ffp-contract=off $(TESTWARN) $(2) -I. $$< -lm -ldl -o $$@
endef
$(eval $(call bench,float,))
$(eval $(call bench,double,-DMARGIN_REAL_DOUBLE))

bench: $(foreach b,$(BENCHES),build/bench-float/$(b) build/bench-double/$(b)) ## speed, this machine
	@for b in $^; do $$b || exit 1; done

clean: ## removes build/
	rm -rf build

.PHONY: help test bench clean
