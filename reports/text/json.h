/* SPDX-License-Identifier: Apache-2.0
 * json - run --json, and JSON text for other tables.
 * A streaming writer: values come with their path, in order (workloads[0].latency_ns.p99), and
 * containers are opened and closed where two neighbouring paths differ.  No tree is built. */
#ifndef STORMGLASS_REPORTS_TEXT_JSON_H
#define STORMGLASS_REPORTS_TEXT_JSON_H

#include "replay/database/store.h"

#include <stdio.h>

enum { JSON_DEPTH_MAX = 8, JSON_PATH_BYTES = 128 };

struct json {
    FILE *out;
    char open[JSON_DEPTH_MAX + 1]; /* '{' or '[' of each open container */
    char last[JSON_PATH_BYTES];    /* the path that was written last */
    int depth;
    int written; /* values so far */
};

void json_begin(struct json *json, FILE *out);
void json_end(struct json *json);

/* `type` as the table result writes it; integer, real and text as they fit. */
void json_value(struct json *json, const char *path, const char *type,
                const struct store_value *value);

/* A string with its quotes; quotes, what a terminal would obey (base/printable.h) and bytes that
 * are no UTF-8 are escaped. */
void json_string(FILE *out, const char *text);
void json_real(FILE *out, double value); /* null where JSON has no number for it */

/* The object of run --json from a run database; what the bridge measured has a key more, measured.
 *  False: the database could not be read. */
bool json_run(struct store *store, FILE *out);

#endif
