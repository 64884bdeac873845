/* SPDX-License-Identifier: Apache-2.0
 * fabric - the ports of a scenario in one array. */
#ifndef STORMGLASS_REPLAY_RUN_FABRIC_H
#define STORMGLASS_REPLAY_RUN_FABRIC_H

#include "replay/explain/explain.h"
#include "scenarios/data/scenario.h"

/* Names belong to the scenario, which must outlive the fabric. Owner: fabric_fini. */
void fabric_init(struct explain_fabric *fabric, const struct scenario *scenario);
void fabric_fini(struct explain_fabric *fabric);

#endif
