/* SPDX-License-Identifier: Apache-2.0
 * counts - reads counters of real ports before and after an incident and computes the differences.
 * formats.def lists the formats: `ethtool -S`, `rdma statistic`, `nstat`, hw_counters of sysfs,
 * tables of SONiC, NX-OS, EOS and Cumulus, Junos, JSON. A file may contain several of them, and all
 * files of a directory are read. names.def and columns.def map each name to a counter of a run.
 * A port is called HOST:PORT if a prompt, a line "==> HOST <==" or a file of a directory names the
 * host, else PORT. Output that names no port (ethtool -S) gets the file's name up to its first dot.
 * A row that one side lacks counts as 0 if its table omits zero rows.
 *   Limits:  files of COUNTS_BYTES_MAX, COUNTS_ITEMS_MAX counters, words of COUNTS_WORD_MAX bytes,
 *            COUNTS_FILES_MAX files per directory.
 *   Owner:   the result belongs to the caller, counts_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_COUNTS_H
#define STORMGLASS_SCENARIOS_COUNTERS_COUNTS_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum {
    COUNTS_BYTES_MAX = 8 * 1024 * 1024,
    COUNTS_ITEMS_MAX = 200000,
    COUNTS_WORD_MAX = 64,
    COUNTS_FILES_MAX = 4096
};

struct counts_input {
    const char *name; /* name in messages */
    const char *text; /* NULL: read the file of that name, or the files of that directory */
    size_t length;
};

struct counts_result {
    /* {"stormglass-counters": 1, "counters": [{port, priority, name, difference}], "unmoved":
     * [{port, priority, name}], "unknown": [{port, name, difference}]}. The difference of an
     * unknown counter may be negative; it is null if one side lacks the counter. */
    char *json;
    char *notes; /* lines "FILE:LINE:COLUMN: note: sentence"; may be empty */
};

/* False if the diag has an error; then the result is empty. Two devices without a common port are
 * an error. A counter that decreased was reset in between; it is omitted and reported. */
bool counts_import(const struct counts_input *before, const struct counts_input *after,
                   struct counts_result *result, struct diag *diag);
void counts_free(struct counts_result *result);

#endif
