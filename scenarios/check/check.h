/* SPDX-License-Identifier: Apache-2.0
 * check - what is wrong with a scenario before it is run.
 * Findings of a scenario that has loaded: frames that do not fit through a path, priorities that
 * are lossless at one hop and not at the next, headroom that is too small, memory that is too small
 * for its headroom, hosts that cannot reach each other, buffers that depend on each other in a
 * circle, thresholds and times that do not belong together, values that contradict each other, no
 * watchdog, fan-in.
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

/* `report` need not be initialised. The scenario must outlive it: places point into it. */
void check_scenario(const struct scenario *scenario, struct check_report *report);
void check_free(struct check_report *report);

/* "FILE:LINE:COLUMN: error: sentence", one line for each. */
void check_print(const struct check_report *report, FILE *out);

#endif
