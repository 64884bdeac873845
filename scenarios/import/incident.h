/* SPDX-License-Identifier: Apache-2.0
 * incident - counters of real ports, read twice, as what came to them in between.
 * Reads `ethtool -S` ("NIC statistics:", then "  name: number") and SONiC's `show pfc counters`,
 * `show queue counters` and `show priority-group drop counters`, several of them in one file.
 * SONiC's columns get the names of a run database (docs/counters.md); the port of an `ethtool -S`
 * is the file's name up to its first dot, of the later file, or that of a line "==> NAME <==",
 * which also goes before SONiC's names of ports ("leaf0:Ethernet0").
 * Source:  ethtool(8); sonic-utilities, scripts pfcstat, queuestat and pg-drop.
 * Limits:  files of INCIDENT_BYTES_MAX, INCIDENT_COUNTERS_MAX counters, INCIDENT_WORD_MAX a word.
 * Owner:   the result is the caller's, incident_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_INCIDENT_H
#define STORMGLASS_SCENARIOS_IMPORT_INCIDENT_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum {
    INCIDENT_BYTES_MAX = 8 * 1024 * 1024,
    INCIDENT_COUNTERS_MAX = 200000,
    INCIDENT_WORD_MAX = 64
};

struct incident_input {
    const char *name; /* in messages */
    const char *text; /* NULL: the file of that name is read */
    size_t length;
};

struct incident_result {
    /* {"stormglass-counters": 1, "counters": [{port, priority, name, difference}],
     *  "unmoved": [{port, priority, name}]} */
    char *json;
    char *notes; /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* False when the diag holds an error; then the result is empty.  A counter that went back was set
 * to zero in between: it is left out, and reported. */
bool incident_counters(const struct incident_input *before, const struct incident_input *after,
                       struct incident_result *result, struct diag *diag);
void incident_free(struct incident_result *result);

#endif
