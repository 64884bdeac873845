/* SPDX-License-Identifier: Apache-2.0
 * oversubscription - an axis of a plan that is not a setting: the rate that a leaf may receive from
 * its hosts, as a multiple of the rate of its uplinks.
 *   - {path: oversubscription, as: os, values: [1, 1.5, 3], better: lower}
 * In each cell, "oversubscription=3" becomes "fabric.topology.spines=N", based on the hosts, links
 * and rates that result from all other settings of the cell. */
#ifndef STORMGLASS_SCENARIOS_VARY_OVERSUBSCRIPTION_H
#define STORMGLASS_SCENARIOS_VARY_OVERSUBSCRIPTION_H

#include "scenarios/vary/plan.h"

/* False, with messages: no number of spines gives exactly that ratio; leaves differ, or have no
 * uplinks; another setting changes the ratio afterwards. */
bool oversubscription_resolve(const struct plan *plan, struct grid_cell *cell, struct arena *arena,
                              struct diag *diag);

#endif
