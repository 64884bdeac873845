/* SPDX-License-Identifier: Apache-2.0
 * store_brief - a run database in memory that only serves to write a summary.
 * Tables that no summary reads stay empty. A statement that reads one of them is an error, so a new
 * line of a report cannot mistake an empty table for a result. Tables whose rows the program has in
 * memory anyway are virtual: a row is generated when a statement reads it. */
#ifndef STORMGLASS_REPLAY_DATABASE_STORE_BRIEF_H
#define STORMGLASS_REPLAY_DATABASE_STORE_BRIEF_H

#include "replay/database/store.h"

enum { STORE_MADE_TEXT_BYTES = 128, STORE_MADE_COLUMNS = 16 };

/* Row numbers from `first` up to, not including, `end`. */
struct store_range {
    uint64_t first, end;
};

/* A virtual table that replaces the table of that number in record_schema.def. */
struct store_made {
    int table;        /* enum record_table */
    int key_count;    /* leading integer columns that `find` searches by: 1 or 2 */
    const void *self; /* must outlive the store */
    /* The rows whose first `count` columns have these values; 0: all rows. */
    struct store_range (*find)(const void *self, const int64_t *keys, int count);
    /* The values of a row, one per column; `text` is a buffer for a generated text. */
    void (*read)(const void *self, uint64_t row, struct store_value *values,
                 char text[STORE_MADE_TEXT_BYTES]);
};

struct store_brief {
    const struct store_made *tables; /* must live as long as the store */
    int count;
};

#endif
