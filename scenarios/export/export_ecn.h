/* SPDX-License-Identifier: Apache-2.0
 * export_ecn - DCQCN parameters of a host as commands for a ConnectX's ECN files. */
#ifndef STORMGLASS_SCENARIOS_EXPORT_EXPORT_ECN_H
#define STORMGLASS_SCENARIOS_EXPORT_EXPORT_ECN_H

#include "scenarios/data/scenario.h"
#include "scenarios/import/notes.h"

#include <stdio.h>

/* For a host whose congestion control is DCQCN. Adds notes for values that the files cannot
 * express. */
void export_ecn(const struct scenario_node *node, FILE *out, struct notes *notes);

#endif
