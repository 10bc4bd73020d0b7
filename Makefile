# socklib: make, make check, make demo; see README.md

VERSION = 0.1

PREFIX = /usr/local
DESTDIR =
CC = cc
CFLAGS = -O2 -g
BUILD = build

# What the code needs stands apart, so that "make CFLAGS=-O0" works.
NEEDED = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -MMD -MP \
	 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	 -Wmissing-prototypes -Wconversion
LIBS = -lm

# PORTABLE=1: without any Linux-only part, as on a BSD.
PORTABLE =
ifneq ($(PORTABLE),)
NEEDED += -DSOCKLIB_PORTABLE
else
# A libc of its own (musl) may lack the kernel's headers: take the system's.
ifneq ($(shell printf '\043include <linux/tcp.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo y),y)
NEEDED += -idirafter /usr/include $(addprefix -idirafter ,$(wildcard /usr/include/*-linux-gnu))
endif
endif

# Guards against faults not yet found, where compiler and linker have them;
# HARDEN= is without.  The libc's checks need optimisation, and stay out of the
# way of a sanitizer's and of a value that the flags give.
HARDEN = -fstack-protector-strong -fPIE
HARDEN_LINK = -pie -Wl,-z,relro,-z,now
FORTIFY = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
ifneq ($(HARDEN),)
TRY = printf '\043include <stdio.h>\nint main(void) { return 0; }\n' | $(CC) -x c -Werror \
	$(CPPFLAGS) $(filter-out --coverage -ftest-coverage -save-temps%,$(CFLAGS))
ifeq ($(shell $(TRY) $(HARDEN) - $(LDFLAGS) $(HARDEN_LINK) -o /dev/null >/dev/null 2>&1 && echo y),y)
GUARDS := $(HARDEN)
LINK_GUARDS := $(HARDEN_LINK)
endif
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),)
ifeq ($(shell $(TRY) $(FORTIFY) -fsyntax-only - >/dev/null 2>&1 && echo y),y)
GUARDS += $(FORTIFY)
endif
endif
endif

# Of our own repository, not of one that this tree lies in; git archive puts
# the commit in the place of the format.
ARCHIVED = $Format:%h$
ifneq ($(wildcard .git),)
COMMIT := $(shell git describe --always --dirty --exclude='*' 2>/dev/null)
else
COMMIT := $(filter-out $$Format%,$(value ARCHIVED))
endif
FULL_VERSION = $(VERSION)$(if $(COMMIT),-$(COMMIT))

MEASURE = alternatives association association_gap bugreport cliff clock compare conclude \
	  conclude_sweep dial dist edges evidence expect explain facts figures figures_association \
	  figures_cliff figures_compare figures_explain figures_json figures_kernel figures_ledger \
	  figures_stats figures_sweep figures_sweep_compare figures_transport header hostcpu hostenv \
	  hostenv_text hostfile hostlo json jsonline lane ledger levels limiter mechanism \
	  mechanism_say netcount observer plan platform process report run saved saved_line \
	  saved_machine scratch served settings stats summary sweep sweep_compare sweep_expect \
	  sweep_near sweep_order sweep_saved sweep_table tcpstate transfer usage wait watch \
	  watcher words
LIBRARY = $(BUILD)/socklib.o $(MEASURE:%=$(BUILD)/measure/%.o)
PROGRAMS = sock_source sock_sink

UNITS = numbers options addresses json run saved stats rates association facts limiter \
	mechanism ledger summary expect transfer hostenv netcount alternatives sweep process \
	tcpstate watch explain sweep_table cliff sweep_saved observer served memory
# Programs that tests use.
HELPERS := $(patsubst tests/%.c,%,$(wildcard tests/help_*.c)) ceiling
SHIMS := $(patsubst tests/%.c,%,$(wildcard tests/shim_*.c))
TESTS = $(UNITS:%=$(BUILD)/unit_%) $(HELPERS:%=$(BUILD)/%) $(SHIMS:%=$(BUILD)/%.so)

PAGES = man/sock_source.1 man/sock_sink.1
TABLES = man/sock_facts.7 man/sock_options.7

all: $(PROGRAMS)

$(BUILD)/bin/%: $(BUILD)/%.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LINK_GUARDS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Those at the top are of the build that was asked for last.
$(PROGRAMS): %: $(BUILD)/bin/%
	cp -f $< $@
OTHERS := $(foreach p,$(PROGRAMS),$(shell cmp -s $(p) $(BUILD)/bin/$(p) || echo $(p)))
$(OTHERS): FORCE

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(NEEDED) $(GUARDS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/measure/plan.o: private NEEDED += -DSOCKLIB_VERSION='"$(FULL_VERSION)"'
$(BUILD)/measure/plan.o: $(BUILD)/version

# Files that change only when what they hold does.
FLAGS = $(CC) $(NEEDED) $(GUARDS) $(CPPFLAGS) $(CFLAGS) $(LINK_GUARDS) $(LDFLAGS)
ifneq ($(strip $(file <$(BUILD)/flags)),$(strip $(FLAGS)))
$(BUILD)/flags: FORCE
endif
ifneq ($(file <$(BUILD)/version),$(FULL_VERSION))
$(BUILD)/version: FORCE
endif
$(BUILD)/flags: private export HELD = $(FLAGS)
$(BUILD)/version: private export HELD = $(FULL_VERSION)
$(BUILD)/flags $(BUILD)/version: | $(BUILD)/
	@printf '%s\n' "$$HELD" >$@
$(BUILD)/:
	@mkdir -p $@
FORCE:

# A unit test links its own module and what that needs: the linker checks the
# layers.
unit_numbers_NEEDS = socklib
unit_options_NEEDS = socklib
unit_addresses_NEEDS = socklib
unit_json_NEEDS = measure/json measure/jsonline
unit_run_NEEDS = measure/run
unit_ledger_NEEDS = measure/ledger measure/figures_ledger measure/words measure/json
unit_saved_NEEDS = measure/saved measure/saved_line measure/saved_machine measure/hostenv_text \
	measure/sweep_saved measure/sweep_table measure/words measure/json measure/run \
	$(STATISTICS) socklib
unit_stats_NEEDS = $(STATISTICS)
unit_rates_NEEDS = $(STATISTICS)
unit_association_NEEDS = measure/association measure/association_gap \
	measure/figures_association measure/words measure/json $(STATISTICS)
unit_summary_NEEDS = measure/summary measure/compare measure/figures \
	measure/figures_compare measure/figures_json measure/figures_stats measure/expect \
	measure/words measure/json measure/run $(STATISTICS)
unit_expect_NEEDS = $(unit_summary_NEEDS)
# These two take in their modules as source, for memory that runs out.
unit_alternatives_NEEDS = socklib
unit_sweep_NEEDS = measure/sweep_order measure/sweep_table measure/plan measure/platform $(unit_expect_NEEDS) socklib
unit_hostenv_NEEDS = measure/hostenv measure/hostenv_text measure/hostcpu measure/hostfile \
	measure/hostlo measure/words measure/json measure/run
unit_netcount_NEEDS = measure/netcount measure/hostfile measure/words measure/json
unit_explain_NEEDS = measure/explain measure/association measure/association_gap measure/facts \
	measure/figures_association measure/figures_explain measure/figures_kernel measure/json \
	measure/limiter measure/mechanism measure/mechanism_say measure/run measure/summary \
	measure/words $(STATISTICS)
unit_sweep_table_NEEDS = measure/sweep_table measure/figures_sweep measure/figures_transport \
	measure/figures_stats measure/words measure/json $(STATISTICS)
unit_sweep_saved_NEEDS = $(unit_saved_NEEDS) measure/figures_sweep measure/figures_sweep_compare \
	measure/sweep_compare measure/sweep_expect measure/expect measure/compare measure/summary \
	measure/figures measure/figures_json measure/figures_stats
unit_cliff_NEEDS = measure/cliff measure/figures_cliff measure/sweep_table measure/words \
	measure/json $(STATISTICS)
unit_served_NEEDS = measure/served measure/wait measure/jsonline measure/scratch measure/process \
	measure/facts measure/clock measure/platform measure/plan $(unit_expect_NEEDS) socklib
unit_observer_NEEDS = socklib $(MEASURE:%=measure/%)
unit_facts_NEEDS = measure/facts
unit_process_NEEDS = measure/process measure/facts measure/clock
unit_watch_NEEDS = measure/watch measure/watcher measure/tcpstate measure/process \
	measure/facts measure/platform measure/wait measure/clock socklib
unit_tcpstate_NEEDS = measure/tcpstate measure/facts measure/clock socklib
unit_limiter_NEEDS = measure/limiter measure/facts
unit_mechanism_NEEDS = measure/mechanism measure/mechanism_say measure/facts measure/words
unit_transfer_NEEDS = measure/transfer measure/ledger measure/platform measure/wait measure/clock \
	socklib measure/scratch
help_facts_NEEDS = measure/figures_explain measure/figures_association measure/figures_kernel \
	measure/association $(STATISTICS) $(unit_limiter_NEEDS) measure/mechanism \
	measure/mechanism_say measure/words measure/json

unit_memory_NEEDS = $(unit_saved_NEEDS) measure/summary measure/compare measure/association

# Memory that they are refused.
unit_explain_LINK = -Wl,--wrap=calloc
unit_memory_LINK = $(addprefix -Wl$(COMMA)--wrap=,malloc calloc realloc strdup strndup free)
COMMA = ,

STATISTICS = measure/levels measure/stats measure/dist

.SECONDEXPANSION:
$(BUILD)/%: $(BUILD)/tests/%.o $$(addsuffix .o,$$(addprefix $(BUILD)/,$$($$*_NEEDS)))
	$(CC) $(CFLAGS) $(LINK_GUARDS) $(LDFLAGS) $($*_LINK) -o $@ $^ $(LIBS)
$(BUILD)/%.so: tests/%.c $(BUILD)/flags
	$(CC) $(NEEDED) -fPIC -shared -o $@ $<

check: all $(TESTS)
	BUILD=$(BUILD) PORTABLE=$(PORTABLE) tests/run.sh

# For other builds: what does not depend on time alone.
check-short: all $(TESTS)
	BUILD=$(BUILD) PORTABLE=$(PORTABLE) tests/run.sh unit e2e_mail e2e_usage \
		e2e_json e2e_transport

# With each compiler that is here; minutes.
check-builds: all
	BUILD=$(BUILD) PORTABLE=$(PORTABLE) tests/run.sh builds

# Lines that no test executes; minutes.
coverage:
	BUILD=$(BUILD) tests/coverage.sh

demo: all
	tests/demo.sh

bench: all $(HELPERS:%=$(BUILD)/%)
	BUILD=$(BUILD) tests/bench.sh

lint:
	tests/lint.sh

version:
	@echo $(FULL_VERSION)

# A path may hold blanks.
BIN_DIR = "$(DESTDIR)$(PREFIX)/bin"
MAN_DIR = "$(DESTDIR)$(PREFIX)/share/man"

install: all
	install -d $(BIN_DIR) $(MAN_DIR)/man1 $(MAN_DIR)/man7
	install -m 755 $(PROGRAMS) $(BIN_DIR)
	install -m 644 $(PAGES) $(MAN_DIR)/man1
	install -m 644 $(TABLES) $(MAN_DIR)/man7

uninstall:
	cd $(BIN_DIR) && rm -f $(PROGRAMS)
	cd $(MAN_DIR)/man1 && rm -f $(notdir $(PAGES))
	cd $(MAN_DIR)/man7 && rm -f $(notdir $(TABLES))

clean:
	rm -rf $(BUILD) $(PROGRAMS)

.PHONY: all check check-builds check-short coverage demo bench lint version install uninstall clean FORCE
.SECONDARY:

-include $(wildcard $(BUILD)/*.d $(BUILD)/measure/*.d $(BUILD)/tests/*.d)
