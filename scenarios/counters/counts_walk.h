/* SPDX-License-Identifier: Apache-2.0
 * counts_walk - every number of a file of counters, for readers of whole incidents.
 * counts_import compares two sides; here one file may have several outputs, of several hosts and
 * times, and between them lines of other kinds, which the caller takes.
 * A malformed line, or a counter beyond the limits, is skipped with a warning: one line of a
 * session that was cut or edited does not make the other counters unreadable.
 * Limits:  those of counts.h.
 * Owner:   the arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_COUNTS_WALK_H
#define STORMGLASS_SCENARIOS_COUNTERS_COUNTS_WALK_H

#include "scenarios/counters/names.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/lines.h"

#include <stdint.h>

struct counts_number {
    const char *port;           /* HOST:PORT, or HOST where the output names no port */
    const char *source;         /* what the equipment calls the counter */
    struct counts_meaning what; /* its name is NULL where a run has no such counter */
    int64_t value;
    const char *table; /* that it is of, which leaves out rows of zeroes, or NULL */
    struct diag_place place;
};

struct counts_walk {
    struct arena *arena;
    struct diag *diag;
    const struct tree_file *file;
    const char *host;   /* of an output without a prompt; not NULL */
    const char *device; /* of an output that names no device, or NULL */
    /* Whether the caller takes a line, which belongs to the host of the last prompt. */
    bool (*takes)(void *self, const struct lines *lines, const char *host);
    void *self;
    /* Out. */
    struct counts_number *numbers;
    size_t count;
    const char **tables; /* that leave out rows of zeroes, with their host */
    size_t table_count;
    char *notes;        /* "FILE:LINE:COLUMN: note: sentence" lines, or empty; in the arena */
    uint32_t malformed; /* errors that were skipped */
    struct diag_place first_malformed;
    char *warnings; /* as diag_print prints them: the first DIAG_MAX; in the arena */
};

/* False when the diag holds an error. */
bool counts_walk(struct counts_walk *walk);

#endif
