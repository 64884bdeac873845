/* SPDX-License-Identifier: Apache-2.0
 * tables - helpers for formats with rows by port, priority and queue. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_TABLES_H
#define STORMGLASS_SCENARIOS_COUNTERS_TABLES_H

#include "scenarios/counters/counts_private.h"

enum { TABLES_CELLS_MAX = 40 };

/* A cell or a head in the current line. */
struct tables_cell {
    const char *at;
    size_t length;
};

/* Splits the line at '|', or at blanks if there is none. A unit ("Bytes", "KB") belongs to the
 * number before it. Returns the number of cells. */
int tables_cells(const char *line, struct tables_cell cells[TABLES_CELLS_MAX]);

/* Splits the heads at two or more blanks; narrow: at any blank. */
int tables_heads(const char *line, bool narrow, struct tables_cell heads[TABLES_CELLS_MAX]);

/* Registers a table with this head that omits zero rows, so that missing rows count as 0. Returns
 * the `table` of its items. */
const char *tables_begin(struct counts_reader *reader, const char *head);
/* Must be called before tables_has. */
void tables_sort(struct counts_reader *reader);
/* True if this side has such a table. */
bool tables_has(const struct counts_reader *reader, const char *table);

/* True if a run has the queue; otherwise the row is counted as skipped. */
bool tables_is_queue(struct counts_reader *reader, int queue, const char *word, size_t length);

/* Queue number of "UC3", "VOQ3", "PFC3", "PG3" or "3"; -1: another kind. */
int tables_queue(const char *word, size_t length);

/* True for "N/A", "n/a" or "-". */
bool tables_is_nothing(const char *word, size_t length);

bool tables_is_count(struct tables_cell cell);

/* Adds a count, or a size such as "2.00 KB"; otherwise reports an error and returns NULL. */
struct counts_item *tables_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, struct tables_cell cell);

#endif
