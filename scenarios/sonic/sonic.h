/* SPDX-License-Identifier: Apache-2.0
 * sonic - imports SONiC's config_db.json, one file per switch, as one scenario.
 * The neighbors of ports come from DEVICE_NEIGHBOR or from files of cables (`show lldp table`, a
 * DOT graph, a list). Neighbors with a configuration are switches, the others hosts. Buffers, PFC,
 * ECN, queues and maps of the tables become overrides of each switch. Settings without a
 * counterpart are reported as notes, never dropped silently.
 *   Source:  sonic-buildimage src/sonic-yang-models (tables and fields), sonic-swss orchagent
 *            (buffers, PFC watchdog), SAI's saibuffer.h and saiqosmap.h (meaning of fields).
 *   Limits:  SONIC_FILES_MAX files of SONIC_BYTES_MAX, SONIC_PORTS_MAX ports each, and those of
 *            json_tree.
 *   Owner:   the result belongs to the caller, sonic_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_SONIC_SONIC_H
#define STORMGLASS_SCENARIOS_SONIC_SONIC_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum { SONIC_FILES_MAX = 1024, SONIC_BYTES_MAX = 8 * 1024 * 1024, SONIC_PORTS_MAX = 1024 };

struct sonic_input {
    const char *name; /* name in messages; must outlive the call */
    const char *text; /* NULL: read the file of that name */
    size_t length;
};

struct sonic_result {
    char *scenario; /* YAML; its comments repeat the notes */
    char *notes;    /* lines "FILE:LINE:COLUMN: note: sentence"; may be empty */
};

struct sonic_ask {
    const struct sonic_input *inputs;
    size_t count;
    bool verbose; /* include notes on settings that do not affect a run */
};

/* False if the diag has an error; then the result is empty. */
bool sonic_import(const struct sonic_ask *ask, struct sonic_result *result, struct diag *diag);
void sonic_free(struct sonic_result *result);

#endif
