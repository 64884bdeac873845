/* SPDX-License-Identifier: Apache-2.0
 * sonic - SONiC's config_db.json, one file for each switch, as one scenario.
 * DEVICE_NEIGHBOR says what hangs on which port, or files of cables beside it (`show lldp table`,
 * a DOT graph, a list): neighbours with a configuration are switches, the others hosts.
 * What the tables say of buffers, PFC, ECN, queues and maps becomes overrides of each
 * switch.  What has no counterpart is reported as a note, never left out in silence.
 * Source:  sonic-buildimage src/sonic-yang-models (tables and fields), sonic-swss orchagent
 *          (buffers, PFC watchdog), SAI's saibuffer.h and saiqosmap.h (what fields mean).
 * Limits:  SONIC_FILES_MAX files of SONIC_BYTES_MAX, SONIC_PORTS_MAX ports each, and json_tree's.
 * Owner:   the result is the caller's, sonic_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_SONIC_SONIC_H
#define STORMGLASS_SCENARIOS_SONIC_SONIC_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum { SONIC_FILES_MAX = 1024, SONIC_BYTES_MAX = 8 * 1024 * 1024, SONIC_PORTS_MAX = 1024 };

struct sonic_input {
    const char *name; /* in messages; it outlives the call */
    const char *text; /* NULL: the file of that name is read */
    size_t length;
};

struct sonic_result {
    char *scenario; /* YAML; its comments repeat the notes */
    char *notes;    /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

struct sonic_ask {
    const struct sonic_input *inputs;
    size_t count;
    bool verbose; /* notes on what does not touch a run, too */
};

/* False when the diag holds an error; then the result is empty. */
bool sonic_import(const struct sonic_ask *ask, struct sonic_result *result, struct diag *diag);
void sonic_free(struct sonic_result *result);

#endif
