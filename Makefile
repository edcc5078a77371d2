# margin: `make help` lists the targets. All that is built goes to build/; `make Q= ...` shows the commands.
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
Q = @

CC       = gcc
CFLAGS   = -std=c99 -O2 -g1
HEADERS  = margin.h margin_impl.h
TOOLS    = tests/tools
GREATEST = build/greatest.h
DEBIAN_PYTHON = /usr/bin/python3

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

# ---- what a machine must have: command or file, and the Debian package it comes from ----

need-test:
	@$(TOOLS)/need.sh gcc=gcc g++=g++ /usr/include/stdio.h=libc6-dev python3=python3
need-clang:
	@$(TOOLS)/need.sh clang=clang clang++=clang llvm-nm=llvm \
	    $$(clang -print-resource-dir 2>/dev/null)/lib/linux=libclang-rt-dev
need-analyze: need-clang
	@$(TOOLS)/need.sh clang-tidy=clang-tidy cppcheck=cppcheck
need-format:
	@$(TOOLS)/need.sh clang-format=clang-format
need-coverage:
	@$(TOOLS)/need.sh gcov=gcc python3=python3
need-mcdc: need-test
	@$(TOOLS)/need.sh clang-19=clang-19 llvm-cov-19=llvm-19 /usr/lib/llvm-19/lib/clang/19/lib/linux=libclang-rt-19-dev
need-cross: need-clang
	@$(TOOLS)/need.sh arm-none-eabi-gcc=gcc-arm-none-eabi riscv64-unknown-elf-gcc=gcc-riscv64-unknown-elf \
	    avr-gcc=gcc-avr /usr/lib/avr/include=avr-libc powerpc-linux-gnu-gcc=gcc-powerpc-linux-gnu s390x-linux-gnu-gcc=gcc-s390x-linux-gnu \
	    /usr/powerpc-linux-gnu/include=libc6-dev-powerpc-cross /usr/s390x-linux-gnu/include=libc6-dev-s390x-cross
need-wasm: need-test
	@$(TOOLS)/need.sh clang=clang wasm-ld=lld
need-browser: need-wasm
	@$(TOOLS)/need.sh chromium=chromium chromedriver=chromium-driver $(DEBIAN_PYTHON)=python3 \
	    /usr/lib/python3/dist-packages/selenium=python3-selenium
build/greatest.h: | need-test
	@$(TOOLS)/get-greatest.sh $@

# ---- the test program: all of tests/*.c, in several builds ----

TEST_WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wvla -Wundef -Werror

# $(call suite,NAME,COMPILER,FLAGS,NEED): the test program build/NAME/tests.
define suite
build/$(1)/%.o: tests/%.c $(GREATEST) Makefile | need-test $(4)
	@mkdir -p $$(@D)
	@echo "$(2) $$@"
	$$Q$(2) $$(CFLAGS) $(TEST_WARN) $(3) -I. -isystem $(dir $(GREATEST)) -MMD -MP -c $$< -o $$@
build/$(1)/tests: $(patsubst tests/%.c,build/$(1)/%.o,$(wildcard tests/*.c))
	$$Q$(2) $(3) $$^ -lm -o $$@
-include $(wildcard build/$(1)/*.d)
endef

DOUBLE   = -DMARGIN_REAL_DOUBLE
PLAIN    = -DMARGIN_VECTOR=0 -DMARGIN_NO_ASM=
# A sanitized test program runs ten times as long: an eighth of the random problems (tests/trials.h).
SANITIZE = -O1 -g1 -fno-sanitize-recover=all -fno-omit-frame-pointer -DTEST_SHARE=8
ADDRESS  = $(SANITIZE) -fsanitize=address,undefined,float-cast-overflow,float-divide-by-zero,implicit-conversion
MEMORY   = $(SANITIZE) -fsanitize=memory -include tests/handed_out.h
# The -fkeep flags keep unused functions in the count; assertions would count as branches that nothing takes, and so would
# those of a function that is inlined even here, once for each format and kernel that its callers name.
COVERAGE = -O0 --coverage -fkeep-inline-functions -fkeep-static-functions '-DMARGIN_ASSERT(cond)=((void)0)' -Dalways_inline=

# Under the tools the float builds have the code of a small device, the double builds that of a host.
$(eval $(call suite,float,$(CC),))
$(eval $(call suite,double,$(CC),$(DOUBLE) -O1))
# The code that firmware has is that of margin_tu.c, at -O2; the tests themselves are sooner compiled and as soon run at -O1.
$(patsubst tests/%.c,build/float/%.o,$(wildcard tests/test_*.c)): CFLAGS += -O1
$(eval $(call suite,float-address,clang,$(ADDRESS) $(PLAIN),need-clang))
$(eval $(call suite,double-address,clang,$(ADDRESS) $(DOUBLE),need-clang))
$(eval $(call suite,double-memory,clang,$(MEMORY) $(DOUBLE),need-clang))
$(eval $(call suite,float-coverage,$(CC),$(COVERAGE) $(PLAIN),need-coverage))
$(eval $(call suite,double-coverage,$(CC),$(COVERAGE) $(DOUBLE),need-coverage))
# Of clang: which conditions have decided by themselves. The code is that of a small device.
MCDC = -O0 -g0 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc '-DMARGIN_ASSERT(cond)=((void)0)'
$(eval $(call suite,float-mcdc,clang-19,$(MCDC) $(PLAIN),need-mcdc))

# The float build has the optimisation of firmware; `make bits` has all levels, and `make packaging` all switches.
test: build/float/tests build/double/tests ## all host tests; the last line is `N passed, N failed`
	@$(TOOLS)/run.sh -p 'python3 tests/gen/run.py' build/float/tests build/double/tests $(TOOLS)/examples.sh '$(TOOLS)/packaging.sh gcc g++ ""'

sanitize: build/float-address/tests build/double-address/tests build/double-memory/tests
sanitize: ## the tests under the address, undefined-behaviour and memory sanitizers
	@$(TOOLS)/run.sh -p $^

# What the tests do not take has a reason in tests/tools/unreached.txt, or is counted by function in tests/tools/untaken.txt: nothing
# new may join. WRITE=--write counts anew.
coverage: build/float-coverage/tests build/double-coverage/tests ## branches of both headers that the tests take; fails on a new one that they do not
	@find build -name '*.gcda' -delete
	@$(TOOLS)/run.sh -p $^
	@python3 $(TOOLS)/coverage.py $(WRITE) build/float-coverage build/double-coverage

mcdc: build/float-mcdc/tests | need-mcdc ## conditions of PART I that have each decided alone (MC/DC), by clang; not part of check
	@python3 $(TOOLS)/mcdc.py $(WRITE) $<

bits: | need-test need-clang ## the same bits under any flags, by gcc and clang; on other machines: make ports
	@$(TOOLS)/run.sh -p $(foreach real,float double,$(foreach compiler,gcc clang,'$(TOOLS)/bits.sh $(real) $(compiler)'))

need-fuzz: need-clang
	@$(TOOLS)/need.sh qemu-arm=qemu-user arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf \
	    /usr/arm-linux-gnueabihf/include=libc6-dev-armhf-cross powerpc-linux-gnu-gcc=gcc-powerpc-linux-gnu \
	    /usr/powerpc-linux-gnu/include=libc6-dev-powerpc-cross

# Some three minutes of processor time, most of it spent compiling. Each input of train is trained four times. FUZZ_RUNS=1000000 is a night.
FUZZ_RUNS = 4000
FUZZES = '$(TOOLS)/fuzz.sh train $$(($(FUZZ_RUNS) / 4))' '$(TOOLS)/fuzz.sh image $(FUZZ_RUNS)' '$(TOOLS)/fuzz.sh reader $(FUZZ_RUNS)0' \
         $(foreach target,image-arm image-powerpc,'$(TOOLS)/fuzz.sh $(target) $$(($(FUZZ_RUNS) / 10))')
fuzz: | need-test need-fuzz ## random bytes as images, data files and training problems, under the sanitizers and on 32-bit machines; FUZZ_RUNS=N
	@mkdir -p build/fuzz
	@$(TOOLS)/run.sh -p $(FUZZES)

MUTANTS = 40
SEED = 1
mutate: build/greatest.h | need-test ## plants random faults in margin_impl.h and counts which the tests find; MUTANTS=N SEED=N; not part of check
	@python3 $(TOOLS)/mutate.py -n $(MUTANTS) --seed $(SEED)

# ---- checks without running ----

packaging: | need-test need-clang ## both headers under every switch, by gcc and clang, as C and C++
	@$(TOOLS)/run.sh -p '$(TOOLS)/packaging.sh gcc g++ "-O2"' '$(TOOLS)/packaging.sh clang clang++ "-Os"'

symbols: | need-test ## the library needs only memcpy and compiler helpers, shows what margin.h declares, has no data
	@mkdir -p build; for switch in -UMARGIN_REAL_DOUBLE -DMARGIN_REAL_DOUBLE -DMARGIN_PREDICT_ONLY; do \
	    $(CC) $(CFLAGS) -O0 -ffreestanding -I. $$switch -c tests/compile/impl.c -o build/symbols.o && \
	    $(TOOLS)/symbols.sh build/symbols.o $$switch || exit 1; done

toc: ## every mark in CONTENTS has one banner with a sentence, and the reverse; lines of at most 100 columns; every function that takes an arena is in the sweeps
	@$(TOOLS)/toc.sh $(HEADERS)

format: | need-format ## the code is formatted as .clang-format says
	@clang-format --dry-run --Werror $$(git ls-files '*.[ch]' | xargs grep -L 'Written by the generator')

analyze: | need-test need-analyze ## static analysis by gcc, clang, clang-tidy and cppcheck, each finds its seeded bugs and no other; MISRA by rule
	@python3 $(TOOLS)/analyze.py

need-eva: need-test
	@$(TOOLS)/need.sh frama-c=frama-c-base

eva: | need-eva ## Frama-C over predictors, arena and the reading of images: no run-time error for any input
	@python3 $(TOOLS)/eva.py

# ---- objects for other machines, compiled but not run ----

STRICT = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wdouble-promotion -Wshadow -Wstrict-prototypes \
         -Wcast-align -Wvla -Wundef -Werror
CROSS_float   =
CROSS_double  = $(DOUBLE)
CROSS_predict = -DMARGIN_PREDICT_ONLY -O2
CROSS_align4  = -DMARGIN_ALIGN=4

# $(call cross,TARGET,COMPILER,KINDS): build/cross/TARGET-KIND.o for each kind.
define cross
build/cross/$(1)-%.o: tests/compile/impl.c $(HEADERS) Makefile | need-cross
	@mkdir -p $$(@D)
	@echo "$(firstword $(2)) $$@"
	$$Q$(2) -std=c99 -O1 -ffreestanding $(STRICT) $$(CROSS_$$*) -I. -c $$< -o $$@
	$$QNM=llvm-nm SIZE=llvm-size $(TOOLS)/symbols.sh $$@ $$(CROSS_$$*)
cross: $(3:%=build/cross/$(1)-%.o)
endef

$(eval $(call cross,cortex-m0,arm-none-eabi-gcc -mthumb -mcpu=cortex-m0,float predict align4))
$(eval $(call cross,cortex-m4f,arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16,float predict))
$(eval $(call cross,rv32imc,riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32,float double predict))
$(eval $(call cross,atmega328p,avr-gcc -mmcu=atmega328p,float predict))
$(eval $(call cross,atmega2560,avr-gcc -mmcu=atmega2560,align4))
$(eval $(call cross,wasm32,clang --target=wasm32,float double predict))
$(eval $(call cross,powerpc,powerpc-linux-gnu-gcc -fno-pic,float predict))
$(eval $(call cross,s390x,s390x-linux-gnu-gcc -fno-pic -fexcess-precision=fast,double predict))

# Dots on a core with a small floating-point unit: from its registers, without a detour over the stack.
build/cross/registers: build/cross/cortex-m4f-float.o $(TOOLS)/registers.py
	@python3 $(TOOLS)/registers.py arm-none-eabi-objdump $< margin_dot mgn_dots
	@touch $@
build/cross/cortex-m4f-float.o: CROSS_float = -O2
cross: build/cross/registers

# No floating point in a program of integer predictors; a real one among them must be found.
build/cross/no-float/passed: $(HEADERS) $(TOOLS)/no_float.sh | need-cross
	@$(TOOLS)/no_float.sh
	@touch $@
cross: build/cross/no-float/passed

cross: ## compiles for Cortex-M, RISC-V, AVR, WebAssembly and two big-endian machines; looks at the symbols

# ---- on emulated machines ----

need-ports: need-cross
	@$(TOOLS)/need.sh qemu-system-arm=qemu-system-arm qemu-system-riscv32=qemu-system-misc qemu-ppc=qemu-user \
	    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include=libc6-dev-arm64-cross \
	    /usr/lib/avr/include=avr-libc node=nodejs wasm-ld=lld \
	    /usr/include/simavr/sim_avr.h=libsimavr-dev /usr/include/libelf.h=libelf-dev

ports: | need-test need-ports ## builds one suite for every emulated target and runs it: the same bits as on the host
	@python3 ports/suite.py
	@python3 ports/examples.py

footprint: | need-test need-ports ## bytes, stack and instructions of every predictor on every target
	@python3 ports/footprint.py
	@python3 ports/stack.py --check
	@python3 ports/cost.py --check

need-cluster: need-test
	@$(TOOLS)/need.sh /usr/bin/python3=python3 /usr/lib/python3/dist-packages/distributed=python3-distributed

cluster: | need-cluster ## gen fit on a cluster of Dask's workers, one of which dies: the same bytes as on threads
	@python3 tests/gen/run.py workers

need-sklearn: need-test
	@$(TOOLS)/need.sh $(DEBIAN_PYTHON)=python3 /usr/lib/python3/dist-packages/sklearn=python3-sklearn \
	    /usr/lib/python3/dist-packages/matplotlib=python3-matplotlib /usr/lib/python3/dist-packages/pandas=python3-pandas \
	    /usr/lib/python3/dist-packages/distributed=python3-distributed

sklearn: | need-sklearn ## the estimators: scikit-learn's own checks, beside gen train, in searches, on a cluster of Dask's workers
	@$(DEBIAN_PYTHON) tests/gen/run.py --in tests/sklearn

demo: | need-test ## from a data file to firmware, in one minute: train, export, compile, predict, compare
	@examples/02_demo/demo.sh

# ---- packages for other toolchains ----

need-dist: need-test need-ports
	@$(TOOLS)/need.sh cmake=cmake make=make pkg-config=pkg-config arduino-builder=arduino-builder simavr=simavr \
	    /usr/share/arduino/hardware/arduino/avr=arduino-core-avr \
	    /usr/bin/rustc=rustc /usr/bin/cargo=cargo /usr/src/rustc-$$(/usr/bin/rustc --version 2>/dev/null | cut -d" " -f2)=rust-src \
	    npm=npm xtensa-lx106-elf-gcc=gcc-xtensa-lx106 twine=twine /usr/lib/python3/dist-packages/kconfiglib.py=python3-kconfiglib \
	    /usr/lib/python3/dist-packages/yaml=python3-yaml /usr/lib/python3/dist-packages/jsonschema=python3-jsonschema \
	    /usr/lib/python3/dist-packages/pip=python3-pip $(firstword $(wildcard /usr/lib/python3.*/ensurepip) none)=python3-venv

dist: | need-test ## packages for every toolchain, to build/dist: the same tree gives the same bytes
	@rm -rf build/dist
	@python3 -m gen.dist build/dist

# Simulators of boards, from npm, in build/npm.
NPM = avr8js@0.21.1 rp2040js@1.4.1
build/npm/node_modules/.installed: Makefile | need-dist
	@mkdir -p build/npm
	@echo '{"private": true}' >build/npm/package.json
	@npm install --silent --no-audit --no-fund --prefix build/npm $(NPM)
	@touch $@

# The tables that the tests write go to build/dist-check.
distcheck: build/npm/node_modules/.installed | need-dist ## the packages in their toolchains: Arduino, CMake, Zephyr, ESP-IDF, pip, Rust, Pico
	@rm -rf build/dist-check
	@python3 tests/gen/run.py --in tests/dist
	@for table in build/dist-check/*.txt; do echo; cat $$table; done

# ---- pages ----

PLAYGROUND = build/playground/index.html
$(PLAYGROUND): $(wildcard examples/playground/* examples/playground/libc/* gen/*.py gen/*.c gen/report.css) $(HEADERS) | need-wasm
	@python3 examples/playground/build.py $@
playground: $(PLAYGROUND) ## a page that trains as you draw, with the library as WebAssembly: build/playground/index.html

browser: $(PLAYGROUND) | need-browser ## both pages in chromium: numbers, forms, downloads, looks; pictures in build/screenshots
	@$(DEBIAN_PYTHON) tests/browser/run.py

# ---- speed ----

# $(call bench,NAME,FLAGS): every tests/bench/bench_*.c as a program build/bench-NAME/bench_*.
BENCHES = $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/bench_*.c))
define bench
build/bench-$(1)/%: tests/bench/%.c $(HEADERS) Makefile | need-test
	@mkdir -p $$(@D)
	@echo "$(CC) $$@"
	$$Q$(CC) -std=c99 -O3 -march=native $(TEST_WARN) $(2) -I. $$< -lm -ldl -o $$@
endef
$(eval $(call bench,float,))
$(eval $(call bench,double,$(DOUBLE)))

# Tables against other programs and on the papers' data: tests/bench/table_TAG.py, run by Debian's Python, which has the
# packages. DATA is the folder of data sets; a table names what it leaves out where one is missing. ARGS go on to one table:
# `make bench-compact ARGS=--quick`.
DATA          = ../shared/data
TABLES        = $(patsubst tests/bench/table_%.py,%,$(wildcard tests/bench/table_*.py))
need-bench: need-test
	@$(TOOLS)/need.sh $(DEBIAN_PYTHON)=python3 svm-train=libsvm-tools liblinear-train=liblinear-tools \
	    /usr/lib/python3/dist-packages/cvxopt=python3-cvxopt /usr/lib/python3/dist-packages/scipy=python3-scipy \
	    /usr/lib/python3/dist-packages/sklearn=python3-sklearn

bench: $(foreach b,$(BENCHES),build/bench-float/$(b) build/bench-double/$(b)) | need-bench ## speed, accuracy and tables of results; bench-TAG for one of them
	@bad=; for b in $^; do $$b || bad="$$bad $$b"; done; \
	for t in $(TABLES); do $(DEBIAN_PYTHON) tests/bench/table_$$t.py $(DATA) || bad="$$bad table_$$t"; done; \
	test -z "$$bad" || { echo "short of their marks:$$bad"; exit 1; }

bench-%: | need-bench
	+@for b in $(filter bench_$*,$(BENCHES)); do for real in float double; do \
	    $(MAKE) build/bench-$$real/$$b && build/bench-$$real/$$b || exit 1; done; done
	@for t in $(filter $*,$(TABLES)); do $(DEBIAN_PYTHON) tests/bench/table_$$t.py $(DATA) $(ARGS) || exit 1; done
	@test -n "$(filter bench_$*,$(BENCHES))$(filter $*,$(TABLES))" || { echo "no bench $*"; exit 1; }

# What is known stands in tests/papers/numbers.json: only what is missing is run, or what an older version of a method made.
papers: | need-bench ## every table and figure of the five papers, ours beside theirs: build/papers.html; QUICK=1: minutes
	@$(DEBIAN_PYTHON) tests/papers/run.py $(DATA) $(if $(QUICK),--quick) $(PAPERS)
papers-quick:
	+@$(MAKE) papers QUICK=1

bench-math: build/bench-float/math_ulp build/bench-double/math_ulp ## worst errors of the scalar functions; all floats: minutes
	@for b in $^; do $$b || exit 1; done

# ---- all of it ----

# CI runs the tests first and alone, then the other checks, two at a time, because many of them wait for one long job. All of it
# takes some 35 minutes of processor time, and a few more where packages are installed. The quick checks are first, then the longest.
CHECKS = toc format symbols ports bits distcheck eva packaging fuzz browser cross sklearn papers-quick
MORE   = footprint analyze sanitize coverage mcdc cluster
check: ## all that CI runs; the last line is `N passed, N failed`
	+@$(TOOLS)/run.sh '$(MAKE) test' '$(MAKE) check-other'
check-other: ## all that CI runs after the tests
	+@$(TOOLS)/run.sh -p $(foreach target,$(CHECKS),'$(MAKE) $(target)')
check-all: ## check, and bytes and instructions, analysers, sanitizers, coverage, a cluster
	+@$(TOOLS)/run.sh '$(MAKE) check' $(foreach target,$(MORE),'$(MAKE) $(target)')

bare: ## all that CI runs, in a new minimal Debian: what the rules above forget to install is missing there
	@$(TOOLS)/bare.sh

clean: ## removes build/
	rm -rf build

# No target is a file but those below build/.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
