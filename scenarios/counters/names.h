/* SPDX-License-Identifier: Apache-2.0
 * names - maps a counter of a driver or a switch to a counter of a run.
 * names.def and columns.def have one row per pattern, with its source. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_NAMES_H
#define STORMGLASS_SCENARIOS_COUNTERS_NAMES_H

#include "scenarios/format/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* How a number contributes to the run's counter: the whole value, a part to be added up (XON and
 * XOFF of one priority), or the highest value so far, which has no difference. */
enum counts_kind { COUNTS_WHOLE, COUNTS_PART, COUNTS_PEAK };

struct counts_meaning {
    const char *name; /* name of the run's counter, %d for the priority; NULL: none */
    int priority;     /* 0 to 7, or -1 */
    enum counts_kind kind;
};

/* Source of a name: some names mean one thing in `ethtool -S` and another in `rdma statistic`. SAI:
 * names of SONiC's COUNTERS_DB. */
enum counts_scope { COUNTS_ANY, COUNTS_ETHERNET, COUNTS_RDMA, COUNTS_SAI };

struct counts_meaning counts_name(const char *name, enum counts_scope scope);

/* Meaning of a table column, or of a key of its JSON form, with this priority or -1. */
struct counts_meaning counts_column(const char *head, int priority);
/* The same meaning with the priority inserted in the name. */
struct counts_meaning counts_named(struct arena *arena, struct counts_meaning what);
/* True for a rate, a state or another column that is not a counter. */
bool counts_column_is_text(const char *head);
/* True for text that may have several words. */
bool counts_column_is_wide(const char *head);

/* Meaning of the columns "PFC3", "PG3", "UC3" in a table with that title, or below "Port Rx". */
struct counts_meaning counts_title(const char *title);

/* The rows of names.def, for tests. */
struct counts_row {
    enum counts_scope scope;
    const char *pattern, *name;
    enum counts_kind kind;
    const char *source;
};
extern const struct counts_row counts_rows[];
extern const size_t counts_row_count;

#endif
