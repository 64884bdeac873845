/* SPDX-License-Identifier: Apache-2.0
 * filekind - what a file is that stands where another was expected, by its first bytes.
 * For messages alone: nothing is read otherwise because of it. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_FILEKIND_H
#define STORMGLASS_SCENARIOS_FORMAT_FILEKIND_H

#include <stdbool.h>
#include <stddef.h>

enum filekind {
    FILEKIND_UNKNOWN,
    FILEKIND_SCENARIO,
    FILEKIND_GRID,
    FILEKIND_PLAN,
    FILEKIND_PRICES,
    FILEKIND_PROFILE,
    FILEKIND_RUN,    /* a run database */
    FILEKIND_ANSWER, /* a plan's database */
    FILEKIND_DATABASE,
    FILEKIND_CAPTURE,
    FILEKIND_COUNTERS,
    FILEKIND_PREDICTIONS,
    FILEKIND_PAGE,
    FILEKIND_DRAWING,
};

enum { FILEKIND_HEAD_BYTES = 4096 }; /* more is not looked at */

enum filekind filekind_of(const char *head, size_t length);

/* Of a regular file; what cannot be read is unknown. */
enum filekind filekind_of_file(const char *path);

/* No reader of text takes it. */
static inline bool filekind_is_binary(enum filekind kind)
{
    return kind == FILEKIND_RUN || kind == FILEKIND_ANSWER || kind == FILEKIND_DATABASE ||
           kind == FILEKIND_CAPTURE;
}

/* "a scenario; stormglass run plays it".  NULL of the unknown. */
const char *filekind_words(enum filekind kind);

#endif
