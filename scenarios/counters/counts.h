/* SPDX-License-Identifier: Apache-2.0
 * counts - counters of real ports, read before and after an incident, and what they counted.
 * formats.def lists what is read: `ethtool -S`, `rdma statistic`, hw_counters of sysfs, tables of
 * SONiC, NX-OS, EOS and Cumulus, Junos, JSON; several of them may stand in one file, and a folder
 * is read with all its files.  names.def and columns.def say which counter of a run each name is.
 * A port is called HOST:PORT where a prompt, a line "==> HOST <==" or the file of a folder names
 * the host, else PORT; what names no port (ethtool -S) has the file's name up to its first dot.
 * A row that one side lacks in a table that leaves out zeroes is 0 there.
 * Limits:  files of COUNTS_BYTES_MAX, COUNTS_ITEMS_MAX counters, COUNTS_WORD_MAX a word,
 *          COUNTS_FILES_MAX files a folder.
 * Owner:   the result is the caller's, counts_free.  Errors: located messages in diag. */
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
    const char *name; /* in messages */
    const char *text; /* NULL: the file of that name is read, or the files of that folder */
    size_t length;
};

struct counts_result {
    /* {"stormglass-counters": 1, "counters": [{port, priority, name, difference}],
     *  "unmoved": [{port, priority, name}], "unknown": [{port, name, difference}]}; the difference
     * of an unknown one may be negative, or null where one side lacks it */
    char *json;
    char *notes; /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* False when the diag holds an error; then the result is empty.  Two devices without a port in
 * common are an error.  A counter that decreased was reset in between: it is left out, and
 * reported. */
bool counts_import(const struct counts_input *before, const struct counts_input *after,
                   struct counts_result *result, struct diag *diag);
void counts_free(struct counts_result *result);

#endif
