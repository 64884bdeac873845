# stormglass - build, test, install.                               SPDX-License-Identifier: Apache-2.0
#
# `make help` lists the targets.  Each combination of compiler and kind of build has its own directory
# under build/, so that they coexist: `make BUILD=asan CC=clang` leaves the release build alone.
# Sources are found by wildcard; a new file needs no change here.

VERSION := $(shell cat VERSION)
# What is shipped or measured is the release build.  Everything else does without link-time optimization, which
# takes longer than the whole compilation.
SHIPPED := install tarball bench bench-instructions bench-features bench-history cost
BUILD   ?= $(if $(filter $(SHIPPED),$(MAKECMDGOALS)),release,plain)
OPT     ?=
PREFIX  ?= /usr/local
DESTDIR ?=
LIBDIR  ?= $(PREFIX)/lib
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
FUZZ_SECONDS ?= 15
FUZZ_SHARE ?= 1
NIGHT_SECONDS ?= 60
SOAK_SECONDS ?= 600
SEEDS ?= 2000
HOURS ?= 1
LABEL = $(shell git rev-parse --short HEAD)
CASE ?= scenarios/cases/pause-storm.yaml

ifeq ($(origin CC),default)
CC := gcc
endif
CC_NAME := $(notdir $(firstword $(CC)))
B := build/$(CC_NAME)-$(BUILD)$(OPT)$(if $(SHARED),-shared)

# Every processor is used unless the command line says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules

# `make clean test` means first the one, then the other.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

# --- flags: warnings are errors; floating point means the same everywhere ---------------------------

# A row of a table says only what it has.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror \
            -Wno-missing-field-initializers
CPPFLAGS := -Imodel -I.
HOSTILE  := 0

ifeq ($(BUILD),release)
# Two neighboring numbers made a vector take longer to be stored than one by one, and no loop here
# is long.
MODE := -O3 -fno-tree-vectorize
ifneq ($(findstring gcc,$(CC_NAME)),)
MODE += -flto=auto
endif
else ifeq ($(BUILD),plain)
MODE := -O2
DEBUG_INFO := -g1
else ifeq ($(BUILD),debug)
MODE := -Og
HOSTILE := 1
else ifeq ($(BUILD),asan)
# A variable that nobody set has the same odd bytes at each run, so that a test which reads it fails at each run.
MODE := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -ftrivial-auto-var-init=pattern
HOSTILE := 1
# What a sanitizer prints needs lines only; -g would take a quarter of the compilation and most of each link.
DEBUG_INFO := -g1
else ifeq ($(BUILD),ubsan)
MODE := -O1 -fsanitize=undefined -fno-sanitize-recover=all
HOSTILE := 1
else ifeq ($(BUILD),tsan)
MODE := -O1 -fno-omit-frame-pointer -fsanitize=thread
HOSTILE := 1
else ifeq ($(BUILD),coverage)
MODE := -O1 --coverage -Wno-error=maybe-uninitialized
else ifeq ($(BUILD),fuzz)
MODE := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
        -fno-sanitize-recover=all
else
$(error BUILD=$(BUILD) is unknown; it is one of release plain debug asan ubsan tsan coverage fuzz)
endif

# A unit contains files that a program does not need, and what those call may not be there: the linker leaves both out.
ifeq ($(BUILD)$(TARGET),plain)
MODE += -ffunction-sections -fdata-sections
else ifeq ($(TARGET),digest)
MODE += -ffunction-sections -fdata-sections
endif

CFLAGS := -std=gnu11 $(or $(DEBUG_INFO),-g) $(MODE) $(OPT) -ffp-contract=off -fno-fast-math $(WARNINGS) \
          -DSTORMGLASS_HOSTILE=$(HOSTILE) $(EXTRA_CFLAGS)
# The public library is made of the objects of these builds. -fPIC costs the programs nothing: the link-time optimizer
# and the linker know better.
BUILDS_OF_LIBRARY := $(if $(TARGET)$(SHARED),,$(filter plain release,$(BUILD)))
ifneq ($(BUILDS_OF_LIBRARY),)
CFLAGS += -fPIC -fno-semantic-interposition
endif
# SHARED=1: the library is a shared object, so that a changed file can take the place of its own.
ifneq ($(SHARED),)
CFLAGS += -fPIC -fno-semantic-interposition
endif
# gcc writes objects for its link-time optimiser, which only its own wrapper of ar can index.
AR := $(if $(findstring gcc,$(CC_NAME)),$(patsubst %gcc,%gcc-ar,$(firstword $(CC))),ar)
ifneq ($(findstring gcc-,$(CC_NAME)),)
AR := $(subst gcc-,gcc-ar-,$(firstword $(CC)))
endif

# Another machine: its cross compiler finds headers and libraries in a directory of their own, and
# qemu-user runs its programs.  That one keeps memory for each page of address space that a process
# ever had, so pools look for less of it, in a range that is used again.
POOL_RESERVE_MAX := 0x20000000
MACHINES := s390x aarch64
MACHINE  := $(filter $(MACHINES),$(firstword $(subst -, ,$(CC_NAME))))
ifneq ($(MACHINE),)
SYSROOT := build/sysroot-$(MACHINE)
CFLAGS  += --sysroot=$(SYSROOT) -DPOOL_RESERVE_MAX=$(POOL_RESERVE_MAX)
endif

# TARGET=wasm: of emscripten's clang, with none of the libraries, which Debian packages for no such
# machine, and of the system's headers only those of kernel and verbs.
# TARGET=playground: the same objects, and libyaml and SQLite built from Debian's sources. Graphviz, jansson, cminpack, zlib and
# fork() do not exist there: cli/playground replaces the files that need them.
WASM_HEADERS    := build/wasm/include
PLAYGROUND      := build/playground
PLAYGROUND_LIBS := $(PLAYGROUND)/libraries
ifneq ($(filter wasm playground,$(TARGET)),)
B        := build/wasm/$(BUILD)
AR       := emar
CPPFLAGS += -isystem $(PLAYGROUND_LIBS)/include -isystem $(WASM_HEADERS)
CFLAGS   += $(shell emcc --cflags) -DPOOL_RESERVE_MAX=$(POOL_RESERVE_MAX)
endif

# TARGET=digest: the program of cli/wasm, with only the files that it takes: make matrix builds it with many compilers.
# The linker of the plain build writes the list of these files.
# Its objects are those of the whole program, so that make fuzz and make matrix share them.
DIGEST_FILES := build/digest/files

# What must be there before anything is compiled for another machine.
FOREIGN := $(SYSROOT:=/ready) $(if $(filter wasm playground,$(TARGET)),$(WASM_HEADERS)/ready) \
           $(if $(filter playground,$(TARGET)),$(PLAYGROUND_LIBS)/ready)

# --- what there is ------------------------------------------------------------------------------------

# What a page of `report` carries along: the charts' library is a package.
DYGRAPHS := /usr/share/javascript/dygraphs
PAGE     := $(DYGRAPHS)/dygraph.min.css $(DYGRAPHS)/dygraph.min.js reports/page/fabric.js reports/page/page.css reports/page/page.js reports/page/reader.js \
            $(addprefix reports/playground/,engine.js playground.css playground.html playground.js worker.js)

sources = $(sort $(foreach part,$(1),$(wildcard $(part)/*.c $(part)/*/*.c $(part)/*/*/*.c)))

IMAGE_WRITER   := replay/database/record_image.c
LIB_SOURCES    := $(filter-out $(IMAGE_WRITER),$(call sources,model scenarios replay reports cli/library))
CLI_SOURCES    := $(filter-out cli/bridge/% cli/library/% cli/mpi/% cli/wasm/% cli/playground/%,$(call sources,cli))
BRIDGE_SOURCES := $(call sources,bridge)
BRIDGE_PROGRAM := $(call sources,cli/bridge) cli/cli.c cli/load.c
CLI_SHARED     := cli/cli.c cli/load.c cli/output.c # several programs have them
UNIT_SOURCES   := $(sort $(wildcard tests/unit/*/test_*.c))
LAW_SOURCES    := $(sort $(wildcard tests/laws/test_*.c tests/laws/*/test_*.c))
FUZZ_SOURCES   := $(sort $(wildcard tests/fuzz/*/fuzz_*.c))
EMBEDDED       := $(sort $(wildcard scenarios/benchmarks/*.yaml scenarios/cases/*.yaml \
                                     scenarios/cases/*.fio scenarios/cases/*.iolog scenarios/lessons/*.yaml \
                                     scenarios/lessons/*.md scenarios/claims/*.yaml)) \
                  $(PAGE) $(sort $(wildcard scenarios/profiles/*.yaml) $(wildcard scenarios/works/*.yaml))
MAN_PAGES      := $(sort $(wildcard docs/man/*.[1-9]))

# WebAssembly has none of the libraries: cli/wasm takes the place of what includes them.
OUTSIDE      := $(shell grep -lE '^.include (<(yaml|jansson|sqlite3|graphviz|cminpack|dlfcn|zlib)|"replay/database/store_(private|guard))' \
                    $(filter scenarios/% replay/%,$(LIB_SOURCES)))
WASM_SOURCES := $(filter-out reports/% cli/library/% $(OUTSIDE),$(LIB_SOURCES)) $(filter-out cli/wasm/main.c cli/wasm/trees.c,$(wildcard cli/wasm/*.c))
PLAYED_SOURCES := $(LIB_SOURCES)
ifneq ($(filter wasm digest,$(TARGET)),)
LIB_SOURCES := $(if $(wildcard $(DIGEST_FILES)),$(shell cat $(DIGEST_FILES)),$(WASM_SOURCES))
endif
# The playground has libyaml and SQLite of these: cli/playground takes the place of the rest.
PLAYGROUND_LIB_SOURCES := $(filter-out scenarios/format/json_tree.c scenarios/import/dot.c replay/calibrate/least_squares.c replay/files/zip.c \
                              replay/files/lazy.c replay/step/step_player.c reports/draw/graphviz.c reports/wire/capture.c,$(PLAYED_SOURCES)) cli/wasm/dot.c
PLAYGROUND_CLI_SOURCES := $(call sources,cli/playground) $(CLI_SHARED) $(addprefix cli/,read/cmd_report.c read/report_playground.c \
                              run/cmd_run.c run/run_many.c run/cmd_step.c run/cmd_lesson.c)
ifeq ($(TARGET),playground)
LIB_SOURCES := $(PLAYGROUND_LIB_SOURCES)
CLI_SOURCES := $(PLAYGROUND_CLI_SOURCES)
endif

# Code that the tests of one directory share: every .c there that is not a program of its own.
UNIT_SHARED := $(filter-out $(UNIT_SOURCES),$(sort $(wildcard tests/unit/*/*.c)))
SWARM_SOURCES := $(sort $(wildcard tests/swarm/*.c))
LAW_SHARED  := $(filter-out $(LAW_SOURCES),$(sort $(wildcard tests/laws/*.c tests/laws/*/*.c)))

# What `make mutants` changes has to be in the shared object: of the programs' own folders all but the one with main().
ifneq ($(SHARED),)
LIB_SOURCES    += $(filter-out cli/main.c,$(CLI_SOURCES)) $(BRIDGE_SOURCES)
CLI_SOURCES    := cli/main.c
BRIDGE_SOURCES :=
endif

LDLIBS := -Wl,--as-needed -lyaml -lsqlite3 -lz -lcminpack -ljansson -lcgraph -lm $(if $(SHARED),-libverbs -lrdmacm -lev -lnettle)
LAZY  := pcap gvc
NAMES := $(if $(TARGET),,$(B)/lazy_names.o)
ifeq ($(TARGET),playground)
LDLIBS := -O2 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sEXIT_RUNTIME=1 -sINVOKE_RUN=0 -sMODULARIZE=1 \
          -sEXPORT_NAME=createStormglass -sENVIRONMENT=worker,node -sTOTAL_STACK=1MB \
          -sEXPORTED_RUNTIME_METHODS=FS,callMain -sINCOMING_MODULE_JS_API=instantiateWasm,stdin,stdout,stderr,quit
endif
ifeq ($(TARGET),wasm)
LDLIBS := -O2 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -sWASM_ASYNC_COMPILATION=0
endif

MPI_PROGRAM := $(call sources,cli/mpi) cli/run/cmd_plan.c cli/run/pages.c cli/run/plan_picture.c cli/run/planning.c cli/run/slurm.c $(CLI_SHARED)
MPI_OBJECTS := $(MPI_PROGRAM:%.c=$(B)/%.o) # not the units, which have more

# Several files are compiled together, which halves the time of a build: .ci/units finds those that fit. UNITS= for each alone.
# Units are those of the whole program, also where a target takes a part of it, so that targets share objects.
HOT    := model/% scenarios/workload/% replay/data/% replay/record/% replay/run/%
PRINTS := reports/% cli/%
UNITS := $(if $(SHARED)$(filter coverage,$(BUILD)),,1)
# One by one: what the playground lacks, which has nothing else in common. Apart: what WebAssembly lacks, and what the playground takes of cli/.
NOT_PLAYED := $(filter-out $(PLAYGROUND_LIB_SOURCES),$(PLAYED_SOURCES))
PLAYED_CLI := $(filter-out cli/playground/% $(CLI_SHARED),$(PLAYGROUND_CLI_SOURCES))
ALONE := $(NOT_PLAYED) $(CLI_SHARED) $(filter cli/library/%,$(LIB_SOURCES)) $(IMAGE_WRITER) replay/database/record_schema.c cli/parameters.c \
         cli/bench/memory_bench.c
JOINED := $(filter-out $(HOT) $(OUTSIDE) $(PLAYED_CLI),$(PLAYED_SOURCES) $(CLI_SOURCES))
JOINED := $(if $(UNITS),$(shell .ci/units $(ALONE) -- $(filter $(HOT),$(PLAYED_SOURCES)) $(foreach part,scenarios replay reports cli,\
              -- $(filter $(part)/%,$(JOINED))) -- $(OUTSIDE) -- $(PLAYED_CLI) -- $(filter-out bridge/verbs/%,$(BRIDGE_SOURCES))))
comma := ,
define unit
$(foreach file,$(2),$(eval OBJECT_OF_$(file) := $(B)/$(1).o))
endef
$(foreach word,$(JOINED),$(eval $(call unit,$(firstword $(subst =, ,$(word))),$(subst $(comma), ,$(lastword $(subst =, ,$(word)))))))
objects = $(sort $(foreach file,$(1),$(or $(OBJECT_OF_$(file)),$(B)/$(file:.c=.o))))
LIB     := $(B)/$(or $(patsubst %,%.a,$(filter playground digest,$(TARGET))),libstormglass.$(if $(SHARED),so,a))
PROGRAM := $(B)/stormglass
# Runs of a plan on many machines: where Open MPI is, and for this machine alone.
MPI         := $(if $(TARGET)$(filter-out gcc clang,$(CC_NAME)),,$(shell command -v mpicc 2>/dev/null))
PROGRAMS := $(PROGRAM) $(if $(BRIDGE_SOURCES)$(SHARED),$(B)/stormglass-bridge) $(if $(MPI),$(B)/stormglass-mpi)
# Each unit test is a program of its own, and the tests of each folder are one together, which make test runs.
# In tests/unit/alone are those that replace functions of the library, or assert what is not in their program.
UNIT_PROGRAMS := $(patsubst %.c,$(B)/%,$(UNIT_SOURCES))
TOGETHER      := $(filter-out alone,$(sort $(notdir $(patsubst %/,%,$(dir $(UNIT_SOURCES))))))
UNIT_FOLDERS  := $(TOGETHER:%=$(B)/tests/unit/%/all) $(filter $(B)/tests/unit/alone/%,$(UNIT_PROGRAMS))
LAW_PROGRAMS  := $(patsubst %.c,$(B)/%,$(LAW_SOURCES))
SWARM := $(B)/tests/swarm/swarm
# Of the plain build: what scripts of make test run besides the program.
TESTED_PROGRAMS = $(addprefix build/$(CC_NAME)-plain$(OPT)/,tests/swarm/swarm cli/wasm/stormglass cli/playground/stormglass)
FUZZ_PROGRAMS := $(patsubst %.c,$(B)/%,$(FUZZ_SOURCES))

# The public library, whose version of the interface is that of its header, and what is installed of it.
LIBRARY        := $(B)/library
LIBRARY_HEADER := cli/library/stormglass.h
LIBRARY_ABI    := $(shell sed -n 's/^.define STORMGLASS_API \([0-9]*\).*/\1/p' $(LIBRARY_HEADER))
LIBRARY_SONAME := libstormglass.so.$(LIBRARY_ABI)
LIBRARY_FILES  := $(if $(BUILDS_OF_LIBRARY),$(addprefix $(LIBRARY)/,$(LIBRARY_SONAME) libstormglass.a stormglass.pc))

emulator = qemu-$(1) -R 0x100000000 -L build/sysroot-$(1)

# --- targets for people -------------------------------------------------------------------------------

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all library run test announce-test claims claims-check check-quick deb deb-test odd odd-all browser-test bench bench-instructions bench-features bench-history cost docs pictures site slides install clean fuzz fuzz-night matrix models mutants races soak night oracle predictions plans slurm spaces culprit incidents same diagnosis swarm failures swarm-defects swarm-defects-planted lint valgrind help FORCE
LAB_TARGETS := lab lab-image lab-boot lab-shell lab-test lab-measured
.PHONY: by-itself wasm playground playground-test seen-test digest-files
MACHINE_TESTS := $(MACHINES:=-test)
.PHONY: $(LAB_TARGETS) $(MACHINES) $(MACHINE_TESTS) unit-programs unit-folders law-programs swarm-program memcheck-programs fuzz-programs fuzz-objects

all: $(PROGRAMS) ## builds the programs (BUILD=plain|release|debug|asan|ubsan|tsan, CC=gcc|clang, OPT=-O0)

library: $(LIBRARY_FILES) ## builds libstormglass, shared and static, for programs that run scenarios: build/*/library

run: $(PROGRAM) ## installs missing packages, builds the program and runs the pause storm (CASE=FILE for another one)
	@$(PROGRAM) run $(CASE)

test: announce-test ## first prints what it installs and runs, then builds and runs every test
	@$(MAKE) build/packages-test all
	@$(MAKE) BUILD=asan unit-folders build/$(CC_NAME)-asan$(OPT)/stormglass
	@$(MAKE) BUILD=plain law-programs fuzz-objects library $(TESTED_PROGRAMS)
	@SWARM=$(word 1,$(TESTED_PROGRAMS)) WASM=$(word 2,$(TESTED_PROGRAMS)) ENGINE=$(word 3,$(TESTED_PROGRAMS)) STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/run build/$(CC_NAME)-asan$(OPT)/tests/unit \
	    build/$(CC_NAME)-plain$(OPT)/tests/laws

announce-test:
	@missing=$$(.ci/packages missing test) && echo "make test:" && \
	    echo "  1. installs $${missing:-nothing, as every package is here}" | tr '\n' ' ' | fold -s -w 100 && echo && \
	    echo "  2. builds the programs, the laws, and the unit tests with AddressSanitizer" && \
	    echo "  3. runs $(words $(UNIT_SOURCES)) unit tests, $(words $(LAW_SOURCES)) laws and $(words $(wildcard tests/laws/*.sh tests/golden/*.sh tests/*.sh)) scripts" && \
	    echo "Up to 40 minutes on two processors, 8 of them for compilation. make check-quick runs unit tests and laws alone."

check-quick: build/packages-quick $(PROGRAM) ## unit tests and laws without sanitizers, without Slurm, Munge or MPI
	@$(MAKE) unit-folders law-programs
	@PROGRAMS_ONLY=1 STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/run $(B)/tests/unit $(B)/tests/laws

odd: build/packages-test build/packages-odd all ## some tests as on a machine unlike ours: spaces in the path, no root, a German locale, one processor, other fonts
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/odd

odd-all: build/packages-test build/packages-odd all ## every test of make test on such a machine
	@$(MAKE) BUILD=asan unit-folders build/$(CC_NAME)-asan$(OPT)/stormglass
	@$(MAKE) BUILD=plain law-programs library $(TESTED_PROGRAMS)
	@SWARM=$(word 1,$(TESTED_PROGRAMS)) WASM=$(word 2,$(TESTED_PROGRAMS)) STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/odd --all \
	    build/$(CC_NAME)-asan$(OPT)/tests/unit build/$(CC_NAME)-plain$(OPT)/tests/laws

browser-test: build/packages-browser all ## opens the page of a report in Chromium: charts, numbers, zoom
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/browser

# ALL=1: every case and lesson; otherwise three of each commit.
seen-test: build/packages-browser all ## opens pages of runs and plans in Chromium, in both themes and widths: labels, console, the first screen (ALL=1: every case and lesson)
	@ALL="$(ALL)" STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/seen

playground-test: build/packages-browser all playground ## opens the playground in Chromium: digests, tables and charts as on the command line (ALL=1: every case and lesson)
	@ALL="$(ALL)" STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/playground

bench: all ## measures the program's speed on this machine
	@$(PROGRAM) bench

bench-instructions: build/packages-test all ## instructions, first-level misses and wrong branches of a packet-hop
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/instructions

bench-features: build/packages-test all ## instructions of a packet-hop with a feature and without
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/features

bench-history: build/packages-test all ## measures every work and appends the figures to docs/performance*.csv (LABEL=commit)
	@$(PROGRAM) bench --runs 5 --history docs/performance.csv --label "$(LABEL)" \
	    $$($(PROGRAM) list works | sed 's/ .*//')
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" LABEL="$(LABEL)" HISTORY=docs/performance-instructions.csv tests/instructions

cost: build/packages-test all ## measures what each level of recording costs; a summary may cost 3 %
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/cost 3

matrix: build/packages-test build/packages-cross build/packages-wasm ## the same digest from gcc and clang, -O0 and -O3, with sanitizers, on ARM, s390x and WebAssembly
	@tests/matrix.sh

# Line counts, laws and the program need a build of their own; SEED draws the sample, COUNT is its size.
SEED ?= 1
COUNT ?= 300
mutants: build/packages-test ## changes the code a little, COUNT times, and lists what no test notices (SEED=1, or ONLY=FILE:LINE; UNDER=FOLDERS; TESTS=PATTERNS; MISTAKES=FILE; ALONE=1: what laws and CHECKs notice in a swarm)
	@$(MAKE) CC=gcc BUILD=coverage all $(if $(ALONE),swarm-program,unit-programs law-programs)
	@$(MAKE) CC=gcc BUILD=asan SHARED=1 $(if $(ALONE),swarm-program,unit-programs)
	@$(MAKE) CC=gcc BUILD=plain OPT=-O1 SHARED=1 all $(if $(ALONE),swarm-program,law-programs)
	@ALONE=$(ALONE) $(if $(ALONE),TEST_CPU=200) UNDER="$(UNDER)" TESTS="$(or $(TESTS),*)" MISTAKES="$(MISTAKES)" \
		tests/mutants/run $(if $(ONLY),--only $(ONLY),$(SEED) $(COUNT))

digest-files: ## the files of the tree that a run's digest needs: build/digest/files
	@$(MAKE) TARGET= CC=gcc BUILD=plain OPT= $(DIGEST_FILES) build/wasm/trees.c

s390x aarch64: build/packages-cross digest-files ## a program that prints digests, for a machine of the other byte order, or for ARM: build/s390x/digest
	@$(MAKE) TARGET=digest CC=$@-linux-gnu-gcc BUILD=plain OPT= build/$@-linux-gnu-gcc-plain/digest
	@mkdir -p build/$@
	@printf '#!/bin/sh\nexec %s "$$@"\n' "qemu-$@ -R 0x100000000 -L '$(CURDIR)/build/sysroot-$@' '$(CURDIR)/build/$@-linux-gnu-gcc-plain/digest'" > build/$@/digest
	@chmod +x build/$@/digest

wasm: build/packages-wasm digest-files ## the same for WebAssembly, run by Node.js: build/wasm/digest
	@$(MAKE) TARGET=wasm CC=clang-14 BUILD=plain OPT= build/wasm/plain/stormglass.js
	@printf '#!/bin/sh\nexec node "%s" "$$@"\n' "$(CURDIR)/build/wasm/plain/stormglass.js" > build/wasm/digest
	@chmod +x build/wasm/digest

playground: build/packages-wasm ## the engine for a web page, for report --playground: build/playground
	@$(MAKE) TARGET=playground CC=clang-14 BUILD=plain OPT= $(PLAYGROUND)/engine.wasm.gz

s390x-test aarch64-test: build/packages-cross ## the unit tests as a program of that machine, run by qemu-user
	@$(MAKE) CC=$(@:-test=)-linux-gnu-gcc BUILD=plain OPT= all unit-folders
	@EMULATOR="$(call emulator,$(@:-test=))" STORMGLASS="$(CURDIR)/$(PROGRAM)" \
	    tests/run build/$(@:-test=)-linux-gnu-gcc-plain/tests/unit none tests/unit/

fuzz: build/packages-test ## libFuzzer on each reader of input, FUZZ_SECONDS each (FUZZ_SHARE=10: one target in ten, chosen by the commit; all run their inputs)
	@$(MAKE) BUILD=fuzz CC=clang OPT= fuzz-programs $$(tests/fuzz/run --givers | sed s,^,build/clang-fuzz/,)
	@tests/fuzz/run --share $(FUZZ_SHARE) $(FUZZ_SECONDS) build/clang-fuzz/tests/fuzz

fuzz-night: build/packages-test ## the same, NIGHT_SECONDS each; what is found is kept in build/fuzz, as few inputs as cover it
	@$(MAKE) BUILD=fuzz CC=clang OPT= fuzz-programs $$(tests/fuzz/run --givers | sed s,^,build/clang-fuzz/,)
	@tests/fuzz/run --keep $(NIGHT_SECONDS) build/clang-fuzz/tests/fuzz

# What a unit hides: an include that another file brings, a local variable with the name of the file's own function.
SHARE_OF = $(subst /, ,$(or $(SHARE),0/1))
by-itself: build/packages-build ## compiles each source file by itself, without output (SHARE=0/10: every tenth file)
	@printf '%s\n' $(LIB_SOURCES) $(CLI_SOURCES) $(BRIDGE_SOURCES) | awk 'NR % $(lastword $(SHARE_OF)) == $(firstword $(SHARE_OF))' | \
	    xargs -P $$(nproc) -n 8 $(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only

valgrind: build/packages-test ## the bridge's unit tests under memcheck: leaks, and bytes that nobody wrote (SHARE=0/4: every fourth, from the first on)
	@$(MAKE) BUILD=plain memcheck-programs
	@tests/memcheck $(if $(SHARE),--share $(SHARE)) $(patsubst %.c,build/$(CC_NAME)-plain$(OPT)/%,$(wildcard tests/unit/bridge/test_bridge*.c))

races: build/packages-test ## several threads under ThreadSanitizer: drawn divisions, and the beginning of every case
	@$(MAKE) BUILD=tsan $(addprefix build/$(CC_NAME)-tsan$(OPT)/,stormglass tests/laws/test_division)
	@TSAN_OPTIONS=halt_on_error=1 build/$(CC_NAME)-tsan$(OPT)/tests/laws/test_division
	@TSAN_OPTIONS=halt_on_error=1 THREADS=4 THREADS_UNTIL=100us STORMGLASS=build/$(CC_NAME)-tsan$(OPT)/stormglass tests/golden/threads.sh

swarm: build/packages-test all ## plays SEEDS scenarios that nobody wrote, from seed FIRST on (default: by commit), in every way
	@$(MAKE) BUILD=plain build/$(CC_NAME)-plain$(OPT)/tests/swarm/swarm
	@$(MAKE) BUILD=asan build/$(CC_NAME)-asan$(OPT)/tests/swarm/swarm
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/swarm/run $(SEEDS) "$(FIRST)" build/$(CC_NAME)-plain$(OPT)/tests/swarm/swarm \
	    build/$(CC_NAME)-asan$(OPT)/tests/swarm/swarm

oracle: build/packages-test all ## SEEDS drawn scenarios (100) with more of each resource by --set: what gains most is the named bottleneck (FIRST: by commit)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/oracle/oracle "$(FIRST)" $(or $(SEEDS),100)

predictions: build/packages-test all ## what the model says of published hardware: docs/predictions-hardware.md
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/hardware/predict docs/predictions-hardware.md

spaces: all ## SEEDS drawn plans (20): what is chosen is what playing every candidate says (FIRST: by commit)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/plans/spaces "$(FIRST)" $(if $(filter-out file,$(origin SEEDS)),$(SEEDS),20)

slurm: all ## an array job of a plan, played by Debian's slurm on this machine alone (as root; says so where it cannot)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/plans/slurm || [ $$? = 77 ]

plans: all ## the worked plans of scenarios/plans and their answers: docs/plans.md
	@docs/plans.sh $(PROGRAM) > build/plans.md && mv build/plans.md docs/plans.md

culprit: build/packages-test all ## COUNT drawn scenarios (100) with a harm injected, every fifth clean: is it named and nobody else? (SEED: by commit; FIT=1: with runs; KEEP=DIR: what was missed)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/culprit/culprit $(if $(KEEP),--keep $(KEEP)) \
		"$(if $(filter-out file,$(origin SEED)),$(SEED))" $(or $(COUNT),100)

incidents: build/packages-test all ## COUNT drawn incidents (100), each as counters, cables and logs alone: is the hidden fault the first suspect? (SEED: by commit; KEEP=DIR: what was missed)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/incidents/incidents $(if $(KEEP),--keep $(KEEP)) $(if $(FIT),--fit) \
		"$(if $(filter-out file,$(origin SEED)),$(SEED))" $(or $(COUNT),100)

same: build/packages-test all ## COUNT drawn scenarios (20), each also in another order and with other names: is the verdict the same? (SEED: by commit)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/culprit/same.py "$(if $(filter-out file,$(origin SEED)),$(SEED))" $(if $(filter-out file,$(origin COUNT)),$(COUNT),20)

diagnosis: all ## scenarios from incident reports: how many verdicts of run are right, by set (ACCOUNT=1: of run --confirm 0; EXPLAIN=1: of explain --prove; SET=n, h, p, q, r, t or u)
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/diagnosis/score.py $(if $(EXPLAIN),--explain) $(if $(ACCOUNT),--account) $(if $(SET),--set $(SET))

night: build/packages-test ## swarm, mutants and fuzzing in turn for HOURS, noted in docs/testing.md
	@$(MAKE) CC=gcc BUILD=plain OPT= swarm-program
	@tests/night $(HOURS)

failures: build/packages-test ## SEEDS drawn scenarios (1,000) in which paths of a namespace fail: no read is lost, stale or torn (FIRST=1)
	@$(MAKE) BUILD=plain build/$(CC_NAME)-plain$(OPT)/tests/swarm/swarm
	@build/$(CC_NAME)-plain$(OPT)/tests/swarm/swarm --bent paths --first $(or $(FIRST),1) --jobs $$(nproc) \
	    --seeds $(if $(filter-out file,$(origin SEEDS)),$(SEEDS),1000)

swarm-defects: build/packages-test ## plants 24 mistakes one after the other; the swarm finds 22 in SEEDS scenarios, and each naive host in 100
	@$(MAKE) BUILD=plain UNITS= build/$(CC_NAME)-plain$(OPT)/tests/swarm/swarm # a changed file takes the place of its object
	@$(MAKE) BUILD=plain UNITS= swarm-defects-planted

swarm-defects-planted:
	@tests/swarm/defects $(SEEDS) $(B) $(CC) $(CFLAGS) -- $(B)/tests/shared.a $(LIB) $(LDLIBS)

models: build/packages-test ## Spin on the models of tests/models, and 1,000 loads of each configuration that they prove
	@tests/models/run
	@$(MAKE) BUILD=plain $(patsubst %,build/$(CC_NAME)-plain$(OPT)/tests/laws/test_%,pause_ring go_back_n)
	@RING_SEEDS=1000 build/$(CC_NAME)-plain$(OPT)/tests/laws/test_pause_ring
	@GO_BACK_SEEDS=1000 build/$(CC_NAME)-plain$(OPT)/tests/laws/test_go_back_n >build/go-back-n.log || { tail -n 20 build/go-back-n.log; false; }
	@grep ' seeds: ' build/go-back-n.log

soak: build/packages-test all ## plays all cases on 1 to 8 threads, 10,000 hosts, names 1,500 causes, proves 200, goes back in 200 runs, kills 100, then plays all cases with ever new seeds for SOAK_SECONDS
	@$(MAKE) BUILD=plain law-programs
	@ROOT_CAUSE_SCENARIOS=1500 ROOT_CAUSE_SEED=1 build/$(CC_NAME)-plain$(OPT)/tests/laws/test_root_cause
	@PROOF_SCENARIOS=200 PROOF_SEED=1 build/$(CC_NAME)-plain$(OPT)/tests/laws/test_proof
	@STEP_SCENARIOS=200 STEP_SEED=1 build/$(CC_NAME)-plain$(OPT)/tests/laws/test_step
	@THREADS_UNTIL= THREADS_SCENARIOS="$(CURDIR)/scenarios/works/fat-tree-k16.yaml" STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/golden/threads.sh
	@LARGE=1 STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/golden/memory.sh
	@KILLS=100 STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/golden/killed.sh
	@EVERY=1 STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/golden/failing-calls.sh
	@$(MAKE) BUILD=asan build/$(CC_NAME)-asan$(OPT)/tests/unit/base/test_parameter_bounds
	@PARAMETER_VALUES=all build/$(CC_NAME)-asan$(OPT)/tests/unit/base/test_parameter_bounds
	@STORMGLASS="$(CURDIR)/$(PROGRAM)" tests/soak $(SOAK_SECONDS)

# The laboratory: a virtual machine with the real stack (bridge/lab/README.md).
# LINUX=6.12: that kernel of the archive, in a directory of its own.
LAB_DIR := build/lab$(if $(LINUX),-$(LINUX))
LAB := BRIDGE="$(CURDIR)/$(B)/stormglass-bridge" STORMGLASS="$(CURDIR)/$(PROGRAM)" bridge/lab/run.sh $(LAB_DIR)

lab: lab-image all ## real RDMA without hardware: every test in a virtual machine
	@$(LAB) test

lab-image: build/packages-lab ## builds the guest's kernel and file system (FRESH=1 for the newest packages)
	@LINUX=$(LINUX) bridge/lab/image.sh $(LAB_DIR) $(FRESH)

lab-measured: lab-image all ## both grids frozen, measured and compared: docs/measured.md anew; some half an hour
	@$(LAB) test grid queues; cat $(LAB_DIR)/grid.md $(LAB_DIR)/queues.md > docs/measured.md

lab-boot lab-shell: lab-image all ## boots the guest to a shell; lab-boot shows the kernel's words
	@$(LAB) $(@:lab-%=%)

lab-test: lab-image all ## one test of the laboratory: make lab-test T=rxe-up
	@$(LAB) test $(T)

lint: build/packages-test ## style, layers and man pages
	@tests/tidy.sh && tests/man.sh

docs: all ## writes docs/parameters.md anew from the program's rows
	@docs/parameters.sh $(PROGRAM) > docs/parameters.md

claims: all ## runs every claim of scenarios/claims and writes docs/claims.md anew
	@$(PROGRAM) claims --markdown > build/claims.md && mv build/claims.md docs/claims.md

claims-check: all ## runs every claim and compares its figures with docs/claims.md
	@$(PROGRAM) claims --markdown > build/claims.md && diff -u docs/claims.md build/claims.md

pictures: all ## draws the pictures of README and docs from runs: docs/pictures
	@docs/pictures.sh $(PROGRAM) docs/pictures

site: build/packages-site all ## builds the documents as HTML with sample reports and, with emscripten, a playground in build/site, and checks all links
	@{ command -v emcc >/dev/null && $(MAKE) playground; } || echo "  SITE  without a playground: make playground installs emscripten and builds it"
	@docs/site/build.sh $(PROGRAM) build/site && tests/links.py build/site && echo "  SITE  build/site/index.html"

slides: build/packages-site all ## builds slides of all lessons in build/slides, which work offline (docs/teaching.md)
	@docs/slides/build.sh $(PROGRAM) build/slides && tests/links.py build/slides && echo "  SLIDES  build/slides/index.html"

install: all library ## builds the release, installs program, library, man pages, completion, cases, lessons and claims under PREFIX (and DESTDIR)
	@install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/stormglass/cases" \
	    "$(DESTDIR)$(PREFIX)/share/stormglass/lessons" "$(DESTDIR)$(PREFIX)/share/stormglass/claims" \
	    "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man3" "$(DESTDIR)$(PREFIX)/share/man/man5" \
	    "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	    "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	@install -m 755 $(PROGRAMS) "$(DESTDIR)$(PREFIX)/bin"
	@install -m 644 $(filter %.1,$(MAN_PAGES)) "$(DESTDIR)$(PREFIX)/share/man/man1"
	@install -m 644 $(filter %.3,$(MAN_PAGES)) "$(DESTDIR)$(PREFIX)/share/man/man3"
	@install -m 644 $(filter %.5,$(MAN_PAGES)) "$(DESTDIR)$(PREFIX)/share/man/man5"
	@$(PROGRAM) completion bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/stormglass"
	@$(PROGRAM) completion zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_stormglass"
	@$(PROGRAM) completion fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/stormglass.fish"
	@install -m 644 $(filter scenarios/cases/%,$(EMBEDDED)) "$(DESTDIR)$(PREFIX)/share/stormglass/cases"
	@install -m 644 $(filter scenarios/lessons/%,$(EMBEDDED)) "$(DESTDIR)$(PREFIX)/share/stormglass/lessons"
	@install -m 644 $(filter scenarios/claims/%,$(EMBEDDED)) "$(DESTDIR)$(PREFIX)/share/stormglass/claims"
	@if [ -n "$(LIBRARY_FILES)" ]; then \
	    install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PYTHONDIR)" && \
	    install -m 644 $(LIBRARY_HEADER) "$(DESTDIR)$(PREFIX)/include" && \
	    install -m 644 $(LIBRARY)/$(LIBRARY_SONAME) $(LIBRARY)/libstormglass.a "$(DESTDIR)$(LIBDIR)" && \
	    ln -sf $(LIBRARY_SONAME) "$(DESTDIR)$(LIBDIR)/libstormglass.so" && \
	    sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),' $(LIBRARY)/stormglass.pc > "$(DESTDIR)$(LIBDIR)/pkgconfig/stormglass.pc" && \
	    install -m 644 cli/library/stormglass.py "$(DESTDIR)$(PYTHONDIR)"; fi
	@if [ -s $(PLAYGROUND)/engine.wasm.gz ]; then install -D -m 644 -t "$(DESTDIR)$(PREFIX)/share/stormglass/playground" $(PLAYGROUND)/engine.js $(PLAYGROUND)/engine.wasm.gz; fi
	@echo "  INSTALLED under $(DESTDIR)$(PREFIX)"

deb: build/packages-build build/packages-deb ## builds the Debian packages in build/deb: programs, library, Python module
	@packaging/deb.sh build/deb

deb-test: deb ## as root: the packages are reproducible, pass lintian, and run in a fresh Debian 12 (debootstrap)
	@packaging/test.sh build/deb

tarball: build/packages-build $(B)/self-contained ## an archive with a program that needs only the C library: build/tarball
	@packaging/tarball.sh build/tarball $(B)

release-notes: ## prints the release notes of this version, made from CHANGELOG.md
	@packaging/release-notes.sh $$(cat VERSION)

clean: ## removes everything that was built
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9 -]*\):.*## /\1\t/p' Makefile | sort | \
	    while IFS="$$(printf '\t')" read -r target does; do printf '  %-18s %s\n' "$$target" "$$does"; done

unit-programs: $(UNIT_PROGRAMS)
unit-folders: $(UNIT_FOLDERS)
law-programs: $(LAW_PROGRAMS)
swarm-program: $(SWARM)
memcheck-programs: $(filter $(B)/tests/unit/bridge/test_bridge%,$(UNIT_PROGRAMS))
fuzz-programs: $(FUZZ_PROGRAMS)
# They take clang to link; make test compiles them all the same, so that they follow what they call.
fuzz-objects: $(FUZZ_SOURCES:%.c=$(B)/%.o)

# --- packages: nothing but make is needed up to here ----------------------------------------------------

build/packages-%: .ci/packages
	@.ci/packages $*
	@mkdir -p build && touch $@

build/sysroot-%/ready: .ci/sysroot .ci/packages | build/packages-cross
	@.ci/sysroot $* $(@D) && touch $@

# --- rules ----------------------------------------------------------------------------------------------

# A list that changes only when its text does: what depends on it is rebuilt when a file comes or goes,
# or a flag changes.
define list
$(B)/$(1): FORCE
	@mkdir -p $$(@D); printf '%s\n' '$$(strip $(2))' | cmp -s - $$@ || printf '%s\n' '$$(strip $(2))' > $$@
endef
$(eval $(call list,flags.list,$(CC) $(CPPFLAGS) $(CFLAGS) $(HOT) $(PRINTS)))
$(eval $(call list,$(notdir $(LIB)).list,$(call objects,$(LIB_SOURCES))))
$(eval $(call list,shared.list,$(UNIT_SHARED) $(LAW_SHARED)))
$(eval $(call list,unit.list,$(UNIT_SOURCES)))
$(eval $(call list,bridge.list,$(call objects,$(BRIDGE_SOURCES) $(BRIDGE_PROGRAM))))
$(eval $(call list,mpi.list,$(MPI_PROGRAM)))
$(eval $(call list,program.list,$(call objects,$(CLI_SOURCES)) $(LDLIBS)))
$(eval $(call list,lazy.list,$(LAZY)))
$(eval $(call list,embedded.list,$(EMBEDDED) $(VERSION)))

# The first result should be on the screen soon: the plain build optimizes fully only code that runs for each event, and not at all
# code that prints.
ifeq ($(BUILD)$(filter -O%,$(OPT)),plain)
$(call objects,$(filter-out $(HOT) $(PRINTS),$(LIB_SOURCES) $(CLI_SOURCES))): private CFLAGS += -O1
$(call objects,$(filter $(PRINTS),$(LIB_SOURCES) $(CLI_SOURCES))): private CFLAGS += -O0
endif

$(B)/%.o: %.c $(B)/flags.list | build/packages-build $(FOREIGN)
	@mkdir -p $(@D)
	@echo "  CC    $(@:build/%=%)"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# A local variable may have the name of another file's function; make by-itself notices what it hides in its own.
$(B)/units/%.o: build/units/%.c $(B)/flags.list | build/packages-build $(FOREIGN)
	@mkdir -p $(@D)
	@echo "  CC    $(@:build/%=%)"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-shadow -MMD -MP -c $< -o $@

# The link-time optimiser takes part in make's count of jobs, for which make must be told that it is like
# a make of its own: by '+', which would also run the line where nothing is to be done (-n, -q, -t).
idle = $(foreach letter,n q t,$(findstring $(letter),$(firstword -$(MAKEFLAGS))))
JOBSERVER = $(if $(strip $(idle)),,+)

# Profiles and cases travel inside the program, so that it runs from anywhere.
$(B)/embedded.c: scenarios/embed/embed.pl $(B)/embedded.list $(EMBEDDED)
	@echo "  EMBED $(@:build/%=%)"
	@scenarios/embed/embed.pl $(VERSION) $(EMBEDDED) > $@

$(DYGRAPHS)/%: | build/packages-build ;

# So does an empty run database, which a program for this machine writes, whatever machine the rest is for.
$(B)/record_image: $(IMAGE_WRITER) replay/database/record_schema.c $(wildcard replay/database/*.def replay/database/*.h) | build/packages-build
	@mkdir -p $(@D)
	@gcc -std=gnu11 -Imodel -I. $(filter %.c,$^) -lsqlite3 -o $@

$(B)/record_image.c: $(B)/record_image
	@echo "  EMBED $(@:build/%=%)"
	@$< > $@

$(B)/record_image.o: $(B)/record_image.c $(B)/flags.list | $(FOREIGN)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Libraries that are loaded when a command needs them, by the names that the linker would note down.
$(B)/lazy_names.c: $(B)/lazy.list | build/packages-build $(FOREIGN)
	@mkdir -p $(@D)
	@echo 'int main(void) { return 0; }' | $(CC) $(CFLAGS) -x c - -Wl,--no-as-needed $(LAZY:%=-l%) -o $@.linked
	@echo '#include "replay/files/lazy.h"' > $@
	@for library in $(LAZY); do \
	    name=$$(readelf -d $@.linked | sed -n "s/.*(NEEDED).*\[\(lib$$library\.[^]]*\)\]/\1/p"); \
	    [ -n "$$name" ] || exit 1; \
	    echo "const char lazy_$$library[] = \"$$name\";"; \
	done >> $@
	@rm $@.linked

$(B)/lazy_names.o: $(B)/lazy_names.c $(B)/flags.list
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/embedded.o: $(B)/embedded.c $(B)/flags.list | build/packages-build $(FOREIGN)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# What predictions are known by: a fingerprint of the sources, the same for every compiler and machine.
$(B)/build_id.c: $(call objects,$(LIB_SOURCES)) $(B)/embedded.o
	@id=$$(find model scenarios replay -name '*.[ch]' -o -name '*.def' -o -name '*.yaml' | LC_ALL=C sort | xargs cat | sha256sum); \
	    echo "const char stormglass_build[] = \"$$(echo $$id | cut -c 1-12)\";" > $@

$(B)/build_id.o: $(B)/build_id.c $(B)/flags.list
	@$(CC) $(CPPFLAGS) $(CFLAGS) -include scenarios/embedded.h -MMD -MP -c $< -o $@

$(B)/libstormglass.so: $(call objects,$(LIB_SOURCES)) $(B)/embedded.o $(B)/build_id.o $(B)/record_image.o $(NAMES) $(LIB).list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) $(filter %.o,$^) $(LDLIBS) -o $@

$(B)/libstormglass.a $(B)/playground.a $(B)/digest.a: $(call objects,$(LIB_SOURCES)) $(B)/embedded.o $(B)/build_id.o $(B)/record_image.o $(NAMES) $(LIB).list
	@echo "  AR    $(@:build/%=%)"
	@rm -f $@.new && $(AR) rcs $@.new $(filter %.o,$^) && mv $@.new $@

# One object in which only the functions of the header are visible, for the shared and the static library.
$(LIBRARY)/names: $(LIBRARY_HEADER) Makefile
	@mkdir -p $(@D)
	@sed -n '/^typedef/d; s/^[a-z].*[ *]\(stormglass_[a-z_]*\)(.*/\1/p' $< > $@

$(LIBRARY)/names.map: $(LIBRARY)/names
	@{ echo "STORMGLASS_$(LIBRARY_ABI) {"; echo "global:"; sed 's/$$/;/' $<; echo "local: *;"; echo "};"; } > $@

$(LIBRARY)/stormglass.o: $(LIB) $(LIBRARY)/names
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(if $(findstring -flto,$(MODE)),-flinker-output=nolto-rel) -r -nostdlib \
	    $$(sed 's/^/-Wl,-u,/' $(LIBRARY)/names) $(LIB) -o $@.new
	@objcopy --keep-global-symbols=$(LIBRARY)/names $@.new $@ && rm $@.new

$(LIBRARY)/$(LIBRARY_SONAME): $(LIBRARY)/stormglass.o $(LIBRARY)/names.map
	@echo "  LINK  $(@:build/%=%)"
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(LIBRARY_SONAME) -Wl,--version-script=$(LIBRARY)/names.map -Wl,-z,defs $< $(LDLIBS) -pthread -o $@

$(LIBRARY)/libstormglass.a: $(LIBRARY)/stormglass.o
	@rm -f $@ && ar rcs $@ $<

# PREFIX and LIBDIR are those of make install.
$(LIBRARY)/stormglass.pc: Makefile VERSION
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=@PREFIX@' 'libdir=@LIBDIR@' 'includedir=$${prefix}/include' '' 'Name: stormglass' \
	    'Description: simulator of NVMe over Fabrics on lossless Ethernet' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lstormglass' 'Libs.private: $(filter -l%,$(LDLIBS)) -pthread' > $@

$(PROGRAM): $(call objects,$(CLI_SOURCES)) $(LIB) $(B)/program.list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) $(LDLIBS) -o $@

# For packaging/tarball.sh, which says what is in the program, what is beside it, and what is loaded on demand.
$(B)/self-contained: $(call objects,$(CLI_SOURCES)) $(LIB) $(B)/program.list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a,$^) -Wl,--as-needed -Wl,-Bstatic -lyaml -lsqlite3 -lz -Wl,-Bdynamic -ljansson \
	    -lcminpack -lcgraph -lm -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/../lib' -o $@

# The trees of all YAML files, which the native program reads.
ifeq ($(filter wasm digest,$(TARGET)),)
$(B)/cli/wasm/trees: $(B)/cli/wasm/trees.o $(LIB)
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a,$^) $(LDLIBS) -o $@

build/wasm/trees.c: $(B)/cli/wasm/trees
	@mkdir -p $(@D)
	@$< > $@.new && mv $@.new $@

# The program of WebAssembly for this machine, without any library: make test notices what cli/wasm lacks.
$(B)/cli/wasm/all.a: $(call objects,$(WASM_SOURCES)) $(B)/embedded.o $(B)/build_id.o $(B)/record_image.o $(LIB).list
	@echo "  AR    $(@:build/%=%)"
	@rm -f $@ && $(AR) rcsT $@ $(filter %.o,$^)

$(B)/cli/wasm/stormglass: $(B)/cli/wasm/main.o $(B)/trees.o $(B)/cli/wasm/all.a
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a,$^) -lm -Wl,--gc-sections -Wl,--trace -o $@ >$@.linked

$(DIGEST_FILES): $(B)/cli/wasm/stormglass
	@mkdir -p $(@D)
	@sed -n 's,^$(B)/cli/wasm/,cli/wasm/,; s,^cli/wasm/\.\./\.\./,,; s,\.o$$,.c,p' $<.linked | LC_ALL=C sort -u | \
	    while read -r file; do case $$file in units/*) sed -n 's/.*include "\(.*\)"/\1/p' "build/$$file" ;; cli/wasm/main.c) ;; *) [ ! -f "$$file" ] || echo "$$file" ;; esac; done | \
    LC_ALL=C sort -u >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# The engine of the playground for this machine, likewise.
$(B)/cli/playground/all.a: $(call objects,$(PLAYGROUND_LIB_SOURCES)) $(B)/embedded.o $(B)/build_id.o $(B)/record_image.o $(LIB).list
	@echo "  AR    $(@:build/%=%)"
	@rm -f $@ && $(AR) rcsT $@ $(filter %.o,$^)

$(B)/cli/playground/stormglass: $(call objects,$(PLAYGROUND_CLI_SOURCES)) $(B)/cli/playground/all.a
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a,$^) -Wl,--gc-sections -lyaml -lsqlite3 -lm -o $@
endif

# What a sanitizer notes of each global variable keeps functions that nothing calls, and these may call what is not in this program.
UNCALLED := $(if $(filter asan fuzz,$(BUILD)),-no-pie -Wl$(comma)--unresolved-symbols=ignore-in-object-files)
$(B)/digest: $(B)/cli/wasm/main.o $(B)/trees.o $(LIB) $(B)/program.list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a,$^) -Wl,--gc-sections $(UNCALLED) -lm -o $@

# Headers that each hang together, of the system's package, without the C library's beside them.
$(WASM_HEADERS)/ready: cli/wasm/headers.sh | build/packages-wasm
	@cli/wasm/headers.sh $(@D) && touch $@

# libyaml and SQLite, from the sources of this system's packages.
$(PLAYGROUND_LIBS)/ready: cli/playground/libraries.sh | build/packages-wasm
	@echo "  LIBS  $(@D:build/%=%)"
	@cli/playground/libraries.sh $(@D) && touch $@

$(B)/trees.o: build/wasm/trees.c $(B)/flags.list | $(FOREIGN)
	@echo "  CC    $(@:build/%=%)"
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/stormglass.js: $(B)/cli/wasm/main.o $(B)/trees.o $(LIB) $(B)/program.list
	@echo "  LINK  $(@:build/%=%)"
	@NODE_PATH=/usr/share/nodejs emcc $(filter %.o %.a,$^) $(LDLIBS) -o $@

$(PLAYGROUND)/engine.js: $(call objects,$(CLI_SOURCES)) $(LIB) $(B)/program.list
	@echo "  LINK  $(@:build/%=%)"
	@NODE_PATH=/usr/share/nodejs emcc $(filter %.o %.a,$^) $(PLAYGROUND_LIBS)/*.a $(LDLIBS) -o $@

# The page contains it in base64, and every browser has a decompressor for gzip.
$(PLAYGROUND)/engine.wasm.gz: $(PLAYGROUND)/engine.js
	@gzip -9 -n -c $(PLAYGROUND)/engine.wasm > $@

$(B)/stormglass-bridge: $(call objects,$(BRIDGE_PROGRAM)) $(B)/bridge.a $(LIB) $(B)/bridge.list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) $(LDLIBS) -libverbs -lrdmacm -lev -lnettle -o $@

$(call objects,$(call sources,cli/mpi)): CPPFLAGS += $(if $(MPI),$(shell $(MPI) --showme:compile))

$(B)/stormglass-mpi: $(MPI_OBJECTS) $(LIB) $(B)/mpi.list
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) $(LDLIBS) $(shell $(MPI) --showme:link) -o $@

$(B)/bridge.a: $(call objects,$(BRIDGE_SOURCES)) $(B)/bridge.list
	@echo "  AR    $(@:build/%=%)"
	@rm -f $@.new && $(AR) rcs $@.new $(filter %.o,$^) && mv $@.new $@

# An archive: a test takes only what it uses, be it fakes or the list of all parameters.
$(B)/tests/shared.a: $(call objects,$(UNIT_SHARED) $(LAW_SHARED)) $(B)/cli/parameters.o $(B)/cli/bench/memory_bench.o $(B)/shared.list
	@echo "  AR    $(@:build/%=%)"
	@rm -f $@.new && $(AR) rcs $@.new $(filter %.o,$^) && mv $@.new $@

# A unit may need what a test replaces, which brings the original along: the linker takes the first of the two.
$(filter $(B)/tests/unit/alone/%,$(UNIT_PROGRAMS)): private CFLAGS += -Wl,-z,muldefs
$(UNIT_PROGRAMS): $(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/tests/shared.a $(B)/bridge.a $(LIB)
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) -lcmocka $(LDLIBS) -lev -lnettle -o $@

$(call objects,$(UNIT_SOURCES)): private CPPFLAGS += -DUNIT_TEST='"$(basename $(@F))"' -Dmain=$(basename $(@F))_main -include tests/unit/base/entry.h

define unit_folder
$(B)/tests/unit/$(1)/all: $(call objects,$(filter tests/unit/$(1)/%,$(UNIT_SOURCES))) $(B)/unit.list $(B)/tests/shared.a $(B)/bridge.a $(LIB)
	@echo "  LINK  $$(@:build/%=%)"
	$$(JOBSERVER)@$$(CC) $$(CFLAGS) $$(filter %.o %.a %.so,$$^) -lcmocka $$(LDLIBS) -lev -lnettle -o $$@
endef
$(foreach folder,$(TOGETHER),$(eval $(call unit_folder,$(folder))))

$(LAW_PROGRAMS): $(B)/tests/laws/%: $(B)/tests/laws/%.o $(B)/tests/shared.a $(LIB)
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) -lcmocka $(LDLIBS) -o $@

$(SWARM): $(call objects,$(SWARM_SOURCES)) $(B)/tests/shared.a $(LIB)
	@echo "  LINK  $(@:build/%=%)"
	$(JOBSERVER)@$(CC) $(CFLAGS) $(filter %.o %.a %.so,$^) $(LDLIBS) -o $@

$(FUZZ_PROGRAMS): $(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/tests/shared.a $(B)/bridge.a $(LIB)
	@echo "  LINK  $(@:build/%=%)"
	@$(CC) $(CFLAGS) -fsanitize=fuzzer $(filter %.o %.a %.so,$^) $(LDLIBS) -lev -lnettle -o $@

-include $(patsubst %.o,%.d,$(MPI_OBJECTS) $(call objects,$(LIB_SOURCES) $(CLI_SOURCES) $(BRIDGE_SOURCES) $(BRIDGE_PROGRAM) $(UNIT_SOURCES) \
    $(UNIT_SHARED) $(wildcard cli/wasm/*.c cli/playground/*.c) $(LAW_SOURCES) $(LAW_SHARED) $(SWARM_SOURCES) $(FUZZ_SOURCES))) $(B)/embedded.d $(B)/record_image.d
