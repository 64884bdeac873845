/* SPDX-License-Identifier: Apache-2.0
 * filekind - recognizes a file of the wrong kind by its first bytes.
 * Used only for messages; it does not affect how files are read. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_FILEKIND_H
#define STORMGLASS_SCENARIOS_FORMAT_FILEKIND_H

#include <stdbool.h>
#include <stddef.h>

enum filekind {
    FILEKIND_UNKNOWN,
    FILEKIND_SCENARIO,
    FILEKIND_GRID,
    FILEKIND_PLAN,
    FILEKIND_CLAIM,
    FILEKIND_PRICES,
    FILEKIND_PROFILE,
    FILEKIND_RUN,    /* a run database */
    FILEKIND_ANSWER, /* a plan's database */
    FILEKIND_DATABASE,
    FILEKIND_CAPTURE,
    FILEKIND_COUNTERS,
    FILEKIND_PREDICTIONS,
    FILEKIND_WATCH,
    FILEKIND_PAGE,
    FILEKIND_DRAWING,
};

enum { FILEKIND_HEAD_BYTES = 4096 }; /* only these first bytes are examined */

enum filekind filekind_of(const char *head, size_t length);

/* Kind of a regular file; unknown if it cannot be read. */
enum filekind filekind_of_file(const char *path);

/* True for binary files, which no text reader accepts. */
static inline bool filekind_is_binary(enum filekind kind)
{
    return kind == FILEKIND_RUN || kind == FILEKIND_ANSWER || kind == FILEKIND_DATABASE ||
           kind == FILEKIND_CAPTURE;
}

/* Description such as "a scenario; use stormglass run"; NULL for an unknown kind. */
const char *filekind_words(enum filekind kind);

#endif
