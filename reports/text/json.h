/* SPDX-License-Identifier: Apache-2.0
 * json - run --json, and JSON text for other tables.
 * A streaming writer: values have paths and are written in order (workloads[0].latency_ns.p99);
 * containers are opened and closed where consecutive paths differ. No tree is built. */
#ifndef STORMGLASS_REPORTS_TEXT_JSON_H
#define STORMGLASS_REPORTS_TEXT_JSON_H

#include "replay/database/store.h"

#include <stdio.h>

enum { JSON_DEPTH_MAX = 8, JSON_PATH_BYTES = 128 };

struct json {
    FILE *out;
    char open[JSON_DEPTH_MAX + 1]; /* '{' or '[' of each open container */
    char last[JSON_PATH_BYTES];    /* the previous path */
    int depth;
    int written; /* number of values so far */
};

/* Version of the keys of all JSON documents. Scripts rely on it: a new key keeps the version; a key
 * that is removed or renamed, or whose type, unit or meaning changes, needs the next one.
 * tests/golden/words/words-json/schema.txt lists the keys. */
enum { JSON_SCHEMA = 1 };

/* Opens the object, whose first member is the version. */
void json_begin(struct json *json, FILE *out);
/* The same for objects that are written without struct json: {"schema": 1, */
void json_open(FILE *out);
/* Opens the object of another program's format, which has no such member. */
void json_begin_foreign(struct json *json, FILE *out);
void json_end(struct json *json);

/* `type` is as in the table result; integer, real and text are chosen by it. */
void json_value(struct json *json, const char *path, const char *type,
                const struct store_value *value);

/* A string in quotes, or null for NULL. Quotes, characters that a terminal interprets
 * (base/printable.h) and invalid UTF-8 are escaped. */
void json_string(FILE *out, const char *text);
void json_real(FILE *out, double value); /* writes null for values that JSON cannot represent */

/* The object of run --json from a run database; a measurement by the bridge has the additional key
 * `measured`. Returns false if the database could not be read. */
bool json_run(struct store *store, FILE *out);

#endif
