/* SPDX-License-Identifier: Apache-2.0
 * incident_names - what the name of a file says: whose output it is, of which device, which sample.
 * "incident/after/leaf0-pfc.txt" below the operand "incident" is of leaf0, sample "after".  Words
 * of commands ("pfc", "ethtool", "config_db") and of times are no part of a host's name. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_NAMES_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_NAMES_H

#include "scenarios/incident/incident.h"

struct incident_name {
    const char *host;   /* never empty: "unknown" */
    const char *device; /* or NULL */
    struct incident_when when;
};

/* `within`: the part of the path below the folder that the user gave; of a file, all of it. */
struct incident_name incident_name(struct arena *arena, const char *within);

/* A host's name without its domain; addresses stay. */
const char *incident_short_host(struct arena *arena, const char *host);

#endif
