/* SPDX-License-Identifier: Apache-2.0
 * check_private - what the parts of check share. */
#ifndef STORMGLASS_SCENARIOS_CHECK_CHECK_PRIVATE_H
#define STORMGLASS_SCENARIOS_CHECK_CHECK_PRIVATE_H

#include "scenarios/check/check.h"

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What a run shows of the finding that was added last: a quantity as in `expect`. */
void check_shows(struct check_report *report, const char *quantity);

/* What was told of already. */
struct check_seen {
    struct arena arena;
    const void **items;
    size_t count;
};

/* True when the item is here for the first time. */
bool check_first_time(struct check_seen *seen, const void *item);

/* It issues as soon as it may: an open loop and a trace may have nothing due, and their depth is a
 * bound. */
bool check_keeps_depth(const struct scenario_workload *workload);

struct switch_plan;

/* How the memory of a switch will be cut; false: it is too small, and why. */
bool check_plan(const struct scenario *scenario, const struct scenario_node *node,
                struct switch_plan *plan, char *why, size_t size);

#define RULE(stem) extern const struct check_rule check_##stem;
#include "scenarios/check/check.def"
#undef RULE

#endif
