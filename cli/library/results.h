/* SPDX-License-Identifier: Apache-2.0
 * results - what remains of a run after its database was closed: texts, and values by key.
 * Owner: results_free. */
#ifndef STORMGLASS_CLI_LIBRARY_RESULTS_H
#define STORMGLASS_CLI_LIBRARY_RESULTS_H

#include "replay/database/store.h"

struct results_value {
    char *key, *text;
    double number;
    bool is_number;
};

struct results {
    char *json, *summary;
    struct results_value *values; /* in the order of their keys */
    uint32_t count, room;
};

/* Returns false if the database could not be read. */
bool results_read(struct results *results, struct store *store);
void results_free(struct results *results);

/* NULL: no such key, or its value is null or an empty list. */
const struct results_value *results_find(const struct results *results, const char *key);

#endif
