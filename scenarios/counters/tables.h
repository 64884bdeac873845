/* SPDX-License-Identifier: Apache-2.0
 * tables - what the formats with rows by port, priority and queue share. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_TABLES_H
#define STORMGLASS_SCENARIOS_COUNTERS_TABLES_H

#include "scenarios/counters/counts_private.h"

enum { TABLES_CELLS_MAX = 40 };

/* A cell, or a head, in the present line. */
struct tables_cell {
    const char *at;
    size_t length;
};

/* Cells between '|' or, where there is none, between blanks; a unit ("Bytes", "KB") belongs to the
 * number before it.  Returns how many. */
int tables_cells(const char *line, struct tables_cell cells[TABLES_CELLS_MAX]);

/* Heads between two blanks or more; narrow: between any blanks. */
int tables_heads(const char *line, bool narrow, struct tables_cell heads[TABLES_CELLS_MAX]);

/* A table of this head begins, which leaves out rows of zeroes: what it lacks is 0.  Returns what
 * its items have as their table. */
const char *tables_begin(struct counts_reader *reader, const char *head);
/* Before tables_has is asked. */
void tables_sort(struct counts_reader *reader);
/* Whether the side has such a table. */
bool tables_has(const struct counts_reader *reader, const char *table);

/* Whether a run has the queue; else the row is counted as left out. */
bool tables_is_queue(struct counts_reader *reader, int queue, const char *word, size_t length);

/* The queue of "UC3", "VOQ3", "PFC3", "PG3" or "3"; -1: of another kind. */
int tables_queue(const char *word, size_t length);

/* "N/A", "n/a" or "-". */
bool tables_is_nothing(const char *word, size_t length);

bool tables_is_count(struct tables_cell cell);

/* A count, or a size such as "2.00 KB"; NULL and a message otherwise. */
struct counts_item *tables_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, struct tables_cell cell);

#endif
