/* SPDX-License-Identifier: Apache-2.0
 * check - what is wrong with a scenario before it is run.
 * Findings of a scenario that has loaded, rule by rule: what each looks for its line says.
 * Owner of the findings: check_free.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_H

#include "scenarios/load/scenario.h"

struct check_finding {
    enum diag_level level;
    struct diag_place place;
    const char *text;
    const char *shown; /* what a run shows of it: a quantity, as in `expect`; NULL: nothing */
};

struct check_report {
    struct arena arena;
    struct check_finding *findings; /* errors first, then warnings, then notes */
    size_t count;
    uint32_t errors, warnings, notes;
};

/* Something that may be wrong: one file, one line in check.def. */
struct check_rule {
    const char *name;  /* for people */
    const char *about; /* one sentence: what is as it should be when nothing is found */
    /* Tells what it finds by check_add, in an order that the scenario alone decides. */
    void (*run)(const struct scenario *scenario, struct check_report *report);
};

extern const struct check_rule *const check_rules[]; /* NULL ends it; made from check.def */

/* `report` need not be initialised. The scenario must outlive it: places point into it. */
void check_scenario(const struct scenario *scenario, struct check_report *report);
void check_free(struct check_report *report);

/* Errors where a switch's memory is too small for what is set aside of it: no model plays that. */
void check_memories(const struct scenario *scenario, struct diag *diag);

/* "FILE:LINE:COLUMN: error: sentence", one line for each. */
void check_print(const struct check_report *report, FILE *out);

#endif
