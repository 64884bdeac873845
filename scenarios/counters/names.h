/* SPDX-License-Identifier: Apache-2.0
 * names - which counter of a run a driver's or a switch's counter is.
 * names.def and columns.def have one row for each pattern, with its source. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_NAMES_H
#define STORMGLASS_SCENARIOS_COUNTERS_NAMES_H

#include "scenarios/format/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* How a number becomes the run's count: it is the whole of it, it is one of those that add up to it
 * (XON and XOFF of one priority), or it is the highest value so far, which has no difference. */
enum counts_kind { COUNTS_WHOLE, COUNTS_PART, COUNTS_PEAK };

struct counts_meaning {
    const char *name; /* of the run's counter, %d for the priority; NULL: it has none */
    int priority;     /* 0 to 7, or -1 */
    enum counts_kind kind;
};

/* Where a name is from: some mean one thing in `ethtool -S` and another in `rdma statistic`; SAI
 * are those of SONiC's COUNTERS_DB. */
enum counts_scope { COUNTS_ANY, COUNTS_ETHERNET, COUNTS_RDMA, COUNTS_SAI };

struct counts_meaning counts_name(const char *name, enum counts_scope scope);

/* A column of a table, or a key of its JSON form, of that priority or of none. */
struct counts_meaning counts_column(const char *head, int priority);
/* The same with the priority in its name. */
struct counts_meaning counts_named(struct arena *arena, struct counts_meaning what);
/* A rate, a state or another column that is no counter. */
bool counts_column_is_text(const char *head);
/* One whose text may have several words. */
bool counts_column_is_wide(const char *head);

/* Of the columns "PFC3", "PG3", "UC3" of a table with that title, or below "Port Rx". */
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
