/* SPDX-License-Identifier: Apache-2.0
 * store_brief - a run database in memory that only a summary is made of.
 * Tables that no summary reads stay empty, and a statement that reads one of them is an error, so
 * that a new line of a report cannot take an empty table for an answer.  Tables whose rows the
 * program has at hand anyway are virtual: a row is made when a statement reads it. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_BRIEF_H
#define STORMGLASS_REPLAY_DATABASE_STORE_BRIEF_H

#include "replay/database/store.h"

enum { STORE_MADE_TEXT_BYTES = 128, STORE_MADE_COLUMNS = 16 };

/* Row numbers, from `first` to before `end`. */
struct store_range {
    uint64_t first, end;
};

/* A table whose rows are made, in the place of the table of record_schema.def with that number. */
struct store_made {
    int table;        /* enum record_table */
    int key_count;    /* columns from the first on, all integers, by which find looks: 1 or 2 */
    const void *self; /* outlives the store */
    /* The rows in which the first `count` columns have these values; 0: all. */
    struct store_range (*find)(const void *self, const int64_t *keys, int count);
    /* The values of a row, one for each column; `text` has room for one that is made here. */
    void (*read)(const void *self, uint64_t row, struct store_value *values,
                 char text[STORE_MADE_TEXT_BYTES]);
};

struct store_brief {
    const struct store_made *tables; /* live as long as the store */
    int count;
};

#endif
