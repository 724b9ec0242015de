# fsderby: build, check, bench, install. `make help` lists the targets.
#
#   SANITIZE=address,undefined | thread    instrumented build, in a folder of its own
#   WERROR=1  warnings are errors          V=1  show the commands
#   DESTDIR= PREFIX=/usr/local             where install puts things

VERSION := 0.1.0
PREFIX  ?= /usr/local
comma   := ,
B       ?= build$(if $(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))$(if $(COVERAGE),-coverage)
Q       := $(if $(V),,@)

ifeq ($(origin CC),default)
CC := gcc
endif
PKGS      := ncursesw mount blkid jansson inih
TEST_PKGS := cunit vterm
# Kept from running where nothing is built yet (deps, clean, help).
ifneq ($(filter-out deps clean help uninstall,$(or $(MAKECMDGOALS),all)),)
ifeq ($(filter deps,$(MAKECMDGOALS)),)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
endif
endif
# Evaluated late when `deps` installs them in the same call.
PKG_CFLAGS ?= $$(pkg-config --cflags $(PKGS))
PKG_LIBS   ?= $$(pkg-config --libs $(PKGS))

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wundef \
	$(if $(WERROR),-Werror)
CPPFLAGS += -D_GNU_SOURCE -DFSDERBY_VERSION='"$(VERSION)"' -DFSDERBY_DATADIR='"$(PREFIX)/share/fsderby"' \
	-Isrc -I.
CFLAGS   ?= -O2 -g
ALL_CFLAGS = -std=gnu11 -pthread $(CFLAGS) $(WARN) $(if $(SANITIZE),-fsanitize=$(SANITIZE) \
	-fno-omit-frame-pointer -O1) $(if $(COVERAGE),--coverage -O1)
ALL_LDFLAGS = -pthread $(LDFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(if $(COVERAGE),--coverage)

SRC      := $(wildcard src/*/*.c workloads/*.c ui/*.c)
OBJ      := $(SRC:%.c=$(B)/obj/%.o) $(B)/obj/assets.o
MAIN_OBJ := $(B)/obj/src/main.o
ASSETS   := $(sort $(wildcard themes/*.theme workloads/profiles/*.ini))
UNIT_SRC := $(wildcard tests/unit/*.c)
TUI_SRC  := $(wildcard tests/tui/*.c)
SYS_SRC  := $(wildcard tests/system/*.c)
BENCH    := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
TESTS    := $(B)/tests/unit $(if $(TUI_SRC),$(B)/tests/tui) $(if $(SYS_SRC),$(B)/tests/system)

.PHONY: all deps run check bench lint coverage install uninstall clean help
.DELETE_ON_ERROR:

all: $(B)/fsderby

help:
	@sed -n 's/^# \{0,1\}//p' Makefile | head -6
	@echo "targets: all deps run check bench lint coverage install uninstall clean"

# Everything below that compiles waits for deps when both were asked for.
ifneq ($(filter deps,$(MAKECMDGOALS)),)
$(OBJ) $(MAIN_OBJ) $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/*/*.c)): | deps
endif

deps:
	$(Q)sh tests/deps.sh

$(B)/fsderby: $(MAIN_OBJ) $(OBJ)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC      $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/assets.c: tests/embed.sh $(ASSETS)
	@mkdir -p $(@D)
	$(Q)sh tests/embed.sh $(ASSETS) > $@

$(B)/obj/assets.o: $(B)/assets.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

define test_program
$(B)/tests/$(1): $(2:%.c=$(B)/obj/%.o) $(OBJ)
	@mkdir -p $$(@D)
	@echo "  LD      $$@"
	$(Q)$(CC) $(ALL_LDFLAGS) -o $$@ $$^ $$(PKG_LIBS) $$$$(pkg-config --libs $(TEST_PKGS)) -lutil -lm
endef
$(eval $(call test_program,unit,$(UNIT_SRC)))
$(eval $(call test_program,tui,$(TUI_SRC)))
$(eval $(call test_program,system,$(SYS_SRC)))

$(B)/bench/%: $(B)/obj/tests/bench/%.o $(OBJ)
	@mkdir -p $(@D)
	@echo "  LD      $@"
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

run: $(B)/fsderby
	$(Q)sh tests/race.sh $(B)/fsderby

check: $(B)/fsderby $(TESTS)
	$(Q)FSDERBY=$(B)/fsderby sh tests/check.sh $(TESTS)

bench: $(B)/fsderby $(BENCH)
	$(Q)FSDERBY=$(B)/fsderby sh tests/bench/run.sh $(B)/bench

lint:
	$(Q)sh tests/lint.sh

coverage:
	$(Q)$(MAKE) --no-print-directory COVERAGE=1 check
	$(Q)sh tests/coverage.sh $(B)-coverage

install: $(B)/fsderby
	install -D -m 0755 $(B)/fsderby $(DESTDIR)$(PREFIX)/bin/fsderby
	install -d $(DESTDIR)$(PREFIX)/share/fsderby/themes $(DESTDIR)$(PREFIX)/share/doc/fsderby
	install -m 0644 $(wildcard themes/*.theme) $(DESTDIR)$(PREFIX)/share/fsderby/themes/
	install -m 0644 README.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/fsderby/

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/fsderby
	rm -rf $(DESTDIR)$(PREFIX)/share/fsderby $(DESTDIR)$(PREFIX)/share/doc/fsderby

clean:
	rm -rf build build-*

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
