/* SPDX-License-Identifier: Apache-2.0
 * diff_incident - stormglass diff of an incident's counters and a run. */
#ifndef STORMGLASS_CLI_READ_DIFF_INCIDENT_H
#define STORMGLASS_CLI_READ_DIFF_INCIDENT_H

#include "cli/cli.h"

/* True if the first operand is the JSON output of stormglass import counters, not a run
 * database. */
bool diff_is_incident(const char *path);

int diff_incident(const struct cli_args *args);

#endif
