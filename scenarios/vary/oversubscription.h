/* SPDX-License-Identifier: Apache-2.0
 * oversubscription - an axis of a plan that is no setting: what a leaf may get from its hosts, as a
 * multiple of what its uplinks carry.
 *   - {path: oversubscription, as: os, values: [1, 1.5, 3], better: lower}
 * In each cell "oversubscription=3" becomes "fabric.topology.spines=N", with hosts, links and rates
 * as all other settings of the cell make them. */
#ifndef STORMGLASS_SCENARIOS_VARY_OVERSUBSCRIPTION_H
#define STORMGLASS_SCENARIOS_VARY_OVERSUBSCRIPTION_H

#include "scenarios/vary/plan.h"

/* False and messages: no number of spines makes it
 * exactly that; leaves differ, or have no uplinks; another setting changes it after. */
bool oversubscription_resolve(const struct plan *plan, struct grid_cell *cell, struct arena *arena,
                              struct diag *diag);

#endif
